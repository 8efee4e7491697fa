/* Requests as tables, for programs. */
#ifndef MER_CLI_REQUESTS_ANSWER_H
#define MER_CLI_REQUESTS_ANSWER_H

#include "ask/answer.h"
#include "cli/requests/requests_print.h"

/* ---- kinds ---- */

enum {
	CLI_KIND,
	CLI_KIND_PORT,
	CLI_KIND_SERVICE,
	CLI_KIND_COUNT,
	CLI_KIND_RATE,
	CLI_KIND_P50,
	CLI_KIND_P90,
	CLI_KIND_P99,
	CLI_KIND_P999,
	CLI_KIND_MAX,
	CLI_KIND_MEAN,
	CLI_KIND_OUT,
	CLI_KIND_IN,
	CLI_KIND_PARALLEL,
	CLI_KIND_WINDOWS,
	CLI_KIND_LOST,
	CLI_KIND_SHARES,
	CLI_KIND_TIMED = CLI_KIND_SHARES + REQUESTS_N_PARTS,
	CLI_N_KIND
};
extern const struct mer_column cli_requests_kind_columns[CLI_N_KIND + 1];

/* Rows of n kinds; window_ns: the time in which they were counted; 0: it is empty. */
void cli_requests_add_kinds(const struct cli_requests *c, const struct requests_sums *rows,
	uint32_t n, int64_t window_ns, struct mer_table *t);
/* "kinds", and beside it "states" (NULL: no view was asked for) and, of a rule, "unmatched". */
void cli_requests_answer_kinds(const struct cli_requests *c, const struct requests_sums *rows,
	uint32_t n, int64_t window_ns, const struct requests_state_sums *states, struct answer *a);

/* ---- each ---- */

enum {
	CLI_EACH_ID,
	CLI_EACH_BEGIN,
	CLI_EACH_END,
	CLI_EACH_LATENCY,
	CLI_EACH_KIND,
	CLI_EACH_CLIENT_HOST,
	CLI_EACH_CLIENT_TID,
	CLI_EACH_CLIENT_COMM,
	CLI_EACH_CLIENT_PORT,
	CLI_EACH_SERVER_HOST,
	CLI_EACH_SERVER_TID,
	CLI_EACH_SERVER_COMM,
	CLI_EACH_SERVER_PORT,
	CLI_EACH_CLIENT,
	CLI_EACH_SERVER,
	CLI_EACH_PARENT,
	CLI_EACH_CONFIDENCE,
	CLI_EACH_OUT,
	CLI_EACH_IN,
	CLI_EACH_MESSAGES,
	CLI_EACH_MOST,
	CLI_N_EACH
};
extern const struct mer_column cli_requests_each_columns[CLI_N_EACH + 1];

/* Where most of a request's time went. */
struct cli_requests_most {
	const char *cause, *host;
	double percent;
};
/* False: its parts do not say. */
bool cli_requests_most(const struct cli_requests *c, uint32_t number,
	const struct requests_parts *parts, struct cli_requests_most *m);
/* The row of one request; parts: its own. */
void cli_requests_add_each(const struct cli_requests *c, uint32_t number,
	const struct requests_parts *parts, struct mer_table *t);

enum { CLI_N_PART = 12 };

struct cli_requests_listing { /* of which the tables are made as they are written */
	const struct cli_requests *c;
	struct requests_parts parts;	/* scratch */
	uint32_t at, parts_at, ends_at; /* how far they are */
	struct mer_column part_columns[CLI_N_PART + 1];
};
/* "requests", and beside it "parts" (has_states: with the states of views), "ends" and, of a rule,
 * "unmatched". x outlives the answer; cli_requests_listing_fini in any case. */
void cli_requests_answer_list(const struct cli_requests *c, bool has_states,
	struct cli_requests_listing *x, struct answer *a);
void cli_requests_listing_fini(struct cli_requests_listing *x);

/* ---- why ---- */

enum {
	CLI_CAUSE_MORE,
	CLI_CAUSE_SHARE,
	CLI_CAUSE_SLOW,
	CLI_CAUSE_TYPICAL,
	CLI_CAUSE_HOST,
	CLI_CAUSE_PROGRAM,
	CLI_CAUSE_CAUSE,
	CLI_CAUSE_IN,
	CLI_CAUSE_BY,
	CLI_CAUSE_CULPRITS,
	CLI_CAUSE_GROUP,
	CLI_N_CAUSE
};
extern const struct mer_column cli_requests_cause_columns[CLI_N_CAUSE + 1];

/* The first n causes of a group, by its number from 0. */
void cli_requests_add_causes(const struct cli_requests *c, const struct requests_explanation *x,
	unsigned group, uint32_t n, struct mer_table *t);
/* "causes", at most `most` of a group (0: all), and beside it "culprits" and "groups". */
void cli_requests_answer_explain(const struct cli_requests *c,
	const struct requests_explanations *all, uint32_t most, struct answer *a);

#endif
