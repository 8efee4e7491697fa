/* Busy polling: what counts as a run, what ends it, and how much CPU time it took. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run_more.h"

#define CALL(from, to, name, entry, ret)                                                           \
	from "us h 0 syscall_entry_" name " " entry "\n" to "us h 0 syscall_exit_" name            \
	     " ret=" ret "\n"
#define POLL(from, to, ret) CALL(from, to, "poll", "timeout_msecs=0", ret)
#define SWITCH(at, prev, state, next)                                                              \
	at "us h 0 sched_switch prev_comm=\"\" prev_tid=" prev " prev_state=" state                \
	   " next_comm=\"p\" next_tid=" next "\n"
#define BEGIN "host h\ntrace h/kernel\n" SWITCH("10", "5", "1", "6")

static void expect(const char *scenario, const char *const *rows, size_t n)
{
	struct run_case c;
	run_case_open_scenario(&c, scenario);
	run_case_run(&c, "poll", NULL);
	const struct mer_table *log = run_case_table(&c, "log");
	assert_int_equal(log->n_rows, n);
	for (size_t i = 0; i < n; i++)
		if (!run_more_is(log, i, rows[i]))
			fail_msg("row %zu is not %s", i, rows[i]);
	run_case_close(&c);
}

/* Five of them from 20 to 60; 5 us of that it was preempted (within a call), 2 us interrupted. */
static void a_run(void **state)
{
	(void)state;
	static const char *const rows[] = {
		"begin=20000 end=60000 duration_ns=40000 cpu_ns=33000 calls=5 host=h tid=6 comm=p "
		"call=poll"
	};
	expect(BEGIN CALL("12", "14", "write", "fd=1", "3") POLL("20", "22",
		       "0") "25us h 0 irq_handler_entry irq=7 name=\"x\"\n"
			    "27us h 0 irq_handler_exit irq=7\n" CALL(
				    "30", "31", "clock_gettime", "", "0") POLL("32", "33",
				    "0") "35us h 0 syscall_entry_sched_yield\n" SWITCH("40", "6",
				    "0", "5") SWITCH("45", "5", "1",
				    "6") "50us h 0 syscall_exit_sched_yield ret=0\n" CALL("52",
				    "54", "recvfrom", "fd=3", "-11") POLL("58", "60", "0")
				    POLL("62", "63", "1") POLL("64", "65", "0"),
		rows, 1);
}

/* Two are not a run; a wait inside of a call or outside of one, or other work, ends one. */
static void no_run(void **state)
{
	(void)state;
	expect(BEGIN POLL("20", "22", "0") POLL("24", "26", "0") CALL(
		       "27", "28", "write", "fd=1", "3") POLL("30", "32", "0") POLL("34", "36",
		       "0") "40us h 0 syscall_entry_poll timeout_msecs=10\n" SWITCH("42", "6", "1",
		       "0") "50us h 0 sched_waking comm=\"p\" tid=6 target_cpu=0\n" SWITCH("51",
		       "0", "0", "6") "52us h 0 syscall_exit_poll ret=0\n" POLL("60", "62",
		       "0") POLL("64", "66", "0") SWITCH("68", "6", "1",
		       "0") "70us h 0 sched_waking comm=\"p\" tid=6 target_cpu=0\n" SWITCH("71",
		       "0", "0", "6") POLL("72", "73", "0") POLL("74", "75", "0"),
		NULL, 0);
}

/* Locks that changed hands just then: the task goes on with its work. */
static void no_run_of_locks(void **state)
{
	(void)state;
#define LOCK(from, to) CALL(from, to, "futex", "uaddr=4096 op=0 val=2", "-11")
	expect(BEGIN LOCK("20", "22") LOCK("120", "122") LOCK("220", "222") LOCK("320", "322"),
		NULL, 0);
}

/* All calls whose result is how many are ready. The result of io_uring_enter is what it
 * submitted. */
static void what_polls(void **state)
{
	(void)state;
#define LOOP(name)                                                                                 \
	CALL("20", "22", name, "", "0")                                                            \
	CALL("24", "26", name, "", "0") CALL("30", "31", name, "", "0")
#define ROW(name) "begin=20000 end=31000 calls=3 call=" name
	static const char *const scenarios[][2] = {
		{ BEGIN LOOP("_newselect"), ROW("_newselect") },
		{ BEGIN LOOP("io_getevents"), ROW("io_getevents") },
		{ BEGIN LOOP("io_pgetevents"), ROW("io_pgetevents") },
		{ BEGIN LOOP("io_uring_enter"), NULL },
		{ BEGIN LOOP("epoll_ctl"), NULL },
	};
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		expect(scenarios[i][0], &scenarios[i][1], scenarios[i][1] != NULL);
}

/* Until the recording ends; stats and top say the same. */
static void until_the_end(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c, BEGIN POLL("20", "22", "0") POLL("24", "26", "0")
					   POLL("30", "31", "0") POLL("32", "33", "0"));
	run_case_run(&c, "poll", NULL);
	assert_true(run_more_is(run_case_table(&c, "stats"), 0,
		"tid=6 count=1 total_ns=13000 calls=4 cpu_ns=13000"));
	assert_true(run_more_is(run_case_table(&c, "top"), 0, "begin=20000 cpu_ns=13000"));
	struct analysis_options o = { .begin = INT64_MIN, .end = INT64_MAX, .max_ns = 12000 };
	run_case_run(&c, "poll", &o);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 0);
	run_case_close(&c);
}

static void recorded(void **state)
{
	static const char *const names[] = { "lab/mpi-3vm", "lab/ipc-zoo" };
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct run_case c;
		run_case_open_recording(&c, names[i]);
		run_case_run(&c, "poll", NULL);
		const struct mer_table *log = run_case_table(&c, "log");
		const struct mer_table *stats = run_case_table(&c, "stats");
		assert_int_equal(run_more_sum(stats, "count", ""), log->n_rows);
		assert_int_equal(run_more_sum(stats, "calls", ""), run_more_sum(log, "calls", ""));
		assert_int_equal(
			run_more_sum(stats, "cpu_ns", ""), run_more_sum(log, "cpu_ns", ""));
		assert_int_equal(
			run_more_sum(stats, "total_ns", ""), run_more_sum(log, "duration_ns", ""));
		for (size_t k = 0; k < log->n_rows; k++) {
			assert_true(run_case_int(log, k, "calls") >= 3);
			assert_true(run_case_int(log, k, "cpu_ns") > 0);
			assert_true(run_case_int(log, k, "cpu_ns") <=
				    run_case_int(log, k, "duration_ns"));
		}
		if (getenv("SHOW"))
			run_case_print(stats);
		run_case_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run),
		cmocka_unit_test(no_run),
		cmocka_unit_test(no_run_of_locks),
		cmocka_unit_test(what_polls),
		cmocka_unit_test(until_the_end),
		cmocka_unit_test(recorded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
