/* What could be analysed, each rule by itself: what an analysis lacks, what to record, and why the
 * packets of a host cannot be matched with those of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/analysis.h"
#include "base/str.h"
#include "scenario.h"
#include "session/capabilities.h"

/* ---- what is needed ---- */

static void what_an_analysis_lacks(void **state)
{
	(void)state;
	enum { A = CAPABILITY_SWITCH, B = CAPABILITY_WAKE, C = CAPABILITY_FORK };
	static const struct {
		bool any, a, b, c;
		enum capability_possible expected;
	} cases[] = { { false, true, true, true, CAPABILITY_YES },
		{ false, true, true, false, CAPABILITY_PARTLY },
		{ false, true, false, true, CAPABILITY_NO },
		{ false, false, true, true, CAPABILITY_NO },
		{ true, true, false, true, CAPABILITY_PARTLY },
		{ true, false, true, false, CAPABILITY_PARTLY },
		{ true, false, false, true, CAPABILITY_NO },
		{ true, true, true, true, CAPABILITY_YES },
		{ true, true, true, false, CAPABILITY_PARTLY } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct capability x = {
			.any = cases[i].any, .needs = { A, B }, .more = { C }
		};
		struct capability_host h = { 0 };
		bool lacking[CAPABILITY_N_EVENTS] = { [CAPABILITY_EXIT] = true };
		h.declared[A] = cases[i].a;
		h.declared[B] = cases[i].b;
		h.declared[C] = cases[i].c;
		if (capability_judge(&x, &h, lacking) != cases[i].expected)
			fail_msg("case %zu", i);
		assert_true(lacking[A] == !cases[i].a && lacking[B] == !cases[i].b);
		assert_true(lacking[C] == !cases[i].c && lacking[CAPABILITY_EXIT]);
	}
}

static void what_to_record(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	bool lacking[CAPABILITY_N_EVENTS] = { false };
	capability_fix(&s, lacking, TRACE_BY_LTTNG);
	assert_int_equal(s.len, 0);
	lacking[CAPABILITY_SYSCALL_EXIT] = true;
	capability_fix(&s, lacking, TRACE_BY_LTTNG);
	assert_string_equal(s.data, "lttng enable-event --kernel --syscall --all");
	mer_str_clear(&s);
	lacking[CAPABILITY_SWITCH] = lacking[CAPABILITY_FORK] = true;
	capability_fix(&s, lacking, TRACE_BY_LTTNG);
	assert_string_equal(s.data, "lttng enable-event --kernel sched_switch,sched_process_fork\n"
				    "lttng enable-event --kernel --syscall --all");
	/* All of them: in lines that a terminal of 80 columns holds, as many on each as fit. */
	mer_str_clear(&s);
	memset(lacking, true, sizeof(lacking));
	lacking[CAPABILITY_MPI] = false; /* no event of the kernel */
	capability_fix(&s, lacking, TRACE_BY_LTTNG);
	size_t before = 0, n_names = 0;
	for (const char *line = s.data; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		size_t len = strcspn(line, "\n"), first = strcspn(line + 28, ",\n");
		assert_in_range(len, 1, 78);
		assert_memory_equal(line, "lttng enable-event --kernel ", 28);
		if (line[28] != '-') {
			assert_true(!before || before + 1 + first > 78);
			before = len;
			for (size_t i = 0; i < len; i++)
				n_names += line[i] == ',';
			n_names++;
		}
	}
	assert_int_equal(n_names, CAPABILITY_N_EVENTS - 1 - 3);
	mer_str_clear(&s);
	memset(lacking, false, sizeof(lacking));
	lacking[CAPABILITY_MPI] = true;
	capability_fix(&s, lacking, TRACE_BY_LTTNG);
	assert_string_equal(s.data, "lttng enable-event --userspace 'meridian_mpi:*'\n"
				    "LD_PRELOAD=libmeridian-mpi-openmpi.so (or -mpich.so)");
	mer_str_fini(&s);
}

/* As one types it with each tool: one command of perf or trace-cmd, no event of theirs twice, none
 * that they do not have; lines that a terminal holds. */
static void what_to_record_with_others(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	bool lacking[CAPABILITY_N_EVENTS] = { false };
	lacking[CAPABILITY_WAKE] = lacking[CAPABILITY_WAKING] = lacking[CAPABILITY_SOCK_IN] = true;
	lacking[CAPABILITY_SYSCALL_ENTRY] = true;
	capability_fix(&s, lacking, TRACE_BY_TRACE_CMD);
	assert_string_equal(
		s.data, "trace-cmd record -C mono -e sched:sched_waking -e raw_syscalls:sys_enter");
	mer_str_clear(&s);
	capability_fix(&s, lacking, TRACE_BY_PERF);
	assert_string_equal(s.data, "perf record -a -k CLOCK_MONOTONIC -e "
				    "sched:sched_waking \\\n  -e raw_syscalls:sys_enter");
	for (int tool = TRACE_BY_TRACE_CMD; tool < TRACE_N_TOOLS; tool++) {
		mer_str_clear(&s);
		memset(lacking, true, sizeof(lacking));
		lacking[CAPABILITY_MPI] = false;
		capability_fix(&s, lacking, (enum trace_tool)tool);
		assert_null(strstr(s.data, "lttng"));
		assert_non_null(strstr(s.data, "proc-before"));
		const char *first = strstr(s.data, "sched:sched_waking");
		assert_non_null(first);
		assert_null(strstr(first + 1, "sched:sched_waking"));
		for (const char *line = s.data; line; line = strchr(line, '\n')) {
			line += *line == '\n';
			size_t len = strcspn(line, "\n");
			const char *next = line + len;
			assert_in_range(len, 1, 78);
			/* The command goes on in the next line. */
			if (strncmp(next, "\n  -e ", 6) == 0)
				assert_int_equal(next[-1], '\\');
		}
	}
	mer_str_clear(&s);
	memset(lacking, false, sizeof(lacking));
	lacking[CAPABILITY_SOCK_IN] = true;
	capability_fix(&s, lacking, TRACE_BY_PERF);
	assert_int_equal(s.len, 0);
	mer_str_fini(&s);
	assert_string_equal(capability_event_typed(CAPABILITY_IRQ_ENTRY, TRACE_BY_PERF),
		"irq:irq_handler_entry");
	assert_string_equal(capability_event_typed(CAPABILITY_SOFTIRQ_ENTRY, TRACE_BY_LTTNG),
		"irq_softirq_entry");
}

/* Each analysis by the words in its list, not by parts of them. */
static void whose_row(void **state)
{
	(void)state;
	const struct capability x = { .ids = "syscall poll futex" }, none = { .ids = NULL };
	assert_true(capability_is_of(&x, "syscall"));
	assert_true(capability_is_of(&x, "poll"));
	assert_true(capability_is_of(&x, "futex"));
	assert_false(capability_is_of(&x, "sys"));
	assert_false(capability_is_of(&x, "call"));
	assert_false(capability_is_of(&x, "ute"));
	assert_false(capability_is_of(&x, "polls"));
	assert_false(capability_is_of(&none, "poll"));
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(capability_plain_name("sched:sched_switch"), "sched_switch");
	assert_string_equal(capability_plain_name("sched_switch"), "sched_switch");
	assert_true(capability_event_is(CAPABILITY_NET_IN, "net_if_receive_skb"));
	assert_true(capability_event_is(CAPABILITY_NET_IN, "netif_receive_skb"));
	assert_false(capability_event_is(CAPABILITY_NET_IN, "net_dev_queue"));
	assert_string_equal(capability_event_name(CAPABILITY_SWITCH), "sched_switch");
}

/* Told events are known by all their names, without the subsystem as tallied; what one types for
 * them is the first of each tracer. */
static void told_events(void **state)
{
	(void)state;
	const enum capability_event alloc = CAPABILITY_OF(SLAB_ALLOC);
	assert_true(capability_event_is(alloc, "kmem_kmalloc"));
	assert_true(capability_event_is(alloc, "kmem_cache_alloc_node"));
	assert_true(capability_event_is(alloc, "kmalloc"));
	assert_false(capability_event_is(alloc, "kmem_cache"));
	assert_false(capability_event_is(alloc, "kmem"));
	assert_false(capability_event_is(alloc, "kfree"));
	assert_string_equal(capability_event_name(alloc), "kmem_kmalloc");
	assert_string_equal(capability_event_typed(alloc, TRACE_BY_LTTNG), "kmem_kmalloc");
	assert_string_equal(capability_event_typed(alloc, TRACE_BY_PERF), "kmem:kmalloc");
	assert_int_equal(CAPABILITY_OF(SIGNAL), CAPABILITY_LAST_TOLD);
}

/* An analysis that names what it needs has a row, and no other has: whose it was, switches tell. */
static void rows_of_analyses(void **state)
{
	(void)state;
	for (size_t i = 0; analyses[i]; i++) {
		const struct analysis *a = analyses[i];
		for (const struct capability *c = capabilities(); a->needs && c->name; c++) {
			if (!capability_is_of(c, a->id))
				continue;
			size_t n = 0;
			for (; a->needs[n] != KERNEL_EV_NONE; n++)
				assert_int_equal(c->needs[n], CAPABILITY_OF_KIND(a->needs[n]));
			assert_int_equal(c->needs[n], CAPABILITY_NOTHING);
			assert_int_equal(c->more[0], CAPABILITY_SWITCH);
		}
	}
	size_t n = 0, clocks = 0;
	for (const struct capability *c = capabilities(); c->name; c++, n++) {
		assert_true(c->name[0] && c->needs[0]);
		if (!capability_is_of(c, "cpufreq"))
			continue;
		clocks++;
		assert_string_equal(c->name, "CPU frequency");
		assert_int_equal(c->needs[0], CAPABILITY_OF(FREQUENCY));
	}
	assert_in_range(n, 10, 64);
	assert_int_equal(clocks, 1);
}

/* ---- packets ---- */

#define HOST "host a\ntrace a/kernel { declare sched_switch"
#define NET HOST " net_dev_queue net_if_receive_skb }\n"
#define PACKET(device, transport)                                                                  \
	" len=114 name=\"" device "\" network_header.ipv4={ ihl=5, tot_len=100, saddr=[10, 0, 0, " \
	"1], daddr=[10, 0, 0, 2], transport_header." transport " }\n"
#define TCP "tcp={ source_port=1, dest_port=2, seq=9 }"
#define UDP "udp={ source_port=1, dest_port=2, len=8 }"
#define ICMP "icmp={ type=8, gateway=1 }"
#define SENDS "1us a 0 net_dev_queue"
#define RECEIVES "2us a 0 net_if_receive_skb"

/* "CAN: send, receive": the event, why not, and of how many packets between hosts. */
static void packets_are(const char *text, const char *expected)
{
	static const char *const why[] = { "clear", "no packet", "no field", "local", "empty",
		"other" };
	struct scenario s;
	struct trace_counts *counts;
	struct mer_str out = { 0 };
	struct mer_err err;
	scenario_open(&s, text);
	struct capability_host h[2] = { { .wanted = true }, { .wanted = true } };
	assert_int_equal(trace_walk(s.e, 1, NULL, NULL, &counts, &err), 0);
	capability_tally(s.e, counts, h);
	h[0].wanted = true;
	if (capability_find_sync(s.e, h, &err))
		fail_msg("%s", err.text);
	mer_str_printf(&out, "%s", h[0].can_sync ? "yes" : "no");
	for (int d = 0; d < CAPABILITY_N_DIRECTIONS; d++) {
		const struct capability_packets *p = &h[0].packets[d];
		if (p->event)
			mer_str_printf(&out, ", %s %s %u", p->event, why[p->obstacle],
				(unsigned)p->n_examined);
		else
			mer_str_printf(&out, ", none");
	}
	mer_str_printf(&out, "%s%s", h[0].lacks[CAPABILITY_NET_OUT] ? ", record sends" : "",
		h[0].lacks[CAPABILITY_NET_IN] ? ", record receipts" : "");
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	trace_counts_free(counts);
	scenario_close(&s);
}

static void packets(void **state)
{
	(void)state;
	packets_are(NET SENDS PACKET("eth0", TCP) RECEIVES PACKET("eth0", TCP),
		"yes, net_dev_queue clear 1, net_if_receive_skb clear 1");
	packets_are(NET SENDS PACKET("eth0", UDP) RECEIVES PACKET("eth0", UDP),
		"yes, net_dev_queue clear 1, net_if_receive_skb clear 1");
	packets_are(HOST " }\n1us a 0 sched_switch next_tid=1\n",
		"no, none, none, record sends, record receipts");
	packets_are(HOST " net_dev_queue }\n" SENDS PACKET("eth0", TCP),
		"no, net_dev_queue clear 1, none, record receipts");
	packets_are(NET SENDS PACKET("eth0", TCP),
		"no, net_dev_queue clear 1, net_if_receive_skb no packet 0");
	packets_are(NET SENDS PACKET("lo", TCP) SENDS PACKET("lo", TCP)
			    RECEIVES PACKET("eth0", ICMP),
		"no, net_dev_queue local 0, net_if_receive_skb other 1");
	packets_are(NET SENDS " name=\"eth0\"\n" SENDS PACKET("lo", TCP)
			    RECEIVES PACKET("loop", TCP) RECEIVES PACKET("eth0", ICMP),
		"no, net_dev_queue empty 1, net_if_receive_skb clear 2");
	/* Enough is enough. */
	packets_are(NET "repeat 50 { " SENDS PACKET("eth0", ICMP) "}\nrepeat 50 { " RECEIVES PACKET(
			    "eth0", TCP) "}\n",
		"no, net_dev_queue other 50, net_if_receive_skb clear 20");
	/* A tracer without headers; and the addons, which have nothing else. */
	packets_are("host a\ntrace a/kernel\nevent net_dev_queue { u32 len; string name; }\n"
		    "1us a 0 net_dev_queue len=5 name=\"eth0\"\n" RECEIVES PACKET("eth0", TCP),
		"no, net_dev_queue no field 1, net_if_receive_skb clear 1");
#define ADDONS                                                                                     \
	"event inet_sock_local_out { u32 be seq; u32 be ack_seq; u16 be flags; }\n"                \
	"event inet_sock_local_in { u32 be seq; u32 be ack_seq; u16 be flags; }\n"
	packets_are("host a\ntrace a/kernel\n" ADDONS "1us a 0 inet_sock_local_out seq=1\n"
		    "2us a 0 inet_sock_local_in seq=2\n",
		"yes, inet_sock_local_out clear 1, inet_sock_local_in clear 1");
	/* The kind that can counts. */
	packets_are("host a\ntrace a/kernel\n" ADDONS "1us a 0 inet_sock_local_out seq=1\n"
		    "2us a 0 inet_sock_local_in seq=2\n" SENDS " name=\"eth0\"\n",
		"yes, inet_sock_local_out clear 1, inet_sock_local_in clear 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_analysis_lacks),
		cmocka_unit_test(what_to_record),
		cmocka_unit_test(what_to_record_with_others),
		cmocka_unit_test(whose_row),
		cmocka_unit_test(names),
		cmocka_unit_test(told_events),
		cmocka_unit_test(rows_of_analyses),
		cmocka_unit_test(packets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
