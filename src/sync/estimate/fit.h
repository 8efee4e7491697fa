/* Fit: the most plausible course of a clock offset between its limits.
 *
 * Given points that an unknown continuous function g(x) does not exceed (upper) and points that it
 * does not fall below (lower), each with an unknown delay above its smallest one, finds a
 * continuous piecewise linear estimate of g. x is a host's clock in ns, y an offset in ns relative
 * to a base that the caller chose, so that |y| < 2^52.
 *
 * An estimate: the guarantee is the corridor's (sync/limits/corridor.h), into which the caller puts
 * it. */
#ifndef MER_SYNC_ESTIMATE_FIT_H
#define MER_SYNC_ESTIMATE_FIT_H

#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct sync_point {
	int64_t x, y; /* ns */
};

struct sync_knot {
	int64_t x; /* ns */
	double y;  /* ns */
};

struct sync_fit_options {
	double max_rate; /* |g'| is at most this: 1e-3 for 1000 ppm */
};

struct sync_fit {
	struct sync_knot *knots; /* malloc'ed; by x, at least one */
	size_t n;
	/* slopes outside of the knots: what is likely, which is less than what a short stretch
	 * seems to show */
	double rate_before, rate_after;
	/* By how much the estimate is likely off, at some x (reach.h). Malloc'ed; none: that
	 * is not known. */
	struct sync_knot *off;
	size_t n_off;
	double off_grows; /* outside of them: so much more per ns */
	double rate_off;  /* by how much the slope over all is likely off */
	/* by how much the slope was seen to be another one than at the ends */
	double rate_varies;
	double floor_ns; /* smallest distance between the limits along a line: about the sum of the
			     least latencies of both directions; NAN: one direction is missing */
};

/* Points sorted by x. Both directions may be empty (then g is 0), or one of them (then the estimate
 * touches it). Points need not be consistent with each other: the estimate then violates some. Time
 * O((n_upper + n_lower) * log). */
int sync_fit(const struct sync_point *upper, size_t n_upper, const struct sync_point *lower,
	size_t n_lower, const struct sync_fit_options *o, struct sync_fit *fit,
	struct mer_err *err);
void sync_fit_free(struct sync_fit *fit);
double sync_fit_at(const struct sync_fit *fit, int64_t x);

#endif
