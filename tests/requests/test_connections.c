/* Connections between hosts, from events: which sockets are the two ends of one, with and without
 * addresses in packets, and when the first request on one begins. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "calls_world.h"
#include "requests/culprits.h"
#include "scenario.h"

struct found { /* the requests of a scenario */
	struct scenario s;
	struct kernel_world *w;
	struct requests *r;
};

/* are_apart: times of different hosts cannot be compared. */
static void find_with(struct found *f, const char *world, bool are_apart)
{
	struct requests_log *log;
	struct mer_err err = { 0 };
	scenario_open(&f->s, world);
	assert_int_equal(requests_log_new(f->s.e->n_hosts, NULL, &log, &err), 0);
	struct kernel_world_options o = { .n_threads = 1,
		.observers = requests_log_observers(log) };
	const struct sync_result *clocks = are_apart ? NULL : f->s.result;
	if (kernel_world_build(f->s.e, &f->s.messages, clocks, &o, &f->w, &err))
		fail_msg("%s", err.text);
	assert_int_equal(requests_find(f->w, log, &f->r, &err), 0);
}

static void find(struct found *f, const char *world)
{
	find_with(f, world, false);
}

static void fini(struct found *f)
{
	requests_free(f->r);
	kernel_world_free(f->w);
	scenario_close(&f->s);
}

static void put_tid(const struct kernel_world *w, uint32_t host, uint32_t task, struct mer_str *out)
{
	if (task == KERNEL_NONE)
		mer_str_putc(out, '?');
	else
		mer_str_printf(out, "%" PRId32, w->hosts[host].tasks[task].tid);
}

/* "r1.1 10:4000>20:80 3-42": id, tasks with their ports (0: not known), begin and end in us since
 * the first event; "xN" for a window. */
static void requests_are_with(const char *world, bool are_apart, const char *expected)
{
	struct found f;
	struct mer_str out = { 0 };
	char id[REQUESTS_ID_BYTES];
	find_with(&f, world, are_apart);
	const struct requests *r = f.r;
	const struct kernel_world *w = f.w;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		const struct requests_end *ends = requests_connection_of(r, i)->ends;
		requests_id_text(r, i, id);
		mer_str_printf(&out, "%s%s ", i ? ", " : "", id);
		put_tid(w, ends[REQUESTS_CLIENT].host, x->client_task, &out);
		mer_str_printf(&out, ":%u>", requests_port(r, &ends[REQUESTS_CLIENT]));
		put_tid(w, ends[REQUESTS_SERVER].host, x->server_task, &out);
		mer_str_printf(&out, ":%u %" PRId64 "-%" PRId64,
			requests_port(r, &ends[REQUESTS_SERVER]), x->begin / 1000, x->end / 1000);
	}
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	fini(&f);
}

static void requests_are(const char *world, const char *expected)
{
	requests_are_with(world, false, expected);
}

static bool put_culprit(void *ctx, const struct requests_culprit *u)
{
	mer_str_printf(ctx, ", %s of host %" PRIu32 " %" PRIu32 "x %" PRId64,
		calls_world_deed((enum requests_deed)u->deed), u->host, u->count, u->ns / 1000);
	return true;
}

/* The network parts of a request, each with its culprits: "network 10", ", lost of host 0 1x 5". */
static void parts_are(const char *world, uint32_t exchange, const char *expected)
{
	struct found f;
	struct requests_parts p = { 0 };
	struct requests_parts_finder *finder;
	struct requests_kinds kinds;
	struct requests_culprits *x;
	struct mer_str out = { 0 };
	struct mer_err err = { 0 };
	find(&f, world);
	assert_int_equal(requests_parts_finder_new(f.r, &finder, &err), 0);
	assert_int_equal(requests_kinds_find(f.r, &kinds, &err), 0);
	assert_int_equal(requests_culprits_new(&kinds, finder, &x, &err), 0);
	assert_int_equal(requests_parts_find_each(finder, exchange, &p, &err), 0);
	for (size_t i = 0; i < p.n; i++) {
		if (p.item[i].kind != REQUESTS_NETWORK && p.item[i].kind != REQUESTS_OUTSIDE)
			continue;
		mer_str_printf(&out, "%s%s %" PRId64, out.len ? ", " : "",
			requests_part_name((enum requests_part_kind)p.item[i].kind),
			(p.item[i].end - p.item[i].begin) / 1000);
		assert_true(requests_culprits_of(x, &p.item[i], put_culprit, &out));
	}
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	requests_parts_fini(&p);
	requests_culprits_free(x);
	requests_kinds_fini(&kinds);
	requests_parts_finder_free(finder);
	fini(&f);
}

#define SWITCH(at, host, from, state, to)                                                          \
	at "us " host " 0 sched_switch prev_tid=" from " prev_state=" state " next_tid=" to "\n"
#define ENTER(at, host, call, args) at "us " host " 0 syscall_entry_" call " " args "\n"
#define LEAVE(at, host, call, args) at "us " host " 0 syscall_exit_" call " " args "\n"
#define CALL(begin, end, host, call, args, ret)                                                    \
	ENTER(begin, host, call, args) LEAVE(end, host, call, "ret=" ret)
#define PACKET(from, to, sport, dport, seq)                                                        \
	" len=114 name=\"eth0\" network_header.ipv4={ ihl=5, tot_len=100, saddr=[10, 0, 0, " from  \
	"], daddr=[10, 0, 0, " to "], protocol=_tcp, transport_header.tcp={ source_port=" sport    \
	", dest_port=" dport ", seq=" seq ", data_offset=5, flags=0x18 } }\n"
#define SEND(at, host, packet) at "us " host " 0 net_dev_queue" packet
#define RECEIVE(at, host, packet) at "us " host " 0 net_if_receive_skb" packet
#define ARRIVES(at, host, packet, wakes)                                                           \
	at "us " host " 0 irq_softirq_entry vec=3\n" at "us " host                                 \
	   " 0 net_if_receive_skb" packet at "us " host " 0 sched_waking tid=" wakes "\n" at       \
	   "us " host " 0 irq_softirq_exit vec=3\n"

#define BOTH "host s\ntrace s/kernel\nhost t\ntrace t/kernel\n"
#define ASK PACKET("1", "2", "4000", "80", "1")
#define REPLY PACKET("2", "1", "80", "4000", "2")

/* Task 10 of host s connects its descriptor 5. */
#define OPEN(args)                                                                                 \
	SWITCH("1", "s", "0", "0", "10")                                                           \
	CALL("2", "2", "s", "socket", "family=2 type=1", "5")                                      \
	CALL("3", "4", "s", "connect", "fd=5 " args, "0")
#define TO_T "family=2 dport=80 v4addr=[10, 0, 0, 2]"
/* Task 20 of host t accepts it as 7. */
#define ACCEPT(peer)                                                                               \
	SWITCH("1", "t", "0", "0", "20")                                                           \
	ENTER("2", "t", "accept", "fd=4") LEAVE("5", "t", "accept", "ret=7 " peer)
#define FROM_S "family=2 sport=4000 v4addr=[10, 0, 0, 1]"
#define CLIENT_ASKS                                                                                \
	ENTER("10", "s", "write", "fd=5") SEND("11", "s", ASK) LEAVE("12", "s", "write", "ret=10")
#define SERVER                                                                                     \
	RECEIVE("20", "t", ASK)                                                                    \
	CALL("22", "23", "t", "read", "fd=7", "10")                                                \
	ENTER("24", "t", "write", "fd=7") SEND("25", "t", REPLY) LEAVE("26", "t", "write", "ret=20")
#define CLIENT_READS RECEIVE("40", "s", REPLY) CALL("41", "42", "s", "read", "fd=5", "20")

static void both_ends(void **state)
{
	(void)state;
	requests_are(BOTH OPEN(TO_T) ACCEPT(FROM_S) CLIENT_ASKS SERVER CLIENT_READS,
		"r1.1 10:4000>20:80 3-42");
}

/* A connection that was opened beforehand: what its task did meanwhile is none of the request. */
static void opened_beforehand(void **state)
{
	(void)state;
	requests_are(BOTH OPEN(TO_T) ACCEPT(FROM_S) CALL("6", "7", "s", "read", "fd=9", "3")
			     CLIENT_ASKS SERVER CLIENT_READS,
		"r1.1 10:4000>20:80 10-42");
}

/* The server's call sends nothing itself: accept has named the peer, and packets of that one go to
 * one end. */
static void known_by_accept(void **state)
{
	(void)state;
	requests_are(BOTH OPEN(TO_T) ACCEPT(FROM_S) CLIENT_ASKS RECEIVE("20", "t", ASK)
			     CALL("22", "23", "t", "read", "fd=7", "10") CALL("24", "25", "t",
				     "write", "fd=7", "20") SEND("26", "t", REPLY) CLIENT_READS,
		"r1.1 10:4000>20:80 3-42");
}

static void one_end(void **state)
{
	(void)state;
	requests_are("host s\ntrace s/kernel\n" OPEN(TO_T) CLIENT_ASKS CLIENT_READS,
		"r1.1 10:4000>?:80 3-42");
	/* It begins when it arrives. */
	requests_are("host t\ntrace t/kernel\n" ACCEPT(FROM_S) SERVER, "r1.1 ?:4000>20:80 20-26");
}

/* Connections that were there before the recording, and of which one end was recorded: what the
 * calls on it send has the addresses. Times are counted from its first event. */
#define KEPT_ASK PACKET("1", "2", "40000", "80", "1")
#define KEPT_REPLY PACKET("2", "1", "80", "40000", "2")
#define KEPT_SERVER                                                                                \
	SWITCH("0", "t", "0", "0", "20")                                                           \
	RECEIVE("20", "t", KEPT_ASK)                                                               \
	CALL("22", "23", "t", "read", "fd=7", "10")                                                \
	ENTER("24", "t", "write", "fd=7")                                                          \
	SEND("25", "t", KEPT_REPLY) LEAVE("26", "t", "write", "ret=20")
#define KEPT_CLIENT                                                                                \
	SWITCH("0", "s", "0", "0", "10")                                                           \
	ENTER("10", "s", "write", "fd=5")                                                          \
	SEND("11", "s", KEPT_ASK)                                                                  \
	LEAVE("12", "s", "write", "ret=10")                                                        \
	RECEIVE("40", "s", KEPT_REPLY) CALL("41", "42", "s", "read", "fd=5", "20")
#define KEPT_GREETS                                                                                \
	ENTER("14", "t", "write", "fd=7")                                                          \
	SEND("15", "t", PACKET("2", "1", "80", "40000", "9")) LEAVE("16", "t", "write", "ret=5")
static void kept_and_one_end(void **state)
{
	(void)state;
	requests_are("host s\ntrace s/kernel\n" KEPT_CLIENT, "r1.1 10:40000>?:80 10-42");
	requests_are("host t\ntrace t/kernel\n" KEPT_SERVER, "r1.1 ?:40000>20:80 20-26");
	/* The port says who asks, even if the server is the first that does something. */
	requests_are("host t\ntrace t/kernel\n" SWITCH("0", "t", "0", "0", "20")
			     KEPT_GREETS KEPT_SERVER,
		"r1.1 ?:40000>20:80 20-26");
}

/* The same, with the state dump of /proc beside a recording of a stock kernel, and without packets:
 * it has the addresses of both ends. */
#define DUMPS                                                                                      \
	"event meridian_statedump_socket { s32 pid; s32 fd; s32 family; string name; string "      \
	"local }\n"
#define DUMPED(host, pid, fd, name, local)                                                         \
	"0us " host " 0 meridian_statedump_socket pid=" pid " fd=" fd " family=2 name=\"" name     \
	"\" local=\"" local "\"\n"
/* Packets of others align the clocks. */
#define OTHER_ASK PACKET("1", "2", "5000", "99", "1")
#define OTHER_REPLY PACKET("2", "1", "99", "5000", "2")
#define SAID                                                                                       \
	SWITCH("0", "s", "0", "0", "10")                                                           \
	SWITCH("0", "t", "0", "0", "20")                                                           \
	SEND("1", "s", OTHER_ASK)                                                                  \
	RECEIVE("1", "t", OTHER_ASK) SEND("2", "t", OTHER_REPLY) RECEIVE("2", "s", OTHER_REPLY)
#define TALK(client, server)                                                                       \
	CALL("10", "12", "s", "write", "fd=" client, "10")                                         \
	CALL("22", "23", "t", "read", "fd=" server, "10")                                          \
	CALL("24", "26", "t", "write", "fd=" server, "20")                                         \
	CALL("41", "42", "s", "read", "fd=" client, "20")
#define OWN "10.0.0.1:40000"
#define PEERS "10.0.0.2:80"
static void kept_and_dumped(void **state)
{
	(void)state;
	requests_are(DUMPS BOTH SAID DUMPED("s", "10", "5", PEERS, OWN)
			     DUMPED("t", "20", "7", OWN, PEERS) TALK("5", "7"),
		"r1.1 10:40000>20:80 10-42");
	/* Two to the same server: each is its own. */
	requests_are(DUMPS BOTH SAID DUMPED("s", "10", "5", PEERS, OWN)
			     DUMPED("s", "10", "6", PEERS, "10.0.0.1:40002")
				     DUMPED("t", "20", "8", "10.0.0.1:40002", PEERS)
					     DUMPED("t", "20", "7", OWN, PEERS) TALK("6", "8"),
		"r1.1 10:40002>20:80 10-42");
	/* A copy of the descriptor is of it. */
	requests_are(DUMPS BOTH SAID DUMPED("s", "10", "5", PEERS, OWN) DUMPED("t", "20", "7", OWN,
			     PEERS) CALL("4", "5", "s", "dup", "fildes=5", "9") TALK("9", "7"),
		"r1.1 10:40000>20:80 10-42");
	/* Closed, the number is given to another one. */
	requests_are(DUMPS BOTH SAID DUMPED("s", "10", "5", PEERS, OWN) DUMPED(
			     "t", "20", "7", OWN, PEERS) CALL("3", "4", "s", "close", "fd=5", "0")
			     CALL("5", "6", "s", "socket", "family=2 type=1", "5") TALK("5", "7"),
		"r1.1 ?:40000>20:80 22-26");
	/* Who listens is the server, whatever the ports are, and if it is the first to write. */
	requests_are(DUMPS "host t\ntrace t/kernel\n" SWITCH("0", "t", "0", "0", "20") DUMPED(
			     "t", "20", "4", "socket:[3] listens on 0.0.0.0:50000", "0.0.0.0:50000")
			     DUMPED("t", "20", "7", "10.0.0.1:900", "10.0.0.2:50000")
				     CALL("14", "16", "t", "write", "fd=7", "5")
					     CALL("22", "23", "t", "read", "fd=7", "10")
						     CALL("24", "26", "t", "write", "fd=7", "20"),
		"r1.1 ?:900>20:50000 22-26");
}

/* Packets that are seen have other addresses, as they are translated on their way: they count. */
static void dumped_and_translated(void **state)
{
	(void)state;
	requests_are(DUMPS BOTH SAID DUMPED("s", "10", "5", "10.9.9.9:80", OWN)
			     DUMPED("t", "20", "7", OWN, PEERS) KEPT_CLIENT KEPT_SERVER,
		"r1.1 10:40000>20:80 10-42");
}

/* The server was in read when the recording began: its end is seen, and the packet that ended its
 * wait says on which connection. */
#define IN_READ(exits, packet)                                                                     \
	SWITCH("0", "t", "30", "1", "0")                                                           \
	ARRIVES("20", "t", packet, "20")                                                           \
	SWITCH("21", "t", "0", "0", "20")                                                          \
	exits ENTER("24", "t", "write", "fd=7") SEND("25", "t", KEPT_REPLY)                        \
		LEAVE("26", "t", "write", "ret=20")
#define NEXT_ONE                                                                                   \
	ENTER("50", "s", "write", "fd=5")                                                          \
	SEND("51", "s", PACKET("1", "2", "40000", "80", "11"))                                     \
	LEAVE("52", "s", "write", "ret=30")                                                        \
	RECEIVE("60", "t", PACKET("1", "2", "40000", "80", "11"))                                  \
	CALL("62", "63", "t", "read", "fd=7", "30")                                                \
	ENTER("64", "t", "write", "fd=7")                                                          \
	SEND("65", "t", PACKET("2", "1", "80", "40000", "12"))                                     \
	LEAVE("66", "t", "write", "ret=40")                                                        \
	RECEIVE("70", "s", PACKET("2", "1", "80", "40000", "12"))                                  \
	CALL("71", "72", "s", "read", "fd=5", "40")
static void kept_and_in_read(void **state)
{
	(void)state;
	requests_are(BOTH KEPT_CLIENT IN_READ(LEAVE("23", "t", "read", "ret=10"), KEPT_ASK)
			     NEXT_ONE,
		"r1.1 10:40000>20:80 10-42, r1.2 10:40000>20:80 50-72");
	/* By its number. */
	requests_are(
		"event \"raw_syscalls:sys_exit\" { s64 id; s64 ret }\n" BOTH KEPT_CLIENT IN_READ(
			"23us t 0 \"raw_syscalls:sys_exit\" id=0 ret=10\n", KEPT_ASK) NEXT_ONE,
		"r1.1 10:40000>20:80 10-42, r1.2 10:40000>20:80 50-72");
	/* It read from somebody else: from a server of its own, which it had asked before. */
	requests_are(BOTH KEPT_CLIENT IN_READ(LEAVE("23", "t", "read", "ret=10"),
			     PACKET("3", "2", "5432", "41000", "1")) NEXT_ONE,
		"r1.1 10:40000>?:80 10-42, r1.2 10:40000>20:80 50-72");
	/* It was in another call. */
	requests_are(BOTH KEPT_CLIENT IN_READ(LEAVE("23", "t", "poll", "ret=1"), KEPT_ASK) NEXT_ONE,
		"r1.1 10:40000>?:80 10-42, r1.2 10:40000>20:80 50-72");
	/* Not the same bytes: something is missing. */
	requests_are(BOTH KEPT_CLIENT IN_READ(LEAVE("23", "t", "read", "ret=17"), KEPT_ASK)
			     NEXT_ONE,
		"r1.1 10:40000>?:80 10-42, r1.2 10:40000>20:80 50-72");
}

/* The path of a request of which only the server was recorded is the server's. */
static void path_of_the_server(void **state)
{
	(void)state;
	struct found f;
	struct requests_parts_finder *finder;
	struct path p;
	struct mer_err err = { 0 };
	int64_t sum = 0;
	find(&f, "host t\ntrace t/kernel\n" KEPT_SERVER);
	assert_int_equal(requests_parts_finder_new(f.r, &finder, &err), 0);
	assert_int_equal(requests_path(finder, 0, &p, &err), 0);
	assert_int_equal(f.w->hosts[p.host].tasks[p.task].tid, 20);
	assert_int_equal(p.begin / 1000, 20);
	assert_int_equal(p.end / 1000, 26);
	for (size_t i = 0; i < p.n_segments; i++) {
		sum += p.segments[i].end - p.segments[i].begin;
		assert_int_equal(p.segments[i].depth, 0);
	}
	assert_int_equal(sum, p.end - p.begin);
	path_fini(&p);
	requests_parts_finder_free(finder);
	fini(&f);
}

/* The path of a request: "10 running 1, 0 flight 6", with the number of the host for kernels. */
static void path_is(const char *world, const char *expected)
{
	struct found f;
	struct requests_parts_finder *finder;
	struct path p;
	struct mer_str out = { 0 };
	struct mer_err err = { 0 };
	find(&f, world);
	assert_int_equal(requests_parts_finder_new(f.r, &finder, &err), 0);
	assert_int_equal(requests_path(finder, 0, &p, &err), 0);
	for (size_t i = 0; i < p.n_segments; i++) {
		const struct path_segment *s = &p.segments[i];
		mer_str_puts(&out, i ? ", " : "");
		if (s->task == KERNEL_NONE)
			mer_str_printf(&out, "kernel of %" PRIu32, s->host);
		else
			put_tid(f.w, s->host, s->task, &out);
		mer_str_printf(&out, " %s %" PRId64,
			s->in_flight  ? "flight"
			: s->delivery ? "delivery"
				      : path_cause_name((enum path_cause)s->cause),
			(s->end - s->begin) / 1000);
	}
	assert_string_equal(out.data ? out.data : "", expected);
	for (size_t i = 0; i < p.n_links; i++)
		assert_true(p.links[i].from_host != p.links[i].to_host);
	mer_str_fini(&out);
	path_fini(&p);
	requests_parts_finder_free(finder);
	fini(&f);
}

/* While a task waits in connect, the kernel of the other host answers: that is in the path, as in
 * that of the task. If a task of that host sends the packet, it may do so for anybody. */
#define SYN PACKET("1", "2", "4000", "80", "8")
#define SYN_ACK PACKET("2", "1", "80", "4000", "9")
#define CONNECTS(answer)                                                                           \
	SWITCH("1", "s", "0", "0", "10")                                                           \
	CALL("2", "2", "s", "socket", "family=2 type=1", "5")                                      \
	ENTER("3", "s", "connect", "fd=5 " TO_T)                                                   \
	SEND("4", "s", SYN)                                                                        \
	SWITCH("5", "s", "10", "1", "0")                                                           \
	SWITCH("1", "t", "0", "0", "20")                                                           \
	ENTER("2", "t", "accept", "fd=4")                                                          \
	answer ARRIVES("20", "s", SYN_ACK, "10") SWITCH("22", "s", "0", "0", "10") LEAVE("23",     \
		"s", "connect", "ret=0") LEAVE("24", "t", "accept", "ret=7 " FROM_S) ENTER("30",   \
		"s", "write", "fd=5") SEND("31", "s", ASK) LEAVE("32", "s", "write", "ret=10")     \
		SWITCH("33", "s", "10", "1", "0") RECEIVE("40", "t", ASK) CALL(                    \
			"42", "43", "t", "read", "fd=7", "10") ENTER("44", "t", "write", "fd=7")   \
			SEND("45", "t", REPLY) LEAVE("46", "t", "write", "ret=20")                 \
				ARRIVES("60", "s", REPLY, "10") SWITCH("61", "s", "0", "0", "10")  \
					CALL("62", "63", "s", "read", "fd=5", "20")
#define IN_SOFTIRQ                                                                                 \
	"10us t 0 irq_softirq_entry vec=3\n" RECEIVE("10", "t", SYN)                               \
		SEND("12", "t", SYN_ACK) "12us t 0 irq_softirq_exit vec=3\n"
static void path_of_connect(void **state)
{
	(void)state;
	path_is(BOTH CONNECTS(IN_SOFTIRQ),
		"10 running 2, kernel of 1 flight 5, kernel of 1 interrupted 2, 10 flight 8, "
		"10 runnable 2, 10 running 1, 10 running 7, 10 running 1, 20 flight 9, "
		"20 running 2, 20 running 1, 20 running 1, 20 running 1, 10 flight 15, "
		"10 runnable 1, 10 running 1, 10 running 1");
	path_is(BOTH CONNECTS(RECEIVE("10", "t", SYN) SEND("12", "t", SYN_ACK)),
		"10 running 2, 10 network 15, "
		"10 runnable 2, 10 running 1, 10 running 7, 10 running 1, 20 flight 9, "
		"20 running 2, 20 running 1, 20 running 1, 20 running 1, 10 flight 15, "
		"10 runnable 1, 10 running 1, 10 running 1");
}

/* Of its parts: what the kernel did in the softirq is no time of the network, in sums neither. */
static void parts_of_connect(void **state)
{
	(void)state;
	struct found f;
	struct requests_parts parts = { 0 };
	struct requests_parts_finder *finder;
	struct mer_err err = { 0 };
	int64_t sums[REQUESTS_N_PARTS] = { 0 };
	struct mer_str out = { 0 };
	find(&f, BOTH CONNECTS(IN_SOFTIRQ));
	assert_int_equal(requests_parts_finder_new(f.r, &finder, &err), 0);
	assert_int_equal(requests_parts_find(finder, 0, &parts, &err), 0);
	for (size_t i = 0; i < 4; i++) {
		const struct requests_part *p = &parts.item[i];
		mer_str_printf(&out, "%s%s %s of %" PRIu32 " %" PRId64, i ? ", " : "",
			p->is_kernels ? "kernel" : "task", path_cause_name(p->cause), p->host,
			(p->end - p->begin) / 1000);
	}
	assert_string_equal(out.data,
		"task running of 0 2, kernel network of 1 5, kernel interrupted of 1 2, "
		"task network of 0 8");
	assert_int_equal(requests_parts_sum(finder, 0, sums, &err), 0);
	assert_int_equal(sums[REQUESTS_NETWORK], 37000); /* 5 + 8 + 9 + 15 */
	assert_int_equal(sums[REQUESTS_CPU], 7000);	 /* 2, and 5 of the server */
	mer_str_fini(&out);
	requests_parts_fini(&parts);
	requests_parts_finder_free(finder);
	fini(&f);
}

/* Two ports that say nothing: who is seen to ask first. */
static void kept_between_equals(void **state)
{
	(void)state;
#define EQUAL(sport, dport)                                                                        \
	SWITCH("0", "s", "0", "0", "10")                                                           \
	ENTER("10", "s", "write", "fd=5")                                                          \
	SEND("11", "s", PACKET("1", "2", sport, dport, "1"))                                       \
	LEAVE("12", "s", "write", "ret=10")                                                        \
	RECEIVE("40", "s", PACKET("2", "1", dport, sport, "2"))                                    \
	CALL("41", "42", "s", "read", "fd=5", "20")
	requests_are("host s\ntrace s/kernel\n" EQUAL("5000", "7000"), "r1.1 10:5000>?:7000 10-42");
	requests_are(
		"host s\ntrace s/kernel\n" EQUAL("50000", "60000"), "r1.1 10:50000>?:60000 10-42");
}

/* Times of the two hosts cannot be compared: each tells what it saw. */
static void ends_apart(void **state)
{
	(void)state;
	requests_are_with(BOTH KEPT_CLIENT KEPT_SERVER, false, "r1.1 10:40000>20:80 10-42");
	requests_are_with(BOTH KEPT_CLIENT KEPT_SERVER, true,
		"r1.1 10:40000>?:80 10-42, r2.1 ?:40000>20:80 20-26");
}

/* What is on a connection that nothing tells apart from others is counted. */
static void unfollowed(void **state)
{
	(void)state;
	struct found f;
	find(&f, "host t\ntrace t/kernel\n" SWITCH("0", "t", "0", "0", "20") CALL("22", "23", "t",
			 "recvfrom", "fd=7", "10") CALL("24", "26", "t", "sendto", "fd=7", "20")
			 CALL("27", "28", "t", "recvfrom", "fd=7", "10")
				 CALL("29", "29", "t", "socket", "family=2 type=2", "8")
					 CALL("30", "31", "t", "recvfrom", "fd=8", "10"));
	assert_int_equal(f.r->n, 0);
	assert_int_equal(f.r->connections.n_unfollowed, 2);
	fini(&f);
}

/* What lies outside is one part, whatever the client did meanwhile. */
static void outside(void **state)
{
	(void)state;
	parts_are("host s\ntrace s/kernel\n" OPEN(TO_T) CLIENT_ASKS SWITCH("14", "s", "10", "1",
			  "0") ARRIVES("40", "s", REPLY, "10") SWITCH("41", "s", "0", "0", "10")
			  CALL("42", "43", "s", "read", "fd=5", "20"),
		0, "outside 28");
}

/* The request is sent twice before it arrives; the answer, too, the second time long after its
 * call. */
#define NUMBERED(from, to, sport, dport, seq, id)                                                  \
	" len=114 name=\"eth0\" network_header.ipv4={ ihl=5, tot_len=100, id=" id                  \
	", saddr=[10, 0, 0, " from "], daddr=[10, 0, 0, " to                                       \
	"], protocol=_tcp, transport_header.tcp={ source_port=" sport ", dest_port=" dport         \
	", seq=" seq ", data_offset=5, flags=0x18 } }\n"
#define ASK_AS(id) NUMBERED("1", "2", "4000", "80", "101", id)
#define REPLY_AS(id) NUMBERED("2", "1", "80", "4000", "102", id)
static void sent_again(void **state)
{
	(void)state;
	parts_are(BOTH OPEN(TO_T) ACCEPT(FROM_S) CLIENT_ASKS SERVER CLIENT_READS ENTER(
			  "110", "s", "write", "fd=5") SEND("111", "s", ASK_AS("1")) LEAVE("112",
			  "s", "write", "ret=10") SWITCH("113", "s", "10", "1", "0") SEND("130",
			  "s", ASK_AS("2")) SEND("170", "s", ASK_AS("3")) RECEIVE("175", "t",
			  ASK_AS("3")) CALL("176", "177", "t", "read", "fd=7", "10")
			  ENTER("178", "t", "write", "fd=7") SEND("179", "t", REPLY_AS("4")) LEAVE(
				  "180", "t", "write", "ret=20") SEND("199", "t", REPLY_AS("5"))
				  ARRIVES("210", "s", REPLY_AS("5"), "10") SWITCH("211", "s", "0",
					  "0", "10") CALL("212", "213", "s", "read", "fd=5", "20"),
		1,
		"network 58, lost of host 0 2x 58, network 5, network 19, lost of host 1 1x 19, "
		"network 11");
}

/* Who forks a child for each connection closes it; the child has what its parent had then. */
static void inherited(void **state)
{
	(void)state;
	requests_are(BOTH OPEN(TO_T) ACCEPT(
			     FROM_S) "6us t 0 sched_process_fork parent_tid=20 parent_pid=20 "
				     "child_tid=21 child_pid=21\n" CALL("7", "8", "t", "close",
					     "fd=7", "0") SWITCH("9", "t", "20", "1", "21")
					     CLIENT_ASKS SERVER CLIENT_READS,
		"r1.1 10:4000>21:80 3-42");
}

/* The same descriptors, once more: another connection. */
static void used_again(void **state)
{
	(void)state;
	requests_are(
		BOTH OPEN(TO_T) ACCEPT(FROM_S) CLIENT_ASKS SERVER CLIENT_READS CALL("43", "44", "s",
			"close", "fd=5", "0") CALL("43", "44", "t", "close", "fd=7", "0") CALL("45",
			"45", "s", "socket", "family=2 type=1", "5") CALL("46", "47", "s",
			"connect", "fd=5 " TO_T, "0") ENTER("45", "t", "accept", "fd=4") LEAVE("48",
			"t", "accept", "ret=7 family=2 sport=4001 v4addr=[10, 0, 0, 1]") ENTER("50",
			"s", "write", "fd=5") SEND("51", "s",
			PACKET("1", "2", "4001", "80", "7")) LEAVE("52", "s", "write",
			"ret=1") RECEIVE("53", "t", PACKET("1", "2", "4001", "80", "7")) CALL("54",
			"55", "t", "read", "fd=7", "1") ENTER("56", "t", "write", "fd=7") SEND("57",
			"t", PACKET("2", "1", "80", "4001", "8")) LEAVE("58", "t", "write", "ret=1")
			RECEIVE("59", "s", PACKET("2", "1", "80", "4001", "8"))
				CALL("60", "61", "s", "read", "fd=5", "1"),
		"r1.1 10:4000>20:80 3-42, r2.1 10:4001>20:80 46-61");
}

/* Packets tell nothing of ports, nor connect and accept of addresses: the ends are those where one
 * was woken by what the other one sent. */
static void without_addresses(void **state)
{
	(void)state;
#define BARE_1 PACKET("1", "2", "0", "0", "1")
#define BARE_2 PACKET("2", "1", "0", "0", "2")
	requests_are(
		BOTH OPEN("") ACCEPT("") ENTER("6", "t", "read", "fd=7") SWITCH("7", "t", "20", "1",
			"0") ENTER("10", "s", "write", "fd=5") SEND("11", "s", BARE_1) LEAVE("12",
			"s", "write", "ret=10") ENTER("13", "s", "read", "fd=5") SWITCH("14", "s",
			"10", "1", "0") ARRIVES("20", "t", BARE_1, "20") SWITCH("21", "t", "0", "0",
			"20") LEAVE("22", "t", "read", "ret=10") ENTER("24", "t", "write", "fd=7")
			SEND("25", "t", BARE_2) LEAVE("26", "t", "write", "ret=20")
				ARRIVES("40", "s", BARE_2, "10") SWITCH("41", "s", "0", "0", "10")
					LEAVE("42", "s", "read", "ret=20"),
		"r1.1 10:0>20:0 3-42");
}

/* ---- within a host ---- */

#define ALONE "host s\ntrace s/kernel\n"
#define WOKEN(at, tid) at "us s 0 sched_waking tid=" tid "\n"
#define TO(at, from, to) SWITCH(at, "s", from, "1", to)

static void unix_socket(void **state)
{
	(void)state;
	requests_are(ALONE TO("1", "0", "20") CALL("2", "2", "s", "socket", "family=1 type=1",
			     "3") ENTER("3", "s", "accept", "fd=3") TO("4", "20", "10") CALL("5",
			     "5", "s", "socket", "family=1 type=1", "5") ENTER("6", "s", "connect",
			     "fd=5 family=1") WOKEN("7", "20") LEAVE("8", "s", "connect",
			     "ret=0") CALL("9", "10", "s", "write", "fd=5", "10") TO("12", "10",
			     "20") LEAVE("13", "s", "accept", "ret=7 family=1") CALL("14", "14",
			     "s", "read", "fd=7", "10") CALL("15", "17", "s", "write", "fd=7", "20")
			     TO("18", "20", "10") CALL("19", "19", "s", "read", "fd=5", "20"),
		"r1.1 10:0>20:0 6-19");
}

/* Descriptors of which nothing is known wake in the same way: terminals, say. */
#define TURN(a, b, c, d, e, f, g, h, i, j)                                                         \
	ENTER(a, "s", "write", "fd=5")                                                             \
	WOKEN(b, "20")                                                                             \
	LEAVE(c, "s", "write", "ret=10")                                                           \
	ENTER(d, "s", "read", "fd=5")                                                              \
	TO(e, "10", "20")                                                                          \
	LEAVE(f, "s", "read", "ret=10")                                                            \
	ENTER(g, "s", "write", "fd=7")                                                             \
	WOKEN(h, "10") LEAVE(i, "s", "write", "ret=20") ENTER(j, "s", "read", "fd=7")
#define TWO_TURNS                                                                                  \
	ENTER("2", "s", "read", "fd=7")                                                            \
	TO("3", "20", "10")                                                                        \
	TURN("10", "11", "12", "13", "14", "15", "16", "17", "18", "19")                           \
	TO("20", "20", "10")                                                                       \
	LEAVE("21", "s", "read", "ret=20")                                                         \
	TURN("30", "31", "32", "33", "34", "35", "36", "37", "38", "39")                           \
	TO("40", "20", "10")                                                                       \
	LEAVE("41", "s", "read", "ret=20")

static void not_a_socket(void **state)
{
	(void)state;
	requests_are(ALONE TO("1", "0", "20") TWO_TURNS, "");
	/* Of one end the state dump says that it is a socket. */
	requests_are(ALONE
		"0us s 0 lttng_statedump_process_state tid=10 pid=10 file_table_address=1\n"
		"0us s 0 lttng_statedump_file_descriptor file_table_address=1 fd=5 "
		"filename=\"socket:[77]\"\n" TO("1", "0", "20") TWO_TURNS,
		"r1.1 10:0>20:0 10-21, r1.2 10:0>20:0 30-41");
}

#define MADE(at, read, write)                                                                      \
	ENTER(at, "s", "pipe2", "") LEAVE(at, "s", "pipe2", "ret=0 fildes=[" read ", " write "]")

static void two_pipes(void **state)
{
	(void)state;
	requests_are(
		ALONE TO("1", "0", "10") MADE("2", "5", "6") MADE("3", "7",
			"8") "4us s 0 "
			     "sched_process_fork parent_tid=10 parent_pid=10 child_tid=20 child_pid=20\n" CALL(
				     "5", "6", "s", "write", "fd=6", "10") ENTER("7", "s", "read",
				     "fd=7") TO("8", "10", "20") CALL("9", "10", "s", "read",
				     "fd=5", "10") CALL("11", "12", "s", "write", "fd=8", "20")
				     TO("13", "20", "10") LEAVE("14", "s", "read", "ret=20"),
		"r1.1 10:0>20:0 5-14");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends),
		cmocka_unit_test(opened_beforehand),
		cmocka_unit_test(known_by_accept),
		cmocka_unit_test(one_end),
		cmocka_unit_test(kept_and_one_end),
		cmocka_unit_test(kept_and_dumped),
		cmocka_unit_test(dumped_and_translated),
		cmocka_unit_test(kept_and_in_read),
		cmocka_unit_test(path_of_the_server),
		cmocka_unit_test(path_of_connect),
		cmocka_unit_test(parts_of_connect),
		cmocka_unit_test(kept_between_equals),
		cmocka_unit_test(ends_apart),
		cmocka_unit_test(unfollowed),
		cmocka_unit_test(outside),
		cmocka_unit_test(sent_again),
		cmocka_unit_test(inherited),
		cmocka_unit_test(used_again),
		cmocka_unit_test(without_addresses),
		cmocka_unit_test(unix_socket),
		cmocka_unit_test(not_a_socket),
		cmocka_unit_test(two_pipes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
