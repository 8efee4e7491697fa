/* States of programs, as view files declare them: how long, how often, nested or not, and what the
 * kernel did with the thread meanwhile.
 *
 * Inclusive time is the time of a state, including all states nested in it (one nested in a state
 * with the same text adds nothing); exclusive time is the time in which it was the innermost state
 * of its thread. So the exclusive times of a thread's states add up to the time that it was in any
 * state, and each of them is the sum of what the thread did then: running, interrupted, stolen,
 * runnable, blocked, stopped, or not known. */
#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/facts/view.h"
#include "analysis/fold.h"

#define ROW_COLUMNS                                                                                \
	{ "host", "host", MER_TEXT }, { "view", "view", MER_TEXT },                                \
		{ "under", "group", MER_TEXT },                                                    \
	{                                                                                          \
		"row", "row", MER_TEXT                                                             \
	}
#define TIME_COLUMNS                                                                               \
	{ "count", "count", MER_COUNT }, { "inclusive_ns", "inclusive", MER_DURATION },            \
		{ "exclusive_ns", "exclusive", MER_DURATION },                                     \
		{ "running_ns", "running", MER_DURATION },                                         \
		{ "blocked_ns", "blocked", MER_DURATION },                                         \
		{ "runnable_ns", "runnable", MER_DURATION },                                       \
		{ "interrupted_ns", "interrupted", MER_DURATION },                                 \
		{ "stolen_ns", "stolen", MER_DURATION }, { "stopped_ns", NULL, MER_DURATION },     \
		{ "unknown_ns", "unknown", MER_DURATION },                                         \
	{                                                                                          \
		"percent", "%", MER_RATIO                                                          \
	}
#define DOING(key_, doing_)                                                                        \
	{                                                                                          \
		key_, FOLD_SUM, .kind = 1, .where = { "doing", FOLD_IS, doing_, 0 },               \
				.empty_if_none = true                                              \
	}
/* again_: the field that is not 0 if a state is nested in an equal one, whose time includes its
 * own. */
#define TIME_CELLS(again_)                                                                         \
	{ "count", .op = FOLD_COUNT },                                                             \
		{ "inclusive_ns", FOLD_SUM, .where = { again_, FOLD_IS, 0, 0 } },                  \
		{ "exclusive_ns", FOLD_SUM, .kind = 1 }, DOING("running_ns", VIEW_RUNS),           \
		DOING("blocked_ns", VIEW_BLOCKED), DOING("runnable_ns", VIEW_RUNNABLE),            \
		DOING("interrupted_ns", VIEW_INTERRUPTED), DOING("stolen_ns", VIEW_STOLEN),        \
		DOING("stopped_ns", VIEW_STOPPED), DOING("unknown_ns", VIEW_NOT_KNOWN),            \
	{                                                                                          \
		"percent", FOLD_SHARE, .of = "exclusive_ns"                                        \
	}
static const struct fold_cell row_cells[] = { TIME_CELLS("again_in_row"), { 0 } };
static const struct fold_cell state_cells[] = { TIME_CELLS("again"), { 0 } };

static const struct mer_column top_columns[] = { ROW_COLUMNS, { "state", "state", MER_TEXT },
	TIME_COLUMNS, { 0 } };
static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_view_state, &fact_view_time },
	.rule = FACT_CUT,
	.group = "host view under row state",
	.cells = row_cells,
};
static const struct mer_column state_columns[] = { { "view", "view", MER_TEXT },
	{ "state", "state", MER_TEXT }, TIME_COLUMNS, { 0 } };
static const struct fold states = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_view_state, &fact_view_time },
	.rule = FACT_CUT,
	.group = "view state",
	.cells = state_cells,
};

/* What blocked a thread in which state. */
static const struct mer_column wait_columns[] = { { "view", "view", MER_TEXT },
	{ "state", "state", MER_TEXT }, { "cause", "blocked on", MER_TEXT },
	{ "count", "count", MER_COUNT }, { "blocked_ns", "blocked", MER_DURATION },
	{ "percent", "%", MER_RATIO }, { 0 } };
static const struct fold waits = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_view_time },
	.where = { { "doing", FOLD_IS, VIEW_BLOCKED, 0 } },
	.group = "view state cause",
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "blocked_ns", .op = FOLD_SUM }, { "percent", FOLD_SHARE, .of = "blocked_ns" },
		{ 0 } },
};

static const struct mer_column value_columns[] = { ROW_COLUMNS, { "unit", "unit", MER_TEXT },
	{ "count", "changes", MER_COUNT }, { "min_value", "min", MER_COUNT },
	{ "max_value", "max", MER_COUNT }, { "mean_value", "mean", MER_COUNT },
	{ "max_at", "max at", MER_TIME }, { 0 } };
static const struct fold values = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_view_value },
	.group = "host view under row unit",
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "min_value", FOLD_MIN, .of = "value" }, { "max_value", FOLD_MAX, .of = "value" },
		{ "mean_value", FOLD_TIME_MEAN, .of = "value" },
		{ "max_at", FOLD_AT_MAX, .of = "value" }, { 0 } },
};

static const struct mer_column arrow_columns[] = { { "view", "view", MER_TEXT },
	{ "arrow", "arrow", MER_TEXT }, { "from", "from", MER_TEXT }, { "row", "to", MER_TEXT },
	{ "count", "count", MER_COUNT }, { "min_ns", "min", MER_DURATION },
	{ "mean_ns", "mean", MER_DURATION }, { "max_ns", "max", MER_DURATION },
	{ "from_host", "from host", MER_TEXT }, { "host", "to host", MER_TEXT }, { 0 } };
static const struct fold arrows = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_view_arrow },
	.group = "view arrow from_host from host row",
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "min_ns", .op = FOLD_MIN }, { "mean_ns", .op = FOLD_MEAN },
		{ "max_ns", .op = FOLD_MAX }, { 0 } },
};

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "inclusive", MER_DURATION },
	{ "exclusive_ns", "exclusive", MER_DURATION }, ROW_COLUMNS, { "state", "state", MER_TEXT },
	{ "within", "within", MER_TEXT }, { "depth", "depth", MER_ID },
	{ "seen", "ends", MER_TEXT }, { "thread_tid", "thread", MER_ID }, { 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS, .kinds = { &fact_view_state }, .rule = FACT_OVERLAPS, .value = "begin"
};
static const struct mer_column value_log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, ROW_COLUMNS, { "value", "value", MER_COUNT },
	{ "unit", "unit", MER_TEXT }, { 0 } };
static const struct fold value_log = {
	.shape = FOLD_ROWS, .kinds = { &fact_view_value }, .rule = FACT_OVERLAPS, .value = "begin"
};
static const struct mer_column mark_columns[] = { { "begin", "time", MER_TIME }, ROW_COLUMNS,
	{ "text", "text", MER_TEXT }, { "thread_tid", "thread", MER_ID }, { 0 } };
static const struct fold marks = {
	.shape = FOLD_ROWS, .kinds = { &fact_view_mark }, .value = "begin"
};
static const struct mer_column arrow_log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", "end", MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "view", "view", MER_TEXT }, { "arrow", "arrow", MER_TEXT }, { "from", "from", MER_TEXT },
	{ "row", "to", MER_TEXT }, { "from_host", "from host", MER_TEXT },
	{ "host", "to host", MER_TEXT }, { 0 } };
static const struct fold arrow_log = {
	.shape = FOLD_ROWS, .kinds = { &fact_view_arrow }, .rule = FACT_OVERLAPS, .value = "begin"
};

/* Only states with both ends seen: the duration of others is not known. */
#define IS_WHOLE                                                                                   \
	{                                                                                          \
		"seen", FOLD_IS, 0, 0                                                              \
	}
static const struct mer_column stats_columns[] = { { "view", "view", MER_TEXT },
	{ "state", "state", MER_TEXT }, ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS,
	{ 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_view_state },
	.where = { IS_WHOLE },
	.group = "view state",
	.cells = (const struct fold_cell[]){ FOLD_STATS("duration_ns"),
		FOLD_PERCENTILES("duration_ns"), { 0 } },
};
static const struct mer_column freq_columns[] = { { "view", "view", MER_TEXT },
	{ "state", "state", MER_TEXT }, ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_view_state },
	.where = { IS_WHOLE },
	.group = "view state",
	.value = "duration_ns",
};

/* Exclusive times over time: these add up. */
static const struct mer_column bin_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, ROW_COLUMNS,
	{ "state", "state", MER_TEXT }, { "exclusive_ns", "exclusive", MER_DURATION },
	{ "running_ns", "running", MER_DURATION }, { "blocked_ns", "blocked", MER_DURATION },
	{ "runnable_ns", "runnable", MER_DURATION }, { "unknown_ns", "unknown", MER_DURATION },
	{ 0 } };
#define BIN_DOING(key_, doing_)                                                                    \
	{                                                                                          \
		key_, FOLD_SUM, .where = { "doing", FOLD_IS, doing_, 0 }, .empty_if_none = true    \
	}
static const struct fold_scope scopes[] = { { .of = "state", .group = "view state" },
	{ .of = "row", .group = "host view under row state" }, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_view_time },
	.scopes = scopes,
	.cells = (const struct fold_cell[]){ { "exclusive_ns", .op = FOLD_SUM },
		BIN_DOING("running_ns", VIEW_RUNS), BIN_DOING("blocked_ns", VIEW_BLOCKED),
		BIN_DOING("runnable_ns", VIEW_RUNNABLE), BIN_DOING("unknown_ns", VIEW_NOT_KNOWN),
		{ 0 } },
};

static const struct analysis_chart charts[] = { { .title = "States of programs",
							.y = "of each second",
							.of = "state",
							.keys = "exclusive_ns",
							.per = "time" },
	{ .title = "States by row",
		.y = "of each second",
		.of = "row",
		.keys = "exclusive_ns",
		.per = "time",
		.by_host = true },
	{ 0 } };

static const struct analysis_output outputs[] = {
	{ "top", "States by row", top_columns, .sort = "exclusive_ns", .fold = &top },
	{ "top_state", "States", state_columns, .sort = "exclusive_ns", .fold = &states },
	{ "top_value", "Values", value_columns, .sort = "max_value", .fold = &values },
	{ "top_arrow", "Arrows between rows", arrow_columns, .sort = "count", .fold = &arrows },
	{ "waits", "What blocked threads in their states", wait_columns, .sort = "blocked_ns",
		.fold = &waits },
	{ "log", "States", log_columns, .fold = &log_fold },
	{ "values", "Values over time", value_log_columns, .fold = &value_log },
	{ "marks", "Marks", mark_columns, .fold = &marks },
	{ "arrows", "Arrows between rows", arrow_log_columns, .fold = &arrow_log },
	{ "stats", "Duration of states", stats_columns, .sort = "total_ns", .fold = &stats },
	{ "freq", "Distribution of durations of states", freq_columns, .fold = &freq },
	{ "bins", "States over time", bin_columns, .fold = &bins },
	{ 0 },
};

const struct analysis analysis_view = {
	.id = "view",
	.title = "States of programs",
	.help = "states of programs, as view files declare them: time, count, kernel activity",
	.of_views = true,
	.outputs = outputs,
	.charts = charts,
	.names = "state",
	.worth =
		"exclusive_ns state row thread_tid inclusive_ns duration_ns count running_ns blocked_ns "
		"cause within seen runnable_ns unknown_ns max_ns mean_ns p50_ns max_value value text",
};
