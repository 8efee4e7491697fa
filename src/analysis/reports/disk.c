/* Disks: the requests of a host to its block devices.
 *
 * A request waits from its insertion to its issue, and is in flight from there to its completion. The
 * model keeps all requests, so they are looked at after the last event, in the order in which they were
 * issued. What was merged into another request counts as merged, its bytes as those of the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cells.h"
#include "analysis/reports/io.h"

enum { DISK_NUMBER_BYTES = 24 };

/* number: for the name of a disk that has none. */
static const char *disk_name(
	const struct kernel_host *h, uint32_t dev, char number[DISK_NUMBER_BYTES])
{
	enum { MINOR_BITS = 20 };
	const uint32_t *at = mer_map_get(&h->devices, dev);
	if (at && *at && *kernel_name_text(h, *at - 1))
		return kernel_name_text(h, *at - 1);
	snprintf(number, DISK_NUMBER_BYTES, "%u,%u", dev >> MINOR_BITS,
		dev & ((1u << MINOR_BITS) - 1));
	return number;
}

const char *io_disk_name(const struct kernel_host *h, uint32_t dev, struct mer_arena *arena)
{
	char number[DISK_NUMBER_BYTES];
	const char *name = disk_name(h, dev, number);
	return name == number ? mer_arena_strdup(arena, name) : name;
}

/* Commands to a device that has no disk (or none yet): nothing is read or written. */
static bool is_of_disk(const struct kernel_request *r)
{
	return r->dev != 0 || r->bytes != 0;
}

enum io_op io_op_of_request(const struct kernel_request *r)
{
	if (!is_of_disk(r) || r->flags & KERNEL_MERGED)
		return IO_NONE;
	if (r->bytes == 0)
		return r->flags & KERNEL_FLUSH ? IO_DISK_FLUSH : IO_NONE;
	if (r->flags & KERNEL_DISCARD)
		return IO_DISK_DISCARD;
	return r->flags & KERNEL_WRITE ? IO_DISK_WRITE : IO_DISK_READ;
}

int64_t io_request_begin(const struct kernel_request *r)
{
	return r->issue != INT64_MIN ? r->issue : r->insert != INT64_MIN ? r->insert : r->complete;
}

int64_t io_request_queued(const struct kernel_request *r)
{
	return r->insert != INT64_MIN && r->issue >= r->insert ? r->issue - r->insert : -1;
}

bool io_request_was_in_flight(const struct kernel_request *r)
{
	return r->issue != INT64_MIN && r->complete != INT64_MIN && r->complete >= r->issue;
}

int64_t io_request_end(const struct kernel_request *r)
{
	int64_t begin = io_request_begin(r);
	return r->complete != INT64_MIN && r->complete < begin ? begin : r->complete;
}

bool io_disk_has_name(const struct kernel_host *h, uint32_t dev,
	bool (*wants)(void *ctx, const char *name), void *ctx)
{
	char number[DISK_NUMBER_BYTES];
	return wants(ctx, disk_name(h, dev, number));
}

bool io_wants_disk(const struct analysis_options *o, const struct kernel_host *h, uint32_t dev)
{
	return !o->wants_name || io_disk_has_name(h, dev, o->wants_name, o->ctx);
}

enum io_op io_request_op(
	const struct analysis_run *run, const struct kernel_host *h, const struct kernel_request *r)
{
	const struct analysis_options *o = run->options;
	enum io_op op = io_op_of_request(r);
	if (op == IO_NONE || !io_fits(o, io_request_begin(r), io_request_end(r), r->bytes))
		return IO_NONE;
	if (o->wants_task && (r->task == KERNEL_NONE || !o->wants_task(o->ctx, h, r->task)))
		return IO_NONE;
	if (o->wants_cpu && !o->wants_cpu(o->ctx, r->cpu))
		return IO_NONE;
	return io_wants_disk(o, h, r->dev) ? op : IO_NONE;
}

/* ---- sums ---- */

static struct io_disk *disk_of(struct io_state *s, uint32_t dev)
{
	uint32_t *at = mer_map_put(&s->disk_map, dev);
	if (at && *at)
		return &s->disks[*at - 1];
	struct io_disk *d =
		at ? mer_grow_at(&s->disks, &s->cap_disks, s->n_disks, sizeof(*d)) : NULL;
	if (d) {
		d->dev = dev;
		d->busy_until = INT64_MIN;
		*at = (uint32_t)++s->n_disks;
	}
	return d;
}

static struct io_disk_task *disk_task_of(struct io_state *s, uint32_t disk, uint32_t task)
{
	uint32_t *at = mer_map_put(&s->disk_task_map, (uint64_t)disk << 32 | task);
	if (at && *at)
		return &s->disk_tasks[*at - 1];
	struct io_disk_task *x =
		at ? mer_grow_at(&s->disk_tasks, &s->cap_disk_tasks, s->n_disk_tasks, sizeof(*x))
		   : NULL;
	if (x) {
		x->disk = disk;
		x->task = task;
		*at = (uint32_t)++s->n_disk_tasks;
	}
	return x;
}

int io_on_merge(void *ctx, const struct kernel_host *h, const struct kernel_merge *m)
{
	struct analysis_host *a = ctx;
	struct io_state *s = a->state;
	const struct analysis_options *o = a->run->options;
	/* A merge takes no time. */
	if (!analysis_is_asked(o, m->time) || !io_fits(o, m->time, INT64_MIN, m->bytes) ||
		!analysis_wants_task(a, h, m->task) || !analysis_wants_cpu(a, m->cpu) ||
		!io_wants_disk(o, h, m->dev))
		return 0;
	struct io_disk *d = disk_of(s, m->dev);
	struct io_disk_task *x = d ? disk_task_of(s, (uint32_t)(d - s->disks), m->task) : NULL;
	if (!d || !x)
		return mer_fail_nomem(a->err);
	d->merged++;
	x->merged++;
	return 0;
}

/* Requests come in the order of their issue. */
static void add_busy(
	const struct analysis_host *a, struct io_disk *d, const struct kernel_request *r)
{
	int64_t from = r->issue > d->busy_until ? r->issue : d->busy_until;
	if (r->complete > d->busy_until)
		d->busy_until = r->complete;
	d->busy += analysis_overlap(a->run->options, from, r->complete);
}

/* What is asked for, whether it ended or not. */
static bool count_asked(struct io_disk *d, struct io_disk_task *x, const struct kernel_request *r)
{
	int64_t queued = io_request_queued(r);
	if (queued >= 0)
		analysis_stats_add(&d->queue, queued, r->insert);
	return io_order_add(&d->order, r) && io_order_add(&x->order, r);
}

static void count_done(
	struct io_disk *d, struct io_disk_task *x, const struct kernel_request *r, enum io_op op)
{
	uint64_t read = op == IO_DISK_READ ? r->bytes : 0;
	uint64_t written = op == IO_DISK_WRITE ? r->bytes : 0;
	d->n[op]++;
	x->n++;
	d->read += read;
	x->read += read;
	d->written += written;
	x->written += written;
	d->errors += r->error != 0;
	if (io_request_was_in_flight(r)) {
		analysis_stats_add(&d->service, r->complete - r->issue, r->issue);
		analysis_stats_add(&x->service, r->complete - r->issue, r->issue);
	}
}

static int add_request(struct analysis_host *a, const struct kernel_host *h, uint32_t request)
{
	struct io_state *s = a->state;
	const struct analysis_options *o = a->run->options;
	const struct kernel_request *r = kernel_request_at(h, request);
	int64_t begin = io_request_begin(r);
	enum io_op op = io_request_op(a->run, h, r);
	if (op == IO_NONE)
		return 0;
	struct io_disk *d = disk_of(s, r->dev);
	if (!d)
		return mer_fail_nomem(a->err);
	if (io_request_was_in_flight(r))
		add_busy(a, d, r);
	if (!analysis_is_asked(o, begin))
		return 0;
	struct io_disk_task *x = disk_task_of(s, (uint32_t)(d - s->disks), r->task);
	if (!x || !count_asked(d, x, r))
		return mer_fail_nomem(a->err);
	if (r->complete == INT64_MIN) {
		d->unfinished++;
		return 0;
	}
	count_done(d, x, r, op);
	return 0;
}

struct order {
	int64_t begin;
	uint32_t request;
};

static int compare(const void *a, const void *b)
{
	const struct order *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->request > q->request) - (p->request < q->request);
}

uint32_t *io_requests_by_begin(const struct kernel_host *h)
{
	struct order *order = malloc(((size_t)h->n_requests + 1) * sizeof(*order));
	uint32_t *numbers = malloc(((size_t)h->n_requests + 1) * sizeof(*numbers));
	if (order && numbers) {
		for (uint32_t i = 0; i < h->n_requests; i++)
			order[i] = (struct order){ io_request_begin(kernel_request_at(h, i)), i };
		qsort(order, h->n_requests, sizeof(*order), compare);
		for (uint32_t i = 0; i < h->n_requests; i++)
			numbers[i] = order[i].request;
		free(order);
		return numbers;
	}
	free(order);
	free(numbers);
	return NULL;
}

int io_end(struct analysis_host *a, const struct kernel_host *h)
{
	const struct analysis_options *o = a->run->options;
	if (o->wants_host && !o->wants_host(o->ctx, a->host))
		return 0;
	uint32_t *order = io_requests_by_begin(h);
	int rc = order ? 0 : mer_fail_nomem(a->err);
	for (uint32_t i = 0; i < h->n_requests && rc == 0; i++)
		rc = add_request(a, h, order[i]);
	free(order);
	return rc;
}

void io_free_disks(struct io_state *s)
{
	for (size_t i = 0; i < s->n_disks; i++)
		io_order_fini(&s->disks[i].order);
	for (size_t i = 0; i < s->n_disk_tasks; i++)
		io_order_fini(&s->disk_tasks[i].order);
	free(s->disks);
	free(s->disk_tasks);
	mer_map_fini(&s->disk_map);
	mer_map_fini(&s->disk_task_map);
}

/* ---- tables ---- */

const struct mer_column io_disks_columns[] = { { "host", "host", MER_TEXT },
	{ "disk", "disk", MER_TEXT }, { "requests", "requests", MER_COUNT },
	{ "reads", NULL, MER_COUNT }, { "writes", NULL, MER_COUNT },
	{ "discards", NULL, MER_COUNT }, { "flushes", NULL, MER_COUNT },
	{ "read_bytes", "read", MER_BYTES }, { "written_bytes", "written", MER_BYTES },
	{ "busy_ns", NULL, MER_DURATION }, { "busy_percent", "busy", MER_RATIO },
	{ "service_mean_ns", "service mean", MER_DURATION },
	{ "queue_mean_ns", "queued mean", MER_DURATION }, IO_ORDER_COLUMNS,
	{ "service_max_ns", "service max", MER_DURATION },
	{ "queue_max_ns", "queued max", MER_DURATION }, { "merged", "merged", MER_COUNT },
	{ "errors", "errors", MER_COUNT }, { "unfinished", NULL, MER_COUNT }, { 0 } };

static struct mer_cell mean_cell(const struct analysis_stats *s)
{
	struct mer_cell all[ANALYSIS_STATS_CELLS];
	analysis_stats_cells(s, all);
	return all[3];
}

static struct mer_cell max_cell(const struct analysis_stats *s)
{
	return s->n ? MER_INT(s->max) : MER_NONE;
}

static struct mer_cell disk_cell(
	const struct analysis_run *run, const struct mer_table *t, uint32_t host, uint32_t dev)
{
	return mer_text(io_disk_name(&run->world->hosts[host], dev, t->arena));
}

static void emit_disk(struct analysis_run *run, struct mer_table *t, uint32_t host,
	struct io_disk *d, int64_t range)
{
	enum { N = 18 + IO_ORDER_CELLS };
	struct mer_cell c[N] = { mer_text(analysis_host_name(run, host)),
		disk_cell(run, t, host, d->dev) };
	uint64_t all = 0;
	for (int op = IO_DISK_READ; op < IO_N_OPS; op++) {
		all += d->n[op];
		c[3 + op - IO_DISK_READ] = MER_INT(d->n[op]);
	}
	c[2] = MER_INT(all);
	c[7] = MER_INT(d->read);
	c[8] = MER_INT(d->written);
	c[9] = MER_INT(d->busy);
	if (range)
		c[10] = MER_REAL_CELL((double)d->busy / (double)range);
	c[11] = mean_cell(&d->service);
	c[12] = mean_cell(&d->queue);
	io_order_cells(&d->order, c + 13);
	c[N - 5] = max_cell(&d->service);
	c[N - 4] = max_cell(&d->queue);
	c[N - 3] = MER_INT(d->merged);
	c[N - 2] = MER_INT(d->errors);
	c[N - 1] = MER_INT(d->unfinished);
	mer_table_add(t, c);
}

void io_emit_disks(struct analysis_run *run, struct mer_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct io_state *s = run->states[host];
		int64_t begin, end, range = analysis_range(run, host, &begin, &end);
		for (size_t i = 0; i < s->n_disks; i++)
			emit_disk(run, t, host, &s->disks[i], range);
	}
}

const struct mer_column io_disk_tasks_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "disk", "disk", MER_TEXT }, { "requests", "requests", MER_COUNT },
	{ "bytes", NULL, MER_BYTES }, { "read_bytes", "read", MER_BYTES },
	{ "written_bytes", "written", MER_BYTES }, IO_ORDER_COLUMNS,
	{ "service_mean_ns", "service mean", MER_DURATION }, { "merged", "merged", MER_COUNT },
	{ 0 } };

void io_emit_disk_tasks(struct analysis_run *run, struct mer_table *t)
{
	enum { FIRST = ANALYSIS_TASK_CELLS, ORDER = FIRST + 5, AFTER = ORDER + IO_ORDER_CELLS };
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct io_state *s = run->states[host];
		for (size_t i = 0; i < s->n_disk_tasks; i++) {
			struct io_disk_task *x = &s->disk_tasks[i];
			struct mer_cell c[AFTER + 2];
			analysis_task_cells(run, host, x->task, INT64_MAX, c);
			c[FIRST] = disk_cell(run, t, host, s->disks[x->disk].dev);
			c[FIRST + 1] = MER_INT(x->n);
			c[FIRST + 2] = MER_INT(x->read + x->written);
			c[FIRST + 3] = MER_INT(x->read);
			c[FIRST + 4] = MER_INT(x->written);
			io_order_cells(&x->order, c + ORDER);
			c[AFTER] = mean_cell(&x->service);
			c[AFTER + 1] = MER_INT(x->merged);
			mer_table_add(t, c);
		}
	}
}
