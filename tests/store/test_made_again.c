/* Facts that a store makes again from spans (times of tasks on CPUs): those of a part of the time
 * and of some tasks are all that have a part in it, whole, and no others. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "analysis/all.h"
#include "base/str.h"
#include "scenario.h"
#include "store/record.h"

static const uint8_t key[STORE_KEY_BYTES] = "made again";

#define SWITCH(at, from, to)                                                                       \
	at "us 0 sched_switch prev_comm=\"t" from "\" prev_tid=" from                              \
	   " prev_state=1 next_comm=\"t" to "\" next_tid=" to "\n"

struct stored {
	struct scenario s;
	char path[40];
	struct store *store;
	int64_t t0; /* time 0 of the scenario */
};

/* Task 1 is on the CPU from 10 to 20 us and from 40 to 50, 2 from 20 to 30, 3 from 30 to 40. */
static int make(void **state)
{
	static struct stored x;
	struct mer_err err = { 0 };
	scenario_open(&x.s,
		"host h\n" SWITCH("10", "0", "1") SWITCH("20", "1", "2") SWITCH("30", "2", "3")
			SWITCH("40", "3", "1") SWITCH("50", "1", "0") SWITCH("60", "0", "0"));
	snprintf(x.path, sizeof(x.path), "/tmp/test_made_again.XXXXXX");
	int fd = mkstemp(x.path);
	assert_true(fd >= 0 && close(fd) == 0);
	if (store_record(&(struct store_target){ .path = x.path, .key = key, .about = "scenario" },
		    x.s.e, &x.s.messages, NULL, NULL,
		    &(struct kernel_world_options){ .n_threads = 1 }, &err) ||
		store_open(x.path, key, x.s.e, &x.store, &err))
		fail_msg("%s", err.text);
	x.t0 = store_world(x.store)->hosts[0].begin - 10000;
	*state = &x;
	return 0;
}

static int clear(void **state)
{
	struct stored *x = *state;
	store_close(x->store);
	scenario_close(&x->s);
	return unlink(x->path);
}

struct taken {
	struct mer_str out;
	int64_t t0;
};

static int take(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct taken *t = ctx;
	const struct fact *f = facts;
	(void)err;
	for (size_t i = 0; i < n; i++)
		mer_str_printf(&t->out, "%" PRId32 " %" PRId64 "-%" PRId64 ", ",
			h->tasks[f[i].task].tid, (f[i].begin - t->t0) / 1000,
			(f[i].end - t->t0) / 1000);
	return 0;
}

/* From begin to end, us; tid 0: of all tasks. */
static void are(
	const struct stored *x, int64_t begin, int64_t end, int32_t tid, const char *expected)
{
	const struct kernel_host *h = &store_world(x->store)->hosts[0];
	const struct analysis_source source = store_source(x->store);
	bool *tasks = calloc(h->n_tasks, sizeof(*tasks));
	struct taken t = { .t0 = x->t0 };
	struct mer_err err = { 0 };
	assert_non_null(tasks);
	for (uint32_t i = 0; i < h->n_tasks; i++)
		tasks[i] = h->tasks[i].tid == tid;
	const struct fact_range range = { x->t0 + begin * 1000, x->t0 + end * 1000,
		tid ? tasks : NULL };
	if (source.read(source.ctx, 0, &fact_cpu_run, &range, take, &t, &err))
		fail_msg("%s", err.text);
	assert_string_equal(t.out.data ? t.out.data : "", expected);
	mer_str_fini(&t.out);
	free(tasks);
}

static void of_a_range(void **state)
{
	const struct stored *x = *state;
	are(x, 0, 100, 0, "1 10-20, 2 20-30, 3 30-40, 1 40-50, ");
	are(x, 22, 28, 0, "2 20-30, ");
	are(x, 25, 35, 0, "2 20-30, 3 30-40, ");
	/* What only touches it has a part in it, as far as one can tell. */
	are(x, 30, 38, 0, "2 20-30, 3 30-40, ");
	are(x, 22, 30, 0, "2 20-30, 3 30-40, ");
}

static void of_a_task(void **state)
{
	const struct stored *x = *state;
	are(x, 0, 100, 1, "1 10-20, 1 40-50, ");
	are(x, 15, 35, 1, "1 10-20, ");
	are(x, 15, 35, 2, "2 20-30, ");
}

/* Where there is none one says that there are some elsewhere. */
static void of_none(void **state)
{
	const struct stored *x = *state;
	are(x, 52, 58, 0, "1 10-20, ");
	are(x, 22, 28, 1, "1 10-20, ");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(of_a_range),
		cmocka_unit_test(of_a_task), cmocka_unit_test(of_none) };
	return cmocka_run_group_tests(tests, make, clear);
}
