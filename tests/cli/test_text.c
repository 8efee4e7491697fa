/* Text for people: what is cut keeps what tells it from others, lines break at blanks, units. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "ask/print/text.h"

#define DOTS "\xe2\x80\xa6"
#define E_ACUTE "\xc3\xa9"

static void same(struct mer_str *got, const char *expected)
{
	assert_false(got->failed);
	assert_string_equal(got->data ? got->data : "", expected);
	mer_str_clear(got);
}

static void made_clean(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	ask_text_clean(&s, "a\tb\nc\x1b", 6, true);
	same(&s, "a\tb\nc\\x1b");
	ask_text_clean(&s, "a\tb\nc\n", 6, false);
	same(&s, "a\\tb\\nc\\n");
	ask_text_clean(&s, "\n\nab\n\tcd", 8, true);
	same(&s, "\n\nab\n\tcd");
	ask_text_clean(&s, "ab\ncd", 3, true); /* no byte behind its end */
	same(&s, "ab\n");
	ask_text_clean(&s, "", 0, true);
	same(&s, "");
	mer_str_fini(&s);
}

static void width_is_of_characters(void **state)
{
	(void)state;
	assert_int_equal(ask_text_width("abc", 3), 3);
	assert_int_equal(ask_text_width("abc", 2), 2);
	assert_int_equal(ask_text_width("\xc3\xa9\xe2\x82\xac", 5), 2);
	assert_int_equal(ask_text_width("", 0), 0);
}

static void shortened(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t width;
		const char *expected;
	} rows[] = {
		{ "abcdefgh", 8, "abcdefgh" },
		{ "abcdefgh", 7, "abc" DOTS "fgh" },
		{ "abcdefgh", 6, "ab" DOTS "fgh" }, /* the end has the odd one */
		{ "abcdefgh", 2, DOTS "h" },
		{ "abcdefgh", 1, DOTS },
		{ "abcdefgh", 0, "" },
		{ "", 0, "" },
		{ E_ACUTE E_ACUTE E_ACUTE E_ACUTE E_ACUTE, 4, E_ACUTE DOTS E_ACUTE E_ACUTE },
		/* A control character is four columns wide before anything is cut. */
		{ "a\x01", 5, "a\\x01" },
		{ "abcde\x01", 7, "abc" DOTS "x01" },
		/* A task keeps its number, and its host while four letters of its name remain. */
		{ "long-process-name/1234 on web", 18, "long-" DOTS "/1234 on web" },
		{ "long-process-name/1234 on web", 17, "long" DOTS "/1234 on web" },
		{ "long-process-name/1234 on web", 16, "long-proc" DOTS "/1234" DOTS },
		{ "long-process-name/1234", 10, "long" DOTS "/1234" },
		{ "long-process-name/1234", 9, "long" DOTS "1234" },
		/* What follows the / is no number, or more than that. */
		{ "/usr/lib/12ab", 8, "/us" DOTS "12ab" },
		{ "abcdefghij/", 7, "abc" DOTS "ij/" },
		/* What is in brackets at the end goes first. */
		{ "name (what it is)", 17, "name (what it is)" },
		{ "name (what it is)", 16, "name" DOTS },
		{ "name (what it is)", 5, "name" DOTS },
		{ "name (what it is)", 4, "n" DOTS "e" DOTS },
		{ "name(what it is)", 9, "name" DOTS " is)" },
		{ "name (what) it is", 9, "name" DOTS "t is" },
	};
	struct mer_str s = { 0 };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ask_text_shorten(&s, rows[i].text, strlen(rows[i].text), rows[i].width);
		assert_true(ask_text_width(s.data ? s.data : "", s.len) <= rows[i].width);
		same(&s, rows[i].expected);
	}
	mer_str_fini(&s);
}

static void wrapped(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t width, indent;
		const char *expected;
	} rows[] = {
		{ "ab cd ef", 5, 0, "ab cd\nef\n" },
		{ "ab cd ef", 4, 0, "ab\ncd\nef\n" },
		{ "ab cd ef", 7, 2, "  ab cd\n  ef\n" },
		{ "ab cd ef", 6, 2, "  ab\n  cd\n  ef\n" },
		{ "abcdefgh ij", 4, 1, " abcdefgh\n ij\n" }, /* a word is not broken */
		{ "ab  cd\nef", 8, 0, "ab cd ef\n" },
		{ E_ACUTE E_ACUTE " " E_ACUTE, 4, 0, E_ACUTE E_ACUTE " " E_ACUTE "\n" },
		{ "ab\n\ncd", 80, 1, " ab\n\n cd\n" },
		{ "ab\n  as it is\ncd", 4, 1, " ab\n   as it is\n cd\n" },
		{ "  as it is\n\ncd", 4, 0, "  as it is\n\ncd\n" },
		{ "", 10, 3, "" },
		{ "ab\n", 10, 0, "ab\n" },
	};
	struct mer_str s = { 0 };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ask_text_wrap(&s, rows[i].text, rows[i].width, rows[i].indent);
		same(&s, rows[i].expected);
	}
	mer_str_fini(&s);
}

static void numbers(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	static const struct {
		double v;
		const char *real, *ratio, *rate;
	} rows[] = {
		{ 0, "0.00", "0.00 %", "0 B/s" },
		{ 0.0049, "0.00", "0.49 %", "0 B/s" },
		{ 0.0051, "0.01", "0.51 %", "0 B/s" },
		{ -0.001, "0.00", "-0.10 %", "0 B/s" },
		{ 0.0994, "0.10", "9.94 %", "0 B/s" },
		{ 0.0996, "0.10", "10.0 %", "0 B/s" },
		{ 0.5, "0.50", "50.0 %", "1 B/s" },
		{ 1023, "1023.00", "102300.0 %", "1023 B/s" },
		{ 9999999, "9999999.00", "999999900.0 %", "9.54 MiB/s" },
		{ 1e7, "1e+07", "1000000000.0 %", "9.54 MiB/s" },
		{ NAN, "-", "-", "-" },
		{ INFINITY, "-", "-", "-" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ask_text_real(&s, rows[i].v);
		same(&s, rows[i].real);
		ask_text_ratio(&s, rows[i].v);
		same(&s, rows[i].ratio);
		ask_text_rate(&s, rows[i].v);
		same(&s, rows[i].rate);
	}
	/* What no 64 bits hold is the largest they do. */
	ask_text_rate(&s, 1e300);
	struct mer_str most = { 0 };
	ask_text_bytes(&most, INT64_C(9000000000000000000));
	mer_str_puts(&most, "/s");
	same(&s, most.data);
	mer_str_fini(&most);
	ask_text_things(&s, 1, "host", "hosts");
	same(&s, "1 host");
	ask_text_things(&s, 0, "host", "hosts");
	same(&s, "0 hosts");
	ask_text_things(&s, UINT64_MAX, "host", "hosts");
	same(&s, "9,223,372,036,854,775,807 hosts");
	ask_text_seconds(&s, -12345678901);
	same(&s, "-12.345678901");
	ask_text_seconds(&s, 1);
	same(&s, "0.000000001");
	ask_text_seconds(&s, 0);
	same(&s, "0.000000000");
	ask_text_seconds(&s, INT64_MIN);
	same(&s, "-9223372036.854775808");
	mer_str_fini(&s);
}

static void bars(void **state)
{
	(void)state;
	static const struct {
		double part;
		const char *expected;
	} rows[] = {
		{ 0, "" },
		{ NAN, "" },
		{ -1, "" },
		{ 1e-9, "\xe2\x96\x8f" },
		{ 0.125, "\xe2\x96\x8e" }, /* two eighths of the first of two */
		{ 0.4375, "\xe2\x96\x89" },
		{ 0.5, "\xe2\x96\x88" },
		{ 0.5625, "\xe2\x96\x88\xe2\x96\x8f" },
		{ 1, "\xe2\x96\x88\xe2\x96\x88" },
		{ 7, "\xe2\x96\x88\xe2\x96\x88" },
	};
	struct mer_str s = { 0 };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ask_text_bar(&s, rows[i].part, 2);
		same(&s, rows[i].expected);
	}
	mer_str_fini(&s);
}

static void times(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	int64_t t = INT64_C(1714739696123456789);
	ask_text_time(&s, t);
	same(&s, "2024-05-03 12:34:56.123456789");
	ask_text_clock(&s, t);
	same(&s, "12:34:56.123");
	ask_text_clock_us(&s, t);
	same(&s, "12:34:56.123456");
	/* Before 1970 the part of a second counts forwards, too. */
	ask_text_time(&s, -1);
	same(&s, "1969-12-31 23:59:59.999999999");
	ask_text_time(&s, -1000000000);
	same(&s, "1969-12-31 23:59:59.000000000");
	ask_text_clock(&s, -1);
	same(&s, "23:59:59.999");
	mer_str_fini(&s);
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_clean),
		cmocka_unit_test(width_is_of_characters),
		cmocka_unit_test(shortened),
		cmocka_unit_test(wrapped),
		cmocka_unit_test(numbers),
		cmocka_unit_test(bars),
		cmocka_unit_test(times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
