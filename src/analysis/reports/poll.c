/* Busy polling: which tasks polled how long (facts/poll_loops.h says what counts). The CPU of a
 * loop is the one on which it ended. */
#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/facts/poll_loops.h"
#include "analysis/fold.h"

/* ---- facts ---- */

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

static int add_run(void *ctx, const struct kernel_host *h, const struct poll_loop *run)
{
	struct fact_host *f = ctx;
	struct poll_run r = { .fact = { .begin = run->begin,
				      .end = run->end,
				      .task = run->task,
				      .cpu = run->cpu },
		.cpu_ns = run->cpu_ns,
		.calls = run->calls,
		.call = run->call };
	return fact_add(f, h, 0, &r);
}

static int begin(struct fact_host *f)
{
	*(struct poll_loops *)f->state = (struct poll_loops){
		.spill = f->e->spill, .ctx = f, .add = add_run, .err = f->err
	};
	return 0;
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	return poll_loops_span(f->state, h, span, end);
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct fact_host *f = ctx;
	return poll_loops_call(f->state, h, c, 0);
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	(void)w;
	return poll_loops_end(f->state, h);
}

static void free_state(void *state)
{
	poll_loops_fini(state);
}

static const struct fact_kind *const kinds[] = { &fact_poll_run, NULL };
static const struct fact_maker maker = {
	.id = "poll",
	.kinds = kinds,
	.state_size = sizeof(struct poll_loops),
	.begin = begin,
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
