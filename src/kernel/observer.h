/* Observer: what the model reports while it reads, each item when everything about it is known.
 * Analyses that sum over everything consist of a few such callbacks.
 *
 * For one host all calls come from one thread, in the order of the ends of what they report
 * (records say when it began). Returning anything but 0 ends the reading with that code.
 * Pointers are valid during the call. */
#ifndef MER_KERNEL_OBSERVER_H
#define MER_KERNEL_OBSERVER_H

#include "kernel/calls.h"
#include "kernel/host.h"

/* What is read only when an observer wants it; bits. */
enum kernel_wants {
	KERNEL_WANT_RAISES = 1,	    /* softirqs: when they were raised */
	KERNEL_WANT_PACKETS = 2,    /* length and device of packets */
	KERNEL_WANT_PRIORITIES = 4, /* of tasks when they come onto a CPU */
	KERNEL_WANT_MERGES = 8,	    /* of requests to block devices */
	KERNEL_WANT_VMS = 16,	    /* entries into guests: models do not look at these */
	KERNEL_WANT_MPI = 32,	    /* what ranks did (kernel/mpi.h): nor at these */
	KERNEL_WANTS_END = 64	    /* from here on: KERNEL_WANT_EVENT */
};
/* An event of struct kernel_told_event: KERNEL_WANT_EVENT(FREQUENCY), with kernel/events.h. */
#define KERNEL_WANT_EVENT(event) KERNEL_WANT_KIND(KERNEL_EV_##event)
#define KERNEL_WANT_KIND(kind) ((uint64_t)KERNEL_WANTS_END << ((kind)-KERNEL_EV_FIRST_TOLD))

struct kernel_call_end { /* a system call that began and ended while recorded */
	uint32_t task, call;
	int64_t begin, end; /* ns */
	int64_t ret;
	uint16_t kind;			 /* enum kernel_call_kind */
	uint16_t cpu;			 /* where it ended */
	uint64_t args[KERNEL_CALL_ARGS]; /* see kernel_call_args in calls.h */
};

/* A system call that began while recorded, and had not ended at its end. */
struct kernel_open_call {
	uint32_t task, call;
	int64_t begin; /* ns; so far it took until kernel_host.end */
	uint16_t kind; /* enum kernel_call_kind */
	uint16_t cpu;  /* where the task is, or was last; KERNEL_NO_CPU: not known */
	uint64_t args[KERNEL_CALL_ARGS]; /* as in struct kernel_call_end */
};

/* What a socket moved, where no recorded call tells it: calls are not recorded, or the kernel used
 * the socket by itself. */
struct kernel_moved {
	int64_t time;
	uint32_t task;
	uint32_t call; /* in kernel_host.calls: the event, on a socket of that kind */
	int64_t ret;   /* bytes, or an error */
	uint16_t cpu;
	bool is_send;
};

/* The state dump tells a descriptor of a process that is an IPv4 socket, with its own address. */
struct kernel_told_socket {
	int32_t pid, fd;
	uint32_t local; /* name, "10.0.0.1:80" */
	uint32_t peer;	/* name; KERNEL_NONE: it listens, or has none */
};

enum kernel_interrupt_kind {
	KERNEL_BY_IRQ,	   /* nr: irq */
	KERNEL_BY_ANY_IRQ, /* a device's, not said which: nr is KERNEL_NONE */
	KERNEL_BY_SOFTIRQ, /* nr: vec */
	KERNEL_BY_HRTIMER, /* the three timers: nr is KERNEL_NONE */
	KERNEL_BY_TIMER,   /* of the timer wheel */
	KERNEL_BY_LOCAL_TIMER,
	KERNEL_BY_IPI,	  /* nr: vector */
	KERNEL_BY_VECTOR, /* nr: vector */
	KERNEL_N_INTERRUPT_KINDS
};

struct kernel_interrupt {
	uint16_t cpu;
	uint8_t kind;	 /* enum kernel_interrupt_kind; more exact than the following two */
	uint32_t nr;	 /* KERNEL_NONE: none */
	uint8_t cause;	 /* KERNEL_IRQ, _SOFTIRQ, _TIMER, _IPI */
	uint32_t source; /* irq, vec; KERNEL_NONE: not said */
	uint32_t task;	 /* that was interrupted; KERNEL_NONE: idle, or not known */
	int64_t raised;	 /* softirqs: when it was asked for; INT64_MIN: not known */
	int64_t begin, end;
};

/* A CPU without a task. These and the spans on a CPU never overlap; when there is neither, what
 * it did is not known. */
struct kernel_idle {
	int64_t begin, end;
	uint16_t cpu;
	uint8_t cause; /* KERNEL_NO_CAUSE: idle; otherwise what it served meanwhile: KERNEL_IRQ,
			  _SOFTIRQ, _TIMER, _IPI, the innermost as in KERNEL_INTERRUPTED */
};

struct kernel_packet_seen { /* an event of a packet, matched or not */
	int64_t time;
	uint32_t task;	 /* on that CPU, for whatever it is worth; KERNEL_NONE */
	uint32_t packet; /* in kernel_world.bridges; KERNEL_NONE: not matched */
	uint32_t bytes;	 /* 0: not said */
	uint32_t device; /* name; KERNEL_NONE */
	uint16_t cpu;
	bool is_send, in_interrupt;
};

/* An event that says all by itself: it neither changes the model nor needs anything of it besides
 * who was on its CPU. What its slots are is in kernel/events.h; a text in them lasts as long as
 * the call. */
struct kernel_told_event {
	int64_t time;
	const uint64_t *slots;
	uint32_t task; /* on its CPU, even if in_interrupt; KERNEL_NONE: idle, or not known */
	uint16_t cpu;
	uint8_t kind; /* enum kernel_event, from KERNEL_EV_FIRST_TOLD on */
	bool in_interrupt;
};

struct kernel_merge { /* something became part of another request to a block device */
	int64_t time;
	uint32_t task; /* that made it; KERNEL_NONE: not known */
	uint32_t dev, bytes;
	uint16_t cpu;	 /* where it was made; KERNEL_NO_CPU: not known */
	bool is_request; /* it was a request itself, not yet only a part of one */
};

struct kernel_observer {
	void *ctx;
	uint64_t wants; /* enum kernel_wants, KERNEL_WANT_EVENT */
	/* A span ended: all spans of the host come here, once. */
	int (*span)(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end);
	int (*call)(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c);
	/* Of a call that ended, its begin was not seen: it was under way when the record of its
	 * task began, or resumed. begin: it was in it since then, at least; descriptor and
	 * arguments are not known. */
	int (*unseen_call)(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c);
	int (*moved)(void *ctx, const struct kernel_host *h, const struct kernel_moved *x);
	int (*told_socket)(
		void *ctx, const struct kernel_host *h, const struct kernel_told_socket *x);
	/* After all that ended, by task. Not of tasks that are dead, or that events are missing
	 * of. */
	int (*open_call)(void *ctx, const struct kernel_host *h, const struct kernel_open_call *c);
	int (*request)(void *ctx, const struct kernel_host *h, uint32_t request); /* completed */
	int (*interrupt)(void *ctx, const struct kernel_host *h, const struct kernel_interrupt *i);
	int (*idle)(void *ctx, const struct kernel_host *h, const struct kernel_idle *i);
	/* An event sched_switch, of or to the idle task too, and where events are missing. */
	int (*switched)(void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time);
	/* A task was woken that was ready already: it had been preempted when it was about to wait.
	 * by: span of the task that did so, KERNEL_NONE: none, or not known. */
	int (*woken_ready)(
		void *ctx, const struct kernel_host *h, uint32_t task, int64_t time, uint32_t by);
	int (*packet)(void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p);
	int (*migrate)(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time,
		uint16_t from, uint16_t to);
	int (*merge)(void *ctx, const struct kernel_host *h, const struct kernel_merge *m);
	int (*event)(void *ctx, const struct kernel_host *h,
		const struct kernel_told_event *e); /* those of `wants` */
};

#endif
