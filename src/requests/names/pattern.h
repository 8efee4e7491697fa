/* Pattern: how a line of an access log is written, in the words of the program that writes it:
 * nginx's log_format ($msec), Apache's LogFormat (%t), Envoy's (%START_TIME%). */
#ifndef MER_REQUESTS_NAMES_PATTERN_H
#define MER_REQUESTS_NAMES_PATTERN_H

#include "requests/names/lines.h"

enum { NAMES_MOST_FIELDS = 64 };

enum names_field {
	NAMES_IGNORED,
	NAMES_EPOCH,   /* a number of units since 1970 */
	NAMES_CLF,     /* 10/Oct/2026:13:55:36 -0700, in [] or not */
	NAMES_ISO,     /* 2026-10-10T13:55:36.123-07:00 */
	NAMES_TOOK,    /* a number of units */
	NAMES_REQUEST, /* GET /path HTTP/1.1 */
	NAMES_METHOD,
	NAMES_TARGET,
	NAMES_STATUS,
	NAMES_CLIENT_PORT,
	NAMES_CLIENT, /* address, with a port or without */
	NAMES_SERVER_PORT,
	NAMES_TRACE_ID,
	NAMES_SPAN_ID,
	NAMES_TRACEPARENT /* 00-TRACE-SPAN-01: SPAN is the caller's */
};

struct names_pattern {
	struct names_piece {
		uint8_t field;	   /* enum names_field */
		bool is_begin;	   /* of a time: when the request began, not when it ended */
		int64_t unit_ns;   /* of a number */
		const char *until; /* what follows it; "": the end of the line */
		size_t until_len;
	} item[NAMES_MOST_FIELDS];
	size_t n;
	const char *before; /* the first one */
	size_t before_len;
	bool may_go_on; /* lines may have more behind the last piece */
};

/* Texts live in the arena. MER_ERR_USAGE: it is none, or has no time. */
int names_pattern_of(
	struct names_pattern *p, const char *text, struct mer_arena *arena, struct mer_err *err);
/* Fills *to, zeroed; false: the line is not of the pattern. */
bool names_pattern_read(const struct names_pattern *p, struct names_lines *l, const char *line,
	size_t len, struct names_line *to);

#endif
