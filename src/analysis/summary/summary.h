/* Summary: the whole experiment on one screen, from tables of other analyses and from waits, all
 * computed in one reading. For each host: how busy its CPUs and disks were, their queues, event
 * counts, and losses. Then the greatest users, causes of waits, packets between hosts, and
 * findings.
 *
 * Numbers are copied from the other tables, so they agree with what the verbs show. Activity of
 * the tracer itself is left out where tasks are named, and shown as a row of its own; sums of
 * hosts include it. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_H

#include "analysis/analysis.h"
#include "analysis/summary/peers.h"

struct sync_result;

enum { SUMMARY_REQUESTS = 21 };

enum summary_table {
	SUMMARY_HOSTS,
	SUMMARY_IO,
	SUMMARY_TOP,
	SUMMARY_WAITS,
	SUMMARY_LINKS,
	/* kinds of requests: empty, filled by the code that finds requests (requests/kinds.h) */
	SUMMARY_KINDS,
	SUMMARY_CPUS,
	SUMMARY_FINDINGS, /* the most important one first; see findings.h */
	SUMMARY_PEERS,	  /* what is unusual of hosts; see peers.h */
	SUMMARY_GROUPS,	  /* of hosts that were compared */
	SUMMARY_MEASURES, /* of each host, by which they are compared */
	SUMMARY_TABLES
};

struct summary_about {
	const char *id, *title;
	const struct mer_column *columns;
};
struct summary_about summary_about(enum summary_table table, bool all); /* all: see summary_make */

/* Keys of columns that only the printing code can fill: a sentence, and the next command. */
#define SUMMARY_SENTENCE "finding"
#define SUMMARY_NEXT "next"

/* Writes the SUMMARY_REQUESTS requests that analysis_run needs (with n_bins 1 and keep_spans). */
void summary_requests(struct analysis_request *requests);
struct blocked;
/* Waits that look idle but delayed something: what their tasks waited for is known elsewhere
 * (requests/path_waits.h). asked: by host, a byte for each wait of b; a byte that is not 0
 * becomes 0 if the wait delayed nobody. */
struct summary_felt {
	int (*find)(void *ctx, const struct blocked *b, uint8_t *const *asked, struct mer_err *err);
	void *ctx;
};
/* Makes the summary from the tables of these requests. r: the result of clock alignment, NULL:
 * none. out: SUMMARY_TABLES tables; free them with mer_table_fini whatever the result; their
 * texts live as long as the run. all: also show waits for what a task started itself
 * (blocked.h). felt: NULL: only waits that blocked.h counts. by: how hosts are grouped that are
 * compared. */
int summary_make(struct analysis_run *run, const struct sync_result *r, bool all, enum peers_by by,
	const struct summary_felt *felt, const struct mer_table *in, struct mer_table *out,
	struct mer_err *err);

#endif
