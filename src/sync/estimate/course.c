#include "sync/estimate/course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "sync/limits/drift.h"

void sync_course_free(struct sync_course *c)
{
	free(c->knots);
	*c = (struct sync_course){ 0 };
}

int sync_course_add(struct sync_course *c, int64_t t, long double off, struct mer_err *err)
{
	t = t == INT64_MIN ? -INT64_MAX : t;
	if (c->n && c->knots[c->n - 1].t >= t) /* one value for each instant: the first */
		return 0;
	if (!mer_grow(&c->knots, c->n, &c->cap, sizeof(*c->knots)))
		return mer_fail_nomem(err);
	c->knots[c->n++] = (struct sync_course_knot){ t, off };
	return 0;
}

long double sync_course_at(const struct sync_course *c, int64_t t, size_t *hint)
{
	if (c->n == 0)
		return 0;
	if (c->n == 1)
		return c->knots[0].off;
	/* The piece [i, i + 1] that holds t, or the outermost one. */
	size_t i = hint && *hint < c->n - 1 ? *hint : 0;
	if (c->knots[i].t > t || (i + 8 < c->n && c->knots[i + 8].t <= t)) {
		size_t lo = 0, hi = c->n - 2;
		while (lo < hi) {
			size_t mid = hi - (hi - lo) / 2;
			if (c->knots[mid].t <= t)
				lo = mid;
			else
				hi = mid - 1;
		}
		i = lo;
	}
	while (i + 2 < c->n && c->knots[i + 1].t <= t)
		i++;
	if (hint)
		*hint = i;
	const struct sync_course_knot *a = &c->knots[i], *b = a + 1;
	long double part =
		((long double)t - (long double)a->t) / ((long double)b->t - (long double)a->t);
	return a->off + (b->off - a->off) * part;
}

static int64_t to_ns(long double x)
{
	if (x >= 9.2e18L)
		return INT64_MAX;
	return x <= -9.2e18L ? -INT64_MAX : (int64_t)llroundl(x); /* INT64_MIN is no time */
}

int sync_course_compose(const struct sync_course *inner, const struct sync_course *outer,
	struct sync_course *c, struct mer_err *err)
{
	*c = (struct sync_course){ 0 };
	size_t i = 0, k = 0, inner_hint = 0, next_hint = 0, outer_hint = 0;
	int rc = 0;
	if (inner->n == 0 && outer->n == 0)
		return 0;
	/* The outer knots' times on the inner clock: t + inner(t) = u. Slopes are small, so the
	 * iteration ends at once; with offsets of decades it takes some rounds more. */
	enum { MAX_ROUNDS = 64 };
	int64_t next = INT64_MAX;
	bool has_next = false;
	while (rc == 0 && (i < inner->n || k < outer->n)) {
		if (k < outer->n && !has_next) {
			int64_t u = outer->knots[k].t;
			next = u;
			for (int round = 0; round < MAX_ROUNDS; round++) {
				int64_t t = next;
				next = to_ns((long double)u - sync_course_at(inner, t, &next_hint));
				if (next == t)
					break;
			}
			has_next = true;
		}
		bool own = k == outer->n || (i < inner->n && inner->knots[i].t <= next);
		int64_t t = own ? inner->knots[i].t : next;
		long double off = sync_course_at(inner, t, &inner_hint);
		off += sync_course_at(outer, to_ns((long double)t + off), &outer_hint);
		rc = sync_course_add(c, t, off, err);
		if (own) {
			i++;
		} else {
			k++;
			has_next = false;
		}
	}
	if (rc)
		sync_course_free(c);
	return rc;
}

int sync_course_invert(const struct sync_course *inner, struct sync_course *c, struct mer_err *err)
{
	*c = (struct sync_course){ 0 };
	int rc = 0;
	long double before = 0; /* u of the previous knot */
	for (size_t i = 0; i < inner->n && rc == 0; i++) {
		const struct sync_course_knot *k = &inner->knots[i];
		long double u = (long double)k->t + k->off;
		int64_t whole = to_ns(u);
		/* The clock was set back and showed some times twice: the first time counts. Then
		 * the course continues with the first time that was not shown before. */
		int64_t last = c->n ? c->knots[c->n - 1].t : 0, next = sync_add(last, 1);
		if (c->n && to_ns(before) < last && whole > next) {
			long double part = ((long double)next - before) / (u - before);
			long double t = k[-1].t + ((long double)k->t - k[-1].t) * part;
			rc = sync_course_add(c, next, t - next, err);
		}
		if (rc == 0)
			rc = sync_course_add(c, whole, (long double)k->t - u, err);
		before = u;
	}
	if (rc)
		sync_course_free(c);
	return rc;
}

int sync_course_mean(const struct sync_course *const *courses, const double *weights, size_t n,
	struct sync_course *c, struct mer_err *err)
{
	*c = (struct sync_course){ 0 };
	size_t *at = calloc(2 * n + 1, sizeof(*at)), *hint = at ? at + n : NULL;
	if (!at)
		return mer_fail_nomem(err);
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += weights[i];
	int rc = 0;
	while (rc == 0) {
		bool any = false;
		int64_t t = 0;
		for (size_t i = 0; i < n; i++)
			if (at[i] < courses[i]->n && (!any || courses[i]->knots[at[i]].t < t)) {
				t = courses[i]->knots[at[i]].t;
				any = true;
			}
		if (!any)
			break;
		/* Relative to the first course, so that large offsets lose no precision. */
		long double first = sync_course_at(courses[0], t, &hint[0]), more = 0;
		for (size_t i = 0; i < n; i++) {
			if (i)
				more += weights[i] *
					(sync_course_at(courses[i], t, &hint[i]) - first);
			while (at[i] < courses[i]->n && courses[i]->knots[at[i]].t <= t)
				at[i]++;
		}
		rc = sync_course_add(c, t, first + more / sum, err);
	}
	free(at);
	if (rc)
		sync_course_free(c);
	return rc;
}

void sync_course_simplify(struct sync_course *c, long double tolerance_ns)
{
	/* From left to right, each piece as long as one slope passes all knots within the
	 * tolerance. */
	size_t kept = 0, i = 0;
	while (i < c->n) {
		struct sync_course_knot from = c->knots[i];
		c->knots[kept++] = from;
		long double lo = -INFINITY, hi = INFINITY;
		size_t j = i + 1, last = i + 1;
		for (; j < c->n; j++) {
			long double dt = (long double)c->knots[j].t - (long double)from.t;
			long double dy = c->knots[j].off - from.off;
			if (dy / dt >= lo && dy / dt <= hi)
				last = j;
			lo = fmaxl(lo, (dy - tolerance_ns) / dt);
			hi = fminl(hi, (dy + tolerance_ns) / dt);
			if (lo > hi)
				break;
		}
		if (i + 1 == c->n)
			break;
		i = last;
	}
	c->n = kept;
}

int sync_course_map(const struct sync_course *c, struct mer_arena *arena,
	struct trace_clock_map *map, struct mer_err *err)
{
	*map = (struct trace_clock_map){ 0 };
	if (c->n == 0)
		return 0;
	struct trace_clock_piece *p = mer_arena_zalloc(arena, c->n, sizeof(*p));
	if (!p)
		return mer_fail_nomem(err);
	const __int128 one = (__int128)1 << TRACE_RATE_BITS;
	for (size_t i = 0; i < c->n; i++) {
		p[i].begin = c->knots[i].t;
		p[i].time = to_ns((long double)c->knots[i].t + c->knots[i].off);
		if (i && p[i].time < p[i - 1].time)
			p[i].time = p[i - 1].time;
	}
	for (size_t i = 0; i + 1 < c->n; i++) {
		__int128 dt = (__int128)p[i + 1].begin - p[i].begin;
		__int128 rise = (__int128)p[i + 1].time - p[i].time - dt;
		/* rise * 2^60 / dt, rounded down, without leaving 128 bits. */
		__int128 whole = rise / dt, rest = rise % dt;
		if (rest < 0) {
			rest += dt;
			whole--;
		}
		while (dt >> 66) {
			dt >>= 1;
			rest >>= 1;
		}
		__int128 rate = whole >= 7 ? 7 * one : whole * one + (rest * one) / dt;
		p[i].rate = rate > 7 * one ? (int64_t)(7 * one) : (int64_t)rate;
	}
	p[c->n - 1].rate = c->n > 1 ? p[c->n - 2].rate : 0;
	*map = (struct trace_clock_map){ p, c->n };
	return 0;
}
