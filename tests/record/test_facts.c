/* What a host answers (record/facts.h): which lines count, what is left out, and what may be asked
 * of it afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arena_setup.h"
#include "base/str.h"
#include "record/facts.h"
#include "record/words.h"

static struct record_facts facts(const char *text)
{
	struct record_facts f;
	struct mer_err err = { 0 };
	assert_int_equal(record_facts_read(&f, text, strlen(text), &arena, &err), 0);
	return f;
}

static void nothing_known(void **state)
{
	(void)state;
	struct record_facts f = facts("");
	assert_false(f.complete);
	assert_true(f.cpus == -1 && f.uid == -1 && f.free_kib == -1);
	const char *const texts[] = { f.name, f.kernel, f.architecture, f.boot_id, f.user, f.groups,
		f.lttng, f.kernel_tracer_error, f.perf, f.agent, f.clock_source, f.clock_daemon,
		f.card, f.receive_offload, f.address, f.seen_address };
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_string_equal(texts[i], "");
	assert_false(f.no_lttng || f.modules_there || f.modules_loaded || f.root_daemon ||
		     f.relay_daemon || f.kernel_tracer || f.perf_may || f.is_guest || f.btf ||
		     f.tracefs_missing || f.tracefs_mounted || *f.tracefs || *f.lockdown ||
		     f.probes[0] || f.probes[1] || f.probes[2] || f.has_clock_offset);
	assert_true(record_facts_has_event(&f, "any"));
	assert_false(record_facts_may_trace(&f));
	/* Lines without '=' and with keys that nobody knows say nothing. */
	f = facts("end\nnew=thing\n=\n");
	assert_false(f.complete);
	record_facts_free(&f);
}

static void texts(void **state)
{
	(void)state;
	struct record_facts f =
		facts("name=n\nkernel=k=1\narchitecture=a\nboot_id=b\nuser=u\ngroups=g h\nlttng=l\n"
		      "kernel_tracer_error=e\nperf=t\nagent=p\nclock_source=s\nclock_daemon=d\n"
		      "card=c\nreceive_offload=on");
	const char *const are[] = { f.name, f.kernel, f.architecture, f.boot_id, f.user, f.groups,
		f.lttng, f.kernel_tracer_error, f.perf, f.agent, f.clock_source, f.clock_daemon,
		f.card, f.receive_offload };
	static const char *const expected[] = { "n", "k=1", "a", "b", "u", "g h", "l", "e", "t",
		"p", "s", "d", "c", "on" };
	for (size_t i = 0; i < sizeof(are) / sizeof(*are); i++)
		assert_string_equal(are[i], expected[i]);
	/* Cut where it is too long, and without what a terminal would obey. */
	struct mer_str s = { 0 };
	mer_str_puts(&s, "name=");
	for (int i = 0; i < RECORD_WORD_MOST + 1; i++)
		mer_str_putc(&s, 'x');
	f = facts(s.data);
	assert_int_equal(strlen(f.name), RECORD_WORD_MOST);
	mer_str_fini(&s);
	f = facts("name=a\033[1mb\n");
	assert_null(strchr(f.name, '\033'));
}

static void numbers(void **state)
{
	(void)state;
	struct record_facts f = facts("cpus=4\nuid=0\nfree_kib=9223372036854775807\n");
	assert_true(f.cpus == 4 && f.uid == 0 && f.free_kib == INT64_MAX);
	static const char *const none[] = { "", "x", "-1", " 1", "1x", "1 ",
		"9223372036854775808" };
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		char text[80];
		snprintf(text, sizeof(text), "cpus=%s\nuid=%s\nfree_kib=%s\n", none[i], none[i],
			none[i]);
		f = facts(text);
		assert_true(f.cpus == -1 && f.uid == -1 && f.free_kib == -1);
	}
	f = facts("clock_offset_s=-0.5\n");
	assert_true(f.has_clock_offset && f.clock_offset_s == -0.5);
	assert_true(facts("clock_offset_s=-999999999\n").has_clock_offset);
	static const char *const no_offsets[] = { "", "x", "1s", "1e9", "-1e9", "nan", "inf" };
	for (size_t i = 0; i < sizeof(no_offsets) / sizeof(*no_offsets); i++) {
		char text[80];
		snprintf(text, sizeof(text), "clock_offset_s=%s\n", no_offsets[i]);
		assert_false(facts(text).has_clock_offset);
	}
}

static void words(void **state)
{
	(void)state;
	assert_true(facts("no_lttng=1").no_lttng);
	assert_true(facts("root_daemon=1").root_daemon);
	assert_true(facts("relay_daemon=1").relay_daemon);
	assert_true(facts("kernel_tracer=1").kernel_tracer);
	assert_true(facts("perf_may=1").perf_may);
	assert_true(facts("btf=1").btf);
	assert_true(facts("tracefs_missing=1").tracefs_missing);
	assert_true(facts("tracefs_mounted=1").tracefs_mounted);
	assert_string_equal(facts("lockdown=integrity").lockdown, "integrity");
	/* It becomes a part of lines of a shell. */
	assert_string_equal(facts("tracefs=/sys/kernel/tracing").tracefs, "/sys/kernel/tracing");
	assert_string_equal(
		facts("tracefs=/sys/kernel/debug/tracing").tracefs, "/sys/kernel/debug/tracing");
	assert_string_equal(facts("tracefs=/tmp;reboot").tracefs, "");
	struct record_facts p = facts("probes=kprobe\nprobes=other\nprobes=eprobe\n");
	assert_true(p.probes[RECORD_EPROBE] && !p.probes[RECORD_TPROBE] && p.probes[RECORD_KPROBE]);
	assert_true(facts("guest=1").is_guest);
	assert_true(facts("end=1").complete);
	struct record_facts f = facts("modules=loaded");
	assert_true(f.modules_loaded && !f.modules_there);
	f = facts("modules=there");
	assert_true(!f.modules_loaded && f.modules_there);
}

static void sources(void **state)
{
	(void)state;
	struct record_facts f =
		facts("chrony_refclock=PHC a\nchrony_server=s1\nchrony_pool=s2\nchrony_peer=s3\n"
		      "ptp=/dev/ptp0 KVM\nptp=/dev/ptp1\nchrony=no\n");
	assert_true(f.n_refclocks == 1 && f.n_servers == 3 && f.n_ptp == 2);
	assert_string_equal(f.refclocks[0], "PHC a");
	assert_string_equal(f.servers[0], "s1");
	assert_string_equal(f.servers[2], "s3");
	assert_string_equal(f.ptp[1], "/dev/ptp1");
	struct mer_str s = { 0 };
	for (int i = 0; i < RECORD_FACT_SOURCES + 2; i++)
		mer_str_printf(&s, "ptp=%d\n", i);
	f = facts(s.data);
	assert_int_equal(f.n_ptp, RECORD_FACT_SOURCES);
	assert_string_equal(f.ptp[RECORD_FACT_SOURCES - 1], "31");
	mer_str_fini(&s);
}

/* Of sshd's four words the first is who asked, the third who answered. */
static void addresses(void **state)
{
	(void)state;
	struct record_facts f = facts("address=10.0.0.1 5 10.0.0.2 22\n");
	assert_string_equal(f.seen_address, "10.0.0.1");
	assert_string_equal(f.address, "10.0.0.2");
	f = facts("address=fe80::1 5 fe80::2\n");
	assert_string_equal(f.address, "fe80::2");
	static const char *const none[] = { "10.0.0.1", "10.0.0.1 5", "10.0.0.1 5 x 22",
		"x 5 10.0.0.1 22", "" };
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		char text[80];
		snprintf(text, sizeof(text), "address=%s\n", none[i]);
		f = facts(text);
		assert_string_equal(f.address, "");
		assert_string_equal(f.seen_address, "");
	}
}

static void events(void **state)
{
	(void)state;
	struct record_facts f = facts("event=net_b\nevent=sched_a\nevent=a;b\nevent=irq_c\n");
	assert_int_equal(f.events.n, 3);
	assert_true(record_facts_has_event(&f, "irq_c"));
	assert_true(record_facts_has_event(&f, "net_b"));
	assert_true(record_facts_has_event(&f, "sched_a"));
	assert_false(record_facts_has_event(&f, "sched"));
	assert_true(record_facts_has_event(&f, "sched_*"));
	assert_true(record_facts_has_event(&f, "*_c"));
	assert_false(record_facts_has_event(&f, "x*"));
	record_facts_free(&f);
	assert_true(f.events.n == 0 && !f.events.name);
	struct mer_str s = { 0 };
	for (int i = 0; i < RECORD_FACT_EVENTS + 1; i++)
		mer_str_puts(&s, "event=e\n");
	f = facts(s.data);
	assert_int_equal(f.events.n, RECORD_FACT_EVENTS);
	record_facts_free(&f);
	mer_str_fini(&s);
}

static void trace_events(void **state)
{
	(void)state;
	struct record_facts f = facts("trace_event=sched:a\ntrace_event=irq:b\ntrace_event=a;b\n");
	assert_int_equal(f.trace_events.n, 2);
	assert_true(record_facts_has_trace_event(&f, "sched:a"));
	assert_true(record_facts_has_trace_event(&f, "irq"));
	assert_true(record_facts_has_trace_event(&f, "b"));
	assert_true(record_facts_has_trace_event(&f, "irq:*"));
	static const char *const none[] = { "sched:b", "sche", "schedx", "c", "irq:b2" };
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_false(record_facts_has_trace_event(&f, none[i]));
	record_facts_free(&f);
	f = facts("");
	assert_true(record_facts_has_trace_event(&f, "any:thing"));
}

static void who_may_trace(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool may;
	} cases[] = { { "uid=0\n", true }, { "uid=1\n", false },
		{ "uid=1\ngroups=tracing\n", true }, { "uid=1\ngroups=a  tracing b\n", true },
		{ "uid=1\ngroups=tracing b\n", true }, { "uid=1\ngroups=xtracing\n", false },
		{ "uid=1\ngroups=tracing2 b\n", false }, { "uid=1\ngroups=trac\n", false } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct record_facts f = facts(cases[i].text);
		assert_int_equal(record_facts_may_trace(&f), cases[i].may);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_known, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(texts, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(numbers, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(words, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(sources, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(addresses, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(events, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(trace_events, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(who_may_trace, arena_begin, arena_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
