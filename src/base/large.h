/* Large blocks in large pages. An analysis of ten million events keeps hundreds of megabytes; the
 * first touch of each page of 4 KiB is a fault, and walks through that many pages miss the
 * processor's table of addresses. Pages of 2 MiB take one fault instead of 512, and blocks grow
 * without being copied. Kernels that have no such pages, or are told not to use them, do as
 * before. */
#ifndef MER_BASE_LARGE_H
#define MER_BASE_LARGE_H

#include <stddef.h>

/* Smaller blocks are malloc's: what a last, partly used page wastes should not count. */
enum { MER_LARGE_BYTES = 4 << 20 };

/* A block of zeroes, aligned to a large page; NULL: no memory. */
void *mer_large_alloc(size_t bytes);

/* The same block with room for more, perhaps at another place; what is new is zero. NULL: no
 * memory, it is as it was. */
void *mer_large_grow(void *block, size_t before, size_t bytes);

void mer_large_free(void *block, size_t bytes);

#endif
