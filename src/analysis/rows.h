/* Rows that an analysis keeps while it reads. There may be as many as events; only the first
 * ones by a key are kept, up to a limit.
 *
 * Rows are structs of one size that begin with struct analysis_row. Among rows with equal keys
 * the earliest are kept, so that the result does not depend on how hosts are read. */
#ifndef MER_ANALYSIS_ROWS_H
#define MER_ANALYSIS_ROWS_H

#include "analysis/analysis.h"

struct analysis_row {
	int64_t key;  /* rows with the smallest keys are kept: begin, or -duration */
	uint64_t seq; /* set by analysis_rows_add */
};

struct analysis_rows { /* zeroed: empty */
	char *rows;    /* with a limit, a heap with the last row (the greatest key) on top */
	size_t n, cap;
	uint64_t n_seen;
};

/* limit 0: keep all. False: no memory. */
bool analysis_rows_add(struct analysis_rows *r, const void *row, size_t bytes, uint64_t limit);
void analysis_rows_fini(struct analysis_rows *r);

#endif
