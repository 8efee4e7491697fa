/* Arena: memory that is freed all at once.
 *
 * Allocations are cut from chunks in order; nothing is freed individually. The owner of the arena
 * decides how long everything in it lives (a trace, a run, a batch). Once an allocation fails, all
 * later ones return NULL, too (failed stays set), so a long build-up may check for failure once at
 * its end if it checks each pointer before it is dereferenced. Not thread safe. */
#ifndef MER_BASE_ARENA_H
#define MER_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct mer_arena_chunk;
struct mer_arena {
	struct mer_arena_chunk *chunk; /* newest first */
	size_t used_bytes;	       /* of the newest chunk */
	size_t total_bytes;	       /* of all chunks, for limits and reports */
	bool failed;
};

void mer_arena_init(struct mer_arena *a);
void mer_arena_fini(struct mer_arena *a);
/* Keeps one chunk for reuse, frees all others. */
void mer_arena_reset(struct mer_arena *a);

/* 16-byte aligned, not cleared. */
void *mer_arena_alloc(struct mer_arena *a, size_t bytes);
/* n zeroed elements; checks the product for overflow. */
void *mer_arena_zalloc(struct mer_arena *a, size_t n, size_t bytes_each);
char *mer_arena_strndup(struct mer_arena *a, const char *s, size_t len);
char *mer_arena_strdup(struct mer_arena *a, const char *s);
char *mer_arena_printf(struct mer_arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
