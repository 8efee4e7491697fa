/* Fuzzer of saved synchronizations: no file may crash the reader, and what it accepts can be used:
 * maps never decrease, limits answer, and what is written again is accepted again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "sync/result.h"
#include "check.h"

static const struct mer_host hosts[] = { { "alpha", "id-a", 1 }, { "beta", "id-b", 1 },
	{ "gamma", "id-c", 1 } };
enum { N_HOSTS = sizeof(hosts) / sizeof(*hosts) };

static void use(const struct sync_result *r)
{
	static const int64_t times[] = { INT64_MIN + 1, -1, 0, 1795227171997296386, INT64_MAX };
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		int64_t last = INT64_MIN, low, high;
		check(r->hosts[h].group < r->n_groups);
		for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
			int64_t t = trace_map_time(&r->hosts[h].map, times[i]);
			check(t >= last);
			last = t;
			sync_host_limits(r, h, times[i], &low, &high);
			sync_host_limits_back(r, h, times[i], &low, &high);
		}
	}
	for (uint32_t g = 0; g < r->n_groups; g++)
		check(r->references[g] < r->n_hosts && r->hosts[r->references[g]].group == g);
	for (size_t p = 0; p < r->n_pairs; p++)
		check(r->pairs[p].a < r->n_hosts && r->pairs[p].b < r->n_hosts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sync_result *r = NULL, *again = NULL;
	struct mer_err err;
	struct mer_str text = { 0 };
	if (sync_result_read((const char *)data, size, "input", hosts, N_HOSTS, &r, &err))
		return 0;
	use(r);
	check(sync_result_write(r, true, &text, &err) == 0);
	check(sync_result_read(text.data, text.len, "again", hosts, N_HOSTS, &again, &err) == 0);
	sync_result_free(again);
	sync_result_free(r);
	mer_str_fini(&text);
	return 0;
}
