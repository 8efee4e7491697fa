#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

/* At first about a KiB: most arrays never grow again. */
enum { FIRST_BYTES = 1024, FIRST_LEAST = 4, FIRST_MOST = 64 };

static size_t first_cap(size_t bytes_each)
{
	size_t n = FIRST_BYTES / bytes_each;
	return n < FIRST_LEAST ? FIRST_LEAST : n > FIRST_MOST ? FIRST_MOST : n;
}

size_t mer_grow_next(size_t n, size_t cap, size_t bytes_each, size_t most)
{
	size_t more = cap ? cap : first_cap(bytes_each);
	if (most > PTRDIFF_MAX / bytes_each)
		most = PTRDIFF_MAX / bytes_each;
	if (n >= most)
		return 0;
	while (more <= n)
		more = more > most / 2 ? most : more * 2;
	return more;
}

static bool grow_to(void *array, size_t n, size_t *cap, size_t bytes_each, size_t most)
{
	if (n < *cap)
		return true;
	size_t more = mer_grow_next(n, *cap, bytes_each, most);
	if (!more)
		return false;
	/* The caller's pointer may be of any type: it is not read as a void pointer. */
	void *p;
	memcpy(&p, array, sizeof(p));
	p = realloc(p, more * bytes_each);
	if (!p)
		return false;
	memcpy(array, &p, sizeof(p));
	*cap = more;
	return true;
}

bool mer_grow_more(void *array, size_t n, size_t *cap, size_t bytes_each)
{
	return grow_to(array, n, cap, bytes_each, SIZE_MAX);
}

bool mer_grow32_more(void *array, uint32_t n, uint32_t *cap, size_t bytes_each)
{
	size_t wide = *cap;
	if (!grow_to(array, n, &wide, bytes_each, MER_GROW32_MOST))
		return false;
	*cap = (uint32_t)wide;
	return true;
}

void *mer_grow_at_more(void *array, size_t *cap, size_t i, size_t bytes_each)
{
	char **p = array;
	size_t before = *cap;
	if (!mer_grow(array, i, cap, bytes_each))
		return NULL;
	memset(*p + before * bytes_each, 0, (*cap - before) * bytes_each);
	return *p + i * bytes_each;
}
