/* Straight: whether one line lies between all limits of a clock offset, and which it likely is.
 *
 * The lines between the limits are a convex set; the steepest and the flattest of them touch both
 * sides. Where nothing tells that the clock bent, the estimate is the mean of all of them, each as
 * plausible as its gap is wide against how the least latencies of parts of the time differ: the
 * line with the widest gap, where all the time some messages take hardly more than the least; the
 * middle of all, where fast messages are rare (the bisector of the outermost two, which is the
 * classic hull's line, then turns around two corners); flatter, where much is open.
 *
 * A clock that bends moves away from what limits it on one side and towards the other by as much;
 * latencies that vary move both sides on their own. So both can be told apart, without knowing how
 * either varies. */
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
	double likely_rates[2];		 /* from, to: 95 % of what is plausible */
	double gap;			 /* the largest between both sides along a line */
	bool bends;			 /* the clock certainly bent, as far as the limits allow */
};

/* fits: false: no line of at most max_rate (ns/s, against 0) lies between them; then only gap is
 * set, to what is missing (<= 0). Points of both sides. Time O(n). */
int sync_straight(const struct sync_straight_point *p, size_t n, double max_rate,
	struct sync_straight *s, bool *fits, struct mer_err *err);

#endif
