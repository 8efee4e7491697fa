/* Who sends requests to whom, as a table: small worlds by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "calls_world.h"
#include "requests/edges.h"

static bool is_12(void *ctx, const struct kernel_host *h, uint32_t task)
{
	(void)ctx;
	return h->tasks[task].tid == 12;
}

static void put(struct mer_str *out, const struct mer_cell *c)
{
	mer_str_printf(out, "%s/%s%.0f > %s %s x%d", c[REQUESTS_EDGE_FROM].v.text,
		c[REQUESTS_EDGE_FROM_TID].set ? "" : "-", (double)c[REQUESTS_EDGE_FROM_TID].v.i,
		c[REQUESTS_EDGE_TO].v.text, c[REQUESTS_EDGE_KIND].v.text,
		(int)c[REQUESTS_EDGE_COUNT].v.i);
	if (c[REQUESTS_EDGE_RATE].set)
		mer_str_printf(out, " %.0f/s", c[REQUESTS_EDGE_RATE].v.f);
	if (c[REQUESTS_EDGE_P50].set)
		mer_str_printf(out, " %d %d", (int)c[REQUESTS_EDGE_P50].v.i,
			(int)c[REQUESTS_EDGE_P99].v.i);
	mer_str_puts(out, ", ");
}

static void edges_are(
	const char *world, const struct requests_edges_options *o, const char *expected)
{
	struct calls_world c;
	struct mer_host host = { .name = "h" };
	struct mer_experiment e = { .hosts = &host, .n_hosts = 1 };
	struct mer_arena arena;
	struct mer_table t;
	struct mer_err err;
	struct mer_str text = { 0 };
	calls_world_open(&c, world);
	c.w.e = &e;
	mer_arena_init(&arena);
	assert_int_equal(requests_edges_find(c.r, o, &arena, &t, &err), 0);
	for (size_t r = 0; r < t.n_rows; r++)
		put(&text, &t.cells[r * t.n_columns]);
	assert_string_equal(text.data ? text.data : "", expected);
	mer_str_fini(&text);
	mer_table_fini(&t);
	mer_arena_fini(&arena);
	c.w.e = NULL;
	calls_world_close(&c);
}

/* Threads 11 and 12 of process 10 send to 20: one in 4 us, another in 8 us; and 20 to 30. */
static const char two_threads[] =
	"thread 11 10\nthread 12 10\npair 11:5 20:7\npair 12:6 20:8\npair 20:9 30:4\n"
	"0-1 10 getpid -1 0\n1-2 11 write 5 10\n2-3 20 read 7 10\n3-4 20 write 7 10\n4-5 11 read 5 10\n"
	"11-12 12 write 6 10\n12-13 20 read 8 10\n13-14 20 write 9 10\n14-15 30 read 4 10\n"
	"15-16 30 write 4 10\n16-17 20 read 9 10\n17-18 20 write 8 10\n18-19 12 read 6 10\n";

static void programs(void **state)
{
	const struct analysis_options all = { 0 };
	(void)state;
	/* 2 and 1 in the 18 us of all. */
	edges_are(two_threads,
		&(struct requests_edges_options){
			.begin = INT64_MIN, .end = INT64_MAX, .wanted = &all },
		"t10/-0 > t20 unix x2 111111/s 4000 8000, t20/-0 > t30 unix x1 55556/s 4000 4000, ");
}

static void tasks(void **state)
{
	const struct analysis_options all = { 0 };
	(void)state;
	edges_are(two_threads,
		&(struct requests_edges_options){
			.by_task = true, .begin = INT64_MIN, .end = INT64_MAX, .wanted = &all },
		"t12/12 > t20 unix x1 55556/s 8000 8000, t11/11 > t20 unix x1 55556/s 4000 4000, "
		"t20/20 > t30 unix x1 55556/s 4000 4000, ");
}

/* Those that began in the time; those of which one end is wanted. */
static void selected(void **state)
{
	const struct analysis_options all = { 0 }, of_12 = { .wants_task = is_12 };
	(void)state;
	edges_are(two_threads,
		&(struct requests_edges_options){ .begin = 1000, .end = 11000, .wanted = &all },
		"t10/-0 > t20 unix x1 100000/s 4000 4000, ");
	edges_are(two_threads,
		&(struct requests_edges_options){ .begin = 1001, .end = 11001, .wanted = &all },
		"t10/-0 > t20 unix x1 100000/s 8000 8000, ");
	edges_are(two_threads,
		&(struct requests_edges_options){
			.begin = INT64_MIN, .end = INT64_MAX, .wanted = &of_12 },
		"t10/-0 > t20 unix x1 55556/s 8000 8000, ");
}

/* A window has no latency; of a connection that lacks events it is not known who answered. */
static void without_latency(void **state)
{
	const struct analysis_options all = { 0 };
	(void)state;
	edges_are("pair 10:5 20:7\n1-2 10 write 5 10\n2-3 20 read 7 10\n3-4 10 write 5 10\n"
		  "4-5 20 write 7 10\n5-6 20 read 7 10\n6-7 20 write 7 10\n7-8 10 read 5 10\n"
		  "8-9 10 read 5 10\n",
		&(struct requests_edges_options){
			.begin = INT64_MIN, .end = INT64_MAX, .wanted = &all },
		"t10/-0 > t20 unix x1 125000/s, ");
	edges_are("pair 10:5 20:7\n1-2 10 write 5 10\n3-4 20 read 7 15\n5-6 20 write 7 5\n"
		  "7-8 10 read 5 5\n",
		&(struct requests_edges_options){
			.begin = INT64_MIN, .end = INT64_MAX, .wanted = &all },
		"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs),
		cmocka_unit_test(tasks),
		cmocka_unit_test(selected),
		cmocka_unit_test(without_latency),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
