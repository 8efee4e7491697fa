#include "sync/datagrams.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "base/sort.h"

enum {
	NEAR = 32, /* messages before and after an instant that limit the offset there */
	DOUBT_NS = 1000000000, /* after something that does not fit */
	DRIFT_SHIFT = 10       /* clocks may differ by 1 us per 1.024 ms */
};

struct sync_datagram {
	uint64_t key; /* of addresses, ports, length */
	int64_t time; /* clock of the host */
	uint32_t host, stream;
	uint32_t from, to, ports; /* as in struct sync_end */
	bool is_send, is_matched;
};

/* The clock of `to` minus that of `from`, as one message limits it, when the clock of `from` is at
 * time. */
struct limit {
	int64_t time, offset;
};

struct limits {
	struct limit *p; /* malloc'ed, by time */
	size_t n;
};

struct corridor { /* between two hosts */
	struct limits high, low;
};

struct matching {
	struct sync_messages *m;
	struct mer_map map; /* from << 32 | to -> number of the corridor + 1 */
	struct corridor *corridors;
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
		.from = e->from,
		.to = e->to,
		.ports = e->ports,
		.is_send = e->is_send };
	if (!m->keeps_streams || !e->is_ipv4)
		return 0;
	/* Its other end may not be recorded. */
	uint32_t source = e->ports >> 16, destination = e->ports & 0xffff;
	bool ok =
		sync_messages_place(m, sync_endpoint(e->from, source), e->from, (uint16_t)source) &&
		sync_messages_place(
			m, sync_endpoint(e->to, destination), e->to, (uint16_t)destination);
	return ok ? 0 : mer_fail_nomem(err);
}

/* ---- what the other messages say ---- */

static int by_time(const void *a, const void *b)
{
	const struct limit *p = a, *q = b;
	return p->time < q->time ? -1 : p->time > q->time;
}

static int find_limits(struct matching *x, uint32_t from, uint32_t to, bool is_high,
	struct limits *l, struct mer_err *err)
{
	const struct sync_link *link = NULL;
	for (size_t i = 0; i < x->m->n_links && !link; i++)
		if (x->m->links[i].from == (is_high ? from : to) &&
			x->m->links[i].to == (is_high ? to : from))
			link = &x->m->links[i];
	if (!link || !link->n)
		return 0;
	l->p = malloc(link->n * sizeof(*l->p));
	if (!l->p)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < link->n; i++) {
		struct sync_message s = link->messages[i];
		int64_t here = is_high ? s.sent : s.received, there = is_high ? s.received : s.sent;
		int64_t offset;
		if (!__builtin_sub_overflow(there, here, &offset))
			l->p[l->n++] = (struct limit){ here, offset };
	}
	return mer_sort(x->m->spill, l->p, l->n, sizeof(*l->p), by_time) ? 0 : mer_fail_nomem(err);
}

static int corridor_between(struct matching *x, uint32_t from, uint32_t to,
	const struct corridor **c, struct mer_err *err)
{
	uint32_t *number = mer_map_put(&x->map, (uint64_t)from << 32 | to);
	if (!number)
		return mer_fail_nomem(err);
	if (!*number) {
		if (!mer_grow32(&x->corridors, x->n, &x->cap, sizeof(*x->corridors)))
			return mer_fail_nomem(err);
		struct corridor *new = &x->corridors[x->n++];
		*new = (struct corridor){ 0 };
		*number = x->n;
		int rc = find_limits(x, from, to, true, &new->high, err);
		if (rc == 0)
			rc = find_limits(x, from, to, false, &new->low, err);
		if (rc)
			return rc;
	}
	*c = &x->corridors[*number - 1];
	return 0;
}

/* The least (most) that the offset can be at t, as far as those around it say. False: they say
 * nothing. */
static bool offset_at(const struct limits *l, int64_t t, bool is_high, int64_t *offset)
{
	MER_LOWER_BOUND(next, 0, l->n, at, l->p[at].time < t);
	size_t begin = next > NEAR ? next - NEAR : 0, end = next + NEAR < l->n ? next + NEAR : l->n;
	bool any = false;
	for (size_t i = begin; i < end; i++) {
		uint64_t away = l->p[i].time < t ? (uint64_t)t - (uint64_t)l->p[i].time
						 : (uint64_t)l->p[i].time - (uint64_t)t;
		int64_t wide = (int64_t)(away >> DRIFT_SHIFT), v;
		if (__builtin_add_overflow(l->p[i].offset, is_high ? wide : -wide, &v))
			continue;
		if (!any || (is_high ? v < *offset : v > *offset))
			*offset = v;
		any = true;
	}
	return any;
}

/* When what was sent at t may have arrived at the earliest, on the clock of who received it. */
static bool earliest(const struct corridor *c, int64_t t, int64_t *arrival)
{
	int64_t low, high;
	return offset_at(&c->low, t, false, &low) && offset_at(&c->high, t, true, &high) &&
	       low <= high && !__builtin_add_overflow(t, low, arrival);
}

/* ---- matching ---- */

static struct sync_streams streams_of(const struct sync_datagram *s, const struct sync_datagram *r)
{
	return (struct sync_streams){ .sent = s->stream,
		.received = r->stream,
		.source = sync_endpoint(s->from, s->ports >> 16),
		.destination = sync_endpoint(s->to, s->ports & 0xffff),
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

static int match_in_order(struct matching *x, const struct corridor *c, struct ends sent,
	struct ends received, struct mer_err *err)
{
	int64_t from, until, doubt = INT64_MIN; /* doubt: nothing is concluded before */
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
		bool fits = is_known && r == begin; /* else: received, and not sent before */
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

/* From one host to another; once: of this key there is nothing else. */
static int match_between(
	struct matching *x, struct ends sent, struct ends received, struct mer_err *err)
{
	const struct corridor *c = NULL;
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

/* All with one key: of the host that only sends it, of one that has both, of one that only receives
 * it. */
struct group {
	struct ends first, on[2], last; /* n 0: there is none; on: received, sent */
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
	for (uint32_t i = 0; i < x.n; i++) {
		free(x.corridors[i].high.p);
		free(x.corridors[i].low.p);
	}
	free(x.corridors);
	mer_map_fini(&x.map);
	return rc;
}
