/* Tables of the analysis cpu: what its files have in common.
 *
 *   cpu_emit.c   by thread, process, CPU and host
 *   cpu_bins.c   the same over time
 *   cpu_stays.c  every stay of a thread on a CPU, and how long they were */
#ifndef MER_ANALYSIS_REPORTS_CPU_TABLES_H
#define MER_ANALYSIS_REPORTS_CPU_TABLES_H

#include "analysis/cells.h"
#include "analysis/reports/cpu_stays.h"
#include "analysis/reports/cpu_use.h"

enum { CPU_TOP, CPU_PROCESSES, CPU_CPUS, CPU_HOSTS, CPU_LOG, CPU_FREQ, CPU_STATS, CPU_BINS };
extern const struct analysis_output cpu_outputs[];
extern const struct analysis_chart cpu_charts[];
extern const struct mer_column cpu_bin_columns[];

int cpu_emit(struct analysis_run *run, unsigned output, struct mer_table *t);
int cpu_emit_bins(struct analysis_run *run, uint32_t host, struct mer_table *t);

#define CPU_TIME_COLUMNS                                                                           \
	{ "user_ns", "user", MER_DURATION }, { "syscall_ns", "system calls", MER_DURATION },       \
		{ "kernel_ns", "kernel threads", MER_DURATION },                                   \
		{ "running_ns", "user or syscall", MER_DURATION },                                 \
		{ "irq_ns", "interrupts", MER_DURATION },                                          \
		{ "softirq_ns", "softirqs", MER_DURATION }, { "idle_ns", "idle", MER_DURATION },   \
		{ "unknown_ns", "unknown", MER_DURATION },                                         \
	{                                                                                          \
		"task_ns", NULL, MER_DURATION                                                      \
	}
enum { CPU_TIME_CELLS = 9 };

void cpu_time_cells(const struct cpu_use *u, int64_t range, struct mer_cell *c);
void cpu_add(struct cpu_use *to, const struct cpu_use *u);
static inline int64_t cpu_busy(const struct cpu_use *u) /* ns that it was not idle, nor unknown */
{
	int64_t ns = 0;
	for (int i = 0; i < CPU_IDLE; i++)
		ns += u->ns[i];
	return ns;
}
int64_t cpu_n_cpus(const struct cpu_state *s);

/* Tasks that are not wanted are left out of tables by thread and process. */
bool cpu_wants_task(const struct analysis_run *run, uint32_t host, uint32_t task);
uint32_t cpu_n_tasks(const struct analysis_run *run, uint32_t host);
double cpu_ratio(int64_t part, int64_t whole); /* 0: of nothing */

struct cpu_process {
	uint32_t who; /* task: its leader; not seen: the first of it */
	bool leads;
	uint64_t threads;    /* that did anything and are wanted */
	struct cpu_task sum; /* of these */
};
struct cpu_processes { /* of a host, malloc'ed */
	struct cpu_process *list;
	uint32_t n;
	uint32_t *of; /* by task */
};
/* cpu_processes_fini in any case. */
int cpu_processes_find(const struct analysis_run *run, uint32_t host, struct cpu_processes *p);
void cpu_processes_fini(struct cpu_processes *p);

#endif
