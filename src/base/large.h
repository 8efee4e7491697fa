/* Large blocks in large pages. An analysis of ten million events keeps hundreds of megabytes; the
 * first touch of each 4 KiB page is a page fault, and walks over that many pages miss the TLB.
 * Pages of 2 MiB take one fault instead of 512, and blocks grow without being copied. Kernels
 * without huge pages, or with them disabled, use small pages. */
#ifndef MER_BASE_LARGE_H
#define MER_BASE_LARGE_H

#include <stddef.h>

/* Smaller blocks use malloc, so that the unused part of the last page does not matter. */
enum { MER_LARGE_BYTES = 4 << 20 };

/* A block of zeroes, aligned to a large page; NULL: no memory. */
void *mer_large_alloc(size_t bytes);

/* Grows the block, which may move; new bytes are zero. NULL: no memory, and the block is
 * unchanged. */
void *mer_large_grow(void *block, size_t before, size_t bytes);

void mer_large_free(void *block, size_t bytes);

#endif
