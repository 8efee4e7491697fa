/* Ready: when tasks were ready and had no CPU, of each the last times; to tell how much of another
 * one's wait that was. */
#ifndef MER_ANALYSIS_READY_H
#define MER_ANALYSIS_READY_H

#include "analysis/analysis.h"

enum { ANALYSIS_READY_KEPT = 64 }; /* times of each task: of longer ago nothing is known */

struct analysis_ready { /* zeroed: nothing */
	struct ready_task *tasks;
	size_t cap;
};

/* The task was ready, ns; in the order of time. False: no memory. */
bool analysis_ready_add(struct analysis_ready *r, uint32_t task, int64_t begin, int64_t end);
/* How much of [begin, end) the task was ready, as far as it is kept: ns, at least. */
int64_t analysis_ready_in(
	const struct analysis_ready *r, uint32_t task, int64_t begin, int64_t end);
void analysis_ready_fini(struct analysis_ready *r);

#endif
