/* Lives: what a model says of the tasks of a scenario, as text to compare with what was worked out
 * by hand.
 *
 * A span is "TIME STATE", and only where there is one: " in CALL", " @CPU" (not CPU 0; "@-": none),
 * ": CAUSE SOURCE" (": disk #0" is request 0, ": network #0" packet 0), " by TID" (the task of its
 * `by`). Spans of a task are in the order of time with ", " between. Times are us. */
#ifndef TESTS_KERNEL_LIVES_H
#define TESTS_KERNEL_LIVES_H

#include "kernel/world.h"
#include "scenario.h"

struct lives {
	struct scenario s;
	struct kernel_world *w;
};

void lives_open(struct lives *, const char *scenario);
void lives_close(struct lives *);
const struct kernel_host *lives_host(const struct lives *, const char *name);
/* All tasks of the first host that had this number are one after the other with " | " between. */
void lives_are(const struct lives *, int32_t tid, const char *expected);
void lives_of_host_are(const struct lives *, const char *host, int32_t tid, const char *expected);
/* lives_open, lives_are, lives_close. */
void lives_check(const char *scenario, int32_t tid, const char *expected);

/* What an observer of the first host hears, of these kinds ("idle interrupt"), in that order with
 * ", " between. */
void lives_told(const char *scenario, const char *kinds, const char *expected);

/* What the task was called at a time; before its first known name that one. */
static inline const char *lives_name_at(const struct kernel_host *h, uint32_t task, int64_t time)
{
	uint32_t i = h->tasks[task].name, name = KERNEL_NONE;
	for (; i != KERNEL_NONE; i = h->renames[i].before) {
		name = h->renames[i].name;
		if (h->renames[i].begin <= time)
			break;
	}
	return kernel_name_text(h, name);
}

/* Lines of a scenario: times in us, all are texts. A task's name is "t" and its number; 0 is the
 * idle task. */
#define SWITCH(at, cpu, from, state, to)                                                           \
	at "us " cpu " sched_switch prev_comm=\"t" from "\" prev_tid=" from " prev_state=" state   \
	   " next_comm=\"t" to "\" next_tid=" to "\n"
#define WAKING(at, cpu, tid, target)                                                               \
	at "us " cpu " sched_waking comm=\"t" tid "\" tid=" tid " target_cpu=" target "\n"
#define WAKEUP(at, cpu, tid, target)                                                               \
	at "us " cpu " sched_wakeup comm=\"t" tid "\" tid=" tid " target_cpu=" target "\n"
#define ENTER(at, cpu, call, args) at "us " cpu " syscall_entry_" call " " args "\n"
#define LEAVE(at, cpu, call, ret) at "us " cpu " syscall_exit_" call " ret=" ret "\n"
#define FORK(at, cpu, parent, pid, child, child_pid)                                               \
	at "us " cpu " sched_process_fork parent_comm=\"t" parent "\" parent_tid=" parent          \
	   " parent_pid=" pid " child_comm=\"t" child "\" child_tid=" child                        \
	   " child_pid=" child_pid "\n"
#define EVENT(at, cpu, text) at "us " cpu " " text "\n"

#endif
