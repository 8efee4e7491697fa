/* Parts of the grid: bars, durations as people type them, tables with bars. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "session/moment.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

static size_t bar_width(double part, size_t width)
{
	struct mer_str s = { 0 };
	ask_text_bar(&s, part, width);
	size_t n = ask_text_width(s.data ? s.data : "", s.len);
	mer_str_fini(&s);
	return n;
}

static void bars(void **state)
{
	struct mer_str s = { 0 };
	(void)state;
	assert_int_equal(bar_width(0, 10), 0);
	assert_int_equal(bar_width(-1, 10), 0);
	assert_int_equal(bar_width(NAN, 10), 0);
	assert_int_equal(bar_width(1e-9, 10), 1); /* little is not nothing */
	assert_int_equal(bar_width(0.5, 10), 5);
	assert_int_equal(bar_width(1, 10), 10);
	assert_int_equal(bar_width(INFINITY, 10), 10);
	for (int i = 1; i < 1000; i++) /* never shrinks */
		assert_true(bar_width(i / 1000.0, 13) <= bar_width((i + 1) / 1000.0, 13));
	/* A whole character, then three eighths of one. */
	ask_text_bar(&s, 11 / 80.0, 10);
	assert_string_equal(s.data, "\xe2\x96\x88\xe2\x96\x8d");
	mer_str_fini(&s);
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = { { "0", 0 }, { "1ns", 1 }, { "1.5us", 1500 }, { "250us", 250000 },
		{ "1.5ms", 1500000 }, { "2s", 2000000000 }, { "1min", 60000000000 },
		{ "0.000000001s", 1 } };
	static const char *const bad[] = { "", "1", "ms", "-1ms", "1 ms", "1xs", "1ms ",
		"99999999999999999s", "1e3ms" };
	int64_t ns;
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(session_duration_parse(&ns, good[i].text));
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (session_duration_parse(&ns, bad[i]))
			fail_msg("'%s' was taken for a duration", bad[i]);
}

/* The bar takes what is left over, and gives way when that is too little. */
static void tables(void **state)
{
	static const struct mer_column columns[] = { { "name", "Name", MER_TEXT },
		{ "percent", "Share", MER_RATIO }, { "bar", "", MER_BAR },
		{ "bytes_per_s", "Rate", MER_RATE }, { 0 } };
	struct mer_table t;
	struct mer_str s = { 0 };
	(void)state;
	mer_table_init(&t, "rates", NULL, columns, NULL);
	mer_table_add(&t, (struct mer_cell[]){ mer_text("wget"), MER_REAL_CELL(0.5),
				  MER_REAL_CELL(1), MER_REAL_CELL(2048) });
	mer_table_add(&t, (struct mer_cell[]){ mer_text("nginx"), MER_REAL_CELL(0.125),
				  MER_REAL_CELL(0.25), MER_NONE });
	assert_int_equal(ask_table_least_width(&t, 8, false), 5 + 2 + 6 + 2 + 10);
	ask_table_text(&t, &s, 25, false, false);
	assert_string_equal(s.data, "Name    Share        Rate\n"
				    "wget   50.0 %  2.00 KiB/s\n"
				    "nginx  12.5 %           -\n");
	mer_str_clear(&s);
	ask_table_text(&t, &s, 35, false, false);
	assert_string_equal(s.data,
		"Name    Share                  Rate\n"
		"wget   50.0 %  "
		"\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96"
		"\x88\xe2\x96\x88\xe2\x96\x88  2.00 KiB/s\n"
		"nginx  12.5 %  \xe2\x96\x88\xe2\x96\x88                 -\n");
	mer_str_fini(&s);
	mer_table_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bars),
		cmocka_unit_test(durations),
		cmocka_unit_test(tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
