/* Check: what the verb `check` finds out about each machine, and the table of what analyses need.
 *
 * An event counts as recorded when the metadata declares it: tracers declare what was enabled, so
 * an event that did not happen is not an event that is missing. Only for packets the data is looked
 * at too (check_sync.c): headers may be declared and never there. */
#ifndef MER_CLI_CHECK_H
#define MER_CLI_CHECK_H

#include "base/str.h"
#include "cli/context.h"
#include "trace/walk.h"

/* What analyses need; each has other names in other versions of the tracer (check_needs.c). */
enum check_event {
	CHECK_NOTHING, /* ends a list */
	CHECK_SWITCH,
	CHECK_WAKE,
	CHECK_WAKE_NEW,
	CHECK_MIGRATE,
	CHECK_PRIORITY,
	CHECK_FORK,
	CHECK_EXEC,
	CHECK_EXIT,
	CHECK_SYSCALL_ENTRY,
	CHECK_SYSCALL_EXIT,
	CHECK_IRQ_ENTRY,
	CHECK_IRQ_EXIT,
	CHECK_SOFTIRQ_RAISE,
	CHECK_SOFTIRQ_ENTRY,
	CHECK_SOFTIRQ_EXIT,
	CHECK_HRTIMER_ENTRY,
	CHECK_HRTIMER_EXIT,
	CHECK_BLOCK_INSERT,
	CHECK_BLOCK_ISSUE,
	CHECK_BLOCK_COMPLETE,
	CHECK_PAGE_ALLOC,
	CHECK_PAGE_FREE,
	CHECK_FAULT_USER,
	CHECK_FAULT_KERNEL,
	CHECK_FREQUENCY,
	CHECK_NET_OUT,
	CHECK_NET_IN,
	CHECK_SOCK_OUT,
	CHECK_SOCK_IN,
	CHECK_STATE_PROCESS,
	CHECK_STATE_FILES,
	CHECK_STATE_DISKS,
	CHECK_STATE_NETWORK,
	CHECK_N_EVENTS
};

enum check_possible { CHECK_NO, CHECK_PARTLY, CHECK_YES };

struct check_analysis {
	const char *name;
	const char
		*ids; /* analyses (analysis/analysis.h) that it is of, blanks between; NULL: none */
	bool any;     /* each of the needed events allows a part of it */
	uint8_t needs[8], more[8]; /* enum check_event: without more it is incomplete */
};
extern const struct check_analysis check_analyses[]; /* ends with {0} */

struct check_host {
	const char *name;
	uint32_t number; /* in mer_hosts() */
	bool wanted;	 /* --host */
	bool kernel;	 /* has a trace of the kernel */
	bool partial;	 /* some of it could not be read, or was lost */
	bool declared[CHECK_N_EVENTS];
	uint64_t seen[CHECK_N_EVENTS];

	/* Of check_sync: */
	bool can_sync;
	const char *send, *receive; /* names of the events, NULL: not recorded */
	const char *why;	    /* when it cannot */
	bool lacks[CHECK_N_EVENTS]; /* recording these would help */
};

/* Counts for each host (n: mer_hosts()). */
void check_tally(const struct mer_experiment *e, const struct trace_counts *counts,
	struct check_host *hosts);
/* The same without looking at the data: only what is declared. */
void check_declared(const struct mer_experiment *e, struct check_host *hosts);
/* Is the row of this analysis (also)? Each row of an analysis is of a part of it that can do alone. */
bool check_is_of(const struct check_analysis *a, const char *id);
/* On one host; lacking[] gets what is not recorded. */
enum check_possible check_judge(
	const struct check_analysis *a, const struct check_host *h, bool lacking[CHECK_N_EVENTS]);
/* The event's name in current tracers. */
const char *check_event_name(enum check_event ev);
/* Does this name mean the event? */
bool check_event_is(enum check_event ev, const char *name);
/* The name without perf's subsystem: "sched:sched_switch". */
const char *check_plain_name(const char *name);
/* The lines to type so that all of them are recorded, each at most 80 columns; "" for none. */
void check_fix(struct mer_str *out, const bool lacking[CHECK_N_EVENTS]);

/* Which hosts can be matched with others by their packets; reads the packets' events. */
int check_sync(struct cli *cli, struct mer_experiment *e, struct check_host *hosts);

#endif
