#include "cli/path/used_columns.h"

void cli_used_put(struct mer_cell *cells, const int64_t *used, unsigned known)
{
	for (unsigned k = 0; k < USAGE_N_KINDS; k++)
		if (known >> k & 1)
			cells[CLI_USED_AT(k)] = MER_INT(used[k]);
	if (known >> USAGE_PAGES_ALLOCATED & 1)
		cells[CLI_USED_NET] =
			MER_INT(used[USAGE_PAGES_ALLOCATED] - used[USAGE_PAGES_FREED]);
}
