/* Rows that nobody asks about: of the tracer's own tasks (tracer.h), and idle waits (blocked.h),
 * such as the call in which a server waits for its next request, and waits for what the task
 * started itself, such as the call in which a thread is joined. For people's tables of tasks and of
 * single calls; what is left out is counted, so that the whole can be told. */
#ifndef MER_ANALYSIS_LEAVE_OUT_H
#define MER_ANALYSIS_LEAVE_OUT_H

#include "analysis/analysis.h"

struct analysis_left_out {
	uint64_t n_tracer, n_idle, n_started;	/* rows */
	int64_t tracer_ns, idle_ns, started_ns; /* their durations, where rows have one */
};

/* Takes such rows out of a table whose rows have the columns host, tid and comm (or pid, of
 * processes); others stay as they are. idle: also rows with a begin and a duration that were such
 * waits for most of it; the run must have kept its spans. Adds to sum. */
int analysis_leave_out(
	struct analysis_run *run, struct mer_table *t, bool idle, struct analysis_left_out *sum);

#endif
