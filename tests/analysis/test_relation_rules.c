/* Relations through packets (relations/packets.c, connections.c), each rule by itself: whose packet
 * ended a wait, what a connection is called, and to whom what was written went, with and without
 * addresses in packets. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/relations/relations.h"
#include "base/str.h"
#include "scenario.h"

static int64_t number(const struct mer_table *t, size_t row, unsigned column)
{
	const struct mer_cell *c = &t->cells[row * t->n_columns + column];
	return c->set ? c->v.i : -1;
}

static const char *text(const struct mer_table *t, size_t row, unsigned column)
{
	const struct mer_cell *c = &t->cells[row * t->n_columns + column];
	return c->set ? c->v.text : "";
}

/* Edges in the order of the table: "FROM>TO KIND OBJECT", how much was given, waited, and waited
 * without that anybody felt it, where any was. */
static void edges_with(const char *world, struct analysis_options all, const char *expected)
{
	struct scenario s;
	struct analysis_run run;
	struct mer_table t;
	struct kernel_world_options w = { .n_threads = 1 };
	struct analysis_request request = { &analysis_relations, 0 };
	struct mer_str out = { 0 };
	struct mer_err err = { 0 };
	scenario_open(&s, world);
	if (analysis_run(&run, s.e, &s.messages, s.result, &w, &all, &request, 1, &t, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < t.n_rows; i++) {
		mer_str_printf(&out, "%s%" PRId64 ">%" PRId64 " %s", i ? ", " : "",
			number(&t, i, RELATION_FROM_TID), number(&t, i, RELATION_TO_TID),
			text(&t, i, RELATION_KIND));
		if (*text(&t, i, RELATION_OBJECT))
			mer_str_printf(&out, " %s", text(&t, i, RELATION_OBJECT));
		mer_str_printf(&out, " %" PRId64 "x", number(&t, i, RELATION_COUNT));
		if (number(&t, i, RELATION_BYTES) >= 0)
			mer_str_printf(&out, " %" PRId64 "B", number(&t, i, RELATION_BYTES));
		if (number(&t, i, RELATION_WAIT_NS) > 0)
			mer_str_printf(
				&out, " %" PRId64 "us", number(&t, i, RELATION_WAIT_NS) / 1000);
		if (number(&t, i, RELATION_IDLE_NS) > 0)
			mer_str_printf(&out, " idle %" PRId64 "us",
				number(&t, i, RELATION_IDLE_NS) / 1000);
	}
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	mer_table_fini(&t);
	analysis_run_fini(&run);
	scenario_close(&s);
}

static const struct analysis_options everything = {
	.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX, .keep_spans = true
};

static void edges_are(const char *world, const char *expected)
{
	edges_with(world, everything, expected);
}

#define HOSTS "host s\ntrace s/kernel\nhost t\ntrace t/kernel\n"
#define SWITCH(at, host, from, state, to)                                                          \
	at "us " host " 0 sched_switch prev_tid=" from " prev_state=" state " next_tid=" to "\n"
#define ENTER(at, host, call, args) at "us " host " 0 syscall_entry_" call " " args "\n"
#define LEAVE(at, host, call, args) at "us " host " 0 syscall_exit_" call " " args "\n"
#define PACKET(from, to, sport, dport, seq)                                                        \
	" len=114 name=\"eth0\" network_header.ipv4={ ihl=5, tot_len=100, saddr=[10, 0, 0, " from  \
	"], daddr=[10, 0, 0, " to "], protocol=_tcp, transport_header.tcp={ source_port=" sport    \
	", dest_port=" dport ", seq=" seq ", data_offset=5, flags=0x18 } }\n"
#define SEND(at, host, packet) at "us " host " 0 net_dev_queue" packet
#define ARRIVES(at, host, packet, wakes)                                                           \
	at "us " host " 0 irq_softirq_entry vec=3\n" at "us " host                                 \
	   " 0 net_if_receive_skb" packet at "us " host " 0 sched_waking tid=" wakes "\n" at       \
	   "us " host " 0 irq_softirq_exit vec=3\n"
#define ARRIVES_UNNOTICED(at, host, packet) at "us " host " 0 net_if_receive_skb" packet
#define UDP(from, to, sport, dport, check)                                                         \
	" len=114 name=\"eth0\" network_header.ipv4={ ihl=5, tot_len=100, saddr=[10, 0, 0, " from  \
	"], daddr=[10, 0, 0, " to "], protocol=_udp, id=" check                                    \
	", transport_header.udp={ source_port=" sport ", dest_port=" dport                         \
	", len=80, check=" check " } }\n"

/* Task 10 has connected its descriptor 5, task 20 has accepted 7. */
#define CONNECTED                                                                                  \
	HOSTS SWITCH("1", "s", "0", "0", "10") ENTER("2", "s", "socket", "family=2 type=1")        \
		LEAVE("2", "s", "socket", "ret=5")                                                 \
			ENTER("3", "s", "connect", "fd=5 family=2 dport=80 v4addr=[10, 0, 0, 2]")  \
				LEAVE("4", "s", "connect", "ret=0")                                \
					SWITCH("1", "t", "0", "0", "20")                           \
						ENTER("2", "t", "accept", "fd=4")                  \
							LEAVE("3", "t", "accept", "ret=7")

/* A request of 10 bytes and its answer of 20, read at once. ask, answer: packets. in10, in20: calls
 * in which the two wait for them. */
#define EXCHANGE(ask, answer, in10, in20)                                                          \
	"4us t 0 syscall_entry_" in20 "\n" SWITCH("5", "t", "20", "1", "0") ENTER(                 \
		"10", "s", "write", "fd=5") SEND("11", "s", ask) LEAVE("12", "s", "write",         \
		"ret=10") "13us s 0 syscall_entry_" in10 "\n" SWITCH("14", "s", "10", "1", "0")    \
		ARRIVES("30", "t", ask, "20") SWITCH("32", "t", "0", "0", "20")

#define EMPTY_PORTS_1 PACKET("1", "2", "0", "0", "1")
#define EMPTY_PORTS_2 PACKET("2", "1", "0", "0", "2")
#define FULL_1 PACKET("1", "2", "4000", "80", "1")
#define FULL_2 PACKET("2", "1", "80", "4000", "2")

/* Both waited in polls for each other: then only the tasks at the other ends are known. If each of
 * the two has one descriptor to the other one, these are the two ends of one connection
 * (pair_flows): it is called as the one who opened it said. */
#define POLLS(ask, answer)                                                                         \
	CONNECTED EXCHANGE(ask, answer, "epoll_wait epfd=9", "epoll_wait epfd=9") LEAVE("33", "t", \
		"epoll_wait", "ret=1") ENTER("34", "t", "read", "fd=7") LEAVE("35", "t", "read",   \
		"ret=10") ENTER("36", "t", "write", "fd=7") SEND("37", "t", answer) LEAVE("38",    \
		"t", "write", "ret=20") ENTER("39", "t", "epoll_wait", "epfd=9") SWITCH("40", "t", \
		"20", "1", "0") ARRIVES("60", "s", answer, "10") SWITCH("62", "s", "0", "0", "10") \
		LEAVE("63", "s", "epoll_wait", "ret=1") ENTER("64", "s", "read", "fd=5")           \
			LEAVE("65", "s", "read", "ret=20") SWITCH("70", "s", "10", "1", "0")
static void both_polled(void **state)
{
	(void)state;
	edges_are(POLLS(EMPTY_PORTS_1, EMPTY_PORTS_2),
		"10>20 tcp 10.0.0.2:80 1x 10B idle 25us, 20>10 tcp 10.0.0.2:80 1x 20B idle 46us");
	edges_are(POLLS(FULL_1, FULL_2),
		"10>20 tcp 10.0.0.2:80 1x 10B idle 25us, 20>10 tcp 10.0.0.2:80 1x 20B idle 46us");
}

/* Two descriptors of the one that accepted, one of the other one: that one's name is all that is
 * known of both. */
#define TWO                                                                                        \
	CONNECTED ENTER("3", "t", "accept", "fd=4") LEAVE("3", "t", "accept", "ret=8") EXCHANGE(   \
		EMPTY_PORTS_1, EMPTY_PORTS_2, "epoll_wait epfd=9",                                 \
		"epoll_wait epfd=9") LEAVE("33", "t", "epoll_wait", "ret=1") ENTER("36", "t",      \
		"write", "fd=7") SEND("37", "t", EMPTY_PORTS_2) LEAVE("38", "t", "write",          \
		"ret=20") ENTER("39", "t", "epoll_wait", "epfd=9") SWITCH("40", "t", "20", "1",    \
		"0") ARRIVES("60", "s", EMPTY_PORTS_2, "10") SWITCH("62", "s", "0", "0",           \
		"10") LEAVE("63", "s", "epoll_wait", "ret=1") ENTER("64", "s", "write",            \
		"fd=5") SEND("65", "s", PACKET("1", "2", "0", "0", "3")) LEAVE("66", "s", "write", \
		"ret=10") ENTER("67", "s", "epoll_wait", "epfd=9") SWITCH("68", "s", "10", "1",    \
		"0") ARRIVES("70", "t", PACKET("1", "2", "0", "0", "3"), "20") SWITCH("72", "t",   \
		"0", "0", "20") LEAVE("73", "t", "epoll_wait", "ret=1")                            \
		ENTER("74", "t", "write", "fd=8") SEND("75", "t", PACKET("2", "1", "0", "0", "4")) \
			LEAVE("76", "t", "write", "ret=30") SWITCH("77", "t", "20", "1", "0")      \
				ARRIVES("80", "s", PACKET("2", "1", "0", "0", "4"), "10")          \
					SWITCH("82", "s", "0", "0", "10")                          \
						SWITCH("90", "s", "10", "1", "0")
static void two_connections(void **state)
{
	(void)state;
	edges_are(TWO,
		"10>20 tcp 10.0.0.2:80 2x 20B idle 55us, 20>10 tcp 10.0.0.2:80 2x 50B idle 58us");
}

/* On descriptors: the wait's own, also of accept the one that it made. */
static void on_descriptors(void **state)
{
	(void)state;
	edges_are(CONNECTED EXCHANGE(EMPTY_PORTS_1, EMPTY_PORTS_2, "read fd=5", "read fd=7") LEAVE(
			  "33", "t", "read", "ret=10") ENTER("36", "t", "write", "fd=7") SEND("37",
			  "t", EMPTY_PORTS_2) LEAVE("38", "t", "write", "ret=20") SWITCH("40", "t",
			  "20", "1", "0") ARRIVES("60", "s", EMPTY_PORTS_2, "10")
			  SWITCH("62", "s", "0", "0", "10") LEAVE("63", "s", "read", "ret=20"),
		"20>10 tcp 10.0.0.2:80 1x 20B 46us, 10>20 tcp 10.0.0.2:80 1x 10B idle 25us");
	edges_are(CONNECTED EXCHANGE(EMPTY_PORTS_1, EMPTY_PORTS_2, "read fd=5", "accept fd=4")
			  LEAVE("33", "t", "accept", "ret=9") ENTER("36", "t", "write", "fd=9")
				  SEND("37", "t", EMPTY_PORTS_2) LEAVE("38", "t", "write", "ret=20")
					  SWITCH("40", "t", "20", "1", "0") ARRIVES("60", "s",
						  EMPTY_PORTS_2, "10") SWITCH("62", "s", "0", "0",
						  "10") LEAVE("63", "s", "read", "ret=20"),
		"20>10 tcp 10.0.0.2:80 1x 20B 46us, 10>20 tcp 10.0.0.2:80 1x 10B idle 25us");
	/* It failed: of none. */
	edges_are(CONNECTED EXCHANGE(EMPTY_PORTS_1, EMPTY_PORTS_2, "read fd=5", "accept fd=4")
			  LEAVE("33", "t", "accept", "ret=-103"),
		"10>20 tcp 10.0.0.2:80 1x 10B idle 25us");
}

/* Nobody waited: with addresses what is written goes to who reads, byte by byte, or has the other
 * end. */
static void nobody_waited(void **state)
{
	(void)state;
	edges_are(CONNECTED ENTER("10", "s", "write", "fd=5") SEND("11", "s", FULL_1) LEAVE(
			  "12", "s", "write", "ret=10") ARRIVES_UNNOTICED("20", "t", FULL_1)
			  ENTER("30", "t", "read", "fd=7") LEAVE("31", "t", "read", "ret=10")
				  ENTER("36", "t", "write", "fd=7") SEND("37", "t", FULL_2)
					  LEAVE("38", "t", "write", "ret=20")
						  ARRIVES_UNNOTICED("40", "s", FULL_2)
							  SWITCH("50", "s", "10", "1", "0")
								  SWITCH("50", "t", "20", "1", "0"),
		"10>20 tcp 10.0.0.2:80 1x 10B, 20>10 tcp 10.0.0.2:80 1x 20B");
	/* Without them it is not known who has. */
	edges_are(CONNECTED ENTER("10", "s", "write", "fd=5") SEND("11", "s", EMPTY_PORTS_1) LEAVE(
			  "12", "s", "write", "ret=10") ARRIVES_UNNOTICED("20", "t", EMPTY_PORTS_1)
			  ENTER("30", "t", "read", "fd=7") LEAVE("31", "t", "read", "ret=10")
				  SWITCH("50", "s", "10", "1", "0")
					  SWITCH("50", "t", "20", "1", "0"),
		"");
	/* Several writers and readers of one connection: threads take turns. */
	edges_are(CONNECTED ENTER("10", "s", "write", "fd=5") SEND("11", "s", FULL_1) LEAVE(
			  "12", "s", "write", "ret=10") ARRIVES_UNNOTICED("20", "t",
			  FULL_1) "21us t 0 sched_process_fork parent_tid=20 parent_pid=20 "
				  "child_tid=21 child_pid=20\n" ENTER("30", "t", "read",
					  "fd=7") LEAVE("31", "t", "read", "ret=6") SWITCH("32",
					  "t", "20", "0", "21") ENTER("33", "t", "read",
					  "fd=7") LEAVE("34", "t", "read", "ret=4") ENTER("36", "t",
					  "write", "fd=7") SEND("37", "t", FULL_2) LEAVE("38", "t",
					  "write", "ret=20") ARRIVES_UNNOTICED("40", "s", FULL_2)
					  SWITCH("50", "s", "10", "1", "0")
						  SWITCH("50", "t", "21", "1", "0"),
		"10>21 tcp 10.0.0.2:80 1x 4B, 21>10 tcp 10.0.0.2:80 1x 20B, 10>20 tcp 10.0.0.2:80 "
		"0x 6B, 20>21 fork thread 1x");
}

/* Datagrams: to who has that port on the other host. */
static void datagrams(void **state)
{
	(void)state;
	edges_are(HOSTS SWITCH("1", "s", "0", "0", "10") ENTER("2", "s", "socket",
			  "family=2 type=2") LEAVE("2", "s", "socket", "ret=5") SWITCH("1", "t",
			  "0", "0", "20") ENTER("2", "t", "socket", "family=2 type=2") LEAVE("3",
			  "t", "socket", "ret=7") ENTER("10", "s", "sendto", "fd=5") SEND("11", "s",
			  UDP("1", "2", "4000", "53", "1")) LEAVE("12", "s", "sendto", "ret=10")
			  ARRIVES_UNNOTICED("20", "t", UDP("1", "2", "4000", "53", "1"))
				  ENTER("30", "t", "sendto", "fd=7") SEND(
					  "31", "t", UDP("2", "1", "53", "4000", "2"))
					  LEAVE("32", "t", "sendto", "ret=20") ARRIVES_UNNOTICED(
						  "40", "s", UDP("2", "1", "53", "4000", "2"))
						  SWITCH("50", "s", "10", "1", "0")
							  SWITCH("50", "t", "20", "1", "0"),
		"10>20 udp 10.0.0.2:53 1x 10B, 20>10 udp 10.0.0.2:53 1x 20B");
}

#define WRITES(at, host, fd, n, packet)                                                            \
	ENTER(at, host, "write", "fd=" fd)                                                         \
	SEND(at, host, packet) LEAVE(at, host, "write", "ret=" n) ARRIVES_UNNOTICED(at, "t", packet)
#define READS(at, host, fd, n) ENTER(at, host, "read", "fd=" fd) LEAVE(at, host, "read", "ret=" n)
#define WRITES_BACK                                                                                \
	ENTER("36", "t", "write", "fd=7")                                                          \
	SEND("37", "t", FULL_2)                                                                    \
	LEAVE("38", "t", "write", "ret=20") ARRIVES_UNNOTICED("40", "s", FULL_2)
#define END SWITCH("90", "s", "10", "1", "0") SWITCH("90", "t", "20", "1", "0")

/* Copies of a descriptor, in the process and inherited by a child, are of the same connection;
 * closed, and made anew, it is another one. */
static void copies(void **state)
{
	(void)state;
	edges_are(CONNECTED WRITES("10", "s", "5", "10", FULL_1) ENTER(
			  "11", "s", "dup2", "oldfd=5 newfd=6") LEAVE("12", "s", "dup2", "ret=6")
			  WRITES("13", "s", "6", "7", PACKET("1", "2", "4000", "80", "3"))
				  READS("30", "t", "7", "17") WRITES_BACK END,
		"10>20 tcp 10.0.0.2:80 2x 17B, 20>10 tcp 10.0.0.2:80 1x 20B");
	edges_are(CONNECTED WRITES("10", "s", "5", "10",
			  FULL_1) "11us s 0 sched_process_fork parent_tid=10 parent_pid=10 "
				  "child_tid=11 child_pid=11\n" SWITCH("12", "s", "10", "0", "11")
					  WRITES("13", "s", "5", "7",
						  PACKET("1", "2", "4000", "80", "3"))
						  SWITCH("14", "s", "11", "0", "10") READS(
							  "30", "t", "7", "17") WRITES_BACK END,
		"10>20 tcp 10.0.0.2:80 1x 10B, 11>20 tcp 10.0.0.2:80 1x 7B, 20>10 tcp 10.0.0.2:80 "
		"1x 20B, 10>11 fork process 1x");
	/* Where the child sends nothing on its own the addresses are its parent's. */
	edges_are(CONNECTED WRITES("10", "s", "5", "10",
			  FULL_1) "11us s 0 sched_process_fork parent_tid=10 parent_pid=10 "
				  "child_tid=11 child_pid=11\n" SWITCH("12", "s", "10", "0", "11")
					  WRITES_BACK ENTER("44", "s", "read", "fd=5")
						  LEAVE("45", "s", "read", "ret=20")
							  SWITCH("50", "s", "11", "0", "10")
								  READS("60", "t", "7", "10") END,
		"10>20 tcp 10.0.0.2:80 1x 10B, 20>11 tcp 10.0.0.2:80 1x 20B, 10>11 fork process "
		"1x");
	edges_are(CONNECTED WRITES("10", "s", "5", "10", FULL_1) ENTER("11", "s", "close",
			  "fd=5") LEAVE("12", "s", "close", "ret=0") ENTER("13", "s", "openat",
			  "dfd=-100 filename=\"/a\"") LEAVE("14", "s", "openat", "ret=5")
			  ENTER("15", "s", "write", "fd=5") LEAVE("16", "s", "write", "ret=500")
				  READS("30", "t", "7", "10") WRITES_BACK END,
		"10>20 tcp 10.0.0.2:80 1x 10B, 20>10 tcp 10.0.0.2:80 1x 20B");
}

/* The same addresses and ports a second time, from who connects on: another connection. */
static void ports_used_again(void **state)
{
	(void)state;
	edges_are(
		CONNECTED WRITES("10", "s", "5", "10", FULL_1) READS("20", "t", "7",
			"4") WRITES_BACK ENTER("50", "s", "close", "fd=5") LEAVE("51", "s", "close",
			"ret=0") ENTER("50", "t", "close", "fd=7") LEAVE("51", "t", "close",
			"ret=0") ENTER("52", "s", "socket", "family=2 type=1") LEAVE("52", "s",
			"socket", "ret=5") ENTER("53", "s", "connect",
			"fd=5 family=2 dport=80 v4addr=[10, 0, 0, 2]") LEAVE("54", "s", "connect",
			"ret=0") ENTER("55", "t", "accept", "fd=4") LEAVE("56", "t", "accept",
			"ret=7") WRITES("60", "s", "5", "100", PACKET("1", "2", "4000", "80", "9"))
			READS("65", "t", "7", "100") ENTER("66", "t", "write", "fd=7")
				SEND("67", "t", PACKET("2", "1", "80", "4000", "10"))
					LEAVE("68", "t", "write", "ret=200") ARRIVES_UNNOTICED("69",
						"s", PACKET("2", "1", "80", "4000", "10")) END,
		"10>20 tcp 10.0.0.2:80 2x 110B, 20>10 tcp 10.0.0.2:80 2x 220B");
}

/* Messages counted without their bytes. */
static void counted(void **state)
{
	(void)state;
	edges_are(CONNECTED EXCHANGE(EMPTY_PORTS_1, EMPTY_PORTS_2, "read fd=5", "read fd=7") LEAVE(
			  "33", "t", "read", "ret=10") ENTER("36", "t", "sendmmsg", "fd=7")
			  SEND("37", "t", EMPTY_PORTS_2) LEAVE("38", "t", "sendmmsg", "ret=3")
				  SWITCH("40", "t", "20", "1", "0") ARRIVES("60", "s",
					  EMPTY_PORTS_2, "10") SWITCH("62", "s", "0", "0", "10")
					  LEAVE("63", "s", "read", "ret=20"),
		"20>10 tcp 10.0.0.2:80 3x 0B 46us, 10>20 tcp 10.0.0.2:80 1x 10B idle 25us");
}

/* Sent later by an interrupt, in answer to an acknowledgement: of who wrote last before. */
static void sent_by_an_interrupt(void **state)
{
	(void)state;
	edges_are(CONNECTED
		"4us s 0 sched_process_fork parent_tid=10 parent_pid=10 child_tid=11 "
		"child_pid=10\n" ENTER("10", "s", "write", "fd=5") SEND("11", "s", FULL_1) LEAVE(
			"12", "s", "write", "ret=10") SWITCH("13", "s", "10", "0", "11") ENTER("14",
			"s", "write", "fd=5") LEAVE("15", "s", "write",
			"ret=30") "20us t 0 irq_softirq_entry vec=3\n" ARRIVES_UNNOTICED("21", "t",
			FULL_1) SEND("22", "t",
			FULL_2) "23us t 0 irq_softirq_exit vec=3\n" READS("24", "t", "7",
			"10") ENTER("25", "t", "read", "fd=7") SWITCH("26", "t", "20", "1",
			"0") "30us s 0 irq_softirq_entry vec=3\n" ARRIVES_UNNOTICED("31", "s",
			FULL_2) SEND("32", "s",
			PACKET("1", "2", "4000", "80",
				"3")) "33us s 0 irq_softirq_exit vec=3\n" ARRIVES("40", "t",
			PACKET("1", "2", "4000", "80", "3"), "20") SWITCH("42", "t", "0", "0", "20")
			LEAVE("43", "t", "read", "ret=30") ENTER("44", "t", "write", "fd=7")
				SEND("45", "t", PACKET("2", "1", "80", "4000", "4"))
					LEAVE("46", "t", "write", "ret=1") ARRIVES_UNNOTICED(
						"47", "s", PACKET("2", "1", "80", "4000", "4"))
						SWITCH("90", "s", "11", "1", "0")
							SWITCH("90", "t", "20", "1", "0"),
		"11>20 tcp 10.0.0.2:80 1x 30B 14us, 10>20 tcp 10.0.0.2:80 1x 10B, 20>10 tcp "
		"10.0.0.2:80 1x 1B, 10>11 fork thread 1x");
}

/* Within a host: signals by their names, ends and forks. */
static void names(void **state)
{
	(void)state;
#define SIGNAL(at, number)                                                                         \
	"10us s 0 syscall_entry_kill\n" at "us s 0 signal_generate sig=" number                    \
	" errno=0 code=0 comm=\"x\" pid=12 group=1 result=0\n10us s 0 syscall_exit_kill\n"
	edges_are("host s\ntrace s/kernel\n1us s 1 sched_switch next_tid=12\n" SWITCH("1", "s", "0",
			  "0", "10") SIGNAL("10", "1") SIGNAL("11", "10") SIGNAL("12", "15")
			  SIGNAL("13", "31") SIGNAL("14", "32") SIGNAL("15", "17"),
		"10>12 signal SIGHUP 1x, 10>12 signal SIGUSR1 1x, 10>12 signal SIGTERM 1x, 10>12 "
		"signal SIGSYS 1x, 10>12 signal signal 32 1x, 10>12 signal SIGCHLD 1x");
	edges_are("host s\ntrace s/kernel\n" SWITCH(
			  "1", "s", "0", "0", "10") "2us s 0 sched_process_fork parent_tid=10 "
						    "parent_pid=10 child_tid=11 child_pid=10\n"
						    "3us s 0 sched_process_fork parent_tid=10 "
						    "parent_pid=10 child_tid=12 child_pid=12\n",
		"10>11 fork thread 1x, 10>12 fork process 1x");
}

/* What is written goes with the packet that was sent in that call, or with the next one; what none
 * took, to where the last ones went. Without addresses in packets. */
static void written_before_it_is_sent(void **state)
{
	(void)state;
	edges_are(CONNECTED
		"4us t 0 syscall_entry_read fd=7\n" SWITCH("5", "t", "20", "1", "0") ENTER(
			"10", "s", "write", "fd=5") LEAVE("11", "s", "write", "ret=10") ENTER("12",
			"s", "write", "fd=5") LEAVE("13", "s", "write", "ret=5") ENTER("14", "s",
			"write", "fd=5") SEND("15", "s", EMPTY_PORTS_1) LEAVE("16", "s", "write",
			"ret=7") ENTER("17", "s", "sendmmsg", "fd=5") SEND("18", "s",
			PACKET("1", "2", "0", "0", "3")) LEAVE("19", "s", "sendmmsg",
			"ret=3") ARRIVES("30", "t", EMPTY_PORTS_1, "20") SWITCH("32", "t", "0", "0",
			"20") LEAVE("33", "t", "read", "ret=22") ENTER("40", "s", "write", "fd=5")
			LEAVE("41", "s", "write", "ret=100") ENTER(
				"42", "s", "write", "fd=5") LEAVE("43", "s", "write", "ret=200")
				SWITCH("90", "s", "10", "1", "0") SWITCH("90", "t", "20", "1", "0"),
		"10>20 tcp 10.0.0.2:80 8x 322B idle 25us");
}

/* A copy through which no packet was seen is of the connection that it is a copy of. */
static void quiet_copies(void **state)
{
	(void)state;
	edges_are(CONNECTED WRITES("10", "s", "5", "10", FULL_1) ENTER(
			  "11", "s", "dup2", "oldfd=5 newfd=6") LEAVE("12", "s", "dup2", "ret=6")
			  ENTER("13", "s", "write", "fd=6") LEAVE("14", "s", "write", "ret=7")
				  READS("30", "t", "7", "17") WRITES_BACK END,
		"10>20 tcp 10.0.0.2:80 2x 17B, 20>10 tcp 10.0.0.2:80 1x 20B");
	edges_are(CONNECTED WRITES("10", "s", "5", "10", FULL_1) ENTER("11", "s", "dup", "fildes=5")
			  LEAVE("12", "s", "dup", "ret=6") ENTER("13", "s", "write", "fd=6")
				  LEAVE("14", "s", "write", "ret=7") READS("30", "t", "7", "17")
					  WRITES_BACK END,
		"10>20 tcp 10.0.0.2:80 2x 17B, 20>10 tcp 10.0.0.2:80 1x 20B");
	/* Closed in between: the number is of nothing. */
	edges_are(CONNECTED WRITES("10", "s", "5", "10", FULL_1) ENTER("11", "s", "close", "fd=5")
			  LEAVE("12", "s", "close", "ret=0") ENTER("13", "s", "write", "fd=5")
				  LEAVE("14", "s", "write", "ret=7") READS("30", "t", "7", "17")
					  WRITES_BACK END,
		"10>20 tcp 10.0.0.2:80 1x 10B, 20>10 tcp 10.0.0.2:80 1x 20B");
}

/* A connection that is still being made, or whose call was interrupted, is made all the same. */
static void connecting(void **state)
{
	(void)state;
	static const char *const results[] = { "-115", "-4" };
	for (int i = 0; i < 2; i++) {
		char world[8000];
		snprintf(world, sizeof(world), "%s4us s 0 syscall_exit_connect ret=%s\n%s",
			HOSTS SWITCH("1", "s", "0", "0", "10") ENTER("2", "s", "socket",
				"family=2 type=1") LEAVE("2", "s", "socket", "ret=5") ENTER("3",
				"s", "connect", "fd=5 family=2 dport=80 v4addr=[10, 0, 0, 2]"),
			results[i],
			SWITCH("1", "t", "0", "0", "20") ENTER("2", "t", "accept", "fd=4") LEAVE(
				"5", "t", "accept", "ret=7") WRITES("10", "s", "5", "10", FULL_1)
				READS("30", "t", "7", "10") WRITES_BACK END);
		edges_are(world, "10>20 tcp 10.0.0.2:80 1x 10B, 20>10 tcp 10.0.0.2:80 1x 20B");
	}
}

/* Who only reads sends no data: accept told whose packets its descriptor gets. Unless that host and
 * port have connections to several ports here. */
#define ACCEPTED                                                                                   \
	HOSTS SWITCH("1", "s", "0", "0", "10") ENTER("2", "s", "socket", "family=2 type=1")        \
		LEAVE("2", "s", "socket", "ret=5") ENTER(                                          \
			"3", "s", "connect", "fd=5 family=2 dport=80 v4addr=[10, 0, 0, 2]")        \
			LEAVE("4", "s", "connect", "ret=0") SWITCH("1", "t", "0", "0", "20")       \
				ENTER("2", "t", "accept", "fd=4") LEAVE("3", "t", "accept",        \
					"ret=7 family=2 sport=4000 v4addr=[10, "                   \
					"0, 0, 1]")
static void only_read(void **state)
{
	(void)state;
	edges_are(ACCEPTED WRITES("10", "s", "5", "10", FULL_1) READS("30", "t", "7", "6")
			  READS("32", "t", "7", "4") END,
		"10>20 tcp 10.0.0.2:80 1x 10B");
	edges_are(ACCEPTED WRITES("10", "s", "5", "10", FULL_1)
			  WRITES("12", "s", "6", "10", PACKET("1", "2", "4000", "81", "7"))
				  READS("30", "t", "7", "6") READS("32", "t", "7", "4") END,
		"");
}

/* More was read than written: the rest came from before. Less: the last one who read gets it. What
 * was read before anything was written is of before, too, unless the connection was seen from its
 * begin. */
static void more_and_less(void **state)
{
	(void)state;
	edges_are(CONNECTED WRITES("10", "s", "5", "10", FULL_1) READS("30", "t", "7", "100")
			  WRITES_BACK READS("50", "s", "5", "5") END,
		"10>20 tcp 10.0.0.2:80 1x 10B, 20>10 tcp 10.0.0.2:80 1x 20B");
	edges_are(CONNECTED READS("8", "t", "7", "30") WRITES("10", "s", "5", "10", FULL_1)
			  READS("30", "t", "7", "10") WRITES_BACK END,
		"10>20 tcp 10.0.0.2:80 1x 10B, 20>10 tcp 10.0.0.2:80 1x 20B");
}

/* The same weight: by time, then by task, then by name. */
static void order(void **state)
{
	(void)state;
#define FORK(at, child)                                                                            \
	at "us s 0 sched_process_fork parent_tid=10 parent_pid=10 child_tid=" child                \
	   " child_pid=" child "\n"
	edges_are("host s\ntrace s/kernel\n" SWITCH("1", "s", "0", "0", "10") FORK("2", "13")
			  FORK("2", "11") FORK("2", "12") FORK("3", "9"),
		"10>13 fork process 1x, 10>11 fork process 1x, 10>12 fork process 1x, 10>9 fork "
		"process 1x");
	edges_are("host s\ntrace s/kernel\n1us s 1 sched_switch next_tid=12\n" SWITCH(
			  "1", "s", "0", "0", "10") SIGNAL("10", "15") SIGNAL("10", "10")
			  SIGNAL("10", "1") SIGNAL("9", "31") SIGNAL("12", "2") SIGNAL("13", "2"),
		"10>12 signal SIGINT 2x, 10>12 signal SIGSYS 1x, 10>12 signal SIGHUP 1x, 10>12 "
		"signal SIGTERM 1x, 10>12 signal SIGUSR1 1x");
}

/* Of either end; nothing of the tracer's tasks if that is so wished. */
static bool is_20(void *ctx, const struct kernel_host *h, uint32_t task)
{
	(void)ctx;
	return h->tasks[task].tid == 20;
}

static void selected(void **state)
{
	(void)state;
	struct analysis_options o = everything;
	o.wants_task = is_20;
	edges_with(CONNECTED WRITES("10", "s", "5", "10", FULL_1) READS("30", "t", "7", "10")
			   WRITES_BACK FORK("50", "11") END,
		o, "10>20 tcp 10.0.0.2:80 1x 10B, 20>10 tcp 10.0.0.2:80 1x 20B");
	o = everything;
	o.without_tracer = true;
#define NAMED(name)                                                                                \
	CONNECTED "5us t 0 sched_switch prev_tid=20 prev_state=0 next_tid=20 next_comm=\"" name    \
		  "\"\n" WRITES("10", "s", "5", "10", FULL_1) READS("30", "t", "7", "10")          \
			  WRITES_BACK FORK("50", "11") END
	edges_with(NAMED("lttng-relayd"), o, "10>11 fork process 1x");
	edges_with(NAMED("lttngx"), o,
		"10>20 tcp 10.0.0.2:80 1x 10B, 20>10 tcp 10.0.0.2:80 1x 20B, 10>11 fork process "
		"1x");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(both_polled),
		cmocka_unit_test(two_connections), cmocka_unit_test(on_descriptors),
		cmocka_unit_test(nobody_waited), cmocka_unit_test(datagrams),
		cmocka_unit_test(copies), cmocka_unit_test(ports_used_again),
		cmocka_unit_test(counted), cmocka_unit_test(sent_by_an_interrupt),
		cmocka_unit_test(names), cmocka_unit_test(written_before_it_is_sent),
		cmocka_unit_test(quiet_copies), cmocka_unit_test(connecting),
		cmocka_unit_test(only_read), cmocka_unit_test(more_and_less),
		cmocka_unit_test(order), cmocka_unit_test(selected) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
