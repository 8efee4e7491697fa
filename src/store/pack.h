/* Pack: columns of whole numbers in few bits.
 *
 * A column is up to STORE_PACK_MAX values of 64 bits. It is written in groups of 64: the smallest value, how
 * many bits the others are above it, and these bits; the few that need more than most have the rest of
 * their bits apart, so that one long wait does not make 63 short ones long. Reading costs about a nanosecond
 * a value. FORMAT.md has the bytes.
 *
 * What is read may be damaged: nothing outside of the given bytes is read but STORE_SLACK bytes behind them,
 * which must be there. */
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

static inline uint64_t store_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}
static inline int64_t store_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

#endif
