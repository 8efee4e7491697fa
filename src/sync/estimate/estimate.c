#include "sync/estimate/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "sync/limits/drift.h"
#include "sync/estimate/fit.h"
#include "sync/limits/incidence.h"

/* ---- Pairs ---- */

struct part {		    /* of a pair's time, between its breaks or inside a slew */
	int64_t begin, end; /* points with begin <= x <= end */
	double rate;
	bool first, last; /* no part before, after it */
	bool slew;	  /* inside of one, whose ends belong to the neighbours */
};

/* Does the course go on outside with another slope than it has at its end? Over SYNC_FAR_NS a
 * difference that matters is a nanosecond. */
static bool bends(const struct sync_fit *fit, bool front)
{
	if (fit->n < 2)
		return true;
	const struct sync_knot *k = front ? &fit->knots[0] : &fit->knots[fit->n - 2];
	double own = (k[1].y - k[0].y) / (double)sync_sub(k[1].x, k[0].x);
	return fabs(own - (front ? fit->rate_before : fit->rate_after)) > 1e-12;
}

/* A likely error that is not known. */
static const long double UNKNOWN = 1e18L;

/* Adds the likely error of the fit. Between two parts it is not known. */
static int add_off(const struct sync_fit *fit, const struct part *part,
	struct sync_pair_course *pair, struct mer_err *err)
{
	struct sync_course *off = &pair->off;
	/* The ends of a part belong to it, because a message may be right there. */
	int64_t begin = sync_sub(part->first ? fit->knots[0].x : part->begin, 1);
	int64_t end = sync_add(part->last ? fit->knots[fit->n - 1].x : part->end, 1);
	int rc = 0;
	if (!part->first)
		rc = sync_course_add(off, begin, UNKNOWN, err);
	for (size_t i = 0; i < fit->n_off && rc == 0; i++)
		rc = sync_course_add(off, fit->off[i].x, fit->off[i].y, err);
	if (rc == 0 && (fit->n_off == 0 || !part->last))
		rc = sync_course_add(off, end, UNKNOWN, err);
	pair->off_grows = fmax(pair->off_grows, fit->off_grows);
	pair->rate_off = fmax(pair->rate_off, fit->rate_off);
	pair->rate_varies = fmax(pair->rate_varies, fit->rate_varies);
	return rc;
}

/* Appends the fit of a part to the pair's course, whose offsets are relative to base. */
static int add_part(const struct part *part, const struct sync_fit *fit, int64_t base,
	struct sync_pair_course *pair, struct sync_course *f, struct mer_err *err)
{
	int rc = 0;
	/* The part's ends are knots, so that only the break lies between two parts. */
	if (!part->first && !part->slew)
		rc = sync_course_add(
			f, part->begin, (long double)base + sync_fit_at(fit, part->begin), err);
	int64_t before = sync_sub(fit->knots[0].x, SYNC_FAR_NS);
	int64_t behind = sync_add(fit->knots[fit->n - 1].x, SYNC_FAR_NS);
	if (part->first && rc == 0 && bends(fit, true))
		rc = sync_course_add(f, before, (long double)base + sync_fit_at(fit, before), err);
	for (size_t i = 0; i < fit->n && rc == 0; i++)
		if ((part->first || fit->knots[i].x > part->begin) &&
			(part->last || fit->knots[i].x < part->end))
			rc = sync_course_add(
				f, fit->knots[i].x, (long double)base + fit->knots[i].y, err);
	if (rc == 0 && !part->last && !part->slew)
		rc = sync_course_add(
			f, part->end, (long double)base + sync_fit_at(fit, part->end), err);
	if (part->last && rc == 0 && bends(fit, false))
		rc = sync_course_add(f, behind, (long double)base + sync_fit_at(fit, behind), err);
	return rc ? rc : add_off(fit, part, pair, err);
}

static int by_begin(const void *a, const void *b)
{
	const struct part *p = a, *q = b;
	return p->begin < q->begin ? -1 : p->begin > q->begin;
}

/* The largest distance of the course from 0, as a part of the width of the corridor; INFINITY: 0 is
 * not between the limits. */
static double distance_from_zero(const struct sync_pair_points *p, int64_t base,
	const struct sync_course *f, const struct sync_pair_course *course)
{
	const struct sync_course *off = &course->off;
	double most = f->n && off->n ? 0 : INFINITY;
	size_t hint = 0;
	double length = off->n ? (double)sync_sub(off->knots[off->n - 1].t, off->knots[0].t) : 0;
	for (size_t i = 0; i < off->n; i++) {
		const struct sync_course_knot *k = &off->knots[i];
		long double y = f->n ? fabsl(sync_course_at(f, k->t, &hint)) : 0;
		/* If the rate is not known, the error grows with the distance from the middle. */
		double from = fabs((double)sync_sub(k->t, off->knots[0].t) - length / 2);
		long double open = k->off + (long double)(course->off_grows * from);
		most = fmax(most, k->off < UNKNOWN && open > 0 ? (double)(y / open) : INFINITY);
	}
	for (size_t i = 0; i < p->n_upper; i++)
		most = sync_add(base, p->upper[i].y) < 0 ? INFINITY : most;
	for (size_t i = 0; i < p->n_lower; i++)
		most = sync_add(base, p->lower[i].y) > 0 ? INFINITY : most;
	return most;
}

struct estimate { /* of some pairs; parts and jobs are those of all of them, in their order */
	const struct sync_messages *m;
	const struct sync_pairs *pairs;
	double max_rate;
	struct pair {
		struct sync_pair_points points;
		int64_t base;
		size_t n_parts;
	} * of;
	struct part *parts;
	struct sync_fit_job *jobs;
	size_t n, cap_parts, cap_jobs;
};

/* Adds a part, if it has points. */
static int cut_part(
	struct estimate *e, struct pair *pair, const struct part *part, struct mer_err *err)
{
	const struct sync_pair_points *p = &pair->points;
	size_t u = sync_first_point(p->upper, p->n_upper, part->begin);
	size_t l = sync_first_point(p->lower, p->n_lower, part->begin);
	size_t ue = part->last ? p->n_upper
			       : sync_first_point(p->upper, p->n_upper, sync_add(part->end, 1));
	size_t le = part->last ? p->n_lower
			       : sync_first_point(p->lower, p->n_lower, sync_add(part->end, 1));
	if (part->begin > part->end || (u == ue && l == le))
		return 0;
	if (!mer_grow(&e->parts, e->n, &e->cap_parts, sizeof(*e->parts)) ||
		!mer_grow(&e->jobs, e->n, &e->cap_jobs, sizeof(*e->jobs)))
		return mer_fail_nomem(err);
	e->parts[e->n] = *part;
	e->jobs[e->n++] = (struct sync_fit_job){
		.upper = p->upper + u,
		.n_upper = ue - u,
		.lower = p->lower + l,
		.n_lower = le - l,
		.max_rate = part->rate,
	};
	pair->n_parts++;
	return 0;
}

/* Makes the points of a pair, and cuts them at its breaks. */
static int cut(struct estimate *e, size_t number, struct pair *to, struct mer_err *err)
{
	const struct sync_pair_scan *pair = &e->pairs->pairs[number];
	struct sync_pair_points *p = &to->points;
	int rc = sync_pair_points(e->m, e->pairs, number, pair->axis, e->pairs->out, p, err);
	if (rc)
		return rc;
	/* Relative to the first point; nonsensical times are clamped to what a double holds
	 * exactly. */
	const int64_t most = (int64_t)1 << 51;
	to->base = p->n_upper ? p->upper[0].y : p->n_lower ? p->lower[0].y : 0;
	for (int k = 0; k < 2; k++) {
		struct sync_point *points = k ? p->lower : p->upper;
		for (size_t i = 0; i < (k ? p->n_lower : p->n_upper); i++) {
			int64_t y = sync_sub(points[i].y, to->base);
			points[i].y = y > most ? most : y < -most ? -most : y;
		}
	}
	size_t n_breaks = pair->breaks.n, n = 0;
	struct part *breaks = malloc((n_breaks + 1) * sizeof(*breaks));
	if (!breaks)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n_breaks; i++) {
		struct sync_range r = sync_break_range(pair, &pair->breaks.rows[i], pair->axis);
		breaks[n++] = (struct part){ r.begin, r.end, pair->breaks.rows[i].rate, false,
			false, false };
	}
	qsort(breaks, n, sizeof(*breaks), by_begin);
	struct part part = { INT64_MIN, INT64_MAX, e->max_rate, true, true, false };
	for (size_t i = 0; i <= n && rc == 0; i++) {
		if (i < n && breaks[i].begin <= part.begin && !part.first)
			continue;
		part.end = i < n ? breaks[i].begin : INT64_MAX;
		part.last = i == n;
		rc = cut_part(e, to, &part, err);
		if (i == n || rc)
			break;
		if (breaks[i].rate > 0) {
			struct part slew = { breaks[i].begin, breaks[i].end, 2 * breaks[i].rate,
				false, false, true };
			rc = cut_part(e, to, &slew, err);
		}
		part.begin = breaks[i].end;
		part.first = false;
	}
	free(breaks);
	return rc;
}

/* Joins the fits of a pair's parts, from `first` on, to its course: on the clock that the pair was
 * scanned on, where its breaks are exact. */
static int join(const struct estimate *e, size_t number, const struct pair *from, size_t first,
	struct sync_pair_course *f, struct mer_err *err)
{
	const struct sync_pair_scan *pair = &e->pairs->pairs[number];
	bool on_a = pair->axis == pair->a;
	struct sync_course *own = on_a ? &f->on_a : &f->on_b;
	int rc = 0;
	for (size_t i = first; i < first + from->n_parts && rc == 0; i++)
		rc = add_part(&e->parts[i], &e->jobs[i].fit, from->base, f, own, err);
	if (rc)
		return rc;
	f->from_zero =
		pair->breaks.n ? INFINITY : distance_from_zero(&from->points, from->base, own, f);
	rc = sync_course_invert(own, on_a ? &f->on_b : &f->on_a, err);
	f->known = rc == 0;
	return rc;
}

int sync_estimate_pairs(const struct sync_messages *m, const struct sync_pairs *pairs,
	const size_t *numbers, size_t n, double max_rate, struct sync_pair_course *courses,
	struct mer_err *err)
{
	struct estimate e = { .m = m, .pairs = pairs, .max_rate = max_rate };
	e.of = calloc(n + 1, sizeof(*e.of));
	int rc = e.of ? 0 : mer_fail_nomem(err);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = cut(&e, numbers[i], &e.of[i], err);
	bool fitted = rc == 0 && (rc = sync_fit(e.jobs, e.n, err)) == 0;
	for (size_t i = 0, first = 0; i < n && rc == 0; first += e.of[i++].n_parts)
		rc = join(&e, numbers[i], &e.of[i], first, &courses[numbers[i]], err);
	for (size_t i = 0; i < e.n && fitted; i++)
		sync_fit_free(&e.jobs[i].fit);
	for (size_t i = 0; e.of && i < n; i++)
		sync_points_free(&e.of[i].points);
	free(e.of);
	free(e.parts);
	free(e.jobs);
	return rc;
}

void sync_pair_course_free(struct sync_pair_course *f)
{
	sync_course_free(&f->on_a);
	sync_course_free(&f->on_b);
	sync_course_free(&f->off);
}

/* ---- All hosts ---- */

enum {
	SMALL = 64, /* maximum of hosts for MANY_ROUNDS of averaging */
	MANY_ROUNDS = 10,
	FEW_ROUNDS = 2,
	MUCH_WIDER = 4,	  /* wider than the best pair of a host: such a pair would only
			     distort the mean */
	MAX_KNOTS = 20000 /* of one course while means are taken; beyond, it stays as it is */
};

/* The width of a pair's corridor. Limits that contradict each other by more than rounding count as
 * unknown. */
static double open_of(const struct sync_pair_scan *p)
{
	return p->median < -1 ? INFINITY : fmax(p->median, 0);
}

static int mean_of_neighbours(const struct sync_pairs *pairs, const struct sync_pair_course *known,
	const struct sync_incidence *of, uint32_t h, struct sync_course *courses,
	struct mer_err *err)
{
	const uint32_t *own = of->edges + of->first[h];
	size_t n = of->first[h + 1] - of->first[h], k = 0;
	struct sync_course *each = calloc(n + 1, sizeof(*each));
	const struct sync_course **list = calloc(n + 1, sizeof(*list));
	double *weights = calloc(n + 1, sizeof(*weights));
	int rc = each && list && weights ? 0 : mer_fail_nomem(err);
	double best = INFINITY;
	for (size_t i = 0; i < n && rc == 0; i++)
		best = fmin(best, open_of(&pairs->pairs[own[i]]));
	for (size_t i = 0; i < n && rc == 0; i++) {
		size_t number = own[i];
		const struct sync_pair_scan *p = &pairs->pairs[number];
		double open = open_of(p);
		if (!isfinite(open) || open > MUCH_WIDER * best)
			continue;
		const struct sync_course *f = p->a == h ? &known[number].on_a : &known[number].on_b;
		const struct sync_course *outer = &courses[p->a == h ? p->b : p->a];
		if (!known[number].known || f->n == 0 || outer->n > MAX_KNOTS)
			continue;
		rc = sync_course_compose(f, outer, &each[k], err);
		list[k] = &each[k];
		weights[k] = 1 / ((open + 1) * (open + 1));
		k++;
	}
	struct sync_course mean = { 0 };
	if (rc == 0 && k > 1) {
		rc = sync_course_mean(list, weights, k, &mean, err);
		if (rc == 0) {
			sync_course_simplify(&mean, fmax(1, best * 1e-3));
			sync_course_free(&courses[h]);
			courses[h] = mean;
		}
	}
	for (size_t i = 0; i < k; i++)
		sync_course_free(&each[i]);
	free(each);
	free(list);
	free(weights);
	return rc;
}

static void ends_of_pair(const void *ctx, uint32_t i, uint32_t *a, uint32_t *b)
{
	const struct sync_pairs *pairs = ctx;
	*a = pairs->pairs[i].a;
	*b = pairs->pairs[i].b;
}

/* Replaces every host's course, several times, by the mean of what its neighbours imply:
 * Gauss-Seidel iterations for the weighted least squares of all pairs. */
static int relax(const struct sync_pairs *pairs, const struct sync_pair_course *known,
	const struct sync_tree *tree, const bool *given, struct sync_course *courses,
	struct mer_err *err)
{
	uint32_t n = tree->n_hosts;
	struct sync_incidence of;
	int rc = sync_incidence_new(&of, n, (uint32_t)pairs->n, ends_of_pair, pairs, err);
	for (int round = 0; round < (n <= SMALL ? MANY_ROUNDS : FEW_ROUNDS) && rc == 0; round++)
		for (uint32_t i = 0; i < n && rc == 0; i++) {
			uint32_t h = tree->order[i];
			if (tree->parent[h] != SYNC_NO_HOST && !(given && given[h]))
				rc = mean_of_neighbours(pairs, known, &of, h, courses, err);
		}
	sync_incidence_free(&of);
	return rc;
}

int sync_estimate(const struct sync_pairs *pairs, const struct sync_pair_course *known,
	const struct sync_tree *tree, const bool *given, struct sync_course *courses,
	struct mer_err *err)
{
	int rc = 0;
	size_t n_edges = 0;
	for (uint32_t i = 0; i < tree->n_hosts && rc == 0; i++) {
		uint32_t h = tree->order[i], p = tree->parent[h];
		n_edges += p != SYNC_NO_HOST;
		if (p == SYNC_NO_HOST || (given && given[h]))
			continue;
		const struct sync_pair_course *f = &known[tree->edge[h]];
		rc = sync_course_compose(pairs->pairs[tree->edge[h]].a == h ? &f->on_a : &f->on_b,
			&courses[p], &courses[h], err);
	}
	if (rc == 0 && pairs->n > n_edges)
		rc = relax(pairs, known, tree, given, courses, err);
	return rc;
}

/* ---- Clocks that agree ---- */

int sync_agreeing_groups(const struct sync_pairs *pairs, const struct sync_pair_course *known,
	const struct sync_tree *tree, bool *agree, struct mer_err *err)
{
	static const double CLOSE = 0.25, CLOSE_ENOUGH = 0.5;
	double *sum = calloc((size_t)tree->n_groups + 1, 2 * sizeof(*sum));
	if (!sum)
		return mer_fail_nomem(err);
	double *n = sum + tree->n_groups;
	for (size_t i = 0; i < pairs->n; i++)
		if (known[i].known && !(known[i].from_zero < INFINITY))
			sum[tree->group[pairs->pairs[i].a]] = INFINITY;
	/* Otherwise only the pairs of the tree count: the other ones are known less well. */
	for (uint32_t h = 0; h < tree->n_hosts; h++) {
		if (tree->parent[h] == SYNC_NO_HOST)
			continue;
		double d = known[tree->edge[h]].from_zero;
		sum[tree->group[h]] += d <= CLOSE_ENOUGH ? d : INFINITY;
		n[tree->group[h]]++;
	}
	for (uint32_t g = 0; g < tree->n_groups; g++)
		agree[g] = n[g] > 0 && sum[g] <= CLOSE * n[g];
	free(sum);
	return 0;
}
