/* Texts as cells of CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/csv.h"
#include "base/str.h"

/* What is quoted is still a C string, at any length. */
static void quoted_texts_end(void **state)
{
	(void)state;
	for (size_t len = 1; len < 200; len++) {
		struct mer_str s = { 0 };
		char text[200];
		memset(text, 'x', len);
		text[0] = ',';
		mer_csv_text(&s, text, len);
		assert_int_equal(s.len, len + 2);
		assert_int_equal(strlen(s.data), s.len);
		mer_str_fini(&s);
	}
}

static void quotes_are_doubled(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	mer_csv_text(&s, "a, \"b\"", 6);
	mer_str_putc(&s, ',');
	mer_csv_text(&s, "plain", 5);
	assert_string_equal(s.data, "\"a, \"\"b\"\"\",plain");
	mer_str_fini(&s);
}

static void is(const char *text, size_t len, const char *expected)
{
	struct mer_str s = { 0 };
	mer_csv_text(&s, text, len);
	assert_string_equal(s.data ? s.data : "", expected);
	mer_str_fini(&s);
}

/* Quoted is what would end the cell; what is no text is shown as that, and nothing else changes. */
static void which_are_quoted(void **state)
{
	(void)state;
	is("", 0, "");
	is("a b;c'd", 7, "a b;c'd");
	is(",", 1, "\",\"");
	is("\"", 1, "\"\"\"\"");
	is("\xc3\xa4,", 3, "\"\xc3\xa4,\"");
	is("a\nb", 3, "a\\nb");
	is("a\x01", 2, "a\\x01");
	is("a\xc3", 2, "a\xef\xbf\xbd");
	is("\xff\xff", 2, "\xef\xbf\xbd\xef\xbf\xbd");
	is("\xe2\x80\xae", 3, "\\u202e");
	/* Line ends that are there already, as in what was put before it is quoted. */
	static const char ends[] = "\n\r";
	for (int i = 0; i < 2; i++) {
		struct mer_str s = { 0 };
		char want[] = { 'x', '"', ends[i], '"', '\0' };
		mer_str_putc(&s, 'x');
		mer_csv_quote(&s, 1);
		assert_string_equal(s.data, "x");
		mer_str_putc(&s, ends[i]);
		mer_csv_quote(&s, 1);
		assert_string_equal(s.data, want);
		mer_str_fini(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quoted_texts_end),
		cmocka_unit_test(quotes_are_doubled),
		cmocka_unit_test(which_are_quoted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
