/* Idle waits between tasks: how much of the time that one task waited for another delayed
 * nobody, such as a server's wait for its next request (see blocked.h). */
#ifndef MER_ANALYSIS_RELATIONS_IDLE_H
#define MER_ANALYSIS_RELATIONS_IDLE_H

#include "analysis/relations/set.h"

struct relation_idle { /* by pair of tasks */
	struct mer_map map;
	struct relation_idle_pair {
		int64_t idle, felt;
	} * pairs;
	size_t n, cap;
};

/* The run must have kept its spans. Call relation_idle_fini whatever the result. */
int relation_idle_find(const struct analysis_run *run, struct relation_idle *x);
/* The idle part of an edge's wait. Waits are known by the task that waited and the task that
 * ended the wait; if these two have several edges, each gets its share. */
int64_t relation_idle_of(const struct relation_idle *x, const struct relation *r);
void relation_idle_fini(struct relation_idle *x);

#endif
