/* Rows of single requests, as many as there are, become few enough to draw. */
#ifndef MER_ANALYSIS_REPORTS_DISK_MAP_H
#define MER_ANALYSIS_REPORTS_DISK_MAP_H

#include "analysis/analysis.h"

/* Of a table with the columns of "map": as fold.finish. */
int disk_map_finish(struct analysis_run *run, struct mer_table *t, uint64_t n_seen);

#endif
