/* What is different, and how sure that is: all measures are one test (base/max_t.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"

/* Cells of the test: measures times recordings. */
#define MOST_CELLS 40000000

/* A measure is compared where at least half of the recordings of each side have it. */
static bool has_enough(const double *x, const size_t n[2])
{
	size_t have[2] = { 0 };
	for (size_t i = 0; i < n[0] + n[1]; i++)
		have[i >= n[0]] += isnan(x[i]) ? 0 : 1;
	return have[0] && have[1] && 2 * have[0] >= n[0] && 2 * have[1] >= n[1];
}

/* Something that is everywhere, or nowhere, is no difference. */
static bool differs(const double *x, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (x[i] != x[0])
			return true;
	return false;
}

/* Values as they are tested: factors become differences. */
static double tested(const struct compare_measure *m, double v)
{
	return m->unit == COMPARE_PRESENT ? v : v > 0 ? log(v) : NAN;
}

/* A row of samples for each measure. NULL: no memory. */
static double *matrix_of(const struct compare_set *s, size_t n_runs)
{
	double *x = malloc((s->n_measures * n_runs + 1) * sizeof(*x));
	size_t column[2] = { 0, compare_n_runs(s, 0) };
	if (!x)
		return NULL;
	for (size_t i = 0; i < s->n_measures; i++)
		for (size_t k = 0; k < n_runs; k++)
			x[i * n_runs + k] = s->measures[i].unit == COMPARE_PRESENT ? 0 : NAN;
	for (size_t r = 0; r < s->n_runs; r++) {
		const struct compare_run *run = &s->runs[r];
		size_t at = column[run->side]++;
		for (size_t i = 0; i < run->n; i++)
			x[run->values[i].measure * n_runs + at] =
				tested(&s->measures[run->values[i].measure], run->values[i].v);
	}
	return x;
}

/* Moves rows that can be compared to the front, and makes a finding of each. */
static size_t choose(
	const struct compare_set *s, double *x, const size_t n[2], struct compare_finding *findings)
{
	size_t n_runs = n[0] + n[1], kept = 0;
	for (size_t i = 0; i < s->n_measures; i++) {
		double *row = &x[i * n_runs];
		bool is_present = s->measures[i].unit == COMPARE_PRESENT;
		if (is_present ? !differs(row, n_runs) : !has_enough(row, n))
			continue;
		memmove(&x[kept * n_runs], row, n_runs * sizeof(*row));
		findings[kept++] = (struct compare_finding){ .measure = &s->measures[i] };
	}
	return kept;
}

static void conclude(struct compare_finding *f, double alpha)
{
	const struct mer_max_t_measure *m = &f->m;
	bool is_present = f->measure->unit == COMPARE_PRESENT;
	f->is_proven = m->is_tested && m->p <= alpha;
	f->low = f->high = NAN;
	f->a = is_present ? round(m->mean[0] * (double)m->n[0]) : exp(m->mean[0]);
	f->b = is_present ? round(m->mean[1] * (double)m->n[1]) : exp(m->mean[1]);
	if (m->half_width > 0 && !is_present) {
		f->low = exp(m->difference - m->half_width);
		f->high = exp(m->difference + m->half_width);
	}
	if (f->is_proven)
		f->certain = fmax(fabs(m->difference) - m->half_width, 0);
}

static double size_of(const struct compare_finding *f)
{
	return fabs(f->m.mean[1] - f->m.mean[0]);
}

/* Causes before effects: what changed a task itself explains what others waited. Among them the
 * change that is certain, so that a value that varies a lot is not first by chance. */
static int by_weight(const void *a, const void *b)
{
	const struct compare_finding *x = a, *y = b;
	if (x->is_proven != y->is_proven)
		return x->is_proven ? -1 : 1;
	/* What is not proven has no order but its size. */
	if (x->measure->class != y->measure->class &&
		(x->is_proven || x->measure->class == COMPARE_PRESENCE ||
			y->measure->class == COMPARE_PRESENCE))
		return x->measure->class < y->measure->class ? -1 : 1;
	if (x->certain != y->certain)
		return x->certain > y->certain ? -1 : 1;
	if (size_of(x) != size_of(y))
		return size_of(x) > size_of(y) ? -1 : 1;
	return x->measure < y->measure ? -1 : 1;
}

int compare_judge(
	const struct compare_set *s, double alpha, struct compare_result *r, struct mer_err *err)
{
	*r = (struct compare_result){ .alpha = alpha };
	r->n[0] = compare_n_runs(s, 0);
	r->n[1] = compare_n_runs(s, 1);
	if (s->n_measures * s->n_runs > MOST_CELLS)
		return mer_fail(err, MER_ERR_LIMIT,
			"%zu measures of %zu recordings are too many to compare: give fewer recordings",
			s->n_measures, s->n_runs);
	double *x = matrix_of(s, s->n_runs);
	struct mer_max_t_measure *m = calloc(s->n_measures + 1, sizeof(*m));
	r->findings = calloc(s->n_measures + 1, sizeof(*r->findings));
	bool ok = x && m && r->findings;
	if (ok)
		r->n_findings = choose(s, x, r->n, r->findings);
	ok = ok && mer_max_t_test(x, r->n_findings, r->n, alpha, &r->all, m);
	for (size_t i = 0; ok && i < r->n_findings; i++) {
		r->findings[i].m = m[i];
		r->n_tested += m[i].is_tested;
		conclude(&r->findings[i], alpha);
		r->n_proven += r->findings[i].is_proven;
	}
	if (ok)
		qsort(r->findings, r->n_findings, sizeof(*r->findings), by_weight);
	free(x);
	free(m);
	return ok ? 0 : mer_fail_nomem(err);
}

void compare_result_fini(struct compare_result *r)
{
	free(r->findings);
}

size_t compare_fewest(double alpha, size_t n_other)
{
	enum { MANY = 1000 };
	for (size_t n = 1; n <= MANY; n++)
		if (n + (n_other ? n_other : n) >= 3 &&
			mer_max_t_least_p((size_t[2]){ n, n_other ? n_other : n }) <= alpha)
			return n;
	return 0;
}

int compare_worse(const struct compare_measure *m)
{
	/* More CPU time a second may be more work. */
	if (m->unit == COMPARE_NS)
		return m->class == COMPARE_EFFECT && strcmp(m->kind, "CPU") == 0 ? 0 : 1;
	return m->unit == COMPARE_PER_S && strcmp(m->kind, "request") == 0 ? -1 : 0;
}

bool compare_fails(const struct compare_finding *f, const struct compare_limit *limit)
{
	if (!limit->is_set || !f->is_proven || f->measure->unit == COMPARE_PRESENT)
		return false;
	double more = (f->b / f->a - 1) * 100 * compare_worse(f->measure);
	return more > limit->percent;
}
