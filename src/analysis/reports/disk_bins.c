/* Disks over time: what requests moved and how many there were, by disk and by task.
 *
 * The bytes of a request in flight come in evenly. Of parts of the time that were not asked for nothing
 * counts. */
#include <stdlib.h>

#include "analysis/busiest.h"
#include "analysis/reports/io.h"

struct bin {			     /* of a disk */
	int64_t bytes[2];	     /* read, written: whole, so that bins sum up */
	double share[2];	     /* the same with fractions */
	int64_t in_flight, in_queue; /* sum over requests, ns */
};

/* Bins that all requests of a host may lie in, together: a broken trace may have requests without end. */
enum { MAX_STEPS = 100000000 };

/* The parts of a time: each in one bin, and all that were asked for. */
struct parts {
	const struct analysis_options *o;
	const struct analysis_bins *b;
	uint64_t steps;	       /* over all requests */
	int64_t at, end;       /* what is left */
	int64_t from, to, bin; /* the part */
	bool at_once;	       /* its bytes came all at its end */
};

static void begin_parts(struct parts *p, int64_t begin, int64_t end)
{
	int64_t last = p->b->begin + p->b->length;
	p->at = begin > p->b->begin ? begin : p->b->begin;
	p->end = end < last ? end : last;
}

static bool next_part(struct parts *p)
{
	int64_t part_end;
	if (p->at >= p->end || !analysis_part(p->o, &p->at, p->end, &part_end))
		return false;
	p->steps++;
	p->bin = analysis_bin_of(p->b, p->at);
	int64_t edge = p->bin < 0 ? p->at : analysis_bin_edge(p->b, (uint32_t)p->bin + 1);
	p->from = p->at;
	p->at = p->to = part_end < edge ? part_end : edge;
	return p->from < p->to;
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

static bool is_for_data(const struct kernel_request *r, enum io_op op)
{
	return r->complete != INT64_MIN && (op == IO_DISK_READ || op == IO_DISK_WRITE);
}

/* Bytes of a request by part, from the first on: sets the part, then returns them; -1: no more. */
static int64_t next_bytes(
	struct parts *p, const struct kernel_request *r, bool first, double *share)
{
	if (first) {
		p->at_once = !io_request_was_in_flight(r) || r->complete == r->issue ||
			     p->steps >= MAX_STEPS;
		begin_parts(p, r->issue, r->complete);
	}
	if (p->at_once) {
		bool is_told = first && analysis_is_asked(p->o, r->complete);
		p->bin = is_told ? analysis_bin_of(p->b, r->complete) : -1;
		*share = r->bytes;
		return p->bin >= 0 ? (int64_t)r->bytes : -1;
	}
	if (!next_part(p))
		return -1;
	double length = (double)(r->complete - r->issue);
	*share = (double)r->bytes / length * (double)(p->to - p->from);
	return come_by(r, p->to) - come_by(r, p->from);
}

/* Those after MAX_STEPS were not taken apart. */
static void report(const struct analysis_run *run, uint32_t host, const struct parts *p)
{
	struct mer_diag d = { .severity = MER_WARNING,
		.code = "io-too-many-bins",
		.host = analysis_host_name(run, host),
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = 1 };
	if (p->steps >= MAX_STEPS)
		mer_diag_add(&run->e->diags, &d,
			"requests span more than %d bins in total; the rest of them count only in "
			"the bin in which they ended, and in no queue; choose fewer bins",
			(int)MAX_STEPS);
}

/* ---- by disk ---- */

const struct mer_column io_bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT }, { "disk", "disk", MER_TEXT },
	{ "read_bytes", "read", MER_BYTES }, { "written_bytes", "written", MER_BYTES },
	{ "read_bytes_per_s", "read/s", MER_RATE }, { "write_bytes_per_s", "written/s", MER_RATE },
	{ "in_flight", "in flight", MER_REAL }, { "queued", "queued", MER_REAL },
	{ "service_ns", NULL, MER_DURATION }, { "queue_ns", NULL, MER_DURATION }, { 0 } };

static void add_request(
	struct parts *p, struct bin *to, const struct kernel_request *r, enum io_op op)
{
	double share;
	if (io_request_queued(r) > 0 && p->steps < MAX_STEPS)
		for (begin_parts(p, r->insert, r->issue); next_part(p);)
			to[p->bin].in_queue += p->to - p->from;
	if (io_request_was_in_flight(r) && p->steps < MAX_STEPS)
		for (begin_parts(p, r->issue, r->complete); next_part(p);)
			to[p->bin].in_flight += p->to - p->from;
	if (!is_for_data(r, op))
		return;
	int way = op == IO_DISK_WRITE;
	for (int64_t bytes = next_bytes(p, r, true, &share); bytes >= 0;
		bytes = next_bytes(p, r, false, &share)) {
		to[p->bin].bytes[way] += bytes;
		to[p->bin].share[way] += share;
	}
}

/* bins: of all disks of the host, one after the other. */
static void add_bins(const struct analysis_run *run, uint32_t host, struct bin *bins)
{
	const struct kernel_host *h = &run->world->hosts[host];
	const struct io_state *s = run->states[host];
	struct parts p = { .o = run->options, .b = &s->bins };
	for (uint32_t i = 0; i < h->n_requests; i++) {
		const struct kernel_request *r = kernel_request_at(h, i);
		const uint32_t *disk = mer_map_get(&s->disk_map, r->dev);
		enum io_op op = io_request_op(run, h, r);
		if (disk && op != IO_NONE)
			add_request(&p, bins + (size_t)(*disk - 1) * s->bins.n, r, op);
	}
	report(run, host, &p);
}

static void emit_bin(const struct analysis_run *run, struct mer_table *t, uint32_t host,
	const char *disk, uint32_t i, const struct bin *x)
{
	static const double ns_per_s = 1e9;
	const struct analysis_bins *b = &((const struct io_state *)run->states[host])->bins;
	int64_t from = analysis_bin_edge(b, i), to = analysis_bin_edge(b, i + 1);
	double ns = (double)analysis_bin_asked(run->options, b, i);
	struct mer_cell c[] = { MER_INT(from), MER_INT(to), mer_text(analysis_host_name(run, host)),
		mer_text(disk), MER_INT(x->bytes[0]), MER_INT(x->bytes[1]),
		MER_REAL_CELL(x->share[0] * ns_per_s / ns),
		MER_REAL_CELL(x->share[1] * ns_per_s / ns),
		MER_REAL_CELL((double)x->in_flight / ns), MER_REAL_CELL((double)x->in_queue / ns),
		MER_INT(x->in_flight), MER_INT(x->in_queue) };
	mer_table_add(t, c);
}

int io_emit_bins(struct analysis_run *run, struct mer_table *t)
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

/* ---- by task ---- */

const struct mer_column io_task_bins_columns[] = { ANALYSIS_TASK_BINS_COLUMNS,
	{ "read_bytes", "read", MER_BYTES }, { "written_bytes", "written", MER_BYTES },
	{ "block_read_bytes", "disk read", MER_BYTES },
	{ "block_written_bytes", "disk written", MER_BYTES }, { 0 } };

static bool add_blocks(
	const struct analysis_run *run, uint32_t host, struct analysis_series *blocks)
{
	const struct kernel_host *h = &run->world->hosts[host];
	const struct io_state *s = run->states[host];
	struct parts p = { .o = run->options, .b = &s->bins };
	/* A host that is not looked at has no disks. */
	for (uint32_t i = 0; i < h->n_requests && s->n_disks; i++) {
		const struct kernel_request *r = kernel_request_at(h, i);
		enum io_op op = io_request_op(run, h, r);
		uint32_t key = r->task + 1; /* nobody is KERNEL_NONE */
		double share;
		int64_t bytes = is_for_data(r, op) ? next_bytes(&p, r, true, &share) : -1;
		for (; bytes >= 0; bytes = next_bytes(&p, r, false, &share)) {
			int64_t read = op == IO_DISK_READ ? bytes : 0;
			if (!analysis_series_add(blocks, key, (uint32_t)p.bin, read, bytes - read))
				return false;
		}
	}
	report(run, host, &p);
	return true;
}

int io_emit_task_bins(struct analysis_run *run, struct mer_table *t)
{
	int rc = 0;
	for (uint32_t host = 0; host < run->e->n_hosts && rc == 0; host++) {
		struct io_state *s = run->states[host];
		struct analysis_series blocks = { 0 };
		struct analysis_series *const series[] = { &s->calls, &blocks };
		if (s->bins.n == 0)
			continue;
		rc = add_blocks(run, host, &blocks)
			     ? analysis_task_bins(run, t, host, &s->bins, series, 2)
			     : mer_fail_nomem(run->err);
		analysis_series_fini(&blocks);
	}
	return rc;
}
