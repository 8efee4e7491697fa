/* Breaks: clocks that keep to their drift have none, whatever the latencies are; a jump, a slew and
 * single wrong points are found as what they are; and whatever the points are, those that are left
 * contradict each other nowhere between two breaks. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "sync/limits/breaks.h"
#include "sync/limits/corridor.h"
#include "sync/limits/drift.h"
#include "sync/limits/pairs.h"

enum { MAX = 2000 };
static const double RATE = 1e-3;

struct input {
	struct sync_point upper[MAX], lower[MAX];
	size_t n_upper, n_lower;
	int64_t from, to; /* of the points; and what happens: */
	int64_t jump_at, jump_ns;
	int64_t slew_begin, slew_end;
	double slew_rate;
};

static void add(struct input *in, bool upper, int64_t x, int64_t y)
{
	if (upper)
		in->upper[in->n_upper++] = (struct sync_point){ x, y };
	else
		in->lower[in->n_lower++] = (struct sync_point){ x, y };
}

/* Points every gap_ns on average, alternating at random, whose latency is up to jitter_ns. The
 * offset drifts as far as it may, now up, now down. */
static void make(struct input *in, int n, int64_t gap_ns, int64_t jitter_ns, uint64_t *seed)
{
	int64_t x = in->from = random_in(seed, -1000000000000, 1000000000000);
	int64_t f = random_in(seed, -1000000000000, 1000000000000);
	in->n_upper = in->n_lower = 0;
	in->jump_at = in->jump_at ? in->jump_at + x : INT64_MAX;
	in->slew_begin += x;
	in->slew_end += x;
	bool jumped = false;
	uint64_t mode = random_next(seed) % 4;
	for (int i = 0; i < n; i++) {
		int64_t dx = random_in(seed, 1, 2 * gap_ns), most = sync_drift_reach(RATE, dx);
		f += mode == 0	 ? most
		     : mode == 1 ? -most
		     : mode == 2 ? (i / 50 & 1 ? most : -most)
				 : random_in(seed, -most, most);
		int64_t b = x > in->slew_begin ? x : in->slew_begin;
		int64_t e = x + dx < in->slew_end ? x + dx : in->slew_end;
		f += b < e ? (int64_t)((double)(e - b) * in->slew_rate) : 0;
		x += dx;
		if (!jumped && x >= in->jump_at) {
			f += in->jump_ns;
			jumped = true;
		}
		/* Most latencies are short, or all are the same. */
		int64_t late = jitter_ns ? random_in(seed, 0, random_in(seed, 0, jitter_ns)) : 0;
		bool upper = random_next(seed) & 1;
		add(in, upper, x, upper ? f + late : f - late);
	}
	in->to = x;
}

static void find(const struct input *in, struct sync_breaks *b)
{
	struct sync_points p = { in->upper, in->lower, in->n_upper, in->n_lower };
	assert_int_equal(sync_find_breaks(&p, RATE, b, NULL), 0);
}

static bool is_out(const uint32_t *list, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (list[k] == i)
			return true;
	return false;
}

/* No course of the clock satisfies all points: where two cones cross they also do at the upper
 * one's point. */
static bool contradicts(struct sync_corridor *c, int64_t *x)
{
	int64_t low, high;
	sync_corridor_limits(c, 0, &low, &high); /* any question: only what is needed is left */
	for (size_t i = 0; i < c->upper.n; i++) {
		*x = c->upper.p[i].x;
		if (sync_corridor_limits(c, *x, &low, &high) && low > high)
			return true;
	}
	return false;
}

/* What is to hold for any points, but for times whose differences do not fit: those stop at the
 * ends. */
static void check(const struct input *in, const struct sync_breaks *b, bool fits, uint64_t number)
{
	for (size_t i = 0; i < b->n_out_upper; i++)
		assert_true(
			b->out_upper[i] < in->n_upper && !is_out(b->out_upper, i, b->out_upper[i]));
	for (size_t i = 0; i < b->n_out_lower; i++)
		assert_true(
			b->out_lower[i] < in->n_lower && !is_out(b->out_lower, i, b->out_lower[i]));
	for (size_t k = 0; k <= b->n; k++) {
		int64_t from = k ? b->rows[k - 1].end.x : INT64_MIN;
		int64_t to = k < b->n ? b->rows[k].begin.x : INT64_MAX, x;
		assert_true(from <= to);
		if (k < b->n) {
			assert_true(b->rows[k].begin.x <= b->rows[k].end.x);
			assert_true(b->rows[k].rate == 0 || b->rows[k].rate > RATE);
		}
		/* Where one break follows the other without any time between there is no part. */
		if (from == to || !fits)
			continue;
		struct sync_corridor c;
		sync_corridor_init(&c, RATE);
		for (size_t i = 0; i < in->n_upper; i++)
			if (in->upper[i].x >= from && in->upper[i].x <= to &&
				!is_out(b->out_upper, b->n_out_upper, i))
				assert_int_equal(
					sync_corridor_add(&c, true, in->upper[i], NULL), 0);
		for (size_t i = 0; i < in->n_lower; i++)
			if (in->lower[i].x >= from && in->lower[i].x <= to &&
				!is_out(b->out_lower, b->n_out_lower, i))
				assert_int_equal(
					sync_corridor_add(&c, false, in->lower[i], NULL), 0);
		if (contradicts(&c, &x))
			fail_msg("case %" PRIu64 ": a contradiction at %" PRId64
				 " is left between breaks at %" PRId64 " and %" PRId64,
				number, x, from, to);
		sync_corridor_free(&c);
	}
}

static void expect(const struct sync_breaks *b, size_t n, size_t n_out_upper, size_t n_out_lower,
	uint64_t number)
{
	if (b->n != n || b->n_out_upper != n_out_upper || b->n_out_lower != n_out_lower)
		fail_msg("case %" PRIu64 ": %zu breaks, %zu and %zu points left out; not %zu, %zu "
			 "and %zu",
			number, b->n, b->n_out_upper, b->n_out_lower, n, n_out_upper, n_out_lower);
}

static const int64_t gaps[] = { 1000, 1000000, 1000000000 };
static const int64_t jitters[] = { 0, 10, 1000, 1000000, 1000000000, 1000000000000 };

static void good_clocks(void **state)
{
	(void)state;
	static struct input in;
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		struct sync_breaks b;
		in = (struct input){ 0 };
		make(&in, k % 10 ? (int)random_in(&seed, 0, 100) : MAX, gaps[k % 3],
			jitters[k / 3 % 6], &seed);
		find(&in, &b);
		expect(&b, 0, 0, 0, k);
		check(&in, &b, true, k);
		sync_breaks_free(&b);
	}
}

/* From ten microseconds to a day, seen by tens of points on both sides. */
static void one_jump(void **state)
{
	(void)state;
	static struct input in;
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		struct sync_breaks b;
		int64_t gap = gaps[k % 3], n = random_in(&seed, 120, 600);
		int64_t jitter = random_in(&seed, 0, gap);
		in = (struct input){ 0 };
		in.jump_at = gap * random_in(&seed, n / 3, 2 * n / 3);
		in.jump_ns = random_in(&seed, 20 * gap, k & 4 ? 1000 * gap : 86400000000000);
		in.jump_ns *= k & 8 ? 1 : -1;
		make(&in, (int)n, gap, jitter, &seed);
		find(&in, &b);
		expect(&b, 1, 0, 0, k);
		if (b.rows[0].begin.x > in.jump_at || b.rows[0].end.x < in.jump_at)
			fail_msg("case %" PRIu64 ": it broke at %" PRId64 ", not between %" PRId64
				 " and %" PRId64,
				k, in.jump_at, b.rows[0].begin.x, b.rows[0].end.x);
		assert_true(b.rows[0].rate == 0);
		int64_t off = b.rows[0].jump_ns - in.jump_ns;
		assert_true(off <= 3 * jitter + gap && -off <= 3 * jitter + gap);
		check(&in, &b, true, k);
		sync_breaks_free(&b);
	}
}

/* Upper points far below, lower ones far above. Whom they stand alone against: forty good points
 * before the next one, at least. */
static void wrong_points(void **state)
{
	(void)state;
	static struct input in;
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		struct sync_breaks b;
		int64_t gap = gaps[k % 3], n = random_in(&seed, 80, 1500);
		in = (struct input){ 0 };
		make(&in, (int)n, gap, random_in(&seed, 0, gap), &seed);
		int64_t by = random_in(&seed, 20 * gap, k & 4 ? 1000 * gap : 86400000000000);
		size_t wrong_upper[MAX], wrong_lower[MAX], n_upper = 0, n_lower = 0;
		/* Not at the ends: see below. */
		size_t i = 20 + random_next(&seed) % 40, j = i + 40;
		for (; i + 20 < in.n_upper; i += 80 + random_next(&seed) % 40) {
			in.upper[i].y -= by;
			wrong_upper[n_upper++] = i;
		}
		for (; j + 20 < in.n_lower; j += 80 + random_next(&seed) % 40) {
			in.lower[j].y += by;
			wrong_lower[n_lower++] = j;
		}
		/* Both directions' points are about as many: not at the same time. */
		bool apart = true;
		for (i = 0; i < n_upper; i++)
			for (j = 0; j < n_lower; j++) {
				int64_t d = in.upper[wrong_upper[i]].x - in.lower[wrong_lower[j]].x;
				apart &= d > 40 * gap || -d > 40 * gap;
			}
		if (apart) {
			find(&in, &b);
			expect(&b, 0, n_upper, n_lower, k);
			for (i = 0; i < n_upper; i++)
				assert_true(is_out(b.out_upper, b.n_out_upper, wrong_upper[i]));
			for (i = 0; i < n_lower; i++)
				assert_true(is_out(b.out_lower, b.n_out_lower, wrong_lower[i]));
			check(&in, &b, true, k);
			sync_breaks_free(&b);
		}
	}
}

static bool any_beyond(const struct sync_point *p, size_t n, int64_t x, bool before)
{
	size_t found = 0;
	for (size_t i = 0; i < n; i++)
		found += before ? p[i].x < x : p[i].x > x;
	return found > (before ? 1 : 0);
}

/* Where nothing follows of the other direction (or at most one precedes), it may as well have been
 * the clock: then there may be one break next to it instead. */
static void first_or_last_wrong(void **state)
{
	(void)state;
	static struct input in;
	size_t sure = 0;
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		struct sync_breaks b;
		int64_t gap = gaps[k % 3];
		in = (struct input){ 0 };
		make(&in, (int)random_in(&seed, 40, 300), gap, random_in(&seed, 0, gap), &seed);
		int64_t by = random_in(&seed, 1000 * gap, 86400000000000), x;
		bool upper = k & 1, first = k & 2;
		size_t i = first ? 0 : (upper ? in.n_upper : in.n_lower) - 1;
		if (upper) {
			x = in.upper[i].x;
			in.upper[i].y -= by;
		} else {
			x = in.lower[i].x;
			in.lower[i].y += by;
		}
		find(&in, &b);
		check(&in, &b, true, k);
		if (upper ? any_beyond(in.lower, in.n_lower, x, first)
			  : any_beyond(in.upper, in.n_upper, x, first)) {
			expect(&b, 0, upper, !upper, k);
			assert_int_equal(upper ? b.out_upper[0] : b.out_lower[0], i);
			sure++;
		} else if (b.n == 1) {
			expect(&b, 1, 0, 0, k);
			assert_true(b.rows[0].begin.x <= x && b.rows[0].end.x >= x);
		} else {
			assert_int_equal(b.n, 0);
			assert_true(b.n_out_upper <= 1 && b.n_out_lower <= 1);
			assert_true(is_out(upper ? b.out_upper : b.out_lower,
				upper ? b.n_out_upper : b.n_out_lower, i));
		}
		sync_breaks_free(&b);
	}
	assert_true(sure > 500);
}

static void one_slew(void **state)
{
	(void)state;
	static struct input in;
	for (uint64_t k = 0; k < 1000; k++) {
		uint64_t seed = k;
		struct sync_breaks b;
		int64_t gap = 10000000, jitter = random_in(&seed, 0, 100000);
		in = (struct input){ 0 };
		in.slew_begin = gap * random_in(&seed, 200, 500);
		in.slew_end = in.slew_begin + gap * random_in(&seed, 200, 800);
		in.slew_rate = (double)random_in(&seed, 20, 150) * 1e-3;
		double rate = in.slew_rate;
		in.slew_rate *= k & 1 ? 1 : -1;
		make(&in, 1500, gap, jitter, &seed);
		find(&in, &b);
		expect(&b, 1, 0, 0, k);
		/* Its edges hide in the latencies and between two points. */
		int64_t slop = (int64_t)(2 * (double)jitter / (rate - 2 * RATE)) + 12 * gap;
		if (b.rows[0].begin.x > in.slew_begin + slop ||
			b.rows[0].end.x < in.slew_end - slop)
			fail_msg("case %" PRIu64 ": slewed from %" PRId64 " to %" PRId64
				 ", found from %" PRId64 " to %" PRId64,
				k, in.slew_begin, in.slew_end, b.rows[0].begin.x, b.rows[0].end.x);
		if (b.rows[0].rate < rate / 2 || b.rows[0].rate > 1.1 * rate + 2 * RATE)
			fail_msg("case %" PRIu64 ": slewed at %g, found %g", k, in.slew_rate,
				b.rows[0].rate);
		check(&in, &b, true, k);
		sync_breaks_free(&b);
	}
}

static void one_sided(void **state)
{
	(void)state;
	static struct input in;
	for (uint64_t k = 0; k < 100; k++) {
		uint64_t seed = k;
		struct sync_breaks b;
		in = (struct input){ .jump_at = 1000000, .jump_ns = -1000000000000 };
		make(&in, 200, 10000, 1000000, &seed);
		if (k % 3 != 0)
			in.n_upper = 0;
		if (k % 3 != 1)
			in.n_lower = 0;
		find(&in, &b);
		expect(&b, 0, 0, 0, k);
		sync_breaks_free(&b);
	}
}

static int by_x(const void *a, const void *b)
{
	const struct sync_point *p = a, *q = b;
	return (p->x > q->x) - (p->x < q->x);
}

/* Damaged traces: no points that any clock could have made. */
static void any_points(void **state)
{
	(void)state;
	static struct input in;
	static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1,
		INT64_MAX };
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		in = (struct input){ 0 };
		int n = (int)random_in(&seed, 0, k % 10 ? 40 : 300);
		int64_t spread = k % 3 == 0 ? 10 : k % 3 == 1 ? 1000000000 : 0;
		for (int i = 0; i < n; i++) {
			bool upper = random_next(&seed) & 1;
			if (spread)
				add(&in, upper, random_in(&seed, 0, 1000000000),
					random_in(&seed, -spread, spread));
			else if (k & 4)
				add(&in, upper, (int64_t)random_next(&seed),
					(int64_t)random_next(&seed));
			else
				add(&in, upper, ends[random_next(&seed) % 7],
					ends[random_next(&seed) % 7]);
		}
		qsort(in.upper, in.n_upper, sizeof(*in.upper), by_x);
		qsort(in.lower, in.n_lower, sizeof(*in.lower), by_x);
		struct sync_breaks b;
		find(&in, &b);
		check(&in, &b, spread > 0, k);
		sync_breaks_free(&b);
	}
}

/* A clock that stands still shows one time again and again: three times, not twice. */
static void stands_still(void **state)
{
	(void)state;
	for (int again = 2; again <= 3; again++) {
		struct sync_messages m;
		struct mer_err err = { 0 };
		assert_int_equal(sync_messages_init(&m, 2, &err), 0);
		struct sync_link *l = sync_messages_link(&m, 0, 1);
		assert_non_null(l);
		for (int i = 0; i <= again; i++)
			assert_int_equal(sync_link_put(l, 10, 20 + i, SYNC_TCP, &err), 0);
		const struct sync_pair_scan pair = { .b = 1, .ba = SYNC_NO_LINK };
		const struct sync_break b = { .end = { 100, 100 } };
		assert_int_equal(sync_break_stands_still(&m, &pair, &b, 0), again == 3);
		assert_false(sync_break_stands_still(&m, &pair, &b, 1));
		sync_messages_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_clocks),
		cmocka_unit_test(one_jump),
		cmocka_unit_test(wrong_points),
		cmocka_unit_test(first_or_last_wrong),
		cmocka_unit_test(one_slew),
		cmocka_unit_test(one_sided),
		cmocka_unit_test(any_points),
		cmocka_unit_test(stands_still),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
