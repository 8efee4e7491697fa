/* I/O: what threads read and write by system calls, through which files, and how long that takes. A
 * call counts where it begins. What disks do for it is the analysis "disk". */
#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "analysis/facts/io.h"

#define OP_IS(op_) .where = { "name", FOLD_IS, (op_), 0 }
#define FAILED .where = { "ret_value", FOLD_FROM_TO, INT64_MIN + 1, -1 }
#define WAY_IS(way_) .where = { "way", FOLD_IS, (way_), 0 }
#define READ_FROM(place_) .of = "bytes", .where = { "read_from", FOLD_IS, (place_), 0 }
#define WRITTEN_TO(place_) .of = "bytes", .where = { "written_to", FOLD_IS, (place_), 0 }
#define ANY(field_) .of = "bytes", .where = { field_, FOLD_FROM_TO, IO_ON_DISK, IO_ON_OTHER }

static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "bytes", "bytes", MER_BYTES }, { "read_bytes", "read", MER_BYTES },
	{ "written_bytes", "written", MER_BYTES }, { "disk_read_bytes", "files read", MER_BYTES },
	{ "disk_written_bytes", "files written", MER_BYTES },
	{ "net_read_bytes", "net read", MER_BYTES },
	{ "net_written_bytes", "net written", MER_BYTES }, { "other_read_bytes", NULL, MER_BYTES },
	{ "other_written_bytes", NULL, MER_BYTES }, { "block_read_bytes", "disk read", MER_BYTES },
	{ "block_written_bytes", "disk written", MER_BYTES }, { "calls", "calls", MER_COUNT },
	{ "errors", NULL, MER_COUNT }, { "merged", NULL, MER_COUNT },
	{ "total_ns", "time", MER_DURATION }, { 0 } };
/* Requests that move nothing make no row. */
static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_io, &fact_disk_request, &fact_disk_merge },
	.group = "host thread",
	.where = { { "name", FOLD_FROM_TO, IO_OPEN, IO_DISK_WRITE } },
	.cells = (const struct fold_cell[]){ { "bytes", FOLD_PLUS,
						     .of = "read_bytes written_bytes" },
		{ "read_bytes", FOLD_SUM, ANY("read_from") },
		{ "written_bytes", FOLD_SUM, ANY("written_to") },
		{ "disk_read_bytes", FOLD_SUM, READ_FROM(IO_ON_DISK) },
		{ "disk_written_bytes", FOLD_SUM, WRITTEN_TO(IO_ON_DISK) },
		{ "net_read_bytes", FOLD_SUM, READ_FROM(IO_ON_NET) },
		{ "net_written_bytes", FOLD_SUM, WRITTEN_TO(IO_ON_NET) },
		{ "other_read_bytes", FOLD_SUM, READ_FROM(IO_ON_OTHER) },
		{ "other_written_bytes", FOLD_SUM, WRITTEN_TO(IO_ON_OTHER) },
		{ "block_read_bytes", FOLD_SUM, .of = "bytes", OP_IS(IO_DISK_READ), .kind = 1 },
		{ "block_written_bytes", FOLD_SUM, .of = "bytes", OP_IS(IO_DISK_WRITE), .kind = 1 },
		{ "calls", .op = FOLD_COUNT }, { "errors", FOLD_COUNT, FAILED },
		{ "merged", FOLD_COUNT, .kind = 2 },
		{ "total_ns", FOLD_SUM, .of = "duration_ns", .empty_if_none = true }, { 0 } },
	.order = "host thread",
};

static const struct mer_column files_columns[] = { { "host", "host", MER_TEXT },
	{ "file", "file", MER_TEXT }, { "kind", "kind", MER_TEXT }, { "bytes", NULL, MER_BYTES },
	{ "read_bytes", "read", MER_BYTES }, { "written_bytes", "written", MER_BYTES },
	{ "opens", "opens", MER_COUNT }, { "reads", "reads", MER_COUNT },
	{ "writes", "writes", MER_COUNT }, { "syncs", "syncs", MER_COUNT },
	{ "copies", NULL, MER_COUNT }, { "errors", "errors", MER_COUNT }, ANALYSIS_STATS_COLUMNS,
	ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
static const struct fold files = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_io },
	.group = "host file kind",
	.cells = (const struct fold_cell[]){ { "bytes", FOLD_PLUS,
						     .of = "read_bytes written_bytes" },
		{ "read_bytes", FOLD_SUM, .of = "bytes", WAY_IS(IO_MOVES_IN) },
		{ "written_bytes", FOLD_SUM, .of = "bytes", WAY_IS(IO_MOVES_OUT) },
		{ "opens", FOLD_COUNT, OP_IS(IO_OPEN) }, { "reads", FOLD_COUNT, OP_IS(IO_READ) },
		{ "writes", FOLD_COUNT, OP_IS(IO_WRITE) }, { "syncs", FOLD_COUNT, OP_IS(IO_SYNC) },
		{ "copies", FOLD_COUNT, OP_IS(IO_COPY) }, { "errors", FOLD_COUNT, FAILED },
		FOLD_STATS("duration_ns"), FOLD_PERCENTILES("duration_ns"), { 0 } },
};

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "name", "operation", MER_TEXT }, { "call", NULL, MER_TEXT },
	{ "bytes", "bytes", MER_BYTES }, { "file", "file", MER_TEXT }, { "fd", NULL, MER_ID },
	{ "ret", "result", MER_TEXT }, { "cpu", NULL, MER_ID }, ANALYSIS_TASK_COLUMNS, { 0 } };

static struct mer_cell ret_cell(const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	const struct io_fact *x = (const struct io_fact *)f;
	uint32_t classes = kernel_classes(&run->world->hosts[host], x->call);
	return mer_text(analysis_ret_text((struct mer_arena *)&run->arena, classes, x->ret));
}

static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_io },
	.cells = (const struct fold_cell[]){ { "ret", FOLD_VALUE, .of_fact = ret_cell }, { 0 } },
	.value = "begin",
};

static const struct mer_column stats_columns[] = { { "host", "host", MER_TEXT },
	{ "name", "operation", MER_TEXT }, ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS,
	{ "bytes", "bytes", MER_BYTES }, { "errors", "errors", MER_COUNT }, { 0 } };
static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	{ "name", "operation", MER_TEXT }, ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_io },
	.group = "host name",
	.cells = (const struct fold_cell[]){ FOLD_STATS("duration_ns"),
		FOLD_PERCENTILES("duration_ns"), { "bytes", FOLD_SUM, .of = "bytes" },
		{ "errors", FOLD_COUNT, FAILED }, { 0 } },
	.order = "host name",
};
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_io },
	.group = "host name",
	.value = "duration_ns",
	.order = "host name",
};

/* Bytes of calls count where the call begins; bytes of disk requests are spread evenly over the
 * time of the request. */
static const struct mer_column task_bins_columns[] = { ANALYSIS_TASK_BINS_COLUMNS,
	{ "read_bytes", "read", MER_BYTES }, { "written_bytes", "written", MER_BYTES },
	{ "block_read_bytes", "disk read", MER_BYTES },
	{ "block_written_bytes", "disk written", MER_BYTES }, { 0 } };
static const struct fold task_bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_io, &fact_disk_time },
	.where = { { "way", FOLD_IS_NOT, IO_MOVES_NONE, 0 },
		{ "bytes", FOLD_FROM_TO, 1, INT64_MAX } },
	.scopes = (const struct fold_scope[]){ { .group = "host thread",
						       .busiest = "read_bytes written_bytes "
								  "block_read_bytes "
								  "block_written_bytes" },
		{ 0 } },
	.cells = (const struct fold_cell[]){ { "read_bytes", FOLD_SUM, ANY("read_from") },
		{ "written_bytes", FOLD_SUM, ANY("written_to") },
		{ "block_read_bytes", FOLD_SPREAD, .of = "bytes", WAY_IS(IO_MOVES_IN), .kind = 1 },
		{ "block_written_bytes", FOLD_SPREAD, .of = "bytes", WAY_IS(IO_MOVES_OUT),
			.kind = 1 },
		{ 0 } },
	.order = "thread",
};

enum { TOP, FILES, LOG, FREQ, STATS, TASK_BINS };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Bytes read and written by thread", top_columns, "bytes", &top },
	[FILES] = { "files", "Files", files_columns, "bytes", &files },
	[LOG] = { "log", "I/O calls", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "I/O latency", freq_columns, .fold = &freq },
	[STATS] = { "stats", "I/O latency by operation", stats_columns, .fold = &stats },
	[TASK_BINS] = { "bins_tasks", "I/O by thread over time", task_bins_columns,
		.fold = &task_bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Read by thread",
		.table = "bins_tasks",
		.y = "read",
		.keys = "read_bytes",
		.per = "time" },
	{ .title = "Written by thread",
		.table = "bins_tasks",
		.y = "written",
		.keys = "written_bytes",
		.per = "time" },
	{ .title = "Read from disks by thread",
		.table = "bins_tasks",
		.y = "read",
		.keys = "block_read_bytes",
		.per = "time",
		.summary = true },
	{ .title = "Written to disks by thread",
		.table = "bins_tasks",
		.y = "written",
		.keys = "block_written_bytes",
		.per = "time",
		.summary = true },
	{ 0 },
};

static const struct analysis_moved moved[] = { { "disks", "disk", "top" },
	{ "disk_tasks", "disk", "disk_tasks" }, { "map", "disk", "map" },
	{ "bins", "disk", "bins" }, { 0 } };

const struct analysis analysis_io = {
	.id = "io",
	.title = "I/O",
	.help = "bytes and latency of files and sockets: system calls",
	.names = "file or disk",
	.outputs = outputs,
	.calls = 1u << LOG,
	.worth = "duration_ns name file bytes read_bytes written_bytes total_ns max_ns "
		 "p99_ns p50_ns",
	.charts = charts,
	.moved = moved,
};
