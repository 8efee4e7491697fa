/* Estimate: the most plausible course of every host's clock, from those of its pairs.
 *
 * Nothing here is guaranteed; the guarantee comes from putting the courses between the limits
 * (project.h). */
#ifndef MER_SYNC_ESTIMATE_ESTIMATE_H
#define MER_SYNC_ESTIMATE_ESTIMATE_H

#include "sync/estimate/course.h"
#include "sync/limits/pairs.h"
#include "sync/limits/tree.h"

struct sync_pair_course { /* f(t) = the other's clock - the host's, on the host's clock */
	struct sync_course on_a, on_b;
	bool known;
	/* By how much it is likely off, on the clock of the pair's axis, as a course that is never
	 * negative (fit.h); without knots: not known. */
	struct sync_course off;
	double off_grows, rate_off, rate_varies;
	/* distance at most, as a part of what is open; INFINITY: it cannot be 0 */
	double from_zero;
};

/* The courses of one pair; different pairs may be done on different threads. */
int sync_estimate_pair(const struct sync_messages *m, const struct sync_pairs *pairs, size_t pair,
	double max_rate, struct sync_pair_course *f, struct mer_err *err);
void sync_pair_course_free(struct sync_pair_course *f);

/* Courses of all hosts from those of the pairs (known: those that count), those of references being
 * 0. A host with `given` keeps the course that is there. tree->edge numbers pairs. Where hosts have
 * more neighbours than their parent, all of them count, by how exactly they are known. */
int sync_estimate(const struct sync_pairs *pairs, const struct sync_pair_course *known,
	const struct sync_tree *tree, const bool *given, struct sync_course *courses,
	struct mer_err *err);

/* Which groups' clocks agree already, as far as can be told: those of copies that --write made, or
 * that hardware keeps together. Clocks that nobody put together never come so close. agree: as
 * groups. */
int sync_agreeing_groups(const struct sync_pairs *pairs, const struct sync_pair_course *known,
	const struct sync_tree *tree, bool *agree, struct mer_err *err);

#endif
