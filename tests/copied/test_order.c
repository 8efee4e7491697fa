/* Order: what comes out is sorted by time, and by the order of the recording where times are equal,
 * whatever the disorder was; and not more waits than has to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "copied/order.h"

/* Puts entries of these times; checks what comes out against a sorted array. Returns how many
 * waited at most. */
static size_t check(const uint64_t *times, size_t n)
{
	struct copied_order o = { 0 };
	struct copied_waiting e, last = { 0 };
	size_t n_out = 0, most = 0;
	for (size_t i = 0; i < n; i++)
		copied_order_look(&o, times[i]);
	copied_order_begin(&o);
	for (size_t i = 0; i <= n; i++) {
		if (i < n)
			assert_true(
				copied_order_put(&o, &(struct copied_waiting){ .time = times[i] }));
		while (copied_order_take(&o, i == n, &e)) {
			assert_int_equal(times[e.n], e.time);
			assert_true(n_out == 0 || e.time > last.time ||
				    (e.time == last.time && e.n > last.n));
			last = e;
			n_out++;
		}
		most = o.ring_n + o.heap_n > most ? o.ring_n + o.heap_n : most;
	}
	assert_int_equal(n_out, n);
	copied_order_fini(&o);
	return most;
}
#define CHECK(...)                                                                                 \
	check((const uint64_t[]){ __VA_ARGS__ },                                                   \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void by_hand(void **state)
{
	(void)state;
	assert_int_equal(check(NULL, 0), 0);
	assert_int_equal(CHECK(1, 2, 2, 3, 9), 0); /* nothing waits */
	assert_true(CHECK(10, 30, 20, 40, 50, 60, 70, 80) <= 2);
	CHECK(5, 4, 3, 2, 1);
	CHECK(7, 7, 3, 7, 3, 3);
	CHECK(0, UINT64_MAX, 1, UINT64_MAX, 0);
}

static void by_chance(void **state)
{
	(void)state;
	enum { N = 20000 };
	static uint64_t times[N];
	uint32_t x = 1;
	for (unsigned late = 0; late < 2000; late = late * 3 + 1) {
		for (uint64_t i = 0; i < N; i++) {
			x = x * 1664525 + 1013904223;
			times[i] =
				10 * i - (late ? x >> 8 & 0xffff : 0) % (late + 1) % (10 * i + 1);
		}
		assert_true(check(times, N) <= late / 10 + late / 5 + 3);
	}
	/* Two runs side by side, one of them far behind, as of two buffers. */
	for (uint64_t i = 0; i < N; i++)
		times[i] = i % 200 < 100 ? 10 * i : 10 * i - (i > 200 ? 1000u : 0u);
	check(times, N);
}

/* Where all is upside down no more waits than may: the earliest of these comes out, too early. */
static void not_more(void **state)
{
	(void)state;
	enum { N = 1000, MOST = 10 };
	struct copied_order o = { .most = MOST };
	struct copied_waiting w;
	uint64_t n_out = 0, n_back = 0, last = 0;
	for (uint64_t i = 0; i < N; i++)
		copied_order_look(&o, N - i);
	copied_order_begin(&o);
	for (uint64_t i = 0; i <= N; i++) {
		if (i < N)
			assert_true(
				copied_order_put(&o, &(struct copied_waiting){ .time = N - i }));
		while (copied_order_take(&o, i == N, &w)) {
			assert_int_equal(w.time, N - w.n);
			n_back += n_out++ && w.time < last;
			last = w.time;
		}
		assert_true(o.ring_n + o.heap_n <= MOST);
	}
	assert_int_equal(n_out, N);
	assert_true(n_back > 0);
	copied_order_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(by_hand), cmocka_unit_test(by_chance),
		cmocka_unit_test(not_more) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
