/* Corridor: the points that matter.
 *
 * A point follows from another one when the other one's cone is as tight where it stands. Reaches
 * are rounded up, so ceil(a) + ceil(b) >= ceil(a + b): "follows from" is transitive, and dropping
 * such a point changes no limit by a nanosecond. Of points that follow from each other (rate 0, or
 * duplicates) the first by x stays, so the result depends only on the set of points.
 *
 * Sorted by x, points of which none follows from another one have two properties that make all of
 * this one pass: a point after the last one that does not follow from it follows from no earlier
 * one; and the points that follow from a new last one are at the end of the row. Points that come
 * sorted are kept like that as they come, like a convex hull. Others are put at the end, unless
 * they follow from a sorted one next to them, and are sorted when they have become as many as
 * those. */
#include "sync/limits/corridor.h"

#include <math.h>
#include <stdlib.h>
#include "base/grow.h"
#include "base/lower_bound.h"
#include "sync/limits/drift.h"

enum { FIRST_PRUNE = 1024 };

/* The most that f can change from a to b; at most the distance of a and b. */
static uint64_t reach(int64_t units, int64_t a, int64_t b)
{
	uint64_t d = a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
	const uint64_t up = ((uint64_t)1 << SYNC_RATE_BITS) - 1;
	return (uint64_t)(((unsigned __int128)d * (uint64_t)units + up) >> SYNC_RATE_BITS);
}

/* The limit that p sets at x. */
static int64_t says(int sign, int64_t units, const struct sync_point *p, int64_t x)
{
	uint64_t r = reach(units, x, p->x);
	int64_t y;
	if (sign > 0 ? __builtin_add_overflow(p->y, r, &y) : __builtin_sub_overflow(p->y, r, &y))
		return sign > 0 ? INT64_MAX : INT64_MIN;
	return y;
}

/* Does the point with limit p follow from the one with limit q, whose cone is `far` wider there? */
static bool follows(int sign, int64_t p, int64_t q, uint64_t far)
{
	return sign > 0 ? p >= q && (uint64_t)p - (uint64_t)q >= far
			: p <= q && (uint64_t)q - (uint64_t)p >= far;
}

/* Puts a point behind n others, which are sorted and before it; returns how many there are then. */
static size_t put(int sign, int64_t units, struct sync_point *p, size_t n, struct sync_point new)
{
	for (bool first = true; n; n--, first = false) {
		uint64_t far = reach(units, new.x, p[n - 1].x);
		if (first && follows(sign, new.y, p[n - 1].y, far))
			return n;
		if (!follows(sign, p[n - 1].y, new.y, far))
			break;
	}
	p[n] = new;
	return n + 1;
}

static int by_x(const void *a, const void *b)
{
	const struct sync_point *p = a, *q = b;
	return (p->x > q->x) - (p->x < q->x);
}

static void settle(struct sync_corridor_side *s, int sign, int64_t units)
{
	if (s->n_sorted == s->n)
		return;
	qsort(s->p, s->n, sizeof(*s->p), by_x);
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n = put(sign, units, s->p, n, s->p[i]);
	s->n = s->n_sorted = n;
}

static void settle_both(struct sync_corridor *c)
{
	settle(&c->upper, 1, c->units);
	settle(&c->lower, -1, c->units);
}

/* The first of the sorted points that is at or after x. */
static size_t first_at(const struct sync_corridor_side *s, int64_t x)
{
	MER_LOWER_BOUND(lo, 0, s->n_sorted, at, s->p[at].x < x);
	return lo;
}

void sync_corridor_init(struct sync_corridor *c, double rate)
{
	*c = (struct sync_corridor){ .rate = rate, .units = sync_drift_units(rate) };
}

void sync_corridor_free(struct sync_corridor *c)
{
	free(c->upper.p);
	free(c->lower.p);
	sync_corridor_init(c, c->rate);
}

/* Does p follow from a sorted point? If they follow from each other, the first by x stays: that is
 * decided when they are sorted. */
static bool is_known(
	const struct sync_corridor_side *s, int sign, int64_t units, const struct sync_point *p)
{
	size_t i = first_at(s, p->x);
	for (size_t k = i ? i - 1 : 0; k <= i && k < s->n_sorted; k++) {
		const struct sync_point *q = &s->p[k];
		uint64_t far = reach(units, p->x, q->x);
		if (follows(sign, p->y, q->y, far) && !follows(sign, q->y, p->y, far))
			return true;
	}
	return false;
}

static int add(struct sync_corridor_side *s, int sign, int64_t units, struct sync_point p,
	struct mer_err *err)
{
	if (p.y == (sign > 0 ? INT64_MAX : INT64_MIN))
		return 0;
	bool in_order = s->n_sorted == s->n && (s->n == 0 || s->p[s->n - 1].x <= p.x);
	if (!in_order && is_known(s, sign, units, &p))
		return 0;
	if (!in_order && s->n >= FIRST_PRUNE && s->n >= 2 * s->n_sorted)
		settle(s, sign, units);
	if (!mer_grow(&s->p, s->n, &s->cap, sizeof(*s->p)))
		return mer_fail_nomem(err);
	if (in_order)
		s->n = s->n_sorted = put(sign, units, s->p, s->n, p);
	else
		s->p[s->n++] = p;
	return 0;
}

int sync_corridor_add(struct sync_corridor *c, bool upper, struct sync_point p, struct mer_err *err)
{
	return upper ? add(&c->upper, 1, c->units, p, err) : add(&c->lower, -1, c->units, p, err);
}

/* The tightest cones at x are those of the two points next to it. */
static int64_t limit(
	const struct sync_corridor_side *s, int sign, int64_t units, int64_t x, size_t i)
{
	int64_t y = sign > 0 ? INT64_MAX : INT64_MIN;
	for (size_t k = i ? i - 1 : 0; k <= i && k < s->n; k++) {
		int64_t here = says(sign, units, &s->p[k], x);
		y = (sign > 0 ? here < y : here > y) ? here : y;
	}
	return y;
}

bool sync_corridor_limits(struct sync_corridor *c, int64_t x, int64_t *low, int64_t *high)
{
	settle_both(c);
	*high = limit(&c->upper, 1, c->units, x, first_at(&c->upper, x));
	*low = limit(&c->lower, -1, c->units, x, first_at(&c->lower, x));
	return *high != INT64_MAX && *low != INT64_MIN;
}

/* ---- widths ---- */

void sync_widths_init(struct sync_widths *w, int64_t begin, int64_t end)
{
	w->begin = begin;
	w->end = end;
	w->n = 0;
	w->max = -INFINITY;
	w->max_at = 0;
}

void sync_widths_take(struct sync_widths *w, struct sync_corridor *c, int64_t from, int64_t to)
{
	if (c->upper.n == 0 || c->lower.n == 0)
		return;
	__int128 span = (__int128)w->end - w->begin;
	for (int i = 0; i < SYNC_WIDTHS; i++) {
		int64_t low, high, x = (int64_t)(w->begin + span * i / (SYNC_WIDTHS - 1));
		if (x < from || x > to || !sync_corridor_limits(c, x, &low, &high))
			continue;
		double half = (double)((__int128)high - low) / 2;
		if (half > w->max || (half == w->max && x < w->max_at)) {
			w->max = half;
			w->max_at = x;
		}
		if (w->n < SYNC_WIDTHS)
			w->half[w->n++] = half;
	}
}

static int by_value(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;
	return (p > q) - (p < q);
}

struct sync_width sync_widths_result(struct sync_widths *w)
{
	if (w->n == 0)
		return (struct sync_width){ INFINITY, INFINITY, INFINITY, 0 };
	qsort(w->half, w->n, sizeof(*w->half), by_value);
	return (struct sync_width){ w->half[0], w->half[w->n / 2], w->max, w->max_at };
}
