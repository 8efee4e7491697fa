/* Stream files opened on demand: the same events, values and counts however few may stay mapped,
 * also in batches that are kept; and a file that changes meanwhile is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/map.h"
#include "many_traces.h"
#include "small_trace.h"
#include "trace/walk.h"

static const struct trace_range everything = { INT64_MIN, INT64_MAX };

static uint64_t chain(uint64_t hash, const struct mer_event *ev)
{
	uint64_t parts[4] = { hash, (uint64_t)ev->ts, ev->stream, ev->plan->id };
	hash = mer_hash(parts, sizeof(parts));
	const char *text;
	size_t len;
	/* Text lies in the files. */
	if (mer_event_text(ev, "name", &text, &len) || mer_event_text(ev, "prev_comm", &text, &len))
		hash ^= mer_hash(text, len);
	return hash;
}

static uint64_t read_events(struct mer_experiment *e, const struct trace_reading *r, uint64_t *n)
{
	struct mer_cursor *c;
	struct mer_err err;
	uint64_t hash = 0;
	size_t got;
	assert_int_equal(trace_cursor_new(e, r, everything, NULL, &c, &err), 0);
	*n = 0;
	do {
		const struct mer_event *ev;
		assert_int_equal(mer_cursor_next(c, &ev, &got, &err), 0);
		for (size_t i = 0; i < got; i++)
			hash = chain(hash, &ev[i]);
		*n += got;
	} while (got);
	mer_cursor_free(c);
	return hash;
}

/* Three batches are always kept while the cursor goes on. */
static uint64_t take_events(struct mer_experiment *e, const struct trace_reading *r)
{
	struct trace_batch b[3] = { 0 };
	struct mer_cursor *c;
	struct mer_err err;
	uint64_t hash = 0;
	bool more = true;
	assert_int_equal(trace_cursor_new(e, r, everything, NULL, &c, &err), 0);
	for (unsigned k = 0; more || k % 3; k++) {
		struct trace_batch *oldest = &b[k % 3];
		for (size_t i = 0; i < oldest->n; i++)
			hash = chain(hash, &oldest->events[i]);
		oldest->n = 0;
		if (more)
			assert_int_equal(trace_cursor_take(c, oldest, &err), 0);
		more = more && oldest->n;
	}
	for (unsigned k = 0; k < 3; k++) {
		for (size_t i = 0; i < b[k].n; i++)
			hash = chain(hash, &b[k].events[i]);
		trace_batch_fini(&b[k]);
	}
	mer_cursor_free(c);
	return hash;
}

static uint64_t count_events(struct mer_experiment *e)
{
	struct trace_counts *counts;
	struct mer_err err;
	assert_int_equal(trace_walk(e, 3, NULL, NULL, &counts, &err), 0);
	uint64_t n = counts->all.events;
	trace_counts_free(counts);
	return n;
}

static void same_for_any_limit(struct mer_experiment *e)
{
	struct trace_reading *r;
	struct mer_err err;
	uint64_t n, hash, more;
	assert_int_equal(trace_reading_new(e, NULL, false, &r, &err), 0);
	assert_true(trace_files_stay(e));
	hash = read_events(e, r, &n);
	assert_true(n > 0);
	assert_int_equal(take_events(e, r), hash);
	for (uint32_t most = 0; most < 4; most++) {
		assert_true(trace_files_limit(e, most));
		assert_false(trace_files_stay(e));
		assert_int_equal(read_events(e, r, &more), hash);
		assert_int_equal(more, n);
		assert_int_equal(take_events(e, r), hash);
		assert_int_equal(count_events(e), n);
		uint32_t mapped = 0;
		for (uint32_t i = 0; i < e->n_files; i++) {
			mapped += e->files[i].data && e->files[i].bytes;
			assert_int_equal(e->files[i].n_users, 0);
		}
		assert_true(mapped <= most);
	}
	trace_reading_free(r);
}

static void test_small(void **state)
{
	struct small_trace *t = *state;
	same_for_any_limit(t->e);
}

static void test_many(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 12; seed++) {
		struct many_traces t;
		struct mer_experiment *e;
		struct mer_err err;
		many_traces_make(&t, seed);
		const char *path = t.dir;
		assert_int_equal(mer_experiment_open(&path, 1, NULL, &e, &err), 0);
		same_for_any_limit(e);
		mer_experiment_free(e);
		many_traces_remove(&t);
	}
}

static void test_changed(void **state)
{
	struct small_trace *t = *state;
	struct trace_reading *r;
	uint64_t n, fewer;
	assert_int_equal(trace_reading_new(t->e, NULL, false, &r, &t->err), 0);
	read_events(t->e, r, &n);
	assert_true(trace_files_limit(t->e, 0));
	assert_int_equal(t->e->diags.n_errors, 0);
	assert_int_equal(truncate(t->e->files[0].path, (off_t)t->e->files[0].bytes - 1), 0);
	read_events(t->e, r, &fewer);
	assert_true(fewer < n && fewer > 0);
	assert_true(t->e->diags.n_errors > 0);
	assert_string_equal(t->e->diags.rows[t->e->diags.n - 1].code, "file-unreadable");
	assert_int_equal(count_events(t->e), fewer);
	trace_reading_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_small, small_trace_set_up, small_trace_tear_down),
		cmocka_unit_test(test_many),
		cmocka_unit_test_setup_teardown(
			test_changed, small_trace_set_up, small_trace_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
