/* Where to look next: which view shows more about a row of the summary, as data. The program
 * turns it into a command, the page into a link. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_NEXT_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_NEXT_H

#include "analysis/summary/findings.h"

enum summary_view {
	SUMMARY_VIEW_TABLE,	/* table of an analysis */
	SUMMARY_VIEW_CHECK,	/* what was recorded */
	SUMMARY_VIEW_INFO,	/* the recordings */
	SUMMARY_VIEW_SYNC,	/* clocks */
	SUMMARY_VIEW_LATENCY,	/* packets between hosts */
	SUMMARY_VIEW_RELATIONS, /* relations between tasks */
	SUMMARY_VIEW_WAITS,	/* waits of a task */
	SUMMARY_VIEW_TASK,
	SUMMARY_VIEW_REQUEST, /* why it took longer than others */
	SUMMARY_VIEW_PATH     /* path of a request */
};

struct summary_next {
	enum summary_view view;
	const char *analysis; /* id of the analysis, for SUMMARY_VIEW_TABLE */
	/* id of one of its tables, or several ids separated by commas */
	const char *output;
	const char *name;    /* name of the view file that is needed; NULL */
	const char *host;    /* only this host; NULL: all */
	const char *request; /* id, of SUMMARY_VIEW_REQUEST and _PATH */
	int64_t tid;	     /* the task of SUMMARY_VIEW_WAITS and _TASK */
};

/* For a row of a table with findings_columns. */
struct summary_next finding_next(const struct mer_table *t, size_t row);
/* For a row of the tables "top", "waits" and "links" (enum summary_table). */
struct summary_next summary_next(const struct mer_table *t, size_t row);
/* The rule of such a row. */
enum finding_rule finding_rule_of(const struct mer_table *t, size_t row);

#endif
