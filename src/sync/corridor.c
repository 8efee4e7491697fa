/* Corridor: the points that matter.
 *
 * A point follows from another one when the other one's cone is as tight where it stands. Reaches are
 * rounded up, so ceil(a) + ceil(b) >= ceil(a + b): what follows from a point that follows from a third
 * one follows from that one, too, and leaving it out changes no limit by a nanosecond. Of points that
 * follow from each other (rate 0, or the same twice) the first by x stays; that makes what stays a
 * matter of the set of points alone.
 *
 * Sorted by x, points of which none follows from another one have two properties that make all of
 * this one pass: what the last one does not imply behind it, no earlier one does; and what a new last
 * one implies is the end of the row. Points that come sorted are kept like that as they come, like a
 * convex hull; others are put at the end and sorted when there are twice as many as were left
 * the last time. */
#include "sync/corridor.h"

#include <math.h>
#include <stdlib.h>
#include "sync/drift.h"

enum { FIRST_PRUNE = 1024 };

static __int128 reach(double rate, int64_t a, int64_t b)
{
	__int128 d = a < b ? (__int128)b - a : (__int128)a - b;
	const __int128 up = ((__int128)1 << SYNC_RATE_BITS) - 1;
	return (sync_drift_units(rate) * d + up) >> SYNC_RATE_BITS;
}

/* What p says at x. */
static int64_t says(int sign, double rate, const struct sync_point *p, int64_t x)
{
	__int128 y = p->y + sign * reach(rate, x, p->x);
	return y > INT64_MAX ? INT64_MAX : y < INT64_MIN ? INT64_MIN : (int64_t)y;
}

/* q is as tight at p as p. */
static bool follows(int sign, double rate, const struct sync_point *p, const struct sync_point *q)
{
	__int128 y = q->y + sign * reach(rate, p->x, q->x);
	return sign > 0 ? y <= p->y : y >= p->y;
}

/* Puts a point behind n others, which are sorted and before it; returns how many there are then. */
static size_t put(int sign, double rate, struct sync_point *p, size_t n, struct sync_point new)
{
	if (n && follows(sign, rate, &new, &p[n - 1]))
		return n;
	while (n && follows(sign, rate, &p[n - 1], &new))
		n--;
	p[n] = new;
	return n + 1;
}

static int by_x(const void *a, const void *b)
{
	const struct sync_point *p = a, *q = b;
	return (p->x > q->x) - (p->x < q->x);
}

static void settle(struct sync_corridor_side *s, int sign, double rate)
{
	if (s->sorted)
		return;
	qsort(s->p, s->n, sizeof(*s->p), by_x);
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n = put(sign, rate, s->p, n, s->p[i]);
	s->n = n;
	s->sorted = true;
}

static void settle_both(struct sync_corridor *c)
{
	settle(&c->upper, 1, c->rate);
	settle(&c->lower, -1, c->rate);
}

void sync_corridor_init(struct sync_corridor *c, double rate)
{
	*c = (struct sync_corridor){
		.rate = rate,
		.upper = { .sorted = true },
		.lower = { .sorted = true },
	};
}

void sync_corridor_free(struct sync_corridor *c)
{
	free(c->upper.p);
	free(c->lower.p);
	sync_corridor_init(c, c->rate);
}

static int add(struct sync_corridor_side *s, int sign, double rate, struct sync_point p,
	struct mer_err *err)
{
	if (p.y == (sign > 0 ? INT64_MAX : INT64_MIN))
		return 0;
	if (!s->sorted && s->n >= s->prune_at)
		settle(s, sign, rate);
	if (s->n && p.x < s->p[s->n - 1].x) {
		/* Of two that follow from each other the first by x stays: not for here to decide. */
		if (follows(sign, rate, &p, &s->p[s->n - 1]) &&
			!follows(sign, rate, &s->p[s->n - 1], &p))
			return 0;
		if (s->sorted) {
			s->sorted = false;
			s->prune_at = 2 * s->n > FIRST_PRUNE ? 2 * s->n : FIRST_PRUNE;
		}
	}
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct sync_point *more = realloc(s->p, cap * sizeof(*more));
		if (!more)
			return mer_fail_nomem(err);
		s->p = more;
		s->cap = cap;
	}
	if (s->sorted)
		s->n = put(sign, rate, s->p, s->n, p);
	else
		s->p[s->n++] = p;
	return 0;
}

int sync_corridor_add(struct sync_corridor *c, bool upper, struct sync_point p, struct mer_err *err)
{
	return upper ? add(&c->upper, 1, c->rate, p, err) : add(&c->lower, -1, c->rate, p, err);
}

int sync_corridor_merge(
	struct sync_corridor *into, const struct sync_corridor *from, struct mer_err *err)
{
	if (sync_drift_units(into->rate) != sync_drift_units(from->rate))
		return mer_fail(err, MER_ERR_USAGE,
			"what was computed with a drift of %g and of %g cannot be put together: "
			"use the same for both",
			into->rate, from->rate);
	int rc = 0;
	for (size_t i = 0; i < from->upper.n && rc == 0; i++)
		rc = sync_corridor_add(into, true, from->upper.p[i], err);
	for (size_t i = 0; i < from->lower.n && rc == 0; i++)
		rc = sync_corridor_add(into, false, from->lower.p[i], err);
	return rc;
}

/* The first of the points that is at x or behind it. */
static size_t first_at(const struct sync_corridor_side *s, int64_t x)
{
	size_t lo = 0, hi = s->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->p[mid].x < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The tightest cones at x are those of the two points next to it. */
static int64_t limit(const struct sync_corridor_side *s, int sign, double rate, int64_t x, size_t i)
{
	int64_t y = sign > 0 ? INT64_MAX : INT64_MIN;
	for (size_t k = i ? i - 1 : 0; k <= i && k < s->n; k++) {
		int64_t here = says(sign, rate, &s->p[k], x);
		y = (sign > 0 ? here < y : here > y) ? here : y;
	}
	return y;
}

bool sync_corridor_limits(struct sync_corridor *c, int64_t x, int64_t *low, int64_t *high)
{
	settle_both(c);
	*high = limit(&c->upper, 1, c->rate, x, first_at(&c->upper, x));
	*low = limit(&c->lower, -1, c->rate, x, first_at(&c->lower, x));
	return *high != INT64_MAX && *low != INT64_MIN;
}

bool sync_corridor_contradiction(struct sync_corridor *c, int64_t *x)
{
	settle_both(c);
	/* Where two cones cross they also do at the upper one's point. */
	for (size_t i = 0, k = 0; i < c->upper.n; i++) {
		const struct sync_point *p = &c->upper.p[i];
		while (k < c->lower.n && c->lower.p[k].x < p->x)
			k++;
		if (limit(&c->lower, -1, c->rate, p->x, k) > p->y) {
			*x = p->x;
			return true;
		}
	}
	return false;
}

/* --- Widths ------------------------------------------------------------------------------------- */

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
