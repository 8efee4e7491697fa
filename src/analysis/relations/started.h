/* Relations between a task and what it started: forks, the ends of children and threads, and
 * output that a process only collects from its descendants, such as a shell that reads the
 * output of a command. That the parent waits while the child runs is no news: the relations of
 * the child itself show what took so long.
 *
 * Two processes that pass data in both directions, such as a pool of workers, are not such a
 * relation. */
#ifndef MER_ANALYSIS_RELATIONS_STARTED_H
#define MER_ANALYSIS_RELATIONS_STARTED_H

#include "analysis/analysis.h"
#include "analysis/relations/set.h"

struct relation_started { /* zeroed: empty */
	struct mer_map
		/* hash of two processes: the first one passes something to the second */
		gives;
};

/* Call it with all relations first. False: no memory. */
bool relation_started_note(
	struct relation_started *x, const struct analysis_run *run, const struct relation *r);
bool relation_is_started(
	const struct relation_started *x, const struct analysis_run *run, const struct relation *r);
void relation_started_fini(struct relation_started *x);

#endif
