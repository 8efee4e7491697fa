/* Summary: the whole experiment on one screen, from tables of other analyses that one reading made. Of
 * each host how busy its processors and disks were, what queued for them, what failed or was lost; who
 * used most; the longest waits by cause; and what stands out, with the verb to ask next.
 *
 * Numbers are taken from the other tables as they are, so they agree with what the verbs show. */
#ifndef MER_ANALYSIS_SUMMARY_H
#define MER_ANALYSIS_SUMMARY_H

#include "analysis/analysis.h"

enum { SUMMARY_REQUESTS = 13 };

enum summary_table {
	SUMMARY_HOSTS,
	SUMMARY_TOP,
	SUMMARY_WAITS,
	SUMMARY_FINDINGS, /* the most important first */
	SUMMARY_TABLES
};

/* Key of the column with the words of a command to go on with, without program and traces: "top cpu". */
#define SUMMARY_NEXT "next"

/* What analysis_run has to be asked for (with n_bins 1), into SUMMARY_REQUESTS. */
void summary_requests(struct analysis_request *requests);
/* From the tables of these requests. out: SUMMARY_TABLES, to be freed with analysis_table_fini in any case;
 * texts live as long as the run. */
int summary_make(struct analysis_run *run, const struct analysis_table *in,
	struct analysis_table *out, struct mer_err *err);

#endif
