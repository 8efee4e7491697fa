/* Reduces rows of single requests, of which there may be many, to a number that can be drawn. */
#ifndef MER_ANALYSIS_REPORTS_DISK_MAP_H
#define MER_ANALYSIS_REPORTS_DISK_MAP_H

#include "analysis/analysis.h"

/* For a table with the columns of "map": a fold.finish. */
int disk_map_finish(struct analysis_run *run, struct mer_table *t, uint64_t n_seen);

#endif
