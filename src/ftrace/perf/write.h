/* Write: writes the samples of perf.data into the copy, in order for each CPU, on a thread of its
 * own while more is read. */
#ifndef MER_FTRACE_PERF_WRITE_H
#define MER_FTRACE_PERF_WRITE_H

#include "copied/order.h"
#include "ftrace/perf/tasks.h"

struct perf_writer;
/* tasks: those from before the first sample; the writer uses them from now on. NULL: no
 * memory. */
struct perf_writer *perf_writer_new(struct ftrace_copy *copy, struct perf_tasks *tasks, bool is_be);
/* Writes an entry of a CPU: the raw data of a sample (at, size), with `more` addresses of its
 * callchain before it; with at NULL, a loss of `more` samples; with size 0, the record at `at`, of
 * a task (more 0) or of a switch (more 1). */
int perf_writer_put(
	struct perf_writer *w, uint32_t cpu, const struct copied_waiting *e, struct mer_err *err);
/* Ends the input and waits until everything is written. */
int perf_writer_end(struct perf_writer *w, struct mer_err *err);
void perf_writer_free(struct perf_writer *w); /* NULL is fine */

#endif
