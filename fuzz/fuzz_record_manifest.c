/* Fuzzer of manifests, whose words are run on hosts by `record clean` and `record fetch`: what is
 * accepted names hosts, sessions and folders as meridian does, and nothing else. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/manifest.h"
#include "record/words.h"
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mer_arena arena;
	struct record_run r = { .arena = &arena };
	struct mer_err err = { 0 };
	bool complete;
	mer_arena_init(&arena);
	if (record_manifest_read(&r, &complete, (const char *)data, size, "file", &err)) {
		check(strncmp(err.text, "file", 4) == 0);
	} else {
		check(record_is_name(r.plan.session) && r.folder[0] == '/');
		check(r.n_hosts <= RECORD_MOST_HOSTS);
		for (size_t i = 0; i < r.n_hosts; i++) {
			const struct record_host *h = &r.hosts[i];
			struct mer_str s = { 0 };
			check(record_is_name(h->name));
			check(!h->target || record_is_target(h->target));
			record_put_folder(&r, h, &s);
			check(!h->folder || strcmp(h->folder, s.data) == 0);
			mer_str_fini(&s);
		}
	}
	mer_arena_fini(&arena);
	return 0;
}
