/* Requests over UDP: one socket of a server, or of a client, has several peers. 10 and 11 have the
 * endpoints 100 and 110, the servers 20 and 30 have 200 and 300; worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "calls_world.h"

static void requests_are(const char *world, unsigned n_left, const char *expected)
{
	struct calls_world c;
	char text[500];
	calls_world_open(&c, world);
	calls_world_text(&c, text, sizeof(text));
	assert_string_equal(text, expected);
	assert_int_equal(c.r->connections.n_datagrams, n_left);
	calls_world_close(&c);
}

#define SEND(begin, end, task, fd, from, to)                                                       \
	"datagram " begin " " task " " from " " to "\n" begin "-" end " " task " write " fd " 8\n"
#define READ(begin, end, task, fd) begin "-" end " " task " read " fd " 8\n"
#define TASKS                                                                                      \
	"unix 10:5\nunix 11:5\nunix 20:7\nunix 30:7\n"                                             \
	"0 10 user\n0 11 user\n0 20 user\n0 21 user\n0 30 user\n"

/* One after the other. */
static void a_server(void **state)
{
	(void)state;
	requests_are(
		TASKS SEND("1", "2", "10", "5", "100", "200") SEND("1", "2", "11", "5", "110",
			"200") READ("3", "4", "20", "7") SEND("5", "6", "20", "7", "200", "100")
			READ("7", "8", "20", "7") SEND("9", "10", "20", "7", "200", "110")
				READ("11", "12", "10", "5") READ("13", "14", "11", "5"),
		0, "r1.1 10>20 1-12, r2.1 11>20 1-14");
}

/* Two threads share the socket; each answers what it has read. */
static void threads(void **state)
{
	(void)state;
	requests_are("thread 21 20\n" TASKS SEND("1", "2", "10", "5", "100", "200") SEND("1", "2",
			     "11", "5", "110", "200") READ("3", "4", "20", "7") READ("3", "5", "21",
			     "7") SEND("6", "7", "21", "7", "200", "110") SEND("8", "9", "20", "7",
			     "200", "100") READ("11", "12", "10", "5") READ("13", "14", "11", "5"),
		0, "r1.1 10>20 1-12, r2.1 11>21 1-14");
}

/* A client asks two servers from one socket. */
static void a_client(void **state)
{
	(void)state;
	requests_are(TASKS SEND("1", "2", "10", "5", "100", "200") READ("3", "4", "20", "7") SEND(
			     "5", "6", "20", "7", "200", "100") READ("7", "8", "10", "5") SEND("11",
			     "12", "10", "5", "100", "300") READ("13", "14", "30", "7")
			     SEND("15", "16", "30", "7", "300", "100") READ("17", "18", "10", "5"),
		0, "r1.1 10>20 1-8, r2.1 10>30 11-18");
}

/* The port of 10 is taken by 11 when that one has done. */
static void a_port_that_is_used_again(void **state)
{
	(void)state;
	requests_are(TASKS SEND("1", "2", "10", "5", "100", "200") READ("3", "4", "20", "7") SEND(
			     "5", "6", "20", "7", "200", "100") READ("7", "8", "10", "5") SEND("11",
			     "12", "30", "7", "300", "200") READ("13", "14", "20", "7") SEND("15",
			     "16", "20", "7", "200", "300") READ("17", "18", "30", "7") SEND("21",
			     "22", "11", "5", "100", "200") READ("23", "24", "20", "7")
			     SEND("25", "26", "20", "7", "200", "100") READ("27", "28", "11", "5"),
		0, "r1.1 10>20 1-8, r2.1 30>20 11-18, r3.1 11>20 21-28");
}

/* Both are read before one is answered: whose the first one was is not known. */
static void both_at_once(void **state)
{
	(void)state;
	requests_are(TASKS SEND("1", "2", "10", "5", "100", "200") SEND("1", "2", "11", "5", "110",
			     "200") READ("3", "4", "20", "7") READ("5", "6", "20", "7") SEND("7",
			     "8", "20", "7", "200", "100") SEND("9", "10", "20", "7", "200", "110")
			     READ("11", "12", "10", "5") READ("13", "14", "11", "5"),
		1, "r1.1 10>? 1-12, r2.1 11>? 1-14");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server),
		cmocka_unit_test(threads),
		cmocka_unit_test(a_client),
		cmocka_unit_test(a_port_that_is_used_again),
		cmocka_unit_test(both_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
