/* Fuzzer of the user's file of message pairs: no text may crash the parser or take forever; an
 * error says where; what is accepted is complete. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sync/match/user_pairs.h"
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sync_user_pairs *u;
	struct mer_err err = { 0 };
	if (sync_user_pairs_parse((const char *)data, size, "file", &u, &err)) {
		check(strncmp(err.text, "file:", 5) == 0);
		return 0;
	}
	check(u->n > 0);
	for (uint32_t i = 0; i < u->n; i++) {
		const struct sync_user_pair *p = &u->pairs[i];
		check(p->name[0] && p->event[0][0] && p->event[1][0]);
		check(p->n_fields > 0 && p->n_fields <= SYNC_USER_MAX_FIELDS);
		for (uint32_t k = 0; k < p->n_fields; k++)
			check(p->fields[0][k].n > 0 && p->fields[1][k].n > 0);
	}
	sync_user_pairs_free(u);
	return 0;
}
