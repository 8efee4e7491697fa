#include "base/large.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LARGE_PAGE = 2 << 20 }; /* of x86-64, and of 64-bit ARM with pages of 4 KiB */

/* Rounds up to whole large pages: a partial one would consist of many small pages. 0: too large. */
static size_t whole(size_t bytes)
{
	if (bytes > PTRDIFF_MAX - 2 * (size_t)LARGE_PAGE)
		return 0;
	return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

static void advise(void *block, size_t length)
{
#ifdef MADV_HUGEPAGE
	(void)madvise(block, length, MADV_HUGEPAGE); /* advice: it may be refused */
#else
	(void)block;
	(void)length;
#endif
}

/* Reserves aligned addresses for that many bytes; the excess at both ends is unmapped. */
static char *reserve(size_t length)
{
	char *p = mmap(NULL, length + LARGE_PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	size_t before = (LARGE_PAGE - (uintptr_t)p % LARGE_PAGE) % LARGE_PAGE;
	if (before > 0)
		munmap(p, before);
	munmap(p + before + length, LARGE_PAGE - before);
	return p + before;
}

void *mer_large_alloc(size_t bytes)
{
	size_t length = whole(bytes);
	char *p = length > 0 ? reserve(length) : NULL;
	if (p)
		advise(p, length);
	return p;
}

void *mer_large_grow(void *block, size_t before, size_t bytes)
{
	size_t from = whole(before), to = whole(bytes);
	if (from == to)
		return block;
	if (to == 0)
		return NULL;
	char *p = mremap(block, from, to, 0);
	if (p == MAP_FAILED) {
		/* Moved to where large pages stay large: mremap alone does not align. */
		char *place = reserve(to);
		if (!place)
			return NULL;
		/* Not by mremap(): what MPI's UCX puts in its place in the process drops the last
		 * argument. */
		p = (char *)syscall(
			SYS_mremap, block, from, to, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	}
	/* Then the place is not unmapped: mremap may have done so already, and another thread may
	 * use it now. Only addresses are lost, no memory. */
	if (p == MAP_FAILED)
		return NULL;
	advise(p, to);
	return p;
}

void mer_large_free(void *block, size_t bytes)
{
	if (block)
		munmap(block, whole(bytes));
}
