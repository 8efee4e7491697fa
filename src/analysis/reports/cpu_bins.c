/* CPU usage over time: of hosts, CPUs, threads and processes.
 *
 * Of threads and processes the busiest are told by themselves (or those that were asked for), all the
 * others of a host together: so the sum over the threads of a bin, and that over the processes, is
 * what all tasks of the host had of its CPUs then. */
#include <stdlib.h>
#include <string.h>

#include "analysis/busiest.h"
#include "analysis/reports/cpu_tables.h"

const struct mer_column cpu_bin_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "tid", "tid", MER_ID }, { "pid", "pid", MER_ID },
	{ "comm", "comm", MER_TEXT }, { "self_ns", "task", MER_DURATION },
	{ "interrupted_ns", NULL, MER_DURATION }, CPU_TIME_COLUMNS, { "percent", "%", MER_RATIO },
	{ "capacity_ns", NULL, MER_DURATION }, { "busy_ns", NULL, MER_DURATION }, { 0 } };
enum { CPU = 4, TID, PID, COMM, SELF, INTERRUPTED, TIMES, PERCENT = TIMES + CPU_TIME_CELLS };
enum { CAPACITY = PERCENT + 1, BUSY, CELLS };
enum { CPU_BIN_ROWS = 1 << 22 }; /* they take a gigabyte or two */

const struct analysis_chart cpu_charts[] = {
	{ .title = "CPU usage by host",
		.y = "share of the host's CPUs",
		.of = "host",
		.keys = "percent",
		.lines = true,
		.several = true },
	{ .title = "CPU usage by process",
		.y = "share of all CPUs",
		.of = "process",
		.keys = "self_ns",
		.per = "capacity_ns",
		.total_name = "busy, with interrupts",
		.total_of = "host",
		.total = "percent",
		.by_host = true,
		.summary = true },
	{ .title = "CPU usage by thread",
		.y = "share of all CPUs",
		.of = "thread",
		.keys = "self_ns",
		.per = "capacity_ns",
		.total_name = "busy, with interrupts",
		.total_of = "host",
		.total = "percent",
		.by_host = true },
	{ .title = "CPU time by mode",
		.y = "share of all CPUs",
		.of = "host",
		.keys = "user_ns syscall_ns kernel_ns running_ns irq_ns softirq_ns unknown_ns",
		.per = "capacity_ns",
		.by_host = true },
	{ .title = "CPU usage by CPU",
		.y = "share of all CPUs",
		.of = "cpu",
		.keys = "busy_ns",
		.per = "capacity_ns",
		.by_host = true,
		.several = true },
	{ 0 },
};

/* A bin, as far as the host was recorded and asked for then; returns that. capacity_ns is what all CPUs of
 * the host together could have done. */
static int64_t bin_cells(const struct analysis_run *run, uint32_t host, uint32_t bin,
	const char *of, struct mer_cell *cells)
{
	const struct cpu_state *s = run->states[host];
	const struct analysis_bins *b = &s->bins;
	int64_t begin, end, from = analysis_bin_edge(b, bin), to = analysis_bin_edge(b, bin + 1);
	memset(cells, 0, CELLS * sizeof(*cells));
	cells[0] = MER_INT(from);
	cells[1] = MER_INT(to);
	cells[2] = mer_text(of);
	cells[3] = mer_text(analysis_host_name(run, host));
	int64_t length = 0;
	if (analysis_range(run, host, &begin, &end))
		length = analysis_overlap(
			run->options, from > begin ? from : begin, to < end ? to : end);
	cells[CAPACITY] = MER_INT(length * cpu_n_cpus(s));
	return length;
}

/* ---- CPUs and hosts ---- */

/* A row for each bin of a CPU, or (cpu -1) of the host. */
static void emit_cpu_bins(const struct analysis_run *run, uint32_t host, int64_t cpu,
	const struct cpu_use *uses, struct mer_table *t)
{
	const struct cpu_state *s = run->states[host];
	struct mer_cell cells[CELLS];
	for (uint32_t bin = 0; bin < s->bins.n; bin++) {
		int64_t length = bin_cells(run, host, bin, cpu < 0 ? "host" : "cpu", cells);
		if (cpu >= 0)
			cells[CPU] = MER_INT(cpu);
		cpu_time_cells(&uses[bin], cpu < 0 ? cells[CAPACITY].v.i : length, cells + TIMES);
		cells[BUSY] = MER_INT(cpu_busy(&uses[bin]));
		int64_t interrupted = uses[bin].interrupted;
		cells[SELF] = MER_INT(cells[TIMES + 8].v.i - interrupted);
		cells[INTERRUPTED] = MER_INT(interrupted);
		mer_table_add(t, cells);
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

static int emit_cpus(const struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	const struct cpu_state *s = run->states[host];
	size_t at = 0, bins = s->bins.n;
	struct cpu_use *sum = calloc(bins, sizeof(*sum)), *one = calloc(bins, sizeof(*one));
	int rc = sum && one ? 0 : mer_fail_nomem(run->err);
	for (size_t i = 0; i < s->cap_cpus && rc == 0; i++) {
		if (!s->cpus[i].exists)
			continue;
		unpack(s, i, &at, one);
		for (size_t bin = 0; bin < bins; bin++)
			cpu_add(&sum[bin], &one[bin]);
	}
	if (rc == 0)
		emit_cpu_bins(run, host, -1, sum, t);
	at = 0;
	for (size_t i = 0; i < s->cap_cpus && rc == 0; i++) {
		if (!s->cpus[i].exists)
			continue;
		unpack(s, i, &at, one);
		emit_cpu_bins(run, host, (int64_t)i, one, t);
	}
	free(sum);
	free(one);
	return rc;
}

/* ---- threads and processes ---- */

enum { OTHERS = UINT32_MAX };
struct slot { /* of a group in a bin */
	int64_t self, interrupted;
};

struct groups { /* of tasks: threads, or processes */
	const char *of;
	const struct cpu_processes *processes; /* NULL: threads */
	uint32_t n;
	struct analysis_busiest busiest;
	uint32_t *place; /* by group: in busiest.keys, as far as it is told by itself; or OTHERS */
	struct slot *slots; /* n_own + 1 times bins; the last ones: the others' */
};

static uint32_t group_of(const struct groups *g, uint32_t task)
{
	return g->processes ? g->processes->of[task] : task;
}

/* Which are told by themselves. */
static bool rank(const struct analysis_run *run, uint32_t host, struct groups *g)
{
	const struct cpu_state *s = run->states[host];
	int64_t *amounts = calloc((size_t)g->n + 1, sizeof(*amounts));
	g->place = calloc((size_t)g->n + 1, sizeof(*g->place));
	bool ok = amounts && g->place;
	for (uint32_t i = 0; ok && i < cpu_n_tasks(run, host); i++)
		if (cpu_wants_task(run, host, i))
			amounts[group_of(g, i)] +=
				cpu_task_self(&s->tasks[i]) + s->tasks[i].interrupted;
	ok = ok && analysis_busiest_find(run, amounts, g->n, &g->busiest);
	for (uint32_t i = 0; ok && i < g->n; i++)
		g->place[i] = OTHERS;
	for (size_t k = 0; ok && k < g->busiest.n_own; k++)
		g->place[g->busiest.keys[k]] = (uint32_t)k;
	free(amounts);
	return ok;
}

/* What of a process is not wanted is others'. */
static bool sum_up(const struct analysis_run *run, uint32_t host, struct groups *g)
{
	const struct cpu_state *s = run->states[host];
	size_t bins = s->bins.n, own = g->busiest.n_own;
	if (own + 1 > SIZE_MAX / sizeof(*g->slots) / bins)
		return false;
	g->slots = calloc((own + 1) * bins, sizeof(*g->slots));
	if (!g->slots)
		return false;
	for (size_t i = 0; i < s->by_task.n; i++) {
		const struct analysis_series_entry *e = &s->by_task.entries[i];
		uint32_t place = OTHERS;
		if (e->key < cpu_n_tasks(run, host) && cpu_wants_task(run, host, e->key))
			place = g->place[group_of(g, e->key)];
		struct slot *slot = &g->slots[(place == OTHERS ? own : place) * bins + e->bin];
		slot->self += e->a;
		slot->interrupted += e->b;
	}
	return true;
}

/* Bins in which it had nothing are not there. */
static void emit_group(const struct analysis_run *run, uint32_t host, const struct groups *g,
	size_t place, struct mer_table *t)
{
	const struct cpu_state *s = run->states[host];
	struct mer_cell cells[CELLS], who[ANALYSIS_TASK_CELLS] = { 0 };
	if (place == g->busiest.n_own) {
		who[3] = mer_text("all others");
	} else {
		uint32_t key = g->busiest.keys[place];
		uint32_t task = g->processes ? g->processes->list[key].who : key;
		analysis_task_cells(run, host, task, INT64_MAX, who);
		if (g->processes && who[2].set)
			who[1] = MER_NONE;
	}
	for (uint32_t bin = 0; bin < s->bins.n; bin++) {
		const struct slot *x = &g->slots[place * s->bins.n + bin];
		if (!x->self && !x->interrupted)
			continue;
		int64_t length = bin_cells(run, host, bin, g->of, cells);
		memcpy(cells + TID, who + 1, 3 * sizeof(*who));
		cells[SELF] = MER_INT(x->self);
		cells[INTERRUPTED] = MER_INT(x->interrupted);
		cells[PERCENT] = MER_REAL_CELL(cpu_ratio(x->self, length));
		mer_table_add(t, cells);
	}
}

static int emit_groups(
	const struct analysis_run *run, uint32_t host, struct groups *g, struct mer_table *t)
{
	bool ok = rank(run, host, g) && sum_up(run, host, g);
	for (size_t i = 0; ok && i <= g->busiest.n_own; i++)
		emit_group(run, host, g, i, t);
	analysis_busiest_fini(&g->busiest);
	free(g->place);
	free(g->slots);
	return ok ? 0 : mer_fail_nomem(run->err);
}

int cpu_emit_bins(struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	const struct cpu_state *s = run->states[host];
	if (s->bins.n == 0 || cpu_n_cpus(s) == 0)
		return 0;
	struct cpu_processes processes;
	/* Of hosts and CPUs: those of threads and processes are few where bins are many. */
	uint64_t n_rows = 0;
	for (uint32_t h = 0; h < run->e->n_hosts; h++) {
		const struct cpu_state *of = run->states[h];
		n_rows += ((uint64_t)cpu_n_cpus(of) + 1) * of->bins.n;
	}
	if (n_rows > CPU_BIN_ROWS)
		return mer_fail_remedy(run->err, MER_ERR_LIMIT, MER_REMEDY_FEWER_ROWS,
			"CPU usage over time would have more than %d rows; use fewer bins",
			(int)CPU_BIN_ROWS);
	int rc = emit_cpus(run, host, t);
	if (rc)
		return rc;
	rc = cpu_processes_find(run, host, &processes);
	struct groups threads = { .of = "thread", .n = cpu_n_tasks(run, host) };
	struct groups groups = { .of = "process", .processes = &processes, .n = processes.n };
	if (rc == 0)
		rc = emit_groups(run, host, &threads, t);
	if (rc == 0)
		rc = emit_groups(run, host, &groups, t);
	cpu_processes_fini(&processes);
	return rc;
}
