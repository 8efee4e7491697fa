/* Where events are lost (model_losses.c): what is unknown, until when, and what is certain
 * nevertheless.
 *
 * HOLE ends a packet of a CPU at its last event, and loses the one after it: until the CPU's next
 * event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "lives.h"

#define HOLE(at, cpu) at "us " cpu " skip 1\n"

/* Who was on the CPU is unknown from the hole's begin; who is there when it ends is told by the
 * next switch. */
static void on_the_cpu(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l,
		SWITCH("5", "0", "0", "0", "1") ENTER("10", "0", "read", "fd=3") HOLE("11", "0")
			EVENT("30", "0", "irq_softirq_raise vec=9") SWITCH("40", "0", "2", "1", "1")
				LEAVE("45", "0", "write", "1") SWITCH("50", "0", "1", "1", "0"));
	lives_are(&l, 1,
		"5 unknown @-, 5 user, 10 syscall in read, 11 unknown @-, 40 syscall in write, 45 "
		"user, 50 blocked");
	lives_are(&l, 2, "5 unknown @-, 30 running, 40 blocked");
	lives_close(&l);
	/* Idle, then. */
	lives_check(SWITCH("5", "0", "0", "0", "1") HOLE("11", "0") EVENT(
			    "30", "0", "irq_softirq_raise vec=9") SWITCH("40", "0", "0", "0", "1")
			    SWITCH("50", "0", "1", "1", "0"),
		1, "5 unknown @-, 5 running, 11 unknown @-, 40 running, 50 blocked");
	/* The one that was there before, in which mode is learned anew. */
	lives_check(SWITCH("5", "0", "0", "0", "1") ENTER("10", "0", "read", "fd=3") HOLE("11", "0")
			    ENTER("30", "0", "write", "fd=1") SWITCH("40", "0", "1", "1", "0"),
		1,
		"5 unknown @-, 5 user, 10 syscall in read, 11 unknown @-, 30 syscall in write, 40 "
		"blocked in write");
	lives_check(SWITCH("5", "0", "0", "0", "1") ENTER("10", "0", "read", "fd=3") HOLE("11", "0")
			    EVENT("30", "0", "irq_softirq_entry vec=9") EVENT(
				    "32", "0", "irq_softirq_exit vec=9")
				    LEAVE("35", "0", "write", "1") SWITCH("40", "0", "1", "1", "0"),
		1,
		"5 unknown @-, 5 user, 10 syscall in read, 11 unknown @-, 30 interrupted in write: "
		"softirq 9, 32 syscall in write, 35 user, 40 blocked");
	/* No switch comes any more: nobody knows. */
	lives_check(SWITCH("5", "0", "0", "0", "1") HOLE("11", "0") EVENT("30", "0",
			    "irq_softirq_raise vec=9") EVENT("40", "0", "irq_softirq_raise vec=9"),
		1, "5 unknown @-, 5 running, 11 unknown @-");
}

/* A task on another CPU is known all the time; who is on none may have run on the one with the
 * hole. */
static void on_other_cpus(void **state)
{
	(void)state;
	const char *all = SWITCH("1", "1", "0", "0", "2") SWITCH("2", "0", "0", "0", "3")
		SWITCH("4", "0", "3", "1", "1") SWITCH("10", "0", "1", "1", "0") HOLE("11", "0")
			EVENT("30", "0", "irq_softirq_raise vec=9") SWITCH("40", "0", "0", "0", "3")
				ENTER("45", "1", "getpid", "") SWITCH("50", "0", "3", "1", "0");
	lives_check(all, 2, "1 unknown @-, 1 user @1, 45 syscall in getpid @1");
	lives_check(all, 1, "1 unknown @-, 4 running, 10 blocked, 11 unknown");
	lives_check(
		all, 3, "1 unknown @-, 2 running, 4 blocked, 11 unknown, 40 running, 50 blocked");
}

/* Who is woken slept when the hole was over; who is moved was in a queue then. */
static void off_the_cpu(void **state)
{
	(void)state;
	const char *begin = SWITCH("1", "1", "0", "0", "2") SWITCH("4", "0", "0", "0", "1")
		SWITCH("10", "0", "1", "1", "0") HOLE("11", "0")
			EVENT("30", "0", "irq_softirq_raise vec=9");
	char scenario[2000];
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("45", "1", "1", "7") SWITCH("50", "0", "0", "0", "1"), begin);
	lives_check(scenario, 1,
		"1 runnable @-, 4 running, 10 blocked, 11 unknown, 30 blocked: task by 2, 45 "
		"runnable "
		"@7, 50 running");
	snprintf(scenario, sizeof(scenario),
		"%s" EVENT("45", "1", "sched_migrate_task tid=1 dest_cpu=1")
			SWITCH("50", "1", "2", "1", "1"),
		begin);
	lives_check(scenario, 1, "1 unknown @-, 4 running, 10 blocked, 11 unknown, 50 running @1");
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("3", "1", "8", "1") EVENT("45", "1",
			"sched_migrate_task tid=1 dest_cpu=1") SWITCH("50", "1", "2", "1", "1"),
		begin);
	lives_check(scenario, 1,
		"1 runnable @-, 4 running, 10 blocked, 11 unknown, 30 runnable @1 by 2, 50 running "
		"@1");
	/* A wake-up of one who ran in between is not of the wait before. */
	snprintf(scenario, sizeof(scenario),
		"%s" SWITCH("35", "0", "0", "0", "1") SWITCH("38", "0", "1", "1", "0")
			WAKING("45", "1", "1", "0") SWITCH("50", "0", "0", "0", "1"),
		begin);
	lives_check(scenario, 1,
		"1 runnable @-, 4 running, 10 blocked, 11 unknown, 30 runnable, 35 running, 38 "
		"blocked: "
		"task by 2, 45 runnable, 50 running");
	/* It was woken in the hole, or before: that is lost, and it was runnable when it came onto
	 * the CPU. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("40", "1", "8", "0") SWITCH("50", "0", "0", "0", "1"), begin);
	lives_check(scenario, 1,
		"1 runnable @-, 4 running, 10 blocked, 11 unknown, 30 runnable, 50 running");
}

/* model_asleep_since: sched_waking tells on which CPU the task ran last. It has not run elsewhere
 * since that CPU's last hole. */
static void asleep_since(void **state)
{
	(void)state;
	const char *begin = SWITCH("1", "1", "0", "0", "2") SWITCH("2", "2", "0", "0", "3")
		SWITCH("4", "0", "0", "0", "1") SWITCH("10", "0", "1", "1", "0") HOLE("11", "2")
			EVENT("30", "2", "irq_softirq_raise vec=9")
				SWITCH("32", "2", "3", "1", "0");
	char scenario[2000];
	/* Another CPU had a hole, but it ran last on this one: it slept all the time. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("45", "1", "1", "0") SWITCH("50", "0", "0", "0", "1"), begin);
	lives_check(scenario, 1,
		"1 runnable @-, 4 running, 10 blocked: task by 2, 45 runnable, 50 running");
	/* It ran last on the one with the hole: it slept since its end. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("45", "1", "1", "2") SWITCH("50", "0", "0", "0", "1"), begin);
	lives_check(scenario, 1,
		"1 runnable @-, 4 running, 10 blocked, 11 unknown, 30 blocked: task by 2, 45 "
		"runnable "
		"@2, 50 running");
	/* Last on one where it was not seen, and which has no hole. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKING("45", "1", "1", "1") SWITCH("50", "0", "0", "0", "1"), begin);
	lives_check(scenario, 1,
		"1 runnable @-, 4 running, 10 blocked, 11 unknown, 30 blocked: task by 2, 45 "
		"runnable @1 "
		"by 2, 50 running");
	/* sched_wakeup tells the CPU where it is queued, which says nothing of that. */
	snprintf(scenario, sizeof(scenario),
		"%s" WAKEUP("45", "1", "1", "0") SWITCH("50", "0", "0", "0", "1"), begin);
	lives_check(scenario, 1,
		"1 runnable @-, 4 running, 10 blocked, 11 unknown, 30 blocked: task by 2, 45 "
		"runnable, "
		"50 running");
	/* In a hole of its own CPU now: woken by another CPU. */
	snprintf(scenario, sizeof(scenario),
		"%s" SWITCH("40", "0", "0", "0", "7") HOLE("41", "0") WAKING("45", "1", "1", "0")
			SWITCH("50", "0", "7", "1", "1"),
		begin);
	lives_check(scenario, 1,
		"1 runnable @-, 4 running, 10 blocked, 11 unknown, 45 unknown, 50 running");
}

/* Causes from before a hole or in it set off nothing after it. */
static void causes_are_forgotten(void **state)
{
	(void)state;
	const char *form = SWITCH("1", "0", "0", "0", "1") SWITCH("5", "0", "1", "1", "0")
		SWITCH("6", "1", "0", "0",
			"2") "10us 1 sched_switch prev_tid=2 prev_state=1 next_tid=9 "
			     "next_comm=\"napi/eth0-1\"\n"
			     "12us 1 net_if_receive_skb len=60 name=\"eth0\"\n"
			     "13us 1 block_rq_complete dev=8 sector=8 nr_sector=8 rwbs=4\n"
			     "%s" WAKING("40", "1", "1", "0") SWITCH("45", "1", "9", "1", "0")
				     SWITCH("50", "0", "0", "0", "1");
	char scenario[2000];
	snprintf(scenario, sizeof(scenario), form, "");
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 5 blocked: network by 9, 40 runnable, 50 running");
	snprintf(scenario, sizeof(scenario), form,
		HOLE("20", "1") EVENT("30", "1", "irq_softirq_raise vec=9"));
	lives_check(scenario, 1, "1 runnable @-, 1 running, 5 blocked, 40 runnable, 50 running");
}

/* In a hole only what happened whoever did it is looked at; a call's end is counted as left out.
 * The counter of lost events makes all of its packet a hole. */
static void in_a_hole(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l,
		SWITCH("5", "0", "0", "0", "1") "6us 0 packet\n" ENTER("10", "0", "read",
			"fd=3") LEAVE("12", "0", "read", "1") WAKING("13", "0", "7", "0") FORK("14",
			"0", "1", "1", "8",
			"8") EVENT("15", "0", "task_rename tid=8 newcomm=\"new\"") EVENT("16", "0",
			"sched_process_free tid=7") "18us 0 lost 3\n19us 0 packet\n" SWITCH("40",
			"0", "1", "1", "0"));
	lives_are(&l, 1, "5 runnable @-, 5 running, 6 unknown @-, 19 running, 40 blocked");
	lives_are(&l, 8, "14 unknown");
	lives_are(&l, 7, "");
	assert_int_equal(l.w->hosts[0].n_calls_left_out, 1);
	assert_string_equal(lives_name_at(&l.w->hosts[0], 1, 39000), "new");
	lives_close(&l);
}

/* Lulls: between two holes in which each CPU had nothing left to run at some moment, whoever did
 * not run slept. */
#define TWO_HOLES(between)                                                                         \
	SWITCH("1", "0", "0", "0", "1")                                                            \
	SWITCH("1000", "0", "1", "1", "0")                                                         \
	HOLE("1001", "0")                                                                          \
	EVENT("2000", "0", "irq_softirq_raise vec=9")                                              \
	SWITCH("2010", "0", "0", "0", "3")                                                         \
	between HOLE("5001", "0") EVENT("6000", "0", "irq_softirq_raise vec=9")                    \
		SWITCH("6010", "0", "3", "0", "3") WAKING("7000", "0", "1", "9")                   \
			SWITCH("7010", "0", "3", "1", "1")

static void lulls(void **state)
{
	(void)state;
	/* Idle 1 ms after the first hole. */
	lives_check(
		TWO_HOLES(SWITCH("3000", "0", "3", "1", "0") SWITCH("5000", "0", "0", "0", "3")), 1,
		"1 runnable @-, 1 running, 1000 blocked, 1001 unknown, 2000 blocked @-, 5001 "
		"unknown "
		"@-, 6000 blocked: task by 3, 7000 runnable @9, 7010 running");
	/* At once: a wake-up may be under way. */
	lives_check(
		TWO_HOLES(SWITCH("2100", "0", "3", "1", "0") SWITCH("5000", "0", "0", "0", "3")), 1,
		"1 runnable @-, 1 running, 1000 blocked, 1001 unknown, 6000 blocked: task by 3, "
		"7000 "
		"runnable @9, 7010 running");
	/* Never. */
	lives_check(TWO_HOLES(SWITCH("5000", "0", "3", "0", "3")), 1,
		"1 runnable @-, 1 running, 1000 blocked, 1001 unknown, 6000 blocked: task by 3, "
		"7000 "
		"runnable @9, 7010 running");
	/* It ran in between. */
	lives_check(TWO_HOLES(SWITCH("3000", "0", "3", "1", "0") SWITCH("3500", "0", "0", "0", "1")
				    SWITCH("4000", "0", "1", "1", "0")
					    SWITCH("5000", "0", "0", "0", "3")),
		1,
		"1 runnable @-, 1 running, 1000 blocked, 1001 unknown, 2000 runnable, 3500 "
		"running, 4000 "
		"blocked, 5001 unknown, 6000 blocked: task by 3, 7000 runnable @9, 7010 running");
	/* Its number was another one's meanwhile. */
	lives_check(TWO_HOLES(FORK("2500", "0", "3", "3", "50", "50") FORK(
			    "2600", "0", "3", "3", "50", "50") SWITCH("3000", "0", "3", "1", "0")
				    SWITCH("5000", "0", "0", "0", "3")),
		1,
		"1 runnable @-, 1 running, 1000 blocked, 1001 unknown, 6000 blocked: task by 3, "
		"7000 "
		"runnable @9, 7010 running");
}

/* ... with several CPUs only where moves from queue to queue are recorded. */
static void lulls_of_two(void **state)
{
	(void)state;
	const char *form = "%s" SWITCH("1", "1", "7", "1", "0") SWITCH("1", "0", "0", "0",
		"1") SWITCH("1000", "0", "1", "1", "0") HOLE("1001", "0") EVENT("2000", "0",
		"irq_softirq_raise vec=9") SWITCH("2010", "0", "0", "0", "3") "%s" SWITCH("3000",
		"0", "3", "1", "0") SWITCH("5000", "0", "0", "0", "3") HOLE("5001", "0")
		EVENT("6000", "0", "irq_softirq_raise vec=9") SWITCH("6010", "0", "3", "0", "3")
			WAKING("7000", "0", "1", "9") SWITCH("7010", "0", "3", "1", "1");
	const char *moves = EVENT("1", "1", "sched_migrate_task tid=7 dest_cpu=1");
	const char *drained = SWITCH("2500", "1", "0", "0", "8") SWITCH("2600", "1", "8", "1", "0");
	char scenario[3000];
	snprintf(scenario, sizeof(scenario), form, moves, drained);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 1000 blocked, 1001 unknown, 2000 blocked @-, 5001 "
		"unknown "
		"@-, 6000 blocked: task by 3, 7000 runnable @9, 7010 running");
	snprintf(scenario, sizeof(scenario), form, "", drained);
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 1000 blocked, 1001 unknown, 6000 blocked: task by 3, "
		"7000 "
		"runnable @9, 7010 running");
	/* The other CPU was idle for 3 ms without any event: not long enough to be sure. */
	snprintf(scenario, sizeof(scenario), form, moves, "");
	lives_check(scenario, 1,
		"1 runnable @-, 1 running, 1000 blocked, 1001 unknown, 6000 blocked: task by 3, "
		"7000 "
		"runnable @9, 7010 running");
}

/* model_outlast: who was there before and was not seen to end is taken to live, if ends are
 * recorded. */
static void at_the_end(void **state)
{
	(void)state;
	const char *form = "%s" SWITCH("1", "0", "0", "0", "1") SWITCH("1000", "0", "1", "1", "0")
		HOLE("1001", "0") EVENT("2000", "0", "irq_softirq_raise vec=9")
			SWITCH("2010", "0", "0", "0", "3") SWITCH("3000", "0", "3", "1", "0")
				SWITCH("5000", "0", "0", "0", "3");
	char scenario[2000];
	snprintf(scenario, sizeof(scenario), form, EVENT("1", "0", "sched_process_free tid=77"));
	lives_check(scenario, 1,
		"1 unknown @-, 1 running, 1000 blocked, 1001 unknown, 2000 blocked @-");
	snprintf(scenario, sizeof(scenario), form, "");
	lives_check(scenario, 1, "1 unknown @-, 1 running, 1000 blocked, 1001 unknown");
	/* Unknown already where a hole begins, as it was on the CPU. A state after that has no span
	 * of it but the open one. */
	const char *ran = EVENT("1", "0", "sched_process_free tid=77") SWITCH("1", "0", "0", "0",
		"1") EVENT("1000", "0", "irq_softirq_raise vec=9") HOLE("1001", "0")
		EVENT("2000", "0", "irq_softirq_raise vec=9") SWITCH("2010", "0", "0", "0", "3")
			SWITCH("3000", "0", "3", "1", "0") SWITCH("5000", "0", "0", "0", "3");
	lives_check(ran, 1, "1 unknown @-, 1 running, 1001 unknown @-, 2000 blocked @-");
	/* It has a name and no more: no sign that it lived when the hole began. */
	const char *named = EVENT("1", "0", "sched_process_free tid=77") SWITCH("1", "0", "0", "0",
		"3") EVENT("900", "0", "task_rename tid=1 oldcomm=\"a\" newcomm=\"b\"")
		SWITCH("1000", "0", "3", "1", "0") HOLE("1001", "0") EVENT(
			"2000", "0", "irq_softirq_raise vec=9") SWITCH("2010", "0", "0", "0", "3")
			SWITCH("3000", "0", "3", "1", "0") SWITCH("5000", "0", "0", "0", "3");
	lives_check(named, 1, "1 unknown @-");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(on_the_cpu),
		cmocka_unit_test(on_other_cpus), cmocka_unit_test(off_the_cpu),
		cmocka_unit_test(asleep_since), cmocka_unit_test(causes_are_forgotten),
		cmocka_unit_test(in_a_hole), cmocka_unit_test(lulls),
		cmocka_unit_test(lulls_of_two), cmocka_unit_test(at_the_end) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
