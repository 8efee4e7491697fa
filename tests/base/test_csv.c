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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quoted_texts_end),
		cmocka_unit_test(quotes_are_doubled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
