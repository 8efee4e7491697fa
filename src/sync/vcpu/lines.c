/* Lines: the straight part around a moment lasts for steady_ns, and the moment has some place in
 * it. For each place there is a window that the part contains whatever the place exactly is:
 *
 *   [x, x + 7p]  [x - p, x + 6p]  ...  [x - 7p, x]        p = steady_ns / 8
 *
 * In one of them the offset is a line. For a slope b, the lines that keep the limits have a value
 * at the moment from low(b) = max(y - b dx) of the lower points to high(b) = min(y - b dx) of the
 * upper ones. low is convex in b and high concave, so the slopes with low <= high are an interval,
 * and the largest value is the top of a concave function in it. Only the corners of the points'
 * hulls matter. */
#include "sync/vcpu/lines.h"

#include <math.h>
#include <stdlib.h>
#include "base/grow.h"
#include "sync/points.h"

enum { ROUNDS = 48, PLACES = 8 };

struct corner {
	double dx, y;
};

struct hull {
	struct corner *c;
	size_t n;
};

struct window { /* limits around a moment */
	struct hull high, low;
};

/* sign 1: the lower hull of upper limits; -1: the upper hull of lower limits. */
static void make_hull(struct hull *h, const struct sync_point *p, size_t from, size_t to, int sign,
	int64_t x, int64_t base, double wander)
{
	h->n = 0;
	for (size_t i = from; i < to; i++) {
		double dx = (double)(p[i].x - x);
		struct corner c = { dx, (double)(p[i].y - base) + sign * wander * fabs(dx) };
		while (h->n >= 2) {
			const struct corner *a = &h->c[h->n - 2], *b = &h->c[h->n - 1];
			double cross =
				(b->dx - a->dx) * (c.y - a->y) - (b->y - a->y) * (c.dx - a->dx);
			if (cross * sign > 0)
				break;
			h->n--;
		}
		h->c[h->n++] = c;
	}
}

static double high_at(const struct window *w, double b)
{
	double v = INFINITY;
	for (size_t i = 0; i < w->high.n; i++)
		v = fmin(v, w->high.c[i].y - b * w->high.c[i].dx);
	return v;
}

static double low_at(const struct window *w, double b)
{
	double v = -INFINITY;
	for (size_t i = 0; i < w->low.n; i++)
		v = fmax(v, w->low.c[i].y - b * w->low.c[i].dx);
	return v;
}

static double room(const struct window *w, double b)
{
	return high_at(w, b) - low_at(w, b);
}

static double up(const struct window *w, double b)
{
	return high_at(w, b);
}

static double down(const struct window *w, double b)
{
	return -low_at(w, b);
}

/* Where a concave function is largest. */
static double top(
	double (*f)(const struct window *, double), const struct window *w, double from, double to)
{
	for (int i = 0; i < ROUNDS; i++) {
		double a = from + (to - from) / 3, b = to - (to - from) / 3;
		if (f(w, a) < f(w, b))
			from = a;
		else
			to = b;
	}
	return (from + to) / 2;
}

/* From `in`, where lines are possible, towards `out`: the last slope at which they are, or one a
 * little beyond it. */
static double edge(const struct window *w, double in, double out)
{
	if (room(w, out) >= 0)
		return out;
	for (int i = 0; i < ROUNDS; i++) {
		double mid = (in + out) / 2;
		if (room(w, mid) >= 0)
			in = mid;
		else
			out = mid;
	}
	return out;
}

/* The range of all lines at the moment. False: there is none, or no limits on both sides. */
static bool range_of(const struct window *w, double rate, double *low, double *high)
{
	if (!w->high.n || !w->low.n)
		return false;
	double best = top(room, w, -rate, rate);
	if (room(w, best) < 0)
		return false;
	double from = edge(w, best, -rate), to = edge(w, best, rate);
	*high = up(w, top(up, w, from, to));
	*low = -down(w, top(down, w, from, to));
	return true;
}

int sync_lines(const struct sync_point *upper, size_t n_upper, const struct sync_point *lower,
	size_t n_lower, const struct sync_lines_options *o, struct sync_straight **out,
	size_t *n_out, struct mer_err *err)
{
	size_t cap = 0;
	*out = NULL;
	*n_out = 0;
	if (!n_upper || !n_lower)
		return 0;
	struct window w = { { malloc(n_upper * sizeof(struct corner)), 0 },
		{ malloc(n_lower * sizeof(struct corner)), 0 } };
	int rc = w.high.c && w.low.c ? 0 : mer_fail_nomem(err);
	int64_t part = o->steady_ns / PLACES,
		begin = upper[0].x > lower[0].x ? upper[0].x : lower[0].x,
		end = upper[n_upper - 1].x < lower[n_lower - 1].x ? upper[n_upper - 1].x
								  : lower[n_lower - 1].x;
	for (int64_t x = begin; x <= end && rc == 0; x += o->every_ns) {
		int64_t base = upper[sync_first_point(upper, n_upper, x) % n_upper].y;
		double low = INFINITY, high = -INFINITY;
		bool any = false;
		for (int k = 0; k < PLACES; k++) {
			int64_t from = x - k * part, to = x + (PLACES - 1 - k) * part;
			double l, h;
			make_hull(&w.high, upper, sync_first_point(upper, n_upper, from),
				sync_first_point(upper, n_upper, to), 1, x, base, o->wander);
			make_hull(&w.low, lower, sync_first_point(lower, n_lower, from),
				sync_first_point(lower, n_lower, to), -1, x, base, o->wander);
			/* No limits: the line may be anything. No line: its part lies elsewhere. */
			if (!w.high.n || !w.low.n) {
				any = false;
				break;
			}
			if (!range_of(&w, o->max_rate, &l, &h))
				continue;
			any = true;
			low = fmin(low, l);
			high = fmax(high, h);
		}
		if (!any)
			continue;
		if (!mer_grow(out, *n_out, &cap, sizeof(**out)))
			rc = mer_fail_nomem(err);
		else
			(*out)[(*n_out)++] = (struct sync_straight){ x,
				base + (int64_t)floor(low) - 1, base + (int64_t)ceil(high) + 1 };
	}
	free(w.high.c);
	free(w.low.c);
	return rc;
}
