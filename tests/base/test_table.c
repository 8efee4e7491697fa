/* Tables: a key says the unit of its type; cells by name; sorting; what programs get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

/* Which column a word means: its key, what it says of a time, a title if only one has it. */
static void words_of_columns(void **state)
{
	static const struct mer_column c[] = { { "wait", "Time", MER_COUNT },
		{ "wait_ns", "Waited", MER_DURATION }, { "run_ns", "Ran long", MER_DURATION },
		{ "first", "Same", MER_COUNT }, { "second", "same", MER_COUNT },
		{ "hidden", NULL, MER_COUNT }, { 0 } };
	static const struct {
		const char *word;
		int column;
	} rows[] = { { "wait", 0 }, { "wait_ns", 1 }, { "run", 2 }, { "RUN", 2 }, { "Run NS", 2 },
		{ "ran-long", 2 }, { "time", 0 }, { "same", -1 }, { "Hidden", 5 }, { "none", -1 },
		{ "", -1 }, { "waited", 1 }, { "ru", -1 } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct mer_column *got = mer_column_meant(c, rows[i].word);
		if (rows[i].column < 0)
			assert_null(got);
		else
			assert_int_equal(got - c, rows[i].column);
	}
}

/* Many rows with equal keys, both ways: as any sort that keeps the order of equal ones. */
static void many_sorted(void **state)
{
	static const struct mer_column c[] = { { "n", "N", MER_COUNT }, { "r", "R", MER_REAL },
		{ "t", "T", MER_TEXT }, { "place", "Place", MER_COUNT }, { 0 } };
	static const char *const keys[] = { "n", "r", "t" };
	(void)state;
	for (unsigned seed = 0; seed < 60; seed++) {
		struct mer_table t;
		struct mer_arena arena;
		size_t n = seed % 20;
		mer_arena_init(&arena);
		mer_table_init(&t, "t", "T", c, &arena);
		srand(seed);
		for (size_t i = 0; i < n; i++) {
			int v = rand() % 5;
			const struct mer_cell none = { 0 };
			mer_table_add(&t, (struct mer_cell[]){ v ? MER_INT(v - 3) : none,
						  v ? MER_REAL_CELL(v - 2.5) : none,
						  mer_text(v ? (v > 2 ? "b" : "a") : NULL),
						  MER_INT((int)i) });
		}
		bool up = seed % 2;
		size_t k = seed % 3;
		assert_true(mer_table_sort(&t, keys[k], up));
		assert_int_equal(t.n_rows, n);
		bool seen[20] = { false };
		for (size_t i = 0; i < n; i++) {
			const struct mer_cell *q = &t.cells[i * 4], *p = i ? q - 4 : NULL;
			assert_false(seen[q[3].v.i]);
			seen[q[3].v.i] = true;
			if (!p)
				continue;
			int order = !p[k].set || !q[k].set ? p[k].set - q[k].set
				    : k == 0 ? (p[k].v.i > q[k].v.i) - (p[k].v.i < q[k].v.i)
				    : k == 1 ? (p[k].v.f > q[k].v.f) - (p[k].v.f < q[k].v.f)
					     : strcmp(p[k].v.text, q[k].v.text);
			assert_true(up ? order <= 0 : order >= 0);
			assert_true(order || p[3].v.i < q[3].v.i);
			/* Whole rows went together. */
			assert_true(
				p[0].set == p[2].set && (!p[0].set || p[0].v.i == p[1].v.f - 0.5));
		}
		mer_table_fini(&t);
		mer_arena_fini(&arena);
	}
}

static void limits(void **state)
{
	struct mer_table t;
	struct mer_arena arena;
	(void)state;
	mer_arena_init(&arena);
	fill(&t, &arena);
	mer_table_limit(&t, 0); /* no limit */
	mer_table_limit(&t, 3);
	assert_int_equal(t.n_rows, 3);
	assert_int_equal(t.n_left_out, 0);
	mer_table_limit(&t, 2);
	mer_table_limit(&t, 1);
	assert_int_equal(t.n_rows, 1);
	assert_int_equal(t.n_left_out, 2);
	assert_int_equal(mer_table_column(&t, "percent"), SHARE);
	assert_int_equal(mer_table_column(&t, "none"), SIZE_MAX);
	mer_table_fini(&t);
	mer_arena_fini(&arena);
}

/* Numbers: what is infinite or unknown is empty, and 12 digits are enough. */
static void numbers_as_csv(void **state)
{
	static const struct mer_column c[] = { { "r", "R", MER_REAL },
		{ "percent", "P", MER_RATIO }, { "b", "B", MER_BAR }, { "i", "I", MER_COUNT },
		{ 0 } };
	struct mer_table t;
	struct mer_arena arena;
	struct mer_str s = { 0 };
	(void)state;
	mer_arena_init(&arena);
	mer_table_init(&t, "a,b", "T", c, &arena);
	mer_table_add(&t, (struct mer_cell[]){ MER_REAL_CELL(1.0 / 3), MER_REAL_CELL(0.5),
				  MER_REAL_CELL(0.25), MER_INT(-3) });
	mer_table_add(&t, (struct mer_cell[]){ MER_REAL_CELL(1.0 / 0.0), MER_REAL_CELL(0.0 / 0.0),
				  { 0 }, { 0 } });
	mer_table_csv(&t, (struct mer_table_part){ 0, 2, .named = true }, &s);
	assert_string_equal(
		s.data, "table,r,percent,b,i\n\"a,b\",0.333333333333,50,0.25,-3\n\"a,b\",,,,\n");
	mer_str_fini(&s);
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
	t.n_rows = 1;
	mer_table_json_head(&t, &j);
	mer_table_json_add(&t, &j);
	mer_table_json_end(&j);
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

/* Many rows are written in a way of their own: what is in them is the same. */
static void rows_of_many(void **state)
{
	static const struct mer_column c[] = { { "na\"me", NULL, MER_TEXT },
		{ "n", NULL, MER_COUNT }, { "r", NULL, MER_REAL }, { "percent", NULL, MER_RATIO },
		{ 0 } };
	struct mer_table t;
	struct mer_str one = { 0 }, many = { 0 };
	struct mer_json j;
	(void)state;
	mer_table_init(&t, "t", NULL, c, NULL);
	mer_table_add(&t, (struct mer_cell[]){ mer_text("a \"b\"\n\\"), MER_INT(INT64_MIN),
				  MER_REAL_CELL(1e300), MER_REAL_CELL(0.1) });
	mer_table_add(&t, (struct mer_cell[]){ mer_text(""), MER_INT(INT64_MAX),
				  MER_REAL_CELL(-0.0), MER_REAL_CELL(1.0 / 3) });
	mer_table_add(&t, (struct mer_cell[]){ { 0 }, MER_INT(0), MER_REAL_CELL(0.0 / 0.0),
				  MER_REAL_CELL(-1.0 / 0.0) });
	mer_table_add(&t, (struct mer_cell[4]){ { 0 } });
	mer_table_jsonl(&t, (struct mer_table_part){ .end = t.n_rows }, &one);
	for (size_t i = 0; i < one.len; i++)
		if (one.data[i] == '\n')
			one.data[i] = ',';
	mer_json_init(&j, &many, NULL, 0);
	mer_json_begin_array(&j);
	mer_table_json_add(&t, &j);
	mer_table_json_add(&t, &j); /* as they come */
	mer_json_end_array(&j);
	assert_int_equal(mer_json_finish(&j, NULL), 0);
	/* '[', the rows twice, with commas between, ']' and the line's end. */
	assert_int_equal(many.len, 2 * one.len + 2);
	assert_memory_equal(many.data + 1, one.data, one.len);
	assert_memory_equal(many.data + 1 + one.len, one.data, one.len - 1);
	assert_non_null(strstr(one.data, "\"n\":-9223372036854775808,\"r\":1e+300"));
	mer_str_fini(&one);
	mer_str_fini(&many);
	mer_table_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_say_units),
		cmocka_unit_test(units),
		cmocka_unit_test(sorted),
		cmocka_unit_test(words_of_columns),
		cmocka_unit_test(many_sorted),
		cmocka_unit_test(limits),
		cmocka_unit_test(numbers_as_csv),
		cmocka_unit_test(for_programs),
		cmocka_unit_test(rows_of_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
