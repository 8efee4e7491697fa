/* Sorting large arrays that are nearly in order, as everything is that comes in the order of time:
 * about n comparisons and no memory where nothing is out of place, and no more of both than the
 * disorder needs. qsort of the C library may take the array's size once more. */
#ifndef MER_BASE_SORT_H
#define MER_BASE_SORT_H

#include "base/spill.h"

/* Stable. What it needs besides comes from spill. False: no memory; the array has the same elements
 * in some order. */
bool mer_sort(struct mer_spill *spill, void *array, size_t n, size_t bytes_each,
	int (*compare)(const void *, const void *));

/* Of two int64_t, ascending; for mer_sort and qsort. */
int mer_compare_int64(const void *a, const void *b);

#endif
