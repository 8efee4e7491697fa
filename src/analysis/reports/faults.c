/* Page faults: how many each thread had, and how long it waited for a disk in them.
 *
 * A fault in user mode is a major one when its thread then waits for a disk before it does
 * anything else: outside of system calls there is nothing but a fault to wait in. For a fault in
 * the kernel, its wait cannot be told from waits of the system call, so these are counted
 * separately. There is no event for the end of a fault: its kind is known at the thread's next
 * fault or call, or at the end of the recording. */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "base/grow.h"
#include "kernel/events.h"

/* ---- facts ---- */

enum { MINOR, MAJOR, IN_KERNEL };
static const char *const kind_names[] = { "minor", "major", "kernel" };

struct fault {
	struct fact fact; /* an instant; choice: which kind */
	int64_t wait;	  /* of a major fault: time blocked, ns */
	uint64_t address;
};

static const struct fact_field fields[] = {
	{ "kind", "kind", MER_TEXT, FACT_WORDS(kind_names), FACT_MEMBER(struct fact, choice) },
	{ "wait_ns", "waited for disk", MER_DURATION, FACT_NUMBER, FACT_MEMBER(struct fault, wait),
		FACT_NONE_IS(FACT_UNKNOWN) },
	{ "address", "address", MER_TEXT, FACT_ADDRESS, FACT_MEMBER(struct fault, address) },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_fault = {
	.id = "fault",
	.title = "Page faults",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct fault),
	.fields = fields,
	.duration = "wait_ns",
};

/* ---- their maker ---- */

struct open_fault { /* the last fault of a task, while its kind is not known yet */
	struct fault fault;
	bool is_open;
};

struct state {
	struct open_fault *tasks; /* by task + 1; 0: idle, or not known */
	size_t cap_tasks;
};

static int close_fault(struct fact_host *f, const struct kernel_host *h, struct open_fault *x)
{
	if (!x->is_open)
		return 0;
	x->is_open = false;
	x->fault.fact.choice = x->fault.wait ? MAJOR : MINOR;
	if (!x->fault.wait)
		x->fault.wait = FACT_UNKNOWN;
	return fact_add(f, h, 0, &x->fault);
}

static int on_event(void *ctx, const struct kernel_host *h, const struct kernel_told_event *e)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	struct fault fault = {
		.fact = { e->time, e->time, e->task, e->cpu, IN_KERNEL },
		.wait = FACT_UNKNOWN,
		.address = e->slots[FAULT_ADDRESS],
	};
	if (e->kind == KERNEL_EV_FAULT_KERNEL)
		return fact_add(f, h, 0, &fault);
	struct open_fault *x =
		mer_grow_at(&s->tasks, &s->cap_tasks, e->task + 1, sizeof(*s->tasks));
	if (!x)
		return mer_fail_nomem(f->err);
	int rc = close_fault(f, h, x);
	fault.wait = 0;
	*x = (struct open_fault){ fault, true };
	return rc || e->task != KERNEL_NONE ? rc : close_fault(f, h, x);
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	const struct kernel_span *x = kernel_span(h, span);
	if (x->task + 1 >= s->cap_tasks || !s->tasks[x->task + 1].is_open)
		return 0;
	struct open_fault *open = &s->tasks[x->task + 1];
	if (x->call != KERNEL_NONE)
		return close_fault(f, h, open);
	if (x->state == KERNEL_BLOCKED && x->cause == KERNEL_DISK &&
		x->begin >= open->fault.fact.begin)
		open->fault.wait += end - x->begin;
	return 0;
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	int rc = 0;
	(void)w;
	for (size_t i = 0; i < s->cap_tasks && rc == 0; i++)
		rc = close_fault(f, h, &s->tasks[i]);
	return rc;
}

static void free_state(void *state)
{
	free(((struct state *)state)->tasks);
}

static const struct fact_kind *const kinds[] = { &fact_fault, NULL };
static const struct fact_maker maker = {
	.id = "fault",
	.kinds = kinds,
	.wants = KERNEL_WANT_EVENT(FAULT_USER) | KERNEL_WANT_EVENT(FAULT_KERNEL),
	.state_size = sizeof(struct state),
	.on = { .event = on_event, .span = on_span },
	.end = end,
	.free_state = free_state,
};

/* ---- tables ---- */

#define KIND_IS(kind_) .where = { "kind", FOLD_IS, (kind_), 0 }
#define KIND_CELLS                                                                                 \
	{ "minor", FOLD_COUNT, KIND_IS(MINOR) }, { "major", FOLD_COUNT, KIND_IS(MAJOR) },          \
	{                                                                                          \
		"kernel", FOLD_COUNT, KIND_IS(IN_KERNEL)                                           \
	}

static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "faults", "faults", MER_COUNT }, { "percent", "%", MER_RATIO },
	{ "minor", "minor", MER_COUNT }, { "major", "major", MER_COUNT },
	{ "kernel", "kernel", MER_COUNT }, { "wait_ns", "waited for disk", MER_DURATION },
	{ "max_wait_ns", "longest", MER_DURATION }, { "max_at", NULL, MER_TIME }, { 0 } };
static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_fault },
	.group = "host thread",
	.cells = (const struct fold_cell[]){ { "faults", .op = FOLD_COUNT },
		{ "percent", FOLD_SHARE, .of = "faults" }, KIND_CELLS,
		{ "wait_ns", FOLD_SUM, .of = "wait_ns", .empty_if_none = true },
		{ "max_wait_ns", FOLD_MAX, .of = "wait_ns" },
		{ "max_at", FOLD_AT_MAX, .of = "wait_ns" }, { 0 } },
	.order = "host thread",
};

static const struct mer_column log_columns[] = { { "time", "time", MER_TIME },
	ANALYSIS_TASK_COLUMNS, { "cpu", "CPU", MER_ID }, { "kind", "kind", MER_TEXT },
	{ "wait_ns", "waited for disk", MER_DURATION }, { "address", "address", MER_TEXT }, { 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_fault },
	.cells = (const struct fold_cell[]){ { "time", FOLD_VALUE, .of = "begin" }, { 0 } },
	.value = "begin",
};

/* How long threads waited for a disk in major faults. */
static const struct mer_column stats_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_fault },
	.group = "host",
	.where = { { "kind", FOLD_IS, MAJOR, 0 } },
	.cells = (const struct fold_cell[]){ FOLD_STATS("wait_ns"), FOLD_PERCENTILES("wait_ns"),
		{ 0 } },
};

static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_fault },
	.group = "host",
	.where = { { "kind", FOLD_IS, MAJOR, 0 } },
	.value = "wait_ns",
};

/* The whole host, then each thread that had any; faults of no known thread are a row, too. */
static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, ANALYSIS_TASK_COLUMNS,
	{ "minor", "minor", MER_COUNT }, { "major", "major", MER_COUNT },
	{ "kernel", "kernel", MER_COUNT }, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_fault },
	.scopes = (const struct fold_scope[]){ { "host", "host", .every_bin = true },
		{ "thread", .group = "host thread" }, { 0 } },
	.cells = (const struct fold_cell[]){ KIND_CELLS, { 0 } },
	.order = "thread",
};

enum { TOP, LOG, FREQ, STATS, BINS };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Page faults by thread", top_columns, "faults", &top },
	[LOG] = { "log", "Page faults", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "Duration of waits of major page faults for a disk", freq_columns,
		.fold = &freq },
	[STATS] = { "stats", "Waits of major page faults for a disk", stats_columns,
		.fold = &stats },
	[BINS] = { "bins", "Page faults over time", bins_columns, .fold = &bins },
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
	.outputs = outputs,
	.worth = "faults major wait_ns minor kind max_wait_ns max_ns p99_ns p50_ns",
	.charts = charts,
};
