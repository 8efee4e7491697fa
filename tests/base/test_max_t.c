/* Many measures of two groups: against values worked out by hand, against a plain loop over all
 * deals, and how often it says something of numbers that have nothing to say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/max_t.h"

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

static uint64_t state = 7;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static void smallest_p(void **unused)
{
	(void)unused;
	assert_true(near(mer_max_t_least_p((size_t[]){ 1, 1 }), 1));
	assert_true(near(mer_max_t_least_p((size_t[]){ 2, 2 }), 2. / 6));
	assert_true(near(mer_max_t_least_p((size_t[]){ 5, 5 }), 2. / 252));
	assert_true(near(mer_max_t_least_p((size_t[]){ 1, 20 }), 1. / 21));
	assert_true(near(mer_max_t_least_p((size_t[]){ 20, 1 }), 1. / 21));
}

/* Of 20 deals, two separate 1, 2, 3 from 4, 5, 6. */
static void apart(void **unused)
{
	(void)unused;
	const double x[] = { 1, 2, 3, 4, 5, 6 };
	struct mer_max_t all;
	struct mer_max_t_measure m;
	assert_true(mer_max_t_test(x, 1, (size_t[]){ 3, 3 }, 0.1, &all, &m));
	assert_true(all.is_exact);
	assert_int_equal(all.n_deals, 20);
	assert_true(near(all.least_p, 0.1));
	assert_true(m.is_tested);
	assert_true(near(m.p, 0.1));
	assert_true(near(m.difference, 3));
	assert_true(near(m.mean[0], 2) && near(m.mean[1], 5));
	/* The next is 1, 2, 4 and 3, 5, 6: of means 7/3 and 14/3, variance 7/3. */
	assert_true(near(all.critical, 7. / 3 / sqrt(7. / 3 * 2 / 3)));
	/* Of this one the variance is 1. */
	assert_true(near(m.half_width, all.critical * sqrt(2. / 3)));
	assert_true(m.half_width < m.difference);
	/* No p is smaller. */
	assert_true(mer_max_t_test(x, 1, (size_t[]){ 3, 3 }, 0.09, &all, &m));
	assert_true(isinf(all.critical));
	assert_true(m.half_width == 0);
}

/* One that others equal only where they are dealt otherwise counts against it; a copy does not. */
static void corrected(void **unused)
{
	(void)unused;
	const double x[] = { 1, 2, 3, 4, 5, 6, /* apart as they are */
		10, 20, 30, 40, 50, 60,	       /* the same in other units */
		1, 2, 4, 3, 5, 6 };	       /* apart if the third and fourth change places */
	struct mer_max_t all;
	struct mer_max_t_measure m[3];
	assert_true(mer_max_t_test(x, 2, (size_t[]){ 3, 3 }, 0.1, &all, m));
	assert_true(near(m[0].p, 0.1) && near(m[1].p, 0.1));
	assert_true(mer_max_t_test(x, 3, (size_t[]){ 3, 3 }, 0.1, &all, m));
	assert_true(near(m[0].p, 0.2) && near(m[1].p, 0.2));
	assert_true(near(m[2].p, 0.2)); /* the same four deals */
}

static void not_known(void **unused)
{
	(void)unused;
	const double x[] = { 1, 2, NAN, 4, 5, NAN,  /* of two each */
		7, 7, 7, 7, 7, 7,		    /* always the same */
		0.1 + 0.2, 0.3, 0.3, 0.3, 0.3, 0.3, /* the same, but for rounding */
		NAN, NAN, NAN, 1, 2, 3,		    /* of one side */
		1, NAN, NAN, 2, NAN, NAN };	    /* of one each */
	struct mer_max_t all;
	struct mer_max_t_measure m[5];
	assert_true(mer_max_t_test(x, 5, (size_t[]){ 3, 3 }, 0.5, &all, m));
	assert_true(m[0].is_tested);
	assert_int_equal(m[0].n[0], 2);
	assert_int_equal(m[0].n[1], 2);
	assert_true(near(m[0].mean[0], 1.5) && near(m[0].difference, 3));
	for (int i = 1; i < 5; i++) {
		assert_false(m[i].is_tested);
		assert_true(m[i].p == 1);
		assert_true(m[i].half_width == 0);
	}
	assert_int_equal(m[3].n[0], 0);
	assert_true(near(m[3].mean[1], 2));
	assert_true(near(m[1].mean[0], 7));
	/* No samples, no measures. */
	assert_true(mer_max_t_test(x, 0, (size_t[]){ 3, 3 }, 0.5, &all, m));
	assert_true(mer_max_t_test(x, 1, (size_t[]){ 1, 1 }, 0.5, &all, m));
	assert_false(m[0].is_tested);
}

/* Two groups of constant values: nothing is further apart. */
static void constant_groups(void **unused)
{
	(void)unused;
	double x[12] = { 0 };
	struct mer_max_t all;
	struct mer_max_t_measure m;
	for (int i = 6; i < 12; i++)
		x[i] = 1;
	assert_true(mer_max_t_test(x, 1, (size_t[]){ 6, 6 }, 0.01, &all, &m));
	assert_true(near(m.p, 2. / 924));
	assert_true(m.half_width < 1);
}

/* ---- Against a plain loop ---- */

static double plain_t(const double *x, const bool *second, size_t n)
{
	double sum[2] = { 0 }, squares = 0;
	size_t k[2] = { 0 };
	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i])) {
			sum[second[i]] += x[i];
			k[second[i]]++;
		}
	if (!k[0] || !k[1] || k[0] + k[1] < 3)
		return 0;
	for (size_t i = 0; i < n; i++) {
		double d = isnan(x[i]) ? 0 : x[i] - sum[second[i]] / (double)k[second[i]];
		squares += d * d;
	}
	double share = 1 / (double)k[0] + 1 / (double)k[1];
	return fabs(sum[1] / (double)k[1] - sum[0] / (double)k[0]) /
	       sqrt(squares / (double)(k[0] + k[1] - 2) * share);
}

static void as_a_loop(void **unused)
{
	(void)unused;
	enum { N_A = 5, N_B = 4, N = N_A + N_B, MEASURES = 7 };
	double x[MEASURES * N], own[MEASURES];
	size_t n_deals = 0, n_as_large[MEASURES] = { 0 };
	struct mer_max_t all;
	struct mer_max_t_measure m[MEASURES];
	for (size_t i = 0; i < sizeof(x) / sizeof(*x); i++)
		x[i] = uniform() < 0.1 ? NAN : 1000 + normal();
	for (size_t i = N_A; i < N; i++)
		x[i] += 2;
	for (unsigned deal = 0; deal < 1u << N; deal++) {
		bool second[N];
		double most = 0;
		/* The first deal is the one that there is. */
		unsigned bits = deal ^ ((1u << N_B) - 1) << N_A;
		if (__builtin_popcount(bits) != N_B)
			continue;
		for (size_t i = 0; i < N; i++)
			second[i] = bits >> i & 1;
		for (size_t i = 0; i < MEASURES; i++) {
			double t = plain_t(&x[i * N], second, N);
			if (!n_deals)
				own[i] = t;
			most = t > most ? t : most;
		}
		n_deals++;
		for (size_t i = 0; i < MEASURES; i++)
			n_as_large[i] += most >= own[i] * (1 - 1e-9);
	}
	assert_true(mer_max_t_test(x, MEASURES, (size_t[]){ N_A, N_B }, 0.2, &all, m));
	assert_int_equal(all.n_deals, n_deals);
	for (size_t i = 0; i < MEASURES; i++) {
		assert_true(near(m[i].p, (double)n_as_large[i] / (double)n_deals));
		/* An interval without 0 is a p of at most alpha. */
		if (m[i].is_tested && m[i].p <= 0.2)
			assert_true(m[i].half_width <= fabs(m[i].difference) * (1 + 1e-9));
		else if (m[i].is_tested)
			assert_true(m[i].half_width > fabs(m[i].difference));
		if (m[i].half_width > 0)
			assert_true(near(
				m[i].half_width / all.critical, fabs(m[i].difference) / own[i]));
	}
}

/* Of many samples deals are tried at random: always the same ones, and no unit matters. */
static void at_random(void **unused)
{
	(void)unused;
	enum { N = 40, MEASURES = 20 };
	static double x[MEASURES * N], scaled[MEASURES * N];
	struct mer_max_t all, again;
	struct mer_max_t_measure m[MEASURES], n[MEASURES];
	for (size_t i = 0; i < MEASURES * N; i++) {
		x[i] = normal() + (i >= 20 && i < N ? 2 : 0);
		scaled[i] = 5000 + 3 * x[i];
	}
	assert_true(mer_max_t_test(x, MEASURES, (size_t[]){ 20, 20 }, 0.01, &all, m));
	assert_true(mer_max_t_test(scaled, MEASURES, (size_t[]){ 20, 20 }, 0.01, &again, n));
	assert_false(all.is_exact);
	assert_int_equal(all.n_deals, MER_MAX_T_DEALS);
	assert_true(m[0].p <= 0.001);
	assert_true(m[0].p >= 1. / MER_MAX_T_DEALS);
	for (size_t i = 0; i < MEASURES; i++) {
		assert_true(near(m[i].p, n[i].p));
		if (i)
			assert_true(m[i].p > 0.01);
	}
}

/* Groups that do not differ: at most alpha of them, whatever depends on what. The bounds are four
 * deviations away. */
static void false_alarms(void **unused)
{
	(void)unused;
	enum { DRAWS = 400, N = 12, MEASURES = 30 };
	static double x[MEASURES * N];
	size_t n = 0;
	for (int draw = 0; draw < DRAWS; draw++) {
		struct mer_max_t all;
		struct mer_max_t_measure m[MEASURES];
		bool any = false;
		for (size_t k = 0; k < N; k++) {
			double common = normal();
			for (size_t i = 0; i < MEASURES; i++)
				x[i * N + k] = exp(2 * normal()) + (i % 2 ? common : 0);
		}
		assert_true(mer_max_t_test(x, MEASURES, (size_t[]){ 6, 6 }, 0.05, &all, m));
		for (size_t i = 0; i < MEASURES; i++)
			any |= m[i].p <= 0.05;
		n += any;
	}
	assert_in_range(n, 3, 38);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smallest_p),
		cmocka_unit_test(apart),
		cmocka_unit_test(corrected),
		cmocka_unit_test(not_known),
		cmocka_unit_test(constant_groups),
		cmocka_unit_test(as_a_loop),
		cmocka_unit_test(at_random),
		cmocka_unit_test(false_alarms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
