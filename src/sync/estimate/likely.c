#include "sync/estimate/likely.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/sort.h"
#include "sync/limits/limits.h"

/* SAMPLES instants evenly over a host's traces, and OUTSIDE before and after them, at a distance of
 * 0.1 s, 1 s, ... 10 million s: there the error grows with the distance. */
enum { SAMPLES = 129, OUTSIDE = 9, ALL = SAMPLES + 2 * OUTSIDE };

/* The likely error of a pair's course at an instant of its axis. */
static double pair_off(const struct sync_pair_course *f, int64_t t)
{
	const struct sync_course *off = &f->off;
	if (off->n == 0)
		return INFINITY;
	const struct sync_course_knot *first = &off->knots[0], *last = &off->knots[off->n - 1];
	if (t < first->t)
		return (double)first->off + f->off_grows * (double)sync_sub(first->t, t);
	if (t > last->t)
		return (double)last->off + f->off_grows * (double)sync_sub(t, last->t);
	return (double)sync_course_at(off, t, NULL);
}

static int64_t distance_outside(int i)
{
	int64_t ns = 100000000;
	for (; i > 0; i--)
		ns *= 10;
	return ns;
}

static int64_t instant(const struct sync_host *h, int i)
{
	i -= OUTSIDE;
	if (i < 0)
		return sync_sub(h->span.begin, distance_outside(-i - 1));
	if (i >= SAMPLES)
		return sync_add(h->span.end, distance_outside(i - SAMPLES));
	if (i == SAMPLES - 1)
		return h->span.end;
	double step = (double)sync_sub(h->span.end, h->span.begin) / (SAMPLES - 1);
	return sync_add(h->span.begin, (int64_t)(step * i));
}

/* Summarizes the likely error, like the bound, over the time in which another host was recorded,
 * too. */
static void sum_up(struct sync_result *r, uint32_t host)
{
	struct sync_host *h = &r->hosts[host];
	struct sync_range span = sync_shared_span(r, host);
	int64_t values[ALL];
	size_t n = 0;
	for (size_t i = 0; i < h->n_likely; i++) {
		if (h->likely[i].at < span.begin || h->likely[i].at > span.end ||
			sync_in_step(h, h->likely[i].at))
			continue;
		values[n] = h->likely[i].offset_ns;
		if (n == 0 || values[n] > h->likely_off.max) {
			h->likely_off.max = values[n];
			h->likely_off.max_at = h->likely[i].at;
		}
		n++;
	}
	if (n == 0)
		return;
	qsort(values, n, sizeof(*values), mer_compare_int64);
	h->likely_off.min = values[0];
	h->likely_off.median = values[n / 2];
}

/* How far t is outside of the host's traces, ns. */
static double outside(const struct sync_host *h, int64_t t)
{
	return t < h->span.begin ? (double)sync_sub(h->span.begin, t)
	       : t > h->span.end ? (double)sync_sub(t, h->span.end)
				 : 0;
}

/* own: the pair's course on the host's clock. The host's own course may differ from it: it is a
 * mean over all neighbours, moved between the limits. */
static int take_host(struct sync_result *r, uint32_t host, uint32_t parent,
	const struct sync_pair_course *f, const struct sync_course *own, bool on_host,
	struct mer_err *err)
{
	size_t hint = 0;
	struct sync_host *h = &r->hosts[host];
	struct sync_limit *rows = mer_arena_zalloc(&r->arena, ALL, sizeof(*rows));
	if (!rows)
		return mer_fail_nomem(err);
	for (int i = 0; i < ALL; i++) {
		int64_t t = instant(h, i), bound = sync_half_width(r, host, t);
		int64_t outer = trace_unmap_time(&r->hosts[parent].map, trace_map_time(&h->map, t));
		int64_t known = sync_host_likely(r, parent, outer);
		long double apart = (long double)sync_sub(outer, t) - sync_course_at(own, t, &hint);
		double off = pair_off(f, on_host ? t : outer) + (double)fabsl(apart);
		off += known == INT64_MAX ? INFINITY : (double)known;
		off += fmax(f->rate_varies - f->off_grows, 0) * outside(h, t);
		/* Without a bound, as inside of a step, there is no likely error either. */
		int64_t ns = off < 9e18 && bound < INT64_MAX ? (int64_t)ceil(off) : INT64_MAX;
		rows[i] = (struct sync_limit){ t, ns < bound ? ns : bound };
	}
	h->likely = rows;
	h->n_likely = ALL;
	sum_up(r, host);
	return 0;
}

int sync_take_likely(struct sync_result *r, const struct sync_pairs *pairs,
	const struct sync_pair_course *courses, const struct sync_tree *tree, const bool *known,
	struct mer_err *err)
{
	int rc = 0;
	for (uint32_t i = 0; i < r->n_hosts; i++)
		r->hosts[i].likely_off =
			(struct sync_bound){ INT64_MAX, INT64_MAX, INT64_MAX, MER_NO_TIME };
	for (uint32_t i = 0; i < tree->n_hosts && rc == 0; i++) {
		uint32_t host = tree->order[i], parent = tree->parent[host];
		struct sync_host *h = &r->hosts[host];
		h->drift_off_ppm = INFINITY;
		if (parent == SYNC_NO_HOST) {
			h->likely_off = (struct sync_bound){ 0, 0, 0, h->span.begin };
			h->drift_off_ppm = 0;
			continue;
		}
		const struct sync_pair_course *f = &courses[tree->edge[host]];
		if (!known[host] || !f->known || f->off.n == 0 || h->n_high == 0 || h->n_low == 0 ||
			h->span.begin == MER_NO_TIME || h->quality == SYNC_FAIL)
			continue;
		h->drift_off_ppm = f->rate_off * 1e6 + r->hosts[parent].drift_off_ppm;
		const struct sync_pair_scan *p = &pairs->pairs[tree->edge[host]];
		rc = take_host(r, host, parent, f, p->a == host ? &f->on_a : &f->on_b,
			p->axis == host, err);
	}
	return rc;
}
