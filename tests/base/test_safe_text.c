/* Text made safe: what a terminal would obey never passes, everything else does; JSON says the same
 * text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/json.h"
#include "base/safe_text.h"
#include "base/utf.h"

static char *safe(const char *s, size_t len)
{
	static char kept[512];
	struct mer_str out = { 0 };
	mer_safe_add(&out, s, len);
	snprintf(kept, sizeof(kept), "%s", out.data ? out.data : "");
	mer_str_fini(&out);
	return kept;
}
#define SAFE(text, wanted) assert_string_equal(safe(text, sizeof(text) - 1), wanted)

static void by_hand(void **state)
{
	(void)state;
	SAFE("", "");
	SAFE("plain text, longer than eight bytes ~", "plain text, longer than eight bytes ~");
	SAFE("a\nb\tc\rd\0e", "a\\nb\\tc\\rd\\x00e");
	SAFE("\x1b[31m\x07\x7f\x08", "\\x1b[31m\\x07\\x7f\\x08");
	SAFE("C1 \x9b as a byte, \xc2\x9b as a character",
		"C1 \\x9b as a byte, \\u009b as a character");
	SAFE("\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8\xef\xbb\xbf",
		"\\u202e\\u2066\\u061c\\u2028\\ufeff");
	SAFE("overlong \xc0\xae\xe0\x80\xae", "overlong \\xc0\\xae\\xe0\\x80\\xae");
	SAFE("surrogate \xed\xa0\x80", "surrogate \\xed\\xa0\\x80");
	SAFE("cut \xe2\x82", "cut \\xe2\\x82");
	SAFE("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	SAFE("tag \xf3\xa0\x80\x81", "tag \\U000e0001");
	SAFE("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 \xe0\xa4\x95\xe2\x80\x8d",
		"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 \xe0\xa4\x95\xe2\x80\x8d");
	struct mer_str out = { 0 };
	mer_ascii_add(&out, "gr\xc3\xbc\xc3\x9f\n\xf0\x9f\x98\x80", 11);
	assert_string_equal(out.data, "gr\\u00fc\\u00df\\n\\U0001f600");
	mer_str_clear(&out);
	mer_ascii_add(&out, "\x1f \x7e\x7f", 4);
	assert_string_equal(out.data, "\\x1f ~\\x7f");
	mer_str_fini(&out);
}

/* Every character, at every place of a word of eight: it passes or is one escape, never anything
 * else. */
static void each_character(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x110000; c++) {
		char s[24] = "aaaaaaaaaaaaaaaa", *p = s + c % 11;
		size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		if (c >= 0xd800 && c < 0xe000)
			continue;
		if (n == 1)
			p[0] = (char)c;
		for (size_t i = n; n > 1 && i-- > 0;)
			p[i] = (char)(i ? 0x80 | (c >> 6 * (n - 1 - i) & 0x3f)
					: (0xf00 >> n & 0xff) | c >> 6 * (n - 1));
		assert_int_equal(mer_code_point(p, n), c);
		bool control = c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e);
		if (control)
			assert_int_equal(mer_safe_span(s, 16), p - s);
		const char *text = safe(s, 16);
		for (const char *q = text; *q; q++)
			assert_true((unsigned char)*q >= 0x20 && *q != 0x7f);
		/* In JSON it is the same character. */
		struct mer_str out = { 0 };
		mer_json_quote(&out, p, n);
		for (size_t i = 0; i < out.len; i++)
			assert_true((unsigned char)out.data[i] >= 0x20 && out.data[i] != 0x7f);
		if (control)
			assert_null(strchr(out.data, '\xc2'));
		mer_str_fini(&out);
	}
}

/* The first and the last character of each range that is escaped, and their neighbours. */
static void edges(void **state)
{
	(void)state;
	static const struct {
		uint32_t first, last;
	} ranges[] = { { 0x00, 0x1f }, { 0x7f, 0x9f }, { 0x61c, 0x61c }, { 0x200b, 0x200b },
		{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfdd0, 0xfdef },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xfffe, 0xffff }, { 0x1fffe, 0x1ffff },
		{ 0xe0000, 0xe007f }, { 0x10fffe, 0x10ffff } };
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		for (int side = 0; side < 4; side++) {
			uint32_t c = side < 2 ? ranges[i].first - (side == 0)
					      : ranges[i].last + (side == 3);
			bool escaped = side == 1 || side == 2 || (c & 0xfffe) == 0xfffe;
			char text[8] = { 0 }, *out = text;
			if (c > 0x10ffff)
				continue;
			if (c >= 0x10000) {
				*out++ = (char)(0xf0 | c >> 18);
				*out++ = (char)(0x80 | (c >> 12 & 0x3f));
			} else if (c >= 0x800) {
				*out++ = (char)(0xe0 | c >> 12);
			}
			if (c >= 0x800)
				*out++ = (char)(0x80 | (c >> 6 & 0x3f));
			else if (c >= 0x80)
				*out++ = (char)(0xc0 | c >> 6);
			*out++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
			size_t n = (size_t)(out - text);
			const char *got = safe(text, n);
			if ((strlen(got) != n || memcmp(got, text, n) != 0) != escaped)
				fail_msg("U+%04X becomes %s", (unsigned)c, got);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(each_character),
		cmocka_unit_test(edges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
