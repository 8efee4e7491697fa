/* Disks: the requests of a host to its block devices.
 *
 * A request waits from its insertion to its issue, and is in flight from there to its completion. The
 * model keeps all requests, so they are looked at after the last event, in the order in which they were
 * issued. In bins, the bytes of a request in flight come in evenly. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cells.h"
#include "analysis/io.h"

const char *io_disk_name(const struct kernel_host *h, uint32_t dev, struct mer_arena *arena)
{
	enum { MINOR_BITS = 20 };
	const uint32_t *at = mer_map_get(&h->devices, dev);
	if (at && *at && *kernel_name_text(h, *at - 1))
		return kernel_name_text(h, *at - 1);
	return mer_arena_printf(arena, "%u,%u", dev >> MINOR_BITS, dev & ((1u << MINOR_BITS) - 1));
}

static enum io_op op_of(const struct kernel_request *r)
{
	if (r->bytes == 0)
		return IO_DISK_FLUSH;
	if (r->flags & KERNEL_DISCARD)
		return IO_DISK_DISCARD;
	return r->flags & KERNEL_WRITE ? IO_DISK_WRITE : IO_DISK_READ;
}

/* Commands to a device that has no disk (or none yet): nothing is read or written. */
static bool is_of_disk(const struct kernel_request *r)
{
	return r->dev != 0 || r->bytes != 0;
}

/* Begins when it was issued, where that was seen. */
static int64_t begin_of(const struct kernel_request *r)
{
	return r->issue != INT64_MIN ? r->issue : r->insert != INT64_MIN ? r->insert : r->complete;
}

static int64_t queued_of(const struct kernel_request *r)
{
	return r->insert != INT64_MIN && r->issue >= r->insert ? r->issue - r->insert : -1;
}

static bool was_in_flight(const struct kernel_request *r)
{
	return r->issue != INT64_MIN && r->complete != INT64_MIN && r->complete >= r->issue;
}

/* ---- while reading: who made it, as spans are forgotten ---- */

static struct io_maker maker_of(const struct kernel_host *h, const struct kernel_request *r)
{
	const struct kernel_span *s = kernel_span_kept(h, r->by);
	return s ? (struct io_maker){ s->task + 1, s->cpu } : (struct io_maker){ 0, KERNEL_NO_CPU };
}

int io_on_request(void *ctx, const struct kernel_host *h, uint32_t request)
{
	struct analysis_host *a = ctx;
	struct io_state *s = a->state;
	struct io_maker *m = analysis_at(&s->makers, &s->cap_makers, request, sizeof(*m));
	if (!m)
		return mer_fail_nomem(a->err);
	*m = maker_of(h, &h->requests[request]);
	return 0;
}

static struct io_maker maker(
	const struct io_state *s, const struct kernel_host *h, uint32_t request)
{
	if (request < s->cap_makers && s->makers[request].task)
		return s->makers[request];
	return maker_of(h, &h->requests[request]);
}

static bool is_wanted(
	const struct analysis_options *o, const struct kernel_host *h, const struct io_maker *m)
{
	return (!o->wants_task || (m->task && o->wants_task(o->ctx, h, m->task - 1))) &&
	       (!o->wants_cpu || o->wants_cpu(o->ctx, m->cpu));
}

/* ---- after the last event ---- */

static struct io_disk *disk_of(struct io_state *s, uint32_t dev)
{
	uint32_t *at = mer_map_put(&s->disk_map, dev);
	if (at && *at)
		return &s->disks[*at - 1];
	struct io_disk *d =
		at ? analysis_at(&s->disks, &s->cap_disks, s->n_disks, sizeof(*d)) : NULL;
	if (d) {
		d->dev = dev;
		d->busy_until = INT64_MIN;
		*at = (uint32_t)++s->n_disks;
	}
	return d;
}

static void add_order(struct io_disk *d, const struct kernel_request *r)
{
	enum { SECTOR_BYTES = 512 };
	if (r->bytes == 0)
		return;
	d->n_sequential += d->n_data > 0 && r->sector == d->next_sector;
	d->n_data++;
	d->next_sector = r->sector + r->bytes / SECTOR_BYTES;
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

static int add_request(struct analysis_host *a, const struct kernel_host *h, uint32_t request)
{
	struct io_state *s = a->state;
	const struct analysis_options *o = a->run->options;
	const struct kernel_request *r = &h->requests[request];
	struct io_maker made = maker(s, h, request);
	int64_t begin = begin_of(r), queued = queued_of(r);
	uint32_t task = made.task - 1;
	if (!is_of_disk(r) || !is_wanted(o, h, &made))
		return 0;
	struct io_disk *d = disk_of(s, r->dev);
	struct io_task *t = io_task_of(s, task);
	if (!d || !t)
		return mer_fail_nomem(a->err);
	if (was_in_flight(r))
		add_busy(a, d, r);
	if (!analysis_is_asked(o, begin))
		return 0;
	enum io_op op = op_of(r);
	t->block_read += op == IO_DISK_READ ? r->bytes : 0;
	t->block_written += op == IO_DISK_WRITE ? r->bytes : 0;
	if (queued >= 0)
		analysis_stats_add(&d->queue, queued, r->insert);
	add_order(d, r);
	if (r->complete == INT64_MIN) {
		/* Flushes end at no sector that they began at. */
		d->unfinished += r->bytes != 0;
		return 0;
	}
	d->n[op]++;
	d->read += op == IO_DISK_READ ? r->bytes : 0;
	d->written += op == IO_DISK_WRITE ? r->bytes : 0;
	d->errors += r->error != 0;
	if (was_in_flight(r))
		analysis_stats_add(&d->service, r->complete - r->issue, r->issue);
	int64_t end = r->complete > begin ? r->complete : begin;
	if (!analysis_counts(a, begin, end))
		return 0;
	io_add_latency(&d->latency[op - IO_N_CALL_OPS], begin, end, r->bytes, r->error != 0);
	struct io_row row = { .row.key = begin,
		.end = end,
		.ret = r->error,
		.queue_ns = queued,
		.bytes = r->bytes,
		.sector = r->sector,
		.task = task,
		.of = r->dev,
		.cpu = made.cpu,
		.op = (uint8_t)op };
	return analysis_rows_add(&s->log, &row, sizeof(row), o->limit) ? 0 : mer_fail_nomem(a->err);
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

int io_end(struct analysis_host *a, const struct kernel_host *h)
{
	const struct analysis_options *o = a->run->options;
	if (o->wants_host && !o->wants_host(o->ctx, a->host))
		return 0;
	struct order *order = malloc(((size_t)h->n_requests + 1) * sizeof(*order));
	if (!order)
		return mer_fail_nomem(a->err);
	for (uint32_t i = 0; i < h->n_requests; i++)
		order[i] = (struct order){ begin_of(&h->requests[i]), i };
	qsort(order, h->n_requests, sizeof(*order), compare);
	int rc = 0;
	for (uint32_t i = 0; i < h->n_requests && rc == 0; i++)
		rc = add_request(a, h, order[i].request);
	free(order);
	return rc;
}

/* ---- tables ---- */

const struct analysis_column io_disks_columns[] = { { "host", "host", ANALYSIS_TEXT },
	{ "disk", "disk", ANALYSIS_TEXT }, { "requests", "requests", ANALYSIS_COUNT },
	{ "reads", NULL, ANALYSIS_COUNT }, { "writes", NULL, ANALYSIS_COUNT },
	{ "discards", NULL, ANALYSIS_COUNT }, { "flushes", NULL, ANALYSIS_COUNT },
	{ "read_bytes", "read", ANALYSIS_BYTES }, { "written_bytes", "written", ANALYSIS_BYTES },
	{ "queue_avg_ns", "queued avg", ANALYSIS_DURATION },
	{ "queue_max_ns", "max", ANALYSIS_DURATION },
	{ "service_avg_ns", "service avg", ANALYSIS_DURATION },
	{ "service_max_ns", "max", ANALYSIS_DURATION }, { "busy_ns", NULL, ANALYSIS_DURATION },
	{ "busy_percent", "busy", ANALYSIS_RATIO },
	{ "sequential_percent", "sequential", ANALYSIS_RATIO },
	{ "errors", "errors", ANALYSIS_COUNT }, { "unfinished", NULL, ANALYSIS_COUNT }, { 0 } };

static void stats_pair(const struct analysis_stats *s, struct analysis_cell *c)
{
	struct analysis_cell all[ANALYSIS_STATS_CELLS];
	analysis_stats_cells(s, all);
	c[0] = all[3];
	c[1] = all[2];
}

void io_emit_disks(struct analysis_run *run, struct analysis_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct io_state *s = run->states[host];
		int64_t begin, end, range = analysis_range(run, host, &begin, &end);
		for (size_t i = 0; i < s->n_disks; i++) {
			const struct io_disk *d = &s->disks[i];
			struct analysis_cell c[18] = { analysis_text(analysis_host_name(run, host)),
				analysis_text(
					io_disk_name(&run->world->hosts[host], d->dev, t->arena)) };
			uint64_t all = 0;
			for (int op = IO_DISK_READ; op < IO_N_OPS; op++) {
				all += d->n[op];
				c[3 + op - IO_DISK_READ] = ANALYSIS_INT(d->n[op]);
			}
			c[2] = ANALYSIS_INT(all);
			c[7] = ANALYSIS_INT(d->read);
			c[8] = ANALYSIS_INT(d->written);
			stats_pair(&d->queue, c + 9);
			stats_pair(&d->service, c + 11);
			c[13] = ANALYSIS_INT(d->busy);
			if (range)
				c[14] = ANALYSIS_REAL_CELL((double)d->busy / (double)range);
			if (d->n_data > 1)
				c[15] = ANALYSIS_REAL_CELL(
					(double)d->n_sequential / (double)(d->n_data - 1));
			c[16] = ANALYSIS_INT(d->errors);
			c[17] = ANALYSIS_INT(d->unfinished);
			analysis_table_add(t, c);
		}
	}
}

/* ---- bins ---- */

const struct analysis_column io_bins_columns[] = { { "begin", "begin", ANALYSIS_TIME },
	{ "end", NULL, ANALYSIS_TIME }, { "host", "host", ANALYSIS_TEXT },
	{ "disk", "disk", ANALYSIS_TEXT }, { "read_bytes", "read", ANALYSIS_BYTES },
	{ "written_bytes", "written", ANALYSIS_BYTES }, { "read_rate", "read/s", ANALYSIS_RATE },
	{ "write_rate", "written/s", ANALYSIS_RATE }, { "in_flight", "in flight", ANALYSIS_REAL },
	{ "queued", "queued", ANALYSIS_REAL }, { "service_ns", NULL, ANALYSIS_DURATION },
	{ "queue_ns", NULL, ANALYSIS_DURATION }, { 0 } };

struct bin {			     /* of a disk */
	int64_t bytes[2];	     /* read, written: whole, so that bins sum up */
	double share[2];	     /* the same with fractions */
	int64_t in_flight, in_queue; /* sum over requests, ns */
};

/* Bins that all requests of a host may lie in, together: a broken trace may have requests without end. */
enum { MAX_STEPS = 100000000 };

static void spread_time(const struct analysis_bins *b, struct bin *bins, int64_t begin, int64_t end,
	bool in_flight, uint64_t *steps)
{
	begin = begin > b->begin ? begin : b->begin;
	end = end < b->begin + b->length ? end : b->begin + b->length;
	if (end <= begin)
		return;
	for (int64_t i = analysis_bin_of(b, begin); i < b->n && *steps < MAX_STEPS; i++, ++*steps) {
		int64_t to = analysis_bin_edge(b, (uint32_t)i + 1);
		to = to < end ? to : end;
		*(in_flight ? &bins[i].in_flight : &bins[i].in_queue) += to - begin;
		begin = to;
		if (begin == end)
			break;
	}
}

/* How many of its bytes have come by then. */
static int64_t come_by(const struct kernel_request *r, int64_t t)
{
	if (t <= r->issue)
		return 0;
	if (t >= r->complete)
		return r->bytes;
	return (int64_t)((__int128)r->bytes * (t - r->issue) / (r->complete - r->issue));
}

static void spread_bytes(const struct analysis_bins *b, struct bin *bins,
	const struct kernel_request *r, unsigned kind, uint64_t *steps)
{
	bool at_once = !was_in_flight(r) || r->complete == r->issue || *steps >= MAX_STEPS;
	if (at_once) {
		int64_t i = analysis_bin_of(b, r->complete);
		if (i >= 0) {
			bins[i].bytes[kind] += r->bytes;
			bins[i].share[kind] += r->bytes;
		}
		return;
	}
	int64_t begin = r->issue > b->begin ? r->issue : b->begin;
	int64_t end = r->complete < b->begin + b->length ? r->complete : b->begin + b->length;
	if (end <= begin)
		return;
	double per_ns = (double)r->bytes / (double)(r->complete - r->issue);
	for (int64_t i = analysis_bin_of(b, begin); i < b->n && begin < end; i++, ++*steps) {
		int64_t to = analysis_bin_edge(b, (uint32_t)i + 1);
		to = to < end ? to : end;
		bins[i].bytes[kind] += come_by(r, to) - come_by(r, begin);
		bins[i].share[kind] += per_ns * (double)(to - begin);
		begin = to;
	}
}

/* bins: of all disks of the host, one after the other. */
static void add_bins(const struct analysis_run *run, uint32_t host, struct bin *bins)
{
	const struct kernel_host *h = &run->world->hosts[host];
	const struct io_state *s = run->states[host];
	const struct analysis_bins *b = &s->bins;
	uint64_t steps = 0;
	for (uint32_t i = 0; i < h->n_requests; i++) {
		const struct kernel_request *r = &h->requests[i];
		const uint32_t *disk = mer_map_get(&s->disk_map, r->dev);
		struct io_maker made = maker(s, h, i);
		enum io_op op = op_of(r);
		if (!disk || !is_of_disk(r) || !is_wanted(run->options, h, &made))
			continue;
		struct bin *to = bins + (size_t)(*disk - 1) * b->n;
		if (queued_of(r) > 0)
			spread_time(b, to, r->insert, r->issue, false, &steps);
		if (was_in_flight(r))
			spread_time(b, to, r->issue, r->complete, true, &steps);
		if (r->complete != INT64_MIN && (op == IO_DISK_READ || op == IO_DISK_WRITE))
			spread_bytes(b, to, r, op == IO_DISK_WRITE, &steps);
	}
}

static void emit_bin(const struct analysis_run *run, struct analysis_table *t, uint32_t host,
	const char *disk, uint32_t i, const struct bin *x)
{
	static const double ns_per_s = 1e9;
	const struct analysis_bins *b = &((const struct io_state *)run->states[host])->bins;
	int64_t from = analysis_bin_edge(b, i), to = analysis_bin_edge(b, i + 1);
	double ns = (double)(to - from);
	struct analysis_cell c[] = { ANALYSIS_INT(from), ANALYSIS_INT(to),
		analysis_text(analysis_host_name(run, host)), analysis_text(disk),
		ANALYSIS_INT(x->bytes[0]), ANALYSIS_INT(x->bytes[1]),
		ANALYSIS_REAL_CELL(x->share[0] * ns_per_s / ns),
		ANALYSIS_REAL_CELL(x->share[1] * ns_per_s / ns),
		ANALYSIS_REAL_CELL((double)x->in_flight / ns),
		ANALYSIS_REAL_CELL((double)x->in_queue / ns), ANALYSIS_INT(x->in_flight),
		ANALYSIS_INT(x->in_queue) };
	analysis_table_add(t, c);
}

int io_emit_bins(struct analysis_run *run, struct analysis_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct io_state *s = run->states[host];
		uint32_t n = s->bins.n;
		if (n == 0 || s->n_disks == 0)
			continue;
		struct bin *bins = calloc(s->n_disks * n, sizeof(*bins));
		if (!bins)
			return mer_fail_nomem(run->err);
		add_bins(run, host, bins);
		for (size_t k = 0; k < s->n_disks; k++) {
			const char *disk =
				io_disk_name(&run->world->hosts[host], s->disks[k].dev, t->arena);
			for (uint32_t i = 0; i < n; i++)
				emit_bin(run, t, host, disk, i, &bins[k * n + i]);
		}
		free(bins);
	}
	return 0;
}
