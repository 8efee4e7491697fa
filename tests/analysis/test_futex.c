/* Futexes: who waited for whom, by hand and as the programs of a recording told, and tables that
 * agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run_case.h"

#define ALL .begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX

/* Process 100 has threads a (100), b (101); process 200 has c (200) and d (201), with futexes at
 * the same address; the pids are told by the state dump. a waits for b 10 to 30 us, c for d 40 to
 * 50 us, both at 0x1000; a times out at 0x2000 and blocks twice in one call at 0x4000; b finds
 * 0x1000 changed, and waits at 0x3000 until the end; a read that blocks is no futex's wait. */
static const char *const scenario =
	"host h\n"
	"1us h 2 lttng_statedump_process_state tid=100 pid=100 ppid=1 name=\"a\" status=5\n"
	"1us h 2 lttng_statedump_process_state tid=101 pid=100 ppid=1 name=\"b\" status=5\n"
	"1us h 2 lttng_statedump_process_state tid=200 pid=200 ppid=1 name=\"c\" status=5\n"
	"1us h 2 lttng_statedump_process_state tid=201 pid=200 ppid=1 name=\"d\" status=5\n"
	"2us h 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0"
	" next_comm=\"a\" next_tid=100\n"
	"3us h 1 sched_switch prev_comm=\"swapper/1\" prev_tid=0 prev_state=0"
	" next_comm=\"b\" next_tid=101\n"
	"10us h 0 syscall_entry_futex uaddr=0x1000 op=128 val=2\n"
	"12us h 0 sched_switch prev_comm=\"a\" prev_tid=100 prev_state=1"
	" next_comm=\"c\" next_tid=200\n"
	"15us h 1 syscall_entry_futex uaddr=0x1000 op=0 val=2\n"
	"16us h 1 syscall_exit_futex ret=-11 uaddr=0x1000\n"
	"22us h 1 syscall_entry_futex uaddr=0x1000 op=129 val=1\n"
	"25us h 1 sched_waking comm=\"a\" tid=100 prio=20 target_cpu=0\n"
	"26us h 1 syscall_exit_futex ret=1 uaddr=0x1000\n"
	"27us h 0 sched_switch prev_comm=\"c\" prev_tid=200 prev_state=0"
	" next_comm=\"a\" next_tid=100\n"
	"30us h 0 syscall_exit_futex ret=0 uaddr=0x1000\n"
	"32us h 0 sched_switch prev_comm=\"a\" prev_tid=100 prev_state=0"
	" next_comm=\"c\" next_tid=200\n"
	"33us h 1 sched_switch prev_comm=\"b\" prev_tid=101 prev_state=0"
	" next_comm=\"d\" next_tid=201\n"
	"40us h 0 syscall_entry_futex uaddr=0x1000 op=134\n"
	"41us h 0 sched_switch prev_comm=\"c\" prev_tid=200 prev_state=1"
	" next_comm=\"a\" next_tid=100\n"
	"44us h 1 syscall_entry_futex uaddr=0x1000 op=135\n"
	"45us h 1 sched_waking comm=\"c\" tid=200 prio=20 target_cpu=0\n"
	"46us h 1 syscall_exit_futex ret=0 uaddr=0x1000\n"
	"47us h 0 sched_switch prev_comm=\"a\" prev_tid=100 prev_state=0"
	" next_comm=\"c\" next_tid=200\n"
	"50us h 0 syscall_exit_futex ret=0 uaddr=0x1000\n"
	"51us h 0 sched_switch prev_comm=\"c\" prev_tid=200 prev_state=0"
	" next_comm=\"a\" next_tid=100\n"
	"60us h 0 syscall_entry_futex uaddr=0x2000 op=393 val=1\n"
	"61us h 0 sched_switch prev_comm=\"a\" prev_tid=100 prev_state=1"
	" next_comm=\"swapper/0\" next_tid=0\n"
	"70us h 0 timer_hrtimer_expire_entry hrtimer=1 now=0 function=0\n"
	"71us h 0 sched_waking comm=\"a\" tid=100 prio=20 target_cpu=0\n"
	"72us h 0 timer_hrtimer_expire_exit hrtimer=1\n"
	"73us h 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0"
	" next_comm=\"a\" next_tid=100\n"
	"75us h 0 syscall_exit_futex ret=-110 uaddr=0x2000\n"
	"76us h 0 syscall_entry_read fd=3 count=1\n"
	"77us h 0 sched_switch prev_comm=\"a\" prev_tid=100 prev_state=1"
	" next_comm=\"swapper/0\" next_tid=0\n"
	"80us h 1 sched_waking comm=\"a\" tid=100 prio=20 target_cpu=0\n"
	"81us h 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0"
	" next_comm=\"a\" next_tid=100\n"
	"82us h 0 syscall_exit_read ret=1\n"
	"83us h 1 sched_switch prev_comm=\"d\" prev_tid=201 prev_state=0"
	" next_comm=\"b\" next_tid=101\n"
	"84us h 1 syscall_entry_futex uaddr=0x3000 op=128 val=2\n"
	"85us h 1 sched_switch prev_comm=\"b\" prev_tid=101 prev_state=1"
	" next_comm=\"swapper/1\" next_tid=0\n"
	"90us h 0 syscall_entry_getpid\n"
	"91us h 0 syscall_exit_getpid ret=100\n"
	"92us h 0 syscall_entry_futex uaddr=0x4000 op=137 val=1\n"
	"93us h 0 sched_switch prev_comm=\"a\" prev_tid=100 prev_state=1"
	" next_comm=\"swapper/0\" next_tid=0\n"
	"95us h 2 sched_waking comm=\"a\" tid=100 prio=20 target_cpu=0\n"
	"96us h 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0"
	" next_comm=\"a\" next_tid=100\n"
	"97us h 0 sched_switch prev_comm=\"a\" prev_tid=100 prev_state=1"
	" next_comm=\"swapper/0\" next_tid=0\n"
	"99us h 2 sched_waking comm=\"a\" tid=100 prio=20 target_cpu=0\n"
	"100us h 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0"
	" next_comm=\"a\" next_tid=100\n"
	"102us h 0 syscall_exit_futex ret=0 uaddr=0x4000\n";

static void check(const struct run_case *c, const struct mer_table *log)
{
	const struct mer_table *t = run_case_table(c, "top_pairs");
	run_case_check_sums(log, t, "host tid address waker_tid");
	run_case_check_sums(log, run_case_table(c, "top"), "host address pid");
	run_case_check_sums(log, run_case_table(c, "stats"), "host");
	run_case_check_freq(log, run_case_table(c, "freq"), "host");
	static const char *const outputs[] = { "top_pairs", "top", "stats" };
	for (int k = 0; k < 3; k++)
		assert_int_equal(
			run_case_sum(run_case_table(c, outputs[k]), "blocked_ns", NULL, NULL),
			run_case_sum(log, "blocked_ns", NULL, NULL));
}

static void test_by_hand(void **state)
{
	(void)state;
	static const struct {
		int tid, pid, begin, end, blocked, waker; /* us; 0: none */
		const char *address, *op, *ret;
	} waits[] = {
		{ 100, 100, 10, 30, 13, 101, "0x1000", "wait", "0" },
		{ 101, 100, 15, 16, 0, 0, "0x1000", "wait", "EAGAIN" },
		{ 200, 200, 40, 50, 4, 201, "0x1000", "lock_pi", "0" },
		{ 100, 100, 60, 75, 10, 0, "0x2000", "wait_bitset", "ETIMEDOUT" },
		{ 100, 100, 92, 102, 4, 0, "0x4000", "wait_bitset", "0" },
	};
	enum { N = sizeof(waits) / sizeof(waits[0]) };
	struct run_case c;
	run_case_open_scenario(&c, scenario);
	run_case_run(&c, "futex", NULL);
	const struct mer_table *t = run_case_table(&c, "log");
	assert_int_equal(t->n_rows, N);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(run_case_int(t, i, "tid"), waits[i].tid);
		assert_int_equal(run_case_int(t, i, "pid"), waits[i].pid);
		assert_int_equal(run_case_int(t, i, "begin") - run_case_int(t, 0, "begin"),
			(waits[i].begin - 10) * 1000);
		assert_int_equal(
			run_case_int(t, i, "duration_ns"), (waits[i].end - waits[i].begin) * 1000);
		assert_int_equal(run_case_int(t, i, "blocked_ns"), waits[i].blocked * 1000);
		assert_string_equal(run_case_text(t, i, "address"), waits[i].address);
		assert_string_equal(run_case_text(t, i, "op"), waits[i].op);
		assert_string_equal(run_case_text(t, i, "ret"), waits[i].ret);
		assert_int_equal(run_case_cell(t, i, "waker_tid")->set, waits[i].waker > 0);
		if (waits[i].waker)
			assert_int_equal(run_case_int(t, i, "waker_tid"), waits[i].waker);
	}
	/* The same address in two processes is two futexes. */
	t = run_case_table(&c, "top");
	assert_int_equal(t->n_rows, 4);
	assert_int_equal(run_case_int(t, 0, "pid"), 100); /* 21 us */
	assert_string_equal(run_case_text(t, 0, "address"), "0x1000");
	assert_int_equal(run_case_int(t, 0, "total_ns"), 21000);
	assert_int_equal(run_case_int(t, 0, "waiters"), 2);
	assert_int_equal(run_case_int(t, 0, "wakers"), 1);
	assert_int_equal(run_case_int(t, 0, "failed"), 1);
	assert_string_equal(run_case_text(t, 0, "comm"), "a"); /* who waited the longest */
	assert_int_equal(run_case_int(t, 0, "waker_tid"), 101);
	assert_int_equal(run_case_int(t, 0, "waker_ns"), 20000);
	assert_int_equal(run_case_int(t, 1, "wakers"), 0); /* 15 us, timed out */
	assert_false(run_case_cell(t, 1, "waker_comm")->set);
	size_t of_d = run_case_find(t, "waker_comm", "d", 0);
	assert_int_equal(run_case_int(t, of_d, "pid"), 200);
	assert_int_equal(run_case_int(t, of_d, "waker_ns"), 10000);
	check(&c, run_case_table(&c, "log"));
	t = run_case_table(&c, "stats"); /* of 1, 10, 10, 15 and 20 us */
	assert_in_range(run_case_int(t, 0, "p50_ns"), 10000 - 10000 / 64, 10000 + 10000 / 64);
	assert_int_equal(run_case_int(t, 0, "p99_ns"), 20000);
	/* By other keys no waker is known: a row may be of many. */
	struct analysis_options by = { ALL, .group_by = "program" };
	run_case_run(&c, "futex", &by);
	t = run_case_table(&c, "top");
	assert_string_equal(run_case_text(t, 0, "comm"), "a"); /* 20 + 15 + 10 us */
	assert_int_equal(run_case_int(t, 0, "total_ns"), 45000);
	assert_int_equal(run_case_int(t, 0, "wakers"), 1);

	struct analysis_options o = { ALL, .min_ns = 2000, .limit = 2 };
	run_case_run(&c, "futex", &o);
	t = run_case_table(&c, "log");
	assert_int_equal(t->n_rows, 2);
	assert_int_equal(t->n_left_out, 2);
	assert_int_equal(run_case_int(run_case_table(&c, "stats"), 0, "count"), 4);
	run_case_close(&c);
}

/* What the programs of the recording measured around their calls (zoo.log), and who ended it. */
static void test_zoo(void **state)
{
	(void)state;
	static const struct {
		const char *comm, *waker, *op;
		double ms;
	} waits[] = {
		{ "zoo-main", "zoo-futexw", "wait", 47.720 },
		{ "zoo-main", "zoo-holder", "wait", 90.956 },
		{ "zoo-main", "zoo-signal", "wait_bitset", 62.119 },
		{ "zoo-bar1", "zoo-bar4", "wait", 90.994 },
		{ "zoo-bar2", "zoo-bar4", "wait", 45.246 },
		{ "zoo-bar3", "zoo-bar4", "wait", 14.456 },
		{ "zoo-rtwait", "zoo-piholder", "lock_pi", 48.616 },
	};
	struct run_case c;
	run_case_open_recording(&c, "lab/ipc-zoo");
	run_case_run(&c, "futex", NULL);
	const struct mer_table *t = run_case_table(&c, "log");
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		bool found = false;
		for (size_t r = 0; r < t->n_rows && !found; r++) {
			/* The call is within what was measured, and the most of it. */
			double ms = (double)run_case_int(t, r, "duration_ns") / 1e6;
			found = ms <= waits[i].ms && ms > waits[i].ms - 0.6 &&
				strcmp(run_case_text(t, r, "waker_comm"), waits[i].waker) == 0 &&
				strcmp(run_case_text(t, r, "op"), waits[i].op) == 0 &&
				strcmp(run_case_text(t, r, "comm"), waits[i].comm) == 0;
		}
		if (!found)
			fail_msg("no wait of %s for %s of %.3f ms", waits[i].comm, waits[i].waker,
				waits[i].ms);
	}
	/* Everybody in it is of the zoo. */
	for (size_t r = 0; r < t->n_rows; r++) {
		assert_int_equal(strncmp(run_case_text(t, r, "comm"), "zoo-", 4), 0);
		assert_int_equal(strncmp(run_case_text(t, r, "waker_comm"), "zoo-", 4), 0);
	}
	/* The barrier is one futex with three who wait. */
	t = run_case_table(&c, "top");
	size_t barrier = run_case_find(t, "waker_comm", "zoo-bar4", 0);
	assert_int_equal(run_case_int(t, barrier, "waiters"), 3);
	run_case_close(&c);
}

static void test_agreement(void **state)
{
	(void)state;
	static const char *const recordings[] = { "lab/ipc-zoo", "lab/mpi-3vm", "lab/lost-events" };
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		struct run_case c;
		run_case_open_recording(&c, recordings[i]);
		run_case_run(&c, "futex", NULL);
		const struct mer_table *log = run_case_table(&c, "log");
		assert_true(log->n_rows > 0);
		check(&c, log);
		for (size_t r = 0; r < log->n_rows; r++)
			assert_true(run_case_int(log, r, "blocked_ns") <=
				    run_case_int(log, r, "duration_ns"));
		run_case_close(&c);
	}
}

/* Process 100: b had to wait for the lock and got it from a, then waits for another one that a
 * took, who waits for the first: nobody goes on. c, of another process, waits for work (its value
 * is no lock's); d has just begun a call. */
static const char *const deadlock =
	"host h\n"
	"1us h 2 lttng_statedump_process_state tid=100 pid=100 ppid=1 name=\"a\" status=5\n"
	"1us h 2 lttng_statedump_process_state tid=101 pid=100 ppid=1 name=\"b\" status=5\n"
	"1us h 2 lttng_statedump_process_state tid=200 pid=200 ppid=1 name=\"c\" status=5\n"
	"1us h 2 lttng_statedump_process_state tid=201 pid=200 ppid=1 name=\"d\" status=5\n"
	"2us h 0 sched_switch prev_comm=\"i\" prev_tid=0 prev_state=0 next_comm=\"a\" "
	"next_tid=100\n"
	"3us h 1 sched_switch prev_comm=\"i\" prev_tid=0 prev_state=0 next_comm=\"b\" "
	"next_tid=101\n"
	"10us h 1 syscall_entry_futex uaddr=0x1000 op=128 val=2\n"
	"11us h 1 sched_switch prev_comm=\"b\" prev_tid=101 prev_state=1 next_comm=\"c\" "
	"next_tid=200\n"
	"20us h 0 syscall_entry_futex uaddr=0x1000 op=129 val=1\n"
	"21us h 0 sched_waking comm=\"b\" tid=101 prio=20 target_cpu=1\n"
	"22us h 0 syscall_exit_futex ret=1 uaddr=0x1000\n"
	"23us h 1 syscall_entry_futex uaddr=0x5000 op=128 val=0\n"
	"24us h 1 sched_switch prev_comm=\"c\" prev_tid=200 prev_state=1 next_comm=\"b\" "
	"next_tid=101\n"
	"25us h 1 syscall_exit_futex ret=0 uaddr=0x1000\n"
	"30us h 1 syscall_entry_futex uaddr=0x2000 op=134 val=0\n"
	"31us h 1 sched_switch prev_comm=\"b\" prev_tid=101 prev_state=1 next_comm=\"d\" "
	"next_tid=201\n"
	"40us h 0 syscall_entry_futex uaddr=0x1000 op=128 val=2\n"
	"41us h 0 sched_switch prev_comm=\"a\" prev_tid=100 prev_state=1 next_comm=\"i\" "
	"next_tid=0\n"
	"90us h 1 syscall_entry_futex uaddr=0x6000 op=128 val=2\n"
	"100us h 0 irq_softirq_entry vec=1\n";

static void test_unfinished(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c, deadlock);
	run_case_run(&c, "futex", NULL);
	const struct mer_table *t = run_case_table(&c, "top_unfinished");
	assert_int_equal(t->n_rows, 3);
	/* The longest first. */
	assert_string_equal(run_case_text(t, 0, "comm"), "c");
	assert_string_equal(run_case_text(t, 0, "kind"), "");
	assert_int_equal(run_case_int(t, 0, "so_far_ns"), 77000);
	assert_false(run_case_cell(t, 0, "holder_tid")->set);
	assert_string_equal(run_case_text(t, 1, "comm"), "b");
	assert_string_equal(run_case_text(t, 1, "kind"), "lock");
	assert_string_equal(run_case_text(t, 1, "op"), "lock_pi");
	assert_int_equal(run_case_int(t, 1, "so_far_ns"), 70000);
	assert_false(run_case_cell(t, 1, "holder_tid")->set); /* a made no call for it */
	assert_string_equal(run_case_text(t, 2, "comm"), "a");
	assert_string_equal(run_case_text(t, 2, "kind"), "lock");
	assert_string_equal(run_case_text(t, 2, "address"), "0x1000");
	assert_int_equal(run_case_int(t, 2, "holder_tid"), 101);
	assert_string_equal(run_case_text(t, 2, "holder_comm"), "b");
	/* In no sum. */
	assert_int_equal(run_case_sum(run_case_table(&c, "top"), "count", NULL, NULL), 1);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 1);
	/* All of them, whatever is kept of a log: the summary counts them. */
	struct analysis_options few = { ALL, .limit = 1 };
	run_case_run(&c, "futex", &few);
	assert_int_equal(run_case_table(&c, "top_unfinished")->n_rows, 3);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 1);
	struct analysis_options o = { ALL, .min_ns = 65000 };
	run_case_run(&c, "futex", &o);
	assert_int_equal(run_case_table(&c, "top_unfinished")->n_rows, 2);
	run_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_zoo),
		cmocka_unit_test(test_agreement),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
