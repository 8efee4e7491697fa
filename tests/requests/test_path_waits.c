/* Waits of servers that lie on the path of a request, by hand. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "calls_world.h"
#include "path/blocked.h"
#include "requests/path_waits.h"

/* Which of the waits that are asked about lie on a path. */
static void find(const struct calls_world *c, const struct blocked *b, uint8_t *asked)
{
	struct mer_err err = { 0 };
	assert_int_equal(requests_path_waits_find(c->r, b, &asked, &err), 0);
}

/* What is found of a wait does not depend on the others that are asked about: alone, only the time
 * of its requests is looked at. */
static void each_alone_is(const struct calls_world *c, const struct blocked *b, const uint8_t *all)
{
	size_t n = b->hosts[0].n;
	uint8_t *asked = malloc(n + 1);
	assert_non_null(asked);
	for (size_t i = 0; i < n; i++) {
		memset(asked, 0, n + 1);
		asked[i] = 1;
		find(c, b, asked);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(asked[k], k == i && all[k]);
	}
	free(asked);
}

/* Of all waits those that lie on a path: the tasks, and when they begin, in us: "22 7, ...". */
static void waits_are(const char *world, const char *expected)
{
	struct calls_world c;
	struct blocked b;
	struct mer_str out = { 0 };
	struct mer_err err = { 0 };
	calls_world_open(&c, world);
	assert_int_equal(blocked_find(&c.w, &b, &err), 0);
	const struct blocked_host *h = &b.hosts[0];
	uint8_t *asked = malloc(h->n + 1);
	assert_non_null(asked);
	memset(asked, 1, h->n + 1);
	find(&c, &b, asked);
	for (size_t i = 0; i < h->n; i++)
		if (asked[i])
			mer_str_printf(&out, "%s%" PRId32 " %" PRId64, out.len ? ", " : "",
				c.host.tasks[h->waits[i].task].tid, h->waits[i].begin / 1000);
	assert_string_equal(out.data ? out.data : "", expected);
	each_alone_is(&c, &b, asked);
	mer_str_fini(&out);
	free(asked);
	blocked_fini(&b);
	calls_world_close(&c);
}

/* 22 has read a request and waits for what 21 has; before that it waited for a request. */
#define POOL(wait)                                                                                 \
	"pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\nthread 21 20\nthread 22 20\n"            \
	"0 10 user cpu 9\n0 11 user cpu 8\n0 21 user\n0 22 blocked futex by 21\n0 30 user\n"       \
	"1-2 10 write 5 10\n1-2 11 write 5 10\n2 22 user\n3-4 21 read 7 10\n3-4 22 read 17 10\n"   \
	"5-6 21 write 8 10\n" wait "8-9 30 read 9 10\n10-11 30 write 9 10\n"                       \
	"12-13 21 read 8 10\n15 22 user\n16-17 22 write 8 10\n18-19 30 read 9 10\n"                \
	"20-21 30 write 9 10\n22-23 22 read 8 10\n24-25 21 write 7 10\n24-25 22 write 17 10\n"     \
	"26-27 10 read 5 10\n26-27 11 read 5 10\n"

static void for_a_connection(void **state)
{
	(void)state;
	waits_are(POOL("7 22 blocked futex by 21\n"), "22 7");
	waits_are(POOL("7 22 blocked timer\n"), "22 7");
}

/* A poll waits for whatever comes. */
static void in_a_poll(void **state)
{
	(void)state;
	waits_are(POOL("7 22 blocked timer call epoll_wait fd 4\n"), "");
}

/* The requester's own waits are no server's. */
static void of_the_requester(void **state)
{
	(void)state;
	waits_are(
		"pair 10:5 20:7\n0 10 user\n0 20 user\n1-2 10 write 5 5\n3 10 blocked futex by 20\n"
		"4 10 user\n5-6 10 write 5 5\n7-8 20 read 7 10\n9-10 20 write 7 10\n"
		"11-12 10 read 5 10\n",
		"");
}

/* Ten requests one after the other, served by a thread that was there (22) or, with `born`, that
 * another one started while recorded: it waits for a lock within each, in one wait or in two spans,
 * and polls for the next one between them. */
static void many_are(const char *born, bool in_two)
{
	struct mer_str world = { 0 }, expected = { 0 };
	mer_str_printf(&world, "pair 10:5 20:7\nthread 22 20\n%s0 10 user\n0 20 user\n", born);
	for (int t = 100; t < 1100; t += 100) {
		mer_str_printf(&world, "%d-%d 10 write 5 10\n", t, t + 1);
		mer_str_printf(&world, "%d 10 blocked pipe by 22\n", t + 2);
		mer_str_printf(&world, "%d 22 user\n%d-%d 22 read 7 10\n", t + 10, t + 11, t + 12);
		mer_str_printf(&world, "%d 22 blocked futex by 20\n", t + 20);
		if (in_two)
			mer_str_printf(&world, "%d 22 blocked futex by 20\n", t + 25);
		mer_str_printf(&world, "%d 22 user\n%d-%d 22 write 7 10\n", t + 30, t + 31, t + 32);
		mer_str_printf(&world, "%d 10 user\n%d-%d 10 read 5 10\n", t + 33, t + 34, t + 35);
		mer_str_printf(&world, "%d 22 blocked futex by 10 call epoll_wait fd 7\n", t + 40);
		mer_str_printf(&expected, "%s22 %d", expected.len ? ", " : "", t + 20);
	}
	waits_are(world.data, expected.data);
	mer_str_fini(&world);
	mer_str_fini(&expected);
}

static void of_many_requests(void **state)
{
	(void)state;
	many_are("0 22 blocked futex by 10 call epoll_wait fd 7\n", false);
	many_are("0 22 blocked futex by 10 call epoll_wait fd 7\n", true);
	many_are("born 22 50 by 20\n", false);
	many_are("born 22 50 by 20\n", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_a_connection),
		cmocka_unit_test(in_a_poll),
		cmocka_unit_test(of_the_requester),
		cmocka_unit_test(of_many_requests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
