/* Capabilities: the table of what each analysis needs, and what each host has recorded of it.
 *
 * An event counts as recorded if the metadata declares it: tracers declare what was enabled, so
 * an event that did not happen is not missing. Only for packets the data is looked at, too
 * (capabilities_sync.c): headers may be declared and never present. */
#ifndef MER_SESSION_CAPABILITIES_H
#define MER_SESSION_CAPABILITIES_H

#include "base/str.h"
#include "kernel/events.h"
#include "trace/tool.h"
#include "trace/walk.h"

/* What analyses need; each has other names in other versions of the tracer (capabilities.c). */
enum capability_event {
	CAPABILITY_NOTHING, /* ends a list */
	CAPABILITY_SWITCH,
	CAPABILITY_WAKE,   /* of any kind */
	CAPABILITY_WAKING, /* on the waker's CPU: without, who it was is often not known */
	CAPABILITY_WAKE_NEW,
	CAPABILITY_MIGRATE,
	CAPABILITY_PRIORITY,
	CAPABILITY_FORK,
	CAPABILITY_EXEC,
	CAPABILITY_EXIT,
	CAPABILITY_SYSCALL_ENTRY,
	CAPABILITY_SYSCALL_EXIT,
	CAPABILITY_IRQ_ENTRY,
	CAPABILITY_IRQ_EXIT,
	CAPABILITY_SOFTIRQ_RAISE,
	CAPABILITY_SOFTIRQ_ENTRY,
	CAPABILITY_SOFTIRQ_EXIT,
	CAPABILITY_HRTIMER_ENTRY,
	CAPABILITY_HRTIMER_EXIT,
	CAPABILITY_BLOCK_INSERT,
	CAPABILITY_BLOCK_ISSUE,
	CAPABILITY_BLOCK_COMPLETE,
	CAPABILITY_TOLD, /* and so on: all told events, see CAPABILITY_OF */
	CAPABILITY_LAST_TOLD = CAPABILITY_TOLD + KERNEL_EV_END_TOLD - KERNEL_EV_FIRST_TOLD - 1,
	CAPABILITY_NET_OUT,
	CAPABILITY_NET_IN,
	CAPABILITY_SOCK_OUT,
	CAPABILITY_SOCK_IN,
	CAPABILITY_PEERS, /* whom sockets connect to, where calls do not tell it */
	CAPABILITY_VM_ENTRY,
	CAPABILITY_VM_EXIT,
	CAPABILITY_VM_TO_USER,
	CAPABILITY_STATE_PROCESS,
	CAPABILITY_STATE_FILES,
	CAPABILITY_STATE_DISKS,
	CAPABILITY_STATE_NETWORK,
	CAPABILITY_MPI, /* of user space: any event of mpi/events.h */
	CAPABILITY_N_EVENTS
};
/* A told event (kernel/told_events.h): CAPABILITY_OF(PAGE_ALLOC). */
#define CAPABILITY_OF(event) CAPABILITY_OF_KIND(KERNEL_EV_##event)
#define CAPABILITY_OF_KIND(kind) (CAPABILITY_TOLD + (kind)-KERNEL_EV_FIRST_TOLD)

enum capability_possible { CAPABILITY_NO, CAPABILITY_PARTLY, CAPABILITY_YES };

struct capability {
	const char *name; /* NULL: ends the table */
	const char
		*ids; /* analyses (analysis/analysis.h) that it is of, blanks between; NULL: none */
	bool any;     /* each of the needed events allows a part of it */
	bool is_rare; /* few hosts have what it is about: see capability_concerns */
	bool is_of_others;	   /* what it says of a host others recorded, its hypervisor */
	uint8_t needs[8], more[8]; /* enum capability_event: without more it is incomplete */
};
/* All of them: those of capabilities.c, then analyses that say by themselves what they need
 * (struct analysis, needs). */
const struct capability *capabilities(void);

enum capability_direction { CAPABILITY_SEND, CAPABILITY_RECEIVE, CAPABILITY_N_DIRECTIONS };

/* Why the packets of a direction cannot be matched with those of other hosts. */
enum capability_obstacle {
	CAPABILITY_CLEAR,	    /* they can */
	CAPABILITY_NO_PACKET,	    /* recorded, and none was seen */
	CAPABILITY_NO_HEADER_FIELD, /* the tracer did not record headers yet */
	CAPABILITY_ALL_LOCAL,	    /* loopback only */
	CAPABILITY_HEADERS_EMPTY,   /* declared, and always of an unknown type */
	CAPABILITY_OTHER_KINDS	    /* neither TCP nor UDP */
};

struct capability_packets { /* of a direction, on a host */
	const char *event;  /* its name; NULL: none was recorded */
	enum capability_obstacle obstacle;
	uint64_t n_examined; /* packets between hosts that were looked at */
};

struct capability_host {
	const char *name;
	uint32_t number; /* of mer_host_at */
	bool wanted;	 /* is selected */
	bool kernel;	 /* has a trace of the kernel */
	enum trace_tool tool;
	bool partial; /* some of it could not be read, or was lost */
	bool declared[CAPABILITY_N_EVENTS];
	uint64_t seen[CAPABILITY_N_EVENTS];

	/* Of capability_find_sync: */
	bool can_sync;
	struct capability_packets packets[CAPABILITY_N_DIRECTIONS];
	bool lacks[CAPABILITY_N_EVENTS]; /* recording these would help */
};

/* Counts for each host (n: mer_n_hosts()). */
void capability_tally(const struct mer_experiment *e, const struct trace_counts *counts,
	struct capability_host *hosts);
/* The same without looking at the data: only what is declared. */
void capability_declared(const struct mer_experiment *e, struct capability_host *hosts);
/* Is the row of this analysis (also)? Each row of an analysis is of a part of it that can do
 * alone. */
bool capability_is_of(const struct capability *a, const char *id);
/* Does the host have what it is about? For rare things: one of the needed events, besides the
 * first, was recorded. */
bool capability_concerns(const struct capability *a, const struct capability_host *h);
/* On one host; lacking[] gets what is not recorded. */
enum capability_possible capability_judge(const struct capability *a,
	const struct capability_host *h, bool lacking[CAPABILITY_N_EVENTS]);
/* The event's name in current tracers. */
const char *capability_event_name(enum capability_event ev);
/* The same as one types it with this tool. */
const char *capability_event_typed(enum capability_event ev, enum trace_tool tool);
/* Does this name mean the event? */
bool capability_event_is(enum capability_event ev, const char *name);
/* The name without perf's subsystem: "sched:sched_switch". */
const char *capability_plain_name(const char *name);
/* The lines to type so that all of them are recorded, each at most 80 columns, behind what out
 * has; nothing for none. With LTTng each is a command; with others they are one, which gives the
 * events to add to those that are recorded already. */
void capability_fix(
	struct mer_str *out, const bool lacking[CAPABILITY_N_EVENTS], enum trace_tool tool);

/* Which hosts can be matched with others by their packets; reads the packets' events. */
int capability_find_sync(
	struct mer_experiment *e, struct capability_host *hosts, struct mer_err *err);

#endif
