/* Tasks: perf's own records about tasks, without any tracepoint: their names (COMM), begin (FORK)
 * and end (EXIT). Records at time 0 are of tasks that existed when the recording began; those
 * before the first sample are of tasks that changed while it was being started. Both become a dump
 * of the state. Later ones become events, with the names and fields of perf's own conversion to
 * CTF:
 *   perf_comm              pid tid comm exec       exec: it began another program
 *   perf_fork, perf_exit   pid ppid tid ptid time */
#ifndef MER_FTRACE_PERF_TASKS_H
#define MER_FTRACE_PERF_TASKS_H

#include "base/map.h"
#include "ftrace/copy.h"
#include "ftrace/perf/perfdata.h"

struct perf_task {
	int32_t tid, pid, ppid; /* ppid -1: not known */
	char comm[16];
};

struct perf_tasks {		/* all 0 at first */
	struct perf_task *list; /* tid 0: it has ended */
	size_t n, n_dumped, cap;
	struct mer_map by_tid;			      /* -> its last one in the list, plus 1 */
	const struct ctf_event_class *comm, *life[2]; /* of the copy; NULL: none yet */
};

static inline bool perf_is_of_task(const struct perf_record *r)
{
	return r->type == PERF_COMM || r->type == PERF_FORK || r->type == PERF_EXIT;
}

/* Takes a record from before the first sample. False: no memory. */
bool perf_tasks_take(struct perf_tasks *t, const struct perf_record *r, bool is_be);
/* Writes what was taken since the last dump. */
int perf_tasks_dump(
	struct perf_tasks *t, struct ftrace_stream *s, uint64_t time, struct mer_err *err);
/* Writes the event of a record; a record that is too short is left out. */
int perf_tasks_event(struct perf_tasks *t, struct ftrace_stream *s, uint64_t time,
	const struct perf_record *r, struct mer_err *err);
void perf_tasks_fini(struct perf_tasks *t);

#endif
