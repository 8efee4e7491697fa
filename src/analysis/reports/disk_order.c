/* Order of requests on a disk: whether one begins where the one before ended, and if not, how far from
 * there. Heads of disks move that far; other disks too serve neighbours faster. */
#include <stdlib.h>

#include "analysis/reports/io.h"

bool io_order_add(struct io_order *o, const struct kernel_request *r)
{
	if (r->bytes == 0)
		return true;
	if (o->n > 0) {
		uint64_t from = o->next_sector, to = r->sector;
		uint64_t *seek =
			mer_grow_at(&o->seeks, &o->cap_seeks, (size_t)o->n - 1, sizeof(*o->seeks));
		if (!seek)
			return false;
		uint64_t sectors = from < to ? to - from : from - to;
		*seek = sectors < INT64_MAX / KERNEL_SECTOR_BYTES ? sectors * KERNEL_SECTOR_BYTES
								  : INT64_MAX;
		o->n_sequential += sectors == 0;
	}
	o->n++;
	o->next_sector = r->sector + r->bytes / KERNEL_SECTOR_BYTES;
	return true;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *p = a, *q = b;
	return (*p > *q) - (*p < *q);
}

void io_order_cells(struct io_order *o, struct mer_cell *cells)
{
	uint64_t n = o->n > 0 ? o->n - 1 : 0;
	long double sum = 0;
	cells[0] = cells[1] = cells[2] = MER_NONE;
	if (n == 0)
		return;
	qsort(o->seeks, (size_t)n, sizeof(*o->seeks), compare);
	for (uint64_t i = 0; i < n; i++)
		sum += (long double)o->seeks[i];
	uint64_t low = o->seeks[(n - 1) / 2], high = o->seeks[n / 2];
	cells[0] = MER_REAL_CELL((double)o->n_sequential / (double)n);
	cells[1] = MER_INT(low + (high - low) / 2);
	cells[2] = MER_INT(sum / (long double)n);
}

void io_order_fini(struct io_order *o)
{
	free(o->seeks);
	*o = (struct io_order){ 0 };
}
