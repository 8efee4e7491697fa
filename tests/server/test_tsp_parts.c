/* Parts of the Trace Server Protocol that need no traces: numbers that clients can read, which row
 * of the table a path is of, bodies, the numbers of entries, bins of the index of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "server/tsp/index.h"
#include "server/tsp/tsp.h"

/* ---- Numbers ---- */

static void real_is(double v, const char *wanted)
{
	struct mer_str out = { 0 };
	struct mer_json j;
	mer_json_init(&j, &out, NULL, 0);
	tsp_put_real(&j, v);
	assert_string_equal(out.data, wanted);
	assert_true(strlen(out.data) <= 15);
	mer_str_fini(&out);
}

static void reals_are_short(void **state)
{
	(void)state;
	real_is(0, "0");
	real_is(12.5, "12.5");
	real_is(1.0 / 3, "0.3333333333333");
	real_is(-1.0 / 3, "-0.333333333333");
	real_is(1e15 / 3, "333333333333333");
	real_is(-1e13 / 3, "-3333333333333");
	real_is(1.23456789012345678e-9, "1.23456789e-09");
	real_is(242280, "242280");
	real_is(1.0 / 0.0, "0");
}

static void clock_is(int64_t ns, const char *wanted)
{
	struct mer_str out = { 0 };
	tsp_put_clock(&out, ns);
	assert_string_equal(out.data, wanted);
	mer_str_fini(&out);
}

static void clocks_are_of_the_day(void **state)
{
	(void)state;
	clock_is(0, "00:00:00.000000000");
	clock_is(1795359264021187782, "14:54:24.021187782");
	clock_is(-1, "23:59:59.999999999");
}

/* ---- Paths ---- */

static const char *row_of(const char *method, const char *path, struct tsp_match *m)
{
	tsp_find(method, path, m);
	return m->endpoint ? m->endpoint->path : m->is_there ? "405" : "404";
}

static void paths_have_rows(void **state)
{
	struct tsp_match m;
	char methods[100];
	(void)state;
	assert_string_equal(row_of("GET", "/health", &m), "/health");
	assert_string_equal(row_of("POST", "/health", &m), "405");
	assert_string_equal(row_of("GET", "/health/", &m), "404");
	assert_string_equal(row_of("GET", "", &m), "404");
	assert_string_equal(row_of("GET", "/", &m), "404");
	assert_string_equal(row_of("GET", "//", &m), "404");
	assert_string_equal(row_of("GET", "/traces/a-b", &m), "/traces/{trace}");
	assert_string_equal(m.words[0], "a-b");
	assert_string_equal(row_of("GET", "/traces/", &m), "404");
	assert_string_equal(row_of("POST", "/experiments/e/outputs/timeGraph/o/states", &m),
		"/experiments/{experiment}/outputs/timeGraph/{output}/states");
	assert_string_equal(m.words[0], "e");
	assert_string_equal(m.words[1], "o");
	/* Words of its own before any word. */
	assert_string_equal(row_of("GET", "/experiments/e/outputs/markerSets", &m),
		"/experiments/{experiment}/outputs/markerSets");
	assert_string_equal(row_of("POST", "/experiments/e/outputs/markerSets", &m), "405");
	assert_string_equal(row_of("DELETE", "/experiments/e/outputs/o/d", &m),
		"/experiments/{experiment}/outputs/{output}/{derived}");
	assert_string_equal(m.words[2], "d");
	tsp_methods("/traces", methods, sizeof(methods));
	assert_string_equal(methods, "GET, POST, OPTIONS");
	tsp_methods("/nothing", methods, sizeof(methods));
	assert_string_equal(methods, "OPTIONS");
}

static void long_words_are_not_there(void **state)
{
	char path[TSP_MAX_WORD + 20] = "/traces/";
	struct tsp_match m;
	(void)state;
	memset(path + 8, 'x', TSP_MAX_WORD - 1);
	assert_string_equal(row_of("GET", path, &m), "/traces/{trace}");
	path[8 + TSP_MAX_WORD - 1] = 'x';
	assert_string_equal(row_of("GET", path, &m), "404");
}

/* ---- Bodies ---- */

static int parse(const char *body, struct tsp_query *q, struct mer_arena *arena)
{
	struct mer_err err = { 0 };
	int rc = tsp_query_parse(body, strlen(body), arena, q, &err);
	assert_int_equal(rc, err.code);
	return rc;
}

static void bodies_say_what_is_asked(void **state)
{
	struct mer_arena a;
	struct tsp_query q;
	(void)state;
	mer_arena_init(&a);
	assert_int_equal(parse("", &q, &a), 0);
	assert_false(q.has_range || q.has_items || q.has_index || q.has_count || q.is_search);
	assert_int_equal(parse("{\"parameters\":{\"requested_timerange\":{\"start\":-5,\"end\":7,"
			       "\"nbTimes\":3},\"requested_items\":[4,2]}}",
				 &q, &a),
		0);
	assert_true(q.has_range && q.begin == -5 && q.end == 7 && q.n_times == 3);
	assert_true(q.n_items == 2 && q.items[0] == 4 && q.items[1] == 2);
	/* Without the wrapping; a list of times instead of a range; fractions. */
	assert_int_equal(
		parse("{\"requested_times\":[9,3.7,5],\"requested_items\":[]}", &q, &a), 0);
	assert_true(q.has_range && q.begin == 3 && q.end == 9 && q.n_times == 3);
	assert_true(q.has_items && q.n_items == 0);
	assert_int_equal(parse("{\"parameters\":{\"requested_timerange\":{\"start\":0,\"end\":1,"
			       "\"nbTimes\":1000000}}}",
				 &q, &a),
		0);
	assert_int_equal(q.n_times, TSP_MAX_TIMES);
	assert_int_equal(
		parse("{\"parameters\":{\"requested_table_index\":5,"
		      "\"requested_table_count\":100000,\"table_search_expressions\":{\"3\":"
		      "\"a.b\"},\"table_search_direction\":\"PREVIOUS\"}}",
			&q, &a),
		0);
	assert_true(q.has_index && q.index == 5 && q.has_count && q.count == TSP_MAX_LINES);
	assert_true(q.is_search && q.has_direction && q.is_backward && q.n_searches == 1);
	assert_int_equal(q.searches[0].column, 3);
	assert_string_equal(q.searches[0].pattern, "a.b");
	assert_int_equal(parse("{\"name\":\"n\",\"sourceTypeId\":\"t\",\"parameters\":{\"host\":"
			       "\"h\",\"tid\":12}}",
				 &q, &a),
		0);
	assert_true(q.tid == 12);
	assert_string_equal(q.host, "h");
	assert_string_equal(q.name, "n");
	assert_string_equal(q.type, "t");
	mer_arena_fini(&a);
}

static void wrong_bodies_are_refused(void **state)
{
	static const char *const wrong[] = { "{", "[]", "1", "{} x", "{\"parameters\":1}",
		"{\"requested_timerange\":1}", "{\"requested_timerange\":{\"start\":1}}",
		"{\"requested_timerange\":{\"start\":2,\"end\":1}}",
		"{\"requested_timerange\":{\"start\":0,\"end\":9223372036854775807}}",
		"{\"requested_items\":[-1]}", "{\"requested_times\":[1,\"x\"]}",
		"{\"requested_table_index\":-1}",
		"{\"requested_table_index\":18446744073709551615}",
		"{\"table_search_expressions\":{\"x\":\"a\"}}",
		"{\"table_search_expressions\":{\"1\":2}}", "{\"table_search_direction\":\"UP\"}",
		"{\"uri\":1}", "{\"uri\":\"a\\u0000b\"}", "{\"traces\":[1]}" };
	struct mer_arena a;
	struct tsp_query q;
	(void)state;
	mer_arena_init(&a);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (parse(wrong[i], &q, &a) != MER_ERR_USAGE)
			fail_msg("accepted: %s", wrong[i]);
	mer_arena_fini(&a);
}

/* What there was no memory for is not what the body did not have. */
static void bodies_without_memory(void **state)
{
	struct mer_arena a;
	struct tsp_query q;
	(void)state;
	mer_arena_init(&a);
	assert_int_equal(parse("{}", &q, &a), 0);
	a.failed = true;
	assert_int_equal(parse("{}", &q, &a), MER_ERR_NOMEM);
	mer_arena_fini(&a);
}

/* ---- Numbers of entries ---- */

static void entries_are_small_and_different(void **state)
{
	(void)state;
	assert_true(tsp_entry(TSP_HOST, 0, 0) == 1);
	assert_true(tsp_entry(TSP_WRITES, TSP_MAX_HOSTS - 1, UINT32_MAX) < 1000000000000000);
	assert_true(tsp_entry(TSP_HOST, 1, 0) > tsp_entry(TSP_WRITES, 0, UINT32_MAX));
	assert_true(tsp_entry(TSP_TASK, 0, 0) > tsp_entry(TSP_PROCESS, 0, UINT32_MAX));
}

/* ---- The index ---- */

static void bins_are_found(void **state)
{
	/* 3 events in [0, 16), none in [16, 32), 2 in [32, 48). */
	uint64_t before[] = { 0, 3, 3, 5 }, counts[3];
	struct tsp_index x = { .begin = 0, .shift = 4, .n_bins = 3, .before = before };
	struct mer_err err = { 0 };
	(void)state;
	assert_int_equal(tsp_index_total(&x), 5);
	assert_int_equal(tsp_index_bin(&x, -1), 0);
	assert_int_equal(tsp_index_bin(&x, 0), 0);
	assert_int_equal(tsp_index_bin(&x, 15), 0);
	assert_int_equal(tsp_index_bin(&x, 16), 1);
	assert_int_equal(tsp_index_bin(&x, 1000), 2);
	assert_int_equal(tsp_index_bin_of(&x, 0), 0);
	assert_int_equal(tsp_index_bin_of(&x, 2), 0);
	assert_int_equal(tsp_index_bin_of(&x, 3), 2);
	assert_int_equal(tsp_index_bin_of(&x, 4), 2);
	assert_int_equal(tsp_index_bin_begin(&x, 2), 32);
	/* Whole bins need no reading. */
	assert_int_equal(tsp_index_count(&x, NULL, 0, 16, 3, INT64_MAX, counts, &err), 0);
	assert_true(counts[0] == 3 && counts[1] == 0 && counts[2] == 2);
	assert_int_equal(tsp_index_count(&x, NULL, -32, 32, 3, INT64_MAX, counts, &err), 0);
	assert_true(counts[0] == 0 && counts[1] == 3 && counts[2] == 2);
	assert_int_equal(tsp_index_count(&x, NULL, 16, 64, 2, INT64_MAX, counts, &err), 0);
	assert_true(counts[0] == 2 && counts[1] == 0);
	/* The last one has nothing behind the end's own bin. */
	assert_int_equal(tsp_index_count(&x, NULL, 0, 32, 2, 32, counts, &err), 0);
	assert_true(counts[0] == 3 && counts[1] == 0);
	assert_int_equal(tsp_index_count(&x, NULL, 0, 32, 2, 33, counts, &err), 0);
	assert_true(counts[0] == 3 && counts[1] == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(reals_are_short),
		cmocka_unit_test(clocks_are_of_the_day), cmocka_unit_test(paths_have_rows),
		cmocka_unit_test(long_words_are_not_there),
		cmocka_unit_test(bodies_say_what_is_asked),
		cmocka_unit_test(wrong_bodies_are_refused), cmocka_unit_test(bodies_without_memory),
		cmocka_unit_test(entries_are_small_and_different),
		cmocka_unit_test(bins_are_found) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
