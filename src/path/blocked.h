/* Blocked: what tasks waited for, and which of these waits delayed somebody.
 *
 * A wait is time that a task spends in KERNEL_BLOCKED: in a system call, in a page fault, or, for
 * kernel threads, in their own work. Most waits of a recording delay nobody: servers wait for work.
 * A wait is one of three:
 *
 *   input    for a person: keyboard, terminal
 *   idle     for work, or in work that nobody waits for
 *   request  within something that a task waits for
 *
 * A task waits *for work* if the event that ended the wait goes back to a task that has the
 * initiative over it, directly or through a thread that handed the work on. A request ends a wait
 * of the server and an answer ends a wait of the client, so the initiative has to tell them apart.
 * A task has it over the processes that it forked, over the process that accepts its connections,
 * and otherwise over a process to which it sent the first message of the two, if that one answers.
 * accept always waits for work; a read from a connection that the task opened itself never does. A
 * message from a host that was not recorded is work if it ends a wait of a process that accepts.
 *
 * *Felt*, that is, delaying somebody by themselves, are: all other waits of processes that begin
 * or end while recorded (somebody started them and waits for them), except of servers; of
 * servers that serve hosts that were not recorded, the waits that are neither polls nor futexes;
 * and waits for answers, if not in a poll. Everything that the task which ends such a wait
 * waited for since the wait began is within it, and so on, to any depth and across hosts. So a
 * disk access of a database counts when a client waits for it, and not when the database does
 * housekeeping at night. */
#ifndef MER_PATH_BLOCKED_H
#define MER_PATH_BLOCKED_H

#include "kernel/world.h"

enum blocked_kind {
	BLOCKED_IN_CALL,
	BLOCKED_PAGE_FAULT, /* outside of a system call, in a user task */
	BLOCKED_IN_KERNEL,  /* a kernel thread */
	BLOCKED_IN_UNKNOWN, /* the call began before the recording, or calls were not recorded */
	BLOCKED_N_KINDS
};
enum blocked_class { BLOCKED_REQUEST, BLOCKED_INPUT, BLOCKED_IDLE, BLOCKED_N_CLASSES };
/* "syscall", "page-fault", "kernel", "unknown"; "request", "idle", "input" */
const char *blocked_kind_name(enum blocked_kind);
const char *blocked_class_name(enum blocked_class);

struct blocked_wait {
	int64_t begin, end;
	int64_t run;   /* when it had a CPU again; from end on it was ready */
	int64_t asked; /* when who ended it did so: before end, if a packet was on its way */
	uint32_t task;
	uint32_t span; /* the (last) blocked one */
	/* The wait it is a piece of: the last one's span (kernel_wait_end); else its own. */
	uint32_t whole;
	/* The task that ended it, through packets too; KERNEL_NONE: no task, or not known. */
	uint32_t by_host, by_task;
	uint32_t call;			     /* in kernel_host.calls; KERNEL_NONE */
	uint8_t kind;			     /* enum blocked_kind */
	uint8_t cause;			     /* enum kernel_cause */
	bool open;			     /* had not ended when its task's record did */
	bool is_input, is_for_work, is_felt; /* see blocked_class_of */
	/* Of another process, by which the task has the initiative. */
	bool is_answer;
	bool is_one_span; /* certainly: its begin and call are the span's */
	uint32_t asker;	  /* is_for_work: process (blocked_process) that set it off; KERNEL_NONE */
};

struct blocked_host {
	struct blocked_wait *waits; /* by task, then time; a block of the world's spill */
	size_t n;
	size_t *first;	    /* of each task, and n */
	uint32_t *leaders;  /* by task: the leader of its thread group, or itself */
	uint32_t processes; /* number of task 0's process among those of all hosts */
};

struct blocked {
	const struct kernel_world *world; /* borrowed */
	struct blocked_host *hosts;
};

/* All waits of all tasks. blocked_fini in any case. */
int blocked_find(const struct kernel_world *w, struct blocked *b, struct mer_err *err);
/* The first step: hosts without waits, with their processes. */
int blocked_begin(const struct kernel_world *w, struct blocked *b, struct mer_err *err);
void blocked_fini(struct blocked *b);

/* chosen: the user asks for this task, so all that it does is felt. */
enum blocked_class blocked_class_of(const struct blocked_wait *w, bool chosen);
/* A number for the task's process, different for each process of any host. */
static inline uint32_t blocked_process(const struct blocked *b, uint32_t host, uint32_t task)
{
	return b->hosts[host].processes + b->hosts[host].leaders[task];
}
/* The task's last wait that began before time; NULL: none. */
const struct blocked_wait *blocked_before(
	const struct blocked *b, uint32_t host, uint32_t task, int64_t time);

/* The task waited for something that it had started: another thread of its process, which exited
 * (a join), or a child, be it for the child's exit or its output. The waits of that thread or
 * child are listed by themselves, and this wait is no more than their sum. */
enum blocked_started { BLOCKED_NOT_STARTED, BLOCKED_THREAD, BLOCKED_CHILD };
enum blocked_started blocked_started_of(
	const struct blocked *b, uint32_t host, const struct blocked_wait *w);

/* The name of the disk that it was for, in the host's names; KERNEL_NONE. */
uint32_t blocked_disk(const struct blocked *b, uint32_t host, const struct blocked_wait *w);

/* Sets is_input, is_for_work, is_felt of all waits; a step of blocked_find (blocked_class.c). */
int blocked_classify(struct blocked *b, struct mer_err *err);

#endif
