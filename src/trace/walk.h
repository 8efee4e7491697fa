/* Walk: every event record once, in no order, as cheap as can be: for counting.
 *
 * Nothing is decoded but headers and what is needed to find the next record. Packets are walked on
 * several threads. */
#ifndef MER_TRACE_WALK_H
#define MER_TRACE_WALK_H

#include "base/pool.h"
#include "trace/reading.h"
#include "trace/cursor.h"

struct trace_count {
	uint64_t events;
	uint64_t bits; /* of the records, headers and padding between them included */
};

struct trace_counts {
	struct mer_arena arena;
	/* counts[part][number of the event record class, over all stream classes of the schema] */
	struct trace_count **by_class;
	struct trace_count *by_stream; /* as the streams */
	int64_t *first, *last; /* per stream: least and greatest event time; MER_NO_TIME: none */
	uint64_t n_back;
	struct trace_step_back { /* the greatest step back of its clock */
		uint64_t from, by;
		uint32_t stream;
	} worst;
	struct trace_count all;
};

/* done_bytes (NULL allowed) is raised as packets are finished. Damage goes to the experiment's
 * diagnostics. With a range, counts what a cursor over the same range gives. */
int trace_walk(struct mer_experiment *e, unsigned n_threads, struct mer_cancel *cancel,
	_Atomic uint64_t *done_bytes, struct trace_counts **counts, struct mer_err *err);
int trace_walk_range(struct mer_experiment *e, struct trace_range range, unsigned n_threads,
	struct mer_cancel *cancel, _Atomic uint64_t *done_bytes, struct trace_counts **counts,
	struct mer_err *err);
/* The same as trace_walk, but what is not at fixed places is decoded as a cursor does: so a record
 * that a cursor cannot read is damage here too. reading: of all events and fields. */
int trace_walk_deep(struct mer_experiment *e, const struct trace_reading *reading,
	unsigned n_threads, struct mer_cancel *cancel, _Atomic uint64_t *done_bytes,
	struct trace_counts **counts, struct mer_err *err);
void trace_counts_free(struct trace_counts *);

#endif
