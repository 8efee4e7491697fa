/* Read ahead: the events of the cursor, with a thread and without one; and from the packets of a
 * batch on, the events from that batch on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "given.h"
#include "trace/read_ahead.h"

struct seen {
	int64_t ts;
	uint32_t stream;
};

struct all {
	struct seen *item;
	size_t n, cap;
};

static void see(struct all *a, const struct mer_event *ev, size_t n)
{
	while (a->n + n > a->cap) {
		a->cap = 2 * a->cap + 1024;
		a->item = realloc(a->item, a->cap * sizeof(*a->item));
		assert_non_null(a->item);
	}
	for (size_t i = 0; i < n; i++)
		a->item[a->n++] = (struct seen){ ev[i].ts, ev[i].stream };
}

static void are_equal(const struct all *a, const struct seen *expected, size_t n)
{
	assert_int_equal(a->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(a->item[i].ts, expected[i].ts);
		assert_int_equal(a->item[i].stream, expected[i].stream);
	}
}

static void read_cursor(struct mer_cursor *c, struct all *to)
{
	struct mer_err err;
	const struct mer_event *ev;
	size_t n = 1;
	for (; n; see(to, ev, n)) {
		assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
		if (!n)
			break;
	}
	mer_cursor_free(c);
}

static void read_ahead(struct mer_cursor *c, bool has_thread, struct all *to)
{
	enum { LEAST = 3 };
	struct trace_read_ahead *a;
	struct trace_ahead_batch batch;
	struct mer_err err;
	uint64_t bytes = 0;
	size_t number = 0;
	assert_int_equal(trace_read_ahead_start(c, has_thread, &a, &err), 0);
	for (;; number++) {
		assert_int_equal(trace_read_ahead_next(a, &batch, &err), 0);
		assert_true(batch.n == 0 || batch.bytes >= bytes);
		if (!batch.n)
			break;
		bytes = batch.bytes;
		see(to, batch.events, batch.n);
	}
	assert_true(number > LEAST);
	assert_int_equal(trace_read_ahead_next(a, &batch, &err), 0);
	assert_int_equal(batch.n, 0);
	trace_read_ahead_stop(a);
	mer_cursor_free(c);
}

static void same_events(void **state)
{
	char path[1024];
	struct mer_experiment *e;
	struct mer_cursor *c;
	struct trace_reading *r;
	struct all expected = { 0 };
	struct mer_err err;
	(void)state;
	given_path(path, sizeof(path), "lab/cpu-mem-io");
	const char *paths[] = { path };
	assert_int_equal(mer_experiment_open(paths, 1, NULL, &e, &err), 0);
	assert_int_equal(trace_reading_new(e, NULL, false, &r, &err), 0);
	assert_int_equal(trace_cursor_of_host(e, r, 0, &c, &err), 0);
	read_cursor(c, &expected);
	for (int has_thread = 0; has_thread < 2; has_thread++) {
		struct all all = { 0 };
		assert_int_equal(trace_cursor_of_host(e, r, 0, &c, &err), 0);
		read_ahead(c, has_thread, &all);
		are_equal(&all, expected.item, expected.n);
		free(all.item);
	}
	free(expected.item);
	trace_reading_free(r);
	mer_experiment_free(e);
}

/* Who stops in between leaves nothing behind, whether the thread has begun or not. */
static void stop_early(void **state)
{
	char path[1024];
	struct mer_experiment *e;
	struct mer_cursor *c;
	struct trace_reading *r;
	struct mer_err err;
	(void)state;
	given_path(path, sizeof(path), "lab/cpu-mem-io");
	const char *paths[] = { path };
	assert_int_equal(mer_experiment_open(paths, 1, NULL, &e, &err), 0);
	assert_int_equal(trace_reading_new(e, NULL, false, &r, &err), 0);
	for (int n = 0; n < 3; n++) {
		struct trace_read_ahead *a;
		struct trace_ahead_batch batch;
		assert_int_equal(trace_cursor_of_host(e, r, 0, &c, &err), 0);
		assert_int_equal(trace_read_ahead_start(c, true, &a, &err), 0);
		for (int i = 0; i < n; i++)
			assert_int_equal(trace_read_ahead_next(a, &batch, &err), 0);
		trace_read_ahead_stop(a);
		mer_cursor_free(c);
	}
	trace_reading_free(r);
	mer_experiment_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_events),
		cmocka_unit_test(stop_early),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
