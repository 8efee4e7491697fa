/* Table of file descriptors: what a process's descriptors stand for, as far as known.
 *
 * Pages of 64 descriptors, shared by the tables that a fork copied until one of them is written.
 * Input decides what is written, so a budget bounds what all tables of a host hold together, and
 * what copying and clearing may cost compared to the number of events. Beyond it descriptors are
 * forgotten and counted, never kept wrong. */
#ifndef MER_KERNEL_FILES_FD_TABLE_H
#define MER_KERNEL_FILES_FD_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

/* The kernel's own limit where nobody raised it; greater numbers are not remembered. */
enum { KERNEL_FD_LIMIT = 1 << 20, KERNEL_FD_PAGE = 64 };

enum {
	KERNEL_FD_CLOEXEC = 1,
	KERNEL_FD_GENERIC = 2,	 /* the name says only of what sort it is */
	KERNEL_FD_SECOND_END = 4 /* of a socket pair */
};

struct kernel_fd {
	uint32_t name; /* in kernel_host.names; KERNEL_NONE */
	uint8_t kind;  /* enum kernel_object_kind */
	uint8_t flags;
	uint16_t family; /* of a socket; 0: not known */
};

struct kernel_fd_page {
	uint64_t known, cloexec; /* bit for each descriptor */
	uint32_t refs;		 /* tables that have it */
	struct kernel_fd fds[KERNEL_FD_PAGE];
};

struct kernel_fd_table {	       /* zeroed: nothing is known */
	struct kernel_fd_page **pages; /* NULL: nothing is known of these 64 */
	uint32_t n_pages;
};

struct kernel_fd_budget {
	uint64_t bytes;	    /* that may still be allocated */
	uint64_t steps;	    /* pages that may still be looked at; raised for each event */
	uint64_t forgotten; /* tables and pages, for want of the above */
};
enum { KERNEL_FD_STEPS_AN_EVENT = 16 };

void kernel_fd_budget_init(struct kernel_fd_budget *b);

/* NULL: nothing is known. */
static inline const struct kernel_fd *kernel_fd_get(const struct kernel_fd_table *t, int32_t fd)
{
	uint32_t page = (uint32_t)fd / KERNEL_FD_PAGE, i = (uint32_t)fd % KERNEL_FD_PAGE;
	if (page >= t->n_pages || !t->pages[page] || !(t->pages[page]->known >> i & 1))
		return NULL;
	return &t->pages[page]->fds[i];
}

/* What fd stands for from now on; what NULL: it is not known. */
int kernel_fd_set(struct kernel_fd_budget *b, struct kernel_fd_table *t, int32_t fd,
	const struct kernel_fd *what, struct mer_err *err);
enum kernel_fd_change { KERNEL_FD_FORGET, KERNEL_FD_SET_CLOEXEC, KERNEL_FD_EXEC };
/* All of first to last: forgets them; marks them; forgets those that are marked. */
int kernel_fd_range(struct kernel_fd_budget *b, struct kernel_fd_table *t, uint32_t first,
	uint32_t last, enum kernel_fd_change change, struct mer_err *err);
/* to, which is empty, becomes a copy. */
int kernel_fd_copy(struct kernel_fd_budget *b, struct kernel_fd_table *to,
	const struct kernel_fd_table *from, struct mer_err *err);
/* What `from` knows and `to` does not. */
int kernel_fd_merge(struct kernel_fd_budget *b, struct kernel_fd_table *to,
	const struct kernel_fd_table *from, struct mer_err *err);
void kernel_fd_clear(struct kernel_fd_budget *b, struct kernel_fd_table *t);

#endif
