/* Which events and fields 'meridian events' reads: what --filter, --fields, --tid, --comm,
 * --host, --cpu and --request ask for, as one reading and one test. */
#ifndef MER_ASK_EVENTS_EVENT_SELECT_H
#define MER_ASK_EVENTS_EVENT_SELECT_H

#include "ask/context.h"
#include "ask/events/event_fields.h"
#include "ask/events/event_pieces.h"
#include "trace/filter/filter.h"

struct event_select {
	const struct mer_experiment *e;
	struct trace_filter *filter; /* NULL: none */
	struct trace_bound_filter *bound;
	struct event_pieces *pieces; /* borrowed; NULL: of any task and time */
	struct event_fields fields;
	bool has_fields, headers;
	bool *streams; /* wanted; NULL: all */
	struct trace_reading *reading;
};

struct event_select_options {
	const char *filter;
	const struct session_texts *fields;
	const struct session_texts *names; /* of events, * and ? are wildcards; NULL: all */
	bool headers;		     /* packet contexts and event headers are wanted as well */
	bool contexts;		     /* packet contexts are wanted, when no fields are named */
	struct event_pieces *pieces; /* of a request; NULL: none */
};

/* Fields and names that no event has are errors in --fields and --name, and a warning in --filter.
 * The struct is to be freed in any case. */
int event_select_init(struct event_select *s, struct ask *ask, const struct mer_experiment *e,
	const struct event_select_options *o);
void event_select_fini(struct event_select *s);

/* Is this event wanted? context: see trace_cursor_context. Any number of threads may call it. */
static inline bool event_selected(
	const struct event_select *s, const uint64_t *context, const struct mer_event *ev)
{
	return (!s->streams || s->streams[ev->stream]) &&
	       (!s->bound || trace_filter_match(s->bound, context, ev)) &&
	       (!s->pieces || event_pieces_have(s->pieces, context, ev));
}

/* Adds a comparison of the fields in which tracers put the tasks that an event is about. */
void event_select_tids(struct mer_str *filter, const struct session_ranges *tids);

#endif
