/* Events as JSON, one object each on one line:
 *
 *   {"time":1714732496123456789,"host":"vm","cpu":1,"stream":3,"name":"sched_switch",
 *    "context":{...},"specific_context":{...},"packet_context":{...},"header":{...},
 *    "payload":{...}}
 *
 * time is ns since 1970, null without a clock, and when "base_s" follows counts from so many
 * seconds after 1970. cpu is left out when it is not known, a scope when there is none;
 * packet_context and header only come on request; payload is always there. With fields it is
 * instead
 *
 *   {"time":...,"host":"vm","cpu":1,"name":"sched_switch","next_tid":42,"regs.ax":null}
 *
 * where every line has every key. Values: see event_value.h. Immutable once made: any number of
 * threads may format with it. */
#ifndef MER_ASK_EVENTS_EVENT_JSON_H
#define MER_ASK_EVENTS_EVENT_JSON_H

#include "base/str.h"
#include "ask/events/event_fields.h"
#include "trace/cursor.h"

struct event_json;

struct event_json_options {		   /* zeroed: all fields */
	const struct event_fields *fields; /* NULL: all */
	bool headers; /* also packet contexts and event headers, where the reading has them */
};

/* MER_ERR_BUG: the reading lacks a field that was asked for. The reading may have more than
 * that. */
int event_json_new(const struct mer_experiment *e, const struct trace_reading *r,
	const struct event_json_options *o, struct event_json **json, struct mer_err *err);
void event_json_free(struct event_json *);

/* Adds the object, without a line's end. */
void event_json_object(const struct event_json *j, struct mer_str *out, const uint64_t *context,
	const struct mer_event *ev);
/* The same with the line's end. */
void event_json_line(const struct event_json *j, struct mer_str *out, const uint64_t *context,
	const struct mer_event *ev);

#endif
