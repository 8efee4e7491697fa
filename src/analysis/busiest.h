/* Busiest: of many keys (tasks) those that have most are told by themselves, all the others
 * together, so that nothing is left out however many there are. */
#ifndef MER_ANALYSIS_BUSIEST_H
#define MER_ANALYSIS_BUSIEST_H

#include "analysis/analysis.h"

enum { ANALYSIS_BUSIEST = 10 };

struct analysis_busiest {
	uint32_t *keys;	 /* that have an amount, the greatest first; malloc'ed */
	size_t n, n_own; /* the first n_own are told by themselves */
};

/* amounts: by key. All are told by themselves where the run is about chosen tasks. False: no
 * memory. */
bool analysis_busiest_find(const struct analysis_run *run, const int64_t *amounts, size_t n_keys,
	struct analysis_busiest *b);
void analysis_busiest_fini(struct analysis_busiest *b);

#endif
