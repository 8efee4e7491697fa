#include "kernel/files/fd_table.h"

#include <stdlib.h>
#include <string.h>

void kernel_fd_budget_init(struct kernel_fd_budget *b)
{
	/* Some 10 000 processes with 100 descriptors each take 12 MB. */
	*b = (struct kernel_fd_budget){ .bytes = (uint64_t)128 << 20, .steps = 1 << 20 };
}

static bool take(struct kernel_fd_budget *b, size_t bytes)
{
	if (bytes > b->bytes) {
		b->forgotten++;
		return false;
	}
	b->bytes -= bytes;
	return true;
}

static bool walk(struct kernel_fd_budget *b, uint64_t steps)
{
	if (steps > b->steps) {
		b->forgotten++;
		return false;
	}
	b->steps -= steps;
	return true;
}

static void drop(struct kernel_fd_budget *b, struct kernel_fd_page **page)
{
	if (*page && --(*page)->refs == 0) {
		free(*page);
		b->bytes += sizeof(**page);
	}
	*page = NULL;
}

void kernel_fd_clear(struct kernel_fd_budget *b, struct kernel_fd_table *t)
{
	for (uint32_t i = 0; i < t->n_pages; i++)
		drop(b, &t->pages[i]);
	free(t->pages);
	b->bytes += t->n_pages * sizeof(struct kernel_fd_page *);
	*t = (struct kernel_fd_table){ 0 };
}

/* The page, made if it is not there, for this table alone; NULL with *rc 0: over budget, and then
 * nothing is known of what would be in it. */
static struct kernel_fd_page *own_page(struct kernel_fd_budget *b, struct kernel_fd_table *t,
	uint32_t i, int *rc, struct mer_err *err)
{
	if (i >= t->n_pages) {
		size_t more = (i + 1 - t->n_pages) * sizeof(struct kernel_fd_page *);
		if (!take(b, more))
			return NULL;
		void *p = realloc(t->pages, (i + 1) * sizeof(struct kernel_fd_page *));
		if (!p) {
			b->bytes += more;
			*rc = mer_fail_nomem(err);
			return NULL;
		}
		t->pages = p;
		memset(t->pages + t->n_pages, 0, more);
		t->n_pages = i + 1;
	}
	struct kernel_fd_page *old = t->pages[i];
	if (old && old->refs == 1)
		return old;
	if (!take(b, sizeof(*old))) {
		drop(b, &t->pages[i]);
		return NULL;
	}
	struct kernel_fd_page *page = old ? malloc(sizeof(*page)) : calloc(1, sizeof(*page));
	if (!page) {
		b->bytes += sizeof(*page);
		*rc = mer_fail_nomem(err);
		return NULL;
	}
	if (old) {
		*page = *old;
		old->refs--;
	}
	page->refs = 1;
	t->pages[i] = page;
	return page;
}

int kernel_fd_set(struct kernel_fd_budget *b, struct kernel_fd_table *t, int32_t fd,
	const struct kernel_fd *what, struct mer_err *err)
{
	if (fd < 0 || fd >= KERNEL_FD_LIMIT)
		return 0;
	if (!what && !kernel_fd_get(t, fd))
		return 0;
	uint32_t i = (uint32_t)fd % KERNEL_FD_PAGE;
	uint64_t bit = (uint64_t)1 << i;
	int rc = 0;
	struct kernel_fd_page *page = own_page(b, t, (uint32_t)fd / KERNEL_FD_PAGE, &rc, err);
	if (!page)
		return rc;
	page->known = what ? page->known | bit : page->known & ~bit;
	page->cloexec = what && what->flags & KERNEL_FD_CLOEXEC ? page->cloexec | bit
								: page->cloexec & ~bit;
	if (what)
		page->fds[i] = *what;
	if (page->known == 0)
		drop(b, &t->pages[(uint32_t)fd / KERNEL_FD_PAGE]);
	return 0;
}

/* Descriptors first to last as far as they are in page i. */
static uint64_t bits_of(uint32_t i, uint32_t first, uint32_t last)
{
	uint32_t begin = i * KERNEL_FD_PAGE;
	uint64_t bits = UINT64_MAX;
	if (first > begin)
		bits &= UINT64_MAX << (first - begin);
	if (last - begin < KERNEL_FD_PAGE - 1)
		bits &= UINT64_MAX >> (KERNEL_FD_PAGE - 1 - (last - begin));
	return bits;
}

static void mark(struct kernel_fd_page *page, uint64_t bits)
{
	page->cloexec |= bits;
	for (; bits; bits &= bits - 1)
		page->fds[__builtin_ctzll(bits)].flags |= KERNEL_FD_CLOEXEC;
}

int kernel_fd_range(struct kernel_fd_budget *b, struct kernel_fd_table *t, uint32_t first,
	uint32_t last, enum kernel_fd_change change, struct mer_err *err)
{
	if (last > KERNEL_FD_LIMIT - 1)
		last = KERNEL_FD_LIMIT - 1;
	if (t->n_pages == 0 || first > last)
		return 0;
	uint32_t begin = first / KERNEL_FD_PAGE, end = last / KERNEL_FD_PAGE + 1;
	if (end > t->n_pages)
		end = t->n_pages;
	if (begin < end && !walk(b, end - begin)) {
		kernel_fd_clear(b, t);
		return 0;
	}
	for (uint32_t i = begin; i < end; i++) {
		struct kernel_fd_page *page = t->pages[i];
		if (!page)
			continue;
		uint64_t bits = bits_of(i, first, last) & page->known;
		if (change == KERNEL_FD_EXEC)
			bits &= page->cloexec;
		if (change == KERNEL_FD_SET_CLOEXEC)
			bits &= ~page->cloexec;
		if (bits == 0)
			continue;
		if (change != KERNEL_FD_SET_CLOEXEC && bits == page->known) {
			drop(b, &t->pages[i]);
			continue;
		}
		int rc = 0;
		page = own_page(b, t, i, &rc, err);
		if (rc)
			return rc;
		if (page && change == KERNEL_FD_SET_CLOEXEC) {
			mark(page, bits);
		} else if (page) {
			page->known &= ~bits;
			page->cloexec &= ~bits;
		}
	}
	return 0;
}

int kernel_fd_copy(struct kernel_fd_budget *b, struct kernel_fd_table *to,
	const struct kernel_fd_table *from, struct mer_err *err)
{
	uint32_t n = from->n_pages;
	while (n > 0 && !from->pages[n - 1])
		n--;
	if (n == 0 || !walk(b, n) || !take(b, n * sizeof(*to->pages)))
		return 0;
	to->pages = malloc(n * sizeof(struct kernel_fd_page *));
	if (!to->pages) {
		b->bytes += n * sizeof(*to->pages);
		return mer_fail_nomem(err);
	}
	memcpy(to->pages, from->pages, n * sizeof(struct kernel_fd_page *));
	to->n_pages = n;
	for (uint32_t i = 0; i < n; i++)
		if (to->pages[i])
			to->pages[i]->refs++;
	return 0;
}

int kernel_fd_merge(struct kernel_fd_budget *b, struct kernel_fd_table *to,
	const struct kernel_fd_table *from, struct mer_err *err)
{
	if (!walk(b, from->n_pages))
		return 0;
	for (uint32_t i = 0; i < from->n_pages; i++) {
		const struct kernel_fd_page *page = from->pages[i];
		uint64_t bits = page ? page->known : 0;
		if (bits && i < to->n_pages && to->pages[i])
			bits &= ~to->pages[i]->known;
		for (; bits; bits &= bits - 1) {
			int k = __builtin_ctzll(bits);
			int rc = kernel_fd_set(
				b, to, (int32_t)i * KERNEL_FD_PAGE + k, &page->fds[k], err);
			if (rc)
				return rc;
		}
	}
	return 0;
}
