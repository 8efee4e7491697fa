/* Selects: the k-th smallest value without sorting all of them. */
#ifndef MER_BASE_SELECT_H
#define MER_BASE_SELECT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The k-th smallest of n values, k from 0; reorders them, so that no value before place k is
 * larger, and none behind it smaller. */
int64_t mer_select(int64_t *values, size_t n, size_t k);

/* A number for a double, and back: in the same order. */
static inline int64_t mer_order_of_double(double x)
{
	int64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits ^ (bits >> 63 & INT64_MAX);
}

static inline double mer_double_of_order(int64_t order)
{
	double x;
	order ^= order >> 63 & INT64_MAX;
	memcpy(&x, &order, sizeof(x));
	return x;
}

#endif
