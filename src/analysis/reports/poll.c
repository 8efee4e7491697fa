/* Busy polling: a task asks again and again whether there is something to do, and does not wait in
 * between: poll and its kin, or a read that would block, with nothing there; sched_yield.
 *
 * A poll that returns 0 and has not waited was asked not to: what its timeout was need not be known. A
 * run of such calls ends when the task waits, finds something, or makes another call than one for the
 * time. It has at least three. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/rows.h"

enum { MIN_CALLS = 3, AGAIN = -11 };

struct poll_run { /* a row */
	struct analysis_row row;
	int64_t begin, end;
	int64_t off; /* of that not on a CPU: ready, or interrupted */
	uint64_t calls;
	uint32_t task, call; /* call: the first one */
};

struct poll_task {
	struct poll_run run; /* going on, if it has calls */
	int64_t off_in_call; /* since the call that it is in began */
	int64_t off_between; /* since the last call of the run */
	bool has_waited;     /* since the same */
	struct analysis_stats runs;
	uint64_t calls;
	int64_t cpu;
};

struct state {
	struct poll_task *tasks;
	size_t cap_tasks;
	struct analysis_histogram freq;
	struct analysis_rows log, top;
};

enum { LOG, TOP, STATS, FREQ };

static struct poll_task *task_at(struct state *s, uint32_t task)
{
	return mer_grow_at(&s->tasks, &s->cap_tasks, task, sizeof(*s->tasks));
}

static int end_run(struct analysis_host *a, const struct kernel_host *h, struct poll_task *t)
{
	struct state *s = a->state;
	struct poll_run r = t->run;
	t->run = (struct poll_run){ 0 };
	if (r.calls < MIN_CALLS || !analysis_counts(a, r.begin, r.end) ||
		!analysis_wants_task(a, h, r.task))
		return 0;
	int64_t cpu = r.end - r.begin - r.off;
	analysis_stats_add(&t->runs, r.end - r.begin, r.begin);
	t->calls += r.calls;
	t->cpu += cpu;
	s->freq.n[analysis_bucket(r.end - r.begin)]++;
	r.row.key = r.begin;
	bool ok = !analysis_asks(a, LOG) ||
		  analysis_rows_add(&s->log, &r, sizeof(r), a->run->options->limit);
	r.row.key = -cpu;
	if (analysis_asks(a, TOP))
		ok = ok && analysis_rows_add(&s->top, &r, sizeof(r), a->run->options->limit);
	return ok ? 0 : mer_fail_nomem(a->err);
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct analysis_host *a = ctx;
	const struct kernel_span *k = kernel_span(h, span);
	enum kernel_state state = (enum kernel_state)k->state;
	struct poll_task *t = task_at(a->state, k->task);
	if (!t)
		return mer_fail_nomem(a->err);
	int64_t off = state == KERNEL_READY || state == KERNEL_INTERRUPTED ? end - k->begin : 0;
	if (k->call == KERNEL_NONE) {
		t->off_in_call = 0;
		t->has_waited = false;
		t->off_between += off;
	} else {
		t->off_in_call += off;
	}
	if (state != KERNEL_READY && !kernel_is_on_cpu(state)) {
		t->has_waited = true;
		return t->run.calls ? end_run(a, h, t) : 0;
	}
	return 0;
}

/* A futex says so too when its value has changed: then there is something to do. */
static bool is_empty_poll(uint32_t classes, int64_t ret)
{
	return classes & KERNEL_CALLS_YIELD || (!(classes & KERNEL_CALLS_FUTEX) && ret == AGAIN) ||
	       (classes & KERNEL_CALLS_POLL && ret == 0);
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	struct poll_task *t = task_at(s, c->task);
	uint32_t classes = kernel_classes(h, c->call);
	if (!t)
		return mer_fail_nomem(a->err);
	struct poll_run *r = &t->run;
	bool empty =
		is_empty_poll(classes, c->ret) && !t->has_waited && analysis_wants_cpu(a, c->cpu);
	int64_t off = t->off_in_call;
	t->off_in_call = 0;
	t->has_waited = false;
	if (!empty) {
		t->off_between += off;
		return classes & KERNEL_CALLS_TIME || r->calls == 0 ? 0 : end_run(a, h, t);
	}
	if (r->calls == 0)
		*r = (struct poll_run){ .begin = c->begin, .task = c->task, .call = c->call };
	else
		r->off += t->off_between;
	r->off += off;
	r->end = c->end;
	r->calls++;
	t->off_between = 0;
	return 0;
}

static int end(struct analysis_host *a, const struct kernel_host *h)
{
	struct state *s = a->state;
	int rc = 0;
	for (size_t i = 0; i < s->cap_tasks && rc == 0; i++)
		if (s->tasks[i].run.calls)
			rc = end_run(a, h, &s->tasks[i]);
	return rc;
}

static void free_state(void *state)
{
	struct state *s = state;
	free(s->tasks);
	analysis_rows_fini(&s->log);
	analysis_rows_fini(&s->top);
}

/* ---- tables ---- */

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "cpu_ns", "CPU time", MER_DURATION }, { "calls", "calls", MER_COUNT },
	ANALYSIS_TASK_COLUMNS, { "call", "call", MER_TEXT }, { "object", "object", MER_TEXT },
	{ 0 } };
static const struct mer_column stats_columns[] = { ANALYSIS_TASK_COLUMNS, ANALYSIS_STATS_COLUMNS,
	{ "calls", "calls", MER_COUNT }, { "cpu_ns", "CPU time", MER_DURATION }, { 0 } };
static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };

static const struct analysis_output outputs[] = {
	[LOG] = { "log", "Polling loops", log_columns, .sort = NULL },
	[TOP] = { "top", "Polling loops with most CPU time", log_columns, .sort = "cpu_ns" },
	[STATS] = { "stats", "Busy polling by thread", stats_columns, .sort = "cpu_ns" },
	[FREQ] = { "freq", "Duration of polling loops", freq_columns, .sort = NULL },
	{ 0 },
};

static const struct analysis_rows *log_of(const void *state)
{
	return &((const struct state *)state)->log;
}

static const struct analysis_rows *top_of(const void *state)
{
	return &((const struct state *)state)->top;
}

static void emit_run(
	const struct analysis_run *run, const struct analysis_row_of *of, struct mer_table *t)
{
	enum { WHO = 5, AFTER = WHO + ANALYSIS_TASK_CELLS };
	const struct poll_run *r = of->row;
	const struct kernel_host *h = &run->world->hosts[of->host];
	const struct kernel_call *call = &h->calls[r->call];
	struct mer_cell cells[AFTER + 2] = { MER_INT(r->begin), MER_INT(r->end),
		MER_INT(r->end - r->begin), MER_INT(r->end - r->begin - r->off),
		MER_INT(r->calls) };
	analysis_task_cells(run, of->host, r->task, r->begin, cells + WHO);
	cells[AFTER] = mer_text(kernel_name_text(h, call->name));
	if (call->object != KERNEL_NONE)
		cells[AFTER + 1] = mer_text(kernel_name_text(h, call->object));
	mer_table_add(t, cells);
}

static int emit_runs(struct analysis_run *run, bool is_top, struct mer_table *t)
{
	size_t n;
	struct analysis_row_of *rows = analysis_rows_join(
		run, is_top ? top_of : log_of, sizeof(struct poll_run), &n, &t->n_left_out);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++)
		emit_run(run, &rows[i], t);
	free(rows);
	return 0;
}

static void emit_stats(const struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	enum { AFTER = ANALYSIS_TASK_CELLS + ANALYSIS_STATS_CELLS };
	const struct state *s = run->states[host];
	struct mer_cell cells[AFTER + 2];
	for (uint32_t i = 0; i < s->cap_tasks && i < run->world->hosts[host].n_tasks; i++) {
		const struct poll_task *k = &s->tasks[i];
		if (!k->runs.n)
			continue;
		analysis_task_cells(run, host, i, INT64_MAX, cells);
		analysis_stats_cells(&k->runs, cells + ANALYSIS_TASK_CELLS);
		cells[AFTER] = MER_INT(k->calls);
		cells[AFTER + 1] = MER_INT(k->cpu);
		mer_table_add(t, cells);
	}
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	if (output == LOG || output == TOP)
		return emit_runs(run, output == TOP, t);
	for (uint32_t h = 0; h < run->e->n_hosts; h++) {
		const struct state *s = run->states[h];
		struct mer_cell host = mer_text(analysis_host_name(run, h));
		if (output == STATS)
			emit_stats(run, h, t);
		else
			analysis_freq_rows(t, &host, 1, &s->freq);
	}
	return 0;
}

const struct analysis analysis_poll = {
	.id = "poll",
	.title = "Busy polling",
	.help = "tasks that poll in a loop instead of blocking, and the CPU time it costs",
	.needs_no_past = true,
	.by_duration = ANALYSIS_ALL_OUTPUTS,
	.outputs = outputs,
	.worth = "cpu_ns duration_ns calls call object",
	.state_size = sizeof(struct state),
	.on = { .span = on_span, .call = on_call },
	.end = end,
	.emit = emit,
	.free_state = free_state,
};
