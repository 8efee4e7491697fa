/* Lines: tighter limits of a clock's offset if its rate is constant for some time.
 *
 * Kernels change the rate of a clock only now and then: between two changes the offset is a line,
 * except for a small wander of the rate. The lines that keep all limits near a moment leave a
 * narrower range there than the nearest limits alone, because a line cannot touch each of them. */
#ifndef MER_SYNC_VCPU_LINES_H
#define MER_SYNC_VCPU_LINES_H

#include <stdbool.h>
#include "sync/estimate/fit.h"

struct sync_straight { /* at x the offset is from low to high */
	int64_t x, low, high;
};

struct sync_lines_options {
	int64_t steady_ns; /* the rate changes at most once in this time */
	int64_t every_ns;  /* distance between the moments in the output */
	double wander;	   /* ... otherwise by at most this: 1e-6 for 1 ppm */
	double max_rate;
};

/* upper, lower: limits of the offset, by x. out (malloc'ed) has only the moments for which a range
 * follows. */
int sync_lines(const struct sync_point *upper, size_t n_upper, const struct sync_point *lower,
	size_t n_lower, const struct sync_lines_options *o, struct sync_straight **out,
	size_t *n_out, struct mer_err *err);

#endif
