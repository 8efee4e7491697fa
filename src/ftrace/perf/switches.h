/* Switches: what `perf record --switch-events` records where the tracepoint sched_switch is not
 * recorded. A CPU's records come in pairs: one of the task that leaves, one of the task that
 * comes:
 *
 *   SWITCH_CPU_WIDE out   of the task that leaves; next pid, tid; was it still runnable?
 *   SWITCH_CPU_WIDE in    of the task that comes; prev pid, tid
 *   SWITCH out, in        the same without the other task: of a recording of some tasks
 *
 * A pair becomes one event:
 *
 *   perf_switch           prev_tid prev_waits next_tid
 *
 * A tid is -1 where it is not known. prev_waits: 0: it was still runnable; 1: not, it waits or has
 * ended; 2: not known. */
#ifndef MER_FTRACE_PERF_SWITCHES_H
#define MER_FTRACE_PERF_SWITCHES_H

#include "ftrace/copy.h"
#include "ftrace/perf/perfdata.h"

struct perf_on_cpu { /* all 0 at first */
	int32_t tid;
	bool knows;	 /* tid is the task there */
	bool is_out;	 /* the record before was of the one that left */
	bool is_of_some; /* records are of some tasks, not of the CPU */
};

static inline bool perf_is_switch(const struct perf_record *r)
{
	return r->type == PERF_SWITCH || r->type == PERF_SWITCH_CPU_WIDE;
}

/* Writes the event of a record, unless the other record of the pair has given it already. class:
 * NULL at first. */
int perf_switch_event(const struct ctf_event_class **class, struct perf_on_cpu *c,
	struct ftrace_stream *s, uint64_t time, const struct perf_record *r, bool is_be,
	struct mer_err *err);
/* Called after the EXIT record of a task. In a recording of single tasks, no switch record follows
 * when the task leaves the CPU, so this writes the event if the task is known to be on the CPU. */
int perf_switch_exit(const struct ctf_event_class *class, struct perf_on_cpu *c,
	struct ftrace_stream *s, uint64_t time, const struct perf_record *r, bool is_be,
	struct mer_err *err);
/* Records of the CPU were lost. */
void perf_switch_lost(struct perf_on_cpu *c);

#endif
