/* The fields that --fields asks for: paths (trace/path.h), in the order given. */
#ifndef MER_ASK_EVENTS_EVENT_FIELDS_H
#define MER_ASK_EVENTS_EVENT_FIELDS_H

#include "trace/path.h"

struct event_fields {
	struct trace_path *paths; /* in the arena given */
	uint32_t n;
};

/* time, host, cpu and name are always there and thus left out (payload.name is a field), and so is
 * what was given before. */
int event_fields_parse(const char *const *texts, size_t n, struct mer_arena *arena,
	struct event_fields *fields, struct mer_err *err);

/* As trace_filter_reads and its like: what a reading must have for them. */
bool event_fields_read(const struct event_fields *fields, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *field);
bool event_fields_need_contexts(const struct event_fields *fields, const struct mer_experiment *e);
/* One that no event has; NULL: none. */
const char *event_fields_unknown(const struct event_fields *fields, const struct mer_experiment *e);
/* The field of the traces that is most like this text; NULL: none is. In arena. */
const char *event_fields_nearest(
	const struct mer_experiment *e, const char *text, struct mer_arena *arena);

#endif
