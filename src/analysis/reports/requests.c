/* Requests: how many of which kind, how long they took, how much they moved. `requests` says where
 * their time went. A request counts once, at its server, or at its client if only that is
 * selected. */
#include <inttypes.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/facts/request.h"
#include "analysis/fold.h"

#define ONCE                                                                                       \
	{                                                                                          \
		"side", FOLD_ONCE, 0, 0                                                            \
	}
/* Exact, as those of `requests`. */
#define RANKS                                                                                      \
	{ "p50_ns", FOLD_EXACT_P50, .of = "latency_ns" },                                          \
		{ "p90_ns", FOLD_EXACT_P90, .of = "latency_ns" },                                  \
		{ "p99_ns", FOLD_EXACT_P99, .of = "latency_ns" },                                  \
	{                                                                                          \
		"max_ns", FOLD_MAX, .of = "latency_ns"                                             \
	}

static const struct mer_column top_columns[] = { { "kind", "kind", MER_TEXT },
	{ "count", "count", MER_COUNT }, { "per_s", "per second", MER_REAL },
	{ "timed", NULL, MER_COUNT }, { "p50_ns", "p50", MER_DURATION },
	{ "p90_ns", "p90", MER_DURATION }, { "p99_ns", "p99", MER_DURATION },
	{ "max_ns", "max", MER_DURATION }, { "max_at", NULL, MER_TIME },
	{ "total_ns", "total", MER_DURATION }, { "sent_bytes", "sent", MER_BYTES },
	{ "received_bytes", "received", MER_BYTES }, { 0 } };
static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_request },
	.where = { ONCE },
	.group = "kind",
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "per_s", FOLD_PER_SECOND, .of = "count" },
		{ "timed", FOLD_COUNT, .of = "latency_ns" }, RANKS,
		{ "max_at", FOLD_AT_MAX, .of = "latency_ns" },
		{ "total_ns", FOLD_SUM, .of = "latency_ns", .empty_if_none = true },
		{ "sent_bytes", FOLD_SUM, .of = "sent_bytes" },
		{ "received_bytes", FOLD_SUM, .of = "received_bytes" }, { 0 } },
	.order = "kind",
};

static struct mer_cell id_cell(const struct analysis_run *run, uint32_t connection, uint32_t place)
{
	return connection ? mer_text(mer_arena_printf((struct mer_arena *)&run->arena,
				    "r%" PRIu32 ".%" PRIu32, connection, place))
			  : MER_NONE;
}

static struct mer_cell id_of(const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	const struct request_fact *x = (const struct request_fact *)f;
	(void)host;
	return id_cell(run, x->connection, x->place);
}

static struct mer_cell parent_of(
	const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	const struct request_fact *x = (const struct request_fact *)f;
	(void)host;
	return id_cell(run, x->parent_connection, x->parent_place);
}

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "id", "request", MER_TEXT },
	{ "latency_ns", "latency", MER_DURATION }, { "kind", "kind", MER_TEXT },
	{ "client_host", NULL, MER_TEXT }, { "client", "client", MER_TEXT },
	{ "server_host", NULL, MER_TEXT }, { "server", "server", MER_TEXT },
	{ "port", NULL, MER_ID }, { "sent_bytes", "sent", MER_BYTES },
	{ "received_bytes", "received", MER_BYTES }, { "messages", NULL, MER_COUNT },
	{ "parent", "sent for", MER_TEXT }, { 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_request },
	.where = { ONCE },
	.cells = (const struct fold_cell[]){ { "id", FOLD_FUNCTION, .of_fact = id_of },
		{ "parent", FOLD_FUNCTION, .of_fact = parent_of }, { 0 } },
	.value = "begin",
};

static const struct mer_column stats_columns[] = { { "kind", "kind", MER_TEXT },
	ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS, { "p999_ns", NULL, MER_DURATION },
	{ 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_request },
	.where = { ONCE, { "latency_ns", FOLD_KNOWN, 0, 0 } },
	.group = "kind",
	.cells = (const struct fold_cell[]){ FOLD_STATS("latency_ns"), RANKS,
		{ "p999_ns", FOLD_EXACT_P999, .of = "latency_ns" }, { 0 } },
	.order = "kind",
};

static const struct mer_column freq_columns[] = { { "kind", "kind", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_request },
	.where = { ONCE },
	.group = "kind",
	.value = "latency_ns",
	.order = "kind",
};

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "kind", "kind", MER_TEXT }, { "count", "count", MER_COUNT },
	{ "per_s", "per second", MER_REAL }, { "p50_ns", "p50", MER_DURATION },
	{ "p90_ns", "p90", MER_DURATION }, { "p99_ns", "p99", MER_DURATION },
	{ "max_ns", "max", MER_DURATION }, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_request },
	.where = { ONCE },
	.scopes = (const struct fold_scope[]){ { .group = "kind" }, { 0 } },
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "per_s", FOLD_PER_SECOND, .of = "count" }, RANKS, { 0 } },
	.order = "kind",
};

enum { TOP, LOG, FREQ, STATS, BINS };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Requests by kind", top_columns, "total_ns", &top },
	[LOG] = { "log", "Requests", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "Latencies of requests", freq_columns, .fold = &freq },
	[STATS] = { "stats", "Latencies of requests by kind", stats_columns, "total_ns", &stats },
	[BINS] = { "bins", "Requests over time", bins_columns, .fold = &bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Requests by kind", .y = "per second", .keys = "count", .per = "time" },
	{ .title = "99 % of the requests take at most",
		.y = "p99",
		.keys = "p99_ns",
		.lines = true },
	{ 0 },
};

const struct analysis analysis_requests = {
	.id = "requests",
	.title = "Requests",
	.help = "requests of services by kind: how many, and how long they took",
	.names = "kind",
	.outputs = outputs,
	.worth = "kind count p50_ns p99_ns max_ns latency_ns client server total_ns received_bytes",
	.charts = charts,
};
