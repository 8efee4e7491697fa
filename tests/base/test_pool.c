/* Threads: every item once, results in order, the same error for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/pool.h"

enum { N = 5000, SLOTS = 4 };

struct test {
	atomic_uint done[N];
	atomic_uint running, most;
	unsigned n_threads;
	size_t fail_at, stop_at, cancel_at, consumed;
	size_t slot[SLOTS];
	struct mer_cancel cancel;
};

static int item(void *ctx, size_t i, unsigned worker, struct mer_err *err)
{
	struct test *t = ctx;
	unsigned now = atomic_fetch_add(&t->running, 1) + 1;
	unsigned most = atomic_load(&t->most);
	while (now > most && !atomic_compare_exchange_weak(&t->most, &most, now))
		;
	assert_true(worker < t->n_threads);
	atomic_fetch_add(&t->done[i], 1);
	if (i % 512 == 0)
		usleep(200);
	atomic_fetch_sub(&t->running, 1);
	if (i == t->cancel_at)
		atomic_store(&t->cancel.set, true);
	if (i >= t->fail_at) {
		/* A later item fails faster. */
		if (i == t->fail_at)
			usleep(2000);
		return mer_fail(err, MER_ERR_INPUT, "item %zu", i);
	}
	return 0;
}

static int produce(void *ctx, size_t i, size_t slot, unsigned worker, struct mer_err *err)
{
	struct test *t = ctx;
	int rc = item(ctx, i, worker, err);
	t->slot[slot] = i * 3;
	return rc;
}

static int consume(void *ctx, size_t i, size_t slot, struct mer_err *err)
{
	struct test *t = ctx;
	(void)err;
	assert_int_equal(i, t->consumed);
	assert_int_equal(t->slot[slot], i * 3);
	t->consumed++;
	return i == t->stop_at ? MER_POOL_STOP : 0;
}

static struct test *fresh(unsigned n_threads)
{
	struct test *t = calloc(1, sizeof(*t));
	assert_non_null(t);
	t->fail_at = t->stop_at = t->cancel_at = SIZE_MAX;
	t->n_threads = n_threads;
	return t;
}

static void all_items(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 4; n++) {
		struct test *t = fresh(n);
		assert_int_equal(mer_pool_run(n, N, item, t, NULL, NULL), 0);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(t->done[i], 1);
		assert_true(t->most <= n);
		memset(t->done, 0, sizeof(t->done));
		assert_int_equal(mer_pool_ordered(n, N, SLOTS, produce, consume, t, NULL, NULL), 0);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(t->done[i], 1);
		assert_int_equal(t->consumed, N);
		assert_true(t->most <= n);
		assert_int_equal(mer_pool_run(n, 0, item, t, NULL, NULL), 0);
		free(t);
	}
}

static void errors(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 4; n++) {
		struct mer_err err = { 0 };
		struct test *t = fresh(n);
		t->fail_at = 100;
		assert_int_equal(mer_pool_run(n, N, item, t, NULL, &err), MER_ERR_INPUT);
		assert_string_equal(err.text, "item 100");
		free(t);
		t = fresh(n);
		t->fail_at = 100;
		assert_int_equal(mer_pool_ordered(n, N, SLOTS, produce, consume, t, NULL, &err),
			MER_ERR_INPUT);
		assert_string_equal(err.text, "item 100");
		assert_int_equal(t->consumed, 100);
		free(t);
	}
}

static void early_end(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 4; n++) {
		struct mer_err err = { 0 };
		struct test *t = fresh(n);
		/* What comes after the stop does not count, not even its errors. */
		t->stop_at = 50;
		t->fail_at = 51;
		assert_int_equal(mer_pool_ordered(n, N, SLOTS, produce, consume, t, NULL, &err), 0);
		assert_int_equal(t->consumed, 51);
		free(t);
		t = fresh(n);
		t->cancel_at = 70;
		assert_int_equal(
			mer_pool_ordered(n, N, SLOTS, produce, consume, t, &t->cancel, &err),
			MER_ERR_CANCELLED);
		assert_true(t->consumed <= 71);
		free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_items),
		cmocka_unit_test(errors),
		cmocka_unit_test(early_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
