/* Requests as tables, for programs. */
#ifndef MER_ASK_REQUESTS_REQUESTS_ANSWER_H
#define MER_ASK_REQUESTS_REQUESTS_ANSWER_H

#include "ask/answer.h"
#include "ask/requests/requests_print.h"

/* ---- kinds ---- */

enum {
	ASK_KIND,
	ASK_KIND_PORT,
	ASK_KIND_SERVICE,
	ASK_KIND_COUNT,
	ASK_KIND_RATE,
	ASK_KIND_P50,
	ASK_KIND_P90,
	ASK_KIND_P99,
	ASK_KIND_P999,
	ASK_KIND_MAX,
	ASK_KIND_MEAN,
	ASK_KIND_OUT,
	ASK_KIND_IN,
	ASK_KIND_PARALLEL,
	ASK_KIND_WINDOWS,
	ASK_KIND_LOST,
	ASK_KIND_SHARES,
	ASK_KIND_TIMED = ASK_KIND_SHARES + REQUESTS_N_PARTS,
	ASK_N_KIND
};
extern const struct mer_column ask_requests_kind_columns[ASK_N_KIND + 1];

/* Rows of n kinds; window_ns: the time in which they were counted; 0: it is empty. */
void ask_requests_add_kinds(const struct ask_requests *c, const struct requests_sums *rows,
	uint32_t n, int64_t window_ns, struct mer_table *t);
/* "kinds", and beside it "states" (NULL: no view was asked for) and, of a rule, "unmatched". */
void ask_requests_answer_kinds(const struct ask_requests *c, const struct requests_sums *rows,
	uint32_t n, int64_t window_ns, const struct requests_state_sums *states, struct answer *a);
/* "latency": a histogram of each kind, for OpenMetrics. */
int ask_requests_answer_latencies(const struct ask_requests *c, const struct requests_sums *rows,
	uint32_t n, struct answer *a);

/* ---- each ---- */

enum {
	ASK_EACH_ID,
	ASK_EACH_BEGIN,
	ASK_EACH_END,
	ASK_EACH_LATENCY,
	ASK_EACH_KIND,
	ASK_EACH_CLIENT_HOST,
	ASK_EACH_CLIENT_TID,
	ASK_EACH_CLIENT_COMM,
	ASK_EACH_CLIENT_PORT,
	ASK_EACH_SERVER_HOST,
	ASK_EACH_SERVER_TID,
	ASK_EACH_SERVER_COMM,
	ASK_EACH_SERVER_PORT,
	ASK_EACH_CLIENT,
	ASK_EACH_SERVER,
	ASK_EACH_PARENT,
	ASK_EACH_CONFIDENCE,
	ASK_EACH_OUT,
	ASK_EACH_IN,
	ASK_EACH_MESSAGES,
	ASK_EACH_MOST,
	/* The rest, where names of requests are wanted. */
	ASK_EACH_NAME,
	ASK_EACH_STATUS,
	ASK_EACH_TRACE,
	ASK_N_EACH
};
/* Columns of each request. */
void ask_requests_each_columns(
	const struct ask_requests *c, struct mer_column columns[ASK_N_EACH + 1]);

/* Where most of a request's time went. */
struct ask_requests_most {
	const char *cause, *host;
	double percent;
};
/* False: its parts do not say. */
bool ask_requests_most(const struct ask_requests *c, uint32_t number,
	const struct requests_parts *parts, struct ask_requests_most *m);
/* The row of one request; parts: its own. */
void ask_requests_add_each(const struct ask_requests *c, uint32_t number,
	const struct requests_parts *parts, struct mer_table *t);

enum { ASK_N_PART = 12 };

struct ask_requests_listing { /* of which the tables are made as they are written */
	const struct ask_requests *c;
	struct requests_parts parts;	/* scratch */
	uint32_t at, parts_at, ends_at; /* how far they are */
	struct mer_column columns[ASK_N_EACH + 1], part_columns[ASK_N_PART + 1];
};
/* "requests", and beside it "parts" (has_states: with the states of views), "ends" and, of a rule,
 * "unmatched". x outlives the answer; ask_requests_listing_fini in any case. */
void ask_requests_answer_list(const struct ask_requests *c, bool has_states,
	struct ask_requests_listing *x, struct answer *a);
void ask_requests_listing_fini(struct ask_requests_listing *x);

/* ---- why ---- */

enum {
	ASK_CAUSE_MORE,
	ASK_CAUSE_SHARE,
	ASK_CAUSE_SLOW,
	ASK_CAUSE_TYPICAL,
	ASK_CAUSE_HOST,
	ASK_CAUSE_PROGRAM,
	ASK_CAUSE_CAUSE,
	ASK_CAUSE_IN,
	ASK_CAUSE_BY,
	ASK_CAUSE_CULPRITS,
	ASK_CAUSE_GROUP,
	ASK_N_CAUSE
};
extern const struct mer_column ask_requests_cause_columns[ASK_N_CAUSE + 1];

/* The first n causes of a group, by its number from 0. */
void ask_requests_add_causes(const struct ask_requests *c, const struct requests_explanation *x,
	unsigned group, uint32_t n, struct mer_table *t);
/* "causes", at most `most` of a group (0: all), and beside it "culprits" and "groups". */
void ask_requests_answer_explain(const struct ask_requests *c,
	const struct requests_explanations *all, uint32_t most, struct answer *a);

#endif
