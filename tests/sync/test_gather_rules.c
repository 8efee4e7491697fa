/* Which events are ends of messages, each rule by itself on two hosts from text: what identifies a
 * packet, what is said when headers, a direction or everything is missing, and pairs that the user
 * declares. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "scenario.h"
#include "sync/match/user_pairs.h"

#define HOSTS                                                                                      \
	"host a\nhost b\ntrace a/kernel { declare net_dev_queue net_if_receive_skb sched_switch "  \
	"}\ntrace b/kernel { declare net_dev_queue net_if_receive_skb sched_switch }\n"
#define ADDRESSES "saddr=[10, 0, 0, 1], daddr=[10, 0, 0, 2]"
#define IP(more, transport)                                                                        \
	" len=114 name=\"eth0\" network_header.ipv4={ ihl=5, tot_len=100, " ADDRESSES more         \
	", transport_header." transport " }\n"
#define TCP(seq)                                                                                   \
	IP(", id=7, protocol=_tcp",                                                                \
		"tcp={ source_port=1, dest_port=2, seq=" seq ", data_offset=5, flags=0x18 }")
#define UDP(id, ports) IP(", protocol=_udp, id=" id, "udp={ " ports ", len=80 }")
#define ICMP(id, what) IP(", protocol=_icmp, id=" id, "icmp={ " what " }")
#define NO_HEADERS " len=66 name=\"eth0\"\n"
#define SENDS(host, packet) "10us " host " 0 net_dev_queue" packet
#define ARRIVES(host, packet) "20us " host " 0 net_if_receive_skb" packet
#define BOTH(packet) SENDS("a", packet) ARRIVES("b", packet)
#define BOTH_WAYS BOTH(TCP("77")) SENDS("b", TCP("99")) ARRIVES("a", TCP("99"))

/* "MESSAGES from a to b, BACK; ends of a and b without a key", and what is said about whom. */
static void gathered_with(
	const char *text, const struct sync_gather_options *o, const char *expected)
{
	struct scenario s;
	struct sync_messages m;
	struct mer_err err;
	struct mer_str out = { 0 };
	struct mer_diags found;
	scenario_open(&s, text);
	struct mer_diags before = s.e->diags;
	mer_diags_init(&s.e->diags, &s.e->arena);
	if (sync_gather(s.e, o, &m, &err))
		fail_msg("%s", err.text);
	found = s.e->diags;
	s.e->diags = before;
	size_t n[2] = { 0 };
	for (size_t i = 0; i < m.n_links; i++)
		if (m.links[i].from != m.links[i].to)
			n[m.links[i].from] += m.links[i].n;
	mer_str_printf(&out, "%zu, %zu; %" PRIu64 ", %" PRIu64, n[0], n[1],
		m.hosts[0].n_without_key, m.hosts[1].n_without_key);
	for (size_t i = 0; i < found.n; i++)
		if (strncmp(found.rows[i].code, "sync-", 5) == 0)
			mer_str_printf(&out, " %s(%s %" PRIu64 ")", found.rows[i].code,
				found.rows[i].host ? found.rows[i].host : "", found.rows[i].count);
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	mer_diags_fini(&found);
	sync_messages_free(&m);
	scenario_close(&s);
}

static void gathered(const char *text, const char *expected)
{
	gathered_with(text, NULL, expected);
}

static void protocols(void **state)
{
	(void)state;
	gathered(HOSTS BOTH_WAYS, "1, 1; 0, 0");
	/* Datagrams by ports, identification and length. */
#define PORTS "source_port=5, dest_port=6"
	gathered(HOSTS BOTH_WAYS BOTH(UDP("9", PORTS)), "2, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS SENDS("a", UDP("9", PORTS)) ARRIVES("b", UDP("8", PORTS)),
		"1, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS SENDS("a", UDP("9", PORTS))
			 ARRIVES("b", UDP("9", "source_port=5, dest_port=7")),
		"1, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS SENDS("a", UDP("9", PORTS))
			 ARRIVES("b", UDP("9", "source_port=4, dest_port=6")),
		"1, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS BOTH(UDP("0", PORTS)), "2, 1; 0, 0"); /* it is the only one */
	/* Echoes have numbers of their own. */
	gathered(HOSTS BOTH_WAYS BOTH(ICMP("0", "type=8, gateway=5")), "2, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS BOTH(ICMP("0", "type=0, gateway=5")), "2, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS BOTH(ICMP("0", "type=8, gateway=0")), "1, 1; 1, 1");
	gathered(HOSTS BOTH_WAYS BOTH(ICMP("0", "type=3, gateway=5")), "1, 1; 1, 1");
	gathered(HOSTS BOTH_WAYS BOTH(ICMP("4", "type=3, gateway=5")), "2, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS SENDS("a", ICMP("4", "type=8, gateway=5"))
			 ARRIVES("b", ICMP("4", "type=0, gateway=5")),
		"1, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS SENDS("a", ICMP("4", "type=3, code=1"))
			 ARRIVES("b", ICMP("4", "type=3, code=2")),
		"1, 1; 0, 0");
	/* Only the first fragment has ports. */
	gathered(HOSTS BOTH_WAYS BOTH(UDP("9, frag_off=0x2000", PORTS)), "2, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS BOTH(UDP("9, frag_off=0x4000", PORTS)), "2, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS BOTH(UDP("9, frag_off=1", PORTS)), "1, 1; 1, 1");
	gathered(HOSTS BOTH_WAYS BOTH(UDP("9, frag_off=0x1000", PORTS)), "1, 1; 1, 1");
	/* From the host to itself. */
#undef ADDRESSES
#define ADDRESSES "saddr=[127, 0, 0, 1], daddr=[127, 0, 0, 1]"
	gathered(HOSTS BOTH(TCP("33")), "0, 0; 0, 0 sync-one-way(a 1) sync-one-way(b 1)");
#undef ADDRESSES
#define ADDRESSES "saddr=[10, 0, 0, 1], daddr=[10, 0, 0, 2]"
}

/* Addresses as numbers, and no choice of headers: an older layout. Those that begin with 127 are
 * the host's own. */
static void addresses_as_numbers(void **state)
{
	(void)state;
#define OLD                                                                                        \
	"event net_dev_queue { struct { u16 be tot_len; u16 be id; u32 be saddr; u32 be daddr; "   \
	"struct { u16 be source_port; u16 be dest_port; u32 be seq; u32 be ack_seq; u16 be "       \
	"flags } tcp } ipv4 }\n"
#define OLD_SEND(address)                                                                          \
	"10us a 0 net_dev_queue ipv4={ tot_len=100, id=7, saddr=" address ", daddr=" address       \
	", tcp={ source_port=1, dest_port=2, seq=55, flags=0x18 } }\n"
#define OLD_HOSTS "host a\nhost b\ntrace a/kernel\ntrace b/kernel\n"
	for (int local = 0; local < 2; local++) {
		char text[2000];
		snprintf(text, sizeof(text),
			OLD_HOSTS "%s" OLD_SEND("%s") "20us b 0 net_if_receive_skb len=114 "
						      "name=\"eth0\" network_header.ipv4={ ihl=5, "
						      "tot_len=100, id=7, saddr=[%s, 0, 0, 1], "
						      "daddr=[%s, 0, 0, 1], protocol=_tcp, "
						      "transport_header.tcp={ source_port=1, "
						      "dest_port=2, seq=55, flags=0x18 } }\n",
			OLD, local ? "0x7F000001" : "0x0A000001",
			local ? "0x7F000001" : "0x0A000001", local ? "127" : "10",
			local ? "127" : "10");
		gathered(text, local ? "0, 0; 0, 0 sync-one-way(a 1) sync-one-way(b 1)"
				     : "1, 0; 0, 0 sync-one-way(a 1) sync-one-way(b 1)");
	}
}

/* IPv6 says how much comes behind its own header. */
static void ipv6(void **state)
{
	(void)state;
#define IPV6(address, payload)                                                                     \
	" len=114 name=\"eth0\" network_header.ipv6={ payload_len=" payload                        \
	", saddr=[0xfe80, 0, 0, 0, 0, 0, 0, " address                                              \
	"], daddr=[0xfe80, 0, 0, 0, 0, 0, 0, 9], nexthdr=_tcp, transport_header.tcp={ "            \
	"source_port=1, dest_port=2, seq=1000, data_offset=5, flags=0x18 } }\n"
	gathered(HOSTS BOTH_WAYS BOTH(IPV6("1", "120")), "2, 1; 0, 0");
	gathered(HOSTS BOTH_WAYS SENDS("a", IPV6("1", "120")) ARRIVES("b", IPV6("2", "120")),
		"1, 1; 0, 0");
	/* A segment that arrives in two parts: of 100 bytes of data the first 40, and the rest. */
#define PART(seq, payload)                                                                         \
	" len=114 name=\"eth0\" network_header.ipv6={ payload_len=" payload                        \
	", saddr=[0xfe80, 0, 0, 0, 0, 0, 0, 1], daddr=[0xfe80, 0, 0, 0, 0, 0, 0, 9], "             \
	"nexthdr=_tcp, transport_header.tcp={ source_port=1, dest_port=2, seq=" seq                \
	", data_offset=5, flags=0x18 } }\n"
	gathered(HOSTS BOTH_WAYS SENDS("a", PART("1000", "120")) ARRIVES("b", PART("1000", "60"))
			 ARRIVES("b", PART("1040", "80")),
		"2, 1; 0, 0");
}

/* What is missing on a host. Of few packets without headers nothing is said, nor where messages
 * were found. */
static void missing(void **state)
{
	(void)state;
	gathered(HOSTS SENDS("a", TCP("1")) "30us b 0 sched_switch next_tid=1\n",
		"0, 0; 0, 0 sync-one-way(a 1) sync-no-events(b 1)");
	gathered(HOSTS ARRIVES("a", TCP("1")) SENDS("b", TCP("2")) ARRIVES("b", TCP("3")),
		"0, 0; 0, 0 sync-one-way(a 1)");
	gathered(HOSTS BOTH(TCP("1")), "1, 0; 0, 0 sync-one-way(a 1) sync-one-way(b 1)");
	gathered(HOSTS SENDS("a", NO_HEADERS) ARRIVES("b", NO_HEADERS),
		"0, 0; 1, 1 sync-no-headers(a 1) sync-no-headers(b 1)");
	/* One of five, of four, of two. */
#define FOUR(host)                                                                                 \
	SENDS(host, TCP("1")) SENDS(host, TCP("2")) SENDS(host, TCP("3")) SENDS(host, TCP("4"))
	gathered(HOSTS FOUR("a") SENDS("a", NO_HEADERS) ARRIVES("a", TCP("9")) SENDS("b", TCP("8"))
			 ARRIVES("b", TCP("7")),
		"0, 0; 1, 0");
	gathered(HOSTS FOUR("a") SENDS("a", NO_HEADERS) SENDS("a", NO_HEADERS)
			 ARRIVES("a", TCP("9")) SENDS("b", TCP("8")) ARRIVES("b", TCP("7")),
		"0, 0; 2, 0 sync-no-headers(a 2)");
	gathered(HOSTS SENDS("a", NO_HEADERS) SENDS("a", NO_HEADERS) ARRIVES("b", NO_HEADERS)
			 ARRIVES("b", NO_HEADERS) BOTH_WAYS,
		"1, 1; 2, 2");
	/* One host alone has nobody to talk to. */
	gathered("host a\ntrace a/kernel\n" SENDS("a", NO_HEADERS), "0, 0; 1, 0");
}

/* ---- declared pairs ---- */

static void declared(const char *pairs, const char *text, const char *expected)
{
	struct sync_user_pairs *user;
	struct mer_err err;
	if (sync_user_pairs_parse(pairs, strlen(pairs), "f", &user, &err))
		fail_msg("%s", err.text);
	gathered_with(text, &(struct sync_gather_options){ .user = user }, expected);
	sync_user_pairs_free(user);
}

static void declared_pairs(void **state)
{
	(void)state;
#define CALLS(key)                                                                                 \
	HOSTS BOTH_WAYS "30us a 0 call " key " n=1\n40us b 0 served " key " n=1\n"                 \
			"41us b 0 answer n=1\n50us a 0 done n=1\n"
	declared("pair x call -> served key id\npair y answer -> done key n\n", CALLS("id=5"),
		"2, 2; 0, 0");
	/* Numbers, texts; two fields; other names. */
	declared("pair x call -> served key id n\n", CALLS("id=\"abc\""), "2, 1; 0, 0");
	declared("pair x call -> served key id=n n=id\n",
		HOSTS BOTH_WAYS "30us a 0 call id=5 n=7\n40us b 0 served id=7 n=5\n", "2, 1; 0, 0");
	declared("pair x call -> served key id n\n",
		HOSTS BOTH_WAYS "30us a 0 call id=5 n=7\n40us b 0 served id=5 n=8\n", "1, 1; 0, 0");
	/* One event is an end of two pairs. */
	declared("pair x call -> served key id\npair y call -> heard key id\n",
		HOSTS BOTH_WAYS "30us a 0 call id=5\n40us b 0 served id=5\n41us b 0 heard id=5\n",
		"3, 1; 0, 0");
	/* A list identifies nothing. */
	declared("pair x call -> served key id\n", CALLS("id=[1, 2]"), "1, 1; 1, 1");
	/* Events that are not there, or lack a field. */
	declared("pair x call -> nothing key id\n", CALLS("id=5"), "1, 1; 0, 0 sync-user-pair( 1)");
	declared("pair x nothing -> served key id\n", CALLS("id=5"),
		"1, 1; 0, 0 sync-user-pair( 1)");
	declared("pair x call -> served key other\n", CALLS("id=5"),
		"1, 1; 0, 0 sync-user-pair( 1) sync-user-pair( 1)");
	/* The same key twice: which is which? Ordered, the first is the first. */
#define TWICE                                                                                      \
	HOSTS BOTH_WAYS "30us a 0 call id=5\n31us a 0 call id=5\n400us b 0 served id=5\n"          \
			"401us b 0 served id=5\n"
	declared("pair x call -> served key id\n", TWICE, "1, 1; 0, 0 sync-user-pair( 1)");
	declared("pair x call -> served key id ordered\n", TWICE, "3, 1; 0, 0");
	/* Behind lost events they cannot be counted. */
	declared("pair x call -> served key id ordered\n",
		HOSTS BOTH_WAYS "30us a 0 call id=5\n40us b 0 served id=5\n50us a 0 packet\n"
				"50us a 0 lost 1\n60us a 0 call id=5\n70us b 0 served id=5\n",
		"2, 1; 1, 0 sync-user-pair( 1)");
}

/* Calls from a guest to its host and back: by the guest's number and their count. */
static void hypercalls(void **state)
{
	(void)state;
#define CALL(host, name, cnt, uid) "30us " host " 0 vmsync_" name " cnt=" cnt " vm_uid=" uid "\n"
	gathered(HOSTS CALL("a", "gh_guest", "4", "9") CALL("b", "gh_host", "4", "9")
			 CALL("b", "hg_host", "5", "9") CALL("a", "hg_guest", "5", "9"),
		"1, 1; 0, 0");
	gathered(HOSTS CALL("a", "gh_guest", "4", "9") CALL("b", "gh_host", "5", "9")
			 CALL("b", "hg_host", "5", "8") CALL("a", "hg_guest", "5", "9"),
		"0, 0; 0, 0");
	gathered(HOSTS "30us a 0 vmsync_gh_guest cnt=4\n31us b 0 vmsync_gh_host cnt=4\n",
		"0, 0; 1, 1 sync-no-headers(a 1) sync-no-headers(b 1)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(protocols),
		cmocka_unit_test(addresses_as_numbers),
		cmocka_unit_test(ipv6),
		cmocka_unit_test(missing),
		cmocka_unit_test(declared_pairs),
		cmocka_unit_test(hypercalls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
