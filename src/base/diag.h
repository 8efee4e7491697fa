/* Diagnostics: damage that was survived, shown beside the numbers that it affects.
 *
 * Rows that repeat (same code, host, path and stream) beyond DIAG_ROWS_PER_KIND are folded into the
 * last one by its count, so that a trace that is damaged throughout costs bounded memory. Not
 * thread safe: parts computed apart keep their own list, joined by mer_diags_merge. */
#ifndef MER_BASE_DIAG_H
#define MER_BASE_DIAG_H

#include "base/arena.h"
#include "base/map.h"
#include "meridian/meridian.h"

enum { DIAG_ROWS_PER_KIND = 10, DIAG_ROWS = 10000 };

struct mer_diags {
	struct mer_arena *arena; /* owns the rows' text; borrowed */
	struct mer_diag *rows;	 /* malloc'ed */
	size_t n, cap;
	struct mer_map kinds; /* hash of a kind -> rows of it so far, and its last one */
	uint64_t n_errors, n_warnings, n_dropped;
};

void mer_diags_init(struct mer_diags *d, struct mer_arena *arena);
void mer_diags_fini(struct mer_diags *d);

/* Adds a row: every member of where but message is taken (strings are copied; -1: not known;
 * count 0 counts as 1), the message is formatted. Never fails: a row that does not fit is counted
 * in n_dropped. d may be NULL. */
void mer_diag_add(struct mer_diags *d, const struct mer_diag *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same of what may be found again whenever a host is read: there is one row, with the largest
 * count and severity. */
void mer_diag_add_once(struct mer_diags *d, const struct mer_diag *where, const char *message);
void mer_diags_merge(struct mer_diags *into, const struct mer_diags *from);
/* The same of those that are not there yet: what two readings of a trace found is told once. */
void mer_diags_merge_new(struct mer_diags *into, const struct mer_diags *from);

#endif
