/* Spill: memory for data that grows with the traces and may exceed the memory limit.
 *
 * Blocks are ordinary memory until they exceed a limit in total. Later blocks lie in one unnamed
 * mapped file: the kernel writes its pages out and reclaims them as needed, and the file is gone
 * when the process ends, however it ends. A pointer into a block stays valid until the block is
 * freed or grows; users need not know where a block lies.
 *
 * The file's space is reserved before it is used, so that a full disk is detected here and not when
 * a page is written (which would be fatal). If the file cannot be created or extended, blocks are
 * ordinary memory beyond the limit, and mer_spill_problem says why.
 *
 * A NULL spill has no limit: all blocks are memory. Several threads may call these functions for
 * different blocks. */
#ifndef MER_BASE_SPILL_H
#define MER_BASE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mer_spill;

struct mer_spill_options {
	/* bytes of all blocks together; 0: everything goes to the file (for tests) */
	size_t in_memory;
	/* Where the file may be, the best one first; made if missing (the last two folders of the
	 * path). One whose files are in memory (tmpfs) is not used. Copied. */
	const char *const *folders;
	size_t n_folders;
};

struct mer_spill *mer_spill_new(const struct mer_spill_options *o); /* NULL: no memory */
/* Call after all its blocks are released. NULL is allowed. */
void mer_spill_free(struct mer_spill *);

/* Zeroed. NULL: no memory. */
void *mer_spill_alloc(struct mer_spill *, size_t bytes);
void *mer_spill_array(struct mer_spill *, size_t n, size_t bytes_each);
/* NULL is fine. */
void mer_spill_release(void *block);

/* As mer_grow and mer_grow32 (base/grow.h), for an array that is a block. */
bool mer_spill_grow_more(struct mer_spill *, void *array, size_t n, size_t *cap, size_t bytes_each);
bool mer_spill_grow32_more(
	struct mer_spill *, void *array, uint32_t n, uint32_t *cap, size_t bytes_each);
static inline bool mer_spill_grow(
	struct mer_spill *s, void *array, size_t n, size_t *cap, size_t bytes_each)
{
	return n < *cap || mer_spill_grow_more(s, array, n, cap, bytes_each);
}
static inline bool mer_spill_grow32(
	struct mer_spill *s, void *array, uint32_t n, uint32_t *cap, size_t bytes_each)
{
	return n < *cap || mer_spill_grow32_more(s, array, n, cap, bytes_each);
}

/* As mer_grow_at: address of element i of an array that is a block; new elements are zero. */
void *mer_spill_grow_at(struct mer_spill *, void *array, size_t *cap, size_t i, size_t bytes_each);

/* Does the block lie in the file? */
bool mer_spill_is_file(const void *block);
/* As memcpy to `to`, which is in the block. For a block in the file this is a write, which takes a
 * third of the time of touching new pages through the mapping. */
void mer_spill_copy(void *block, void *to, const void *from, size_t bytes);

struct mer_spill_use {
	uint64_t in_memory, in_file, most_in_file; /* bytes */
	uint64_t most_beyond; /* most bytes kept in memory beyond the limit, for want of a file */
	const char *folder;   /* folder of the file; NULL: no file was needed */
};
struct mer_spill_use mer_spill_use(struct mer_spill *);
/* Why blocks beyond the limit are in memory: a sentence without its full stop; NULL: none is. */
const char *mer_spill_problem(struct mer_spill *);

#endif
