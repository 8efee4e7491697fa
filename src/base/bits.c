#include "base/bits.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the loads assume a little endian host");

/* Goes byte by byte: n bits of the field lie in the current byte, from its bit `in` on. */
uint64_t mer_bits_get(const uint8_t *base, uint64_t bit, unsigned len, bool be)
{
	const uint8_t *p = base + (bit >> 3);
	unsigned in = bit & 7, got = 0;
	uint64_t v = 0;
	for (; got < len; p++, in = 0) {
		unsigned n = 8 - in < len - got ? 8 - in : len - got;
		uint64_t part = be ? (*p >> (8 - in - n)) : (*p >> in);
		part &= (1u << n) - 1;
		v = be ? v << n | part : v | part << got;
		got += n;
	}
	return v;
}

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
