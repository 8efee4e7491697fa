/* Tokens of filters: where each ends, what numbers and texts are worth, and each mistake with its
 * place. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "trace/filter/filter.h"
#include "trace/filter/lex.h"

static void put_token(struct mer_str *out, const struct filter_token *t)
{
	static const char *const kinds[] = { "", "word", "$", "", "text", "==", "!=", "<",
		"<=", ">", ">=", "=~", "!~", "&&", "||", "!", "-", ".", "(", ")", "[", "]", ":",
		"other" };
	mer_str_printf(out, "%s%zu:%s", out->len ? " " : "", t->at, kinds[t->kind]);
	if (t->kind == FILTER_NUMBER && t->number.is_real)
		mer_str_printf(out, "%g", t->number.real);
	else if (t->kind == FILTER_NUMBER)
		mer_str_printf(out, "%" PRIu64, t->number.integer);
	if (t->kind == FILTER_WORD || t->kind == FILTER_BUILTIN)
		mer_str_printf(out, " %s", t->text);
	if (t->kind == FILTER_TEXT)
		mer_str_puts(out, " ");
	for (size_t i = 0; t->kind == FILTER_TEXT && i < t->text_len; i++) {
		unsigned char c = (unsigned char)t->text[i];
		mer_str_puts(out, t->wild[i] ? "~" : "");
		mer_str_printf(out, c < ' ' || c > '~' ? "<%02x>" : "%c", c);
	}
}

/* The tokens, or the error. */
static void lex(const char *text, bool colons, const char *expected)
{
	struct mer_arena arena;
	struct mer_err err = { 0 };
	struct mer_str out = { 0 };
	mer_arena_init(&arena);
	struct filter_lexer l = { .what = "f",
		.text = text,
		.len = strlen(text),
		.colons_in_words = colons,
		.arena = &arena,
		.err = &err };
	int rc;
	mer_str_puts(&out, "");
	while ((rc = filter_next(&l)) == 0 && l.now.kind != FILTER_END)
		put_token(&out, &l.now);
	if (rc) {
		mer_str_clear(&out);
		mer_str_add(&out, err.text, strcspn(err.text, "\n"));
	}
	if (strcmp(out.data, expected) != 0)
		fail_msg("%s: \"%s\", not \"%s\"", text, out.data, expected);
	mer_str_fini(&out);
	mer_arena_fini(&arena);
}

static void is(const char *text, const char *expected)
{
	lex(text, false, expected);
}

static void words_and_signs(void **state)
{
	(void)state;
	is("", "");
	is(" \t\r\n", "");
	is("azAZ_09 x", "0:word azAZ_09 8:word x");
	is("a.b[1]", "0:word a 1:. 2:word b 3:[ 4:1 5:]");
	is("$host $ $1", "0:$ host 6:other 8:$ 1");
	is("==!=<=>==~!~&&||<>!-.()[]:",
		"0:== 2:!= 4:<= 6:>= 8:=~ 10:!~ 12:&& 14:|| 16:< 17:> 18:! 19:- 20:. 21:( 22:) 23:[ "
		"24:] 25::");
	is("=&|@`{\xc3\xa4\xe2\x82\xac",
		"0:other 1:other 2:other 3:other 4:other 5:other 6:other 8:other");
	is("app:begin", "0:word app 3:: 4:word begin");
	lex("app:begin:x: $a:b", true, "0:word app:begin:x 11:: 13:$ a 15:: 16:word b");
	lex("app::b", true, "0:word app 3:: 4:: 5:word b");
}

static void numbers(void **state)
{
	(void)state;
	is("0 7 10 017 0x1F 0XaB", "0:0 2:7 4:10 7:15 11:31 16:171");
	is("18446744073709551615", "0:18446744073709551615");
	is("0xffffffffffffffff", "0:18446744073709551615");
	is("01777777777777777777777", "0:18446744073709551615");
	is("1 2", "0:1 2:2");
	is("1. 2", "0:1 1:. 3:2");
	is("1.5 1.25e2 1e3 1E+3 1e-1", "0:1.5 4:125 11:1000 15:1000 20:0.1");
	is("1ns 2us 3ms 4s 1min 1h 1d", "0:1 4:2000 8:3000000 12:4000000000 15:60000000000 "
					"20:3600000000000 23:86400000000000");
	is("1.5us 0.0015us 1.999ns 0.5min 0.25h", "0:1500 6:1 15:1 23:30000000000 30:900000000000");
	is("2\xc2\xb5s", "0:2000");
	is("18446744073.709551615s", "0:18446744073709551615");
	/* What is none. */
	is("08", "f:2: expected a digit, found '8'");
	is("0x", "f:3: expected a digit after '0x'");
	is("0x1g", "f:4: expected a digit, found 'g'");
	is("18446744073709551616", "f:1: the number does not fit in 64 bits");
	is("0x10000000000000000", "f:1: the number does not fit in 64 bits");
	is("02000000000000000000000", "f:1: the number does not fit in 64 bits");
	is("18446744073.709551616s", "f:1: the number does not fit in 64 bits");
	is("18446744074s", "f:1: the number does not fit in 64 bits");
#define UNIT "expected a unit (ns, us, ms, s, min, h, d) or the number's end, found "
	is("5x", "f:2: " UNIT "'x'");
	is("1e", "f:2: " UNIT "'e'");
	is("1e+", "f:2: " UNIT "'e'");
	is("1e3s", "f:4: " UNIT "'s'");
	is("12345678901234567890123456789012345678901234567890x", "f:51: " UNIT "'x'");
	is("5\xc3\xa4", "f:2: " UNIT "'\xc3\xa4'");
}

static void long_numbers(void **state)
{
	char text[420];
	(void)state;
	for (size_t n = 399; n <= 400; n++) {
		memset(text, '0', n);
		text[1] = '.';
		text[n] = '\0';
		is(text, n == 399 ? "0:0" : "f:1: the number is too long");
	}
	/* Of a unit that is none 40 bytes are shown. */
	memset(text, 'x', 60);
	text[0] = '5';
	text[60] = '\0';
	is(text, "f:2: " UNIT "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'");
}

static void texts(void **state)
{
	(void)state;
	is("'a' \"b'\" ''", "0:text a 4:text b' 9:text ");
	is("'\\\\ \\\" \\' \\n \\t \\r \\x41\\xfF'", "0:text \\ \" ' <0a> <09> <0d> A<ff>");
	is("'a*b?c\\*\\?'", "0:text a~*b~?c*?");
	is("'a\\x00b'", "0:text a<00>b");
	is("'a", "f:1: this text has no ' at its end");
	is("x \"a", "f:3: this text has no \" at its end");
	is("'a\\'", "f:1: this text has no ' at its end");
#define ESCAPE "expected one of \\\\ \\\" \\' \\n \\t \\r \\xHH \\* \\?"
	is("'a\\q'", "f:3: " ESCAPE);
	is("'\\x4'", "f:2: " ESCAPE);
	is("'\\x4g'", "f:2: " ESCAPE);
	is("'\\xg4'", "f:2: " ESCAPE);
	/* Of a regular expression only what it does not know itself. */
	is("=~ 'a\\.b\\n\\t\\r\\'\\\\'", "0:=~ 3:text a\\.b<0a><09><0d>'\\\\");
	is("!~ '\\x41\\d'", "0:!~ 3:text \\x41\\d");
	is("== '\\d'", "f:5: " ESCAPE);
}

/* The sentence of a mistake without its place, which is told apart. */
static void mistakes(void **state)
{
	static const struct {
		const char *text, *sentence;
		size_t column;
	} rows[] = { { "filter:1: why\n  x\n  ^", "why", 0 }, { "field:12: why", "why", 11 },
		{ "no place", "no place", 0 }, { "f:0: x", "x", 0 } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mer_err err;
		size_t column = 99;
		snprintf(err.text, sizeof(err.text), "%s", rows[i].text);
		assert_string_equal(trace_filter_mistake(&err, &column), rows[i].sentence);
		assert_int_equal(column, rows[i].column);
	}
}

/* What is shown: 60 bytes before the place and 40 behind it, no character cut. */
static void what_is_shown(void **state)
{
	struct mer_err err = { 0 };
	struct filter_lexer l = { .what = "f", .err = &err };
	char text[300], want[400];
	(void)state;
	memset(text, 'a', 200);
	text[200] = '\0';
	l.text = text;
	l.len = 200;
	for (size_t at = 59; at <= 161; at++) {
		size_t from = at > 60 ? at - 60 : 0, to = at + 40 < 200 ? at + 40 : 200;
		filter_wrong(&l, MER_ERR_USAGE, at, "why");
		snprintf(want, sizeof(want), "f:%zu: why\n  %s%.*s%s\n  %*s^", at + 1,
			from ? "..." : "", (int)(to - from), text + from, to < 200 ? "..." : "",
			(int)(at - from + (from ? 3 : 0)), "");
		assert_string_equal(err.text, want);
	}
	memcpy(text + 38, "\xc3\xa4", 2);  /* from 39 on: its second byte */
	memcpy(text + 138, "\xc3\xa4", 2); /* to 139 */
	filter_wrong(&l, MER_ERR_USAGE, 99, "why");
	assert_non_null(strstr(err.text, "...\xc3\xa4"
					 "aaa"));
	assert_non_null(strstr(err.text, "a\xc3\xa4...\n"));
	static const char blank[] = "a\tb\x7f";
	l.text = blank;
	l.len = 4;
	filter_wrong(&l, MER_ERR_USAGE, 2, "why");
	assert_string_equal(err.text, "f:3: why\n  a b \n    ^");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(words_and_signs),
		cmocka_unit_test(numbers), cmocka_unit_test(long_numbers), cmocka_unit_test(texts),
		cmocka_unit_test(mistakes), cmocka_unit_test(what_is_shown) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
