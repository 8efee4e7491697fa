/* Slices give what one cursor gives, however many bytes and threads there are; and the sort that
 * merges events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "many_traces.h"
#include "trace/slices.h"
#include "trace/timesort.h"

/* ---- slices ---- */

enum { SLOTS = 4, MOST = 200000 };

struct seen {
	int64_t ts;
	uint64_t stream; /* no bytes between members: they are compared */
	int64_t serial;
};

struct list {
	struct seen *rows;
	size_t n;
};

struct job {
	struct list slots[SLOTS];
	struct list all;
	unsigned n_consumed, stop_after;
	int fail_with;
};

static void add(struct list *l, const struct mer_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct seen *s = &l->rows[l->n++];
		assert_true(l->n <= MOST);
		*s = (struct seen){ ev[i].ts, ev[i].stream, -1 };
		assert_true(mer_event_int(&ev[i], "serial", &s->serial));
	}
}

static void begin(void *ctx, size_t slot)
{
	((struct job *)ctx)->slots[slot].n = 0;
}

static int batch(void *ctx, size_t slot, const struct mer_cursor *c, const struct mer_event *ev,
	size_t n, struct mer_err *err)
{
	struct job *j = ctx;
	(void)c;
	if (j->fail_with)
		return mer_fail(err, j->fail_with, "no batch");
	add(&j->slots[slot], ev, n);
	return 0;
}

static int consume(void *ctx, size_t slot, struct mer_err *err)
{
	struct job *j = ctx;
	(void)err;
	memcpy(&j->all.rows[j->all.n], j->slots[slot].rows,
		j->slots[slot].n * sizeof(*j->all.rows));
	j->all.n += j->slots[slot].n;
	return ++j->n_consumed == j->stop_after ? MER_POOL_STOP : 0;
}

static struct list by_one_cursor(
	struct mer_experiment *e, const struct trace_reading *r, struct trace_range range)
{
	struct list l = { malloc(MOST * sizeof(*l.rows)), 0 };
	struct mer_cursor *c;
	struct mer_err err;
	const struct mer_event *ev;
	size_t n;
	assert_non_null(l.rows);
	assert_int_equal(trace_cursor_new(e, r, range, NULL, &c, &err), 0);
	do {
		assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
		add(&l, ev, n);
	} while (n);
	mer_cursor_free(c);
	return l;
}

static void as_one_cursor(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 6; seed++) {
		struct many_traces t;
		struct mer_experiment *e;
		struct mer_err err;
		struct trace_reading *r;
		struct job j = { 0 };
		many_traces_make(&t, seed);
		const char *path = t.dir;
		assert_int_equal(mer_experiment_open(&path, 1, NULL, &e, &err), 0);
		assert_int_equal(trace_reading_new(e, NULL, false, &r, &err), 0);
		for (int i = 0; i < SLOTS; i++)
			j.slots[i].rows = malloc(MOST * sizeof(*j.all.rows));
		j.all.rows = malloc(MOST * sizeof(*j.all.rows));
		struct list whole =
			by_one_cursor(e, r, (struct trace_range){ INT64_MIN, INT64_MAX });
		assert_true(whole.n > 100);
		struct trace_range ranges[] = { { INT64_MIN, INT64_MAX },
			{ whole.rows[whole.n / 3].ts, whole.rows[whole.n / 2].ts } };
		static const uint64_t bytes[] = { 1, 1000, 10000, 0 };
		for (int k = 0; k < 2; k++)
			for (unsigned i = 0; i < 8; i++) {
				struct list want = by_one_cursor(e, r, ranges[k]);
				struct trace_slices_job job = { .reading = r,
					.range = ranges[k],
					.n_threads = i < 4 ? 2 : 1,
					.slice_bytes = bytes[i % 4],
					.n_slots = i % 4 ? SLOTS : 2,
					.ctx = &j,
					.begin = begin,
					.batch = batch,
					.consume = consume };
				j.all.n = j.n_consumed = 0;
				assert_int_equal(trace_run_slices(e, &job, &err), 0);
				assert_int_equal(j.all.n, want.n);
				assert_memory_equal(
					j.all.rows, want.rows, want.n * sizeof(*want.rows));
				/* One thread takes one slice, two take several small ones. */
				assert_true(i < 2 ? j.n_consumed > 1 : i == 2 || j.n_consumed == 1);
				free(want.rows);
				if (k || i)
					continue;
				j.all.n = j.n_consumed = 0; /* somebody has had enough */
				j.stop_after = 2;
				assert_int_equal(trace_run_slices(e, &job, &err), 0);
				assert_int_equal(j.n_consumed, 2);
				j.stop_after = 0;
				j.fail_with = MER_ERR_LIMIT;
				assert_int_equal(trace_run_slices(e, &job, &err), MER_ERR_LIMIT);
				j.fail_with = 0;
			}
		for (int i = 0; i < SLOTS; i++)
			free(j.slots[i].rows);
		free(j.all.rows);
		free(whole.rows);
		trace_reading_free(r);
		mer_experiment_free(e);
		many_traces_remove(&t);
	}
}

/* ---- the sort ---- */

static int by_time(const void *a, const void *b)
{
	const struct timesort_key *p = a, *q = b;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return (p->index > q->index) - (p->index < q->index);
}

/* Equal times keep their order. */
static void sorts(void **state)
{
	static const uint32_t most[] = { 0, 1, 2, 3, 100, 2046, 2047, 2048, 4095, 1 << 21,
		(1 << 22) - 1, 1 << 22, UINT32_MAX };
	(void)state;
	srand(1);
	for (size_t m = 0; m < sizeof(most) / sizeof(*most); m++)
		for (uint32_t n = 0; n < 60; n++) {
			struct timesort_key keys[60], spare[60], want[60];
			bool sorted = true;
			for (uint32_t i = 0; i < n; i++) {
				uint32_t r = (uint32_t)rand() << 16 ^ (uint32_t)rand();
				keys[i].time = most[m] == UINT32_MAX ? r : r % (most[m] + 1);
				if (i == n / 2)
					keys[i].time = most[m];
				keys[i].index = i;
				sorted &= !i || keys[i - 1].time <= keys[i].time;
				want[i] = keys[i];
			}
			qsort(want, n, sizeof(*want), by_time);
			const struct timesort_key *got = timesort(keys, spare, n);
			assert_int_equal(got == NULL, sorted);
			assert_true(!got || got == keys || got == spare);
			assert_memory_equal(got ? got : keys, want, n * sizeof(*want));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_one_cursor),
		cmocka_unit_test(sorts) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
