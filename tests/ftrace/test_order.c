/* Order: what comes out is sorted by time, and by the order of the recording where times are equal,
 * whatever the disorder was; and not more waits than has to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "ftrace/perf/order.h"

/* Puts entries of these times; checks what comes out against a sorted array. Returns how many
 * waited at most. */
static size_t check(const uint64_t *times, size_t n)
{
	struct ftrace_order o = { 0 };
	struct ftrace_entry e, last = { 0 };
	size_t n_out = 0, most = 0;
	for (size_t i = 0; i < n; i++)
		ftrace_order_look(&o, times[i]);
	ftrace_order_begin(&o);
	for (size_t i = 0; i <= n; i++) {
		if (i < n)
			assert_true(ftrace_order_put(
				&o, &(struct ftrace_entry){ .time = times[i], .n = i }));
		while (ftrace_order_take(&o, i == n, &e)) {
			assert_int_equal(times[e.n], e.time);
			assert_true(n_out == 0 || e.time > last.time ||
				    (e.time == last.time && e.n > last.n));
			last = e;
			n_out++;
		}
		most = o.ring_n + o.heap_n > most ? o.ring_n + o.heap_n : most;
	}
	assert_int_equal(n_out, n);
	ftrace_order_fini(&o);
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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(by_hand),
		cmocka_unit_test(by_chance) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
