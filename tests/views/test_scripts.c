/* Scripts of values in XML: what expressions are worth, as JavaScript has it, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "views/xml/eval.h"

static struct xml_value variable(void *ctx, const char *name)
{
	(void)ctx;
	if (strcmp(name, "seven") == 0)
		return (struct xml_value){ .type = XML_INT, .i = 7 };
	if (strcmp(name, "late") == 0) /* beyond what a double has exactly */
		return (struct xml_value){ .type = XML_LONG, .i = 1700000000000000001 };
	if (strcmp(name, "text") == 0)
		return (struct xml_value){ .type = XML_STRING, .s = "abc" };
	if (strcmp(name, "azAZ_$09") == 0)
		return (struct xml_value){ .type = XML_INT, .i = 3 };
	if (strcmp(name, "digits") == 0)
		return (struct xml_value){ .type = XML_STRING, .s = "12" };
	return (struct xml_value){ .type = XML_NULL };
}

/* expected NULL: it cannot be read. */
static void is(const char *text, const char *expected)
{
	struct mer_arena arena;
	struct mer_str out = { 0 };
	mer_arena_init(&arena);
	const struct xml_script *s = xml_script_parse(text, &arena);
	if (s) {
		struct xml_value v = xml_script_run(s, variable, NULL);
		if (v.type == XML_DOUBLE)
			mer_str_printf(&out, "%g", v.f);
		else
			xml_put_value(&out, &v);
	}
	const char *got = s ? (out.data ? out.data : "") : "none";
	if (strcmp(got, expected ? expected : "none") != 0)
		fail_msg("%s: %s, not %s", text, got, expected ? expected : "none");
	mer_str_fini(&out);
	mer_arena_fini(&arena);
}

/* Each binds tighter than those of the line before, and the one that was there first goes first. */
static void what_binds_tighter(void **state)
{
	(void)state;
	is("1 ? 2 : 0 || 3", "2");
	is("0 ? 2 : 0 || 3", "3");
	is("1 || 0 && 0", "1");
	is("0 && 1 == 0", "0");
	/* The four comparisons for equality against the four for order. */
	is("3 == 3 < 1", "0");
	is("0 === 3 < 1", "1");
	is("3 !== 5 < 1", "1");
	is("3 != 5 < 1", "1");
	is("0 == 3 > 5", "1");
	is("0 == 3 >= 5", "1");
	is("1 == 3 <= 5", "1");
	is("1 < 1 + 1", "1");
	is("2 > 2 - 1", "1");
	is("4 <= 3 + 1", "1");
	is("4 >= 5 - 1", "1");
	is("1 + 2 * 3", "7");
	is("8 - 6 / 3", "6");
	is("1 + 7 % 4", "4");
	is("10 - 4 - 3", "3");
	is("12 / 3 / 2", "2");
	is("2 * -3", "-6");
	is("!0 + 1", "2");
	is("(1 + 2) * 3", "9");
}

static void each_of_them(void **state)
{
	(void)state;
	is("2 == 2", "1");
	is("2 == 3", "0");
	is("2 != 2", "0");
	is("2 === 2", "1");
	is("2 !== 3", "1");
	is("2 >= 2", "1");
	is("1 >= 2", "0");
	is("2 <= 2", "1");
	is("3 <= 2", "0");
	is("2 > 2", "0");
	is("2 < 2", "0");
	is("7 / 2", "3.5");
	is("1 && 5", "5");
	is("0 && 5", "0");
	is("0 || 5", "5");
	is("4 || 5", "4");
	is("!1", "0");
	is("1 ? 2 ? 3 : 4 : 5", "3");
	is("0 ? 1 : 0 ? 2 : 3", "3");
	is("'a' < 'b'", "1");
	is("'10' < '9'", "1"); /* texts, as texts */
	is("digits > 9", "1"); /* a text and a number, as numbers */
	is("digits == 12", "1");
	is("text == 'abc'", "1");
	is("text == \"abd\"", "0");
	is("text > 1", "0"); /* no number: nothing is true of it */
	is("nothing == 0", "0");
	is("nothing == nothing", "1");
	is("'' ? 1 : 2", "2");
	is("'0' ? 1 : 2", "1");
}

static void whole_numbers(void **state)
{
	(void)state;
	is("late + 1", "1700000000000000002");
	is("late - 1", "1700000000000000000");
	is("late - late", "0");
	is("late - seven", "1699999999999999994");
	is("seven + 0.5", "7.5");
	is("seven * 2", "14");
	is("azAZ_$09 + 1", "4");
}

static void what_is_none(void **state)
{
	static const char *const none[] = { "", "1 +", "+", "(1", "1)", "'a", "1 ? 2",
		"1 ? 2 :", "1 2", "a b", "1; 2", "x = 1", "#", "a@", "a[", "a`", "a{", "a/",
		"a:", "! ", "- " };
	char deep[300] = "";
	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		is(none[i], NULL);
	is(" seven ; ", "7");
	/* Brackets within each other, more than anybody writes. */
	memset(deep, '(', 200);
	is(deep, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_binds_tighter),
		cmocka_unit_test(each_of_them), cmocka_unit_test(whole_numbers),
		cmocka_unit_test(what_is_none) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
