#include "sync/estimate/passage.h"

#include <math.h>
#include <stdlib.h>

enum { HALVINGS = 60, RANGE_STEPS = 30 };

static const double GOLDEN = 0.6180339887498949;

int sync_passage_new(struct sync_passage *h, size_t n, struct mer_err *err)
{
	*h = (struct sync_passage){ 0 };
	for (int k = 0; k < 2; k++)
		if (!(h->side[k].p = malloc((n + 1) * sizeof(*h->side[k].p))))
			return mer_fail_nomem(err);
	return 0;
}

void sync_passage_free(struct sync_passage *h)
{
	free(h->side[0].p);
	free(h->side[1].p);
	*h = (struct sync_passage){ 0 };
}

void sync_passage_clear(struct sync_passage *h)
{
	h->side[0].n = h->side[1].n = 0;
}

static double turn(const struct sync_straight_point *a, const struct sync_straight_point *b,
	const struct sync_straight_point *c)
{
	return (b->y - a->y) * (c->t - b->t) - (c->y - b->y) * (b->t - a->t);
}

void sync_passage_add(struct sync_passage *h, const struct sync_straight_point *at, double zero)
{
	struct sync_straight_point own = { at->t - zero, at->y, at->side };
	double side = own.side;
	struct sync_straight_point *p = h->side[side > 0 ? 0 : 1].p;
	size_t n = h->side[side > 0 ? 0 : 1].n;
	if (n && p[n - 1].t >= own.t) {
		if ((own.y - p[n - 1].y) * side >= 0)
			return;
		n--;
	}
	while (n > 1 && turn(&p[n - 2], &p[n - 1], &own) * side >= 0)
		n--;
	p[n++] = own;
	h->side[side > 0 ? 0 : 1].n = n;
}

struct sync_gap sync_passage_gap(const struct sync_passage *h, double rate)
{
	double up = INFINITY, down = INFINITY;
	for (size_t i = 0; i < h->side[0].n; i++) { /* fmin is a call, and this is done often */
		double y = h->side[0].p[i].y - rate * h->side[0].p[i].t;
		up = y < up ? y : up;
	}
	for (size_t i = 0; i < h->side[1].n; i++) {
		double y = rate * h->side[1].p[i].t - h->side[1].p[i].y;
		down = y < down ? y : down;
	}
	return (struct sync_gap){ up + down, (up - down) / 2 };
}

/* What best_rate searches for: the widest gap, or the line that is highest (lowest) at t = 0. */
enum aim { WIDEST, HIGHEST, LOWEST };

static double worth(const struct sync_passage *h, enum aim aim, double rate)
{
	struct sync_gap g = sync_passage_gap(h, rate);
	return aim == WIDEST ? g.size : g.size / 2 + (aim == HIGHEST ? g.middle : -g.middle);
}

/* By golden section search: each aim is concave in the rate. */
static double best_rate(
	const struct sync_passage *h, enum aim aim, double low, double high, int steps)
{
	double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
	double at_a = worth(h, aim, a), at_b = worth(h, aim, b);
	for (int i = 0; i < steps && high > low; i++) {
		if (at_a < at_b) {
			low = a;
			a = b;
			at_a = at_b;
			b = low + GOLDEN * (high - low);
			at_b = worth(h, aim, b);
		} else {
			high = b;
			b = a;
			at_b = at_a;
			a = high - GOLDEN * (high - low);
			at_a = worth(h, aim, a);
		}
	}
	return (low + high) / 2;
}

double sync_passage_widest(const struct sync_passage *h, double low, double high)
{
	return best_rate(h, WIDEST, low, high, 2 * HALVINGS);
}

double sync_passage_last(const struct sync_passage *h, double least, double in, double out)
{
	if (sync_passage_gap(h, out).size >= least)
		return out;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (in + out) / 2;
		if (sync_passage_gap(h, middle).size >= least)
			in = middle;
		else
			out = middle;
	}
	return in;
}

bool sync_passage_range(
	const struct sync_passage *h, double low, double high, struct sync_passage_range *r)
{
	double best = best_rate(h, WIDEST, low, high, RANGE_STEPS);
	double gap = sync_passage_gap(h, best).size;
	if (!(gap >= 0) || !isfinite(gap))
		return false;
	r->flattest = sync_passage_last(h, 0, best, low);
	r->steepest = sync_passage_last(h, 0, best, high);
	r->high = worth(h, HIGHEST, best_rate(h, HIGHEST, r->flattest, r->steepest, RANGE_STEPS));
	r->low = -worth(h, LOWEST, best_rate(h, LOWEST, r->flattest, r->steepest, RANGE_STEPS));
	return true;
}
