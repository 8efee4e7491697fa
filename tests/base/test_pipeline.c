/* The pipeline: every item once, written in the order of reading, turns kept, the first error in
 * order whatever the number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/pipeline.h"

enum { N = 3000, SLOTS = 5 };

struct test {
	size_t n; /* items that there are */
	size_t read_fails, work_fails, write_ends, cancel_at;
	size_t n_read, n_written;
	atomic_uint reading, writing, working, most_working, n_worked;
	size_t slot[SLOTS];
	struct mer_cancel cancel;
};

static int read_item(void *ctx, size_t slot, struct mer_err *err)
{
	struct test *t = ctx;
	assert_int_equal(atomic_fetch_add(&t->reading, 1), 0);
	size_t i = t->n_read;
	int rc = 0;
	if (i == t->n) {
		rc = MER_PIPELINE_END;
	} else if (i == t->read_fails) {
		rc = mer_fail(err, MER_ERR_INPUT, "read %zu", i);
	} else {
		t->slot[slot] = i;
		t->n_read++;
	}
	atomic_fetch_sub(&t->reading, 1);
	return rc;
}

static int work_item(void *ctx, size_t slot, struct mer_err *err)
{
	struct test *t = ctx;
	unsigned now = atomic_fetch_add(&t->working, 1) + 1;
	unsigned most = atomic_load(&t->most_working);
	while (now > most && !atomic_compare_exchange_weak(&t->most_working, &most, now))
		;
	size_t i = t->slot[slot];
	if (i % 256 == 0)
		usleep(300);
	t->slot[slot] = i * 3;
	atomic_fetch_add(&t->n_worked, 1);
	atomic_fetch_sub(&t->working, 1);
	if (i == t->cancel_at)
		atomic_store(&t->cancel.set, true);
	/* Later items fail too, and faster. */
	if (i == t->work_fails)
		usleep(2000);
	return i >= t->work_fails ? mer_fail(err, MER_ERR_INPUT, "work %zu", i) : 0;
}

static int write_item(void *ctx, size_t slot, struct mer_err *err)
{
	struct test *t = ctx;
	(void)err;
	assert_int_equal(atomic_fetch_add(&t->writing, 1), 0);
	assert_int_equal(t->slot[slot], t->n_written * 3);
	bool enough = t->n_written++ == t->write_ends;
	atomic_fetch_sub(&t->writing, 1);
	return enough ? MER_PIPELINE_END : 0;
}

static struct test *fresh(void)
{
	struct test *t = calloc(1, sizeof(*t));
	assert_non_null(t);
	t->n = N;
	t->read_fails = t->work_fails = t->write_ends = t->cancel_at = SIZE_MAX;
	return t;
}

static int run(struct test *t, unsigned n_threads, struct mer_err *err)
{
	struct mer_pipeline p = { .n_threads = n_threads,
		.n_slots = n_threads < 2 ? 1 : SLOTS,
		.ctx = t,
		.cancel = &t->cancel,
		.read = read_item,
		.work = work_item,
		.write = write_item };
	return mer_pipeline_run(&p, err);
}

static void all_items(void **state)
{
	(void)state;
	for (unsigned n = 0; n <= 4; n++) {
		struct test *t = fresh();
		assert_int_equal(run(t, n, NULL), 0);
		assert_int_equal(t->n_written, N);
		assert_int_equal(t->n_worked, N);
		assert_true(t->most_working <= (n ? n : 1));
		free(t);
	}
}

static void no_items(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 3; n++) {
		struct test *t = fresh();
		t->n = 0;
		assert_int_equal(run(t, n, NULL), 0);
		assert_int_equal(t->n_written, 0);
		free(t);
	}
}

static void first_error_in_order(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 4; n++) {
		struct mer_err err = { 0 };
		struct test *t = fresh();
		t->work_fails = 1000;
		assert_int_equal(run(t, n, &err), MER_ERR_INPUT);
		assert_string_equal(err.text, "work 1000");
		assert_int_equal(t->n_written, 1000);
		free(t);
		t = fresh();
		t->read_fails = 700;
		assert_int_equal(run(t, n, &err), MER_ERR_INPUT);
		assert_string_equal(err.text, "read 700");
		assert_int_equal(t->n_written, 700);
		free(t);
	}
}

static void enough(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 4; n++) {
		struct test *t = fresh();
		t->write_ends = 500;
		t->work_fails = 501; /* nobody wants that one */
		assert_int_equal(run(t, n, NULL), 0);
		assert_int_equal(t->n_written, 501);
		free(t);
	}
}

static void cancelled(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 4; n++) {
		struct test *t = fresh();
		t->cancel_at = 800;
		assert_int_equal(run(t, n, NULL), MER_ERR_CANCELLED);
		assert_true(t->n_written >= 801 && t->n_written <= 801 + SLOTS);
		free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_items),
		cmocka_unit_test(no_items),
		cmocka_unit_test(first_error_in_order),
		cmocka_unit_test(enough),
		cmocka_unit_test(cancelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
