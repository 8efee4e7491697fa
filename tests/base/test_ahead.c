/* Every job is done once for each time that it was begun, with its own result, with a thread and
 * without one. */
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/ahead.h"

enum { N_JOBS = 7, N_ROUNDS = 2000 };

struct counter {
	struct mer_ahead_job job;
	uint64_t n, sum;
};

static int count(void *ctx, struct mer_err *err)
{
	struct counter *c = ctx;
	c->n++;
	for (uint64_t i = 0; i < 50 * (c->n % 5); i++)
		c->sum += i ^ c->n;
	return c->n % 10 == 0 ? mer_fail(err, MER_ERR_INPUT, "%d", (int)c->n) : 0;
}

static void run(struct mer_ahead *a)
{
	struct counter c[N_JOBS] = { { .n = 0 } };
	for (int i = 0; i < N_JOBS; i++) {
		c[i].job = (struct mer_ahead_job){ .fn = count, .ctx = &c[i] };
		mer_ahead_begin(a, &c[i].job);
	}
	for (int r = 1; r <= N_ROUNDS; r++)
		for (int i = 0; i < N_JOBS; i++) {
			struct mer_err err = { 0 };
			int rc = mer_ahead_wait(a, &c[i].job, &err);
			assert_int_equal(c[i].n, r);
			assert_int_equal(rc, r % 10 == 0 ? MER_ERR_INPUT : 0);
			assert_int_equal(err.code, rc);
			/* Not always: a job that was not begun is done when it is waited for. */
			if ((r + i) % 3)
				mer_ahead_begin(a, &c[i].job);
		}
	mer_ahead_stop(a); /* with jobs that wait */
}

static void with_a_thread(void **state)
{
	(void)state;
	struct mer_ahead *a = mer_ahead_start();
	assert_non_null(a);
	run(a);
}

struct told {
	struct mer_ahead_job job;
	sem_t done;
};

static int tell(void *ctx, struct mer_err *err)
{
	struct told *t = ctx;
	(void)err;
	sem_post(&t->done);
	return 0;
}

/* The thread does them by itself: one after the other, and after it had nothing to do. */
static void by_itself(void **state)
{
	struct told jobs[3];
	struct timespec limit;
	struct mer_err err = { 0 };
	(void)state;
	struct mer_ahead *a = mer_ahead_start();
	assert_non_null(a);
	for (int i = 0; i < 3; i++) {
		jobs[i].job = (struct mer_ahead_job){ .fn = tell, .ctx = &jobs[i] };
		assert_int_equal(sem_init(&jobs[i].done, 0, 0), 0);
	}
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 20; /* for ever */
	mer_ahead_begin(a, &jobs[0].job);
	assert_int_equal(sem_timedwait(&jobs[0].done, &limit), 0);
	mer_ahead_begin(a, &jobs[1].job);
	mer_ahead_begin(a, &jobs[2].job);
	assert_int_equal(sem_timedwait(&jobs[1].done, &limit), 0);
	assert_int_equal(sem_timedwait(&jobs[2].done, &limit), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(mer_ahead_wait(a, &jobs[i].job, &err), 0);
	mer_ahead_stop(a);
	mer_ahead_stop(NULL);
	for (int i = 0; i < 3; i++)
		sem_destroy(&jobs[i].done);
}

static void without_one(void **state)
{
	(void)state;
	run(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_a_thread),
		cmocka_unit_test(by_itself),
		cmocka_unit_test(without_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
