/* What is said of a trace: its tracer with the version as far as it is known, and when its first
 * and last events are, whatever the headers of packets say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "scenario.h"

static void tracer(const char *settings, const char *expected)
{
	struct scenario s;
	char text[400];
	snprintf(text, sizeof(text), "host a\ntrace a/t { %s }\n1ms a 0 e n=1\n", settings);
	scenario_open(&s, text);
	assert_string_equal(s.e->traces[0].tracer, expected);
	scenario_close(&s);
}

static void tracers(void **state)
{
	(void)state;
	tracer("tracer LTTng \"2.13.9\"", "LTTng 2.13.9");
	tracer("tracer LTTng \"2.13\"; env tracer_patchlevel 7", "LTTng 2.13.7");
	/* Texts are versions, too: 16 bytes of each. */
	tracer("tracer x \"1.2.3\"; env tracer_minor \"beta\"", "x 1.beta.3");
	tracer("tracer x \"1.2.3\"; env tracer_major \"0123456789abcdefgh\"",
		"x 0123456789abcdef.2.3");
	tracer("tracer x \"1.2.3\"; env tracer_major \"0123456789abcdefgh\"; "
	       "env tracer_minor \"0123456789abcdefgh\"; env tracer_patchlevel \"0123456789abcdefgh\"",
		"x 0123456789abcdef.0123456789abcdef.0123456789abcdef");
}

/* Streams of a trace are one after the other, and each is of its trace. */
static void streams(void **state)
{
	struct scenario s;
	(void)state;
	scenario_open(&s,
		"host a\ntrace a/t\ntrace a/u\n1ms a/t 0 e n=1\n2ms a/t 1 e n=1\n3ms a/t 2 e n=1\n"
		"1ms a/u 0 f n=1\n2ms a/u 5 f n=1\n");
	assert_int_equal(s.e->n_traces, 2);
	assert_int_equal(s.e->n_streams, 5);
	uint32_t n = 0;
	for (uint32_t t = 0; t < 2; t++) {
		assert_int_equal(s.e->traces[t].n_streams, t ? 2 : 3);
		assert_int_equal(s.e->traces[t].first_stream, n);
		for (uint32_t i = 0; i < s.e->traces[t].n_streams; i++, n++) {
			assert_int_equal(s.e->streams[n].trace, t);
			assert_int_equal(s.e->streams[n].cpu, t && i ? 5 : i);
		}
	}
	scenario_close(&s);
}

static void extent(const char *events, int64_t begin_ms, int64_t end_ms)
{
	struct scenario s;
	char text[600];
	snprintf(text, sizeof(text), "host a\ntrace a/t { header plain }\n%s", events);
	scenario_open(&s, text);
	assert_int_equal(s.e->traces[0].begin, begin_ms * 1000000);
	assert_int_equal(s.e->traces[0].end, end_ms * 1000000);
	scenario_close(&s);
}

#define SET(what, ms) "1ms a 0 set timestamp_" what "=" ms "000000\n"

static void extents(void **state)
{
	(void)state;
	extent("5ms a 0 e n=1\n9ms a 0 e n=2\n", 5, 9);
	/* Headers that begin earlier and end later than the events. */
	extent(SET("begin", "1") SET("end", "20") "5ms a 0 e n=1\n9ms a 0 e n=2\n", 5, 9);
	/* A packet that begins later has the first event; one that begins earlier the last one. */
	extent(SET("begin", "1")
			SET("end", "30") "10ms a 0 e n=1\n20ms a 0 e n=2\n10ms a 0 packet\n" SET(
				"begin", "5") SET("end", "12") "6ms a 0 e n=3\n7ms a 0 e n=4\n",
		6, 20);
	extent(SET("begin", "1")
			SET("end", "30") "2ms a 0 e n=1\n25ms a 0 e n=2\n10ms a 0 packet\n" SET(
				"begin", "5") SET("end", "12") "6ms a 0 e n=3\n7ms a 0 e n=4\n",
		2, 25);
	/* Packets without events are passed. */
	extent("1ms a 0 packet\n5ms a 0 e n=1\n6ms a 0 packet\n9ms a 0 packet\n", 5, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tracers), cmocka_unit_test(streams),
		cmocka_unit_test(extents) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
