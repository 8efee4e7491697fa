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
