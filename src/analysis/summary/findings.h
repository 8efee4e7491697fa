/* Findings: what stands out of a summary, as rows. Those about the recording come first: what was
 * lost or is not known makes all other numbers doubtful. Then come failures, then what took time,
 * by the time that it took over all tasks; where nothing took a tenth of the recording, that
 * nothing is saturated; then the rest.
 *
 * What is found of many hosts is one row: of the host in the middle, with how many others are like
 * it. Those that differ from it by more than a factor of two have rows of their own.
 *
 * A row has a rule, a host and numbers; the sentence and the command to go on with are made by who
 * prints (cli/reports/findings.h). */
#ifndef MER_ANALYSIS_SUMMARY_FINDINGS_H
#define MER_ANALYSIS_SUMMARY_FINDINGS_H

#include "base/table.h"

enum finding_rule {
	/* about the recording */
	/* count: events; count2: packets; object: what else is missing; percent: of CPU time is
	 * unknown */
	FINDING_LOST,
	/* percent: of CPU time, without gaps; object: an event that some recordings lack */
	FINDING_UNKNOWN,
	FINDING_GAPS,	   /* percent: of the time was between recordings; count: of such gaps */
	FINDING_NO_SWITCH, /* nothing tells what CPUs did */
	FINDING_PACKETS,   /* that is known by its packets alone */
	FINDING_NOTHING,   /* nothing was recorded at that time */
	FINDING_EMPTY,	   /* nothing was recorded at all */
	/* failures */
	FINDING_DISK_ERRORS, /* count */
	FINDING_STUCK,	     /* count: threads; time: the longest; task, task2: the holder */
	/* time */
	/* time: of waits for a CPU; value: run queue; percent: busy; count: CPUs; time2, task: who
	 * used most; object: a CPU that was idle for most of the time, while those that waited most
	 * stayed on another one; percent2: its share idle */
	FINDING_CPU,
	/* the same, time: CPUs (count2; object: one of them) had no time to spare */
	FINDING_CPU_FULL,
	FINDING_PROCESSES, /* the same; count2: brief processes; time, time2: their CPU time */
	/* time: that the disk (object) was busy, or requests queued; percent: busy; value: queue */
	FINDING_DISK_BUSY,
	FINDING_DISK,	 /* time: waits; object: the busiest disk; percent: busy; task */
	FINDING_FAULTS,	 /* time: waits; count: of faults; task */
	FINDING_FLUSHES, /* time; count; time2: mean */
	/* time: waits for locks; time2: the longest; task: name of a waiter; task2: waker */
	FINDING_LOCKS,
	FINDING_SOFTIRQ, /* time; percent: of the CPUs */
	/* time: that tasks of a guest seemed to run and did not; percent: of what they seemed to,
	 * without what is not known, value: the share of that; task: that most was stolen from;
	 * object: the thread that stole most, time2: that; object2: the task of another guest that
	 * had more than half of it, time3: that */
	FINDING_STOLEN,
	FINDING_IRQ,	 /* the same of interrupts of devices, timers and other CPUs */
	FINDING_POLLING, /* time; task */
	FINDING_RANKS,	 /* time: ranks of MPI waited; percent: of their time; count: ranks */
	/* time: waits for packets of unknown senders; task; object: hosts whose clocks cannot be
	 * compared, if that is why */
	FINDING_OUTSIDE,
	/* time: waits for packets under way; time2: mean of them; object: from which host */
	FINDING_LATENCY,
	/* count: of packets seen again; count2: not received; object: to which host */
	FINDING_REPEATED,
	/* of a kind with few requests, the slowest; by who finds requests: findings_add_request.
	 * time: it took; time2: the median; value: time by that; count: of the kind; object: its
	 * id; object2: the kind */
	FINDING_REQUEST,
	/* notes */
	FINDING_CALM, /* percent: the busiest CPUs; value: the busiest disk; object: main cause of
				waits; time2: these; object2: event that would tell */
	FINDING_SCHEDULING,  /* time: from wake-up to running; task */
	FINDING_CALL_ERRORS, /* count; percent: of calls; object: call; object2: error */
	FINDING_VIEW,	     /* nothing of the kernel is known; object: a view for what there is */
	FINDING_N_RULES
};
/* "lost", "cpu", ...: stable words for programs. */
const char *finding_rule_name(enum finding_rule);

enum finding_column {
	FINDING_COL_KIND, /* "recording", "failure", "time", "note" */
	FINDING_COL_RULE,
	FINDING_COL_HOST, /* not set: all of them */
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
	int64_t ns, median_ns; /* of one alone, the same */
	uint32_t count;
	const char *id, *kind; /* kept by the caller, as long as the table */
};
/* If it took at least twice the median, among what took time, by what it took more; else, and in
 * any case before what is a note, behind these. */
void findings_add_request(struct mer_table *findings, const struct finding_request *x);

#endif
