/* Bytes: a part of a file, read in order and in the file's byte order. Reading beyond its end
 * gives zeros and sets `ended`, so that a caller can check once, after several values. */
#ifndef MER_FTRACE_BYTES_H
#define MER_FTRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ftrace_bytes {
	const uint8_t *at, *end;
	bool is_be;
	bool ended; /* a read went beyond the end */
};

static inline struct ftrace_bytes ftrace_bytes(const uint8_t *data, size_t size, bool is_be)
{
	return (struct ftrace_bytes){ .at = data, .end = data + size, .is_be = is_be };
}

static inline size_t ftrace_left(const struct ftrace_bytes *b)
{
	return (size_t)(b->end - b->at);
}

static inline uint16_t ftrace_load16(const uint8_t *p, bool is_be)
{
	uint16_t v;
	memcpy(&v, p, sizeof(v));
	return is_be ? __builtin_bswap16(v) : v;
}

static inline uint32_t ftrace_load32(const uint8_t *p, bool is_be)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return is_be ? __builtin_bswap32(v) : v;
}

static inline uint64_t ftrace_load64(const uint8_t *p, bool is_be)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return is_be ? __builtin_bswap64(v) : v;
}

/* Are there n more bytes? If not, all is taken. */
static inline bool ftrace_has(struct ftrace_bytes *b, uint64_t n)
{
	if (n <= ftrace_left(b))
		return true;
	b->ended = true;
	b->at = b->end;
	return false;
}

/* The next n bytes; NULL: there are fewer. */
static inline const uint8_t *ftrace_take(struct ftrace_bytes *b, uint64_t n)
{
	if (!ftrace_has(b, n))
		return NULL;
	b->at += n;
	return b->at - n;
}

static inline uint16_t ftrace_u16(struct ftrace_bytes *b)
{
	if (!ftrace_has(b, 2))
		return 0;
	b->at += 2;
	return ftrace_load16(b->at - 2, b->is_be);
}

static inline uint32_t ftrace_u32(struct ftrace_bytes *b)
{
	if (!ftrace_has(b, 4))
		return 0;
	b->at += 4;
	return ftrace_load32(b->at - 4, b->is_be);
}

static inline uint64_t ftrace_u64(struct ftrace_bytes *b)
{
	if (!ftrace_has(b, 8))
		return 0;
	b->at += 8;
	return ftrace_load64(b->at - 8, b->is_be);
}

/* A NUL-terminated text, and takes it with its NUL; NULL: there is no NUL. */
static inline const char *ftrace_text(struct ftrace_bytes *b)
{
	const uint8_t *nul = memchr(b->at, 0, ftrace_left(b));
	return (const char *)ftrace_take(b, nul ? (uint64_t)(nul - b->at) + 1 : UINT64_MAX);
}

/* The bytes from an offset on; beyond their end: no bytes, and `ended`. */
static inline struct ftrace_bytes ftrace_from(
	const uint8_t *data, size_t size, uint64_t offset, bool is_be)
{
	struct ftrace_bytes b = ftrace_bytes(data, size, is_be);
	ftrace_take(&b, offset);
	return b;
}

#endif
