/* Ready: when tasks were ready but had no CPU (only the last times of each task), to find how
 * much of another task's wait that was. */
#ifndef MER_ANALYSIS_READY_H
#define MER_ANALYSIS_READY_H

#include "analysis/analysis.h"

enum { ANALYSIS_READY_KEPT = 64 }; /* times kept for each task; older ones are forgotten */

struct analysis_ready { /* zeroed: nothing */
	struct ready_task *tasks;
	size_t cap;
};

/* The task was ready in [begin, end), ns; call it in time order. False: no memory. */
bool analysis_ready_add(struct analysis_ready *r, uint32_t task, int64_t begin, int64_t end);
/* How much of [begin, end) the task was ready, ns. A lower bound, as older times are forgotten. */
int64_t analysis_ready_in(
	const struct analysis_ready *r, uint32_t task, int64_t begin, int64_t end);
void analysis_ready_fini(struct analysis_ready *r);

#endif
