/* Cycles to nanoseconds, by hand and exactly; and the sort of a window's events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/clock.h"
#include "trace/timesort.h"

static struct mer_clock clock_of(uint64_t freq_hz, int64_t offset_s, int64_t offset_cycles)
{
	const struct ctf_clock from = {
		.freq_hz = freq_hz, .offset_s = offset_s, .offset_cycles = offset_cycles
	};
	struct mer_clock c;
	mer_clock_init(&c, &from);
	return c;
}

/* Offset and cycles are each rounded down. */
static void cycles(void **state)
{
	(void)state;
	struct mer_clock c = clock_of(NS_PER_S, 2, 5);
	assert_int_equal(mer_clock_ns(&c, 7), 2 * (int64_t)NS_PER_S + 12);
	c = clock_of(3, 0, 0);
	assert_int_equal(mer_clock_ns(&c, 0), 0);
	assert_int_equal(mer_clock_ns(&c, 1), 333333333);
	assert_int_equal(mer_clock_ns(&c, 2), 666666666);
	assert_int_equal(mer_clock_ns(&c, 3), NS_PER_S);
	c = clock_of(3, 10, 1);
	assert_int_equal(mer_clock_ns(&c, 2), 10 * (int64_t)NS_PER_S + 999999999);
	/* Offsets of any sign, larger than a second. */
	c = clock_of(1000, 0, -1);
	assert_int_equal(mer_clock_ns(&c, 0), -1000000);
	assert_int_equal(mer_clock_ns(&c, 1), 0);
	c = clock_of(1000, 5, -2500);
	assert_int_equal(mer_clock_ns(&c, 0), 2500000000);
	c = clock_of(1000, -5, 2500);
	assert_int_equal(mer_clock_ns(&c, 0), -2500000000);
	c = clock_of(3, 0, -1);
	assert_int_equal(mer_clock_ns(&c, 0), -(int64_t)NS_PER_S + 666666666);
	/* Exact where floating point is not: beyond 2^52 ns. */
	c = clock_of(1500000001, 0, 0);
	for (uint64_t n = UINT64_C(1) << 53; n < UINT64_C(1) << 63; n += n / 3 + 12345) {
		unsigned __int128 exact = (unsigned __int128)n * NS_PER_S / 1500000001;
		if (exact < INT64_MAX)
			assert_true(mer_clock_ns(&c, n) == (int64_t)exact);
	}
}

static void far_away(void **state)
{
	(void)state;
	/* The last second that leaves room for others is kept in nanoseconds, the next one
	 * aside. */
	struct mer_clock c = clock_of(1000, 7000000000, 1);
	assert_int_equal(c.base_s, 0);
	assert_int_equal(c.base_ns, 7000000000 * (int64_t)NS_PER_S + 1000000);
	c = clock_of(1000, 7000000001, 1);
	assert_int_equal(c.base_s, 7000000001);
	assert_int_equal(c.base_ns, 1000000);
	assert_false(c.no_base);
	c = clock_of(1000, -7000000000, 0);
	assert_int_equal(c.base_s, 0);
	c = clock_of(1000, -7000000001, 0);
	assert_int_equal(c.base_s, -7000000001);
	/* Not even in seconds. */
	c = clock_of(1, INT64_MAX, 0);
	assert_false(c.no_base);
	assert_true(c.base_s == INT64_MAX);
	c = clock_of(1, INT64_MAX, 1);
	assert_true(c.no_base && c.base_s == INT64_MAX);
	c = clock_of(1, INT64_MIN, 0);
	assert_false(c.no_base);
	c = clock_of(1, INT64_MIN, -1);
	assert_true(c.no_base && c.base_s == INT64_MIN);
	/* Times that do not fit are the last one. */
	c = clock_of(1, 0, 0);
	assert_true(mer_clock_ns(&c, UINT64_MAX) == TRACE_LAST_TIME);
	c = clock_of(NS_PER_S, 5, 0);
	assert_true(mer_clock_ns(&c, UINT64_MAX) == TRACE_LAST_TIME);
	assert_true(mer_clock_ns(&c, (uint64_t)INT64_MAX) == TRACE_LAST_TIME);
	c = clock_of(NS_PER_S, 0, 0);
	assert_true(mer_clock_ns(&c, (uint64_t)INT64_MAX) == TRACE_LAST_TIME);
	assert_true(mer_clock_ns(&c, (uint64_t)INT64_MAX - 2) == INT64_MAX - 2);
}

/* Below 52 days a time is that of floating point, as in babeltrace, also where that is 1 ns off;
 * beyond it is exact. */
static void as_others_have_it(void **state)
{
	(void)state;
	struct mer_clock c = clock_of(2400000000, 0, 0);
	assert_true(mer_clock_ns(&c, 5000000000007919) == 2083333333336633); /* exact: ...632.9 */
	assert_true(mer_clock_ns(&c, 5000000000158380) == 2083333333399324); /* exact: ...325 */
	assert_true(mer_clock_ns(&c, 12000000000000001) == 5000000000000000);
	assert_true(mer_clock_ns(&c, 12000000000000002) == 5000000000000000);
	assert_true(mer_clock_ns(&c, 12000000000000003) == 5000000000000001);
}

/* ---- the sort ---- */

enum { MAX = 3000 };

static int by_time(const void *a, const void *b)
{
	const struct timesort_key *p = a, *q = b;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

static void sorted(void **state)
{
	(void)state;
	static struct timesort_key keys[MAX], spare[MAX], expected[MAX];
	uint32_t seed = 3;
	for (int round = 0; round < 300; round++) {
		uint32_t n = 1 + (uint32_t)round * 10 % MAX, bits = 1 + (uint32_t)round % 32;
		bool falls = false;
		for (uint32_t i = 0; i < n; i++) {
			seed = seed * 1664525u + 1013904223u;
			keys[i] = (struct timesort_key){ seed >> (32 - bits), i };
			falls |= i && keys[i].time < keys[i - 1].time;
			expected[i] = keys[i];
		}
		qsort(expected, n, sizeof(*expected), by_time);
		const struct timesort_key *got = timesort(keys, spare, n);
		assert_true((got != NULL) == falls);
		if (got)
			assert_memory_equal(got, expected, n * sizeof(*expected));
	}
	/* In order, and all equal. */
	for (uint32_t i = 0; i < 100; i++)
		keys[i] = (struct timesort_key){ i / 3, i };
	assert_null(timesort(keys, spare, 100));
	/* The greatest one first: its digits count. */
	for (uint32_t i = 0; i < 10; i++)
		keys[i] = (struct timesort_key){ i ? i : UINT32_MAX, i };
	const struct timesort_key *got = timesort(keys, spare, 10);
	assert_non_null(got);
	assert_int_equal(got[9].index, 0);
	for (uint32_t i = 0; i < 9; i++)
		assert_int_equal(got[i].time, i + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles),
		cmocka_unit_test(as_others_have_it),
		cmocka_unit_test(far_away),
		cmocka_unit_test(sorted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
