/* What summary.c has summed up of each host, for findings.c: everything that a rule looks at. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_DATA_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_DATA_H

#include "analysis/summary/findings.h"
#include "analysis/summary/summary.h"
#include "analysis/summary/summary_gaps.h"
#include "analysis/summary/summary_waits.h"
#include "base/map.h"
#include "sync/result.h"

struct summary_task { /* one that stands out; comm NULL: none does */
	const char *comm;
	int64_t tid; /* -1: not known */
	int64_t ns;
};

struct summary_host {	       /* sums of one; 0: nothing is known of it */
	const char *name;      /* NULL: was not asked for */
	bool has_packets_only; /* captures of them: nothing tells of its CPUs and tasks */
	bool is_empty;	       /* there is no event of it at all, and none was lost */
	int64_t range, cpus;
	double cpu, unknown, irq, softirq;   /* parts of all time of its CPUs */
	int64_t irq_ns, softirq_ns, full_ns; /* see cpu_full.h; of all CPUs */
	int64_t fullest, fullest_ns, n_full; /* the CPU that was full for longest; how many were */
	double disk;			     /* the busiest */
	const char *disk_name;
	int64_t disk_queue_ns, disk_errors, flushes, flush_ns, flush_max;
	int64_t runnable_ns; /* tasks waited for a CPU, without the tracer */
	/* that is not known: sched_switch does not say what a task does next */
	bool lacks_runnable;
	int64_t latency; /* the longest from wake-up to running */
	int64_t locks_ns, locks_max, polling_ns;
	int64_t memory_bytes;			      /* pages allocated, less those freed */
	int64_t net_bytes, calls, failed, odd_errors; /* odd: no everyday ones */
	int64_t switches, interrupts, execs, processes, threads;
	int64_t brief, brief_threads,
		brief_ns; /* tasks that lived less than a second; their CPU time */
	int64_t task_ns;  /* tasks had a CPU, with the interrupts meanwhile (as in top cpu) */
	int64_t self_ns, tracer_ns; /* the same without interrupts: of all tasks, of the tracer */
	uint64_t lost_events, lost_packets;
	const char *missing;	  /* "the first packets of 2 streams"; NULL: nothing */
	struct summary_gaps gaps; /* between its recordings */
	/* Guests: their tasks seemed to run; of that stolen, not known. */
	int64_t seen_ns, stolen_ns, unseen_ns;
	const char *stolen_by;	    /* who stole most of it; */
	int64_t stolen_by_ns;	    /* and how much */
	const char *stolen_by_task; /* the task in that vCPU that had more than half of it; */
	int64_t stolen_by_task_ns;  /* and how much; 0: there is none */
	int64_t idlest;		    /* the CPU that was idle for longest, of those all known; */
	double idlest_share;	    /* of the time */
	int64_t stayed_ns; /* of runnable_ns: tasks that never left their CPU (with several) */
	int64_t ranks, rank_ns, rank_waits_ns; /* of MPI; their time, and what they waited of it */
	int64_t stuck, stuck_ns; /* threads that waited for a lock at the end; the longest */
	struct summary_task cpu_user, full_user, stolen_from, cpu_brief, late, poller, lock_waiter,
		lock_holder, stuck_one, stuck_by;
	const char *worst_error, *worst_call; /* the most frequent of odd_errors */
	bool has_latency, has_disk, has_net, has_calls, has_interrupts, has_softirqs, has_switches,
		has_memory;
	bool knows_cpu; /* how busy its CPUs were */
};

struct summary_link { /* packets of one direction between two hosts */
	const char *from, *to;
	int64_t packets, bytes, mean_ns, max_ns, total_ns;
	int64_t bound_ns; /* by so much the clocks can be off; INT64_MAX: not known */
	int64_t repeated, unmatched;
	bool has_times, has_bytes, has_counts;
};

struct summary {
	struct analysis_run *run;
	const struct sync_result *r; /* NULL: clocks are as recorded */
	const struct summary_felt *felt;
	const struct mer_table *in;
	struct mer_table *out;
	struct summary_host *hosts;
	uint32_t n;
	struct summary_link *links; /* malloc'ed */
	size_t n_links;
	struct summary_waits waits;
	const bool **tracer;   /* by host and task; the run's */
	struct mer_map *marks; /* by host: who a row of a table is (tid, comm) -> enum mark */
	uint32_t **owners;     /* of the rows of each table of in: host, plus 1; 0: none */
	bool all;	       /* also waits for what tasks started themselves */
};

/* 0: of nothing. */
static inline double summary_per(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* Does anything tell what its CPUs did? */
static inline bool summary_knows_cpus(const struct summary_host *h)
{
	return h->cpus && h->knows_cpu && h->unknown < 1;
}

/* Tasks that waited for a CPU, on the average. */
static inline double summary_runnable_tasks(const struct summary_host *h)
{
	return summary_per(h->runnable_ns, h->range);
}

#endif
