/* The events of a request: those on the CPU of a task while it worked for it (requests/pieces.h),
 * and those that name such a task, as wake-ups by others do. */
#ifndef MER_ASK_EVENTS_EVENT_PIECES_H
#define MER_ASK_EVENTS_EVENT_PIECES_H

#include "ask/context.h"
#include "requests/pieces.h"
#include "trace/filter/filter.h"

struct event_stay {	    /* of a CPU or a task, in order of both */
	uint64_t place;	    /* host and CPU; task in event_pieces.tasks */
	int64_t begin, end; /* both belong to it */
};

struct event_pieces {
	const struct mer_experiment *e;
	int64_t begin, end; /* of the request */
	struct event_stay *on_cpus, *of_tasks;
	size_t n_on_cpus, n_of_tasks;
	struct event_named {
		uint32_t host;
		struct trace_filter *filter;
		struct trace_bound_filter *bound;
	} * tasks;
	size_t n_tasks;
};

/* event_pieces_fini in any case. */
int event_pieces_init(struct event_pieces *p, struct ask *ask, const struct mer_experiment *e,
	const struct kernel_world *w, const struct requests_piece *pieces, size_t n);
void event_pieces_fini(struct event_pieces *p);

/* For a reading: the fields that name tasks, and when it is there. */
bool event_pieces_read(const struct event_pieces *p, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *field);
int event_pieces_bind(
	struct event_pieces *p, const struct trace_reading *reading, struct mer_err *err);

/* Any number of threads may call it. */
bool event_pieces_have(
	const struct event_pieces *p, const uint64_t *context, const struct mer_event *ev);

#endif
