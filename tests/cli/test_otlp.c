/* Requests as OpenTelemetry's traces: small worlds by hand, and all that must be written of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "made_requests.h"

static void otlp_is(const char *world, const char *chosen, const char *expected)
{
	struct made_requests m;
	made_requests_open(&m, world);
	assert_string_equal(made_requests_write(&m, ask_requests_otlp, chosen), expected);
	made_requests_close(&m);
}

/* What is written, piece by piece. */
#define TEXT(key, value) "{\"key\":\"" key "\",\"value\":{\"stringValue\":\"" value "\"}}"
#define INT(key, value) "{\"key\":\"" key "\",\"value\":{\"intValue\":\"" value "\"}}"
#define SURE "{\"key\":\"meridian.confidence\",\"value\":{\"doubleValue\":1}}"
#define THREAD(tid) INT("thread.id", tid) "," TEXT("thread.name", "t" tid)
#define PROCESS(pid, spans)                                                                                     \
	"{\"resource\":{\"attributes\":[" TEXT("service.name", "t" pid) "," TEXT("host.name",                   \
		"h\\\"1") "," INT("process.pid", pid) "," TEXT("process.executable.name",                       \
		"t" pid) "]},\"scopeSpans\":[{\"scope\":{\"name\":\"meridian\",\"version\":\"" MERIDIAN_VERSION \
			 "\"},\"spans\":[" spans "]}]}"
#define SPAN(trace, id, parent, name, kind, begin, end, attributes, events)                        \
	"{\"traceId\":\"" trace "\",\"spanId\":\"" id "\"," parent "\"name\":\"" name              \
	"\",\"kind\":" kind ",\"startTimeUnixNano\":\"" begin "\",\"endTimeUnixNano\":\"" end      \
	"\",\"attributes\":[" attributes "]" events "}"
#define BELOW(id) "\"parentSpanId\":\"" id "\","
#define REQUEST(id, tid, out, in)                                                                  \
	TEXT("meridian.request", id)                                                               \
	"," THREAD(tid) "," INT("meridian.bytes_out", out) "," INT("meridian.bytes_in", in)
#define FILE_OF(processes) "{\"resourceSpans\":[" processes "]}\n"

#define TRACE "d47b48c28a778caf45caf1909b1c9d13"
#define CLIENT "0887a30dd9d95160"
#define SERVER "eaaf9765bd638b8b"
#define CLIENT_BELOW "4788559e529bd2cf"
#define SERVER_BELOW "09dcbd63793a0f2a"

static void both_sides(void **state)
{
	(void)state;
	otlp_is(MADE_NESTED, "r1.1 r2.1",
		FILE_OF(PROCESS("10",
			SPAN(TRACE, CLIENT, "", "t10 -> h\\\"1 t20", "3", "1000000", "4016000",
				REQUEST("r1.1", "10", "10", "40"), "")) "," PROCESS("20",
			SPAN(TRACE, SERVER, BELOW(CLIENT), "t10 -> h\\\"1 t20", "2", "1002000",
				"4014000", REQUEST("r1.1", "20", "10", "40"),
				",\"events\":[{\"timeUnixNano\":\"1012000\",\"name\":\"futex\",\"attributes\":[" INT(
					"meridian.wait_ns", "3000000") "," TEXT("host.name",
					"h\\\"1") "," THREAD("20") "]}]") "," SPAN(TRACE,
				CLIENT_BELOW, BELOW(SERVER), "t20 -> h\\\"1 t30", "3", "1004000",
				"1011000", REQUEST("r2.1", "20", "20", "30") "," SURE,
				"")) "," PROCESS("30",
			SPAN(TRACE, SERVER_BELOW, BELOW(CLIENT_BELOW), "t20 -> h\\\"1 t30", "2",
				"1006000", "1009000", REQUEST("r2.1", "30", "20", "30") "," SURE,
				""))));
}

/* A parent that is not in the output is not named; the trace is the same. */
static void selected(void **state)
{
	(void)state;
	otlp_is(MADE_NESTED, "r2.1",
		FILE_OF(PROCESS(
			"20", SPAN(TRACE, CLIENT_BELOW, "", "t20 -> h\\\"1 t30", "3", "1004000",
				      "1011000", REQUEST("r2.1", "20", "20", "30") "," SURE,
				      "")) "," PROCESS("30",
			SPAN(TRACE, SERVER_BELOW, BELOW(CLIENT_BELOW), "t20 -> h\\\"1 t30", "2",
				"1006000", "1009000", REQUEST("r2.1", "30", "20", "30") "," SURE,
				""))));
	otlp_is(MADE_NESTED, "", FILE_OF(""));
}

/* What the server did is not known, so there is nothing of it. */
static void damaged(void **state)
{
	struct made_requests m;
	(void)state;
	made_requests_open(&m,
		"pair 10:5 20:7\n1-2 10 write 5 10\n3-4 20 read 7 15\n5-6 20 write 7 5\n"
		"7-8 10 read 5 5\n");
	const char *text = made_requests_write(&m, ask_requests_otlp, "r1.1");
	assert_non_null(strstr(text, "\"kind\":3"));
	assert_null(strstr(text, "\"kind\":2"));
	assert_non_null(
		strstr(text, "{\"key\":\"meridian.lost_events\",\"value\":{\"boolValue\":true}}"));
	made_requests_close(&m);
}

static int times(const char *text, const char *what)
{
	int n = 0;
	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

/* Only damaged traces can have these. */
static void in_a_circle(void **state)
{
	struct made_requests m;
	(void)state;
	made_requests_open(&m, MADE_NESTED);
	assert_int_equal(m.c.r->n, 2);
	m.c.r->exchanges[0].parent = 2;
	const char *text = made_requests_write(&m, ask_requests_otlp, "r1.1 r2.1");
	assert_int_equal(times(text, "\"traceId\":\"" TRACE "\""), 4);
	assert_int_equal(times(text, "\"parentSpanId\""), 3);
	m.c.r->exchanges[0].parent = 1;
	text = made_requests_write(&m, ask_requests_otlp, "r1.1 r2.1");
	assert_int_equal(times(text, "\"traceId\":\"" TRACE "\""), 4);
	assert_int_equal(times(text, "\"parentSpanId\""), 3);
	made_requests_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides),
		cmocka_unit_test(selected),
		cmocka_unit_test(damaged),
		cmocka_unit_test(in_a_circle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
