/* Scheduling latency: from when a task is woken to when it runs; who woke it, and who had the CPU
 * instead.
 *
 * All time that a task waits for a CPU is one of three: since it was woken (also when that happened
 * after it had been preempted), since it was preempted, or of which the begin or the end was not seen.
 * What a wait was is known when the span after it is told: only then is it sure that the task ran. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/rows.h"

enum { RUNS = 32 };

struct wait { /* for a CPU; a row */
	struct analysis_row row;
	int64_t begin, end;
	int64_t instead_ns;
	uint32_t task, waker, instead; /* tasks; KERNEL_NONE */
	uint16_t cpu;
	int16_t prio;
	uint8_t cause; /* enum kernel_cause, of the wait that the wake-up ended */
	bool is_wakeup, is_new;
};

struct sched_task {
	struct analysis_stats latency;
	uint64_t n_preempted;
	int64_t preempted, unclear;
	struct wait wait; /* that has ended, if what follows it is not told yet */
	bool has_wait;
	bool was_woken; /* while it was ready: */
	int64_t woken;
	uint32_t woken_by;
	uint32_t waker; /* who ended its last wait */
	uint8_t cause;
	uint8_t before; /* state of its last span that was told */
};

struct run { /* a task on a CPU without a break */
	int64_t begin, end;
	uint32_t task;
};

struct sched_prio {
	int16_t prio;
	struct analysis_stats latency;
};

struct sched_cpu {
	struct run runs[RUNS]; /* a ring of the last ones */
	uint64_t n;
};

struct state {
	struct sched_task *tasks;
	struct sched_cpu *cpus;
	size_t cap_tasks, cap_cpus;
	struct analysis_rows log, preemptions, top;
	struct analysis_histogram freq;
	struct sched_prio *prios;
	struct mer_map prio_map; /* to a number of prios, plus 1 */
	size_t n_prios, cap_prios;
};

enum { LOG, TOP, STATS, FREQ, PREEMPTIONS, PRIOS, HOSTS };

static struct sched_prio *prio_of(struct state *s, int16_t prio)
{
	uint32_t *at = mer_map_put(&s->prio_map, (uint16_t)prio);
	if (at && *at)
		return &s->prios[*at - 1];
	struct sched_prio *p =
		at ? mer_grow_at(&s->prios, &s->cap_prios, s->n_prios, sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	p->prio = prio;
	*at = (uint32_t)++s->n_prios;
	return p;
}

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

/* The task that had the CPU for the longest part of the wait: of the last ones that had it, and of the
 * one that had it when the wait began, if it still has it. */
static void find_instead(const struct state *s, const struct kernel_host *h,
	const struct kernel_span *ready, struct wait *w)
{
	struct share shares[RUNS + 1];
	size_t n = 0;
	w->instead = KERNEL_NONE;
	if (ready->cpu < s->cap_cpus) {
		const struct sched_cpu *c = &s->cpus[ready->cpu];
		uint64_t oldest = c->n > RUNS ? c->n - RUNS : 0;
		for (uint64_t i = c->n; i-- > oldest && c->runs[i % RUNS].end > w->begin;)
			n = add_share(shares, n, &c->runs[i % RUNS], w->begin, w->end);
	}
	const struct kernel_span *by = kernel_span_kept(h, ready->by);
	if (by) {
		const struct kernel_span *now = kernel_span(h, h->tasks[by->task].last);
		if (kernel_is_on_cpu(now->state) && now->cpu == ready->cpu)
			n = add_share(shares, n, &(struct run){ now->begin, INT64_MAX, by->task },
				w->begin, w->end);
	}
	for (size_t i = 0; i < n; i++)
		if (shares[i].task != w->task && shares[i].ns > w->instead_ns) {
			w->instead = shares[i].task;
			w->instead_ns = shares[i].ns;
		}
}

/* ---- while reading ---- */

static bool in_range(const struct analysis_host *a, int64_t begin)
{
	return analysis_is_asked(a->run->options, begin);
}

/* The task waited until it ran. */
static int count_wait(
	struct analysis_host *a, const struct kernel_host *h, struct wait *w, struct sched_task *t)
{
	struct state *s = a->state;
	const struct analysis_options *o = a->run->options;
	bool ok = true;
	if (!analysis_counts(a, w->begin, w->end) || !analysis_wants_cpu(a, w->cpu) ||
		!analysis_wants_task(a, h, w->task))
		return 0;
	if (!w->is_wakeup) {
		t->n_preempted++;
		t->preempted += w->end - w->begin;
	}
	w->row.key = w->begin;
	if (w->is_wakeup) {
		analysis_stats_add(&t->latency, w->end - w->begin, w->begin);
		s->freq.n[analysis_bucket(w->end - w->begin)]++;
		struct sched_prio *p = prio_of(s, w->prio);
		if (!p)
			return mer_fail_nomem(a->err);
		analysis_stats_add(&p->latency, w->end - w->begin, w->begin);
		if (analysis_asks(a, LOG))
			ok = analysis_rows_add(&s->log, w, sizeof(*w), o->limit);
		w->row.key = w->begin - w->end;
		if (analysis_asks(a, TOP))
			ok = ok && analysis_rows_add(&s->top, w, sizeof(*w), o->limit);
	} else if (analysis_asks(a, PREEMPTIONS)) {
		ok = analysis_rows_add(&s->preemptions, w, sizeof(*w), o->limit);
	}
	return ok ? 0 : mer_fail_nomem(a->err);
}

/* What began or ended unseen: where the wait was queued is the best that is known. */
static void count_unclear(
	struct analysis_host *a, const struct kernel_host *h, struct sched_task *t)
{
	const struct wait *w = &t->wait;
	bool wanted = w->cpu == KERNEL_NO_CPU ? !a->run->options->wants_cpu
					      : analysis_wants_cpu(a, w->cpu);
	if (wanted && in_range(a, w->begin) && analysis_wants_task(a, h, w->task))
		t->unclear += w->end - w->begin;
}

/* A part of the ready span, which has ended; what follows it is told next. */
static void make_wait(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_span *k, int64_t begin, int64_t end, struct sched_task *t)
{
	t->wait = (struct wait){ .begin = begin,
		.end = end,
		.task = k->task,
		.waker = KERNEL_NONE,
		.instead = KERNEL_NONE,
		.cpu = k->cpu,
		.prio = h->tasks[k->task].prio };
	find_instead(a->state, h, k, &t->wait);
}

static int end_ready(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_span *k, int64_t end, struct sched_task *t)
{
	bool preempted = kernel_is_on_cpu((enum kernel_state)t->before);
	bool woken = preempted && t->was_woken && t->woken >= k->begin && t->woken <= end;
	int rc = 0;
	if (woken) { /* first it was preempted, then it was woken */
		make_wait(a, h, k, k->begin, t->woken, t);
		if (t->woken > k->begin)
			rc = count_wait(a, h, &t->wait, t);
	}
	make_wait(a, h, k, woken ? t->woken : k->begin, end, t);
	t->was_woken = false;
	t->has_wait = true;
	t->wait.is_new = t->before == KERNEL_NEW;
	t->wait.is_wakeup = woken || t->wait.is_new || t->before == KERNEL_BLOCKED ||
			    t->before == KERNEL_STOPPED;
	if (t->wait.is_wakeup) {
		t->wait.waker = woken ? t->woken_by : t->waker;
		t->wait.cause = woken ? KERNEL_NO_CAUSE : t->cause;
	} else if (!preempted) { /* it is not known since when it was ready */
		count_unclear(a, h, t);
		t->has_wait = false;
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
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	const struct kernel_span *k = kernel_span(h, span);
	enum kernel_state state = (enum kernel_state)k->state;
	struct sched_task *t = mer_grow_at(&s->tasks, &s->cap_tasks, k->task, sizeof(*t));
	int rc = 0;
	if (!t)
		return mer_fail_nomem(a->err);
	bool on_cpu = kernel_is_on_cpu(state) && k->cpu != KERNEL_NO_CPU;
	if (t->has_wait) {
		if (on_cpu) {
			t->wait.cpu = k->cpu;
			rc = count_wait(a, h, &t->wait, t);
		} else {
			count_unclear(a, h, t);
		}
		t->has_wait = false;
	}
	if (rc == 0 && on_cpu && !add_run(s, k, end))
		rc = mer_fail_nomem(a->err);
	if (rc == 0 && state == KERNEL_READY)
		rc = end_ready(a, h, k, end, t);
	if (state == KERNEL_BLOCKED || state == KERNEL_STOPPED || state == KERNEL_NEW) {
		t->waker = task_of(h, k->by);
		t->cause = k->cause;
	}
	t->before = k->state;
	return rc;
}

/* The first time counts: from then on it was not for lack of a reason that it did not run. */
static int on_woken_ready(
	void *ctx, const struct kernel_host *h, uint32_t task, int64_t time, uint32_t by)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	struct sched_task *t = mer_grow_at(&s->tasks, &s->cap_tasks, task, sizeof(*t));
	if (!t)
		return mer_fail_nomem(a->err);
	if (t->was_woken && t->woken >= kernel_span(h, h->tasks[task].last)->begin)
		return 0;
	t->was_woken = true;
	t->woken = time;
	t->woken_by = task_of(h, by);
	return 0;
}

/* Who still waits in the end has not run. */
static int end(struct analysis_host *a, const struct kernel_host *h)
{
	struct state *s = a->state;
	for (size_t i = 0; i < s->cap_tasks; i++)
		if (s->tasks[i].has_wait)
			count_unclear(a, h, &s->tasks[i]);
	return 0;
}

static void free_state(void *state)
{
	struct state *s = state;
	free(s->tasks);
	free(s->cpus);
	free(s->prios);
	mer_map_fini(&s->prio_map);
	analysis_rows_fini(&s->log);
	analysis_rows_fini(&s->preemptions);
	analysis_rows_fini(&s->top);
}

/* ---- tables ---- */

/* What may be left out where lines are short comes last: when it ran is when it was woken and latency. */
static const struct mer_column log_columns[] = { { "begin", "woken", MER_TIME },
	{ "latency_ns", "latency", MER_DURATION }, ANALYSIS_TASK_COLUMNS, { "cpu", "CPU", MER_ID },
	{ "waker_comm", "waker", MER_TEXT }, { "instead_comm", "ran instead", MER_TEXT },
	{ "prio", "prio", MER_ID }, { "cause", "reason", MER_TEXT },
	{ "waker_tid", "waker tid", MER_ID }, { "instead_tid", "its tid", MER_ID },
	{ "switch_in", "runs", MER_TIME }, { "instead_ns", NULL, MER_DURATION }, { 0 } };
static const struct mer_column preemption_columns[] = { { "begin", "preempted", MER_TIME },
	{ "duration_ns", "waited", MER_DURATION }, ANALYSIS_TASK_COLUMNS, { "cpu", "CPU", MER_ID },
	{ "instead_comm", "ran instead", MER_TEXT }, { "prio", "prio", MER_ID },
	{ "instead_tid", "its tid", MER_ID }, { "switch_in", "runs again", MER_TIME },
	{ "instead_ns", NULL, MER_DURATION }, { 0 } };
static const struct mer_column stats_columns[] = { ANALYSIS_TASK_COLUMNS, ANALYSIS_STATS_COLUMNS,
	{ "preemptions", "preempted", MER_COUNT },
	{ "preempted_ns", "preempted for", MER_DURATION }, { "unclear_ns", NULL, MER_DURATION },
	{ 0 } };
static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };

static const struct mer_column prio_columns[] = { { "host", "host", MER_TEXT },
	{ "prio", "prio", MER_ID }, ANALYSIS_STATS_COLUMNS, { 0 } };
static const struct mer_column host_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_STATS_COLUMNS, { 0 } };

static const struct analysis_output outputs[] = {
	[LOG] = { "log", "Wake-ups and scheduling latencies", log_columns, .sort = NULL },
	[TOP] = { "top", "Longest scheduling latencies", log_columns, .sort = "latency_ns" },
	[STATS] = { "stats", "Scheduling latency by thread", stats_columns, .sort = "total_ns" },
	[FREQ] = { "freq", "Distribution of scheduling latencies", freq_columns, .sort = NULL },
	[PREEMPTIONS] = { "preemptions", "Preempted tasks and what ran instead", preemption_columns,
		.sort = NULL },
	[PRIOS] = { "prios", "Scheduling latency by priority", prio_columns, .sort = "total_ns" },
	[HOSTS] = { "hosts", "Scheduling latency by host", host_columns, .sort = NULL },
	{ 0 },
};

static void name_cells(const struct analysis_run *run, uint32_t host, uint32_t task, int64_t at,
	struct mer_cell *cells)
{
	struct mer_cell who[ANALYSIS_TASK_CELLS];
	analysis_task_cells(run, host, task, at, who);
	cells[0] = who[1];
	cells[1] = who[3];
}

static void emit_wait(const struct analysis_run *run, const struct analysis_row_of *of,
	bool is_preemption, struct mer_table *t)
{
	enum { BEFORE = 2 + ANALYSIS_TASK_CELLS, MAX = BEFORE + 9, TID = 0, COMM = 1 };
	const struct wait *w = of->row;
	struct mer_cell cells[MAX] = { MER_INT(w->begin), MER_INT(w->end - w->begin) };
	struct mer_cell waker[2], instead[2];
	size_t n = BEFORE;
	analysis_task_cells(run, of->host, w->task, w->begin, cells + 2);
	name_cells(run, of->host, w->waker, w->begin, waker);
	name_cells(run, of->host, w->instead, w->end, instead);
	cells[n++] = MER_INT(w->cpu);
	if (!is_preemption)
		cells[n++] = waker[COMM];
	cells[n++] = instead[COMM];
	cells[n++] = w->prio == KERNEL_NO_PRIO ? MER_NONE : MER_INT(w->prio);
	if (!is_preemption) {
		const char *cause = w->is_new ? "fork"
				    : w->cause != KERNEL_NO_CAUSE
					    ? kernel_cause_name((enum kernel_cause)w->cause)
					    : NULL;
		cells[n++] = mer_text(cause);
		cells[n++] = waker[TID];
	}
	cells[n++] = instead[TID];
	cells[n++] = MER_INT(w->end);
	cells[n] = w->instead == KERNEL_NONE ? MER_NONE : MER_INT(w->instead_ns);
	mer_table_add(t, cells);
}

static const struct analysis_rows *log_of(const void *state)
{
	return &((const struct state *)state)->log;
}

static const struct analysis_rows *top_of(const void *state)
{
	return &((const struct state *)state)->top;
}

static const struct analysis_rows *preemptions_of(const void *state)
{
	return &((const struct state *)state)->preemptions;
}

static int emit_waits(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	size_t n;
	struct analysis_row_of *rows = analysis_rows_join(run,
		output == LOG	? log_of
		: output == TOP ? top_of
				: preemptions_of,
		sizeof(struct wait), &n, &t->n_left_out);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++)
		emit_wait(run, &rows[i], output == PREEMPTIONS, t);
	free(rows);
	return 0;
}

static void emit_stats(const struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	enum { AFTER = ANALYSIS_TASK_CELLS + ANALYSIS_STATS_CELLS };
	const struct state *s = run->states[host];
	struct mer_cell cells[AFTER + 3];
	for (uint32_t i = 0; i < s->cap_tasks && i < run->world->hosts[host].n_tasks; i++) {
		const struct sched_task *k = &s->tasks[i];
		if (!k->latency.n && !k->n_preempted && !k->unclear)
			continue;
		analysis_task_cells(run, host, i, INT64_MAX, cells);
		analysis_stats_cells(&k->latency, cells + ANALYSIS_TASK_CELLS);
		cells[AFTER] = MER_INT(k->n_preempted);
		cells[AFTER + 1] = MER_INT(k->preempted);
		cells[AFTER + 2] = MER_INT(k->unclear);
		mer_table_add(t, cells);
	}
}

/* By priority, or all of them together. */
static void emit_prios(
	const struct analysis_run *run, uint32_t host, bool together, struct mer_table *t)
{
	const struct state *s = run->states[host];
	struct mer_cell cells[2 + ANALYSIS_STATS_CELLS] = { mer_text(
		analysis_host_name(run, host)) };
	struct analysis_stats sum = { 0 };
	for (size_t i = 0; i < s->n_prios; i++) {
		const struct sched_prio *p = &s->prios[i];
		analysis_stats_merge(&sum, &p->latency);
		if (together)
			continue;
		cells[1] = p->prio == KERNEL_NO_PRIO ? MER_NONE : MER_INT(p->prio);
		analysis_stats_cells(&p->latency, cells + 2);
		mer_table_add(t, cells);
	}
	analysis_stats_cells(&sum, cells + 1);
	if (together && sum.n)
		mer_table_add(t, cells);
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	if (output == LOG || output == TOP || output == PREEMPTIONS)
		return emit_waits(run, output, t);
	for (uint32_t h = 0; h < run->e->n_hosts; h++) {
		const struct state *s = run->states[h];
		struct mer_cell host = mer_text(analysis_host_name(run, h));
		if (output == STATS)
			emit_stats(run, h, t);
		else if (output != FREQ)
			emit_prios(run, h, output == HOSTS, t);
		else
			analysis_freq_rows(t, &host, 1, &s->freq);
	}
	return 0;
}

const struct analysis analysis_sched = {
	.id = "sched",
	.title = "Scheduling latency",
	.help = "scheduling latency: wake-up to running, the waker, and who ran instead",
	.wants = KERNEL_WANT_PRIORITIES,
	.needs_no_past = true,
	.by_duration = ANALYSIS_ALL_OUTPUTS,
	.outputs = outputs,
	.worth = "latency_ns duration_ns waker_comm cause instead_comm cpu waker_tid prio "
		 "switch_in instead_tid max_ns "
		 "count avg_ns "
		 "total_ns preempted_ns preemptions",
	.state_size = sizeof(struct state),
	.on = { .span = on_span, .woken_ready = on_woken_ready },
	.end = end,
	.emit = emit,
	.free_state = free_state,
};
