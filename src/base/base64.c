#include "base/base64.h"

#include <stdint.h>

void mer_base64_put(struct mer_str *out, const unsigned char *s, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t v = (uint32_t)s[i] << 16 | (n > 1 ? (uint32_t)s[i + 1] << 8 : 0) |
			     (n > 2 ? s[i + 2] : 0);
		for (size_t k = 0; k < 4; k++)
			mer_str_putc(out, k <= n ? digits[v >> (18 - 6 * k) & 63] : '=');
	}
}
