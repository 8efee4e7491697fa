/* Latencies of a link, by hand: mean, deviation of the sample, percentiles by the nearest rank,
 * what is received before it is sent; with clocks that are corrected piece by piece. And any
 * values, against sorting them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random.h"
#include "sync/latency.h"
#include "sync/solve.h"

enum { MAX = 400 };

static struct sync_latency measure(const int64_t *latencies, size_t n, const uint8_t *out)
{
	struct sync_message m[MAX];
	struct sync_link l = { .messages = m, .n = n };
	struct sync_latency got;
	struct mer_err err;
	for (size_t i = 0; i < n; i++)
		m[i] = (struct sync_message){ 1000, 1000 + latencies[i] };
	assert_int_equal(sync_latency_of(&l, out, NULL, NULL, &got, &err), 0);
	return got;
}

static void by_hand(void **state)
{
	(void)state;
	static const int64_t some[] = { 4, 2, 9, 4, 5, 7, 4, 5 };
	struct sync_latency l = measure(some, 8, NULL);
	assert_int_equal(l.n, 8);
	assert_int_equal(l.n_inversions, 0);
	assert_int_equal(l.min, 2);
	assert_int_equal(l.max, 9);
	assert_true(l.mean == 5);
	assert_true(fabs(l.stddev - sqrt(32.0 / 7)) < 1e-12);
	assert_int_equal(l.median, 4); /* the fourth of 2 4 4 4 5 5 7 9 */
	assert_int_equal(l.p90, 9);    /* the eighth: 7.2 rounded up */
	assert_int_equal(l.p99, 9);
	/* The k-th of a hundred. */
	int64_t hundred[100];
	for (int i = 0; i < 100; i++)
		hundred[i] = 100 - i;
	l = measure(hundred, 100, NULL);
	assert_int_equal(l.median, 50);
	assert_int_equal(l.p90, 90);
	assert_int_equal(l.p99, 99);
	/* None, one, and those that count. */
	l = measure(some, 0, NULL);
	assert_int_equal(l.n, 0);
	assert_true(isnan(l.stddev));
	l = measure(some, 1, NULL);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.median, 4);
	assert_int_equal(l.p99, 4);
	assert_true(l.mean == 4 && isnan(l.stddev));
	static const uint8_t out[] = { 1, 1, 0, 1, 1, 0, 1, 1 }, all[] = { 1, 1 };
	l = measure(some, 8, out);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.min, 7);
	assert_int_equal(l.max, 9);
	assert_int_equal(l.median, 7);
	assert_true(l.mean == 8 && fabs(l.stddev - sqrt(2)) < 1e-12);
	l = measure(some, 2, all);
	assert_int_equal(l.n, 0);
	assert_int_equal(l.p90, 0);
	assert_true(isnan(l.stddev));
	/* Before it is sent, not at the same time. */
	static const int64_t early[] = { 0, -1, 5, -7, 0 };
	l = measure(early, 5, NULL);
	assert_int_equal(l.n_inversions, 2);
	assert_int_equal(l.min, -7);
	assert_int_equal(l.max, 5);
	assert_int_equal(l.median, 0);
}

/* Each end by the piece of its host's clock that it lies in, in whatever order. */
static void corrected(void **state)
{
	(void)state;
	static const struct trace_clock_piece pieces[] = { { 0, 1000, 0 }, { 100, 2000, 0 },
		{ 200, 3000, 0 } };
	struct trace_clock_map map = { pieces, 3 }, none = { NULL, 0 };
	/* By the sender's clock, and what the map makes of it. */
	static const int64_t sent[] = { 50, 99, 100, 250, 199, 0, 200, -5 },
			     time[] = { 1050, 1099, 2000, 3050, 2099, 1000, 3000, 995 };
	for (int i = 0; i < 8; i++)
		for (int k = 0; k < 8; k++) {
			struct sync_message m[] = { { sent[i], 5000 }, { sent[k], 5000 } },
					    back[] = { { 5000, sent[i] }, { 5000, sent[k] } };
			struct sync_link l = { .messages = m, .n = 2 };
			struct sync_latency got;
			struct mer_err err;
			assert_int_equal(sync_link_latency(&l, &map, &none, &got, &err), 0);
			assert_true(got.mean == 5000 - (double)(time[i] + time[k]) / 2);
			assert_int_equal(got.max, 5000 - (time[i] < time[k] ? time[i] : time[k]));
			l.messages = back;
			assert_int_equal(sync_link_latency(&l, NULL, &map, &got, &err), 0);
			assert_true(got.mean == (double)(time[i] + time[k]) / 2 - 5000);
		}
}

static int by_value(const void *a, const void *b)
{
	int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
	return p < q ? -1 : p > q;
}

/* Of any size, many of them equal: what sorting says. */
static void any_values(void **state)
{
	(void)state;
	uint64_t seed = 5;
	for (int round = 0; round < 400; round++) {
		int64_t v[MAX];
		size_t n = 1 + (size_t)(random_next(&seed) % MAX);
		unsigned most = (unsigned)(random_next(&seed) % 62);
		for (size_t i = 0; i < n; i++) {
			unsigned bits = most ? (unsigned)(random_next(&seed) % most) : 0;
			v[i] = (int64_t)(random_next(&seed) & ((UINT64_C(1) << bits) - 1));
			if (round % 3 == 0 && random_next(&seed) % 2)
				v[i] = -v[i];
		}
		if (round % 5 == 0)
			v[0] = INT64_MAX - 1000;
		struct sync_latency l = measure(v, n, NULL);
		qsort(v, n, sizeof(*v), by_value);
		assert_true(l.min == v[0] && l.max == v[n - 1]);
		assert_true(l.median == v[(n + 1) / 2 - 1]);
		assert_true(l.p90 == v[(n * 9 + 9) / 10 - 1]);
		assert_true(l.p99 == v[(n * 99 + 99) / 100 - 1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(corrected),
		cmocka_unit_test(any_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
