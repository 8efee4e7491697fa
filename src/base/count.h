/* Sums of counts read from a trace: a damaged count may be anything, but sums must neither wrap nor
 * turn negative in a table. */
#ifndef MER_BASE_COUNT_H
#define MER_BASE_COUNT_H

#include <stdint.h>

/* Saturates at INT64_MAX, the largest number that tables can show. */
static inline void mer_add_count(uint64_t *sum, uint64_t n)
{
	*sum = n > (uint64_t)INT64_MAX - *sum ? (uint64_t)INT64_MAX : *sum + n;
}

#endif
