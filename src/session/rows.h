/* Rows: which rows of an answer are shown, in which order. */
#ifndef MER_SESSION_ROWS_H
#define MER_SESSION_ROWS_H

#include "analysis/leave_out.h"
#include "session/request.h"

struct session_rows {
	/* A column (mer_column_meant): the greatest first, but names from a to z and times forward;
	 * "+" before it: the least first. NULL: what the table is sorted by. A table without such a
	 * column stays as it is. */
	const char *sort;
	bool reverse;
	bool leaves_out; /* rows of the tracer's tasks, and idle waits (analysis/leave_out.h) */
	uint64_t limit;	 /* 0: all. Not of histograms, whose rows belong together. */
};

/* Are rows of the table single calls or waits? */
bool session_rows_are_calls(const struct analysis_request *r);
/* What has to be kept while the tables are made (analysis_options: limit, keep_spans). */
void session_rows_prepare(const struct session_rows *o, const struct analysis_request *requests,
	size_t n, struct analysis_options *options);
/* Does so to a table of the answer. *sorted: the key by which it is sorted now, NULL: by none. Adds
 * to sum. */
int session_rows_arrange(struct session_answer *a, size_t table, const struct session_rows *o,
	const char **sorted, struct analysis_left_out *sum, struct mer_err *err);

#endif
