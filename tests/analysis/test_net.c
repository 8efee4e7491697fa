/* Network traffic against what was worked out by hand and what the programs of a recording say they
 * sent; what one end sent the other received; and all tables agree. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "given.h"
#include "run_more.h"

enum { US = 1000, ETHERNET = 14 };

static const struct analysis_options all = {
	.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
};

/* As the verbs do: run_case believes the clocks, those of recordings are wrong. */
static void open_recording(struct run_case *c, const char *name)
{
	struct mer_err err = { 0 };
	run_case_open_recording(c, name);
	if (c->e->n_hosts < 2)
		return;
	sync_result_free(c->result);
	sync_messages_free(&c->messages);
	mer_experiment_free(c->e);
	char path[500];
	given_path(path, sizeof(path), name);
	const char *paths[] = { path };
	*c = (struct run_case){ 0 };
	if (mer_experiment_open(paths, 1, NULL, &c->e, &err) ||
		sync_gather(c->e, &(struct sync_gather_options){ 0 }, &c->messages, &err))
		fail_msg("%s", err.text);
	struct mer_arena arena;
	mer_arena_init(&arena);
	struct sync_host_info *infos = sync_host_infos(c->e, &arena);
	struct sync_options o = { .n_threads = 1, .no_lines = true };
	assert_non_null(infos);
	if (sync_solve(&c->messages, infos, c->e->n_hosts, &o, &c->result, &err) ||
		sync_apply(c->e, c->result, &err))
		fail_msg("%s", err.text);
	mer_arena_fini(&arena);
}

/* ---- by hand ---- */

#define HEADER(from, to, sport, dport, number)                                                     \
	" network_header.ipv4={ saddr=[10, 0, 0, " from "], daddr=[10, 0, 0, " to                  \
	"], protocol=_tcp, transport_header.tcp={ source_port=" sport ", dest_port=" dport         \
	", seq=" number ", data_offset=5, flags=0x18 } }\n"
#define RUNS(host, tid)                                                                            \
	"1us " host " 0 sched_switch prev_comm=\"p\" prev_tid=" tid                                \
	" prev_prio=20 next_comm=\"p\" next_tid=" tid " next_prio=20\n"

/* a sends two packets to b over Ethernet, b one to a from a softirq; a third one of a is lost, and
 * it receives one from nobody known on its loopback. */
static const char two_hosts[] = /* clang-format off */
	"host a\ntrace a/kernel\nhost b\ntrace b/kernel\n"
	RUNS("a", "10") RUNS("b", "20")
	"2us a 0 syscall_entry_socket family=2 type=1 protocol=0\n"
	"3us a 0 syscall_exit_socket ret=4\n"
	"9us a 0 syscall_entry_sendto fd=4 buff=1 len=186 flags=0 addr=0\n"
	"10us a 0 net_dev_queue len=114 name=\"eth0\"" HEADER("1", "2", "4000", "80", "1")
	"12us a 0 net_dev_queue len=214 name=\"eth0\"" HEADER("1", "2", "4000", "80", "2")
	"13us a 0 syscall_exit_sendto ret=186\n"
	"20us b 0 irq_softirq_entry vec=3\n"
	"20us b 0 net_if_receive_skb len=100 name=\"eth1\"" HEADER("1", "2", "4000", "80", "1")
	"22us b 0 net_if_receive_skb len=200 name=\"eth1\"" HEADER("1", "2", "4000", "80", "2")
	"23us b 0 net_dev_queue len=66 name=\"eth1\"" HEADER("2", "1", "80", "4000", "3")
	"24us b 0 irq_softirq_exit vec=3\n"
	"33us a 0 irq_softirq_entry vec=3\n"
	"33us a 0 net_if_receive_skb len=52 name=\"eth0\"" HEADER("2", "1", "80", "4000", "3")
	"34us a 0 irq_softirq_exit vec=3\n"
	"40us a 0 net_dev_queue len=314 name=\"eth0\"" HEADER("1", "2", "4000", "80", "4")
	"50us a 0 net_if_receive_skb len=1000 name=\"lo\"" HEADER("1", "1", "7", "8", "5")
	"60us a 0 syscall_entry_recvfrom fd=4 size=900 flags=0 addr_len=0\n"
	"61us a 0 syscall_exit_recvfrom ret=30\n"; /* clang-format on */

static void expect(const struct mer_table *t, const char *row, const char *key, int64_t value)
{
	int64_t is = run_case_int(t, run_more_row(t, row), key);
	if (is != value)
		fail_msg("%s of %s: %" PRId64, key, row, is);
}

static void packets_of_two_hosts(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c, two_hosts);
	run_case_run(&c, "net", NULL);
	const struct mer_table *t = run_case_table(&c, "interfaces");
	assert_int_equal(t->n_rows, 3);
	expect(t, "host=a interface=eth0", "sent_packets", 3);
	expect(t, "host=a interface=eth0", "sent_bytes", 100 + 200 + 300);
	expect(t, "host=a interface=eth0", "received_bytes", 52);
	expect(t, "host=a interface=eth0", "link_header_bytes", ETHERNET);
	expect(t, "host=a interface=lo", "received_bytes", 1000);
	expect(t, "host=b interface=eth1", "received_packets", 2);
	expect(t, "host=b interface=eth1", "received_bytes", 300);
	expect(t, "host=b interface=eth1", "sent_bytes", 52);
	t = run_case_table(&c, "top");
	expect(t, "host=a tid=10", "sent_packets", 3);
	expect(t, "host=a tid=10", "sent_bytes", 600);
	expect(t, "host=a tid=10", "received_bytes", 1000);
	expect(t, "host=a tid=10", "socket_sent_bytes", 186);
	expect(t, "host=a tid=10", "socket_received_bytes", 30);
	expect(t, "host=a tid=-", "received_packets", 1);
	expect(t, "host=b tid=-", "bytes", 352);
	t = run_case_table(&c, "pairs");
	assert_int_equal(t->n_rows, 2);
	expect(t, "from_host=a to_host=b", "packets", 2);
	expect(t, "from_host=a to_host=b", "sent_bytes", 300);
	expect(t, "from_host=a to_host=b", "received_bytes", 300);
	expect(t, "from_host=a to_host=b", "min_ns", 10 * US);
	expect(t, "from_host=b to_host=a", "mean_ns", 10 * US);
	expect(t, "from_host=b to_host=a", "sent_bytes", 52);
	t = run_case_table(&c, "sockets");
	assert_int_equal(t->n_rows, 1);
	assert_string_equal(run_case_text(t, 0, "socket"), "tcp socket");
	assert_int_equal(run_case_int(t, 0, "sends"), 1);
	assert_int_equal(run_case_int(t, 0, "receives"), 1);
	assert_int_equal(run_case_int(t, 0, "total_ns"), 5 * US);
	t = run_case_table(&c, "log");
	assert_int_equal(t->n_rows, 8);
	assert_string_equal(run_case_text(t, 0, "direction"), "sent");
	assert_string_equal(run_case_text(t, 0, "peer"), "b");
	assert_int_equal(run_case_int(t, 0, "duration_ns"), 10 * US);
	assert_int_equal(run_case_int(t, 0, "bytes"), 100);
	assert_string_equal(run_case_text(t, 2, "peer"), "a");
	assert_string_equal(run_case_text(t, 6, "peer"), ""); /* it never came */
	run_case_close(&c);
}

#define HEADER6(from, to, sport, dport, number)                                                    \
	" network_header.ipv6={ saddr=[0xfd00, 0, 0, 0, 0, 0, 0, " from                            \
	"], daddr=[0xfd00, 0, 0, 0, 0, 0, 0, " to                                                  \
	"], nexthdr=_tcp, transport_header.tcp={ source_port=" sport ", dest_port=" dport          \
	", seq=" number ", data_offset=5, flags=0x18 } }\n"

/* Packets and sockets of IPv6 are like those of IPv4; unix sockets are sockets, but no network. */
static void other_families(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c, /* clang-format off */
		"host a\ntrace a/kernel\nhost b\ntrace b/kernel\n"
		RUNS("a", "10") RUNS("b", "20")
		"2us a 0 syscall_entry_socket family=10 type=1 protocol=0\n"
		"3us a 0 syscall_exit_socket ret=4\n"
		"4us a 0 syscall_entry_socket family=1 type=1 protocol=0\n"
		"5us a 0 syscall_exit_socket ret=5\n"
		"9us a 0 syscall_entry_sendto fd=4 buff=1 len=86 flags=0 addr=0\n"
		"10us a 0 net_dev_queue len=114 name=\"eth0\"" HEADER6("1", "2", "4000", "80", "1")
		"13us a 0 syscall_exit_sendto ret=40\n"
		"14us a 0 syscall_entry_sendto fd=5 buff=1 len=9 flags=0 addr=0\n"
		"16us a 0 syscall_exit_sendto ret=9\n"
		"20us b 0 net_if_receive_skb len=100 name=\"eth1\"" HEADER6("1", "2", "4000", "80", "1")
		); /* clang-format on */
	run_case_run(&c, "net", NULL);
	expect(run_case_table(&c, "interfaces"), "host=a interface=eth0", "sent_bytes", 100);
	expect(run_case_table(&c, "pairs"), "from_host=a to_host=b", "received_bytes", 100);
	expect(run_case_table(&c, "pairs"), "from_host=a to_host=b", "min_ns", 10 * US);
	expect(run_case_table(&c, "top"), "host=a tid=10", "socket_sent_bytes", 40);
	const struct mer_table *t = run_case_table(&c, "sockets");
	assert_int_equal(t->n_rows, 2);
	expect(t, "tid=10 kind=socket", "sent_bytes", 40);
	expect(t, "tid=10 kind=unix", "sent_bytes", 9);
	run_case_close(&c);
}

/* A link without a header: what is sent is what is received. */
static void headers_are_learned(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c, /* clang-format off */
		"host a\ntrace a/kernel\nhost b\ntrace b/kernel\n"
		RUNS("a", "10") RUNS("b", "20")
		"10us a 0 net_dev_queue len=100 name=\"tun0\"" HEADER("1", "2", "4000", "80", "1")
		"20us b 0 net_if_receive_skb len=100 name=\"tun3\"" HEADER("1", "2", "4000", "80", "1")
		"30us a 0 net_dev_queue len=60 name=\"tun0\"" HEADER("1", "2", "4000", "80", "9")
		); /* clang-format on */
	run_case_run(&c, "net", NULL);
	const struct mer_table *t = run_case_table(&c, "interfaces");
	expect(t, "host=a interface=tun0", "link_header_bytes", 0);
	expect(t, "host=a interface=tun0", "sent_bytes", 160);
	expect(run_case_table(&c, "pairs"), "from_host=a to_host=b", "sent_bytes", 100);
	run_case_close(&c);
}

/* Published: the messages of a client, a router and a server. */
static void published_messages(void **state)
{
	struct run_case c;
	(void)state;
	run_more_open_xml(&c, "network/client.xml", "");
	run_case_run(&c, "net", NULL);
	const struct mer_table *t = run_case_table(&c, "interfaces");
	expect(t, "interface=eth0", "sent_packets", 1);
	expect(t, "interface=eth0", "received_packets", 1);
	expect(t, "interface=docker0", "received_packets", 1);
	expect(t, "interface=ens3", "sent_packets", 1);
	run_case_close(&c);
}

/* ---- a recording whose programs say what they sent ---- */

static void bytes_of_programs(void **state)
{
	enum { BYTES = 4000000, IP_AND_TCP = 52 };
	struct run_case c;
	(void)state;
	open_recording(&c, "lab/cpu-mem-io");
	run_case_run(&c, "net", NULL);
	const struct mer_table *t = run_case_table(&c, "interfaces");
	int64_t sent = run_case_int(t, run_more_row(t, "host=worker"), "sent_bytes");
	int64_t packets = run_case_int(t, run_more_row(t, "host=worker"), "sent_packets");
	assert_int_equal(packets, 145);
	/* Its bytes, with headers of 52 (of the first one 60), and ARP's 28; nothing was sent
	 * twice. */
	assert_int_equal(sent, BYTES + (packets - 1) * IP_AND_TCP + 8 + 28);
	assert_int_equal(run_case_int(t, run_more_row(t, "host=peer"), "received_bytes"), sent);
	assert_int_equal(run_case_int(t, run_more_row(t, "host=peer"), "sent_bytes"),
		run_case_int(t, run_more_row(t, "host=worker"), "received_bytes"));
	t = run_case_table(&c, "pairs");
	expect(t, "from_host=worker to_host=peer", "packets", 144);
	expect(t, "from_host=worker to_host=peer", "sent_bytes", sent - 28);
	expect(t, "from_host=worker to_host=peer", "received_bytes", sent - 28);
	expect(t, "from_host=peer to_host=worker", "packets", 75);
	t = run_case_table(&c, "top");
	expect(t, "tid=264 comm=net-sender", "socket_sent_bytes", BYTES);
	expect(t, "tid=228 comm=net-receiver", "socket_received_bytes", BYTES);
	t = run_case_table(&c, "sockets");
	expect(t, "socket=10.0.0.2:7000", "sent_bytes", BYTES);
	run_case_close(&c);
}

/* ---- all tables say the same ---- */

static const char *const recordings[] = { "lab/cpu-mem-io", "lab/cluster-10", "lab/threadirqs",
	"lab/clihog-srvhog-2vm", "lab/netns-containers", "lab/web-lossy", "public/django-vote" };

/* Lengths that no event tells are not there. */
static int64_t known(const struct mer_table *t, size_t row, const char *key)
{
	return run_case_cell(t, row, key)->set ? run_case_int(t, row, key) : 0;
}

/* What tasks have in a bin, all others among them, is what interfaces have. */
static void check_task_bins(const struct run_case *c)
{
	static const char *const keys[] = { "sent_packets", "sent_bytes", "received_packets",
		"received_bytes" };
	const struct mer_table *bins = run_case_table(c, "bins");
	const struct mer_table *tasks = run_case_table(c, "bins_tasks");
	for (size_t k = 0; k < 4; k++) {
		int64_t left = 0;
		assert_int_equal(run_more_sum(tasks, keys[k], ""), run_more_sum(bins, keys[k], ""));
		/* By when: the sums weighed with the time must be the same too. */
		int64_t first = run_case_int(bins, 0, "begin");
		for (size_t i = 0; i < bins->n_rows; i++)
			left += known(bins, i, keys[k]) *
				((run_case_int(bins, i, "begin") - first) / 1000);
		for (size_t i = 0; i < tasks->n_rows; i++)
			left -= known(tasks, i, keys[k]) *
				((run_case_int(tasks, i, "begin") - first) / 1000);
		assert_int_equal(left, 0);
	}
}

static void check_agreement(struct run_case *c, const char *name)
{
	static const char *const keys[] = { "bytes", "sent_packets", "sent_bytes",
		"received_packets", "received_bytes" };
	static const uint64_t n_bins[] = { 1, 9, 700 };
	const struct mer_table *top = run_case_table(c, "top");
	const struct mer_table *log = run_case_table(c, "log");
	const struct mer_table *interfaces = run_case_table(c, "interfaces");
	const struct mer_table *pairs = run_case_table(c, "pairs");
	const struct mer_table *stats = run_case_table(c, "stats");
	const struct mer_table *sockets = run_case_table(c, "sockets");
	int64_t both[5], matched = 0, last = INT64_MIN;
	if (log->n_rows == 0)
		fail_msg("%s: no packets", name);
	for (uint32_t h = 0; h < c->e->n_hosts; h++) {
		char host[200];
		snprintf(host, sizeof(host), "host=%s", c->e->hosts[h].name);
		for (size_t k = 0; k < 5; k++)
			assert_int_equal(run_more_sum(top, keys[k], host),
				run_more_sum(interfaces, keys[k], host));
		assert_int_equal(
			run_more_sum(log, "bytes", host), run_more_sum(interfaces, "bytes", host));
	}
	for (size_t i = 0; i < log->n_rows; i++) {
		assert_true(run_case_int(log, i, "begin") >= last);
		last = run_case_int(log, i, "begin");
		matched += *run_case_text(log, i, "peer") &&
			   strcmp(run_case_text(log, i, "direction"), "sent") == 0;
	}
	assert_int_equal(run_more_sum(log, "bytes", "direction=sent"),
		run_more_sum(interfaces, "sent_bytes", ""));
	/* Where events are lost, a packet's sending may not be in the log, and its receipt is. */
	int64_t of_pairs = run_case_sum(pairs, "packets", NULL, NULL);
	if (c->e->n_losses)
		assert_true(of_pairs >= matched);
	else
		assert_int_equal(of_pairs, matched);
	assert_int_equal(run_case_sum(stats, "count", NULL, NULL), of_pairs);
	assert_int_equal(run_case_sum(run_case_table(c, "freq"), "count", NULL, NULL), of_pairs);
	assert_int_equal(run_case_sum(top, "socket_sent_bytes", NULL, NULL),
		run_case_sum(sockets, "sent_bytes", "kind", "socket"));
	for (size_t k = 0; k < 5; k++)
		both[k] = run_more_sum(interfaces, keys[k], "");
	for (size_t i = 0; i < sizeof(n_bins) / sizeof(n_bins[0]); i++) {
		struct analysis_options o = all;
		o.n_bins = n_bins[i];
		run_case_run(c, "net", &o);
		for (size_t k = 1; k < 5; k++)
			assert_int_equal(
				run_more_sum(run_case_table(c, "bins"), keys[k], ""), both[k]);
		check_task_bins(c);
	}
}

static void tables_agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		struct run_case c;
		open_recording(&c, recordings[i]);
		run_case_run(&c, "net", NULL);
		check_agreement(&c, recordings[i]);
		run_case_close(&c);
	}
}

/* What was sent is what was received. (Where the receiver's device joins or splits segments that
 * need not be so: in lab/threadirqs a packet of 8700 bytes arrives as two.) */
static void both_ends_are_equal(void **state)
{
	static const char *const names[] = { "lab/cpu-mem-io", "lab/cluster-10",
		"lab/clihog-srvhog-2vm" };
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct run_case c;
		open_recording(&c, names[i]);
		run_case_run(&c, "net", NULL);
		const struct mer_table *t = run_case_table(&c, "pairs");
		assert_true(t->n_rows > 1);
		for (size_t k = 0; k < t->n_rows; k++)
			if (run_case_int(t, k, "sent_bytes") !=
				run_case_int(t, k, "received_bytes"))
				fail_msg("%s: %s to %s: %" PRId64 " and %" PRId64, names[i],
					run_case_text(t, k, "from_host"),
					run_case_text(t, k, "to_host"),
					run_case_int(t, k, "sent_bytes"),
					run_case_int(t, k, "received_bytes"));
		run_case_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_of_two_hosts),
		cmocka_unit_test(other_families),
		cmocka_unit_test(headers_are_learned),
		cmocka_unit_test(published_messages),
		cmocka_unit_test(bytes_of_programs),
		cmocka_unit_test(tables_agree),
		cmocka_unit_test(both_ends_are_equal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
