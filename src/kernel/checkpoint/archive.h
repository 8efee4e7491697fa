/* Archive: one function for each struct writes it, reads it back, and finds what it refers to.
 *
 * Numbers are variable-length (7 bits a byte, the lowest first; signed ones zigzag), so that most
 * take a byte or two. Nothing that is read is trusted: bytes that end too early, or a number that
 * is out of range, set `failed`, and from then on everything reads as zero.
 *
 * References to spans, requests and packets are local to an archive: only those that something
 * refers to are in it, renumbered in their order. Therefore a struct is visited twice when it is
 * written: with ARCHIVE_MARK, which collects the numbers, and with ARCHIVE_WRITE. */
#ifndef MER_KERNEL_CHECKPOINT_ARCHIVE_H
#define MER_KERNEL_CHECKPOINT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

enum archive_mode { ARCHIVE_MARK, ARCHIVE_WRITE, ARCHIVE_READ };

enum archive_ref { /* what a number is of */
	ARCHIVE_SPAN,
	ARCHIVE_REQUEST,
	ARCHIVE_PACKET,
	ARCHIVE_N_LOCAL,
	ARCHIVE_TASK = ARCHIVE_N_LOCAL, /* those below keep their numbers */
	ARCHIVE_NAME,
	ARCHIVE_RENAME,
	ARCHIVE_CALL,
	ARCHIVE_N_REFS
};

struct archive {
	enum archive_mode mode;
	bool failed;
	uint8_t *bytes; /* ARCHIVE_WRITE: malloc'ed */
	size_t n, cap;
	const uint8_t *at, *end; /* ARCHIVE_READ */
	/* Of local numbers: those that are referred to, in order once sorted. */
	struct archive_set {
		uint32_t *item; /* malloc'ed */
		uint32_t n, cap;
		struct mer_map seen;
	} sets[ARCHIVE_N_LOCAL];
	/* ARCHIVE_READ: numbers are below; local ones become numbers of the reader by a table, or
	 * by adding. */
	uint32_t limits[ARCHIVE_N_REFS];
	const uint32_t *tables[ARCHIVE_N_LOCAL]; /* borrowed; NULL: none */
	uint32_t bases[ARCHIVE_N_LOCAL];
};

void archive_fini(struct archive *a); /* what is malloc'ed */
/* For reading; the bytes must outlive it. */
void archive_open(struct archive *a, const uint8_t *bytes, size_t n);

void archive_put_more(struct archive *a, uint64_t v); /* where there is no room yet */
/* Counts are in registers meanwhile: bytes may be anything's, also theirs. */
static inline void archive_put(struct archive *a, uint64_t v)
{
	enum { MOST = 10 };
	size_t n = a->n;
	uint8_t *bytes = a->bytes;
	if (a->cap < n + MOST) {
		archive_put_more(a, v);
		return;
	}
	for (; v >= 128; v >>= 7)
		bytes[n++] = (uint8_t)(v | 128);
	bytes[n++] = (uint8_t)v;
	a->n = n;
}
/* Several at once, where there are many: n <= ARCHIVE_AT_ONCE. */
enum { ARCHIVE_AT_ONCE = 16 };
void archive_put_all(struct archive *a, const uint64_t *v, size_t n);
uint64_t archive_get(struct archive *a);
static inline void archive_u64(struct archive *a, uint64_t *v)
{
	if (a->mode == ARCHIVE_WRITE)
		archive_put(a, *v);
	else if (a->mode == ARCHIVE_READ)
		*v = archive_get(a);
}
static inline void archive_i64(struct archive *a, int64_t *v)
{
	if (a->mode == ARCHIVE_WRITE)
		archive_put(a, (uint64_t)*v << 1 ^ (uint64_t)(*v >> 63));
	if (a->mode != ARCHIVE_READ)
		return;
	uint64_t u = archive_get(a);
	*v = (int64_t)(u >> 1 ^ (0 - (u & 1)));
}
/* What is read, 0 where it is refused. */
uint64_t archive_get_limited(struct archive *a, uint64_t most);
/* What is written stays as it is, also where it is refused. */
static inline void archive_put_limited(struct archive *a, uint64_t v, uint64_t most)
{
	if (a->mode == ARCHIVE_WRITE)
		archive_put(a, v);
	a->failed |= v > most;
}
static inline void archive_u32(struct archive *a, uint32_t *v)
{
	if (a->mode == ARCHIVE_READ)
		*v = (uint32_t)archive_get_limited(a, UINT32_MAX);
	else
		archive_put_limited(a, *v, UINT32_MAX);
}
void archive_i32(struct archive *a, int32_t *v);
static inline void archive_u16(struct archive *a, uint16_t *v)
{
	if (a->mode == ARCHIVE_READ)
		*v = (uint16_t)archive_get_limited(a, UINT16_MAX);
	else
		archive_put_limited(a, *v, UINT16_MAX);
}
/* below limit; 0: any */
static inline void archive_u8(struct archive *a, uint8_t *v, uint8_t limit)
{
	uint64_t most = limit ? limit - 1u : UINT8_MAX;
	if (a->mode == ARCHIVE_READ)
		*v = (uint8_t)archive_get_limited(a, most);
	else
		archive_put_limited(a, *v, most);
}
void archive_bool(struct archive *a, bool *v);
/* A time: near to another one. INT64_MIN and INT64_MAX take one byte. */
enum archive_time_code { ARCHIVE_NEVER, ARCHIVE_ALWAYS, ARCHIVE_NEAR };
static inline uint64_t archive_time_code(struct archive *a, int64_t v, int64_t near)
{
	int64_t far = (int64_t)((uint64_t)v - (uint64_t)near);
	uint64_t u = (uint64_t)far << 1 ^ (uint64_t)(far >> 63);
	if (v == INT64_MIN)
		return ARCHIVE_NEVER;
	a->failed |= v != INT64_MAX && u > UINT64_MAX - ARCHIVE_NEAR;
	return v == INT64_MAX ? ARCHIVE_ALWAYS : u + ARCHIVE_NEAR;
}
static inline void archive_time(struct archive *a, int64_t *v, int64_t near)
{
	uint64_t code = a->mode == ARCHIVE_WRITE ? archive_time_code(a, *v, near) : ARCHIVE_NEVER;
	archive_u64(a, &code);
	if (a->mode != ARCHIVE_READ)
		return;
	uint64_t u = code - ARCHIVE_NEAR;
	*v = code == ARCHIVE_NEVER    ? INT64_MIN
	     : code == ARCHIVE_ALWAYS ? INT64_MAX
				      : (int64_t)((uint64_t)near + (u >> 1 ^ (0 - (u & 1))));
}
/* KERNEL_NONE stays what it is. */
void archive_ref(struct archive *a, enum archive_ref ref, uint32_t *v);
/* How many of something follow, each of at least this many bytes: what is read is no more than
 * there can be. */
void archive_count(struct archive *a, uint32_t *n, size_t bytes_each);
/* Reads: the next n bytes, NULL: there are not as many. Writes: copies them. */
const uint8_t *archive_data(struct archive *a, const void *bytes, size_t n);

/* ARCHIVE_MARK: puts all numbers that were found in order. False: no memory. */
void archive_sort(struct archive *a);
/* The local number; KERNEL_NONE: it was not marked. */
uint32_t archive_local(const struct archive *a, enum archive_ref ref, uint32_t number);

#endif
