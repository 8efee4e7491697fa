#include "record/btf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAGIC = 0xeB9F,
	HEADER = 24,
	MOST_TYPES = 1 << 22,
	MOST_DEPTH = 8,
	MOST_MEMBERS = 1 << 20,
	/* Kinds of types. */
	INT = 1,
	ARRAY = 3,
	STRUCT = 4,
	UNION = 5,
	ENUM = 6,
	FUNC_PROTO = 13,
	VAR = 14,
	DATASEC = 15,
	DECL_TAG = 17,
	ENUM64 = 19,
	LAST_KIND = ENUM64
};

struct btf {
	const uint8_t *types, *strings;
	uint32_t n_type_bytes, n_string_bytes;
	uint32_t *at; /* offset of each type in `types`, from 1 on */
	uint32_t n;
	bool is_swapped;
	uint32_t
		n_left; /* members that may still be looked at: structures may contain themselves */
};

static uint32_t u32(const struct btf *b, const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return b->is_swapped ? __builtin_bswap32(v) : v;
}

static bool is_name(const struct btf *b, uint32_t at, const char *name)
{
	size_t n = strlen(name) + 1;
	return at < b->n_string_bytes && b->n_string_bytes - at >= n &&
	       memcmp(b->strings + at, name, n) == 0;
}

struct type {
	uint32_t name, kind, n; /* n: members, values, parameters */
	bool has_bits;		/* members have sizes of bit fields */
	const uint8_t *rest;
};

static struct type type_at(const struct btf *b, uint32_t at)
{
	uint32_t info = u32(b, b->types + at + 4);
	return (struct type){ u32(b, b->types + at), info >> 24 & 31, info & 0xffff, info >> 31,
		b->types + at + 12 };
}

/* Bytes of a type after the first twelve; -1: unknown kind. */
static int64_t rest_of(const struct type *t)
{
	switch (t->kind) {
	case INT:
	case VAR:
	case DECL_TAG: return 4;
	case ARRAY: return 12;
	case STRUCT:
	case UNION:
	case DATASEC:
	case ENUM64: return 12 * (int64_t)t->n;
	case ENUM:
	case FUNC_PROTO: return 8 * (int64_t)t->n;
	default: return t->kind && t->kind <= LAST_KIND ? 0 : -1;
	}
}

/* Where each type begins; false: damaged. */
static bool index_types(struct btf *b)
{
	uint32_t cap = b->n_type_bytes / 12 + 2;
	if (cap > MOST_TYPES)
		return false;
	b->at = calloc(cap, sizeof(*b->at));
	b->n = 1;
	for (uint32_t at = 0; b->at && at < b->n_type_bytes;) {
		if (b->n_type_bytes - at < 12)
			return false;
		struct type t = type_at(b, at);
		int64_t rest = rest_of(&t);
		if (rest < 0 || rest > b->n_type_bytes - at - 12)
			return false;
		b->at[b->n++] = at;
		at += 12 + (uint32_t)rest;
	}
	return b->at != NULL;
}

/* Offset of a member in bits, also inside of anonymous members; -1: not there. */
static int64_t find_member(struct btf *b, uint32_t id, const char *name, unsigned depth)
{
	if (id == 0 || id >= b->n || depth == MOST_DEPTH)
		return -1;
	struct type t = type_at(b, b->at[id]);
	for (uint32_t i = 0; (t.kind == STRUCT || t.kind == UNION) && i < t.n; i++) {
		if (b->n_left == 0)
			return -1;
		b->n_left--;
		const uint8_t *m = t.rest + 12 * (size_t)i;
		uint32_t offset = u32(b, m + 8), called = u32(b, m);
		if (t.has_bits && offset >> 24)
			continue; /* a bit field */
		if (is_name(b, called, name))
			return offset;
		int64_t below = called == 0 ? find_member(b, u32(b, m + 4), name, depth + 1) : -1;
		if (below >= 0)
			return offset + below;
	}
	return -1;
}

static int64_t find(struct btf *b, const char *structure, const char *member)
{
	for (uint32_t id = 1; id < b->n; id++) {
		struct type t = type_at(b, b->at[id]);
		/* Several structures may have the name: the first one with the member counts. */
		int64_t bits = t.kind == STRUCT && is_name(b, t.name, structure)
				       ? find_member(b, id, member, 0)
				       : -1;
		if (bits >= 0)
			return bits % 8 ? -1 : bits / 8;
	}
	return -1;
}

int64_t record_btf_offset(
	const uint8_t *data, size_t len, const char *structure, const char *member)
{
	struct btf b = { .n_left = MOST_MEMBERS };
	uint16_t magic;
	if (len < HEADER)
		return -1;
	memcpy(&magic, data, sizeof(magic));
	b.is_swapped = magic == __builtin_bswap16(MAGIC);
	uint32_t header = u32(&b, data + 4), type_at = u32(&b, data + 8);
	uint32_t string_at = u32(&b, data + 16);
	b.n_type_bytes = u32(&b, data + 12);
	b.n_string_bytes = u32(&b, data + 20);
	if ((magic != MAGIC && !b.is_swapped) || header < HEADER || header > len)
		return -1;
	uint64_t room = len - header;
	if ((uint64_t)type_at + b.n_type_bytes > room ||
		(uint64_t)string_at + b.n_string_bytes > room)
		return -1;
	b.types = data + header + type_at;
	b.strings = data + header + string_at;
	int64_t offset = index_types(&b) ? find(&b, structure, member) : -1;
	free(b.at);
	return offset;
}
