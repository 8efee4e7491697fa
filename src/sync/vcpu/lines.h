/* Lines: what limits of a clock's offset say when the clock is straight for some time.
 *
 * Kernels change the rate of a clock at most once in a while: between two changes the offset is a
 * line, but for a small wander of the rate. The lines that keep all limits near a moment leave a
 * range there that is narrower than what the nearest limits leave, because a line cannot follow
 * each of them. */
#ifndef MER_SYNC_VCPU_LINES_H
#define MER_SYNC_VCPU_LINES_H

#include <stdbool.h>
#include "sync/estimate/fit.h"

struct sync_straight { /* at a moment the offset is in the range */
	int64_t x, low, high;
};

struct sync_lines_options {
	int64_t steady_ns; /* the rate changes at most once in so much time */
	int64_t every_ns;  /* distance of the moments */
	double wander;	   /* ... otherwise by at most this: 1e-6 for 1 ppm */
	double max_rate;
};

/* upper: the offset does not exceed them, lower: it does not fall below; by x. Only moments at
 * which something follows are in out (malloc'ed). */
int sync_lines(const struct sync_point *upper, size_t n_upper, const struct sync_point *lower,
	size_t n_lower, const struct sync_lines_options *o, struct sync_straight **out,
	size_t *n_out, struct mer_err *err);

#endif
