/* The summary's table of requests: the kinds whose slow ones stand out most. */
#ifndef MER_CLI_REPORTS_SUMMARY_REQUESTS_H
#define MER_CLI_REPORTS_SUMMARY_REQUESTS_H

#include "base/table.h"
#include "requests/requests.h"
#include "session/selection.h"

/* Fills table SUMMARY_KINDS, but for its last column, from the requests that began in the window.
 */
int cli_summary_requests(const struct requests *r, const struct session_window *window,
	struct mer_table *t, struct mer_err *err);

#endif
