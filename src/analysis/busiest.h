/* Busiest: of many keys (tasks), those with the greatest amounts get rows of their own; all
 * others are summed up in one row. So nothing is left out, however many there are. */
#ifndef MER_ANALYSIS_BUSIEST_H
#define MER_ANALYSIS_BUSIEST_H

#include "analysis/analysis.h"

enum { ANALYSIS_BUSIEST = 10 };

struct analysis_busiest {
	uint32_t *keys;	 /* keys with an amount, greatest first; malloc'ed */
	size_t n, n_own; /* the first n_own get rows of their own */
};

/* amounts: by key. If the run is about selected tasks, all keys get rows of their own. False: no
 * memory. */
bool analysis_busiest_find(const struct analysis_run *run, const int64_t *amounts, size_t n_keys,
	struct analysis_busiest *b);
void analysis_busiest_fini(struct analysis_busiest *b);

#endif
