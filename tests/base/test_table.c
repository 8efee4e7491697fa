/* Tables: a key says the unit of its type; cells by name; sorting; what programs get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/str.h"
#include "base/table_write.h"

static void keys_say_units(void **state)
{
	static const struct mer_column good[] = {
		{ "total_ns", "", MER_DURATION },
		{ "mean_ns", "", MER_MEAN },
		{ "clock_offset_ns", "", MER_OFFSET },
		{ "bytes", "", MER_BYTES },
		{ "disk_bytes", "", MER_BYTES },
		{ "percent", "", MER_RATIO },
		{ "busy_percent", "", MER_RATIO },
		{ "drift_ppm", "", MER_PPM },
		{ "bytes_per_s", "", MER_RATE },
		{ "read_bytes_per_s", "", MER_RATE },
		{ "mean_khz", "", MER_KHZ },
		{ "freq_hz", "", MER_HZ },
		{ "begin", "", MER_TIME },
		{ "begin", "", MER_DATE },
		{ "packets", "", MER_COUNT },
		{ "packets_per_s", "", MER_COUNT },
		{ "execs_per_s", "", MER_REAL },
		{ "khz", "", MER_ID },	     /* names a row */
		{ "beta_ns", "", MER_TEXT }, /* exact decimals */
		{ "bar", "", MER_BAR },
	};
	static const struct mer_column bad[] = {
		{ "total", "", MER_DURATION },
		{ "tons", "", MER_DURATION }, /* ends with ns, but no word of it does */
		{ "offset", "", MER_OFFSET },
		{ "mean", "", MER_MEAN },
		{ "disk", "", MER_BYTES },
		{ "share", "", MER_RATIO },
		{ "drift", "", MER_PPM },
		{ "read_rate", "", MER_RATE },
		{ "bytes", "", MER_RATE },
		{ "mean_khz", "", MER_HZ },
		{ "mean", "", MER_KHZ },
		{ "total_ns", "", MER_COUNT },
		{ "bytes", "", MER_COUNT },
		{ "bytes_per_s", "", MER_REAL },
		{ "mean_ns", "", MER_REAL },
		{ "begin_ns", "", MER_TIME },
		{ "busy_percent", "", MER_REAL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (mer_column_flaw(&good[i]))
			fail_msg("%s: %s", good[i].key, mer_column_flaw(&good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!mer_column_flaw(&bad[i]))
			fail_msg("%s was taken", bad[i].key);
}

static void units(void **state)
{
	static const struct mer_column ns = { "total_ns", "", MER_DURATION },
				       per_s = { "execs_per_s", "", MER_REAL },
				       count = { "execs", "", MER_COUNT };
	(void)state;
	assert_string_equal(mer_column_unit(&ns), "ns");
	assert_string_equal(mer_column_unit(&per_s), "1/s");
	assert_null(mer_column_unit(&count));
	assert_string_equal(mer_type_name(MER_DATE), "time");
}

enum { HOST, TOTAL, SHARE, N };
static const struct mer_column columns[N + 1] = {
	[HOST] = { "host", "Host", MER_TEXT },
	[TOTAL] = { "total_ns", NULL, MER_DURATION },
	[SHARE] = { "percent", "Share", MER_RATIO },
};

static void fill(struct mer_table *t, struct mer_arena *arena)
{
	struct mer_str name = { 0 };
	mer_table_init(t, "top", "Time by host", columns, arena);
	mer_str_puts(&name, "b");
	mer_table_add(t, (struct mer_cell[N]){
				 [SHARE] = MER_REAL_CELL(0.25),
				 [HOST] = mer_table_keep(t, &name),
			 });
	assert_null(name.data);
	mer_table_add(t, (struct mer_cell[N]){
				 [HOST] = mer_text("a"),
				 [TOTAL] = MER_INT(7),
			 });
	mer_table_add(t, (struct mer_cell[N]){
				 [HOST] = mer_text(NULL),
				 [TOTAL] = MER_INT(9),
				 [SHARE] = MER_REAL_CELL(1),
			 });
}

/* What is unknown is the least; equal rows keep their order. */
static void sorted(void **state)
{
	struct mer_table t;
	struct mer_arena arena;
	(void)state;
	mer_arena_init(&arena);
	fill(&t, &arena);
	assert_false(mer_table_sort(&t, "host_id", false));
	assert_true(mer_table_sort(&t, "total_ns", false));
	assert_int_equal(t.cells[0 * N + TOTAL].v.i, 9);
	assert_int_equal(t.cells[1 * N + TOTAL].v.i, 7);
	assert_false(t.cells[2 * N + TOTAL].set);
	assert_true(mer_table_sort(&t, "host", true));
	assert_false(t.cells[0 * N + HOST].set);
	assert_string_equal(t.cells[1 * N + HOST].v.text, "a");
	mer_table_limit(&t, 2);
	assert_int_equal(t.n_rows, 2);
	assert_int_equal(t.n_left_out, 1);
	mer_table_hide(&t, SHARE);
	assert_null(t.columns[SHARE].title);
	assert_string_equal(columns[SHARE].title, "Share");
	mer_table_fini(&t);
	mer_arena_fini(&arena);
}

static void for_programs(void **state)
{
	struct mer_table t;
	struct mer_arena arena;
	struct mer_str s = { 0 };
	struct mer_json j;
	(void)state;
	mer_arena_init(&arena);
	fill(&t, &arena);
	mer_table_csv(&t, mer_table_whole(&t), &s);
	assert_string_equal(s.data, "host,total_ns,percent\nb,,25\na,7,\n,9,100\n");
	mer_str_clear(&s);
	mer_table_csv(&t, (struct mer_table_part){ 1, 2, .named = true }, &s); /* goes on */
	mer_table_csv(&t, (struct mer_table_part){ 0, 1, .named = true }, &s);
	assert_string_equal(s.data, "top,a,7,\ntable,host,total_ns,percent\ntop,b,,25\n");
	mer_str_clear(&s);
	mer_table_jsonl(&t, (struct mer_table_part){ 0, 2, .named = true }, &s);
	assert_string_equal(s.data,
		"{\"table\":\"top\",\"host\":\"b\",\"total_ns\":null,\"percent\":25}\n"
		"{\"table\":\"top\",\"host\":\"a\",\"total_ns\":7,\"percent\":null}\n");
	mer_str_clear(&s);
	mer_json_init(&j, &s, NULL, 0);
	mer_table_json(&t, 1, &j);
	assert_int_equal(mer_json_finish(&j, NULL), 0);
	assert_string_equal(s.data,
		"{\"id\":\"top\",\"title\":\"Time by host\",\"columns\":["
		"{\"key\":\"host\",\"title\":\"Host\",\"type\":\"text\",\"unit\":null},"
		"{\"key\":\"total_ns\",\"title\":null,\"type\":\"duration\",\"unit\":\"ns\"},"
		"{\"key\":\"percent\",\"title\":\"Share\",\"type\":\"ratio\",\"unit\":\"percent\"}]"
		","
		"\"rows\":[{\"host\":\"b\",\"total_ns\":null,\"percent\":25}]}\n");
	mer_str_fini(&s);
	mer_table_fini(&t);
	mer_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_say_units),
		cmocka_unit_test(units),
		cmocka_unit_test(sorted),
		cmocka_unit_test(for_programs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
