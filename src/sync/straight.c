#include "sync/straight.h"

#include <math.h>
#include <stdlib.h>

/* The limits that a line can touch. */
struct touch {
	struct sync_straight_point *p;
	size_t n;
};

static double turn(const struct sync_straight_point *a, const struct sync_straight_point *b,
	const struct sync_straight_point *c)
{
	return (b->y - a->y) * (c->t - b->t) - (c->y - b->y) * (b->t - a->t);
}

static void add(struct touch *h, const struct sync_straight_point *p)
{
	double side = p->side;
	if (h->n && h->p[h->n - 1].t >= p->t) {
		if ((p->y - h->p[h->n - 1].y) * side >= 0)
			return;
		h->n--;
	}
	while (h->n > 1 && turn(&h->p[h->n - 2], &h->p[h->n - 1], p) * side >= 0)
		h->n--;
	h->p[h->n++] = *p;
}

struct gap {
	double size, middle; /* middle: at t = 0 */
};

static struct gap gap_at(const struct touch h[2], double rate)
{
	double up = INFINITY, down = INFINITY;
	for (size_t i = 0; i < h[0].n; i++)
		up = fmin(up, h[0].p[i].y - rate * h[0].p[i].t);
	for (size_t i = 0; i < h[1].n; i++)
		down = fmin(down, rate * h[1].p[i].t - h[1].p[i].y);
	return (struct gap){ up + down, (up - down) / 2 };
}

enum { HALVINGS = 60 };

/* The rate with the widest gap: it is concave in the rate. */
static double widest(const struct touch h[2], double low, double high)
{
	static const double g = 0.6180339887498949;
	double a = high - g * (high - low), b = low + g * (high - low);
	double at_a = gap_at(h, a).size, at_b = gap_at(h, b).size;
	for (int i = 0; i < 2 * HALVINGS && high > low; i++) {
		if (at_a < at_b) {
			low = a;
			a = b;
			at_a = at_b;
			b = low + g * (high - low);
			at_b = gap_at(h, b).size;
		} else {
			high = b;
			b = a;
			at_b = at_a;
			a = high - g * (high - low);
			at_a = gap_at(h, a).size;
		}
	}
	return (low + high) / 2;
}

/* The last rate from `in`, where there is a gap, towards `out`. */
static double last_with_gap(const struct touch h[2], double in, double out)
{
	if (gap_at(h, out).size >= 0)
		return out;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (in + out) / 2;
		if (gap_at(h, middle).size >= 0)
			in = middle;
		else
			out = middle;
	}
	return in;
}

/* --- Did it bend?
 * --------------------------------------------------------------------------------- */

enum { SCALES = 3, LEAST_WINDOWS = 6, MOST_WINDOWS = 48 };

struct window { /* the least distances to the line of both sides */
	double up, down;
};

/* Both sides by themselves: the variance of (up - down), against that of (up + down). The quotient
 * is about 1 where both sides vary on their own, whatever the spread of each. */
static bool moves_together(const struct window *w, size_t n, double limit)
{
	double mean[2] = { 0, 0 }, square[2] = { 0, 0 };
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(w[i].up) || !isfinite(w[i].down))
			continue;
		double v[2] = { w[i].up - w[i].down, w[i].up + w[i].down };
		k++;
		for (int s = 0; s < 2; s++) {
			double d = v[s] - mean[s];
			mean[s] += d / (double)k;
			square[s] += d * (v[s] - mean[s]);
		}
	}
	return k >= LEAST_WINDOWS && square[0] > limit * square[1] + 1;
}

/* The least distances to a line of each of n windows of the same length. */
static void cut(const struct sync_straight_point *p, size_t n_points, double rate, double offset,
	struct window *w, size_t n)
{
	double begin = p[0].t, length = p[n_points - 1].t - begin;
	for (size_t i = 0; i < n; i++)
		w[i] = (struct window){ INFINITY, INFINITY };
	for (size_t i = 0; i < n_points; i++) {
		double at = (p[i].t - begin) / length * (double)n;
		size_t k = at > 0 ? (size_t)at : 0;
		k = k < n ? k : n - 1;
		double d = (p[i].y - rate * p[i].t - offset) * p[i].side;
		double *to = p[i].side > 0 ? &w[k].up : &w[k].down;
		*to = fmin(*to, d);
	}
}

static bool bent(const struct sync_straight_point *p, size_t n, double rate, double offset)
{
	/* So many windows; the quotient of two variances of so many is above it once in a
	 * thousand. */
	static const struct {
		size_t n;
		double limit;
	} scales[SCALES] = { { 8, 15 }, { 16, 5.5 }, { MOST_WINDOWS, 2.5 } };
	struct window w[MOST_WINDOWS];
	for (int s = 0; s < SCALES; s++) {
		cut(p, n, rate, offset, w, scales[s].n);
		if (moves_together(w, scales[s].n, scales[s].limit))
			return true;
	}
	return false;
}

/* Everywhere some messages take hardly more than the least time: then the line with the widest gap
 * is better than the bisector, which looks at few messages. */
static bool is_sharp(
	const struct sync_straight_point *p, size_t n, double rate, const struct gap *gap)
{
	enum { WINDOWS = 8, TIMES = 10 };
	struct window w[WINDOWS];
	double excess = 0;
	cut(p, n, rate, gap->middle, w, WINDOWS);
	for (int i = 0; i < WINDOWS; i++)
		excess += w[i].up + w[i].down - gap->size;
	return excess / WINDOWS * TIMES < gap->size;
}

/* What the limits leave of the rate is much where the traffic is short: the rate is then drawn to 0
 * as far as it may be anything. The line turns around where the flattest and the steepest meet. */
static void shrink(const struct touch h[2], double max_rate, struct sync_straight *s)
{
	double range = s->steepest - s->flattest;
	if (!(range > 0))
		return;
	double part = max_rate * max_rate / (max_rate * max_rate + range * range / 12);
	double rate = fmin(fmax(s->rate * part, s->flattest), s->steepest);
	double meet = (s->flattest_at - s->steepest_at) / range;
	double offset = s->offset + (s->rate - rate) * meet;
	struct gap g = gap_at(h, rate);
	s->rate = rate;
	s->offset = fabs(offset - g.middle) * 2 <= g.size ? offset : g.middle;
}

int sync_straight(const struct sync_straight_point *p, size_t n, double max_rate,
	struct sync_straight *s, bool *fits, struct mer_err *err)
{
	struct touch h[2];
	*s = (struct sync_straight){ .gap = -INFINITY };
	*fits = false;
	h[0] = (struct touch){ malloc((n + 1) * sizeof(*h[0].p)), 0 };
	h[1] = (struct touch){ malloc((n + 1) * sizeof(*h[1].p)), 0 };
	if (!h[0].p || !h[1].p) {
		free(h[0].p);
		free(h[1].p);
		return mer_fail_nomem(err);
	}
	for (size_t i = 0; i < n; i++)
		add(&h[p[i].side > 0 ? 0 : 1], &p[i]);
	double best = widest(h, -max_rate, max_rate);
	s->gap = gap_at(h, best).size;
	if (s->gap > 0 && isfinite(s->gap)) {
		s->flattest = last_with_gap(h, best, -max_rate);
		s->steepest = last_with_gap(h, best, max_rate);
		s->flattest_at = gap_at(h, s->flattest).middle;
		s->steepest_at = gap_at(h, s->steepest).middle;
		s->rate = (s->flattest + s->steepest) / 2;
		s->offset = (s->flattest_at + s->steepest_at) / 2;
		shrink(h, max_rate, s);
		if (n > 1 && p[n - 1].t > p[0].t) {
			struct gap g = gap_at(h, best);
			if (is_sharp(p, n, best, &g)) {
				s->rate = best;
				s->offset = g.middle;
			}
			s->bends = bent(p, n, s->rate, s->offset);
		}
		*fits = true;
	}
	free(h[0].p);
	free(h[1].p);
	return 0;
}
