/* Tracer: the tasks of the tools that made the recording (or displayed it meanwhile). They run
 * in every recording and are rarely of interest, so tables of tasks leave them out unless they
 * are requested.
 *
 * A task belongs to the tracer if its process has the name of one of these tools. Programs
 * started by a tool do not: in 'perf record make', the process is named make once it runs. But
 * what the shells of `meridian record` start on the hosts does: ls, grep, awk. */
#ifndef MER_ANALYSIS_TRACER_H
#define MER_ANALYSIS_TRACER_H

#include "analysis/analysis.h"
#include "kernel/host.h"

/* Is this the name of a tool that records or reads traces? */
bool analysis_tracer_name(const char *comm);

/* Is this the name of a shell or an agent of `meridian record`? */
bool analysis_recorder_name(const char *comm);
/* Is it one of them, or was it started by one? Then it is not what a user means by a name such
 * as ls. */
bool analysis_is_recorders(const struct kernel_host *h, uint32_t task);

/* For a host that was read: by task, malloc'ed, n_tasks + 1 entries; NULL: no memory. */
bool *analysis_tracer_tasks(const struct kernel_host *h);
/* The same for a run with a world; computed once and owned by the run. */
const bool *analysis_tracer_of(struct analysis_run *run, uint32_t host);
/* Key of a task as tables identify it: by host, tid and last name. All rows of a task have the
 * same key. */
uint64_t analysis_task_key(uint32_t host, int64_t tid, const char *comm);
/* Frees the arrays of all hosts; NULL is fine. */
void analysis_tracer_free(bool **all, uint32_t n_hosts);

#endif
