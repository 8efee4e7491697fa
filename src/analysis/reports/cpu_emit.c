/* Tables of the analysis cpu. Tasks that are not wanted are left out of those of threads and processes;
 * CPUs and hosts are shown with all that they did. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cells.h"
#include "analysis/reports/cpu_tables.h"
#include "base/map.h"

#define TASK_TIME_COLUMNS                                                                          \
	{ "self_ns", "time", MER_DURATION }, { "user_ns", "user", MER_DURATION },                  \
		{ "syscall_ns", "system calls", MER_DURATION },                                    \
		{ "kernel_ns", NULL, MER_DURATION }, { "running_ns", NULL, MER_DURATION },         \
		{ "interrupted_ns", "interrupted", MER_DURATION },                                 \
		{ "runnable_ns", "runnable", MER_DURATION },                                       \
		{ "migrations", "migrations", MER_COUNT },                                         \
		{ "package_migrations", "other package", MER_COUNT },                              \
	{                                                                                          \
		"percent", "%", MER_RATIO                                                          \
	}
enum { TASK_TIME_CELLS = 10 };

static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS, TASK_TIME_COLUMNS, { 0 } };
static const struct mer_column process_columns[] = { { "host", "host", MER_TEXT },
	{ "pid", "pid", MER_ID }, { "comm", "comm", MER_TEXT }, { "threads", "threads", MER_COUNT },
	TASK_TIME_COLUMNS, { 0 } };

static const struct mer_column cpu_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, CPU_TIME_COLUMNS, { "percent", "%", MER_RATIO },
	{ "switches", NULL, MER_COUNT }, { "full_ns", NULL, MER_DURATION }, { 0 } };
static const struct mer_column host_columns[] = { { "host", "host", MER_TEXT },
	{ "cpus", "CPUs", MER_COUNT }, CPU_TIME_COLUMNS, { "percent", "%", MER_RATIO },
	{ "switches", NULL, MER_COUNT }, { "full_ns", NULL, MER_DURATION }, { 0 } };
const struct analysis_output cpu_outputs[] = {
	[CPU_TOP] = { "top", "CPU usage by thread", top_columns, .sort = "self_ns" },
	[CPU_PROCESSES] = { "processes", "CPU usage by process", process_columns,
		.sort = "self_ns" },
	[CPU_CPUS] = { "cpus", "CPU usage by CPU", cpu_columns, .sort = NULL },
	[CPU_HOSTS] = { "hosts", "CPU usage by host", host_columns, .sort = NULL },
	[CPU_LOG] = { "log", "Time slices on a CPU", cpu_log_columns, .fold = &cpu_log_fold },
	[CPU_FREQ] = { "freq", "Duration of time slices on a CPU", cpu_freq_columns,
		.fold = &cpu_freq_fold },
	[CPU_STATS] = { "stats", "Time slices on a CPU by thread", cpu_stats_columns, "total_ns",
		&cpu_stats_fold },
	[CPU_BINS] = { "bins", "CPU usage over time", cpu_bin_columns, .sort = NULL },
	{ 0 },
};

bool cpu_wants_task(const struct analysis_run *run, uint32_t host, uint32_t task)
{
	const struct analysis_options *o = run->options;
	return !o->wants_task || o->wants_task(o->ctx, &run->world->hosts[host], task);
}

uint32_t cpu_n_tasks(const struct analysis_run *run, uint32_t host)
{
	const struct cpu_state *s = run->states[host];
	uint32_t n = run->world->hosts[host].n_tasks;
	return n < s->cap_tasks ? n : (uint32_t)s->cap_tasks;
}

double cpu_ratio(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* ---- threads and processes ---- */

static uint64_t migrations_of(const struct cpu_state *s, const struct cpu_task *t)
{
	return s->saw_migrations ? t->migrations : t->moves;
}

/* Recorded migrations, or, if the host recorded none, what is seen of them. */
static void add_task(const struct cpu_state *s, struct cpu_task *to, const struct cpu_task *t)
{
	for (int i = 0; i < CPU_IRQ; i++)
		to->ns[i] += t->ns[i];
	to->interrupted += t->interrupted;
	to->ready += t->ready;
	to->migrations += migrations_of(s, t);
	to->crossings += t->crossings;
	to->is_unplaced |= t->is_unplaced || !s->knows_packages;
}

static void task_time_cells(const struct cpu_task *t, int64_t range, struct mer_cell *c)
{
	int64_t self = cpu_task_self(t);
	c[0] = MER_INT(self);
	c[1] = MER_INT(t->ns[CPU_USER]);
	c[2] = MER_INT(t->ns[CPU_SYSCALL]);
	c[3] = MER_INT(t->ns[CPU_KERNEL]);
	c[4] = MER_INT(t->ns[CPU_RUNNING]);
	c[5] = MER_INT(t->interrupted);
	c[6] = MER_INT(t->ready);
	c[7] = MER_INT(t->migrations);
	c[8] = t->is_unplaced ? MER_NONE : MER_INT(t->crossings);
	c[9] = MER_REAL_CELL(cpu_ratio(self, range));
}

/* On the CPUs that are looked at; migrations are those of all. */
static bool did_anything(const struct analysis_run *run, const struct cpu_task *t)
{
	return cpu_task_self(t) || t->interrupted || t->ready ||
	       (t->migrations && !run->options->wants_cpu);
}

static void emit_threads(const struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	const struct cpu_state *s = run->states[host];
	struct mer_cell cells[ANALYSIS_TASK_CELLS + TASK_TIME_CELLS];
	int64_t begin, end, range = analysis_range(run, host, &begin, &end);
	for (uint32_t i = 0; i < cpu_n_tasks(run, host); i++) {
		struct cpu_task sum = { 0 };
		if (!did_anything(run, &s->tasks[i]) || !cpu_wants_task(run, host, i))
			continue;
		add_task(s, &sum, &s->tasks[i]);
		analysis_task_cells(run, host, i, INT64_MAX, cells);
		task_time_cells(&sum, range, cells + ANALYSIS_TASK_CELLS);
		mer_table_add(t, cells);
	}
}

/* The process of a task; tasks come as they were first seen, so of two with one number the second leader
 * begins the second. A task whose process is not known is one by itself. */
static bool place_task(
	struct mer_map *pids, struct cpu_processes *p, const struct kernel_task *t, uint32_t task)
{
	bool leads = t->pid < 0 || t->pid == t->tid;
	uint32_t *at = mer_map_put(pids, (uint32_t)(t->pid < 0 ? t->tid : t->pid));
	if (!at)
		return false;
	if (*at == 0 || (leads && p->list[*at - 1].leads)) {
		p->list[p->n] = (struct cpu_process){ .who = task };
		*at = ++p->n;
	}
	if (leads) {
		p->list[*at - 1].who = task;
		p->list[*at - 1].leads = true;
	}
	p->of[task] = *at - 1;
	return true;
}

int cpu_processes_find(const struct analysis_run *run, uint32_t host, struct cpu_processes *p)
{
	const struct cpu_state *s = run->states[host];
	const struct kernel_host *h = &run->world->hosts[host];
	struct mer_map pids = { 0 };
	uint32_t n = cpu_n_tasks(run, host);
	*p = (struct cpu_processes){ .list = calloc((size_t)n + 1, sizeof(*p->list)),
		.of = calloc((size_t)n + 1, sizeof(*p->of)) };
	bool ok = p->list && p->of;
	for (uint32_t i = 0; i < n && ok; i++) {
		ok = place_task(&pids, p, &h->tasks[i], i);
		if (ok && did_anything(run, &s->tasks[i]) && cpu_wants_task(run, host, i)) {
			p->list[p->of[i]].threads++;
			add_task(s, &p->list[p->of[i]].sum, &s->tasks[i]);
		}
	}
	mer_map_fini(&pids);
	return ok ? 0 : mer_fail_nomem(run->err);
}

void cpu_processes_fini(struct cpu_processes *p)
{
	free(p->list);
	free(p->of);
}

static int emit_processes(struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	struct mer_cell cells[ANALYSIS_TASK_CELLS + TASK_TIME_CELLS], who[ANALYSIS_TASK_CELLS];
	int64_t begin, end, range = analysis_range(run, host, &begin, &end);
	struct cpu_processes list;
	int rc = cpu_processes_find(run, host, &list);
	for (uint32_t i = 0; i < list.n && rc == 0; i++) {
		const struct cpu_process *p = &list.list[i];
		if (!p->threads)
			continue;
		analysis_task_cells(run, host, p->who, INT64_MAX, who);
		cells[0] = who[0];
		cells[1] = who[2];
		cells[2] = who[3];
		cells[3] = MER_INT(p->threads);
		task_time_cells(&p->sum, range, cells + ANALYSIS_TASK_CELLS);
		mer_table_add(t, cells);
	}
	cpu_processes_fini(&list);
	return rc;
}

/* ---- CPUs and hosts ---- */

/* What is neither a task's nor idle is not known; of more than there is (time went backwards) nothing. */
void cpu_time_cells(const struct cpu_use *u, int64_t range, struct mer_cell *c)
{
	int64_t known = 0;
	for (int i = 0; i < CPU_N_PARTS; i++) {
		c[i] = MER_INT(u->ns[i]);
		known += u->ns[i];
	}
	c[7] = MER_INT(range > known ? range - known : 0);
	c[8] = MER_INT(u->ns[CPU_USER] + u->ns[CPU_SYSCALL] + u->ns[CPU_KERNEL] +
		       u->ns[CPU_RUNNING] + u->interrupted);
	c[9] = range > 0 ? MER_REAL_CELL(cpu_ratio(known - u->ns[CPU_IDLE], range)) : MER_NONE;
}

void cpu_add(struct cpu_use *to, const struct cpu_use *u)
{
	for (int i = 0; i < CPU_N_PARTS; i++)
		to->ns[i] += u->ns[i];
	to->interrupted += u->interrupted;
	to->switches += u->switches;
	to->full.ns += u->full.ns;
}

int64_t cpu_n_cpus(const struct cpu_state *s)
{
	int64_t n = 0;
	for (size_t i = 0; i < s->cap_cpus; i++)
		n += s->cpus[i].exists;
	return n;
}

static void use_cells(const struct cpu_use *u, struct mer_cell *c)
{
	c[0] = MER_INT(u->switches);
	c[1] = MER_INT(u->full.ns);
}

static void emit_cpus(
	const struct analysis_run *run, uint32_t host, bool by_cpu, struct mer_table *t)
{
	const struct cpu_state *s = run->states[host];
	struct mer_cell cells[2 + CPU_TIME_CELLS + 3];
	int64_t begin, end, range = analysis_range(run, host, &begin, &end), n = cpu_n_cpus(s);
	struct cpu_use sum = { 0 };
	cells[0] = mer_text(analysis_host_name(run, host));
	for (size_t i = 0; i < s->cap_cpus; i++) {
		if (!s->cpus[i].exists)
			continue;
		cpu_add(&sum, &s->cpus[i]);
		cells[1] = MER_INT(i);
		cpu_time_cells(&s->cpus[i], range, cells + 2);
		use_cells(&s->cpus[i], cells + 2 + CPU_TIME_CELLS + 1);
		if (by_cpu)
			mer_table_add(t, cells);
	}
	if (by_cpu || n == 0)
		return;
	cells[1] = MER_INT(n);
	cpu_time_cells(&sum, n * range, cells + 2);
	use_cells(&sum, cells + 2 + CPU_TIME_CELLS + 1);
	mer_table_add(t, cells);
}

int cpu_emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	int rc = 0;
	for (uint32_t h = 0; h < run->e->n_hosts && rc == 0; h++)
		switch (output) {
		case CPU_TOP: emit_threads(run, h, t); break;
		case CPU_PROCESSES: rc = emit_processes(run, h, t); break;
		case CPU_CPUS:
		case CPU_HOSTS: emit_cpus(run, h, output == CPU_CPUS, t); break;
		case CPU_BINS: rc = cpu_emit_bins(run, h, t); break;
		default: break;
		}
	return rc;
}
