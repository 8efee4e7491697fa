/* Holes: the losses of each stream, narrowed by its events as they are read. */
#include "sync/vcpu/holes.h"

#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/lower_bound.h"

enum { TAIL = 32 /* events in 256 bytes of a packet */ };

struct sync_lossy {
	const struct mer_loss **losses; /* malloc'ed; by time */
	uint32_t n, cap, next;
	bool is_lttng;
	int64_t last[TAIL]; /* times of the last events within the next loss; a ring */
	uint64_t n_seen;
};

static int add(struct sync_holes *h, int64_t begin, int64_t end, struct mer_err *err)
{
	if (!mer_grow(&h->holes, h->n, &h->cap, sizeof(*h->holes)))
		return mer_fail_nomem(err);
	h->holes[h->n++] = (struct sync_range){ begin, end };
	return 0;
}

int sync_holes_begin(
	const struct mer_experiment *e, uint32_t host, struct sync_holes *h, struct mer_err *err)
{
	*h = (struct sync_holes){ .n_streams = e->n_streams };
	h->lossy = calloc(e->n_streams + 1u, sizeof(*h->lossy));
	if (!h->lossy)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < e->n_losses; i++) {
		const struct mer_loss *loss = &e->losses[i];
		const struct mer_trace *t = &e->traces[e->streams[loss->stream].trace];
		struct sync_lossy *l = &h->lossy[loss->stream];
		if (t->host != host || strcmp(t->domain, "ust") == 0)
			continue;
		if (loss->begin == MER_NO_TIME || loss->end == MER_NO_TIME) {
			int rc = add(h, INT64_MIN, INT64_MAX, err);
			if (rc)
				return rc;
			continue;
		}
		if (!mer_grow32(&l->losses, l->n, &l->cap, sizeof(struct mer_loss *)))
			return mer_fail_nomem(err);
		l->losses[l->n++] = loss;
		l->is_lttng = strncmp(t->tracer, "lttng", 5) == 0;
	}
	return 0;
}

static int end_loss(struct sync_holes *h, struct sync_lossy *l, int64_t next, struct mer_err *err)
{
	const struct mer_loss *loss = l->losses[l->next++];
	uint64_t n = l->n_seen;
	l->n_seen = 0;
	if (!l->is_lttng || n <= TAIL)
		return add(h, loss->begin, next, err);
	return add(h, l->last[n % TAIL], next, err);
}

int sync_holes_event(
	struct sync_holes *h, uint32_t stream, int64_t time, bool *is_after, struct mer_err *err)
{
	struct sync_lossy *l = &h->lossy[stream];
	int rc = 0;
	*is_after = false;
	for (; l->next < l->n && l->losses[l->next]->end < time && rc == 0; *is_after = true)
		rc = end_loss(h, l, time, err);
	if (rc || l->next == l->n || time < l->losses[l->next]->begin)
		return rc;
	*is_after |= l->n_seen == 0;
	if (l->n_seen == 0)
		rc = add(h, l->losses[l->next]->begin, time, err);
	l->last[l->n_seen++ % TAIL] = time;
	return rc;
}

static int by_begin(const void *a, const void *b)
{
	const struct sync_range *x = a, *y = b;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

int sync_holes_finish(struct sync_holes *h, struct mer_err *err)
{
	for (uint32_t i = 0; i < h->n_streams; i++)
		while (h->lossy[i].next < h->lossy[i].n) {
			struct sync_lossy *l = &h->lossy[i];
			int rc = end_loss(h, l, l->losses[l->next]->end, err);
			if (rc)
				return rc;
		}
	if (h->n)
		qsort(h->holes, h->n, sizeof(*h->holes), by_begin);
	size_t n = 0;
	for (size_t i = 0; i < h->n; i++) {
		struct sync_range *last = n ? &h->holes[n - 1] : NULL;
		if (!last || h->holes[i].begin > last->end)
			h->holes[n++] = h->holes[i];
		else if (h->holes[i].end > last->end)
			last->end = h->holes[i].end;
	}
	h->n = n;
	return 0;
}

bool sync_holes_between(const struct sync_holes *h, int64_t begin, int64_t end)
{
	MER_LOWER_BOUND(i, 0, h->n, at, h->holes[at].end <= begin);
	return i < h->n && h->holes[i].begin < end;
}

void sync_holes_fini(struct sync_holes *h)
{
	for (uint32_t i = 0; h->lossy && i < h->n_streams; i++)
		free(h->lossy[i].losses);
	free(h->lossy);
	free(h->holes);
	*h = (struct sync_holes){ 0 };
}
