/* Recorded: whether a host's recording has events of a kind. Where it has none, a count of them is
 * not 0 but unknown: an empty cell. */
#ifndef MER_ANALYSIS_RECORDED_H
#define MER_ANALYSIS_RECORDED_H

#include "analysis/analysis.h"
#include "kernel/events.h"

/* Has a kernel trace of the host such events, by their name ("syscall_exit_*": any of them)? */
bool analysis_records(const struct analysis_run *run, uint32_t host, enum kernel_event event);
/* What some columns of a table are counted from. */
struct analysis_recorded {
	enum kernel_event events[5]; /* any of them; ends with KERNEL_EV_NONE */
	const char *columns[3];	     /* keys; ends with NULL */
};
/* Empties what is 0 of these columns in rows of hosts that record none of the events; of a table
 * without hosts only if no host does. what: ends with one without events. 0 or an error. */
int analysis_forget_unrecorded(const struct analysis_run *run, const struct mer_table *t,
	const struct analysis_recorded *what);
/* The same of how long tasks were runnable (runnable_ns, ...), where sched_switch does not say what
 * a task does next (prev_state). */
int analysis_forget_runnable(const struct analysis_run *run, const struct mer_table *t);
/* The finish of a fold: empties user_ns and syscall_ns where system calls are not recorded, and
 * irq_ns, softirq_ns and interrupted_ns where interrupts are not. */
int analysis_forget_modes(struct analysis_run *run, struct mer_table *t, uint64_t n_seen);

#endif
