#include "ask/print/ascii.h"

#include <stdint.h>

#include "base/safe_text.h"
#include "base/utf.h"

/* What stands for it in ASCII; NULL: nothing does. */
static const char *look_alike(uint32_t c)
{
	static const struct {
		uint16_t first, last;
		const char *text;
	} rows[] = { { 0xb0, 0xb0, "o" }, { 0xb1, 0xb1, "+-" }, { 0xb5, 0xb5, "u" },
		{ 0xb7, 0xb7, "." }, { 0xd7, 0xd7, "x" }, { 0x3bc, 0x3bc, "u" },
		{ 0x2010, 0x2015, "-" }, { 0x2018, 0x2019, "'" }, { 0x201c, 0x201d, "\"" },
		{ 0x2022, 0x2022, "*" }, { 0x2026, 0x2026, "~" }, { 0x2190, 0x2190, "<" },
		{ 0x2191, 0x2191, "^" }, { 0x2192, 0x2192, ">" }, { 0x2193, 0x2193, "v" },
		{ 0x2194, 0x2194, "-" }, { 0x2212, 0x2212, "-" }, { 0x2248, 0x2248, "~" },
		{ 0x2264, 0x2264, "<=" }, { 0x2265, 0x2265, ">=" }, { 0x2500, 0x2501, "-" },
		{ 0x2502, 0x2503, "|" }, { 0x2504, 0x257f, "+" }, { 0x2588, 0x2588, "#" },
		{ 0x2589, 0x258c, "=" }, { 0x258d, 0x258f, "-" }, { 0x2590, 0x2593, ":" },
		{ 0x2581, 0x2587, "#" } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (c >= rows[i].first && c <= rows[i].last)
			return rows[i].text;
	return NULL;
}

void ask_ascii(struct mer_str *out, const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = 0;
		while (i + n < len && (unsigned char)s[i + n] >= 0x20 &&
			(unsigned char)s[i + n] < 0x7f)
			n++;
		if (!n && (s[i] == '\n' || s[i] == '\t'))
			n = 1;
		if (n) {
			mer_str_add(out, s + i, n);
			continue;
		}
		n = mer_safe_length(s + i, len - i);
		const char *text = n ? look_alike(mer_code_point(s + i, n)) : NULL;
		if (text)
			mer_str_puts(out, text);
		else
			n = mer_safe_escape(out, s + i, len - i);
	}
}
