#include "base/safe_text.h"

#include <string.h>
#include "base/utf.h"

/* Controls, and what changes how the characters around it look: marks of direction, line and
 * paragraph separators, invisible operators, tags, and numbers that are no characters. Joiners
 * (U+200C, U+200D) stay: scripts need them. */
static bool is_unsafe(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = { { 0x00, 0x1f }, { 0x7f, 0x9f }, { 0x61c, 0x61c }, { 0x200b, 0x200b },
		{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfdd0, 0xfdef },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f } };
	if ((c & 0xfffe) == 0xfffe)
		return true;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (c <= ranges[i].last)
			return c >= ranges[i].first;
	return false;
}

size_t mer_safe_length(const char *s, size_t len)
{
	size_t n = mer_utf8_length(s, len);
	if (n && is_unsafe(mer_code_point(s, n)))
		return 0;
	return n;
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f;
}

/* Are the eight bytes printable ASCII? */
static bool plain_bytes(const char *s)
{
	uint64_t w;
	memcpy(&w, s, sizeof(w));
	uint64_t below = (w - EACH(0x20)) & ~w, del = w ^ EACH(0x7f);
	return !((w | below | ((del - EACH(1)) & ~del)) & EACH(0x80));
}

size_t mer_safe_span(const char *s, size_t len)
{
	size_t i = 0;
	while (i < len) {
		while (len - i >= 8 && plain_bytes(s + i))
			i += 8;
		while (i < len && is_plain(s[i]))
			i++;
		if (i == len)
			break;
		size_t n = mer_safe_length(s + i, len - i);
		if (!n)
			break;
		i += n;
	}
	return i;
}

size_t mer_safe_escape(struct mer_str *out, const char *s, size_t len)
{
	static const char named[] = "\nn\rr\tt";
	unsigned char byte = (unsigned char)s[0];
	size_t n = mer_utf8_length(s, len);
	for (const char *p = named; *p; p += 2)
		if (*p == s[0]) {
			mer_str_putc(out, '\\');
			mer_str_putc(out, p[1]);
			return 1;
		}
	if (n < 2) {
		mer_str_printf(out, "\\x%02x", byte);
		return 1;
	}
	uint32_t c = mer_code_point(s, n);
	mer_str_printf(out, c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
	return n;
}

void mer_safe_add(struct mer_str *out, const char *s, size_t len)
{
	while (len) {
		size_t n = mer_safe_span(s, len);
		if (n)
			mer_str_add(out, s, n);
		else
			n = mer_safe_escape(out, s, len);
		s += n;
		len -= n;
	}
}

void mer_ascii_add(struct mer_str *out, const char *s, size_t len)
{
	while (len) {
		size_t n = 0;
		while (n < len && (unsigned char)s[n] >= 0x20 && (unsigned char)s[n] < 0x7f)
			n++;
		if (n)
			mer_str_add(out, s, n);
		else
			n = mer_safe_escape(out, s, len);
		s += n;
		len -= n;
	}
}
