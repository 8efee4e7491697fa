/* Limits of a host's clock, by hand: how they widen away from their instants, what a step leaves of
 * them, the way back from reference time, which of a net's limits are kept, and the bound that is
 * made of them. With a rate of 2^-10 a clock drifts by 1 ns in 1024; 2 ns are for rounding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sync/limits/limits.h"

#define RATE (1.0 / 1024)
#define LIMITS(name, ...) static const struct sync_limit name[] = { __VA_ARGS__ }
#define COUNT(x) (sizeof(x) / sizeof(*(x)))

static const struct sync_limit none[1];

static struct sync_host host(const struct sync_limit *high, size_t n_high,
	const struct sync_limit *low, size_t n_low, double rate)
{
	return (struct sync_host){ .quality = SYNC_ACCURATE,
		.max_rate_ppm = rate * 1e6,
		.high = high,
		.n_high = n_high,
		.low = low,
		.n_low = n_low };
}

/* What the offset is at most and at least at t, without the 2 ns; 0 where nothing is known. */
static void offsets_are(
	const struct sync_host *h, int64_t t, bool known, int64_t least, int64_t most)
{
	struct sync_host copy = *h;
	struct sync_result r = { .hosts = &copy, .n_hosts = 1 };
	int64_t low, high;
	if (sync_host_limits(&r, 0, t, &low, &high) != known)
		fail_msg("at %lld", (long long)t);
	low = low == INT64_MIN ? 0 : low - t + 2;
	high = high == INT64_MAX ? 0 : high - t - 2;
	if (low != least || high != most)
		fail_msg("at %lld: %lld to %lld", (long long)t, (long long)low, (long long)high);
}

static void widen(void **state)
{
	(void)state;
	LIMITS(high, { 0, 100 }, { 10240, 105 }, { 20480, 95 });
	LIMITS(low, { 0, -50 }, { 10240, -40 });
	struct sync_host h = host(high, COUNT(high), low, COUNT(low), RATE);
	offsets_are(&h, 0, true, -50, 100);
	offsets_are(&h, 1024, true, -49, 101);
	offsets_are(&h, 5120, true, -45, 105);
	offsets_are(&h, 9216, true, -41, 106);
	offsets_are(&h, 10240, true, -40, 105);
	offsets_are(&h, 11264, true, -41, 104);
	offsets_are(&h, 20480, true, -50, 95);
	offsets_are(&h, 30720, true, -60, 105);
	offsets_are(&h, -1024, true, -51, 101);
	/* One side only; neither. */
	h = host(high, COUNT(high), none, 0, RATE);
	offsets_are(&h, 0, false, 0, 100);
	h = host(none, 0, low, COUNT(low), RATE);
	offsets_are(&h, 0, false, -50, 0);
	h = host(none, 0, none, 0, RATE);
	offsets_are(&h, 0, false, 0, 0);
	/* A slew allows more, in itself only. */
	const struct sync_slew slew = { { 2048, 4096 }, 4000, 3e6 / 1024 };
	h = host(high, 1, low, 1, RATE);
	h.slews = &slew;
	h.n_slews = 1;
	offsets_are(&h, 2048, true, -52, 102);
	offsets_are(&h, 3072, true, -55, 105);
	offsets_are(&h, 4096, true, -58, 108);
	offsets_are(&h, 5120, true, -59, 109);
	/* The reference is right. */
	const struct trace_clock_piece piece = { 0, 500, 0 };
	struct sync_host ref = { .quality = SYNC_REFERENCE, .map = { &piece, 1 } };
	offsets_are(&ref, 10, true, 502, 498);
}

/* Beyond a step only that no clock runs backwards; inside it nothing. */
static void steps(void **state)
{
	(void)state;
	LIMITS(before, { 500, 10 });
	LIMITS(behind, { 3000, 20 });
	LIMITS(both, { 500, 10 }, { 3000, 20 });
	const struct sync_step step = { { 1000, 2000 }, 0 };
	struct sync_host h = host(both, 2, both, 2, 0);
	h.steps = &step;
	h.n_steps = 1;
	offsets_are(&h, 400, true, 10, 10);
	offsets_are(&h, 1000, true, 10, 10);
	offsets_are(&h, 1001, false, 0, 0);
	offsets_are(&h, 1999, false, 0, 0);
	offsets_are(&h, 2000, true, 20, 20);
	offsets_are(&h, 3100, true, 20, 20);
	h.high = h.low = behind;
	h.n_high = h.n_low = 1;
	offsets_are(&h, 600, false, 0, 2420); /* not behind 3020 */
	offsets_are(&h, 2500, true, 20, 20);
	h.high = h.low = before;
	offsets_are(&h, 600, true, 10, 10);
	offsets_are(&h, 2500, false, -1990, 0); /* not before 510 */
}

static void back(void **state)
{
	(void)state;
	LIMITS(high, { 0, 10 });
	LIMITS(low, { 0, -20 });
	struct sync_host h = host(high, 1, low, 1, 0);
	struct sync_result r = { .hosts = &h, .n_hosts = 1 };
	int64_t from, to;
	assert_true(sync_host_limits_back(&r, 0, 5000, &from, &to));
	assert_int_equal(from, 5000 - 12);
	assert_int_equal(to, 5000 + 22);
	assert_true(sync_host_limits_back(&r, 0, -123456789, &from, &to));
	assert_int_equal(from, -123456789 - 12);
	assert_int_equal(to, -123456789 + 22);
	/* Far from the estimate. */
	LIMITS(far, { 0, 40000000 });
	h.high = far;
	assert_true(sync_host_limits_back(&r, 0, 5000, &from, &to));
	assert_int_equal(from, 5000 - 40000002);
	h.high = high;
	/* By the map, where the estimate is. */
	const struct trace_clock_piece piece = { 0, -5, 0 };
	h.map = (struct trace_clock_map){ &piece, 1 };
	assert_true(sync_host_limits_back(&r, 0, 5000, &from, &to));
	assert_int_equal(from, 5000 - 12);
	assert_int_equal(to, 5000 + 22);
	h.map.n = 0;
	/* One side only; neither. */
	h.n_low = 0;
	assert_false(sync_host_limits_back(&r, 0, 5000, &from, &to));
	assert_int_equal(from, 5000 - 12);
	assert_true(to == INT64_MAX);
	h.n_low = 1;
	h.n_high = 0;
	assert_false(sync_host_limits_back(&r, 0, 5000, &from, &to));
	assert_true(from == INT64_MIN);
	assert_int_equal(to, 5000 + 22);
	h.n_low = 0;
	assert_false(sync_host_limits_back(&r, 0, 5000, &from, &to));
	assert_true(from == INT64_MIN && to == INT64_MAX);
	/* Not across a step, behind which nothing limits. */
	const struct sync_step step = { { 4000, 4990 }, 0 };
	const struct trace_clock_piece ahead = { 0, 10, 0 };
	LIMITS(behind, { 6000, 10 });
	h = host(behind, 1, behind, 1, 0);
	h.map = (struct trace_clock_map){ &ahead, 1 };
	h.steps = &step;
	h.n_steps = 1;
	assert_false(sync_host_limits_back(&r, 0, 5000, &from, &to));
	assert_true(from == INT64_MIN);
	assert_int_equal(to, 5000 - 8);
	/* The reference by its map. */
	const struct trace_clock_piece ref = { 0, 500, 0 };
	h = (struct sync_host){ .quality = SYNC_REFERENCE, .map = { &ref, 1 } };
	assert_true(sync_host_limits_back(&r, 0, 5000, &from, &to));
	assert_true(from == 4500 && to == 4500);
}

/* ---- from a net ---- */

#define OPEN INT64_MAX
enum { MANY = 8 };

static void kept_are(int64_t *t, int64_t *high, int64_t *low, size_t n,
	const struct sync_step *step, const struct sync_limit *expected, size_t n_high,
	size_t n_low)
{
	struct sync_net_host from = {
		.drift = { .max_rate = RATE, .steps = step, .n_steps = step ? 1 : 0 },
		.t = t,
		.high = high,
		.low = low,
		.n = n
	};
	struct sync_net net = { .hosts = &from, .n_hosts = 1 };
	struct sync_host h = { 0 };
	struct sync_result r = { .hosts = &h, .n_hosts = 1 };
	struct mer_err err;
	mer_arena_init(&r.arena);
	assert_int_equal(sync_take_limits(&net, 0, &r, &err), 0);
	assert_int_equal(h.n_high, n_high);
	assert_int_equal(h.n_low, n_low);
	for (size_t i = 0; i < n_high + n_low; i++) {
		const struct sync_limit *l = i < n_high ? &h.high[i] : &h.low[i - n_high];
		assert_int_equal(l->at, expected[i].at);
		assert_int_equal(l->offset_ns, expected[i].offset_ns);
	}
	assert_true(h.max_rate_ppm == RATE * 1e6);
	assert_int_equal(h.n_steps, from.drift.n_steps);
	if (step)
		assert_int_equal(h.steps[0].range.begin, step->range.begin);
	mer_arena_fini(&r.arena);
}

/* Those that do not follow from a neighbour. */
static void kept(void **state)
{
	(void)state;
	int64_t t[] = { 0, 1024, 2048 };
	LIMITS(ends, { 0, 0 }, { 1024, -4 });
	kept_are(t, (int64_t[]){ 0, 1, 2 }, (int64_t[]){ -5, -4, -5 }, 3, NULL, ends, 1, 1);
	LIMITS(peaks, { 1024, 3 }, { 0, -9 });
	kept_are(t, (int64_t[]){ 4, 3, 4 }, (int64_t[]){ -9, -10, -11 }, 3, NULL, peaks, 1, 1);
	LIMITS(all, { 0, 0 }, { 1024, 0 }, { 2048, 0 }, { 0, 0 }, { 1024, 0 }, { 2048, 0 });
	kept_are(t, (int64_t[]){ 0, 0, 0 }, (int64_t[]){ 0, 0, 0 }, 3, NULL, all, 3, 3);
	LIMITS(open, { 1024, 7 });
	kept_are(t, (int64_t[]){ OPEN, 7, OPEN }, (int64_t[]){ INT64_MIN, INT64_MIN, INT64_MIN }, 3,
		NULL, open, 1, 0);
	/* Of several at one instant the first. */
	int64_t same[] = { 5, 5, 5 };
	LIMITS(one, { 5, 3 }, { 5, 2 });
	kept_are(same, (int64_t[]){ 3, 3, 3 }, (int64_t[]){ 2, 2, 2 }, 3, NULL, one, 1, 1);
	/* Nothing follows across a step, or is kept inside of it. */
	const struct sync_step step = { { 1500, 2000 }, 0 };
	int64_t about[] = { 0, 1024, 1600, 2048, 3072 };
	LIMITS(sides, { 0, 0 }, { 2048, 2 }, { 1024, 1 }, { 2048, 0 });
	kept_are(about, (int64_t[]){ 0, 1, 0, 2, 3 }, (int64_t[]){ 0, 1, 0, 0, -1 }, 5, &step,
		sides, 2, 2);
}

static void sizes_of_steps(void **state)
{
	(void)state;
	static const struct trace_clock_piece pieces[] = { { 0, 100, 0 }, { 2000, 1500, 0 } };
	const struct sync_step step = { { 1000, 2000 }, 77 };
	struct sync_host h = { .map = { pieces, 2 }, .steps = &step, .n_steps = 1 };
	struct sync_result r = { .hosts = &h, .n_hosts = 1 };
	struct mer_err err;
	mer_arena_init(&r.arena);
	assert_int_equal(sync_take_step_sizes(&r, 0, &err), 0);
	assert_int_equal(h.steps[0].size_ns, 100 + 500); /* ahead, which the map takes back */
	assert_int_equal(h.steps[0].range.begin, 1000);
	assert_int_equal(h.steps[0].range.end, 2000);
	mer_arena_fini(&r.arena);
}

/* ---- the bound ---- */

static void bound_is(struct sync_host *h, int64_t min, int64_t median, int64_t max, int64_t max_at)
{
	struct sync_result r = { .hosts = h, .n_hosts = 1 };
	sync_take_bound(&r, 0);
	assert_int_equal(h->bound.min, min);
	assert_int_equal(h->bound.median, median);
	assert_int_equal(h->bound.max, max);
	assert_int_equal(h->bound.max_at, max_at);
}

/* The larger of both sides of the estimate. */
static void bound(void **state)
{
	(void)state;
	LIMITS(high, { 0, 100 });
	LIMITS(low, { 0, -300 });
	LIMITS(zero, { 0, 0 });
	struct sync_host h = host(high, 1, low, 1, 0);
	h.span = (struct sync_range){ 0, 1000000 };
	bound_is(&h, 302, 302, 302, 0);
	const struct trace_clock_piece piece = { 0, -250, 0 };
	h.map = (struct trace_clock_map){ &piece, 1 };
	bound_is(&h, 352, 352, 352, 0);
	h = host(zero, 1, zero, 1, RATE);
	h.span = (struct sync_range){ 0, 1000000 };
	bound_is(&h, 2, 490, 978, 1000000);
	/* Where limits contradict each other, and without them on a side, nothing is sure. */
	h = host(low, 1, high, 1, 0);
	h.span = (struct sync_range){ 0, 1000 };
	bound_is(&h, INT64_MAX, INT64_MAX, INT64_MAX, 0);
	h = host(high, 1, none, 0, 0);
	h.span = (struct sync_range){ 3, 1000 };
	bound_is(&h, INT64_MAX, INT64_MAX, INT64_MAX, 3);
	h = host(none, 0, low, 1, 0);
	h.span = (struct sync_range){ 3, 1000 };
	bound_is(&h, INT64_MAX, INT64_MAX, INT64_MAX, 3);
	h = host(high, 1, low, 1, 0);
	h.span = (struct sync_range){ MER_NO_TIME, MER_NO_TIME };
	bound_is(&h, INT64_MAX, INT64_MAX, INT64_MAX, MER_NO_TIME);
	h = (struct sync_host){ .quality = SYNC_REFERENCE, .span = { 3, 1000 } };
	bound_is(&h, 0, 0, 0, 3);
}

/* It is widest between two limits, which no regular instant may meet. */
static void widest_between(void **state)
{
	(void)state;
	enum { N = 1001, GAP = 10240 };
	struct sync_limit *high = calloc(N, sizeof(*high)), *low = calloc(N, sizeof(*low));
	assert_true(high && low);
	for (int i = 0; i < N; i++)
		high[i].at = low[i].at = (int64_t)i * GAP;
	struct sync_host h = host(high, N, low, N, RATE);
	h.span = (struct sync_range){ 0, (N - 1) * GAP };
	bound_is(&h, 2, 2, 5 + 2, GAP / 2);
	/* Not in the middle, when one limit is higher than the other one. */
	for (int i = 1; i < N; i += 2)
		high[i].offset_ns = 4;
	bound_is(&h, 2, 2, 7 + 2, GAP / 2 + 2 * 1024);
	for (int i = 0; i < N; i++)
		high[i].offset_ns = 0;
	for (int i = 1; i < N; i += 2)
		low[i].offset_ns = -4;
	bound_is(&h, 2, 2, 7 + 2, GAP / 2 + 2 * 1024);
	free(high);
	free(low);
}

/* What lies in a step is left out. */
static void bound_beside_steps(void **state)
{
	(void)state;
	LIMITS(high, { 0, 5 }, { 1500000, 8 });
	LIMITS(low, { 0, -5 }, { 1500000, -8 });
	const struct sync_step step = { { 1000000, 1500000 }, 0 };
	struct sync_host h = host(high, 2, low, 2, 0);
	h.span = (struct sync_range){ 0, 3000000 };
	h.steps = &step;
	h.n_steps = 1;
	bound_is(&h, 7, 10, 10, 1500000);
	h.span = (struct sync_range){ 1100000, 1200000 };
	bound_is(&h, INT64_MAX, INT64_MAX, INT64_MAX, 1100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widen),
		cmocka_unit_test(steps),
		cmocka_unit_test(back),
		cmocka_unit_test(kept),
		cmocka_unit_test(sizes_of_steps),
		cmocka_unit_test(bound),
		cmocka_unit_test(widest_between),
		cmocka_unit_test(bound_beside_steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
