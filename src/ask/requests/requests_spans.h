/* Spans: requests at each of their ends, as tools for tracing show them: what the formats of these
 * share.
 *
 * The server's span is below the requester's, and what the server sent to serve it is below the
 * server's. An end that was not recorded has no span; what is above is looked for only in the
 * output. 37 bytes for each request. */
#ifndef MER_ASK_REQUESTS_REQUESTS_SPANS_H
#define MER_ASK_REQUESTS_REQUESTS_SPANS_H

#include "ask/requests/requests_print.h"

struct ask_requests_span {
	uint32_t host, process; /* task that stands for it; KERNEL_NONE: not known */
	uint32_t exchange;
	uint32_t side; /* enum requests_side */
};

struct ask_requests_spans {
	const struct ask_requests *c;
	/* By host, process, and the order in which the requests were selected. */
	struct ask_requests_span *item;
	size_t n;
	uint8_t *has;	/* by exchange: the sides that have a span, a bit each */
	uint32_t *root; /* by exchange: the one at the top of all that it is below */
};

/* ask_requests_spans_fini in any case. */
int ask_requests_spans_find(const struct ask_requests *c, struct ask_requests_spans *s);
void ask_requests_spans_fini(struct ask_requests_spans *s);

static inline bool ask_requests_same_process(
	const struct ask_requests_span *a, const struct ask_requests_span *b)
{
	return a->host == b->host && a->process == b->process;
}

/* When it begins and ends at a side. What the requester read had been sent, even if the server's
 * call returned later; and clocks do not decide it. */
int64_t ask_requests_begin_at(const struct requests_exchange *x, enum requests_side side);
int64_t ask_requests_end_at(const struct requests_exchange *x, enum requests_side side);
/* False: nothing above it is in the output. Only exchange and side of *above are set. */
bool ask_requests_span_above(const struct ask_requests_spans *s, uint32_t exchange,
	enum requests_side side, struct ask_requests_span *above);

#endif
