#include "base/max_t.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a group of constant values: more than any other t. */
#define T2_MOST 1e12

struct row {			       /* what no deal changes */
	double center, total, squares; /* of values less center */
	size_t n;
};

struct dealing {
	const double *x; /* as given, less each row's center; missing: 0 */
	const bool *has;
	const struct row *rows;
	size_t n_measures, n_samples, n_first;
};

/* ---- t ---- */

static double t2_of(const struct row *r, double first, size_t n_first)
{
	size_t n_second = r->n - n_first;
	if (n_first == 0 || n_second == 0 || r->n < 3 || r->squares <= 0)
		return 0;
	double d = first / (double)n_first - (r->total - first) / (double)n_second;
	double share = 1 / (double)n_first + 1 / (double)n_second;
	double within = r->squares - r->total * r->total / (double)r->n - d * d / share;
	/* Rounding must not make a deal larger than the one that it equals. */
	if (within <= 1e-9 * r->squares)
		return d * d > 1e-18 * r->squares ? T2_MOST : 0;
	return d * d / (within / (double)(r->n - 2) * share);
}

static double t2_in(const struct dealing *g, size_t measure, const size_t *first)
{
	const double *x = &g->x[measure * g->n_samples];
	const bool *has = &g->has[measure * g->n_samples];
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < g->n_first; i++) {
		sum += x[first[i]];
		n += has[first[i]];
	}
	return t2_of(&g->rows[measure], sum, n);
}

static double largest(const struct dealing *g, const size_t *first)
{
	double most = 0;
	for (size_t i = 0; i < g->n_measures; i++) {
		double t2 = t2_in(g, i, first);
		most = t2 > most ? t2 : most;
	}
	return most;
}

/* ---- Deals ---- */

static double n_ways(size_t n, size_t k)
{
	double ways = 1;
	for (size_t i = 1; i <= k; i++)
		ways = ways * (double)(n - k + i) / (double)i;
	return ways;
}

double mer_max_t_least_p(const size_t n[2])
{
	double ways = n_ways(n[0] + n[1], n[0]);
	/* Groups of the same size can be exchanged, which changes no |t|. */
	return n[0] == n[1] && n[0] ? 2 / ways : 1 / ways;
}

/* The next k of n numbers, in order; false: these were the last. */
static bool next_choice(size_t *of, size_t k, size_t n)
{
	size_t i = k;
	while (i && of[i - 1] == n - k + i - 1)
		i--;
	if (!i)
		return false;
	of[i - 1]++;
	for (; i < k; i++)
		of[i] = of[i - 1] + 1;
	return true;
}

static uint64_t random_u64(uint64_t *state) /* splitmix64 */
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

/* order: all n numbers in any order; its first k become a random choice. */
static void random_choice(size_t *order, size_t k, size_t n, uint64_t *state)
{
	for (size_t i = 0; i < k; i++) {
		size_t with = i + (size_t)(random_u64(state) % (n - i)), was = order[i];
		order[i] = order[with];
		order[with] = was;
	}
}

/* The deal that there is comes first, and is one of them in any case. */
static void deal_all(
	const struct dealing *g, bool is_exact, size_t n_deals, size_t *order, double *most)
{
	uint64_t state = 1;
	for (size_t i = 0; i < g->n_samples; i++)
		order[i] = i;
	for (size_t i = 0; i < n_deals; i++) {
		most[i] = largest(g, order);
		if (is_exact)
			next_choice(order, g->n_first, g->n_samples);
		else
			random_choice(order, g->n_first, g->n_samples, &state);
	}
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x < y) - (x > y);
}

/* How many deals have at least this, but for rounding. */
static size_t n_at_least(const double *most, size_t n, double t2)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (most[middle] >= t2 * (1 - 1e-9))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The largest |t| that more than alpha of the deals have. most: descending. */
static double critical_of(const double *most, size_t n, double alpha)
{
	size_t allowed = (size_t)(alpha * (double)n + 1e-9);
	return n_at_least(most, n, most[0]) > allowed ? INFINITY : sqrt(most[allowed]);
}

/* ---- The test ---- */

static void prepare(const double *given, size_t n, double *x, bool *has, struct row *row)
{
	*row = (struct row){ 0 };
	for (size_t i = 0; i < n; i++)
		if (!isnan(given[i])) {
			row->center += given[i];
			row->n++;
		}
	row->center = row->n ? row->center / (double)row->n : 0;
	for (size_t i = 0; i < n; i++) {
		has[i] = !isnan(given[i]);
		x[i] = has[i] ? given[i] - row->center : 0;
		row->total += x[i];
		row->squares += x[i] * x[i];
	}
	/* Values that are all the same differ by rounding alone. */
	if (row->squares <= 1e-24 * row->center * row->center * (double)row->n)
		row->squares = 0;
}

static void judge(const struct dealing *g, size_t i, const double *most,
	const struct mer_max_t *all, struct mer_max_t_measure *m)
{
	const struct row *row = &g->rows[i];
	double sum[2] = { 0 };
	*m = (struct mer_max_t_measure){ .p = 1 };
	for (size_t k = 0; k < g->n_samples; k++) {
		bool second = k >= g->n_first;
		sum[second] += g->x[i * g->n_samples + k];
		m->n[second] += g->has[i * g->n_samples + k];
	}
	for (int side = 0; side < 2; side++)
		if (m->n[side])
			m->mean[side] = row->center + sum[side] / (double)m->n[side];
	m->is_tested = m->n[0] && m->n[1] && row->n >= 3 && row->squares > 0;
	if (!m->is_tested)
		return;
	double t2 = t2_of(row, sum[0], m->n[0]);
	m->difference = m->mean[1] - m->mean[0];
	/* Of no difference all deals are at least as different. */
	m->p = t2 > 0 ? (double)n_at_least(most, all->n_deals, t2) / (double)all->n_deals : 1;
	if (isfinite(all->critical) && t2 > 0)
		m->half_width = fabs(m->difference) / sqrt(t2) * all->critical;
}

bool mer_max_t_test(const double *x, size_t n_measures, const size_t n[2], double alpha,
	struct mer_max_t *all, struct mer_max_t_measure *measures)
{
	size_t n_samples = n[0] + n[1], n_cells = n_measures * n_samples;
	double ways = n_ways(n_samples, n[0]);
	*all = (struct mer_max_t){ .critical = INFINITY };
	all->is_exact = ways <= MER_MAX_T_DEALS;
	all->n_deals = all->is_exact ? (size_t)(ways + 0.5) : MER_MAX_T_DEALS;
	double least = mer_max_t_least_p(n), of_deals = 1 / (double)all->n_deals;
	all->least_p = least > of_deals ? least : of_deals;
	double *centered = calloc(n_cells + 1, sizeof(*centered));
	double *most = calloc(all->n_deals, sizeof(*most));
	bool *has = calloc(n_cells + 1, sizeof(*has));
	struct row *rows = calloc(n_measures + 1, sizeof(*rows));
	size_t *order = calloc(n_samples + 1, sizeof(*order));
	bool ok = centered && most && has && rows && order;
	for (size_t i = 0; ok && i < n_measures; i++)
		prepare(&x[i * n_samples], n_samples, &centered[i * n_samples], &has[i * n_samples],
			&rows[i]);
	if (ok) {
		struct dealing g = { centered, has, rows, n_measures, n_samples, n[0] };
		deal_all(&g, all->is_exact, all->n_deals, order, most);
		qsort(most, all->n_deals, sizeof(*most), descending);
		all->critical = critical_of(most, all->n_deals, alpha);
		for (size_t i = 0; i < n_measures; i++)
			judge(&g, i, most, all, &measures[i]);
	}
	free(centered);
	free(most);
	free(has);
	free(rows);
	free(order);
	return ok;
}
