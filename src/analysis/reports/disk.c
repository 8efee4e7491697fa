/* Disks: bytes, queueing and service times, and seek distances of the requests of a host to its
 * block devices. A request counts where it was issued; the time that a disk is busy is cut at the
 * edges of windows. */
#include "analysis/facts/disk.h"
#include "analysis/reports/disk_map.h"

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "analysis/recorded.h"

#define DONE(op_) .where = { "done", FOLD_IS, (op_), 0 }
#define PHASE_IS(phase_)                                                                           \
	{                                                                                          \
		"phase", FOLD_IS, (phase_), 0                                                      \
	}

/* Order of requests for data: a request is sequential if it begins where the one before ended. */
#define ORDER_COLUMNS                                                                              \
	{ "sequential_percent", "sequential", MER_RATIO },                                         \
		{ "seek_p50_bytes", "seek p50", MER_BYTES },                                       \
	{                                                                                          \
		"seek_mean_bytes", "seek mean", MER_BYTES                                          \
	}
#define ORDER_COUNT_COLUMNS                                                                        \
	{ "sequential", NULL, MER_COUNT },                                                         \
	{                                                                                          \
		"seeks", NULL, MER_COUNT                                                           \
	}
#define ORDER_CELLS(seek_)                                                                         \
	{ "sequential", FOLD_COUNT, .of = seek_, .where = { seek_, FOLD_IS, 0, 0 } },              \
		{ "seeks", FOLD_COUNT, .of = seek_, .empty_if_none = true },                       \
		{ "sequential_percent", FOLD_RATIO, .of = "sequential", .by = "seeks" },           \
		{ "seek_p50_bytes", FOLD_MEDIAN, .of = seek_ },                                    \
	{                                                                                          \
		"seek_mean_bytes", FOLD_MEAN, .of = seek_                                          \
	}

static const struct mer_column top_columns[] = { { "host", "host", MER_TEXT },
	{ "disk", "disk", MER_TEXT }, { "requests", "requests", MER_COUNT },
	{ "reads", NULL, MER_COUNT }, { "writes", NULL, MER_COUNT },
	{ "discards", NULL, MER_COUNT }, { "flushes", NULL, MER_COUNT },
	{ "read_bytes", "read", MER_BYTES }, { "written_bytes", "written", MER_BYTES },
	{ "busy_ns", NULL, MER_DURATION }, { "busy_percent", "busy", MER_RATIO },
	{ "service_mean_ns", "service mean", MER_DURATION },
	{ "queue_mean_ns", "queued mean", MER_DURATION }, ORDER_COLUMNS,
	{ "service_max_ns", "service max", MER_DURATION },
	{ "queue_max_ns", "queued max", MER_DURATION }, { "merged", "merged", MER_COUNT },
	{ "errors", "errors", MER_COUNT }, { "unfinished", NULL, MER_COUNT }, ORDER_COUNT_COLUMNS,
	{ 0 } };
static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_disk_request, &fact_disk_merge, &fact_disk_time },
	.group = "host disk",
	.where = { PHASE_IS(DISK_BUSY) },
	.cells = (const struct fold_cell[]){ { "requests", FOLD_COUNT, .of = "done" },
		{ "reads", FOLD_COUNT, DONE(IO_DISK_READ) },
		{ "writes", FOLD_COUNT, DONE(IO_DISK_WRITE) },
		{ "discards", FOLD_COUNT, DONE(IO_DISK_DISCARD) },
		{ "flushes", FOLD_COUNT, DONE(IO_DISK_FLUSH) },
		{ "read_bytes", FOLD_SUM, .of = "bytes", DONE(IO_DISK_READ) },
		{ "written_bytes", FOLD_SUM, .of = "bytes", DONE(IO_DISK_WRITE) },
		{ "busy_ns", FOLD_SUM, .kind = 2 },
		{ "busy_percent", FOLD_OF_RANGE, .of = "busy_ns" },
		{ "service_mean_ns", FOLD_MEAN, .of = "service_ns" },
		{ "service_max_ns", FOLD_MAX, .of = "service_ns" },
		{ "queue_mean_ns", FOLD_MEAN, .of = "queue_ns" },
		{ "queue_max_ns", FOLD_MAX, .of = "queue_ns" }, ORDER_CELLS("seek_bytes"),
		{ "merged", FOLD_COUNT, .kind = 1 },
		{ "errors", FOLD_COUNT, .where = { "ret", FOLD_IS_NOT, 0, 0 } },
		{ "unfinished", FOLD_COUNT, .where = { "end", FOLD_UNKNOWN, 0, 0 } }, { 0 } },
	.order = "host disk",
};

static const struct mer_column task_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "disk", "disk", MER_TEXT }, { "requests", "requests", MER_COUNT },
	{ "bytes", NULL, MER_BYTES }, { "read_bytes", "read", MER_BYTES },
	{ "written_bytes", "written", MER_BYTES }, ORDER_COLUMNS,
	{ "service_mean_ns", "service mean", MER_DURATION }, { "merged", "merged", MER_COUNT },
	ORDER_COUNT_COLUMNS, { 0 } };
static const struct fold tasks = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_disk_request, &fact_disk_merge },
	.group = "host thread disk",
	.cells = (const struct fold_cell[]){ { "requests", FOLD_COUNT, .of = "done" },
		{ "bytes", FOLD_PLUS, .of = "read_bytes written_bytes" },
		{ "read_bytes", FOLD_SUM, .of = "bytes", DONE(IO_DISK_READ) },
		{ "written_bytes", FOLD_SUM, .of = "bytes", DONE(IO_DISK_WRITE) },
		ORDER_CELLS("own_seek_bytes"), { "service_mean_ns", FOLD_MEAN, .of = "service_ns" },
		{ "merged", FOLD_COUNT, .kind = 1 }, { 0 } },
	.order = "host thread disk",
};

#define THAT_ENDED .where = { { "end", FOLD_KNOWN, 0, 0 } }
static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "name", "operation", MER_TEXT }, { "disk", "disk", MER_TEXT },
	{ "bytes", "bytes", MER_BYTES }, { "sector", "sector", MER_COUNT },
	{ "seek_bytes", NULL, MER_BYTES }, { "queue_ns", "queued", MER_DURATION },
	{ "ret", "result", MER_TEXT }, { "cpu", NULL, MER_ID }, ANALYSIS_TASK_COLUMNS, { 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_disk_request },
	THAT_ENDED,
	.value = "begin",
};

#define KEY_COLUMNS                                                                                \
	{ "host", "host", MER_TEXT }, { "name", "operation", MER_TEXT },                           \
	{                                                                                          \
		"disk", "disk", MER_TEXT                                                           \
	}
static const struct mer_column stats_columns[] = { KEY_COLUMNS, ANALYSIS_STATS_COLUMNS,
	ANALYSIS_PERCENTILE_COLUMNS, { "bytes", "bytes", MER_BYTES },
	{ "errors", "errors", MER_COUNT }, { 0 } };
static const struct mer_column freq_columns[] = { KEY_COLUMNS, ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_disk_request },
	.group = "host name disk",
	THAT_ENDED,
	.cells = (const struct fold_cell[]){ FOLD_STATS("duration_ns"),
		FOLD_PERCENTILES("duration_ns"), { "bytes", FOLD_SUM, .of = "bytes" },
		{ "errors", FOLD_COUNT, .where = { "ret", FOLD_IS_NOT, 0, 0 } }, { 0 } },
	.order = "host disk name",
};
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_disk_request },
	.group = "host name disk",
	THAT_ENDED,
	.value = "duration_ns",
	.order = "host disk name",
};

/* disk_map_finish merges rows until they are few enough to draw. Flushes have no sector, so they
 * are left out. */
static struct mer_cell one(const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	(void)run;
	(void)host;
	(void)f;
	return MER_INT(1);
}

static const struct mer_column map_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT }, { "disk", "disk", MER_TEXT },
	{ "name", "operation", MER_TEXT }, { "sector", "sector", MER_COUNT },
	{ "sector_end", "to sector", MER_COUNT }, { "requests", "requests", MER_COUNT },
	{ "bytes", "bytes", MER_BYTES }, { 0 } };
static const struct fold map = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_disk_request },
	.where = { { "name", FOLD_IS_NOT, IO_DISK_FLUSH, 0 } },
	.cells = (const struct fold_cell[]){ { "requests", FOLD_VALUE, .of_fact = one }, { 0 } },
	.value = "begin",
	.all_rows = true,
	.finishes_together = true,
	.finish = disk_map_finish,
};

#define MOVES(way_) .of = "bytes", .where = { "way", FOLD_IS, (way_), 0 }
static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT }, { "disk", "disk", MER_TEXT },
	{ "read_bytes", "read", MER_BYTES }, { "written_bytes", "written", MER_BYTES },
	{ "read_bytes_per_s", "read/s", MER_RATE }, { "write_bytes_per_s", "written/s", MER_RATE },
	{ "in_flight", "in flight", MER_REAL }, { "queued", "queued", MER_REAL },
	{ "service_ns", NULL, MER_DURATION }, { "queue_ns", NULL, MER_DURATION }, { 0 } };
static int forget_queue(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	(void)n_seen;
	static const struct analysis_recorded inserts[] = {
		{ { KERNEL_EV_BLOCK_INSERT }, { "queued", "queue_ns" } }, { { 0 }, { 0 } }
	};
	return analysis_forget_unrecorded(run, t, inserts);
}

static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_disk_time },
	.scopes = (const struct fold_scope[]){ { .group = "host disk", .every_bin = true }, { 0 } },
	.cells = (const struct fold_cell[]){ { "read_bytes", FOLD_SPREAD, MOVES(IO_MOVES_IN) },
		{ "written_bytes", FOLD_SPREAD, MOVES(IO_MOVES_OUT) },
		{ "read_bytes_per_s", FOLD_SPREAD_PER_SECOND, MOVES(IO_MOVES_IN) },
		{ "write_bytes_per_s", FOLD_SPREAD_PER_SECOND, MOVES(IO_MOVES_OUT) },
		{ "service_ns", FOLD_SUM, .where = PHASE_IS(DISK_IN_FLIGHT) },
		{ "queue_ns", FOLD_SUM, .where = PHASE_IS(DISK_QUEUED) },
		{ "in_flight", FOLD_OF_TIME, .of = "service_ns" },
		{ "queued", FOLD_OF_TIME, .of = "queue_ns" }, { 0 } },
	.order = "host disk",
	.finish = forget_queue,
};

static const struct mer_column task_bins_columns[] = { ANALYSIS_TASK_BINS_COLUMNS,
	{ "read_bytes", "read", MER_BYTES }, { "written_bytes", "written", MER_BYTES }, { 0 } };
static const struct fold task_bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_disk_time },
	.where = { { "way", FOLD_IS_NOT, IO_MOVES_NONE, 0 } },
	.scopes =
		(const struct fold_scope[]){
			{ .group = "host thread", .busiest = "read_bytes written_bytes" }, { 0 } },
	.cells = (const struct fold_cell[]){ { "read_bytes", FOLD_SPREAD, MOVES(IO_MOVES_IN) },
		{ "written_bytes", FOLD_SPREAD, MOVES(IO_MOVES_OUT) }, { 0 } },
	.order = "thread",
};

enum { TOP, TASKS, LOG, MAP, FREQ, STATS, BINS, TASK_BINS };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Disks", top_columns, .fold = &top },
	[TASKS] = { "disk_tasks", "Disks by thread", task_columns, "bytes", &tasks },
	[LOG] = { "log", "Disk requests", log_columns, .fold = &log_fold },
	[MAP] = { "map", "Disk sectors over time", map_columns, .fold = &map },
	[FREQ] = { "freq", "Disk latency", freq_columns, .fold = &freq },
	[STATS] = { "stats", "Disk latency by operation", stats_columns, .fold = &stats },
	[BINS] = { "bins", "Disk traffic over time", bins_columns, .fold = &bins },
	[TASK_BINS] = { "bins_tasks", "Disk traffic by thread over time", task_bins_columns,
		.fold = &task_bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Read from disks", .y = "read", .keys = "read_bytes_per_s" },
	{ .title = "Written to disks", .y = "written", .keys = "write_bytes_per_s" },
	{ .title = "Read from disks by thread",
		.table = "bins_tasks",
		.y = "read",
		.keys = "read_bytes",
		.per = "time" },
	{ .title = "Written to disks by thread",
		.table = "bins_tasks",
		.y = "written",
		.keys = "written_bytes",
		.per = "time" },
	{ .title = "Requests in flight", .y = "on average", .keys = "in_flight", .lines = true },
	{ .title = "Requests in the queue", .y = "on average", .keys = "queued", .lines = true },
	{ 0 },
};

const struct analysis analysis_disk = {
	.id = "disk",
	.title = "Disks",
	.help = "requests to disks: bytes, latency, queues, seeks",
	.names = "disk",
	.outputs = outputs,
	.worth = "duration_ns name disk bytes read_bytes written_bytes busy_percent requests "
		 "service_mean_ns sequential_percent queue_mean_ns service_max_ns total_ns max_ns "
		 "p99_ns p50_ns",
	.charts = charts,
};
