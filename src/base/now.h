/* Current time on a monotonic clock, to measure durations. */
#ifndef MER_BASE_NOW_H
#define MER_BASE_NOW_H

#include <stdint.h>
#include <time.h>

static inline int64_t mer_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#endif
