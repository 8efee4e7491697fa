/* Polling loops: a task checks repeatedly whether there is something to do, without waiting in
 * between: poll and similar calls, or a read that would block, that find nothing; sched_yield.
 *
 * A poll that returns 0 without having waited had a timeout of 0, so the timeout need not be
 * recorded. A loop ends when the task waits, finds something, or makes any other call than one
 * that reads the time; or when it continues at another place, if the caller knows places. It has
 * at least three polls. */
#ifndef MER_ANALYSIS_FACTS_POLL_LOOPS_H
#define MER_ANALYSIS_FACTS_POLL_LOOPS_H

#include "kernel/observer.h"

struct poll_loop {
	int64_t begin, end;
	int64_t cpu_ns;
	uint64_t calls;
	uint64_t place;	     /* as passed to poll_loops_call */
	uint32_t task, call; /* call: the first call of the loop */
	uint16_t cpu;	     /* CPU on which it ended */
};

struct poll_task;

struct poll_loops { /* of one host; all members but tasks are set by the caller */
	struct mer_spill *spill;
	void *ctx;
	int (*add)(void *ctx, const struct kernel_host *h, const struct poll_loop *run);
	struct mer_err *err;
	struct poll_task *tasks;
	size_t cap_tasks;
};

void poll_loops_fini(struct poll_loops *p);
int poll_loops_span(struct poll_loops *p, const struct kernel_host *h, uint32_t span, int64_t end);
/* place: where the task was when the call began; all polls of a loop have the same place. */
int poll_loops_call(struct poll_loops *p, const struct kernel_host *h,
	const struct kernel_call_end *c, uint64_t place);
int poll_loops_end(struct poll_loops *p, const struct kernel_host *h);

#endif
