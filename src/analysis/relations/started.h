/* Relations of tasks with what they started themselves: forks, the ends of children and threads,
 * and what a process only collects of its descendants, such as a shell the output of a command.
 * That one waits there as long as the other one runs says nothing new: the other one's own
 * relations tell what took so long.
 *
 * Not such a relation is one of two processes that both give something to the other one: a pool of
 * workers. */
#ifndef MER_ANALYSIS_RELATIONS_STARTED_H
#define MER_ANALYSIS_RELATIONS_STARTED_H

#include "analysis/analysis.h"
#include "analysis/relations/set.h"

struct relation_started { /* zeroed: empty */
	struct mer_map
		gives; /* hash of two processes: that the one gives the other one something */
};

/* To be told all relations first. False: no memory. */
bool relation_started_note(
	struct relation_started *x, const struct analysis_run *run, const struct relation *r);
bool relation_is_started(
	const struct relation_started *x, const struct analysis_run *run, const struct relation *r);
void relation_started_fini(struct relation_started *x);

#endif
