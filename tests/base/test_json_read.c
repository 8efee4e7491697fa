/* The JSON reader: exact integers, places, and what it must refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/json_read.h"
#include "base/str.h"
#include "meridian/meridian.h"

struct fixture {
	struct mer_arena arena;
	struct mer_json_reader reader;
	struct mer_json_value value;
};

static int read_len(struct fixture *f, const char *text, size_t len)
{
	mer_arena_init(&f->arena);
	mer_json_reader_init(&f->reader, text, len, &f->arena);
	return mer_json_read(&f->reader, &f->value);
}

static int read_text(struct fixture *f, const char *text)
{
	return read_len(f, text, strlen(text));
}

static void fini(struct fixture *f)
{
	mer_json_reader_fini(&f->reader);
	mer_arena_fini(&f->arena);
}

static void test_integers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum mer_json_kind kind;
		uint64_t number;
	} cases[] = { { "0", MER_JSON_UINT, 0 }, { "-0", MER_JSON_UINT, 0 },
		{ "18446744073709551615", MER_JSON_UINT, UINT64_MAX },
		{ "9007199254740993", MER_JSON_UINT, 9007199254740993u },
		{ "-9223372036854775808", MER_JSON_INT, (uint64_t)1 << 63 },
		{ "-1", MER_JSON_INT, UINT64_MAX }, { "18446744073709551616", MER_JSON_REAL, 0 },
		{ "-9223372036854775809", MER_JSON_REAL, 0 }, { "1.0", MER_JSON_REAL, 0 },
		{ "2e3", MER_JSON_REAL, 0 } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		assert_int_equal(read_text(&f, cases[i].text), 0);
		assert_int_equal(f.value.kind, cases[i].kind);
		if (f.value.kind != MER_JSON_REAL)
			assert_true(f.value.u.number == cases[i].number);
		fini(&f);
	}
	struct fixture f;
	assert_int_equal(read_text(&f, " -25.5e-1 "), 0);
	assert_true(f.value.u.real == -2.55);
	fini(&f);
}

static void test_strings(void **state)
{
	(void)state;
	static const struct {
		const char *text, *value;
	} cases[] = { { "\"\"", "" }, { "\"plain\"", "plain" },
		{ "\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", "a\"\\/\b\f\n\r\tz" },
		{ "\"\\u00e9\\u20AC\"", "\xC3\xA9\xE2\x82\xAC" },
		{ "\"\\ud83d\\uDE00!\"", "\xF0\x9F\x98\x80!" },
		{ "\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"",
			"\x7f\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF" },
		{ "\"\\ud800\\udc00\\udbff\\udfff\"", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF" },
		{ "\"\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xF0\x90\x80\x80\"",
			"\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xF0\x90\x80\x80" },
		{ "\"\xC3\xA9\xF4\x8F\xBF\xBF\"", "\xC3\xA9\xF4\x8F\xBF\xBF" } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		assert_int_equal(read_text(&f, cases[i].text), 0);
		assert_true(mer_json_is(&f.value, cases[i].value));
		fini(&f);
	}
	struct fixture f;
	assert_int_equal(read_text(&f, "\"a\\u0000b\""), 0);
	assert_int_equal(f.value.n, 3);
	assert_memory_equal(f.value.u.text, "a\0b", 3);
	fini(&f);
}

static void test_tree(void **state)
{
	(void)state;
	const char *text = " {\"z\": [1, true, null, [], {}],\n \"a\":\"x\"} rest";
	struct fixture f;
	assert_int_equal(read_text(&f, text), 0);
	assert_string_equal(text + f.reader.pos, " rest");
	assert_int_equal(f.value.kind, MER_JSON_OBJECT);
	assert_int_equal(f.value.at, 1);
	assert_int_equal(f.value.n, 2);
	assert_memory_equal(f.value.u.members[0].key, "z", 1);
	assert_memory_equal(f.value.u.members[1].key, "a", 1);
	const struct mer_json_member *a = mer_json_member(&f.value, "a");
	assert_non_null(a);
	assert_int_equal(a->key_at, strstr(text, "\"a\"") - text);
	assert_int_equal(a->value.at, strstr(text, "\"x\"") - text);
	assert_true(mer_json_is(&a->value, "x"));
	assert_null(mer_json_member(&f.value, "zz"));
	const struct mer_json_value *z = &mer_json_member(&f.value, "z")->value;
	assert_int_equal(z->n, 5);
	assert_true(z->u.items[1].u.truth);
	assert_int_equal(z->u.items[2].kind, MER_JSON_NULL);
	assert_int_equal(z->u.items[3].n, 0);
	assert_int_equal(z->u.items[4].kind, MER_JSON_OBJECT);
	fini(&f);
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t at;
		const char *message;
	} cases[] = { { "", 0, "expected a JSON value, found the end of the text" },
		{ "nul", 0, "expected a JSON value, found `n`" },
		{ "[1 2]", 3, "expected `,` or `]`, found `2`" },
		{ "[1,]", 2, "a comma before the closing bracket" },
		{ "{\"a\":1,}", 6, "a comma before the closing bracket" },
		{ "[,1]", 1, "expected a JSON value, found `,`" },
		{ "{\"a\" 1}", 5, "expected `:` after the key, found `1`" },
		{ "{a:1}", 1, "expected a key in quotes, found `a`" },
		{ "{\"a\":1,\"b\":2,\"a\":3}", 13, "the key `a` occurs twice in this object" },
		{ "{\"a\":1,\"\\u0061\":3}", 7, "the key `a` occurs twice in this object" },
		{ "\"abc", 0, "this string has no closing quote" },
		{ "\"abc\\", 0, "this string has no closing quote" },
		{ "\"a\nb\"", 2, "a control character (0x0A) in a string must be escaped" },
		{ "\"\\x\"", 1, "a backslash must be followed by one of \"\\/bfnrtu" },
		{ "\"\\u12g4\"", 1, "\\u must be followed by four hexadecimal digits" },
		{ "\"\\u12\"", 1, "\\u must be followed by four hexadecimal digits" },
		{ "\"\\ud800\"", 1, "half of a surrogate pair stands alone" },
		{ "\"\\ud800\\u0041\"", 1, "half of a surrogate pair stands alone" },
		{ "\"\\udc00\"", 1, "half of a surrogate pair stands alone" },
		{ "\"\xC0\x80\"", 1, "the byte 0xC0 is not part of valid UTF-8" },
		{ "\"\xC3\xA4", 0, "this string has no closing quote" },
		{ "\"\xF0\x90\x80\x80", 0, "this string has no closing quote" },
		{ "\"\xC3", 1, "the byte 0xC3 is not part of valid UTF-8" },
		{ "\"\xC1\xBF\"", 1, "the byte 0xC1 is not part of valid UTF-8" },
		{ "\"\xF5\x80\x80\x80\"", 1, "the byte 0xF5 is not part of valid UTF-8" },
		{ "\"\xF0\x8F\xBF\xBF\"", 1, "the byte 0xF0 is not part of valid UTF-8" },
		{ "\"\xC3\xC4\"", 1, "the byte 0xC3 is not part of valid UTF-8" },
		{ "[\x7F", 1, "expected a JSON value, found the byte 0x7F" },
		{ "[~", 1, "expected a JSON value, found `~`" },
		{ "[!", 1, "expected a JSON value, found `!`" },
		{ "\"\xE0\x80\x80\"", 1, "the byte 0xE0 is not part of valid UTF-8" },
		{ "\"\xED\xA0\x80\"", 1, "the byte 0xED is not part of valid UTF-8" },
		{ "\"\xF4\x90\x80\x80\"", 1, "the byte 0xF4 is not part of valid UTF-8" },
		{ "\"a\xE2\x82\"", 2, "the byte 0xE2 is not part of valid UTF-8" },
		{ "01", 0, "a number must not begin with a zero" },
		{ "-", 1, "expected a digit, found the end of the text" },
		{ "1.", 2, "expected a digit, found the end of the text" },
		{ "1e+", 3, "expected a digit, found the end of the text" },
		{ "+1", 0, "expected a JSON value, found `+`" },
		{ "[\x1E", 1, "expected a JSON value, found the byte 0x1E" } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		assert_int_equal(read_text(&f, cases[i].text), MER_ERR_INPUT);
		assert_string_equal(f.reader.err, cases[i].message);
		assert_int_equal(f.reader.err_at, cases[i].at);
		fini(&f);
	}
}

static void test_trailing_commas(void **state)
{
	(void)state;
	const char *text = "{\"a\": [1, ], \"b\": 2 , }";
	struct fixture f;
	mer_arena_init(&f.arena);
	mer_json_reader_init(&f.reader, text, strlen(text), &f.arena);
	f.reader.allow_trailing_comma = true;
	assert_int_equal(mer_json_read(&f.reader, &f.value), 0);
	assert_int_equal(f.value.n, 2);
	assert_int_equal(f.value.u.members[0].value.n, 1);
	assert_int_equal(f.reader.n_trailing_commas, 2);
	assert_int_equal(f.reader.trailing_comma_at, 8);
	fini(&f);
}

static void test_depth(void **state)
{
	(void)state;
	char text[2 * MER_JSON_MAX_DEPTH + 4];
	for (unsigned n = MER_JSON_MAX_DEPTH; n <= MER_JSON_MAX_DEPTH + 1; n++) {
		struct fixture f;
		memset(text, '[', n);
		memset(text + n, ']', n);
		int rc = read_len(&f, text, 2 * (size_t)n);
		assert_int_equal(rc, n > MER_JSON_MAX_DEPTH ? MER_ERR_LIMIT : 0);
		fini(&f);
	}
}

/* Many keys: another way to find duplicates. */
static void test_many_keys(void **state)
{
	(void)state;
	for (unsigned twice = 0; twice < 2; twice++) {
		struct mer_str s = { 0 };
		struct fixture f;
		mer_str_puts(&s, "{");
		for (unsigned i = 0; i < 1000; i++)
			mer_str_printf(&s, "\"key%u\":%u,", i, i);
		mer_str_puts(&s, twice ? "\"key500\":0}" : "\"last\":0}");
		assert_false(s.failed);
		int rc = read_len(&f, s.data, s.len);
		if (twice) {
			assert_int_equal(rc, MER_ERR_INPUT);
			assert_string_equal(
				f.reader.err, "the key `key500` occurs twice in this object");
			assert_int_equal(f.reader.err_at, strstr(s.data, "\"key500\":0}") - s.data);
		} else {
			assert_int_equal(rc, 0);
			assert_int_equal(f.value.n, 1001);
			assert_int_equal(mer_json_member(&f.value, "key77")->value.u.number, 77);
		}
		fini(&f);
		mer_str_fini(&s);
	}
}

/* Each text cut at every byte: an error or a value, never a read past the end. */
static void test_cut(void **state)
{
	(void)state;
	const char *text =
		"{\"k\\u00e9\": [1.5e3, -7, \"\xE2\x82\xAC\\ud83d\\ude00\", true, null]}";
	for (size_t n = 0; n < strlen(text); n++) {
		char *copy = malloc(n + 1);
		struct fixture f;
		assert_non_null(copy);
		memcpy(copy, text, n);
		assert_int_equal(read_len(&f, copy, n), MER_ERR_INPUT);
		assert_true(f.reader.err_at <= n);
		fini(&f);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_trailing_commas),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_many_keys),
		cmocka_unit_test(test_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
