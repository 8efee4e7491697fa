/* Lines: at each moment the range is that of all straight lines that keep the limits of a window,
 * as trying every pair of limits finds it; and a clock that is straight lies in all of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random.h"
#include "sync/vcpu/lines.h"

enum { PLACES = 8, MAX_POINTS = 2000 };

struct limits {
	struct sync_point p[2][MAX_POINTS]; /* upper, lower */
	size_t n[2];
};

struct line_limit { /* value at the moment <= y - b dx, or >= where sign is -1 */
	double dx, y;
	int sign;
};

/* What is left by all limits for a line of slope b; false: nothing. */
static bool values_of(
	const struct line_limit *limits, size_t n, double b, double *low, double *high)
{
	*low = -INFINITY;
	*high = INFINITY;
	for (size_t i = 0; i < n; i++) {
		double v = limits[i].y - b * limits[i].dx;
		if (limits[i].sign > 0)
			*high = fmin(*high, v);
		else
			*low = fmax(*low, v);
	}
	return *low <= *high + 1e-3;
}

/* The outermost values lie where two limits meet, or at the largest slopes. */
static bool try_all(
	const struct line_limit *limits, size_t n, double rate, double *low, double *high)
{
	bool any = false;
	double l, h;
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++) {
			if (i != j && limits[i].dx == limits[j].dx)
				continue;
			double b = i == j ? (i % 2 ? rate : -rate)
					  : (limits[i].y - limits[j].y) /
						    (limits[i].dx - limits[j].dx);
			if (!(fabs(b) <= rate) || !values_of(limits, n, b, &l, &h))
				continue;
			any = true;
			*low = fmin(*low, l);
			*high = fmax(*high, h);
		}
	return any;
}

/* Of many limits of one side, by dx: only those that no line between two others passes. */
static size_t keep_corners(struct line_limit *in, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (kept && in[kept - 1].dx == in[i].dx) {
			if ((in[i].y - in[kept - 1].y) * in[i].sign >= 0)
				continue;
			kept--;
		}
		while (kept >= 2 && (in[kept - 1].y - in[kept - 2].y) *
						    (in[i].dx - in[kept - 2].dx) * in[i].sign >=
					    (in[i].y - in[kept - 2].y) *
						    (in[kept - 1].dx - in[kept - 2].dx) *
						    in[i].sign)
			kept--;
		in[kept++] = in[i];
	}
	return kept;
}

/* By hand: as lines.h says, of all eight windows. */
static bool range_at(const struct limits *m, bool is_dense, int64_t x, int64_t base,
	const struct sync_lines_options *o, double *low, double *high)
{
	int64_t part = o->steady_ns / PLACES;
	bool any = false;
	*low = INFINITY;
	*high = -INFINITY;
	for (int k = 0; k < PLACES; k++) {
		static struct line_limit in[2 * MAX_POINTS];
		size_t n = 0, of[2] = { 0, 0 };
		for (int s = 0; s < 2; s++) {
			size_t begin = n;
			for (size_t i = 0; i < m->n[s]; i++) {
				const struct sync_point *p = &m->p[s][i];
				int sign = s ? -1 : 1;
				if (p->x < x - k * part || p->x >= x + (PLACES - 1 - k) * part)
					continue;
				of[s]++;
				in[n++] = (struct line_limit){ (double)(p->x - x),
					(double)(p->y - base) +
						sign * o->wander * fabs((double)(p->x - x)),
					sign };
			}
			if (is_dense)
				n = begin + keep_corners(in + begin, n - begin);
		}
		double l, h;
		if (!of[0] || !of[1])
			return false;
		if (!try_all(in, n, o->max_rate, &l, &h))
			continue;
		any = true;
		*low = fmin(*low, l);
		*high = fmax(*high, h);
	}
	return any;
}

/* A clock that goes at one rate, or, with `turn`, at another one from half of the time on. */
static double truth(int64_t x, int64_t half, double rate, double turn)
{
	return (double)x * rate + (x > half ? (double)(x - half) * turn : 0);
}

/* Limits around it, further apart at some times than at others, some at the same moment, and in
 * places none at all. */
static void make(struct limits *m, uint64_t *seed, int64_t length, double rate, double turn,
	int64_t widest, size_t most)
{
	int64_t gap = random_in(seed, 0, 3) ? length : random_in(seed, 0, length);
	for (int s = 0; s < 2; s++) {
		int64_t x = random_in(seed, 0, length / 50);
		m->n[s] = 0;
		while (x < length && m->n[s] < most) {
			int64_t off = random_in(seed, 0, random_in(seed, 0, widest));
			double y = truth(x, length / 2, rate, turn);
			if (x < gap || x > gap + length / 4)
				m->p[s][m->n[s]++] = (struct sync_point){ x,
					(int64_t)(s ? floor(y) - (double)off
						    : ceil(y) + (double)off) };
			if (random_in(seed, 0, 9)) /* else another one at the same moment */
				x += random_in(seed, 1, 2 * length / (int64_t)most);
		}
	}
}

static void like_all_pairs(void **state)
{
	(void)state;
	unsigned n_compared = 0, n_turned = 0;
	for (uint64_t number = 0; number < 240; number++) {
		static struct limits m;
		struct mer_err err = { 0 };
		uint64_t seed = number;
		int64_t length = 1000000000;
		bool is_dense = number % 4 == 0; /* more than a block of them in a window */
		double turn = number % 3 == 0 ? (double)random_in(&seed, -20, 20) * 1e-6 : 0;
		struct sync_lines_options o = {
			.steady_ns = is_dense ? length / 2 : length / random_in(&seed, 2, 6),
			.every_ns = length / (is_dense ? 3 : 9) + random_in(&seed, 0, 1000),
			.wander = (double)random_in(&seed, 0, 3) * 1e-7,
			.max_rate = (double)random_in(&seed, 10, 200) * 1e-6,
		};
		make(&m, &seed, length, (double)random_in(&seed, -9, 9) * 1e-6, turn,
			random_in(&seed, 10, 30000), is_dense ? 1500 : 40);
		if (!m.n[0] || !m.n[1])
			continue;
		struct sync_straight *got;
		size_t n, at = 0;
		assert_int_equal(sync_lines(m.p[0], m.n[0], m.p[1], m.n[1], &o, &got, &n, &err), 0);
		int64_t x = m.p[0][0].x > m.p[1][0].x ? m.p[0][0].x : m.p[1][0].x,
			end = m.p[0][m.n[0] - 1].x < m.p[1][m.n[1] - 1].x ? m.p[0][m.n[0] - 1].x
									  : m.p[1][m.n[1] - 1].x;
		for (; x <= end; x += o.every_ns) {
			double low, high;
			if (!range_at(&m, is_dense, x, m.p[0][0].y, &o, &low, &high))
				continue;
			assert_true(at < n);
			assert_int_equal(got[at].x, x);
			low += (double)m.p[0][0].y;
			high += (double)m.p[0][0].y;
			/* Rounded outwards by no more than two. */
			if (got[at].low > low + 0.01 || got[at].low < low - 2.01 ||
				got[at].high < high - 0.01 || got[at].high > high + 2.01)
				fail_msg("world %u at %lld: %lld to %lld, not %.3f to %.3f",
					(unsigned)number, (long long)x, (long long)got[at].low,
					(long long)got[at].high, low, high);
			at++;
			n_compared++;
			n_turned += turn != 0;
		}
		assert_int_equal(at, n);
		free(got);
	}
	/* The worlds are not empty ones. */
	assert_true(n_compared > 800 && n_turned > 120);
}

static void straight_is_kept(void **state)
{
	(void)state;
	unsigned n_narrower = 0, n_all = 0;
	for (uint64_t number = 0; number < 200; number++) {
		static struct limits m;
		struct mer_err err = { 0 };
		uint64_t seed = number * 7919 + 1;
		int64_t length = 2000000000;
		double rate = (double)random_in(&seed, -90, 90) * 1e-6;
		struct sync_lines_options o = { .steady_ns = length / 4,
			.every_ns = length / 40,
			.wander = 1e-8,
			.max_rate = 100e-6 };
		make(&m, &seed, length, rate, 0, 20000, 400);
		struct sync_straight *got;
		size_t n;
		assert_int_equal(sync_lines(m.p[0], m.n[0], m.p[1], m.n[1], &o, &got, &n, &err), 0);
		for (size_t i = 0; i < n; i++) {
			double y = truth(got[i].x, length / 2, rate, 0);
			assert_true((double)got[i].low <= y && y <= (double)got[i].high);
			n_all++;
			n_narrower += got[i].high - got[i].low < 2000; /* of 20,000 */
		}
		free(got);
	}
	assert_true(n_all > 4000);
	assert_true(n_narrower > n_all / 2);
}

static void nothing_of_one_side(void **state)
{
	(void)state;
	struct sync_point one[] = { { 0, 5 }, { 100, 5 } };
	struct sync_lines_options o = { 1000, 10, 0, 1e-4 };
	struct mer_err err = { 0 };
	struct sync_straight *got;
	size_t n = 7;
	assert_int_equal(sync_lines(one, 2, one, 0, &o, &got, &n, &err), 0);
	assert_int_equal(n, 0);
	assert_null(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(like_all_pairs),
		cmocka_unit_test(straight_is_kept),
		cmocka_unit_test(nothing_of_one_side),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
