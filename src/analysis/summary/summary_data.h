/* What summary.c computes for each host, as input of findings.c: everything that a rule uses. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_DATA_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_DATA_H

#include "analysis/summary/findings.h"
#include "analysis/summary/summary.h"
#include "analysis/summary/summary_gaps.h"
#include "analysis/summary/summary_waits.h"
#include "base/map.h"
#include "sync/result.h"

struct summary_task { /* a task that stands out; comm NULL: none */
	const char *comm;
	int64_t tid; /* -1: not known */
	int64_t ns;
};

struct summary_host {	  /* sums of one host; 0: not known */
	const char *name; /* NULL: not selected */
	/* packet captures only: nothing is known about its CPUs and tasks */
	bool has_packets_only;
	bool is_empty; /* it has no events, and none were lost */
	int64_t range, cpus;
	double cpu, unknown, irq, softirq; /* shares of the time of all its CPUs */
	/* full_ns: see cpu_full.h; summed over all CPUs */
	int64_t irq_ns, softirq_ns, full_ns;
	/* the CPU that was full longest, for how long; number of CPUs that were full */
	int64_t fullest, fullest_ns, n_full;
	double disk; /* load of the busiest disk */
	const char *disk_name;
	int64_t disk_queue_ns, disk_errors, flushes, flush_ns, flush_max;
	int64_t runnable_ns; /* time that tasks, without the tracer's, waited for a CPU */
	/* that time is not known: sched_switch does not have the next state of tasks */
	bool lacks_runnable;
	int64_t latency; /* longest time from wake-up to running */
	int64_t locks_ns, locks_max, polling_ns;
	int64_t memory_bytes; /* allocated minus freed pages */
	/* odd_errors: without those that are normal (summary.c) */
	int64_t net_bytes, calls, failed, odd_errors;
	int64_t switches, interrupts, execs, processes, threads;
	int64_t brief, brief_threads,
		brief_ns; /* tasks that lived less than a second, and their CPU time */
	/* time that tasks had a CPU, including interrupts meanwhile (as in top cpu) */
	int64_t task_ns;
	/* the same without interrupts: all tasks, the tracer's tasks */
	int64_t self_ns, tracer_ns;
	uint64_t lost_events, lost_packets;
	/* "the first packets of 2 streams"; NULL: nothing is missing */
	const char *missing;
	struct summary_gaps gaps; /* gaps between its recordings */
	/* For guests: the time that tasks seemed to run; of that, stolen and unknown time. */
	int64_t seen_ns, stolen_ns, unseen_ns;
	const char *stolen_by;	    /* the thread that stole most of it, */
	int64_t stolen_by_ns;	    /* and how much */
	const char *stolen_by_task; /* the task in that vCPU that had more than half of it; */
	int64_t stolen_by_task_ns;  /* and how much; 0: there is none */
	/* the CPU that was idle longest, on hosts with several CPUs */
	int64_t idlest;
	double idlest_share; /* its idle time, as a share of the analyzed time */
	/* part of runnable_ns of tasks that never left their CPU, on hosts with several CPUs */
	int64_t stayed_ns;
	/* MPI ranks; their time, and how much of it they waited */
	int64_t ranks, rank_ns, rank_waits_ns;
	/* threads that still waited for a lock at the end; the longest wait */
	int64_t stuck, stuck_ns;
	struct summary_task cpu_user, full_user, stolen_from, cpu_brief, late, poller, lock_waiter,
		lock_holder, stuck_one, stuck_by;
	const char *worst_error, *worst_call; /* the most frequent one of odd_errors */
	bool has_latency, has_disk, has_net, has_calls, has_interrupts, has_softirqs, has_switches,
		has_memory;
	bool knows_cpu; /* it is known how busy its CPUs were */
};

struct summary_link { /* packets in one direction between two hosts */
	const char *from, *to;
	int64_t packets, bytes, mean_ns, max_ns, total_ns;
	int64_t bound_ns; /* bound of the clocks' error, median over time; INT64_MAX: not known */
	int64_t repeated, unmatched;
	bool has_times, has_bytes, has_counts;
};

struct summary {
	struct analysis_run *run;
	const struct sync_result *r; /* NULL: clocks are used as recorded */
	const struct summary_felt *felt;
	const struct mer_table *in;
	struct mer_table *out;
	struct summary_host *hosts;
	uint32_t n;
	struct summary_link *links; /* malloc'ed */
	size_t n_links;
	struct summary_waits waits;
	const bool **tracer; /* by host and task; owned by the run */
	/* by host: (tid, comm) of a row -> bits of enum summary_mark */
	struct mer_map *marks;
	struct mer_map by_name; /* hash of a host's name -> host, plus 1 */
	uint32_t **owners;	/* for the rows of each table of in: host, plus 1; 0: none */
	bool all;		/* also waits for what tasks started themselves */
	enum peers_by by;	/* of groups of hosts */
};

/* A quotient; 0 if whole is 0. */
static inline double summary_per(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* Is there any information about its CPUs? */
static inline bool summary_knows_cpus(const struct summary_host *h)
{
	return h->cpus && h->knows_cpu && h->unknown < 1;
}

/* Mean number of tasks that waited for a CPU. */
static inline double summary_runnable_tasks(const struct summary_host *h)
{
	return summary_per(h->runnable_ns, h->range);
}

#endif
