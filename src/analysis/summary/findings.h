/* Findings: what stands out of a summary, as rows. Findings about the recording come first: lost
 * events and unknown times make all other numbers doubtful. Then come failures, then whatever
 * took time, sorted by its total over all tasks; if nothing took a tenth of the recording, that
 * nothing is saturated; then the rest.
 *
 * If many hosts have the same finding it is one row: that of the median host, with the number of
 * similar hosts. Hosts that differ from the median by more than a factor of two have rows of
 * their own.
 *
 * A row has a rule, a host and numbers; the printing code makes the sentence and the next
 * command (cli/reports/findings.h). */
#ifndef MER_ANALYSIS_SUMMARY_FINDINGS_H
#define MER_ANALYSIS_SUMMARY_FINDINGS_H

#include "base/table.h"

enum finding_rule {
	/* about the recording */
	/* count: lost events; count2: lost packets; object: what else is missing; percent: share
	 * of CPU time that is unknown */
	FINDING_LOST,
	/* percent: unknown share of CPU time, without gaps; object: an event missing in some
	 * recordings */
	FINDING_UNKNOWN,
	/* percent: share of time between recordings; count: number of such gaps */
	FINDING_GAPS,
	FINDING_NO_SWITCH, /* no events show what CPUs did */
	FINDING_PACKETS,   /* a host known only by its packets */
	FINDING_NOTHING,   /* nothing was recorded in the selected time */
	FINDING_EMPTY,	   /* nothing was recorded at all */
	/* failures */
	FINDING_DISK_ERRORS, /* count */
	/* count: threads; time: the longest wait; task, task2: the waiter and the holder */
	FINDING_STUCK,
	/* time */
	/* time: waits for a CPU; value: run queue; percent: busy; count: CPUs; time2, task: the
	 * task that used most; object: a CPU that was idle most of the time, while the tasks
	 * that waited most stayed on another CPU; percent2: idle share of that CPU */
	FINDING_CPU,
	/* the same; time: CPUs were saturated (count2: how many; object: one of them) */
	FINDING_CPU_FULL,
	FINDING_PROCESSES, /* the same; count2: brief processes; time, time2: their CPU time */
	/* time: the disk (object) was busy, or requests queued; percent: busy; value: queue */
	FINDING_DISK_BUSY,
	FINDING_DISK,	 /* time: waits; object: the busiest disk; percent: busy; task */
	FINDING_FAULTS,	 /* time: waits; count: of faults; task */
	FINDING_FLUSHES, /* time; count; time2: mean */
	/* time: waits for locks; time2: the longest; task: name of a waiter; task2: waker */
	FINDING_LOCKS,
	FINDING_SOFTIRQ, /* time; percent: of the CPUs */
	/* time: tasks of a guest seemed to run but did not; percent: share of the time when they
	 * seemed to run, without unknown time; value: the unknown share; task: the task that
	 * lost most; object: the thread that stole most, time2: how much; object2: the task of
	 * another guest that had more than half of that, time3: how much */
	FINDING_STOLEN,
	FINDING_IRQ,	 /* the same for interrupts of devices, timers and other CPUs */
	FINDING_POLLING, /* time; task */
	/* time: MPI ranks waited; percent: share of their time; count: ranks */
	FINDING_RANKS,
	/* time: waits for packets of unknown senders; task; object: hosts whose clocks cannot be
	 * compared, if that is the reason */
	FINDING_OUTSIDE,
	/* time: waits for packets in flight; time2: their mean; object: the sending host */
	FINDING_LATENCY,
	/* count: retransmitted packets; count2: packets not received; object: the receiving host */
	FINDING_REPEATED,
	/* The slowest request of a kind with few requests; added by the code that finds
	 * requests: findings_add_request. time: its duration; time2: the median; value: time
	 * divided by the median; count: requests of the kind; object: its id; object2: the kind */
	FINDING_REQUEST,
	/* notes */
	/* percent: the busiest CPUs; value: the busiest disk; object: main cause of waits;
	 * time2: total of these waits; object2: an event that would show more */
	FINDING_CALM,
	FINDING_SCHEDULING,  /* time: from wake-up to running; task */
	FINDING_CALL_ERRORS, /* count; percent: of calls; object: call; object2: error */
	/* the kernel was not recorded; object: a view for the events that exist */
	FINDING_VIEW,
	FINDING_N_RULES
};
/* "lost", "cpu-queue", ...: stable words for programs. */
const char *finding_rule_name(enum finding_rule);

enum finding_column {
	FINDING_COL_KIND, /* "recording", "failure", "time", "note" */
	FINDING_COL_RULE,
	FINDING_COL_HOST, /* not set: all hosts */
	FINDING_COL_TIME,
	FINDING_COL_PERCENT,
	FINDING_COL_VALUE,
	FINDING_COL_COUNT,
	FINDING_COL_COUNT2,
	FINDING_COL_TIME2,
	FINDING_COL_TID,
	FINDING_COL_COMM,
	FINDING_COL_TID2,
	FINDING_COL_COMM2,
	FINDING_COL_OBJECT,
	FINDING_COL_OBJECT2,
	FINDING_COL_TIME3,
	FINDING_COL_PERCENT2,
	FINDING_COL_ALIKE, /* further hosts (or pairs of them) with the same finding, see fold() */
	FINDING_COL_SENTENCE,
	FINDING_COL_NEXT,
	FINDING_N_COLUMNS
};
extern const struct mer_column findings_columns[];

struct finding_request {
	int64_t ns, median_ns; /* of the request itself, and the median */
	uint32_t count;
	const char *id, *kind; /* owned by the caller; must outlive the table */
};
/* A request that took at least twice the median is inserted among the findings about time,
 * ranked by the difference; any other one comes after them. In either case it is before the
 * notes. */
void findings_add_request(struct mer_table *findings, const struct finding_request *x);

#endif
