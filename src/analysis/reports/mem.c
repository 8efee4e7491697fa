/* Memory: pages and objects of the kernel's heap that threads allocate and free.
 *
 * Allocations are counted for the thread on the CPU, even in interrupts (in_interrupt_bytes is
 * that part). Pages are not followed from thread to thread: a thread that frees pages of another
 * one goes below zero. So what a thread holds is shown relative to its minimum in the recording,
 * which needs all events, including those before the selected range. */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "analysis/facts/mem_objects.h"
#include "base/grow.h"
#include "kernel/events.h"

enum { PAGE_BYTES = 4096 };

/* ---- facts ---- */

enum { PAGE_ALLOC, PAGE_FREE, SLAB_ALLOC, SLAB_FREE };
static const char *const what_names[] = { "page alloc", "page free", "slab alloc", "slab free" };

struct memory {
	struct fact fact; /* an instant; choice: what */
	/* not negative; FACT_UNKNOWN: an object that was allocated before the recording */
	int64_t bytes;
	int64_t gained; /* bytes of pages that its task then holds, above its minimum so far */
	uint64_t address;
	uint8_t in_interrupt;
	uint8_t unused[7];
};

static bool is_free(const struct fact *f)
{
	return f->choice == PAGE_FREE || f->choice == SLAB_FREE;
}

static int64_t change_of(const struct kernel_host *h, const struct fact *f)
{
	int64_t bytes = ((const struct memory *)f)->bytes;
	(void)h;
	return is_free(f) && bytes != FACT_UNKNOWN ? -bytes : bytes;
}

static int64_t in_interrupt_of(const struct kernel_host *h, const struct fact *f)
{
	const struct memory *m = (const struct memory *)f;
	(void)h;
	return f->choice == PAGE_ALLOC && m->in_interrupt ? m->bytes : FACT_UNKNOWN;
}

static int64_t unknown_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return f->choice == SLAB_FREE ? ((const struct memory *)f)->bytes == FACT_UNKNOWN
				      : FACT_UNKNOWN;
}

static const struct fact_field fields[] = {
	{ "name", "what", MER_TEXT, FACT_WORDS(what_names), FACT_MEMBER(struct fact, choice) },
	{ "size_bytes", NULL, MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct memory, bytes),
		FACT_NONE_IS(FACT_UNKNOWN) },
	{ "gained_bytes", NULL, MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct memory, gained) },
	{ "address", NULL, MER_TEXT, FACT_ADDRESS, FACT_MEMBER(struct memory, address),
		FACT_NONE_IS(0) },
	{ "in_interrupt", "in interrupt", MER_COUNT, FACT_NUMBER,
		FACT_MEMBER(struct memory, in_interrupt) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "bytes", NULL, MER_BYTES, FACT_BY_FUNCTION, .get = change_of, .meaning = FACT_NUMBER },
	{ "in_interrupt_bytes", NULL, MER_BYTES, FACT_BY_FUNCTION, .get = in_interrupt_of,
		.meaning = FACT_NUMBER },
	{ "unknown", NULL, MER_COUNT, FACT_BY_FUNCTION, .get = unknown_of, .meaning = FACT_NUMBER },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_memory = {
	.id = "memory",
	.title = "Allocations",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct memory),
	.fields = fields,
	.views = views,
};

/* ---- their maker ---- */

/* bytes of pages that a task holds, less those when the recording began; lowest: at most 0 */
struct level {
	int64_t now, lowest;
};

struct maker_state {
	struct level *levels; /* by task + 1; 0: idle, or not known */
	size_t cap_levels;
	struct mem_objects objects;
};

static void follow_level(struct level *x, int64_t change)
{
	x->now += change;
	if (x->now < x->lowest)
		x->lowest = x->now;
}

static int on_event(void *ctx, const struct kernel_host *h, const struct kernel_told_event *e)
{
	struct fact_host *f = ctx;
	struct maker_state *s = f->state;
	const uint64_t *slots = e->slots;
	bool is_page = e->kind == KERNEL_EV_PAGE_ALLOC || e->kind == KERNEL_EV_PAGE_FREE;
	struct memory x = { .fact = { e->time, e->time, e->task, e->cpu, PAGE_ALLOC },
		.address = is_page ? 0 : slots[SLAB_ADDRESS],
		.in_interrupt = e->in_interrupt };
	if (e->kind == KERNEL_EV_SLAB_FREE && !x.address)
		return 0; /* kfree(NULL) does nothing */
	struct level *level =
		mer_grow_at(&s->levels, &s->cap_levels, e->task + 1, sizeof(*s->levels));
	if (!level)
		return mer_fail_nomem(f->err);
	if (is_page) {
		bool is_alloc = e->kind == KERNEL_EV_PAGE_ALLOC;
		x.fact.choice = is_alloc ? PAGE_ALLOC : PAGE_FREE;
		x.bytes = kernel_page_bytes(slots);
		follow_level(level, is_alloc ? x.bytes : -x.bytes);
	} else if (e->kind == KERNEL_EV_SLAB_ALLOC) {
		x.fact.choice = SLAB_ALLOC;
		x.bytes = slots[SLAB_BYTES] < INT64_MAX ? (int64_t)slots[SLAB_BYTES] : 0;
		if (!mem_objects_put(&s->objects, x.address, x.bytes))
			return mer_fail_nomem(f->err);
	} else {
		x.fact.choice = SLAB_FREE;
		x.bytes = mem_objects_take(&s->objects, x.address);
		if (x.bytes < 0)
			x.bytes = FACT_UNKNOWN;
	}
	x.gained = level->now - level->lowest;
	return fact_add(f, h, 0, &x);
}

static void free_maker_state(void *state)
{
	struct maker_state *s = state;
	free(s->levels);
	mem_objects_fini(&s->objects);
}

static const struct fact_kind *const kinds[] = { &fact_memory, NULL };
static const struct fact_maker maker = {
	.id = "memory",
	.kinds = kinds,
	.wants = KERNEL_WANT_EVENT(PAGE_ALLOC) | KERNEL_WANT_EVENT(PAGE_FREE) |
		 KERNEL_WANT_EVENT(SLAB_ALLOC) | KERNEL_WANT_EVENT(SLAB_FREE),
	.state_size = sizeof(struct maker_state),
	.on = { .event = on_event },
	.free_state = free_maker_state,
};

/* ---- tables ---- */

#define SUMS_COLUMNS                                                                               \
	{ "allocated_bytes", "pages allocated", MER_BYTES },                                       \
		{ "freed_bytes", "freed", MER_BYTES }, { "net_bytes", "net", MER_BYTES },          \
		{ "allocated_pages", NULL, MER_COUNT }, { "freed_pages", NULL, MER_COUNT },        \
		{ "in_interrupt_bytes", NULL, MER_BYTES },                                         \
		{ "slab_allocated_bytes", "slab allocated", MER_BYTES },                           \
		{ "slab_freed_bytes", "slab freed", MER_BYTES },                                   \
	{                                                                                          \
		"slab_net_bytes", NULL, MER_BYTES                                                  \
	}
#define WHAT_IS(what_) .where = { "name", FOLD_IS, (what_), 0 }
#define SUM_OF(key_, what_)                                                                        \
	{                                                                                          \
		key_, FOLD_SUM, .of = "size_bytes", WHAT_IS(what_)                                 \
	}
#define SUMS_CELLS                                                                                 \
	SUM_OF("allocated_bytes", PAGE_ALLOC), SUM_OF("freed_bytes", PAGE_FREE),                   \
		{ "net_bytes", FOLD_LESS, .of = "allocated_bytes", .by = "freed_bytes" },          \
		{ "allocated_pages", FOLD_SUM, .of = "size_bytes", WHAT_IS(PAGE_ALLOC),            \
			.scale = PAGE_BYTES },                                                     \
		{ "freed_pages", FOLD_SUM, .of = "size_bytes", WHAT_IS(PAGE_FREE),                 \
			.scale = PAGE_BYTES },                                                     \
		{ "in_interrupt_bytes", FOLD_SUM, .of = "in_interrupt_bytes" },                    \
		SUM_OF("slab_allocated_bytes", SLAB_ALLOC), SUM_OF("slab_freed_bytes", SLAB_FREE), \
	{                                                                                          \
		"slab_net_bytes", FOLD_LESS, .of = "slab_allocated_bytes",                         \
					     .by = "slab_freed_bytes"                              \
	}

static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS, SUMS_COLUMNS,
	{ "gained_bytes", "most gained", MER_BYTES }, { 0 } };

static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_memory },
	.group = "host thread",
	.cells = (const struct fold_cell[]){ SUMS_CELLS,
		{ "gained_bytes", FOLD_MAX, .of = "gained_bytes" }, { 0 } },
	.order = "host thread",
};

static const struct mer_column cpus_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, SUMS_COLUMNS, { 0 } };

static const struct fold cpus = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_memory },
	.group = "host cpu",
	.cells = (const struct fold_cell[]){ SUMS_CELLS, { 0 } },
	.order = "host cpu",
};

/* Sizes by kind. Frees of unknown size are counted separately. */
static const struct mer_column stats_columns[] = { { "host", "host", MER_TEXT },
	{ "name", "what", MER_TEXT }, { "count", "count", MER_COUNT },
	{ "min_bytes", "min", MER_BYTES }, { "max_bytes", "max", MER_BYTES },
	{ "mean_bytes", "mean", MER_BYTES }, { "stddev_bytes", "stddev", MER_BYTES },
	{ "total_bytes", "total", MER_BYTES }, { "unknown", "size unknown", MER_COUNT }, { 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_memory },
	.group = "host name",
	.cells = (const struct fold_cell[]){ { "count", FOLD_COUNT, .of = "size_bytes" },
		{ "min_bytes", FOLD_MIN, .of = "size_bytes" },
		{ "max_bytes", FOLD_MAX, .of = "size_bytes" },
		{ "mean_bytes", FOLD_MEAN, .of = "size_bytes" },
		{ "stddev_bytes", FOLD_STDDEV, .of = "size_bytes" },
		{ "total_bytes", FOLD_SUM, .of = "size_bytes" },
		{ "unknown", FOLD_SUM, .of = "unknown", .empty_if_none = true }, { 0 } },
	.order = "host name",
};

static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	{ "name", "what", MER_TEXT }, { "from_bytes", "from", MER_BYTES },
	{ "to_bytes", "to", MER_BYTES }, { "count", "count", MER_COUNT }, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_memory },
	.group = "host name",
	.value = "size_bytes",
	.order = "host name",
};

static const struct mer_column log_columns[] = { { "begin", "time", MER_TIME },
	{ "name", "what", MER_TEXT }, { "bytes", "bytes", MER_BYTES },
	{ "address", NULL, MER_TEXT }, { "in_interrupt", NULL, MER_COUNT },
	{ "cpu", "CPU", MER_ID }, ANALYSIS_TASK_COLUMNS, { 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_memory },
	.value = "begin",
};

/* Pages over time: of the whole host, then of each thread where they change; changes of no known
 * thread are a row, too. */
static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, ANALYSIS_TASK_COLUMNS,
	{ "allocated_bytes", "allocated", MER_BYTES }, { "freed_bytes", "freed", MER_BYTES },
	{ "held_bytes", "held", MER_BYTES }, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_memory },
	.where = { { "name", FOLD_ONE_OF, 1 << PAGE_ALLOC | 1 << PAGE_FREE, 0 } },
	.scopes = (const struct fold_scope[]){ { .of = "host", .group = "host", .every_bin = true },
		{ .of = "thread", .group = "host thread" }, { 0 } },
	.cells = (const struct fold_cell[]){ SUM_OF("allocated_bytes", PAGE_ALLOC),
		SUM_OF("freed_bytes", PAGE_FREE), { "held_bytes", FOLD_LEVEL, .of = "bytes" },
		{ 0 } },
	.order = "thread",
};

enum { TOP, CPUS, LOG, STATS, FREQ, BINS };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Memory by thread", top_columns, "allocated_bytes", &top },
	[CPUS] = { "cpus", "Memory by CPU", cpus_columns, .fold = &cpus },
	[LOG] = { "log", "Allocations", log_columns, .fold = &log_fold },
	[STATS] = { "stats", "Sizes of allocations by kind", stats_columns, .fold = &stats },
	[FREQ] = { "freq", "Sizes of allocations", freq_columns, .fold = &freq },
	[BINS] = { "bins", "Memory over time", bins_columns, .fold = &bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Pages held",
		.y = "above the minimum",
		.of = "host",
		.keys = "held_bytes",
		.lines = true },
	{ .title = "Pages allocated by thread",
		.y = "allocated",
		.of = "thread",
		.keys = "allocated_bytes",
		.per = "time" },
	{ .title = "Pages freed by thread",
		.y = "freed",
		.of = "thread",
		.keys = "freed_bytes",
		.per = "time" },
	{ 0 },
};

const struct analysis analysis_mem = {
	.id = "mem",
	.title = "Memory",
	.help = "pages and kernel objects allocated and freed",
	.outputs = outputs,
	.worth = "net_bytes allocated_bytes freed_bytes gained_bytes total_bytes count",
	.charts = charts,
};
