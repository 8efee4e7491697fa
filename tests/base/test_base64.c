/* Bytes as text: the examples of RFC 4648, section 10, all digits, and nothing of what follows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"

static void is(const void *bytes, size_t len, const char *expected)
{
	struct mer_str s = { 0 };
	mer_base64_put(&s, bytes, len);
	assert_false(s.failed);
	assert_string_equal(s.data ? s.data : "", expected);
	mer_str_fini(&s);
}

static void examples(void **state)
{
	(void)state;
	/* What follows the bytes that are put has all bits set. */
	static const char *const expected[] = { "", "Zg==", "Zm8=", "Zm9v",
		"Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };
	for (size_t n = 0; n <= 6; n++) {
		char bytes[10];
		memset(bytes, 0xff, sizeof(bytes));
		memcpy(bytes, "foobar", n);
		is(bytes, n, expected[n]);
	}
}

static void all_digits(void **state)
{
	(void)state;
	unsigned char bytes[48];
	for (unsigned i = 0; i < 16; i++) {
		uint32_t v = (4 * i) << 18 | (4 * i + 1) << 12 | (4 * i + 2) << 6 | (4 * i + 3);
		bytes[3 * i] = (unsigned char)(v >> 16);
		bytes[3 * i + 1] = (unsigned char)(v >> 8);
		bytes[3 * i + 2] = (unsigned char)v;
	}
	is(bytes, sizeof(bytes),
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
	is("\xff\xff\xff", 3, "////");
	is("\0\0\0", 3, "AAAA");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples),
		cmocka_unit_test(all_digits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
