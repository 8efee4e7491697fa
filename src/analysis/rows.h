/* Rows: those that an analysis keeps while it reads, of which there may be as many as events: the
 * first ones by a key, no more than a limit.
 *
 * Rows are structs of one size that begin with struct analysis_row. Of equal keys the ones that
 * came first are kept, so that the result is the same however hosts are read. */
#ifndef MER_ANALYSIS_ROWS_H
#define MER_ANALYSIS_ROWS_H

#include "analysis/analysis.h"

struct analysis_row {
	int64_t key;  /* the smallest are kept: begin, or -duration */
	uint64_t seq; /* set by analysis_rows_add */
};

struct analysis_rows { /* zeroed: empty */
	char *rows;    /* a heap with the greatest on top once n is the limit */
	size_t n, cap;
	uint64_t n_seen;
};

/* limit: 0: all. False: no memory. */
bool analysis_rows_add(struct analysis_rows *r, const void *row, size_t bytes, uint64_t limit);
void analysis_rows_fini(struct analysis_rows *r);

#endif
