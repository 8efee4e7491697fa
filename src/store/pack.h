/* Pack: columns of whole numbers in few bits.
 *
 * A column is up to STORE_PACK_MAX values of 64 bits. It is written in groups of 64: the smallest
 * value, how many bits the others are above it, and these bits; the few that need more than most
 * have the rest of their bits apart, so that one long wait does not make 63 short ones long.
 * Reading costs about a nanosecond a value. FORMAT.md has the bytes.
 *
 * What is read may be damaged: nothing outside of the given bytes is read but STORE_SLACK bytes
 * behind them, which must be there. */
#ifndef MER_STORE_PACK_H
#define MER_STORE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

enum { STORE_PACK_MAX = 4096, STORE_SLACK = 8, STORE_VARINT_BYTES = 10 };

enum store_packing {
	STORE_PLAIN,
	STORE_DELTA, /* differences between neighbours: times, numbers that rise */
	STORE_DICT,  /* few different values: their list, and numbers in it; else plain */
	STORE_SAME   /* all are one: chosen by store_pack itself */
};

struct store_in { /* bytes that are read */
	const uint8_t *at, *end;
};

/* n <= STORE_PACK_MAX. Failure to get memory: out->failed. */
void store_pack(struct mer_str *out, enum store_packing packing, const uint64_t *v, size_t n);
/* False: the bytes are no such column; v is then undefined. */
bool store_unpack(struct store_in *in, uint64_t *v, size_t n);

/* 7 bits a byte, the lowest first. */
void store_put_varint(struct mer_str *out, uint64_t v);
size_t store_set_varint(uint8_t *to, uint64_t v); /* at most STORE_VARINT_BYTES; how many */
bool store_get_varint(struct store_in *in, uint64_t *v);

/* A column of n <= STORE_PACK_MAX values, by an expression or statement of i; v, out and in, ok as
 * they are named. */
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
/* A number as its distance from another one; STORE_NOWHERE (KERNEL_NONE) is none. */
#define STORE_NOWHERE UINT32_MAX
static inline uint64_t store_distance(uint32_t from, uint32_t to)
{
	return to == STORE_NOWHERE ? 0 : store_zigzag((int64_t)from - to) + 1;
}
/* STORE_NOWHERE - 1 for what cannot be. */
static inline uint32_t store_at_distance(uint32_t from, uint64_t v)
{
	int64_t to = v ? (int64_t)((uint64_t)from - (uint64_t)store_unzigzag(v - 1))
		       : (int64_t)STORE_NOWHERE;
	return to < 0 || to > (int64_t)STORE_NOWHERE ? STORE_NOWHERE - 1 : (uint32_t)to;
}

#endif
