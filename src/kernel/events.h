/* Events: the one dictionary of the events that the model reads. A row for each: its names, which
 * slot each field goes to, who has to want it, and what the model does with it.
 *
 *   LTTng     sched_switch, softirq_entry (before 2.7) or irq_softirq_entry, ...
 *   perf      sched:sched_switch, with pid for tid, and the CPU in a field
 *   kprobes   do_IRQ_entry, do_IRQ_return, as `lttng enable-event --function` makes them
 *   others    of modules besides LTTng's own, with fields of their own
 *
 * Fields are put in by the number of their slot, and taken out by the same name: no list has to be
 * counted. System calls whose arguments are read are rows of calls.h. */
#ifndef MER_KERNEL_EVENTS_H
#define MER_KERNEL_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "kernel/told_events.h"
#include "meridian/meridian.h"

struct ctf_schema;

/* In the order in which names are tried: those with a star come after all that they could stand
 * for. */
enum kernel_event {
	KERNEL_EV_NONE,
	KERNEL_EV_SWITCH,
	KERNEL_EV_TTWU, /* wake-ups come with three grades of evidence: the earliest event counts */
	KERNEL_EV_WAKING,
	KERNEL_EV_WAKEUP,
	KERNEL_EV_WAKEUP_NEW,
	KERNEL_EV_MIGRATE,
	KERNEL_EV_NEW_TASK, /* before the fork: what kind of task */
	KERNEL_EV_FORK,
	KERNEL_EV_EXEC,
	KERNEL_EV_EXIT,
	KERNEL_EV_FREE,
	KERNEL_EV_RENAME,
	KERNEL_EV_PERF_FORK, /* perf's own records of tasks: from here to PERF_COMM */
	KERNEL_EV_PERF_EXIT,
	KERNEL_EV_PERF_COMM,
	KERNEL_EV_BOOST,    /* the owner of a lock gets the priority of a task that waits for it */
	KERNEL_EV_VM_ENTRY, /* from here to VM_RETURN: of hypervisors, for vm/vcpus.h alone */
	KERNEL_EV_VM_EXIT,
	KERNEL_EV_VM_TO_USER,
	KERNEL_EV_VM_CALL, /* a process calls its hypervisor */
	KERNEL_EV_VM_RETURN,
	KERNEL_EV_SYSCALL_NUMBER, /* an entry that may have nothing but the call's number */
	KERNEL_EV_SYSCALL_ENTRY,
	KERNEL_EV_SYSCALL_EXIT,
	KERNEL_EV_TOLD_PATH, /* probes that tell what an argument of a call points to */
	KERNEL_EV_TOLD_ADDRESS,
	KERNEL_EV_TOLD_SOCKET,
	KERNEL_EV_SOCK_STATE,
	KERNEL_EV_SOCK_SENT, /* and how much of it; without saying by which call */
	KERNEL_EV_SOCK_RECEIVED,
	KERNEL_EV_WORK_BEGIN, /* what a worker of the kernel does for somebody else */
	KERNEL_EV_WORK_END,
	KERNEL_EV_IRQ_ENTRY,
	KERNEL_EV_IRQ_EXIT,
	KERNEL_EV_SOFTIRQ_ENTRY,
	KERNEL_EV_SOFTIRQ_EXIT,
	KERNEL_EV_HRTIMER_ENTRY,
	KERNEL_EV_HRTIMER_EXIT,
	KERNEL_EV_TIMER_ENTRY, /* of the timer wheel, in a softirq */
	KERNEL_EV_TIMER_EXIT,
	KERNEL_EV_LOCAL_TIMER_ENTRY, /* of the CPU's own timer */
	KERNEL_EV_LOCAL_TIMER_EXIT,
	KERNEL_EV_IPI_ENTRY,
	KERNEL_EV_IPI_EXIT,
	KERNEL_EV_VECTOR_ENTRY, /* other vectors */
	KERNEL_EV_VECTOR_EXIT,
	KERNEL_EV_ANY_IRQ_ENTRY, /* kprobe around all device interrupts */
	KERNEL_EV_ANY_IRQ_EXIT,
	KERNEL_EV_PACKET_ENTRY, /* kprobe around the delivery of a received packet */
	KERNEL_EV_PACKET_EXIT,
	KERNEL_EV_SEND,	   /* a packet */
	KERNEL_EV_RECEIVE, /* a packet */
	KERNEL_EV_BLOCK_INSERT,
	KERNEL_EV_BLOCK_ISSUE,
	KERNEL_EV_BLOCK_COMPLETE,
	KERNEL_EV_SOFTIRQ_RAISE,
/* Up to END_TOLD: events of struct kernel_told_event (kernel/observer.h). */
#define KERNEL_TOLD_NUMBER(name, ...) KERNEL_EV_##name,
	KERNEL_TOLD_EVENTS(KERNEL_TOLD_NUMBER) KERNEL_EV_END_TOLD,
	KERNEL_EV_FIRST_TOLD = KERNEL_EV_SOFTIRQ_RAISE + 1,
	KERNEL_EV_BLOCK_RQ_MERGE = KERNEL_EV_END_TOLD,
	KERNEL_EV_BLOCK_BACKMERGE, /* of a bio */
	KERNEL_EV_BLOCK_FRONTMERGE,
	KERNEL_EV_DUMP_TASK,
	KERNEL_EV_DUMP_FILE,
	KERNEL_EV_DUMP_SOCKET, /* of our own: ftrace/dump.h */
	KERNEL_EV_DUMP_PID_NS,
	KERNEL_EV_DUMP_IRQ,
	KERNEL_EV_DUMP_DISK,
	KERNEL_EV_DUMP_CPU,
	KERNEL_N_EVENTS
};

/* Slots. All events begin with the CPU of tracers that put it into a field; a text takes two. */
enum { KERNEL_SLOT_CPU, KERNEL_EVENT_SLOTS = 11 };
enum {
	SWITCH_PREV = 1,
	SWITCH_STATE,
	SWITCH_NEXT,
	SWITCH_PREV_COMM,
	SWITCH_NEXT_COMM = 6,
	SWITCH_PRIO = 8 /* with KERNEL_WANT_PRIORITIES */
};
enum { TASK_TID = 1 }; /* of events about one task: wake-ups, migrations, exec, exit, ... */
enum { WAKE_CPU = 2, WAKE_COMM };
/* PID, EXEC: of perf's own records. */
enum { RENAME_COMM = 2, RENAME_PID = 4, RENAME_EXEC };
enum {
	FORK_PARENT = 1,
	FORK_PARENT_PID,
	FORK_CHILD,
	FORK_CHILD_PID,
	FORK_COMM,
	FORK_NS = 7,
	FORK_TIME /* of perf's own records: 0: it was there before */
};
enum { EXEC_OLD = 2, EXEC_FILE };
enum { VM_EXIT_REASON = 1, VM_EXIT_ISA, VM_EXIT_VCPU };
enum { NEW_FLAGS = 2 };
enum { CALL_NUMBER = 1, CALL_CALLER /* its tid; 0: not said */, CALL_ARGS /* array */ };
enum { TOLD_PATH = 1 /* text */ };
/* As they are in memory, in the order of the network. */
enum { TOLD_FAMILY = 1, TOLD_PORT, TOLD_V4 };
enum { SOCK_FAMILY = 1, SOCK_NEW, SOCK_PORT /* as a number */, SOCK_V4 /* array */ };
enum { LENGTH_FAMILY = 1, LENGTH_PROTOCOL, LENGTH_RET, LENGTH_FLAGS };
enum { WORK_ADDRESS = 1, WORK_NAME /* text */ };
enum { CALL_RET = 1, CALL_EXIT_NUMBER, CALL_EXIT_CALLER };
enum { IRQ_NR = 1, IRQ_NAME, DUMP_IRQ_ACTION = 4 };
enum { PACKET_SKB = 1, PACKET_LEN, PACKET_DEVICE /* these two with KERNEL_WANT_PACKETS */ };
enum {
	BLOCK_DEV = 1,
	BLOCK_SECTOR,
	BLOCK_SECTORS,
	BLOCK_BYTES,
	BLOCK_RWBS,
	BLOCK_TID,
	BLOCK_ERROR = 6,
	BLOCK_ERRORS,
	BLOCK_RWBS_TEXT, /* of perf: "WS" for what LTTng tells in bits */
	BLOCK_INTO = 7	 /* merges: where the request begins that it became part of */
};
enum {
	DUMP_PID = 2,
	DUMP_PPID,
	DUMP_NAME,
	DUMP_TYPE = 6,
	DUMP_STATUS,
	DUMP_TABLE,
	DUMP_VTID,
	DUMP_VPID
};
enum { FILE_PID = 1, FILE_FD, FILE_NAME, FILE_TABLE = 5 };
enum { SOCKET_PID = 1, SOCKET_FD, SOCKET_FAMILY, SOCKET_NAME, SOCKET_LOCAL = 6 };
enum { NS_VTID = 2, NS_VPID, NS_INUM };
enum { DISK_DEV = 1, DISK_NAME };
enum { DUMP_CPU_ID = 1, DUMP_CPU_PACKAGE };

enum kernel_dialect { KERNEL_LTTNG, KERNEL_PERF, KERNEL_OTHER, KERNEL_N_DIALECTS };

struct kernel_model;
struct kernel_binding;
struct cpu;
/* 0 or an error. c: the CPU on which the event happened. */
typedef int kernel_handler(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b);

struct kernel_event_field {
	/* "prev_tid", "prev_comm:s". NULL, or "-": the event does not have it, and it reads 0; but
	 * [KERNEL_PERF] NULL: the same as LTTng's. */
	const char *names[KERNEL_N_DIALECTS];
	/* as in struct kernel_observer: not read unless one of these is wanted; 0: always */
	uint64_t wants;
};

struct kernel_event_row {
	kernel_handler *handle;
	/* Where the CPU's record has a hole, nobody knows which task is on it. This event says the
	 * same whichever it is, or its handler looks: it is handled all the same. */
	bool any_task;
	uint8_t context; /* enum context_kind: of events that begin or end one */
	uint64_t wants;	 /* as in kernel_event_field: of the whole event */
	const char *names[KERNEL_N_DIALECTS]; /* blanks between; * at an end, or inside */
	struct kernel_event_field fields[KERNEL_EVENT_SLOTS]; /* by slot */
};
extern const struct kernel_event_row kernel_event_rows[KERNEL_N_EVENTS];

/* How much is allocated or freed, by PAGE_ORDER; 0: no order that there is. */
static inline int64_t kernel_page_bytes(const uint64_t *slots)
{
	enum { PAGE_BYTES = 4096, MAX_ORDER = 30 };
	return slots[PAGE_ORDER] <= MAX_ORDER ? (int64_t)PAGE_BYTES << slots[PAGE_ORDER] : 0;
}

/* For mer_need.fields of the event in this dialect. In the arena; NULL: no memory. */
const char *kernel_event_fields(
	struct mer_arena *, enum kernel_event, enum kernel_dialect, uint64_t wants);
/* Is it one of the event's names? By comparing: not for each event. */
bool kernel_event_is(enum kernel_event, const char *name);
/* Has the schema an event of such a name? */
bool kernel_event_is_in(enum kernel_event, const struct ctf_schema *);

#endif
