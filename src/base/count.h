/* Counts that a trace states: a damaged one may be anything, and sums of them must neither wrap nor
 * turn negative where a table shows them. */
#ifndef MER_BASE_COUNT_H
#define MER_BASE_COUNT_H

#include <stdint.h>

/* The sum stays at INT64_MAX, which is the largest number that tables can show. */
static inline void mer_add_count(uint64_t *sum, uint64_t n)
{
	*sum = n > (uint64_t)INT64_MAX - *sum ? (uint64_t)INT64_MAX : *sum + n;
}

#endif
