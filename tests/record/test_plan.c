/* The lines of a recording (record/plan.h): with and without a session, in each mode, of a host
 * that is known and of one that is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arena_setup.h"
#include "record/plan.h"

static struct record_plan plan;

static struct record_plan planned(const char *text, const char *session, enum record_mode mode)
{
	struct record_plan p = { .session = session, .mode = mode };
	struct mer_err err = { 0 };
	if (record_preset_parse(&p.preset, text, strlen(text), "p", &arena, &err))
		fail_msg("%s", err.text);
	return p;
}

static void is(struct mer_str *s, const char *expected)
{
	assert_string_equal(s->data ? s->data : "", expected);
	mer_str_clear(s);
}

static void sessions(void **state)
{
	struct mer_str s = { 0 };
	(void)state;
	plan = (struct record_plan){ .session = "S" };
	record_plan_create(&plan, "D", &s);
	is(&s, "lttng create S --output D\n");
	record_plan_start(&plan, &s);
	is(&s, "lttng start S\n");
	record_plan_stop(&plan, &s);
	is(&s, "lttng stop S\n");
	record_plan_destroy(&plan, &s);
	is(&s, "lttng destroy S\n");
	record_plan_rotation(&plan, &s);
	is(&s, "");
	plan.rotate_ns = 2500000;
	record_plan_rotation(&plan, &s);
	is(&s, "lttng enable-rotation --session S --timer 2500us\n");
	plan.mode = RECORD_SNAPSHOT;
	record_plan_create(&plan, "D", &s);
	is(&s, "lttng create S --output D --snapshot\n");
	record_plan_stop(&plan, &s);
	is(&s, "lttng snapshot record --session S\nlttng stop S\n");
	plan.mode = RECORD_LIVE;
	record_plan_create(&plan, "D", &s);
	is(&s, "lttng create S --live\n");
	/* Printed: without a name. */
	plan = (struct record_plan){ .mode = RECORD_SNAPSHOT, .rotate_ns = 1000 };
	record_plan_create(&plan, "D", &s);
	record_plan_rotation(&plan, &s);
	record_plan_start(&plan, &s);
	record_plan_stop(&plan, &s);
	record_plan_destroy(&plan, &s);
	is(&s, "lttng create --output D --snapshot\nlttng enable-rotation --timer 1us\nlttng start\n"
	       "lttng snapshot record\nlttng stop\nlttng destroy\n");
	mer_str_fini(&s);
}

static void channels(void **state)
{
	struct mer_str s = { 0 };
	(void)state;
	plan = planned("channel kernel k 4 8K\nchannel user u 2 16K\ncontext vtid ip\n", "S",
		RECORD_NORMAL);
	record_plan_channels(&plan, &s);
	is(&s, "lttng enable-channel --session S --kernel --num-subbuf 4 --subbuf-size 8K k\n"
	       "lttng enable-channel --session S --userspace --num-subbuf 2 --subbuf-size 16K u\n"
	       "lttng add-context --session S --userspace --channel u --type vtid --type ip\n");
	/* Contexts are of events of user space. */
	plan = planned("channel kernel k 4 8K\ncontext vtid\n", NULL, RECORD_NORMAL);
	record_plan_channels(&plan, &s);
	is(&s, "lttng enable-channel --kernel --num-subbuf 4 --subbuf-size 8K k\n");
	plan = planned("channel user u 2 4K\n", NULL, RECORD_NORMAL);
	record_plan_channels(&plan, &s);
	is(&s, "lttng enable-channel --userspace --num-subbuf 2 --subbuf-size 4K u\n");
	mer_str_fini(&s);
}

static struct record_facts facts(const char *text)
{
	struct record_facts f;
	struct mer_err err = { 0 };
	assert_int_equal(record_facts_read(&f, text, strlen(text), &arena, &err), 0);
	return f;
}

static void events(void **state)
{
	struct mer_str s = { 0 };
	(void)state;
	static const char text[] =
		"channel kernel k 4 8K\nchannel user u 2 16K\ntitle one\nkernel a b? c|d\n"
		"title none\nftrace f\nkernel e if kernel<6\nkernel g if lttng>=2.13\n"
		"title two\nkernel x_*\nsyscalls\nuser p:q\n";
	plan = planned(text, "S", RECORD_NORMAL);
	/* Not known: as if it were the newest, with all names. */
	record_plan_events(&plan, NULL, true, &s);
	is(&s, "# one\nlttng enable-event --session S -k --channel k a,b,c,d\n"
	       "# none\nlttng enable-event --session S -k --channel k g\n"
	       "# two\nlttng enable-event --session S -k --channel k 'x_*'\n"
	       "lttng enable-event --session S -k --channel k --syscall --all\n"
	       "lttng enable-event --session S -u --channel u p:q\n");
	/* Known: what it has, under conditions of its versions. */
	struct record_facts f =
		facts("kernel=5.10\nlttng=2.12\nevent=d\nevent=a\nevent=e\nevent=g\n");
	plan.session = NULL;
	record_plan_events(&plan, &f, false, &s);
	is(&s, "lttng enable-event -k --channel k a,d\nlttng enable-event -k --channel k e\n"
	       "lttng enable-event -k --channel k --syscall --all\nlttng enable-event -u --channel u p:q\n");
	record_facts_free(&f);
	mer_str_fini(&s);
}

static void missing(const char *text, const char *host, const char *expected)
{
	struct mer_str s = { 0 };
	plan = planned(text, NULL, RECORD_NORMAL);
	struct record_facts f = facts(host);
	record_plan_missing(&plan, &f, RECORD_LTTNG, &s);
	is(&s, expected);
	record_facts_free(&f);
	mer_str_fini(&s);
}

static void what_is_missing(void **state)
{
	(void)state;
#define KERNEL "channel kernel k 4 8K\nchannel user u 4 8K\n"
	missing(KERNEL "kernel a b c\n", "event=b\n", "a, c");
	missing(KERNEL "kernel a b? c?\n", "event=a\n", "");
	/* One of the alternatives is enough; named by the first of them. */
	missing(KERNEL "kernel a|b|c d|e f\n", "event=c\nevent=d\nevent=f\n", "");
	missing(KERNEL "kernel a|b d|e f\n", "event=x\n", "a, d, f");
	missing(KERNEL "kernel a|b? c\n", "event=c\n", "");
	/* What is not asked for is not missing. */
	missing(KERNEL "kernel a if kernel>=6\nkernel b if kernel<6\n", "kernel=5.4\nevent=x\n",
		"b");
	missing(KERNEL "user a\nftrace b\nsyscalls\ntitle t\n", "event=x\n", "");
	missing(KERNEL "kernel a\n", "", "");
}

static void other_tracer(void **state)
{
	struct mer_str s = { 0 };
	(void)state;
	plan = planned(KERNEL "kernel a\nftrace f:g h if kernel>=6\nftrace i mer:tx\n", "S",
		RECORD_NORMAL);
	assert_int_equal(record_plan_buffer_kib(&plan), 32);
	record_plan_perf(&plan, NULL, "D", &s);
	is(&s, "perf record -q -a -k CLOCK_MONOTONIC -m 128K -o D/perf.data -e 'f:g,h:*,i:*'\n");
	/* perf does not record its own system calls. */
	plan = planned(
		KERNEL "kernel a\nftrace raw_syscalls:b f:g raw_syscalls:c\n", "S", RECORD_NORMAL);
	record_plan_perf(&plan, NULL, "D", &s);
	is(&s, "perf record -q -a -k CLOCK_MONOTONIC -m 128K -o D/perf.data -e 'f:g' "
	       "-e 'raw_syscalls:b,raw_syscalls:c' --filter 'comm != \"perf\"'\n");
	struct record_facts f = facts("kernel=5.4\ntrace_event=x:i\n");
	plan = planned("ftrace f if kernel>=6\nftrace i no:ne\n", "S", RECORD_SNAPSHOT);
	assert_int_equal(record_plan_buffer_kib(&plan), 8192);
	record_plan_perf(&plan, &f, "D", &s);
	is(&s, "perf record -q -a -k CLOCK_MONOTONIC -m 8192K --overwrite -o D/perf.data -e 'x:i'\n");
	record_facts_free(&f);
	mer_str_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sessions, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(channels, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(events, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(what_is_missing, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(other_tracer, arena_begin, arena_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
