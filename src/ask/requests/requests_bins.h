/* Requests over time: how many of each kind began in each part of the time, and how fast they
 * were, as a table and as a chart. */
#ifndef MER_ASK_REQUESTS_REQUESTS_BINS_H
#define MER_ASK_REQUESTS_REQUESTS_BINS_H

#include "analysis/bins.h"
#include "ask/answer.h"
#include "ask/requests/requests_print.h"

struct ask_requests_time {			/* of one kind in one bin */
	uint32_t count, n_timed;		/* all; those with a latency */
	int64_t p50_ns, p90_ns, p99_ns, max_ns; /* -1: none has a latency */
};

struct ask_requests_bins {
	struct analysis_bins bins;
	const struct requests_sums *kinds; /* borrowed: of all the time */
	uint32_t n_kinds;
	struct ask_requests_time *times; /* malloc'ed: by kind, then bin */
};

/* Of the requests in c->which, in the time from the first one's begin to the last one's end, as far
 * as the window goes. n_bins 0: bins of interval_ns. ask_requests_bins_fini in any case. */
int ask_requests_bins_find(const struct ask_requests *c, const struct requests_sums *kinds,
	uint32_t n_kinds, uint64_t n_bins, int64_t interval_ns, struct ask_requests_bins *b);
void ask_requests_bins_fini(struct ask_requests_bins *b);

/* The table "bins". */
void ask_requests_answer_bins(
	const struct ask_requests *c, const struct ask_requests_bins *b, struct answer *a);
/* For people. */
int ask_requests_bins_text(
	const struct ask_requests *c, const struct ask_requests_bins *b, struct mer_str *out);
/* As SVG, to a file. */
int ask_requests_bins_plot(
	const struct ask_requests *c, const struct ask_requests_bins *b, const char *path);

#endif
