/* Courses: composed, inverted and averaged ones say at every time what the definition says; fewer
 * knots stay within the tolerance; a map is the course to the nanosecond and never decreases. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random.h"
#include "sync/estimate/course.h"

static const int64_t EPOCH = 1700000000000000000;

/* Knots up to gap_ns apart, slopes up to rate; offsets of any size. */
static void make(struct sync_course *c, int64_t begin, int64_t gap_ns, double rate, long double off,
	uint64_t *seed)
{
	*c = (struct sync_course){ 0 };
	int64_t n = random_in(seed, 0, 12);
	for (int64_t i = 0, t = begin; i < n; i++) {
		assert_int_equal(sync_course_add(c, t, off, NULL), 0);
		int64_t dt = random_in(seed, 1, gap_ns);
		t += dt;
		off += (long double)dt * rate * (long double)random_in(seed, -1000, 1000) / 1000;
	}
}

/* Without any search: the piece that holds t, or the outermost one. */
static long double plain_at(const struct sync_course *c, int64_t t)
{
	if (c->n < 2)
		return c->n ? c->knots[0].off : 0;
	size_t i = 0;
	while (i + 2 < c->n && c->knots[i + 1].t <= t)
		i++;
	const struct sync_course_knot *a = &c->knots[i], *b = a + 1;
	return a->off + (b->off - a->off) * ((long double)t - (long double)a->t) /
				((long double)b->t - (long double)a->t);
}

/* Offsets of decades leave long doubles a tenth of a nanosecond; what is rounded to whole ones on
 * the way costs so much of one as the slopes are steep. */
static void assert_near(long double a, long double b, long double most, uint64_t number)
{
	if (!(fabsl(a - b) <= most))
		fail_msg("case %" PRIu64 ": %.4Lf, not %.4Lf", number, a, b);
}

static void at(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 2000; k++) {
		uint64_t seed = k;
		struct sync_course c;
		make(&c, k & 1 ? EPOCH : 0, 1000000, 0.5, (long double)random_in(&seed, -99, 99),
			&seed);
		size_t forward = 0, any = 0;
		int64_t from = (k & 1 ? EPOCH : 0) - 1000000, t = from;
		for (int i = 0; i < 50; i++) {
			t += random_in(&seed, 0, 300000);
			int64_t u = from + random_in(&seed, 0, 14000000);
			assert_near(sync_course_at(&c, t, &forward), plain_at(&c, t), 1e-3L, k);
			assert_near(sync_course_at(&c, u, &any), plain_at(&c, u), 1e-3L, k);
			assert_near(sync_course_at(&c, u, NULL), plain_at(&c, u), 1e-3L, k);
		}
		sync_course_free(&c);
	}
}

static void composed(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		double rate = k % 3 == 0 ? 1e-4 : k % 3 == 1 ? 1e-2 : 0.3;
		int64_t gap = k & 1 ? 1000000000 : 3600000000000;
		/* Clocks that count from their boot, or from 1970. */
		long double off = (long double)random_in(&seed, -1000000000, 1000000000) +
				  (k & 2 ? EPOCH : 0);
		struct sync_course inner, outer, c;
		make(&inner, 1000000000, gap, rate, off, &seed);
		make(&outer, 1000000000 + (int64_t)off, gap, rate, -off, &seed);
		assert_int_equal(sync_course_compose(&inner, &outer, &c, NULL), 0);
		/* Between knots, next to them, and outside. */
		for (int i = 0; i < 40; i++) {
			int64_t t = random_in(&seed, -2 * gap, 14 * gap);
			if (i % 2 && inner.n)
				t = inner.knots[random_next(&seed) % inner.n].t +
				    random_in(&seed, -1, 1);
			long double own = plain_at(&inner, t);
			long double whole = own + plain_at(&outer, (int64_t)llroundl(t + own));
			/* Outside the outermost slopes go on, which are those of two whole
			 * nanoseconds where knots are close. */
			if (c.n && t >= c.knots[0].t && t <= c.knots[c.n - 1].t)
				assert_near(sync_course_at(&c, t, NULL), whole, 2, k);
		}
		assert_true(c.n <= inner.n + outer.n);
		for (size_t i = 1; i < c.n; i++)
			assert_true(c.knots[i - 1].t < c.knots[i].t);
		sync_course_free(&inner);
		sync_course_free(&outer);
		sync_course_free(&c);
	}
}

static void inverted(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		int64_t gap = k & 1 ? 1000000000 : 3600000000000;
		long double off = (long double)random_in(&seed, -1000000000, 1000000000) +
				  (k & 2 ? EPOCH : 0);
		struct sync_course c, back;
		make(&c, 1000000000, gap, k % 3 ? 1e-4 : 0.3, off, &seed);
		assert_int_equal(sync_course_invert(&c, &back, NULL), 0);
		for (int i = 0; i < 40 && c.n; i++) {
			int64_t t = random_in(&seed, c.knots[0].t, c.knots[c.n - 1].t);
			long double there = plain_at(&c, t);
			assert_near(sync_course_at(&back, (int64_t)llroundl(t + there), NULL),
				-there, 2, k);
		}
		sync_course_free(&c);
		sync_course_free(&back);
	}
}

/* A clock that is set back shows times twice: the first time counts, and at once after it what came
 * the second time, however far away its knots are. */
static void inverted_and_set_back(void **state)
{
	(void)state;
	struct sync_course c = { 0 }, back;
	sync_course_add(&c, 0, 0, NULL);
	sync_course_add(&c, 1000, 0, NULL);
	sync_course_add(&c, 1001, -500, NULL); /* shows 501 again */
	sync_course_add(&c, 3000, -500, NULL);
	assert_int_equal(sync_course_invert(&c, &back, NULL), 0);
	static const struct {
		int64_t t;
		long double off;
	} expected[] = { { 0, 0 }, { 700, 0 }, { 1000, 0 }, { 1001, 500 }, { 1700, 500 },
		{ 2500, 500 } };
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_near(sync_course_at(&back, expected[i].t, NULL), expected[i].off, 1e-6L, i);
	sync_course_free(&c);
	sync_course_free(&back);
}

static void averaged(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 2000; k++) {
		uint64_t seed = k;
		enum { MAX = 4 };
		struct sync_course in[MAX], c;
		const struct sync_course *list[MAX];
		double weights[MAX];
		size_t n = 1 + random_next(&seed) % MAX;
		for (size_t i = 0; i < n; i++) {
			make(&in[i], random_in(&seed, 0, 3000000000), 1000000000, 1e-3,
				(long double)(k & 1 ? EPOCH : 0), &seed);
			/* No knots are an offset of 0; not to be averaged with one of decades. */
			if (in[i].n == 0 && k & 1)
				assert_int_equal(sync_course_add(&in[i], 0, EPOCH, NULL), 0);
			list[i] = &in[i];
			weights[i] = (double)random_in(&seed, 1, 1000) / 100;
		}
		assert_int_equal(sync_course_mean(list, weights, n, &c, NULL), 0);
		for (int i = 0; i < 40 && c.n; i++) {
			int64_t t = random_in(&seed, c.knots[0].t, c.knots[c.n - 1].t);
			long double sum = 0, all = 0;
			for (size_t j = 0; j < n; j++) {
				sum += weights[j] * plain_at(&in[j], t);
				all += weights[j];
			}
			assert_near(sync_course_at(&c, t, NULL), sum / all, 2, k);
		}
		for (size_t i = 0; i < n; i++)
			sync_course_free(&in[i]);
		sync_course_free(&c);
	}
}

static void simplified(void **state)
{
	(void)state;
	size_t before = 0, after = 0;
	for (uint64_t k = 0; k < 2000; k++) {
		uint64_t seed = k;
		static const long double tolerances[] = { 0, 0.5L, 10, 1000 };
		long double tolerance = tolerances[k % 4], off = k & 4 ? EPOCH : 0;
		struct sync_course c = { 0 };
		int64_t n = random_in(&seed, 0, 200), t = k & 8 ? EPOCH : 0;
		struct sync_course_knot all[200];
		for (int64_t i = 0; i < n; i++) {
			t += random_in(&seed, 1, 1000000);
			off += (long double)random_in(&seed, -1000, 1000) * tolerance / 2000;
			assert_int_equal(sync_course_add(&c, t, off, NULL), 0);
			all[i] = c.knots[i];
		}
		sync_course_simplify(&c, tolerance);
		before += (size_t)n;
		after += c.n;
		/* Every knot that was is still nearly met; those left are some of them. */
		size_t next = 0;
		for (int64_t i = 0; i < n; i++) {
			assert_near(plain_at(&c, all[i].t), all[i].off, tolerance + 0.2L, k);
			if (next < c.n && c.knots[next].t == all[i].t)
				assert_true(c.knots[next++].off == all[i].off);
		}
		assert_int_equal(next, c.n);
		if (n)
			assert_true(c.knots[0].t == all[0].t && c.knots[c.n - 1].t == all[n - 1].t);
		sync_course_free(&c);
	}
	assert_true(after < before / 2);
}

static void mapped(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		int64_t gap = k & 1 ? 1000000 : 86400000000000, begin = k & 2 ? EPOCH : 0;
		struct sync_course c;
		make(&c, begin, gap, k % 3 ? 1e-3 : 0.9,
			(long double)random_in(&seed, -1000000000, 1000000000) / 3 +
				(k & 4 ? -begin / 2 : 0),
			&seed);
		struct mer_arena arena;
		struct trace_clock_map map;
		struct mer_err err = { 0 };
		mer_arena_init(&arena);
		assert_int_equal(sync_course_map(&c, &arena, &map, &err), 0);
		if (trace_check_map(&map, &err))
			fail_msg("case %" PRIu64 ": %s", k, err.text);
		int64_t t = begin - gap, last = INT64_MIN;
		for (int i = 0; i < 200 && c.n; i++) {
			int64_t time = trace_map_time(&map, t);
			assert_true(time >= last);
			if (t >= c.knots[0].t && t <= c.knots[c.n - 1].t)
				assert_near((long double)time, t + plain_at(&c, t), 1.51L, k);
			last = time;
			/* Now and then the very next nanosecond. */
			t += i & 1 ? 1 : random_in(&seed, 0, gap / 8);
		}
		for (size_t i = 0; i < c.n; i++)
			assert_near((long double)trace_map_time(&map, c.knots[i].t),
				c.knots[i].t + c.knots[i].off, 0.6L, k);
		mer_arena_fini(&arena);
		sync_course_free(&c);
	}
}

/* Steeper than a map can be, and backwards: what comes out is a map all the same. */
static void any_knots(void **state)
{
	(void)state;
	static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1,
		INT64_MAX };
	for (uint64_t k = 0; k < 5000; k++) {
		uint64_t seed = k;
		struct sync_course c = { 0 };
		int64_t t[8];
		for (int i = 0; i < 8; i++)
			t[i] = k & 1 ? ends[random_next(&seed) % 7] : (int64_t)random_next(&seed);
		for (int i = 0; i < 8; i++) /* those that come too early are not taken */
			assert_int_equal(sync_course_add(&c, t[i],
						 (long double)(int64_t)random_next(&seed) *
							 (k & 2		 ? 1e-15L
								 : k & 4 ? 1
									 : 1e3L),
						 NULL),
				0);
		struct mer_arena arena;
		struct trace_clock_map map;
		struct mer_err err = { 0 };
		mer_arena_init(&arena);
		assert_int_equal(sync_course_map(&c, &arena, &map, &err), 0);
		if (trace_check_map(&map, &err))
			fail_msg("case %" PRIu64 ": %s", k, err.text);
		struct sync_course twice, back;
		assert_int_equal(sync_course_compose(&c, &c, &twice, NULL), 0);
		assert_int_equal(sync_course_invert(&c, &back, NULL), 0);
		sync_course_simplify(&twice, 1);
		sync_course_free(&c);
		sync_course_free(&twice);
		sync_course_free(&back);
		mer_arena_fini(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at),
		cmocka_unit_test(composed),
		cmocka_unit_test(inverted),
		cmocka_unit_test(inverted_and_set_back),
		cmocka_unit_test(averaged),
		cmocka_unit_test(simplified),
		cmocka_unit_test(mapped),
		cmocka_unit_test(any_knots),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
