/* Lines: the rate is constant for steady_ns around a moment, and the moment may be anywhere in this
 * straight part. Wherever it is, the part contains one of these windows:
 *
 *   [x, x + 7p]  [x - p, x + 6p]  ...  [x - 7p, x]        p = steady_ns / 8
 *
 * In one of them the offset is a line. Lines of slope b that keep the limits have values at the
 * moment from low(b) = max(y - b dx) of the lower points to high(b) = min(y - b dx) of the upper
 * ones. low is convex in b and high concave, so the slopes with low <= high are an interval. high
 * is largest where the hull of the upper limits crosses the moment; if that slope is impossible,
 * tangents lead from it to the nearest possible one without overshooting.
 *
 * Only the corners of the points' hulls matter. Each point of a block of BLOCK points has the
 * corner before it in the hull of the block's points up to it, and the corner after it in the hull
 * of the points from it on. So the corners of a range that begins or ends with a block are found
 * without looking at the other points. (The wander widens limits in proportion to their distance
 * from the moment, so corners on one side of it remain corners.) The hulls after the moment are
 * built once for all windows; the hull before it grows from window to window. */
#include "sync/vcpu/lines.h"

#include <math.h>
#include <stdlib.h>
#include "base/grow.h"
#include "sync/limits/points.h"

enum { PLACES = 8, BLOCK = 128, MOST_TANGENTS = 64 };
enum { NONE = UINT32_MAX };

struct corner {
	double dx, y;
};

struct hull {
	struct corner *c; /* malloc'ed; by dx */
	size_t n, cap;
	int sign; /* 1: the lower hull of upper limits; -1: the upper hull of lower ones */
};

struct blocks { /* limits of one side, and corners in each BLOCK of them */
	const struct sync_point *p;
	size_t n;
	uint32_t *before, *after; /* malloc'ed; by point: its neighbour corner; NONE: none */
};

struct side { /* limits of one side around a moment */
	struct blocks b;
	struct hull ways[PLACES]; /* from the moment to k parts after it */
	struct hull back;	  /* before the moment; dx: distance from it */
	size_t at, begin;	  /* first point at or after the moment; in `back` */
	struct hull all;	  /* of a window */
};

/* Corners must be added in the order of dx. False: no memory. */
static bool add_corner(struct hull *h, struct corner c)
{
	if (h->n && h->c[h->n - 1].dx == c.dx) {
		if ((c.y - h->c[h->n - 1].y) * h->sign >= 0)
			return true;
		h->n--;
	}
	while (h->n >= 2) {
		const struct corner *a = &h->c[h->n - 2], *b = &h->c[h->n - 1];
		double cross = (b->dx - a->dx) * (c.y - a->y) - (b->y - a->y) * (c.dx - a->dx);
		if (cross * h->sign > 0)
			break;
		h->n--;
	}
	if (!mer_grow(&h->c, h->n, &h->cap, sizeof(*h->c)))
		return false;
	h->c[h->n++] = c;
	return true;
}

/* Is b, which lies between a and c, no corner? */
static bool is_passed(const struct sync_point *a, const struct sync_point *b,
	const struct sync_point *c, int sign)
{
	if (a->x == c->x) /* all at one moment: b may be the only one that counts */
		return (b->y - a->y) * sign >= 0 || (b->y - c->y) * sign >= 0;
	double cross = (double)(b->x - a->x) * (double)(c->y - a->y) -
		       (double)(b->y - a->y) * (double)(c->x - a->x);
	return cross * sign <= 0;
}

static bool make_blocks(struct blocks *b, const struct sync_point *p, size_t n, int sign)
{
	*b = (struct blocks){ .p = p, .n = n };
	b->before = malloc((n + 1) * sizeof(*b->before));
	b->after = malloc((n + 1) * sizeof(*b->after));
	if (!b->before || !b->after || n >= NONE)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = i % BLOCK ? i - 1 : NONE;
		while (k != NONE && b->before[k] != NONE &&
			is_passed(&p[b->before[k]], &p[k], &p[i], sign))
			k = b->before[k];
		b->before[i] = k;
	}
	for (uint32_t i = (uint32_t)n; i-- > 0;) {
		uint32_t k = (i + 1) % BLOCK && i + 1 < n ? i + 1 : NONE;
		while (k != NONE && b->after[k] != NONE &&
			is_passed(&p[i], &p[k], &p[b->after[k]], sign))
			k = b->after[k];
		b->after[i] = k;
	}
	return true;
}

static size_t block_begin(size_t i)
{
	return i / BLOCK * BLOCK;
}

static size_t block_end(const struct blocks *b, size_t i)
{
	size_t end = block_begin(i) + BLOCK;
	return end < b->n ? end : b->n;
}

struct view { /* limits are seen from moment x, relative to base */
	int64_t x, base;
	double wander;
};

static bool add_point(struct hull *h, const struct sync_point *p, const struct view *v)
{
	double dx = fabs((double)(p->x - v->x));
	return add_corner(
		h, (struct corner){ dx, (double)(p->y - v->base) + h->sign * v->wander * dx });
}

static bool add_list(struct hull *h, const struct blocks *b, const uint32_t *list, size_t n,
	const struct view *v)
{
	bool ok = true;
	while (n > 0 && ok)
		ok = add_point(h, &b->p[list[--n]], v);
	return ok;
}

static bool add_forth(
	struct hull *h, const struct blocks *b, size_t from, size_t to, const struct view *v)
{
	uint32_t list[BLOCK];
	bool ok = true;
	while (from < to && ok) {
		size_t end = block_end(b, from), n = 0;
		if (end <= to) {
			for (uint32_t i = (uint32_t)from; i != NONE && ok; i = b->after[i])
				ok = add_point(h, &b->p[i], v);
		} else if (from == block_begin(from)) {
			for (uint32_t i = (uint32_t)to - 1; i != NONE; i = b->before[i])
				list[n++] = i;
			ok = add_list(h, b, list, n, v);
		} else {
			for (; from < to && ok; from++)
				ok = add_point(h, &b->p[from], v);
		}
		from = end;
	}
	return ok;
}

static bool add_back(
	struct hull *h, const struct blocks *b, size_t from, size_t to, const struct view *v)
{
	uint32_t list[BLOCK];
	bool ok = true;
	while (from > to && ok) {
		size_t begin = block_begin(from - 1), n = 0;
		if (begin >= to) {
			for (uint32_t i = (uint32_t)from - 1; i != NONE && ok; i = b->before[i])
				ok = add_point(h, &b->p[i], v);
		} else if (from == block_end(b, to)) {
			for (uint32_t i = (uint32_t)to; i != NONE; i = b->after[i])
				list[n++] = i;
			ok = add_list(h, b, list, n, v);
		} else {
			for (; from > to && ok; from--)
				ok = add_point(h, &b->p[from - 1], v);
		}
		from = begin;
	}
	return ok;
}

static bool copy_hull(struct hull *to, const struct hull *from)
{
	to->n = 0;
	for (size_t i = 0; i < from->n; i++) {
		if (!mer_grow(&to->c, to->n, &to->cap, sizeof(*to->c)))
			return false;
		to->c[to->n++] = from->c[i];
	}
	return true;
}

/* Builds the hulls from the moment to k parts after it, for all k. */
static bool begin_moment(struct side *s, const struct view *v, int64_t part)
{
	size_t at = s->at = s->begin = sync_first_point(s->b.p, s->b.n, v->x);
	s->back.n = s->ways[0].n = 0;
	for (int k = 1; k < PLACES; k++) {
		size_t to = sync_first_point(s->b.p, s->b.n, v->x + k * part);
		if (!copy_hull(&s->ways[k], &s->ways[k - 1]) ||
			!add_forth(&s->ways[k], &s->b, at, to, v))
			return false;
		at = to;
	}
	return true;
}

/* Builds the hull of the window that begins k parts before the moment. Calls must be in the order
 * of k. */
static bool make_window(struct side *s, const struct view *v, int64_t part, int k)
{
	size_t to = sync_first_point(s->b.p, s->b.n, v->x - k * part);
	const struct hull *way = &s->ways[PLACES - 1 - k];
	bool ok = add_back(&s->back, &s->b, s->begin, to, v);
	s->begin = to;
	s->all.n = 0;
	for (size_t i = s->back.n; i > 0 && ok; i--)
		ok = add_corner(
			&s->all, (struct corner){ -s->back.c[i - 1].dx, s->back.c[i - 1].y });
	for (size_t i = 0; i < way->n && ok; i++)
		ok = add_corner(&s->all, way->c[i]);
	return ok;
}

static double slope(const struct corner *a)
{
	return (a[1].y - a[0].y) / (a[1].dx - a[0].dx);
}

/* The corner that a line of slope b touches. */
static const struct corner *touch(const struct hull *h, double b)
{
	size_t lo = 0, hi = h->n - 1;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if ((slope(&h->c[mid]) - b) * h->sign < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &h->c[lo];
}

/* The slope with which a line that touches the hull is highest, or lowest, at the moment. */
static double slope_at_moment(const struct hull *h, double rate)
{
	size_t i = 0;
	while (i < h->n && h->c[i].dx < 0)
		i++;
	double b = i == 0 ? -rate * h->sign : i == h->n ? rate * h->sign : slope(&h->c[i - 1]);
	return fmin(fmax(b, -rate), rate);
}

/* The value at the moment of the outermost line that touches the hull `of` and keeps the limits of
 * `other`. False: there is no such line. */
static bool outermost(const struct hull *of, const struct hull *other, double rate, double *value)
{
	enum { ANY_WAY = 0 };
	const double rounding = 1e-3; /* ns */
	double b = slope_at_moment(of, rate);
	int way = ANY_WAY;
	for (int i = 0;; i++) {
		const struct corner *p = touch(of, b), *q = touch(other, b);
		*value = p->y - b * p->dx;
		double room = (*value - (q->y - b * q->dx)) * of->sign;
		if (room >= -rounding || i == MOST_TANGENTS)
			return true;
		double rises = (q->dx - p->dx) * of->sign; /* room per slope */
		int to = (rises > 0) - (rises < 0);
		double next = b - room / rises;
		if (to == 0 || to == -way || fabs(next) > rate)
			return false;
		if (next == b)
			return true;
		way = to;
		b = next;
	}
}

/* The range of all lines at the moment. False: there is none. */
static bool range_of(
	const struct hull *upper, const struct hull *lower, double rate, double *low, double *high)
{
	return outermost(upper, lower, rate, high) && outermost(lower, upper, rate, low);
}

static bool begin_side(struct side *s, const struct sync_point *p, size_t n, int sign)
{
	*s = (struct side){ .back.sign = sign, .all.sign = sign };
	for (int k = 0; k < PLACES; k++)
		s->ways[k].sign = sign;
	return make_blocks(&s->b, p, n, sign);
}

static void end_side(struct side *s)
{
	for (int k = 0; k < PLACES; k++)
		free(s->ways[k].c);
	free(s->back.c);
	free(s->all.c);
	free(s->b.before);
	free(s->b.after);
}

/* The range that the lines leave at the moment. *any: there is one. False: no memory. */
static bool at_moment(struct side *upper, struct side *lower, const struct view *v,
	const struct sync_lines_options *o, bool *any, double *low, double *high)
{
	int64_t part = o->steady_ns / PLACES;
	*low = INFINITY;
	*high = -INFINITY;
	*any = false;
	if (!begin_moment(upper, v, part) || !begin_moment(lower, v, part))
		return false;
	for (int k = 0; k < PLACES; k++) {
		double l, h;
		if (!make_window(upper, v, part, k) || !make_window(lower, v, part, k))
			return false;
		/* Without limits the line may be anything. If no line fits into a window, the
		 * straight part is another one. */
		if (!upper->all.n || !lower->all.n) {
			*any = false;
			return true;
		}
		if (!range_of(&upper->all, &lower->all, o->max_rate, &l, &h))
			continue;
		*any = true;
		*low = fmin(*low, l);
		*high = fmax(*high, h);
	}
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
	struct side up = { 0 }, down = { 0 };
	bool ok = begin_side(&up, upper, n_upper, 1) && begin_side(&down, lower, n_lower, -1);
	int64_t begin = upper[0].x > lower[0].x ? upper[0].x : lower[0].x,
		end = upper[n_upper - 1].x < lower[n_lower - 1].x ? upper[n_upper - 1].x
								  : lower[n_lower - 1].x;
	for (int64_t x = begin; x <= end && ok; x += o->every_ns) {
		int64_t base = upper[sync_first_point(upper, n_upper, x) % n_upper].y;
		bool any = false;
		double low, high;
		ok = at_moment(
			&up, &down, &(struct view){ x, base, o->wander }, o, &any, &low, &high);
		if (!ok || !any)
			continue;
		ok = mer_grow(out, *n_out, &cap, sizeof(**out));
		if (ok)
			(*out)[(*n_out)++] = (struct sync_straight){ x,
				base + (int64_t)floor(low) - 1, base + (int64_t)ceil(high) + 1 };
	}
	end_side(&up);
	end_side(&down);
	return ok ? 0 : mer_fail_nomem(err);
}
