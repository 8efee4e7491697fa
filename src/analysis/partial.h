/* Partial: what each host has for tables of all hosts, as bytes, so that it can be made where the
 * host's traces lie, and the tables where these bytes meet (docs/fleet.md).
 *
 * Rows of tables are of one host, or join the groups of several. Of the first kind a host has
 * the rows as they are, and by what they are ordered; of the second the sums of its groups
 * (fold.h), down to the buckets of histograms. Tables that are merged are those of one run over
 * all traces: same rows, same order, same values.
 *
 * Not all tables are made of facts of hosts alone: analysis_can_merge. */
#ifndef MER_ANALYSIS_PARTIAL_H
#define MER_ANALYSIS_PARTIAL_H

#include "analysis/analysis.h"
#include "analysis/leave_out.h"
#include "base/str.h"

struct analysis_partials { /* of a run; filled by it if options.partials is this */
	size_t n;	   /* requests */
	uint32_t n_hosts;
	struct mer_str *of; /* by host, then request: host * n + request */
	bool *idle;	    /* by request, to be set: see analysis_leave_out */
};
/* n as the run's requests. False: no memory. */
bool analysis_partials_init(struct analysis_partials *p, uint32_t n_hosts, size_t n);
void analysis_partials_fini(struct analysis_partials *p);

/* NULL: tables of these requests can be merged; otherwise why not, as the end of a sentence:
 * "looks at both ends of messages". */
const char *analysis_cannot_merge(const struct analysis_request *requests, size_t n);

/* NULL: some tables of these requests can be made of what is known of each host (session/parts.h);
 * otherwise why none can, in the same form. */
const char *analysis_needs_traces(const struct analysis_request *requests, size_t n);

struct analysis_partial_host {
	const char *name;
	const struct analysis_partial_bytes { /* by request; live as long as the tables */
		const char *bytes;
		size_t n;
	} * of;
};

/* The tables of hosts, which are in the order in which the experiment of all of them would have
 * them. options: as of the run on each host, but without what selects hosts, CPUs and tasks.
 * leaves_out: as analysis_leave_out does, which adds to sum. Tables' texts live as long as the
 * run and the bytes. MER_ERR_INPUT: bytes of a host are damaged, which the message names;
 * MER_ERR_USAGE: such a table cannot be merged. Call analysis_run_fini whatever the result. */
int analysis_merge(struct analysis_run *run, struct mer_experiment *none,
	const struct analysis_options *options, const struct analysis_request *requests, size_t n,
	const struct analysis_partial_host *hosts, uint32_t n_hosts, bool leaves_out,
	struct analysis_left_out *sum, struct mer_table *tables, struct mer_err *err);

#endif
