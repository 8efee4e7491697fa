/* Layouts: which events the model reads, under all the names that tracers give them (events.h,
 * calls.h).
 *
 * Names are bound once for a reading; then each event is a kind and slots in one order, whatever
 * the layout was. */
#ifndef MER_KERNEL_LAYOUTS_H
#define MER_KERNEL_LAYOUTS_H

#include "kernel/calls.h"
#include "kernel/events.h"
#include "kernel/observer.h"
#include "trace/reading.h"

struct kernel_layouts;

struct kernel_binding { /* of a class of events */
	uint8_t event;	/* enum kernel_event */
	/* a system call told by its number, in the first slot after the CPU: enum
	 * mer_call_numbers; UNKNOWN: it is not, or nobody knows of which machine */
	uint8_t by_number;
	bool is_be;    /* TOLD_*: numbers in the order of the network are in that of the trace */
	bool is_typed; /* SYSCALL_ENTRY: its fields are registers, of 64 bits all of them */
	bool has_no_state; /* SWITCH: it does not say what the task does next */
	bool has_waits;	   /* ... it says whether it waits (ftrace/perf/switches.h), not for what */
	bool has_prio;
	/* SWITCH: the number for LTTng's priority 0 (nice -20 is 100 in the kernel) */
	int8_t prio_of_0;
	uint16_t kind;	    /* SYSCALL_*: enum kernel_call_kind */
	uint16_t row_slots; /* KERNEL_CALL_POLL: slots of an element of fds; 0: not recorded */
	uint16_t id;	    /* SYSCALL_*: of the call (kernel_call_id); 0: none, or not said */
	const char *call;   /* SYSCALL_*: "read"; "" when an exit does not say */
};

/* Has the payload such a field? */
bool kernel_has_field(const struct ctf_event_class *, const char *field);
/* wants: as in struct kernel_observer. */
int kernel_layouts_new(const struct mer_experiment *e, uint64_t wants,
	struct kernel_layouts **layouts, struct mer_err *err);
void kernel_layouts_free(struct kernel_layouts *);
const struct trace_reading *kernel_layouts_reading(const struct kernel_layouts *);
/* Of the class of an event of that reading: layouts->bindings[ev->plan->id]. */
const struct kernel_binding *kernel_bindings(const struct kernel_layouts *);
uint32_t kernel_n_bindings(const struct kernel_layouts *);

/* A reading of these events alone, with the slots of events.h (but nothing that has to be
 * wanted). */
struct kernel_event_reading {
	struct trace_reading *reading;
	uint8_t *event_of; /* by ctf_plan.tag: enum kernel_event; malloc'ed */
};
int kernel_event_reading_new(const struct mer_experiment *e, const enum kernel_event *events,
	size_t n, struct kernel_event_reading **r, struct mer_err *err);
void kernel_event_reading_free(struct kernel_event_reading *); /* NULL is fine */

/* A reading of context switches alone, with the slots of KERNEL_EV_SWITCH (but no priorities). */
int kernel_switch_reading_new(
	const struct mer_experiment *e, struct trace_reading **reading, struct mer_err *err);

#endif
