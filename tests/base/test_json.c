/* The JSON writer: layout, exact numbers, any bytes, misuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/json.h"
#include "base/utf.h"

static void document(struct mer_json *j)
{
	mer_json_begin_object(j);
	mer_json_kv_int(j, "min", INT64_MIN);
	mer_json_kv_uint(j, "max", UINT64_MAX);
	mer_json_kv_int(j, "ns", INT64_C(1714739696789000001));
	mer_json_kv_array(j, "list");
	mer_json_double(j, 0.1);
	mer_json_double(j, 1.0 / 0.0);
	mer_json_bool(j, true);
	mer_json_null(j);
	mer_json_begin_array(j);
	mer_json_end_array(j);
	mer_json_end_array(j);
	mer_json_kv_object(j, "empty");
	mer_json_end_object(j);
	mer_json_kv_text(j, "none", NULL);
	mer_json_end_object(j);
}

static void layout(void **state)
{
	struct mer_str s = { 0 };
	struct mer_json j;
	(void)state;
	mer_json_init(&j, &s, NULL, 0);
	document(&j);
	assert_int_equal(mer_json_finish(&j, NULL), 0);
	assert_string_equal(s.data,
		"{\"min\":-9223372036854775808,\"max\":18446744073709551615,"
		"\"ns\":1714739696789000001,\"list\":[0.1,null,true,null,[]],\"empty\":{},"
		"\"none\":null}\n");
	mer_str_clear(&s);
	mer_json_init(&j, &s, NULL, 2);
	document(&j);
	assert_int_equal(mer_json_finish(&j, NULL), 0);
	assert_string_equal(s.data, "{\n"
				    "  \"min\": -9223372036854775808,\n"
				    "  \"max\": 18446744073709551615,\n"
				    "  \"ns\": 1714739696789000001,\n"
				    "  \"list\": [\n"
				    "    0.1,\n"
				    "    null,\n"
				    "    true,\n"
				    "    null,\n"
				    "    []\n"
				    "  ],\n"
				    "  \"empty\": {},\n"
				    "  \"none\": null\n"
				    "}\n");
	mer_str_fini(&s);
}

static void any_bytes(void **state)
{
	struct mer_str s = { 0 };
	static const char bad[] = "a\"\\\n\x01\x7f|\xc3\xa4|\xc3|\xff|\xc0\x80|\xed\xa0\x80|"
				  "\xf0\x9f\x98\x80|\xf4\x90\x80\x80|\xe2\x82";
	(void)state;
	mer_json_quote(&s, bad, sizeof(bad) - 1);
#define R "\xef\xbf\xbd"
	assert_string_equal(s.data, "\"a\\\"\\\\\\n\\u0001\\u007f|\xc3\xa4|" R "|" R "|" R R
				    "|" R R R "|\xf0\x9f\x98\x80|" R R R R "|" R R "\"");
	mer_str_clear(&s);
	mer_json_quote(&s, "a\0b", 3);
	assert_string_equal(s.data, "\"a\\u0000b\"");
	mer_str_fini(&s);
}

static void misuse(void **state)
{
	struct mer_str s = { 0 };
	struct mer_json j;
	struct mer_err err = { 0 };
	(void)state;
	mer_json_init(&j, &s, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_int(&j, 1);
	mer_json_end_object(&j);
	assert_int_equal(mer_json_finish(&j, &err), MER_ERR_BUG);
	mer_json_init(&j, &s, NULL, 0);
	mer_json_begin_object(&j);
	assert_int_equal(mer_json_finish(&j, &err), MER_ERR_BUG);
	mer_json_init(&j, &s, NULL, 0);
	for (int i = 0; i < 2 * MER_JSON_DEPTH; i++)
		mer_json_begin_array(&j);
	for (int i = 0; i < 2 * MER_JSON_DEPTH; i++)
		mer_json_end_array(&j);
	assert_int_equal(mer_json_finish(&j, &err), MER_ERR_BUG);
	mer_str_fini(&s);
}

static void number(double v, const char *expected)
{
	struct mer_str s = { 0 };
	struct mer_json j;
	mer_json_init(&j, &s, NULL, 0);
	mer_json_double(&j, v);
	assert_int_equal(mer_json_finish(&j, NULL), 0);
	assert_string_equal(s.data, expected);
	mer_str_fini(&s);
}

/* As few digits as give the same number again. */
static void numbers(void **state)
{
	(void)state;
	number(0.1, "0.1\n");
	number(-2.5, "-2.5\n");
	number(1e300, "1e+300\n");
	number(1.0 / 3, "0.3333333333333333\n");
	number(0.1 + 0.2, "0.30000000000000004\n");
	number(123456789012345.0, "123456789012345\n");
	number(-1.0 / 0.0, "null\n");
	number(0.0 / 0.0, "null\n");
}

/* Each wrong order by itself. */
static void wrong_orders(void **state)
{
	(void)state;
	for (int i = 0; i < 9; i++) {
		struct mer_str s = { 0 };
		struct mer_json j;
		mer_json_init(&j, &s, NULL, 0);
		mer_json_begin_object(&j);
		mer_json_kv_array(&j, "a");
		switch (i) {
		case 1: mer_json_key(&j, "key of an array"); break;
		case 2: mer_json_end_object(&j); break;
		case 7: mer_json_int(&j, 1); break;
		default: break;
		}
		mer_json_end_array(&j);
		switch (i) {
		case 3: mer_json_end_array(&j); break;
		case 4: mer_json_text(&j, "a value without a key"); break;
		case 5:
			mer_json_key(&j, "k");
			mer_json_key(&j, "another one");
			mer_json_null(&j);
			break;
		case 6: mer_json_key(&j, "without a value"); break;
		case 8: mer_json_kv_bool(&j, "b", false); break;
		default: break;
		}
		mer_json_end_object(&j);
		bool is_wrong = i > 0 && i < 7;
		assert_int_equal(mer_json_finish(&j, NULL), is_wrong ? MER_ERR_BUG : 0);
		if (!is_wrong)
			assert_string_equal(s.data, i == 0   ? "{\"a\":[]}\n"
						    : i == 7 ? "{\"a\":[1]}\n"
							     : "{\"a\":[],\"b\":false}\n");
		mer_str_fini(&s);
	}
	/* An end too many, a key outside, as deep as it goes. */
	struct mer_str s = { 0 };
	struct mer_json j;
	mer_json_init(&j, &s, NULL, 0);
	mer_json_end_array(&j);
	assert_int_equal(mer_json_finish(&j, NULL), MER_ERR_BUG);
	mer_json_init(&j, &s, NULL, 0);
	mer_json_key(&j, "k");
	assert_int_equal(mer_json_finish(&j, NULL), MER_ERR_BUG);
	mer_json_init(&j, &s, NULL, 0);
	for (int i = 0; i < MER_JSON_DEPTH; i++)
		mer_json_begin_array(&j);
	for (int i = 0; i < MER_JSON_DEPTH; i++)
		mer_json_end_array(&j);
	assert_int_equal(mer_json_finish(&j, NULL), 0);
	mer_str_fini(&s);
}

/* UTF-8: the edges of each length, what is too long a form, and what is cut off. */
static void characters(void **state)
{
	static const struct {
		const char *text;
		size_t n;
	} rows[] = { { "\x7f", 1 }, { "\x80", 0 }, { "\xc1\xbf", 0 }, { "\xc2\x80", 2 },
		{ "\xdf\xbf", 2 }, { "\xc2\x7f", 0 }, { "\xc2\xc0", 0 }, { "\xe0\x9f\xbf", 0 },
		{ "\xe0\xa0\x80", 3 }, { "\xed\x9f\xbf", 3 }, { "\xed\xa0\x80", 0 },
		{ "\xee\x80\x80", 3 }, { "\xef\xbf\xbf", 3 }, { "\xf0\x8f\xbf\xbf", 0 },
		{ "\xf0\x90\x80\x80", 4 }, { "\xf4\x8f\xbf\xbf", 4 }, { "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 }, { "\xf1\x80\x80\x40", 0 }, { "\xe1\x80\x40", 0 } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t len = strlen(rows[i].text);
		assert_int_equal(mer_utf8_length(rows[i].text, len), rows[i].n);
		for (size_t k = 0; k < len; k++) /* cut */
			assert_int_equal(mer_utf8_length(rows[i].text, k), 0);
		if (rows[i].n) /* what follows does not matter */
			assert_int_equal(mer_utf8_length(rows[i].text, len + 1), rows[i].n);
	}
	/* Beyond U+FFFF what is not shown as it is needs a pair. */
	struct mer_str s = { 0 };
	mer_json_quote(&s, "\xf3\xa0\x80\x81\r\t\xe2\x80\xae", 9);
	assert_string_equal(s.data, "\"\\udb40\\udc01\\r\\t\\u202e\"");
	mer_str_fini(&s);
}

static void to_a_file(void **state)
{
	struct mer_str s = { 0 };
	struct mer_json j;
	char *text = NULL;
	size_t size = 0;
	(void)state;
	FILE *f = open_memstream(&text, &size);
	mer_json_init(&j, &s, f, 0);
	mer_json_begin_array(&j);
	for (int i = 0; i < 100000; i++)
		mer_json_int(&j, i);
	mer_json_end_array(&j);
	assert_int_equal(mer_json_finish(&j, NULL), 0);
	fclose(f);
	assert_true(s.cap < 1 << 18);
	assert_int_equal(size, 588892);
	assert_memory_equal(text + size - 8, ",99999]\n", 8);
	free(text);
	mer_str_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(misuse),
		cmocka_unit_test(numbers),
		cmocka_unit_test(wrong_orders),
		cmocka_unit_test(characters),
		cmocka_unit_test(to_a_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
