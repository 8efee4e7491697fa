/* What runs without and with a recording say of its cost, computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "record/measure.h"

#define MS INT64_C(1000000)

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fmax(1, fabs(b))))
		fail_msg("%.12g, not %.12g", a, b);
}

static struct record_cost cost(size_t n)
{
	static const int64_t without[] = { 100, 200, 400 }, with[] = { 110, 242, 400 },
			     late[] = { 1, 3, 2 };
	struct record_cost c = { .n = n };
	for (size_t i = 0; i < n; i++) {
		c.without[i] =
			(struct record_once){ without[i] * MS, without[i] * MS / 10, late[i] * MS };
		c.with[i] = (struct record_once){ with[i] * MS, with[i] * MS / 5, 10 * MS };
	}
	return c;
}

/* The mean of logarithms, and Student's t of one and of two degrees of freedom. */
static void slower(void **state)
{
	(void)state;
	struct record_cost c = cost(0);
	assert_true(isnan(record_cost_slower(&c, false).mean));
	c = cost(1);
	struct record_slower s = record_cost_slower(&c, false);
	near(s.mean, 0.1);
	assert_true(isnan(s.low) && isnan(s.high));
	c = cost(2);
	s = record_cost_slower(&c, false);
	double mean = log(1.1 * 1.21) / 2, half = 12.706 * (log(1.21) - log(1.1)) / 2;
	near(s.mean, expm1(mean));
	near(s.low, expm1(mean - half));
	near(s.high, expm1(mean + half));
	c = cost(3);
	s = record_cost_slower(&c, true);
	double l = log(1.1), m = l + log(2); /* logarithms: m, m + l, m - l */
	near(s.mean, expm1(m));
	near(s.high, expm1(m + 4.303 * sqrt(2 * l * l / 2 / 3)));
	/* A run without CPU time counts as one of a microsecond. */
	c = cost(1);
	c.without[0].cpu_ns = 0;
	near(record_cost_slower(&c, true).mean, 22 * 1000 - 1);
}

static void more_pairs_than_the_table(void **state)
{
	(void)state;
	struct record_cost c = { .n = RECORD_MOST_PAIRS };
	for (size_t i = 0; i < c.n; i++) {
		c.without[i].ns = MS;
		c.with[i].ns = i % 2 ? MS : 2 * MS;
	}
	struct record_slower s = record_cost_slower(&c, false);
	double l = log(2) / 2;
	near(s.mean, expm1(l));
	near(s.low, expm1(l - 2.042 * sqrt(32 * l * l / 31 / 32)));
}

static void per_event(void **state)
{
	(void)state;
	struct record_cost c = cost(2);
	assert_true(isnan(record_cost_per_event(&c)));
	c.n_events = 1000;
	near(record_cost_per_event(&c), (22 - 10 + 48.4 - 20) * 1e6 / 1000);
}

static void medians(void **state)
{
	(void)state;
	struct record_cost c = cost(0);
	assert_int_equal(record_cost_median(&c, RECORD_WITH_NS), 0);
	c = cost(2);
	assert_int_equal(record_cost_median(&c, RECORD_WITHOUT_NS), 150 * MS);
	c = cost(3);
	assert_int_equal(record_cost_median(&c, RECORD_WITHOUT_NS), 200 * MS);
	assert_int_equal(record_cost_median(&c, RECORD_WITH_NS), 242 * MS);
	assert_int_equal(record_cost_median(&c, RECORD_LATER_NS), 8 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slower),
		cmocka_unit_test(more_pairs_than_the_table),
		cmocka_unit_test(per_event),
		cmocka_unit_test(medians),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
