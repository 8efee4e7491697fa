/* Chosen: the tasks that are wanted by a name that they had at any time. A task is named by the
 * first switch that shows it, or by an exec in the middle of its life, so what it did before would
 * be missed: names are read before everything else. */
#ifndef MER_ANALYSIS_CHOSEN_H
#define MER_ANALYSIS_CHOSEN_H

#include "analysis/analysis.h"

/* Fills run->chosen, in run->arena. o: as the reading that follows, whose tasks have the same
 * numbers; its observers are not told anything. */
int analysis_choose(struct analysis_run *run, const struct sync_result *r,
	const struct kernel_world_options *o, struct mer_err *err);

#endif
