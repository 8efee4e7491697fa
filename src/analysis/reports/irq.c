/* Interrupts: how long handlers took, and how long softirqs waited for their turn since they were raised.
 *
 * A handler's time is from its entry to its exit, with what came in between: a softirq that is
 * interrupted lasts longer. All is counted in cells (kind, number, CPU); rows are sums of cells. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/rows.h"

struct irq_row {
	struct analysis_row row;
	int64_t begin, end, raised; /* raised: INT64_MIN: not known */
	uint32_t task, nr;
	uint16_t cpu;
	uint8_t kind;
};

struct source { /* of interrupts */
	uint32_t nr;
	uint8_t kind;
	struct analysis_histogram freq;
};

struct cell {	     /* of a source, on a CPU */
	uint32_t of; /* state.sources */
	uint16_t cpu;
	struct analysis_stats time, raise;
};

struct state {
	struct mer_map source_map, cell_map; /* to a number below, plus 1 */
	struct source *sources;
	struct cell *cells;
	size_t n_sources, cap_sources, n_cells, cap_cells;
	struct analysis_rows log, top; /* top stays empty without limit: then log has all */
	struct mer_map wanted_map;     /* a source and its name, to 1: not asked for, 2: it is */
	size_t n_wanted;
};

enum { STATS, CPUS, TOP, LOG, FREQ };

/* Numbers come from the trace: more different ones than any machine has count as one, without number. */
enum { MAX_SOURCES = 1 << 12 };

static void free_state(void *state)
{
	struct state *s = state;
	mer_map_fini(&s->source_map);
	mer_map_fini(&s->cell_map);
	mer_map_fini(&s->wanted_map);
	free(s->sources);
	free(s->cells);
	analysis_rows_fini(&s->log);
	analysis_rows_fini(&s->top);
}

/* ---- while reading ---- */

static uint64_t key_of(uint8_t kind, uint32_t nr, uint16_t cpu)
{
	enum { MAX_NR = 0xffffff };
	/* The kernel knows no more numbers. */
	return (uint64_t)kind << 56 | (uint64_t)(nr < MAX_NR ? nr : MAX_NR) << 16 | cpu;
}

static struct source *source_of(struct state *s, uint8_t kind, uint32_t nr)
{
	uint64_t key = key_of(kind, nr, 0);
	uint32_t *at = mer_map_get(&s->source_map, key);
	if (at && *at)
		return &s->sources[*at - 1];
	if (s->n_sources >= MAX_SOURCES && nr != KERNEL_NONE)
		return source_of(s, kind, KERNEL_NONE);
	at = mer_map_put(&s->source_map, key);
	struct source *x =
		at ? mer_grow_at(&s->sources, &s->cap_sources, s->n_sources, sizeof(*x)) : NULL;
	if (!x)
		return NULL;
	x->nr = nr;
	x->kind = kind;
	*at = (uint32_t)++s->n_sources;
	return x;
}

static struct cell *cell_of(struct state *s, const struct kernel_interrupt *i)
{
	uint32_t *at = mer_map_get(&s->cell_map, key_of(i->kind, i->nr, i->cpu));
	if (at && *at)
		return &s->cells[*at - 1];
	struct source *x = source_of(s, i->kind, i->nr);
	at = x ? mer_map_put(&s->cell_map, key_of(x->kind, x->nr, i->cpu)) : NULL;
	if (at && *at)
		return &s->cells[*at - 1];
	struct cell *c = at ? mer_grow_at(&s->cells, &s->cap_cells, s->n_cells, sizeof(*c)) : NULL;
	if (!c)
		return NULL;
	c->of = (uint32_t)(x - s->sources);
	c->cpu = i->cpu;
	*at = (uint32_t)++s->n_cells;
	return c;
}

static const char *vector_name(uint32_t vector)
{
	static const struct {
		uint32_t vector;
		const char *name;
	} names[] = {
		{ 0xfe, "error_apic" },
		{ 0xfd, "reschedule" },
		{ 0xfc, "call_function" },
		{ 0xfb, "call_function_single" },
		{ 0xfa, "thermal_apic" },
		{ 0xf9, "threshold_apic" },
		{ 0xff, "spurious_apic" },
		{ 0xf7, "x86_platform_ipi" },
		{ 0xf6, "irq_work" },
		{ 0xf4, "deferred_error_apic" },
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].vector == vector)
			return names[i].name;
	return NULL;
}

/* NULL: not known. */
static const char *source_name(const struct kernel_host *h, uint8_t kind, uint32_t nr)
{
	static const char *const softirqs[] = { "hi", "timer", "net_tx", "net_rx", "block",
		"irq_poll", "tasklet", "sched", "hrtimer", "rcu" };
	const uint32_t *at;
	switch (kind) {
	case KERNEL_BY_IRQ:
		at = mer_map_get(&h->irq_names, nr);
		return at && *at ? kernel_name_text(h, *at - 1) : NULL;
	case KERNEL_BY_SOFTIRQ:
		return nr < sizeof(softirqs) / sizeof(softirqs[0]) ? softirqs[nr] : NULL;
	case KERNEL_BY_HRTIMER: return "hrtimer";
	case KERNEL_BY_TIMER: return "timer";
	case KERNEL_BY_LOCAL_TIMER: return "local_timer";
	case KERNEL_BY_IPI:
	case KERNEL_BY_VECTOR: return vector_name(nr);
	default: return NULL;
	}
}

static const char *kind_name(uint8_t kind)
{
	switch (kind) {
	case KERNEL_BY_IRQ:
	case KERNEL_BY_ANY_IRQ: return "irq";
	case KERNEL_BY_SOFTIRQ: return "softirq";
	case KERNEL_BY_IPI: return "ipi";
	case KERNEL_BY_VECTOR: return "vector";
	default: return "timer";
	}
}

/* Asked for by any of its names: "eth0", "27", "irq:eth0", "irq:27"; softirqs also as the kernel calls
 * them: "NET_RX". */
static bool fits_source(
	const struct analysis_options *o, const struct kernel_host *h, uint8_t kind, uint32_t nr)
{
	enum { BYTES = 300 };
	char text[BYTES];
	const char *name = source_name(h, kind, nr), *of = kind_name(kind);
	bool fits = false; /* each is tried: wants_name is told all that there is */
	if (name) {
		snprintf(text, sizeof(text), "%s:%s", of, name);
		fits |= o->wants_name(o->ctx, name);
		fits |= o->wants_name(o->ctx, text);
	}
	if (name && kind == KERNEL_BY_SOFTIRQ) {
		size_t n = strlen(name);
		for (size_t i = 0; i <= n && i < sizeof(text); i++)
			text[i] = (char)toupper((unsigned char)name[i]);
		fits |= o->wants_name(o->ctx, text);
	}
	if (nr != KERNEL_NONE) {
		int n = snprintf(text, sizeof(text), "%s:%" PRIu32, of, nr);
		fits |= o->wants_name(o->ctx, text);
		fits |= n > 0 && o->wants_name(o->ctx, text + strlen(of) + 1);
	}
	return fits;
}

/* 1: yes, 0: no; negative: no memory. */
static int wants_source(
	const struct analysis_host *a, const struct kernel_host *h, uint8_t kind, uint32_t nr)
{
	const struct analysis_options *o = a->run->options;
	struct state *s = a->state;
	if (!o->wants_name)
		return 1;
	/* An irq's name may come to be known, or change: then it is looked at anew. */
	enum { NR_BITS = 28, MAX_NR = (1 << NR_BITS) - 1, KIND_AT = 60 };
	const uint32_t *named = kind == KERNEL_BY_IRQ ? mer_map_get(&h->irq_names, nr) : NULL;
	uint64_t key = (uint64_t)kind << KIND_AT | (uint64_t)(named ? *named : 0) << NR_BITS |
		       (nr < MAX_NR ? nr : MAX_NR);
	uint32_t *at = mer_map_get(&s->wanted_map, key);
	if (at && *at)
		return *at == 2;
	bool fits = fits_source(o, h, kind, nr);
	if (s->n_wanted >= MAX_SOURCES || (nr >= MAX_NR && nr != KERNEL_NONE))
		return fits;
	at = mer_map_put(&s->wanted_map, key);
	if (!at)
		return mer_fail_nomem(a->err);
	*at = fits ? 2 : 1;
	s->n_wanted++;
	return fits;
}

static int on_interrupt(void *ctx, const struct kernel_host *h, const struct kernel_interrupt *i)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	int64_t took = i->end - i->begin;
	uint64_t limit = a->run->options->limit;
	int wanted = wants_source(a, h, i->kind, i->nr);
	if (wanted <= 0 || !analysis_counts(a, i->begin, i->end) ||
		!analysis_wants_cpu(a, i->cpu) || !analysis_wants_task(a, h, i->task))
		return wanted < 0 ? wanted : 0;
	struct cell *c = cell_of(s, i);
	if (!c)
		return mer_fail_nomem(a->err);
	analysis_stats_add(&c->time, took, i->begin);
	if (i->raised != INT64_MIN)
		analysis_stats_add(&c->raise, i->begin - i->raised, i->raised);
	s->sources[c->of].freq.n[analysis_bucket(took)]++;
	struct irq_row row = { .row.key = i->begin,
		.begin = i->begin,
		.end = i->end,
		.raised = i->raised,
		.task = i->task,
		.nr = s->sources[c->of].nr,
		.cpu = i->cpu,
		.kind = i->kind };
	/* Without limit log is all there is to keep. */
	bool ok = (!analysis_asks(a, LOG) && (limit || !analysis_asks(a, TOP))) ||
		  analysis_rows_add(&s->log, &row, sizeof(row), limit);
	row.row.key = -took;
	if (ok && limit && analysis_asks(a, TOP))
		ok = analysis_rows_add(&s->top, &row, sizeof(row), limit);
	return ok ? 0 : mer_fail_nomem(a->err);
}

/* ---- tables ---- */

enum { SOURCE_CELLS = 4 };
#define SOURCE_COLUMNS                                                                             \
	{ "host", "host", MER_TEXT }, { "kind", "kind", MER_TEXT }, { "nr", "nr", MER_ID },        \
	{                                                                                          \
		"name", "name", MER_TEXT                                                           \
	}

static void source_cells(const struct analysis_run *run, uint32_t host, uint8_t kind, uint32_t nr,
	struct mer_cell *cells)
{
	cells[0] = mer_text(analysis_host_name(run, host));
	cells[1] = mer_text(kind_name(kind));
	cells[2] = nr == KERNEL_NONE ? MER_NONE : MER_INT(nr);
	cells[3] = mer_text(source_name(&run->world->hosts[host], kind, nr));
}

/* Times of handlers and of raises, what matters most first. */
enum { TIME_CELLS = ANALYSIS_STATS_CELLS + 6 };
#define TIME_COLUMNS                                                                               \
	{ "count", "count", MER_COUNT }, { "total_ns", "total", MER_DURATION },                    \
		{ "avg_ns", "avg", MER_DURATION }, { "max_ns", "max", MER_DURATION },              \
		{ "raise_avg_ns", "raise avg", MER_DURATION },                                     \
		{ "raise_max_ns", "raise max", MER_DURATION }, { "min_ns", "min", MER_DURATION },  \
		{ "stddev_ns", "stddev", MER_DURATION }, { "raise_count", "raised", MER_COUNT },   \
		{ "raise_min_ns", "raise min", MER_DURATION },                                     \
		{ "raise_stddev_ns", "raise stddev", MER_DURATION },                               \
		{ "raise_total_ns", NULL, MER_DURATION }, { "min_at", NULL, MER_TIME },            \
	{                                                                                          \
		"max_at", NULL, MER_TIME                                                           \
	}

static void time_cells(const struct analysis_stats *time, const struct analysis_stats *raise,
	struct mer_cell *cells)
{
	enum { COUNT, MIN, MAX, AVG, STDDEV, TOTAL, MIN_AT, MAX_AT };
	struct mer_cell s[ANALYSIS_STATS_CELLS], r[ANALYSIS_STATS_CELLS];
	analysis_stats_cells(time, s);
	analysis_stats_cells(raise, r);
	if (!raise->n)
		memset(r, 0, sizeof(r));
	struct mer_cell all[TIME_CELLS] = { s[COUNT], s[TOTAL], s[AVG], s[MAX], r[AVG], r[MAX],
		s[MIN], s[STDDEV], r[COUNT], r[MIN], r[STDDEV], r[TOTAL], s[MIN_AT], s[MAX_AT] };
	memcpy(cells, all, sizeof(all));
}

struct order { /* of a source or cell */
	const struct state *s;
	size_t i;
	int64_t total; /* for by_total */
};

static int by_source(const void *a, const void *b)
{
	const struct order *p = a, *q = b;
	const struct source *x = &p->s->sources[p->i], *y = &q->s->sources[q->i];
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->nr > y->nr) - (x->nr < y->nr);
}

/* The most first, so that a few histograms are those that matter. */
static int by_total(const void *a, const void *b)
{
	const struct order *p = a, *q = b;
	if (p->total != q->total)
		return p->total > q->total ? -1 : 1;
	return by_source(a, b);
}

static int emit_sources(struct analysis_run *run, uint32_t host, struct mer_table *t, bool freq)
{
	enum { N = SOURCE_CELLS + TIME_CELLS };
	const struct state *s = run->states[host];
	struct order *order = calloc(s->n_sources + 1, sizeof(*order));
	struct analysis_stats *sums = calloc(2 * s->n_sources + 1, sizeof(*sums));
	if (!order || !sums) {
		free(order);
		free(sums);
		return mer_fail_nomem(run->err);
	}
	for (size_t i = 0; i < s->n_cells; i++) {
		analysis_stats_merge(&sums[2 * s->cells[i].of], &s->cells[i].time);
		analysis_stats_merge(&sums[2 * s->cells[i].of + 1], &s->cells[i].raise);
	}
	for (size_t i = 0; i < s->n_sources; i++)
		order[i] = (struct order){ s, i, sums[2 * i].total };
	qsort(order, s->n_sources, sizeof(*order), freq ? by_total : by_source);
	for (size_t k = 0; k < s->n_sources; k++) {
		const struct source *x = &s->sources[order[k].i];
		struct mer_cell cells[N];
		source_cells(run, host, x->kind, x->nr, cells);
		time_cells(&sums[2 * order[k].i], &sums[2 * order[k].i + 1], cells + SOURCE_CELLS);
		if (freq)
			analysis_freq_rows(t, cells, SOURCE_CELLS, &x->freq);
		else
			mer_table_add(t, cells);
	}
	free(order);
	free(sums);
	return 0;
}

static int by_cell(const void *a, const void *b)
{
	const struct order *p = a, *q = b;
	const struct cell *x = &p->s->cells[p->i], *y = &q->s->cells[q->i];
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	struct order sx = { p->s, x->of, 0 }, sy = { q->s, y->of, 0 };
	return by_source(&sx, &sy);
}

static int emit_cpus(struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	enum { N = SOURCE_CELLS + 2 + TIME_CELLS };
	const struct state *s = run->states[host];
	struct order *order = calloc(s->n_cells + 1, sizeof(*order));
	int64_t begin, end, length = analysis_range(run, host, &begin, &end);
	if (!order)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < s->n_cells; i++)
		order[i] = (struct order){ s, i, 0 };
	qsort(order, s->n_cells, sizeof(*order), by_cell);
	for (size_t k = 0; k < s->n_cells; k++) {
		const struct cell *c = &s->cells[order[k].i];
		const struct source *x = &s->sources[c->of];
		struct mer_cell cells[N];
		source_cells(run, host, x->kind, x->nr, cells + 1);
		cells[0] = cells[1];
		cells[1] = MER_INT(c->cpu);
		double share = length ? (double)c->time.total / (double)length : 0;
		cells[1 + SOURCE_CELLS] = length ? MER_REAL_CELL(share) : MER_NONE;
		time_cells(&c->time, &c->raise, cells + SOURCE_CELLS + 2);
		mer_table_add(t, cells);
	}
	free(order);
	return 0;
}

static const struct analysis_rows *log_of(const void *state)
{
	return &((const struct state *)state)->log;
}

static const struct analysis_rows *top_of(const void *state)
{
	return &((const struct state *)state)->top;
}

static int emit_rows(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	enum { N = 3 + SOURCE_CELLS + 2 + ANALYSIS_TASK_CELLS - 1 };
	size_t n;
	bool is_top = output == TOP && run->options->limit;
	struct analysis_row_of *rows = analysis_rows_join(
		run, is_top ? top_of : log_of, sizeof(struct irq_row), &n, &t->n_left_out);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++) {
		const struct irq_row *r = rows[i].row;
		struct mer_cell cells[N] = { MER_INT(r->begin), MER_INT(r->end),
			MER_INT(r->end - r->begin) };
		struct mer_cell task[ANALYSIS_TASK_CELLS];
		source_cells(run, rows[i].host, r->kind, r->nr, cells + 4);
		cells[3] = cells[4]; /* host */
		cells[4] = MER_INT(r->cpu);
		if (r->raised != INT64_MIN)
			cells[8] = MER_INT(r->begin - r->raised);
		analysis_task_cells(run, rows[i].host, r->task, r->end, task);
		memcpy(cells + 9, task + 1, (ANALYSIS_TASK_CELLS - 1) * sizeof(*cells));
		mer_table_add(t, cells);
	}
	free(rows);
	return 0;
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	int rc = 0;
	if (output == TOP || output == LOG)
		return emit_rows(run, output, t);
	for (uint32_t h = 0; h < run->e->n_hosts && rc == 0; h++)
		rc = output == CPUS ? emit_cpus(run, h, t)
				    : emit_sources(run, h, t, output == FREQ);
	return rc;
}

static const struct mer_column stats_columns[] = { SOURCE_COLUMNS, TIME_COLUMNS, { 0 } };
static const struct mer_column cpu_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "kind", "kind", MER_TEXT }, { "nr", "nr", MER_ID },
	{ "name", "name", MER_TEXT }, { "percent", "%", MER_RATIO }, TIME_COLUMNS, { 0 } };
static const struct mer_column row_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "host", "host", MER_TEXT }, { "cpu", "CPU", MER_ID }, { "kind", "kind", MER_TEXT },
	{ "nr", "nr", MER_ID }, { "name", "name", MER_TEXT },
	{ "raise_latency_ns", "raise latency", MER_DURATION }, { "tid", "tid", MER_ID },
	{ "pid", "pid", MER_ID }, { "comm", "interrupted", MER_TEXT }, { 0 } };
static const struct mer_column freq_columns[] = { SOURCE_COLUMNS, ANALYSIS_FREQ_COLUMNS, { 0 } };

static const struct analysis_output outputs[] = { [STATS] = { "stats", "Interrupts by handler",
							  stats_columns, .sort = NULL },
	[CPUS] = { "cpus", "Interrupts by CPU and handler", cpu_columns, .sort = NULL },
	[TOP] = { "top", "Longest interrupts", row_columns, .sort = "duration_ns" },
	[LOG] = { "log", "Interrupts", row_columns, .sort = NULL },
	[FREQ] = { "freq", "Duration of interrupts", freq_columns, .sort = NULL },
	{ 0 } };

const struct analysis analysis_irq = {
	.id = "irq",
	.title = "Interrupts",
	.help = "duration of interrupts, softirqs and timers, and raise latency of softirqs",
	.wants = KERNEL_WANT_RAISES,
	.by_duration = ANALYSIS_ALL_OUTPUTS,
	.by_name = ANALYSIS_ALL_OUTPUTS,
	.names = "interrupt",
	.outputs = outputs,
	.names_others = true, /* who was interrupted */
	.worth = "duration_ns name kind total_ns count max_ns avg_ns raise_latency_ns raise_avg_ns "
		 "raise_max_ns",
	.state_size = sizeof(struct state),
	.on = { .interrupt = on_interrupt },
	.emit = emit,
	.free_state = free_state,
};
