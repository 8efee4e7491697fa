/* Decimals: the digits of Java's BigDecimal with MathContext.DECIMAL128, as in published lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sync/classic/decimal.h"

static void assert_text(const struct sync_decimal *d, const char *want)
{
	char text[SYNC_DECIMAL_TEXT];
	sync_decimal_text(d, text);
	assert_string_equal(text, want);
}

static struct sync_decimal quotient(int64_t a, int64_t b)
{
	struct sync_decimal x = sync_decimal_int(a), y = sync_decimal_int(b);
	return sync_decimal_div(&x, &y);
}

static void quotients(void **state)
{
	(void)state;
	static const struct {
		int64_t a, b;
		const char *want;
	} rows[] = {
		{ 1, 3, "0.3333333333333333333333333333333333" },
		{ 2, 3, "0.6666666666666666666666666666666667" },
		{ -2, 3, "-0.6666666666666666666666666666666667" },
		{ 200, 3, "66.66666666666666666666666666666667" },
		{ 1, 8, "0.125" },
		{ 10, -4, "-2.5" },
		{ 100, 5, "20" },
		{ 0, -7, "0" },
		{ 1, 1000000, "0.000001" },
		{ 1, 10000000, "1E-7" },
		{ 12, 100000000, "1.2E-7" },
		{ INT64_MIN, 1, "-9223372036854775808" },
		{ INT64_MAX, INT64_MIN, "-0.9999999999999999998915797827514496" },
		{ 106287786, 106568031, "0.9973702713903009055314158896301650" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sync_decimal q = quotient(rows[i].a, rows[i].b);
		assert_text(&q, rows[i].want);
	}
}

/* Products and halves of more than 34 digits: ties go to the even digit, carries to the front. */
static void rounding(void **state)
{
	(void)state;
	struct sync_decimal e17 = sync_decimal_int(100000000000000000);
	struct sync_decimal big = sync_decimal_mul(&e17, &e17); /* 10^34: 35 digits */
	assert_text(&big, "1.000000000000000000000000000000000E+34");
	struct sync_decimal one = sync_decimal_int(1), three = sync_decimal_int(3);
	struct sync_decimal odd = sync_decimal_sub(&big, &one); /* 34 nines, exact */
	assert_text(&odd, "9999999999999999999999999999999999");
	struct sync_decimal half = sync_decimal_half(&odd); /* ...9.5: to even */
	assert_text(&half, "5000000000000000000000000000000000");
	struct sync_decimal less = sync_decimal_sub(&odd, &three);
	less = sync_decimal_sub(&less, &one);
	less = sync_decimal_add(&less, &three);
	half = sync_decimal_half(&less); /* 99...98 */
	assert_text(&half, "4999999999999999999999999999999999");
	less = sync_decimal_sub(&less, &one);
	half = sync_decimal_half(&less); /* 49...98.5 */
	assert_text(&half, "4999999999999999999999999999999998");
	/* Exact sums, whatever the distance. */
	struct sync_decimal third = quotient(1, 3), sum = sync_decimal_add(&big, &third);
	assert_text(&sum, "10000000000000000000000000000000000.3333333333333333333333333333333333");
	sum = sync_decimal_sub(&sum, &big);
	assert_text(&sum, "0.3333333333333333333333333333333333");
	sum = sync_decimal_sub(&sum, &third);
	assert_text(&sum, "0E-34");
	sum = sync_decimal_strip(sum);
	assert_text(&sum, "0");
	struct sync_decimal q = quotient(106287786, 106568031);
	q = sync_decimal_strip(q);
	assert_text(&q, "0.997370271390300905531415889630165");
}

/* Against whole numbers that a double holds exactly: sums, products, floors, signs. */
static void small_numbers(void **state)
{
	(void)state;
	for (int64_t a = -30; a <= 30; a++)
		for (int64_t b = -30; b <= 30; b++) {
			struct sync_decimal x = sync_decimal_int(a), y = sync_decimal_int(b);
			struct sync_decimal r[3] = { sync_decimal_add(&x, &y),
				sync_decimal_sub(&x, &y), sync_decimal_mul(&x, &y) };
			int64_t want[3] = { a + b, a - b, a * b }, v;
			for (int i = 0; i < 3; i++) {
				assert_true(sync_decimal_floor(&r[i], &v));
				assert_int_equal(v, want[i]);
			}
			if (b) {
				x = sync_decimal_div(&x, &y);
				assert_true(sync_decimal_floor(&x, &v));
				assert_int_equal(v, a / b - (a % b != 0 && (a < 0) != (b < 0)));
			}
		}
}

static void floors(void **state)
{
	(void)state;
	int64_t v = 0;
	struct sync_decimal min = sync_decimal_int(INT64_MIN), max = sync_decimal_int(INT64_MAX);
	struct sync_decimal tenth = quotient(1, 10), d;
	assert_true(sync_decimal_floor(&min, &v));
	assert_int_equal(v, INT64_MIN);
	d = sync_decimal_sub(&min, &tenth);
	assert_false(sync_decimal_floor(&d, &v));
	d = sync_decimal_add(&min, &tenth);
	assert_true(sync_decimal_floor(&d, &v));
	assert_int_equal(v, INT64_MIN);
	d = sync_decimal_add(&max, &tenth);
	assert_true(sync_decimal_floor(&d, &v));
	assert_int_equal(v, INT64_MAX);
	d = sync_decimal_negate(max);
	d = sync_decimal_sub(&d, &tenth);
	assert_true(sync_decimal_floor(&d, &v));
	assert_int_equal(v, INT64_MIN);
	struct sync_decimal one = sync_decimal_int(1);
	d = sync_decimal_add(&max, &one);
	assert_false(sync_decimal_floor(&d, &v));
	d = sync_decimal_mul(&max, &max);
	assert_false(sync_decimal_floor(&d, &v));
	d = quotient(1, INT64_MAX);
	d = sync_decimal_negate(d);
	assert_true(sync_decimal_floor(&d, &v));
	assert_int_equal(v, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotients),
		cmocka_unit_test(rounding),
		cmocka_unit_test(small_numbers),
		cmocka_unit_test(floors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
