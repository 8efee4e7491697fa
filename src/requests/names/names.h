/* Names: which request each line of a log, or span, is of.
 *
 * Lines of one source (a log; the spans of a service on a host) are of one service: the one whose
 * requests fit them. A line fits a request that had begun when the line says that it began, and
 * ended when the line says that it ended, of the same client's port if the line has that. What fits
 * several requests, and a request that several lines fit, stay without a name: a name that is
 * missing is seen, a wrong one is not.
 *
 * Clocks: lines have the time of the host that wrote them. Whether that is the time of the host in
 * the recording is decided by how many lines fit then, against how many would fit if the lines were
 * moved by any other time: a clock that is wrong is found, and either the lines are moved (if one
 * time makes them fit, and no other one) or none of them is used. Invariant: a request has at most
 * one line as seen by who answered, and one by who sent it. */
#ifndef MER_REQUESTS_NAMES_NAMES_H
#define MER_REQUESTS_NAMES_NAMES_H

#include "requests/kinds.h"
#include "requests/names/lines.h"
#include "trace/clock_map.h"

enum names_verdict {
	NAMES_JOINED,
	NAMES_NO_SERVICE,  /* no service that was recorded fits --names-to, or the host */
	NAMES_OTHER_TIME,  /* no line is of the time of the recording */
	NAMES_NO_FIT,	   /* lines do not fit, at any time */
	NAMES_ANY_FIT,	   /* they would fit as well at other times, or other services */
	NAMES_TWO_SERVICES /* they fit another service as well: names_source.other */
};

struct names_source {	 /* lines of one clock */
	uint32_t source; /* as names_line.source */
	bool is_client;
	enum names_verdict verdict;
	const char *service, *other; /* "web:80 nginx"; NULL: none */
	uint32_t host;		     /* of the service */
	size_t n;
	size_t n_named; /* lines with a request */
	/* Not of the time of the recording; several requests fit, or the line is not the only one
	 * that fits; no request fits; one fits, but not those beside it. */
	size_t n_outside, n_alike, n_unfit, n_doubtful;
	size_t n_fit; /* of n_tried lines, at the recorded time */
	size_t n_tried, n_tried_moved, n_fit_moved;
	int64_t moved_ns; /* added to their times; 0: they are right */
};

struct names {
	struct names_lines lines;
	const struct requests *r;
	/* By exchange: line, plus 1; 0: none. Of who answered; of who sent it. */
	uint32_t *by_server, *by_client;
	struct names_source *sources;
	size_t n_sources;
};

struct names_query {
	const char *to; /* pattern of a service ("web:80 nginx") or of a part of it; NULL: any */
	const struct trace_clock_map *maps; /* by host; NULL: clocks are as recorded */
};

/* lines: become the result's. names_fini in any case. */
int names_find(struct names *x, struct names_lines *lines, const struct requests_kinds *k,
	const struct names_query *q, struct mer_err *err);
void names_fini(struct names *x); /* zeroed: fine */

/* The line with the name of a request; NULL: none. */
const struct names_line *names_of(const struct names *x, uint32_t exchange);
/* The trace that a request, or one that it was sent for, is of; 0: none. */
uint32_t names_trace_of(const struct names *x, uint32_t exchange);

#endif
