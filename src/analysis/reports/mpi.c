/* MPI programs: what each rank did, the messages between ranks, collective operations, who waited
 * for whom, and what the kernel trace shows of it. mpi/run.h defines what a wait is. docs/mpi.md
 * explains the tables. */
#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/facts/mpi.h"
#include "analysis/fold.h"
#include "analysis/reports/mpi.h"

#define CLASS_IS(class_) .where = { "class", FOLD_IS, (class_), 0 }
#define CPU_CLASS_IS(class_) .where = { "cpu_class", FOLD_IS, (class_), 0 }
#define WAITS .where = { "wait", FOLD_KNOWN, 0, 0 }
#define RANK_COLUMNS                                                                               \
	{ "job", NULL, MER_ID },                                                                   \
	{                                                                                          \
		"rank", "rank", MER_ID                                                             \
	}

/* ---- ranks and states ---- */

#define STATE_COLUMNS                                                                              \
	{ "elapsed_ns", "elapsed", MER_DURATION }, { "compute_ns", "compute", MER_DURATION },      \
		{ "outside_ns", NULL, MER_DURATION }, { "setup_ns", NULL, MER_DURATION },          \
		{ "else_ns", NULL, MER_DURATION }, { "unknown_ns", "unknown", MER_DURATION },      \
		{ "point_ns", "point-to-point", MER_DURATION },                                    \
		{ "collective_ns", "collective", MER_DURATION },                                   \
		{ "other_ns", "other", MER_DURATION }, { "waiting_ns", "waiting", MER_DURATION },  \
		{ "cpu_ns", "on CPU", MER_DURATION },                                              \
	{                                                                                          \
		"spinning_ns", "spinning", MER_DURATION                                            \
	}
#define STATE_CELLS                                                                                \
	{ "elapsed_ns", .op = FOLD_SUM }, { "compute_ns", FOLD_SUM, CLASS_IS(MPI_COMPUTE) },       \
		{ "outside_ns", FOLD_SUM, CLASS_IS(MPI_OUTSIDE) },                                 \
		{ "point_ns", FOLD_SUM, CLASS_IS(MPI_POINT) },                                     \
		{ "collective_ns", FOLD_SUM, CLASS_IS(MPI_COLLECTIVE) },                           \
		{ "setup_ns", FOLD_SUM, CLASS_IS(MPI_SETUP) },                                     \
		{ "else_ns", FOLD_SUM, CLASS_IS(MPI_ELSE) },                                       \
		{ "unknown_ns", FOLD_SUM, CLASS_IS(MPI_UNKNOWN), .empty_if_none = true },          \
		{ "other_ns", FOLD_PLUS, .of = "outside_ns setup_ns else_ns" },                    \
		{ "waiting_ns", FOLD_SUM, WAITS },                                                 \
		{ "cpu_ns", FOLD_SUM, .where = { "on_cpu", FOLD_IS, MPI_ON_CPU, 0 },               \
			.empty_if_none = true },                                                   \
	{                                                                                          \
		"spinning_ns", FOLD_SUM, .where = { "spins", FOLD_IS, 1, 0 },                      \
					 .empty_if_none = true                                     \
	}

static const struct mer_column rank_columns[] = { RANK_COLUMNS, { "host", "host", MER_TEXT },
	{ "thread_number", "tid", MER_ID }, STATE_COLUMNS, { "compute_cpu_ns", NULL, MER_DURATION },
	{ "point_cpu_ns", NULL, MER_DURATION }, { "collective_cpu_ns", NULL, MER_DURATION },
	{ 0 } };
static const struct fold ranks = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_mpi_state },
	.group = "job rank host thread_number",
	.cells = (const struct fold_cell[]){ STATE_CELLS,
		{ "compute_cpu_ns", FOLD_SUM, CPU_CLASS_IS(MPI_COMPUTE), .empty_if_none = true },
		{ "point_cpu_ns", FOLD_SUM, CPU_CLASS_IS(MPI_POINT), .empty_if_none = true },
		{ "collective_cpu_ns", FOLD_SUM, CPU_CLASS_IS(MPI_COLLECTIVE),
			.empty_if_none = true },
		{ 0 } },
	.order = "job rank thread_number",
};

/* Calls never nest, so all time of a call is its own. */
static const struct mer_column state_columns[] = { RANK_COLUMNS, { "call", "call", MER_TEXT },
	{ "class", "state", MER_TEXT }, { "count", "count", MER_COUNT },
	{ "polls", NULL, MER_COUNT }, { "total_ns", "time", MER_DURATION },
	{ "percent", "%", MER_RATIO }, { "waiting_ns", "waiting", MER_DURATION },
	{ "cpu_ns", "on CPU", MER_DURATION }, { "min_ns", NULL, MER_DURATION },
	{ "mean_ns", "mean", MER_DURATION }, { "max_ns", "max", MER_DURATION }, { 0 } };
static const struct fold states = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_mpi_state, &fact_mpi_call },
	.group = "job rank call class",
	.ignores = FOLD_BY_DURATION | FOLD_BY_SIZE | FOLD_BY_NAME,
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT, .kind = 1,
						     .empty_if_none = true },
		{ "polls", FOLD_SUM, .of = "polls", .kind = 1, .empty_if_none = true },
		{ "total_ns", .op = FOLD_SUM }, { "percent", FOLD_SHARE, .of = "total_ns" },
		{ "waiting_ns", FOLD_SUM, WAITS, .empty_if_none = true },
		{ "cpu_ns", FOLD_SUM, .where = { "on_cpu", FOLD_IS, MPI_ON_CPU, 0 },
			.empty_if_none = true },
		{ "min_ns", FOLD_MIN, .of = "duration_ns", .kind = 1 },
		{ "mean_ns", FOLD_MEAN, .of = "duration_ns", .kind = 1 },
		{ "max_ns", FOLD_MAX, .of = "duration_ns", .kind = 1 }, { 0 } },
	.order = "job rank",
};

/* ---- messages ---- */

static const struct mer_column message_columns[] = { { "sent", "sent", MER_TIME },
	{ "received", NULL, MER_TIME }, { "duration_ns", "latency", MER_DURATION },
	{ "job", NULL, MER_ID }, { "from_rank", "from", MER_ID }, { "to_rank", "to", MER_ID },
	{ "tag", "tag", MER_ID }, { "bytes", "size", MER_BYTES }, { "wait", "wait", MER_TEXT },
	{ "wait_ns", "waited", MER_DURATION }, { "comm_id", NULL, MER_ID },
	{ "from_host", NULL, MER_TEXT }, { "to_host", NULL, MER_TEXT },
	{ "any_source", NULL, MER_ID }, { "reversed", NULL, MER_ID }, { 0 } };
static const struct fold messages = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_mpi_message },
	.rule = FACT_OVERLAPS,
	.cells = (const struct fold_cell[]){ { "sent", FOLD_VALUE, .of = "begin" },
		{ "received", FOLD_VALUE, .of = "end" },
		{ "wait_ns", FOLD_VALUE, .of = "wait_ns", WAITS }, { 0 } },
	.value = "begin",
};

static const struct mer_column matrix_columns[] = { { "job", NULL, MER_ID },
	{ "from_rank", "from", MER_ID }, { "to_rank", "to", MER_ID },
	{ "messages", "messages", MER_COUNT }, { "bytes", "size", MER_BYTES },
	{ "latency_ns", "sum of latency", MER_DURATION }, { "mean_ns", "mean", MER_DURATION },
	{ "late_senders", "late senders", MER_COUNT },
	{ "late_receivers", "late receivers", MER_COUNT }, { "waited_ns", "waited", MER_DURATION },
	{ "reversed", NULL, MER_COUNT }, { 0 } };
static const struct fold matrix = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_mpi_message },
	.group = "job from_rank to_rank",
	.cells = (const struct fold_cell[]){ { "messages", .op = FOLD_COUNT },
		{ "bytes", FOLD_SUM, .of = "bytes" },
		{ "latency_ns", FOLD_SUM, .of = "duration_ns", .empty_if_none = true },
		{ "mean_ns", FOLD_MEAN, .of = "duration_ns" },
		{ "late_senders", FOLD_COUNT, .where = { "wait", FOLD_IS, MPI_LATE_SENDER, 0 } },
		{ "late_receivers", FOLD_COUNT,
			.where = { "wait", FOLD_IS, MPI_LATE_RECEIVER, 0 } },
		{ "waited_ns", FOLD_SUM, .of = "wait_ns", .empty_if_none = true },
		{ "reversed", FOLD_SUM, .of = "reversed" }, { 0 } },
	.order = "job from_rank to_rank",
};

/* ---- collective operations ---- */

static const struct mer_column collective_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "job", NULL, MER_ID }, { "call", "call", MER_TEXT },
	{ "seq", "number", MER_ID }, { "comm_id", NULL, MER_ID }, { "ranks", "ranks", MER_COUNT },
	{ "first_rank", "first", MER_ID }, { "last_rank", "last", MER_ID },
	{ "duration_ns", "spread", MER_DURATION }, { "waited_ns", "all waited", MER_DURATION },
	{ "left_ns", "until all left", MER_DURATION }, { "bytes", NULL, MER_BYTES }, { 0 } };
static const struct fold collectives = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_mpi_collective },
	.rule = FACT_OVERLAPS,
	.value = "begin",
};

/* ---- waits ---- */

static const struct mer_column wait_columns[] = { { "job", NULL, MER_ID },
	{ "wait", "wait", MER_TEXT }, { "rank", "rank", MER_ID }, { "by_rank", "for rank", MER_ID },
	{ "call", "call", MER_TEXT }, { "count", "count", MER_COUNT },
	{ "total_ns", "total", MER_DURATION }, { "percent", "%", MER_RATIO },
	{ "mean_ns", "mean", MER_DURATION }, { "max_ns", "max", MER_DURATION },
	{ "max_at", NULL, MER_TIME }, { 0 } };
/* A wait lasts from the begin of its call to wait_end. */
static const struct fold waits = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_mpi_call },
	.rule = FACT_CUT,
	.to = "wait_end",
	.where = { { "wait", FOLD_KNOWN, 0, 0 } },
	.group = "job wait rank by_rank call",
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "total_ns", .op = FOLD_SUM }, { "percent", FOLD_SHARE, .of = "total_ns" },
		{ "mean_ns", .op = FOLD_MEAN }, { "max_ns", .op = FOLD_MAX },
		{ "max_at", .op = FOLD_AT_MAX }, { 0 } },
	.order = "job wait rank by_rank",
};

/* ---- what the kernel shows ---- */

static const struct mer_column poll_columns[] = { RANK_COLUMNS, { "call", "call", MER_TEXT },
	{ "wait", "wait", MER_TEXT }, { "loops", "loops", MER_COUNT },
	{ "polls", "polls", MER_COUNT }, { "total_ns", "time", MER_DURATION },
	{ "percent", "%", MER_RATIO }, { "cpu_ns", "CPU time", MER_DURATION },
	{ "max_ns", "longest", MER_DURATION }, { 0 } };
static const struct fold polls = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_mpi_poll },
	.group = "job rank call wait",
	.cells = (const struct fold_cell[]){ { "loops", .op = FOLD_COUNT },
		{ "polls", FOLD_SUM, .of = "calls" }, { "total_ns", FOLD_SUM, .of = "duration_ns" },
		{ "percent", FOLD_SHARE, .of = "total_ns" }, { "cpu_ns", FOLD_SUM, .of = "cpu_ns" },
		{ "max_ns", FOLD_MAX, .of = "duration_ns" }, { 0 } },
	.order = "job rank",
};

static const struct mer_column syscall_columns[] = { { "job", NULL, MER_ID },
	{ "call", "call", MER_TEXT }, { "syscall", "system call", MER_TEXT },
	{ "moves_data", "moves data", MER_TEXT }, { "count", "count", MER_COUNT },
	{ "total_ns", "time", MER_DURATION }, { "max_ns", "max", MER_DURATION }, { 0 } };
static const struct fold syscalls = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_mpi_syscall },
	.group = "job call syscall moves_data",
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "total_ns", FOLD_SUM, .of = "duration_ns" },
		{ "max_ns", FOLD_MAX, .of = "duration_ns" }, { 0 } },
	.order = "job call",
};

/* How much of a call's communication the kernel trace shows. Without a system call that moves data
 * there is nothing to follow: between ranks of one host the data went through shared memory,
 * between hosts past the kernel. */
static int data_cell(const struct fold_parts *p, struct mer_cell *c)
{
	const struct kernel_world *w = fold_parts_run(p)->world;
	int64_t host = FACT_UNKNOWN;
	bool blocks = mpi_call_blocks((unsigned)fold_part_key(p, 0, "call"));
	uint64_t with = 0, calls = 0;
	bool is_recorded = true, is_one_host = true;
	for (size_t i = 0; i < fold_parts_n(p); i++) {
		uint32_t here = fold_part_host(p, i);
		with += (uint64_t)fold_part_sum(p, i, "with_data");
		calls += (uint64_t)fold_part_sum(p, i, "calls");
		is_recorded &= here < w->n_hosts && w->hosts[here].n_tasks > 0;
		is_one_host &= host == FACT_UNKNOWN || host == here;
		host = here;
	}
	*c = !blocks				   ? MER_NONE
	     : with && with < calls && is_one_host ? mer_text("in some calls; else shared memory")
	     : with				   ? mer_text("system calls moved data")
	     : !is_recorded			   ? mer_text("kernel not recorded")
	     : is_one_host			   ? mer_text("none: shared memory")
						   : mer_text("none: past the kernel");
	return 0;
}

static const struct mer_column data_columns[] = { { "job", NULL, MER_ID },
	{ "call", "call", MER_TEXT }, { "calls", "calls", MER_COUNT },
	{ "syscalls", "system calls", MER_COUNT }, { "data_calls", "that move data", MER_COUNT },
	{ "with_data", "calls with data", MER_COUNT },
	{ "dependency", "kernel-visible dependency", MER_TEXT }, { 0 } };
static const struct fold data = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_mpi_call, &fact_mpi_syscall },
	.where = { { "class", FOLD_IS_NOT, MPI_COMPUTE, 0 } },
	.group = "job call",
	.ignores = FOLD_BY_DURATION | FOLD_BY_SIZE | FOLD_BY_NAME,
	.cells = (const struct fold_cell[]){ { "calls", .op = FOLD_COUNT },
		{ "syscalls", .op = FOLD_COUNT, .kind = 1 },
		{ "data_calls", FOLD_COUNT, .where = { "moves_data", FOLD_IS, 1, 0 }, .kind = 1 },
		{ "with_data", FOLD_COUNT, .where = { "first_data", FOLD_IS, 1, 0 }, .kind = 1 },
		{ "dependency", FOLD_FUNCTION, .of_parts = data_cell }, { 0 } },
	.order = "job call",
};

/* ---- each call; lengths of calls; over time ---- */

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION }, RANK_COLUMNS,
	{ "call", "call", MER_TEXT }, { "peer", "peer", MER_ID }, { "tag", "tag", MER_ID },
	{ "seq", "number", MER_ID }, { "bytes", "size", MER_BYTES }, { "wait", "wait", MER_TEXT },
	{ "wait_ns", "waited", MER_DURATION }, { "by_rank", "for rank", MER_ID },
	{ "host", NULL, MER_TEXT }, { "tid", NULL, MER_ID }, { "comm", NULL, MER_TEXT },
	{ "thread_number", NULL, MER_ID }, { 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_mpi_call },
	.rule = FACT_OVERLAPS,
	.cells = (const struct fold_cell[]){ { "wait_ns", FOLD_VALUE, .of = "wait_ns", WAITS },
		{ 0 } },
	.value = "begin",
};

static const struct mer_column stats_columns[] = { RANK_COLUMNS, { "call", "call", MER_TEXT },
	ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_mpi_call },
	.group = "job rank call",
	.cells = (const struct fold_cell[]){ FOLD_STATS("duration_ns"),
		FOLD_PERCENTILES("duration_ns"), { 0 } },
	.order = "job rank call",
};

static const struct mer_column freq_columns[] = { { "call", "call", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_mpi_call },
	.group = "call",
	.value = "duration_ns",
};

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, { "host", "host", MER_TEXT },
	RANK_COLUMNS, STATE_COLUMNS, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_mpi_state },
	.scopes = (const struct fold_scope[]){ { "host", .group = "host job" },
		{ "rank", .group = "host job rank" }, { 0 } },
	.cells = (const struct fold_cell[]){ STATE_CELLS, { 0 } },
	.order = "host job rank",
};

enum {
	EFFICIENCY,
	RANKS,
	STATES,
	WAITS_OF,
	PATTERN,
	MATRIX,
	MESSAGES,
	COLLECTIVES,
	POLLS,
	DATA,
	CALLS,
	LOG,
	FREQ,
	STATS,
	BINS
};
static const struct analysis_output outputs[] = {
	[EFFICIENCY] = { "efficiency", "MPI programs", mpi_efficiency_columns,
		.fold = &mpi_efficiency_fold, .is_top = true },
	[RANKS] = { "ranks", "Ranks", rank_columns, .fold = &ranks, .is_top = true },
	[STATES] = { "states", "Time in calls of MPI and outside, by rank", state_columns,
		.sort = "total_ns", .fold = &states, .is_top = true },
	[WAITS_OF] = { "waits", "Who waited in MPI for whom", wait_columns, "total_ns", &waits,
		.is_top = true },
	[PATTERN] = { "pattern", "Pattern of the messages", mpi_pattern_columns,
		.fold = &mpi_pattern_fold, .is_top = true },
	[MATRIX] = { "matrix", "Messages from rank to rank", matrix_columns, .fold = &matrix,
		.is_top = true },
	[MESSAGES] = { "messages", "Messages", message_columns, .fold = &messages, .is_top = true },
	[COLLECTIVES] = { "collectives", "Collective operations: who came first and last",
		collective_columns, .fold = &collectives, .is_top = true },
	[POLLS] = { "polls", "Polling loops of ranks by call", poll_columns, "total_ns", &polls,
		.is_top = true },
	[DATA] = { "data", "What the kernel shows of the communication", data_columns,
		.fold = &data, .is_top = true },
	[CALLS] = { "calls", "System calls in calls of MPI", syscall_columns, "count", &syscalls,
		.is_top = true },
	[LOG] = { "log", "Calls of MPI", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "Durations of calls of MPI", freq_columns, .fold = &freq },
	[STATS] = { "stats", "Calls of MPI by rank", stats_columns, "total_ns", &stats },
	[BINS] = { "bins", "MPI ranks over time", bins_columns, .fold = &bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Time of MPI programs",
		.y = "of each second",
		.of = "host",
		.keys = "compute_ns point_ns collective_ns other_ns",
		.per = "time" },
	{ .title = "Waiting in MPI by rank",
		.y = "of each second",
		.of = "rank",
		.keys = "waiting_ns",
		.per = "time",
		.lines = true },
	{ 0 },
};

const struct analysis analysis_mpi = {
	.id = "mpi",
	.title = "MPI",
	.help = "MPI programs: ranks, states, messages, collectives, who waited for whom",
	.names = "call",
	.outputs = outputs,
	.worth = "call wait rank by_rank total_ns waiting_ns wait_ns waited_ns duration_ns "
		 "compute_ns elapsed_ns count messages bytes",
	.charts = charts,
};
