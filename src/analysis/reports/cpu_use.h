/* CPU use: what the reading of a host leaves for the tables of the analysis cpu.
 *
 * Every span on a CPU is added to its task and to its CPU at once, every idle time to its CPU: the sums
 * by task and by CPU agree to the nanosecond, and those by bin with them. */
#ifndef MER_ANALYSIS_REPORTS_CPU_USE_H
#define MER_ANALYSIS_REPORTS_CPU_USE_H

#include "analysis/bins.h"
#include "base/map.h"

enum cpu_part { /* what a CPU does */
	CPU_USER,
	CPU_SYSCALL,
	CPU_KERNEL,  /* a kernel thread */
	CPU_RUNNING, /* a task of which it is not known whether it was in a system call */
	CPU_IRQ,     /* interrupts of devices, timers and other CPUs */
	CPU_SOFTIRQ,
	CPU_IDLE,
	CPU_N_PARTS
};

struct cpu_pending { /* CPU_RUNNING of a task: which of the others it was may still be learned */
	int64_t ns;
	uint32_t bin;
	uint16_t cpu;
};

struct cpu_task {
	int64_t ns[CPU_IRQ]; /* CPU_USER to CPU_RUNNING */
	int64_t interrupted, ready;
	uint64_t migrations; /* that were recorded */
	uint64_t moves;	     /* how often it came onto another CPU than before */
	uint64_t crossings;  /* those of them (migrations, if recorded) into another package */
	bool is_unplaced;    /* of some of them it is not known which package */
	struct cpu_pending *pending;
	size_t n_pending, cap_pending;
	uint32_t pending_span; /* the last one of them */
	uint32_t last_cpu;     /* plus 1 */
};

struct cpu_full {	     /* see cpu_full.h */
	int64_t begin, end;  /* of the window that is being filled */
	int64_t busy;	     /* of it */
	int64_t stretch, ns; /* full windows in a row up to here; of all long stretches */
};

struct cpu_use {
	int64_t ns[CPU_N_PARTS];
	int64_t interrupted;  /* CPU_IRQ and CPU_SOFTIRQ while a task had it */
	uint64_t switches;    /* events sched_switch */
	struct cpu_full full; /* when it had no time to spare */
	bool exists;
};

struct cpu_state {
	struct analysis_bins bins;
	struct cpu_task *tasks;
	struct cpu_use *cpus;
	size_t cap_tasks, cap_cpus;
	struct analysis_series by_task; /* key: task; a: on a CPU, b: interrupted */
	struct analysis_series by_cpu;	/* key: CPU * CPU_N_PARTS + part; b: while a task had it */
	uint32_t bin;			/* the last one that was looked for */
	bool saw_migrations;
	/* By task and two CPUs: how often it was moved from the one to the other: as recorded, as seen.
	 * In which packages they are may be told later. */
	struct mer_map recorded, seen;
	bool knows_packages;
};

static inline int64_t cpu_task_self(const struct cpu_task *t)
{
	return t->ns[CPU_USER] + t->ns[CPU_SYSCALL] + t->ns[CPU_KERNEL] + t->ns[CPU_RUNNING];
}

#endif
