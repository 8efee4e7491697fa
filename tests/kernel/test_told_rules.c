/* What the model tells its observers, each kind by itself: interrupts and idle times of CPUs,
 * calls, requests to block devices and merges, and what changes nothing in the model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "lives.h"

#define RUNS SWITCH("1", "0", "9", "1", "1")

static void interrupts(void **state)
{
	(void)state;
	lives_told(RUNS EVENT("10", "0", "irq_handler_entry irq=12 name=\"x\"") EVENT("11", "0",
			   "irq_handler_exit irq=12") EVENT("12", "0", "timer_hrtimer_expire_entry")
			   EVENT("13", "0", "timer_hrtimer_expire_exit") EVENT("14", "0",
				   "timer_expire_entry") EVENT("15", "0", "timer_expire_exit"),
		"interrupt",
		"interrupt irq 12 10-11 (irq 12) @0 of 1, interrupt hrtimer 12-13 (timer 0) @0 of "
		"1, interrupt timer 14-15 (timer 0) @0 of 1");
	lives_told(RUNS EVENT("10", "0", "x86_irq_vectors_local_timer_entry vector=236")
			   EVENT("11", "0", "x86_irq_vectors_local_timer_exit vector=236") EVENT(
				   "12", "0", "x86_irq_vectors_reschedule_entry vector=253")
				   EVENT("13", "0", "x86_irq_vectors_reschedule_exit vector=253"),
		"interrupt",
		"interrupt local-timer 10-11 (timer 0) @0 of 1, interrupt ipi 253 12-13 (ipi 253) "
		"@0 of 1");
	lives_told(RUNS EVENT("10", "0", "x86_irq_vectors_thermal_apic_entry vector=250") EVENT(
			   "11", "0", "x86_irq_vectors_thermal_apic_exit vector=250") EVENT("12",
			   "0", "do_IRQ_entry ip=1") EVENT("13", "0", "do_IRQ_return ip=1")
			   EVENT("14", "0", "netif_receive_skb_internal_entry ip=1")
				   EVENT("15", "0", "netif_receive_skb_internal_return ip=1"),
		"interrupt",
		"interrupt vector 250 10-11 (irq) @0 of 1, interrupt any 12-13 (irq) @0 of 1");
}

/* The first raise since the last begin counts; of 10 softirqs. */
static void raised(void **state)
{
	(void)state;
	lives_told(
		SWITCH("1", "0", "9", "1", "0") EVENT("10", "0", "irq_softirq_raise vec=3") EVENT(
			"11", "0", "irq_softirq_raise vec=3") EVENT("11", "0",
			"irq_softirq_raise vec=9") EVENT("12", "0", "irq_softirq_entry vec=3")
			EVENT("13", "0", "irq_softirq_raise vec=3") EVENT(
				"14", "0", "irq_softirq_exit vec=3")
				EVENT("15", "0", "irq_softirq_entry vec=9") EVENT(
					"16", "0", "irq_softirq_exit vec=9")
					EVENT("17", "0", "irq_softirq_entry vec=3") EVENT(
						"18", "0", "irq_softirq_exit vec=3") EVENT("19",
						"0", "irq_softirq_entry vec=3") EVENT("20", "0",
						"irq_softirq_exit vec=3")
						EVENT("21", "0", "irq_softirq_raise vec=10") EVENT(
							"22", "0", "irq_softirq_entry vec=10")
							EVENT("23", "0", "irq_softirq_exit vec=10"),
		"interrupt",
		"interrupt softirq 3 12-14 (softirq 3) raised 10 @0, interrupt softirq 9 15-16 "
		"(softirq 9) raised 11 @0, interrupt softirq 3 17-18 (softirq 3) raised 13 @0, "
		"interrupt softirq 3 19-20 (softirq 3) @0, interrupt softirq 10 22-23 (softirq 10) "
		"@0");
	/* Of another CPU. */
	lives_told(SWITCH("1", "0", "9", "1", "0") EVENT("10", "0", "irq_softirq_raise vec=3")
			   EVENT("12", "1", "irq_softirq_entry vec=3")
				   EVENT("14", "1", "irq_softirq_exit vec=3"),
		"interrupt", "interrupt softirq 3 12-14 (softirq 3) @1");
}

static void idle(void **state)
{
	(void)state;
	lives_told(SWITCH("1", "0", "9", "1", "0") EVENT(
			   "10", "0", "irq_handler_entry irq=12 name=\"x\"") EVENT("12", "0",
			   "irq_softirq_entry vec=3") EVENT("14", "0", "irq_softirq_exit vec=3")
			   EVENT("15", "0", "irq_handler_exit irq=12")
				   SWITCH("20", "0", "0", "0", "1") SWITCH("30", "0", "1", "1", "0")
					   EVENT("40", "0", "sched_waking tid=1"),
		"idle",
		"idle 1-10 @0, idle 10-12 @0: irq, idle 12-14 @0: softirq, idle 14-15 @0: irq, "
		"idle 15-20 @0, idle 30-40 @0");
	/* The same cause again is one. */
	lives_told(SWITCH("1", "0", "9", "1", "0")
			   EVENT("10", "0", "irq_handler_entry irq=12 name=\"x\"")
				   EVENT("12", "0", "irq_handler_entry irq=13 name=\"y\"")
					   EVENT("14", "0", "irq_handler_exit irq=13")
						   EVENT("15", "0", "irq_handler_exit irq=12")
							   SWITCH("20", "0", "0", "0", "1"),
		"idle", "idle 1-10 @0, idle 10-15 @0: irq, idle 15-20 @0");
	/* Another one than the idle task has had the CPU: it was idle until its last event. */
	lives_told(SWITCH("1", "0", "9", "1", "0") EVENT("5", "0", "sched_waking tid=1")
			   SWITCH("20", "0", "1", "1", "0"),
		"idle", "idle 1-5 @0");
	/* Since its record begins, until a hole, and after it. */
	lives_told(EVENT("1", "1", "sched_waking tid=1") SWITCH("10", "0", "0", "0", "1") SWITCH(
			   "11", "0", "1", "1", "0")
			   EVENT("20", "0", "sched_waking tid=1") "21us 0 skip 1\n" EVENT("30", "0",
				   "sched_waking tid=1") SWITCH("40", "0", "0", "0", "1"),
		"idle", "idle 1-10 @0, idle 11-21 @0, idle 30-40 @0");
}

/* A call is told with its arguments when it ends, if it began while recorded; those that did not
 * end, at the end. */
static void calls(void **state)
{
	(void)state;
	lives_told(RUNS ENTER("10", "0", "futex", "uaddr=16 op=0 val=2") LEAVE("12", "0", "futex",
			   "-11") ENTER("13", "0", "getpid", "") LEAVE("14", "0", "getpid", "1"),
		"call open",
		"call futex 10-12 = -11 @0 args 16,0,2 of 1, call getpid 13-14 = 1 @0 of 1");
	lives_told(EVENT("5", "0", "irq_softirq_raise vec=1") LEAVE("12", "0", "read", "5")
			   ENTER("13", "0", "read", "fd=3") LEAVE("14", "0", "read", "6")
				   SWITCH("20", "0", "1", "1", "0"),
		"call open", "call read 13-14 = 6 @0 of 1");
	lives_told(RUNS ENTER("10", "0", "getpid", "") LEAVE("11", "0", "getpid", "1") ENTER("12",
			   "0", "futex", "uaddr=16 op=0 val=2") SWITCH("14", "0", "1", "1", "0"),
		"call open", "call getpid 10-11 = 1 @0 of 1, open futex 12 @0 args 16,0,2 of 1");
	/* No end of a call is recorded: none is open for that. */
	lives_told(RUNS ENTER("12", "0", "futex", "uaddr=16 op=0 val=2")
			   SWITCH("14", "0", "1", "1", "0"),
		"call open", "");
	/* Of one that has exited, or is about to, none is. */
	lives_told(RUNS ENTER("10", "0", "getpid", "") LEAVE("11", "0", "getpid", "1")
			   ENTER("12", "0", "exit_group", "") SWITCH("14", "0", "1", "64", "0"),
		"call open", "call getpid 10-11 = 1 @0 of 1");
	lives_told(RUNS ENTER("10", "0", "getpid", "") LEAVE("11", "0", "getpid", "1") ENTER(
			   "12", "0", "exit_group", "") EVENT("13", "0", "sched_process_exit tid=1")
			   SWITCH("14", "0", "1", "1", "0"),
		"call open", "call getpid 10-11 = 1 @0 of 1");
}

/* A thread that was preempted when it was about to wait, and is woken. */
static void woken_ready(void **state)
{
	(void)state;
	lives_told(RUNS SWITCH("2", "1", "9", "1", "7") ENTER("3", "1", "write", "fd=1")
			   SWITCH("10", "0", "1", "0", "0") WAKING("12", "1", "1", "0")
				   WAKEUP("13", "1", "1", "0"),
		"woken", "woken 12 of 1 by 7");
	lives_told(RUNS SWITCH("2", "1", "9", "1", "7") SWITCH("10", "0", "1", "0", "0")
			   EVENT("11", "1", "irq_softirq_entry vec=1") WAKING("12", "1", "1", "0"),
		"woken", "woken 12 of 1");
}

/* What is not for the model is told with its slots, CPU and task: of the idle task, too, and in
 * interrupts. */
static void events(void **state)
{
	(void)state;
	lives_told(RUNS EVENT("11", "0", "kmem_mm_page_alloc page=1 order=3") EVENT(
			   "12", "0", "kmem_mm_page_free page=1 order=2") EVENT("15", "0",
			   "kmem_kmalloc call_site=1 ptr=77 bytes_req=5 bytes_alloc=8") EVENT("16",
			   "0", "kmem_kfree call_site=1 ptr=77") EVENT("17", "0",
			   "x86_exceptions_page_fault_user address=4096")
			   EVENT("18", "0", "x86_exceptions_page_fault_kernel address=8192") EVENT(
				   "19", "0", "irq_softirq_entry vec=1") EVENT("20", "0",
				   "kmem_mm_page_alloc page=1 order=0") EVENT("21", "0",
				   "irq_softirq_exit vec=1") SWITCH("22", "0", "1", "1", "0")
				   EVENT("23", "0", "power_cpu_frequency state=1000000 cpu_id=2"),
		"event",
		"event 11 kmem_mm_page_alloc 3 @0 of 1, event 12 kmem_mm_page_free 2 @0 of 1, "
		"event 15 kmem_kmalloc 77 8 @0 of 1, event 16 kmem_kfree 77 @0 of 1, event 17 "
		"x86_exceptions_page_fault_user 4096 @0 of 1, event 18 "
		"x86_exceptions_page_fault_kernel 8192 @0 of 1, event 20 kmem_mm_page_alloc 0 in "
		"interrupt @0 of 1, event 23 power_cpu_frequency 1000000 2 @0");
	lives_told(
		RUNS EVENT("10", "0",
			"signal_generate sig=9 errno=0 code=0 comm=\"x\" pid=5 group=1 result=0"),
		"event", "event 10 signal_generate 9 5 @0 of 1");
}

static void migrations(void **state)
{
	(void)state;
	lives_told(RUNS SWITCH("5", "0", "1", "0", "7")
			   EVENT("10", "0", "sched_migrate_task tid=1 dest_cpu=3")
				   EVENT("11", "0", "sched_migrate_task tid=1 dest_cpu=4096")
					   EVENT("12", "0", "sched_migrate_task tid=55 dest_cpu=3"),
		"migrate", "migrate 10 from 0 to 3 of 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(interrupts), cmocka_unit_test(raised),
		cmocka_unit_test(idle), cmocka_unit_test(calls), cmocka_unit_test(woken_ready),
		cmocka_unit_test(events), cmocka_unit_test(migrations) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
