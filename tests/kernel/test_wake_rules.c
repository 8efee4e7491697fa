/* What ends a wait, each rule by itself: contexts of a CPU by their kind and number, names of
 * interrupt handlers, what a thread of the kernel serves, and what a task was in.
 *
 * In each world task 1 blocks at 10 us on CPU 0 and is woken at 20 us by something. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "lives.h"

#define BLOCKS SWITCH("5", "0", "0", "0", "1") SWITCH("10", "0", "1", "1", "0")
#define RUNS SWITCH("30", "0", "0", "0", "1") SWITCH("40", "0", "1", "1", "0")

/* The wait, between what came before it and the wake-up at 20 us. */
static void woken(const char *how, const char *cause)
{
	char scenario[2000], expected[200];
	snprintf(scenario, sizeof(scenario), BLOCKS "%s" RUNS, how);
	snprintf(expected, sizeof(expected),
		"5 runnable @-, 5 running, 10 blocked%s, 20 runnable%s, 30 running, 40 blocked",
		cause, strstr(how, SWITCH("11", "0", "0", "0", "7")) ? " by 7" : "");
	lives_check(scenario, 1, expected);
}

#define WAKE WAKING("20", "0", "1", "0")
#define SOFTIRQ(vec)                                                                               \
	EVENT("19", "0", "irq_softirq_entry vec=" vec)                                             \
	WAKE EVENT("21", "0", "irq_softirq_exit vec=" vec)
#define SOFTIRQ_OF(vec) EVENT("19", "0", "irq_softirq_entry vec=" vec)
#define SOFTIRQ_END(vec) EVENT("21", "0", "irq_softirq_exit vec=" vec)
#define IRQ(nr, name)                                                                              \
	EVENT("19", "0", "irq_handler_entry irq=" nr " name=\"" name "\"")                         \
	WAKE EVENT("21", "0", "irq_handler_exit irq=" nr)
#define BETWEEN(entry, exit) EVENT("19", "0", entry) WAKE EVENT("21", "0", exit)

/* cause_of_context: a softirq by its number. */
static void softirqs_by_number(void **state)
{
	(void)state;
	woken(SOFTIRQ("0"), ": softirq 0");
	woken(SOFTIRQ("1"), ": timer");
	woken(SOFTIRQ("2"), ": network");
	woken(SOFTIRQ("3"), ": network");
	woken(SOFTIRQ("4"), ": disk");
	woken(SOFTIRQ("5"), ": disk");
	woken(SOFTIRQ("6"), ": softirq 6");
	woken(SOFTIRQ("7"), ": softirq 7");
	woken(SOFTIRQ("8"), ": timer");
	woken(SOFTIRQ("9"), ": softirq 9");
}

/* device_of: an interrupt by the name of its handler, of which a part must begin a word. */
static void interrupts_by_name(void **state)
{
	(void)state;
	static const char *const names[][2] = { { "rtc0", ": timer" }, { "hpet1", ": timer" },
		{ "arch_timer", ": timer" }, { "virtio0-input.0", ": network" },
		{ "virtio0-output.0", ": network" }, { "eth0", ": network" },
		{ "wlan0", ": network" }, { "iwlwifi", ": network" }, { "ath9k", ": network" },
		{ "mlx5_comp0", ": network" }, { "ixgbe-TxRx-0", ": network" },
		{ "i40e-eth1", ": network" }, { "enp3s0", ": network" }, { "eno1", ": network" },
		{ "ens5", ": network" }, { "virtio1-req.0", ": disk" },
		{ "ahci[0000:00]", ": disk" }, { "ata_piix", ": disk" }, { "nvme0q1", ": disk" },
		{ "scsi", ": disk" }, { "mmc0", ": disk" }, { "megasas", ": disk" },
		{ "i8042", ": input 12" }, { "ttyS0", ": input 12" }, { "serial", ": input 12" },
		{ "sdhci-eth", ": network" }, { "data", ": irq 12" }, { "tens", ": irq 12" },
		{ "xhci_hcd", ": irq 12" }, { "", ": irq 12" } };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char how[500];
		snprintf(how, sizeof(how), IRQ("12", "%s"), names[i][0]);
		woken(how, names[i][1]);
	}
	woken(IRQ("0", "ahci"), ": timer"); /* of a PC the timer's */
}

/* The name may come from the state dump: there the handler's is the action. */
static void interrupts_named_by_the_dump(void **state)
{
	(void)state;
	woken(EVENT("15", "0", "lttng_statedump_interrupt irq=12 name=\"IO-APIC\" action=\"ahci\"")
			IRQ("12", ""),
		": disk");
	/* What was told first stays. */
	woken(EVENT("15", "0", "lttng_statedump_interrupt irq=12 name=\"IO-APIC\" action=\"ahci\"")
			IRQ("12", "eth0"),
		": disk");
}

/* cause_of_context, interrupted_by: the other kinds. */
static void other_contexts(void **state)
{
	(void)state;
	woken(BETWEEN("timer_hrtimer_expire_entry", "timer_hrtimer_expire_exit"), ": timer");
	woken(BETWEEN("timer_expire_entry", "timer_expire_exit"), ": timer");
	woken(BETWEEN("x86_irq_vectors_local_timer_entry vector=236",
		      "x86_irq_vectors_local_timer_exit vector=236"),
		": timer");
	woken(BETWEEN("x86_irq_vectors_reschedule_entry vector=253",
		      "x86_irq_vectors_reschedule_exit vector=253"),
		": ipi");
	woken(BETWEEN("x86_irq_vectors_call_function_single_entry vector=251",
		      "x86_irq_vectors_call_function_single_exit vector=251"),
		": ipi");
	woken(BETWEEN("x86_irq_vectors_thermal_apic_entry vector=250",
		      "x86_irq_vectors_thermal_apic_exit vector=250"),
		": irq 250");
	woken(BETWEEN("do_IRQ_entry ip=1", "do_IRQ_return ip=1"), ": irq");
	woken(BETWEEN("netif_receive_skb_internal_entry ip=1",
		      "netif_receive_skb_internal_return ip=1"),
		": network");
}

/* The innermost context counts, and once it has ended the next one. */
static void contexts_in_each_other(void **state)
{
	(void)state;
	woken(EVENT("18", "0", "irq_softirq_entry vec=3") SOFTIRQ("1")
			EVENT("22", "0", "irq_softirq_exit vec=3"),
		": timer");
	woken(EVENT("17", "0", "irq_softirq_entry vec=3") EVENT("18", "0",
		      "irq_softirq_entry vec=9") EVENT("19", "0", "irq_softirq_exit vec=9")
			WAKE EVENT("22", "0", "irq_softirq_exit vec=3"),
		": network");
	/* The inner one's end is missing: it ended with the outer one. */
	woken(EVENT("16", "0", "irq_handler_entry irq=12 name=\"ahci\"") EVENT("17", "0",
		      "irq_softirq_entry vec=3") EVENT("18", "0", "irq_softirq_entry vec=9")
			EVENT("19", "0", "irq_softirq_exit vec=3")
				WAKE EVENT("22", "0", "irq_handler_exit irq=12"),
		": disk");
}

#define COMPLETE(at, cpu)                                                                          \
	EVENT(at, cpu, "block_rq_complete dev=8 sector=100 nr_sector=8 error=0 rwbs=4")
#define ISSUE(at, cpu)                                                                             \
	EVENT(at, cpu, "block_rq_issue dev=8 sector=100 nr_sector=8 bytes=4096 rwbs=4")

/* What happened in a context is better than what its name says: a request, then a packet (but
 * timers send and receive, too). */
static void what_was_seen_to_happen(void **state)
{
	(void)state;
	woken(EVENT("18", "0", "irq_softirq_entry vec=9") COMPLETE("19", "0")
			WAKE EVENT("21", "0", "irq_softirq_exit vec=9"),
		": disk #0");
	woken(EVENT("17", "0", "irq_softirq_entry vec=3") COMPLETE("18", "0")
			EVENT("19", "0", "net_if_receive_skb len=60 name=\"eth0\"")
				WAKE EVENT("21", "0", "irq_softirq_exit vec=3"),
		": disk #0");
	woken(EVENT("18", "0", "irq_handler_entry irq=12 name=\"foo\"")
			EVENT("19", "0", "net_if_receive_skb len=60 name=\"eth0\"")
				WAKE EVENT("21", "0", "irq_handler_exit irq=12"),
		": network");
	woken(EVENT("18", "0", "irq_softirq_entry vec=1")
			EVENT("19", "0", "net_if_receive_skb len=60 name=\"eth0\"")
				WAKE EVENT("21", "0", "irq_softirq_exit vec=1"),
		": timer");
}

/* In no context: where nobody runs it was an interrupt that is not recorded; before the first
 * switch of a CPU perhaps its task, perhaps an interrupt that began before the record. */
static void in_no_context(void **state)
{
	(void)state;
	woken(WAKE, ": irq");
	woken(WAKING("20", "1", "1", "0") SWITCH("25", "1", "7", "1", "0"), "");
	woken(SWITCH("15", "1", "7", "1", "0") WAKING("20", "1", "1", "0"), ": irq");
	woken(SWITCH("15", "1", "0", "0", "7") WAKING("20", "1", "1", "0"), ": task by 7");
}

#define SERVES(name) EVENT("15", "1", "sched_switch next_tid=9 next_comm=\"" name "\"")

/* Threads of the kernel wake for the packet or the request that they served since they came onto
 * the CPU. */
static void threads_of_the_kernel(void **state)
{
	(void)state;
	const char *packet = EVENT("17", "1", "net_if_receive_skb len=60 name=\"eth0\"");
	char how[1000];
	snprintf(how, sizeof(how), SERVES("napi/eth0-3") "%s" WAKING("20", "1", "1", "0"), packet);
	woken(how, ": network by 9");
	snprintf(how, sizeof(how), SERVES("program") "%s" WAKING("20", "1", "1", "0"), packet);
	woken(how, ": task by 9");
	woken(SERVES("kworker/1:1H") COMPLETE("17", "1") WAKING("20", "1", "1", "0"), ": disk #0");
	woken(SERVES("program") COMPLETE("17", "1") WAKING("20", "1", "1", "0"), ": task by 9");
	/* The next one on the CPU did not do it. */
	snprintf(how, sizeof(how),
		SERVES("napi/eth0-3") "%s" EVENT("18", "1",
			"sched_switch prev_tid=9 prev_state=1 next_tid=8 next_comm=\"rcu_sched\"")
			WAKING("20", "1", "1", "0"),
		packet);
	woken(how, ": task by 8");
	woken(SERVES("kworker/1:1H") COMPLETE("17", "1") EVENT("18", "1",
		      "sched_switch prev_tid=9 prev_state=1 next_tid=8 next_comm=\"rcu_sched\"")
			WAKING("20", "1", "1", "0"),
		": task by 8");
	/* Nor did the idle task do anything but what is recorded. */
	woken(SWITCH("15", "1", "9", "1", "0") COMPLETE("17", "1") WAKING("20", "1", "1", "0"),
		": disk #0");
}

/* A thread that serves an interrupt, by its name: its handler wakes it after the event of the
 * handler's end. */
static void threads_of_interrupts(void **state)
{
	(void)state;
	static const char *const handlers[][2] = { { "ahci", "disk" }, { "eth0", "network" },
		{ "foo", "irq 12" }, { "i8042", "input 12" } };
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		char scenario[2000], expected[200];
		snprintf(scenario, sizeof(scenario),
			EVENT("5", "0", "sched_switch next_tid=1 next_comm=\"irq/12-%s\"") EVENT(
				"10", "0",
				"sched_switch prev_tid=1 prev_state=1 prev_comm=\"irq/12-%s\"")
				EVENT("18", "0", "irq_handler_entry irq=12 name=\"%s\"")
					EVENT("19", "0", "irq_handler_exit irq=12")
						WAKE EVENT("30", "0", "sched_switch next_tid=1"),
			handlers[i][0], handlers[i][0], handlers[i][0]);
		snprintf(expected, sizeof(expected),
			"5 runnable @-, 5 thread, 10 blocked: %s, 20 runnable, 30 thread",
			handlers[i][1]);
		lives_check(scenario, 1, expected);
	}
}

#define IN(call, args)                                                                             \
	SWITCH("5", "0", "0", "0", "1") ENTER("7", "0", call, args) SWITCH("10", "0", "1", "1", "0")
#define OUT(call) SWITCH("30", "0", "0", "0", "1") LEAVE("31", "0", call, "0")

/* Where no interrupts are recorded, a program in user mode wakes nobody: an interrupt did. */
static void programs_wake_nobody(void **state)
{
	(void)state;
	const char *user = SWITCH("12", "1", "0", "0", "7") ENTER("13", "1", "getpid", "")
		LEAVE("14", "1", "getpid", "7");
	char scenario[2000];
	snprintf(scenario, sizeof(scenario),
		IN("read", "fd=3") "%s" WAKING("20", "1", "1", "0") OUT("read"), user);
	lives_check(scenario, 1,
		"5 runnable @-, 5 user, 7 syscall in read, 10 blocked in read: irq, 20 runnable in "
		"read, "
		"30 syscall in read, 31 user");
	snprintf(scenario, sizeof(scenario),
		IN("nanosleep", "") "%s" WAKING("20", "1", "1", "0") OUT("nanosleep"), user);
	lives_check(scenario, 1,
		"5 runnable @-, 5 user, 7 syscall in nanosleep, 10 blocked in nanosleep: timer, 20 "
		"runnable in nanosleep, 30 syscall in nanosleep, 31 user");
	snprintf(scenario, sizeof(scenario),
		IN("clock_nanosleep", "") "%s" WAKING("20", "1", "1", "0") OUT("clock_nanosleep"),
		user);
	lives_check(scenario, 1,
		"5 runnable @-, 5 user, 7 syscall in clock_nanosleep, 10 blocked in "
		"clock_nanosleep: "
		"timer, 20 runnable in clock_nanosleep, 30 syscall in clock_nanosleep, 31 user");
	/* With interrupts, it is what the others leave. */
	snprintf(scenario, sizeof(scenario),
		IN("nanosleep", "") "%s" WAKING("20", "1", "1", "0") OUT("nanosleep")
			EVENT("50", "0", "irq_softirq_entry vec=1"),
		user);
	lives_check(scenario, 1,
		"5 runnable @-, 5 user, 7 syscall in nanosleep, 10 blocked in nanosleep: task by "
		"7, "
		"20 runnable in nanosleep, 30 syscall in nanosleep, 31 user, 50 interrupted: "
		"softirq "
		"1");
	/* In a system call it does. */
	snprintf(scenario, sizeof(scenario),
		IN("nanosleep", "") "%s" ENTER("19", "1", "write", "fd=4")
			WAKING("20", "1", "1", "0") OUT("nanosleep"),
		user);
	lives_check(scenario, 1,
		"5 runnable @-, 5 user, 7 syscall in nanosleep, 10 blocked in nanosleep: task by "
		"7, "
		"20 runnable in nanosleep, 30 syscall in nanosleep, 31 user");
}

/* Woken by a task: what it was in tells by what means. */
static void by_tasks(void **state)
{
	(void)state;
	lives_check(IN("futex", "uaddr=1 op=0") SWITCH("12", "1", "0", "0", "7") ENTER("13", "1",
			    "futex", "uaddr=1 op=1") WAKING("20", "1", "1", "0") OUT("futex"),
		1,
		"5 runnable @-, 5 user, 7 syscall in futex, 10 blocked in futex: futex by 7, 20 "
		"runnable "
		"in futex, 30 syscall in futex, 31 user");
	lives_check(SWITCH("1", "0", "0", "0", "1") ENTER("2", "0", "pipe2", "")
			    EVENT("3", "0", "syscall_exit_pipe2 ret=0 fildes=[3, 4]")
				    ENTER("7", "0", "read", "fd=3") SWITCH("10", "0", "1", "1", "0")
					    SWITCH("12", "1", "0", "0", "7")
						    ENTER("13", "1", "write", "fd=4")
							    WAKING("20", "1", "1", "0") OUT("read"),
		1,
		"1 runnable @-, 1 user, 2 syscall in pipe2, 3 user, 7 syscall in read, 10 blocked "
		"in "
		"read: pipe by 7, 20 runnable in read, 30 syscall in read, 31 user");
}

/* ---- sched_wakeup alone, on a host with two CPUs ---- */

#define WOKEN WAKEUP("20", "0", "1", "0")
#define TWO_CPUS                                                                                   \
	EVENT("5", "1", "irq_handler_entry irq=5 name=\"x\"")                                      \
	EVENT("6", "1", "irq_handler_exit irq=5")
/* Task 7 on a CPU, in user mode, as the call before tells. */
#define PROGRAM(cpu)                                                                               \
	SWITCH("11", cpu, "0", "0", "7")                                                           \
	ENTER("12", cpu, "getpid", "") LEAVE("13", cpu, "getpid", "7")

/* The wait in this call, between what came before it and what follows. */
static void woken_in(const char *call, const char *args, const char *how, const char *cause)
{
	char scenario[3000], expected[400];
	snprintf(scenario, sizeof(scenario),
		"%s" SWITCH("5", "0", "0", "0", "1") "7us 0 syscall_entry_%s %s\n" SWITCH("10", "0",
			"1", "1",
			"0") "%s" SWITCH("30", "0", "0", "0", "1") "31us 0 syscall_exit_%s ret=0\n",
		TWO_CPUS, call, args, how, call);
	snprintf(expected, sizeof(expected),
		"5 runnable @-, 5 user, 7 syscall in %s, 10 blocked in %s%s, 20 runnable in %s%s, "
		"30 syscall in %s, 31 user",
		call, call, cause, call, strstr(how, PROGRAM("0")) ? " by 7" : "", call);
	lives_check(scenario, 1, expected);
}

/* What the CPU did has nothing to do with it where it cannot wake: idle, in user mode, or of
 * unknown mode. */
static void another_cpu_woke_it(void **state)
{
	(void)state;
	woken(TWO_CPUS WOKEN, ": ipi");
	woken_in("read", "fd=3", PROGRAM("0") WOKEN, ": ipi");
	woken_in("read", "fd=3", PROGRAM("0") ENTER("19", "0", "write", "fd=4") WOKEN,
		": task by 7");
	woken(TWO_CPUS SWITCH("11", "0", "0", "0", "7") WOKEN, "");
	/* It waits for nothing but time, so that came. */
	woken_in("nanosleep", "", PROGRAM("0") WOKEN, ": timer");
	woken_in("nanosleep", "", SOFTIRQ_OF("3") WOKEN SOFTIRQ_END("3"), ": timer");
	/* Without interrupts it may have been one. */
	woken(SWITCH("5", "1", "0", "0", "8") WOKEN, "");
	/* An interrupt, or a softirq, did what it does. */
	woken_in("read", "fd=3", SOFTIRQ_OF("3") WOKEN SOFTIRQ_END("3"), ": network");
	woken_in("read", "fd=3", SOFTIRQ_OF("9") WOKEN SOFTIRQ_END("9"), ": ipi");
	woken_in("poll", "", SOFTIRQ_OF("7") WOKEN SOFTIRQ_END("7"), ": ipi");
	/* Each CPU has a thread that only it wakes. */
	lives_check(
		TWO_CPUS EVENT("5", "0", "sched_switch next_tid=1 next_comm=\"ksoftirqd/0\"") EVENT(
			"10", "0", "sched_switch prev_tid=1 prev_state=1 prev_comm=\"ksoftirqd/0\"")
			WOKEN EVENT("30", "0", "sched_switch next_tid=1"),
		1, "5 runnable @-, 5 thread, 10 blocked: irq, 20 runnable, 30 thread");
	lives_check(TWO_CPUS EVENT("5", "0", "sched_switch next_tid=1 next_comm=\"rcu_sched\"")
			    EVENT("10", "0",
				    "sched_switch prev_tid=1 prev_state=1 prev_comm=\"rcu_sched\"")
				    SOFTIRQ_OF("1") WOKEN SOFTIRQ_END("1")
					    EVENT("30", "0", "sched_switch next_tid=1"),
		1, "5 runnable @-, 5 thread, 10 blocked, 20 runnable, 30 thread");
}

/* The waker itself wrote it: nobody runs there but it, or the task is for another CPU. */
static void the_waker_wrote_it(void **state)
{
	(void)state;
	woken(WOKEN, ": irq");
	woken(SWITCH("11", "0", "0", "0", "7") WOKEN, ": task by 7");
	woken_in("read", "fd=3", PROGRAM("1") WAKEUP("20", "1", "1", "0"), ": task by 7");
	/* Something earlier is recorded: that counts. */
	woken(TWO_CPUS SWITCH("11", "1", "0", "0", "7") WAKING("20", "1", "1", "0")
			WAKEUP("21", "0", "1", "0"),
		": task by 7");
}

#define WAKES(at, cpu, address) ENTER(at, cpu, "futex", "uaddr=" address " op=129 val=1")
#define WAKER(cpu, tid) SWITCH("11", cpu, "0", "0", tid)

/* At a futex the address decides. */
static void at_a_futex_the_address_decides(void **state)
{
	(void)state;
	const char *wait = "uaddr=16 op=128 val=1";
	woken_in("futex", wait, PROGRAM("0") WAKER("1", "8") WAKES("19", "1", "16") WOKEN,
		": futex by 8");
	woken_in("futex", wait, PROGRAM("0") WAKER("1", "8") WAKES("19", "1", "24") WOKEN, ": ipi");
	woken_in("futex", wait,
		PROGRAM("0") WAKER("1", "8") ENTER("19", "1", "futex", "uaddr=16 op=128") WOKEN,
		": ipi");
	/* It may have returned, if it woke somebody. */
	woken_in("futex", wait,
		PROGRAM("0") WAKER("1", "8") WAKES("17", "1", "16") LEAVE("19", "1", "futex", "1")
			WOKEN,
		": futex by 8");
	woken_in("futex", wait,
		PROGRAM("0") WAKER("1", "8") WAKES("17", "1", "16") LEAVE("19", "1", "futex", "0")
			WOKEN,
		": ipi");
	/* One of two: who knows which; but who is on this CPU is the one. */
	const char *two = PROGRAM("0") WAKER("1", "8") WAKES("19", "1", "16") WAKER("2", "9")
		WAKES("19", "2", "16") WOKEN;
	woken_in("futex", wait, two, ": ipi");
	woken_in("futex", wait,
		PROGRAM("0") WAKER("1", "8") WAKES("18", "1", "16") WAKES("19", "0", "16") WOKEN,
		": futex by 7");
	/* No packet wakes there; a timeout does, and a signal. */
	woken_in("futex", wait, SOFTIRQ_OF("3") WOKEN SOFTIRQ_END("3"), ": ipi");
	woken_in("futex", wait, SOFTIRQ_OF("1") WOKEN SOFTIRQ_END("1"), ": timer");
	woken_in("futex", wait, PROGRAM("0") ENTER("19", "0", "tgkill", "") WOKEN, ": futex by 7");
	woken_in("futex", wait, PROGRAM("0") ENTER("19", "0", "write", "fd=4") WOKEN, ": ipi");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(softirqs_by_number),
		cmocka_unit_test(interrupts_by_name),
		cmocka_unit_test(interrupts_named_by_the_dump), cmocka_unit_test(other_contexts),
		cmocka_unit_test(contexts_in_each_other), cmocka_unit_test(what_was_seen_to_happen),
		cmocka_unit_test(in_no_context), cmocka_unit_test(threads_of_the_kernel),
		cmocka_unit_test(threads_of_interrupts), cmocka_unit_test(programs_wake_nobody),
		cmocka_unit_test(by_tasks), cmocka_unit_test(another_cpu_woke_it),
		cmocka_unit_test(the_waker_wrote_it),
		cmocka_unit_test(at_a_futex_the_address_decides) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
