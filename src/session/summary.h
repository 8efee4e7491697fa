/* Summary: tables of the whole experiment (analysis/summary), with what requests of services
 * add: which waits delayed somebody, and the kinds of requests whose slow ones stand out most. */
#ifndef MER_SESSION_SUMMARY_H
#define MER_SESSION_SUMMARY_H

#include "analysis/summary/summary.h"
#include "session/request.h"

/* What has to be asked: all of q but its selection and periods, which are set before. requests:
 * room for it. */
void session_summary_ask(
	struct session_request *q, struct analysis_request requests[SUMMARY_REQUESTS]);
/* Of the answer: SUMMARY_TABLES, to be freed with mer_table_fini in any case; texts live as long as
 * the answer. all, by: as summary_make. */
int session_summary_make(struct session_answer *a, bool all, enum peers_by by,
	struct mer_table *out, struct mer_err *err);

#endif
