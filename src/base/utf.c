#include "base/utf.h"

#include "base/bits.h"

static char *put(char *p, uint32_t c)
{
	if (c < 0x80) {
		*p++ = (char)c;
		return p;
	}
	if (c < 0x800) {
		*p++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*p++ = (char)(0xe0 | c >> 12);
		} else {
			*p++ = (char)(0xf0 | c >> 18);
			*p++ = (char)(0x80 | (c >> 12 & 63));
		}
		*p++ = (char)(0x80 | (c >> 6 & 63));
	}
	*p++ = (char)(0x80 | (c & 63));
	return p;
}

size_t mer_utf8_from_wide(const uint8_t *s, size_t len, unsigned unit_bytes, bool be, char *out)
{
	char *p = out;
	for (size_t i = 0; len - i >= unit_bytes; i += unit_bytes) {
		uint32_t c = unit_bytes == 2 ? mer_load_u16(s + i, be) : mer_load_u32(s + i, be);
		if (unit_bytes == 2 && c >= 0xd800 && c < 0xdc00 && len - i >= 4) {
			uint32_t low = mer_load_u16(s + i + 2, be);
			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
			c = 0xfffd;
		p = put(p, c);
	}
	return (size_t)(p - out);
}

size_t mer_utf8_length(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t n;
	if (len == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (len < n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Too long a form, a surrogate, beyond the last code point. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
		(p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

uint32_t mer_code_point(const char *s, size_t n)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = (unsigned char)s[0] & first[n];
	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	return c;
}
