/* One request, as --request ID of a verb names it: the traces opened, their requests found, and
 * what is needed to find its parts. */
#ifndef MER_ASK_REQUESTS_ONE_REQUEST_H
#define MER_ASK_REQUESTS_ONE_REQUEST_H

#include "analysis/period.h"
#include "ask/context.h"
#include "ask/words/options.h"
#include "requests/parts.h"
#include "session/session.h"

struct ask_request_values { /* of options; zeroed: none */
	struct ask_request_choice which;
	struct session_texts by;
};

/* Rows of a verb's options; member: the struct ask_request_values in the verb's values. */
#define ASK_REQUEST_OPTIONS(type, member, words)                                                   \
	{ .name = "request",                                                                       \
		.kind = ASK_REQUEST,                                                               \
		.arg = "ID",                                                                       \
		.help = words,                                                                     \
		.offset = offsetof(type, member.which) },                                          \
	{                                                                                          \
		.name = "request-by", .kind = ASK_TEXTS, .choices = "host|cpu|tid|comm",           \
		.arg = "KEY", .help = "match events of a rule by host, cpu, tid, comm or FIELD",   \
		.in_manual_only = true, .offset = offsetof(type, member.by)                        \
	}

/* What the manual of verbs that take an id says of rules. */
#define ASK_REQUEST_MANUAL                                                                         \
	"--request also takes a rule 'BEGIN : END', with --request-by KEY, besides the id: the "   \
	"requests that it makes have ids such as u1.3 (see meridian-requests(1))."

struct ask_request {
	struct session *s;
	struct session_world w;
	struct requests *r;
	struct requests_parts_finder *parts;
	uint32_t number; /* of the exchange */
	/* Of a rule; else has_own is false. */
	struct analysis_periods own;
	bool has_own;
};

/* Opens ask->args, with aligned clocks, and finds the request; there must be an id.
 * ask_request_close in any case. */
int ask_request_open_chosen(
	struct ask *ask, const struct ask_request_values *v, struct ask_request *q);
/* All of them, those of a rule, too (v NULL: none), and what tasks used: number is KERNEL_NONE, and
 * there are no parts yet. */
int ask_requests_open_used(struct ask *ask, const struct ask_request_values *v,
	enum session_usage usage, struct ask_request *q);
/* Instead of those that are there: of these requests and those below them; which NULL: of all. */
int ask_requests_find_parts(
	struct ask *ask, struct ask_request *q, const uint32_t *which, uint32_t n);
/* Another one of the same traces, without its parts. */
int ask_request_find(
	struct ask *ask, const struct ask_request *q, const char *id, uint32_t *number);
void ask_request_close(struct ask *ask, struct ask_request *q);

/* MER_ERR_USAGE if options that select tasks or the time are given too: the request does. */
int ask_request_alone(struct ask *ask);

#endif
