/* Bits: fields of 1 to 64 bits at any bit offset, in both byte orders; and plain loads and stores.
 *
 * Little endian: bit 0 of a byte sequence is the least significant bit of byte 0, and a field's
 * first bit is its least significant. Big endian: bit 0 is the most significant bit of byte 0, and
 * a field's first bit is its most significant. Hence the struct a:4=0xE b:32=0xA1B2C3D4 c:4=0xF is
 * EA 1B 2C 3D 4F (big) and 4E 3D 2C 1B FA (little). Source: CTF 1.8, section 4.1.5. Callers have
 * checked that the bits lie inside their buffer; no byte outside of the field is read or written.*/
#ifndef MER_BASE_BITS_H
#define MER_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t mer_load_u16(const void *p, bool be)
{
	uint16_t v;
	memcpy(&v, p, 2);
	return be ? __builtin_bswap16(v) : v;
}

static inline uint32_t mer_load_u32(const void *p, bool be)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return be ? __builtin_bswap32(v) : v;
}

static inline uint64_t mer_load_u64(const void *p, bool be)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return be ? __builtin_bswap64(v) : v;
}

/* The len (1..64) lowest bits of v, sign extended. */
static inline uint64_t mer_sign_extend(uint64_t v, unsigned len)
{
	unsigned shift = 64 - len;
	return (uint64_t)((int64_t)(v << shift) >> shift);
}

/* The len (1..64) lowest bits of v in reverse order. */
static inline uint64_t mer_bits_reverse(uint64_t v, unsigned len)
{
	uint64_t r = 0;
	for (unsigned i = 0; i < len; i++)
		r |= (v >> i & 1) << (len - 1 - i);
	return r;
}

uint64_t mer_bits_get(const uint8_t *base, uint64_t bit, unsigned len, bool be);
void mer_bits_put(uint8_t *base, uint64_t bit, unsigned len, bool be, uint64_t value);

#endif
