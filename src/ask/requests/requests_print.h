/* Printing of requests: what the files of this folder share. */
#ifndef MER_ASK_REQUESTS_REQUESTS_PRINT_H
#define MER_ASK_REQUESTS_REQUESTS_PRINT_H

#include "analysis/period.h"
#include "base/table.h"
#include "ask/context.h"
#include "requests/cost.h"
#include "requests/explain.h"
#include "requests/kinds.h"
#include "requests/state_sums.h"
#include "session/session.h"

/* The only table that is wanted; "default|kinds|no_request|hosts". */
enum ask_requests_cost_table {
	ASK_REQUESTS_COST_ALL,
	ASK_REQUESTS_COST_KINDS,
	ASK_REQUESTS_COST_NO_REQUEST,
	ASK_REQUESTS_COST_HOSTS
};

struct names;

struct ask_requests {
	struct ask *ask;
	const struct session_world *w;
	const struct requests *r;
	const struct requests_kinds *kinds;
	struct requests_parts_finder *parts;
	const struct analysis_periods *own; /* of a rule; NULL: none */
	const struct names *names;	    /* of requests; NULL: none were wanted */
	/* Those that were selected, in the order in which they are to be shown. */
	uint32_t *which;
	uint32_t *depths; /* of a tree: how far below its root each is */
	uint32_t n, n_left_out;
	uint32_t limit;	     /* rows of kinds; 0: all */
	bool is_limit_given; /* by the user */
	unsigned table;	     /* of --cost: enum ask_requests_cost_table */
};

/* All fill out, for people, and return 0 or an error. */
/* Of these kinds; nothing if they have no states. */
int ask_requests_states_text(const struct ask_requests *c, const struct requests_state_sums *s,
	const struct requests_sums *rows, uint32_t n, struct mer_str *out);
/* Rows of a kind: the first one, and how many. */
size_t ask_requests_states_of(const struct requests_state_sums *s, uint32_t kind, size_t *n);
int ask_requests_list_text(const struct ask_requests *c, struct mer_str *out);
/* states: NULL: not of interest. */
int ask_requests_kinds_text(const struct ask_requests *c, const struct requests_sums *rows,
	uint32_t n, const struct requests_state_sums *states, struct mer_str *out);
int ask_requests_explain_text(
	const struct ask_requests *c, const struct requests_explanations *x, struct mer_str *out);
/* Why slow requests cannot be compared with typical ones: an error. only: id of the one that was to
 * be, or NULL; is_slowest: a number of slow ones was given. */
int ask_requests_explain_fail(const struct ask_requests *c, const struct requests_explanations *why,
	const char *only, bool is_slowest);
/* In every format: what kinds cost, and each request, by its number. */
int ask_requests_cost(const struct ask_requests *c);
int ask_requests_cost_list(const struct ask_requests *c, const struct requests_cost *self,
	const struct requests_cost *total);
/* What a culprit did: "had the CPU", "2.1 MiB of writes to vdb before it"; for which request, and
 * an example: " for load2 -> web:80 nginx (r17.203)", " for r17.203" if it is of that kind. */
void ask_requests_put_deed(
	const struct ask_requests *c, const struct requests_culprit *u, struct mer_str *out);
/* "  12.9 ms  shop-w1/167 had the CPU for r9.1", further lines below its text. */
void ask_requests_put_culprit_line(
	const struct ask_requests *c, int64_t ns, const struct mer_str *line, struct mer_str *out);
/* The same as cells of a row of t, with who it is; c: its world, requests and kinds alone. */
enum {
	ASK_CULPRIT_HOST,
	ASK_CULPRIT_TID,
	ASK_CULPRIT_COMM,
	ASK_CULPRIT_WHAT,
	ASK_CULPRIT_FOR,
	ASK_CULPRIT_REQUEST,
	ASK_CULPRIT_NS,
	ASK_CULPRIT_VIA,
	ASK_N_CULPRIT
};
#define ASK_CULPRIT_COLUMNS(first)                                                                 \
	[(first) + ASK_CULPRIT_HOST] = { "host", "host", MER_TEXT },                               \
		   [(first) + ASK_CULPRIT_TID] = { "tid", "tid", MER_ID },                         \
		   [(first) + ASK_CULPRIT_COMM] = { "comm", "name", MER_TEXT },                    \
		   [(first) + ASK_CULPRIT_WHAT] = { "what", "did", MER_TEXT },                     \
		   [(first) + ASK_CULPRIT_FOR] = { "for", "for", MER_TEXT },                       \
		   [(first) + ASK_CULPRIT_REQUEST] = { "request", "request", MER_TEXT },           \
		   [(first) + ASK_CULPRIT_NS] = { "ns", "time", MER_DURATION },                    \
		   [(first) + ASK_CULPRIT_VIA] = { "via", "by way of", MER_TEXT }
void ask_requests_culprit_cells(const struct ask_requests *c, const struct requests_culprit *u,
	struct mer_table *t, struct mer_cell cells[ASK_N_CULPRIT]);
/* ", while another request had the connection": how a wait came to it. */
void ask_requests_put_via(const struct requests_culprit *u, struct mer_str *out);
void ask_requests_put_whose(const struct ask_requests *c, const struct requests_culprit *u,
	uint32_t same_kind, struct mer_str *out);
/* The same as part of a sentence about who waited; by: name of the culprit's program, "" for none.
 * "fdatasync behind dd's writes to vdb", "the CPU was with nginx". */
void ask_requests_put_why(const struct ask_requests *c, const struct requests_culprit *u,
	const char *by, struct mer_str *out);
/* What a task waited for by itself (REQUESTS_DEED_WAITED): "for another task in poll". */
void ask_requests_put_awaited(
	const struct ask_requests *c, const struct requests_culprit *u, struct mer_str *out);
/* As it goes: what does not fit `out` is written to `file` (NULL: all stays there). */
int ask_requests_otlp(const struct ask_requests *c, FILE *file, struct mer_str *out);
int ask_requests_perfetto(const struct ask_requests *c, FILE *file, struct mer_str *out);
int ask_requests_folded(const struct ask_requests *c, struct mer_str *out);
int ask_requests_speedscope(const struct ask_requests *c, struct mer_str *out);
int ask_requests_tree(const struct ask_requests *c, struct mer_str *out);
/* Puts all that are below the selected ones behind them, in the order of a tree. */
int ask_requests_grow_trees(struct ask_requests *c);

/* The time that was selected with --begin and --end; where they are not given, from the first begin
 * to the last end of the selected requests. False: it is empty. */
bool ask_requests_window(const struct ask_requests *c, int64_t *begin, int64_t *end);
/* How long that is; 0: it is empty. */
int64_t ask_requests_window_ns(const struct ask_requests *c);
/* For people: p90 and p99 of fewer requests than this would be the slowest one, and are "-". */
enum { ASK_REQUESTS_LEAST_RANKED = 10 };
/* The port of the servers of a kind; 0: not known. */
static inline uint16_t ask_requests_port(
	const struct ask_requests *c, const struct requests_sums *s)
{
	return requests_port(c->r, &requests_connection_of(c->r, s->first)->ends[REQUESTS_SERVER]);
}
/* That its parent is right, as it was computed: 0.98, not the 0.980000019 of a float. */
double ask_requests_confidence(const struct requests_exchange *x);
/* For people: where kinds do not fit the width of the table, without host and port of the server,
 * "load2 -> nginx"; those that would be the same as another one's stay. */
void ask_requests_shorten_kinds(const struct ask_requests *c, struct mer_table *t, size_t column);
/* For people: why there are no rows. */
int ask_requests_put_nothing(const struct ask_requests *c, struct mer_str *out);
/* For people: what it is about, and when; how many more rows there are. */
void ask_requests_heading(const struct ask_requests *c, const char *title, struct mer_str *out);
void ask_requests_rest(const struct ask_requests *c, uint32_t n_left_out, struct mer_str *out);

/* An end of a request: which task, and where. */
struct ask_requests_party {
	const char *host;		     /* NULL: not recorded */
	int32_t tid, pid;		     /* -1: not known */
	const char *comm;		     /* NULL: not known */
	char address[KERNEL_ENDPOINT_BYTES]; /* without the port; "": not known */
	uint16_t port;			     /* 0: not known */
};
void ask_requests_party(const struct ask_requests *c, uint32_t exchange, enum requests_side side,
	struct ask_requests_party *p);
/* "web:shop-w2/168", with a text in the arena. */
struct mer_cell ask_requests_who(struct mer_arena *arena, const struct ask_requests_party *p);
/* Who sent it; who wrote the answer, or else read the request. KERNEL_NONE: not known. */
static inline uint32_t ask_requests_task_at(
	const struct requests_exchange *x, enum requests_side side)
{
	return side == REQUESTS_CLIENT	       ? x->client_task
	       : x->server_task == KERNEL_NONE ? x->reader
					       : x->server_task;
}
/* "running", "disk", "queued": a stable word for programs. */
static inline const char *ask_requests_part_name(const struct requests_part *p)
{
	return p->kind == REQUESTS_QUEUED || p->kind == REQUESTS_OUTSIDE
		       ? requests_part_name((enum requests_part_kind)p->kind)
		       : path_cause_name((enum path_cause)p->cause);
}

#endif
