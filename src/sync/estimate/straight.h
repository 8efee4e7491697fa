/* Straight: whether one line fits between all limits of a clock offset, and which line is likely.
 *
 * The lines between the limits are a convex set; the steepest and the flattest of them touch both
 * sides. Unless the clock is seen to bend, the estimate is the mean of all these lines. A line's
 * weight is the width of its gap, compared with how much the least latencies of parts of the time
 * differ. That gives the line with the widest gap where some messages at any time take hardly more
 * than the least latency; the middle of all lines where fast messages are rare (the bisector of the
 * two extreme lines, which is the classic hull's line, would depend on two corners alone); and a
 * flatter line where the range of rates is wide.
 *
 * A clock that bends moves away from the limits on one side and towards those on the other by the
 * same amount; varying latencies move each side independently. So the two can be distinguished
 * without a model of either. */
#ifndef MER_SYNC_ESTIMATE_STRAIGHT_H
#define MER_SYNC_ESTIMATE_STRAIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

struct sync_straight_point { /* a limit; by t */
	double t, y;	     /* s, ns */
	double side;	     /* +1: the offset is below y; -1: above */
};

struct sync_straight {
	double rate, offset; /* ns/s; ns at t = 0: the estimate */
	double flattest, steepest;
	double flattest_at, steepest_at; /* their offsets at t = 0 */
	double likely_rates[2];		 /* from, to: the 95 % interval */
	double gap;			 /* the largest between both sides along a line */
	bool bends;			 /* the clock certainly bent, as far as the limits allow */
};

/* fits: false: no line with |rate| <= max_rate (ns/s) lies between the limits; then only gap is
 * set, to the missing width (<= 0). p has points of both sides. Time O(n). */
int sync_straight(const struct sync_straight_point *p, size_t n, double max_rate,
	struct sync_straight *s, bool *fits, struct mer_err *err);

#endif
