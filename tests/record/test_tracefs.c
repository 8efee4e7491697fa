/* The lines of a recording by ftrace (record/tracefs.h) and what its probes are (record/probes.h).
 * That the lines do what they should is tested by test_ftrace.sh, where there is a tracefs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arena_setup.h"
#include "record/tracefs.h"

static const struct record_skb unknown = { -1, -1 }, known = { 208, 112 };

static void is_probe(const char *name, enum record_probe_kind kind, const struct record_skb *skb,
	const char *architecture, const char *expected)
{
	struct mer_str s = { 0 };
	int at = record_probe_find(name);
	assert_true(at >= 0);
	bool is = record_probe_define((size_t)at, kind, skb, architecture, &s);
	assert_int_equal(is, expected != NULL);
	assert_string_equal(s.data ? s.data : "", expected ? expected : "");
	mer_str_fini(&s);
}

static void probes(void **state)
{
	(void)state;
	assert_int_equal(record_probe_find("mer:nothing"), -1);
	assert_int_equal(record_probe_find("mer/tx"), -1);
	assert_int_equal(record_probe_find("net:tx"), -1);
	is_probe("mer:tx", RECORD_EPROBE, &known, "x86_64",
		"e:mer/tx net.net_dev_queue skb=$skbaddr:x64 len=$len:u32 hdr=+14(+208($skbaddr)):x8[60]");
	is_probe("mer:rx", RECORD_EPROBE, &known, "",
		"e:mer/rx net.netif_receive_skb skb=$skbaddr:x64 len=$len:u32 hdr=+0(+208($skbaddr)):x8[60]");
	/* Where the header is is never guessed. */
	is_probe("mer:tx", RECORD_EPROBE, &unknown, "x86_64", NULL);
	is_probe("mer:tx", RECORD_TPROBE, &unknown, "x86_64",
		"t:mer/tx net_dev_queue skb=skb:x64 len=skb->len hdr=+14(skb->data):x8[60]");
	is_probe("mer:rx", RECORD_KPROBE, &known, "x86_64",
		"p:mer/rx ip_rcv skb=%di:x64 len=+112(%di):u32 hdr=+0(+208(%di)):x8[60]");
	is_probe("mer:rx", RECORD_KPROBE, &known, "aarch64",
		"p:mer/rx ip_rcv skb=%x0:x64 len=+112(%x0):u32 hdr=+0(+208(%x0)):x8[60]");
	is_probe("mer:rx", RECORD_KPROBE, &known, "riscv64", NULL);
	is_probe("mer:open", RECORD_EPROBE, &unknown, "",
		"e:mer/open syscalls.sys_enter_openat dfd=$dfd flags=$flags path=+u0($filename):ustring");
	is_probe("mer:open", RECORD_TPROBE, &unknown, "", NULL);
	is_probe("mer:connect", RECORD_KPROBE, &unknown, "x86_64",
		"p:mer/connect __sys_connect fd=%di:s32 family=+u0(%si):u16 port=+u2(%si):u16 v4=+u4(%si):x32");
	/* At the return of a function. */
	is_probe("mer:acceptfd", RECORD_KPROBE, &unknown, "x86_64",
		"r:mer/acceptfd __sys_accept4 fd=$retval:s32");
}

static struct record_facts facts(const char *text)
{
	struct record_facts f;
	struct mer_err err = { 0 };
	assert_int_equal(record_facts_read(&f, text, strlen(text), &arena, &err), 0);
	return f;
}

static void rungs(void **state)
{
	(void)state;
	struct record_facts f = facts("architecture=x86_64\n");
	struct record_rung r = record_rung_of(&f, &known);
	assert_true(!r.headers && !r.names);
	f = facts("architecture=x86_64\nprobes=eprobe\n");
	r = record_rung_of(&f, &known);
	assert_true(r.headers && r.names && r.headers_by == RECORD_EPROBE);
	r = record_rung_of(&f, &unknown);
	assert_true(!r.headers && r.names);
	f = facts("architecture=x86_64\nprobes=kprobe\n");
	r = record_rung_of(&f, &known);
	assert_true(r.headers && r.names && r.headers_by == RECORD_KPROBE);
	f = facts("architecture=odd\nprobes=kprobe\n");
	r = record_rung_of(&f, &known);
	assert_true(!r.headers && r.names); /* what a function returns is no register of ours */
	f = facts("architecture=odd\nprobes=tprobe\n");
	r = record_rung_of(&f, &unknown);
	assert_true(r.headers && !r.names && r.headers_by == RECORD_TPROBE);
}

static void has(const struct mer_str *s, const char *text)
{
	if (!s->data || !strstr(s->data, text))
		fail_msg("'%s' is not in: %s", text, s->data);
}

static void lacks(const struct mer_str *s, const char *text)
{
	if (s->data && strstr(s->data, text))
		fail_msg("'%s' is in: %s", text, s->data);
}

static struct record_plan planned(const char *text, enum record_mode mode)
{
	struct record_plan p = { .session = "S", .label = "L", .mode = mode };
	struct mer_err err = { 0 };
	if (record_preset_parse(&p.preset, text, strlen(text), "p", &arena, &err))
		fail_msg("%s", err.text);
	return p;
}

static void lines(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	struct record_plan p = planned(
		"channel kernel k 4 8K\nftrace a:b c mer:tx mer:open\nkernel z\nftrace d if kernel<6\n",
		RECORD_NORMAL);
	struct record_facts f = facts("kernel=6.1\narchitecture=x86_64\nprobes=eprobe\n"
				      "tracefs=/sys/kernel/debug/tracing\n");
	struct record_tracefs t = { &p, &f, &known, "D" };
	record_tracefs_create(&t, &s);
	assert_string_equal(s.data, "T=/sys/kernel/debug/tracing\nI=$T/instances/meridian-S\nF=D\n"
				    "mkdir -p \"$F/raw\"\nmkdir \"$I\"\n");
	mer_str_clear(&s);
	record_tracefs_buffers(&t, &s);
	has(&s, "echo mono >\"$I/trace_clock\"\necho 32 >\"$I/buffer_size_kb\"\n");
	mer_str_clear(&s);
	record_tracefs_events(&t, &s);
	has(&s, "echo 'e:mer/tx net.net_dev_queue ");
	has(&s, "echo 'e:mer/open ");
	has(&s, "for e in a/b c mer/tx mer/open; do\n");
	lacks(&s, "'p:mer");
	mer_str_clear(&s);
	/* A kernel that accepts none gets none. */
	f = facts("kernel=5.4\n");
	record_tracefs_events(&t, &s);
	lacks(&s, "dynamic_events");
	has(&s, "for e in a/b c mer/tx mer/open d; do\n");
	mer_str_clear(&s);
	/* A snapshot overwrites, and nobody reads meanwhile. */
	record_tracefs_start(&t, &s);
	has(&s, "dd if=");
	mer_str_clear(&s);
	record_tracefs_losses(&t, &s);
	has(&s, "overrun|commit overrun|dropped");
	mer_str_clear(&s);
	struct record_plan many = planned("ftrace x:y_* z*\n", RECORD_NORMAL);
	t.plan = &many;
	record_tracefs_events(&t, &s);
	has(&s, "for e in 'x/y_*' 'z*'; do\n");
	mer_str_clear(&s);
	t.plan = &p;
	p.mode = RECORD_SNAPSHOT;
	record_tracefs_start(&t, &s);
	lacks(&s, "dd if=");
	mer_str_clear(&s);
	record_tracefs_losses(&t, &s);
	has(&s, "/^(commit overrun|dropped");
	mer_str_clear(&s);
	/* /proc is read once it is recorded, and after that. */
	record_tracefs_state(&t, "before", &s);
	has(&s, "proc \"$F/proc-before\"\n");
	mer_str_clear(&s);
	record_tracefs_stop(&t, &s);
	assert_true(strstr(s.data, "echo 0 >\"$I/tracing_on\"") <
		    strstr(s.data, "proc \"$F/proc-after\"\n"));
	mer_str_fini(&s);
}

static void what_is_missing(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	struct record_plan p =
		planned("ftrace a:b a:c? irq x:y mer:tx\nftrace q:r if kernel>=7\n", RECORD_NORMAL);
	struct record_facts f = facts("kernel=6.1\ntrace_event=a:b\ntrace_event=irq:i\n");
	record_plan_missing(&p, &f, RECORD_TRACEFS, &s);
	assert_string_equal(s.data, "x:y");
	/* One of the alternatives is enough; probes are made. */
	mer_str_clear(&s);
	p = planned("ftrace a:z|a:b c:d|e:f mer:rx\n", RECORD_NORMAL);
	record_plan_missing(&p, &f, RECORD_PERF, &s);
	assert_string_equal(s.data, "c:d");
	mer_str_fini(&s);
	record_facts_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes),
		cmocka_unit_test_setup_teardown(rungs, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(lines, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(what_is_missing, arena_begin, arena_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
