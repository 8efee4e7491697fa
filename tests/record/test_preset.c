/* Presets as text: what each line says, what is refused and where, and two of them together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "record/preset.h"

#define CHANNEL "channel kernel k 2 4K\n"

/* Of exactly so many bytes, so that a sanitized build sees what is read behind them. */
static int parse(
	struct record_preset *p, const char *text, struct mer_arena *arena, struct mer_err *err)
{
	size_t len = strlen(text);
	char *copy = malloc(len + 1);
	assert_non_null(copy);
	memcpy(copy, text, len + 1);
	int rc = record_preset_parse(p, copy, len, "p", arena, err);
	free(copy);
	return rc;
}

static void refused(const char *text, const char *why)
{
	struct record_preset p;
	struct mer_arena arena;
	struct mer_err err = { 0 };
	mer_arena_init(&arena);
	assert_int_equal(parse(&p, text, &arena, &err), MER_ERR_INPUT);
	assert_string_equal(err.text, why);
	mer_arena_fini(&arena);
}

/* "NAME 2x4K; [title T] kernel a? b|c if kernel<6.1; ..." */
static void put(const struct record_preset *p, struct mer_str *out)
{
	for (int d = 0; d < RECORD_FTRACE; d++)
		if (p->channels[d].name)
			mer_str_printf(out, "%s %s %ux%uK; ",
				record_domain_name((enum record_domain)d), p->channels[d].name,
				(unsigned)p->channels[d].n_subbufs,
				(unsigned)p->channels[d].subbuf_kib);
	for (size_t i = 0; i < p->n_rules; i++) {
		const struct record_rule *r = &p->rules[i];
		mer_str_puts(out, r->kind == RECORD_TITLE      ? "title "
				  : r->kind == RECORD_SYSCALLS ? "syscalls"
							       : "");
		mer_str_puts(out, r->kind == RECORD_TITLE ? r->title : "");
		for (size_t k = 0; k < r->n_events; k++)
			mer_str_printf(out, "%s%s%s",
				r->events[k].is_alternative ? "|"
				: k			    ? " "
							    : "",
				r->events[k].name, r->events[k].is_optional ? "?" : "");
		if (r->condition.of != RECORD_ALWAYS)
			mer_str_printf(out, " if %s%s%u.%u",
				r->condition.of == RECORD_IF_KERNEL ? "kernel" : "lttng",
				r->condition.is_below ? "<" : ">=",
				(unsigned)r->condition.version.part[0],
				(unsigned)r->condition.version.part[1]);
		mer_str_puts(out, "; ");
	}
	for (size_t i = 0; i < p->n_contexts; i++)
		mer_str_printf(out, "context %s; ", p->contexts[i]);
	for (size_t i = 0; i < p->n_next; i++)
		mer_str_printf(out, "next [%s] [%s]; ", p->next[i].arguments, p->next[i].what);
}

/* b: NULL: a alone; else both joined. */
static void reads(const char *a, const char *b, const char *expected)
{
	struct record_preset p, q;
	struct mer_arena arena;
	struct mer_err err = { 0 };
	struct mer_str out = { 0 };
	mer_arena_init(&arena);
	if (parse(&p, a, &arena, &err) ||
		(b && (parse(&q, b, &arena, &err) || record_preset_join(&p, &q, &arena, &err))))
		fail_msg("%s", err.text);
	put(&p, &out);
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	mer_arena_fini(&arena);
}

static void lines(void **state)
{
	(void)state;
	reads("# a comment\n\nabout x\nchannel kernel k 16 1024K\nchannel user u 2 2097152K\ntitle of tasks\n"
	      "kernel a b? c|d? if kernel>=6.1\nkernel\te if lttng<2.13\nsyscalls\nuser x:y\ncontext vtid vpid\n"
	      "next path  {dir} : where : it went",
		NULL,
		"kernel k 16x1024K; user u 2x2097152K; title of tasks; a b? c|d? if kernel>=6.1; e if lttng<2.13; "
		"syscalls; x:y; context vtid; context vpid; next [path  {dir}] [where : it went]; ");
	reads("channel kernel k 1048576 4K\nkernel a", NULL, "kernel k 1048576x4K; a; ");
	reads("ftrace a", NULL, "a; "); /* it has no buffers of ours */
}

static void what_is_refused(void **state)
{
	(void)state;
	refused("nothing", "p:1: not a line of a preset: 'nothing'");
	refused("\x01", "p:1: a control character");
	refused(CHANNEL "kernel", "p:2: a line without events");
	refused(CHANNEL "kernel a;b", "p:2: not the name of an event: 'a;b'");
	refused(CHANNEL "kernel a|", "p:2: not the name of an event");
	refused("kernel a", "p: no line 'channel kernel'");
	refused("syscalls", "p: no line 'channel kernel'");
	refused("user a", "p: no line 'channel user'");
	refused("channel ftrace f 2 4K", "p:1: channel is of kernel or user: 'ftrace'");
	refused("channel kernel a;b 2 4K", "p:1: not a name for a channel: 'a;b'");
	static const char *const numbers[] = { "x", "-2", "1", "2x", "1048577", "" };
	static const char *const sizes[] = { "K", "-4K", "3K", "4", "4M", "4KK", "2097153K", "" };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		char text[80], why[120];
		snprintf(text, sizeof(text), "channel kernel k %s%s", numbers[i],
			*numbers[i] ? " 4K" : "");
		snprintf(why, sizeof(why), "p:1: not a number of sub-buffers%s%s%s",
			*numbers[i] ? ": '" : "", numbers[i], *numbers[i] ? "'" : "");
		refused(text, why);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char text[80], why[120];
		snprintf(text, sizeof(text), "channel kernel k 2 %s", sizes[i]);
		snprintf(why, sizeof(why), "p:1: not a size of a sub-buffer such as 1024K%s%s%s",
			*sizes[i] ? ": '" : "", sizes[i], *sizes[i] ? "'" : "");
		refused(text, why);
	}
	refused("channel kernel k 2 4K more", "p:1: too many words");
	refused("context a;b", "p:1: not the name of a context: 'a;b'");
	refused("next {dir}", "p:1: no ' : TEXT' behind it: '{dir}'");
	static const char *const conditions[] = { "kernel", "kernel>", "kernel>6",
		"kernel>=", "kernel<", "kernel=6.1", "kernel>=x", "kernel>=0.0", "lttn>=2", "lttng",
		"linux>=6" };
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		char text[80], why[120];
		snprintf(text, sizeof(text), "kernel a if %s", conditions[i]);
		snprintf(why, sizeof(why), "p:1: not a condition such as kernel>=6.1: '%s'",
			conditions[i]);
		refused(text, why);
	}
	refused("kernel a if kernel>=6.1 b", "p:1: nothing may follow a condition");
}

/* What is there already is not recorded twice; buffers are the larger ones. */
static void together(void **state)
{
	(void)state;
	reads("channel kernel k 4 8K\ntitle one\nkernel a b\nsyscalls\ncontext x\nnext a : b",
		"channel kernel other 2 16K\nchannel user u 2 4K\ntitle two\nkernel b\nsyscalls\ntitle three\n"
		"kernel a c|b d|e\ncontext x y\nnext c : d",
		"kernel k 4x16K; user u 2x4K; title one; a b; syscalls; title three; c d|e; context x; context y; "
		"next [a] [b]; next [c] [d]; ");
	/* What is recorded under a condition alone is wanted without one, too; of two names for one
	 * thing the first is enough. */
	reads(CHANNEL "kernel a if kernel>=6", CHANNEL "kernel a",
		"kernel k 2x4K; a if kernel>=6.0; a; ");
	reads(CHANNEL "kernel a", CHANNEL "kernel a|b", "kernel k 2x4K; a; b?; ");
}

static void conditions_hold(void **state)
{
	(void)state;
	struct record_version none = { { 0 } }, v = record_version_of("6.1.0-31-amd64");
	assert_int_equal(v.part[0], 6);
	assert_int_equal(v.part[1], 1);
	assert_int_equal(record_version_of("lttng 2.13.9").part[1], 13);
	assert_int_equal(record_version_of("none").part[0], 0);
	assert_int_equal(record_version_of("99999999.5").part[0], 1000000);
	static const struct {
		bool is_below;
		struct record_version of;
		bool holds, of_unknown;
	} cases[] = { { false, { { 6, 1 } }, true, true }, { false, { { 6, 2 } }, false, true },
		{ false, { { 5, 9 } }, true, true }, { false, { { 7, 0 } }, false, true },
		{ true, { { 6, 1 } }, false, false }, { true, { { 6, 2 } }, true, false },
		{ true, { { 5, 9 } }, false, false }, { true, { { 7, 0 } }, true, false } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct record_condition c = { RECORD_IF_KERNEL, cases[i].is_below, cases[i].of };
		assert_int_equal(record_condition_holds(&c, v, none), cases[i].holds);
		assert_int_equal(record_condition_holds(&c, none, v), cases[i].of_unknown);
		c.of = RECORD_IF_LTTNG;
		assert_int_equal(record_condition_holds(&c, none, v), cases[i].holds);
		c.of = RECORD_ALWAYS;
		assert_true(record_condition_holds(&c, none, none));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(together),
		cmocka_unit_test(conditions_hold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
