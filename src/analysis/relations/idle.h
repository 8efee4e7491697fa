/* Idle waits between tasks: how much of what one waited for the other was time that nobody felt,
 * such as a server's wait for its next request (blocked.h knows). */
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

/* The run must have kept its spans. relation_idle_fini in any case. */
int relation_idle_find(const struct analysis_run *run, struct relation_idle *x);
/* What of the edge's wait was idle. A wait is known by who waited and who ended it; where these
 * have several edges, each has its share. */
int64_t relation_idle_of(const struct relation_idle *x, const struct relation *r);
void relation_idle_fini(struct relation_idle *x);

#endif
