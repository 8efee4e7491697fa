/* Frequency: how fast the clocks of the CPUs ran, and how many cycles each thread got.
 *
 * An event has the new frequency of a CPU. Its frequency before the first event is not known: that
 * time is reported as unknown, and is in no average. Times of CPUs include idle time. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "base/grow.h"
#include "base/lower_bound.h"
#include "kernel/events.h"
#include "kernel/losses.h"

/* ---- facts ---- */

enum { FIRST, CHANGE }; /* FIRST: first event of a CPU; the frequency before it is not known */
static const char *const kind_names[] = { "first", "change" };

struct clocked { /* a stretch of time at one frequency: of a CPU, or of a task on a CPU */
	struct fact fact;
	uint32_t khz, before_khz; /* 0: not known */
};

#define KHZ(key_, title_, type_, member_)                                                          \
	{                                                                                          \
		key_, title_, type_, FACT_NUMBER, FACT_MEMBER(struct clocked, member_),            \
			FACT_NONE_IS(0)                                                            \
	}
static const struct fact_field clock_fields[] = { KHZ("khz", "kHz", MER_ID, khz), { 0 } };
static const struct fact_field change_fields[] = {
	{ "kind", NULL, MER_TEXT, FACT_WORDS(kind_names), FACT_MEMBER(struct fact, choice) },
	KHZ("khz", "kHz", MER_KHZ, khz),
	KHZ("before_khz", "before", MER_KHZ, before_khz),
	{ 0 },
};

static const struct fact_maker maker;
static const struct fact_origin task_clock_origin;
/* All time of each CPU, for hosts with frequency events. */
const struct fact_kind fact_clock = {
	.id = "clock",
	.title = "Time of CPUs by frequency",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct clocked),
	.of_cpus = true,
	.fields = clock_fields,
};
/* Each change. It ends at the next change of the CPU, or at the end of the recording. */
const struct fact_kind fact_frequency = {
	.id = "cpufreq",
	.title = "CPU frequency changes",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct clocked),
	.of_cpus = true,
	.fields = change_fields,
	.duration = "duration_ns",
};
/* CPU time of tasks, without interrupts; also for hosts without frequency events. */
const struct fact_kind fact_task_clock = {
	.id = "task_clock",
	.title = "Time of threads by CPU frequency",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct clocked),
	.origin = &task_clock_origin,
	.fields = clock_fields,
};
enum { CLOCKS, CHANGES, TASK_CLOCKS }; /* as in kinds */

/* ---- their maker ---- */

struct change {
	int64_t time;
	uint32_t khz; /* from then on; 0: not known */
};

struct clock {			/* of a CPU */
	struct change *changes; /* in order of time */
	size_t n, cap;
	bool exists;
};

struct state {
	struct clock *clocks;
	size_t cap_clocks;
};

static void free_state(void *state)
{
	struct state *s = state;
	for (size_t i = 0; i < s->cap_clocks; i++)
		free(s->clocks[i].changes);
	free(s->clocks);
}

static struct clock *clock_at(struct state *s, uint16_t cpu)
{
	struct clock *c = mer_grow_at(&s->clocks, &s->cap_clocks, cpu, sizeof(*c));
	if (c)
		c->exists = true;
	return c;
}

/* Adds the facts about the last change of the CPU, which lasts until `end`. */
static int end_last(struct fact_host *f, const struct kernel_host *h, uint16_t cpu,
	const struct clock *c, int64_t end)
{
	const struct change *x = &c->changes[c->n - 1];
	struct clocked fact = { .fact = { x->time, end, KERNEL_NONE, cpu,
					c->n > 1 ? CHANGE : FIRST },
		.khz = x->khz,
		.before_khz = c->n > 1 ? x[-1].khz : 0 };
	int rc = fact_is_used(f, CHANGES) ? fact_add(f, h, CHANGES, &fact) : 0;
	fact.fact.choice = 0;
	fact.before_khz = 0;
	return rc == 0 && fact_is_used(f, CLOCKS) && end > x->time ? fact_add(f, h, CLOCKS, &fact)
								   : rc;
}

static int change_to(
	struct fact_host *f, const struct kernel_host *h, uint16_t cpu, int64_t time, uint64_t khz)
{
	struct clock *c = clock_at(f->state, cpu);
	if (!c)
		return mer_fail_nomem(f->err);
	uint32_t value = khz < UINT32_MAX ? (uint32_t)khz : 0;
	if (c->n && c->changes[c->n - 1].khz == value)
		return 0; /* not a change */
	/* If time goes backwards in the trace, the change counts at the time of the one before. */
	if (c->n && time < c->changes[c->n - 1].time)
		time = c->changes[c->n - 1].time;
	int rc = c->n ? end_last(f, h, cpu, c, time) : 0;
	struct change *x = mer_grow_at(&c->changes, &c->cap, c->n, sizeof(*x));
	if (!x)
		return mer_fail_nomem(f->err);
	*x = (struct change){ time, value };
	c->n++;
	return rc;
}

static int on_event(void *ctx, const struct kernel_host *h, const struct kernel_told_event *e)
{
	uint64_t cpu = e->slots[FREQUENCY_CPU];
	return cpu < KERNEL_MAX_CPUS
		       ? change_to(ctx, h, (uint16_t)cpu, e->time, e->slots[FREQUENCY_KHZ])
		       : 0;
}

/* The first change after t. */
static size_t change_after(const struct clock *c, int64_t t)
{
	MER_LOWER_BOUND(low, 0, c->n, at, c->changes[at].time <= t);
	return low;
}

static int on_stretch(
	struct fact_host *f, const struct kernel_host *h, const struct fact_stretch *s)
{
	if (s->state == KERNEL_INTERRUPTED)
		return 0;
	struct clock *c = clock_at(f->state, s->cpu);
	if (!c)
		return mer_fail_nomem(f->err);
	int rc = 0;
	size_t next = change_after(c, s->begin);
	for (int64_t t = s->begin, to; t < s->end && rc == 0; t = to, next++) {
		to = next < c->n && c->changes[next].time < s->end ? c->changes[next].time : s->end;
		if (to <= t)
			continue;
		struct clocked *x = fact_place(f, TASK_CLOCKS);
		*x = (struct clocked){ .fact = { t, to, s->task, s->cpu, 0 },
			.khz = next ? c->changes[next - 1].khz : 0 };
		rc = fact_placed(f, h, TASK_CLOCKS, sizeof(*x));
	}
	return rc;
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	const struct kernel_span *k = kernel_span(h, span);
	if (!fact_is_used(ctx, TASK_CLOCKS) || !kernel_is_on_cpu(k->state) ||
		k->cpu == KERNEL_NO_CPU)
		return 0;
	return on_stretch(ctx, h,
		&(struct fact_stretch){ k->begin, end, k->task, k->cpu, k->state, k->cause });
}

/* Takes a change from a stored fact. */
static int on_change(struct fact_host *f, const struct kernel_host *h, const struct fact *x)
{
	return change_to(f, h, x->cpu, x->begin, ((const struct clocked *)x)->khz);
}

static const struct fact_origin task_clock_origin = { &fact_frequency, on_change, on_stretch };

/* Did the host have any frequency event? If not, there are no facts about its CPUs. */
static bool is_told(const struct state *s)
{
	for (size_t i = 0; i < s->cap_clocks; i++)
		if (s->clocks[i].n)
			return true;
	return false;
}

/* If any CPU of the host has frequency events, those without have facts, too: all of their time is
 * unknown. */
static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	uint16_t cpu;
	int rc = 0;
	(void)w;
	if (!is_told(s))
		return 0;
	for (uint32_t at = 0; analysis_next_cpu_of(f->e, h, f->host, &at, &cpu);)
		if (!clock_at(s, cpu))
			return mer_fail_nomem(f->err);
	for (size_t i = 0; i < s->cap_clocks && rc == 0; i++) {
		const struct clock *c = &s->clocks[i];
		const struct clocked before = { .fact = { h->begin,
							c->n ? c->changes[0].time : h->end,
							KERNEL_NONE, (uint16_t)i, 0 } };
		if (c->exists && fact_is_used(f, CLOCKS) && before.fact.end > h->begin)
			rc = fact_add(f, h, CLOCKS, &before);
		if (c->n && rc == 0)
			rc = end_last(f, h, (uint16_t)i, c, h->end);
	}
	return rc;
}

static const struct fact_kind *const kinds[] = {
	[CLOCKS] = &fact_clock, [CHANGES] = &fact_frequency, [TASK_CLOCKS] = &fact_task_clock, NULL
};
static const struct fact_maker maker = {
	.id = "cpufreq",
	.kinds = kinds,
	.wants = KERNEL_WANT_EVENT(FREQUENCY),
	.state_size = sizeof(struct state),
	.on = { .event = on_event, .span = on_span },
	.end = end,
	.free_state = free_state,
};

/* ---- tables ---- */

#define KNOWN .where = { "khz", FOLD_KNOWN, 0, 0 }
#define UNKNOWN .where = { "khz", FOLD_UNKNOWN, 0, 0 }
#define LEVEL_CELLS                                                                                \
	{ "mean_khz", FOLD_TIME_MEAN, .of = "khz" }, { "min_khz", FOLD_MIN, .of = "khz" },         \
		{ "max_khz", FOLD_MAX, .of = "khz" }, { "known_ns", FOLD_SUM, KNOWN },             \
	{                                                                                          \
		"unknown_ns", FOLD_SUM, UNKNOWN                                                    \
	}

static const struct mer_column top_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "mean_khz", "mean kHz", MER_KHZ },
	{ "min_khz", "min kHz", MER_KHZ }, { "max_khz", "max kHz", MER_KHZ },
	{ "changes", "changes", MER_COUNT }, { "known_ns", NULL, MER_DURATION },
	{ "unknown_ns", "unknown", MER_DURATION }, { 0 } };
static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_clock, &fact_frequency },
	.ignores = FOLD_BY_DURATION,
	.group = "host cpu",
	.cells = (const struct fold_cell[]){ LEVEL_CELLS,
		{ "changes", FOLD_COUNT, .where = { "kind", FOLD_IS, CHANGE, 0 }, .kind = 1 },
		{ 0 } },
	.order = "host cpu",
};

/* Each frequency once, the highest first; then the time for which it is not known. */
static const struct mer_column states_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "khz", "kHz", MER_ID }, { "time_ns", "time", MER_DURATION },
	{ "percent", "%", MER_RATIO }, { 0 } };
static const struct fold states = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_clock },
	.group = "host cpu khz",
	.cells = (const struct fold_cell[]){ { "time_ns", .op = FOLD_SUM },
		{ "percent", FOLD_OF_RANGE, .of = "time_ns" }, { 0 } },
	.order = "host cpu -khz",
};

/* Removes threads of hosts without frequency events. Facts about tasks do not show which hosts
 * these are, but facts about CPUs do: on other hosts they make a row of no thread, without time.
 * The threads that follow such a row stay; the row itself goes. Without tids, or with a filter, all
 * rows with time stay. */
static int keep_told(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	size_t host = mer_table_column(t, "host"), n = 0;
	size_t known = mer_table_column(t, "known_ns"), unknown = mer_table_column(t, "unknown_ns");
	bool any = mer_table_column(t, "tid") == SIZE_MAX || run->options->filter;
	const char *told = NULL;
	(void)n_seen;
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct mer_cell *row = &t->cells[r * t->n_columns];
		if (row[known].v.i == 0 && row[unknown].v.i == 0)
			told = host == SIZE_MAX ? told : row[host].v.text;
		else if (any || (told && strcmp(told, row[host].v.text) == 0))
			memmove(&t->cells[n++ * t->n_columns], row, t->n_columns * sizeof(*row));
	}
	t->n_rows = n;
	return 0;
}

static const struct mer_column threads_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "cycles", "cycles", MER_COUNT }, { "mean_khz", "mean kHz", MER_KHZ },
	{ "known_ns", "time", MER_DURATION }, { "unknown_ns", "unknown", MER_DURATION }, { 0 } };
static const struct fold threads = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_task_clock, &fact_clock },
	.group = "host thread",
	.cells = (const struct fold_cell[]){ { "cycles", FOLD_TIME_SUM, .of = "khz", .scale = 1000,
						     .empty_if_none = true },
		{ "mean_khz", FOLD_TIME_MEAN, .of = "khz" }, { "known_ns", FOLD_SUM, KNOWN },
		{ "unknown_ns", FOLD_SUM, UNKNOWN }, { 0 } },
	.order = "host thread",
	.finish = keep_told,
};

/* duration_ns: how long the new frequency lasted. */
static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "host", "host", MER_TEXT }, { "cpu", "CPU", MER_ID }, { "khz", "kHz", MER_KHZ },
	{ "before_khz", "before", MER_KHZ }, { 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_frequency },
	.value = "begin",
};

static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_frequency },
	.group = "host cpu",
	.order = "host cpu",
	.value = "duration_ns",
};

static const struct mer_column stats_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_frequency },
	.group = "host cpu",
	.cells = (const struct fold_cell[]){ FOLD_STATS("duration_ns"),
		FOLD_PERCENTILES("duration_ns"), { 0 } },
	.order = "host cpu",
};

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT }, { "cpu", "CPU", MER_ID },
	{ "mean_khz", "mean kHz", MER_KHZ }, { "min_khz", "min kHz", MER_KHZ },
	{ "max_khz", "max kHz", MER_KHZ }, { "known_ns", NULL, MER_DURATION },
	{ "unknown_ns", "unknown", MER_DURATION }, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_clock },
	.scopes = (const struct fold_scope[]){ { .group = "host cpu", .every_bin = true }, { 0 } },
	.cells = (const struct fold_cell[]){ LEVEL_CELLS, { 0 } },
	.order = "cpu",
};

enum { TOP, STATES, THREADS, LOG, FREQ, STATS, BINS };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "CPU frequency", top_columns, .fold = &top },
	[STATES] = { "top_states", "Time at each frequency", states_columns, .fold = &states },
	[THREADS] = { "threads", "CPU cycles by thread", threads_columns, "cycles", &threads },
	[LOG] = { "log", "CPU frequency changes", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "Time between frequency changes", freq_columns, .fold = &freq },
	[STATS] = { "stats", "Time between frequency changes", stats_columns, .fold = &stats },
	[BINS] = { "bins", "CPU frequency over time", bins_columns, .fold = &bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "CPU frequency", .y = "mean", .keys = "mean_khz", .lines = true }, { 0 }
};

const struct analysis analysis_cpufreq = {
	.id = "cpufreq",
	.was = "frequency",
	.title = "CPU frequency",
	.help = "clock frequency of the CPUs, and cycles by thread",
	.needs = (const uint8_t[]){ KERNEL_EV_FREQUENCY, KERNEL_EV_NONE },
	.outputs = outputs,
	.worth = "mean_khz max_khz min_khz unknown_ns changes",
	.charts = charts,
};
