/* Waits: what threads waited for, how long, and whether that delayed somebody. Of a wait the part
 * in the window counts. `blocked` says what others did in the meantime. */
#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "path/blocked.h"

static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "class", "class", MER_TEXT }, { "cause", "cause", MER_TEXT },
	{ "count", "count", MER_COUNT }, { "total_ns", "total", MER_DURATION },
	{ "mean_ns", "mean", MER_DURATION }, { "max_ns", "max", MER_DURATION },
	{ "max_at", NULL, MER_TIME }, { 0 } };
static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_wait },
	.group = "host thread class cause",
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "total_ns", .op = FOLD_SUM }, { "mean_ns", .op = FOLD_MEAN },
		{ "max_ns", .op = FOLD_MAX }, { "max_at", .op = FOLD_AT_MAX }, { 0 } },
	.order = "host thread class cause",
};

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	ANALYSIS_TASK_COLUMNS, { "class", "class", MER_TEXT }, { "kind", NULL, MER_TEXT },
	{ "cause", "cause", MER_TEXT }, { "call", "call", MER_TEXT }, { "fd", NULL, MER_ID },
	{ "object", "object", MER_TEXT }, { "by_host", NULL, MER_TEXT }, { "by", "by", MER_TEXT },
	{ "runnable_ns", NULL, MER_DURATION }, { 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_wait },
	.cells = (const struct fold_cell[]){ { 0 } },
	.value = "begin",
	.cut_rows = true,
};

static const struct mer_column stats_columns[] = { { "class", "class", MER_TEXT },
	{ "cause", "cause", MER_TEXT }, ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS,
	{ 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_wait },
	.group = "class cause",
	.cells = (const struct fold_cell[]){ FOLD_STATS(NULL), FOLD_PERCENTILES(NULL), { 0 } },
	.order = "class cause",
};

static const struct mer_column freq_columns[] = { { "class", "class", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_wait },
	.group = "class",
	.order = "class",
};

#define CLASS_IS(class_) .op = FOLD_SUM, .where = { "class", FOLD_IS, (class_), 0 }
static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, ANALYSIS_TASK_COLUMNS,
	{ "total_ns", NULL, MER_DURATION }, { "request_ns", "in requests", MER_DURATION },
	{ "idle_ns", "idle", MER_DURATION }, { "input_ns", "for input", MER_DURATION }, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_wait },
	.scopes = (const struct fold_scope[]){ { "host", "host", .every_bin = true },
		{ "thread", "host thread", .cells = "request_ns", .busiest = "request_ns" },
		{ 0 } },
	.cells = (const struct fold_cell[]){ { "total_ns", .op = FOLD_SUM },
		{ "request_ns", CLASS_IS(BLOCKED_REQUEST) }, { "idle_ns", CLASS_IS(BLOCKED_IDLE) },
		{ "input_ns", CLASS_IS(BLOCKED_INPUT) }, { 0 } },
	.order = "thread",
};

enum { TOP, LOG, FREQ, STATS, BINS };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Waits by thread, class and cause", top_columns, "total_ns", &top },
	[LOG] = { "log", "Waits", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "Durations of waits", freq_columns, .fold = &freq },
	[STATS] = { "stats", "Waits by class and cause", stats_columns, "total_ns", &stats },
	[BINS] = { "bins", "Waits over time", bins_columns, .fold = &bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Waits in requests, by thread",
		.y = "of each second",
		.of = "thread",
		.keys = "request_ns",
		.per = "time" },
	{ 0 },
};

const struct analysis analysis_waits = {
	.id = "waits",
	.title = "Waits",
	.help = "what threads waited for: by class (request, idle, input), cause, call, object",
	.names = "system call",
	.messages = true,
	.calls = 1 << TOP | 1 << LOG,
	.outputs = outputs,
	.worth = "cause call object class total_ns duration_ns max_ns count by p99_ns p50_ns",
	.charts = charts,
};
