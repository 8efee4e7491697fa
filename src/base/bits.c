#include "base/bits.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the loads assume a little endian host");

/* The n (1..8) bytes at p, the first one lowest. Loads overlap rather than reach beyond. */
static inline uint64_t load_bytes(const uint8_t *p, unsigned n)
{
	if (n == 8)
		return mer_load_u64(p, false);
	if (n >= 4)
		return mer_load_u32(p, false) | (uint64_t)mer_load_u32(p + n - 4, false)
							<< (n * 8 - 32);
	if (n >= 2)
		return mer_load_u16(p, false) | (uint64_t)mer_load_u16(p + n - 2, false)
							<< (n * 8 - 16);
	return *p;
}

/* All bytes of the field at once; a ninth one is there when it begins late in its first byte. */
uint64_t mer_bits_get(const uint8_t *base, uint64_t bit, unsigned len, bool be)
{
	const uint8_t *p = base + (bit >> 3);
	unsigned in = bit & 7, n = (in + len + 7) / 8;
	uint64_t v = load_bytes(p, n < 9 ? n : 8), mask = UINT64_MAX >> (64 - len);
	if (!be) {
		v >>= in;
		if (n == 9)
			v |= (uint64_t)p[8] << (64 - in);
		return v & mask;
	}
	if (n == 9)
		v = __builtin_bswap64(v) << (in + len - 64) | p[8] >> (72 - in - len);
	else
		v = __builtin_bswap64(v) >> (64 - in - len);
	return v & mask;
}

/* Goes byte by byte: n bits of the field lie in the current byte, from its bit `in` on. */
void mer_bits_put(uint8_t *base, uint64_t bit, unsigned len, bool be, uint64_t value)
{
	uint8_t *p = base + (bit >> 3);
	unsigned in = bit & 7, put = 0;
	for (; put < len; p++, in = 0) {
		unsigned n = 8 - in < len - put ? 8 - in : len - put;
		unsigned shift = be ? 8 - in - n : in;
		uint8_t mask = (uint8_t)(((1u << n) - 1) << shift);
		uint64_t part = be ? value >> (len - put - n) : value >> put;
		*p = (uint8_t)((*p & ~mask) | ((part << shift) & mask));
		put += n;
	}
}
