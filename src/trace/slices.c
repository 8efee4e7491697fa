#include "trace/slices.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE_BYTES = 8 << 20 };

struct slot {
	struct mer_cursor *cursor; /* kept until consumed, for its diagnostics */
	/* Per stream: the packet that it began with, and the one that the next must begin with. */
	uint32_t *first, *left;
};

struct run {
	struct mer_experiment *e;
	const struct trace_slices_job *job;
	int64_t *cuts; /* n_slices + 1 */
	size_t n_slices;
	struct slot *slots;
	size_t n_slots;
	uint32_t *left; /* of the slice consumed last; NULL: none yet */
};

struct weight { /* bytes that become due at a time */
	int64_t time;
	uint64_t bytes;
};

static int by_time(const void *a, const void *b)
{
	const struct weight *p = a, *q = b;
	return p->time < q->time ? -1 : p->time > q->time;
}

/* Cuts where the packets that begin add up to slice_bytes. One slice when a stream's packets do not
 * say when they begin: it can be read from its start only. */
static int make_cuts(struct run *r, struct mer_err *err)
{
	const struct mer_experiment *e = r->e;
	uint64_t want = r->job->slice_bytes ? r->job->slice_bytes : SLICE_BYTES;
	size_t n = 0;
	bool whole = r->job->n_threads <= 1;
	for (uint32_t i = 0; i < e->n_streams; i++) {
		n += e->data[i].n_packets;
		whole |= !e->data[i].ordered;
	}
	struct weight *w = whole ? NULL : malloc((n + 1) * sizeof(*w));
	r->cuts = malloc(((whole ? 0 : n) + 3) * sizeof(*r->cuts));
	if (!r->cuts || (!whole && !w)) {
		free(w);
		return mer_fail_nomem(err);
	}
	r->n_slices = 0;
	r->cuts[0] = r->job->range.begin;
	if (!whole) {
		size_t k = 0;
		for (uint32_t i = 0; i < e->n_streams; i++)
			for (uint32_t p = 0; p < e->data[i].n_packets; p++)
				w[k++] = (struct weight){ trace_packet_begin(
								  e, &e->data[i].packets[p]),
					e->data[i].packets[p].size_bits / 8 };
		qsort(w, n, sizeof(*w), by_time);
		uint64_t sum = 0;
		for (k = 0; k < n; k++) {
			if (sum >= want && w[k].time > r->cuts[r->n_slices] &&
				w[k].time < r->job->range.end) {
				r->cuts[++r->n_slices] = w[k].time;
				sum = 0;
			}
			sum += w[k].bytes;
		}
		free(w);
	}
	r->cuts[++r->n_slices] = r->job->range.end;
	return 0;
}

static int read_slice(
	struct run *r, size_t i, size_t slot, const uint32_t *first, struct mer_err *err)
{
	struct slot *s = &r->slots[slot];
	const struct trace_slices_job *job = r->job;
	struct trace_range range = { r->cuts[i], r->cuts[i + 1] };
	job->begin(job->ctx, slot);
	int rc = trace_cursor_new(r->e, job->reading, range, first, &s->cursor, err);
	while (rc == 0) {
		const struct mer_event *ev;
		size_t n;
		if (mer_cancelled(job->cancel))
			rc = mer_fail(err, MER_ERR_CANCELLED, "interrupted");
		else
			rc = mer_cursor_next(s->cursor, &ev, &n, err);
		if (rc || n == 0)
			break;
		rc = job->batch(job->ctx, slot, s->cursor, ev, n, err);
	}
	if (s->cursor)
		trace_cursor_packets(s->cursor, s->first, s->left);
	return rc;
}

/* The first packet of a slice in each stream is a guess, which consume verifies. */
static int produce(void *ctx, size_t i, size_t slot, unsigned worker, struct mer_err *err)
{
	struct run *r = ctx;
	(void)worker;
	if (i == 0)
		return read_slice(r, i, slot, NULL, err);
	trace_first_packets(r->e, r->cuts[i], r->slots[slot].first);
	return read_slice(r, i, slot, r->slots[slot].first, err);
}

/* Did the slice begin with every packet that the previous slice had not finished? */
static bool began_right(const struct run *r, const struct slot *s)
{
	for (uint32_t i = 0; r->left && i < r->e->n_streams; i++)
		if (r->left[i] < s->first[i])
			return false;
	return true;
}

static int consume(void *ctx, size_t i, size_t slot, struct mer_err *err)
{
	struct run *r = ctx;
	struct slot *s = &r->slots[slot];
	int rc = 0;
	if (!began_right(r, s)) {
		trace_cursor_drop(s->cursor);
		s->cursor = NULL;
		rc = read_slice(r, i, slot, r->left, err);
	}
	if (rc == 0)
		rc = r->job->consume(r->job->ctx, slot, err);
	if (!r->left)
		r->left = malloc((r->e->n_streams + 1u) * sizeof(*r->left));
	if (!r->left)
		rc = rc ? rc : mer_fail_nomem(err);
	else
		memcpy(r->left, s->left, r->e->n_streams * sizeof(*r->left));
	mer_cursor_free(s->cursor);
	s->cursor = NULL;
	return rc;
}

int trace_run_slices(
	struct mer_experiment *e, const struct trace_slices_job *job, struct mer_err *err)
{
	struct run r = { .e = e, .job = job };
	r.n_slots = job->n_slots ? job->n_slots : job->n_threads + 2;
	r.slots = calloc(r.n_slots, sizeof(*r.slots));
	int rc = r.slots ? make_cuts(&r, err) : mer_fail_nomem(err);
	for (size_t i = 0; rc == 0 && i < r.n_slots; i++) {
		r.slots[i].first = calloc(e->n_streams + 1u, sizeof(*r.slots[i].first));
		r.slots[i].left = calloc(e->n_streams + 1u, sizeof(*r.slots[i].left));
		if (!r.slots[i].first || !r.slots[i].left)
			rc = mer_fail_nomem(err);
	}
	if (rc == 0)
		rc = mer_pool_ordered(job->n_threads, r.n_slices, r.n_slots, produce, consume, &r,
			job->cancel, err);
	for (size_t i = 0; r.slots && i < r.n_slots; i++) {
		if (r.slots[i].cursor)
			trace_cursor_drop(r.slots[i].cursor);
		free(r.slots[i].first);
		free(r.slots[i].left);
	}
	free(r.slots);
	free(r.left);
	free(r.cuts);
	return rc;
}
