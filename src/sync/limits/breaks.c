#include "sync/limits/breaks.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "sync/limits/drift.h"
#include "sync/limits/points.h"

enum {
	LOOK = 16,	       /* points on either side that vote on a contradiction */
	MANY = 3,	       /* at least this many votes, and ... */
	MANY_TENTHS = 4,       /* ... this many tenths of all, are not a coincidence */
	CLOSE_NS = 2000000000, /* breaks that follow so soon may be one slew */
	AROUND = 4096	       /* points on either side that are used to locate a break */
};

/* The envelope that one direction's points cast forward: as a sign, upper limits count +1, lower
 * ones -1, so that one code serves both: value(x) = y + sign * rate * (x - at). */
struct cone {
	int64_t x, y;
	bool set;
};

struct side { /* one direction */
	const struct sync_point *p;
	size_t n, next, segment; /* segment: first point behind the last break */
	struct cone cone;
	int sign;
	uint8_t *out; /* bit set: points left out; NULL: none */
	uint32_t **list;
	size_t *n_list, *cap_list;
};

struct walk {
	struct side upper, lower;
	double rate;
	int64_t units;	  /* the same in units of 2^-40 */
	bool after_break; /* this segment began at a break */
	struct sync_breaks *breaks;
	struct mer_err *err;
};

static bool is_out(const struct side *s, size_t i)
{
	return s->out && (s->out[i >> 3] >> (i & 7) & 1);
}

static int leave_out(struct walk *w, struct side *s, size_t i)
{
	if (is_out(s, i))
		return 0;
	if (!s->out) {
		s->out = calloc(s->n / 8 + 1, 1);
		if (!s->out)
			return mer_fail_nomem(w->err);
	}
	s->out[i >> 3] |= (uint8_t)(1u << (i & 7));
	if (!mer_grow(s->list, *s->n_list, s->cap_list, sizeof(**s->list)))
		return mer_fail_nomem(w->err);
	(*s->list)[(*s->n_list)++] = (uint32_t)i;
	return 0;
}

/* How far y lies on the forbidden side of the limit that a point at (lx, ly) of direction `sign`
 * sets at x; positive: contradiction. */
static int64_t beyond(int sign, int64_t lx, int64_t ly, int64_t rate, int64_t x, int64_t y)
{
	int64_t dx = x > lx ? sync_sub(x, lx) : sync_sub(lx, x);
	int64_t reach = sync_units_reach(rate, dx);
	return sign > 0 ? sync_sub(y, sync_add(ly, reach)) : sync_sub(sync_sub(ly, reach), y);
}

static void cone_add(struct side *s, int64_t rate, int64_t x, int64_t y)
{
	/* Is the point tighter than the cone at x? beyond() with the opposite sign. */
	if (s->cone.set && beyond(s->sign, s->cone.x, s->cone.y, rate, x, y) > 0)
		return;
	s->cone = (struct cone){ x, y, true };
}

/* Rebuilds the cone from the segment's points without those left out. More than AROUND points back
 * may be forgotten: limits are then wider, not wrong. */
static void cone_again(struct side *s, int64_t rate)
{
	size_t from = s->next > s->segment + AROUND ? s->next - AROUND : s->segment;
	s->cone.set = false;
	for (size_t i = from; i < s->next; i++)
		if (!is_out(s, i))
			cone_add(s, rate, s->p[i].x, s->p[i].y);
}

/* The votes of the points on one side of a contradiction: of all points tested, and of those so
 * near that the clock's drift cannot hide the contradiction. */
struct votes {
	size_t asked, hits, asked_near, hits_near;
};

static void vote(struct votes *v, bool hit, bool near)
{
	v->asked++;
	v->hits += hit;
	v->asked_near += near;
	v->hits_near += hit && near;
}

static bool many(size_t hits, size_t asked)
{
	return hits >= MANY && hits * 10 >= asked * MANY_TENTHS;
}

static bool many_near(const struct votes *v)
{
	return v->asked_near < MANY ? v->hits_near && v->hits_near == v->asked_near
				    : many(v->hits_near, v->asked_near);
}

/* Tightens the envelope at x, which several points cast there, by one point. */
static void cast(struct cone *c, int sign, int64_t rate, int64_t x, const struct sync_point *p)
{
	int64_t dx = x > p->x ? sync_sub(x, p->x) : sync_sub(p->x, x);
	int64_t reach = sync_units_reach(rate, dx);
	int64_t y = sign > 0 ? sync_add(p->y, reach) : sync_sub(p->y, reach);
	if (!c->set || (sign > 0 ? y < c->y : y > c->y))
		*c = (struct cone){ x, y, true };
}

static int add_break(struct walk *w, struct sync_break row)
{
	struct sync_breaks *b = w->breaks;
	if (!mer_grow(&b->rows, b->n, &b->cap, sizeof(*b->rows)))
		return mer_fail_nomem(w->err);
	b->rows[b->n++] = row;
	return 0;
}

static int64_t to_ns(double x)
{
	return x >= 9.2e18 ? INT64_MAX : x <= -9.2e18 ? INT64_MIN : (int64_t)x;
}

static double middle(const struct cone *low, const struct cone *high)
{
	if (low->set && high->set)
		return (double)low->y / 2 + (double)high->y / 2;
	return low->set ? (double)low->y : high->set ? (double)high->y : 0;
}

/* The next point of both directions, forwards or backwards; NULL: there is none within the
 * limits. */
static struct side *next_of(
	struct side *const sides[2], size_t at[2], const size_t limit[2], int dir)
{
	bool has[2] = { at[0] != limit[0], at[1] != limit[1] };
	if (!has[0] && !has[1])
		return NULL;
	int k = has[0] ? 0 : 1;
	if (has[0] && has[1]) {
		size_t i = dir > 0 ? at[0] : at[0] - 1, j = dir > 0 ? at[1] : at[1] - 1;
		int64_t x = sides[0]->p[i].x, y = sides[1]->p[j].x;
		k = dir > 0 ? (y < x ? 1 : 0) : (y > x ? 1 : 0);
	}
	at[k] += dir > 0 ? 1 : SIZE_MAX;
	return sides[k];
}

/* The nearest point of s before (after) index i that is not left out; NULL: there is none. */
static const struct sync_point *neighbour(const struct side *s, size_t i, int dir)
{
	if (dir < 0) {
		while (i-- > 0)
			if (!is_out(s, i))
				return &s->p[i];
		return NULL;
	}
	while (++i < s->n)
		if (!is_out(s, i))
			return &s->p[i];
	return NULL;
}

/* The clock broke before the next point of own. Looks back from the later points for the last point
 * that contradicts them: a jump is between these two. A slew begins and ends within the next points
 * of the same direction, which moved with it. */
static int record(struct walk *w, struct side *own, struct side *other)
{
	struct sync_point end = own->p[own->next], begin = end;
	int64_t x = end.x;
	struct side *sides[2] = { own, other };
	struct cone right[2] = { 0 }, left[2] = { 0 };
	size_t at[2] = { own->next, other->next }, stop[2];
	for (int k = 0; k < 2; k++)
		stop[k] = sides[k]->n - at[k] > LOOK ? at[k] + LOOK : sides[k]->n;
	for (struct side *s; (s = next_of(sides, at, stop, 1));) {
		int k = s == own ? 0 : 1;
		const struct sync_point *p = &s->p[at[k] - 1];
		struct cone *o = &right[!k];
		if (is_out(s, at[k] - 1))
			continue;
		/* Only as long as the points agree with each other: another break may follow. */
		if (o->set && beyond(-s->sign, o->x, o->y, w->units, p->x, p->y) > 0)
			break;
		cast(&right[k], s->sign, w->units, x, p);
	}
	for (int k = 0; k < 2; k++)
		for (size_t i = sides[k]->next; i > sides[k]->segment; i--)
			if (!is_out(sides[k], i - 1) && sides[k]->next - i < AROUND)
				cast(&left[k], sides[k]->sign, w->units, x, &sides[k]->p[i - 1]);
	int up = own->sign > 0 ? 0 : 1;
	double jump = middle(&right[!up], &right[up]) - middle(&left[!up], &left[up]);
	at[0] = own->next;
	at[1] = other->next;
	stop[0] = own->segment;
	stop[1] = other->segment;
	for (struct side *s; (s = next_of(sides, at, stop, -1));) {
		int k = s == own ? 0 : 1;
		const struct sync_point *p = &s->p[at[k]];
		struct cone *o = &right[!k];
		if (is_out(s, at[k]))
			continue;
		if (o->set && beyond(-s->sign, o->x, o->y, w->units, p->x, p->y) > 0) {
			const struct sync_point *n = neighbour(s, at[k], 1);
			begin = *p;
			end = n && n->x > end.x ? *n : end;
			break;
		}
		cast(&right[k], s->sign, w->units, x, p);
	}
	const struct sync_point *before = neighbour(own, own->next, -1);
	begin = before && before->x < begin.x ? *before : begin;
	/* With points that no clock can produce, the same point may contradict on both sides. */
	const struct sync_breaks *b = w->breaks;
	if (b->n && begin.x < b->rows[b->n - 1].end.x)
		begin = b->rows[b->n - 1].end;
	end = end.x < begin.x ? begin : end;
	return add_break(w, (struct sync_break){ begin, end, to_ns(jump), 0 });
}

/* Are the hits, from the newest to the oldest, all the first points of the segment? */
static bool oldest_hit_run(const struct side *s, const size_t *hits, size_t n)
{
	for (size_t i = s->segment; n > 0; i++) {
		if (is_out(s, i))
			continue;
		if (hits[--n] != i)
			return false;
	}
	return true;
}

/* Tests the next point of own, and those after it, against other's points before it. right: the
 * envelope, at that place, of those that contradict. */
static struct votes ask_right(const struct walk *w, const struct side *own,
	const struct cone *limit, int64_t near, struct cone *right)
{
	struct votes v = { 0 };
	const struct sync_point *p = &own->p[own->next];
	for (size_t i = own->next; i < own->n && v.asked < LOOK; i++) {
		const struct sync_point *q = &own->p[i];
		if (is_out(own, i))
			continue;
		bool hit = beyond(-own->sign, limit->x, limit->y, w->units, q->x, q->y) > 0;
		vote(&v, hit, sync_sub(q->x, p->x) <= near);
		if (hit)
			cast(right, own->sign, w->units, p->x, q);
	}
	return v;
}

/* Tests other's points before x against the envelope of the points that follow. The newest points
 * that agree with it may already be after the break: they do not vote. hits: from the newest on. */
static struct votes ask_left(const struct walk *w, const struct side *other, int sign,
	const struct cone *right, int64_t near, size_t hits[LOOK])
{
	struct votes v = { 0 };
	int64_t first = 0;
	for (size_t i = other->next, looked = 0; i > other->segment && looked < LOOK; i--) {
		if (is_out(other, i - 1))
			continue;
		looked++;
		const struct sync_point *q = &other->p[i - 1];
		bool hit = beyond(sign, right->x, right->y, w->units, q->x, q->y) > 0;
		if (!hit && v.hits == 0)
			continue;
		if (hit)
			hits[v.hits] = i - 1;
		first = v.hits == 0 ? q->x : first;
		vote(&v, hit, sync_sub(first, q->x) <= near);
	}
	return v;
}

/* Does the next point of other after it contradict right, too? Then right stands alone between the
 * earlier and the later points. */
static bool denied(
	const struct walk *w, const struct side *other, int sign, const struct cone *right)
{
	for (size_t i = other->next; i < other->n; i++)
		if (!is_out(other, i))
			return beyond(sign, right->x, right->y, w->units, other->p[i].x,
				       other->p[i].y) > 0;
	return false;
}

/* The next point of own lies beyond other's cone. */
static int contradiction(struct walk *w, struct side *own, struct side *other)
{
	const struct sync_point *p = &own->p[own->next];
	double excess =
		(double)beyond(other->sign, other->cone.x, other->cone.y, w->units, p->x, p->y);
	int64_t near = to_ns(excess / (2 * w->rate));
	struct cone right = { p->x, p->y, true };
	struct votes r = ask_right(w, own, &other->cone, near, &right);
	bool right_many = many(r.hits, r.asked) || (many_near(&r) && r.hits_near > 1);
	/* If it stands alone, only its own limit counts. */
	if (!right_many)
		right = (struct cone){ p->x, p->y, true };
	size_t hits[LOOK];
	struct votes l = ask_left(w, other, own->sign, &right, near, hits);
	bool left_many = many(l.hits, l.asked) || (many_near(&l) && l.hits_near > 1);
	bool few = many_near(&r) && many_near(&l) && r.hits_near + l.hits_near >= MANY &&
		   !denied(w, other, own->sign, &right);
	/* While a clock is slewed, one break comes after the other: in a segment that has just
	 * begun at a break, its oldest points may be the only ones that were before the next
	 * one. */
	bool oldest = w->after_break && l.asked < LOOK && l.hits > 0 &&
		      oldest_hit_run(other, hits, l.hits);
	bool soon =
		w->breaks->n && sync_sub(p->x, w->breaks->rows[w->breaks->n - 1].end.x) < CLOSE_NS;
	int rc = 0;
	if ((right_many && left_many) || few || (oldest && (right_many || soon || r.hits > 1))) {
		rc = record(w, own, other);
		own->segment = own->next;
		other->segment = other->next;
		own->cone.set = other->cone.set = false;
		w->after_break = true;
		return rc;
	}
	if (!right_many) {
		rc = leave_out(w, own, own->next);
		if (left_many)
			return rc;
	}
	for (size_t i = 0; i < l.hits && rc == 0; i++)
		rc = leave_out(w, other, hits[i]);
	struct cone before = other->cone;
	cone_again(other, w->units);
	/* The limit came from a point further back than those tested: that one is left out, too. */
	if (rc == 0 && l.hits == 0 && right_many && other->cone.set && before.set)
		for (size_t i = other->next; i > other->segment; i--)
			if (other->p[i - 1].x == before.x && other->p[i - 1].y == before.y) {
				rc = leave_out(w, other, i - 1);
				cone_again(other, w->units);
				break;
			}
	return rc;
}

static int step(struct walk *w, struct side *own, struct side *other)
{
	const struct sync_point *p = &own->p[own->next];
	int rc = 0;
	/* Each contradiction breaks the segment or leaves a point out, so this ends. */
	while (rc == 0 && !is_out(own, own->next) && other->cone.set &&
		beyond(other->sign, other->cone.x, other->cone.y, w->units, p->x, p->y) > 0)
		rc = contradiction(w, own, other);
	if (rc == 0 && !is_out(own, own->next))
		cone_add(own, w->units, p->x, p->y);
	own->next++;
	return rc;
}

/* Are the points between two places consistent when the clock may run at `rate` between begin and
 * end, and at max_rate elsewhere? */
static bool consistent(const struct walk *w, int64_t begin, int64_t end, double rate, size_t u0,
	size_t u1, size_t l0, size_t l1)
{
	struct sync_slew slew = { { begin, end }, 0, rate * 1e6 };
	struct sync_drift d = { w->rate, begin, &slew, NULL, rate > w->rate ? 1 : 0, 0 };
	int64_t high = INT64_MAX, low = INT64_MIN; /* minus (plus) the budget up to here */
	while (u0 < u1 || l0 < l1) {
		bool up = l0 == l1 || (u0 < u1 && w->upper.p[u0].x <= w->lower.p[l0].x);
		const struct side *s = up ? &w->upper : &w->lower;
		size_t i = up ? u0++ : l0++;
		if (is_out(s, i))
			continue;
		int64_t budget = sync_drift_budget(&d, s->p[i].x), y = s->p[i].y;
		if (up) {
			if (low != INT64_MIN && y < sync_sub(low, budget))
				return false;
			int64_t v = sync_sub(y, budget);
			high = v < high ? v : high;
		} else {
			if (high != INT64_MAX && y > sync_add(high, budget))
				return false;
			int64_t v = sync_add(y, budget);
			low = v > low ? v : low;
		}
	}
	return true;
}

static const double MAX_SLEW = 0.2; /* faster than any slew */

/* The least rate that makes the points around a break consistent; > MAX_SLEW: none does. */
static double needed_rate(
	const struct walk *w, int64_t begin, int64_t end, int64_t from, int64_t to)
{
	size_t u0 = sync_first_point(w->upper.p, w->upper.n, from),
	       u1 = sync_first_point(w->upper.p, w->upper.n, to);
	size_t l0 = sync_first_point(w->lower.p, w->lower.n, from),
	       l1 = sync_first_point(w->lower.p, w->lower.n, to);
	size_t ub = sync_first_point(w->upper.p, w->upper.n, begin),
	       ue = sync_first_point(w->upper.p, w->upper.n, end);
	size_t lb = sync_first_point(w->lower.p, w->lower.n, begin),
	       le = sync_first_point(w->lower.p, w->lower.n, end);
	u0 = ub > u0 + AROUND ? ub - AROUND : u0;
	l0 = lb > l0 + AROUND ? lb - AROUND : l0;
	u1 = u1 > ue + AROUND ? ue + AROUND : u1;
	l1 = l1 > le + AROUND ? le + AROUND : l1;
	double lo = w->rate, hi = 2 * MAX_SLEW;
	if (!consistent(w, begin, end, hi, u0, u1, l0, l1))
		return hi;
	for (int i = 0; i < 24 && hi - lo > lo / 100; i++) {
		double mid = (lo + hi) / 2;
		if (consistent(w, begin, end, mid, u0, u1, l0, l1))
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

/* Breaks in the same direction shortly after each other are one slew: a single jump does not
 * explain them. A lone break that a rate near the limit explains is a slew, too. */
static void join(struct walk *w)
{
	enum { LITTLE = 2 };
	struct sync_break *rows = w->breaks->rows;
	size_t n = w->breaks->n, kept = 0;
	for (size_t i = 0; i < n;) {
		size_t j = i + 1;
		int64_t wide = sync_sub(rows[i].end.x, rows[i].begin.x);
		for (; j < n && (rows[j].jump_ns > 0) == (rows[i].jump_ns > 0); j++) {
			int64_t gap = sync_sub(rows[j].begin.x, rows[j - 1].end.x);
			int64_t here = sync_sub(rows[j].end.x, rows[j].begin.x);
			wide = here > wide ? here : wide;
			if (gap > CLOSE_NS && gap > 4 * (wide < INT64_MAX / 4 ? wide : 0))
				break;
		}
		struct sync_break b = rows[i];
		b.end = rows[j - 1].end;
		for (size_t k = i + 1; k < j; k++)
			b.jump_ns = sync_add(b.jump_ns, rows[k].jump_ns);
		int64_t from = kept ? rows[kept - 1].end.x : INT64_MIN;
		int64_t to = j < n ? rows[j].begin.x : INT64_MAX;
		/* The edges of a slew hide in the spread of the latencies. */
		double rate = needed_rate(w, b.begin.x, b.end.x, from, to);
		if (rate <= MAX_SLEW && (j - i > 1 || rate <= LITTLE * w->rate))
			b.rate = rate;
		rows[kept++] = b;
		i = j;
	}
	w->breaks->n = kept;
}

int sync_find_breaks(
	const struct sync_points *p, double max_rate, struct sync_breaks *b, struct mer_err *err)
{
	memset(b, 0, sizeof(*b));
	struct walk w = {
		.upper = { p->upper, p->n_upper, .sign = 1, .list = &b->out_upper,
			.n_list = &b->n_out_upper, .cap_list = &b->cap_out_upper },
		.lower = { p->lower, p->n_lower, .sign = -1, .list = &b->out_lower,
			.n_list = &b->n_out_lower, .cap_list = &b->cap_out_lower },
		.rate = max_rate,
		.units = sync_drift_units(max_rate),
		.breaks = b,
		.err = err,
	};
	int rc = 0;
	while (rc == 0 && (w.upper.next < w.upper.n || w.lower.next < w.lower.n)) {
		bool up = w.lower.next == w.lower.n ||
			  (w.upper.next < w.upper.n &&
				  w.upper.p[w.upper.next].x <= w.lower.p[w.lower.next].x);
		rc = up ? step(&w, &w.upper, &w.lower) : step(&w, &w.lower, &w.upper);
	}
	if (rc == 0)
		join(&w);
	free(w.upper.out);
	free(w.lower.out);
	return rc;
}

void sync_breaks_free(struct sync_breaks *b)
{
	free(b->rows);
	free(b->out_upper);
	free(b->out_lower);
	memset(b, 0, sizeof(*b));
}
