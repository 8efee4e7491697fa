/* Sorts large arrays that are nearly in order, as data that arrives in time order is. A sorted
 * array takes about n comparisons and no memory; more disorder takes more of both. qsort of the C
 * library may need a second array of the same size. */
#ifndef MER_BASE_SORT_H
#define MER_BASE_SORT_H

#include "base/spill.h"

/* Stable. Temporary memory comes from spill. False: no memory; the array has the same elements in
 * some order. */
bool mer_sort(struct mer_spill *spill, void *array, size_t n, size_t bytes_each,
	int (*compare)(const void *, const void *));

/* Compares two int64_t, for ascending order with mer_sort and qsort. */
int mer_compare_int64(const void *a, const void *b);

#endif
