/* Busiest: of many keys (tasks) those that have most are told by themselves, all the others together, so
 * that nothing is left out however many there are. */
#ifndef MER_ANALYSIS_BUSIEST_H
#define MER_ANALYSIS_BUSIEST_H

#include "analysis/bins.h"
#include "analysis/cells.h"

enum { ANALYSIS_BUSIEST = 10 };

struct analysis_busiest {
	uint32_t *keys;	 /* that have an amount, the greatest first; malloc'ed */
	size_t n, n_own; /* the first n_own are told by themselves */
};

/* amounts: by key. All are told by themselves where the run is about chosen tasks. False: no memory. */
bool analysis_busiest_find(const struct analysis_run *run, const int64_t *amounts, size_t n_keys,
	struct analysis_busiest *b);
void analysis_busiest_fini(struct analysis_busiest *b);

/* Tables over time by task: rows of the tasks that are told by themselves, then of "all others", each
 * with the bins in which it has something. */
#define ANALYSIS_TASK_BINS_COLUMNS                                                                 \
	{ "begin", "begin", MER_TIME }, { "end", NULL, MER_TIME }, ANALYSIS_TASK_COLUMNS
enum { ANALYSIS_TASK_BINS_CELLS = 2 + ANALYSIS_TASK_CELLS, ANALYSIS_TASK_BINS_SERIES = 2 };

/* series: n of them, no more than ANALYSIS_TASK_BINS_SERIES, by task + 1 (0: nobody); they are sorted
 * here. The table has the columns above, then two whole numbers for each series, none below 0; the
 * busiest is who has most of all these together. */
int analysis_task_bins(struct analysis_run *run, struct mer_table *t, uint32_t host,
	const struct analysis_bins *bins, struct analysis_series *const *series, size_t n);

#endif
