/* Where to look next: what shows more of a row of the summary, as data. The program makes a command
 * of it, a page a link. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_NEXT_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_NEXT_H

#include "analysis/summary/findings.h"

enum summary_view {
	SUMMARY_VIEW_TABLE,	/* of an analysis */
	SUMMARY_VIEW_CHECK,	/* what was recorded */
	SUMMARY_VIEW_INFO,	/* the recordings */
	SUMMARY_VIEW_SYNC,	/* clocks */
	SUMMARY_VIEW_LATENCY,	/* of packets between hosts */
	SUMMARY_VIEW_RELATIONS, /* of tasks */
	SUMMARY_VIEW_WAITS,	/* of a task */
	SUMMARY_VIEW_TASK,
	SUMMARY_VIEW_REQUEST, /* why it took longer than others */
	SUMMARY_VIEW_PATH     /* of a request */
};

struct summary_next {
	enum summary_view view;
	const char *analysis; /* its id, of SUMMARY_VIEW_TABLE */
	const char *output;   /* id of a table of it, or of several with commas between */
	const char *name;     /* of a view file that is needed; NULL */
	const char *host;     /* only this one; NULL: all */
	const char *request;  /* id, of SUMMARY_VIEW_REQUEST and _PATH */
	int64_t tid;	      /* the task of SUMMARY_VIEW_WAITS and _TASK */
};

/* Of a row of a table with findings_columns. */
struct summary_next finding_next(const struct mer_table *t, size_t row);
/* The same of the tables "top", "waits" and "links" (enum summary_table). */
struct summary_next summary_next(const struct mer_table *t, size_t row);
/* The rule of such a row. */
enum finding_rule finding_rule_of(const struct mer_table *t, size_t row);

#endif
