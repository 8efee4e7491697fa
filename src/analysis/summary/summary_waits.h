/* What the tasks of each host waited for, by cause; only waits that delayed something.
 *
 * Idle waits (blocked.h: for work, for input, or without anything delayed) and waits of the
 * tracer are not counted. Waits for disks always count, and so do waits for a CPU, which are
 * taken from tables of other analyses. Waits are cut to the selected time. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_WAITS_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_WAITS_H

#include "analysis/analysis.h"
#include "analysis/summary/summary.h"
#include "path/blocked.h"

enum summary_cause {
	SUMMARY_CPU,	 /* ready, but without a CPU */
	SUMMARY_DISK,	 /* in a system call */
	SUMMARY_FAULT,	 /* a page fault, until the page has been read from disk */
	SUMMARY_FUTEX,	 /* another thread */
	SUMMARY_NETWORK, /* a packet from a recorded host, including the same one */
	/* a packet from an unknown sender: its host was not recorded, or the packet was not
	 * matched */
	SUMMARY_OUTSIDE,
	SUMMARY_TASK,  /* another task: pipes and the like */
	SUMMARY_JOIN,  /* the end of another thread of its process; see blocked_started */
	SUMMARY_CHILD, /* a process that it started: its end, or its output */
	SUMMARY_TIMER,
	SUMMARY_OTHER,
	SUMMARY_UNKNOWN,
	SUMMARY_N_CAUSES
};
/* "runnable", "disk", "page fault", ... */
const char *summary_cause_name(enum summary_cause);
/* Do other rows, those of the tasks that it started, show what it waited for? */
static inline bool summary_is_told(enum summary_cause cause)
{
	return cause == SUMMARY_JOIN || cause == SUMMARY_CHILD;
}

struct summary_wait { /* waits of one host and cause */
	int64_t total, max, max_at;
	uint64_t count;
	/* of the longest wait; call: index in kernel_host.calls, KERNEL_NONE */
	uint32_t task, call;
	uint32_t most; /* the task with the longest total */
	int64_t most_ns;
};

struct summary_waits {
	struct summary_wait (*hosts)[SUMMARY_N_CAUSES]; /* by host; SUMMARY_CPU stays empty */
	/* by host: the part of its waits for packets when these were in flight */
	int64_t *under_way;
	int64_t idle_ns, tracer_ns; /* left-out waits of all hosts */
	uint64_t n_idle;
};

/* tracer: by host and task; felt: see summary_make. Call summary_waits_fini whatever the result. */
int summary_waits_find(const struct analysis_run *run, const bool *const *tracer,
	const struct summary_felt *felt, struct summary_waits *s);
void summary_waits_fini(struct summary_waits *s);

#endif
