/* State of a model, shared by the files model*.c:
 *
 *   model.c          CPUs, dispatch of events (events.c says to which function)
 *   model_losses.c   begin and end of losses, and what is certain across them
 *   model_task.c     tasks: spans opened and closed, what is learned backwards
 *   model_sched.c    switch, wake-ups, fork, exec, exit
 *   model_guest.c    CPUs of a guest that its hypervisor takes away
 *   model_context.c  interrupts on a CPU, and what they tell about the end of a wait
 *   model_waker.c    the same where sched_wakeup alone is recorded
 *   model_told.c     what only observers want to know
 *   model_flows.c    which of several received packets did it
 *   model_wait.c     waits that time out and are taken up again
 *   model_io.c       system calls, packets
 *   model_dump.c     the state dump
 *   model_block.c    requests to block devices */
#ifndef MER_KERNEL_MODEL_STATE_H
#define MER_KERNEL_MODEL_STATE_H

#include "kernel/files/files.h"
#include "kernel/model.h"
#include "kernel/oncpu.h"

enum {
	MODEL_MAX_CONTEXTS = 16,
	MODEL_SOFTIRQS = 10,
	MODEL_SKBS = 256,
	MODEL_CONNECTS = 16,
	MODEL_WOKE = 16
};

enum softirq_vec { /* nr of CONTEXT_SOFTIRQ, as the kernel counts them */
	VEC_TIMER = 1,
	VEC_NET_TX,
	VEC_NET_RX,
	VEC_BLOCK,
	VEC_IRQ_POLL,
	VEC_SCHED = 7,
	VEC_HRTIMER,
	VEC_RCU
};

enum context_kind {
	CONTEXT_IRQ,	 /* nr: irq */
	CONTEXT_ANY_IRQ, /* a device interrupt, not said which */
	CONTEXT_SOFTIRQ, /* nr: enum softirq_vec */
	CONTEXT_TIMER,	 /* hrtimer, timer wheel, local timer; nr: enum kernel_event of its entry */
	CONTEXT_IPI,
	CONTEXT_VECTOR, /* nr: vector */
	CONTEXT_PACKET	/* delivery of a received packet */
};

struct context { /* what a CPU does instead of its task */
	uint8_t kind;
	uint32_t nr;
	int64_t since;
	int64_t raised;	  /* softirqs: INT64_MIN: not known */
	bool has_packet;  /* received one in it: */
	uint32_t packet;  /* its number, KERNEL_NONE: not matched */
	bool sent_on;	  /* sent something that was not matched, after a packet that was */
	uint32_t request; /* completed last in it; KERNEL_NONE */
};

/* cpu.task, besides a task's number */
#define ON_CPU_UNKNOWN KERNEL_NONE
#define ON_CPU_IDLE (KERNEL_NONE - 1)

struct cpu {
	uint32_t task;
	uint32_t depth; /* of contexts; more than MODEL_MAX_CONTEXTS are only counted */
	struct context contexts[MODEL_MAX_CONTEXTS];
	int64_t last;	  /* its last event */
	int64_t sure;	  /* its task was certainly on it then */
	bool is_doubtful; /* what came after the last switch is not what its task would do */
	int64_t raised[MODEL_SOFTIRQS]; /* and not begun yet; INT64_MIN: not */
	bool is_fresh; /* its record has just begun (again): it may be in an interrupt */
	int64_t fresh_since;
	uint32_t in_loss;   /* losses going on */
	int64_t lost_until; /* end of its last loss; INT64_MIN: had none */
	int64_t drained;    /* when it last had no task left to run; INT64_MIN: never */
	int64_t idle_since; /* what is reported of it while it is idle; see struct kernel_idle */
	uint8_t idle_cause;
	/* Without any context, since the last switch: see struct context. */
	bool has_packet;
	uint32_t packet, request;
	/* when it last received a packet that is none of in.packets; INT64_MIN */
	int64_t unmatched;
	uint32_t absence; /* of a guest: why it is away; KERNEL_NONE: it is there */
	bool is_listed;	  /* in kernel_host.cpus */
	/* By its last task_newtask, until the fork that follows: */
	int32_t new_tid; /* 0: none */
	bool new_is_thread;
	/* By its last perf_fork, until the kernel's own event of the same fork; 0: none. */
	int32_t forked_tid;
	/* By a probe, before the call that it is about: a name, and the task; KERNEL_NONE. */
	uint32_t told_path, told_by;
};

struct live {		 /* a task's state, besides its open span (kernel_task.last) */
	uint32_t call;	 /* that it is in; KERNEL_NONE: in none, or not known */
	bool knows_mode; /* whether it is in a call is known */
	bool went_back;	 /* its last call was one without an exit (KERNEL_CALLS_NO_EXIT) */
	bool untracked;	 /* UNKNOWN since an event was missing: says nothing backwards */
	bool exiting;
	bool was_dumped;  /* in the state dump */
	bool woken_early; /* by the following, while it still was on its CPU */
	uint8_t early_cause;
	uint32_t early_source, early_by;
	uint32_t spins_for; /* task that has the lock for which it spins in its call; KERNEL_NONE */
	uint16_t kind;	    /* enum kernel_call_kind of call */
	uint32_t mode_since; /* the first span for which the mode is not known; KERNEL_NONE */
	int64_t call_begin;  /* INT64_MIN: not seen */
	/* That it was in when a switch was found to be missing, until an event says whether it went
	 * on; call is KERNEL_NONE: none. */
	struct {
		uint32_t call;
		uint16_t kind;
		int64_t begin;
	} doubted;
	int64_t renamed; /* its name was set then, to what the next switch tells; INT64_MIN */
	uint32_t packet; /* ended its last wait that one did; KERNEL_NONE */
	uint64_t args[KERNEL_CALL_ARGS]; /* of the call, those that are kept */
	uint64_t woke_futex;		 /* at which it last woke somebody, and until when */
	int64_t woke_futex_at;		 /* INT64_MIN: never */
	struct model_wait {		 /* see model_wait.c */
		uint64_t objects; /* of the call that it is in: what it waits for; 0: not known */
		uint32_t span;	  /* in which it waited last in the call; KERNEL_NONE: it did not */
		uint32_t
			/* the last span of a wait that can still be taken up again, or NONE */
			timed_out;
		uint32_t call; /* of that wait */
		uint64_t timed_out_objects;
		int64_t until; /* a call that begins later does not take it up */
	} wait;
};

struct lull { /* between holes: a task that did not run in it slept */
	int64_t begin, end;
};

enum { MODEL_COMMANDS = 256 };

struct kernel_model {
	struct kernel_model_input in;
	struct kernel_host *h;
	struct kernel_files *files;
	struct cpu *cpus;
	uint32_t n_cpus;
	struct live *live; /* as h->tasks; a block of their spill */
	uint32_t cap_live;
	struct mer_map tids;	      /* tid -> its newest task, plus 1 */
	struct mer_map open_requests; /* see model_block.c: hash of a place -> request, plus 1 */
	size_t sweep_at; /* so many of them are looked through for those that are still open */
	struct model_command { /* a request without data, open; the oldest first */
		uint32_t request;
		uint16_t cpu; /* that issued it */
		bool is_flush;
	} commands[MODEL_COMMANDS];
	uint32_t n_commands;
	const struct kernel_binding *bindings;
	bool *is_kernel_stream; /* by stream */
	uint32_t *call_names;	/* by ctf_plan.id: name of the call, plus 1 */
	uint32_t *last_calls;	/* the same: the last such call, plus 1 */
	struct model_number {	/* by number of a call */
		uint32_t name;	/* plus 1 */
		uint16_t id;
	} numbers[512];
	bool has_switches;	   /* the host records who has its CPUs */
	bool has_wakeups;	   /* the host records who is woken */
	bool has_interrupts;	   /* ... and interrupts, of any kind */
	bool has_call_ends;	   /* the end of a call was seen */
	bool has_late_wakeups;	   /* ... and a sign of each wake-up after the task left its CPU */
	uint8_t wake_rank;	   /* the best source of wake-ups seen */
	bool reuses_numbers;	   /* of tasks that ended, for others */
	bool has_frees;		   /* ... and tasks that are freed */
	bool has_migrations;	   /* ... and tasks that are moved to another CPU */
	struct kernel_holes holes; /* the losses up to now */
	uint32_t n_in_loss;	   /* going on, of all CPUs */
	uint32_t n_old;		   /* tasks that were seen before the first one */
	int64_t lost_until;	   /* end of the last one */
	struct lull *lulls;	   /* by time */
	uint32_t n_lulls, cap_lulls;
	uint64_t n_slept;     /* spans of tasks that slept through one */
	size_t next_end[2];   /* of in.ends, by is_send */
	bool has_taken_up;    /* some wait was taken up again */
	struct mer_map flows; /* endpoints of ours and theirs -> task that sent last, plus 1 */
	struct mer_map
		sent_on; /* process and descriptor -> packet last sent on it, plus 1; 0: none */
	struct mer_map pollers; /* process and epoll descriptor -> task that waits for it, plus 1 */
	bool has_shared;	/* of these some are waited for by several tasks */
	/* Then: as flows -> packet that was received last, of any, when that connection was read,
	 * plus 1; and packets that ended such waits, the last ones, where the next one goes. */
	struct mer_map reads;
	uint32_t woke[MODEL_WOKE], n_woke;
	struct model_connect { /* calls whose first packet has not left yet; the oldest first */
		int64_t time;
		uint32_t endpoint, task;
	} connects[MODEL_CONNECTS];
	uint32_t n_connects;
	struct model_skb { /* received packets, by the hash of their buffer's address */
		uint64_t address;
		int64_t time;
		uint32_t packet;
		uint32_t device; /* that received it: hash of its name; 0: not known */
	} skbs[MODEL_SKBS];
	int64_t now;		/* time of the event that is looked at */
	int64_t next_edge_time; /* of h->guest: a CPU goes away, or is back; INT64_MAX: none */
	uint32_t next_edge;
	bool has_more_cpus; /* than one, as its streams say */
	bool doubts_waker;  /* of the wake-up that is looked at: see model_waker.c */
	struct mer_err *err;
};

/* model.c */
struct cpu *model_cpu(
	struct kernel_model *m, int64_t number); /* NULL: out of range, or no memory */
uint16_t model_cpu_number(const struct kernel_model *m, const struct cpu *c);

/* model_task.c: all return 0 or an error. */
int model_task_of(struct kernel_model *m, int64_t tid, uint32_t *task); /* made if not there */
/* The same of an event that only a living one has: a dead one's number was given to another. */
int model_living(struct kernel_model *m, int64_t tid, int64_t ts, uint32_t *task);
int model_new_task(struct kernel_model *m, int32_t tid, int64_t begin, uint32_t *task);
struct live model_no_live(void); /* of a task of which nothing is known */
static inline struct kernel_span *model_open(const struct kernel_model *m, uint32_t task)
{
	return kernel_span(m->h, m->h->tasks[task].last);
}
/* From ts on the task is in this state. cpu, cause, source, by: as in struct kernel_span. */
int model_enter(struct kernel_model *m, uint32_t task, int64_t ts, enum kernel_state state,
	uint16_t cpu, enum kernel_cause cause, uint32_t source, uint32_t by);
/* From ts on it is on the CPU and does what its mode says. */
int model_run_on(struct kernel_model *m, uint32_t task, int64_t ts, uint16_t cpu);
/* Its open span, in which it was not on a CPU, ends at ts: until then it was in the state `was`
 * (KERNEL_UNKNOWN: cannot be told; KERNEL_RUNNING: neither, but now it is on a CPU), as far as
 * losses do not leave it open. since: from then on it was, whatever was lost. */
int model_settle(struct kernel_model *m, uint32_t task, int64_t ts, enum kernel_state was);
int model_settle_since(
	struct kernel_model *m, uint32_t task, int64_t ts, enum kernel_state was, int64_t since);
/* What it did is unknown from `since` on (not before its open span), until ts. */
int model_lose_track(struct kernel_model *m, uint32_t task, int64_t since);
/* The same of a task that was believed to be on a CPU, and perhaps long was not. */
int model_doubt(struct kernel_model *m, uint32_t task, int64_t since);
/* It was, or was not (KERNEL_NONE), in a call all the time since its mode is not known. */
void model_learn_mode(struct kernel_model *m, uint32_t task, uint32_t call);
void model_forget_mode(struct kernel_model *m, uint32_t task);

/* model_losses.c */
/* Begins and ends of losses up to ts. */
int model_pass_holes(struct kernel_model *m, int64_t ts);
/* The task's state is unknown from one time until the other, but it slept through the lulls
 * between. */
int model_tell_lulls(struct kernel_model *m, uint32_t task, int64_t from, int64_t until);
/* After the last event: what is left, until the record's end. */
int model_end_losses(struct kernel_model *m, int64_t end);
/* The task, which is on no CPU, had no event until the end. */
int model_outlast(struct kernel_model *m, uint32_t task, int64_t end);
/* A task that sleeps is woken at ts, and ran on this CPU last: since when did it certainly sleep?
 * INT64_MAX: that does not tell. */
int64_t model_asleep_since(
	const struct kernel_model *m, uint32_t task, int64_t ts, uint64_t last_cpu);

/* model_sched.c */
kernel_handler model_switch, model_wake, model_boost, model_migrate;
/* It spins again from ts on; its open span ends now, and who has the lock does this. Its spins_for
 * is known. */
int model_spin(struct kernel_model *m, uint32_t task, int64_t ts, uint16_t cpu);
/* Its event came from this CPU: it is there now, whatever was believed. 0 is the idle task. */
int model_make_current(
	struct kernel_model *m, struct cpu *c, int64_t ts, int64_t tid, uint32_t *task);
void model_note_holder(struct kernel_model *m, uint32_t task);
/* The task on the CPU spins no more; told before the end of its call is. */
int model_end_spin(struct kernel_model *m, struct cpu *c, int64_t ts);
kernel_handler model_fork, model_exec, model_exit, model_free_task, model_new_name;
kernel_handler model_perf_fork, model_perf_comm;
/* A thread that is not its process's first, old_tid, executes a program: it gets the first one's
 * number, which ends. *task: the thread, if there is one. */
int model_take_number(
	struct kernel_model *m, int32_t old_tid, int64_t ts, uint32_t first, uint32_t *task);
int model_rename(struct kernel_model *m, uint32_t task, int64_t ts, const uint64_t *text);

/* model_guest.c: CPUs that a hypervisor takes away */
/* All up to ts. */
int model_pass_edges(struct kernel_model *m, int64_t ts);
/* Before the first event. */
void model_begin_edges(struct kernel_model *m);
/* The cause and source of an absence, of what it interrupts. */
enum kernel_cause model_absence_cause(const struct kernel_model *m, uint32_t absence);
/* The request was completed on this CPU. */
int model_note_relay(struct kernel_model *m, const struct cpu *c, uint32_t request, int64_t ts);
/* The task, which waits for a CPU, will wait for another one from ts on. */
int model_note_move(struct kernel_model *m, uint32_t task, int64_t ts);

/* model_context.c */
/* The task on the CPU, or the idle CPU, goes on with what the CPU's contexts say. */
int model_resume(struct kernel_model *m, struct cpu *c, int64_t ts);
/* What the CPU did while it was idle, up to ts; from then on it is this. */
int model_tell_idle(struct kernel_model *m, struct cpu *c, int64_t ts, enum kernel_cause now);
kernel_handler model_context_entry, model_context_exit, model_irq_entry;
void model_clear_contexts(struct cpu *c);
static inline struct context *model_context(struct cpu *c)
{
	return c->depth == 0		       ? NULL
	       : c->depth > MODEL_MAX_CONTEXTS ? &c->contexts[MODEL_MAX_CONTEXTS - 1]
					       : &c->contexts[c->depth - 1];
}
/* The CPU's task did what only itself can have done, or what it cannot have. */
static inline void model_confirm(struct cpu *c, int64_t ts, bool is_so)
{
	c->is_doubtful |= !is_so;
	if (!c->is_doubtful)
		c->sure = ts;
}
/* The open span of the task that is on a CPU; KERNEL_NONE: idle, or not known. */
uint32_t model_span_on(const struct kernel_model *m, const struct cpu *c);
/* What ends a wait of this task, now, on this CPU. */
void model_cause(const struct kernel_model *m, struct cpu *c, uint32_t task,
	enum kernel_cause *cause, uint32_t *source, uint32_t *by);

/* What the innermost context on the CPU would be as a cause. */
enum kernel_cause model_context_cause(const struct kernel_model *m, struct cpu *c);

/* model_waker.c */
/* May the wake-up that this CPU recorded have been done by another CPU? target: that it is for.
 * is_only_wakeup: it is sched_wakeup, and nothing earlier tells of wake-ups. */
bool model_waker_is_doubtful(
	const struct kernel_model *m, const struct cpu *c, uint64_t target, bool is_only_wakeup);
/* The task's call ends. */
void model_waker_note_futex(struct live *l, int64_t ts, int64_t ret);
/* If so: was it another CPU, or may it have been (cause, by)? False: what this CPU does did it. */
bool model_waker_elsewhere(const struct kernel_model *m, struct cpu *c, uint32_t task,
	enum kernel_cause *cause, uint32_t *by);

/* model_io.c */
kernel_handler model_call_entry, model_call_exit, model_packet;
kernel_handler model_told_path, model_told_address, model_sock_state, model_new_kind;
/* A call told by its number (of this id) and registers: a binding as if it were an event of its
 * own, and that event's slots; b itself, where the registers are not recorded. */
struct model_registers {
	struct kernel_binding binding;
	uint64_t slots[KERNEL_ENTRY_SLOTS];
};
const struct kernel_binding *model_call_by_registers(const struct mer_event *ev,
	const struct kernel_binding *b, uint16_t id, struct model_registers *r);
/* The slots of an entry that is_typed. */
const uint64_t *model_typed_slots(
	const struct mer_event *ev, const struct kernel_binding *b, struct model_registers *r);
/* c->told_path, which is not KERNEL_NONE, is that of the call which c->task begins. */
int model_take_told_path(struct kernel_model *m, struct cpu *c, struct kernel_call *call);

/* model_dump.c */
kernel_handler model_dump_task, model_dump_file, model_dump_socket, model_dump_pid_ns;
kernel_handler model_dump_irq;
kernel_handler model_dump_disk, model_dump_cpu;
int model_name_irq(struct kernel_model *m, uint64_t irq, const uint64_t *text);

/* model_wait.c */
/* What the call waits for, if that is known: see struct model_wait. slots: of the entry, after
 * the CPU. For calls on a descriptor, the call has it. */
uint64_t model_wait_told_objects(const struct kernel_binding *b, const uint64_t *slots);
static inline uint64_t model_wait_objects(const struct kernel_binding *b, const uint64_t *slots)
{
	if (b->kind == KERNEL_CALL_OTHER)
		return 0;
	return b->kind == KERNEL_CALL_USES_FD || b->kind == KERNEL_CALL_RECEIVE
		       ? 1
		       : model_wait_told_objects(b, slots);
}
/* The task begins to wait, in its open span. */
void model_wait_begin(struct kernel_model *m, uint32_t task);
/* Its call ends at ts. */
void model_wait_call_end(struct kernel_model *m, uint32_t task, int64_t ts, int64_t ret);
/* Something happened after which a wait is another one. */
static inline void model_wait_forget(struct live *l)
{
	l->wait.timed_out = l->wait.span = KERNEL_NONE;
}
/* After the last event: each wait that was taken up again knows the last one. */
int model_wait_finish(struct kernel_model *m);

/* model_block.c */
kernel_handler model_block, model_merge;

/* model_flows.c; last: packet that was received last, since a context began. */
int model_flow_sent(struct kernel_model *m, uint32_t packet); /* by a task */
/* The task connects to this object: a name, or KERNEL_NONE. */
void model_flow_connect(struct kernel_model *m, uint32_t task, uint32_t object, int64_t ts);
/* An interrupt sent it: perhaps for a task whose packet had to wait for the receiver's hardware
 * address. Then it is a packet of that task. */
void model_flow_held(struct kernel_model *m, uint32_t packet);
/* A descriptor of the task's process stands for another connection from now on. */
void model_flow_new_fd(struct kernel_model *m, uint32_t task, int64_t fd);
/* The task waits for what happens first on an epoll descriptor, which may be that of others,
 * too. */
int model_flow_poll(struct kernel_model *m, uint32_t task, int32_t fd);
/* Its call got something: from a connection, perhaps. */
int model_flow_read(struct kernel_model *m, uint32_t task);
/* This packet ended its wait. */
void model_flow_has_woken(struct kernel_model *m, uint32_t task, uint32_t packet);
/* The packet that woke the task; that is answered by one that was sent. unmatched: of the CPU. */
uint32_t model_flow_woke(const struct kernel_model *m, int64_t since, uint32_t last, uint32_t task,
	int64_t unmatched);
uint32_t model_flow_answered(const struct kernel_model *m, int64_t since, uint32_t last,
	uint32_t sent, int64_t unmatched);

/* model_told.c */
kernel_handler model_raise, model_tell;
/* model_work.c */
kernel_handler model_work_begin, model_work_end, model_sock_length;
kernel_handler model_not_handled; /* somebody else reads it */
int model_tell_packet(struct kernel_model *m, struct cpu *c, int64_t ts, bool is_send,
	uint32_t packet, const uint64_t *slots);

static inline const char *model_text(const uint64_t *slot, size_t *len)
{
	*len = (size_t)slot[1];
	return (const char *)(uintptr_t)slot[0];
}

#endif
