/* Scheduling latency: from when a task is woken to when it runs; who woke it, and who had the CPU
 * instead.
 *
 * The time that a task waits for a CPU is of one of three kinds: since it was woken (also if it had
 * been preempted before), since it was preempted, or unclear: its begin or its end was not seen.
 * The kind is known when the next span of the task is reported, because only then is it certain
 * that the task ran. */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "base/grow.h"

/* ---- facts ---- */

enum { WOKEN, PREEMPTED, UNCLEAR }; /* UNCLEAR: its begin or end was not seen */
static const char *const kind_names[] = { "wake-up", "preemption", "unclear" };
enum { FORK = KERNEL_N_CAUSES }; /* beyond enum kernel_cause */

struct sched_wait { /* a task waits for a CPU; choice: as above */
	struct fact fact;
	int64_t next_ns;      /* how long `next` had the CPU meanwhile */
	uint32_t waker, next; /* tasks; KERNEL_NONE: none, or not known */
	int16_t prio;
	uint8_t cause; /* enum kernel_cause of the wait that the wake-up ended, or FORK */
	uint8_t unused[5];
};

static int64_t latency_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return f->choice == WOKEN ? f->end - f->begin : FACT_UNKNOWN;
}

static int64_t preemption_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return f->choice == PREEMPTED ? f->end - f->begin : FACT_UNKNOWN;
}

static int64_t cause_of(const struct kernel_host *h, const struct fact *f)
{
	uint8_t cause = ((const struct sched_wait *)f)->cause;
	(void)h;
	return cause == KERNEL_NO_CAUSE ? FACT_UNKNOWN : cause;
}

static const char *cause_text(const struct kernel_host *h, int64_t cause)
{
	(void)h;
	return cause == FORK ? "fork" : kernel_cause_name((enum kernel_cause)cause);
}

static const struct fact_field fields[] = {
	{ "kind", NULL, MER_TEXT, FACT_WORDS(kind_names), FACT_MEMBER(struct fact, choice) },
	{ "next_ns", NULL, MER_DURATION, FACT_NUMBER, FACT_MEMBER(struct sched_wait, next_ns) },
	{ "waker", NULL, MER_ID, FACT_TASK, FACT_MEMBER(struct sched_wait, waker),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "next", NULL, MER_ID, FACT_TASK, FACT_MEMBER(struct sched_wait, next),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "prio", "prio", MER_ID, FACT_NUMBER, FACT_MEMBER(struct sched_wait, prio),
		FACT_NONE_IS(KERNEL_NO_PRIO) },
	{ "cause_number", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct sched_wait, cause) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "latency_ns", "latency", MER_DURATION, FACT_BY_FUNCTION, .get = latency_of,
		.meaning = FACT_NUMBER },
	{ "preempted_ns", "preempted for", MER_DURATION, FACT_BY_FUNCTION, .get = preemption_of,
		.meaning = FACT_NUMBER },
	{ "cause", "reason", MER_TEXT, FACT_BY_FUNCTION, .get = cause_of, .meaning = FACT_TEXT,
		.text = cause_text },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_sched_wait = {
	.id = "sched_wait",
	.title = "Time that tasks were runnable",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct sched_wait),
	.fields = fields,
	.views = views,
	.duration = "duration_ns",
};

/* ---- their maker ---- */

enum { RUNS = 32 };

struct sched_task {
	struct sched_wait wait; /* the last wait, until the span after it is reported */
	bool has_wait;
	bool was_woken; /* while it was runnable: when, and by which task */
	int64_t woken;
	uint32_t woken_by;
	uint32_t waker; /* task that ended its last blocked or stopped span */
	uint8_t cause;
	uint8_t before; /* state of its last reported span */
};

struct run { /* a task on a CPU without a break */
	int64_t begin, end;
	uint32_t task;
};

struct sched_cpu {
	struct run runs[RUNS]; /* a ring of the last ones */
	uint64_t n;
};

struct state {
	struct sched_task *tasks;
	struct sched_cpu *cpus;
	size_t cap_tasks, cap_cpus;
};

/* ---- who had the CPU instead ---- */

static bool add_run(struct state *s, const struct kernel_span *k, int64_t end)
{
	struct sched_cpu *c = mer_grow_at(&s->cpus, &s->cap_cpus, k->cpu, sizeof(*c));
	if (!c)
		return false;
	struct run *last = c->n ? &c->runs[(c->n - 1) % RUNS] : NULL;
	if (last && last->task == k->task && last->end == k->begin)
		last->end = end;
	else
		c->runs[c->n++ % RUNS] = (struct run){ k->begin, end, k->task };
	return true;
}

struct share {
	uint32_t task;
	int64_t ns;
};

static size_t add_share(
	struct share *shares, size_t n, const struct run *r, int64_t begin, int64_t end)
{
	int64_t from = r->begin > begin ? r->begin : begin, to = r->end < end ? r->end : end;
	size_t i = 0;
	if (to <= from)
		return n;
	while (i < n && shares[i].task != r->task)
		i++;
	if (i == n)
		shares[n++] = (struct share){ .task = r->task };
	shares[i].ns += to - from;
	return n;
}

/* Finds the task that had the CPU for the longest part of the wait, among the last RUNS that had it
 * and the one that had it when the wait began, if that one still runs. */
static void find_next(const struct state *s, const struct kernel_host *h,
	const struct kernel_span *ready, struct sched_wait *w)
{
	struct share shares[RUNS + 1];
	size_t n = 0;
	w->next = KERNEL_NONE;
	if (ready->cpu < s->cap_cpus) {
		const struct sched_cpu *c = &s->cpus[ready->cpu];
		uint64_t oldest = c->n > RUNS ? c->n - RUNS : 0;
		for (uint64_t i = c->n; i-- > oldest && c->runs[i % RUNS].end > w->fact.begin;)
			n = add_share(shares, n, &c->runs[i % RUNS], w->fact.begin, w->fact.end);
	}
	const struct kernel_span *by = kernel_span_kept(h, ready->by);
	if (by) {
		const struct kernel_span *now = kernel_span(h, h->tasks[by->task].last);
		if (kernel_is_on_cpu(now->state) && now->cpu == ready->cpu)
			n = add_share(shares, n, &(struct run){ now->begin, INT64_MAX, by->task },
				w->fact.begin, w->fact.end);
	}
	for (size_t i = 0; i < n; i++)
		if (shares[i].task != w->fact.task && shares[i].ns > w->next_ns) {
			w->next = shares[i].task;
			w->next_ns = shares[i].ns;
		}
}

/* Adds a wait whose begin or end was not seen; its CPU is that of the runnable span. */
static int add_unclear(struct fact_host *f, const struct kernel_host *h, struct sched_wait *w)
{
	w->fact.choice = UNCLEAR;
	return fact_add(f, h, 0, w);
}

/* Makes a wait of a part of the runnable span k, which has ended; the next span is not known
 * yet. */
static void make_wait(struct fact_host *f, const struct kernel_host *h, const struct kernel_span *k,
	int64_t begin, int64_t end, struct sched_task *t)
{
	t->wait = (struct sched_wait){ .fact = { begin, end, k->task, k->cpu, PREEMPTED },
		.waker = KERNEL_NONE,
		.next = KERNEL_NONE,
		.prio = h->tasks[k->task].prio };
	find_next(f->state, h, k, &t->wait);
}

static int end_ready(struct fact_host *f, const struct kernel_host *h, const struct kernel_span *k,
	int64_t end, struct sched_task *t)
{
	bool preempted = kernel_is_on_cpu((enum kernel_state)t->before);
	bool woken = preempted && t->was_woken && t->woken >= k->begin && t->woken <= end;
	bool is_new = t->before == KERNEL_NEW;
	int rc = 0;
	if (woken) { /* first it was preempted, then it was woken */
		make_wait(f, h, k, k->begin, t->woken, t);
		if (t->woken > k->begin)
			rc = fact_add(f, h, 0, &t->wait);
	}
	make_wait(f, h, k, woken ? t->woken : k->begin, end, t);
	t->was_woken = false;
	t->has_wait = true;
	if (woken || is_new || t->before == KERNEL_BLOCKED || t->before == KERNEL_STOPPED) {
		t->wait.fact.choice = WOKEN;
		t->wait.waker = woken ? t->woken_by : t->waker;
		t->wait.cause = is_new ? FORK : woken ? KERNEL_NO_CAUSE : t->cause;
	} else if (!preempted) { /* it is not known since when it was runnable */
		t->has_wait = false;
		rc = rc ? rc : add_unclear(f, h, &t->wait);
	}
	return rc;
}

static uint32_t task_of(const struct kernel_host *h, uint32_t span)
{
	const struct kernel_span *s = kernel_span_kept(h, span);
	return s ? s->task : KERNEL_NONE;
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	const struct kernel_span *k = kernel_span(h, span);
	enum kernel_state state = (enum kernel_state)k->state;
	struct sched_task *t =
		mer_spill_grow_at(f->e->spill, &s->tasks, &s->cap_tasks, k->task, sizeof(*t));
	int rc = 0;
	if (!t)
		return mer_fail_nomem(f->err);
	bool on_cpu = kernel_is_on_cpu(state) && k->cpu != KERNEL_NO_CPU;
	if (t->has_wait) {
		if (on_cpu)
			t->wait.fact.cpu = k->cpu;
		rc = on_cpu ? fact_add(f, h, 0, &t->wait) : add_unclear(f, h, &t->wait);
		t->has_wait = false;
	}
	if (rc == 0 && on_cpu && !add_run(s, k, end))
		rc = mer_fail_nomem(f->err);
	if (rc == 0 && state == KERNEL_RUNNABLE)
		rc = end_ready(f, h, k, end, t);
	if (state == KERNEL_BLOCKED || state == KERNEL_STOPPED || state == KERNEL_NEW) {
		t->waker = task_of(h, k->by);
		t->cause = k->cause;
	}
	t->before = k->state;
	return rc;
}

/* Only the first wake-up counts: from then on the task lacked nothing but a CPU. */
static int on_woken_ready(
	void *ctx, const struct kernel_host *h, uint32_t task, int64_t time, uint32_t by)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	struct sched_task *t =
		mer_spill_grow_at(f->e->spill, &s->tasks, &s->cap_tasks, task, sizeof(*t));
	if (!t)
		return mer_fail_nomem(f->err);
	if (t->was_woken && t->woken >= kernel_span(h, h->tasks[task].last)->begin)
		return 0;
	t->was_woken = true;
	t->woken = time;
	t->woken_by = task_of(h, by);
	return 0;
}

/* Tasks that still wait at the end of the recording were not seen to run. */
static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	int rc = 0;
	(void)w;
	for (size_t i = 0; i < s->cap_tasks && rc == 0; i++)
		if (s->tasks[i].has_wait)
			rc = add_unclear(f, h, &s->tasks[i].wait);
	return rc;
}

static void free_state(void *state)
{
	struct state *s = state;
	mer_spill_release(s->tasks);
	free(s->cpus);
}

static const struct fact_kind *const kinds[] = { &fact_sched_wait, NULL };
static const struct fact_maker maker = {
	.id = "sched",
	.kinds = kinds,
	.wants = KERNEL_WANT_PRIORITIES,
	.state_size = sizeof(struct state),
	.on = { .span = on_span, .woken_ready = on_woken_ready },
	.end = end,
	.free_state = free_state,
};

/* ---- tables ---- */

#define KIND_IS(kind_)                                                                             \
	{                                                                                          \
		"kind", FOLD_IS, (kind_), 0                                                        \
	}

/* Columns that may be left out of short lines come last: `switch_in` is `begin` plus latency. */
static const struct mer_column log_columns[] = { { "begin", "woken", MER_TIME },
	{ "latency_ns", "latency", MER_DURATION }, ANALYSIS_TASK_COLUMNS, { "cpu", "CPU", MER_ID },
	{ "waker_comm", "waker", MER_TEXT }, { "next_comm", "next", MER_TEXT },
	{ "prio", "prio", MER_ID }, { "cause", "reason", MER_TEXT },
	{ "waker_tid", "waker tid", MER_ID }, { "next_tid", "next tid", MER_ID },
	{ "switch_in", "runs", MER_TIME }, { "next_ns", NULL, MER_DURATION }, { 0 } };
static const struct mer_column preemption_columns[] = { { "begin", "preempted", MER_TIME },
	{ "duration_ns", "waited", MER_DURATION }, ANALYSIS_TASK_COLUMNS, { "cpu", "CPU", MER_ID },
	{ "next_comm", "next", MER_TEXT }, { "prio", "prio", MER_ID },
	{ "next_tid", "next tid", MER_ID }, { "switch_in", "runs again", MER_TIME },
	{ "next_ns", NULL, MER_DURATION }, { 0 } };
static const struct mer_column stats_columns[] = { ANALYSIS_TASK_COLUMNS, ANALYSIS_STATS_COLUMNS,
	ANALYSIS_PERCENTILE_COLUMNS, { "preemptions", "preempted", MER_COUNT },
	{ "preempted_ns", "preempted for", MER_DURATION }, { "unclear_ns", NULL, MER_DURATION },
	{ 0 } };
static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };

static const struct mer_column prio_columns[] = { { "host", "host", MER_TEXT },
	{ "prio", "prio", MER_ID }, ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
static const struct mer_column host_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS, { 0 } };

static const struct fold_cell row_cells[] = { { "switch_in", FOLD_VALUE, .of = "end" },
	{ "next_ns", FOLD_VALUE, .of = "next_ns", .where = { "next", FOLD_KNOWN, 0, 0 } }, { 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_sched_wait },
	.where = { KIND_IS(WOKEN) },
	.cells = row_cells,
	.value = "begin",
};
static const struct fold top = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_sched_wait },
	.where = { KIND_IS(WOKEN) },
	.cells = row_cells,
	.value = "-latency_ns",
};
static const struct fold preemptions = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_sched_wait },
	.where = { KIND_IS(PREEMPTED) },
	.cells = row_cells,
	.value = "begin",
};

static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_sched_wait },
	.group = "host thread",
	.cells = (const struct fold_cell[]){ FOLD_STATS("latency_ns"),
		FOLD_PERCENTILES("latency_ns"), { "preemptions", FOLD_COUNT, .of = "preempted_ns" },
		{ "preempted_ns", FOLD_SUM, .of = "preempted_ns" },
		{ "unclear_ns", FOLD_SUM, .where = KIND_IS(UNCLEAR) }, { 0 } },
	.order = "host thread",
};
static const struct fold_cell latency_cells[] = { FOLD_STATS("latency_ns"),
	FOLD_PERCENTILES("latency_ns"), { 0 } };
static const struct fold prios = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_sched_wait },
	.where = { KIND_IS(WOKEN) },
	.group = "host prio",
	.cells = latency_cells,
};
static const struct fold hosts = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_sched_wait },
	.where = { KIND_IS(WOKEN) },
	.group = "host",
	.cells = latency_cells,
};
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_sched_wait },
	.where = { KIND_IS(WOKEN) },
	.group = "host",
	.value = "latency_ns",
};

/* A wait counts in the bin where it begins. Bins without wake-ups have no row. */
static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT }, ANALYSIS_LENGTHS_COLUMNS, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_sched_wait },
	.where = { KIND_IS(WOKEN) },
	.scopes = (const struct fold_scope[]){ { .group = "host" }, { 0 } },
	.cells = (const struct fold_cell[]){ FOLD_LENGTHS("latency_ns"), { 0 } },
};

enum { LOG, TOP, STATS, FREQ, PREEMPTIONS, PRIOS, HOSTS, BINS };
static const struct analysis_output outputs[] = {
	[LOG] = { "log", "Wake-ups and scheduling latencies", log_columns, .sort = NULL,
		.fold = &log_fold },
	[TOP] = { "top", "Longest scheduling latencies", log_columns, .sort = "latency_ns",
		.fold = &top },
	[STATS] = { "stats", "Scheduling latency by thread", stats_columns, .sort = "total_ns",
		.fold = &stats },
	[FREQ] = { "freq", "Distribution of scheduling latencies", freq_columns, .sort = NULL,
		.fold = &freq },
	[PREEMPTIONS] = { "preemptions", "Preempted tasks and the next task", preemption_columns,
		.sort = NULL, .fold = &preemptions },
	[PRIOS] = { "prios", "Scheduling latency by priority", prio_columns, .sort = "total_ns",
		.fold = &prios },
	[HOSTS] = { "hosts", "Scheduling latency by host", host_columns, .sort = NULL,
		.fold = &hosts },
	[BINS] = { "bins", "Scheduling latency over time", bins_columns, .fold = &bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Scheduling latency that 99 % do not exceed",
		.y = "latency",
		.keys = "p99_ns",
		.lines = true },
	{ 0 },
};

const struct analysis analysis_sched = {
	.id = "sched",
	.title = "Scheduling latency",
	.help = "scheduling latency: wake-up to running, the waker, and the next task",
	.outputs = outputs,
	.worth = "latency_ns duration_ns waker_comm cause next_comm cpu waker_tid prio "
		 "switch_in next_tid max_ns "
		 "count p99_ns p50_ns mean_ns total_ns preempted_ns preemptions",
	.charts = charts,
};
