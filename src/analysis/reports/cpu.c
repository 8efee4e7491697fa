/* CPU usage: how long each thread and process ran, and in which mode; and how each CPU and host
 * spent its time. All tables are computed from the same facts, so their sums agree to the
 * nanosecond. */
#include "analysis/reports/cpu.h"

#include "analysis/facts/cpu_full.h"
#include "analysis/recorded.h"
#include "analysis/reports/cpu_stays.h"
#include "kernel/layouts.h"

/* ---- threads and processes ---- */

#define TASK_TIME_COLUMNS                                                                          \
	{ "self_ns", "time", MER_DURATION }, { "user_ns", "user", MER_DURATION },                  \
		{ "syscall_ns", "system calls", MER_DURATION },                                    \
		{ "kernel_ns", NULL, MER_DURATION }, { "running_ns", NULL, MER_DURATION },         \
		{ "interrupted_ns", "interrupted", MER_DURATION },                                 \
		{ "stolen_ns", "stolen", MER_DURATION }, { "hypervisor_ns", NULL, MER_DURATION },  \
		{ "runnable_ns", "runnable", MER_DURATION },                                       \
		{ "migrations", "migrations", MER_COUNT },                                         \
		{ "package_migrations", "other package", MER_COUNT },                              \
	{                                                                                          \
		"percent", "%", MER_RATIO                                                          \
	}

/* Does this part have any time on the selected CPUs? Migrations count only if no CPUs are selected,
 * because they do not depend on that selection. */
static bool did_anything(const struct fold_parts *p, size_t i)
{
	static const char *const times[] = { "user_ns", "syscall_ns", "kernel_ns", "running_ns",
		"interrupted_ns", "runnable_ns" };
	bool any = !fold_parts_run(p)->options->wants_cpu && fold_part_count(p, i, "migrations");
	for (size_t k = 0; k < sizeof(times) / sizeof(times[0]) && !any; k++)
		any = fold_part_sum(p, i, times[k]) != 0;
	return any;
}

/* Migrations of those threads of the row that did anything on the selected CPUs. */
static int migrations_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t n = 0;
	for (size_t i = 0; i < fold_parts_n(p); i++)
		n += did_anything(p, i) ? fold_part_count(p, i, "migrations") : 0;
	*c = MER_INT(n);
	return 0;
}

/* Empty if the packages of the host's CPUs are not known, or those of some migration. */
static int packages_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t n = 0;
	*c = MER_NONE;
	for (size_t i = 0; i < fold_parts_n(p); i++) {
		const struct kernel_world *w = fold_parts_run(p)->world;
		if (!did_anything(p, i))
			continue;
		if (w->hosts[fold_part_host(p, i)].packages.n == 0 ||
			fold_part_count(p, i, "package_migrations") !=
				fold_part_count(p, i, "migrations"))
			return 0;
		n += fold_part_sum(p, i, "package_migrations");
	}
	*c = MER_INT(n);
	return 0;
}

static int threads_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t n = 0;
	for (size_t i = 0; i < fold_parts_n(p); i++)
		n += did_anything(p, i);
	*c = MER_INT(n);
	return 0;
}

/* If CPUs are selected: removes rows that have nothing but migrations. */
static void leave_idle_out(struct mer_table *t)
{
	size_t self = mer_table_column(t, "self_ns"),
	       interrupted = mer_table_column(t, "interrupted_ns"),
	       wait = mer_table_column(t, "runnable_ns"), n = 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct mer_cell *row = &t->cells[r * t->n_columns];
		if (row[self].v.i || row[interrupted].v.i || row[wait].v.i)
			memmove(&t->cells[n++ * t->n_columns], row, t->n_columns * sizeof(*row));
	}
	t->n_rows = n;
}

static int finish_tasks(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	if (run->options->wants_cpu)
		leave_idle_out(t);
	int rc = analysis_forget_runnable(run, t);
	return rc ? rc : analysis_forget_modes(run, t, n_seen);
}

static const struct fold_cell task_cells[] = { { "threads", .op = FOLD_FUNCTION, .adds = true,
						       .of_parts = threads_cell },
	CPU_SELF_CELL, CPU_OF_TASKS_CELLS, CPU_INTERRUPTED_CELL, CPU_AWAY_CELLS,
	{ "runnable_ns", FOLD_SUM, .kind = 1 },
	{ "migrations", FOLD_FUNCTION, .of = "from_cpu", .kind = 2, .adds = true,
		.of_parts = migrations_cell },
	{ "package_migrations", FOLD_FUNCTION, .of = "crosses", .kind = 2, .adds = true,
		.of_parts = packages_cell },
	{ "percent", FOLD_OF_RANGE, .of = "self_ns" }, { 0 } };

static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS, TASK_TIME_COLUMNS, { 0 } };
static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_cpu_run, &fact_cpu_wait, &fact_cpu_move },
	.group = "host thread",
	.cells = task_cells,
	.order = "host thread",
	.finish = finish_tasks,
};
static const struct mer_column process_columns[] = { { "host", "host", MER_TEXT },
	{ "pid", "pid", MER_ID }, { "comm", "comm", MER_TEXT }, { "threads", "threads", MER_COUNT },
	TASK_TIME_COLUMNS, { 0 } };
static const struct fold processes = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_cpu_run, &fact_cpu_wait, &fact_cpu_move },
	.group = "host process",
	.cells = task_cells,
	.order = "host process",
	.finish = finish_tasks,
};

/* ---- CPUs and hosts: all of their time, whatever ran ---- */

/* If all time of a CPU or host is unknown, so is how busy it was: these cells are emptied. */
static int finish_cpus(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	static const char *const times[] = { "user_ns", "syscall_ns", "kernel_ns", "running_ns",
		"irq_ns", "softirq_ns", "idle_ns", "stolen_ns", "hypervisor_ns" };
	static const char *const parts[] = { "user_ns", "syscall_ns", "kernel_ns", "running_ns",
		"irq_ns", "softirq_ns", "idle_ns", "task_ns", "full_ns", "percent" };
	size_t unknown = mer_table_column(t, "unknown_ns");
	for (size_t r = 0; r < t->n_rows; r++) {
		struct mer_cell *row = &t->cells[r * t->n_columns];
		bool known = unknown == SIZE_MAX || !row[unknown].set || !row[unknown].v.i;
		for (size_t i = 0; i < sizeof(times) / sizeof(*times) && !known; i++) {
			size_t c = mer_table_column(t, times[i]);
			known = c != SIZE_MAX && row[c].set && row[c].v.i;
		}
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !known; i++)
			if (mer_table_column(t, parts[i]) != SIZE_MAX)
				row[mer_table_column(t, parts[i])] = MER_NONE;
	}
	return analysis_forget_modes(run, t, n_seen);
}

static const struct fold_cell cpu_cells[] = { { "cpus", FOLD_DIFFERENT, .of = "cpu" },
	CPU_TIME_CELLS, { "percent", FOLD_OF_OWN, .of = CPU_OF_ALL },
	{ "switches", FOLD_COUNT, .kind = 2, .where = { "name", FOLD_IS, 0, 0 } },
	{ "full_ns", FOLD_SUM, .kind = 3, .of_piece = cpu_full_of }, { 0 } };

static const struct mer_column cpu_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, CPU_TIME_COLUMNS, { "percent", "%", MER_RATIO },
	{ "switches", NULL, MER_COUNT }, { "full_ns", "full", MER_DURATION }, { 0 } };
static const struct fold cpus = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_cpu_run, &fact_cpu_idle, &fact_rate, &fact_cpu_full },
	.group = "host cpu",
	.known = "cpu",
	.cells = cpu_cells,
	.order = "host cpu",
	.every_task = true,
	.every_cpu = true,
	.finish = finish_cpus,
};
static const struct mer_column host_columns[] = { { "host", "host", MER_TEXT },
	{ "cpus", "CPUs", MER_COUNT }, CPU_TIME_COLUMNS, { "percent", "%", MER_RATIO },
	{ "switches", NULL, MER_COUNT }, { "full_ns", "full", MER_DURATION }, { 0 } };
static const struct fold hosts = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_cpu_run, &fact_cpu_idle, &fact_rate, &fact_cpu_full },
	.group = "host",
	.parts = "cpu",
	.cells = cpu_cells,
	.order = "host",
	.every_task = true,
	.every_cpu = true,
	.finish = finish_cpus,
};

enum { TOP, PROCESSES, CPUS, HOSTS, TOTALS, LOG, FREQ, STATS, BINS };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "CPU usage by thread", top_columns, "self_ns", &top },
	[PROCESSES] = { "processes", "CPU usage by process", process_columns, "self_ns",
		&processes },
	[CPUS] = { "cpus", "CPU usage by CPU", cpu_columns, .fold = &cpus },
	[HOSTS] = { "hosts", "CPU usage by host", host_columns, .fold = &hosts },
	[TOTALS] = { "totals", "CPU usage of all tasks of a host", cpu_total_columns,
		.fold = &cpu_totals_fold },
	[LOG] = { "log", "Time slices on a CPU", cpu_log_columns, .fold = &cpu_log_fold },
	[FREQ] = { "freq", "Duration of time slices on a CPU", cpu_freq_columns,
		.fold = &cpu_freq_fold },
	[STATS] = { "stats", "Time slices on a CPU by thread", cpu_stats_columns, "total_ns",
		&cpu_stats_fold },
	[BINS] = { "bins", "CPU usage over time", cpu_bin_columns, .fold = &cpu_bins_fold },
	{ 0 },
};

const struct analysis analysis_cpu = {
	.id = "cpu",
	.title = "CPU usage",
	.help = "CPU time of threads, processes, CPUs and hosts, over time, and each time slice",
	.outputs = outputs,
	.worth = "duration_ns self_ns percent runnable_ns idle_ns unknown_ns cpus user_ns "
		 "syscall_ns "
		 "softirq_ns irq_ns "
		 "interrupted_ns "
		 "kernel_ns running_ns threads migrations total_ns count max_ns p99_ns p50_ns",
	.charts = cpu_charts,
};
