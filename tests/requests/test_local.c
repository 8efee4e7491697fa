/* Connections within a host that have no name in common, and pairs of pipes: which two are the ends
 * of one, and what they are for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "calls_world.h"

enum { TEXT = 2000 };

static void requests_are(const char *world, const char *expected)
{
	struct calls_world c;
	char text[TEXT];
	calls_world_open(&c, world);
	calls_world_text(&c, text, sizeof(text));
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

static void kind_is(const char *world, const char *expected)
{
	struct calls_world c;
	struct requests_kinds k;
	struct mer_err err = { 0 };
	calls_world_open(&c, world);
	assert_int_equal(requests_kinds_find(c.r, &k, &err), 0);
	assert_true(c.r->n > 0);
	assert_string_equal(requests_kind_name(&k, 0), expected);
	requests_kinds_fini(&k);
	calls_world_close(&c);
}

/* Task 10 connects its 5, 20 gets it as 7 from its 3. */
#define SOCKETS "unix 10:5\nunix 20:3\nunix 20:7\n"
#define CONNECT "1 10 running call connect fd 5\n"
#define CONNECTED "1-3 10 connect 5 0\n2-4 20 accept 3 7\n"
#define ASK "5-6 10 write 5 10\n7-8 20 read 7 10\n"
#define ANSWER "9-10 20 write 7 20\n11-12 10 read 5 20\n"

/* The wait for a connection was ended by a connect. */
static void accepted(void **state)
{
	(void)state;
	const char *world = SOCKETS "0 20 blocked task by 10 call accept fd 3\n" CONNECT
				    "2 20 runnable\n" CONNECTED ASK ANSWER;
	requests_are(world, "r1.1 10>20 1-12");
	kind_is(world, "t10 ->  unix t20");
	/* In a poll. */
	requests_are(SOCKETS "0 20 blocked task by 10 call epoll_wait fd 4\n" CONNECT
			     "2 20 runnable\n" CONNECTED ASK ANSWER,
		"r1.1 10>20 1-12");
}

/* Nobody waited for the connection; who asked was woken by the answer. */
static void by_the_answer(void **state)
{
	(void)state;
	requests_are(SOCKETS CONNECTED ASK "8 10 blocked task by 20 call read fd 5\n"
					   "9 20 running call write fd 7\n10 10 runnable\n" ANSWER,
		"r1.1 10>20 1-12");
	/* What was asked woke who answers. */
	requests_are(SOCKETS CONNECTED
		"4 20 blocked task by 10 call epoll_wait fd 4\n5 10 running call write fd 5\n"
		"6 20 runnable\n" ASK ANSWER,
		"r1.1 10>20 1-12");
}

static void nothing_says_so(void **state)
{
	(void)state;
	requests_are(SOCKETS CONNECTED ASK ANSWER, "");
	/* Neither does what a lock's owner did, nor a wait that went on after it. */
	requests_are(SOCKETS CONNECTED ASK "8 10 blocked futex by 20 call futex fd 9\n"
					   "9 20 running call write fd 7\n10 10 runnable\n" ANSWER,
		"");
	requests_are(SOCKETS CONNECTED ASK
		"7 10 blocked task by 20 call read fd 5\n8 20 running call write fd 7\n"
		"9 10 runnable\n9 10 blocked task by 30 call read fd 5\n9 30 running\n"
		"10 10 runnable\n" ANSWER,
		"");
}

/* 30 has another connection to 20, as 8, on which more was read than 10 had written. */
static void contradiction(void **state)
{
	(void)state;
	requests_are(SOCKETS "unix 30:5\nunix 20:8\n1-2 20 accept 3 8\n" CONNECTED
			     "4 20 blocked task by 10 call epoll_wait fd 4\n"
			     "5 10 running call write fd 5\n6 20 runnable\n"
			     "5-6 10 write 5 10\n6-7 20 read 8 11\n",
		"");
	/* Or before. */
	requests_are(SOCKETS CONNECTED
		"5-6 20 read 7 10\n6 10 blocked task by 20 call read fd 5\n"
		"8 20 running call write fd 7\n9 10 runnable\n9-10 10 write 5 10\n" ANSWER,
		"");
}

/* Nobody saw how it was made: once may be chance. */
static void from_before(void **state)
{
	(void)state;
#define ONCE                                                                                       \
	"4 20 blocked task by 10 call read fd 7\n5 10 running call write fd 5\n6 20 runnable\n" ASK
	requests_are(SOCKETS ONCE ANSWER, "");
	requests_are(SOCKETS ONCE "8 10 blocked task by 20 call read fd 5\n"
				  "9 20 running call write fd 7\n10 10 runnable\n" ANSWER,
		"r1.1 10>20 5-12");
}

/* Most of what ended its waits came from another one than the first of them. */
static void by_majority(void **state)
{
	(void)state;
	requests_are(SOCKETS "unix 30:5\nunix 20:8\n" CONNECTED
			     "4 20 blocked task by 30 call epoll_wait fd 4\n"
			     "5 30 running call write fd 5\n6 20 runnable\n" ASK
			     "8 10 blocked task by 20 call read fd 5\n"
			     "9 20 running call write fd 7\n10 10 runnable\n" ANSWER
			     "13 20 blocked task by 10 call read fd 7\n"
			     "14 10 running call write fd 5\n15 20 runnable\n"
			     "14-15 10 write 5 1\n15-16 20 read 7 1\n",
		"r1.1 10>20 1-12");
}

/* ---- what it is for ---- */

#define BELOW "pair 20:9 30:4\n"
#define SERVED_BELOW                                                                               \
	"13-14 20 write 9 1\n15-16 30 read 4 1\n17-18 30 write 4 2\n19-20 20 read 9 2\n"

static void nested(void **state)
{
	(void)state;
	requests_are(BELOW SOCKETS
		"0 20 blocked task by 10 call epoll_wait fd 4\n" CONNECT "2 20 runnable\n" CONNECTED
		"4 20 blocked task by 10 call epoll_wait fd 4\n5 10 running call write fd 5\n"
		"6 20 runnable\n" ASK SERVED_BELOW
		"20 10 blocked task by 20 call read fd 5\n21 20 running call write fd 7\n"
		"22 10 runnable\n21-22 20 write 7 20\n23-24 10 read 5 20\n",
		"r1.1 20>30 13-20 of r2.1, r2.1 10>20 1-24");
}

/* 20 tells 30 something on its connection while it serves 10: it has not handed that on. */
static void nothing_handed(void **state)
{
	(void)state;
	requests_are("pair 10:5 20:9\nunix 30:5\nunix 20:3\nunix 20:8\n"
		     "1-2 30 connect 5 0\n2-3 20 accept 3 8\n4-5 10 write 5 1\n"
		     "5 30 blocked task by 20 call read fd 5\n6-7 20 read 9 1\n"
		     "8 20 running call write fd 8\n9 30 runnable\n8-10 20 write 8 1\n"
		     "11-12 30 read 5 1\n13-14 30 write 5 2\n15-16 20 read 8 2\n"
		     "16 30 blocked task by 20 call read fd 5\n17 20 running call write fd 8\n"
		     "18 30 runnable\n17-18 20 write 8 3\n19-20 30 read 5 3\n"
		     "21-22 20 write 9 1\n23-24 10 read 5 1\n",
		"r1.1 30>20 13-20, r2.1 10>20 4-24");
}

/* ---- pipes ---- */

#define PIPES "pipe 10:5 20:0\npipe 20:1 10:6\n"
#define ASKED "5-6 10 write 5 10\n7-8 20 read 0 10\n"
#define ANSWERED "21-22 20 write 1 20\n23-24 10 read 6 20\n"

static void pipes(void **state)
{
	(void)state;
	requests_are(PIPES ASKED ANSWERED, "r1.1 10>20 5-24");
	kind_is(PIPES ASKED ANSWERED, "t10 ->  pipe t20");
	/* A server that reads its requests from a pipe has them below. */
	requests_are(PIPES BELOW ASKED SERVED_BELOW ANSWERED,
		"r1.1 20>30 13-20 of r2.1, r2.1 10>20 5-24");
	/* Threads of a process. */
	requests_are(PIPES "thread 11 10\n" ASKED "21-22 20 write 1 20\n23-24 11 read 6 20\n",
		"r1.1 10>20 5-24");
}

/* One way, a second pipe the same way, or somebody else at one of them. */
static void no_pair_of_pipes(void **state)
{
	(void)state;
	requests_are(PIPES ASKED, "");
	requests_are(PIPES "pipe 20:2 10:7\n" ASKED ANSWERED
			   "25-26 20 write 2 1\n27-28 10 read 7 1\n",
		"");
	requests_are("thread 11 11\npipe 10:5 20:0\npipe 20:1 11:6\n" ASKED
		     "21-22 20 write 1 20\n23-24 11 read 6 20\n",
		"");
	requests_are("pipe 10:5 20:0\npipe 20:1 10:6\npipe 10:6 10:6\n" ASKED
		     "21-22 20 write 1 20\n23-24 10 read 6 20\n24-25 20 read 1 1\n",
		"");
}

/* Other pipes only wake: what is sent after one was read may be for any request that is open. The
 * other request would have been the one that was read last. */
static void wakes_only(void **state)
{
	(void)state;
#define TWO "pair 10:5 20:7\npair 11:5 20:8\npair 20:9 30:4\n"
#define TWO_READ "1-2 10 write 5 1\n3-4 20 read 7 1\n5-6 11 write 5 1\n7-8 20 read 8 1\n"
#define TWO_ANSWERED                                                                               \
	"20-21 20 epoll_wait -1 0\n21-22 20 write 7 2\n23-24 20 write 8 2\n"                       \
	"25-26 10 read 5 2\n27-28 11 read 5 2\n"
	requests_are(TWO TWO_READ SERVED_BELOW TWO_ANSWERED,
		"r1.1 10>20 1-26, r2.1 11>20 5-28, r3.1 20>30 13-20 of r2.1 0.95");
	const char *undecided = "r1.1 10>20 1-26, r2.1 11>20 5-28, r3.1 20>30 13-20 of r2.1 0.50";
	requests_are(TWO "pipe 40:3 20:3\n" TWO_READ
			 "9-10 40 write 3 1\n11-12 20 read 3 1\n" SERVED_BELOW TWO_ANSWERED,
		undecided);
	/* Also if another one was written after the poll. */
	requests_are(TWO "pipe 20:3 40:3\n" TWO_READ
			 "8-9 20 epoll_wait -1 0\n9-10 20 write 3 1\n" SERVED_BELOW TWO_ANSWERED,
		undecided);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepted),
		cmocka_unit_test(by_the_answer),
		cmocka_unit_test(nothing_says_so),
		cmocka_unit_test(contradiction),
		cmocka_unit_test(from_before),
		cmocka_unit_test(by_majority),
		cmocka_unit_test(nested),
		cmocka_unit_test(nothing_handed),
		cmocka_unit_test(pipes),
		cmocka_unit_test(no_pair_of_pipes),
		cmocka_unit_test(wakes_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
