/* Cells common to all latency tables, always in the same order and with the same keys. */
#ifndef MER_ANALYSIS_CELLS_H
#define MER_ANALYSIS_CELLS_H

#include "analysis/analysis.h"

/* Columns of statistics, and their cells; mean and stddev are rounded to ns. Where the minimum
 * and the maximum began is for programs only. */
#define ANALYSIS_STATS_COLUMNS                                                                     \
	{ "count", "count", MER_COUNT }, { "min_ns", "min", MER_DURATION },                        \
		{ "max_ns", "max", MER_DURATION }, { "mean_ns", "mean", MER_DURATION },            \
		{ "stddev_ns", "stddev", MER_DURATION }, { "total_ns", "total", MER_DURATION },    \
		{ "min_at", NULL, MER_TIME },                                                      \
	{                                                                                          \
		"max_at", NULL, MER_TIME                                                           \
	}
/* Percentiles, exact to 1 in 64. */
#define ANALYSIS_PERCENTILE_COLUMNS                                                                \
	{ "p50_ns", "p50", MER_DURATION }, { "p90_ns", NULL, MER_DURATION },                       \
	{                                                                                          \
		"p99_ns", "p99", MER_DURATION                                                      \
	}
/* The same over time (FOLD_LENGTHS in fold.h). */
#define ANALYSIS_LENGTHS_COLUMNS                                                                   \
	{ "count", "count", MER_COUNT }, { "mean_ns", "mean", MER_DURATION },                      \
		{ "max_ns", "max", MER_DURATION }, ANALYSIS_PERCENTILE_COLUMNS,                    \
	{                                                                                          \
		"total_ns", "total", MER_DURATION                                                  \
	}
enum { ANALYSIS_STATS_CELLS = 8 };
void analysis_stats_cells(const struct analysis_stats *s, struct mer_cell *cells);

/* Host, tid, pid and comm (the last name) of a task. task KERNEL_NONE: only the host. */
#define ANALYSIS_TASK_COLUMNS                                                                      \
	{ "host", "host", MER_TEXT }, { "tid", "tid", MER_ID }, { "pid", "pid", MER_ID },          \
	{                                                                                          \
		"comm", "comm", MER_TEXT                                                           \
	}
enum { ANALYSIS_TASK_CELLS = 4 };
/* Over time: rows for the tasks with the greatest amounts, and for "all others". */
#define ANALYSIS_TASK_BINS_COLUMNS                                                                 \
	{ "begin", "begin", MER_TIME }, { "end", NULL, MER_TIME }, ANALYSIS_TASK_COLUMNS
void analysis_task_cells(
	const struct analysis_run *run, uint32_t host, uint32_t task, struct mer_cell *cells);

/* Rows of a histogram, one for each bucket that is not empty: the cells given first, then
 * from_ns, to_ns, count. */
#define ANALYSIS_FREQ_COLUMNS                                                                      \
	{ "from_ns", "from", MER_DURATION }, { "to_ns", "to", MER_DURATION },                      \
	{                                                                                          \
		"count", "count", MER_COUNT                                                        \
	}
enum { ANALYSIS_FREQ_CELLS = 3 };
void analysis_freq_rows(struct mer_table *t, const struct mer_cell *before, size_t n_before,
	const struct analysis_histogram *f);

/* "ENOENT"; NULL: ret is no error. Includes codes internal to the kernel: "ERESTARTSYS". */
const char *analysis_error_name(int64_t ret);
/* What a system call of these classes returned, for display: "ENOENT", "12", for mmap
 * "0x7f12000". In arena; NULL: no memory. */
const char *analysis_ret_text(struct mer_arena *arena, uint32_t classes, int64_t ret);

#endif
