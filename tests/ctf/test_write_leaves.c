/* The writer, leaf by leaf: the bytes of a value at the edges of its class, and each value that is
 * refused, with the reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "arena_setup.h"
#include "base/str.h"
#include "ctf/writer.h"

static char path[] = "/tmp/meridian-leaves-XXXXXX";

/* The file of an event with this one field, in hexadecimal; or what is wrong with the value. */
static void is(struct ctf_fc *fc, struct ctf_value value, const char *expected)
{
	struct ctf_clock clock = { .name = "c", .freq_hz = 1000000000 };
	struct ctf_event_class ec = {
		.name = "e", .log_level = -1, .payload = ctf_new_struct(&arena, 1)
	};
	struct ctf_stream_class sc = { .events = &ec, .n_events = 1 };
	struct ctf_schema schema = { .major = 1,
		.minor = 8,
		.clocks = &clock,
		.n_clocks = 1,
		.streams = &sc,
		.n_streams = 1 };
	const struct ctf_writer_options o = { .path = path };
	struct mer_err err = { 0 };
	struct mer_str out = { 0 };
	struct ctf_writer *w;
	assert_non_null(ctf_struct_add(&arena, ec.payload, "f", fc));
	assert_int_equal(ctf_writer_open(&schema, &sc, &o, &w, &err), 0);
	int rc = ctf_writer_event(w, &ec, 0, &value, 1, &err);
	mer_str_puts(&out, "");
	if (rc) {
		assert_int_equal(rc, MER_ERR_USAGE);
		const char *at = strstr(err.text, "field \"f\": ");
		assert_non_null(at);
		mer_str_puts(&out, at + strlen("field \"f\": "));
	}
	assert_int_equal(ctf_writer_close(w, &err), 0);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	for (int c; (c = fgetc(f)) != EOF;)
		mer_str_printf(&out, "%02x", (unsigned)c);
	fclose(f);
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
}

#define U(x)                                                                                       \
	(struct ctf_value)                                                                         \
	{                                                                                          \
		.kind = CTF_VALUE_UINT, .v.u = (x)                                                 \
	}
#define I(x)                                                                                       \
	(struct ctf_value)                                                                         \
	{                                                                                          \
		.kind = CTF_VALUE_INT, .v.i = (x)                                                  \
	}
#define F(x)                                                                                       \
	(struct ctf_value)                                                                         \
	{                                                                                          \
		.kind = CTF_VALUE_REAL, .v.f = (x)                                                 \
	}
#define B(x)                                                                                       \
	(struct ctf_value)                                                                         \
	{                                                                                          \
		.kind = CTF_VALUE_BYTES, .v.bytes = { x, sizeof(x) - 1 }                           \
	}

static struct ctf_fc *integer(unsigned bits, bool is_signed, enum ctf_byte_order order)
{
	return ctf_new_int(&arena, bits, is_signed, 8, order);
}

static void integers(void **state)
{
	(void)state;
	is(integer(8, false, CTF_LE), U(255), "ff");
	is(integer(8, false, CTF_LE), I(255), "ff");
	is(integer(8, false, CTF_LE), U(256), "the value is too large");
	is(integer(8, false, CTF_LE), I(-1), "unsigned, but the value is negative");
	is(integer(8, true, CTF_LE), I(-128), "80");
	is(integer(8, true, CTF_LE), U(127), "7f");
	is(integer(8, true, CTF_LE), I(128), "the value does not fit");
	is(integer(8, true, CTF_LE), I(-129), "the value does not fit");
	is(integer(32, false, CTF_LE), U(0x12345678), "78563412");
	is(integer(32, false, CTF_BE), U(0x12345678), "12345678");
	is(integer(64, false, CTF_LE), U(UINT64_MAX - 1), "feffffffffffffff");
	is(integer(64, false, CTF_BE), U(UINT64_MAX - 1), "fffffffffffffffe");
	is(integer(64, false, CTF_LE), I(-1), "unsigned, but the value is negative");
	is(integer(64, true, CTF_LE), I(INT64_MIN), "0000000000000080");
	is(integer(64, true, CTF_LE), U((uint64_t)INT64_MAX + 1), "the value is too large");
	is(integer(64, true, CTF_LE), U(INT64_MAX), "ffffffffffffff7f");
	is(integer(12, false, CTF_LE), U(0xabc), "bc0a");
	is(integer(12, false, CTF_BE), U(0xabc), "abc0");
	is(integer(8, false, CTF_LE), F(1), "needs an integer");
	is(integer(8, false, CTF_LE), B("1"), "needs an integer");
	is(ctf_new_bits(&arena, CTF_BOOL, 8, 8, CTF_LE), U(1), "01");
	is(ctf_new_bits(&arena, CTF_BIT_ARRAY, 8, 8, CTF_LE), I(-1),
		"unsigned, but the value is negative");
}

static void varints(void **state)
{
	static const struct {
		bool is_signed;
		int64_t v;
		const char *bytes;
	} rows[] = { { false, 0, "00" }, { false, 127, "7f" }, { false, 128, "8001" },
		{ false, 16383, "ff7f" }, { false, 16384, "808001" }, { true, 0, "00" },
		{ true, 63, "3f" }, { true, 64, "c000" }, { true, -1, "7f" }, { true, -64, "40" },
		{ true, -65, "bf7f" }, { true, 8191, "ff3f" }, { true, 8192, "80c000" },
		{ true, INT64_MIN, "8080808080808080807f" } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		is(ctf_new_varint(&arena, rows[i].is_signed), I(rows[i].v), rows[i].bytes);
	is(ctf_new_varint(&arena, false), U(UINT64_MAX), "ffffffffffffffffff01");
	is(ctf_new_varint(&arena, false), F(1), "needs an integer");
}

/* Of 16 bits as IEEE 754 rounds: to the nearest, of two equally near ones to the even one. */
static void floats(void **state)
{
	static const struct {
		double v;
		const char *half;
	} rows[] = { { 0, "0000" }, { -0.0, "0080" }, { 1, "003c" }, { -2, "00c0" },
		{ 65504, "ff7b" }, { 65519, "ff7b" }, { 65520, "007c" }, { 1e10, "007c" },
		{ -1e10, "00fc" }, { INFINITY, "007c" }, { -INFINITY, "00fc" }, { 0x1p-14, "0004" },
		{ 0x1p-15, "0002" }, { 0x1p-24, "0100" }, { 0x1p-25, "0000" },
		{ 0x1.8p-25, "0100" }, { 0x1p-26, "0000" }, { 1 + 0x1p-11, "003c" },
		{ 1 + 0x1.8p-11, "013c" }, { 1 + 0x3p-11, "023c" }, { 1 + 0x1p-10, "013c" },
		{ 2 - 0x1p-12, "0040" } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		is(ctf_new_bits(&arena, CTF_FLOAT, 16, 8, CTF_LE), F(rows[i].v), rows[i].half);
	is(ctf_new_bits(&arena, CTF_FLOAT, 16, 8, CTF_LE), F(NAN), "007e");
	is(ctf_new_bits(&arena, CTF_FLOAT, 32, 8, CTF_BE), F(1.5), "3fc00000");
	is(ctf_new_bits(&arena, CTF_FLOAT, 64, 8, CTF_LE), F(1.5), "000000000000f83f");
	is(ctf_new_bits(&arena, CTF_FLOAT, 64, 8, CTF_BE), I(-2), "c000000000000000");
	is(ctf_new_bits(&arena, CTF_FLOAT, 64, 8, CTF_BE), U(2), "4000000000000000");
	is(ctf_new_bits(&arena, CTF_FLOAT, 64, 8, CTF_BE), B("2"), "needs a number");
	is(ctf_new_bits(&arena, CTF_FLOAT, 24, 8, CTF_BE), F(2),
		"floating point of an unusual size");
}

static struct ctf_fc *string_of(enum ctf_encoding encoding)
{
	struct ctf_fc *fc = ctf_new_string(&arena);
	fc->u.text.encoding = (uint8_t)encoding;
	return fc;
}

static void strings(void **state)
{
	(void)state;
	is(string_of(CTF_UTF8), B("ab"), "616200");
	is(string_of(CTF_UTF8), B(""), "00");
	is(string_of(CTF_UTF16BE), B("\0a\0b"), "006100620000");
	is(string_of(CTF_UTF16LE), B("a\0b\0"), "610062000000");
	is(string_of(CTF_UTF32BE), B("\0\0\0a"), "0000006100000000");
	is(string_of(CTF_UTF32LE), B("a\0\0\0"), "6100000000000000");
	is(string_of(CTF_UTF32LE), B(""), "00000000");
	is(string_of(CTF_UTF16LE), B("a"), "the text ends inside a code unit");
	is(string_of(CTF_UTF32BE), B("a\0\0"), "the text ends inside a code unit");
	is(string_of(CTF_UTF8), B("a\0b"), "the text holds a NUL");
	is(string_of(CTF_UTF16LE), B("a\0\0\0"), "the text holds a NUL");
	is(string_of(CTF_UTF16LE), B("\0a\0b"), "006100620000"); /* zeros, but not in one unit */
	is(string_of(CTF_UTF8), U(1), "needs a text");
}

static void texts(void **state)
{
	(void)state;
	is(ctf_new_bytes(&arena, CTF_TEXT, 4), B("abcd"), "61626364");
	is(ctf_new_bytes(&arena, CTF_TEXT, 4), B("ab"), "61620000");
	is(ctf_new_bytes(&arena, CTF_TEXT, 4), B("abcde"), "5 bytes given, the field has 4");
	is(ctf_new_bytes(&arena, CTF_BLOB, 2), B("ab"), "6162");
	is(ctf_new_bytes(&arena, CTF_BLOB, 2), B("a"), "1 bytes given, the field has 2");
	is(ctf_new_bytes(&arena, CTF_BLOB, 2), B("abc"), "3 bytes given, the field has 2");
	is(ctf_new_bytes(&arena, CTF_BLOB, 0), B(""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(integers, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(varints, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(floats, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(strings, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(texts, arena_begin, arena_end),
	};
	int fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
