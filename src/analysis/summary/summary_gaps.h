/* Why CPU time is unknown although nothing was lost: between the recordings of a host nothing is
 * known, and a recording without context switches does not tell what CPUs did. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_GAPS_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_GAPS_H

#include "analysis/analysis.h"

struct summary_gaps {	  /* of the time that was asked for */
	int64_t ns, n;	  /* no recording */
	int64_t blind_ns; /* only recordings without context switches */
};

/* 0 or an error. */
int summary_gaps_find(const struct analysis_run *run, uint32_t host, struct summary_gaps *gaps);

#endif
