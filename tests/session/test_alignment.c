/* Alignments in one's own way: which messages count when a part of the time is asked about, on the
 * own clock of each host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "session/alignment.h"
#include "session_scenario.h"

/* Two hosts, b's clock 1000 s ahead, and a message from a to b each 10 us; the third is of UDP. */
#define PACKET(protocol, transport)                                                                \
	" len=114 name=\"eth0\" network_header.ipv4={ ihl=5, tot_len=100, saddr=[10, 0, 0, 1], "   \
	"daddr=[10, 0, 0, 2], id=7, protocol=" protocol ", transport_header." transport " }\n"
#define TCP(seq)                                                                                   \
	PACKET("_tcp", "tcp={ source_port=1, dest_port=2, seq=" seq ", data_offset=5, flags=0x18 }")
#define UDP PACKET("_udp", "udp={ source_port=1, dest_port=2, len=80 }")
#define MESSAGE(sent, received, packet)                                                            \
	sent "us a 0 net_dev_queue" packet received "us b 0 net_if_receive_skb" packet
static const char text[] =
	"host a\nhost b { ahead 1000s }\n"
	"trace a/kernel { declare net_dev_queue net_if_receive_skb sched_switch }\n"
	"trace b/kernel { declare net_dev_queue net_if_receive_skb sched_switch }\n"
	"5us a 0 sched_switch next_tid=1\n5us b 0 sched_switch next_tid=1\n" MESSAGE(
		"10", "12", TCP("1")) MESSAGE("20", "22", TCP("2")) MESSAGE("30", "32", UDP)
		MESSAGE("40", "42", TCP("4")) "50us a 0 sched_switch next_tid=1\n"
					      "50us b 0 sched_switch next_tid=1\n";

static struct session_scenario opened;
static struct session *session;
static struct mer_err err;

static int open_all(void **state)
{
	(void)state;
	session_scenario_open(&opened, text);
	session = opened.session;
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	session_scenario_close(&opened);
	return 0;
}

static int align(const char *begin, const char *end, struct session_alignment *a)
{
	struct session_alignment_query q = { .options = { .method = SYNC_REALTIME } };
	if (begin)
		assert_int_equal(session_moment_parse(&q.begin, begin, &err), 0);
	if (end)
		assert_int_equal(session_moment_parse(&q.end, end, &err), 0);
	err = (struct mer_err){ 0 };
	return session_align(session, &q, a, &err);
}

/* When messages were sent, after the host's first event, with "u" for UDP. */
static void between(const char *begin, const char *end, const char *expected)
{
	struct session_alignment a;
	struct mer_str out = { 0 };
	if (align(begin, end, &a))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < a.messages.n_links; i++) {
		const struct sync_link *l = &a.messages.links[i];
		for (size_t k = 0; k < l->n; k++)
			mer_str_printf(&out, "%s%d%s", out.len ? " " : "",
				(int)((l->messages[k].sent - a.hosts[l->from].span.begin) / 1000),
				l->kinds && l->kinds[k] == SYNC_UDP ? "u" : "");
	}
	assert_string_equal(out.data ? out.data : "", expected);
	assert_non_null(a.result);
	mer_str_fini(&out);
	session_alignment_fini(&a);
}

static void messages_between(void **state)
{
	(void)state;
	between(NULL, NULL, "5 15 25u 35");
	between("+0s", NULL, "5 15 25u 35");
	between("+10us", NULL, "15 25u 35");
	between(NULL, "+30us", "5 15 25u");
	/* The begin is in it and the end is not; and both ends of a message must be. */
	between("+15us", NULL, "15 25u 35");
	between("15001ns", NULL, "25u 35");
	between(NULL, "+35us", "5 15 25u");
	between(NULL, "+27us", "5 15");
	between(NULL, "27001ns", "5 15 25u");
	/* On the clock of one host: of the other end any time will do. */
	between("a:+15us", NULL, "15 25u 35");
	between("b:+17us", NULL, "15 25u 35");
	between("b:17001ns", NULL, "25u 35");
	between(NULL, "b:+17us", "5");
	between("a:+10us", "b:+30us", "15 25u");
}

static void mistakes(void **state)
{
	(void)state;
	struct session_alignment a;
	static const struct {
		const char *begin, *end;
		enum mer_remedy remedy;
	} wrong[] = { { "c:+1us", NULL, MER_REMEDY_BEGIN }, { NULL, "c:+1us", MER_REMEDY_END },
		{ "+2us", "+2us", MER_REMEDY_WINDOW_ORDER },
		{ "a:+2us", "a:+1us", MER_REMEDY_WINDOW_ORDER } };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(align(wrong[i].begin, wrong[i].end, &a), MER_ERR_USAGE);
		assert_int_equal(err.remedy, wrong[i].remedy);
		session_alignment_fini(&a);
	}
	/* Moments of different clocks are in no order; an absolute one is one of each clock. */
	between("a:+20us", "b:+10us", "");
	char end[40];
	struct session_alignment all;
	assert_int_equal(align(NULL, NULL, &all), 0);
	snprintf(
		end, sizeof(end), "@%lld.00003", (long long)(all.hosts[1].span.begin / 1000000000));
	session_alignment_fini(&all);
	between("a:+0s", end, "5 15");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_between),
		cmocka_unit_test(mistakes),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
