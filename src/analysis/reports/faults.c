/* Page faults: how many each thread had, and how long it waited for a disk in them.
 *
 * A fault in user mode is a major one when its thread then waits for a disk before it does anything else:
 * outside of system calls there is nothing but a fault to wait in. Whether one in the kernel has waited
 * cannot be told from the call that it is in; these are counted by themselves. A fault's end is no event:
 * what it was is known when the thread's next fault or call comes, or the recording ends. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/bins.h"
#include "analysis/cells.h"
#include "analysis/rows.h"

enum fault_kind { MINOR, MAJOR, IN_KERNEL, N_KINDS };
static const char *const kind_names[N_KINDS] = { "minor", "major", "kernel" };

struct fault { /* a row */
	struct analysis_row row;
	int64_t time;
	int64_t wait; /* of major ones: blocked, ns */
	uint64_t address;
	uint32_t task;
	uint16_t cpu;
	uint8_t kind;
};

struct task_faults {
	uint64_t n[N_KINDS];
	struct analysis_stats wait; /* of major ones */
	struct fault open;	    /* of which it is not known yet what it is */
	bool has_open;
};

struct state {
	struct task_faults *tasks; /* by key: task + 1; 0: idle, or not known */
	size_t cap_tasks;
	struct analysis_bins over;
	struct analysis_series user, kernel; /* by key: minor and major; kernel and nothing */
	struct analysis_histogram freq;
	struct analysis_rows log;
};

enum { TOP, LOG, FREQ, STATS, BINS };

/* ---- while reading ---- */

static int begin(struct analysis_host *a)
{
	struct state *s = a->state;
	return analysis_asks(a, BINS) ? analysis_bins_find(a->run, &s->over, a->err) : 0;
}

static bool add_bin(struct state *s, const struct fault *f)
{
	int64_t bin = s->over.n ? analysis_bin_of(&s->over, f->time) : -1;
	bool is_kernel = f->kind == IN_KERNEL;
	return bin < 0 || analysis_series_add(is_kernel ? &s->kernel : &s->user, f->task + 1,
				  (uint32_t)bin, f->kind != MAJOR, f->kind == MAJOR);
}

/* All is known about it. Durations are those of major ones: with --min or --max others do not count. */
static int add(struct analysis_host *a, struct task_faults *t, struct fault *f)
{
	const struct analysis_options *o = a->run->options;
	struct state *s = a->state;
	if (f->kind == MAJOR ? !analysis_counts(a, f->time, f->time + f->wait)
			     : analysis_limits_durations(o))
		return 0;
	t->n[f->kind]++;
	bool ok = add_bin(s, f);
	if (f->kind == MAJOR) {
		analysis_stats_add(&t->wait, f->wait, f->time);
		s->freq.n[analysis_bucket(f->wait)]++;
	}
	f->row.key = f->time;
	if (analysis_asks(a, LOG))
		ok = ok && analysis_rows_add(&s->log, f, sizeof(*f), o->limit);
	return ok ? 0 : mer_fail_nomem(a->err);
}

static int close_fault(struct analysis_host *a, struct task_faults *t)
{
	if (!t->has_open)
		return 0;
	t->has_open = false;
	t->open.kind = t->open.wait ? MAJOR : MINOR;
	return add(a, t, &t->open);
}

static int on_memory(void *ctx, const struct kernel_host *h, const struct kernel_memory *m)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	bool is_kernel = m->kind == KERNEL_FAULT_KERNEL;
	if (!is_kernel && m->kind != KERNEL_FAULT_USER)
		return 0;
	struct task_faults *t =
		mer_grow_at(&s->tasks, &s->cap_tasks, m->task + 1, sizeof(*s->tasks));
	if (!t)
		return mer_fail_nomem(a->err);
	int rc = is_kernel ? 0 : close_fault(a, t);
	if (rc || !analysis_is_asked(a->run->options, m->time) || !analysis_wants_cpu(a, m->cpu) ||
		!analysis_wants_task(a, h, m->task))
		return rc;
	struct fault f = { .time = m->time,
		.address = m->address,
		.task = m->task,
		.cpu = m->cpu,
		.kind = IN_KERNEL };
	if (is_kernel)
		return add(a, t, &f);
	t->open = f;
	t->has_open = true;
	return m->task == KERNEL_NONE ? close_fault(a, t) : 0;
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	const struct kernel_span *x = kernel_span(h, span);
	if (x->task + 1 >= s->cap_tasks || !s->tasks[x->task + 1].has_open)
		return 0;
	struct task_faults *t = &s->tasks[x->task + 1];
	if (x->call != KERNEL_NONE)
		return close_fault(a, t);
	if (x->state == KERNEL_BLOCKED && x->cause == KERNEL_DISK && x->begin >= t->open.time)
		t->open.wait += end - x->begin;
	return 0;
}

static int end(struct analysis_host *a, const struct kernel_host *h)
{
	struct state *s = a->state;
	int rc = 0;
	(void)h;
	for (size_t i = 0; i < s->cap_tasks && rc == 0; i++)
		rc = close_fault(a, &s->tasks[i]);
	return rc;
}

static void free_state(void *state)
{
	struct state *s = state;
	free(s->tasks);
	analysis_series_fini(&s->user);
	analysis_series_fini(&s->kernel);
	analysis_rows_fini(&s->log);
}

/* ---- tables ---- */

static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "faults", "faults", MER_COUNT }, { "percent", "%", MER_RATIO },
	{ "minor", "minor", MER_COUNT }, { "major", "major", MER_COUNT },
	{ "kernel", "kernel", MER_COUNT }, { "wait_ns", "waited for disk", MER_DURATION },
	{ "max_wait_ns", "longest", MER_DURATION }, { "max_at", NULL, MER_TIME }, { 0 } };

static const struct mer_column log_columns[] = { { "time", "time", MER_TIME },
	ANALYSIS_TASK_COLUMNS, { "cpu", "CPU", MER_ID }, { "kind", "kind", MER_TEXT },
	{ "wait_ns", "waited for disk", MER_DURATION }, { "address", "address", MER_TEXT }, { 0 } };

static const struct mer_column stats_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_STATS_COLUMNS, { 0 } };

static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, ANALYSIS_TASK_COLUMNS,
	{ "minor", "minor", MER_COUNT }, { "major", "major", MER_COUNT },
	{ "kernel", "kernel", MER_COUNT }, { 0 } };

static uint64_t all_of(const struct task_faults *f)
{
	return f->n[MINOR] + f->n[MAJOR] + f->n[IN_KERNEL];
}

static void add_top(struct analysis_run *run, struct mer_table *t, uint32_t host, size_t key,
	const struct task_faults *f, uint64_t all)
{
	enum { MORE = ANALYSIS_TASK_CELLS };
	struct mer_cell c[MORE + 8] = { 0 };
	analysis_task_cells(run, host, (uint32_t)key - 1, INT64_MAX, c);
	c[MORE] = MER_INT(all_of(f));
	c[MORE + 1] = MER_REAL_CELL((double)all_of(f) / (double)all);
	for (int i = 0; i < N_KINDS; i++)
		c[MORE + 2 + i] = MER_INT(f->n[i]);
	if (f->wait.n) {
		c[MORE + 5] = MER_INT(f->wait.total);
		c[MORE + 6] = MER_INT(f->wait.max);
		c[MORE + 7] = MER_INT(f->wait.max_at);
	}
	mer_table_add(t, c);
}

static void emit_top(struct analysis_run *run, struct mer_table *t)
{
	uint64_t all = 0;
	for (int adding = 0; adding < 2; adding++)
		for (uint32_t host = 0; host < run->e->n_hosts; host++) {
			const struct state *s = run->states[host];
			for (size_t i = 0; i < s->cap_tasks; i++) {
				if (adding && all_of(&s->tasks[i]))
					add_top(run, t, host, i, &s->tasks[i], all);
				else
					all += all_of(&s->tasks[i]);
			}
		}
}

static const struct analysis_rows *log_of(const void *state)
{
	return &((const struct state *)state)->log;
}

static int emit_log(struct analysis_run *run, struct mer_table *t)
{
	enum { MORE = 1 + ANALYSIS_TASK_CELLS };
	size_t n;
	struct analysis_row_of *rows =
		analysis_rows_join(run, log_of, sizeof(struct fault), &n, &t->n_left_out);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++) {
		const struct fault *f = rows[i].row;
		struct mer_cell c[MORE + 4] = { MER_INT(f->time) };
		analysis_task_cells(run, rows[i].host, f->task, f->time, c + 1);
		c[MORE] = MER_INT(f->cpu);
		c[MORE + 1] = mer_text(kind_names[f->kind]);
		if (f->kind == MAJOR)
			c[MORE + 2] = MER_INT(f->wait);
		c[MORE + 3] = mer_text(
			mer_arena_printf(t->arena, "0x%llx", (unsigned long long)f->address));
		mer_table_add(t, c);
	}
	free(rows);
	return 0;
}

/* How long major faults took. */
static void emit_waits(struct analysis_run *run, uint32_t host, bool freq, struct mer_table *t)
{
	const struct state *s = run->states[host];
	struct mer_cell c[1 + ANALYSIS_STATS_CELLS] = { mer_text(analysis_host_name(run, host)) };
	struct analysis_stats sum = { 0 };
	for (size_t i = 0; i < s->cap_tasks; i++)
		analysis_stats_merge(&sum, &s->tasks[i].wait);
	analysis_stats_cells(&sum, c + 1);
	if (freq)
		analysis_freq_rows(t, c, 1, &s->freq);
	else if (sum.n)
		mer_table_add(t, c);
}

/* ---- bins: all of a host, then each thread where it had any; what is of no known thread too ---- */

static void add_bin_row(struct analysis_run *run, struct mer_table *t, uint32_t host,
	const char *of, uint32_t key, uint32_t bin, const int64_t n[N_KINDS])
{
	enum { MORE = 3 + ANALYSIS_TASK_CELLS };
	const struct analysis_bins *b = &((const struct state *)run->states[host])->over;
	struct mer_cell c[MORE + N_KINDS] = { MER_INT(analysis_bin_edge(b, bin)),
		MER_INT(analysis_bin_edge(b, bin + 1)), mer_text(of) };
	analysis_task_cells(run, host, key - 1, INT64_MAX, c + 3);
	for (int i = 0; i < N_KINDS; i++)
		c[MORE + i] = MER_INT(n[i]);
	mer_table_add(t, c);
}

/* Is the next entry of p the next one of both? */
static bool is_next(
	const struct analysis_series *p, size_t i, const struct analysis_series *q, size_t k)
{
	if (i >= p->n || k >= q->n)
		return i < p->n;
	const struct analysis_series_entry *x = &p->entries[i], *y = &q->entries[k];
	return x->key != y->key ? x->key < y->key : x->bin <= y->bin;
}

static void emit_thread_bins(struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	const struct state *s = run->states[host];
	for (size_t i = 0, k = 0; i < s->user.n || k < s->kernel.n;) {
		bool user = is_next(&s->user, i, &s->kernel, k);
		bool kernel = is_next(&s->kernel, k, &s->user, i);
		const struct analysis_series_entry *x = &s->user.entries[i];
		const struct analysis_series_entry *y = &s->kernel.entries[k];
		const struct analysis_series_entry *at = user ? x : y;
		int64_t n[N_KINDS] = { user ? x->a : 0, user ? x->b : 0, kernel ? y->a : 0 };
		add_bin_row(run, t, host, "thread", at->key, at->bin, n);
		i += user;
		k += kernel;
	}
}

static int emit_bins(struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	struct state *s = run->states[host];
	if (!s->over.n || !s->cap_tasks) /* a host that had none */
		return 0;
	int64_t(*sums)[N_KINDS] = calloc(s->over.n, sizeof(*sums));
	if (!sums)
		return mer_fail_nomem(run->err);
	analysis_series_sort(&s->user);
	analysis_series_sort(&s->kernel);
	for (size_t i = 0; i < s->user.n; i++) {
		sums[s->user.entries[i].bin][MINOR] += s->user.entries[i].a;
		sums[s->user.entries[i].bin][MAJOR] += s->user.entries[i].b;
	}
	for (size_t i = 0; i < s->kernel.n; i++)
		sums[s->kernel.entries[i].bin][IN_KERNEL] += s->kernel.entries[i].a;
	for (uint32_t i = 0; i < s->over.n; i++)
		add_bin_row(run, t, host, "host", 0, i, sums[i]);
	free(sums);
	emit_thread_bins(run, host, t);
	return 0;
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	int rc = 0;
	if (output == TOP)
		emit_top(run, t);
	if (output == TOP || output == LOG)
		return output == LOG ? emit_log(run, t) : 0;
	for (uint32_t h = 0; h < run->e->n_hosts && rc == 0; h++) {
		if (output == BINS)
			rc = emit_bins(run, h, t);
		else
			emit_waits(run, h, output == FREQ, t);
	}
	return rc;
}

static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Page faults by thread", top_columns, "faults" },
	[LOG] = { "log", "Page faults", log_columns, NULL },
	[FREQ] = { "freq", "Duration of waits of major page faults for a disk", freq_columns,
		NULL },
	[STATS] = { "stats", "Waits of major page faults for a disk", stats_columns, NULL },
	[BINS] = { "bins", "Page faults over time", bins_columns, NULL },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Page faults by thread",
		.y = "minor per second",
		.of = "thread",
		.keys = "minor",
		.per = "time",
		.summary = true },
	{ .title = "Page faults that waited for a disk, by thread",
		.y = "major per second",
		.of = "thread",
		.keys = "major",
		.per = "time" },
	{ .title = "Page faults in the kernel, by thread",
		.y = "per second",
		.of = "thread",
		.keys = "kernel",
		.per = "time" },
	{ 0 },
};

const struct analysis analysis_faults = {
	.id = "faults",
	.title = "Page faults",
	.help = "page faults by thread: minor, major (waiting for a disk), in the kernel",
	.wants = KERNEL_WANT_MEMORY,
	.by_duration = ANALYSIS_ALL_OUTPUTS,
	.outputs = outputs,
	.worth = "faults major wait_ns minor kind max_wait_ns",
	.charts = charts,
	.state_size = sizeof(struct state),
	.on = { .memory = on_memory, .span = on_span },
	.begin = begin,
	.end = end,
	.emit = emit,
	.free_state = free_state,
};
