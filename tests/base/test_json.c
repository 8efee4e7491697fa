/* The JSON writer: layout, exact numbers, any bytes, misuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/json.h"

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
		cmocka_unit_test(to_a_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
