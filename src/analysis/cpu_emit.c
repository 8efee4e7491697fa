/* Tables of the analysis cpu. Tasks that are not wanted are left out of those of threads and processes;
 * CPUs and hosts are shown with all that they did. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cells.h"
#include "analysis/cpu_use.h"
#include "base/map.h"

#define TASK_TIME_COLUMNS                                                                          \
	{ "self_ns", "time", ANALYSIS_DURATION }, { "user_ns", "user", ANALYSIS_DURATION },        \
		{ "syscall_ns", "system calls", ANALYSIS_DURATION },                               \
		{ "kernel_ns", NULL, ANALYSIS_DURATION },                                          \
		{ "running_ns", NULL, ANALYSIS_DURATION },                                         \
		{ "interrupted_ns", "interrupted", ANALYSIS_DURATION },                            \
		{ "wait_cpu_ns", "waited for CPU", ANALYSIS_DURATION },                            \
		{ "migrations", "migrations", ANALYSIS_COUNT },                                    \
	{                                                                                          \
		"percent", "%", ANALYSIS_RATIO                                                     \
	}
enum { TASK_TIME_CELLS = 9 };

static const struct analysis_column top_columns[] = { ANALYSIS_TASK_COLUMNS, TASK_TIME_COLUMNS,
	{ 0 } };
static const struct analysis_column process_columns[] = { { "host", "host", ANALYSIS_TEXT },
	{ "pid", "pid", ANALYSIS_ID }, { "comm", "comm", ANALYSIS_TEXT },
	{ "threads", "threads", ANALYSIS_COUNT }, TASK_TIME_COLUMNS, { 0 } };

#define CPU_TIME_COLUMNS                                                                           \
	{ "user_ns", "user", ANALYSIS_DURATION },                                                  \
		{ "syscall_ns", "system calls", ANALYSIS_DURATION },                               \
		{ "kernel_ns", "kernel threads", ANALYSIS_DURATION },                              \
		{ "running_ns", "user or call", ANALYSIS_DURATION },                               \
		{ "irq_ns", "interrupts", ANALYSIS_DURATION },                                     \
		{ "softirq_ns", "softirqs", ANALYSIS_DURATION },                                   \
		{ "idle_ns", "idle", ANALYSIS_DURATION },                                          \
		{ "unknown_ns", "unknown", ANALYSIS_DURATION },                                    \
	{                                                                                          \
		"task_ns", NULL, ANALYSIS_DURATION                                                 \
	}
enum { CPU_TIME_CELLS = 9 };

static const struct analysis_column cpu_columns[] = { { "host", "host", ANALYSIS_TEXT },
	{ "cpu", "CPU", ANALYSIS_ID }, CPU_TIME_COLUMNS, { "percent", "%", ANALYSIS_RATIO },
	{ 0 } };
static const struct analysis_column host_columns[] = { { "host", "host", ANALYSIS_TEXT },
	{ "cpus", "CPUs", ANALYSIS_COUNT }, CPU_TIME_COLUMNS, { "percent", "%", ANALYSIS_RATIO },
	{ 0 } };
static const struct analysis_column bin_columns[] = { { "begin", "begin", ANALYSIS_TIME },
	{ "end", NULL, ANALYSIS_TIME }, { "of", "of", ANALYSIS_TEXT },
	{ "host", "host", ANALYSIS_TEXT }, { "cpu", "CPU", ANALYSIS_ID },
	{ "tid", "tid", ANALYSIS_ID }, { "pid", NULL, ANALYSIS_ID },
	{ "comm", "comm", ANALYSIS_TEXT }, { "self_ns", "task", ANALYSIS_DURATION },
	{ "interrupted_ns", NULL, ANALYSIS_DURATION }, CPU_TIME_COLUMNS,
	{ "percent", "%", ANALYSIS_RATIO }, { 0 } };
enum { BIN_SELF = 8, BIN_INTERRUPTED, BIN_TIMES, BIN_PERCENT = BIN_TIMES + CPU_TIME_CELLS };
enum { BIN_CELLS = BIN_PERCENT + 1, BIN_THREADS = 10 };

const struct analysis_output cpu_outputs[] = {
	[CPU_TOP] = { "top", "CPU usage by thread", top_columns, "self_ns" },
	[CPU_PROCESSES] = { "processes", "CPU usage by process", process_columns, "self_ns" },
	[CPU_CPUS] = { "cpus", "CPU usage by CPU", cpu_columns, NULL },
	[CPU_HOSTS] = { "hosts", "CPU usage by host", host_columns, NULL },
	[CPU_BINS] = { "bins", "CPU usage over time", bin_columns, NULL },
	{ 0 },
};

static bool wants_task(const struct analysis_run *run, uint32_t host, uint32_t task)
{
	const struct analysis_options *o = run->options;
	return !o->wants_task || o->wants_task(o->ctx, &run->world->hosts[host], task);
}

static uint32_t n_tasks(const struct analysis_run *run, uint32_t host)
{
	const struct cpu_state *s = run->states[host];
	uint32_t n = run->world->hosts[host].n_tasks;
	return n < s->cap_tasks ? n : (uint32_t)s->cap_tasks;
}

static double ratio(int64_t part, int64_t whole)
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
}

static void task_time_cells(const struct cpu_task *t, int64_t range, struct analysis_cell *c)
{
	int64_t self = cpu_task_self(t);
	c[0] = ANALYSIS_INT(self);
	c[1] = ANALYSIS_INT(t->ns[CPU_USER]);
	c[2] = ANALYSIS_INT(t->ns[CPU_SYSCALL]);
	c[3] = ANALYSIS_INT(t->ns[CPU_KERNEL]);
	c[4] = ANALYSIS_INT(t->ns[CPU_RUNNING]);
	c[5] = ANALYSIS_INT(t->interrupted);
	c[6] = ANALYSIS_INT(t->ready);
	c[7] = ANALYSIS_INT(t->migrations);
	c[8] = ANALYSIS_REAL_CELL(ratio(self, range));
}

static bool did_anything(const struct cpu_task *t)
{
	return cpu_task_self(t) || t->interrupted || t->ready || t->migrations;
}

static void emit_threads(const struct analysis_run *run, uint32_t host, struct analysis_table *t)
{
	const struct cpu_state *s = run->states[host];
	struct analysis_cell cells[ANALYSIS_TASK_CELLS + TASK_TIME_CELLS];
	int64_t begin, end, range = analysis_range(run, host, &begin, &end);
	for (uint32_t i = 0; i < n_tasks(run, host); i++) {
		struct cpu_task sum = { 0 };
		if (!did_anything(&s->tasks[i]) || !wants_task(run, host, i))
			continue;
		add_task(s, &sum, &s->tasks[i]);
		analysis_task_cells(run, host, i, INT64_MAX, cells);
		task_time_cells(&sum, range, cells + ANALYSIS_TASK_CELLS);
		analysis_table_add(t, cells);
	}
}

struct process {
	uint32_t leader; /* task; KERNEL_NONE: not seen */
	uint32_t first;	 /* task of it */
	uint64_t threads;
	struct cpu_task sum;
};

/* The process of a task; tasks come as they were first seen, so of two with one number the second leader
 * begins the second. A task whose process is not known is one by itself. */
static struct process *process_of(struct mer_map *pids, struct process *list, uint32_t *n,
	const struct kernel_task *t, uint32_t task)
{
	bool leads = t->pid < 0 || t->pid == t->tid;
	uint32_t *at = mer_map_put(pids, (uint32_t)(t->pid < 0 ? t->tid : t->pid));
	if (!at)
		return NULL;
	if (*at == 0 || (leads && list[*at - 1].leader != KERNEL_NONE)) {
		list[*n] = (struct process){ .leader = KERNEL_NONE, .first = task };
		*at = ++*n;
	}
	struct process *p = &list[*at - 1];
	if (leads)
		p->leader = task;
	return p;
}

static int emit_processes(struct analysis_run *run, uint32_t host, struct analysis_table *t)
{
	const struct cpu_state *s = run->states[host];
	const struct kernel_host *h = &run->world->hosts[host];
	struct analysis_cell cells[ANALYSIS_TASK_CELLS + TASK_TIME_CELLS], who[ANALYSIS_TASK_CELLS];
	int64_t begin, end, range = analysis_range(run, host, &begin, &end);
	struct process *list = calloc((size_t)h->n_tasks + 1, sizeof(*list));
	struct mer_map pids = { 0 };
	uint32_t n = 0;
	int rc = list ? 0 : mer_fail_nomem(run->err);
	for (uint32_t i = 0; i < n_tasks(run, host) && rc == 0; i++) {
		struct process *p = process_of(&pids, list, &n, &h->tasks[i], i);
		if (!p)
			rc = mer_fail_nomem(run->err);
		else if (did_anything(&s->tasks[i]) && wants_task(run, host, i)) {
			p->threads++;
			add_task(s, &p->sum, &s->tasks[i]);
		}
	}
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		const struct process *p = &list[i];
		if (!p->threads)
			continue;
		analysis_task_cells(
			run, host, p->leader == KERNEL_NONE ? p->first : p->leader, INT64_MAX, who);
		cells[0] = who[0];
		cells[1] = who[2];
		cells[2] = who[3];
		cells[3] = ANALYSIS_INT(p->threads);
		task_time_cells(&p->sum, range, cells + ANALYSIS_TASK_CELLS);
		analysis_table_add(t, cells);
	}
	mer_map_fini(&pids);
	free(list);
	return rc;
}

/* ---- CPUs and hosts ---- */

/* What is neither a task's nor idle is not known; of more than there is (time went backwards) nothing. */
static void cpu_time_cells(const struct cpu_use *u, int64_t range, struct analysis_cell *c)
{
	int64_t known = 0;
	for (int i = 0; i < CPU_N_PARTS; i++) {
		c[i] = ANALYSIS_INT(u->ns[i]);
		known += u->ns[i];
	}
	c[7] = ANALYSIS_INT(range > known ? range - known : 0);
	c[8] = ANALYSIS_INT(u->ns[CPU_USER] + u->ns[CPU_SYSCALL] + u->ns[CPU_KERNEL] +
			    u->ns[CPU_RUNNING] + u->interrupted);
	c[9] = range > 0 ? ANALYSIS_REAL_CELL(ratio(known - u->ns[CPU_IDLE], range))
			 : ANALYSIS_NONE;
}

static void add_cpu(struct cpu_use *to, const struct cpu_use *u)
{
	for (int i = 0; i < CPU_N_PARTS; i++)
		to->ns[i] += u->ns[i];
	to->interrupted += u->interrupted;
}

static int64_t n_cpus(const struct cpu_state *s)
{
	int64_t n = 0;
	for (size_t i = 0; i < s->cap_cpus; i++)
		n += s->cpus[i].exists;
	return n;
}

static void emit_cpus(
	const struct analysis_run *run, uint32_t host, bool by_cpu, struct analysis_table *t)
{
	const struct cpu_state *s = run->states[host];
	struct analysis_cell cells[2 + CPU_TIME_CELLS + 1];
	int64_t begin, end, range = analysis_range(run, host, &begin, &end), n = n_cpus(s);
	struct cpu_use sum = { 0 };
	cells[0] = analysis_text(analysis_host_name(run, host));
	for (size_t i = 0; i < s->cap_cpus; i++) {
		if (!s->cpus[i].exists)
			continue;
		add_cpu(&sum, &s->cpus[i]);
		cells[1] = ANALYSIS_INT(i);
		cpu_time_cells(&s->cpus[i], range, cells + 2);
		if (by_cpu)
			analysis_table_add(t, cells);
	}
	if (by_cpu || n == 0)
		return;
	cells[1] = ANALYSIS_INT(n);
	cpu_time_cells(&sum, n * range, cells + 2);
	analysis_table_add(t, cells);
}

/* ---- bins ---- */

/* A bin, as far as the host was recorded then. */
static int64_t bin_cells(const struct analysis_run *run, uint32_t host,
	const struct analysis_bins *b, uint32_t bin, const char *of, struct analysis_cell *cells)
{
	int64_t begin, end, from = analysis_bin_edge(b, bin), to = analysis_bin_edge(b, bin + 1);
	memset(cells, 0, BIN_CELLS * sizeof(*cells));
	cells[0] = ANALYSIS_INT(from);
	cells[1] = ANALYSIS_INT(to);
	cells[2] = analysis_text(of);
	cells[3] = analysis_text(analysis_host_name(run, host));
	if (analysis_range(run, host, &begin, &end) == 0)
		return 0;
	from = from > begin ? from : begin;
	to = to < end ? to : end;
	return to > from ? to - from : 0;
}

/* A row for each bin of a CPU, or (cpu -1) of the host. */
static void emit_cpu_bins(const struct analysis_run *run, uint32_t host, int64_t cpu,
	const struct cpu_use *uses, int64_t cpus, struct analysis_table *t)
{
	const struct cpu_state *s = run->states[host];
	struct analysis_cell cells[BIN_CELLS];
	for (uint32_t bin = 0; bin < s->bins.n; bin++) {
		int64_t length =
			bin_cells(run, host, &s->bins, bin, cpu < 0 ? "host" : "cpu", cells);
		if (cpu >= 0)
			cells[4] = ANALYSIS_INT(cpu);
		cpu_time_cells(&uses[bin], length * cpus, cells + BIN_TIMES);
		int64_t interrupted = uses[bin].interrupted;
		cells[BIN_SELF] = ANALYSIS_INT(cells[BIN_TIMES + 8].v.i - interrupted);
		cells[BIN_INTERRUPTED] = ANALYSIS_INT(interrupted);
		analysis_table_add(t, cells);
	}
}

/* The uses of one CPU by bin: entries of the series from *at on. */
static void unpack(const struct cpu_state *s, size_t cpu, size_t *at, struct cpu_use *uses)
{
	memset(uses, 0, s->bins.n * sizeof(*uses));
	for (; *at < s->by_cpu.n && s->by_cpu.entries[*at].key / CPU_N_PARTS == cpu; ++*at) {
		const struct analysis_series_entry *e = &s->by_cpu.entries[*at];
		uses[e->bin].ns[e->key % CPU_N_PARTS] += e->a;
		uses[e->bin].interrupted += e->b;
	}
}

struct ranked {
	int64_t ns;
	uint32_t task;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;
	if (p->ns != q->ns)
		return p->ns > q->ns ? -1 : 1;
	return (p->task > q->task) - (p->task < q->task);
}

static void emit_thread_bins(
	const struct analysis_run *run, uint32_t host, uint32_t task, struct analysis_table *t)
{
	const struct cpu_state *s = run->states[host];
	const struct analysis_series *r = &s->by_task;
	struct analysis_cell cells[BIN_CELLS], who[ANALYSIS_TASK_CELLS];
	size_t low = 0, high = r->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (r->entries[middle].key < task)
			low = middle + 1;
		else
			high = middle;
	}
	analysis_task_cells(run, host, task, INT64_MAX, who);
	for (; low < r->n && r->entries[low].key == task; low++) {
		const struct analysis_series_entry *e = &r->entries[low];
		int64_t length = bin_cells(run, host, &s->bins, e->bin, "thread", cells);
		memcpy(cells + 5, who + 1, 3 * sizeof(*who));
		cells[BIN_SELF] = ANALYSIS_INT(e->a);
		cells[BIN_INTERRUPTED] = ANALYSIS_INT(e->b);
		cells[BIN_PERCENT] = ANALYSIS_REAL_CELL(ratio(e->a, length));
		analysis_table_add(t, cells);
	}
}

/* Of the threads that had most, or of all that were asked for; bins in which they had nothing are not
 * there. */
static int emit_threads_bins(
	const struct analysis_run *run, uint32_t host, struct analysis_table *t)
{
	const struct cpu_state *s = run->states[host];
	uint32_t n = 0, count = n_tasks(run, host);
	struct ranked *all = calloc((size_t)count + 1, sizeof(*all));
	if (!all)
		return mer_fail_nomem(run->err);
	for (uint32_t i = 0; i < count; i++) {
		int64_t ns = cpu_task_self(&s->tasks[i]) + s->tasks[i].interrupted;
		if (ns && wants_task(run, host, i))
			all[n++] = (struct ranked){ ns, i };
	}
	qsort(all, n, sizeof(*all), compare_ranked);
	if (!run->options->wants_task && n > BIN_THREADS)
		n = BIN_THREADS;
	for (uint32_t i = 0; i < n; i++)
		emit_thread_bins(run, host, all[i].task, t);
	free(all);
	return 0;
}

static int emit_bins(const struct analysis_run *run, uint32_t host, struct analysis_table *t)
{
	const struct cpu_state *s = run->states[host];
	size_t at = 0, bins = s->bins.n;
	if (bins == 0 || n_cpus(s) == 0)
		return 0;
	struct cpu_use *sum = calloc(bins, sizeof(*sum)), *one = calloc(bins, sizeof(*one));
	int rc = sum && one ? 0 : mer_fail_nomem(run->err);
	for (size_t i = 0; i < s->cap_cpus && rc == 0; i++) {
		unpack(s, i, &at, one);
		for (size_t bin = 0; bin < bins; bin++)
			add_cpu(&sum[bin], &one[bin]);
	}
	if (rc == 0)
		emit_cpu_bins(run, host, -1, sum, n_cpus(s), t);
	at = 0;
	for (size_t i = 0; i < s->cap_cpus && rc == 0; i++) {
		unpack(s, i, &at, one);
		if (s->cpus[i].exists)
			emit_cpu_bins(run, host, (int64_t)i, one, 1, t);
	}
	free(sum);
	free(one);
	return rc ? rc : emit_threads_bins(run, host, t);
}

int cpu_emit(struct analysis_run *run, unsigned output, struct analysis_table *t)
{
	int rc = 0;
	for (uint32_t h = 0; h < run->e->n_hosts && rc == 0; h++)
		switch (output) {
		case CPU_TOP: emit_threads(run, h, t); break;
		case CPU_PROCESSES: rc = emit_processes(run, h, t); break;
		case CPU_CPUS:
		case CPU_HOSTS: emit_cpus(run, h, output == CPU_CPUS, t); break;
		default: rc = emit_bins(run, h, t); break;
		}
	return rc;
}
