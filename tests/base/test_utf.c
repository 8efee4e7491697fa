/* UTF-16 and UTF-32 as UTF-8: the edges of each length, surrogates, and what is no character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bits.h"
#include "base/json.h"
#include "base/utf.h"

static void is(const uint32_t *units, size_t n, unsigned bytes, const char *expected)
{
	for (int be = 0; be <= 1; be++) {
		uint8_t in[64];
		char out[200];
		for (size_t i = 0; i < n; i++)
			for (unsigned b = 0; b < bytes; b++)
				in[i * bytes + b] =
					(uint8_t)(units[i] >> 8 * (be ? bytes - 1 - b : b));
		/* A unit that is cut off is dropped. */
		for (size_t more = 0; more < bytes; more++) {
			size_t len = mer_utf8_from_wide(in, n * bytes + more, bytes, be, out);
			assert_true(len <= mer_utf8_room(n * bytes, bytes) || len == 0);
			assert_int_equal(len, strlen(expected));
			assert_memory_equal(out, expected, len);
		}
	}
}

#define NONE "\xef\xbf\xbd"
#define WIDE(expected, ...)                                                                        \
	do {                                                                                       \
		static const uint32_t u[] = { __VA_ARGS__ };                                       \
		is(u, sizeof(u) / sizeof(*u), 4, expected);                                        \
	} while (0)
#define UTF16(expected, ...)                                                                       \
	do {                                                                                       \
		static const uint32_t u[] = { __VA_ARGS__ };                                       \
		is(u, sizeof(u) / sizeof(*u), 2, expected);                                        \
	} while (0)

static void of_32_bits(void **state)
{
	(void)state;
	WIDE("A\x7f", 'A', 0x7f);
	WIDE("\xc2\x80\xdf\xbf", 0x80, 0x7ff);
	WIDE("\xe0\xa0\x80\xef\xbf\xbf", 0x800, 0xffff);
	WIDE("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 0x10000, 0x10ffff);
	WIDE("\xed\x9f\xbf" NONE NONE "\xee\x80\x80", 0xd7ff, 0xd800, 0xdfff, 0xe000);
	WIDE(NONE NONE, 0x110000, 0xffffffff);
	WIDE("\xf0\x9f\x98\x80", 0x1f600);
}

static void of_16_bits(void **state)
{
	(void)state;
	UTF16("A\xc2\x80\xef\xbf\xbf", 'A', 0x80, 0xffff);
	UTF16("\xf0\x90\x80\x80", 0xd800, 0xdc00);
	UTF16("\xf4\x8f\xbf\xbf", 0xdbff, 0xdfff);
	UTF16("\xf0\x9f\x98\x80x", 0xd83d, 0xde00, 'x');
	/* Alone, twice, and the other way round they are none. */
	UTF16(NONE, 0xd800);
	UTF16(NONE "x", 0xd800, 'x');
	UTF16(NONE "\xf0\x90\x80\x80", 0xd800, 0xd800, 0xdc00);
	UTF16(NONE NONE, 0xdc00, 0xd800);
	UTF16(NONE "\xee\x80\x80", 0xdbff, 0xe000);
	UTF16("\xed\x9f\xbf" NONE, 0xd7ff, 0xdc00);
}

/* Each character there is, as another rule says. */
static void all_of_them(void **state)
{
	(void)state;
	for (uint32_t c = 1; c < 0x110000; c++) {
		uint8_t in[4] = { (uint8_t)c, (uint8_t)(c >> 8), (uint8_t)(c >> 16), 0 };
		char out[8];
		size_t n = mer_utf8_from_wide(in, 4, 4, false, out);
		assert_int_equal(n, mer_utf8_length(out, n));
		size_t expected = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		assert_int_equal(n, expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(of_32_bits),
		cmocka_unit_test(of_16_bits), cmocka_unit_test(all_of_them) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
