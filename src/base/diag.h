/* Diagnostics: damage that was survived, shown beside the numbers that it affects.
 *
 * Beyond DIAG_ROWS_PER_KIND rows with the same code, host, path and stream, more of them only raise
 * the count of the last one, so that a trace damaged throughout takes bounded memory. Not thread
 * safe: parts computed apart keep their own list, joined by mer_diags_merge. */
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
	struct mer_map kinds; /* hash of a kind -> number of its rows so far, and its last row */
	uint64_t n_errors, n_warnings, n_dropped;
};

void mer_diags_init(struct mer_diags *d, struct mer_arena *arena);
void mer_diags_fini(struct mer_diags *d);

/* Adds a row: copies every member of `where` except message (strings are copied, too; -1: unknown;
 * count 0 is stored as 1), and formats the message. Never fails: a row that does not fit is counted
 * in n_dropped. d may be NULL. */
void mer_diag_add(struct mer_diags *d, const struct mer_diag *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for diagnostics that may come up again each time a host is read: they share one row,
 * with the largest count and severity. */
void mer_diag_add_once(struct mer_diags *d, const struct mer_diag *where, const char *message);
void mer_diags_merge(struct mer_diags *into, const struct mer_diags *from);
/* The same, but skips rows already in `into`, so that diagnostics of two readings of a trace appear
 * once. */
void mer_diags_merge_new(struct mer_diags *into, const struct mer_diags *from);

#endif
