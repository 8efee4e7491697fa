/* Tracer: the tasks of the tools that made the recording (or looked at it meanwhile). They are at
 * work in every recording, and nobody asks about them: tables of tasks leave them out unless they
 * are wanted.
 *
 * A task is the tracer's when its process is called as one of these tools. Programs that such a
 * tool starts are not: 'perf record make' is called make once it runs. But what the shells of
 * `meridian record` start, on the hosts, is: ls, grep, awk. */
#ifndef MER_ANALYSIS_TRACER_H
#define MER_ANALYSIS_TRACER_H

#include "analysis/analysis.h"
#include "kernel/host.h"

/* Is this the name of a tool that traces, or reads traces? */
bool analysis_tracer_name(const char *comm);

/* Is this the name of a shell or an agent of `meridian record`? */
bool analysis_recorder_name(const char *comm);
/* Is it one, or was it started by one? What a user asks for by a name such as ls is none. */
bool analysis_is_recorders(const struct kernel_host *h, uint32_t task);

/* Of a host that was read: by task, malloc'ed, n_tasks + 1 of them; NULL: no memory. */
bool *analysis_tracer_tasks(const struct kernel_host *h);
/* The same, found once for a run that has a world, which keeps it. */
const bool *analysis_tracer_of(struct analysis_run *run, uint32_t host);
/* Tables know a task by its host, number and last name: the same for all rows of one. */
uint64_t analysis_task_key(uint32_t host, int64_t tid, const char *comm);
/* Those of all hosts, by host; NULL is fine. */
void analysis_tracer_free(bool **all, uint32_t n_hosts);

#endif
