/* Busy polling: a task asks again and again whether there is something to do, and does not wait in
 * between: poll and its kin, or a read that would block, with nothing there; sched_yield.
 *
 * A poll that returns 0 and has not waited was asked not to: what its timeout was need not be
 * known. A run of such calls ends when the task waits, finds something, or makes another call than
 * one for the time. It has at least three. Its CPU is the one where it ended. */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "base/grow.h"

/* ---- facts ---- */

enum { MIN_CALLS = 3, AGAIN = -11 };

struct poll_run {
	struct fact fact;
	int64_t cpu_ns;
	uint64_t calls;
	uint32_t call; /* the first one */
};

static const struct fact_field fields[] = {
	{ "cpu_ns", "CPU time", MER_DURATION, FACT_NUMBER, FACT_MEMBER(struct poll_run, cpu_ns) },
	{ "calls", "calls", MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct poll_run, calls) },
	{ "first_call", NULL, MER_ID, FACT_CALL, FACT_MEMBER(struct poll_run, call) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "call", "call", MER_TEXT, FACT_CALL_NAME, .of = "first_call" },
	{ "object", "object", MER_TEXT, FACT_CALL_OBJECT, .of = "first_call" },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_poll_run = {
	.id = "poll_run",
	.title = "Polling loops",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct poll_run),
	.fields = fields,
	.views = views,
	.duration = "duration_ns",
};

/* ---- their maker ---- */

struct poll_task {
	struct poll_run run; /* going on, if it has calls */
	int64_t off;	     /* of that not on a CPU: ready, or interrupted */
	int64_t off_in_call; /* since the call that it is in began */
	int64_t off_between; /* since the last call of the run */
	bool has_waited;     /* since the same */
};

struct state {
	struct poll_task *tasks;
	size_t cap_tasks;
};

static struct poll_task *task_at(struct fact_host *f, uint32_t task)
{
	struct state *s = f->state;
	return mer_spill_grow_at(f->e->spill, &s->tasks, &s->cap_tasks, task, sizeof(*s->tasks));
}

static int end_run(struct fact_host *f, const struct kernel_host *h, struct poll_task *t)
{
	struct poll_run r = t->run;
	t->run = (struct poll_run){ 0 };
	if (r.calls < MIN_CALLS)
		return 0;
	r.cpu_ns = r.fact.end - r.fact.begin - t->off;
	return fact_add(f, h, 0, &r);
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	const struct kernel_span *k = kernel_span(h, span);
	enum kernel_state state = (enum kernel_state)k->state;
	struct poll_task *t = task_at(f, k->task);
	if (!t)
		return mer_fail_nomem(f->err);
	int64_t off = state == KERNEL_RUNNABLE || state == KERNEL_INTERRUPTED ? end - k->begin : 0;
	if (k->call == KERNEL_NONE) {
		t->off_in_call = 0;
		t->has_waited = false;
		t->off_between += off;
	} else {
		t->off_in_call += off;
	}
	if (state != KERNEL_RUNNABLE && !kernel_is_on_cpu(state)) {
		t->has_waited = true;
		return t->run.calls ? end_run(f, h, t) : 0;
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
	struct fact_host *f = ctx;
	struct poll_task *t = task_at(f, c->task);
	uint32_t classes = kernel_classes(h, c->call);
	if (!t)
		return mer_fail_nomem(f->err);
	struct poll_run *r = &t->run;
	bool empty = is_empty_poll(classes, c->ret) && !t->has_waited;
	int64_t off = t->off_in_call;
	t->off_in_call = 0;
	t->has_waited = false;
	if (!empty) {
		t->off_between += off;
		return classes & KERNEL_CALLS_TIME || r->calls == 0 ? 0 : end_run(f, h, t);
	}
	if (r->calls == 0) {
		*r = (struct poll_run){ .fact = { .begin = c->begin, .task = c->task },
			.call = c->call };
		t->off = 0;
	} else {
		t->off += t->off_between;
	}
	t->off += off;
	r->fact.end = c->end;
	r->fact.cpu = c->cpu;
	r->calls++;
	t->off_between = 0;
	return 0;
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	int rc = 0;
	(void)w;
	for (size_t i = 0; i < s->cap_tasks && rc == 0; i++)
		if (s->tasks[i].run.calls)
			rc = end_run(f, h, &s->tasks[i]);
	return rc;
}

static void free_state(void *state)
{
	mer_spill_release(((struct state *)state)->tasks);
}

static const struct fact_kind *const kinds[] = { &fact_poll_run, NULL };
static const struct fact_maker maker = {
	.id = "poll",
	.kinds = kinds,
	.needs_no_past = true,
	.state_size = sizeof(struct state),
	.on = { .span = on_span, .call = on_call },
	.end = end,
	.free_state = free_state,
};

/* ---- tables ---- */

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "cpu_ns", "CPU time", MER_DURATION }, { "calls", "calls", MER_COUNT },
	ANALYSIS_TASK_COLUMNS, { "call", "call", MER_TEXT }, { "object", "object", MER_TEXT },
	{ 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_poll_run },
	.value = "begin",
};
static const struct fold top = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_poll_run },
	.value = "-cpu_ns",
};

static const struct mer_column stats_columns[] = { ANALYSIS_TASK_COLUMNS, ANALYSIS_STATS_COLUMNS,
	ANALYSIS_PERCENTILE_COLUMNS, { "calls", "calls", MER_COUNT },
	{ "cpu_ns", "CPU time", MER_DURATION }, { 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_poll_run },
	.group = "host thread",
	.cells = (const struct fold_cell[]){ FOLD_STATS(NULL), FOLD_PERCENTILES(NULL),
		{ "calls", FOLD_SUM, .of = "calls" }, { "cpu_ns", FOLD_SUM, .of = "cpu_ns" },
		{ 0 } },
	.order = "host thread",
};

static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_poll_run },
	.group = "host",
	.value = "duration_ns",
};

enum { LOG, TOP, STATS, FREQ };
static const struct analysis_output outputs[] = {
	[LOG] = { "log", "Polling loops", log_columns, .fold = &log_fold },
	[TOP] = { "top", "Polling loops with most CPU time", log_columns, "cpu_ns", &top },
	[STATS] = { "stats", "Busy polling by thread", stats_columns, "cpu_ns", &stats },
	[FREQ] = { "freq", "Duration of polling loops", freq_columns, .fold = &freq },
	{ 0 },
};

const struct analysis analysis_poll = {
	.id = "poll",
	.title = "Busy polling",
	.help = "tasks that poll in a loop instead of blocking, and the CPU time it costs",
	.outputs = outputs,
	.worth = "cpu_ns duration_ns calls call object max_ns p99_ns p50_ns",
};
