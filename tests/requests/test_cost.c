/* What requests cost: each moment of a task belongs to one request or to none; by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "calls_world.h"
#include "requests/cost.h"

enum { TEXT = 2000, US = 1000 };

static void costs_are(const char *world, int64_t until_us, const char *expected)
{
	struct calls_world c;
	char text[TEXT];
	calls_world_open(&c, world);
	calls_world_costs(&c, until_us, text, sizeof(text));
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

#define ONE "pair 10:5 20:7\n0 10 user\n0 20 user\n"

/* 30 works for the first client until its answer has left, then for the second one; what clients
 * do is for none, and so is what it does between two requests. That 11 ends a wait of 30 is no
 * work for it: 30 had no request then. */
static void one_server(void **state)
{
	(void)state;
	costs_are("pair 10:5 30:7\npair 11:5 30:17\n0 10 user\n0 11 user\n0 30 blocked task by 11\n"
		  "1-2 11 write 5 10\n2 30 user\n2-3 30 read 17 10\n"
		  "5-6 10 write 5 10\n6 10 blocked task by 30\n"
		  "9-10 30 write 17 10\n10-11 11 read 5 10\n"
		  "12-13 30 read 7 10\n15 30 runnable\n18 30 user\n19-20 30 write 7 10\n"
		  "20 10 user\n20-22 10 read 5 10\n",
		22, "r1.1 30 8, r2.1 30 5, - 10 8, - 11 22, - 30 4");
}

/* What is used in a part of the time. */
static void window(void **state)
{
	(void)state;
	costs_are(ONE "1-2 10 write 5 10\n2-3 20 read 7 10\n9-10 20 write 7 10\n11-12 10 read 5 "
		      "10\n",
		6, "r1.1 20 4, - 10 6, - 20 2");
}

/* The loop is woken by a timer before the second request comes: that was for none. */
static void between_requests(void **state)
{
	(void)state;
	costs_are(ONE "1-2 10 write 5 10\n2-3 20 read 7 10\n4-5 20 write 7 10\n5-6 10 read 5 10\n"
		      "7 20 blocked timer\n10 20 user\n12 20 blocked network\n14-15 10 write 5 10\n"
		      "15 20 user\n16-17 20 read 7 10\n18-19 20 write 7 10\n19-20 10 read 5 10\n",
		22, "r1.1 20 3, r1.2 20 4, - 10 22, - 20 9");
}

/* 20 reads what 21 answers, and does something else when a timer ends: before the second request
 * began that is not for it, and behind the answer of the last one no more. */
static void reader_between_requests(void **state)
{
	(void)state;
	costs_are(
		"pair 10:5 20:7\nthread 21 20\n0 10 user\n0 20 user\n0 21 blocked futex by 20\n"
		"1-2 10 write 5 10\n2 10 blocked network by 21\n3-4 20 read 7 10\n4 21 user\n"
		"5 20 blocked timer\n7-8 21 write 7 10\n8 10 user\n8-9 10 read 5 10\n"
		"9 21 blocked futex by 20\n20 20 user\n30 20 blocked network by 10\n"
		"39-40 10 write 5 10\n40 20 user\n40 10 blocked network by 21\n41-42 20 read 7 10\n"
		"42 21 user\n43 20 blocked timer\n45-46 21 write 7 10\n46 10 user\n"
		"46-47 10 read 5 10\n47 21 blocked futex by 20\n50 20 user\n60 20 blocked network\n",
		60, "r1.1 21 4, r1.1 20 2, r1.2 21 4, r1.2 20 3, - 21 2, - 10 48, - 20 23");
}

/* 40 does something for 20, while that waits; not while it waits for a lock that 40 has. */
static void helper(void **state)
{
	(void)state;
	costs_are(ONE "0 40 user\n1-2 10 write 5 10\n2-3 20 read 7 10\n"
		      "4 20 blocked task by 40\n5 40 blocked disk\n7 40 user\n9 20 user\n"
		      "10 20 blocked futex by 40\n12 20 user\n"
		      "13-14 20 write 7 10\n14-15 10 read 5 10\n",
		16, "r1.1 20 5, r1.1 40 3, - 10 16, - 20 4, - 40 11");
}

#define TWO_SERVERS                                                                                \
	"pair 10:5 20:7\npair 11:5 21:7\n0 10 user\n0 11 user\n0 20 user\n0 21 user\n0 40 user\n"  \
	"1-2 10 write 5 10\n1-2 11 write 5 10\n2-3 20 read 7 10\n2-3 21 read 7 10\n"

/* Of two waits each moment belongs to the one that ended first. */
static void helper_of_two(void **state)
{
	(void)state;
	costs_are(TWO_SERVERS
		"4 20 blocked task by 40\n5 21 blocked task by 40\n7 21 user\n9 20 user\n"
		"13-14 20 write 7 10\n13-14 21 write 7 10\n14-15 10 read 5 10\n14-15 11 read 5 10\n",
		15,
		"r1.1 20 7, r1.1 40 3, r2.1 21 10, r2.1 40 2, - 10 15, - 11 15, - 20 3, - 21 3, "
		"- 40 10");
	/* The first one that ended began after the other: what is before it is the other's. */
	costs_are(TWO_SERVERS
		"4 20 blocked task by 40\n6 20 user\n7 21 blocked task by 40\n9 21 user\n"
		"13-14 20 write 7 10\n13-14 21 write 7 10\n14-15 10 read 5 10\n14-15 11 read 5 10\n",
		15,
		"r1.1 20 10, r1.1 40 2, r2.1 21 10, r2.1 40 2, - 10 15, - 11 15, - 20 3, - 21 3, "
		"- 40 11");
}

/* 40 waits for 41 in its turn. */
static void helper_of_helper(void **state)
{
	(void)state;
	costs_are(ONE "0 40 user\n0 41 user\n1-2 10 write 5 10\n2-3 20 read 7 10\n"
		      "4 20 blocked task by 40\n5 40 blocked pipe by 41\n8 40 user\n9 20 user\n"
		      "13-14 20 write 7 10\n14-15 10 read 5 10\n",
		15, "r1.1 20 7, r1.1 40 2, r1.1 41 3, - 10 15, - 20 3, - 40 10, - 41 12");
}

/* Who serves a request works for that one, whoever waits for it. */
static void helper_is_busy(void **state)
{
	(void)state;
	costs_are(TWO_SERVERS
		"4 20 blocked task by 21\n9 20 user\n"
		"13-14 20 write 7 10\n13-14 21 write 7 10\n14-15 10 read 5 10\n14-15 11 read 5 10\n",
		15, "r1.1 20 7, r2.1 21 12, - 10 15, - 11 15, - 20 3, - 21 3, - 40 15");
}

/* A wait that began for one request and ended for another one was for something to do. */
static void not_between_requests(void **state)
{
	(void)state;
	costs_are("pair 10:5 20:7\npair 11:5 20:17\n0 10 user\n0 11 user\n0 20 user\n0 40 user\n"
		  "1-2 10 write 5 10\n1-2 11 write 5 10\n2-3 20 read 7 10\n"
		  "4 20 blocked task by 40\n7 20 user\n8-9 20 read 17 10\n10-11 20 write 17 10\n"
		  "12-13 20 write 7 10\n14-15 10 read 5 10\n14-15 11 read 5 10\n",
		15, "r1.1 20 3, r2.1 20 4, - 10 15, - 11 15, - 20 5, - 40 15");
}

static void account(void **state)
{
	struct calls_world c;
	char text[TEXT];
	(void)state;
	/* 20 sends two requests to 30 for it; 40 helps 30. */
	calls_world_open(&c,
		"pair 10:5 20:7\npair 20:8 30:9\n0 10 user\n0 20 user\n0 30 user\n0 40 user\n"
		"1-2 10 write 5 10\n2-3 20 read 7 10\n4-5 20 write 8 10\n5-6 30 read 9 10\n"
		"6 30 blocked task by 40\n8 30 user\n9-10 30 write 9 10\n10-11 20 read 8 10\n"
		"12-13 20 write 8 10\n13-14 30 read 9 10\n15-16 30 write 9 10\n16-17 20 read 8 10\n"
		"18-19 20 write 7 10\n20-21 10 read 5 10\n");
	calls_world_account(&c, "r1.1", text, sizeof(text));
	assert_string_equal(
		text, "20 self 17 below 8, 30 self 6 below 2 of 20 x2, 40 self 2 below 0 of 30");
	calls_world_account(&c, "r2.2", text, sizeof(text));
	assert_string_equal(text, "30 self 3 below 0");
	calls_world_close(&c);
}

/* What is used at the begin of a time belongs to it, at its end to the next one. */
static void used(void **state)
{
	(void)state;
	struct calls_world c;
	struct usage *u;
	struct account a;
	struct mer_err err = { 0 };
	enum { TASKS = 2, SERVER = 1, SLOT = SERVER * USAGE_N_KINDS + USAGE_SOCKETS_SENT };
	calls_world_open(&c, ONE
		"1-2 10 write 5 10\n2-3 20 read 7 10\n9-10 20 write 7 10\n11-12 10 read 5 10\n");
	assert_int_equal(c.host.n_tasks, TASKS);
	assert_int_equal(c.host.tasks[SERVER].tid, 20);
	struct usage_sums sums = { .n_tasks = TASKS, .seen = ~0U };
	sums.points = mer_spill_array(NULL, 4, sizeof(*sums.points));
	sums.first = mer_spill_array(NULL, TASKS * USAGE_N_KINDS + 2, sizeof(*sums.first));
	const int64_t times[] = { 2 * US - 1, 2 * US, 9 * US, 10 * US };
	for (int i = 0; i < 4; i++)
		sums.points[i] = (struct usage_point){ times[i], (int64_t)(2 << i) - 1 };
	for (unsigned i = SLOT + 1; i <= TASKS * USAGE_N_KINDS; i++)
		sums.first[i] = 4;
	assert_int_equal(usage_new(1, NULL, &u, &err), 0);
	usage_restore(u, 0, &sums);
	assert_int_equal(requests_account(c.parts, c.r, u, 0, &a, &err), 0);
	assert_int_equal(a.nodes[0].used[USAGE_SOCKETS_SENT], 2 + 4);
	assert_int_equal(a.nodes[0].used[USAGE_SOCKETS_RECEIVED], 0);
	account_fini(&a);
	usage_free(u);
	calls_world_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_server),
		cmocka_unit_test(window),
		cmocka_unit_test(between_requests),
		cmocka_unit_test(reader_between_requests),
		cmocka_unit_test(helper),
		cmocka_unit_test(helper_of_two),
		cmocka_unit_test(helper_of_helper),
		cmocka_unit_test(helper_is_busy),
		cmocka_unit_test(not_between_requests),
		cmocka_unit_test(account),
		cmocka_unit_test(used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
