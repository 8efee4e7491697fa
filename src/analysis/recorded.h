/* Recorded: whether a host's recording contains events of a kind. If not, a count of them is
 * unknown and not 0: an empty cell. */
#ifndef MER_ANALYSIS_RECORDED_H
#define MER_ANALYSIS_RECORDED_H

#include "analysis/analysis.h"
#include "kernel/events.h"

/* Does a kernel trace of the host have events with this name ("syscall_exit_*": any of them)? */
bool analysis_records(const struct analysis_run *run, uint32_t host, enum kernel_event event);
/* The events that some columns of a table are computed from. */
struct analysis_recorded {
	enum kernel_event events[5]; /* any of them; ends with KERNEL_EV_NONE */
	const char *columns[3];	     /* keys; ends with NULL */
};
/* Empties cells of these columns that are 0, in rows of hosts that record none of the events; in
 * a table without a host column, only if no host records them. what: ends with an entry without
 * events. Returns 0 or an error. */
int analysis_forget_unrecorded(const struct analysis_run *run, const struct mer_table *t,
	const struct analysis_recorded *what);
/* The same for times when tasks were runnable (runnable_ns, ...), if sched_switch does not have the
 * next state of the previous task (prev_state), or if the stream of a CPU is missing. */
int analysis_forget_runnable(const struct analysis_run *run, const struct mer_table *t);
/* The finish function of a fold: empties user_ns and syscall_ns if system calls are not
 * recorded, and irq_ns, softirq_ns and interrupted_ns if interrupts are not. */
int analysis_forget_modes(struct analysis_run *run, struct mer_table *t, uint64_t n_seen);

#endif
