/* The tasks that a selection means: which of them, from when until when, in which order, and which
 * one when no number is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/tasks.h"

static struct mer_host names[] = { { .name = "a" }, { .name = "b" } };
static struct mer_experiment e = { .hosts = names, .n_hosts = 2 };
static struct kernel_host hosts[2];
static const struct kernel_world world = { .hosts = hosts, .n_hosts = 2 };
static const struct session_world w = { .e = &e, .world = &world };
static struct mer_arena arena;
static struct mer_err err;

enum { NEVER = -1 };

/* A task with one span; died: NEVER: not while recorded. */
static void add(
	uint32_t host, int32_t tid, const char *name, int64_t begin, int64_t died, int64_t end)
{
	struct kernel_host *h = &hosts[host];
	uint32_t task = kernel_add_task(h, tid, begin);
	struct kernel_span s = { .begin = begin,
		.task = task,
		.call = KERNEL_NONE,
		.by = KERNEL_NONE,
		.source = KERNEL_NONE,
		.state = KERNEL_RUNNING };
	struct kernel_task *t = &h->tasks[task];
	t->pid = tid;
	t->died = died == NEVER ? INT64_MAX : died;
	t->end = end;
	assert_true(kernel_add_span(h, &s) != KERNEL_NONE);
	if (*name)
		assert_int_equal(kernel_rename(h, task, begin, name, strlen(name), NULL), 0);
}

static int begin(void **state)
{
	(void)state;
	mer_arena_init(&arena);
	kernel_host_init(&hosts[0]);
	kernel_host_init(&hosts[1]);
	return 0;
}

static int end(void **state)
{
	(void)state;
	kernel_host_fini(&hosts[0]);
	kernel_host_fini(&hosts[1]);
	mer_arena_fini(&arena);
	return 0;
}

static struct session_tasks find(const struct session_selection *s, int64_t from, int64_t until)
{
	const struct session_window window = { from, until };
	struct session_tasks t;
	if (session_tasks_find(&w, s, &window, &arena, &t, &err))
		fail_msg("%s", err.text);
	return t;
}

static const struct session_selection all;

static void are(
	const struct session_selection *s, int64_t from, int64_t until, const char *expected)
{
	struct session_tasks t = find(s, from, until);
	char text[500] = "";
	for (size_t i = 0; i < t.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%d %d-%d",
			i ? ", " : "", session_task_host(&w, t.item[i].host),
			hosts[t.item[i].host].tasks[t.item[i].task].tid, (int)t.item[i].begin,
			(int)t.item[i].end);
	assert_string_equal(text, expected);
}

static void which(void **state)
{
	(void)state;
	add(0, 1, "sh", 50, NEVER, 100);
	add(0, 2, "wget", 20, 60, 70); /* reaped later than it died */
	add(0, 3, "wget", 20, NEVER, 100);
	add(1, 4, "sh", 20, NEVER, 100);
	add(1, 5, "late", 90, NEVER, 100);
	/* A number without any events. */
	assert_true(kernel_add_task(&hosts[1], 6, 0) != KERNEL_NONE);
	hosts[1].tasks[2].end = 100;
	assert_int_equal(session_task_count(&w), 6);
	are(&all, 0, 200, "a2 20-60, a3 20-100, b4 20-100, a1 50-100, b5 90-100");
	/* Cut to the window; to touch it from outside is not enough. */
	are(&all, 30, 55, "a2 30-55, a3 30-55, b4 30-55, a1 50-55");
	are(&all, 30, 50, "a2 30-50, a3 30-50, b4 30-50");
	are(&all, 70, 90, "a1 70-90, a3 70-90, b4 70-90");
	are(&all, 59, 91, "a1 59-91, a2 59-60, a3 59-91, b4 59-91, b5 90-91");
	are(&all, 60, 90, "a1 60-90, a3 60-90, b4 60-90"); /* dead, but not reaped */
	are(&all, 100, 200, "");
	const char *host[] = { "b" }, *comm[] = { "sh" };
	are(&(struct session_selection){ .hosts = { host, 1 } }, 0, 200, "b4 20-100, b5 90-100");
	are(&(struct session_selection){ .comms = { comm, 1 } }, 0, 200, "b4 20-100, a1 50-100");
}

/* "FIRST SECOND": the one that is meant, and the one to compare it with. */
static void meant_are(size_t first, size_t second)
{
	struct session_tasks t = find(&all, 0, 1000);
	assert_int_equal(session_tasks_default(&w, &t), first);
	assert_int_equal(session_tasks_second(&w, &t, first), second);
}

static void which_is_meant(void **state)
{
	(void)state;
	struct session_tasks none = find(&all, 0, 1000);
	assert_int_equal(session_tasks_default(&w, &none), 0);
	add(0, 1, "x", 10, NEVER, 100);
	meant_are(0, 1); /* there is no second one */
	add(0, 2, "x", 20, 30, 30);
	meant_are(0, 1);
	add(0, 3, "x", 30, NEVER, 100);
	add(0, 4, "x", 40, 50, 50);
	hosts[0].tasks[2].born = true;
	meant_are(2, 0); /* the first born, and any other */
	hosts[0].tasks[3].born = true;
	meant_are(3, 0); /* the first born that ended */
	hosts[0].tasks[3].died = INT64_MAX;
	meant_are(2, 3); /* the next born */
	hosts[0].tasks[1].born = true;
	meant_are(1, 2);
	hosts[0].tasks[1].died = INT64_MAX;
	meant_are(1, 2);
	struct session_tasks t = find(&all, 0, 1000);
	assert_int_equal(session_tasks_second(&w, &t, 3), 0);
}

static void ranks(void **state)
{
	(void)state;
	static const struct {
		bool is_kernel, born;
		int32_t tid, pid;
		int rank;
	} cases[] = { { false, true, 7, 7, 0 }, { false, false, 7, 7, 1 },
		{ false, true, 7, -1, 0 }, { false, false, 7, -1, 1 }, { false, true, 7, 6, 2 },
		{ false, false, 7, 6, 2 }, { false, true, 7, 0, 2 }, { true, true, 7, 7, 3 },
		{ true, false, 7, 6, 3 } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct kernel_task t = { .is_kernel = cases[i].is_kernel,
			.born = cases[i].born,
			.tid = cases[i].tid,
			.pid = cases[i].pid };
		assert_int_equal(session_task_rank(&t), cases[i].rank);
	}
}

static void names_are(const struct session_selection *s, size_t max, const char *expected)
{
	const char *found[8];
	char text[200] = "";
	size_t n = session_task_names(&w, s, found, max);
	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			found[i]);
	assert_string_equal(text, expected);
}

static void names_by_rank(void **state)
{
	(void)state;
	add(0, 1, "kthread", 10, NEVER, 100);
	hosts[0].tasks[0].is_kernel = true;
	add(0, 2, "thread", 10, NEVER, 100);
	hosts[0].tasks[1].pid = 3;
	add(0, 3, "there", 10, NEVER, 100);
	add(0, 4, "", 10, NEVER, 100);
	add(0, 5, "born", 10, NEVER, 100);
	hosts[0].tasks[4].born = true;
	add(0, 6, "there", 10, NEVER, 100);
	add(1, 7, "thread", 10, NEVER, 100); /* a process here: it comes earlier */
	add(1, 8, "other", 10, NEVER, 100);
	names_are(&all, 8, "born there thread other kthread");
	names_are(&all, 3, "born there thread");
	names_are(&all, 0, "");
	const char *host[] = { "a" };
	names_are(&(struct session_selection){ .hosts = { host, 1 } }, 8,
		"born there thread kthread");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(which, begin, end),
		cmocka_unit_test_setup_teardown(which_is_meant, begin, end),
		cmocka_unit_test(ranks),
		cmocka_unit_test_setup_teardown(names_by_rank, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
