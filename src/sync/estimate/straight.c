#include "sync/estimate/straight.h"

#include <math.h>
#include <stdlib.h>
#include "sync/estimate/passage.h"

/* ---- did it bend? ---- */

/* PARTS: number of parts of the time whose least latencies are compared. SHARP: latencies come
 * close to the least one in all parts if the gap is more than this many times their mean excess. */
enum { PARTS = 8, SHARP = 10 };

enum { SCALES = 3, LEAST_WINDOWS = 6, MOST_WINDOWS = 48 };

struct window { /* least distances between the line and the limits of each side */
	double up, down;
};

/* Do both sides move together? Compares the variances of (up - down) and (up + down). The quotient
 * is about 1 if both sides vary independently, whatever the spread of each. */
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
	/* With n windows, the quotient of two independent variances exceeds `limit` once in a
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

/* The mean excess of the gap of a part of the time over that of the whole: by how much the least
 * latencies of a part exceed the overall least ones. INFINITY: a part has no limits on one side. */
static double excess_of(
	const struct sync_straight_point *p, size_t n, double rate, const struct sync_gap *gap)
{
	struct window w[PARTS];
	double excess = 0;
	cut(p, n, rate, gap->middle, w, PARTS);
	for (int i = 0; i < PARTS; i++)
		excess += w[i].up + w[i].down - gap->size;
	return fmax(excess / PARTS, 0);
}

/* The mean of all lines that pass, weighted by likelihood: if a line is the right one, the gap
 * along it is the sum of both directions' least latencies, and the gaps of the parts exceed it, by
 * exponentially distributed amounts. So if the gaps of the parts differ much, all lines count; if
 * some messages always take hardly more than the least latency, only those with nearly the widest
 * gap do. */
static void mean_line(const struct sync_passage *h, double best, double pressure, double most,
	struct sync_straight *s)
{
	enum { RATES = 96 };
	static const double NOT_LIKELY = 12, TAIL = 0.025;
	double weights[RATES], sum = 0, rates = 0, offsets = 0;
	double least = fmax(0, most - NOT_LIKELY / pressure);
	double low = sync_passage_last(h, least, best, s->flattest);
	double step = (sync_passage_last(h, least, best, s->steepest) - low) / RATES;
	for (int i = 0; i < RATES; i++) {
		double rate = low + step * (i + 0.5);
		struct sync_gap g = sync_passage_gap(h, rate);
		double w = g.size > 0 ? g.size * exp((g.size - most) * pressure) : 0;
		weights[i] = w;
		sum += w;
		rates += w * rate;
		offsets += w * g.middle;
	}
	s->likely_rates[0] = s->flattest;
	s->likely_rates[1] = s->steepest;
	if (!(sum > 0))
		return;
	s->rate = rates / sum;
	s->offset = offsets / sum;
	double below = 0;
	for (int i = 0; i < RATES; i++) {
		if (below < TAIL * sum)
			s->likely_rates[0] = low + step * i;
		if (below < (1 - TAIL) * sum)
			s->likely_rates[1] = low + step * (i + 1);
		below += weights[i];
	}
}

/* Short traffic leaves a wide range of rates: the rate is then shrunk towards 0, the more the wider
 * the range. The line turns about the intersection of the flattest and the steepest line. */
static void shrink(const struct sync_passage *h, double max_rate, struct sync_straight *s)
{
	double range = s->steepest - s->flattest;
	if (!(range > 0))
		return;
	double part = max_rate * max_rate / (max_rate * max_rate + range * range / 12);
	double rate = fmin(fmax(s->rate * part, s->flattest), s->steepest);
	double meet = (s->flattest_at - s->steepest_at) / range;
	double offset = s->offset + (s->rate - rate) * meet;
	struct sync_gap g = sync_passage_gap(h, rate);
	s->rate = rate;
	s->offset = fabs(offset - g.middle) * 2 <= g.size ? offset : g.middle;
}

int sync_straight(const struct sync_straight_point *p, size_t n, double max_rate,
	struct sync_straight *s, bool *fits, struct mer_err *err)
{
	struct sync_passage h;
	*s = (struct sync_straight){ .gap = -INFINITY };
	*fits = false;
	int rc = sync_passage_new(&h, n, err);
	if (rc) {
		sync_passage_free(&h);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		sync_passage_add(&h, &p[i], 0);
	double best = sync_passage_widest(&h, -max_rate, max_rate);
	s->gap = sync_passage_gap(&h, best).size;
	if (s->gap > 0 && isfinite(s->gap)) {
		s->flattest = sync_passage_last(&h, 0, best, -max_rate);
		s->steepest = sync_passage_last(&h, 0, best, max_rate);
		s->flattest_at = sync_passage_gap(&h, s->flattest).middle;
		s->steepest_at = sync_passage_gap(&h, s->steepest).middle;
		struct sync_gap g = sync_passage_gap(&h, best);
		bool lasts = n > 1 && p[n - 1].t > p[0].t;
		double excess = lasts ? excess_of(p, n, best, &g) : INFINITY;
		mean_line(&h, best, PARTS / fmax(excess, 1e-3), g.size, s);
		shrink(&h, max_rate, s);
		/* Some messages always take hardly more than the least latency: the line with the
		 * widest gap. */
		if (excess * SHARP < g.size) {
			s->rate = best;
			s->offset = g.middle;
		}
		if (lasts)
			s->bends = bent(p, n, s->rate, s->offset);
		*fits = true;
	}
	sync_passage_free(&h);
	return 0;
}
