/* I/O: what threads read and write by system calls, through which files, and how long that takes. A call counts
 * where it begins. Tables of disks are in disk.c. */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "analysis/reports/io.h"

/* ---- bytes of calls over time ---- */

static int begin(struct analysis_host *a)
{
	struct io_state *s = a->state;
	return analysis_bins_find(a->run, &s->bins, a->err);
}

static bool add_bin(
	struct io_state *s, const struct kernel_call_end *c, enum io_op op, uint64_t bytes)
{
	int64_t bin = bytes ? analysis_bin_of(&s->bins, c->begin) : -1;
	int64_t read = op == IO_READ || op == IO_COPY ? (int64_t)bytes : 0;
	int64_t written = op == IO_WRITE || op == IO_COPY ? (int64_t)bytes : 0;
	return bin < 0 || /* nobody is KERNEL_NONE */
	       analysis_series_add(&s->calls, c->task + 1, (uint32_t)bin, read, written);
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct analysis_host *a = ctx;
	const struct analysis_options *o = a->run->options;
	struct io_state *s = a->state;
	const struct kernel_call *call = &h->calls[c->call];
	uint32_t classes = kernel_call_classes(call->id);
	enum io_op op = io_op_of(classes);
	if (op == IO_NONE || !analysis_asks(a, IO_OUT_TASK_BINS))
		return 0;
	int wanted = analysis_wants_name(a, &s->wanted, c->call,
		call->object == KERNEL_NONE ? NULL : kernel_name_text(h, call->object));
	if (wanted <= 0 || !analysis_is_asked(o, c->begin) || !analysis_wants_task(a, h, c->task) ||
		!analysis_wants_cpu(a, c->cpu))
		return wanted < 0 ? wanted : 0;
	uint64_t bytes = io_bytes_of(classes, c->ret);
	int64_t ns = c->end > c->begin ? c->end - c->begin : 0;
	if (!io_fits(o, c->begin, c->begin + ns, bytes))
		return 0;
	return add_bin(s, c, op, bytes) ? 0 : mer_fail_nomem(a->err);
}

static void free_state(void *state)
{
	struct io_state *s = state;
	analysis_wanted_fini(&s->wanted);
	io_free_disks(s);
	analysis_series_fini(&s->calls);
}

/* ---- tables ---- */

#define OP_IS(op_) .where = { "name", FOLD_IS, (op_), 0 }
#define OF_CALLS .where = { "name", FOLD_FROM_TO, IO_OPEN, IO_N_CALL_OPS - 1 }
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
	.kinds = { &fact_io, &fact_io_merge },
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
		{ "block_read_bytes", FOLD_SUM, .of = "bytes", OP_IS(IO_DISK_READ) },
		{ "block_written_bytes", FOLD_SUM, .of = "bytes", OP_IS(IO_DISK_WRITE) },
		{ "calls", FOLD_COUNT, OF_CALLS },
		{ "errors", FOLD_COUNT, .where = { "failed", FOLD_IS, IO_CALL_FAILED, 0 } },
		{ "merged", FOLD_COUNT, .kind = 1 },
		{ "total_ns", FOLD_SUM, .of = "duration_ns", OF_CALLS }, { 0 } },
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
	.where = { { "name", FOLD_FROM_TO, IO_OPEN, IO_N_CALL_OPS - 1 } },
	.cells = (const struct fold_cell[]){ { "bytes", FOLD_PLUS,
						     .of = "read_bytes written_bytes" },
		{ "read_bytes", FOLD_SUM, .of = "bytes", WAY_IS(IO_MOVES_IN) },
		{ "written_bytes", FOLD_SUM, .of = "bytes", WAY_IS(IO_MOVES_OUT) },
		{ "opens", FOLD_COUNT, OP_IS(IO_OPEN) }, { "reads", FOLD_COUNT, OP_IS(IO_READ) },
		{ "writes", FOLD_COUNT, OP_IS(IO_WRITE) }, { "syncs", FOLD_COUNT, OP_IS(IO_SYNC) },
		{ "copies", FOLD_COUNT, OP_IS(IO_COPY) },
		{ "errors", FOLD_COUNT, .where = { "failed", FOLD_IS, IO_CALL_FAILED, 0 } },
		FOLD_STATS("duration_ns"), FOLD_PERCENTILES("duration_ns"), { 0 } },
};

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "name", "operation", MER_TEXT }, { "call", NULL, MER_TEXT },
	{ "bytes", "bytes", MER_BYTES }, { "file", "file", MER_TEXT }, { "fd", NULL, MER_ID },
	{ "ret", "result", MER_TEXT }, { "sector", NULL, MER_COUNT },
	{ "queue_ns", NULL, MER_DURATION }, { "cpu", NULL, MER_ID }, ANALYSIS_TASK_COLUMNS, { 0 } };

static bool is_call(const struct fact *f)
{
	return f->choice < IO_N_CALL_OPS;
}

static struct mer_cell file_cell(
	const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	const struct kernel_host *h = &run->world->hosts[host];
	const struct io_fact *x = (const struct io_fact *)f;
	if (!is_call(f))
		return mer_text(io_disk_name(h, x->device, (struct mer_arena *)&run->arena));
	uint32_t name = h->calls[x->call].object;
	return name == KERNEL_NONE ? MER_NONE : mer_text(kernel_name_text(h, name));
}

static struct mer_cell ret_cell(const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	const struct io_fact *x = (const struct io_fact *)f;
	uint32_t classes = is_call(f) ? kernel_classes(&run->world->hosts[host], x->call) : 0;
	return mer_text(analysis_ret_text((struct mer_arena *)&run->arena, classes, x->ret));
}

#define THAT_ENDED .where = { { "end", FOLD_KNOWN, 0, 0 } }
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_io },
	THAT_ENDED,
	.cells = (const struct fold_cell[]){ { "file", FOLD_VALUE, .of_fact = file_cell },
		{ "ret", FOLD_VALUE, .of_fact = ret_cell }, { 0 } },
	.value = "begin",
};

/* A row, or a histogram, for each operation of a host and of each of its disks. */
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
	.kinds = { &fact_io },
	.group = "host name disk",
	THAT_ENDED,
	.cells = (const struct fold_cell[]){ FOLD_STATS("duration_ns"),
		FOLD_PERCENTILES("duration_ns"), { "bytes", FOLD_SUM, .of = "bytes" },
		{ "errors", FOLD_COUNT,
			.where = { "failed", FOLD_FROM_TO, IO_CALL_FAILED, IO_REQUEST_FAILED } },
		{ 0 } },
	.order = "host disk name",
};
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_io },
	.group = "host name disk",
	THAT_ENDED,
	.value = "duration_ns",
	.order = "host disk name",
};

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	switch (output) {
	case IO_OUT_DISKS: io_emit_disks(run, t); return 0;
	case IO_OUT_DISK_TASKS: io_emit_disk_tasks(run, t); return 0;
	case IO_OUT_MAP: return io_emit_map(run, t);
	case IO_OUT_BINS: return io_emit_bins(run, t);
	default: return io_emit_task_bins(run, t);
	}
}

static const struct analysis_output outputs[] = {
	[IO_OUT_TOP] = { "top", "Bytes read and written by thread", top_columns, "bytes", &top },
	[IO_OUT_FILES] = { "files", "Files", files_columns, "bytes", &files },
	[IO_OUT_DISKS] = { "disks", "Disks", io_disks_columns, .sort = NULL },
	[IO_OUT_DISK_TASKS] = { "disk_tasks", "Disks by thread", io_disk_tasks_columns,
		.sort = "bytes" },
	[IO_OUT_LOG] = { "log", "I/O calls and disk requests", log_columns, .fold = &log_fold },
	[IO_OUT_MAP] = { "map", "Disk sectors over time", io_map_columns, .sort = NULL },
	[IO_OUT_FREQ] = { "freq", "I/O latency", freq_columns, .fold = &freq },
	[IO_OUT_STATS] = { "stats", "I/O latency by operation", stats_columns, .fold = &stats },
	[IO_OUT_BINS] = { "bins", "Disk traffic over time", io_bins_columns, .sort = NULL },
	[IO_OUT_TASK_BINS] = { "bins_tasks", "I/O by thread over time", io_task_bins_columns,
		.sort = NULL },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Read from disks", .y = "read", .keys = "read_bytes_per_s" },
	{ .title = "Written to disks", .y = "written", .keys = "write_bytes_per_s" },
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
	{ .title = "Requests in flight", .y = "on average", .keys = "in_flight", .lines = true },
	{ .title = "Requests in the queue", .y = "on average", .keys = "queued", .lines = true },
	{ 0 },
};

const struct analysis analysis_io = {
	.id = "io",
	.title = "I/O",
	.help = "bytes and latency of files, sockets and disks",
	.wants = KERNEL_WANT_MERGES,
	.has_sizes = true,
	.by_duration = ANALYSIS_ALL_OUTPUTS,
	.by_name = ANALYSIS_ALL_OUTPUTS,
	.names = "file or disk",
	.outputs = outputs,
	.calls = 1u << IO_OUT_LOG,
	.worth = "duration_ns name file bytes read_bytes written_bytes busy_percent requests "
		 "service_mean_ns sequential_percent queue_mean_ns service_max_ns total_ns max_ns "
		 "p99_ns p50_ns",
	.charts = charts,
	.state_size = sizeof(struct io_state),
	.on = { .call = on_call, .merge = io_on_merge },
	.begin = begin,
	.end = io_end,
	.emit = emit,
	.free_state = free_state,
};
