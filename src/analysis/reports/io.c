/* I/O: what threads read and write by system calls, through which files, and how long that takes.
 *
 * Bytes are what the calls returned. What io_uring and mapped memory move is no result of a call: it is
 * seen on the disk only (disk.c). A call counts where it begins. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/reports/io.h"
#include "kernel/files/files.h"

static unsigned place_of(enum kernel_object_kind kind)
{
	return kind == KERNEL_OBJECT_FILE     ? IO_ON_DISK
	       : kind == KERNEL_OBJECT_SOCKET ? IO_ON_NET
					      : IO_ON_OTHER;
}

struct io_task *io_task_of(struct io_state *s, uint32_t task)
{
	return task == KERNEL_NONE ? &s->nobody
				   : mer_grow_at(&s->tasks, &s->cap_tasks, task, sizeof(*s->tasks));
}

void io_add_latency(struct io_latency *l, int64_t begin, int64_t end, uint64_t bytes, bool is_error)
{
	analysis_stats_add(&l->stats, end - begin, begin);
	l->freq.n[analysis_bucket(end - begin)]++;
	l->bytes += bytes;
	l->errors += is_error;
}

/* ---- while reading ---- */

static int begin(struct analysis_host *a)
{
	struct io_state *s = a->state;
	return analysis_bins_find(a->run, &s->bins, a->err);
}

static struct io_file *file_of(struct io_state *s, const struct kernel_call *call)
{
	uint32_t *at = mer_map_put(&s->file_map, (uint64_t)call->object << 8 | call->kind);
	if (at && *at)
		return &s->files[*at - 1];
	struct io_file *f =
		at ? mer_grow_at(&s->files, &s->cap_files, s->n_files, sizeof(*f)) : NULL;
	if (!f)
		return NULL;
	f->name = call->object;
	f->kind = call->kind;
	*at = (uint32_t)++s->n_files;
	return f;
}

/* The side of a copy that the call does not tell is of no known kind. */
static void add_bytes(
	struct io_task *t, struct io_file *f, enum io_op op, bool to_known, uint64_t bytes)
{
	unsigned known = place_of((enum kernel_object_kind)f->kind);
	if (op == IO_READ || op == IO_COPY)
		t->read[op == IO_COPY && to_known ? IO_ON_OTHER : known] += bytes;
	if (op == IO_WRITE || op == IO_COPY)
		t->written[op == IO_COPY && !to_known ? IO_ON_OTHER : known] += bytes;
	if (op == IO_READ || (op == IO_COPY && !to_known))
		f->read += bytes;
	if (op == IO_WRITE || (op == IO_COPY && to_known))
		f->written += bytes;
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
	if (op == IO_NONE)
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
	struct io_task *t = io_task_of(s, c->task);
	struct io_file *f = file_of(s, call);
	if (!t || !f)
		return mer_fail_nomem(a->err);
	t->calls++;
	t->errors += c->ret < 0;
	t->total_ns += ns;
	f->n[op]++;
	f->errors += c->ret < 0;
	analysis_stats_add(&f->stats, ns, c->begin);
	add_bytes(t, f, op, classes & KERNEL_CALLS_WRITE, bytes);
	if (!add_bin(s, c, op, bytes))
		return mer_fail_nomem(a->err);
	io_add_latency(&s->latency[op], c->begin, c->begin + ns, bytes, c->ret < 0);
	if (!analysis_asks(a, IO_OUT_LOG))
		return 0;
	struct io_row row = { .row.key = c->begin,
		.end = c->begin + ns,
		.ret = c->ret,
		.queue_ns = -1,
		.bytes = bytes,
		.task = c->task,
		.of = c->call,
		.cpu = c->cpu,
		.op = (uint8_t)op };
	return analysis_rows_add(&s->log, &row, sizeof(row), o->limit) ? 0 : mer_fail_nomem(a->err);
}

static void free_state(void *state)
{
	struct io_state *s = state;
	analysis_wanted_fini(&s->wanted);
	free(s->tasks);
	free(s->files);
	mer_map_fini(&s->file_map);
	io_free_disks(s);
	analysis_series_fini(&s->calls);
	analysis_rows_fini(&s->log);
}

/* ---- tables ---- */

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

static void add_top(struct analysis_run *run, struct mer_table *t, uint32_t host, uint32_t task)
{
	struct io_state *s = run->states[host];
	const struct io_task *x = task == KERNEL_NONE ? &s->nobody : &s->tasks[task];
	struct mer_cell c[19];
	uint64_t read = x->read[0] + x->read[1] + x->read[2];
	uint64_t written = x->written[0] + x->written[1] + x->written[2];
	if (x->calls == 0 && x->block_read + x->block_written + x->merged == 0)
		return;
	analysis_task_cells(run, host, task, INT64_MAX, c);
	c[4] = MER_INT(read + written);
	c[5] = MER_INT(read);
	c[6] = MER_INT(written);
	for (int i = 0; i < IO_N_PLACES; i++) {
		c[7 + 2 * i] = MER_INT(x->read[i]);
		c[8 + 2 * i] = MER_INT(x->written[i]);
	}
	c[13] = MER_INT(x->block_read);
	c[14] = MER_INT(x->block_written);
	c[15] = MER_INT(x->calls);
	c[16] = MER_INT(x->errors);
	c[17] = MER_INT(x->merged);
	c[18] = MER_INT(x->total_ns);
	mer_table_add(t, c);
}

static void emit_top(struct analysis_run *run, struct mer_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct io_state *s = run->states[host];
		for (size_t i = 0; i < s->cap_tasks; i++)
			add_top(run, t, host, (uint32_t)i);
		add_top(run, t, host, KERNEL_NONE);
	}
}

static const struct mer_column files_columns[] = { { "host", "host", MER_TEXT },
	{ "file", "file", MER_TEXT }, { "kind", "kind", MER_TEXT }, { "bytes", NULL, MER_BYTES },
	{ "read_bytes", "read", MER_BYTES }, { "written_bytes", "written", MER_BYTES },
	{ "opens", "opens", MER_COUNT }, { "reads", "reads", MER_COUNT },
	{ "writes", "writes", MER_COUNT }, { "syncs", "syncs", MER_COUNT },
	{ "copies", NULL, MER_COUNT }, { "errors", "errors", MER_COUNT }, ANALYSIS_STATS_COLUMNS,
	{ 0 } };

static void emit_files(struct analysis_run *run, struct mer_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct io_state *s = run->states[host];
		const struct kernel_host *h = &run->world->hosts[host];
		for (size_t i = 0; i < s->n_files; i++) {
			const struct io_file *f = &s->files[i];
			struct mer_cell c[12 + ANALYSIS_STATS_CELLS] = {
				mer_text(analysis_host_name(run, host)),
				f->name == KERNEL_NONE ? MER_NONE
						       : mer_text(kernel_name_text(h, f->name)),
				mer_text(kernel_object_kind_name((enum kernel_object_kind)f->kind)),
				MER_INT(f->read + f->written), MER_INT(f->read),
				MER_INT(f->written), MER_INT(f->n[IO_OPEN]), MER_INT(f->n[IO_READ]),
				MER_INT(f->n[IO_WRITE]), MER_INT(f->n[IO_SYNC]),
				MER_INT(f->n[IO_COPY]), MER_INT(f->errors)
			};
			analysis_stats_cells(&f->stats, c + 12);
			mer_table_add(t, c);
		}
	}
}

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "name", "operation", MER_TEXT }, { "call", NULL, MER_TEXT },
	{ "bytes", "bytes", MER_BYTES }, { "file", "file", MER_TEXT }, { "fd", NULL, MER_ID },
	{ "ret", "result", MER_TEXT }, { "sector", NULL, MER_COUNT },
	{ "queue_ns", NULL, MER_DURATION }, { "cpu", NULL, MER_ID }, ANALYSIS_TASK_COLUMNS, { 0 } };

static void add_log(
	struct analysis_run *run, struct mer_table *t, uint32_t host, const struct io_row *r)
{
	const struct kernel_host *h = &run->world->hosts[host];
	struct mer_cell c[16] = { MER_INT(r->row.key), MER_INT(r->end),
		MER_INT(r->end - r->row.key), mer_text(io_op_name((enum io_op)r->op)) };
	c[5] = MER_INT(r->bytes);
	if (r->op < IO_N_CALL_OPS) {
		const struct kernel_call *call = &h->calls[r->of];
		c[4] = mer_text(kernel_name_text(h, call->name));
		if (call->object != KERNEL_NONE)
			c[6] = mer_text(kernel_name_text(h, call->object));
		if (call->fd >= 0)
			c[7] = MER_INT(call->fd);
		c[8] = mer_text(analysis_ret_text(t->arena, kernel_call_classes(call->id), r->ret));
	} else {
		c[6] = mer_text(io_disk_name(h, r->of, t->arena));
		c[8] = mer_text(analysis_ret_text(t->arena, 0, r->ret));
		c[9] = MER_INT(r->sector);
		if (r->queue_ns >= 0)
			c[10] = MER_INT(r->queue_ns);
	}
	if (r->cpu != KERNEL_NO_CPU)
		c[11] = MER_INT(r->cpu);
	analysis_task_cells(run, host, r->task, r->row.key, c + 12);
	mer_table_add(t, c);
}

static const struct analysis_rows *log_of(const void *state)
{
	return &((const struct io_state *)state)->log;
}

static int emit_log(struct analysis_run *run, struct mer_table *t)
{
	size_t n;
	struct analysis_row_of *rows =
		analysis_rows_join(run, log_of, sizeof(struct io_row), &n, &t->n_left_out);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++)
		add_log(run, t, rows[i].host, rows[i].row);
	free(rows);
	return 0;
}

/* ---- stats and freq: a row, or a histogram, for each operation of a host and of each of its disks ---- */

#define KEY_COLUMNS                                                                                \
	{ "host", "host", MER_TEXT }, { "name", "operation", MER_TEXT },                           \
	{                                                                                          \
		"disk", "disk", MER_TEXT                                                           \
	}
enum { KEY_CELLS = 3 };
static const struct mer_column stats_columns[] = { KEY_COLUMNS, ANALYSIS_STATS_COLUMNS,
	{ "bytes", "bytes", MER_BYTES }, { "errors", "errors", MER_COUNT }, { 0 } };
static const struct mer_column freq_columns[] = { KEY_COLUMNS, ANALYSIS_FREQ_COLUMNS, { 0 } };

static void add_latency(struct analysis_run *run, struct mer_table *t, bool is_freq, uint32_t host,
	enum io_op op, const char *disk, const struct io_latency *l)
{
	struct mer_cell c[KEY_CELLS + ANALYSIS_STATS_CELLS + 2] = {
		mer_text(analysis_host_name(run, host)), mer_text(io_op_name(op)), mer_text(disk)
	};
	if (l->stats.n == 0)
		return;
	if (is_freq) {
		analysis_freq_rows(t, c, KEY_CELLS, &l->freq);
		return;
	}
	analysis_stats_cells(&l->stats, c + KEY_CELLS);
	c[KEY_CELLS + ANALYSIS_STATS_CELLS] = MER_INT(l->bytes);
	c[KEY_CELLS + ANALYSIS_STATS_CELLS + 1] = MER_INT(l->errors);
	mer_table_add(t, c);
}

static void emit_latencies(struct analysis_run *run, struct mer_table *t, bool is_freq)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct io_state *s = run->states[host];
		const struct kernel_host *h = &run->world->hosts[host];
		for (int op = IO_OPEN; op < IO_N_CALL_OPS; op++)
			add_latency(run, t, is_freq, host, (enum io_op)op, NULL, &s->latency[op]);
		for (size_t i = 0; i < s->n_disks; i++) {
			const struct io_disk *d = &s->disks[i];
			const char *name = io_disk_name(h, d->dev, t->arena);
			for (int op = IO_N_CALL_OPS; op < IO_N_OPS; op++)
				add_latency(run, t, is_freq, host, (enum io_op)op, name,
					&d->latency[op - IO_N_CALL_OPS]);
		}
	}
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	switch (output) {
	case IO_OUT_TOP: emit_top(run, t); return 0;
	case IO_OUT_FILES: emit_files(run, t); return 0;
	case IO_OUT_DISKS: io_emit_disks(run, t); return 0;
	case IO_OUT_DISK_TASKS: io_emit_disk_tasks(run, t); return 0;
	case IO_OUT_LOG: return emit_log(run, t);
	case IO_OUT_MAP: return io_emit_map(run, t);
	case IO_OUT_FREQ:
	case IO_OUT_STATS: emit_latencies(run, t, output == IO_OUT_FREQ); return 0;
	case IO_OUT_BINS: return io_emit_bins(run, t);
	default: return io_emit_task_bins(run, t);
	}
}

static const struct analysis_output outputs[] = {
	[IO_OUT_TOP] = { "top", "Bytes read and written by thread", top_columns, .sort = "bytes" },
	[IO_OUT_FILES] = { "files", "Files", files_columns, .sort = "bytes" },
	[IO_OUT_DISKS] = { "disks", "Disks", io_disks_columns, .sort = NULL },
	[IO_OUT_DISK_TASKS] = { "disk_tasks", "Disks by thread", io_disk_tasks_columns,
		.sort = "bytes" },
	[IO_OUT_LOG] = { "log", "I/O calls and disk requests", log_columns, .sort = NULL },
	[IO_OUT_MAP] = { "map", "Disk sectors over time", io_map_columns, .sort = NULL },
	[IO_OUT_FREQ] = { "freq", "I/O latency", freq_columns, .sort = NULL },
	[IO_OUT_STATS] = { "stats", "I/O latency by operation", stats_columns, .sort = NULL },
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
		 "service_avg_ns sequential_percent queue_avg_ns service_max_ns total_ns",
	.charts = charts,
	.state_size = sizeof(struct io_state),
	.on = { .call = on_call, .merge = io_on_merge },
	.begin = begin,
	.end = io_end,
	.emit = emit,
	.free_state = free_state,
};
