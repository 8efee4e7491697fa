/* Page faults: which are major ones, by hand; what a program of a recording touched, and what it
 * had to wait for; and that all tables add up to the same. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "run_more.h"

static const struct analysis_options all = {
	.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
};

#define TO(tid) "sched_switch prev_comm=\"t\" prev_tid=0 prev_prio=20 next_comm=\"t\" next_tid=" tid
#define FAULT "x86_exceptions_page_fault_user address="
/* From begin us on thread 1 waits for the disk, for 10 us, and runs 2 us later. */
static void put_wait(struct mer_str *s, int begin)
{
	mer_str_printf(s,
		"%dus h 0 block_rq_issue dev=8388608 sector=%d nr_sector=8 bytes=4096 tid=1 "
		"rwbs=4\n"
		"%dus h 0 sched_switch prev_comm=\"t\" prev_tid=1 prev_prio=20 prev_state=2 "
		"next_comm=\"i\" next_tid=0 next_prio=20\n"
		"%dus h 0 irq_softirq_entry vec=4\n"
		"%dus h 0 block_rq_complete dev=8388608 sector=%d nr_sector=8 error=0 rwbs=4\n"
		"%dus h 0 sched_waking comm=\"t\" tid=1 prio=20 target_cpu=0\n"
		"%dus h 0 irq_softirq_exit vec=4\n"
		"%dus h 0 " TO("1") " next_prio=20\n",
		begin - 1, begin, begin, begin + 8, begin + 9, begin, begin + 10, begin + 11,
		begin + 12);
}

static void put_head(struct mer_str *s)
{
	mer_str_puts(s, "host h\n"
			"1us h 0 " TO("1") " next_prio=20\n"
					   "2us h 0 syscall_entry_close fd=3\n"
					   "3us h 0 syscall_exit_close ret=0\n");
}

static void run(struct run_case *c, struct mer_str *s, const struct analysis_options *o)
{
	assert_false(s->failed);
	run_case_open_scenario(c, s->data);
	mer_str_fini(s);
	run_case_run(c, "faults", o);
}

/* A fault after which the thread waits for the disk is a major one, and has all waits up to the
 * next fault. One inside of a system call, or a wait of the next system call, is not. */
static void which_are_major(void **state)
{
	struct run_case c;
	struct mer_str s = { 0 };
	(void)state;
	put_head(&s);
	mer_str_puts(&s, "10us h 0 " FAULT "0x10\n");
	put_wait(&s, 12);
	put_wait(&s, 30); /* the same fault: the page was not right yet */
	mer_str_puts(&s, "50us h 0 " FAULT "0x20\n"
			 "51us h 0 syscall_entry_read fd=3 count=1\n");
	put_wait(&s, 60);
	mer_str_puts(&s, "80us h 0 x86_exceptions_page_fault_kernel address=0x30\n");
	put_wait(&s, 90);
	mer_str_puts(&s, "110us h 0 syscall_exit_read ret=1\n"
			 "120us h 0 " FAULT "0x40\n"
			 "130us h 0 " FAULT "0x50\n");
	put_wait(&s, 132);
	mer_str_puts(&s, "150us h 0 syscall_entry_close fd=3\n");
	run(&c, &s, NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	size_t one = run_more_row(t, "tid=1");
	assert_int_equal(run_case_int(t, one, "faults"), 5);
	assert_int_equal(run_case_int(t, one, "minor"), 2);
	assert_int_equal(run_case_int(t, one, "major"), 2);
	assert_int_equal(run_case_int(t, one, "kernel"), 1);
	assert_int_equal(run_case_int(t, one, "wait_ns"), 30000);
	assert_int_equal(run_case_int(t, one, "max_wait_ns"), 20000);
	t = run_case_table(&c, "log");
	assert_int_equal(t->n_rows, 5);
	static const char *const kinds[] = { "major", "minor", "kernel", "minor", "major" };
	static const char *const addresses[] = { "0x10", "0x20", "0x30", "0x40", "0x50" };
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(run_case_text(t, i, "kind"), kinds[i]);
		assert_string_equal(run_case_text(t, i, "address"), addresses[i]);
		assert_int_equal(run_case_cell(t, i, "wait_ns")->set, i % 4 == 0);
	}
	assert_int_equal(run_case_int(t, 0, "wait_ns"), 20000);
	t = run_case_table(&c, "freq");
	assert_int_equal(t->n_rows, 2);
	t = run_case_table(&c, "stats");
	assert_int_equal(run_case_int(t, 0, "count"), 2);
	assert_int_equal(run_case_int(t, 0, "mean_ns"), 15000);
	/* Durations are those of major ones: others do not count. */
	struct analysis_options o = all;
	o.min_ns = 15000;
	run_case_run(&c, "faults", &o);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 1);
	assert_int_equal(run_case_sum(run_case_table(&c, "top"), "faults", NULL, NULL), 1);
	run_case_close(&c);
}

/* What the recording does not show the end of: what is known of it counts. */
static void at_the_end(void **state)
{
	struct run_case c;
	struct mer_str s = { 0 };
	(void)state;
	put_head(&s);
	mer_str_puts(&s, "10us h 0 " FAULT "0x10\n");
	put_wait(&s, 12);
	run(&c, &s, NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	assert_int_equal(run_case_int(t, run_more_row(t, "tid=1"), "major"), 1);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 1);
	run_case_close(&c);
}

/* ---- recordings ---- */

/* memhog maps and touches 6144 pages, three times: every page faults once. */
static void faults_of_a_program(void **state)
{
	enum { PAGES = 6144, ROUNDS = 3, BESIDES = 60 };
	struct run_case c;
	(void)state;
	run_case_open_recording(&c, "lab/cpu-mem-io");
	run_case_run(&c, "faults", NULL);
	const struct mer_table *top = run_case_table(&c, "top");
	size_t hog = run_more_row(top, "tid=252 comm=memhog");
	assert_int_equal(hog, 0);
	assert_int_equal(run_case_int(top, hog, "kernel"), 6);
	int64_t user = run_case_int(top, hog, "minor") + run_case_int(top, hog, "major");
	assert_true(user >= PAGES * ROUNDS && user <= PAGES * ROUNDS + BESIDES);
	assert_int_equal(run_more_sum(top, "minor", "host=worker") +
				 run_more_sum(top, "major", "host=worker"),
		20318); /* the events that babeltrace2 counts */
	assert_int_equal(run_case_sum(top, "kernel", NULL, NULL), 158);
	/* Pages of programs that were not in memory yet are read from the disk: no anonymous page
	 * of memhog can be. */
	assert_true(run_case_sum(top, "major", NULL, NULL) > 0);
	assert_true(run_case_int(top, hog, "major") <= BESIDES);
	run_case_close(&c);
}

/* A sum over rows of log by kind. */
static int64_t of_kind(const struct mer_table *log, const char *kind)
{
	char values[40];
	int64_t n = 0;
	snprintf(values, sizeof(values), "kind=%s", kind);
	for (size_t i = 0; i < log->n_rows; i++)
		n += run_more_is(log, i, values);
	return n;
}

static void tables_agree(void **state)
{
	static const char *const kinds[] = { "minor", "major", "kernel" };
	static const uint64_t n_bins[] = { 1, 13, 500 };
	struct run_case c;
	(void)state;
	run_case_open_recording(&c, "lab/cpu-mem-io");
	for (size_t i = 0; i < sizeof(n_bins) / sizeof(n_bins[0]); i++) {
		struct analysis_options o = all;
		o.n_bins = n_bins[i];
		run_case_run(&c, "faults", &o);
		const struct mer_table *top = run_case_table(&c, "top");
		const struct mer_table *log = run_case_table(&c, "log");
		const struct mer_table *bins = run_case_table(&c, "bins");
		for (size_t k = 0; k < 3; k++) {
			int64_t n = of_kind(log, kinds[k]);
			assert_int_equal(run_case_sum(top, kinds[k], NULL, NULL), n);
			assert_int_equal(run_case_sum(bins, kinds[k], "of", "host"), n);
			assert_int_equal(run_case_sum(bins, kinds[k], "of", "thread"), n);
		}
		assert_int_equal(run_case_sum(run_case_table(&c, "freq"), "count", NULL, NULL),
			of_kind(log, "major"));
		assert_int_equal(run_case_sum(top, "wait_ns", NULL, NULL),
			run_case_sum(log, "wait_ns", NULL, NULL));
		/* By thread, bin after bin, each once. */
		for (size_t r = 1; r < bins->n_rows; r++)
			if (run_case_cell(bins, r, "tid")->set &&
				run_case_cell(bins, r - 1, "tid")->set &&
				run_case_int(bins, r, "tid") == run_case_int(bins, r - 1, "tid"))
				assert_true(run_case_int(bins, r, "begin") >=
					    run_case_int(bins, r - 1, "end"));
	}
	run_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_are_major),
		cmocka_unit_test(at_the_end),
		cmocka_unit_test(faults_of_a_program),
		cmocka_unit_test(tables_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
