/* The transform tables of other tools, replayed on clock maps: a line t' = slope * t + offset is
 * one piece. Expected values: the test tables of Trace Compass's linear, constant and composed
 * transforms (TsTransformTest, TsTransformFastTest, TsTransformFactoryTest), truncated to whole
 * nanoseconds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "trace/clock_map.h"

static const int64_t TS = 1361657893526374091;

/* slope in units of 2^-60, so that halves are exact. */
static int64_t line(double slope, int64_t offset, int64_t t)
{
	struct trace_clock_piece p = { 0, offset, (int64_t)((slope - 1) * 0x1p60) };
	struct trace_clock_map m = { &p, 1 };
	struct mer_err err;
	assert_int_equal(trace_check_map(&m, &err), 0);
	return trace_map_time(&m, t);
}

static void linear(void **state)
{
	(void)state;
	static const struct {
		double slope;
		int64_t offset, expected;
	} rows[] = { { 1, 0, 1361657893526374091 }, { 1, 3, 1361657893526374094 },
		{ 2, 0, 2723315787052748182 }, { 2, 3, 2723315787052748185 },
		{ 0.5, 0, 680828946763187045 } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(line(rows[i].slope, rows[i].offset, TS), rows[i].expected);
}

static void composed(void **state)
{
	(void)state;
	/* f(t) = 2 t + 3, g(t) = 1.5 t + 8, t = 100 */
	assert_int_equal(line(2, 3, 100), 203);
	assert_int_equal(line(2, 3, line(1.5, 8, 100)), 319);
	assert_int_equal(line(1.5, 8, line(2, 3, 100)), 312);
	struct trace_clock_map identity = { 0 };
	assert_int_equal(trace_map_time(&identity, line(2, 3, 100)), 203);
	assert_int_equal(line(2, 3, trace_map_time(&identity, 100)), 203);
}

static void constant(void **state)
{
	(void)state;
	assert_int_equal(line(1, 14, 300), 314);
	assert_int_equal(line(1, 314 - 314, 42), 42);
	/* An offset of a millisecond, forth, back and taken away, on the times 1 and 2 ms. */
	for (int64_t t = 1000000; t <= 2000000; t += 1000000) {
		assert_int_equal(line(1, 1000000, t), t + 1000000);
		assert_int_equal(line(1, -1000000, t), t - 1000000);
		assert_int_equal(line(1, 0, t), t);
	}
}

/* At most 2 ns from the exact value wherever one starts, never decreasing, and the same again after
 * a walk elsewhere. (Slopes from 0 to 9 are maps; clocks have none beyond.) */
static void exact_and_repeatable(void **state)
{
	(void)state;
	static const double slopes[] = { 1e-9, 1e-3, 0.999941378, 1, 1.000058625, 3.14159265358979,
		8.5 };
	for (size_t i = 0; i < sizeof(slopes) / sizeof(slopes[0]); i++)
		for (int64_t start = 0; start < (INT64_C(1) << 58);
			start = start * 3 + 12345678901) {
			int64_t before = INT64_MIN;
			for (int64_t t = start; t < start + 2000; t += 7) {
				int64_t at = line(slopes[i], 0, t);
				/* What the nearest slope in units of 2^-60 gives. */
				long double rate = (long double)(int64_t)((slopes[i] - 1) * 0x1p60);
				long double exact = (long double)t * (1 + rate * 0x1p-60L);
				assert_true(fabsl((long double)at - exact) <= 2);
				assert_true(at >= before);
				before = at;
			}
			assert_int_equal(line(slopes[i], 0, start), line(slopes[i], 0, start));
		}
}

/* What cannot be a clock is refused: it would run backwards. */
static void illegal(void **state)
{
	(void)state;
	struct trace_clock_piece p = { 0, 0, INT64_MIN };
	struct trace_clock_map m = { &p, 1 };
	struct mer_err err;
	assert_int_not_equal(trace_check_map(&m, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear),
		cmocka_unit_test(composed),
		cmocka_unit_test(constant),
		cmocka_unit_test(exact_and_repeatable),
		cmocka_unit_test(illegal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
