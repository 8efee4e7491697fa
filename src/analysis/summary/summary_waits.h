/* What the tasks of each host waited for, by cause: of all waits those that cost somebody time.
 *
 * Not counted are idle waits (blocked.h: for work, for input, or that nobody feels) and those of
 * the tracer. Waits for disks always count, whoever they delay; so do waits for a CPU, of which
 * tables of other analyses tell. Waits are cut to the time that was asked for. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_WAITS_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_WAITS_H

#include "analysis/analysis.h"
#include "analysis/summary/summary.h"
#include "path/blocked.h"

enum summary_cause {
	SUMMARY_CPU,	 /* ready to run */
	SUMMARY_DISK,	 /* in a system call */
	SUMMARY_FAULT,	 /* a page fault, until the disk has brought the page */
	SUMMARY_FUTEX,	 /* another thread */
	SUMMARY_NETWORK, /* a host that was recorded, or the same one */
	/* a packet, not known whose: of a host that was not recorded, or not matched */
	SUMMARY_OUTSIDE,
	SUMMARY_TASK,  /* pipes and the like */
	SUMMARY_JOIN,  /* the end of another thread of its process; see blocked_started */
	SUMMARY_CHILD, /* a process that it started: its end, or what it writes */
	SUMMARY_TIMER,
	SUMMARY_OTHER,
	SUMMARY_UNKNOWN,
	SUMMARY_N_CAUSES
};
/* "CPU", "disk", "page fault", ... */
const char *summary_cause_name(enum summary_cause);
/* Is what it waited for told by other rows: those of the tasks that it started? */
static inline bool summary_is_told(enum summary_cause cause)
{
	return cause == SUMMARY_JOIN || cause == SUMMARY_CHILD;
}

struct summary_wait { /* of a host and a cause */
	int64_t total, max, max_at;
	uint64_t count;
	uint32_t task, call; /* of the longest; call: in kernel_host.calls, KERNEL_NONE */
	uint32_t most;	     /* the task that waited longest in sum */
	int64_t most_ns;
};

struct summary_waits {
	struct summary_wait (*hosts)[SUMMARY_N_CAUSES]; /* by host; SUMMARY_CPU stays empty */
	int64_t *under_way; /* by host: of its waits for packets, while these were on their way */
	int64_t idle_ns, tracer_ns; /* of all hosts: what was left out */
	uint64_t n_idle;
};

/* tracer: by host and task; felt: see summary_make. summary_waits_fini in any case. */
int summary_waits_find(const struct analysis_run *run, const bool *const *tracer,
	const struct summary_felt *felt, struct summary_waits *s);
void summary_waits_fini(struct summary_waits *s);

#endif
