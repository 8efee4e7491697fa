/* Which tasks are the tracer's, which task stands for a process, and which tasks are told by
 * themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "analysis/busiest.h"
#include "analysis/process_of.h"
#include "analysis/tracer.h"
#include "tasks_world.h"

static void names(void **state)
{
	static const struct {
		const char *name;
		bool is_tool;
	} cases[] = { { "lttng", true }, { "lttng-", true }, { "lttng-sessiond", true },
		{ "lttngx", false }, { "lttn", false }, { "babeltrace", true },
		{ "babeltrace2", true }, { "babeltrac", false }, { "perf", true },
		{ "perf2", false }, { "per", false }, { "trace-cmd", true }, { "meridian", true },
		{ "bpftrace", true }, { "stapio", true }, { "staprun", true },
		{ "kernelshark", true }, { "sysprof", true }, { "sysprofd", true }, { "", false },
		{ "app-ust", true }, { "a-ust", true }, { "-ust", false }, { "app-us", false },
		{ "app-ust2", false }, { "meridian-step", true }, { "meridian-beacon", true },
		{ "meridian-work", false } };
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(analysis_tracer_name(cases[i].name), cases[i].is_tool);
}

/* By their last name, or that of their process. */
static void tasks(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 1, 100);
	struct kernel_host *h = &t.hosts[0];
	uint32_t tool = tw_task(&t, 0, 10, "lttng-consumerd"),
		 thread = tw_task(&t, 0, 11, "worker"), app = tw_task(&t, 0, 20, "perf"),
		 other = tw_task(&t, 0, 21, "worker"), ust = tw_task(&t, 0, 22, "app-ust"),
		 orphan = tw_task(&t, 0, 30, "worker"), unnamed = kernel_add_task(h, 31, 0);
	h->tasks[thread].pid = 10;
	h->tasks[other].pid = h->tasks[ust].pid = 20;
	h->tasks[orphan].pid = 99;
	assert_int_equal(kernel_rename(h, app, 5, "make", 4, NULL), 0); /* perf record make */
	bool *is = analysis_tracer_tasks(h);
	assert_non_null(is);
	assert_true(is[tool] && is[thread] && is[ust]);
	assert_true(!is[app] && !is[other] && !is[orphan] && !is[unnamed]);
	free(is);
	h->tasks[thread].pid = -1;
	is = analysis_tracer_tasks(h);
	assert_false(is[thread]);
	free(is);
	tw_fini(&t);
	analysis_tracer_free(NULL, 3);
}

/* What the recorder's shells start is the tracer's, whatever it is called; not what `meridian` or
 * meridian-work start. */
static void children_of_recorders(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 1, 100);
	struct kernel_host *h = &t.hosts[0];
	uint32_t grep = tw_task(&t, 0, 13, "grep"), xargs = tw_task(&t, 0, 12, "xargs"),
		 shell = tw_task(&t, 0, 11, "meridian-step"),
		 awk = tw_task(&t, 0, 14, "meridian-step"),
		 program = tw_task(&t, 0, 10, "meridian"), user = tw_task(&t, 0, 20, "wget"),
		 work = tw_task(&t, 0, 30, "meridian-work"), child = tw_task(&t, 0, 31, "ls"),
		 sed = tw_task(&t, 0, 15, "sed"), second = tw_task(&t, 0, 32, "ls");
	h->tasks[grep].parent = xargs;
	h->tasks[xargs].parent = shell;
	h->tasks[shell].parent = h->tasks[user].parent = program;
	/* What is known of a parent by then, is so of another child. */
	h->tasks[sed].parent = xargs;
	h->tasks[child].parent = h->tasks[second].parent = work;
	assert_int_equal(kernel_rename(h, awk, 5, "awk", 3, NULL), 0); /* in the shell's place */
	bool *is = analysis_tracer_tasks(h);
	assert_non_null(is);
	assert_true(is[grep] && is[xargs] && is[shell] && is[awk] && is[program] && is[sed]);
	assert_true(!is[user] && !is[work] && !is[child] && !is[second]);
	free(is);
	tw_fini(&t);
}

static void keys(void **state)
{
	(void)state;
	uint64_t k[] = { analysis_task_key(0, 1, "a"), analysis_task_key(1, 1, "a"),
		analysis_task_key(0, 2, "a"), analysis_task_key(0, 1, "b"),
		analysis_task_key(1, 2, "a"), analysis_task_key(0, -1, "a") };
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < i; j++)
			assert_true(k[i] != k[j]);
	assert_true(k[0] == analysis_task_key(0, 1, "a"));
}

/* The leader of the process, or the first one that was seen of it. */
static void process_of(void **state)
{
	static const struct {
		int32_t tid, pid;
		uint32_t process;
	} cases[] = {
		{ 11, 10, 1 }, /* a thread before its leader */
		{ 10, 10, 1 },
		{ 12, 10, 1 },
		{ 21, 20, 3 }, /* without a leader */
		{ 22, 20, 3 },
		{ 30, -1, 5 }, /* of no known process */
		{ 31, -1, 6 },
		{ 10, 10, 7 }, /* the number is used again */
		{ 13, 10, 7 },
		{ 30, 30, 9 },
	};
	enum { N = sizeof(cases) / sizeof(cases[0]) };
	(void)state;
	struct mer_arena arena;
	struct kernel_host h;
	mer_arena_init(&arena);
	kernel_host_init(&h);
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(kernel_add_task(&h, cases[i].tid, 0), i);
		h.tasks[i].pid = cases[i].pid;
	}
	const uint32_t *process = analysis_process_of(&h, &arena);
	assert_non_null(process);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(process[i], cases[i].process);
	kernel_host_fini(&h);
	mer_arena_fini(&arena);
}

static bool wants(void *ctx, const struct kernel_host *h, uint32_t task)
{
	(void)ctx;
	(void)h;
	(void)task;
	return true;
}

/* The most first, then the lower key; ten of them, or all where tasks were chosen. */
static void busiest(void **state)
{
	(void)state;
	for (size_t n = 0; n < 30; n++)
		for (int chosen = 0; chosen < 2; chosen++) {
			int64_t amounts[30];
			size_t n_there = 0;
			struct analysis_busiest b;
			struct analysis_options o = { 0 };
			const struct analysis_run run = { .options = &o };
			if (chosen)
				o.wants_task = wants;
			for (size_t i = 0; i < n; i++) {
				amounts[i] = (int64_t)(i * 7 % 5);
				n_there += amounts[i] != 0;
			}
			assert_true(analysis_busiest_find(&run, amounts, n, &b));
			assert_int_equal(b.n, n_there);
			assert_int_equal(b.n_own, chosen || n_there < 10 ? n_there : 10);
			for (size_t i = 1; i < b.n; i++) {
				int64_t more = amounts[b.keys[i - 1]], less = amounts[b.keys[i]];
				assert_true(
					more > less || (more == less && b.keys[i - 1] < b.keys[i]));
				assert_true(less > 0);
			}
			analysis_busiest_fini(&b);
			assert_null(b.keys);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(tasks),
		cmocka_unit_test(children_of_recorders),
		cmocka_unit_test(keys),
		cmocka_unit_test(process_of),
		cmocka_unit_test(busiest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
