/* The summary's table of requests: the kinds whose slow ones stand out most. */
#ifndef MER_CLI_REPORTS_SUMMARY_REQUESTS_H
#define MER_CLI_REPORTS_SUMMARY_REQUESTS_H

#include "analysis/summary/summary.h"
#include "base/table.h"
#include "requests/requests.h"
#include "session/selection.h"

/* Fills table SUMMARY_KINDS, but for its last column, from the requests that began in the window,
 * without those of the tracer.
 */
int cli_summary_requests(const struct requests *r, const struct session_window *window,
	struct mer_table *t, struct mer_err *err);

/* Waits on the path of requests. */
struct summary_felt cli_summary_felt(struct requests *r);

#endif
