/* Why CPU time is unknown although nothing was lost: nothing is known between the recordings of
 * a host, and a recording without context switches does not show what CPUs did. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_GAPS_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_GAPS_H

#include "analysis/analysis.h"

struct summary_gaps {	  /* in the selected time */
	int64_t ns, n;	  /* time without a recording, and number of such gaps */
	int64_t blind_ns; /* time with recordings, but none with context switches */
};

/* 0 or an error. */
int summary_gaps_find(const struct analysis_run *run, uint32_t host, struct summary_gaps *gaps);

#endif
