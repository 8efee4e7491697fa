/* Own requests: from any event to any other; what is above and below them, and where their time
 * went; by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "calls_world.h"

enum { TEXT = 2000 };

static void requests_are(const char *world, const char *own, const char *expected)
{
	struct calls_world c;
	char text[TEXT];
	calls_world_open(&c, world);
	calls_world_own(&c, own);
	calls_world_text(&c, text, sizeof(text));
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

static void parts_are(const char *world, const char *own, const char *id, const char *expected)
{
	struct calls_world c;
	char text[TEXT];
	calls_world_open(&c, world);
	calls_world_own(&c, own);
	calls_world_parts(&c, id, text, sizeof(text));
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

/* 20 serves 10, and asks 30 for it. */
#define SERVER                                                                                     \
	"pair 10:5 20:7\npair 20:8 30:9\n0 10 user\n0 20 user\n0 30 user\n"                        \
	"1-2 10 write 5 10\n2 10 blocked network\n3-4 20 read 7 10\n5-6 20 write 8 10\n"           \
	"6 20 blocked task by 30\n7-8 30 read 9 10\n9-10 30 write 9 10\n10 20 user\n"              \
	"10-12 20 read 8 10\n13-14 20 write 7 10\n14 10 user\n15-16 10 read 5 10\n"

static void of_one_thread(void **state)
{
	(void)state;
	/* Part of what the server does: below its request, above the one that it sends. */
	requests_are(SERVER, "4-12 20>20\n",
		"r1.1 10>20 1-16, r2.1 20>30 5-12 of u1.1, u1.1 20>20 4-12 of r1.1");
	/* The request that it sends does not end in it. */
	requests_are(SERVER, "4-11 20>20\n",
		"r1.1 10>20 1-16, r2.1 20>30 5-12 of r1.1, u1.1 20>20 4-11 of r1.1");
	/* It begins before the server has the request, or ends later: not below. */
	requests_are(SERVER, "2-13 20>20\n",
		"r1.1 10>20 1-16, r2.1 20>30 5-12 of u1.1, u1.1 20>20 2-13");
	requests_are(SERVER, "4-15 20>20\n",
		"r1.1 10>20 1-16, r2.1 20>30 5-12 of u1.1, u1.1 20>20 4-15");
	/* All that the client sends; what is below that stays there. */
	requests_are(SERVER, "0-17 10>10\n18-19 10>10\n",
		"r1.1 10>20 1-16 of u1.1, r2.1 20>30 5-12 of r1.1, u1.1 10>10 0-17, "
		"u1.2 10>10 18-19");
}

/* Servers know of no own requests: what they served, and their parts, are as without. */
static void others_are_as_before(void **state)
{
	(void)state;
	const char *expected =
		"10 requester 1, 20 running 3, 20 requester 1 in r2.1, 30 running 4 in "
		"r2.1, 20 requester 2 in r2.1, 20 running 2, 10 requester 2";
	parts_are(SERVER, "", "r1.1", expected);
	parts_are(SERVER, "4-12 20>20\n", "r1.1", expected);
	parts_are(SERVER, "2-13 20>20\n", "r1.1", expected);
}

/* Back from its end to its begin; what servers do below it is of their requests, once they have
 * read these. */
static void path_of_one_thread(void **state)
{
	(void)state;
	parts_are(SERVER, "4-12 20>20\n", "u1.1",
		"20 running 2, 30 running 1, 30 running 3 in r2.1, 20 running 2");
	parts_are(SERVER, "4-5 20>20\n", "u1.1", "20 running 1");
	/* Who ended it is not known. */
	parts_are(SERVER, "4-12 20>?\n", "u1.1", "? other 8");
}

/* 20 hands something to 21, its thread, which asks 30. */
#define HANDED                                                                                      \
	"pair 20:8 30:9\nthread 21 20\n0 20 user\n0 30 user\n0 21 blocked futex by 20\n4 21 user\n" \
	"5-6 21 write 8 10\n6 21 blocked task by 30\n7-8 30 read 9 10\n9-10 30 write 9 10\n"        \
	"10 21 user\n10-12 21 read 8 10\n"

static void another_thread(void **state)
{
	(void)state;
	/* Nobody knows for whom 21 sent it otherwise. */
	requests_are(HANDED, "1-14 20>21\n", "r1.1 21>30 5-12 of u1.1 0.80, u1.1 20>21 1-14");
	parts_are(HANDED, "1-14 20>21\n", "u1.1",
		"20 running 3, 21 running 2, 30 running 1, 30 running 3 in r1.1, 21 running 4");
	/* 21 has one of its own, which is surer. */
	requests_are(HANDED, "1-14 20>21\n4-13 21>21\n",
		"r1.1 21>30 5-12 of u1.2, u1.1 20>21 1-14, u1.2 21>21 4-13");
	/* 30 is on the path, but of another process. */
	requests_are("pair 30:8 40:9\n0 20 user\n0 30 user\n0 40 user\n2 20 blocked task by 30\n"
		     "5-6 30 write 8 10\n7-8 40 read 9 10\n9-10 40 write 9 10\n11-12 30 read 8 10\n"
		     "13 20 user\n",
		"1-14 20>20\n", "r1.1 30>40 5-12, u1.1 20>20 1-14");
}

/* 21 has a job of 10 first, of which the own request knows nothing; 20 has none. */
#define POOL                                                                                       \
	"pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\nthread 21 20\n0 10 user\n0 11 user\n"    \
	"0 20 user\n0 21 user\n0 30 user\n"                                                        \
	"1-2 10 write 5 10\n3-4 20 read 7 10\n5-6 11 write 5 10\n7-8 20 read 17 10\n"              \
	"9-10 21 write 8 10\n11-12 30 read 9 10\n11-12 30 write 9 10\n13-14 21 read 8 10\n"        \
	"15-16 21 write 7 10\n17-18 21 write 8 10\n19-20 30 read 9 10\n19-20 30 write 9 10\n"      \
	"21-22 21 read 8 10\n23-24 21 write 17 10\n25-26 10 read 5 10\n25-26 11 read 5 10\n"

static void pool(void **state)
{
	(void)state;
	/* From when 20 has read the second one to when 21 has its answer: only what is of it. */
	requests_are(POOL, "8-23 20>21\n",
		"r1.1 10>21 1-26, r2.1 11>21 5-26, r3.1 21>30 9-14 of r1.1, "
		"r3.2 21>30 17-22 of u1.1, u1.1 20>21 8-23 of r2.1");
	/* Until 16 it has the other one. */
	parts_are(POOL, "8-23 20>21\n", "u1.1", "21 queued 8 for r1.1, 21 running 7");
}

/* Two are open in one thread: the one that began last, and half sure. */
static void overlapping(void **state)
{
	(void)state;
	requests_are(SERVER, "3-13 20>20\n4-13 20>20\n",
		"r1.1 10>20 1-16, r2.1 20>30 5-12 of u1.2 0.50, u1.1 20>20 3-13 of r1.1, "
		"u1.2 20>20 4-13 of r1.1");
}

/* The task that ended it was not there yet: until then it is the time of the one that began it. */
static void born_later(void **state)
{
	(void)state;
	parts_are("pair 10:5 20:7\n0 10 user\n3 10 runnable\n5 10 user\nborn 40 8\n",
		"1-12 10>40\n", "u1.1", "10 running 2, 10 runnable 2, 10 running 3, 40 running 4");
	/* And nothing is known of a time in which nobody was there. */
	parts_are("pair 10:5 20:7\nborn 40 8\n", "1-12 ?>40\n", "u1.1", "? other 7, 40 running 4");
}

/* Its path goes from the one to the other. */
static void path_of_both(void **state)
{
	struct calls_world c;
	struct path p;
	struct mer_err err = { 0 };
	(void)state;
	calls_world_open(&c, "pair 10:5 20:7\n0 10 user\n3 10 runnable\n5 10 user\nborn 40 8\n");
	calls_world_own(&c, "1-12 10>40\n");
	assert_int_equal(requests_path(c.parts, 0, &p, &err), 0);
	assert_int_equal(p.n_segments, 4);
	assert_int_equal(p.segments[2].depth, 1);
	assert_int_equal(p.segments[3].depth, 0);
	assert_int_equal(p.n_links, 1);
	assert_int_equal(p.links[0].from_task, p.segments[2].task);
	assert_int_equal(p.links[0].to_task, p.segments[3].task);
	assert_int_equal(p.by_cause[PATH_RUNNING], 9000);
	assert_int_equal(p.by_cause[PATH_RUNNABLE], 2000);
	path_fini(&p);
	calls_world_close(&c);
}

static void ids(void **state)
{
	struct calls_world c;
	(void)state;
	calls_world_open(&c, SERVER);
	assert_int_equal(requests_by_id(c.r, "u1.1"), KERNEL_NONE);
	calls_world_own(&c, "4-12 20>20\n");
	assert_int_equal(requests_by_id(c.r, "u1.1"), 2);
	assert_int_equal(requests_by_id(c.r, "r3.1"), KERNEL_NONE);
	assert_int_equal(requests_by_id(c.r, "u1.2"), KERNEL_NONE);
	assert_int_equal(requests_by_id(c.r, "u2.1"), KERNEL_NONE);
	calls_world_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_thread),
		cmocka_unit_test(others_are_as_before),
		cmocka_unit_test(path_of_one_thread),
		cmocka_unit_test(another_thread),
		cmocka_unit_test(pool),
		cmocka_unit_test(overlapping),
		cmocka_unit_test(born_later),
		cmocka_unit_test(path_of_both),
		cmocka_unit_test(ids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
