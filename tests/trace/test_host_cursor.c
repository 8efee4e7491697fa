/* The cursor of one host: reads that host's events, as the cursor of all does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "small_trace.h"
#include "trace/cursor.h"

static size_t read_all(struct mer_cursor *c, int64_t *times, uint32_t *streams, size_t max)
{
	const struct mer_event *ev;
	struct mer_err err;
	size_t total = 0, n;
	do {
		assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
		for (size_t i = 0; i < n && total < max; i++, total++) {
			times[total] = ev[i].ts;
			streams[total] = ev[i].stream;
		}
	} while (n);
	mer_cursor_free(c);
	return total;
}

static void test_same_as_all(void **state)
{
	struct small_trace *t = *state;
	enum { MAX = 100 };
	int64_t times[2][MAX];
	uint32_t streams[2][MAX];
	struct trace_reading *r;
	struct mer_cursor *c;
	assert_int_equal(trace_reading_new(t->e, NULL, false, &r, &t->err), 0);
	struct trace_range all = { INT64_MIN, INT64_MAX };
	assert_int_equal(trace_cursor_new(t->e, r, all, NULL, &c, &t->err), 0);
	size_t n = read_all(c, times[0], streams[0], MAX);
	assert_int_equal(trace_cursor_of_host(t->e, r, 0, &c, &t->err), 0);
	assert_int_equal(read_all(c, times[1], streams[1], MAX), n);
	assert_int_equal(n, 5);
	assert_memory_equal(times[0], times[1], n * sizeof(times[0][0]));
	assert_memory_equal(streams[0], streams[1], n * sizeof(streams[0][0]));
	/* A host that has no streams has no events. */
	assert_int_equal(trace_cursor_of_host(t->e, r, t->e->n_hosts, &c, &t->err), 0);
	assert_int_equal(read_all(c, times[1], streams[1], MAX), 0);
	trace_reading_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_same_as_all, small_trace_set_up, small_trace_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
