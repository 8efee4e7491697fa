/* Spans that are forgotten: the last one of each task stays as it was written, however long ago that was;
 * of the rest only the newest stay, whatever the tasks do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/host.h"

enum { N_TASKS = 3000, N_SPANS = 400000, SURELY_KEPT = 20000, MOST_CHUNKS = 80 };

static uint64_t next_random(uint64_t *s)
{
	uint64_t z = (*s += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	return z ^ (z >> 31);
}

/* Few tasks do most; some do something once and never again. */
static uint32_t choose(uint64_t *rng)
{
	uint64_t r = next_random(rng);
	return r % 64 ? (uint32_t)(r >> 32) % 8 : (uint32_t)(r >> 32) % N_TASKS;
}

static void check_tasks(const struct kernel_host *h, const int64_t *begins)
{
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		const struct kernel_span *s = kernel_span_kept(h, h->tasks[t].last);
		assert_int_equal(s != NULL, begins[t] >= 0);
		assert_true(!s || (s->begin == begins[t] && s->task == t));
	}
}

static void last_ones_stay(void **state)
{
	struct kernel_host h;
	int64_t *begins = malloc(N_TASKS * sizeof(*begins));
	uint32_t *tasks = malloc(N_SPANS * sizeof(*tasks)), forgotten = 0;
	uint64_t rng = 7;
	(void)state;
	assert_non_null(begins);
	assert_non_null(tasks);
	kernel_host_init_in(&h, NULL, true);
	for (uint32_t t = 0; t < N_TASKS; t++) {
		assert_int_equal(kernel_add_task(&h, (int32_t)t + 1, 0), t);
		begins[t] = -1;
	}
	for (uint32_t i = 0; i < N_SPANS; i++) {
		uint32_t t = choose(&rng);
		struct kernel_span s = { .begin = i, .task = t, .by = KERNEL_NONE };
		assert_int_equal(kernel_add_span(&h, &s), i);
		tasks[i] = t;
		begins[t] = i;
		if (i % 20011 == 0)
			check_tasks(&h, begins);
	}
	check_tasks(&h, begins);
	for (uint32_t i = 0; i < N_SPANS; i++) {
		const struct kernel_span *s = kernel_span_kept(&h, i);
		assert_true(!s || (s->begin == i && s->task == tasks[i]));
		assert_true(s || i + SURELY_KEPT < N_SPANS);
		forgotten += !s;
	}
	assert_true(forgotten > N_SPANS / 2);
	uint32_t n_chunks = 0;
	for (uint32_t c = 0; c < h.log.n_chunks; c++)
		n_chunks += h.log.chunks[c] != NULL;
	assert_true(n_chunks <= MOST_CHUNKS);
	kernel_host_fini(&h);
	free(begins);
	free(tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(last_ones_stay) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
