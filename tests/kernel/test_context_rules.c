/* What a CPU does instead of its task: contexts in each other, what of them interrupts, and when
 * none is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/str.h"
#include "lives.h"

#define BEGIN                                                                                      \
	SWITCH("1", "0", "9", "1", "1") ENTER("2", "0", "getpid", "") LEAVE("3", "0", "getpid", "1")
#define END SWITCH("40", "0", "1", "1", "0")
#define IN_IRQ(at, nr) EVENT(at, "0", "irq_handler_entry irq=" nr " name=\"x\"")
#define OUT_IRQ(at, nr) EVENT(at, "0", "irq_handler_exit irq=" nr)
#define IN_SOFT(at, vec) EVENT(at, "0", "irq_softirq_entry vec=" vec)
#define OUT_SOFT(at, vec) EVENT(at, "0", "irq_softirq_exit vec=" vec)
#define IN_TIMER(at) EVENT(at, "0", "timer_hrtimer_expire_entry")
#define OUT_TIMER(at) EVENT(at, "0", "timer_hrtimer_expire_exit")
#define IN_PACKET(at) EVENT(at, "0", "netif_receive_skb_internal_entry ip=1")
#define OUT_PACKET(at) EVENT(at, "0", "netif_receive_skb_internal_return ip=1")

/* interrupted_by: each kind with its number. */
static void kinds(void **state)
{
	(void)state;
	lives_check(BEGIN IN_IRQ("10", "12") OUT_IRQ("11", "12") IN_SOFT("12", "3")
			    OUT_SOFT("13", "3") IN_TIMER("14") OUT_TIMER("15") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: irq 12, 11 "
		"user, 12 interrupted: softirq 3, 13 user, 14 interrupted: timer, 15 user, 40 "
		"blocked");
	lives_check(BEGIN EVENT("10", "0", "x86_irq_vectors_reschedule_entry vector=253")
			    EVENT("11", "0", "x86_irq_vectors_reschedule_exit vector=253") EVENT(
				    "12", "0", "x86_irq_vectors_thermal_apic_entry vector=250")
				    EVENT("13", "0", "x86_irq_vectors_thermal_apic_exit vector=250")
					    EVENT("14", "0", "do_IRQ_entry ip=1")
						    EVENT("15", "0", "do_IRQ_return ip=1") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: ipi 253, 11 "
		"user, 12 interrupted: irq, 13 user, 14 interrupted: irq, 15 user, 40 blocked");
}

/* interruption(): timers expire inside the interrupt or softirq that counts, and the delivery of a
 * packet interrupts nothing by itself. */
static void what_counts(void **state)
{
	(void)state;
	lives_check(BEGIN IN_IRQ("10", "12") IN_TIMER("11") OUT_TIMER("12") OUT_IRQ("13", "12") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: irq 12, 13 "
		"user, 40 blocked");
	lives_check(BEGIN IN_SOFT("10", "1") IN_TIMER("11") IN_TIMER("12") OUT_TIMER("13")
			    OUT_TIMER("14") OUT_SOFT("15", "1") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: softirq 1, 15 "
		"user, 40 blocked");
	lives_check(BEGIN IN_PACKET("10") OUT_PACKET("11") END, 1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 40 blocked");
	lives_check(BEGIN IN_SOFT("10", "3") IN_PACKET("11") OUT_PACKET("12") OUT_SOFT("13", "3")
			    END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: softirq 3, 13 "
		"user, 40 blocked");
	lives_check(BEGIN IN_TIMER("10") IN_PACKET("11") OUT_PACKET("12") OUT_TIMER("13") END, 1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: timer, 13 "
		"user, 40 blocked");
}

/* Inner ones interrupt outer ones, which go on afterwards; the same one again is no new span. */
static void in_each_other(void **state)
{
	(void)state;
	lives_check(BEGIN IN_IRQ("10", "12") IN_SOFT("11", "3") IN_IRQ("12", "13")
			    OUT_IRQ("13", "13") OUT_SOFT("14", "3") OUT_IRQ("15", "12") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: irq 12, 11 "
		"interrupted: softirq 3, 12 interrupted: irq 13, 13 interrupted: softirq 3, 14 "
		"interrupted: irq 12, 15 user, 40 blocked");
	lives_check(BEGIN IN_IRQ("10", "12") IN_IRQ("11", "12") OUT_IRQ("12", "12")
			    OUT_IRQ("13", "12") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: irq 12, 13 "
		"user, 40 blocked");
	lives_check(BEGIN IN_SOFT("10", "3") IN_SOFT("11", "1") OUT_SOFT("12", "1")
			    OUT_SOFT("13", "3") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: softirq 3, 11 "
		"interrupted: softirq 1, 12 interrupted: softirq 3, 13 user, 40 blocked");
}

/* model_pop: the matching one that began last ends, and what began in it; ends without begin end
 * nothing, and say nothing after the CPU's first switch. */
static void missing_ends_and_begins(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, BEGIN IN_IRQ("10", "12") IN_SOFT("11", "3") OUT_IRQ("12", "12")
			       OUT_SOFT("13", "3") END);
	lives_are(&l, 1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: irq 12, 11 "
		"interrupted: softirq 3, 12 user, 40 blocked");
	assert_int_equal(l.w->hosts[0].n_odd, 2);
	lives_close(&l);
	lives_open(&l, BEGIN IN_SOFT("10", "3") IN_SOFT("11", "1") OUT_SOFT("12", "3")
			       OUT_SOFT("13", "1") END);
	lives_are(&l, 1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: softirq 3, 11 "
		"interrupted: softirq 1, 12 user, 40 blocked");
	assert_int_equal(l.w->hosts[0].n_odd, 2);
	lives_close(&l);
	/* No task is switched, and none makes a call, in an interrupt: its end is missing. */
	lives_open(&l, BEGIN IN_SOFT("10", "3") SWITCH("12", "0", "1", "1", "7")
			       SWITCH("14", "0", "7", "1", "1") END);
	lives_are(&l, 1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: softirq 3, 12 "
		"blocked, 14 user, 40 blocked");
	lives_are(&l, 7, "1 unknown @-, 12 running, 14 blocked");
	lives_close(&l);
	lives_open(&l, BEGIN IN_SOFT("10", "3") ENTER("12", "0", "read", "fd=3") LEAVE("13", "0",
			       "read", "0") IN_SOFT("14", "3") LEAVE("15", "0", "read", "0") END);
	lives_are(&l, 1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 10 interrupted: softirq 3, 12 "
		"syscall in read, 13 user, 14 interrupted: softirq 3, 15 user, 40 blocked");
	lives_close(&l);
}

/* Deeper than contexts are kept they are counted, so that the outer ones end when they do. */
static void very_deep(void **state)
{
	struct mer_str s = { 0 };
	(void)state;
	mer_str_puts(&s, BEGIN);
	for (int i = 0; i < 20; i++)
		mer_str_printf(&s, "%dus 0 irq_handler_entry irq=%d name=\"x\"\n", 4 + i, i);
	for (int i = 19; i >= 0; i--)
		mer_str_printf(&s, "%dus 0 irq_handler_exit irq=%d\n", 43 - i, i);
	mer_str_puts(&s, SWITCH("50", "0", "1", "1", "0"));
	assert_false(s.failed);
	lives_check(s.data, 1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 4 interrupted: irq 0, 5 "
		"interrupted: irq 1, 6 interrupted: irq 2, 7 interrupted: irq 3, 8 interrupted: "
		"irq 4, 9 interrupted: irq 5, 10 interrupted: irq 6, 11 interrupted: irq 7, 12 "
		"interrupted: irq 8, 13 interrupted: irq 9, 14 interrupted: irq 10, 15 "
		"interrupted: irq 11, 16 interrupted: irq 12, 17 interrupted: irq 13, 18 "
		"interrupted: irq 14, 19 interrupted: irq 15, 28 interrupted: irq 14, 29 "
		"interrupted: irq 13, 30 interrupted: irq 12, 31 interrupted: irq 11, 32 "
		"interrupted: irq 10, 33 interrupted: irq 9, 34 interrupted: irq 8, 35 "
		"interrupted: irq 7, 36 interrupted: irq 6, 37 interrupted: irq 5, 38 interrupted: "
		"irq 4, 39 interrupted: irq 3, 40 interrupted: irq 2, 41 interrupted: irq 1, 42 "
		"interrupted: irq 0, 43 user, 50 blocked");
	mer_str_fini(&s);
}

/* A lock with priority inheritance whose holder runs: who wants it spins in its call, also after an
 * interrupt. */
#define HOLDER SWITCH("1", "1", "9", "1", "2")
#define SPINS                                                                                      \
	ENTER("5", "0", "futex", "uaddr=1 op=6")                                                   \
	EVENT("6", "0", "sched_pi_setprio comm=\"t2\" tid=2 oldprio=20 newprio=10")
static void spinning(void **state)
{
	(void)state;
	lives_check(HOLDER BEGIN SPINS LEAVE("20", "0", "futex", "0") END, 1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 5 syscall in futex, 6 syscall "
		"in futex: futex by 2, 20 user, 40 blocked");
	lives_check(HOLDER BEGIN SPINS IN_SOFT("10", "3") OUT_SOFT("12", "3")
			    LEAVE("20", "0", "futex", "0") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 5 syscall in futex, 6 syscall "
		"in futex: futex by 2, 10 interrupted in futex: softirq 3, 12 syscall in futex: "
		"futex by 2, 20 user, 40 blocked");
	lives_check(HOLDER BEGIN SPINS SWITCH("10", "0", "1", "0", "7")
			    SWITCH("15", "0", "7", "1", "1") LEAVE("20", "0", "futex", "0") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 5 syscall in futex, 6 syscall "
		"in futex: futex by 2, 10 runnable in futex by 7, 15 syscall in futex: futex by 2, "
		"20 "
		"user, 40 blocked");
	/* Its holder leaves the CPU: it blocks. */
	lives_check(HOLDER BEGIN SPINS SWITCH("8", "1", "2", "1", "0") SWITCH("10", "0", "1", "1",
			    "0") SWITCH("30", "1", "0", "0", "2") WAKING("31", "1", "1", "0")
			    SWITCH("35", "0", "0", "0", "1") LEAVE("37", "0", "futex", "0") END,
		1,
		"1 runnable @-, 1 user, 2 syscall in getpid, 3 user, 5 syscall in futex, 6 syscall "
		"in "
		"futex: futex by 2, 10 blocked in futex: futex by 2, 31 runnable in futex, 35 "
		"syscall "
		"in futex, 37 user, 40 blocked");
	/* None of these spins: in another call, in an interrupt, for itself, for nobody known, for
	 * one that does not run. */
	lives_check(HOLDER BEGIN ENTER("5", "0", "read", "fd=3") EVENT(
			    "6", "0", "sched_pi_setprio tid=2") LEAVE("20", "0", "read", "0") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 5 syscall in read, 20 user, 40 "
		"blocked");
	lives_check(HOLDER BEGIN ENTER("5", "0", "futex", "uaddr=1 op=6") IN_SOFT("6", "3")
			    EVENT("7", "0", "sched_pi_setprio tid=2") OUT_SOFT("8", "3")
				    LEAVE("20", "0", "futex", "0") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 5 syscall in futex, 6 "
		"interrupted in futex: softirq 3, 8 syscall in futex, 20 user, 40 blocked");
	lives_check(HOLDER BEGIN ENTER("5", "0", "futex", "uaddr=1 op=6") EVENT(
			    "6", "0", "sched_pi_setprio tid=1") LEAVE("20", "0", "futex", "0") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 5 syscall in futex, 20 user, "
		"40 blocked");
	lives_check(HOLDER BEGIN ENTER("5", "0", "futex", "uaddr=1 op=6") EVENT(
			    "6", "0", "sched_pi_setprio tid=77") LEAVE("20", "0", "futex", "0") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 5 syscall in futex, 20 user, "
		"40 blocked");
	lives_check(HOLDER SWITCH("2", "1", "2", "1", "0")
			    BEGIN SPINS LEAVE("20", "0", "futex", "0") END,
		1,
		"1 unknown @-, 1 user, 2 syscall in getpid, 3 user, 5 syscall in futex, 20 user, "
		"40 blocked");
}

/* The span of the holder that is told is what it does when the spinning ends. */
static void holders(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, HOLDER BEGIN SPINS ENTER("8", "1", "write", "fd=1") LEAVE(
			       "9", "1", "write", "1") ENTER("15", "1", "futex", "uaddr=1 op=7")
			       LEAVE("20", "0", "futex", "0") END);
	const struct kernel_host *h = &l.w->hosts[0];
	for (uint32_t i = 0; i < h->n_spans; i++)
		if (kernel_is_spin(kernel_span(h, i))) {
			assert_int_equal(kernel_span(h, kernel_span(h, i)->by)->begin, 15000);
			lives_close(&l);
			return;
		}
	fail();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(kinds), cmocka_unit_test(what_counts),
		cmocka_unit_test(in_each_other), cmocka_unit_test(missing_ends_and_begins),
		cmocka_unit_test(very_deep), cmocka_unit_test(spinning),
		cmocka_unit_test(holders) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
