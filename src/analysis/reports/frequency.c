/* Frequency: how fast the clocks of the CPUs ran, and how many of their cycles each thread had.
 *
 * Events say what a CPU changes to. What it had before its first one nobody says: that time is told as
 * unknown, and is in no average. Times are those of the clock, whether the CPU was busy or idle. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/bins.h"
#include "analysis/cells.h"

enum { TOP, STATES, THREADS, LOG, FREQ, STATS, BINS };

struct change {
	int64_t time;
	int64_t khz; /* from then on; 0: not known */
};

struct clock {			/* of a CPU */
	struct change *changes; /* in order of time */
	size_t n, cap;
	bool exists;
};

/* A sum over time: of kHz times ns, so of millionths of cycles. */
struct cycles {
	__int128 sum;
	int64_t known, unknown; /* ns */
	int64_t min, max;	/* kHz; 0: none */
};

struct state {
	struct analysis_bins bins;
	struct clock *clocks;
	struct cycles *tasks; /* of what they had of CPUs */
	size_t cap_clocks, cap_tasks;
};

static void free_state(void *state)
{
	struct state *s = state;
	for (size_t i = 0; i < s->cap_clocks; i++)
		free(s->clocks[i].changes);
	free(s->clocks);
	free(s->tasks);
}

static int begin(struct analysis_host *a)
{
	struct state *s = a->state;
	return analysis_asks(a, BINS) ? analysis_bins_find(a->run, &s->bins, a->err) : 0;
}

/* ---- while reading ---- */

static struct clock *clock_at(struct state *s, uint16_t cpu)
{
	struct clock *c = mer_grow_at(&s->clocks, &s->cap_clocks, cpu, sizeof(*c));
	if (c)
		c->exists = true;
	return c;
}

static int on_frequency(
	void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time, uint64_t khz)
{
	struct analysis_host *a = ctx;
	(void)h;
	if (!analysis_wants_cpu(a, cpu))
		return 0;
	struct clock *c = clock_at(a->state, cpu);
	if (!c)
		return mer_fail_nomem(a->err);
	int64_t value = khz < UINT32_MAX ? (int64_t)khz : 0;
	if (c->n && c->changes[c->n - 1].khz == value)
		return 0; /* none */
	struct change *x = mer_grow_at(&c->changes, &c->cap, c->n, sizeof(*x));
	if (!x)
		return mer_fail_nomem(a->err);
	/* Time goes backwards where the trace's does; a clock's does not. */
	*x = (struct change){ c->n && time < x[-1].time ? x[-1].time : time, value };
	c->n++;
	return 0;
}

static void add_piece(struct cycles *y, int64_t khz, int64_t ns)
{
	if (khz == 0) {
		y->unknown += ns;
		return;
	}
	y->sum += (__int128)khz * ns;
	y->known += ns;
	y->min = y->min == 0 || khz < y->min ? khz : y->min;
	y->max = khz > y->max ? khz : y->max;
}

/* The first change after t. */
static size_t change_after(const struct clock *c, int64_t t)
{
	size_t low = 0, high = c->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (c->changes[middle].time <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The level that holds at t (before the first change: not known), and until when, at most until end. */
static int64_t level_at(const struct clock *c, int64_t t, int64_t end, int64_t *until)
{
	size_t next = change_after(c, t);
	*until = next < c->n && c->changes[next].time < end ? c->changes[next].time : end;
	return next ? c->changes[next - 1].khz : 0;
}

/* What of [begin, end) was asked for. */
static void add_range(const struct analysis_options *o, const struct clock *c, int64_t begin,
	int64_t end, struct cycles *y)
{
	for (int64_t t = begin, to; analysis_part(o, &t, end, &to); t = to)
		for (int64_t until; t < to; t = until) {
			int64_t khz = level_at(c, t, to, &until);
			add_piece(y, khz, until - t);
		}
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	const struct kernel_span *k = kernel_span(h, span);
	if (!analysis_asks(a, THREADS) || !kernel_is_on_cpu(k->state) ||
		k->state == KERNEL_INTERRUPTED || k->cpu == KERNEL_NO_CPU ||
		!analysis_wants_cpu(a, k->cpu) || !analysis_wants_task(a, h, k->task))
		return 0;
	struct clock *c = clock_at(s, k->cpu);
	struct cycles *y = mer_grow_at(&s->tasks, &s->cap_tasks, k->task, sizeof(*y));
	if (!c || !y)
		return mer_fail_nomem(a->err);
	add_range(a->run->options, c, k->begin, end, y);
	return 0;
}

/* CPUs that were never told about exist, too, where others were. */
static int end(struct analysis_host *a, const struct kernel_host *h)
{
	const struct analysis_options *o = a->run->options;
	uint16_t cpu;
	if (h->n_events == 0 || (o->wants_host && !o->wants_host(o->ctx, a->host)))
		return 0;
	for (uint32_t at = 0; analysis_next_cpu(a, &at, &cpu);)
		if (!clock_at(a->state, cpu))
			return mer_fail_nomem(a->err);
	return 0;
}

/* ---- tables ---- */

static struct mer_cell average(const struct cycles *y)
{
	return y->known ? MER_INT((y->sum + y->known / 2) / y->known) : MER_NONE;
}

static struct mer_cell known(int64_t khz)
{
	return khz ? MER_INT(khz) : MER_NONE;
}

static const struct mer_column top_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "avg_khz", "avg kHz", MER_KHZ },
	{ "min_khz", "min kHz", MER_KHZ }, { "max_khz", "max kHz", MER_KHZ },
	{ "changes", "changes", MER_COUNT }, { "known_ns", NULL, MER_DURATION },
	{ "unknown_ns", "unknown", MER_DURATION }, { 0 } };

static void emit_top(struct analysis_run *run, uint32_t host, uint16_t cpu, const struct clock *c,
	struct mer_table *t)
{
	struct cycles y = { 0 };
	int64_t from, to, changes = 0;
	analysis_range(run, host, &from, &to);
	add_range(run->options, c, from, to, &y);
	/* The first event may be no change: it is not known what was before. */
	for (size_t i = 1; i < c->n; i++)
		changes += analysis_is_asked(run->options, c->changes[i].time);
	mer_table_add(t, (struct mer_cell[]){ mer_text(analysis_host_name(run, host)), MER_INT(cpu),
				 average(&y), known(y.min), known(y.max), MER_INT(changes),
				 MER_INT(y.known), MER_INT(y.unknown) });
}

static const struct mer_column states_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "khz", "kHz", MER_ID }, { "time_ns", "time", MER_DURATION },
	{ "percent", "%", MER_RATIO }, { 0 } };

static int by_khz(const void *a, const void *b)
{
	const struct change *p = a, *q = b;
	return (p->khz > q->khz) - (p->khz < q->khz);
}

/* Each frequency once, the highest first; then the time for which it is not known. */
static int emit_states(struct analysis_run *run, uint32_t host, uint16_t cpu, const struct clock *c,
	struct mer_table *t)
{
	int64_t from, to, range = analysis_range(run, host, &from, &to);
	/* What was before the first one, then each: khz and ns. */
	struct change *times = calloc(c->n + 1, sizeof(*times));
	if (!times)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i <= c->n; i++) {
		int64_t begin = i ? c->changes[i - 1].time : from;
		int64_t end = i < c->n ? c->changes[i].time : to;
		begin = begin > from ? begin : from;
		end = end < to ? end : to;
		times[i].khz = i ? c->changes[i - 1].khz : 0;
		times[i].time = analysis_overlap(run->options, begin, end);
	}
	qsort(times, c->n + 1, sizeof(*times), by_khz);
	for (size_t i = c->n + 1; i-- > 0;) {
		int64_t ns = times[i].time;
		while (i > 0 && times[i - 1].khz == times[i].khz)
			ns += times[--i].time;
		if (ns == 0)
			continue;
		mer_table_add(t, (struct mer_cell[]){ mer_text(analysis_host_name(run, host)),
					 MER_INT(cpu), known(times[i].khz), MER_INT(ns),
					 MER_REAL_CELL((double)ns / (double)range) });
	}
	free(times);
	return 0;
}

static const struct mer_column threads_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "cycles", "cycles", MER_COUNT }, { "avg_khz", "avg kHz", MER_KHZ },
	{ "known_ns", "time", MER_DURATION }, { "unknown_ns", "unknown", MER_DURATION }, { 0 } };

static void emit_threads(struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	const struct state *s = run->states[host];
	struct mer_cell c[ANALYSIS_TASK_CELLS + 4];
	for (uint32_t i = 0; i < s->cap_tasks && i < run->world->hosts[host].n_tasks; i++) {
		const struct cycles *y = &s->tasks[i];
		if (!y->known && !y->unknown)
			continue;
		analysis_task_cells(run, host, i, INT64_MAX, c);
		c[ANALYSIS_TASK_CELLS] = y->known ? MER_INT((y->sum + 500000) / 1000000) : MER_NONE;
		c[ANALYSIS_TASK_CELLS + 1] = average(y);
		c[ANALYSIS_TASK_CELLS + 2] = MER_INT(y->known);
		c[ANALYSIS_TASK_CELLS + 3] = MER_INT(y->unknown);
		mer_table_add(t, c);
	}
}

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT }, { "cpu", "CPU", MER_ID },
	{ "avg_khz", "avg kHz", MER_KHZ }, { "min_khz", "min kHz", MER_KHZ },
	{ "max_khz", "max kHz", MER_KHZ }, { "known_ns", NULL, MER_DURATION },
	{ "unknown_ns", "unknown", MER_DURATION }, { 0 } };

static void emit_bins(struct analysis_run *run, uint32_t host, uint16_t cpu, const struct clock *c,
	struct mer_table *t)
{
	const struct analysis_bins *b = &((const struct state *)run->states[host])->bins;
	int64_t from, to;
	analysis_range(run, host, &from, &to);
	for (uint32_t i = 0; i < b->n; i++) {
		int64_t begin = analysis_bin_edge(b, i), end = analysis_bin_edge(b, i + 1);
		struct cycles y = { 0 };
		add_range(run->options, c, begin > from ? begin : from, end < to ? end : to, &y);
		mer_table_add(t,
			(struct mer_cell[]){ MER_INT(begin), MER_INT(end),
				mer_text(analysis_host_name(run, host)), MER_INT(cpu), average(&y),
				known(y.min), known(y.max), MER_INT(y.known), MER_INT(y.unknown) });
	}
}

/* ---- how long it stayed ---- */

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "host", "host", MER_TEXT }, { "cpu", "CPU", MER_ID }, { "khz", "kHz", MER_KHZ },
	{ "before_khz", "before", MER_KHZ }, { 0 } };
static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct mer_column stats_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, ANALYSIS_STATS_COLUMNS, { 0 } };

/* How long change i holds: until the next one, or the end of the recording. False: not asked for. */
static bool stay_of(const struct analysis_run *run, uint32_t host, const struct clock *c, size_t i,
	int64_t *stay)
{
	const struct analysis_options *o = run->options;
	int64_t end = i + 1 < c->n ? c->changes[i + 1].time : run->world->hosts[host].end;
	*stay = end - c->changes[i].time;
	return *stay >= o->min_ns && *stay <= o->max_ns && analysis_is_asked(o, c->changes[i].time);
}

static void emit_stays(struct analysis_run *run, uint32_t host, uint16_t cpu, const struct clock *c,
	bool freq, struct mer_table *t)
{
	struct mer_cell cells[2 + ANALYSIS_STATS_CELLS] = { mer_text(analysis_host_name(run, host)),
		MER_INT(cpu) };
	struct analysis_histogram histogram = { 0 };
	struct analysis_stats stats = { 0 };
	int64_t stay;
	for (size_t i = 0; i < c->n; i++) {
		if (!stay_of(run, host, c, i, &stay))
			continue;
		analysis_stats_add(&stats, stay, c->changes[i].time);
		histogram.n[analysis_bucket(stay)]++;
	}
	if (freq) {
		analysis_freq_rows(t, cells, 2, &histogram);
	} else if (stats.n) {
		analysis_stats_cells(&stats, cells + 2);
		mer_table_add(t, cells);
	}
}

struct entry { /* of the log */
	int64_t time;
	uint32_t host;
	uint16_t cpu;
	size_t i;
};

static int compare(const void *a, const void *b)
{
	const struct entry *p = a, *q = b;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	if (p->cpu != q->cpu)
		return p->cpu < q->cpu ? -1 : 1;
	return (p->i > q->i) - (p->i < q->i);
}

static void put_entry(struct analysis_run *run, const struct entry *e, struct mer_table *t)
{
	const struct state *s = run->states[e->host];
	const struct clock *c = &s->clocks[e->cpu];
	int64_t stay;
	stay_of(run, e->host, c, e->i, &stay);
	mer_table_add(t, (struct mer_cell[]){ MER_INT(e->time), MER_INT(e->time + stay),
				 MER_INT(stay), mer_text(analysis_host_name(run, e->host)),
				 MER_INT(e->cpu), known(c->changes[e->i].khz),
				 e->i ? known(c->changes[e->i - 1].khz) : MER_NONE });
}

static int emit_log(struct analysis_run *run, struct mer_table *t)
{
	size_t count = 0, n = 0;
	for (uint32_t h = 0; h < run->e->n_hosts; h++) {
		const struct state *s = run->states[h];
		for (size_t cpu = 0; cpu < s->cap_clocks; cpu++)
			count += s->clocks[cpu].n;
	}
	struct entry *all = calloc(count + 1, sizeof(*all));
	if (!all)
		return mer_fail_nomem(run->err);
	for (uint32_t h = 0; h < run->e->n_hosts; h++) {
		const struct state *s = run->states[h];
		int64_t stay;
		for (size_t cpu = 0; cpu < s->cap_clocks; cpu++)
			for (size_t i = 0; i < s->clocks[cpu].n; i++)
				if (stay_of(run, h, &s->clocks[cpu], i, &stay))
					all[n++] = (struct entry){ s->clocks[cpu].changes[i].time,
						h, (uint16_t)cpu, i };
	}
	qsort(all, n, sizeof(*all), compare);
	uint64_t limit = run->options->limit;
	for (size_t i = 0; i < n && (!limit || i < limit); i++)
		put_entry(run, &all[i], t);
	t->n_left_out = limit && n > limit ? n - limit : 0;
	free(all);
	return 0;
}

/* Hosts that never said anything about it are not there. */
static bool is_told(const struct state *s)
{
	for (size_t i = 0; i < s->cap_clocks; i++)
		if (s->clocks[i].n)
			return true;
	return false;
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	int rc = 0;
	if (output == LOG)
		return emit_log(run, t);
	for (uint32_t h = 0; h < run->e->n_hosts; h++) {
		const struct state *s = run->states[h];
		if (!is_told(s))
			continue;
		if (output == THREADS)
			emit_threads(run, h, t);
		for (uint32_t i = 0; output != THREADS && i < s->cap_clocks && rc == 0; i++) {
			const struct clock *c = &s->clocks[i];
			uint16_t cpu = (uint16_t)i;
			if (!c->exists)
				continue;
			switch (output) {
			case TOP: emit_top(run, h, cpu, c, t); break;
			case STATES: rc = emit_states(run, h, cpu, c, t); break;
			case BINS: emit_bins(run, h, cpu, c, t); break;
			default: emit_stays(run, h, cpu, c, output == FREQ, t); break;
			}
		}
	}
	return rc;
}

static const struct analysis_output outputs[] = {
	[TOP] = { "top", "CPU frequency", top_columns, .sort = NULL },
	[STATES] = { "top_states", "Time at each frequency", states_columns, .sort = NULL },
	[THREADS] = { "threads", "CPU cycles by thread", threads_columns, .sort = "cycles" },
	[LOG] = { "log", "CPU frequency changes", log_columns, .sort = NULL },
	[FREQ] = { "freq", "Time between frequency changes", freq_columns, .sort = NULL },
	[STATS] = { "stats", "Time between frequency changes", stats_columns, .sort = NULL },
	[BINS] = { "bins", "CPU frequency over time", bins_columns, .sort = NULL },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "CPU frequency", .y = "average", .keys = "avg_khz", .lines = true }, { 0 }
};

const struct analysis analysis_frequency = {
	.id = "frequency",
	.title = "CPU frequency",
	.help = "clock frequency of the CPUs, and cycles by thread",
	.wants = KERNEL_WANT_FREQUENCY,
	.by_duration = 1u << LOG | 1u << FREQ | 1u << STATS,
	.outputs = outputs,
	.worth = "avg_khz max_khz min_khz unknown_ns changes",
	.charts = charts,
	.state_size = sizeof(struct state),
	.on = { .frequency = on_frequency, .span = on_span },
	.begin = begin,
	.end = end,
	.emit = emit,
	.free_state = free_state,
};
