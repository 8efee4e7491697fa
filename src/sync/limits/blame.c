#include "sync/limits/blame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_COMPARED = 4000, /* with more breaks in all, pairs are not compared with each other */
	MAX_SLEWS = 64,	     /* of a host; more count as one long slew */
	SAME_NS = 1000000000 /* breaks so close together have one cause */
};
/* A slew may be faster between two messages than what these prove. */
static const double ALLOWANCE = 2;

static bool meet(struct sync_range a, struct sync_range b)
{
	return a.begin <= sync_add(b.end, SAME_NS) && b.begin <= sync_add(a.end, SAME_NS);
}

/* The part of a host's pairs that broke in a range. The pair itself counts in both numbers, so that
 * few pairs prove little. */
static double support(const struct sync_pairs *pairs, const struct sync_pair_scan *but,
	uint32_t host, struct sync_range range)
{
	size_t n = 1, hits = 1;
	for (size_t i = 0; i < pairs->n; i++) {
		const struct sync_pair_scan *p = &pairs->pairs[i];
		if (p == but || (p->a != host && p->b != host))
			continue;
		n++;
		for (size_t k = 0; k < p->breaks.n; k++)
			if (meet(range, sync_break_range(p, &p->breaks.rows[k], host))) {
				hits++;
				break;
			}
	}
	return n == 1 ? 0.5 : (double)hits / (double)n;
}

static size_t count_breaks(const struct sync_pairs *pairs)
{
	size_t n = 0;
	for (size_t i = 0; i < pairs->n; i++)
		n += pairs->pairs[i].breaks.n;
	return n;
}

/* Which clock broke: > 0: that of the pair's host a, < 0: that of b, 0: unknown. */
static double lean(
	const struct sync_pairs *pairs, const struct sync_pair_scan *p, const struct sync_break *b)
{
	return support(pairs, p, p->a, sync_break_range(p, b, p->a)) -
	       support(pairs, p, p->b, sync_break_range(p, b, p->b));
}

void sync_blame_rank(const struct sync_pairs *pairs, uint32_t n_hosts, uint32_t *rank)
{
	memset(rank, 0, n_hosts * sizeof(*rank));
	if (count_breaks(pairs) > MAX_COMPARED)
		return;
	for (size_t i = 0; i < pairs->n; i++) {
		const struct sync_pair_scan *p = &pairs->pairs[i];
		for (size_t k = 0; k < p->breaks.n; k++) {
			double l = lean(pairs, p, &p->breaks.rows[k]);
			if (l != 0)
				rank[l > 0 ? p->a : p->b]++;
		}
	}
}

static uint32_t cause(const struct sync_pairs *pairs, const struct sync_pair_scan *p,
	const struct sync_break *b, const struct sync_tree *tree, const uint32_t *depth,
	bool compare)
{
	if (tree->parent[p->a] == SYNC_NO_HOST)
		return p->b;
	if (tree->parent[p->b] == SYNC_NO_HOST)
		return p->a;
	double l = compare ? lean(pairs, p, b) : 0;
	if (l != 0)
		return l > 0 ? p->a : p->b;
	return depth[p->a] > depth[p->b] ? p->a : p->b;
}

struct event {
	uint32_t host;
	struct sync_range range;
	double jump, rate; /* of the host's clock; rate 0: a step */
	double open;	   /* ns: what the spread of the latencies hides */
	bool still;	   /* the clock stood still, and was not set back */
};

static int by_host(const void *a, const void *b)
{
	const struct event *p = a, *q = b;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return p->range.begin < q->range.begin ? -1 : p->range.begin > q->range.begin;
}

/* Overlapping events of one host (sorted by begin) become one: a slew if one of them is a slew,
 * else a step in their intersection. */
static size_t merge(struct event *e, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		struct event *last = kept ? &e[kept - 1] : NULL;
		if (!last ||
			!(last->rate > 0 || e[i].rate > 0 ? meet(last->range, e[i].range)
							  : e[i].range.begin < last->range.end)) {
			e[kept++] = e[i];
			continue;
		}
		struct sync_range *r = &last->range;
		if (last->rate > 0 || e[i].rate > 0) {
			r->end = e[i].range.end > r->end ? e[i].range.end : r->end;
			last->rate = fmax(last->rate, e[i].rate);
		} else {
			r->begin = e[i].range.begin;
			r->end = e[i].range.end < r->end ? e[i].range.end : r->end;
		}
		if (fabs(e[i].jump) > fabs(last->jump))
			last->jump = e[i].jump;
		last->open = fmax(last->open, e[i].open);
		last->still |= e[i].still;
	}
	return kept;
}

static int64_t to_ns(double x)
{
	return x >= 9.2e18 ? INT64_MAX : x <= -9.2e18 ? INT64_MIN + 1 : (int64_t)x;
}

static int fill(struct event *e, size_t n, struct mer_arena *arena, struct sync_drift *d,
	struct mer_err *err)
{
	struct sync_step *steps = mer_arena_zalloc(arena, n, sizeof(*steps));
	struct sync_slew *slews = mer_arena_zalloc(arena, n, sizeof(*slews));
	if (!steps || !slews)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		if (e[i].rate == 0) {
			struct sync_range r = e[i].range;
			/* A clock that stood still shows one time for long; it may be the time of
			 * an end of the range, where nothing is known then either. A clock that was
			 * set back shows the time of the jump twice, before or after the range. */
			if (e[i].jump < 0) {
				int64_t more = e[i].still ? 1 : sync_add(to_ns(-e[i].jump), 1);
				r = (struct sync_range){ sync_sub(r.begin, more),
					sync_add(r.end, more) };
			}
			struct sync_step *last = d->n_steps ? &steps[d->n_steps - 1] : NULL;
			if (last && r.begin < last->range.end)
				r.begin = last->range.end;
			if (r.end < r.begin)
				continue;
			steps[d->n_steps++] = (struct sync_step){ r, to_ns(e[i].jump) };
			continue;
		}
		/* The begin and the end of a slew are hidden by the spread of the latencies. */
		int64_t edge = (int64_t)fmin(e[i].open / e[i].rate, 1e18) + 50000000;
		struct sync_slew s = {
			{ sync_sub(e[i].range.begin, edge), sync_add(e[i].range.end, edge) },
			copysign(e[i].rate * 1e6, e[i].jump),
			e[i].rate * 1e6 * ALLOWANCE,
		};
		struct sync_slew *last = d->n_slews ? &slews[d->n_slews - 1] : NULL;
		if (last && (s.range.begin <= last->range.end || d->n_slews == MAX_SLEWS)) {
			last->range.end =
				s.range.end > last->range.end ? s.range.end : last->range.end;
			if (s.allowed_ppm > last->allowed_ppm) {
				last->allowed_ppm = s.allowed_ppm;
				last->ppm = s.ppm;
			}
		} else {
			slews[d->n_slews++] = s;
		}
	}
	d->steps = steps;
	d->slews = slews;
	return 0;
}

int sync_blame_hosts(const struct sync_messages *m, struct sync_pairs *pairs,
	const struct sync_tree *tree, double max_rate, struct mer_arena *arena,
	struct sync_drift *drift, struct mer_err *err)
{
	size_t n = count_breaks(pairs);
	if (n == 0)
		return 0;
	bool compare = n <= MAX_COMPARED;
	uint32_t *depth = calloc((size_t)m->n_hosts + 1, sizeof(*depth));
	if (!depth)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < m->n_hosts; i++) {
		uint32_t h = tree->order[i];
		depth[h] = tree->parent[h] == SYNC_NO_HOST ? 0 : depth[tree->parent[h]] + 1;
	}
	int rc = 0;
	for (size_t i = 0; i < pairs->n && rc == 0; i++) {
		struct sync_pair_scan *p = &pairs->pairs[i];
		size_t for_a = 0;
		for (size_t k = 0; k < p->breaks.n; k++)
			for_a += cause(pairs, p, &p->breaks.rows[k], tree, depth, compare) == p->a;
		uint32_t axis = for_a * 2 > p->breaks.n ? p->a : p->b;
		if (p->breaks.n)
			rc = sync_pair_scan_blamed(m, pairs, i, axis, max_rate, err);
	}
	n = count_breaks(pairs);
	struct event *events = malloc((n + 1) * sizeof(*events));
	if (rc == 0 && !events)
		rc = mer_fail_nomem(err);
	size_t k = 0;
	for (size_t i = 0; i < pairs->n && rc == 0; i++) {
		const struct sync_pair_scan *p = &pairs->pairs[i];
		for (size_t j = 0; j < p->breaks.n; j++) {
			const struct sync_break *b = &p->breaks.rows[j];
			uint32_t host = cause(pairs, p, b, tree, depth, compare);
			/* The break is of f = other clock - axis' clock. */
			double jump = (double)b->jump_ns * (host == p->axis ? -1 : 1);
			events[k++] = (struct event){ host, sync_break_range(p, b, host), jump,
				b->rate, isfinite(p->median) ? 2 * fabs(p->median) : 0,
				jump < 0 && sync_break_stands_still(m, p, b, host) };
		}
	}
	if (rc == 0)
		qsort(events, k, sizeof(*events), by_host);
	for (size_t i = 0; i < k && rc == 0;) {
		size_t j = i;
		while (j < k && events[j].host == events[i].host)
			j++;
		rc = fill(events + i, merge(events + i, j - i), arena, &drift[events[i].host], err);
		i = j;
	}
	free(events);
	free(depth);
	return rc;
}
