/* Layouts: which events the model reads, under all the names that tracers give them.
 *
 *   LTTng     sched_switch, softirq_entry (before 2.7) or irq_softirq_entry, ...
 *   perf      sched:sched_switch, with pid for tid, and the CPU in a field
 *   kprobes   do_IRQ_entry, do_IRQ_return, as `lttng enable-event --function` makes them
 *
 * Names are bound once for a reading; then each event is a kind and slots in one order, whatever the
 * layout was. */
#ifndef MER_KERNEL_LAYOUTS_H
#define MER_KERNEL_LAYOUTS_H

#include "kernel/calls.h"
#include "kernel/observer.h"
#include "trace/reading.h"

/* Slots of each kind; all begin with the CPU of tracers that put it into a field. */
enum { KERNEL_SLOT_CPU };

enum kernel_event {
	KERNEL_EV_NONE,
	KERNEL_EV_SWITCH,     /* prev_tid prev_state next_tid prev_comm next_comm (next_prio) */
	KERNEL_EV_TTWU,	      /* tid -, who wakes whom in three qualities: the earliest counts */
	KERNEL_EV_WAKING,     /* tid target_cpu comm */
	KERNEL_EV_WAKEUP,     /* the same */
	KERNEL_EV_WAKEUP_NEW, /* the same */
	KERNEL_EV_MIGRATE,    /* tid dest_cpu */
	KERNEL_EV_FORK,	  /* parent_tid parent_pid child_tid child_pid child_comm child_ns_inum */
	KERNEL_EV_EXEC,	  /* tid old_tid filename */
	KERNEL_EV_EXIT,	  /* tid */
	KERNEL_EV_FREE,	  /* tid */
	KERNEL_EV_RENAME, /* tid newcomm */
	KERNEL_EV_BOOST, /* tid, who gets another priority by that of who waits for a lock of his */
	KERNEL_EV_SYSCALL_ENTRY,
	KERNEL_EV_SYSCALL_EXIT,
	KERNEL_EV_IRQ_ENTRY,	 /* irq name */
	KERNEL_EV_IRQ_EXIT,	 /* irq */
	KERNEL_EV_SOFTIRQ_ENTRY, /* vec */
	KERNEL_EV_SOFTIRQ_EXIT,	 /* vec */
	KERNEL_EV_HRTIMER_ENTRY,
	KERNEL_EV_HRTIMER_EXIT,
	KERNEL_EV_TIMER_ENTRY, /* of the timer wheel, in a softirq */
	KERNEL_EV_TIMER_EXIT,
	KERNEL_EV_LOCAL_TIMER_ENTRY, /* interrupt vector of the CPU's own timer */
	KERNEL_EV_LOCAL_TIMER_EXIT,
	KERNEL_EV_IPI_ENTRY, /* vector */
	KERNEL_EV_IPI_EXIT,
	KERNEL_EV_VECTOR_ENTRY, /* other vectors */
	KERNEL_EV_VECTOR_EXIT,
	KERNEL_EV_ANY_IRQ_ENTRY, /* kprobe around all device interrupts */
	KERNEL_EV_ANY_IRQ_EXIT,
	KERNEL_EV_PACKET_ENTRY, /* kprobe around the delivery of a received packet */
	KERNEL_EV_PACKET_EXIT,
	KERNEL_EV_SEND,		    /* a packet */
	KERNEL_EV_RECEIVE,	    /* a packet */
	KERNEL_EV_BLOCK_INSERT,	    /* dev sector nr_sector bytes rwbs tid -; rwbs as text */
	KERNEL_EV_BLOCK_ISSUE,	    /* the same */
	KERNEL_EV_BLOCK_COMPLETE,   /* dev sector nr_sector - rwbs error errors; rwbs as text */
	KERNEL_EV_SOFTIRQ_RAISE,    /* vec; this and all up to DUMP_TASK only when wanted */
	KERNEL_EV_PAGE_ALLOC,	    /* order */
	KERNEL_EV_PAGE_FREE,	    /* order */
	KERNEL_EV_SLAB_ALLOC,	    /* ptr bytes_alloc */
	KERNEL_EV_SLAB_FREE,	    /* ptr */
	KERNEL_EV_FAULT_USER,	    /* address */
	KERNEL_EV_FAULT_KERNEL,	    /* address */
	KERNEL_EV_FREQUENCY,	    /* state cpu_id */
	KERNEL_EV_SIGNAL,	    /* sig pid group */
	KERNEL_EV_BLOCK_RQ_MERGE,   /* as BLOCK_INSERT, where not told 0; in slot 7 whereto, or 0 */
	KERNEL_EV_BLOCK_BACKMERGE,  /* as BLOCK_INSERT, of a bio */
	KERNEL_EV_BLOCK_FRONTMERGE, /* the same */
	KERNEL_EV_DUMP_TASK,	    /* tid pid ppid name type status file_table_address vtid vpid */
	KERNEL_EV_DUMP_FILE,	    /* pid fd filename file_table_address */
	KERNEL_EV_DUMP_PID_NS,	    /* tid vtid vpid ns_inum */
	KERNEL_EV_DUMP_IRQ,	    /* irq name action tid */
	KERNEL_EV_DUMP_DISK,	    /* dev diskname */
	KERNEL_EV_DUMP_CPU,	    /* cpu_id physical_id */
	KERNEL_N_EVENTS
};

struct kernel_layouts;

struct kernel_binding { /* of a class of events */
	uint8_t event;	/* enum kernel_event */
	bool is_perf;	/* the CPU is in KERNEL_SLOT_CPU */
	bool by_number; /* a system call told by its number alone, in the first slot after the CPU */
	uint16_t kind;	/* SYSCALL_*: enum kernel_call_kind */
	uint16_t row_slots; /* KERNEL_CALL_POLL: slots of an element of fds; 0: not recorded */
	uint16_t id;	    /* SYSCALL_*: of the call (kernel_call_id); 0: none, or not said */
	const char *call;   /* SYSCALL_*: "read"; "" when an exit does not say */
};

/* wants: enum kernel_wants. */
int kernel_layouts_new(const struct mer_experiment *e, uint32_t wants,
	struct kernel_layouts **layouts, struct mer_err *err);
void kernel_layouts_free(struct kernel_layouts *);
const struct trace_reading *kernel_layouts_reading(const struct kernel_layouts *);
/* Of the class of an event of that reading: layouts->bindings[ev->plan->id]. */
const struct kernel_binding *kernel_bindings(const struct kernel_layouts *);
uint32_t kernel_n_bindings(const struct kernel_layouts *);

/* A reading of context switches alone, with the slots of KERNEL_EV_SWITCH. */
int kernel_switch_reading_new(
	const struct mer_experiment *e, struct trace_reading **reading, struct mer_err *err);

#endif
