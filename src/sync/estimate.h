/* Estimate: the most plausible course of every host's clock, from those of its pairs.
 *
 * Nothing here is guaranteed; the guarantee comes from putting the courses between the limits
 * (sync/project.h). */
#ifndef MER_SYNC_ESTIMATE_H
#define MER_SYNC_ESTIMATE_H

#include "sync/course.h"
#include "sync/pairs.h"
#include "sync/tree.h"

/* f(t) = other's clock - host's clock, on host's clock, for the two hosts of a pair. */
int sync_estimate_pair(const struct sync_messages *m, const struct sync_pairs *pairs, size_t pair,
	uint32_t host, double max_rate, struct sync_course *f, struct mer_err *err);

/* Courses of all hosts, those of references being 0. A host with `given` keeps the course that is
 * there. tree->edge numbers pairs. Where hosts have more neighbours than their parent, all of them
 * count, by how exactly they are known. */
int sync_estimate(const struct sync_messages *m, const struct sync_pairs *pairs,
	const struct sync_tree *tree, const bool *given, double max_rate,
	struct sync_course *courses, struct mer_err *err);

#endif
