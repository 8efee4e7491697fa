/* Estimate: the most plausible course of every host's clock, from those of its pairs.
 *
 * Nothing here is guaranteed: project.h then moves the courses between the limits, which are. */
#ifndef MER_SYNC_ESTIMATE_ESTIMATE_H
#define MER_SYNC_ESTIMATE_ESTIMATE_H

#include "sync/estimate/course.h"
#include "sync/limits/pairs.h"
#include "sync/limits/tree.h"

struct sync_pair_course { /* f(t) = the other host's clock - this host's, t on this host's clock */
	struct sync_course on_a, on_b;
	bool known;
	/* Its likely error, on the clock of the pair's axis, as a course that is never negative
	 * (fit.h); no knots: not known. */
	struct sync_course off;
	double off_grows, rate_off, rate_varies;
	/* largest distance from 0, as a part of the width of the corridor; INFINITY: it cannot be
	 * 0 */
	double from_zero;
};

/* The courses of n pairs, by their numbers: sets those of `courses`, which has all pairs. The
 * points of all n are in memory at once. Different pairs may be done on different threads. */
int sync_estimate_pairs(const struct sync_messages *m, const struct sync_pairs *pairs,
	const size_t *numbers, size_t n, double max_rate, struct sync_pair_course *courses,
	struct mer_err *err);
void sync_pair_course_free(struct sync_pair_course *f);

/* Computes the courses of all hosts from those of the pairs (`known`); references have offset 0. A
 * host with `given` keeps its present course. tree->edge has indexes of pairs. If a host has other
 * neighbours besides its parent, all of them count, weighted by the accuracy of their pair. */
int sync_estimate(const struct sync_pairs *pairs, const struct sync_pair_course *known,
	const struct sync_tree *tree, const bool *given, struct sync_course *courses,
	struct mer_err *err);

/* Finds the groups whose clocks agree already: copies that --write made, or clocks that hardware
 * synchronizes. Independent clocks never come this close. agree: by group. */
int sync_agreeing_groups(const struct sync_pairs *pairs, const struct sync_pair_course *known,
	const struct sync_tree *tree, bool *agree, struct mer_err *err);

#endif
