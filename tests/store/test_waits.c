/* Waits in a store: all that is known of each comes back, in both variants; numbers of what is not
 * there are refused, whichever they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "store/waits.h"

static const uint8_t key[STORE_KEY_BYTES] = "waits";

/* Of a world, waits look at nothing but how many there are of all things. */
enum { A_TASKS = 3, A_SPANS = 50, A_CALLS = 7, B_TASKS = 2, B_SPANS = 20, B_CALLS = 4, N = 4 };
static struct kernel_host hosts[] = {
	{ .n_tasks = A_TASKS, .n_spans = A_SPANS, .n_calls = A_CALLS },
	{ .n_tasks = B_TASKS, .n_spans = B_SPANS, .n_calls = B_CALLS }
};
static const struct kernel_world world = { .hosts = hosts, .n_hosts = 2 };

struct given {
	struct blocked_wait waits[2][N];
	uint32_t leaders[2][A_TASKS];
	size_t first[2][A_TASKS + 1];
	struct blocked_host h[2];
	struct blocked b;
};

static const struct blocked_wait wait = { .begin = 1000,
	.end = 1200,
	.run = 1230,
	.asked = 1190,
	.task = 0,
	.span = 5,
	.whole = 5,
	.by_host = KERNEL_NONE,
	.by_task = KERNEL_NONE,
	.call = KERNEL_NONE,
	.asker = KERNEL_NONE };

static struct blocked_wait *begin(struct given *g)
{
	*g = (struct given){ .leaders = { { 0, 0, 2 }, { 0, 1 } },
		.first = { { 0, 2, 3, 4 }, { 0, 0, 1 } } };
	for (int i = 0; i < N; i++)
		g->waits[0][i] = g->waits[1][i] = wait;
	for (int i = 0; i < 2; i++)
		g->h[i] = (struct blocked_host){ .waits = g->waits[i],
			.n = i ? 1 : N,
			.first = g->first[i],
			.leaders = g->leaders[i] };
	g->b = (struct blocked){ .world = &world, .hosts = g->h };
	return g->waits[0];
}

static int put_and_get(const struct given *g, uint32_t variant, struct blocked *back)
{
	char path[] = "/tmp/test_waits.XXXXXX";
	struct store_writer w;
	struct store_file f;
	struct mer_err err = { 0 };
	int fd = mkstemp(path);
	assert_true(fd >= 0 && close(fd) == 0);
	assert_int_equal(store_writer_begin(&w, path, key, &err), 0);
	store_waits_put(&w, 0, &g->b);
	if (variant)
		store_waits_put(&w, variant, &g->b);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_file_open(&f, path, key, &err), 0);
	int rc = store_waits_get(&f, variant, &world, back, &err);
	store_file_close(&f);
	unlink(path);
	return rc;
}

static void comes_back(const struct given *g, uint32_t variant)
{
	struct blocked back;
	assert_int_equal(put_and_get(g, variant, &back), 0);
	for (int h = 0; h < 2; h++) {
		const struct blocked_host *x = &g->h[h], *y = &back.hosts[h];
		assert_int_equal(y->processes, h ? A_TASKS : 0);
		assert_int_equal(y->n, x->n);
		for (uint32_t t = 0; t < hosts[h].n_tasks; t++)
			assert_int_equal(y->leaders[t], x->leaders[t]);
		for (uint32_t t = 0; t <= hosts[h].n_tasks; t++)
			assert_int_equal(y->first[t], x->first[t]);
		for (size_t i = 0; i < x->n; i++) {
			const struct blocked_wait *v = &x->waits[i], *w = &y->waits[i];
			assert_true(v->begin == w->begin && v->end == w->end);
			assert_true(v->run == w->run && v->asked == w->asked);
			assert_true(v->task == w->task && v->span == w->span);
			assert_true(v->whole == w->whole && v->call == w->call);
			assert_true(v->by_host == w->by_host && v->by_task == w->by_task);
			assert_true(v->kind == w->kind && v->cause == w->cause);
			assert_true(v->open == w->open && v->is_input == w->is_input);
			assert_true(v->is_for_work == w->is_for_work && v->is_felt == w->is_felt);
			assert_true(v->asker == w->asker && v->is_answer == w->is_answer);
			assert_true(v->is_one_span == w->is_one_span);
		}
	}
	blocked_fini(&back);
}

static void all_of_it(void **state)
{
	(void)state;
	struct given g;
	struct blocked_wait *w = begin(&g);
	comes_back(&g, 0);
	/* The last of all there are; each mark alone. */
	w[0].is_input = true;
	w[0].task = 0;
	w[0].by_host = 1;
	w[0].by_task = B_TASKS - 1;
	w[1].open = true;
	w[1].span = A_SPANS - 2;
	w[1].whole = A_SPANS - 1;
	w[1].kind = BLOCKED_N_KINDS - 1;
	w[1].by_host = 0;
	w[1].by_task = A_TASKS - 1;
	w[2].is_for_work = true;
	w[2].call = A_CALLS - 1;
	w[2].asker = A_TASKS + B_TASKS - 1;
	w[2].asked = 700;
	w[3].is_felt = true;
	w[3].is_one_span = true;
	g.waits[1][0].is_answer = true;
	w[3].task = A_TASKS - 1;
	w[3].cause = KERNEL_N_CAUSES - 1;
	w[3].end = w[3].run = INT64_MAX;
	g.waits[1][0].call = B_CALLS - 1;
	g.waits[1][0].asker = 0;
	comes_back(&g, 0);
	comes_back(&g, 1);
	/* As many waits as there are spans. */
	g.first[1][2] = g.h[1].n = 0;
	comes_back(&g, 0);
}

static void refused(const struct given *g, const char *what)
{
	struct blocked back;
	if (put_and_get(g, 0, &back) != MER_ERR_INPUT)
		fail_msg("%s is taken", what);
	blocked_fini(&back);
}

#define REFUSED(wrong)                                                                             \
	do {                                                                                       \
		struct given g;                                                                    \
		struct blocked_wait *w = begin(&g);                                                \
		(void)w;                                                                           \
		wrong;                                                                             \
		refused(&g, #wrong);                                                               \
	} while (0)

static void what_is_not_there(void **state)
{
	(void)state;
	REFUSED(w[0].task = A_TASKS);
	REFUSED(w[0].span = w[0].whole = A_SPANS);
	REFUSED(w[0].whole = A_SPANS);
	REFUSED((w[0].by_host = 2, w[0].by_task = 0));
	REFUSED((w[0].by_host = 1, w[0].by_task = B_TASKS));
	REFUSED(w[0].by_task = 0); /* of no host */
	REFUSED(w[0].call = A_CALLS);
	REFUSED(w[0].asker = A_TASKS + B_TASKS);
	REFUSED(w[0].kind = BLOCKED_N_KINDS);
	REFUSED(w[0].cause = KERNEL_N_CAUSES);
	/* Flags that are neither true nor false. */
	REFUSED(memset(&w[0].open, 2, 1));
	REFUSED(memset(&w[0].is_one_span, 2, 1));
	REFUSED(g.waits[1][0].call = B_CALLS);
	REFUSED(g.leaders[0][1] = A_TASKS);
	REFUSED(g.leaders[1][0] = B_TASKS);
	/* Lists of waits that do not follow one another, or do not begin with the first one. */
	REFUSED(g.first[0][1] = 1 + (g.first[0][2] = 1));
	REFUSED((g.first[0][1] = 4, g.first[0][2] = 3));
	REFUSED(g.first[0][0] = 1);
	/* More waits than spans. */
	hosts[0].n_spans = 3;
	REFUSED(w[0].span = w[0].whole = w[1].span = w[1].whole = 0);
	hosts[0].n_spans = A_SPANS;
}

/* A store without waits. */
static void absent(void **state)
{
	(void)state;
	struct given g;
	begin(&g);
	g.b.world = &(struct kernel_world){ .hosts = hosts, .n_hosts = 0 };
	refused(&g, "nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it),
		cmocka_unit_test(what_is_not_there),
		cmocka_unit_test(absent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
