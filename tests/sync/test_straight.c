/* Straight: the lines between limits, which of them is taken, and when a clock certainly bent. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sync/estimate/straight.h"
#include "random.h"

enum { MOST = 4000 };
static const double RATE = 1e6; /* 1000 ppm */

struct limits {
	struct sync_straight_point p[MOST];
	size_t n;
};

static void add(struct limits *l, double t, double y, double side)
{
	l->p[l->n++] = (struct sync_straight_point){ t, y, side };
}

static struct sync_straight line_of(const struct limits *l, double max_rate, bool expected)
{
	struct sync_straight s;
	struct mer_err err;
	bool fits;
	assert_int_equal(sync_straight(l->p, l->n, max_rate, &s, &fits, &err), 0);
	assert_int_equal(fits, expected);
	return s;
}

static void near(double a, double b, double by)
{
	if (!(fabs(a - b) <= by))
		fail_msg("%g, not %g", a, b);
}

/* Four messages at the corners: the bisector of the two diagonals. */
static void bisector(void **state)
{
	(void)state;
	struct limits l = { .n = 0 };
	add(&l, 0, 100, 1);
	add(&l, 0, -100, -1);
	add(&l, 10, 400, 1);
	add(&l, 10, 0, -1);
	struct sync_straight s = line_of(&l, RATE, true);
	near(s.steepest, 50, 1e-6);
	near(s.flattest, -10, 1e-6);
	near(s.rate, 20, 1e-3);
	near(s.offset, 0, 1e-3);
	near(s.gap, 200, 1e-6);
	assert_false(s.bends);
	/* Not more than the limit of the rate. */
	s = line_of(&l, 5, true);
	near(s.steepest, 5, 1e-9);
	near(s.flattest, -5, 1e-9);
}

/* One corner of the four is cut off by two more messages: the mean of all lines moves away from it,
 * where the bisector moves as far as the corner was. */
static void mean_of_all(void **state)
{
	(void)state;
	struct limits l = { .n = 0 };
	add(&l, 0, 100, 1);
	add(&l, 0, -100, -1);
	add(&l, 5, 50, 1);
	add(&l, 10, 100, 1);
	add(&l, 10, -100, -1);
	struct sync_straight s = line_of(&l, RATE, true);
	/* With the offsets y at both ends: the square of -100..100, without the triangle where
	 * their sum is above 100. Its area is 5000 of 40000, its middle at 200/3. */
	double y = -5000 * 200.0 / 3 / 35000;
	near(s.offset, y, 0.05);
	near(s.offset + 10 * s.rate, y, 0.05);
}

/* Limits that no line passes; what is missing. */
static void none(void **state)
{
	(void)state;
	struct limits l = { .n = 0 };
	add(&l, 0, 0, 1);
	add(&l, 5, 80, -1);
	add(&l, 10, 0, 1);
	near(line_of(&l, RATE, false).gap, -80, 1e-3);
	/* On one side only nothing is between. */
	l.n = 1;
	line_of(&l, RATE, false);
}

/* Where the rate may be nearly anything, it is drawn to 0; not beyond what the limits allow. */
static void short_traffic(void **state)
{
	(void)state;
	struct limits l = { .n = 0 };
	add(&l, 0, 100, 1);
	add(&l, 0, -100, -1);
	add(&l, 1e-4, 190, 1);
	add(&l, 1e-4, -100, -1);
	struct sync_straight s = line_of(&l, RATE, true);
	assert_true(s.steepest == RATE && s.flattest == -RATE);
	/* By x = offset(end) - offset(0), a line's rate: the mean of x over -100..100 ns, weighed
	 * by the gap 200 + x below 0, 200 up to 90, 290 - x beyond; three quarters of it. */
	near(s.rate, 0.75 * 328500 / 34950 * 1e4, 50);
	l.n = 0;
	add(&l, 0, 100, 1);
	add(&l, 0, -100, -1);
	add(&l, 1e-3, 500, 1);
	add(&l, 1e-3, -100, -1);
	s = line_of(&l, RATE, true);
	near(s.flattest, -200e3, 1);
	near(s.steepest, 600e3, 1);
	/* 800 of 1000 ppm are open. */
	near(s.rate, 200e3 / (1 + 0.64 / 12), 1);
	near(s.offset + s.rate * 0.25e-3, 50, 1);
}

/* Messages of a clock with delays of a floor and more; the clock is moved by bend * sin, the floors
 * by stray. */
static void make(
	struct limits *l, size_t n, double jitter, double bend, double stray, uint64_t seed)
{
	l->n = 0;
	for (size_t i = 0; i < n; i++) {
		double t = (double)i / (double)n * 600, truth = 20e3 * t + bend * sin(t / 100);
		for (int k = 0; k < 2; k++) {
			double u = (double)random_in(&seed, 1, 1000000) / 1e6;
			double extra = stray * (1 + sin(t / (k ? 37 : 61) + k));
			double delay = 40e3 - jitter * log(u) + extra;
			add(l, t, truth + (k ? -delay : delay), k ? -1 : 1);
		}
	}
}

/* Both sides move together when the clock bends, and on their own when latencies vary. */
static void bends(void **state)
{
	(void)state;
	static struct limits l;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		make(&l, 1500, 20e3, 0, 0, seed);
		struct sync_straight s = line_of(&l, RATE, true);
		assert_false(s.bends);
		near(s.rate, 20e3, 30);
		make(&l, 1500, 20e3, 0, 30e3, seed);
		assert_false(line_of(&l, RATE, true).bends);
		make(&l, 1500, 20e3, 15e3, 0, seed);
		assert_true(line_of(&l, RATE, true).bends);
	}
}

/* Where all the time messages take hardly more than the least latency, the widest gap is better. */
static void sharp(void **state)
{
	(void)state;
	static struct limits l;
	double widest = 0;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		make(&l, 1900, 20e3, 0, 0, seed);
		struct sync_straight s = line_of(&l, RATE, true);
		double up = INFINITY, down = INFINITY;
		for (size_t i = 0; i < l.n; i++) {
			double d = (l.p[i].y - s.rate * l.p[i].t - s.offset) * l.p[i].side;
			*(l.p[i].side > 0 ? &up : &down) = fmin(l.p[i].side > 0 ? up : down, d);
		}
		near(up + down, s.gap, 1);
		near(up, down, 1);
		widest += s.gap;
	}
	assert_true(widest > 20 * 80e3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bisector),
		cmocka_unit_test(mean_of_all),
		cmocka_unit_test(none),
		cmocka_unit_test(short_traffic),
		cmocka_unit_test(bends),
		cmocka_unit_test(sharp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
