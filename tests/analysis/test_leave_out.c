/* Which rows are left out, each rule by itself: the tracer's, idle waits, and waits for what a task
 * started. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/leave_out.h"
#include "world_text.h"

enum { HOST, TID, COMM, BEGIN, DURATION, N };
static const struct mer_column of_calls[N + 1] = {
	[HOST] = { "host", "Host", MER_TEXT },
	[TID] = { "tid", "TID", MER_ID },
	[COMM] = { "comm", "Task", MER_TEXT },
	[BEGIN] = { "begin", "Begin", MER_TIME },
	[DURATION] = { "duration_ns", "Duration", MER_DURATION },
};

struct row {
	const char *host; /* NULL: not known */
	int tid;	  /* -1: not known */
	const char *comm;
	int begin, us; /* when, in ms; how long, in us */
};

static struct analysis_left_out sum;

/* The numbers of the rows that stay, with blanks between. */
static void stay(struct tasks_world *t, const struct row *rows, size_t n, bool idle, bool keeps,
	const char *expected)
{
	struct mer_host names[] = { { .name = "a" }, { .name = "b" }, { .name = "c" } };
	struct mer_experiment e = { .hosts = names, .n_hosts = 3 };
	struct mer_err err = { 0 };
	const struct analysis_options o = { .keep_spans = keeps, .max_ns = INT64_MAX };
	struct analysis_run run = { .e = &e, .world = &t->w, .options = &o, .err = &err };
	struct mer_table table;
	char text[100] = "";
	t->w.e = &e;
	mer_table_init(&table, "log", NULL, of_calls, NULL);
	for (size_t i = 0; i < n; i++)
		mer_table_add(
			&table, (struct mer_cell[N]){ [HOST] = mer_text(rows[i].host),
					[TID] = rows[i].tid < 0 ? MER_NONE : MER_INT(rows[i].tid),
					[COMM] = mer_text(rows[i].comm),
					[BEGIN] = MER_INT(rows[i].begin * MS),
					[DURATION] = MER_INT(rows[i].us * 1000) });
	sum = (struct analysis_left_out){ 0 };
	assert_int_equal(analysis_leave_out(&run, &table, idle, &sum), 0);
	for (size_t i = 0, at = 0; i < table.n_rows; i++) {
		const struct mer_cell *c = &table.cells[i * N];
		const char *host = c[HOST].set ? c[HOST].v.text : NULL;
		for (; at < n; at++) { /* in their order */
			const struct row *r = &rows[at];
			if (host == r->host && c[COMM].v.text == r->comm &&
				c[BEGIN].v.i == r->begin * MS && c[DURATION].v.i == r->us * 1000 &&
				c[TID].set == (r->tid >= 0) && (r->tid < 0 || c[TID].v.i == r->tid))
				break;
		}
		assert_true(at < n);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%zu", i ? " " : "",
			at++);
	}
	assert_string_equal(text, expected);
	mer_table_fini(&table);
}

static void are_left_out(uint64_t n_tracer, int64_t tracer_us, uint64_t n_idle, int64_t idle_us,
	uint64_t n_started, int64_t started_us)
{
	assert_int_equal(sum.n_tracer, n_tracer);
	assert_int_equal(sum.tracer_ns, tracer_us * 1000);
	assert_int_equal(sum.n_idle, n_idle);
	assert_int_equal(sum.idle_ns, idle_us * 1000);
	assert_int_equal(sum.n_started, n_started);
	assert_int_equal(sum.started_ns, started_us * 1000);
}

static void rename_task(struct tasks_world *t, uint32_t host, int32_t tid, const char *name)
{
	assert_int_equal(kernel_rename(&t->hosts[host], world_text_task(t, host, tid), MS, name,
				 strlen(name), NULL),
		0);
}

/* By host, number and last name. */
static void tracer(void **state)
{
	(void)state;
	struct tasks_world t;
	static const struct row rows[] = { { "a", 1, "t1", 5, 1 }, { "a", 2, "perf", 5, 10 },
		{ "b", 2, "t2", 5, 1 }, { "b", 3, "perf", 5, 100 }, { "a", 3, "perf", 5, 1 },
		{ "x", 2, "perf", 5, 1 }, { "a", 2, "t2", 5, 1 }, { NULL, 2, "perf", 5, 1 },
		{ "a", -1, "perf", 5, 1 }, { "a", 2, NULL, 5, 1 } };
	world_text(&t, "0 0:1 user\n0 0:2 user\n0 1:2 user\n0 1:3 user\n");
	rename_task(&t, 0, 2, "perf");
	rename_task(&t, 1, 3, "perf");
	stay(&t, rows, 10, false, false, "0 2 4 5 6 7 8 9");
	are_left_out(2, 110, 0, 0, 0, 0);
	stay(&t, rows, 10, true, true, "0 2 4 5 6 7 8 9");
	tw_fini(&t);
}

/* Four fifths of it are enough. */
static void idle(void **state)
{
	(void)state;
	struct tasks_world t;
	static const struct row rows[] = { { "a", 1, "t1", 10, 10000 }, { "a", 1, "t1", 12, 4000 },
		{ "a", 1, "t1", 8, 12500 }, { "a", 1, "t1", 10, 12500 },
		{ "a", 1, "t1", 10, 12501 }, { "a", 1, "t1", 7, 12999 }, { "a", 1, "t1", 20, 5000 },
		{ "a", 1, "t1", 10, 0 }, { "a", 2, "t2", 10, 10000 }, { "b", 1, "t1", 10, 10000 },
		{ "a", -1, "t1", 10, 10000 }, { "a", 7, "t7", 10, 10000 },
		{ "x", 1, "t1", 10, 10000 } };
	/* Waits for work, and for an answer. */
	world_text(&t, "0 0:1 user\n0 0:2 user\n0 1:1 user\n10 0:1 accept network\n"
		       "10 0:2 connect network\n20 0:1 user\n20 0:2 user\n");
	stay(&t, rows, 13, true, true, "4 5 6 7 8 9 10 11 12");
	are_left_out(0, 0, 4, 10000 + 4000 + 12500 + 12500, 0, 0);
	/* Only where it is said that rows are such waits, and where what they did was kept. */
	stay(&t, rows, 13, false, true, "0 1 2 3 4 5 6 7 8 9 10 11 12");
	stay(&t, rows, 13, true, false, "0 1 2 3 4 5 6 7 8 9 10 11 12");
	tw_fini(&t);
}

/* Of one row all waits count, and no other task's. */
static void several_waits(void **state)
{
	(void)state;
	struct tasks_world t;
	static const struct row rows[] = { { "a", 1, "t1", 10, 21000 }, { "a", 2, "t2", 10, 12000 },
		{ "a", 3, "t3", 10, 10000 } };
	world_text(&t, "0 0:1 user\n0 0:2 user\n0 0:3 user\n10 0:1 accept network\n20 0:1 user\n"
		       "20 0:2 accept network\n21 0:1 accept network\n22 0:2 user\n"
		       "22 0:3 accept network\n31 0:1 user\n33 0:3 user\n");
	stay(&t, rows, 3, true, true, "1 2");
	are_left_out(0, 0, 1, 21000, 0, 0);
	tw_fini(&t);
}

/* Numbers that are used again: the newest task that had begun. */
static void numbers_used_again(void **state)
{
	(void)state;
	struct tasks_world t;
	static const struct row rows[] = { { "a", 5, "t5", 10, 10000 }, { "a", 5, "t5", 50, 10000 },
		{ "a", 5, "t5", 90, 10000 } };
	world_text(&t, "0 0:5 user\n0 0:7 user\n10 0:5 accept network\n20 0:5 user\n");
	uint32_t again = tw_fork(&t, 0, 1, 5, "t5", 40);
	tw_span(&t, 0, again, 40, KERNEL_USER);
	tw_wait(&t, 0, again, 90, "accept", "", KERNEL_NETWORK);
	tw_span(&t, 0, again, 100, KERNEL_USER);
	stay(&t, rows, 3, true, true, "1");
	tw_fini(&t);
}

/* For a child: no more than what that did. Together with idle time the greater part says what it
 * is. */
static void started(void **state)
{
	(void)state;
	struct tasks_world t;
	static const struct row rows[] = { { "a", 1, "t1", 10, 10000 }, { "a", 1, "t1", 0, 13000 },
		{ "a", 1, "t1", 14, 25000 }, { "a", 1, "t1", 10, 21000 },
		{ "a", 1, "t1", 10, 20000 } };
	world_text(&t,
		"0 0:1 user\n5 0:1 fork 2\n5 0:2 user\n10 0:1 wait4 task by 0:2\n20 0:2 dead\n"
		"20 0:1 user\n21 0:1 accept network\n40 0:1 user\n");
	stay(&t, rows, 5, true, true, "1");
	are_left_out(0, 0, 2, 25000 + 21000, 2, 10000 + 20000);
	tw_fini(&t);
}

/* Without the columns, rows, or a world: nothing. */
static void nothing(void **state)
{
	(void)state;
	struct tasks_world t;
	static const struct mer_column other[] = { { "host", "Host", MER_TEXT },
		{ "tid", "TID", MER_ID }, { 0 } };
	struct mer_err err = { 0 };
	const struct analysis_options o = { 0 };
	struct analysis_run run = { .options = &o, .err = &err };
	struct mer_table table;
	sum = (struct analysis_left_out){ 0 };
	mer_table_init(&table, "log", NULL, other, NULL);
	mer_table_add(&table, (struct mer_cell[2]){ mer_text("a"), MER_INT(1) });
	assert_int_equal(analysis_leave_out(&run, &table, true, &sum), 0);
	world_text(&t, "0 0:1 user\n");
	run.world = &t.w;
	assert_int_equal(analysis_leave_out(&run, &table, true, &sum), 0);
	assert_int_equal(table.n_rows, 1);
	mer_table_fini(&table);
	tw_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracer),
		cmocka_unit_test(idle),
		cmocka_unit_test(several_waits),
		cmocka_unit_test(numbers_used_again),
		cmocka_unit_test(started),
		cmocka_unit_test(nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
