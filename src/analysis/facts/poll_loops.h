/* Polling loops: a task asks again and again whether there is something to do, and does not wait in
 * between: poll and its kin, or a read that would block, with nothing there; sched_yield.
 *
 * A poll that returns 0 and has not waited was asked not to: what its timeout was need not be
 * known. A run of such calls ends when the task waits, finds something, or makes another call than
 * one for the time; or when it goes on somewhere else, if the caller knows places. It has at least
 * three. */
#ifndef MER_ANALYSIS_FACTS_POLL_LOOPS_H
#define MER_ANALYSIS_FACTS_POLL_LOOPS_H

#include "kernel/observer.h"

struct poll_loop {
	int64_t begin, end;
	int64_t cpu_ns;
	uint64_t calls;
	uint64_t place;	     /* as poll_loops_call got it */
	uint32_t task, call; /* the first one */
	uint16_t cpu;	     /* where it ended */
};

struct poll_task;

struct poll_loops { /* of a host; all but tasks is the caller's */
	struct mer_spill *spill;
	void *ctx;
	int (*add)(void *ctx, const struct kernel_host *h, const struct poll_loop *run);
	struct mer_err *err;
	struct poll_task *tasks;
	size_t cap_tasks;
};

void poll_loops_fini(struct poll_loops *p);
int poll_loops_span(struct poll_loops *p, const struct kernel_host *h, uint32_t span, int64_t end);
/* place: where the task was when the call began: a run is of one place. */
int poll_loops_call(struct poll_loops *p, const struct kernel_host *h,
	const struct kernel_call_end *c, uint64_t place);
int poll_loops_end(struct poll_loops *p, const struct kernel_host *h);

#endif
