#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK_BYTES = 4096, MAX_CHUNK_BYTES = 1 << 20, ALIGN_BYTES = 16 };

struct mer_arena_chunk {
	struct mer_arena_chunk *next;
	size_t bytes; /* of data */
	_Alignas(ALIGN_BYTES) unsigned char data[];
};

void mer_arena_init(struct mer_arena *a)
{
	*a = (struct mer_arena){ 0 };
}

void mer_arena_fini(struct mer_arena *a)
{
	while (a->chunk) {
		struct mer_arena_chunk *c = a->chunk;
		a->chunk = c->next;
		free(c);
	}
	mer_arena_init(a);
}

void mer_arena_reset(struct mer_arena *a)
{
	struct mer_arena_chunk *keep = a->chunk;
	if (!keep)
		return;
	a->chunk = keep->next;
	mer_arena_fini(a);
	keep->next = NULL;
	a->chunk = keep;
	a->total_bytes = keep->bytes;
}

static bool add_chunk(struct mer_arena *a, size_t need)
{
	size_t bytes = a->chunk ? a->chunk->bytes * 2 : FIRST_CHUNK_BYTES;
	if (bytes > MAX_CHUNK_BYTES)
		bytes = MAX_CHUNK_BYTES;
	if (bytes < need)
		bytes = need;
	struct mer_arena_chunk *c = malloc(sizeof(*c) + bytes);
	if (!c)
		return false;
	c->next = a->chunk;
	c->bytes = bytes;
	a->chunk = c;
	a->used_bytes = 0;
	a->total_bytes += bytes;
	return true;
}

void *mer_arena_alloc(struct mer_arena *a, size_t bytes)
{
	if (a->failed || bytes > SIZE_MAX / 2)
		goto fail;
	bytes = (bytes + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
	if ((!a->chunk || a->chunk->bytes - a->used_bytes < bytes) && !add_chunk(a, bytes))
		goto fail;
	void *p = a->chunk->data + a->used_bytes;
	a->used_bytes += bytes;
	return p;
fail:
	a->failed = true;
	return NULL;
}

void *mer_arena_zalloc(struct mer_arena *a, size_t n, size_t bytes_each)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, bytes_each, &bytes)) {
		a->failed = true;
		return NULL;
	}
	void *p = mer_arena_alloc(a, bytes);
	return p ? memset(p, 0, bytes) : NULL;
}

char *mer_arena_strndup(struct mer_arena *a, const char *s, size_t len)
{
	char *p = mer_arena_alloc(a, len + 1);
	if (!p)
		return NULL;
	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *mer_arena_strdup(struct mer_arena *a, const char *s)
{
	return mer_arena_strndup(a, s, strlen(s));
}

char *mer_arena_printf(struct mer_arena *a, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *p = n < 0 ? NULL : mer_arena_alloc(a, (size_t)n + 1);
	if (p)
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}
