/* Lines: what programs themselves say of the requests that they served or sent: a line of an access
 * log, or a span of a tracer for distributed tracing. What is not said is 0 or false.
 *
 * Times are those of the clock of whoever wrote them. Those of an access log are cut off: the true
 * time is later by less than resolution_ns, by the same for both, as one is computed from the other
 * and how long it took. */
#ifndef MER_REQUESTS_NAMES_LINES_H
#define MER_REQUESTS_NAMES_LINES_H

#include "base/err.h"
#include "base/map.h"

/* More lines than that are no question about a recording; 80 bytes each. */
enum { NAMES_MOST_LINES = 4 << 20 };
/* A line longer than that is not read (counted as n_unread). */
enum { NAMES_MOST_BYTES = 64 << 10 };

struct names_line {
	int64_t begin, end; /* ns since 1970 */
	int64_t resolution_ns;
	/* Numbers of texts, plus 1; 0: not known. name: "GET /cart"; ids: in hex. source: of
	 * spans, the host and service that they are of. */
	uint32_t name, status, trace_id, span_id, parent_span_id, source, host;
	uint32_t number;		   /* of the line in the file, or of the span, from 1 on */
	uint16_t client_port, server_port; /* 0: not known */
	bool has_begin, has_end;
	bool is_client;	   /* written by who sent it; else by who answered */
	uint32_t exchange; /* it is of, plus 1; 0: none (names.h) */
};

struct names_lines { /* zeroed with the arena initialized by names_lines_init */
	struct mer_arena arena;
	struct mer_intern texts;
	struct names_line *item; /* in the order of the file */
	size_t n, cap;
	uint64_t n_unread;     /* lines, or spans, that are not of the format */
	uint32_t first_unread; /* line of the first one */
	bool is_cut;	       /* the file ends in the middle of what it has, or is damaged there */
};

void names_lines_init(struct names_lines *l);
void names_lines_fini(struct names_lines *l);

/* Reads the file, compressed by gzip or not. format: "nginx", "apache", "envoy", or a pattern, as
 * log_format of nginx and LogFormat of Apache have it; NULL: spans. JSON is always read as spans.
 * MER_ERR_USAGE: the format is not understood, or needed and not given. */
int names_read(struct names_lines *l, const char *path, const char *format, struct mer_err *err);
const char *names_text(const struct names_lines *l, uint32_t number_plus_1);

/* Of this folder. */
/* The next one, zeroed; NULL: no memory, or too many (err is filled). */
struct names_line *names_add_line(struct names_lines *l, const char *path, struct mer_err *err);
/* A text made safe to show, cut at 200 bytes; 0: it is empty, or there is no memory. */
uint32_t names_keep(struct names_lines *l, const char *text, size_t len);
/* "GET" and "/cart/17?x=1" -> "GET /cart/N": without the query, and with * for numbers and ids. */
uint32_t names_keep_request(struct names_lines *l, const char *method, size_t method_len,
	const char *target, size_t target_len);
/* An id of n_digits digits in hex, not all of them 0; else 0. */
uint32_t names_keep_id(struct names_lines *l, const char *text, size_t len, size_t n_digits);
int names_read_spans(
	struct names_lines *l, const char *path, const char *text, size_t len, struct mer_err *err);

#endif
