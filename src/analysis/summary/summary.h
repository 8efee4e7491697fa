/* Summary: the whole experiment on one screen, from tables of other analyses and from waits, all of
 * one reading. Of each host how busy its CPUs and disks were, what queued for them, how often it
 * did what, and what was lost; who used most; what was waited for; packets between hosts; and
 * findings.
 *
 * Numbers are taken from the other tables as they are, so they agree with what the verbs show. What
 * the tracer itself did is left out where tasks are named, and told as a row of its own; sums of
 * hosts have it. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_H

#include "analysis/analysis.h"

struct sync_result;

enum { SUMMARY_REQUESTS = 21 };

enum summary_table {
	SUMMARY_HOSTS,
	SUMMARY_IO,
	SUMMARY_TOP,
	SUMMARY_WAITS,
	SUMMARY_LINKS,
	SUMMARY_KINDS, /* of requests: empty, for who finds them (requests/kinds.h) */
	SUMMARY_CPUS,
	SUMMARY_FINDINGS, /* the most important first; see findings.h */
	SUMMARY_TABLES
};

struct summary_about {
	const char *id, *title;
	const struct mer_column *columns;
};
struct summary_about summary_about(enum summary_table table, bool all); /* all: see summary_make */

/* Keys of columns that only who prints can fill: a sentence, and a command to go on with. */
#define SUMMARY_SENTENCE "finding"
#define SUMMARY_NEXT "next"

/* What analysis_run has to be asked for (with n_bins 1 and keep_spans), into SUMMARY_REQUESTS. */
void summary_requests(struct analysis_request *requests);
struct blocked;
/* Waits that cost somebody time although they look idle: what their tasks did them for is known
 * elsewhere (requests/path_waits.h). asked: by host, a byte for each wait of b; where it is not 0,
 * it becomes 0 if nobody feels the wait. */
struct summary_felt {
	int (*find)(void *ctx, const struct blocked *b, uint8_t *const *asked, struct mer_err *err);
	void *ctx;
};
/* From the tables of these requests; r: what the clocks were put together with, NULL: nothing. out:
 * SUMMARY_TABLES, to be freed with mer_table_fini in any case; texts live as long as the run.
 * all: also waits for what a task started itself (blocked.h). felt: NULL: none but those of
 * blocked.h. */
int summary_make(struct analysis_run *run, const struct sync_result *r, bool all,
	const struct summary_felt *felt, const struct mer_table *in, struct mer_table *out,
	struct mer_err *err);

#endif
