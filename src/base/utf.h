/* UTF-8: decoding characters, and conversion from UTF-16 and UTF-32. In conversions, invalid code
 * (a lone surrogate, a value beyond the last code point) becomes U+FFFD, and an incomplete unit at
 * the end is dropped. */
#ifndef MER_BASE_UTF_H
#define MER_BASE_UTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* unit_bytes: 2 or 4. out must have room for mer_utf8_room(len, unit_bytes); returns its length. */
size_t mer_utf8_from_wide(const uint8_t *s, size_t len, unsigned unit_bytes, bool be, char *out);

/* Bytes of the valid UTF-8 sequence at s (at most len); 0 when there is none. */
size_t mer_utf8_length(const char *s, size_t len);
/* The code point at s, which is one of n bytes (mer_utf8_length). */
uint32_t mer_code_point(const char *s, size_t n);

static inline size_t mer_utf8_room(size_t len, unsigned unit_bytes)
{
	return unit_bytes == 2 ? len / 2 * 3 : len;
}

#endif
