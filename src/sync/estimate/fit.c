/* See fit.h. In short cells any likely course is nearly straight, so that only the convex hulls of
 * a cell's limits can matter; the course between them is found by smooth.h. This file thins out the
 * limits, chooses the scales to start from, and simplifies the course to few pieces.
 *
 * All arithmetic is relative to a line through the data, so that neither the epoch nor the rate
 * costs digits. */
#include "sync/estimate/fit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/select.h"
#include "sync/estimate/reach.h"
#include "sync/estimate/smooth.h"
#include "sync/estimate/straight.h"

enum {
	CELLS = 768,	   /* and one more per MORE_CELLS messages: */
	MORE_CELLS = 2048, /* time and memory are those of the cells' hulls, about 14 limits each */
	MIN_CELL = 16,	   /* messages */
	PROBES = 512,	   /* cells that are examined to estimate the scales, ... */
	TELLING = 3,	   /* ... joined until they have this many messages per direction */
	ENOUGH = 20,	   /* probes needed for quantiles, ... */
	SOME = 4,	   /* ... or if no line passes between the limits */
	SAMPLES = 4096,	   /* messages per direction whose delay is examined */
	FEW = 16,	   /* with fewer messages per direction, delays are not estimated */
	WORK = 150000,	   /* nodes times sweeps of the last run */
	GRID = 2048,	   /* places where the rate may change, at least */
};

/* The density of limits next to the least delay counts by this factor (measured: the Gaussians of
 * smooth.h are a little wider than what they replace). */
static const double PRESSURE = 0.75;
/* The blur of the limits, as a part of the mean distance between them: less than the accuracy, and
 * enough for the rounding of times. */
static const double BLUR = 0.2, LEAST_BLUR_NS = 0.5;
/* Clocks are seldom off by much more than this, ns/s: 50 ppm. */
static const double USUAL_RATE = 50e3;
/* The rate of a clock seldom changes by more, ns/s: 1 ppm. */
static const double USUAL_CHANGE = 1e3;
/* Half a 95 % interval, in standard deviations. */
static const double SIGMAS = 2;
/* The walk of a course through few limits, ns^2/s^3: nearly straight, 1 ppb in 1000 s. */
static const double STEADY_WALK = 1e-3;
/* Tolerance when the course is simplified, in its standard deviations. */
static const double NEAR = 0.2;

struct limit {
	double t, y; /* s, ns: in the frame */
};

struct direction {
	const struct sync_point *points;
	size_t n, at;	    /* at: first point of the next cell */
	double side;	    /* as in sync_smooth_node */
	struct limit *hull; /* of the cell; has room for all its messages */
	size_t n_hull, n_cell;
	double sum, least; /* sum and minimum of y * side in the cell */
};

struct frame { /* t = x - x0 in s; y minus a line */
	int64_t x0, y0;
	double rate; /* ns/s */
};

struct fit {
	struct frame frame;
	struct direction d[2]; /* upper, lower */
	struct sync_smooth_node *nodes;
	size_t n, cap;
	double *room; /* for widest_gap */
	size_t cap_room;
	double *probes; /* of cells: the largest gap, or the mean delay of one-way traffic */
	size_t n_probes;
	double max_rate; /* ns/s */
	struct sync_smooth scales;
	struct sync_fit *result;
	bool done; /* it is one line */
};

static double seconds_between(int64_t from, int64_t to) /* from <= to */
{
	return (double)((uint64_t)to - (uint64_t)from) * 1e-9;
}

static struct limit in_frame(const struct frame *f, struct sync_point p)
{
	double t = seconds_between(f->x0, p.x);
	return (struct limit){ t, (double)p.y - (double)f->y0 - f->rate * t };
}

static int64_t host_time(const struct frame *f, double t) /* t >= 0; saturates */
{
	uint64_t room = (uint64_t)INT64_MAX - (uint64_t)f->x0;
	double ns = round(t * 1e9);
	return (int64_t)((uint64_t)f->x0 + (ns >= (double)room ? room : (uint64_t)ns));
}

static bool has_both(const struct fit *f)
{
	return f->d[0].n && f->d[1].n;
}

static bool tell_delays(const struct fit *f)
{
	return f->d[0].n >= FEW && f->d[1].n >= FEW;
}

/* Computes the hull of the next cell: the limits that a straight course can touch, of at most
 * `most` messages up to `until`. */
static void cell_hull(const struct frame *f, struct direction *d, int64_t until, size_t most)
{
	struct limit *h = d->hull;
	size_t n = 0;
	d->n_cell = 0;
	d->sum = 0;
	d->least = INFINITY;
	for (; d->at < d->n && d->points[d->at].x <= until && d->n_cell < most; d->n_cell++) {
		struct limit p = in_frame(f, d->points[d->at++]);
		double y = p.y * d->side;
		d->sum += y;
		d->least = y < d->least ? y : d->least;
		if (n && h[n - 1].t >= p.t) {
			if (y >= h[n - 1].y * d->side)
				continue;
			n--;
		}
		while (n > 1 && ((h[n - 1].y - h[n - 2].y) * (p.t - h[n - 2].t) -
					(p.y - h[n - 2].y) * (h[n - 1].t - h[n - 2].t)) *
						d->side >=
					0)
			n--;
		h[n++] = p;
	}
	d->n_hull = n;
}

struct told { /* sums over the messages of some cells in a row */
	size_t n[2];
	double sum, least; /* as in struct direction; for one-way traffic */
};

static const struct told NOTHING_TOLD = { { 0, 0 }, 0, INFINITY };

/* The limits of some nodes, the upper ones and the lower ones apart: t, y, t, y, ... */
struct sides {
	double *p[2];
	size_t n[2];
};

static struct sides sides_of(const struct fit *f, size_t first)
{
	struct sides s = { { f->room, f->room + 2 * (f->n - first) }, { 0, 0 } };
	for (size_t i = first; i < f->n; i++) {
		const struct sync_smooth_node *p = &f->nodes[i];
		int k = p->side > 0 ? 0 : 1;
		double *to = s.p[k] + 2 * s.n[k]++;
		to[0] = p->t;
		to[1] = p->y;
	}
	return s;
}

/* The gap between the limits of both sides, along lines of this slope. */
static double gap_at(const struct sides *s, double rate)
{
	double up = INFINITY, down = INFINITY;
	for (size_t i = 0; i < s->n[0]; i++) {
		double y = s->p[0][2 * i + 1] - rate * s->p[0][2 * i];
		up = y < up ? y : up;
	}
	for (size_t i = 0; i < s->n[1]; i++) {
		double y = -(s->p[1][2 * i + 1] - rate * s->p[1][2 * i]);
		down = y < down ? y : down;
	}
	return up + down;
}

/* The widest gap between the limits of the nodes from `first` on, along lines of a slope up to
 * max_rate. There is room for them. */
static double widest_gap(const struct fit *f, size_t first, double max_rate)
{
	struct sides s = sides_of(f, first);
	double low = -max_rate - f->frame.rate, high = max_rate - f->frame.rate;
	static const double g = 0.6180339887498949;
	double a = high - g * (high - low), b = low + g * (high - low);
	double at_a = gap_at(&s, a), at_b = gap_at(&s, b);
	for (int i = 0; i < 50 && high > low; i++) {
		if (at_a < at_b) {
			low = a;
			a = b;
			at_a = at_b;
			b = low + g * (high - low);
			at_b = gap_at(&s, b);
		} else {
			high = b;
			b = a;
			at_b = at_a;
			a = high - g * (high - low);
			at_a = gap_at(&s, a);
		}
	}
	return gap_at(&s, (low + high) / 2);
}

/* Appends the cell's hulls, by time. */
static int add_nodes(struct fit *f, struct mer_err *err)
{
	const struct direction *u = &f->d[0], *l = &f->d[1];
	size_t more = u->n_hull + l->n_hull;
	if (!mer_grow(&f->nodes, f->n + more, &f->cap, sizeof(*f->nodes)))
		return mer_fail_nomem(err);
	for (size_t i = 0, j = 0; i + j < more;) {
		bool up = j == l->n_hull || (i < u->n_hull && u->hull[i].t <= l->hull[j].t);
		struct limit p = up ? u->hull[i++] : l->hull[j++];
		f->nodes[f->n++] = (struct sync_smooth_node){
			.t = p.t, .y = p.y, .side = up ? u->side : l->side
		};
	}
	return 0;
}

static int make_room(struct fit *f, size_t n_nodes, struct mer_err *err)
{
	return mer_grow(&f->room, 4 * n_nodes, &f->cap_room, sizeof(*f->room))
		       ? 0
		       : mer_fail_nomem(err);
}

/* Adds a probe for the cells in a row whose nodes begin at first_node. */
static int probe(struct fit *f, size_t first_node, const struct told *told, struct mer_err *err)
{
	int rc = make_room(f, f->n - first_node, err);
	if (rc == 0)
		f->probes[f->n_probes++] =
			has_both(f) ? widest_gap(f, first_node, f->max_rate)
				    : told->sum / (double)(told->n[0] + told->n[1]) - told->least;
	return rc;
}

/* End of the next cell. It is limited in time and in messages, so that bursts are cut finely. */
static int64_t cell_end(const struct direction d[2], size_t size, uint64_t span)
{
	int64_t begin = INT64_MAX, end = INT64_MAX;
	for (int k = 0; k < 2; k++) {
		if (d[k].at < d[k].n && d[k].points[d[k].at].x < begin)
			begin = d[k].points[d[k].at].x;
		if (d[k].n - d[k].at > size / 2 && d[k].points[d[k].at + size / 2].x < end)
			end = d[k].points[d[k].at + size / 2].x;
	}
	if ((uint64_t)end - (uint64_t)begin > span)
		end = (int64_t)((uint64_t)begin + span);
	return end;
}

/* Cuts the messages into cells and keeps the hulls of each. */
static int thin_out(struct fit *f, struct mer_err *err)
{
	struct direction *d = f->d;
	size_t n = d[0].n + d[1].n, n_cells = CELLS + n / MORE_CELLS, size = n / n_cells;
	if (size < MIN_CELL)
		size = MIN_CELL;
	uint64_t span = 0;
	for (int k = 0; k < 2; k++) {
		if (d[k].n) {
			uint64_t own = (uint64_t)d[k].points[d[k].n - 1].x - (uint64_t)f->frame.x0;
			span = own > span ? own : span;
		}
		if (!(d[k].hull = malloc((size + 1) * sizeof *d[k].hull)))
			return mer_fail_nomem(err);
	}
	span /= n_cells;
	if (!(f->probes = malloc(PROBES * sizeof *f->probes)))
		return mer_fail_nomem(err);
	size_t every = n / size / PROBES + 1, first = 0;
	struct told told = NOTHING_TOLD;
	for (size_t c = 0; d[0].at < d[0].n || d[1].at < d[1].n; c++) {
		int64_t until = cell_end(d, size, span);
		for (int k = 0; k < 2; k++)
			cell_hull(&f->frame, &d[k], until, size);
		int rc = add_nodes(f, err);
		if (rc)
			return rc;
		for (int k = 0; k < 2; k++) {
			told.n[k] += d[k].n_cell;
			told.sum += d[k].sum;
			told.least = fmin(told.least, d[k].least);
		}
		bool enough = has_both(f) ? told.n[0] >= TELLING && told.n[1] >= TELLING
					  : told.n[0] + told.n[1] >= TELLING;
		if (!enough)
			continue;
		if (c % every == 0 && f->n_probes < PROBES)
			rc = probe(f, first, &told, err);
		if (rc)
			return rc;
		first = f->n;
		told = NOTHING_TOLD;
	}
	return make_room(f, f->n, err);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct delays {		/* the shortest delays, by the present course */
	double least;	/* sum of both directions' least delays, without stray messages */
	double tenth;	/* sum of both directions' 10 % quantiles */
	double density; /* messages per ns next to the least delay, if equal in both directions */
};

/* The k-th smallest of n values (base/select.h). */
static double smallest(int64_t *values, size_t n, size_t k)
{
	return mer_double_of_order(mer_select(values, n, k));
}

/* values: room for SAMPLES + 1. */
static struct delays look_at_delays(const struct fit *f, int64_t *values)
{
	struct delays r = { 0 };
	double rarity = 0; /* ns per message */
	for (int side = 0; side < 2; side++) {
		const struct direction *d = &f->d[side];
		size_t step = d->n / SAMPLES + 1, m = 0, k = 0;
		for (size_t i = 0; i < d->n; i += step) {
			struct limit p = in_frame(&f->frame, d->points[i]);
			while (k + 1 < f->n && f->nodes[k + 1].t <= p.t)
				k++;
			const struct sync_smooth_node *a = &f->nodes[k],
						      *b = &f->nodes[k + 1 < f->n ? k + 1 : k];
			double part = b->t > a->t ? (p.t - a->t) / (b->t - a->t) : 0;
			values[m++] = mer_order_of_double(
				(p.y - (a->mean + (b->mean - a->mean) * part)) * d->side);
		}
		double tenth = smallest(values, m, m / 10);
		/* The least delay, extrapolated from the 2.5 % and 5 % quantiles. */
		double high = smallest(values, m / 10 + 1, m / 20);
		double low = smallest(values, m / 20 + 1, m / 40);
		double least = m < 40 ? low : low - (high - low);
		r.least += least;
		r.tenth += tenth;
		rarity += fmax(tenth - least, 1) / (double)(m / 10 * step + 1);
	}
	/* In the end both directions press on the course equally, so the rarer messages decide. */
	r.density = 4 / rarity;
	return r;
}

/* Removes limits that the course cannot touch, but keeps enough nodes for bends. */
static void leave_out(struct fit *f)
{
	static const double far = 5; /* standard deviations */
	size_t n = 0;
	double walk = 0, pull = 0, last = f->nodes[0].t,
	       grid = (f->nodes[f->n - 1].t - last) / GRID;
	for (size_t i = 0; i < f->n; i++) {
		struct sync_smooth_node *p = &f->nodes[i];
		if (i)
			walk += p->walk * (p->t - p[-1].t);
		pull += p->pull;
		if (p->z > far && i && i + 1 < f->n && p->t - last < grid)
			continue;
		if (p->t > last)
			p->walk = walk / (p->t - last);
		p->pull = pull;
		walk = pull = 0;
		last = p->t;
		f->nodes[n++] = *p;
	}
	f->n = n;
}

/* Scales to start from. A course that is too rough is better than one that is too smooth, which
 * would treat correct limits as wrong. */
static struct sync_smooth first_scales(struct fit *f)
{
	struct sync_smooth s = { .rate = -f->frame.rate,
		.rate_sd = fmax(fmin(USUAL_RATE, f->max_rate), 1e-3),
		.most_walk = INFINITY };
	s.steady = f->d[0].n + f->d[1].n < 2 * FEW;
	double low = INFINITY, high = -INFINITY, spread = 0;
	for (size_t i = 0; i < f->n; i++) {
		low = fmin(low, f->nodes[i].y);
		high = fmax(high, f->nodes[i].y);
	}
	s.offset = (low + high) / 2;
	s.offset_sd = 10 * (high - low) + 1000;
	qsort(f->probes, f->n_probes, sizeof *f->probes, by_value);
	if (!has_both(f)) {
		spread = f->n_probes ? fmax(f->probes[f->n_probes / 2], 1) : 1000;
		size_t n = f->d[0].n + f->d[1].n;
		for (size_t i = 0; i < f->n; i++)
			f->nodes[i].pull = (double)n / (double)f->n / spread;
	}
	size_t few = f->d[0].n < f->d[1].n ? f->d[0].n : f->d[1].n;
	double most = few < 3 ? 0 : few < FEW ? s.rate_sd : f->max_rate;
	double line = widest_gap(f, 0, most);
	if (!has_both(f)) {
		/* There is no gap: limits are on one side only. */
	} else if (f->n_probes >= ENOUGH || (f->n_probes >= SOME && line <= 0)) {
		/* The gaps of cells exceed the floor because of jitter: by about a gamma
		 * distribution of shape 3, whose scale follows from these two quantiles. */
		double quarter = f->probes[f->n_probes / 4], half = f->probes[f->n_probes / 2];
		spread = (half - quarter) / 0.95;
		s.floor = quarter - 1.73 * spread;
	} else {
		s.floor = line;
		/* Too few limits to enclose the course: they attract it. */
		if (s.steady)
			for (size_t k = 0; k < f->n; k++)
				f->nodes[k].pull = 1 / (1 + fabs(s.floor) / 50);
	}
	if (s.steady) {
		s.walk = STEADY_WALK;
		s.blur = LEAST_BLUR_NS;
		return s;
	}
	double cells = (double)(CELLS + (f->d[0].n + f->d[1].n) / MORE_CELLS);
	double cell = fmax(f->nodes[f->n - 1].t, 1e-9) /
		      fmin(cells, fmax(1, (double)(f->d[0].n + f->d[1].n) / MIN_CELL));
	double wander = 2 * spread + 10;
	s.walk = fmin(
		3 * wander * wander / pow(2 * cell, 3), f->max_rate * f->max_rate / (2 * cell));
	if (!has_both(f)) /* no limits on the other side keep the course from running away */
		s.most_walk = f->max_rate * f->max_rate / fmax(f->nodes[f->n - 1].t, 1e-9);
	s.blur = fmax(LEAST_BLUR_NS, 0.02 * spread);
	return s;
}

/* Smooths the courses that are not lines: of all of them, or of those whose delays tell
 * something. max_sweeps 0: as many as there is time for. runs: room for all. */
static int smooth(struct fit *fits, size_t n, bool delays_only, unsigned max_sweeps,
	struct sync_smooth_run *runs, struct mer_err *err)
{
	size_t n_runs = 0;
	for (struct fit *f = fits; f < fits + n; f++) {
		if (f->done || (delays_only && !tell_delays(f)))
			continue;
		size_t sweeps = WORK / f->n;
		sweeps = sweeps < 10 ? 10 : sweeps > 40 ? 40 : sweeps;
		runs[n_runs++] = (struct sync_smooth_run){ &f->scales, f->nodes, f->n,
			max_sweeps ? max_sweeps : (unsigned)sweeps };
	}
	return sync_smooth_run(runs, n_runs, err);
}

static void scales_from_delays(struct fit *f, int64_t *values)
{
	struct sync_smooth *s = &f->scales;
	leave_out(f);
	struct delays l = look_at_delays(f, values);
	s->floor = l.least;
	s->floor_range[0] = l.least - 3 * (l.tenth - l.least);
	s->floor_range[1] = l.tenth;
	s->contacts = PRESSURE * l.density;
	s->blur = fmax(LEAST_BLUR_NS, BLUR / s->contacts);
	s->doubt = true;
}

/* Computes the courses that are not lines, as means of the nodes, and adjusts their scales. */
static int find_courses(struct fit *fits, size_t n, int64_t *values, struct mer_err *err)
{
	struct sync_smooth_run *runs = malloc(n * sizeof(*runs));
	if (!runs)
		return mer_fail_nomem(err);
	struct fit *end = fits + n;
	for (struct fit *f = fits; f < end; f++) {
		if (f->done)
			continue;
		f->scales = first_scales(f);
		sync_smooth_start(&f->scales, f->nodes, f->n);
	}
	int rc = smooth(fits, n, false, 3, runs, err);
	for (struct fit *f = fits; f < end && rc == 0; f++)
		if (!f->done && !f->scales.steady)
			leave_out(f);
	if (rc == 0)
		rc = smooth(fits, n, false, 3, runs, err);
	for (struct fit *f = fits; f < end && rc == 0; f++)
		if (!f->done && tell_delays(f))
			scales_from_delays(f, values);
	if (rc == 0)
		rc = smooth(fits, n, true, 8, runs, err);
	for (struct fit *f = fits; f < end && rc == 0; f++)
		if (!f->done && tell_delays(f))
			f->scales.contacts = PRESSURE * look_at_delays(f, values).density;
	if (rc == 0)
		rc = smooth(fits, n, false, 0, runs, err);
	free(runs);
	return rc;
}

/* For one direction only: no limits on the other side keep the course from running away. If it is
 * much farther from a limit than the limits are from each other, a straight line replaces it. */
static void call_back(struct fit *f)
{
	double low = INFINITY, high = -INFINITY, farthest = 0;
	for (size_t i = 0; i < f->n; i++) {
		low = fmin(low, f->nodes[i].y);
		high = fmax(high, f->nodes[i].y);
		double far = fabs(f->nodes[i].y - f->nodes[i].mean);
		farthest = far <= farthest ? farthest : far; /* NaN is far */
	}
	if (farthest <= 2 * (high - low) + 1e6)
		return;
	for (size_t i = 0; i < f->n; i++) {
		f->nodes[i].mean = f->nodes[i].rate = 0;
		f->nodes[i].sd = f->nodes[i].rate_sd = 1000;
	}
}

/* For one direction only: moves the course until it touches its limits. */
static void touch(struct fit *f)
{
	double least = INFINITY;
	for (size_t i = 0; i < f->n; i++)
		least = fmin(least, (f->nodes[i].y - f->nodes[i].mean) * f->nodes[i].side);
	for (size_t i = 0; i < f->n; i++)
		f->nodes[i].mean += least * f->nodes[i].side;
}

/* Flattens the course where it is steeper than max_rate. */
static void limit_rate(struct fit *f)
{
	struct sync_smooth_node *p = f->nodes;
	/* Halfway between the lowest course above it and the highest one below it that are nowhere
	 * too steep. */
	for (size_t i = 0; i < f->n; i++) {
		p[i].y = p[i].z = p[i].mean;
		if (i) {
			double dt = p[i].t - p[i - 1].t, r = f->frame.rate;
			p[i].y = fmax(p[i].y, p[i - 1].y + (-f->max_rate - r) * dt);
			p[i].z = fmin(p[i].z, p[i - 1].z + (f->max_rate - r) * dt);
		}
	}
	for (size_t i = f->n; i-- > 0;) {
		if (i + 1 < f->n) {
			double dt = p[i + 1].t - p[i].t, r = f->frame.rate;
			p[i].y = fmax(p[i].y, p[i + 1].y - (f->max_rate - r) * dt);
			p[i].z = fmin(p[i].z, p[i + 1].z + (f->max_rate + r) * dt);
		}
		p[i].mean = (p[i].y + p[i].z) / 2;
	}
}

/* The slope of the course outside of its messages: a mean of the slope at its end and of that of
 * the whole, weighted by how well each is known; less if the messages span too short a time. */
static double likely_rate(const struct fit *f, const struct sync_smooth_node *end)
{
	const struct sync_smooth_node *a = &f->nodes[0], *b = &f->nodes[f->n - 1];
	double t = b->t - a->t, own = end->rate + f->frame.rate;
	double var = isfinite(end->rate_sd) ? end->rate_sd * end->rate_sd : INFINITY;
	double whole = own, whole_var = INFINITY;
	if (t > 0 && isfinite(a->sd) && isfinite(b->sd)) {
		whole = (b->mean - a->mean) / t + f->frame.rate;
		whole_var = (a->sd * a->sd + b->sd * b->sd) / (t * t);
	}
	double most = f->max_rate * f->max_rate;
	whole = isfinite(whole_var) ? whole * most / (most + whole_var) : 0;
	double usual = USUAL_CHANGE * USUAL_CHANGE;
	double part = isfinite(var) ? usual / (usual + var) : 0;
	double rate = whole + (own - whole) * part;
	return fmin(fmax(rate, -f->max_rate), f->max_rate) * 1e-9;
}

static struct sync_reach_options reach_options(const struct fit *f, bool straight, double far)
{
	return (struct sync_reach_options){ .flattest = -f->max_rate - f->frame.rate,
		.steepest = f->max_rate - f->frame.rate,
		.straight = straight,
		.far = far };
}

/* The largest possible distance of the offset from y. */
static double farthest_from(double y, const struct sync_passage_range *r)
{
	return fmax(r->high - y, y - r->low);
}

/* The largest possible difference between the true rate and this one. */
static double rate_off(double rate, const struct sync_passage_range *r)
{
	return fmax(r->steepest - rate, rate - r->flattest);
}

/* Root mean square of the difference between the slope and that at an end, for the end where it is
 * larger: a clock that changed its rate will change it again. */
static double rate_varies(const struct fit *f)
{
	const struct sync_smooth_node *p = f->nodes, *last = &p[f->n - 1];
	double first_sum = 0, last_sum = 0, way = last->t - p[0].t;
	for (size_t i = 1; i < f->n; i++) {
		double dt = p[i].t - p[i - 1].t;
		first_sum += dt * (p[i].rate - p[0].rate) * (p[i].rate - p[0].rate);
		last_sum += dt * (p[i - 1].rate - last->rate) * (p[i - 1].rate - last->rate);
	}
	return way > 0 ? sqrt(fmax(first_sum, last_sum) / way) : 0;
}

/* The likely error of the course: the range that the limits leave for a clock that behaves as
 * observed (reach.h), but at least half the floor plus SIGMAS standard deviations of the course;
 * only the latter where limits contradict each other. */
static int say_off(
	const struct fit *f, const struct sync_smooth *s, struct sync_fit *fit, struct mer_err *err)
{
	enum { KNOTS = 64, WIDER = 8 };
	const struct sync_smooth_node *p = f->nodes, *last = &p[f->n - 1];
	size_t each = f->n / KNOTS + 1;
	if (!has_both(f))
		return 0;
	struct sync_reach at[KNOTS + 2];
	double sd[KNOTS + 2], mean[KNOTS + 2], widest = 0;
	size_t n = 0;
	for (size_t i = 0;; i = i + each < f->n ? i + each : f->n - 1) {
		double most = 0;
		for (size_t k = i; k < f->n && k <= i + each; k++) {
			double dt = k ? p[k].t - p[k - 1].t : 0;
			/* Between two messages: in the middle of a walk whose ends are known. */
			most = fmax(most, p[k].sd * p[k].sd + p[k].walk * dt * dt * dt / 48);
		}
		sd[n] = i + 1 < f->n ? sqrt(most) : last->sd;
		mean[n] = p[i].mean;
		widest = fmax(widest, isfinite(sd[n]) ? sd[n] : 0);
		at[n++].t = p[i].t;
		if (i + 1 >= f->n)
			break;
	}
	struct sync_reach_options o =
		reach_options(f, false, WIDER * (fmax(s->floor, 0) + SIGMAS * widest));
	int rc = sync_reach(p, f->n, &o, at, n, err);
	fit->off = malloc(n * sizeof *fit->off);
	if (rc == 0 && !fit->off)
		rc = mer_fail_nomem(err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		double off = fmax(s->floor, 0) / 2 + SIGMAS * sd[i];
		if (at[i].known)
			off = fmax(off, farthest_from(mean[i], &at[i].range));
		fit->off[fit->n_off++] = (struct sync_knot){ host_time(&f->frame, at[i].t), off };
	}
	double t = last->t - p[0].t;
	double own = isfinite(last->rate_sd) ? fmin(last->rate_sd, f->max_rate) : f->max_rate;
	fit->off_grows = SIGMAS * (own + USUAL_CHANGE / 10) * 1e-9;
	fit->rate_varies = SIGMAS * rate_varies(f) * 1e-9;
	fit->rate_off = t > 0 ? SIGMAS * hypot(p[0].sd, last->sd) / t * 1e-9 : f->max_rate * 1e-9;
	return rc;
}

/* Pieces that pass all nodes at a distance of at most near; each begins where the last one ends. */
static void say_in_pieces(const struct fit *f, double near, struct sync_fit *fit)
{
	const struct sync_smooth_node *p = f->nodes;
	struct sync_knot *knots = fit->knots;
	size_t n = 0, at = 0;
	double y = p[0].mean, r = f->frame.rate;
	knots[n++] = (struct sync_knot){ f->frame.x0, y + (double)f->frame.y0 };
	while (at + 1 < f->n) {
		double low = -f->max_rate - r, high = f->max_rate - r;
		size_t i = at + 1, last = at;
		double rate = 0;
		for (; i < f->n; i++) {
			double dt = p[i].t - p[at].t;
			if (dt <= 0) {
				last = i;
				continue;
			}
			double a = (p[i].mean - near - y) / dt, b = (p[i].mean + near - y) / dt;
			if (a > high || b < low)
				break;
			low = fmax(low, a);
			high = fmin(high, b);
			last = i;
			double own = (p[i].mean - y) / dt;
			rate = fmin(fmax(own, low), high);
		}
		if (last == at) { /* no allowed slope passes the next node: the nearest one */
			last = at + 1;
			rate = fmin(fmax((p[last].mean - y) / (p[last].t - p[at].t), low), high);
		}
		double dt = p[last].t - p[at].t;
		y += rate * dt;
		at = last;
		int64_t x = host_time(&f->frame, p[at].t);
		if (x > knots[n - 1].x)
			knots[n++] = (struct sync_knot){ x, y + (double)f->frame.y0 + r * p[at].t };
	}
	fit->n = n;
}

/* The likely error of a course that is one line: the range of all lines between the limits whose
 * rates are likely, but at least half the gap. */
static int say_off_line(
	struct fit *f, const struct sync_straight *line, struct sync_fit *fit, struct mer_err *err)
{
	enum { PARTS = 16 };
	struct sync_reach at[PARTS + 1];
	struct sync_reach_options o = { line->likely_rates[0] - f->frame.rate,
		line->likely_rates[1] - f->frame.rate, true, INFINITY };
	double t = f->nodes[f->n - 1].t, rate = line->rate - f->frame.rate;
	for (int i = 0; i <= PARTS; i++)
		at[i].t = t * i / PARTS;
	int rc = sync_reach(f->nodes, f->n, &o, at, PARTS + 1, err);
	fit->off = malloc((PARTS + 1) * sizeof *fit->off);
	if (rc == 0 && !fit->off)
		rc = mer_fail_nomem(err);
	for (int i = 0; i <= PARTS && rc == 0; i++) {
		double off = line->gap / 2;
		if (at[i].known)
			off = fmax(off, farthest_from(line->offset + rate * at[i].t, &at[i].range));
		int64_t x = host_time(&f->frame, at[i].t);
		if (fit->n_off == 0 || x > fit->off[fit->n_off - 1].x)
			fit->off[fit->n_off++] = (struct sync_knot){ x, off };
	}
	struct sync_passage_range all = { .flattest = line->likely_rates[0],
		.steepest = line->likely_rates[1] };
	fit->rate_off = fit->off_grows = rate_off(line->rate, &all) * 1e-9;
	return rc;
}

/* Takes one line between all limits as the course, unless there is none or the clock certainly
 * bent. *done: it was taken. */
static int one_line(struct fit *f, struct sync_fit *fit, bool *done, struct mer_err *err)
{
	struct sync_straight line;
	bool fits;
	*done = false;
	double t = f->nodes[f->n - 1].t;
	int64_t x = host_time(&f->frame, t);
	struct sync_straight_point *p = malloc(f->n * sizeof *p);
	if (!p)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < f->n; i++)
		p[i] = (struct sync_straight_point){ f->nodes[i].t,
			f->nodes[i].y + f->frame.rate * f->nodes[i].t, f->nodes[i].side };
	int rc = sync_straight(p, f->n, f->max_rate, &line, &fits, err);
	free(p);
	if (rc || !fits || line.bends || x <= f->frame.x0)
		return rc;
	double y = line.offset + (double)f->frame.y0;
	fit->knots[0] = (struct sync_knot){ f->frame.x0, y };
	fit->knots[1] = (struct sync_knot){ x, y + line.rate * t };
	fit->n = 2;
	fit->rate_before = fit->rate_after = line.rate * 1e-9;
	fit->floor_ns = line.gap;
	*done = true;
	return say_off_line(f, &line, fit, err);
}

/* Thins out the limits, and takes one line between them as the course if that will do. */
static int begin(struct fit *f, struct mer_err *err)
{
	struct sync_fit *fit = f->result;
	int rc = thin_out(f, err);
	if (rc)
		return rc;
	fit->knots = malloc((f->n + 2) * sizeof *fit->knots);
	if (!fit->knots)
		return mer_fail_nomem(err);
	return f->d[0].n > 1 && f->d[1].n > 1 ? one_line(f, fit, &f->done, err) : 0;
}

/* Says what the course is that was found. values: room for one of each node. */
static int end(struct fit *f, int64_t *values, struct mer_err *err)
{
	struct sync_fit *fit = f->result;
	if (has_both(f)) {
		fit->floor_ns = f->scales.floor;
	} else {
		call_back(f);
		touch(f);
	}
	fit->rate_before = likely_rate(f, &f->nodes[0]);
	fit->rate_after = likely_rate(f, &f->nodes[f->n - 1]);
	int rc = say_off(f, &f->scales, fit, err);
	limit_rate(f);
	for (size_t i = 0; i < f->n; i++)
		values[i] = mer_order_of_double(f->nodes[i].sd);
	say_in_pieces(f, NEAR * smallest(values, f->n, f->n / 2), fit);
	return rc;
}

static int fit_points(struct fit *fits, size_t n, struct mer_err *err)
{
	size_t most = 0;
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = begin(&fits[i], err);
		most = fits[i].n > most ? fits[i].n : most;
	}
	int64_t *values = rc ? NULL : malloc((SAMPLES + most + 1) * sizeof *values);
	if (rc == 0 && !values)
		rc = mer_fail_nomem(err);
	if (rc == 0)
		rc = find_courses(fits, n, values, err);
	for (size_t i = 0; i < n && rc == 0; i++)
		if (!fits[i].done)
			rc = end(&fits[i], values, err);
	free(values);
	return rc;
}

static void set_frame(struct fit *f)
{
	const struct direction *d = &f->d[f->d[1].n > f->d[0].n];
	struct sync_point a = d->points[0], b = d->points[d->n - 1];
	f->frame = (struct frame){ .x0 = a.x, .y0 = a.y };
	if (has_both(f) && f->d[d == f->d].points[0].x < a.x)
		f->frame.x0 = f->d[d == f->d].points[0].x;
	if (b.x > a.x) {
		double rate = ((double)b.y - (double)a.y) / seconds_between(a.x, b.x);
		f->frame.rate = fmin(fmax(rate, -f->max_rate), f->max_rate);
	}
}

int sync_fit(struct sync_fit_job *jobs, size_t n, struct mer_err *err)
{
	struct fit *fits = calloc(n + 1, sizeof(*fits));
	if (!fits)
		return mer_fail_nomem(err);
	size_t n_fits = 0;
	int rc = 0;
	for (size_t i = 0; i < n; i++) {
		struct sync_fit_job *j = &jobs[i];
		j->fit = (struct sync_fit){ .floor_ns = NAN };
		if (!j->n_upper && !j->n_lower) {
			j->fit.knots = calloc(1, sizeof *j->fit.knots);
			j->fit.n = 1;
			if (!j->fit.knots)
				rc = mer_fail_nomem(err);
			continue;
		}
		struct fit *f = &fits[n_fits++];
		*f = (struct fit){ .max_rate = j->max_rate * 1e9,
			.d = { { .points = j->upper, .n = j->n_upper, .side = 1 },
				{ .points = j->lower, .n = j->n_lower, .side = -1 } },
			.result = &j->fit };
		set_frame(f);
	}
	if (rc == 0)
		rc = fit_points(fits, n_fits, err);
	for (size_t i = 0; i < n_fits; i++) {
		free(fits[i].nodes);
		free(fits[i].probes);
		free(fits[i].room);
		free(fits[i].d[0].hull);
		free(fits[i].d[1].hull);
	}
	free(fits);
	for (size_t i = 0; i < n && rc; i++)
		sync_fit_free(&jobs[i].fit);
	return rc;
}

void sync_fit_free(struct sync_fit *fit)
{
	free(fit->knots);
	free(fit->off);
	*fit = (struct sync_fit){ .floor_ns = NAN };
}

double sync_fit_at(const struct sync_fit *fit, int64_t x)
{
	const struct sync_knot *k = fit->knots;
	if (fit->n == 0)
		return 0;
	if (x < k[0].x)
		return k[0].y - fit->rate_before * (double)((uint64_t)k[0].x - (uint64_t)x);
	if (x >= k[fit->n - 1].x)
		return k[fit->n - 1].y +
		       fit->rate_after * (double)((uint64_t)x - (uint64_t)k[fit->n - 1].x);
	size_t low = 0, high = fit->n - 1; /* the piece that begins at low */
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		if (k[mid].x <= x)
			low = mid;
		else
			high = mid;
	}
	double dx = (double)((uint64_t)k[low + 1].x - (uint64_t)k[low].x);
	double at = (double)((uint64_t)x - (uint64_t)k[low].x);
	return k[low].y + (k[low + 1].y - k[low].y) * (at / dx);
}
