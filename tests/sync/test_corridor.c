/* Corridors: however the points are ordered, the limits are those of all cones computed one by one,
 * at every instant. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random.h"
#include "sync/limits/corridor.h"
#include "sync/limits/drift.h"

struct point {
	bool upper;
	struct sync_point p;
};

struct limits {
	int64_t low, high;
};

/* By the definition: what each point's cone leaves, rounded outwards. */
static struct limits plain_limits(const struct point *all, size_t n, double rate, int64_t x)
{
	struct limits l = { INT64_MIN, INT64_MAX };
	for (size_t i = 0; i < n; i++) {
		__int128 d = (__int128)x - all[i].p.x, units = sync_drift_units(rate);
		__int128 more = units * (d < 0 ? -d : d), one = (__int128)1 << SYNC_RATE_BITS;
		more = more / one + (more % one != 0);
		__int128 y = all[i].p.y + (all[i].upper ? more : -more);
		if (all[i].upper)
			l.high = y < l.high ? (int64_t)y : l.high;
		else
			l.low = y > l.low ? (int64_t)y : l.low;
	}
	return l;
}

static void add_all(struct sync_corridor *c, const struct point *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(sync_corridor_add(c, all[i].upper, all[i].p, NULL), 0);
}

static void assert_side(const struct sync_corridor_side *a, const struct sync_corridor_side *b)
{
	assert_int_equal(a->n, b->n);
	if (a->n)
		assert_memory_equal(a->p, b->p, a->n * sizeof(*a->p));
}

/* The same points, also in memory. */
static void assert_same(struct sync_corridor *a, struct sync_corridor *b)
{
	int64_t low, high;
	sync_corridor_limits(a, 0, &low, &high);
	sync_corridor_limits(b, 0, &low, &high);
	assert_true(a->rate == b->rate);
	assert_side(&a->upper, &b->upper);
	assert_side(&a->lower, &b->lower);
}

static void assert_limits(
	struct sync_corridor *c, const struct point *all, size_t n, double rate, int64_t x)
{
	struct limits l = plain_limits(all, n, rate, x), have;
	bool both = sync_corridor_limits(c, x, &have.low, &have.high);
	assert_int_equal(have.low, l.low);
	assert_int_equal(have.high, l.high);
	assert_int_equal(both, l.low != INT64_MIN && l.high != INT64_MAX);
}

/* At every point, next to it, and between. */
static void assert_all_limits(
	struct sync_corridor *c, const struct point *all, size_t n, double rate, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++)
		for (int d = -1; d <= 1; d++)
			assert_limits(c, all, n, rate, sync_add(all[i].p.x, d));
	for (size_t i = 0; n && i < n; i++) {
		int64_t a = all[random_next(seed) % n].p.x, b = all[random_next(seed) % n].p.x;
		assert_limits(c, all, n, rate, a / 2 + b / 2);
	}
	assert_limits(c, all, n, rate, INT64_MIN);
	assert_limits(c, all, n, rate, INT64_MAX);
}

static const double rates[] = { 1e-3, 0, 1, 0.3, 1e-6, 1e-13 };
enum { N_RATES = sizeof(rates) / sizeof(rates[0]) };

/* Small numbers, so that ties and points that follow from each other are frequent; large ones, so
 * that roundings are; and the ends of what 64 bits hold. */
static size_t make(struct point *all, size_t max, uint64_t *seed)
{
	static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1,
		INT64_MAX };
	size_t n = random_next(seed) % (max + 1);
	unsigned kind = random_next(seed) % 4;
	for (size_t i = 0; i < n; i++) {
		struct point *p = &all[i];
		p->upper = random_next(seed) & 1;
		if (kind == 0)
			p->p = (struct sync_point){ random_in(seed, 0, 30), random_in(seed, 0, 9) };
		else if (kind == 1)
			p->p = (struct sync_point){ random_in(seed, 0, 1000000000000),
				random_in(seed, -1000000000, 1000000000) };
		else if (kind == 2)
			p->p = (struct sync_point){ ends[random_next(seed) % 7],
				ends[random_next(seed) % 7] };
		else
			p->p = (struct sync_point){ (int64_t)random_next(seed),
				(int64_t)random_next(seed) };
	}
	return n;
}

static void shuffle(struct point *all, size_t n, uint64_t *seed)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = random_next(seed) % i;
		struct point p = all[i - 1];
		all[i - 1] = all[k];
		all[k] = p;
	}
}

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;
	return (p->p.x > q->p.x) - (p->p.x < q->p.x);
}

static void limits_of_all(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 6000; k++) {
		uint64_t seed = k;
		double rate = rates[k % N_RATES];
		struct point all[40];
		size_t n = make(all, k % 10 ? 12 : 40, &seed);
		if (k & 1 && n)
			qsort(all, n, sizeof(*all), by_x);
		struct sync_corridor c;
		sync_corridor_init(&c, rate);
		add_all(&c, all, n);
		assert_all_limits(&c, all, n, rate, &seed);
		sync_corridor_free(&c);
	}
}

/* No point that is kept follows from the others: without it, the limits are wider. */
static void nothing_too_much(void **state)
{
	(void)state;
	size_t kept = 0;
	for (uint64_t k = 0; k < 500; k++) {
		uint64_t seed = k;
		double rate = rates[k % N_RATES];
		struct point all[30];
		struct sync_corridor c;
		sync_corridor_init(&c, rate);
		add_all(&c, all, make(all, 30, &seed));
		int64_t low, high;
		sync_corridor_limits(&c, 0, &low, &high);
		for (size_t i = 0; i < c.upper.n + c.lower.n; i++) {
			struct point but[30], p = { 0 };
			size_t m = 0;
			for (size_t j = 0; j < c.upper.n + c.lower.n; j++) {
				bool upper = j < c.upper.n;
				struct point q = { upper,
					upper ? c.upper.p[j] : c.lower.p[j - c.upper.n] };
				if (i == j)
					p = q;
				else
					but[m++] = q;
			}
			struct limits l = plain_limits(but, m, rate, p.p.x);
			assert_true(p.upper ? l.high > p.p.y : l.low < p.p.y);
			kept++;
		}
		sync_corridor_free(&c);
	}
	assert_true(kept > 500);
}

/* In any order, questions in between. */
static void orders(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		double rate = rates[k % N_RATES];
		struct point all[200];
		size_t n = make(all, k % 7 ? 40 : 200, &seed);
		struct sync_corridor given, mixed;
		sync_corridor_init(&given, rate);
		sync_corridor_init(&mixed, rate);
		add_all(&given, all, n);
		shuffle(all, n, &seed);
		for (size_t i = 0; i < n; i++) {
			add_all(&mixed, &all[i], 1);
			int64_t low, high;
			if (random_next(&seed) % 8 == 0)
				sync_corridor_limits(&mixed, all[i].p.x, &low, &high);
		}
		assert_same(&given, &mixed);
		/* Twice the same changes nothing. */
		add_all(&mixed, all, n);
		assert_same(&given, &mixed);
		sync_corridor_free(&given);
		sync_corridor_free(&mixed);
	}
}

/* Long rows, sorted and not: as many points as make a corridor prune itself on the way. */
static void many_points(void **state)
{
	(void)state;
	enum { N = 20000 };
	struct point *all = malloc(N * sizeof(*all));
	assert_non_null(all);
	for (int kind = 0; kind < 2; kind++) {
		uint64_t seed = 7;
		for (int64_t i = 0; i < N; i++)
			/* Along a curve of which everything is kept; or with much jitter. */
			all[i] = (struct point){ i & 1,
				{ i * 1000, kind == 0 ? (i & 1 ? 5 : -5)
						      : (i & 1 ? 1 : -1) *
								random_in(&seed, 0, 1000000) } };
		struct sync_corridor sorted, mixed, back;
		sync_corridor_init(&sorted, 1e-3);
		sync_corridor_init(&mixed, 1e-3);
		sync_corridor_init(&back, 1e-3);
		add_all(&sorted, all, N);
		for (size_t i = N; i-- > 0;)
			add_all(&back, &all[i], 1);
		assert_same(&sorted, &back);
		if (kind == 0)
			assert_int_equal(sorted.upper.n, N / 2);
		for (int64_t x = -1000; x < N * 1000 + 1000; x += 999983)
			assert_limits(&sorted, all, N, 1e-3, x);
		shuffle(all, N, &seed);
		add_all(&mixed, all, N);
		if (kind == 1)
			assert_true(mixed.upper.cap < 4096);
		assert_same(&sorted, &mixed);
		sync_corridor_free(&sorted);
		sync_corridor_free(&mixed);
		sync_corridor_free(&back);
	}
	free(all);
}

static int by_value(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;
	return (p > q) - (p < q);
}

static void widths(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 300; k++) {
		uint64_t seed = k;
		struct point all[40];
		size_t n = make(all, 40, &seed);
		struct sync_corridor c;
		sync_corridor_init(&c, 1e-3);
		add_all(&c, all, n);
		int64_t begin = k % 3 ? random_in(&seed, -1000000, 0) : INT64_MIN;
		int64_t end = k % 3 ? random_in(&seed, 0, 1000000000000) : INT64_MAX;
		double half[SYNC_WIDTHS], max = -INFINITY;
		size_t m = 0;
		int64_t max_at = 0;
		for (int i = 0; i < SYNC_WIDTHS; i++) {
			int64_t x =
				(int64_t)(begin + ((__int128)end - begin) * i / (SYNC_WIDTHS - 1));
			struct limits l = plain_limits(all, n, 1e-3, x);
			if (l.low == INT64_MIN || l.high == INT64_MAX)
				continue;
			half[m] = (double)((__int128)l.high - l.low) / 2;
			if (half[m] > max) {
				max = half[m];
				max_at = x;
			}
			m++;
		}
		struct sync_widths w;
		sync_widths_init(&w, begin, end);
		/* Parts of the range, or all of it at once. */
		sync_widths_take(&w, &c, 0, INT64_MAX);
		sync_widths_take(&w, &c, INT64_MIN, -1);
		struct sync_width r = sync_widths_result(&w);
		if (m == 0) {
			assert_true(isinf(r.min) && isinf(r.median) && isinf(r.max));
		} else {
			qsort(half, m, sizeof(*half), by_value);
			assert_true(r.min == half[0] && r.median == half[m / 2] && r.max == max);
			assert_int_equal(r.max_at, max_at);
		}
		sync_corridor_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_of_all),
		cmocka_unit_test(nothing_too_much),
		cmocka_unit_test(orders),
		cmocka_unit_test(many_points),
		cmocka_unit_test(widths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
