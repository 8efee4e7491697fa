/* CPU usage: who had the CPUs for how long, in which mode, and what they did otherwise. Of the same
 * facts: by thread and process, by CPU and host, so that their sums agree to the nanosecond. */
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

/* On the CPUs that are looked at; migrations are those of all. */
static bool did_anything(const struct fold_parts *p, size_t i)
{
	static const char *const times[] = { "user_ns", "syscall_ns", "kernel_ns", "running_ns",
		"interrupted_ns", "runnable_ns" };
	bool any = !fold_parts_run(p)->options->wants_cpu && fold_part_count(p, i, "migrations");
	for (size_t k = 0; k < sizeof(times) / sizeof(times[0]) && !any; k++)
		any = fold_part_sum(p, i, times[k]) != 0;
	return any;
}

/* What the threads of a row had that did anything, as far as CPUs were chosen. */
static int migrations_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t n = 0;
	for (size_t i = 0; i < fold_parts_n(p); i++)
		n += did_anything(p, i) ? fold_part_count(p, i, "migrations") : 0;
	*c = MER_INT(n);
	return 0;
}

/* Empty where it is not known of all migrations, or of the host, which CPUs are in one package. */
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

/* Rows of nothing but migrations, where some CPUs were chosen. */
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

/* Does no host's sched_switch say what the task does next? Then nobody is known to be runnable. */
static bool lacks_states(const struct mer_experiment *e)
{
	bool any = false;
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_schema *s = e->parts[p].schema;
		for (uint32_t k = 0; k < s->n_streams; k++)
			for (uint32_t c = 0; c < s->streams[k].n_events; c++) {
				const struct ctf_event_class *x = &s->streams[k].events[c];
				if (!kernel_event_is(KERNEL_EV_SWITCH, x->name))
					continue;
				if (kernel_has_field(x, "prev_state"))
					return false;
				any = true;
			}
	}
	return any;
}

/* Is the whole stream of a CPU of that host missing? Then a task that waits may run there. */
static bool lacks_a_cpu(const struct mer_experiment *e, const struct mer_cell *host)
{
	for (uint32_t i = 0; i < e->n_absent; i++)
		if (host->set && strcmp(host->v.text,
					 e->hosts[e->traces[e->absent[i].trace].host].name) == 0)
			return true;
	return false;
}

int cpu_forget_runnable(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	static const char *const keys[] = { "runnable_ns", "runnable_tasks", "all_runnable_ns" };
	size_t host = mer_table_column(t, "host");
	bool all = lacks_states(run->e);
	(void)n_seen;
	for (size_t i = 0; (all || run->e->n_absent) && i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t column = mer_table_column(t, keys[i]);
		for (size_t r = 0; column != SIZE_MAX && r < t->n_rows; r++) {
			struct mer_cell *c = &t->cells[r * t->n_columns + column];
			bool is_real = mer_type_is_real(t->columns[column].type);
			bool is_zero = c->set && (is_real ? c->v.f <= 0 : c->v.i == 0);
			if (is_zero &&
				(all || lacks_a_cpu(run->e, &t->cells[r * t->n_columns + host])))
				*c = MER_NONE;
		}
	}
	return 0;
}

static int finish_tasks(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	if (run->options->wants_cpu)
		leave_idle_out(t);
	cpu_forget_runnable(run, t, n_seen);
	return analysis_forget_modes(run, t, n_seen);
}

static const struct fold_cell task_cells[] = { { "threads", .op = FOLD_FUNCTION,
						       .of_parts = threads_cell },
	CPU_SELF_CELL, CPU_OF_TASKS_CELLS, CPU_INTERRUPTED_CELL, CPU_AWAY_CELLS,
	{ "runnable_ns", FOLD_SUM, .kind = 1 },
	{ "migrations", FOLD_FUNCTION, .of = "from_cpu", .kind = 2, .of_parts = migrations_cell },
	{ "package_migrations", FOLD_FUNCTION, .of = "crosses", .kind = 2,
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

/* ---- CPUs and hosts: with all that they did, whoever had them ---- */

/* Of a CPU or host of which nothing is known it is not known either how busy it was. */
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
	.slices = 1u << LOG | 1u << FREQ | 1u << STATS,
	.outputs = outputs,
	.worth = "duration_ns self_ns percent runnable_ns idle_ns unknown_ns cpus user_ns "
		 "syscall_ns "
		 "softirq_ns irq_ns "
		 "interrupted_ns "
		 "kernel_ns running_ns threads migrations total_ns count max_ns p99_ns p50_ns",
	.charts = cpu_charts,
};
