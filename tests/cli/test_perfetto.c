/* Requests as trace events: small worlds by hand, and all that must be written of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "made_requests.h"

static void perfetto_is(const char *world, const char *chosen, const char *expected)
{
	struct made_requests m;
	made_requests_open(&m, world);
	assert_string_equal(made_requests_write(&m, ask_requests_perfetto, chosen), expected);
	made_requests_close(&m);
}

/* What is written, piece by piece; times in us. */
#define NAME(what, order, pid, tid, name)                                                          \
	"{\"ph\":\"M\",\"name\":\"" what "\",\"pid\":" pid ",\"tid\":" tid                         \
	",\"args\":{\"name\":\"" name "\"}},"                                                      \
	"{\"ph\":\"M\",\"name\":\"" order "\",\"pid\":" pid ",\"tid\":" tid                        \
	",\"args\":{\"sort_index\":" tid "}}"
#define PROCESS(pid, program)                                                                      \
	NAME("process_name", "process_sort_index", pid, pid, "h\\\"1 " program)
#define THREAD(pid, tid, name) NAME("thread_name", "thread_sort_index", pid, tid, name)
#define SLICE(name, side, pid, tid, begin, length, args)                                           \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"cat\":\"" side "\",\"pid\":" pid ",\"tid\":" tid    \
	",\"ts\":" begin ",\"dur\":" length ",\"args\":{" args "}}"
#define TASK(tid) "\"host\":\"h\\\"1\",\"tid\":" tid
#define PART(name, pid, tid, begin, length, task)                                                  \
	SLICE(name, "part", pid, tid, begin, length, TASK(task) ",\"comm\":\"t" task "\"")
#define QUEUED(pid, tid, begin, length, task, of)                                                  \
	SLICE("queued", "part", pid, tid, begin, length,                                           \
		TASK(task) ",\"comm\":\"t" task "\",\"of\":\"" of "\"")
#define PARTY(tid) "{" TASK(tid) ",\"pid\":" tid ",\"comm\":\"t" tid "\"}"
#define REQUEST(side, pid, tid, begin, length, id, from, to, at, latency, rest)                    \
	SLICE("t" from " -> h\\\"1 t" to, side, pid, tid, begin, length,                           \
		"\"id\":\"" id "\",\"kind\":\"t" from " -> h\\\"1 t" to "\",\"begin\":\"" at       \
		"\",\"latency_ns\":" latency                                                       \
		",\"client\":" PARTY(from) ",\"server\":" PARTY(to) "," rest)
#define BYTES(out, in) "\"bytes_out\":" out ",\"bytes_in\":" in
#define ARROW(name, pid, tid, leaves, to_pid, to_tid, arrives, id)                                 \
	"{\"ph\":\"s\",\"name\":\"" name "\",\"cat\":\"flow\",\"pid\":" pid ",\"tid\":" tid        \
	",\"ts\":" leaves ",\"id\":" id "},{\"ph\":\"f\",\"name\":\"" name                         \
	"\",\"cat\":\"flow\",\"pid\":" to_pid ",\"tid\":" to_tid ",\"ts\":" arrives ",\"id\":" id  \
	",\"bp\":\"e\"}"
#define FILE_OF(events, begin)                                                                     \
	"{\"traceEvents\":[" events "],\"otherData\":{\"meridian\":\"" MERIDIAN_VERSION            \
	"\",\"begin\":\"" begin "\"}}\n"

/* A part that was under way when the server read is cut there; what is below has its own parts. */
static void both_sides(void **state)
{
#define R1(side, pid, tid, begin, length)                                                          \
	REQUEST(side, pid, tid, begin, length, "r1.1", "10", "20", "1000000", "3016000",           \
		BYTES("10", "40"))
#define R2(side, pid, tid, begin, length)                                                          \
	REQUEST(side, pid, tid, begin, length, "r2.1", "20", "30", "1004000", "7000",              \
		"\"parent\":\"r1.1\",\"confidence\":1," BYTES("20", "30"))
	(void)state;
	perfetto_is(MADE_NESTED, "r1.1 r2.1",
		FILE_OF(PROCESS("1", "t10/10") "," THREAD("1", "2", "t10/10 client") "," R1(
				"client", "1", "2", "0", "3016") "," PART("running", "1", "2", "0",
				"1", "10") "," PART("running", "1", "2", "1", "1",
				"20") "," PART("running", "1", "2", "3014", "2",
				"10") "," PROCESS("3", "t20/20") "," THREAD("3", "4",
				"t20/20 client") "," R2("client", "3", "4", "4",
				"7") "," PART("running", "3", "4", "4", "1",
				"20") "," PART("running", "3", "4", "5", "1",
				"30") "," PART("running", "3", "4", "9", "2", "20") "," THREAD("3",
				"5", "t20/20 server") "," R1("server", "3", "5", "2",
				"3012") "," PART("running", "3", "5", "2", "2",
				"20") "," PART("running", "3", "5", "11", "1",
				"20") "," PART("futex", "3", "5", "12", "3000",
				"20") "," PART("running", "3", "5", "3012", "2",
				"20") "," PROCESS("6", "t30/30") "," THREAD("6", "7",
				"t30/30 server") "," R2("server", "6", "7", "6",
				"3") "," PART("running", "6", "7", "6", "3",
				"30") "," ARROW("child", "3", "5", "3.999", "3", "4", "4",
				"3") "," ARROW("request", "1", "2", "1.999", "3", "5", "2",
				"2") "," ARROW("request", "3", "4", "5.999", "6", "7", "6", "4"),
			"1000000"));
}

/* No arrow from what is not in the output. */
static void selected(void **state)
{
	struct made_requests m;
	(void)state;
	made_requests_open(&m, MADE_NESTED);
	const char *text = made_requests_write(&m, ask_requests_perfetto, "r2.1");
	assert_non_null(strstr(text, "\"ts\":0,\"dur\":7,"));
	assert_non_null(strstr(text, "\"name\":\"request\""));
	assert_null(strstr(text, "\"name\":\"child\""));
	made_requests_close(&m);
	perfetto_is(MADE_NESTED, "", FILE_OF("", "0"));
}

/* An event loop that has two at once: the second one has a thread of its own, and the third one
 * that of the first. */
static void at_once(void **state)
{
#define R(side, pid, tid, begin, length, id, from, at, latency)                                    \
	REQUEST(side, pid, tid, begin, length, id, from, "20", at, latency, BYTES("10", "10"))
	(void)state;
	perfetto_is("pair 10:5 20:7\npair 11:5 20:8\n1-2 10 write 5 10\n2-3 11 write 5 10\n"
		    "3-4 20 read 7 10\n5-6 20 read 8 10\n7-8 20 write 7 10\n8-9 10 read 5 10\n"
		    "9-10 20 write 8 10\n11-12 11 read 5 10\n21-22 10 write 5 10\n"
		    "23-24 20 read 7 10\n27-28 20 write 7 10\n28-29 10 read 5 10\n",
		"r1.1 r1.2 r2.1",
		FILE_OF(PROCESS("1", "t10/10") "," THREAD("1", "2", "t10/10 client") "," R("client",
				"1", "2", "0", "8", "r1.1", "10", "1000",
				"8000") "," PART("running", "1", "2", "0", "1",
				"10") "," PART("running", "1", "2", "1", "1",
				"20") "," PART("running", "1", "2", "7", "1", "10") "," R("client",
				"1", "2", "20", "8", "r1.2", "10", "21000",
				"8000") "," PART("running", "1", "2", "20", "1",
				"10") "," PART("running", "1", "2", "21", "1",
				"20") "," PART("running", "1", "2", "27", "1",
				"10") "," PROCESS("3", "t11/11") "," THREAD("3", "4",
				"t11/11 client") "," R("client", "3", "4", "1", "10", "r2.1", "11",
				"2000", "10000") "," PART("running", "3", "4", "1", "1",
				"11") "," QUEUED("3", "4", "2", "2", "20",
				"r1.1") "," PART("running", "3", "4", "9", "2",
				"11") "," PROCESS("5", "t20/20") "," THREAD("5", "6",
				"t20/20 server") "," R("server", "5", "6", "2", "5", "r1.1", "10",
				"1000", "8000") "," PART("running", "5", "6", "2", "2",
				"20") "," QUEUED("5", "6", "4", "2", "20",
				"r2.1") "," PART("running", "5", "6", "6", "1",
				"20") "," THREAD("5", "7", "t20/20 server (2)") "," R("server", "5",
				"7", "4", "5", "r2.1", "11", "2000", "10000") "," PART("running",
				"5", "7", "4", "2", "20") "," QUEUED("5", "7", "6", "1", "20",
				"r1.1") "," PART("running", "5", "7", "7", "2",
				"20") "," R("server", "5", "6", "22", "5", "r1.2", "10", "21000",
				"8000") "," PART("running", "5", "6", "22", "5",
				"20") "," ARROW("request", "1", "2", "1.999", "5", "6", "2",
				"2") "," ARROW("request", "3", "4", "3.999", "5", "7", "4",
				"6") "," ARROW("request", "1", "2", "21.999", "5", "6", "22", "4"),
			"1000"));
}

/* What the server did is not known: the requester has all of the time. */
static void damaged(void **state)
{
	struct made_requests m;
	(void)state;
	made_requests_open(&m,
		"pair 10:5 20:7\n1-2 10 write 5 10\n3-4 20 read 7 15\n5-6 20 write 7 5\n"
		"7-8 10 read 5 5\n");
	const char *text = made_requests_write(&m, ask_requests_perfetto, "r1.1");
	assert_non_null(strstr(text, "\"cat\":\"client\""));
	assert_null(strstr(text, "\"cat\":\"server\""));
	assert_null(strstr(text, "\"cat\":\"flow\""));
	assert_non_null(strstr(text, "\"lost_events\":true"));
	made_requests_close(&m);
}

/* Only damaged traces can have these: the one above both is no child. */
static void in_a_circle(void **state)
{
	struct made_requests m;
	(void)state;
	made_requests_open(&m, MADE_NESTED);
	m.c.r->exchanges[0].parent = 2;
	const char *text = made_requests_write(&m, ask_requests_perfetto, "r1.1 r2.1");
	const char *child = strstr(text, "\"name\":\"child\"");
	assert_non_null(child);
	assert_non_null(strstr(child + 1, "\"name\":\"child\"")); /* its other end */
	made_requests_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides),
		cmocka_unit_test(selected),
		cmocka_unit_test(at_once),
		cmocka_unit_test(damaged),
		cmocka_unit_test(in_a_circle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
