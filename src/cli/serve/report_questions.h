/* Questions of a report: what the page requests in the views that are opened first, so that a
 * report can answer it without a server. ui/ must agree: tests/ui opens a report and looks at
 * each view. */
#ifndef MER_CLI_SERVE_REPORT_QUESTIONS_H
#define MER_CLI_SERVE_REPORT_QUESTIONS_H

#include "base/err.h"
#include "server/server.h"

struct report_questions; /* as they come, each with its answer */

/* Is given each answer that there is: target as the page asks, "api/run?w=check&w=--json". */
typedef int report_taker(
	void *ctx, const char *target, const struct http_answer *a, struct mer_err *err);

/* Asks all of them. n_requests: the slowest, each with its tree, path and lanes. */
int cli_report_ask(
	struct server *s, unsigned n_requests, report_taker *take, void *ctx, struct mer_err *err);

#endif
