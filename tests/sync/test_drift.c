/* What a clock may have drifted by: budgets with slews, sides of steps, and sums that stop at the
 * ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sync/limits/drift.h"

enum { S = 1000000000 };

static void rates(void **state)
{
	(void)state;
	assert_int_equal(sync_drift_units(1), INT64_C(1) << 40);
	assert_int_equal(sync_drift_units(0), 0);
	assert_int_equal(sync_drift_units(1e-6), 1099512); /* of 1099511.63 */
	assert_int_equal(sync_drift_reach(1e-6, S), 1000); /* 1000.0003, rounded down */
	assert_int_equal(sync_drift_reach(1e-6, -(int64_t)S), -1001);
	assert_int_equal(sync_drift_reach(0.5, 3), 1);
	assert_int_equal(sync_drift_reach(0.5, -3), -2);
	assert_int_equal(sync_drift_reach(1000, INT64_MAX), INT64_MAX);
	assert_int_equal(sync_drift_reach(1000, INT64_MIN), INT64_MIN);
	assert_int_equal(sync_units_reach(INT64_C(3) << 40, 7), 21);
}

/* Without slews, from the origin in both directions. */
static void plain(void **state)
{
	(void)state;
	const struct sync_drift d = { .max_rate = 0.25, .origin = 1000 };
	assert_int_equal(sync_drift_budget(&d, 1000), 0);
	assert_int_equal(sync_drift_budget(&d, 1400), 100);
	assert_int_equal(sync_drift_budget(&d, 600), -100);
	assert_int_equal(sync_drift_budget(&d, INT64_MAX), (INT64_MAX - 1000) / 4);
}

/* In slews the rate is what is allowed there: only what lies between the origin and then. */
static void slews(void **state)
{
	static const struct sync_slew list[] = {
		{ .range = { 100, 200 }, .allowed_ppm = 500000 },
		{ .range = { 300, 400 }, .allowed_ppm = 750000 },
	};
	static const struct {
		int64_t origin, t, budget;
	} cases[] = {
		{ 0, 0, 0 },
		{ 0, 100, 25 },
		{ 0, 140, 25 + 20 },
		{ 0, 200, 25 + 50 },
		{ 0, 300, 25 + 50 + 25 },
		{ 0, 400, 25 + 50 + 25 + 75 },
		{ 0, 800, 275 },
		{ 140, 140, 0 },
		{ 140, 200, 30 },
		{ 140, 100, -20 },
		{ 140, 0, -45 },
		{ 800, 400, -100 },
		{ 800, 300, -175 },
		{ 800, 0, -275 },
		{ 200, 300, 25 },
		{ 300, 200, -25 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sync_drift d = {
			.max_rate = 0.25, .origin = cases[i].origin, .slews = list, .n_slews = 2
		};
		assert_int_equal(sync_drift_budget(&d, cases[i].t), cases[i].budget);
	}
}

/* Even: a side of all steps; odd: in one. The begin is before it, the end behind. */
static void epochs(void **state)
{
	static const struct sync_step steps[] = { { { 100, 110 }, 5 }, { { 200, 210 }, -5 } };
	static const struct {
		int64_t t;
		size_t epoch;
	} cases[] = { { INT64_MIN, 0 }, { 100, 0 }, { 101, 1 }, { 109, 1 }, { 110, 2 }, { 200, 2 },
		{ 201, 3 }, { 209, 3 }, { 210, 4 }, { INT64_MAX, 4 } };
	const struct sync_drift d = { .steps = steps, .n_steps = 2 }, none = { .steps = steps };
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(sync_drift_epoch(&d, cases[i].t), cases[i].epoch);
		assert_int_equal(sync_drift_epoch(&none, cases[i].t), 0);
	}
}

static void sums_that_stop(void **state)
{
	(void)state;
	assert_int_equal(sync_add(2, 3), 5);
	assert_int_equal(sync_add(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(sync_add(INT64_MIN, -1), INT64_MIN);
	assert_int_equal(sync_add(1, INT64_MAX), INT64_MAX);
	assert_int_equal(sync_sub(2, 3), -1);
	assert_int_equal(sync_sub(INT64_MIN, 1), INT64_MIN);
	assert_int_equal(sync_sub(INT64_MAX, -1), INT64_MAX);
	assert_int_equal(sync_sub(0, INT64_MIN), INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates),
		cmocka_unit_test(plain),
		cmocka_unit_test(slews),
		cmocka_unit_test(epochs),
		cmocka_unit_test(sums_that_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
