/* Span: what one task did without interruption, from one event to the next.
 *
 * The spans of a task tile its life: each begins where the one before it ends, without gap or
 * overlap (a span may have no length). What is not known is a span of its own: KERNEL_UNKNOWN. */
#ifndef MER_KERNEL_SPAN_H
#define MER_KERNEL_SPAN_H

#include <stdint.h>

#define KERNEL_NONE UINT32_MAX /* no task, span, name, ... */

enum kernel_state {
	KERNEL_UNKNOWN,	    /* before the first event that tells, or since events were lost */
	KERNEL_RUNNING,	    /* on a CPU; whether in user mode or in a system call is not known */
	KERNEL_USER,	    /* on a CPU in user mode */
	KERNEL_SYSCALL,	    /* on a CPU in a system call */
	KERNEL_THREAD,	    /* a kernel thread on a CPU */
	KERNEL_INTERRUPTED, /* on a CPU, which serves an interrupt, softirq or timer instead */
	KERNEL_RUNNABLE,    /* waits for a CPU */
	KERNEL_BLOCKED,	    /* waits for something: see cause */
	KERNEL_NEW,	    /* forked, not yet woken for its first run */
	KERNEL_STOPPED,	    /* by a signal or a debugger */
	KERNEL_DEAD,	    /* has exited */
	KERNEL_N_STATES
};

enum kernel_cause {
	KERNEL_NO_CAUSE, /* not waiting, or not known what for */
	/* What ended a wait (KERNEL_BLOCKED, _STOPPED, _NEW). source is as said. */
	KERNEL_DISK, /* a block request; source: its number in kernel_host.requests, or NONE */
	/* a packet; source: its number in kernel_world.bridges (bridge.h), or NONE */
	KERNEL_NETWORK,
	/* source: the task's wait that took this one up again (see kernel_wait_end), or NONE */
	KERNEL_TIMER,
	KERNEL_TASK,	/* another task, by any means but the following */
	KERNEL_FUTEX,	/* another task, in a system call on a futex */
	KERNEL_PIPE,	/* another task, through a pipe or fifo */
	KERNEL_INPUT,	/* keyboard, mouse, serial line; source: irq */
	KERNEL_IPI,	/* an interrupt between CPUs: its sender is not known */
	KERNEL_IRQ,	/* another device's interrupt; source: irq. Also what interrupts a task. */
	KERNEL_SOFTIRQ, /* source: vec. Also what interrupts a task. */
	/* What interrupts a task of a guest alone: its CPU was given to others; or its hypervisor
	 * did something for it. source: number in kernel_guest.absences (vm/guests.h). */
	KERNEL_STOLEN,
	KERNEL_HYPERVISOR,
	KERNEL_N_CAUSES
};

struct kernel_span {
	int64_t begin;	 /* ns; ends where the task's next one begins */
	uint32_t task;	 /* in kernel_host.tasks */
	uint32_t before; /* the same task's span before it, KERNEL_NONE: its first */
	uint32_t call;	 /* system call that the task is in, in kernel_host.calls; KERNEL_NONE */
	/* A wait that was ended by a task (also BLOCKED by KERNEL_NETWORK when a task delivered the
	 * packet): the span of that task in which it did so. KERNEL_NEW: of the parent.
	 * KERNEL_RUNNABLE: the span of the task that has the CPU when the wait for it begins.
	 * KERNEL_SYSCALL: see kernel_is_spin.
	 * KERNEL_NONE: nobody, or not known. */
	uint32_t by;
	uint32_t source; /* see enum kernel_cause; KERNEL_INTERRUPTED: irq, vec, or 0 */
	uint16_t cpu;	 /* runs there, ran there last, or is queued there; KERNEL_NO_CPU */
	uint8_t state;	 /* enum kernel_state */
	uint8_t cause;	 /* enum kernel_cause */
};

enum { KERNEL_NO_CPU = UINT16_MAX };

static inline int kernel_is_on_cpu(enum kernel_state s)
{
	return s >= KERNEL_RUNNING && s <= KERNEL_INTERRUPTED;
}

/* It is on a CPU of a guest that was away: it does not run. */
static inline int kernel_is_away(const struct kernel_span *s)
{
	return s->state == KERNEL_INTERRUPTED &&
	       (s->cause == KERNEL_STOLEN || s->cause == KERNEL_HYPERVISOR);
}

/* It spins in the kernel, on its CPU, for a lock (a futex with priority inheritance) that the task
 * of `by` has, which runs on another CPU: a wait without blocking. by: what that one does when this
 * span ends. */
static inline int kernel_is_spin(const struct kernel_span *s)
{
	return s->state == KERNEL_SYSCALL && s->cause == KERNEL_FUTEX && s->by != KERNEL_NONE;
}

/* "user", "blocked", "ready", ...; "disk", "network", ... Stable words for programs. */
const char *kernel_state_name(enum kernel_state);
const char *kernel_cause_name(enum kernel_cause);
/* Of a softirq's vec: "net_rx"; NULL: not known. */
const char *kernel_softirq_name(uint32_t vec);

#endif
