/* Ready: how much of a time a task was ready; of a futex's holder while another one waits for
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis/ready.h"
#include "run_case.h"

enum { US = 1000 };

/* Against a sum over all: the same as long as all that lies in the time asked for is kept. */
static void sums(void **state)
{
	(void)state;
	enum { N = 1000, PERIOD = 10 };
	struct analysis_ready r = { 0 };
	for (int64_t i = 0; i < N; i++)
		assert_true(analysis_ready_add(
			&r, 7, i * PERIOD, i * PERIOD + (i % PERIOD))); /* 0 to 9 long */
	for (int64_t last = 1; last < 2 * ANALYSIS_READY_KEPT; last++)
		for (int64_t cut = 0; cut < PERIOD; cut++) {
			int64_t begin = (N - last) * PERIOD + cut, sum = 0;
			for (int64_t i = N - ANALYSIS_READY_KEPT; i < N; i++) {
				int64_t from = i * PERIOD > begin ? i * PERIOD : begin,
					to = i * PERIOD + i % PERIOD;
				sum += to > from ? to - from : 0;
			}
			assert_int_equal(analysis_ready_in(&r, 7, begin, N * PERIOD), sum);
		}
	assert_int_equal(analysis_ready_in(&r, 6, 0, N * PERIOD), 0);
	assert_int_equal(analysis_ready_in(&r, 8, 0, N * PERIOD), 0);
	analysis_ready_fini(&r);
}

static void few(void **state)
{
	(void)state;
	struct analysis_ready r = { 0 };
	for (int64_t n = 1; n < ANALYSIS_READY_KEPT; n++) {
		assert_true(analysis_ready_add(&r, 0, n * 10, n * 10 + 3));
		assert_int_equal(analysis_ready_in(&r, 0, 0, 1000000), 3 * n);
		assert_int_equal(analysis_ready_in(&r, 0, n * 10 + 1, n * 10 + 2), 1);
	}
	analysis_ready_fini(&r);
}

/* a waits from 12 us until b wakes it at 70 us. b is preempted by c from 20 to 45 us and from 50 to
 * 60 us, and before a waited from 5 to 9 us; what happens to c does not count. */
static void holder_preempted(void **state)
{
	(void)state;
	static const char *const scenario =
		"host h\n"
		"1us h 1 lttng_statedump_process_state tid=100 pid=100 ppid=1 name=\"a\" status=5\n"
		"1us h 1 lttng_statedump_process_state tid=101 pid=100 ppid=1 name=\"b\" status=5\n"
		"1us h 1 lttng_statedump_process_state tid=102 pid=100 ppid=1 name=\"c\" status=5\n"
		"2us h 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0"
		" next_comm=\"a\" next_tid=100\n"
		"2us h 1 sched_switch prev_comm=\"swapper/1\" prev_tid=0 prev_state=0"
		" next_comm=\"b\" next_tid=101\n"
		"5us h 1 sched_switch prev_comm=\"b\" prev_tid=101 prev_state=0"
		" next_comm=\"c\" next_tid=102\n"
		"9us h 1 sched_switch prev_comm=\"c\" prev_tid=102 prev_state=0"
		" next_comm=\"b\" next_tid=101\n"
		"11us h 0 syscall_entry_futex uaddr=0x1000 op=128 val=2\n"
		"12us h 0 sched_switch prev_comm=\"a\" prev_tid=100 prev_state=1"
		" next_comm=\"swapper/0\" next_tid=0\n"
		"20us h 1 sched_switch prev_comm=\"b\" prev_tid=101 prev_state=0"
		" next_comm=\"c\" next_tid=102\n"
		"45us h 1 sched_switch prev_comm=\"c\" prev_tid=102 prev_state=0"
		" next_comm=\"b\" next_tid=101\n"
		"50us h 1 sched_switch prev_comm=\"b\" prev_tid=101 prev_state=0"
		" next_comm=\"c\" next_tid=102\n"
		"60us h 1 sched_switch prev_comm=\"c\" prev_tid=102 prev_state=0"
		" next_comm=\"b\" next_tid=101\n"
		"65us h 1 syscall_entry_futex uaddr=0x1000 op=129 val=1\n"
		"70us h 1 sched_waking comm=\"a\" tid=100 prio=20 target_cpu=0\n"
		"71us h 1 syscall_exit_futex ret=1 uaddr=0x1000\n"
		"72us h 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0"
		" next_comm=\"a\" next_tid=100\n"
		"73us h 0 syscall_exit_futex ret=0 uaddr=0x1000\n";
	struct run_case c;
	run_case_open_scenario(&c, scenario);
	run_case_run(&c, "futex", NULL);
	for (const char *const *id = (const char *const[]){ "top", "top_pairs", NULL }; *id; id++) {
		const struct mer_table *t = run_case_table(&c, *id);
		assert_int_equal(t->n_rows, 1);
		assert_string_equal(run_case_text(t, 0, "waker_comm"), "b");
		assert_int_equal(run_case_int(t, 0, "blocked_ns"), 58 * US);
		assert_int_equal(run_case_int(t, 0, "holder_preempted_ns"), 35 * US);
	}
	run_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sums), cmocka_unit_test(few),
		cmocka_unit_test(holder_preempted) };
	return cmocka_run_group_tests_name("time that tasks are ready", tests, NULL, NULL);
}
