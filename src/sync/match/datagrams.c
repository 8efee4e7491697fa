#include "sync/match/datagrams.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/sort.h"
#include "sync/limits/points.h"

enum {
	NEAR = 32, /* messages before and after an instant that limit the offset there */
	DOUBT_NS = 1000000000, /* after something that does not fit */
	DRIFT_SHIFT = 10       /* clocks may differ by 1 us per 1.024 ms */
};

struct sync_datagram {
	uint64_t key; /* of addresses, ports, length */
	int64_t time; /* clock of the host */
	uint32_t host, stream;
	uint32_t source, destination; /* sync_endpoint */
	bool is_send, is_matched;
};

struct matching {
	struct sync_messages *m;
	struct mer_map map; /* from << 32 | to -> number of the corridor + 1 */
	/* The messages between two hosts as limits on their clocks; the axis is `from`. */
	struct sync_pair_points *corridors;
	uint32_t n, cap;
};

void sync_datagrams_fini(struct sync_datagrams *d)
{
	mer_spill_release(d->ends);
}

int sync_datagrams_add(struct sync_datagrams *d, struct sync_messages *m, const struct sync_end *e,
	struct mer_err *err)
{
	if (!mer_spill_grow(m->spill, &d->ends, d->n, &d->cap, sizeof(*d->ends)))
		return mer_fail_nomem(err);
	uint32_t key[] = { e->addresses, e->ports, e->len };
	d->ends[d->n++] = (struct sync_datagram){ .key = mer_hash(key, sizeof(key)),
		.time = e->time,
		.host = e->host,
		.stream = e->stream,
		.source = sync_endpoint(e->from, e->ports >> 16),
		.destination = sync_endpoint(e->to, e->ports & 0xffff),
		.is_send = e->is_send };
	return 0;
}

/* ---- what the other messages say ---- */

/* NULL: there is none. */
static const struct sync_link *link_between(
	const struct sync_messages *m, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < m->n_links; i++)
		if (m->links[i].from == from && m->links[i].to == to)
			return &m->links[i];
	return NULL;
}

static int corridor_between(struct matching *x, uint32_t from, uint32_t to,
	const struct sync_pair_points **c, struct mer_err *err)
{
	uint32_t *number = mer_map_put(&x->map, (uint64_t)from << 32 | to);
	if (!number)
		return mer_fail_nomem(err);
	if (!*number) {
		if (!mer_grow32(&x->corridors, x->n, &x->cap, sizeof(*x->corridors)))
			return mer_fail_nomem(err);
		*number = ++x->n;
		int rc = sync_points_new(link_between(x->m, from, to), link_between(x->m, to, from),
			NULL, NULL, &x->corridors[*number - 1], err);
		if (rc)
			return rc;
	}
	*c = &x->corridors[*number - 1];
	return 0;
}

/* The least (greatest) possible offset at t, from the points around it. False: they do not limit
 * it. */
static bool offset_at(
	const struct sync_point *p, size_t n, int64_t t, bool is_upper, int64_t *offset)
{
	size_t next = sync_first_point(p, n, t);
	size_t begin = next > NEAR ? next - NEAR : 0, end = next + NEAR < n ? next + NEAR : n;
	bool any = false;
	for (size_t i = begin; i < end; i++) {
		uint64_t away = p[i].x < t ? (uint64_t)t - (uint64_t)p[i].x
					   : (uint64_t)p[i].x - (uint64_t)t;
		int64_t wide = (int64_t)(away >> DRIFT_SHIFT), v;
		if (__builtin_add_overflow(p[i].y, is_upper ? wide : -wide, &v))
			continue;
		if (!any || (is_upper ? v < *offset : v > *offset))
			*offset = v;
		any = true;
	}
	return any;
}

/* The earliest possible arrival of a packet sent at t, on the receiver's clock. */
static bool earliest(const struct sync_pair_points *c, int64_t t, int64_t *arrival)
{
	int64_t low = 0, high = 0;
	return offset_at(c->lower, c->n_lower, t, false, &low) &&
	       offset_at(c->upper, c->n_upper, t, true, &high) && low <= high &&
	       !__builtin_add_overflow(t, low, arrival);
}

/* ---- matching ---- */

static struct sync_streams streams_of(const struct sync_datagram *s, const struct sync_datagram *r)
{
	return (struct sync_streams){ .sent = s->stream,
		.received = r->stream,
		.source = s->source,
		.destination = s->destination,
		.content = SYNC_DATA };
}

static int add_message(
	struct matching *x, struct sync_datagram *s, struct sync_datagram *r, struct mer_err *err)
{
	struct sync_link *l = sync_messages_link(x->m, s->host, r->host);
	if (!l)
		return mer_fail_nomem(err);
	s->is_matched = r->is_matched = true;
	return sync_link_add_in(
		l, (struct sync_message){ s->time, r->time }, SYNC_UDP, streams_of(s, r), err);
}

struct ends { /* of one host and direction, by time */
	struct sync_datagram *p;
	size_t n;
};

static int match_in_order(struct matching *x, const struct sync_pair_points *c, struct ends sent,
	struct ends received, struct mer_err *err)
{
	int64_t from, until, doubt = INT64_MIN; /* doubt: nothing is matched before */
	size_t r = 0;
	int rc = 0;
	for (size_t i = 0; i < sent.n && rc == 0; i++) {
		struct sync_datagram *s = &sent.p[i];
		bool is_known = earliest(c, s->time, &from);
		until = INT64_MAX;
		if (is_known && i + 1 < sent.n)
			is_known = earliest(c, sent.p[i + 1].time, &until);
		size_t begin = r;
		while (is_known && r < received.n && received.p[r].time < from)
			r++;
		bool fits = is_known && r == begin; /* otherwise a receive has no send */
		begin = r;
		while (is_known && r < received.n && received.p[r].time < until)
			r++;
		fits &= r == begin + 1;
		if (!fits)
			doubt = s->time > INT64_MAX - DOUBT_NS ? INT64_MAX : s->time + DOUBT_NS;
		else if (s->time >= doubt)
			rc = add_message(x, s, &received.p[begin], err);
	}
	return rc;
}

/* Matches the ends of one key from one host to another. If there is one of each, they are a message
 * unless the limits exclude it. */
static int match_between(
	struct matching *x, struct ends sent, struct ends received, struct mer_err *err)
{
	const struct sync_pair_points *c = NULL;
	int rc = corridor_between(x, sent.p->host, received.p->host, &c, err);
	if (rc)
		return rc;
	if (sent.n > 1 || received.n > 1)
		return match_in_order(x, c, sent, received, err);
	int64_t from;
	if (earliest(c, sent.p->time, &from) && received.p->time < from)
		return 0;
	return add_message(x, sent.p, received.p, err);
}

/* All ends with one key. first: of the host that only sends; on: of the host that receives and
 * sends (a router); last: of the host that only receives. */
struct group {
	struct ends first, on[2], last; /* n 0: there is no such host; on: received, sent */
	bool is_clear;			/* at most one host of each kind */
};

static void sort_out(const struct ends way[2], struct group *g)
{
	if (way[true].n && way[false].n) {
		g->is_clear &= !g->on[true].n;
		g->on[true] = way[true];
		g->on[false] = way[false];
		return;
	}
	struct ends *to = way[true].n ? &g->first : &g->last;
	g->is_clear &= !to->n;
	*to = way[way[true].n > 0];
}

static int match_group(struct matching *x, struct sync_datagram *p, size_t n, struct mer_err *err)
{
	struct group g = { .is_clear = true };
	for (size_t i = 0; i < n;) {
		struct ends way[2] = { { NULL, 0 }, { NULL, 0 } }; /* received, sent */
		uint32_t host = p[i].host;
		for (; i < n && p[i].host == host; i++) {
			struct ends *w = &way[p[i].is_send];
			w->p = w->n++ ? w->p : &p[i];
		}
		sort_out(way, &g);
	}
	bool passes = g.on[true].n > 0;
	int rc = 0;
	if (g.is_clear && g.first.n && passes)
		rc = match_between(x, g.first, g.on[false], err);
	if (rc == 0 && g.is_clear && passes && g.last.n)
		rc = match_between(x, g.on[true], g.last, err);
	if (rc == 0 && g.is_clear && !passes && g.first.n && g.last.n)
		rc = match_between(x, g.first, g.last, err);
	for (size_t i = 0; i < n; i++) {
		struct sync_host_counts *h = &x->m->hosts[p[i].host];
		*(p[i].is_send ? &h->n_unmatched_sent : &h->n_unmatched_received) +=
			!p[i].is_matched;
	}
	return rc;
}

static int by_key(const void *a, const void *b)
{
	const struct sync_datagram *p = a, *q = b;
	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	if (p->is_send != q->is_send)
		return p->is_send - q->is_send;
	return p->time < q->time ? -1 : p->time > q->time;
}

int sync_datagrams_match(struct sync_datagrams *d, struct sync_messages *m, struct mer_err *err)
{
	struct matching x = { .m = m };
	int rc = mer_sort(m->spill, d->ends, d->n, sizeof(*d->ends), by_key) ? 0
									     : mer_fail_nomem(err);
	for (size_t i = 0, end; i < d->n && rc == 0; i = end) {
		for (end = i + 1; end < d->n && d->ends[end].key == d->ends[i].key;)
			end++;
		rc = match_group(&x, &d->ends[i], end - i, err);
	}
	for (uint32_t i = 0; i < x.n; i++)
		sync_points_free(&x.corridors[i]);
	free(x.corridors);
	mer_map_fini(&x.map);
	return rc;
}
