/* Who sent a packet, or what an interrupt answered with it, and who was there when it arrived
 * (model_io.c, model_flows.c), each rule by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/str.h"
#include "lives.h"

/* Packets by the time at which they were sent (us): "TIME HOST>HOST", and where there is one " by
 * TID", " held", " answers TIME", " to TID". */
static void packets_are(const char *scenario, const char *expected)
{
	struct lives l;
	struct mer_str out = { 0 };
	lives_open(&l, scenario);
	for (uint32_t i = 0; i < l.w->n_bridges; i++) {
		const struct kernel_bridge *p = &l.w->bridges[i];
		const struct kernel_host *from = &l.w->hosts[p->from.host],
					 *to = &l.w->hosts[p->to.host];
		mer_str_printf(&out, "%s%d %s>%s", i ? ", " : "", (int)(p->from.time / 1000),
			l.s.e->hosts[p->from.host].name, l.s.e->hosts[p->to.host].name);
		if (p->from.span != KERNEL_NONE)
			mer_str_printf(&out, " by %d",
				(int)from->tasks[kernel_span(from, p->from.span)->task].tid);
		if (p->was_held)
			mer_str_printf(&out, " held");
		if (p->answers != KERNEL_NONE)
			mer_str_printf(&out, " answers %d",
				(int)(l.w->bridges[p->answers].from.time / 1000));
		if (p->to.span != KERNEL_NONE)
			mer_str_printf(&out, " to %d",
				(int)to->tasks[kernel_span(to, p->to.span)->task].tid);
	}
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	lives_close(&l);
}

#define HOSTS                                                                                      \
	"host s\ntrace s/kernel\nhost t\ntrace t/kernel\n"                                         \
	"1us s 0 sched_switch next_tid=10\n1us t 0 sched_switch next_tid=20\n"
#define TCP(from, to, sport, dport, seq)                                                           \
	" network_header.ipv4={ ihl=5, tot_len=100, saddr=[10, 0, 0, " from                        \
	"], daddr=[10, 0, 0, " to "], protocol=_tcp, transport_header.tcp={ source_port=" sport    \
	", dest_port=" dport ", seq=" seq ", data_offset=5, flags=0x18 } }\n"
#define SEND(at, host, packet) at "us " host " 0 net_dev_queue len=114 name=\"eth0\"" packet
#define RECEIVE(at, host, packet) at "us " host " 0 net_if_receive_skb len=100 name=\"eth0\"" packet
#define IN(at, host) at "us " host " 0 irq_softirq_entry vec=3\n"
#define OUT(at, host) at "us " host " 0 irq_softirq_exit vec=3\n"
#define ASK TCP("1", "2", "4000", "80", "1")
#define ANSWER TCP("2", "1", "80", "4000", "2")
#define OTHER_ASK TCP("1", "2", "4001", "80", "3")
#define OTHER_ANSWER TCP("2", "1", "80", "4001", "4")

/* A task sends; an interrupt answers what was received in it, and not what was received before. */
static void tasks_and_interrupts(void **state)
{
	(void)state;
	packets_are(HOSTS SEND("10", "s", ASK) RECEIVE("12", "t", ASK) SEND("20", "t", ANSWER)
			    RECEIVE("22", "s", ANSWER),
		"10 s>t by 10 to 20, 20 t>s by 20 to 10");
	packets_are(HOSTS SEND("10", "s", ASK) IN("11", "t") RECEIVE("12", "t", ASK)
			    SEND("20", "t", ANSWER) OUT("21", "t") RECEIVE("22", "s", ANSWER),
		"10 s>t by 10 to 20, 20 t>s answers 10 to 10");
	packets_are(HOSTS SEND("10", "s", ASK) RECEIVE("12", "t", ASK) IN("19", "t")
			    SEND("20", "t", ANSWER) OUT("21", "t") RECEIVE("22", "s", ANSWER),
		"10 s>t by 10 to 20, 20 t>s to 10");
	/* In an outer one. */
	packets_are(HOSTS SEND("10", "s", ASK) IN("11", "t") RECEIVE("12", "t",
			    ASK) "13us t 0 irq_handler_entry irq=5 name=\"x\"\n" SEND("20", "t",
			    ANSWER) "20us t 0 irq_handler_exit irq=5\n" OUT("21", "t")
			    RECEIVE("22", "s", ANSWER),
		"10 s>t by 10 to 20, 20 t>s answers 10 to 10");
	/* Of several the one of its connection, if there is one; else the last. */
	packets_are(HOSTS SEND("10", "s", ASK) SEND("11", "s", OTHER_ASK) IN("11", "t") RECEIVE(
			    "12", "t", ASK) RECEIVE("13", "t", OTHER_ASK) SEND("20", "t", ANSWER)
			    OUT("21", "t") RECEIVE("22", "s", ANSWER),
		"10 s>t by 10 to 20, 11 s>t by 10 to 20, 20 t>s answers 10 to 10");
	packets_are(HOSTS SEND("10", "s", ASK) SEND("11", "s", OTHER_ASK) IN("11", "t")
			    RECEIVE("12", "t", ASK) RECEIVE("13", "t", OTHER_ASK)
				    SEND("20", "t", TCP("2", "1", "81", "5000", "9")) OUT("21", "t")
					    RECEIVE("22", "s", TCP("2", "1", "81", "5000", "9")),
		"10 s>t by 10 to 20, 11 s>t by 10 to 20, 20 t>s answers 11 to 10");
	/* A thread of the kernel that serves packets is like an interrupt; before the first switch
	 * nobody knows. */
	packets_are(
		"host s\ntrace s/kernel\nhost t\ntrace t/kernel\n1us s 0 sched_switch next_tid=10\n"
		"1us t 0 sched_switch next_tid=20 next_comm=\"napi/eth0-1\"\n" SEND("10", "s", ASK)
			RECEIVE("12", "t", ASK) SEND("20", "t", ANSWER) RECEIVE("22", "s", ANSWER),
		"10 s>t by 10 to 20, 20 t>s answers 10 to 10");
	packets_are("host s\ntrace s/kernel\nhost t\ntrace t/kernel\n" SEND("10", "s", ASK)
			    RECEIVE("12", "t", ASK),
		"10 s>t");
}

/* A packet that had to wait for the receiver's hardware address is of the task that connected to
 * there. */
#define CONNECT(at, to)                                                                            \
	at "us s 0 syscall_entry_connect fd=5 family=2 dport=80 v4addr=[10, 0, 0, " to "]\n"
#define SYN TCP("1", "2", "4000", "80", "1")
static void held(void **state)
{
	(void)state;
	packets_are(HOSTS CONNECT("5", "2") IN("9", "s") SEND("10", "s", SYN) OUT("11", "s")
			    RECEIVE("12", "t", SYN),
		"10 s>t by 10 held to 20");
	/* Another address, another port; too late; it had left at once. */
	packets_are(HOSTS CONNECT("5", "3") IN("9", "s") SEND("10", "s", SYN) OUT("11", "s")
			    RECEIVE("12", "t", SYN),
		"10 s>t to 20");
	packets_are(HOSTS CONNECT("5", "2") IN("5000000", "s") SEND("5000005", "s", SYN)
			    OUT("5000006", "s") RECEIVE("5000012", "t", SYN),
		"5000005 s>t by 10 held to 20");
	packets_are(HOSTS CONNECT("5", "2") IN("5000000", "s") SEND("5000006", "s", SYN)
			    OUT("5000007", "s") RECEIVE("5000012", "t", SYN),
		"5000006 s>t to 20");
	packets_are(HOSTS CONNECT("5", "2") SEND("7", "s", SYN) IN("9", "s") SEND("10", "s",
			    TCP("1", "2", "4002", "80", "7")) OUT("11", "s") RECEIVE("12", "t", SYN)
			    RECEIVE("13", "t", TCP("1", "2", "4002", "80", "7")),
		"7 s>t by 10 to 20, 10 s>t to 20");
	/* One connect, one packet. */
	packets_are(HOSTS CONNECT("5", "2") IN("9", "s") SEND("10", "s", SYN) SEND("11", "s",
			    TCP("1", "2", "4002", "80", "7")) OUT("12", "s") RECEIVE("13", "t", SYN)
			    RECEIVE("14", "t", TCP("1", "2", "4002", "80", "7")),
		"10 s>t by 10 held to 20, 11 s>t to 20");
	/* A connection that somebody has sent on is not held. */
	packets_are(HOSTS SEND("4", "s", SYN) CONNECT("5", "2") IN("9", "s") SEND("10", "s",
			    TCP("1", "2", "4000", "80", "2")) OUT("12", "s") RECEIVE("13", "t", SYN)
			    RECEIVE("14", "t", TCP("1", "2", "4000", "80", "2")),
		"4 s>t by 10 to 20, 10 s>t to 20");
}

/* On its way through a host a packet stays the one that was matched, on whichever device it is
 * received again: by the address of its buffer. What the same device receives in it is another
 * one. */
#define SKB(at, device, skb, packet)                                                               \
	at "us t 0 net_if_receive_skb skbaddr=" skb " len=100 name=\"" device "\"" packet
#define WOKEN(at) at "us t 0 sched_waking tid=21\n"
static void woke(const char *scenario, const char *expected)
{
	struct lives l;
	lives_open(&l, scenario);
	lives_of_host_are(&l, "t", 21, expected);
	lives_close(&l);
}

#define BEFORE                                                                                     \
	"1us t 1 sched_switch next_tid=21\n2us t 1 sched_switch prev_tid=21 prev_state=1\n" SEND(  \
		"10", "s", ASK)
static void passed_on(void **state)
{
	(void)state;
	woke(HOSTS BEFORE IN("11", "t") SKB("12", "eth0", "77", ASK) OUT("13", "t") IN("14", "t")
			SKB("15", "br0", "77", ASK) WOKEN("16") OUT("17", "t"),
		"1 runnable @-, 1 running @1, 2 blocked @1: network #0, 16 runnable by 20");
	/* Another buffer, or after a long time. */
	woke(HOSTS BEFORE IN("11", "t") SKB("12", "eth0", "77", ASK) OUT("13", "t") IN("14", "t")
			SKB("15", "br0", "78", ASK) WOKEN("16") OUT("17", "t"),
		"1 runnable @-, 1 running @1, 2 blocked @1: network, 16 runnable by 20");
	woke(HOSTS BEFORE IN("11", "t") SKB("12", "eth0", "77", ASK) OUT("13", "t") IN("50011", "t")
			SKB("50011", "br0", "77", ASK) WOKEN("50012") OUT("50013", "t"),
		"1 runnable @-, 1 running @1, 2 blocked @1: network #0, 50012 runnable by 20");
	woke(HOSTS BEFORE IN("11", "t") SKB("12", "eth0", "77", ASK) OUT("13", "t") IN("50012", "t")
			SKB("50012", "br0", "77", ASK) WOKEN("50013") OUT("50014", "t"),
		"1 runnable @-, 1 running @1, 2 blocked @1: network, 50013 runnable by 20");
}

/* Where buffers are not told: what is received after it was sent on is the same. */
#define UNMATCHED(seq) TCP("7", "8", "1", "2", seq)
static void sent_on(void **state)
{
	(void)state;
	woke(HOSTS BEFORE IN("11", "t") RECEIVE("12", "t", ASK) SEND("13", "t", UNMATCHED("90"))
			RECEIVE("14", "t", UNMATCHED("91")) WOKEN("16") OUT("17", "t"),
		"1 runnable @-, 1 running @1, 2 blocked @1: network #0, 16 runnable by 20");
	woke(HOSTS BEFORE IN("11", "t") RECEIVE("12", "t", ASK) RECEIVE("14", "t", UNMATCHED("91"))
			WOKEN("16") OUT("17", "t"),
		"1 runnable @-, 1 running @1, 2 blocked @1: network, 16 runnable by 20");
	woke(HOSTS BEFORE IN("11", "t") RECEIVE("12", "t", UNMATCHED("92"))
			SEND("13", "t", UNMATCHED("90")) RECEIVE("14", "t", UNMATCHED("91"))
				WOKEN("16") OUT("17", "t"),
		"1 runnable @-, 1 running @1, 2 blocked @1: network, 16 runnable by 20");
	/* Once. */
	woke(HOSTS BEFORE IN("11", "t") RECEIVE("12", "t", ASK) SEND("13", "t", UNMATCHED("90"))
			RECEIVE("14", "t", UNMATCHED("91")) RECEIVE("15", "t", UNMATCHED("93"))
				WOKEN("16") OUT("17", "t"),
		"1 runnable @-, 1 running @1, 2 blocked @1: network, 16 runnable by 20");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tasks_and_interrupts),
		cmocka_unit_test(held), cmocka_unit_test(passed_on), cmocka_unit_test(sent_on) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
