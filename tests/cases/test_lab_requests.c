/* Requests of recordings: what holds for each of them, whoever asks for what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "requests_check.h"

static void requests_of(const char *name, uint32_t n_least)
{
	struct recording r;
	struct requests *found;
	recording_open(&r, name);
	struct kernel_world *w = requests_check_find(&r, r.result, &found);
	assert_true(found->n >= n_least);
	requests_check(found);
	requests_free(found);
	kernel_world_free(w);
	recording_close(&r);
}

static void web_load(void **state)
{
	(void)state;
	requests_of("lab/web-load", 3615);
}

static void web_lossy(void **state)
{
	(void)state;
	requests_of("lab/web-lossy", 1);
}

static void lost_packets(void **state)
{
	(void)state;
	requests_of("lab/lost-packets", 0);
}

static void ipc_zoo(void **state)
{
	(void)state;
	requests_of("lab/ipc-zoo", 1);
}

static void shop_a(void **state)
{
	(void)state;
	requests_of("lab/shop-a", 2577);
}

static void shop_node(void **state)
{
	(void)state;
	requests_of("lab/shop-node", 1231);
}

static void h2_mux(void **state)
{
	(void)state;
	requests_of("lab/h2-mux", 1017);
}

/* All that is known of a request is the server's part. */
static void server_alone(void **state)
{
	(void)state;
	requests_of("lab/web-load/db", 2169);
	requests_of("lab/shop-a/db", 694);
}

static void application_alone(void **state)
{
	(void)state;
	requests_of("lab/shop-a/web", 2577);
}

static void netns(void **state)
{
	(void)state;
	requests_of("lab/netns-containers", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(web_load),
		cmocka_unit_test(web_lossy),
		cmocka_unit_test(lost_packets),
		cmocka_unit_test(ipc_zoo),
		cmocka_unit_test(shop_a),
		cmocka_unit_test(shop_node),
		cmocka_unit_test(h2_mux),
		cmocka_unit_test(server_alone),
		cmocka_unit_test(application_alone),
		cmocka_unit_test(netns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
