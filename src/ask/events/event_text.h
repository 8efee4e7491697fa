/* Events as text, in the layout that people know from babeltrace2's default output:
 *
 *   [17:46:22.794567672] (+0.000001868) host name: { packet context }, { contexts }, { payload }
 *
 * Line for line the same, so that diff between the two is empty; but names and values are made
 * safe for a terminal (base/safe_text.h). Immutable once made: any number of threads may format
 * with it. */
#ifndef MER_ASK_EVENTS_EVENT_TEXT_H
#define MER_ASK_EVENTS_EVENT_TEXT_H

#include "base/str.h"
#include "ask/events/event_fields.h"
#include "trace/cursor.h"

struct event_text;

/* fields NULL: all that were read but those of event headers. ascii: what is beyond ASCII is
 * escaped. */
int event_text_new(const struct mer_experiment *e, const struct trace_reading *r,
	const struct event_fields *fields, bool ascii, struct event_text **text,
	struct mer_err *err);
void event_text_free(struct event_text *);
/* Does any line show a packet context? If not, the reading need not have them. Works without a
 * reading, on the experiment alone. */
bool event_text_has_contexts(const struct mer_experiment *e);

/* Texts too long to be copied into a line: what is left out of it, to be written when the line
 * is. */
enum { EVENT_LONG_TEXT = 4 << 20 };
struct event_long {
	size_t at; /* in out */
	const char *s;
	size_t len;
};
struct event_longs {
	struct event_long *rows; /* malloc'ed */
	uint32_t n, cap;
};

struct event_text_state { /* of one thread */
	int64_t last;	  /* time of the line before, MER_NO_TIME: there is none */
	int64_t second;	  /* whose text is in clock[] */
	char clock[9];
	/* Where in out the delta of the first line belongs, when last was not known; -1:
	 * nowhere. */
	int64_t delta_at, first;
	struct event_longs *longs; /* NULL: lines have all of their text */
	bool leave_delta;	   /* leave it out there, for event_text_delta */
};

void event_text_begin(struct event_text_state *s);
void event_text_line(const struct event_text *t, struct event_text_state *s, struct mer_str *out,
	const uint64_t *context, const struct mer_event *ev);
/* What was left out, as it would have been in the line; in pieces of any size. Returns the bytes
 * taken. */
size_t event_text_part(const struct event_text *t, struct mer_str *out, const char *s, size_t len);
/* "+0.000001868" */
void event_text_delta(struct mer_str *out, int64_t last, int64_t ts);

#endif
