#include "path/usage_columns.h"

void usage_put_cells(struct mer_cell *cells, const int64_t *used, unsigned known)
{
	for (unsigned k = 0; k < USAGE_N_KINDS; k++)
		if (known >> k & 1)
			cells[USAGE_AT(k)] = MER_INT(used[k]);
	if (known >> USAGE_PAGES_ALLOCATED & 1)
		cells[USAGE_NET] = MER_INT(used[USAGE_PAGES_ALLOCATED] - used[USAGE_PAGES_FREED]);
}
