/* Stable sort of a window's events by time, as 32-bit distances from the window's begin. */
#ifndef MER_TRACE_TIMESORT_H
#define MER_TRACE_TIMESORT_H

#include <stdint.h>

struct timesort_key {
	uint32_t time, index;
};

/* Sorts n keys; returns keys or spare (both of n), whichever holds the result. NULL: the keys were
 * in order already. */
const struct timesort_key *timesort(
	struct timesort_key *keys, struct timesort_key *spare, uint32_t n);

#endif
