/* Observer: what the model tells while it reads, each thing when all about it is known. What analyses
 * that sum over everything are made of: each is then a few callbacks.
 *
 * Of one host all come from one thread, in the order of time of their ends (records say when they began).
 * Returning anything but 0 ends the reading with that code. Pointers hold during the call. */
#ifndef MER_KERNEL_OBSERVER_H
#define MER_KERNEL_OBSERVER_H

#include "kernel/host.h"

/* Events that are read only when somebody wants them; bits. */
enum kernel_wants {
	KERNEL_WANT_RAISES = 1,	 /* softirqs: when they were raised */
	KERNEL_WANT_MEMORY = 2,	 /* pages, slab, page faults */
	KERNEL_WANT_PACKETS = 4, /* length and device of packets */
	KERNEL_WANT_FREQUENCY = 8,
	KERNEL_WANT_SIGNALS = 16
};

struct kernel_call_end { /* a system call that began and ended while recorded */
	uint32_t task, call;
	int64_t begin, end; /* ns */
	int64_t ret;
	uint16_t kind; /* enum kernel_call_kind */
	uint16_t cpu;  /* where it ended */
};

struct kernel_interrupt {
	uint16_t cpu;
	uint8_t cause;	 /* KERNEL_IRQ, _SOFTIRQ, _TIMER, _IPI */
	uint32_t source; /* irq, vec; KERNEL_NONE: not said */
	uint32_t task;	 /* that was interrupted; KERNEL_NONE: idle, or not known */
	int64_t raised;	 /* softirqs: when it was asked for; INT64_MIN: not known */
	int64_t begin, end;
};

struct kernel_packet_seen { /* an event of a packet, matched or not */
	int64_t time;
	uint32_t task;	 /* on that CPU, for whatever it is worth; KERNEL_NONE */
	uint32_t packet; /* in kernel_world.packets; KERNEL_NONE: not matched */
	uint32_t bytes;	 /* 0: not said */
	uint32_t device; /* name; KERNEL_NONE */
	uint16_t cpu;
	bool is_send, in_interrupt;
};

enum kernel_memory_kind { KERNEL_PAGES, KERNEL_SLAB, KERNEL_FAULT_USER, KERNEL_FAULT_KERNEL };
struct kernel_memory {
	int64_t time;
	uint32_t task; /* KERNEL_NONE: idle, or not known */
	uint16_t cpu;
	uint8_t kind;
	int64_t bytes; /* allocated; negative: freed; faults: 0; slab freed: 0 - what was allocated is
			  known by its address only, see address */
	uint64_t address; /* slab: of the object; faults: that was touched */
	bool in_interrupt;
};

struct kernel_signal {
	int64_t time;
	uint32_t from; /* task that was on the CPU; KERNEL_NONE: an interrupt, idle, or not known */
	int32_t to_tid; /* thread, or process if is_group */
	int32_t number;
	bool is_group;
};

struct kernel_observer {
	void *ctx;
	uint32_t wants; /* enum kernel_wants */
	/* A span ended: all spans of the host come here, once. before: how the task's span before it
	 * ended up (its cause and state), NULL: it was its first, or is forgotten. */
	int (*span)(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end);
	int (*call)(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c);
	int (*request)(void *ctx, const struct kernel_host *h, uint32_t request); /* completed */
	int (*interrupt)(void *ctx, const struct kernel_host *h, const struct kernel_interrupt *i);
	int (*packet)(void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p);
	int (*memory)(void *ctx, const struct kernel_host *h, const struct kernel_memory *m);
	int (*signal)(void *ctx, const struct kernel_host *h, const struct kernel_signal *s);
	int (*migrate)(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time,
		uint16_t from, uint16_t to);
	int (*frequency)(
		void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time, uint64_t khz);
};

#endif
