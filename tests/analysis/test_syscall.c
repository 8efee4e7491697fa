/* System calls: statistics by hand, the published ones of a public recording to the last digit, and
 * tables that agree with each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run_case.h"

#define ALL .begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX

/* Two machines whose clocks are right. On a, 10 reads twice and writes once, 11 opens what is not
 * there and is still reading at the end; 12's first event is the end of a call. On b one read. */
static const char *const two_hosts =
	"host a\nhost b\n"
	"1us a 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 next_comm=\"ten\" next_tid=10\n"
	"2us a 1 sched_switch prev_comm=\"swapper/1\" prev_tid=0 next_comm=\"eleven\" next_tid=11\n"
	"3us a 2 sched_switch prev_comm=\"swapper/2\" prev_tid=0 next_comm=\"twelve\" next_tid=12\n"
	"4us b 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 next_comm=\"other\" next_tid=10\n"
	"5us a 2 syscall_exit_read ret=1\n"
	"10us a 0 syscall_entry_read fd=3 count=10\n"
	"11us b 0 syscall_entry_read fd=3 count=10\n"
	"12us a 0 syscall_exit_read ret=10\n"
	"20us a 0 syscall_entry_read fd=3 count=10\n"
	"21us a 1 syscall_entry_openat dfd=-100 filename=\"/none\" flags=0\n"
	"22us a 1 syscall_exit_openat ret=-2\n"
	"26us a 0 syscall_exit_read ret=-11\n"
	"30us a 0 syscall_entry_write fd=4 count=5\n"
	"31us b 0 syscall_exit_read ret=7\n"
	"37us a 0 syscall_exit_write ret=5\n"
	"40us a 1 syscall_entry_read fd=0 count=1\n"
	"50us a 0 sched_switch prev_comm=\"ten\" prev_tid=10 prev_state=1 next_comm=\"swapper/0\" "
	"next_tid=0\n";

static void assert_stats(const struct mer_table *t, size_t row, int64_t n, int64_t min, int64_t max,
	int64_t mean, int64_t stddev, int64_t total)
{
	assert_int_equal(run_case_int(t, row, "count"), n);
	assert_int_equal(run_case_int(t, row, "min_ns"), min);
	assert_int_equal(run_case_int(t, row, "max_ns"), max);
	assert_int_equal(run_case_int(t, row, "mean_ns"), mean);
	if (n > 1)
		assert_int_equal(run_case_int(t, row, "stddev_ns"), stddev);
	else
		assert_false(run_case_cell(t, row, "stddev_ns")->set);
	assert_int_equal(run_case_int(t, row, "total_ns"), total);
}

static void test_by_hand(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c, two_hosts);
	run_case_run(&c, "syscall", NULL);
	const struct mer_table *t = run_case_table(&c, "stats");
	assert_int_equal(t->n_rows, 3);
	/* 2, 6 and 20 us: mean 28/3, squares 53.78 + 11.11 + 113.78, / 2, root: 9.4516 us */
	size_t r = run_case_find(t, "name", "read", 0);
	assert_stats(t, r, 3, 2000, 20000, 9333, 9452, 28000);
	assert_int_equal(run_case_int(t, r, "errors"), 1);
	assert_int_equal(run_case_int(t, r, "max_at") - run_case_int(t, r, "min_at"), 1000);
	assert_stats(t, run_case_find(t, "name", "write", 0), 1, 7000, 7000, 7000, 0, 7000);
	r = run_case_find(t, "name", "openat", 0);
	assert_stats(t, r, 1, 1000, 1000, 1000, 0, 1000);
	assert_int_equal(run_case_int(t, r, "errors"), 1);
	t = run_case_table(&c, "stats_total");
	assert_int_equal(t->n_rows, 1);
	assert_int_equal(run_case_int(t, 0, "count"), 5);
	assert_int_equal(run_case_int(t, 0, "total_ns"), 36000);
	assert_int_equal(run_case_table(&c, "tasks")->n_rows, 4);

	/* By begin, both hosts; errors by name. */
	t = run_case_table(&c, "log");
	static const char *const hosts[] = { "a", "b", "a", "a", "a" };
	static const char *const names[] = { "read", "read", "read", "openat", "write" };
	static const char *const rets[] = { "10", "7", "EAGAIN", "ENOENT", "5" };
	static const char *const comms[] = { "ten", "other", "ten", "eleven", "ten" };
	assert_int_equal(t->n_rows, 6);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(run_case_text(t, i, "host"), hosts[i]);
		assert_string_equal(run_case_text(t, i, "name"), names[i]);
		assert_string_equal(run_case_text(t, i, "ret"), rets[i]);
		assert_string_equal(run_case_text(t, i, "comm"), comms[i]);
		assert_int_equal(run_case_int(t, i, "end") - run_case_int(t, i, "begin"),
			run_case_int(t, i, "duration_ns"));
	}
	assert_string_equal(run_case_text(t, 3, "object"), "/none");
	assert_int_equal(run_case_int(t, 2, "ret_value"), -11);
	/* What had not returned: in no sum, and in a table. */
	assert_string_equal(run_case_text(t, 5, "name"), "read");
	assert_string_equal(run_case_text(t, 5, "comm"), "eleven");
	assert_false(run_case_cell(t, 5, "end")->set);
	assert_false(run_case_cell(t, 5, "duration_ns")->set);
	assert_false(run_case_cell(t, 5, "ret_value")->set);
	assert_int_equal(run_case_int(t, 5, "so_far_ns"), 10000);
	t = run_case_table(&c, "top_unfinished");
	assert_int_equal(t->n_rows, 1);
	assert_int_equal(run_case_int(t, 0, "so_far_ns"), 10000);
	assert_string_equal(run_case_text(t, 0, "comm"), "eleven");
	t = run_case_table(&c, "top");
	assert_int_equal(t->n_rows, 5);
	t = run_case_table(&c, "tasks");
	assert_string_equal(
		run_case_text(t, run_case_find(t, "name", "openat", 0), "returned"), "ENOENT 1");
	for (size_t i = 0; i < t->n_rows; i++)
		if (strcmp(run_case_text(t, i, "name"), "read") == 0)
			assert_string_equal(run_case_text(t, i, "returned"),
				strcmp(run_case_text(t, i, "host"), "a") == 0 ? "ok 1, EAGAIN 1"
									      : "ok 1");
	t = run_case_table(&c, "stats_errors");
	assert_int_equal(t->n_rows, 2);
	assert_string_equal(
		run_case_text(t, run_case_find(t, "error", "ENOENT", 0), "name"), "openat");

	t = run_case_table(&c, "freq");
	assert_int_equal(run_case_sum(t, "count", "name", "read"), 3);
	assert_int_equal(run_case_sum(t, "count", NULL, NULL), 5);
	run_case_close(&c);
}

static bool only_a(void *ctx, uint32_t host)
{
	const struct run_case *c = ctx;
	return strcmp(c->e->hosts[host].name, "a") == 0;
}

static bool only_cpu_1(void *ctx, uint16_t cpu)
{
	(void)ctx;
	return cpu == 1;
}

static bool only_tid_10(void *ctx, const struct kernel_host *h, uint32_t task)
{
	(void)ctx;
	return h->tasks[task].tid == 10;
}

static int64_t count(struct run_case *c, struct analysis_options o)
{
	run_case_run(c, "syscall", &o);
	int64_t n = run_case_int(run_case_table(c, "stats_total"), 0, "count");
	assert_int_equal(run_case_sum(run_case_table(c, "stats"), "count", NULL, NULL), n);
	assert_int_equal(run_case_sum(run_case_table(c, "tasks"), "count", NULL, NULL), n);
	assert_int_equal(run_case_sum(run_case_table(c, "freq"), "count", NULL, NULL), n);
	const struct mer_table *log = run_case_table(c, "log");
	const struct mer_table *open = run_case_table(c, "top_unfinished");
	assert_int_equal(
		log->n_rows + log->n_left_out, (uint64_t)n + open->n_rows + open->n_left_out);
	return n;
}

static void test_filters(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c, two_hosts);
	assert_int_equal(
		count(&c, (struct analysis_options){ ALL, .wants_host = only_a, .ctx = &c }), 4);
	assert_int_equal(count(&c, (struct analysis_options){ ALL, .wants_cpu = only_cpu_1 }), 1);
	assert_int_equal(count(&c, (struct analysis_options){ ALL, .wants_task = only_tid_10 }), 4);
	assert_int_equal(count(&c, (struct analysis_options){ ALL, .min_ns = 7000 }), 2);
	assert_int_equal(count(&c,
				 (struct analysis_options){
					 .begin = INT64_MIN, .end = INT64_MAX, .max_ns = 6000 }),
		3);
	/* What begins at the range's begin is in it, at its end is not. */
	assert_int_equal(count(&c,
				 (struct analysis_options){
					 .begin = 11000, .end = 21000, .max_ns = INT64_MAX }),
		2);
	assert_int_equal(count(&c,
				 (struct analysis_options){
					 .begin = 100000, .end = 200000, .max_ns = INT64_MAX }),
		0);
	/* The first ones, the longest ones; the others are counted. */
	assert_int_equal(count(&c, (struct analysis_options){ ALL, .limit = 2 }), 5);
	const struct mer_table *t = run_case_table(&c, "log");
	assert_int_equal(t->n_rows, 2);
	assert_int_equal(t->n_left_out, 4); /* and the one that is not finished */
	assert_int_equal(run_case_int(t, 0, "duration_ns"), 2000);
	assert_int_equal(run_case_int(t, 1, "duration_ns"), 20000);
	t = run_case_table(&c, "top");
	assert_int_equal(t->n_rows, 2);
	assert_int_equal(run_case_int(t, 0, "duration_ns"), 20000);
	assert_int_equal(run_case_int(t, 1, "duration_ns"), 7000);
	run_case_close(&c);
}

/* As published for this recording, of a machine of 32 bits: numbers of calls that its tracer had no
 * name for are not those of other machines. */
static void test_public_values(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_recording(&c, "public/bug446190");
	run_case_run(&c, "syscall", NULL);
	const struct mer_table *t = run_case_table(&c, "stats_total");
	assert_stats(t, 0, 1801, 1000, 5904091700, 15627894, 175875370, 28145837500);
	t = run_case_table(&c, "stats");
	assert_int_equal(t->n_rows, 55);
	assert_stats(t, run_case_find(t, "name", "select", 0), 58, 13600, 1509251600, 192251428,
		386368575, 11150582800);
	assert_stats(t, run_case_find(t, "name", "poll", 0), 2, 6300, 6800, 6550, 354, 13100);
	assert_stats(t, run_case_find(t, "name", "pipe", 0), 2, 27900, 29700, 28800, 1273, 57600);
	assert_stats(
		t, run_case_find(t, "name", "set_tid_address", 0), 1, 2300, 2300, 2300, 0, 2300);
	assert_int_equal(run_case_int(run_case_table(&c, "log"), 0, "duration_ns"), 24100);
	run_case_close(&c);
}

/* A number by which a call is told is looked up on x86-64 only, as far as the trace says. */
static void test_numbers(void **state)
{
	(void)state;
	static const char *const forms[] = { "s64 ret", "s32 ret" }, *const names[] = { "read",
		"unknown" };
	for (int i = 0; i < 2; i++) {
		char text[1000];
		struct run_case c;
		snprintf(text, sizeof(text),
			"host h\ntrace kernel { order le }\n"
			"event syscall_entry_unknown { s32 id }\nevent syscall_exit_unknown { s32 "
			"id; %s }\n"
			"1us 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 next_comm=\"x\" "
			"next_tid=5\n"
			"2us 0 syscall_entry_unknown id=0\n3us 0 syscall_exit_unknown id=0 ret=1\n",
			forms[i]);
		run_case_open_scenario(&c, text);
		run_case_run(&c, "syscall", NULL);
		const struct mer_table *t = run_case_table(&c, "log");
		assert_int_equal(t->n_rows, 1);
		assert_string_equal(run_case_text(t, 0, "name"), names[i]);
		run_case_close(&c);
	}
}

static void test_agreement(void **state)
{
	(void)state;
	static const char *const recordings[] = { "public/bug446190", "lab/ipc-zoo",
		"lab/clihog-srvhog-2vm", "lab/lost-events" };
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		struct run_case c, few;
		run_case_open_recording(&c, recordings[i]);
		run_case_run(&c, "syscall", NULL);
		const struct mer_table *log = run_case_table(&c, "log");
		assert_true(log->n_rows > 100);
		for (size_t r = 1; r < log->n_rows; r++)
			assert_true(
				run_case_int(log, r - 1, "begin") <= run_case_int(log, r, "begin"));
		run_case_check_sums(log, run_case_table(&c, "stats_total"), "");
		run_case_check_sums(log, run_case_table(&c, "stats"), "name");
		run_case_check_sums(log, run_case_table(&c, "tasks"), "host tid name");
		run_case_check_freq(log, run_case_table(&c, "freq"), "name");
		run_case_check_top(log, run_case_table(&c, "top"));
		int64_t errors =
			run_case_sum(run_case_table(&c, "stats_errors"), "count", NULL, NULL);
		assert_int_equal(
			errors, run_case_sum(run_case_table(&c, "stats"), "errors", NULL, NULL));
		assert_int_equal(
			errors, run_case_sum(run_case_table(&c, "tasks"), "errors", NULL, NULL));
		int64_t negative = 0;
		size_t ended = 0;
		for (size_t r = 0; r < log->n_rows; r++) {
			const struct mer_cell *ret = run_case_cell(log, r, "ret_value");
			negative += ret->set && ret->v.i < 0 && ret->v.i >= -4095;
			ended += ret->set;
		}
		assert_int_equal(log->n_rows - ended, run_case_table(&c, "top_unfinished")->n_rows);
		assert_int_equal(errors, negative);

		run_case_open_recording(&few, recordings[i]);
		struct analysis_options o = { ALL, .limit = 37 };
		run_case_run(&few, "syscall", &o);
		run_case_check_top(log, run_case_table(&few, "top"));
		const struct mer_table *t = run_case_table(&few, "log");
		assert_int_equal(t->n_rows, 37);
		for (size_t r = 0; r < t->n_rows; r++)
			assert_int_equal(
				run_case_int(t, r, "begin"), run_case_int(log, r, "begin"));

		/* Ranges one behind the other have everything once. */
		int64_t begin = few.e->begin, step = (few.e->end - begin) / 3 + 1, sum = 0;
		for (int k = 0; k < 3; k++)
			sum += count(&few, (struct analysis_options){ .begin = begin + k * step,
						   .end = begin + (k + 1) * step,
						   .max_ns = INT64_MAX });
		assert_int_equal(sum, ended);
		run_case_close(&few);
		run_case_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_public_values),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_agreement),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
