/* Growing arrays: malloc'ed, grown by doubling, so that adding n elements one by one copies fewer
 * than 2 n. */
#ifndef MER_BASE_GROW_H
#define MER_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next capacity after cap with room for more than n elements, at most `most`; 0: not
 * possible. */
size_t mer_grow_next(size_t n, size_t cap, size_t bytes_each, size_t most);

/* Makes room for more than n elements; new ones are not initialized. array: address of a pointer to
 * elements of bytes_each bytes, NULL at first; *cap: its capacity. False: no memory, or the size
 * overflows; array and *cap are unchanged. */
bool mer_grow_more(void *array, size_t n, size_t *cap, size_t bytes_each);
static inline bool mer_grow(void *array, size_t n, size_t *cap, size_t bytes_each)
{
	return n < *cap || mer_grow_more(array, n, cap, bytes_each);
}
/* The same where numbers are 32 bits: never more than UINT32_MAX - 1 elements, so that one number
 * is free for "none". */
#define MER_GROW32_MOST (UINT32_MAX - 1)
bool mer_grow32_more(void *array, uint32_t n, uint32_t *cap, size_t bytes_each);
static inline bool mer_grow32(void *array, uint32_t n, uint32_t *cap, size_t bytes_each)
{
	return n < *cap || mer_grow32_more(array, n, cap, bytes_each);
}

/* Returns element i, growing the array if needed; new elements are zero. NULL: no memory. An array
 * must be grown either always with this function or never. */
void *mer_grow_at_more(void *array, size_t *cap, size_t i, size_t bytes_each);
static inline void *mer_grow_at(void *array, size_t *cap, size_t i, size_t bytes_each)
{
	char *elements;
	if (i >= *cap)
		return mer_grow_at_more(array, cap, i, bytes_each);
	__builtin_memcpy(&elements, array, sizeof(elements));
	return elements + i * bytes_each;
}

#endif
