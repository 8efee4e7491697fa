/* Fit: the most plausible course of a clock offset between its limits.
 *
 * Given upper and lower limits of an unknown continuous function g(x), each off by an unknown
 * delay, finds a continuous piecewise linear estimate of g. x is a host's clock in ns, y an offset
 * in ns relative to a base that the caller chooses so that |y| < 2^52.
 *
 * An estimate: the guarantee comes from the corridor (sync/limits/corridor.h), into which the
 * caller moves it. */
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

struct sync_fit {
	struct sync_knot *knots; /* malloc'ed; by x, at least one */
	size_t n;
	/* slopes outside of the knots: the likely ones, less extreme than what short data seem to
	 * show */
	double rate_before, rate_after;
	/* The likely error at some x (reach.h). Malloc'ed; none: not known. */
	struct sync_knot *off;
	size_t n_off;
	double off_grows; /* by how much it grows outside of them, per ns */
	double rate_off;  /* likely error of the mean slope */
	/* by how much the observed slope differed from that at the ends */
	double rate_varies;
	double floor_ns; /* smallest distance between the limits along a line: about the sum of the
			     least latencies of both directions; NAN: one direction is missing */
};

struct sync_fit_job {
	const struct sync_point *upper, *lower; /* by x */
	size_t n_upper, n_lower;
	double max_rate; /* |g'| is at most this: 1e-3 for 1000 ppm */
	struct sync_fit fit;
};

/* Sets the fits of all jobs, each by itself: several take less time than one after the other. After
 * a failure none has to be freed. Without points, g is 0; with one direction only, the estimate
 * touches its limits. Points may contradict each other: the estimate then violates some of them.
 * Time O((n_upper + n_lower) * log). */
int sync_fit(struct sync_fit_job *jobs, size_t n, struct mer_err *err);
void sync_fit_free(struct sync_fit *fit);
double sync_fit_at(const struct sync_fit *fit, int64_t x);

#endif
