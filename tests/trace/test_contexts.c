/* Packet contexts: each event has that of its own packet, also where a batch has events of many
 * packets and streams; and events for who is not in a hurry: their fields by name. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "scenario.h"
#include "small_trace.h"
#include "trace/filter/filter.h"

/* The field n of the events that match. */
static void match(struct mer_experiment *e, const char *expression, const char *expected)
{
	struct mer_err err = { 0 };
	struct trace_filter *f;
	struct trace_reading *r;
	struct trace_bound_filter *b;
	struct mer_cursor *c;
	struct mer_str out = { 0 };
	const struct mer_event *ev;
	size_t n;
	if (trace_filter_parse(expression, &f, &err))
		fail_msg("%s", err.text);
	assert_true(trace_filter_needs_contexts(f, e));
	assert_int_equal(trace_reading_new(e, NULL, true, &r, &err), 0);
	assert_int_equal(trace_filter_bind(f, e, r, &b, &err), 0);
	assert_int_equal(trace_cursor_new(e, r, (struct trace_range){ INT64_MIN, INT64_MAX }, NULL,
				 &c, &err),
		0);
	mer_str_puts(&out, "");
	do {
		assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
		for (size_t i = 0; i < n; i++) {
			int64_t value;
			assert_true(mer_event_int(&ev[i], "n", &value));
			if (trace_filter_match(b, trace_cursor_context(c, &ev[i]), &ev[i]))
				mer_str_printf(&out, "%s%" PRId64, out.len ? " " : "", value);
		}
	} while (n);
	if (strcmp(out.data, expected) != 0)
		fail_msg("%s: %s, not %s", expression, out.data, expected);
	mer_cursor_free(c);
	trace_filter_unbind(b);
	trace_reading_free(r);
	trace_filter_free(f);
	mer_str_fini(&out);
}

/* 3 CPUs of 4 packets of 5 events: event n is of CPU n % 3 and packet n / 15. */
static void of_each_packet(void **state)
{
	struct scenario s;
	struct mer_str text = { 0 };
	(void)state;
	mer_str_puts(&text, "host a\ntrace a/kernel { header plain }\n");
	for (int i = 0; i < 60; i++) {
		if (i >= 15 && i % 15 < 3)
			mer_str_printf(&text, "%dms a %d packet\n", i, i % 3);
		mer_str_printf(&text, "%dms a %d e n=%d\n", i + 1, i % 3, i);
	}
	scenario_open(&s, text.data);
	for (int cpu = 0; cpu < 3; cpu++)
		for (int packet = 0; packet < 4; packet++) {
			char expression[100];
			struct mer_str want = { 0 };
			snprintf(expression, sizeof(expression),
				"packet.cpu_id == %d && packet.packet_seq_num == %d", cpu, packet);
			for (int i = 15 * packet; i < 15 * packet + 15; i++)
				if (i % 3 == cpu)
					mer_str_printf(&want, "%s%d", want.len ? " " : "", i);
			match(s.e, expression, want.data);
			mer_str_fini(&want);
		}
	match(s.e, "packet.cpu_id == 3", "");
	match(s.e, "packet.packet_seq_num > 2 && packet.cpu_id < 1", "45 48 51 54 57");
	mer_str_fini(&text);
	scenario_close(&s);
}

/* ---- fields by name ---- */

static void fields(void **state)
{
	struct small_trace *t = *state;
	struct mer_cursor *c;
	const struct mer_event *ev;
	const char *text;
	size_t n, len, at = 0;
	int64_t v;
	assert_int_equal(mer_cursor_open(t->e, NULL, &c, &t->err), 0);
	do {
		assert_int_equal(mer_cursor_next(c, &ev, &n, &t->err), 0);
		for (size_t i = 0; i < n; i++, at++) {
			static const char *const names[] = { "kinds", "named", "switch", "switch",
				"kinds" };
			assert_string_equal(mer_event_name(&ev[i]), names[at]);
			assert_false(mer_event_int(&ev[i], "none", &v));
			assert_false(mer_event_text(&ev[i], "none", &text, &len));
			assert_true(mer_event_int(&ev[i], "vtid", &v)); /* of all events */
			assert_int_equal(mer_event_int(&ev[i], "vpid", &v), at == 1);
			if (at == 0) {
				assert_true(mer_event_int(&ev[i], "u", &v));
				assert_int_equal(v, -1);
				assert_true(mer_event_int(&ev[i], "on", &v));
				assert_true(mer_event_int(&ev[i], "map", &v));
				assert_false(mer_event_int(&ev[i], "real", &v));
				assert_false(mer_event_int(&ev[i], "text", &v));
				assert_true(mer_event_text(&ev[i], "text", &text, &len));
				assert_false(mer_event_text(&ev[i], "blob", &text, &len));
				assert_false(mer_event_text(&ev[i], "u", &text, &len));
			} else if (at == 1) {
				assert_true(mer_event_text(&ev[i], "name", &text, &len));
				assert_int_equal(len, 4);
				assert_memory_equal(text, "eth0", 4);
			} else if (at == 2) {
				assert_true(mer_event_int(&ev[i], "next_tid", &v));
				assert_int_equal(v, 42);
				assert_true(mer_event_text(&ev[i], "next_comm", &text, &len));
				assert_memory_equal(text, "bash", 4);
			}
		}
	} while (n);
	assert_int_equal(at, 5);
	mer_cursor_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(of_each_packet),
		cmocka_unit_test_setup_teardown(
			fields, small_trace_set_up, small_trace_tear_down) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
