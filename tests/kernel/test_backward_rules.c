/* What was unknown becomes known backwards: modes, states, who was on a CPU, contexts. Each rule by
 * itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "lives.h"

/* Who is on a CPU at its begin, and in which mode, is what its first event tells: who leaves a call
 * was in it, who enters one was not. */
static void modes_of_who_was_there(void **state)
{
	(void)state;
	lives_check(ENTER("10", "0", "read", "fd=3") SWITCH("20", "0", "1", "1", "0"), 1,
		"10 syscall in read, 20 blocked in read");
	lives_check(EVENT("5", "0", "irq_softirq_entry vec=1")
			    EVENT("6", "0", "irq_softirq_exit vec=1") LEAVE("10", "0", "read", "0")
				    SWITCH("20", "0", "1", "1", "0"),
		1, "5 interrupted in read: softirq 1, 6 syscall in read, 10 user, 20 blocked");
	/* Neither: on the CPU, that is all. */
	lives_check(EVENT("5", "0", "irq_softirq_entry vec=1") EVENT(
			    "6", "0", "irq_softirq_exit vec=1") SWITCH("20", "0", "1", "1", "0"),
		1, "5 interrupted: softirq 1, 6 running, 20 blocked");
	/* A thread of the kernel is one, before its first event too. */
	lives_check(EVENT("5", "0", "irq_softirq_entry vec=1") EVENT(
			    "6", "0", "irq_softirq_exit vec=1") EVENT("20", "0",
			    "sched_switch prev_tid=1 prev_state=1 prev_comm=\"kworker/0:1\""),
		1, "5 interrupted: softirq 1, 6 thread, 20 blocked");
}

/* The mode is learned over waits, back to where it was not known. */
static void modes_across_waits(void **state)
{
	(void)state;
	lives_check(SWITCH("5", "0", "0", "0", "1") SWITCH("10", "0", "1", "1", "0")
			    WAKING("20", "0", "1", "0") SWITCH("30", "0", "0", "0", "1")
				    LEAVE("35", "0", "read", "0") SWITCH("40", "0", "1", "1", "0"),
		1,
		"5 runnable in read @-, 5 syscall in read, 10 blocked in read: irq, 20 runnable in "
		"read, "
		"30 syscall in read, 35 user, 40 blocked");
	lives_check(SWITCH("5", "0", "0", "0", "1") SWITCH("10", "0", "1", "0", "0")
			    SWITCH("30", "0", "0", "0", "1") ENTER("35", "0", "read", "fd=3")
				    SWITCH("40", "0", "1", "1", "0"),
		1,
		"5 unknown @-, 5 user, 10 runnable, 30 user, 35 syscall in read, 40 blocked in "
		"read");
	/* What is known stays so: the second call says nothing about the time before the first. */
	lives_check(SWITCH("5", "0", "0", "0", "1") ENTER("10", "0", "read", "fd=3")
			    LEAVE("12", "0", "read", "0") ENTER("14", "0", "write", "fd=3")
				    SWITCH("40", "0", "1", "1", "0"),
		1,
		"5 unknown @-, 5 user, 10 syscall in read, 12 user, 14 syscall in write, 40 "
		"blocked in write");
}

/* Who is woken was blocked since its record begins; who is said to be so by the dump also; who
 * comes onto a CPU was runnable, if wake-ups are recorded. */
static void states_of_who_was_not_there(void **state)
{
	(void)state;
	lives_check(SWITCH("5", "0", "0", "0", "7") WAKING("10", "0", "1", "0")
			    SWITCH("20", "0", "7", "0", "1"),
		1, "5 blocked @-: task by 7, 10 runnable by 7, 20 running");
	/* The wait was in the call that it leaves afterwards. */
	lives_check(SWITCH("5", "0", "0", "0", "7") WAKING("10", "0", "1", "0")
			    SWITCH("20", "0", "7", "0", "1") LEAVE("25", "0", "read", "0")
				    SWITCH("30", "0", "1", "1", "0"),
		1,
		"5 blocked in read @-: task by 7, 10 runnable in read by 7, 20 syscall in read, 25 "
		"user, 30 blocked");
	lives_check(SWITCH("5", "0", "0", "0", "7") WAKING("10", "0", "1", "0")
			    SWITCH("20", "0", "7", "0", "1") ENTER("25", "0", "read", "fd=3")
				    SWITCH("30", "0", "1", "1", "0"),
		1,
		"5 blocked @-: task by 7, 10 runnable by 7, 20 user, 25 syscall in read, 30 "
		"blocked "
		"in read");
	lives_check(SWITCH("5", "0", "0", "0", "7") SWITCH("20", "0", "7", "0", "1")
			    WAKING("30", "0", "7", "0"),
		1, "5 runnable @-, 20 running");
	lives_check(SWITCH("5", "0", "0", "0", "7") SWITCH("20", "0", "7", "0", "1"), 1,
		"5 unknown @-, 20 running");
	lives_check(SWITCH("5", "0", "0", "0", "7") EVENT("6", "0",
			    "lttng_statedump_process_state tid=1 pid=1 name=\"one\" status=5")
			    SWITCH("20", "0", "7", "0", "1"),
		1, "5 blocked @-, 20 running");
	lives_check(SWITCH("5", "0", "0", "0", "7") EVENT("6", "0",
			    "lttng_statedump_process_state tid=1 pid=1 name=\"one\" status=2")
			    SWITCH("20", "0", "7", "0", "0"),
		1, "5 runnable @-");
	lives_check(SWITCH("5", "0", "0", "0", "7") EVENT("6", "0",
			    "lttng_statedump_process_state tid=1 pid=1 name=\"one\" status=4")
			    SWITCH("20", "0", "7", "0", "0"),
		1, "5 dead @-");
	lives_check(SWITCH("5", "0", "0", "0", "7") EVENT("6", "0",
			    "lttng_statedump_process_state tid=1 pid=1 name=\"one\" status=3")
			    SWITCH("20", "0", "7", "0", "0"),
		1, "5 unknown @-");
	/* The dump says nothing against what was seen. */
	lives_check(SWITCH("5", "0", "0", "0", "7") SWITCH("6", "0", "7", "1", "0") EVENT("7", "0",
			    "lttng_statedump_process_state tid=7 pid=7 name=\"one\" status=2")
			    SWITCH("20", "0", "0", "0", "0"),
		7, "5 unknown @-, 5 running, 6 blocked");
}

/* The end of a context without its begin: if the CPU's record has just begun, all since then was in
 * it. */
static void contexts_open_before(void **state)
{
	(void)state;
	lives_check(EVENT("5", "0", "irq_softirq_raise vec=1") EVENT(
			    "8", "0", "irq_softirq_exit vec=3") SWITCH("20", "0", "1", "1", "0"),
		1, "5 interrupted: softirq 3, 8 running, 20 blocked");
	lives_check(EVENT("4", "0", "irq_handler_entry irq=5 name=\"x\"") EVENT("5", "0",
			    "irq_handler_exit irq=5") EVENT("8", "0", "irq_softirq_exit vec=3")
			    SWITCH("20", "0", "1", "1", "0"),
		1, "4 interrupted: irq 5, 5 interrupted: softirq 3, 8 running, 20 blocked");
	lives_check(EVENT("4", "0", "sched_waking tid=9 target_cpu=0") EVENT(
			    "8", "0", "timer_hrtimer_expire_exit") SWITCH("20", "0", "1", "1", "0"),
		1, "4 interrupted: timer, 8 running, 20 blocked");
	/* Later it is an event without its begin, that says nothing. */
	lives_check(SWITCH("5", "0", "0", "0", "1") EVENT("8", "0", "irq_softirq_exit vec=3")
			    SWITCH("20", "0", "1", "1", "0"),
		1, "5 unknown @-, 5 running, 20 blocked");
	/* Nor does the delivery of a packet interrupt a task. */
	lives_check(EVENT("4", "0", "sched_waking tid=9 target_cpu=0")
			    EVENT("8", "0", "netif_receive_skb_internal_return ip=1")
				    SWITCH("20", "0", "1", "1", "0"),
		1, "4 running, 20 blocked");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(modes_of_who_was_there),
		cmocka_unit_test(modes_across_waits), cmocka_unit_test(states_of_who_was_not_there),
		cmocka_unit_test(contexts_open_before) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
