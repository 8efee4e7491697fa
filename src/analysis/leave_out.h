/* Rows that are usually not of interest: those of the tracer's own tasks (tracer.h); idle waits
 * (blocked.h), such as the call in which a server waits for its next request; and waits for
 * something the task started itself, such as the call that joins a thread. For tables of tasks
 * and of single calls that users read; left-out rows are counted, so that totals remain known. */
#ifndef MER_ANALYSIS_LEAVE_OUT_H
#define MER_ANALYSIS_LEAVE_OUT_H

#include "analysis/analysis.h"

struct analysis_left_out {
	uint64_t n_tracer, n_idle, n_started;	/* rows */
	int64_t tracer_ns, idle_ns, started_ns; /* their total duration, if rows have one */
};

enum analysis_left_why { ANALYSIS_KEPT, ANALYSIS_OF_TRACER, ANALYSIS_IDLE, ANALYSIS_STARTED };
struct analysis_left_row {
	enum analysis_left_why why;
	uint64_t n; /* of what it counts for: itself, or the waits of a group */
	int64_t ns;
};

/* Removes such rows from a table that has the columns host, tid and comm (for processes: pid);
 * other tables are not changed. idle: also removes rows whose `class` says so, or, without that
 * column, rows with a begin and a duration that consist mostly of such waits; the run must have
 * kept its spans. Adds to sum. */
int analysis_leave_out(
	struct analysis_run *run, struct mer_table *t, bool idle, struct analysis_left_out *sum);
/* The same, but only says of each row of the table whether it would be removed. */
int analysis_judge_rows(struct analysis_run *run, const struct mer_table *t, bool idle,
	struct analysis_left_row *rows);
/* Counts a row that is left out. */
void analysis_left_out_add(struct analysis_left_out *sum, const struct analysis_left_row *row);

#endif
