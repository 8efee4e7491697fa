/* TSDL, one mistake at a time: what is said, and of which place; and what is just not one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "ctf/metadata.h"

#define TRACE "trace { major = 1; minor = 8; byte_order = le; };\n"

/* error NULL: it is taken, with these warnings. */
static void is(const char *text, const char *error, const char *warnings)
{
	struct mer_arena arena, diag_arena;
	struct mer_diags diags;
	struct mer_err err = { 0 };
	struct mer_str all = { 0 }, warned = { 0 };
	struct ctf_schema *s;
	mer_arena_init(&arena);
	mer_arena_init(&diag_arena);
	mer_diags_init(&diags, &diag_arena);
	mer_str_printf(&all, "/* CTF 1.8 */\n%s", text);
	int rc = ctf_metadata_read(
		(const uint8_t *)all.data, all.len, "m", &arena, &diags, &s, &err);
	char got[500] = "taken";
	if (rc)
		snprintf(got, sizeof(got), "%.*s", (int)strcspn(err.text, "\n"), err.text);
	mer_str_puts(&warned, "");
	for (size_t i = 0; i < diags.n; i++)
		mer_str_printf(&warned, "%s%s", i ? "|" : "", diags.rows[i].message);
	if (strcmp(got, error ? error : "taken") != 0 || strcmp(warned.data, warnings) != 0)
		fail_msg("%s\n\"%s\", \"%s\", not \"%s\", \"%s\"", text, got, warned.data, error,
			warnings);
	mer_str_fini(&all);
	mer_str_fini(&warned);
	mer_diags_fini(&diags);
	mer_arena_fini(&diag_arena);
	mer_arena_fini(&arena);
}

static void fails(const char *text, const char *where)
{
	char error[500];
	snprintf(error, sizeof(error), "m:%s", where);
	is(text, error, "");
}

/* Of a value in the environment, of which anything may be said: at 3:11. */
#define ENV(x) TRACE "env { a = " x "; };\n"
#define TYPE(x) TRACE "typealias " x " := t;\n"
#define INT(x) TYPE("integer { " x " }")
#define CLOCK(x) TRACE "clock { name = c; " x " };\n"
#define FIELD(x) TRACE "struct s { integer { size = 8; } n; " x " };\n"
#define ENUM(x) TYPE("enum : integer { size = 8; } { " x " }")
#define SIGNED(x) TYPE("enum : integer { size = 8; signed = 1; } { " x " }")

static void numbers(void **state)
{
	static const char *const fine[] = { "0", "07", "0x1F", "0XaBcDeF", "12u", "12UL", "12lu",
		"12LLU", "12ll", "18446744073709551615", "0xffffffffffffffff",
		"01777777777777777777777", "- -5", "+5" };
	(void)state;
	for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++) {
		char text[200];
		snprintf(text, sizeof(text), ENV("%s"), fine[i]);
		is(text, NULL, "");
	}
	is(ENV("9223372036854775807"), NULL, "");
	is(ENV("-9223372036854775808"), NULL, "");
	is(ENV("9223372036854775808"), NULL, "");
	is(ENV("-9223372036854775809"), NULL, "");
	fails(ENV("18446744073709551616"), "3:11: this number does not fit in 64 bits");
	fails(ENV("0x10000000000000000"), "3:11: this number does not fit in 64 bits");
	fails(ENV("02000000000000000000000"), "3:11: this number does not fit in 64 bits");
	fails(ENV("08"), "3:11: this is not a number");
	fails(ENV("1uu"), "3:11: this is not a number");
	fails(ENV("1lll"), "3:11: this is not a number");
	fails(ENV("1g"), "3:11: this is not a number");
	fails(ENV("1_"), "3:11: this is not a number");
	fails(ENV("0x"), "3:11: a hexadecimal number needs digits after 0x");
	fails(ENV("0xg"), "3:11: a hexadecimal number needs digits after 0x");
	fails(ENV("-x"), "3:12: expected a number, found x");
	fails(ENV("- \"1\""), "3:13: expected a number, found \"1\"");
	fails(ENV(""), "3:11: expected a value, found ;");
	fails(ENV("a."), "3:13: expected a value, found ;");
	fails(ENV("a->"), "3:14: expected a value, found ;");
}

static void texts(void **state)
{
	(void)state;
	is(ENV("\"a\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\\?\\0\\377\\x41\\xFF\""), NULL, "");
	is(ENV("\"\\q\""), NULL,
		"line 3, column 12: there is no escape \\q: kept as it is written");
	fails(ENV("\"\\400\""), "3:12: this octal escape is above 0377");
	fails(ENV("\"\\xg\""), "3:12: \\x needs hexadecimal digits");
	fails(TRACE "env { a = \"b\n\"; };", "3:11: this string has no closing quote");
	fails(TRACE "env { a = 'b", "3:11: this character constant has no closing quote");
	fails(TRACE "env { a = \"b\\", "3:11: this string has no closing quote");
	fails(TRACE "/* no end", "3:1: this comment has no end");
	fails(TRACE "/*/", "3:1: this comment has no end");
	is(TRACE "// a comment", NULL, "");
	is(TRACE "/**//* */", NULL, "");
	fails(TRACE "/", "3:1: byte 0x2F does not belong here");
	fails(TRACE "@", "3:1: byte 0x40 does not belong here");
	fails(TRACE "\xff", "3:1: byte 0xFF does not belong here");
	fails(TRACE "env { a = 0123456789012345678901234567890123456789012345; };",
		"3:11: this is not a number");
	fails(TRACE "a123456789012345678901234567890123456789 x",
		"3:1: expected trace, env, clock, stream, event, callsite or the declaration of a type, "
		"found a123456789012345678901234567890123456789");
	fails(TRACE "a1234567890123456789012345678901234567890 x",
		"3:1: expected trace, env, clock, stream, event, callsite or the declaration of a type, "
		"found a123456789012345678901234567890123456789...");
}

static void values(void **state)
{
	(void)state;
	is(INT("size = 8; align = 8; signed = true; base = 16; encoding = UTF8; byte_order = be;"),
		NULL, "");
	is(INT("size = 8; signed = TRUE;"), NULL, "");
	is(INT("size = 8; signed = 0;"), NULL, "");
	fails(INT("size = 8; signed = 2;"), "3:40: expected true, false, 1 or 0");
	fails(INT("size = 8; signed = -1;"), "3:40: expected true, false, 1 or 0");
	fails(INT("size = 8; signed = yes;"), "3:40: expected true, false, 1 or 0");
	fails(INT("size = 8; align = 0;"), "3:39: an alignment must be a power of two");
	fails(INT("size = 8; align = 3;"), "3:39: an alignment must be a power of two");
	is(INT("size = 8; align = 2147483648;"), NULL, "");
	fails(INT("size = 8; align = 4294967296;"),
		"3:39: no alignment above 2^31 bits can be read");
	fails(INT("size = 8; align = -8;"), "3:39: an alignment must not be negative");
	fails(INT("size = 8; align = x;"), "3:39: an alignment must be a number");
	fails(INT("size = 8; byte_order = x;"), "3:44: expected le, be, network or native");
	fails(INT("size = 0;"), "3:11: an integer must have at least 1 bit");
	fails(INT("size = 8; size = 8;"), "3:31: size is given twice");
	fails(INT("align = 8;"), "3:11: this integer has no size");
	fails(INT("size = 8; base = 7;"),
		"3:38: a base is 2, 8, 10, 16, binary, octal, decimal or hexadecimal");
	fails(INT("size = 8; encoding = x;"), "3:42: an encoding is none, UTF8 or ASCII");
	fails(INT("size = 8; map = x;"), "3:37: expected clock.NAME.value");
	fails(INT("size = 8 align = 8;"), "3:30: expected ';', found the keyword align");
	fails(INT("size 8;"), "3:26: expected '=', found 8");
	fails(INT("= 8;"), "3:21: expected the name of an attribute, found =");
	is(INT("size = 8; color = 3;"), NULL,
		"line 3, column 31: unknown attribute color of an integer ignored");
	is(CLOCK("freq = 1; precision = 1; offset = -1; offset_s = -1; absolute = 1; description = \"x\";"),
		NULL, "");
	fails(CLOCK("freq = 0;"), "3:26: a frequency must not be 0");
	fails(CLOCK("freq = -1;"), "3:26: a frequency must not be negative");
	is(CLOCK("uuid = \"01234567-89ab-cdef-ABCD-EF0123456789\";"), NULL, "");
	fails(CLOCK("uuid = \"01234567-89ab-cdef-ABCD-EF012345678\";"),
		"3:26: expected a UUID: \"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\"");
	fails(CLOCK("uuid = \"01234567-89ab-cdef-ABCD-EF01234567890\";"),
		"3:26: expected a UUID: \"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\"");
	fails(CLOCK("uuid = \"01234567-89ab-cdef-ABCD-EF012345678g\";"),
		"3:26: expected a UUID: \"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\"");
	fails(CLOCK("uuid = \"01234567-89ab-cdef-ABCDEF-0123456789\";"),
		"3:26: expected a UUID: \"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\"");
	fails(CLOCK("uuid = \"01234567-89ab-cdef-ABCD-EF012345678`\";"),
		"3:26: expected a UUID: \"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\"");
	fails(CLOCK("uuid = 1;"),
		"3:26: expected a UUID: \"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\"");
	fails(CLOCK("description = 1;"), "3:33: expected a string");
	fails(CLOCK("name = d;"), "3:19: name is given twice");
	fails(TRACE "clock { freq = 1; };", "3:1: this clock has no name");
	fails(CLOCK("") "clock { name = c; };", "4:1: there is a clock of this name already");
	is(CLOCK("color = 3;"), NULL,
		"line 3, column 19: unknown attribute color of a clock ignored");
}

static void enumerations(void **state)
{
	(void)state;
	is(ENUM("a, b = 5, c = 7 ... 9, \"d e\""), NULL, "");
	is(ENUM("a = 255"), NULL, "");
	fails(ENUM("a = 256"), "3:46: this value does not fit in an unsigned integer of 8 bits");
	fails(ENUM("a = -1"), "3:46: this value does not fit in an unsigned integer of 8 bits");
	fails(ENUM("a = 255, b"),
		"3:51: the value of this label does not fit in an integer of 8 bits");
	is(SIGNED("a = -128, b = 127"), NULL, "");
	fails(SIGNED("a = -129"), "3:58: this value does not fit in a signed integer of 8 bits");
	fails(SIGNED("a = 128"), "3:58: this value does not fit in a signed integer of 8 bits");
	fails(SIGNED("a = 127, b"),
		"3:63: the value of this label does not fit in an integer of 8 bits");
	fails(ENUM("a = 3 ... 2"), "3:46: this range ends before it begins");
	is(ENUM("a = 3 ... 3"), NULL, "");
	fails(ENUM(""), "3:43: an enumeration must have a label");
	fails(ENUM("a = x"), "3:46: the value of a label must be a number");
	fails(ENUM("a b"), "3:44: expected ',' or '}', found b");
	fails(ENUM("5"), "3:42: expected a label, found 5");
	fails(TYPE("enum { a }"),
		"3:11: this enumeration has no type, and there is no type \"int\" here to use for it");
	fails(TYPE("enum : string { a }"), "3:29: expected '=', found }");
	fails(TYPE("enum none"), "3:16: there is no enumeration of this name here");
	is(ENUM("a,"), NULL, "");
}

static void types(void **state)
{
	(void)state;
	is(TYPE("floating_point { exp_dig = 8; mant_dig = 24; }"), NULL, "");
	is(TYPE("floating_point { exp_dig = 11; mant_dig = 53; }"), NULL, "");
	is(TYPE("floating_point { exp_dig = 5; mant_dig = 11; }"), NULL, "");
	fails(TYPE("floating_point { exp_dig = 8; mant_dig = 53; }"),
		"3:11: a floating point number needs exp_dig and mant_dig of 5 and 11, 8 and 24, or 11 and 53");
	fails(TYPE("floating_point { exp_dig = 8; }"),
		"3:11: a floating point number needs exp_dig and mant_dig of 5 and 11, 8 and 24, or 11 and 53");
	fails(TYPE("struct none"), "3:18: there is no structure of this name here");
	fails(TYPE("variant none"), "3:19: there is no variant of this name here");
	fails(TYPE("none"), "3:11: there is no type \"none\" here");
	fails(TYPE("struct { }") TYPE("struct { }"), "4:1: there is a trace block already");
	fails(FIELD("none x;"), "3:37: there is no type \"none\" here");
	fails(FIELD("string;"), "3:43: expected a name, found ;");
	fails(FIELD("string x"), "3:46: expected ';', found }");
	fails(FIELD("string x; string x;"), "3:54: there is a field of this name here already");
	fails(FIELD("string x[];"), "3:46: expected the length of the array, found ]");
	fails(FIELD("string x[-1];"), "3:46: expected the length of the array, found -");
	fails(FIELD("string x[3;"), "3:47: expected ']', found ;");
	is(FIELD("string x[3]; string y[0]; string z[n];"), NULL, "");
	fails(FIELD("variant { string a; } v;"), "3:59: this variant has no tag");
	fails(FIELD("variant <n> { string a; } v;"),
		"3:46: the tag \"n\" of a variant must be an enumeration, not an integer");
	fails(FIELD("variant <none> { string a; } v;"),
		"3:46: there is no field \"none\" before this one");
	fails(TRACE "struct { ", "3:10: expected a type or '}', found the end of the metadata");
	fails(TRACE "typealias", "3:10: expected a type, found the end of the metadata");
	fails(TRACE "typealias string = t;", "3:18: expected ':=', found =");
	fails(TRACE "typedef string", "3:15: expected a name, found the end of the metadata");
	fails(TRACE "typealias string := ;", "3:21: expected a type, found ;");
	fails(TRACE "struct s { string x; } align(3);",
		"3:30: an alignment must be a power of two");
	is(TRACE "struct s { string x; } align(8);", NULL, "");
}

static void blocks(void **state)
{
	(void)state;
	is(TRACE, NULL, "");
	is("trace { major = 1; minor = 7; byte_order = le; };", NULL,
		"line 2, column 28: minor version 7 of the format is read as 1.8");
	is("trace { major = 2; minor = 8; byte_order = le; };", NULL,
		"line 2, column 17: major version 2 of the format is read as 1.8");
	fails("trace { major = 1; minor = 8; byte_order = native; };",
		"2:44: native is the byte order that is given here: expected le, be or network");
	fails("trace { major = 1; minor = 8; };", "2:33: the trace block has no byte_order");
	fails("", "2:1: there is no trace block");
	fails("env { a = 1; };", "2:16: there is no trace block");
	fails(TRACE TRACE, "3:1: there is a trace block already");
	fails("trace { major = 1; minor = 8; byte_order = le; }",
		"2:49: expected ';', found the end of the metadata");
	fails("trace major", "2:7: expected '{', found major");
	fails(TRACE "stream { id = 1; };\nstream { id = 1; };",
		"4:1: there is a stream with id 1 already");
	is(TRACE "stream { id = 1; };\nevent { name = \"x\"; stream_id = 1; id = 0; };", NULL, "");
	fails(TRACE "stream { id = 1; };\nevent { name = \"x\"; stream_id = 2; id = 0; };",
		"4:1: there is no stream with id 2 for this event");
	fails(TRACE "stream { id = 1; };\nstream { id = 2; };\nevent { name = \"x\"; id = 0; };",
		"5:1: this event has no stream_id, and there are 2 streams");
	fails(TRACE
		"stream { id = 1; };\nevent { name = \"x\"; id = 0; };\nevent { name = \"y\"; id = 0; };",
		"5:1: there is an event with id 0 in this stream already");
	is(TRACE
		"stream { };\nevent { name = \"x\"; loglevel = -1; color = 1; };\ncallsite { name = \"x\"; };",
		NULL,
		"line 4, column 32: this log level is ignored|line 4, column 36: unknown attribute color of an event ignored");
	fails(TRACE "stream { packet.context := string; };",
		"3:1: this must be a structure, not a string");
	fails(TRACE
		"stream { event.header := struct { integer { size = 8; map = clock.x.value; } t; }; };",
		"3:61: there is no clock \"x\"");
	is(TRACE "stream { a.b.c := struct { }; };", NULL,
		"line 3, column 10: unknown attribute a.b.c of a stream ignored");
	fails(TRACE "stream { id := 1; };", "3:13: expected '=', found :=");
	fails(TRACE "stream { packet.context = 1; };", "3:25: expected ':=', found =");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(numbers), cmocka_unit_test(texts),
		cmocka_unit_test(values), cmocka_unit_test(enumerations), cmocka_unit_test(types),
		cmocka_unit_test(blocks) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
