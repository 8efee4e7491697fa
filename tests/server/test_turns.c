/* Turns: first come, first served; whoever is done and comes again waits behind all others. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "server/turns.h"

enum { N = 8, ROUNDS = 50 };

/* How many have a turn or wait for one. */
static uint64_t present(struct turns *t)
{
	pthread_mutex_lock(&t->lock);
	uint64_t n = t->came - t->left;
	pthread_mutex_unlock(&t->lock);
	return n;
}

struct guest {
	struct turns *t;
	unsigned me, *order;
	size_t *n;
	unsigned rounds;
};

static void *visit(void *data)
{
	struct guest *g = data;
	for (unsigned i = 0; i < g->rounds; i++) {
		turns_take(g->t);
		g->order[(*g->n)++] = g->me; /* nobody else is here */
		if (g->rounds > 1)	     /* until all others are in the queue */
			while (present(g->t) < N && *g->n < N * (ROUNDS - 1))
				nanosleep(&(struct timespec){ 0, 100000 }, NULL);
		turns_done(g->t);
	}
	return NULL;
}

static void wait_for(struct turns *t, uint64_t n)
{
	while (present(t) != n)
		nanosleep(&(struct timespec){ 0, 100000 }, NULL);
}

static void in_order(void **state)
{
	(void)state;
	struct turns t;
	pthread_t threads[N];
	struct guest guests[N];
	unsigned order[N];
	size_t n = 0;
	turns_init(&t);
	turns_take(&t);
	for (unsigned i = 0; i < N; i++) {
		guests[i] = (struct guest){ &t, i, order, &n, 1 };
		assert_int_equal(pthread_create(&threads[i], NULL, visit, &guests[i]), 0);
		wait_for(&t, i + 2);
	}
	assert_int_equal(n, 0);
	turns_done(&t);
	for (unsigned i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(n, N);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(order[i], i);
	assert_int_equal(present(&t), 0);
	turns_fini(&t);
}

/* As soon as all are there, each has its turn once in N. */
static void again_is_behind(void **state)
{
	(void)state;
	struct turns t;
	pthread_t threads[N];
	struct guest guests[N];
	static unsigned order[N * ROUNDS];
	size_t n = 0;
	turns_init(&t);
	for (unsigned i = 0; i < N; i++) {
		guests[i] = (struct guest){ &t, i, order, &n, ROUNDS };
		assert_int_equal(pthread_create(&threads[i], NULL, visit, &guests[i]), 0);
	}
	for (unsigned i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(n, N * ROUNDS);
	for (size_t i = N; i + 2 * N < N * (ROUNDS - 1); i++)
		assert_int_equal(order[i], order[i + N]);
	turns_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),
		cmocka_unit_test(again_is_behind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
