/* System calls: how long each took, from its entry to its exit, and what it returned.
 *
 * Calls whose begin, end or task is not known do not count; their number is reported. Calls that
 * had not returned when the recording ended are rows of the log without duration, and have a table
 * of their own; their durations are not known, so they are in no sum. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "base/str.h"

/* ---- facts ---- */

enum { RETURNED, NOT_YET };
static const char *const state_names[] = { "returned", "not yet" };

struct call {
	struct fact fact; /* choice: RETURNED, or NOT_YET: its end is that of the recording */
	int64_t ret;
	uint32_t call;
};

static const struct fact_field fields[] = {
	{ "progress", NULL, MER_TEXT, FACT_WORDS(state_names), FACT_MEMBER(struct fact, choice) },
	{ "ret_value", NULL, MER_ID, FACT_RESULT, FACT_MEMBER(struct call, ret) },
	{ "call", NULL, MER_ID, FACT_CALL, FACT_MEMBER(struct call, call) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "name", "call", MER_TEXT, FACT_CALL_NAME, .of = "call" },
	{ "object", "object", MER_TEXT, FACT_CALL_OBJECT, .of = "call" },
	{ "error", "error", MER_TEXT, FACT_ERROR, .of = "ret_value", .meaning = FACT_RESULT },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_call = {
	.id = "call",
	.title = "System calls",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct call),
	.fields = fields,
	.views = views,
	.duration = "duration_ns",
	.name = "name",
};
/* Their durations are not known: options that select by duration use the time so far. */
const struct fact_kind fact_open_call = {
	.id = "open_call",
	.title = "System calls that had not returned at the end",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct call),
	.fields = fields,
	.views = views,
	.duration = "duration_ns",
	.name = "name",
};

enum { CALL, OPEN_CALL };
static const struct fact_kind *const kinds[] = {
	[CALL] = &fact_call, [OPEN_CALL] = &fact_open_call, NULL
};

/* Calls without a name are in no table. */
static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct fact_host *f = ctx;
	const struct call x = { .fact = { c->begin, c->end, c->task, c->cpu, RETURNED },
		.ret = c->ret,
		.call = c->call };
	if (!fact_is_used(f, CALL) || h->calls[c->call].name == KERNEL_NONE)
		return 0;
	return fact_add(f, h, CALL, &x);
}

static int on_open_call(void *ctx, const struct kernel_host *h, const struct kernel_open_call *c)
{
	struct fact_host *f = ctx;
	const struct call x = { .fact = { c->begin, h->end, c->task, c->cpu, NOT_YET },
		.call = c->call };
	if (!fact_is_used(f, OPEN_CALL) || h->calls[c->call].name == KERNEL_NONE)
		return 0;
	return fact_add(f, h, OPEN_CALL, &x);
}

static const struct fact_maker maker = {
	.id = "call",
	.kinds = kinds,
	.on = { .call = on_call, .open_call = on_open_call },
};

/* ---- calls that are left out ---- */

/* Number of calls left out on a host, during the whole recording. */
struct left_out {
	struct fact fact;
	int64_t calls;
};

/* Their durations and names are not known: options that select by these select none of them. */
static int64_t not_known(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	(void)f;
	return FACT_UNKNOWN;
}

static const struct fact_field left_out_fields[] = {
	{ "left_out", "calls", MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct left_out, calls) },
	{ 0 },
};
static const struct fact_view left_out_views[] = {
	{ "not_known", NULL, MER_COUNT, FACT_BY_FUNCTION, .get = not_known,
		.meaning = FACT_NUMBER },
	{ 0 },
};

static const struct fact_maker left_out_maker;
const struct fact_kind fact_left_out = {
	.id = "left_out",
	.title = "System calls left out",
	.maker = &left_out_maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct left_out),
	.of_host = true,
	.fields = left_out_fields,
	.views = left_out_views,
	.duration = "not_known",
	.name = "not_known",
};

/* If they are few and no events were lost, they were just in progress when the recording began:
 * then they are not reported. */
static int end_left_out(
	struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	enum { FEW = 1000 };
	int64_t n = (int64_t)h->n_calls_left_out;
	bool any_lost = false;
	(void)w;
	for (uint32_t i = 0; i < f->e->n_traces; i++) {
		const struct mer_trace *x = &f->e->traces[i];
		any_lost |= x->host == f->host && (x->lost_events || x->lost_packets);
	}
	if (!n || (!any_lost && n < FEW))
		return 0;
	const struct fact of_host = { h->begin, h->end, KERNEL_NONE, KERNEL_NO_CPU, 0 };
	return fact_add(f, h, 0, &(struct left_out){ of_host, n });
}

static const struct fact_kind *const left_out_kinds[] = { &fact_left_out, NULL };
static const struct fact_maker left_out_maker = {
	.id = "left_out",
	.kinds = left_out_kinds,
	.end = end_left_out,
};

/* If calls were recorded but none is selected, there is a row with a total of 0. */
static int add_none(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	struct mer_cell *cells = calloc(t->n_columns, sizeof(*cells));
	static const char *const keys[] = { "errors", "count", "total_ns" };
	if (!cells)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		cells[mer_table_column(t, keys[i])] = MER_INT(0);
	if (n_seen && t->n_rows == 0)
		mer_table_add(t, cells);
	free(cells);
	return 0;
}

struct result { /* an error, and how many calls returned it; FACT_UNKNOWN: success */
	int64_t error, n;
};

static int by_count(const void *a, const void *b)
{
	const struct result *p = a, *q = b;
	if ((p->error == FACT_UNKNOWN) != (q->error == FACT_UNKNOWN))
		return p->error == FACT_UNKNOWN ? -1 : 1;
	return (p->n < q->n) - (p->n > q->n);
}

/* "ok 12, ENOENT 3": the number of calls that succeeded, and the errors of the others, most
 * frequent first. */
static int results_cell(const struct fold_parts *p, struct mer_cell *c)
{
	const struct analysis_run *run = fold_parts_run(p);
	size_t n = fold_parts_n(p);
	struct result *all = calloc(n, sizeof(*all));
	struct mer_arena *arena = (struct mer_arena *)&run->arena;
	struct mer_str list = { 0 };
	if (!all)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++)
		all[i] = (struct result){ fold_part_key(p, i, "error"),
			fold_part_sum(p, i, "count") };
	qsort(all, n, sizeof(*all), by_count);
	for (size_t i = 0; i < n; i++)
		mer_str_printf(&list, "%s%s %" PRId64, list.len ? ", " : "",
			all[i].error == FACT_UNKNOWN ? "ok"
						     : analysis_ret_text(arena, 0, all[i].error),
			all[i].n);
	*c = mer_text(list.data && !list.failed ? mer_arena_strdup(arena, list.data) : NULL);
	mer_str_fini(&list);
	free(all);
	return c->set ? 0 : mer_fail_nomem(run->err);
}

static struct mer_cell ret_cell(const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	const struct call *x = (const struct call *)f;
	uint32_t classes = kernel_classes(&run->world->hosts[host], x->call);
	return mer_text(f->choice == NOT_YET ? "(not yet)"
					     : analysis_ret_text((struct mer_arena *)&run->arena,
						       classes, x->ret));
}

static struct mer_cell ret_value_cell(
	const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	(void)run;
	(void)host;
	return f->choice == NOT_YET ? MER_NONE : MER_INT(((const struct call *)f)->ret);
}

static struct mer_cell state_cell(
	const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	const struct kernel_host *h = &run->world->hosts[host];
	const struct kernel_span *now = kernel_span_kept(h, h->tasks[f->task].last);
	return mer_text(now ? kernel_state_name((enum kernel_state)now->state) : NULL);
}

/* ---- tables ---- */

static const struct mer_column stats_columns[] = { { "name", "call", MER_TEXT },
	{ "errors", "errors", MER_COUNT }, ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS,
	{ 0 } };
static const struct mer_column total_columns[] = { { "errors", "errors", MER_COUNT },
	ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
static const struct mer_column host_columns[] = { { "host", "host", MER_TEXT },
	{ "name", "call", MER_TEXT }, { "errors", "errors", MER_COUNT }, ANALYSIS_STATS_COLUMNS,
	{ 0 } };
static const struct mer_column task_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "name", "call", MER_TEXT }, { "errors", "errors", MER_COUNT }, ANALYSIS_STATS_COLUMNS,
	{ "returned", "returned", MER_TEXT }, { 0 } };
static const struct mer_column open_columns[] = { { "begin", "begin", MER_TIME },
	{ "so_far_ns", "so far", MER_DURATION }, { "name", "call", MER_TEXT },
	{ "object", "object", MER_TEXT }, ANALYSIS_TASK_COLUMNS, { "state", "state", MER_TEXT },
	{ 0 } };
static const struct mer_column error_columns[] = { { "host", "host", MER_TEXT },
	{ "name", "call", MER_TEXT }, { "error", "error", MER_TEXT },
	{ "count", "count", MER_COUNT }, { 0 } };
static const struct mer_column left_out_columns[] = { { "host", "host", MER_TEXT },
	{ "left_out", "calls", MER_COUNT }, { 0 } };
static const struct mer_column row_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "name", "call", MER_TEXT }, { "object", "object", MER_TEXT }, ANALYSIS_TASK_COLUMNS,
	{ "ret", "returned", MER_TEXT }, { "ret_value", NULL, MER_ID },
	{ "so_far_ns", NULL, MER_DURATION }, { 0 } };
static const struct mer_column freq_columns[] = { { "name", "call", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };

#define CALL_CELLS { "errors", FOLD_COUNT, .of = "error" }, FOLD_STATS("duration_ns")
#define PROGRESS_IS(progress_) .where = { "progress", FOLD_IS, (progress_), 0 }
static const struct fold_cell stats_cells[] = { CALL_CELLS, FOLD_PERCENTILES("duration_ns"),
	{ 0 } };
static const struct fold_cell call_cells[] = { CALL_CELLS, { 0 } };
static const struct fold_cell row_cells[] = {
	{ "end", FOLD_VALUE, PROGRESS_IS(RETURNED) },
	{ "duration_ns", FOLD_VALUE, PROGRESS_IS(RETURNED) },
	{ "so_far_ns", FOLD_VALUE, .of = "duration_ns", PROGRESS_IS(NOT_YET) },
	{ "ret", FOLD_VALUE, .of_fact = ret_cell },
	{ "ret_value", FOLD_VALUE, .of_fact = ret_value_cell },
	{ 0 },
};

static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_call },
	.group = "name",
	.cells = stats_cells,
	.order = "name",
};
static const struct fold total = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_call },
	.cells = stats_cells,
	.finish = add_none,
};
static const struct fold tasks = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_call },
	.group = "host thread name",
	.parts = "error",
	.cells = (const struct fold_cell[]){ CALL_CELLS,
		{ "returned", FOLD_FUNCTION, .of_parts = results_cell }, { 0 } },
};
static const struct fold hosts = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_call },
	.group = "host name",
	.cells = call_cells,
};
static const struct fold errors = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_call },
	.group = "host name error",
	.where = { { "error", FOLD_KNOWN, 0, 0 } },
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT }, { 0 } },
	.order = "host name error",
};
static const struct fold top = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_call },
	.cells = row_cells,
	.value = "-duration_ns",
};
static const struct fold unfinished = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_open_call },
	.cells = (const struct fold_cell[]){ { "so_far_ns", FOLD_VALUE, .of = "duration_ns" },
		{ "state", FOLD_VALUE, .of_fact = state_cell }, { 0 } },
	.value = "-duration_ns",
};
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_call, &fact_open_call },
	.cells = row_cells,
	.value = "begin",
};
static const struct fold left_out = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_left_out },
	.group = "host",
	.cells = (const struct fold_cell[]){ { "left_out", FOLD_SUM, .of = "left_out" }, { 0 } },
	.is_fixed = true,
	.order = "host",
};
/* Calls with the greatest total time come first, so the first few histograms are those that
 * matter. */
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_call },
	.group = "name",
	.value = "duration_ns",
	.order = "-total name",
};

/* A call counts as a whole in the bin where it begins. A name without calls in a bin has no row
 * there. */
static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT }, { "name", "call", MER_TEXT },
	{ "errors", "errors", MER_COUNT }, ANALYSIS_LENGTHS_COLUMNS, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_call },
	.scopes = (const struct fold_scope[]){ { .group = "host name" }, { 0 } },
	.cells = (const struct fold_cell[]){ { "errors", FOLD_COUNT, .of = "error" },
		FOLD_LENGTHS("duration_ns"), { 0 } },
};

enum { STATS, TOTAL, TASKS, HOSTS, ERRORS, LEFT_OUT, TOP, UNFINISHED, LOG, FREQ, BINS };
static const struct analysis_output outputs[] = {
	[STATS] = { "stats", "System calls by name", stats_columns, "total_ns", &stats },
	[TOTAL] = { "stats_total", "All system calls", total_columns, .fold = &total },
	[TASKS] = { "tasks", "System calls by thread and name", task_columns, "total_ns", &tasks },
	[HOSTS] = { "hosts", "System calls by host and name", host_columns, "total_ns", &hosts },
	[ERRORS] = { "stats_errors", "Errors that system calls returned", error_columns, "count",
		&errors },
	[LEFT_OUT] = { "stats_left_out", "System calls left out: their start or task is unknown",
		left_out_columns, .fold = &left_out },
	[TOP] = { "top", "The longest system calls", row_columns, "duration_ns", &top },
	[UNFINISHED] = { "top_unfinished", "System calls that had not returned at the end",
		open_columns, "so_far_ns", &unfinished },
	[LOG] = { "log", "System calls", row_columns, .fold = &log_fold },
	[FREQ] = { "freq", "Duration of system calls", freq_columns, .fold = &freq },
	[BINS] = { "bins", "System calls over time", bins_columns, .fold = &bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "System calls: 99 % take at most",
		.y = "duration",
		.keys = "p99_ns",
		.lines = true },
	{ 0 },
};

const struct analysis analysis_syscall = {
	.id = "syscall",
	.title = "System calls",
	.help = "duration, results and errors of system calls, by name and thread",
	.names = "system call",
	.outputs = outputs,
	.calls = 1u << TOP | 1u << UNFINISHED | 1u << LOG,
	.worth = "duration_ns name total_ns count max_ns p99_ns p50_ns mean_ns errors ret",
	.charts = charts,
};
