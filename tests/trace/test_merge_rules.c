/* Reading, each rule by itself on a trace from text: the order of events, packets that overlap,
 * time that goes backwards, ranges, the packet to begin with, the n-th record, what was lost, whose
 * host a trace is. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "scenario.h"
#include "trace/cursor.h"
#include "trace/locate.h"

#define MS INT64_C(1000000)
#define KERNEL "host a\ntrace a/kernel { header plain }\n"

static struct scenario open_text(const char *text)
{
	struct scenario s;
	scenario_open(&s, text);
	return s;
}

/* "STREAM:n@ms" of each event. */
static char *events_of(struct mer_experiment *e, const struct mer_read_options *o)
{
	struct mer_str s = { 0 };
	struct mer_cursor *c;
	struct mer_err err;
	const struct mer_event *ev;
	size_t n;
	assert_int_equal(mer_cursor_open(e, o, &c, &err), 0);
	do {
		assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
		for (size_t i = 0; i < n; i++) {
			int64_t value = -1;
			assert_true(mer_event_int(&ev[i], "n", &value));
			mer_str_printf(&s, "%s%u:%" PRId64 "@%g", s.len ? " " : "", ev[i].stream,
				value, (double)ev[i].ts / 1e6);
		}
	} while (n);
	mer_cursor_free(c);
	return s.data ? s.data : calloc(1, 1);
}

static void events_are(const char *text, const char *expected)
{
	struct scenario s = open_text(text);
	char *got = events_of(s.e, NULL);
	assert_string_equal(got, expected);
	free(got);
	scenario_close(&s);
}

static const struct mer_diag *said(const struct mer_experiment *e, const char *code)
{
	for (size_t i = 0; i < e->diags.n; i++)
		if (strcmp(e->diags.rows[i].code, code) == 0)
			return &e->diags.rows[i];
	return NULL;
}

/* By time; at one time by host, stream, and as written. Hosts are in the order of their names. */
static void order(void **state)
{
	(void)state;
	events_are("host b\nhost a\ntrace b/kernel\ntrace a/kernel\n1ms b 0 tick n=7\n"
		   "2ms b 0 tick n=1\n"
		   "2ms a 1 tick n=2\n2ms a 1 tick n=3\n1ms a 0 tick n=4\n2ms a 0 tick n=5\n"
		   "3ms a 1 tick n=6\n",
		"0:4@1 2:7@1 0:5@2 1:2@2 1:3@2 2:1@2 1:6@3");
}

/* More at one instant than a batch holds: stream after stream, all of them. */
static void one_instant(void **state)
{
	(void)state;
	enum { N = 20000 };
	struct scenario s = open_text(KERNEL
		"1ms a 0 tick n=7\n3ms a 1 tick n=9\n"
		"repeat 20000 { 2ms a 0 tick n=$i; 4ms a 1 tick n=$i; 2ms a 2 tick n=$i }\n");
	struct mer_cursor *c;
	struct mer_err err;
	const struct mer_event *ev;
	size_t n, total = 0;
	assert_int_equal(mer_cursor_open(s.e, NULL, &c, &err), 0);
	do {
		assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
		for (size_t i = 0; i < n; i++, total++) {
			/* 7; 20000 of stream 0, 20000 of stream 2; 9; 20000 of stream 1. */
			size_t k = total;
			uint32_t stream = 0;
			int64_t value = 7, ts = 1, got = -1;
			if (k > 0 && k <= 2 * N) {
				stream = k <= N ? 0 : 2;
				value = (int64_t)(k - 1) % N;
				ts = 2;
			} else if (k == 2 * N + 1) {
				stream = 1;
				value = 9;
				ts = 3;
			} else if (k > 0) {
				stream = 1;
				value = (int64_t)k - 2 * N - 2;
				ts = 4;
			}
			assert_true(mer_event_int(&ev[i], "n", &got));
			if (ev[i].stream != stream || got != value || ev[i].ts != ts * MS)
				fail_msg("event %zu: stream %u, n %d", k, ev[i].stream, (int)got);
		}
	} while (n);
	assert_int_equal(total, 3 * N + 2);
	mer_cursor_free(c);
	scenario_close(&s);
}

/* Packets that overlap are read side by side, in whatever order they are written. */
static void overlapping_packets(void **state)
{
	(void)state;
	struct scenario s =
		open_text(KERNEL "10ms a 0 tick n=1\n30ms a 0 tick n=2\n30ms a 0 packet\n"
				 "20ms a 0 tick n=3\n40ms a 0 tick n=4\n40ms a 0 packet\n"
				 "37ms a 0 tick n=5\n50ms a 0 tick n=6\n");
	char *got = events_of(s.e, NULL);
	assert_string_equal(got, "0:1@10 0:3@20 0:2@30 0:5@37 0:4@40 0:6@50");
	free(got);
	const struct mer_diag *d = said(s.e, "clock-backwards");
	assert_non_null(d);
	assert_int_equal(d->count, 2);
	assert_non_null(strstr(d->message, "2 packets begin"));
	assert_non_null(strstr(d->message, "by up to 10000.000 us"));
	assert_null(said(s.e, "packets-out-of-order"));
	scenario_close(&s);
	s = open_text(KERNEL "30ms a 0 tick n=1\n31ms a 0 packet\n10ms a 0 tick n=2\n"
			     "10ms a 0 packet\n50ms a 0 tick n=3\n");
	got = events_of(s.e, NULL);
	assert_string_equal(got, "0:2@10 0:1@30 0:3@50");
	free(got);
	assert_non_null(said(s.e, "packets-out-of-order"));
	assert_null(said(s.e, "clock-backwards"));
	scenario_close(&s);
}

/* Inside a packet nothing is moved: an event follows the one before it, whatever it says. */
static void backwards(void **state)
{
	(void)state;
	struct scenario s =
		open_text(KERNEL "10ms a 0 tick n=1\n30ms a 0 tick n=2\n20ms a 0 tick n=3\n"
				 "25ms a 0 tick n=4\n40ms a 0 tick n=5\n27ms a 1 tick n=6\n"
				 "30ms a 1 tick n=7\n35ms a 1 tick n=8\n");
	char *got = events_of(s.e, NULL);
	assert_string_equal(got, "0:1@10 1:6@27 0:2@30 0:3@20 0:4@25 1:7@30 1:8@35 0:5@40");
	free(got);
	const struct mer_diag *d = said(s.e, "clock-backwards");
	assert_non_null(d);
	assert_int_equal(d->count, 1); /* from 30 to 20; 25 is after its predecessor */
	assert_int_equal(d->stream, 0);
	assert_non_null(strstr(d->message, "by up to 10000.000 us"));
	scenario_close(&s);
	s = open_text(KERNEL "10s a 0 tick n=1\n8500ms a 0 tick n=2\n");
	free(events_of(s.e, NULL));
	d = said(s.e, "clock-backwards");
	assert_non_null(d);
	assert_non_null(strstr(d->message, "1 time inside packets, by up to 1.500 s"));
	scenario_close(&s);
}

/* Packets that do not say when they begin are read one after the other. */
static void without_begins(void **state)
{
	(void)state;
	events_are(
		"host a\ntrace a/kernel { header plain; without timestamp_begin timestamp_end }\n"
		"10ms a 0 tick n=1\n10ms a 0 packet\n20ms a 0 tick n=2\n30ms a 0 tick n=3\n"
		"30ms a 0 packet\n40ms a 0 tick n=4\n15ms a 1 tick n=5\n35ms a 1 tick n=6\n"
		"36ms a 1 packet\n37ms a 1 tick n=7\n",
		"0:1@10 1:5@15 0:2@20 0:3@30 1:6@35 1:7@37 0:4@40");
}

/* From begin on, before end; packets that began earlier are read as well. */
static void ranges(void **state)
{
	(void)state;
	struct scenario s = open_text(KERNEL "1ms a 0 tick n=1\n2ms a 0 tick n=2\n2ms a 0 packet\n"
					     "3ms a 0 tick n=3\n4ms a 0 tick n=4\n4ms a 0 packet\n"
					     "5ms a 0 tick n=5\n9ms a 0 tick n=6\n9ms a 0 packet\n"
					     "1ms a 1 tick n=7\n9ms a 1 tick n=8\n");
	static const struct {
		int begin, end;
		const char *expected;
	} cases[] = { { 2, 4, "0:2@2 0:3@3" }, { 4, 5, "0:4@4" }, { 5, 9, "0:5@5" }, { 6, 9, "" },
		{ 6, 10, "0:6@9 1:8@9" }, { 0, 2, "0:1@1 1:7@1" }, { 10, 20, "" }, { 3, 3, "" },
		{ 4, 2, "" } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct mer_read_options o = { .has_begin = true,
			.has_end = true,
			.begin = cases[i].begin * MS,
			.end = cases[i].end * MS };
		char *got = events_of(s.e, &o);
		assert_string_equal(got, cases[i].expected);
		free(got);
	}
	struct mer_read_options o = { .has_begin = true, .begin = 5 * MS, .end = 1 };
	char *got = events_of(s.e, &o);
	assert_string_equal(got, "0:5@5 0:6@9 1:8@9");
	free(got);
	o = (struct mer_read_options){ .has_end = true, .begin = 5 * MS, .end = 2 * MS };
	got = events_of(s.e, &o);
	assert_string_equal(got, "0:1@1 1:7@1");
	free(got);
	scenario_close(&s);
}

/* The first packet that may have an event at or after a time: by the ends that packets have, or by
 * the begins of the next ones. */
static void first_packets(void **state)
{
	(void)state;
#define PACKETS                                                                                    \
	"1ms a 0 tick n=1\n2ms a 0 tick n=2\n2ms a 0 packet\n5ms a 0 tick n=3\n6ms a 0 tick n=4\n" \
	"6ms a 0 packet\n8ms a 0 tick n=5\n9ms a 0 tick n=6\n"
	static const int64_t begins[] = { INT64_MIN, 0, 1 * MS, 2 * MS, 2 * MS + 1, 5 * MS, 6 * MS,
		6 * MS + 1, 8 * MS, 9 * MS, 9 * MS + 1, 99 * MS };
	static const uint32_t with_ends[] = { 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3 },
			      without[] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2 };
	for (int k = 0; k < 2; k++) {
		struct scenario s = open_text(k ? "host a\ntrace a/kernel { header plain; without "
						  "timestamp_end }\n" PACKETS
						: KERNEL PACKETS);
		for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
			uint32_t first[1];
			trace_first_packets(s.e, begins[i], first);
			if (first[0] != (k ? without : with_ends)[i])
				fail_msg("%d, from %" PRId64 ": packet %u", k, begins[i], first[0]);
		}
		scenario_close(&s);
	}
}

/* The n-th record of a name, in the order of the merge. */
static void nth_record(void **state)
{
	(void)state;
	struct scenario s = open_text("host b\nhost a\ntrace b/kernel\ntrace a/kernel\n"
				      "1ms a 0 tick n=1\n1ms a 0 other n=2\n2ms a 0 packet\n"
				      "2ms a 0 tick n=3\n4ms a 0 tick n=4\n"
				      "2ms b 0 tick n=5\n3ms b 0 other n=6\n3ms b 0 tick n=7\n");
	static const struct {
		int ms;
		uint32_t stream, packet;
	} ticks[] = { { 1, 0, 0 }, { 2, 0, 1 }, { 2, 1, 0 }, { 3, 1, 0 }, { 4, 0, 1 } };
	struct trace_record_place place, before = { 0 };
	struct mer_err err;
	uint64_t n_found;
	for (uint64_t n = 1; n <= 5; n++) {
		assert_int_equal(
			trace_locate(s.e, "tick", n, NULL, NULL, &place, &n_found, &err), 0);
		assert_int_equal(n_found, n);
		assert_int_equal(place.ts, ticks[n - 1].ms * MS);
		assert_int_equal(place.stream, ticks[n - 1].stream);
		assert_int_equal(place.packet, ticks[n - 1].packet);
		assert_int_equal(place.status, CTF_OK);
		assert_true(n != 5 || place.head_bit > before.head_bit);
		if (n == 2)
			before = place;
	}
	assert_int_equal(trace_locate(s.e, "tick", 6, NULL, NULL, &place, &n_found, &err), 0);
	assert_int_equal(n_found, 5);
	assert_int_equal(trace_locate(s.e, "other", 2, NULL, NULL, &place, &n_found, &err), 0);
	assert_int_equal(place.ts, 3 * MS);
	assert_int_equal(trace_locate(s.e, "none", 1, NULL, NULL, &place, &n_found, &err), 0);
	assert_int_equal(n_found, 0);
	atomic_uint_least64_t bytes = 0;
	assert_int_equal(trace_locate(s.e, "none", 1, NULL, &bytes, &place, &n_found, &err), 0);
	uint64_t all = 0;
	for (uint32_t i = 0; i < s.e->n_streams; i++)
		for (uint32_t p = 0; p < s.e->data[i].n_packets; p++)
			all += s.e->data[i].packets[p].size_bits / 8;
	assert_int_equal(bytes, all);
	scenario_close(&s);
}

/* "stream: events+packets begin-end" of each loss, in ms. */
static void losses_are(const char *text, const char *expected)
{
	struct scenario s = open_text(text);
	struct mer_str out = { 0 };
	mer_str_printf(&out, "%u", s.e->n_losses);
	for (uint32_t i = 0; i < s.e->n_losses; i++) {
		const struct mer_loss *l = mer_loss_at(s.e, i);
		assert_non_null(l);
		mer_str_printf(&out, ", %u: %" PRIu64 "+%" PRIu64 " %g-%g", l->stream, l->events,
			l->packets, (double)l->begin / 1e6, (double)l->end / 1e6);
	}
	assert_string_equal(out.data, expected);
	assert_null(mer_loss_at(s.e, s.e->n_losses));
	assert_non_null(mer_stream_at(s.e, 0));
	assert_null(mer_stream_at(s.e, s.e->n_streams));
	mer_str_fini(&out);
	scenario_close(&s);
}

/* Counters run on from packet to packet; one that fell began anew. Of packets the missing numbers
 * count. */
static void losses(void **state)
{
	(void)state;
	losses_are(
		KERNEL "1ms a 0 tick n=1\n2ms a 0 packet\n3ms a 0 tick n=2\n4ms a 0 packet\n", "0");
	losses_are(KERNEL "1ms a 0 lost 5\n1ms a 0 tick n=1\n2ms a 0 tick n=1\n2ms a 0 packet\n"
			  "3ms a 0 tick n=2\n4ms a 0 lost 2\n4ms a 0 tick n=2\n4ms a 0 packet\n"
			  "5ms a 0 tick n=2\n",
		"2, 0: 5+0 1-2, 0: 2+0 2-4");
	losses_are(KERNEL "1ms a 0 set events_discarded=7\n1ms a 0 tick n=1\n2ms a 0 tick n=1\n"
			  "2ms a 0 packet\n3ms a 0 set events_discarded=3\n3ms a 0 tick n=1\n"
			  "4ms a 0 tick n=2\n4ms a 0 packet\n",
		"2, 0: 7+0 1-2, 0: 3+0 2-4");
	losses_are(KERNEL "1ms a 0 tick n=1\n2ms a 0 skip 3\n4ms a 0 tick n=1\n5ms a 0 packet\n"
			  "6ms a 0 tick n=1\n6ms a 0 skip 1\n7ms a 0 tick n=1\n",
		"2, 0: 0+3 2-5, 0: 0+1 6-7");
	struct scenario s = open_text(KERNEL "1ms a 0 lost 1\n1ms a 0 tick n=1\n2ms a 0 skip 1\n"
					     "4ms a 0 lost 1\n4ms a 0 tick n=1\n5ms a 0 packet\n");
	assert_int_equal(said(s.e, "lost-events")->count, 2);
	assert_non_null(strstr(said(s.e, "lost-events")->message, "discarded 2 events"));
	assert_int_equal(said(s.e, "lost-packets")->count, 1);
	assert_non_null(strstr(said(s.e, "lost-packets")->message, "1 packet is missing"));
	scenario_close(&s);
}

/* "NAME: path ..." of each host. */
static void hosts_are(const char *text, const char *expected)
{
	struct scenario s = open_text(text);
	struct mer_str out = { 0 };
	for (uint32_t h = 0; h < s.e->n_hosts; h++) {
		mer_str_printf(&out, "%s%s:", h ? ", " : "", s.e->hosts[h].name);
		uint32_t n = 0;
		for (uint32_t t = 0; t < s.e->n_traces; t++)
			if (s.e->traces[t].host == h) {
				const char *path = strstr(s.e->traces[t].path, "/traces/");
				mer_str_printf(&out, " %s", path ? path + 8 : "?");
				n++;
			}
		assert_int_equal(n, s.e->hosts[h].n_traces);
	}
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	scenario_close(&s);
}

/* The boot id decides where both have one; without it a kernel's and a program's trace of one name
 * belong together, and two of kernels do not. Hosts of the same name get numbers. */
static void hosts(void **state)
{
	(void)state;
#define TICKS "1ms a/kernel 0 tick n=1\n1ms a/ust 0 tick n=1\n1ms b/kernel 0 tick n=1\n"
	hosts_are("host b\nhost a\ntrace a/kernel\ntrace a/ust\ntrace b/kernel\n" TICKS,
		"a: a/kernel a/ust, b: b/kernel");
	/* One name, two boots. */
#define BOOT(n) "; uuid \"00000000-0000-0000-0000-00000000000" n "\" }\n"
	hosts_are("host a { hostname x" BOOT("1") "host b { hostname x" BOOT(
			  "2") ""
			       "trace a/kernel\ntrace a/ust\ntrace b/kernel\n" TICKS,
		"x: a/kernel a/ust, x#2: b/kernel");
	hosts_are("host a { hostname x" BOOT("2") "host b { hostname x" BOOT(
			  "1") ""
			       "trace a/kernel\ntrace a/ust\ntrace b/kernel\n" TICKS,
		"x: b/kernel, x#2: a/kernel a/ust");
	/* No boot ids: two kernels are two. */
	hosts_are("host a { hostname x; uuid none }\nhost b { hostname x; uuid none }\n"
		  "trace a/kernel\ntrace a/ust\ntrace b/kernel\n" TICKS,
		"x: a/kernel a/ust, x#2: b/kernel");
	/* And two programs are one; with and without a boot id are not. */
	hosts_are("host a { hostname x; uuid none }\nhost b { hostname x; uuid none }\n"
		  "trace a/ust\ntrace b/ust\n1ms a/ust 0 tick n=1\n1ms b/ust 0 tick n=1\n",
		"x: a/ust b/ust");
	hosts_are("host a { hostname x; uuid none }\nhost b { hostname x }\n"
		  "trace a/ust\ntrace b/kernel\n1ms a/ust 0 tick n=1\n1ms b/kernel 0 tick n=1\n",
		"x: a/ust, x#2: b/kernel");
}

/* Without a name the folder says it, but not one that tracers give to all. */
static void unnamed_hosts(void **state)
{
	(void)state;
	hosts_are("host a { hostname \"\" }\nhost b { hostname \"\" }\ntrace a/kernel\n"
		  "trace b/other\n1ms a/kernel 0 tick n=1\n1ms b/other 0 tick n=2\n",
		"a: a/kernel, other: b/other");
}

/* Traces of one clock whose offsets differ: the kernel's counts, else the first one's. */
static void one_clock(void **state)
{
	(void)state;
#define OFFSETS(a, b)                                                                              \
	"host a\ntrace a/" a " { offset 5us }\ntrace a/" b " { offset 9us }\n1ms a/" a             \
	" 0 tick n=1\n1ms a/" b " 0 tick n=2\n"
	struct scenario s = open_text(OFFSETS("ust", "kernel"));
	char *got = events_of(s.e, NULL);
	assert_string_equal(got, "0:2@1.009 1:1@1.009");
	free(got);
	const struct mer_diag *d = said(s.e, "clock-offset-reconciled");
	assert_non_null(d);
	assert_non_null(strstr(d->path, "a/ust"));
	assert_non_null(strstr(d->message, "by +4.000 us"));
	scenario_close(&s);
	s = open_text(OFFSETS("ust", "ust2"));
	got = events_of(s.e, NULL);
	assert_string_equal(got, "0:2@1.005 1:1@1.005"); /* streams by the UUIDs of traces */
	free(got);
	d = said(s.e, "clock-offset-reconciled");
	assert_non_null(d);
	assert_non_null(strstr(d->path, "a/ust2"));
	assert_non_null(strstr(d->message, "by -4.000 us"));
	scenario_close(&s);
}

/* Hosts as "NAME:TRACES", in their order, with blanks between. */
static void joined_are(const char *text, const char *expected, unsigned n_joined)
{
	struct scenario s = open_text(text);
	char got[300] = "";
	for (uint32_t h = 0; h < s.e->n_hosts; h++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s:%u", h ? " " : "",
			s.e->hosts[h].name, s.e->hosts[h].n_traces);
	assert_string_equal(got, expected);
	unsigned n = 0;
	for (size_t i = 0; i < s.e->diags.n; i++)
		n += strcmp(s.e->diags.rows[i].code, "hosts-joined") == 0;
	assert_int_equal(n, n_joined);
	scenario_close(&s);
}

/* A container has another name than the machine that it is on, and its clock. */
static void containers(void **state)
{
	(void)state;
#define ID(n) "uuid \"5d1c0fd2-7a55-4f5f-9a55-0123456789a" n "\""
#define MACHINE(name, boot) "host " name " { " ID("b") "; boot " boot " }\n"
#define OF_KERNEL(name) "trace " name "/kernel\n1ms " name "/kernel 0 sched_switch next_tid=1\n"
#define OF_UST(name) "trace " name "/ust\n1ms " name "/ust 0 e n=1\n"
	joined_are(MACHINE("node", "100s") MACHINE("ctr", "100s") OF_KERNEL("node") OF_UST("ctr"),
		"node:2", 1);
	/* The time of day was set between: one clock nevertheless. */
	joined_are(MACHINE("node", "100s") MACHINE("ctr", "90s") OF_KERNEL("node") OF_UST("ctr"),
		"node:2", 1);
	/* Two on a machine whose kernel was not recorded. */
	joined_are(MACHINE("c1", "100s") MACHINE("c2", "100001ms") OF_UST("c1") OF_UST("c2"),
		"c1:2", 1);
	joined_are(MACHINE("c1", "100s") MACHINE("c2", "101s") OF_UST("c1") OF_UST("c2"),
		"c1:1 c2:1", 0);
	/* Another clock. */
	joined_are(MACHINE("node", "100s") "host ctr { " ID("c") "; boot 100s }\n" OF_KERNEL("node")
			   OF_UST("ctr"),
		"ctr:1 node:1", 0);
	/* Virtual machines that were cloned while they ran: which one it is, its time says. */
	joined_are(MACHINE("vm1", "100s") MACHINE("vm2", "70s") MACHINE("ctr", "70s")
			   OF_KERNEL("vm1") OF_KERNEL("vm2") OF_UST("ctr"),
		"vm1:1 vm2:2", 1);
	joined_are(MACHINE("vm1", "100s") MACHINE("vm2", "100s") MACHINE("ctr", "100s")
			   OF_KERNEL("vm1") OF_KERNEL("vm2") OF_UST("ctr"),
		"ctr:1 vm1:1 vm2:1", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order),
		cmocka_unit_test(one_instant),
		cmocka_unit_test(overlapping_packets),
		cmocka_unit_test(backwards),
		cmocka_unit_test(without_begins),
		cmocka_unit_test(ranges),
		cmocka_unit_test(first_packets),
		cmocka_unit_test(nth_record),
		cmocka_unit_test(losses),
		cmocka_unit_test(hosts),
		cmocka_unit_test(unnamed_hosts),
		cmocka_unit_test(one_clock),
		cmocka_unit_test(containers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
