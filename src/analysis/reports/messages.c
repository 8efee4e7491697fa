/* Messages between hosts, and from a host to itself: how many, and how long they were on their way.
 * A message counts once, where and when it was sent, or at its receiver if only that is selected.
 * `net` has packets as interfaces see them, with their bytes; `latency` compares clocks. */
#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"

#define ONCE                                                                                       \
	{                                                                                          \
		"side", FOLD_ONCE, 0, 0                                                            \
	}
#define PAIR_COLUMNS                                                                               \
	{ "from_host", "from host", MER_TEXT },                                                    \
	{                                                                                          \
		"to_host", "to host", MER_TEXT                                                     \
	}

static const struct mer_column top_columns[] = { PAIR_COLUMNS, { "count", "count", MER_COUNT },
	{ "per_s", "per second", MER_REAL }, { "min_ns", "latency min", MER_DURATION },
	{ "mean_ns", "mean", MER_DURATION }, { "max_ns", "max", MER_DURATION },
	{ "max_at", NULL, MER_TIME }, { "first", NULL, MER_TIME }, { "last", NULL, MER_TIME },
	{ 0 } };
static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_message },
	.where = { ONCE },
	.group = "from_host to_host",
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "per_s", FOLD_PER_SECOND, .of = "count" },
		{ "min_ns", FOLD_MIN, .of = "duration_ns" },
		{ "mean_ns", FOLD_MEAN, .of = "duration_ns" },
		{ "max_ns", FOLD_MAX, .of = "duration_ns" },
		{ "max_at", FOLD_AT_MAX, .of = "duration_ns" },
		{ "first", FOLD_FIRST, .of = "duration_ns" },
		{ "last", FOLD_LAST, .of = "duration_ns" }, { 0 } },
	.order = "from_host to_host",
};

static const struct mer_column log_columns[] = { { "begin", "sent", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "latency", MER_DURATION },
	{ "from_host", "from host", MER_TEXT }, { "sender", "sender", MER_TEXT },
	{ "from", "from", MER_TEXT }, { "to_host", "to host", MER_TEXT },
	{ "receiver", "receiver", MER_TEXT }, { "to", "to", MER_TEXT },
	{ "protocol", NULL, MER_TEXT }, { "content", "content", MER_TEXT }, { 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_message },
	.where = { ONCE },
	.cells = (const struct fold_cell[]){ { 0 } },
	.value = "begin",
};

static const struct mer_column stats_columns[] = { PAIR_COLUMNS, ANALYSIS_STATS_COLUMNS,
	ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_message },
	.where = { ONCE },
	.group = "from_host to_host",
	.cells = (const struct fold_cell[]){ FOLD_STATS("duration_ns"),
		FOLD_PERCENTILES("duration_ns"), { 0 } },
	.order = "from_host to_host",
};

static const struct mer_column freq_columns[] = { PAIR_COLUMNS, ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_message },
	.where = { ONCE },
	.group = "from_host to_host",
	.value = "duration_ns",
	.order = "from_host to_host",
};

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, PAIR_COLUMNS, { "count", "count", MER_COUNT },
	{ "per_s", "per second", MER_REAL }, { "min_ns", "latency min", MER_DURATION },
	{ "mean_ns", "mean", MER_DURATION }, { "max_ns", "max", MER_DURATION }, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_message },
	.where = { ONCE },
	.scopes = (const struct fold_scope[]){ { .group = "from_host to_host" }, { 0 } },
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "per_s", FOLD_PER_SECOND, .of = "count" },
		{ "min_ns", FOLD_MIN, .of = "duration_ns" },
		{ "mean_ns", FOLD_MEAN, .of = "duration_ns" },
		{ "max_ns", FOLD_MAX, .of = "duration_ns" }, { 0 } },
	.order = "from_host to_host",
};

enum { TOP, LOG, FREQ, STATS, BINS };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Messages by hosts", top_columns, "count", &top },
	[LOG] = { "log", "Messages", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "Latencies of messages", freq_columns, .fold = &freq },
	[STATS] = { "stats", "Latencies of messages by hosts", stats_columns, .fold = &stats },
	[BINS] = { "bins", "Messages over time", bins_columns, .fold = &bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Messages by hosts", .y = "per second", .keys = "count", .per = "time" },
	{ .title = "Longest latency of messages", .y = "latency", .keys = "max_ns", .lines = true },
	{ 0 },
};

const struct analysis analysis_messages = {
	.id = "messages",
	.title = "Messages",
	.help = "messages by hosts, ports and programs: how many, and their latency",
	.outputs = outputs,
	.worth = "count duration_ns mean_ns max_ns p50_ns p99_ns sender from receiver to min_ns "
		 "content",
	.charts = charts,
};
