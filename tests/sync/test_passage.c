/* Lines that pass between limits: the gap along each rate is what the limits say one by one, the
 * range of lines is that of a search through all of them; and where a clock can be at an
 * instant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "sync/estimate/passage.h"
#include "sync/estimate/reach.h"

enum { MOST = 40 };

static uint64_t seed = 1;

static double any(double below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / (double)(1ull << 53) * below;
}

/* Limits around a line, of which some are equal in time. */
static size_t make(struct sync_straight_point *p, double rate, double offset, double least)
{
	size_t n = 4 + (size_t)any(MOST - 4);
	double t = 0;
	for (size_t i = 0; i < n; i++) {
		double side = i < 2 ? (i ? 1 : -1) : any(2) < 1 ? 1 : -1;
		t += any(3) < 1 ? 0 : any(1);
		p[i] = (struct sync_straight_point){ t,
			offset + rate * t + side * (least + any(50)), side };
	}
	return n;
}

static void fill(struct sync_passage *h, const struct sync_straight_point *p, size_t n, double zero)
{
	sync_passage_clear(h);
	for (size_t i = 0; i < n; i++)
		sync_passage_add(h, &p[i], zero);
}

/* How far apart the nearest limits of both sides are along a rate. */
static struct sync_gap gap_of(
	const struct sync_straight_point *p, size_t n, double zero, double rate)
{
	double up = INFINITY, down = INFINITY;
	for (size_t i = 0; i < n; i++) {
		double y = p[i].y - rate * (p[i].t - zero);
		if (p[i].side > 0)
			up = fmin(up, y);
		else
			down = fmin(down, -y);
	}
	return (struct sync_gap){ up + down, (up - down) / 2 };
}

static void near(double a, double b, double by)
{
	assert_true(fabs(a - b) <= by);
}

static void gaps(void **state)
{
	(void)state;
	for (int round = 0; round < 100; round++) {
		struct sync_straight_point p[MOST];
		struct sync_passage h;
		struct mer_err err = { 0 };
		double zero = any(10);
		size_t n = make(p, any(20) - 10, any(100), any(10) - 5);
		assert_int_equal(sync_passage_new(&h, n, &err), 0);
		fill(&h, p, n, zero);
		for (double rate = -40; rate <= 40; rate += 2.5) {
			struct sync_gap found = sync_passage_gap(&h, rate);
			struct sync_gap expected = gap_of(p, n, zero, rate);
			near(found.size, expected.size, 1e-7);
			near(found.middle, expected.middle, 1e-7);
		}
		double widest = sync_passage_widest(&h, -40, 40);
		double size = sync_passage_gap(&h, widest).size;
		for (double rate = -40; rate <= 40; rate += 0.5)
			assert_true(sync_passage_gap(&h, rate).size <= size + 1e-6);
		sync_passage_free(&h);
		assert_null(h.side[0].p);
	}
}

/* All rates and offsets at which a line passes. */
static void ranges(void **state)
{
	(void)state;
	for (int round = 0; round < 60; round++) {
		struct sync_straight_point p[MOST];
		struct sync_passage h;
		struct sync_passage_range r;
		struct mer_err err = { 0 };
		double zero = any(10), high = -INFINITY, low = INFINITY;
		size_t n = make(p, any(20) - 10, any(100), any(10) - 2);
		assert_int_equal(sync_passage_new(&h, n, &err), 0);
		fill(&h, p, n, zero);
		bool passes = sync_passage_range(&h, -30, 30, &r), any_passes = false;
		for (double rate = -30; rate <= 30; rate += 0.01) {
			struct sync_gap g = gap_of(p, n, zero, rate);
			if (g.size < 0)
				continue;
			any_passes = true;
			high = fmax(high, g.middle + g.size / 2);
			low = fmin(low, g.middle - g.size / 2);
			assert_true(passes);
			assert_true(rate >= r.flattest - 1e-3 && rate <= r.steepest + 1e-3);
		}
		assert_true(!any_passes || passes);
		if (passes) {
			assert_true(gap_of(p, n, zero, r.flattest).size >= -1e-6);
			assert_true(gap_of(p, n, zero, r.steepest).size >= -1e-6);
			assert_true(r.flattest >= -30 && r.steepest <= 30);
			assert_true(r.low <= r.high + 1e-6);
		}
		if (any_passes) {
			assert_true(r.high >= high - 1e-3 && r.low <= low + 1e-3);
			near(r.high, high, 0.5);
			near(r.low, low, 0.5);
		}
		sync_passage_free(&h);
	}
}

static void nothing_passes(void **state)
{
	static const struct sync_straight_point crossed[] = { { 0, 10, 1 }, { 0, 20, -1 },
		{ 1, 10, 1 }, { 1, 20, -1 } },
						just[] = { { 0, 10, 1 }, { 0, 10, -1 } };
	struct sync_passage h;
	struct sync_passage_range r;
	struct mer_err err = { 0 };
	(void)state;
	assert_int_equal(sync_passage_new(&h, 4, &err), 0);
	assert_false(sync_passage_range(&h, -1, 1, &r)); /* no limits at all */
	fill(&h, crossed, 4, 0);
	assert_false(sync_passage_range(&h, -1, 1, &r));
	fill(&h, crossed, 1, 0); /* of one side alone */
	assert_false(sync_passage_range(&h, -1, 1, &r));
	fill(&h, just, 2, 0);
	assert_true(sync_passage_range(&h, -1, 1, &r));
	near(r.low, 10, 1e-9);
	near(r.high, 10, 1e-9);
	near(r.flattest, -1, 1e-9);
	near(r.steepest, 1, 1e-9);
	sync_passage_free(&h);
}

/* From a rate with a wide gap to where it becomes too narrow, or to the end. */
static void last_rates(void **state)
{
	/* The gap along rate r is 20 - 2|r|. */
	static const struct sync_straight_point p[] = { { -1, 10, 1 }, { -1, -10, -1 },
		{ 1, 10, 1 }, { 1, -10, -1 } };
	struct sync_passage h;
	struct mer_err err = { 0 };
	(void)state;
	assert_int_equal(sync_passage_new(&h, 4, &err), 0);
	fill(&h, p, 4, 0);
	near(sync_passage_last(&h, 0, 0, 50), 10, 1e-6);
	near(sync_passage_last(&h, 0, 0, -50), -10, 1e-6);
	near(sync_passage_last(&h, 10, 0, 50), 5, 1e-6);
	near(sync_passage_last(&h, 0, 0, 7), 7, 0);
	near(sync_passage_last(&h, 0, 0, 10), 10, 0);
	near(sync_passage_widest(&h, -50, 50), 0, 1e-6);
	sync_passage_free(&h);
}

/* ---- reach ---- */

static void straight(void **state)
{
	const struct sync_smooth_node nodes[] = { { .t = 0, .y = 10, .side = 1 },
		{ .t = 0, .y = -10, .side = -1 }, { .t = 10, .y = 10, .side = 1 },
		{ .t = 10, .y = -10, .side = -1 } };
	const struct sync_reach_options o = { .flattest = -9, .steepest = 9, .straight = true };
	struct sync_reach at[] = { { .t = 0 }, { .t = 5 }, { .t = 10 }, { .t = 20 } };
	struct mer_err err = { 0 };
	(void)state;
	assert_int_equal(sync_reach(nodes, 4, &o, at, 4, &err), 0);
	for (int i = 0; i < 4; i++) {
		assert_true(at[i].known);
		near(at[i].range.high, i < 3 ? 10 : 30, 1e-3);
		near(at[i].range.low, i < 3 ? -10 : -30, 1e-3);
		near(at[i].range.flattest, -2, 1e-3);
		near(at[i].range.steepest, 2, 1e-3);
	}
	/* Of one side alone nothing is known. */
	assert_int_equal(sync_reach(nodes, 1, &o, at, 1, &err), 0);
	assert_false(at[0].known);
	assert_int_equal(sync_reach(nodes, 0, &o, at, 1, &err), 0);
	assert_false(at[0].known);
}

/* Where the rate walks, a limit holds the wider the farther it lies: by twice what a walk of that
 * strength may have gone, the third of the strength times the cube of the time; too wide ones are
 * left out. */
static void walking(void **state)
{
	const struct sync_smooth_node nodes[] = { { .t = 0, .y = 0, .side = 1, .walk = 3 },
		{ .t = 0, .y = 0, .side = -1, .walk = 3 } };
	const struct sync_reach_options o = { .flattest = 0, .steepest = 0, .far = 20 };
	(void)state;
	for (int way = -1; way <= 1; way += 2) {
		struct sync_reach at[] = { { .t = 0 }, { .t = way }, { .t = 4 * way },
			{ .t = 5 * way } };
		struct mer_err err = { 0 };
		assert_int_equal(sync_reach(nodes, 2, &o, at, 4, &err), 0);
		assert_true(at[0].known && at[1].known && at[2].known);
		assert_false(at[3].known); /* 2 * sqrt(125) */
		near(at[0].range.high, 0, 1e-6);
		near(at[1].range.high, 2, 1e-6);
		near(at[1].range.low, -2, 1e-6);
		near(at[2].range.high, 16, 1e-6);
		near(at[2].range.low, -16, 1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps),
		cmocka_unit_test(ranges),
		cmocka_unit_test(nothing_passes),
		cmocka_unit_test(last_rates),
		cmocka_unit_test(straight),
		cmocka_unit_test(walking),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
