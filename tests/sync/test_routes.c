/* Flows that reach a host through another one: receives wait for that one's send, but not without
 * end; and lists of the edges of hosts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sync/limits/incidence.h"
#include "sync/match/routes.h"

enum { FLOW = 7, HOST = 3, ROUTER = 9, SENDER = 1 };

static void wait_for_the_last_one(void **state)
{
	(void)state;
	struct sync_routes r = { 0 };
	assert_false(sync_routes_hold(&r, FLOW, HOST, SENDER)); /* not known */
	assert_true(sync_routes_learn(&r, FLOW, HOST, ROUTER));
	assert_true(sync_routes_hold(&r, FLOW, HOST, SENDER));
	assert_false(sync_routes_hold(&r, FLOW, HOST, ROUTER)); /* it came from that one */
	assert_false(sync_routes_hold(&r, FLOW + 1, HOST, SENDER));
	assert_false(sync_routes_hold(&r, FLOW, HOST + 1, SENDER));
	assert_true(sync_routes_learn(&r, FLOW, HOST, SENDER)); /* now by another one */
	assert_false(sync_routes_hold(&r, FLOW, HOST, SENDER));
	assert_true(sync_routes_hold(&r, FLOW, HOST, ROUTER));
	assert_int_equal(r.n, 1);
	sync_routes_fini(&r);
}

/* 64 may wait in vain; then the route was another one, for good. */
static void in_vain(void **state)
{
	(void)state;
	struct sync_routes r = { 0 };
	assert_true(sync_routes_learn(&r, FLOW, HOST, ROUTER));
	for (int i = 0; i < 64; i++)
		assert_true(sync_routes_hold(&r, FLOW, HOST, SENDER));
	for (int i = 0; i < 100; i++) { /* as long as they get their sends it goes on */
		sync_routes_release(&r, FLOW, HOST);
		assert_true(sync_routes_hold(&r, FLOW, HOST, SENDER));
	}
	assert_false(sync_routes_hold(&r, FLOW, HOST, SENDER));
	sync_routes_release(&r, FLOW, HOST);
	sync_routes_release(&r, FLOW, HOST);
	assert_false(sync_routes_hold(&r, FLOW, HOST, SENDER));
	assert_true(sync_routes_learn(&r, FLOW, HOST, ROUTER)); /* not believed again */
	assert_false(sync_routes_hold(&r, FLOW, HOST, SENDER));
	sync_routes_release(&r, FLOW + 1, HOST); /* of one that is not known */
	sync_routes_fini(&r);
}

static void released_too_often(void **state)
{
	(void)state;
	struct sync_routes r = { 0 };
	assert_true(sync_routes_learn(&r, FLOW, HOST, ROUTER));
	sync_routes_release(&r, FLOW, HOST);
	for (int i = 0; i < 64; i++)
		assert_true(sync_routes_hold(&r, FLOW, HOST, SENDER));
	assert_false(sync_routes_hold(&r, FLOW, HOST, SENDER));
	sync_routes_fini(&r);
}

static void many(void **state)
{
	(void)state;
	struct sync_routes r = { 0 };
	for (uint32_t i = 0; i < 1000; i++)
		assert_true(sync_routes_learn(&r, i / 10, i % 10, i % 7));
	assert_int_equal(r.n, 1000);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_false(sync_routes_hold(&r, i / 10, i % 10, i % 7));
		assert_true(sync_routes_hold(&r, i / 10, i % 10, 8));
	}
	sync_routes_fini(&r);
}

/* ---- edges ---- */

static void ends(const void *ctx, uint32_t i, uint32_t *a, uint32_t *b)
{
	const uint32_t(*list)[2] = ctx;
	*a = list[i][0];
	*b = list[i][1];
}

static void edges_of_hosts(void **state)
{
	static const uint32_t list[][2] = { { 0, 2 }, { 2, 1 }, { 4, 0 }, { 0, 2 } };
	static const uint32_t expected[5][4] = { { 3, 0, 2, 3 }, { 1, 1 }, { 3, 0, 1, 3 }, { 0 },
		{ 1, 2 } }; /* how many, which */
	struct sync_incidence x = { 0 };
	struct mer_err err = { 0 };
	(void)state;
	assert_int_equal(sync_incidence_new(&x, 5, 4, ends, list, &err), 0);
	for (uint32_t h = 0; h < 5; h++) {
		assert_int_equal(x.first[h + 1] - x.first[h], expected[h][0]);
		for (uint32_t i = 0; i < expected[h][0]; i++)
			assert_int_equal(x.edges[x.first[h] + i], expected[h][1 + i]);
	}
	assert_int_equal(x.first[0], 0);
	assert_int_equal(x.first[5], 8);
	sync_incidence_free(&x);
	assert_true(!x.first && !x.edges);
	assert_int_equal(sync_incidence_new(&x, 0, 0, ends, list, &err), 0);
	assert_int_equal(x.first[0], 0);
	sync_incidence_free(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wait_for_the_last_one),
		cmocka_unit_test(in_vain),
		cmocka_unit_test(released_too_often),
		cmocka_unit_test(many),
		cmocka_unit_test(edges_of_hosts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
