/* Pack: compressed columns of integers.
 *
 * A column is up to STORE_PACK_MAX values of 64 bits. It is written in groups of 64: the smallest
 * value, a bit width, and each value's difference from the smallest in that many bits. The high
 * bits of the few values that need more are stored separately, so that one long wait does not widen
 * 63 short ones. Reading costs about a nanosecond a value. FORMAT.md has the bytes.
 *
 * Input may be damaged: reads stay within the given bytes and STORE_SLACK bytes after them, which
 * must be readable. */
#ifndef MER_STORE_PACK_H
#define MER_STORE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

enum { STORE_PACK_MAX = 4096, STORE_SLACK = 8, STORE_VARINT_BYTES = 10 };

enum store_packing {
	STORE_PLAIN,
	STORE_DELTA, /* differences between neighbours: for times and rising numbers */
	STORE_DICT,  /* few distinct values: a list of them, and indexes into it; else plain */
	STORE_SAME   /* all values are equal: chosen by store_pack itself */
};

struct store_in { /* bytes that are read */
	const uint8_t *at, *end;
};

/* n <= STORE_PACK_MAX. Failure to get memory: out->failed. */
void store_pack(struct mer_str *out, enum store_packing packing, const uint64_t *v, size_t n);
/* False: the bytes are no valid column; v is then undefined. */
bool store_unpack(struct store_in *in, uint64_t *v, size_t n);

/* 7 bits a byte, the lowest first. */
void store_put_varint(struct mer_str *out, uint64_t v);
/* returns the number of bytes, at most STORE_VARINT_BYTES */
size_t store_set_varint(uint8_t *to, uint64_t v);
bool store_get_varint(struct store_in *in, uint64_t *v);

/* Writes or reads a column of n <= STORE_PACK_MAX values, with an expression or statement of i.
 * They use the caller's variables v, out, in and ok. */
#define STORE_PUT(packing_, value_)                                                                \
	do {                                                                                       \
		for (size_t i = 0; i < n; i++)                                                     \
			v[i] = (value_);                                                           \
		store_pack(out, packing_, v, n);                                                   \
	} while (0)
#define STORE_GET(statement_)                                                                      \
	do {                                                                                       \
		ok = ok && store_unpack(in, v, n);                                                 \
		for (size_t i = 0; ok && i < n; i++) {                                             \
			statement_;                                                                \
		}                                                                                  \
	} while (0)

static inline uint64_t store_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}
static inline int64_t store_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}
/* A number stored as its distance from another one; STORE_NOWHERE (KERNEL_NONE) means none. */
#define STORE_NOWHERE UINT32_MAX
static inline uint64_t store_distance(uint32_t from, uint32_t to)
{
	return to == STORE_NOWHERE ? 0 : store_zigzag((int64_t)from - to) + 1;
}
/* Returns STORE_NOWHERE - 1 for an impossible distance. */
static inline uint32_t store_at_distance(uint32_t from, uint64_t v)
{
	int64_t to = v ? (int64_t)((uint64_t)from - (uint64_t)store_unzigzag(v - 1))
		       : (int64_t)STORE_NOWHERE;
	return to < 0 || to > (int64_t)STORE_NOWHERE ? STORE_NOWHERE - 1 : (uint32_t)to;
}

#endif
