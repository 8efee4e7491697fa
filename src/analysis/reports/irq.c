/* Interrupts: how long handlers took, and how long softirqs waited for their turn since they were
 * raised.
 *
 * A handler's time is from its entry to its exit, including interrupts in between: a softirq that
 * is interrupted lasts longer. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"

/* ---- names ---- */

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
	const uint32_t *at;
	switch (kind) {
	case KERNEL_BY_IRQ:
		at = mer_map_get(&h->irq_names, nr);
		return at && *at ? kernel_name_text(h, *at - 1) : NULL;
	case KERNEL_BY_SOFTIRQ: return kernel_softirq_name(nr);
	case KERNEL_BY_HRTIMER: return "hrtimer";
	case KERNEL_BY_TIMER: return "timer";
	case KERNEL_BY_LOCAL_TIMER: return "local_timer";
	case KERNEL_BY_IPI:
	case KERNEL_BY_VECTOR: return vector_name(nr);
	default: return NULL;
	}
}

static const char *const kind_names[KERNEL_N_INTERRUPT_KINDS] = { [KERNEL_BY_IRQ] = "irq",
	[KERNEL_BY_ANY_IRQ] = "irq",
	[KERNEL_BY_SOFTIRQ] = "softirq",
	[KERNEL_BY_HRTIMER] = "timer",
	[KERNEL_BY_TIMER] = "timer",
	[KERNEL_BY_LOCAL_TIMER] = "timer",
	[KERNEL_BY_IPI] = "ipi",
	[KERNEL_BY_VECTOR] = "vector" };

/* ---- facts ---- */

struct interrupt {
	struct fact fact; /* choice: enum kernel_interrupt_kind */
	int64_t raised;
	uint32_t nr;
};

/* Kind and number. */
static int64_t source_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return (int64_t)((uint64_t)f->choice << 32 | ((const struct interrupt *)f)->nr);
}

static const char *name_of(const struct kernel_host *h, int64_t source)
{
	return source_name(h, (uint8_t)(source >> 32), (uint32_t)source);
}

/* Kind, number and current name of the source. The name of an irq may become known, or change,
 * during the recording: then its names are matched again. */
static int64_t named_source_of(const struct kernel_host *h, const struct fact *f)
{
	enum { NR_BITS = 28, MAX_NR = (1 << NR_BITS) - 1, KIND_AT = 59 };
	uint32_t nr = ((const struct interrupt *)f)->nr;
	const uint32_t *named = f->choice == KERNEL_BY_IRQ ? mer_map_get(&h->irq_names, nr) : NULL;
	return (int64_t)((uint64_t)f->choice << KIND_AT |
			 (uint64_t)(named ? *named : 0) << NR_BITS | (nr < MAX_NR ? nr : MAX_NR));
}

/* By any of its names: "eth0", "27", "irq:eth0", "irq:27"; softirqs also as the kernel calls them:
 * "NET_RX". */
static bool has_name(const struct kernel_host *h, const struct fact *f,
	bool (*wants)(void *ctx, const char *name), void *ctx)
{
	enum { BYTES = 300 };
	char text[BYTES];
	uint32_t nr = ((const struct interrupt *)f)->nr;
	const char *name = source_name(h, (uint8_t)f->choice, nr), *of = kind_names[f->choice];
	bool fits = false; /* each is tried: see fact.h */
	if (name) {
		snprintf(text, sizeof(text), "%s:%s", of, name);
		fits |= wants(ctx, name);
		fits |= wants(ctx, text);
	}
	if (name && f->choice == KERNEL_BY_SOFTIRQ) {
		size_t n = strlen(name);
		for (size_t i = 0; i <= n && i < sizeof(text); i++)
			text[i] = (char)toupper((unsigned char)name[i]);
		fits |= wants(ctx, text);
	}
	if (nr != KERNEL_NONE) {
		int n = snprintf(text, sizeof(text), "%s:%" PRIu32, of, nr);
		fits |= wants(ctx, text);
		fits |= n > 0 && wants(ctx, text + strlen(of) + 1);
	}
	return fits;
}

static const struct fact_field fields[] = {
	{ "kind", "kind", MER_TEXT, FACT_WORDS(kind_names), FACT_MEMBER(struct fact, choice) },
	{ "nr", "nr", MER_ID, FACT_NUMBER, FACT_MEMBER(struct interrupt, nr),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "raised", NULL, MER_TIME, FACT_NUMBER, FACT_MEMBER(struct interrupt, raised),
		FACT_NONE_IS(FACT_UNKNOWN) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "name", "name", MER_TEXT, FACT_BY_FUNCTION, .get = source_of, .meaning = FACT_TEXT,
		.text = name_of },
	{ "raise_latency_ns", "raise latency", MER_DURATION, FACT_MINUS, "begin", .and = "raised" },
	{ "named_source", NULL, MER_ID, FACT_BY_FUNCTION, .get = named_source_of },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_interrupt = {
	.id = "interrupt",
	.title = "Interrupts",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct interrupt),
	.fields = fields,
	.views = views,
	.duration = "duration_ns",
	.name = "named_source",
	.has_name = has_name,
};

/* Numbers come from the trace, so they are limited: beyond MAX_SOURCES, which no machine has,
 * further ones count as one source without a number. */
enum { USUAL_NR = 256, MAX_SOURCES = 1 << 12 };
struct state {
	struct mer_map odd; /* a set of kind << 32 | number, for numbers from USUAL_NR on */
};

static int limit_nr(struct fact_host *f, const struct kernel_interrupt *i, uint32_t *nr)
{
	struct state *s = f->state;
	uint64_t key = (uint64_t)i->kind << 32 | i->nr;
	*nr = i->nr;
	if (i->nr < USUAL_NR || i->nr == KERNEL_NONE || mer_map_get(&s->odd, key))
		return 0;
	if (s->odd.n >= MAX_SOURCES)
		*nr = KERNEL_NONE;
	else if (!mer_map_put(&s->odd, key))
		return mer_fail_nomem(f->err);
	return 0;
}

static int on_interrupt(void *ctx, const struct kernel_host *h, const struct kernel_interrupt *i)
{
	struct fact_host *f = ctx;
	struct interrupt x = { .fact = { i->begin, i->end, i->task, i->cpu, i->kind },
		.raised = i->raised };
	int rc = limit_nr(f, i, &x.nr);
	return rc ? rc : fact_add(f, h, 0, &x);
}

static void free_state(void *state)
{
	mer_map_fini(&((struct state *)state)->odd);
}

static const struct fact_kind *const kinds[] = { &fact_interrupt, NULL };
static const struct fact_maker maker = {
	.id = "interrupt",
	.kinds = kinds,
	.wants = KERNEL_WANT_RAISES,
	.state_size = sizeof(struct state),
	.on = { .interrupt = on_interrupt },
	.free_state = free_state,
};

/* ---- tables ---- */

#define SOURCE_COLUMNS                                                                             \
	{ "kind", "kind", MER_TEXT }, { "nr", "nr", MER_ID },                                      \
	{                                                                                          \
		"name", "name", MER_TEXT                                                           \
	}
/* Times of handlers and of raises, what matters most first. */
#define TIME_COLUMNS                                                                               \
	{ "count", "count", MER_COUNT }, { "total_ns", "total", MER_DURATION },                    \
		{ "mean_ns", "mean", MER_DURATION }, { "max_ns", "max", MER_DURATION },            \
		{ "raise_mean_ns", "raise mean", MER_DURATION },                                   \
		{ "raise_max_ns", "raise max", MER_DURATION }, { "min_ns", "min", MER_DURATION },  \
		{ "stddev_ns", "stddev", MER_DURATION }, { "raise_count", "raised", MER_COUNT },   \
		{ "raise_min_ns", "raise min", MER_DURATION },                                     \
		{ "raise_stddev_ns", "raise stddev", MER_DURATION },                               \
		{ "raise_total_ns", NULL, MER_DURATION }, { "min_at", NULL, MER_TIME },            \
	{                                                                                          \
		"max_at", NULL, MER_TIME                                                           \
	}
#define RAISE "raise_latency_ns"
/* The name follows from the kind and the number: these are enough to tell groups apart. */
#define SOURCE_CELL                                                                                \
	{                                                                                          \
		"name", FOLD_FUNCTION, .of_parts = source_cell, .is_key = true                     \
	}
#define TIME_CELLS                                                                                 \
	FOLD_STATS("duration_ns"), { "raise_mean_ns", FOLD_MEAN, .of = RAISE },                    \
		{ "raise_max_ns", FOLD_MAX, .of = RAISE },                                         \
		{ "raise_count", FOLD_COUNT, .of = RAISE, .empty_if_none = true },                 \
		{ "raise_min_ns", FOLD_MIN, .of = RAISE },                                         \
		{ "raise_stddev_ns", FOLD_STDDEV, .of = RAISE },                                   \
	{                                                                                          \
		"raise_total_ns", FOLD_SUM, .of = RAISE, .empty_if_none = true                     \
	}

static int source_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t nr = fold_part_key(p, 0, "nr"), kind = fold_part_key(p, 0, "kind");
	const struct kernel_host *h = &fold_parts_run(p)->world->hosts[fold_part_host(p, 0)];
	*c = mer_text(
		source_name(h, (uint8_t)kind, nr == FACT_UNKNOWN ? KERNEL_NONE : (uint32_t)nr));
	return 0;
}

static const struct mer_column stats_columns[] = { { "host", "host", MER_TEXT }, SOURCE_COLUMNS,
	TIME_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_interrupt },
	.group = "host kind nr",
	.cells = (const struct fold_cell[]){ SOURCE_CELL, TIME_CELLS,
		FOLD_PERCENTILES("duration_ns"), { 0 } },
	.order = "host kind nr",
};

static const struct mer_column cpu_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, SOURCE_COLUMNS, { "percent", "%", MER_RATIO }, TIME_COLUMNS,
	{ 0 } };
static const struct fold cpus = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_interrupt },
	.group = "host cpu kind nr",
	.cells = (const struct fold_cell[]){ SOURCE_CELL, TIME_CELLS,
		{ "percent", FOLD_OF_RANGE, .of = "total_ns" }, { 0 } },
	.order = "host cpu kind nr",
};

static const struct mer_column row_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "host", "host", MER_TEXT }, { "cpu", "CPU", MER_ID }, SOURCE_COLUMNS,
	{ "raise_latency_ns", "raise latency", MER_DURATION }, { "tid", "tid", MER_ID },
	{ "pid", "pid", MER_ID }, { "comm", "interrupted", MER_TEXT }, { 0 } };
static const struct fold top = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_interrupt },
	.value = "-duration_ns",
};
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_interrupt },
	.value = "begin",
};

/* Sources with the greatest total time come first, so the first few histograms are those that
 * matter. */
static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT }, SOURCE_COLUMNS,
	ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_interrupt },
	.group = "host kind nr",
	.cells = (const struct fold_cell[]){ SOURCE_CELL, { 0 } },
	.value = "duration_ns",
	.order = "host -total kind nr",
};

/* A handler counts as a whole in the bin where it begins. Bins without any have no row: most
 * handlers rarely run. */
static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT }, SOURCE_COLUMNS,
	{ "count", "count", MER_COUNT }, { "total_ns", "total", MER_DURATION },
	{ "max_ns", "max", MER_DURATION }, { "raise_max_ns", "raise max", MER_DURATION },
	ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_interrupt },
	.scopes = (const struct fold_scope[]){ { .group = "host kind nr" }, { 0 } },
	.cells = (const struct fold_cell[]){ SOURCE_CELL, { "count", .op = FOLD_COUNT },
		{ "total_ns", FOLD_SUM, .of = "duration_ns" },
		{ "max_ns", FOLD_MAX, .of = "duration_ns" },
		{ "raise_max_ns", FOLD_MAX, .of = RAISE }, FOLD_PERCENTILES("duration_ns"), { 0 } },
};

static const struct analysis_output outputs[] = {
	{ "stats", "Interrupts by handler", stats_columns, .fold = &stats },
	{ "cpus", "Interrupts by CPU and handler", cpu_columns, .fold = &cpus },
	{ "top", "Longest interrupts", row_columns, "duration_ns", .fold = &top },
	{ "log", "Interrupts", row_columns, .fold = &log_fold },
	{ "freq", "Duration of interrupts", freq_columns, .fold = &freq },
	{ "bins", "Interrupts over time", bins_columns, .fold = &bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Interrupts: time in handlers",
		.y = "of one CPU",
		.keys = "total_ns",
		.per = "time" },
	{ .title = "Interrupts", .y = "per second", .keys = "count", .per = "time" },
	{ 0 },
};

const struct analysis analysis_irq = {
	.id = "irq",
	.title = "Interrupts",
	.help = "duration of interrupts, softirqs and timers, and raise latency of softirqs",
	.names = "interrupt",
	.outputs = outputs,
	.names_others = true, /* its tasks are those that were interrupted */
	.worth = "duration_ns name kind total_ns count max_ns p99_ns p50_ns mean_ns "
		 "raise_latency_ns raise_mean_ns "
		 "raise_max_ns",
	.charts = charts,
};
