/* Switches, wake-ups, moves and priorities: what each says, and what events say that contradict
 * each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "lives.h"

/* state_of: what prev_state says. Beyond the low byte nothing but "still runnable" was seen. */
static void states_of_a_switch(void **state)
{
	(void)state;
	static const struct {
		const char *prev_state, *is;
	} states[] = { { "0", "runnable" }, { "256", "runnable" }, { "1", "blocked" },
		{ "2", "blocked" }, { "258", "blocked" }, { "4", "stopped" }, { "8", "stopped" },
		{ "16", "dead" }, { "32", "dead" }, { "48", "dead" }, { "64", "dead" },
		{ "128", "blocked" } };
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		char scenario[1000], expected[200];
		snprintf(scenario, sizeof(scenario),
			SWITCH("5", "0", "0", "0",
				"1") "10us 0 sched_switch prev_tid=1 prev_state=%s\n"
				     "20us 0 sched_switch next_tid=7\n",
			states[i].prev_state);
		snprintf(
			expected, sizeof(expected), "5 unknown @-, 5 running, 10 %s", states[i].is);
		lives_check(scenario, 1, expected);
	}
	/* Only threads of the kernel are parked, and not while they exit; idle ones of new kernels
	 * have other bits. */
	lives_check(EVENT("5", "0", "sched_switch next_comm=\"kworker/0:1\" next_tid=1")
			    EVENT("9", "0", "sched_switch prev_tid=1 prev_state=64 next_tid=7"),
		1, "5 unknown @-, 5 thread, 9 blocked");
	lives_check(EVENT("5", "0", "sched_switch next_comm=\"kworker/0:1\" next_tid=1")
			    EVENT("7", "0", "sched_process_exit tid=1") EVENT(
				    "9", "0", "sched_switch prev_tid=1 prev_state=64 next_tid=7"),
		1, "5 unknown @-, 5 thread, 9 dead");
	lives_check(SWITCH("5", "0", "0", "0", "1") EVENT("7", "0", "sched_process_exit tid=1")
			    EVENT("9", "0", "sched_switch prev_tid=1 prev_state=128 next_tid=7"),
		1, "5 unknown @-, 5 running, 9 dead");
	lives_check(SWITCH("5", "0", "0", "0", "1") EVENT("7", "0", "sched_process_exit tid=1")
			    EVENT("9", "0", "sched_switch prev_tid=1 prev_state=1 next_tid=7"),
		1, "5 unknown @-, 5 running, 9 blocked");
}

/* leave_cpu: who is preempted waits for the one who has the CPU then. */
static void preempted(void **state)
{
	(void)state;
	lives_check(SWITCH("5", "0", "0", "0", "1") SWITCH("10", "0", "1", "0", "7")
			    SWITCH("20", "0", "7", "1", "1"),
		1, "5 unknown @-, 5 running, 10 runnable by 7, 20 running");
	lives_check(SWITCH("5", "0", "0", "0", "1") SWITCH("10", "0", "1", "0", "0")
			    SWITCH("20", "0", "0", "0", "1"),
		1, "5 unknown @-, 5 running, 10 runnable, 20 running");
}

/* queue_on: who is woken waits for the task on the CPU where it is queued, unless that is
 * itself. */
static void queues(void **state)
{
	(void)state;
	const char *both = SWITCH("1", "0", "0", "0", "1") SWITCH("1", "1", "0", "0", "7")
		SWITCH("10", "0", "1", "1", "8");
	char scenario[1500];
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("20", "0", "1", "1") SWITCH("30", "1", "7", "1", "1"), both);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 10 blocked: task by 8, 20 runnable @1 by 7, 30 running "
		"@1");
	/* Which CPU it was before is said with sched_waking; where it is queued, later. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("20", "0", "1", "0") WAKEUP("21", "0", "1", "1")
			SWITCH("30", "1", "7", "1", "1"),
		both);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 10 blocked: task by 8, 20 runnable @1 by 7, 30 running "
		"@1");
	/* It is moved while it is queued. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("20", "0", "1", "0") EVENT("22", "0",
			"sched_migrate_task tid=1 dest_cpu=1") SWITCH("30", "1", "7", "1", "1"),
		both);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 10 blocked: task by 8, 20 runnable @1 by 7, 30 running "
		"@1");
	/* A move before it is woken says nothing. */
	snprintf(scenario, sizeof(scenario),
		"%s" EVENT("19", "0", "sched_migrate_task tid=1 dest_cpu=1")
			WAKING("20", "0", "1", "0") SWITCH("30", "0", "8", "1", "1"),
		both);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 10 blocked: task by 8, 20 runnable by 8, 30 running");
	/* Out of range: nothing. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("20", "0", "1", "70000") SWITCH("30", "1", "7", "1", "1"), both);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 10 blocked: task by 8, 20 runnable @-, 30 running @1");
}

/* The first of sched_ttwu, sched_waking, sched_wakeup says who; where the earlier kinds are
 * recorded, a later one alone does not. */
static void first_sign_of_a_wake_up(void **state)
{
	(void)state;
	const char *both = SWITCH("1", "0", "0", "0", "1") SWITCH("1", "1", "0", "0", "7")
		ENTER("2", "1", "write", "fd=1") SWITCH("10", "0", "1", "1", "0");
	const char *known = SWITCH("3", "2", "0", "0", "2") SWITCH("4", "2", "2", "1", "0")
		WAKING("5", "1", "2", "2");
	char scenario[2000];
	/* Only sched_wakeup is recorded: its CPU is the waker's. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKEUP("20", "1", "1", "0") SWITCH("30", "0", "0", "0", "1"), both);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 10 blocked: task by 7, 20 runnable, 30 running");
	/* sched_waking is, too, but not here: since when it was runnable is not known, nor by
	 * whom. */
	snprintf(scenario, sizeof(scenario),
		"%s%s" WAKEUP("20", "1", "1", "0") SWITCH("30", "0", "0", "0", "1"), both, known);
	lives_check(scenario, 1, "1 runnable @-, 1 running, 10 blocked, 20 runnable, 30 running");
	/* Both: the first. */
	snprintf(scenario, sizeof(scenario),
		"%s%s" WAKING("20", "1", "1", "0") WAKEUP("22", "0", "1", "0")
			SWITCH("30", "0", "0", "0", "1"),
		both, known);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 10 blocked: task by 7, 20 runnable, 30 running");
	snprintf(scenario, sizeof(scenario),
		"%s%s" EVENT("5", "1", "sched_ttwu comm=\"t2\" tid=2 target_cpu=2")
			WAKING("20", "1", "1", "0") SWITCH("30", "0", "0", "0", "1"),
		both, "");
	lives_check(scenario, 1, "1 runnable @-, 1 running, 10 blocked, 20 runnable, 30 running");
}

/* Woken before it has left its CPU: that ends the wait, if it does begin one. */
static void woken_early(void **state)
{
	(void)state;
	const char *both = SWITCH("1", "0", "0", "0", "1") SWITCH("1", "1", "0", "0", "7")
		ENTER("2", "1", "write", "fd=1");
	char scenario[2000];
	/* No later sign is recorded: it waited for nothing. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("9", "1", "1", "0") SWITCH("10", "0", "1", "1", "0")
			SWITCH("30", "0", "0", "0", "1"),
		both);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 10 blocked: task by 7, 10 runnable, 30 running");
	/* It is: that one ends the wait; who woke it was told before. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("9", "1", "1", "0") SWITCH("10", "0", "1", "1", "0")
			WAKEUP("20", "1", "1", "0") SWITCH("30", "0", "0", "0", "1"),
		both);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 10 blocked: task by 7, 20 runnable, 30 running");
	/* The waker has left its CPU since: nobody is named. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("8", "1", "1", "0") SWITCH("9", "1", "7", "1", "0") SWITCH("10", "0",
			"1", "1", "0") WAKEUP("20", "1", "1", "0") SWITCH("30", "0", "0", "0", "1"),
		both);
	lives_check(
		scenario, 1, "1 runnable @-, 1 running, 10 blocked: task, 20 runnable, 30 running");
	/* It did not block: nothing ended. The next wait is another one. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("9", "1", "1", "0") SWITCH("10", "0", "1", "0", "8") SWITCH("12", "0",
			"8", "1", "1") SWITCH("14", "0", "1", "1", "0") WAKEUP("40", "1", "1", "0"),
		both);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 10 runnable by 8, 12 running, 14 blocked, 40 runnable");
	/* A later sign alone before it left: not known who. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("5", "1", "8", "1") WAKEUP("9", "1", "1", "0") SWITCH("10", "0", "1",
			"1", "0") WAKEUP("20", "1", "1", "0") SWITCH("30", "0", "0", "0", "1"),
		both);
	lives_check(scenario, 1, "1 runnable @-, 1 running, 10 blocked, 20 runnable, 30 running");
}

/* ... but not a wait of a call that it enters, or leaves one for, only then; nor one that its own
 * CPU would have prevented. */
static void woken_too_early(void **state)
{
	(void)state;
	const char *both = SWITCH("1", "0", "0", "0", "1") SWITCH("1", "1", "0", "0", "7")
		ENTER("2", "1", "write", "fd=1") ENTER("3", "0", "read", "fd=3");
	const char *rest = SWITCH("10", "0", "1", "1", "0") WAKING("25", "1", "1", "0")
		SWITCH("30", "0", "0", "0", "1");
	char scenario[2000];
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("5", "1", "1", "0") LEAVE("6", "0", "read", "1")
			ENTER("7", "0", "read", "fd=3") "%s",
		both, rest);
	lives_check(scenario, 1,
		"1 runnable @-, 1 user, 3 syscall in read, 6 user, 7 syscall in read, 10 blocked in "
		"read: task by 7, 25 runnable in read, 30 syscall in read");
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("5", "1", "1", "0") LEAVE("6", "0", "read", "1") "%s", both, rest);
	lives_check(scenario, 1,
		"1 runnable @-, 1 user, 3 syscall in read, 6 user, 10 blocked: task by 7, 25 "
		"runnable, 30 user");
	snprintf(scenario, sizeof(scenario),
		"%s" EVENT("4", "0", "irq_softirq_entry vec=4") WAKING("5", "0", "1", "0")
			EVENT("6", "0", "irq_softirq_exit vec=4") "%s",
		both, rest);
	lives_check(scenario, 1,
		"1 runnable @-, 1 user, 3 syscall in read, 4 interrupted in read: softirq 4, 6 "
		"syscall in read, 10 blocked in read: task by 7, 25 runnable in read, 30 syscall in "
		"read");
}

/* make_current: a switch from another task than was believed. Everything since that one was
 * certainly on the CPU becomes unknown; the other one came there since. */
static void switched_from_another(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, SWITCH("5", "0", "0", "0", "1") ENTER("10", "0", "read", "fd=3")
			       LEAVE("15", "0", "read", "0") SWITCH("30", "0", "2", "1", "0")
				       SWITCH("40", "0", "0", "0", "1"));
	lives_are(&l, 1, "5 unknown @-, 5 user, 10 syscall in read, 15 unknown @-, 40 running");
	lives_are(&l, 2, "5 unknown @-, 15 unknown @-, 30 blocked");
	assert_int_equal(l.w->hosts[0].n_odd, 1);
	lives_close(&l);
	/* An idle CPU. */
	lives_open(&l,
		SWITCH("5", "0", "1", "1", "0") EVENT("8", "0", "irq_softirq_entry vec=1")
			EVENT("9", "0", "irq_softirq_exit vec=1") SWITCH("30", "0", "2", "1", "0"));
	lives_are(&l, 2, "5 unknown @-, 5 unknown @-, 30 blocked");
	assert_int_equal(l.w->hosts[0].n_odd, 1);
	lives_close(&l);
	/* It is idle, though a task was believed to be there. */
	lives_open(&l, SWITCH("5", "0", "0", "0", "1") SWITCH("30", "0", "0", "0", "2"));
	lives_are(&l, 1, "5 unknown @-, 5 unknown @-");
	lives_are(&l, 2, "5 unknown @-, 30 running");
	assert_int_equal(l.w->hosts[0].n_odd, 1);
	lives_close(&l);
	/* What only itself can do makes sure that it is there; what it cannot have done makes it
	 * doubtful, until the next switch. */
	lives_open(&l, SWITCH("5", "0", "0", "0", "1") ENTER("10", "0", "read", "fd=3") LEAVE(
			       "12", "0", "write", "0") ENTER("14", "0", "read", "fd=3")
			       LEAVE("16", "0", "read", "0") SWITCH("30", "0", "2", "1", "0"));
	lives_are(&l, 1,
		"5 unknown @-, 5 unknown @-, 10 unknown @-, 12 unknown @-, 14 unknown @-, 16 "
		"unknown @-");
	lives_close(&l);
	lives_open(&l, SWITCH("5", "0", "0", "0", "1") ENTER("10", "0", "read", "fd=3")
			       ENTER("12", "0", "write", "fd=3") LEAVE("16", "0", "write", "0")
				       SWITCH("30", "0", "2", "1", "0"));
	lives_are(&l, 1, "5 unknown @-, 5 unknown @-, 10 unknown @-, 12 unknown @-, 16 unknown @-");
	lives_close(&l);
	lives_open(&l, SWITCH("5", "0", "0", "0", "1") ENTER("10", "0", "read", "fd=3")
			       LEAVE("12", "0", "read", "0") LEAVE("16", "0", "write", "0") ENTER(
				       "20", "0", "read", "fd=3") SWITCH("30", "0", "2", "1", "0"));
	lives_are(&l, 1,
		"5 unknown @-, 5 user, 10 syscall in read, 12 unknown @-, 16 unknown @-, 20 "
		"unknown @-");
	lives_close(&l);
}

/* take_from: a task comes onto a CPU while it is believed to be on another one. */
static void on_two_cpus(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, SWITCH("5", "0", "0", "0", "1") ENTER("10", "0", "read", "fd=3") LEAVE(
			       "12", "0", "read", "0") SWITCH("20", "1", "0", "0", "1")
			       SWITCH("30", "1", "1", "1", "0") SWITCH("35", "0", "7", "1", "0"));
	lives_are(&l, 1,
		"5 unknown @-, 5 user, 10 syscall in read, 12 unknown @-, 20 running @1, 30 "
		"blocked @1");
	lives_are(&l, 7, "5 unknown @-, 12 unknown @-, 35 blocked");
	assert_int_equal(l.w->hosts[0].n_odd, 1);
	lives_close(&l);
	lives_open(&l, SWITCH("5", "0", "0", "0", "1") SWITCH("6", "1", "0", "0", "7")
			       SWITCH("20", "1", "1", "1", "0"));
	lives_are(&l, 1, "5 unknown @-, 5 unknown @-, 20 blocked @1");
	lives_are(&l, 7, "5 unknown @-, 6 unknown @-");
	assert_int_equal(l.w->hosts[0].n_odd, 2);
	lives_close(&l);
}

/* come_onto_cpu: where wake-ups are recorded and there was none, who comes onto a CPU was runnable
 * all the time, if it was not known to be blocked; then an event is missing. */
static void onto_a_cpu(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, SWITCH("5", "0", "0", "0", "1") SWITCH("10", "0", "1", "1", "7")
			       WAKING("15", "0", "8", "0") SWITCH("20", "0", "7", "1", "1"));
	lives_are(&l, 1, "5 runnable @-, 5 running, 10 blocked, 20 running");
	assert_int_equal(l.w->hosts[0].n_odd, 1);
	lives_close(&l);
	lives_open(&l, SWITCH("5", "0", "0", "0", "1") SWITCH("10", "0", "1", "1", "7")
			       SWITCH("20", "0", "7", "1", "1"));
	lives_are(&l, 1, "5 unknown @-, 5 running, 10 blocked, 20 running");
	assert_int_equal(l.w->hosts[0].n_odd, 0);
	lives_close(&l);
}

/* A name that a thread sets (by prctl, by its file in /proc) holds since then, though only the next
 * switch says it. */
static void names(void **state)
{
	struct lives l;
	(void)state;
	static const struct {
		const char *how;
		int64_t since_us; /* -1: the switch */
	} ways[] = { { ENTER("10", "0", "prctl", "option=15") LEAVE("12", "0", "prctl", "0"), 12 },
		{ ENTER("10", "0", "prctl", "option=15") LEAVE("12", "0", "prctl", "-14"), -1 },
		{ ENTER("10", "0", "prctl", "option=16") LEAVE("12", "0", "prctl", "0"), -1 },
		{ ENTER("10", "0", "openat",
			  "dfd=-100 filename=\"/proc/self/task/1/comm\" flags=2"),
			10 },
		{ ENTER("10", "0", "open", "filename=\"/proc/1/comm\" flags=1"), 10 },
		{ ENTER("10", "0", "open", "filename=\"/proc/1/comm\" flags=0"), -1 },
		{ ENTER("10", "0", "open", "filename=\"/proc/1/commx\" flags=1"), -1 },
		{ ENTER("10", "0", "open", "filename=\"/prox/1/comm\" flags=1"), -1 },
		{ ENTER("10", "0", "open", "filename=\"/proc/2/comm\" flags=1"), -1 },
		{ EVENT("10", "0", "task_rename tid=1 oldcomm=\"a\" newcomm=\"new\""), 10 } };
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char scenario[1000];
		snprintf(scenario, sizeof(scenario),
			SWITCH("5", "0", "0", "0", "1") "%s" EVENT("20", "0",
				"sched_switch prev_tid=1 prev_comm=\"new\" prev_state=1"),
			ways[i].how);
		lives_open(&l, scenario);
		const struct kernel_host *h = &l.w->hosts[0];
		uint32_t task = kernel_find_task(h, 1, NULL, 0);
		int64_t since = ways[i].since_us < 0 ? 20 : ways[i].since_us;
		assert_string_equal(lives_name_at(h, task, since * 1000 - 1), "t1");
		assert_string_equal(lives_name_at(h, task, since * 1000), "new");
		assert_string_equal(kernel_comm(h, task), "new");
		lives_close(&l);
	}
	/* In a namespace of its own the number of the path is another one. */
	for (int vtid = 0; vtid < 4; vtid++) {
		char scenario[1000];
		snprintf(scenario, sizeof(scenario),
			"event lttng_statedump_process_state { s32 tid; s32 vtid; s32 pid; s32 "
			"vpid; s32 ppid\n"
			"string16 name; s32 type; s32 status; u64 file_table_address }\n"
			"2us 0 lttng_statedump_process_state tid=1 pid=1 vtid=%d vpid=%d "
			"name=\"t1\"\n" SWITCH("5", "0", "0", "0", "1") ENTER("10", "0", "open",
				"filename=\"/proc/1/comm\" flags=1") "20us 0 sched_switch "
								     "prev_tid=1 prev_comm=\"new\" "
								     "prev_state=1\n",
			vtid, vtid);
		lives_open(&l, scenario);
		const struct kernel_host *h = &l.w->hosts[0];
		assert_string_equal(lives_name_at(h, kernel_find_task(h, 1, NULL, 0), 19999),
			vtid <= 1 ? "new" : "t1"); /* 0: not told */
		lives_close(&l);
	}
}

/* is_kernel_name: threads that serve interrupts, packets and requests are the kernel's, also
 * without a state dump; a system call takes it back. */
static void names_of_the_kernel(void **state)
{
	(void)state;
	static const char *const threads[] = { "irq/9-acpi", "ksoftirqd/0", "kworker/0:1",
		"napi/eth0-1", "migration/0", "rcu_preempt", "rcuop/0", "jbd2/sda1-8", "kblockd",
		"kswapd0" };
	static const char *const programs[] = { "irqbalance", "ksoftirq", "napi", "bash", "rcu" };
	char scenario[500];
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		snprintf(scenario, sizeof(scenario),
			"5us 0 sched_switch next_tid=1 next_comm=\"%s\"\n"
			"10us 0 sched_switch prev_tid=1 prev_state=1\n",
			threads[i]);
		lives_check(scenario, 1, "5 unknown @-, 5 thread, 10 blocked");
	}
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		snprintf(scenario, sizeof(scenario),
			"5us 0 sched_switch next_tid=1 next_comm=\"%s\"\n"
			"10us 0 sched_switch prev_tid=1 prev_state=1\n",
			programs[i]);
		lives_check(scenario, 1, "5 unknown @-, 5 running, 10 blocked");
	}
	lives_check(EVENT("5", "0", "sched_switch next_tid=1 next_comm=\"kworker/0:1\"")
			    ENTER("8", "0", "execve", "filename=\"/sbin/modprobe\"")
				    EVENT("10", "0", "sched_switch prev_tid=1 prev_state=1"),
		1, "5 unknown @-, 5 thread, 8 syscall in execve, 10 blocked in execve");
}

/* Contradictions are counted, and calls that ended of which it is not known whose or since when. */
static void counts(void **state)
{
	static const struct {
		const char *scenario;
		uint64_t n_odd, n_left_out;
	} cases[] = {
		{ SWITCH("5", "0", "0", "0", "1") ENTER("6", "0", "read", "fd=3")
				LEAVE("7", "0", "read", "1"),
			0, 0 },
		/* Calls of the idle task. */
		{ SWITCH("5", "0", "1", "1", "0") ENTER("6", "0", "read", "fd=3")
				LEAVE("7", "0", "read", "1") LEAVE("8", "0", "read", "1"),
			3, 2 },
		/* Of nobody known. */
		{ SWITCH("5", "0", "1", "1", "0") LEAVE("8", "1", "read", "1"), 0, 1 },
		/* It began before the record did. */
		{ SWITCH("5", "0", "0", "0", "1") LEAVE("7", "0", "read", "1"), 0, 1 },
		/* Its begin is missing. */
		{ SWITCH("5", "0", "0", "0", "1") LEAVE("7", "0", "read", "1")
				LEAVE("8", "0", "read", "1") LEAVE("9", "0", "read", "1"),
			2, 3 },
		/* In an interrupt. */
		{ SWITCH("5", "0", "0", "0", "1") EVENT("5", "0", "irq_softirq_entry vec=1") ENTER(
			  "6", "0", "read", "fd=3") EVENT("7", "0", "irq_softirq_entry vec=1")
				LEAVE("8", "0", "read", "1"),
			2, 0 },
		/* The end of a context without its begin, twice. */
		{ SWITCH("5", "0", "0", "0", "1") EVENT("6", "0", "irq_softirq_exit vec=1")
				EVENT("7", "0", "irq_softirq_exit vec=1"),
			2, 0 },
		/* A CPU that cannot be. */
		{ SWITCH("5", "0", "0", "0", "1") SWITCH("6", "5000", "0", "0", "2")
				SWITCH("7", "5000", "2", "0", "3"),
			2, 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lives l;
		lives_open(&l, cases[i].scenario);
		const struct kernel_host *h = &l.w->hosts[0];
		if (h->n_odd != cases[i].n_odd || h->n_calls_left_out != cases[i].n_left_out)
			fail_msg("case %zu: %d odd, %d left out", i, (int)h->n_odd,
				(int)h->n_calls_left_out);
		lives_close(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(states_of_a_switch),
		cmocka_unit_test(preempted), cmocka_unit_test(queues),
		cmocka_unit_test(first_sign_of_a_wake_up), cmocka_unit_test(woken_early),
		cmocka_unit_test(woken_too_early), cmocka_unit_test(switched_from_another),
		cmocka_unit_test(on_two_cpus), cmocka_unit_test(onto_a_cpu),
		cmocka_unit_test(names), cmocka_unit_test(names_of_the_kernel),
		cmocka_unit_test(counts) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
