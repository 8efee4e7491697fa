/* Reading: a selection of events and fields, compiled for every part of an experiment. Shared by
 * all cursors and walks with the same selection; immutable. */
#ifndef MER_TRACE_READING_H
#define MER_TRACE_READING_H

#include "ctf/decode.h"
#include "trace/experiment.h"

/* Maximum slots of one event record, including the contents of its arrays: 128 MB. */
enum { TRACE_MAX_EVENT_SLOTS = 1 << 24 };

struct trace_reading {
	struct mer_arena arena;
	struct ctf_program **programs; /* as e->parts */
	bool contexts;		       /* packet contexts are read, too */
	uint32_t n_plans;	       /* ctf_plan.id of event record classes: 0 .. n_plans - 1 */
	uint32_t max_slots, max_regs;
};

/* wants may be NULL: all events, all fields. */
int trace_reading_new(const struct mer_experiment *e, const struct ctf_wants *wants, bool contexts,
	struct trace_reading **reading, struct mer_err *err);
/* The same from the public struct. */
int trace_reading_from_needs(const struct mer_experiment *e, const struct mer_need *needs,
	size_t n_needs, bool headers, struct trace_reading **reading, struct mer_err *err);
void trace_reading_free(struct trace_reading *);

/* Doubles the pool's room, up to TRACE_MAX_EVENT_SLOTS; the slots may move. False: no memory. */
bool trace_pool_grow(struct ctf_pool *pool);

#endif
