/* Breaks: where the messages of a pair of hosts contradict a clock whose drift is bounded.
 *
 * Walks the limits of the offset in the order of time with the cones that they cast forward. A
 * point beyond the opposite cone is a contradiction. If the later points agree with it and the
 * earlier ones do not, the clock broke between the two: it jumped, or was slewed. A point that
 * stands alone is a wrong match and is left out; so is the point that it contradicts, if that one
 * stands alone. Breaks are placed as late as possible, which makes them as few as possible. */
#ifndef MER_SYNC_LIMITS_BREAKS_H
#define MER_SYNC_LIMITS_BREAKS_H

#include "sync/estimate/fit.h"

struct sync_break { /* of the offset g(x) */
	/* The break is between these two: the last point certainly before it and the first one
	 * certainly after it. */
	struct sync_point begin, end;
	int64_t jump_ns; /* about */
	double rate;	 /* 0: a step; else the least |g'| within the break that the points allow */
};

struct sync_breaks {
	struct sync_break *rows; /* malloc'ed; by begin, disjoint but for common ends */
	size_t n, cap;
	uint32_t *out_upper, *out_lower; /* malloc'ed: points left out, in order of finding */
	size_t n_out_upper, n_out_lower, cap_out_upper, cap_out_lower;
};

struct sync_points { /* sorted by x */
	const struct sync_point *upper, *lower;
	size_t n_upper, n_lower;
};

/* Finds the breaks: everywhere else |g'| is at most max_rate. */
int sync_find_breaks(
	const struct sync_points *p, double max_rate, struct sync_breaks *b, struct mer_err *err);
void sync_breaks_free(struct sync_breaks *b);

#endif
