/* Walk: visits every event record once, in no particular order, as cheaply as possible: for
 * counting.
 *
 * Decodes only headers and what is needed to find the next record. Packets are walked on several
 * threads. */
#ifndef MER_TRACE_WALK_H
#define MER_TRACE_WALK_H

#include "base/pool.h"
#include "trace/reading.h"
#include "trace/cursor.h"

struct trace_count {
	uint64_t events;
	uint64_t bits; /* size of the records, including headers and padding between them */
};

struct trace_counts {
	struct mer_arena arena;
	/* counts[part][number of the event record class, over all stream classes of the schema] */
	struct trace_count **by_class;
	struct trace_count *by_stream; /* by stream number */
	int64_t *first, *last; /* per stream: least and greatest event time; MER_NO_TIME: none */
	uint64_t n_back;
	struct trace_step_back { /* the largest step back of a stream's clock */
		uint64_t from, by;
		uint32_t stream;
	} worst;
	struct trace_count all;
};

/* done_bytes (NULL allowed) is increased as packets are finished. Damage goes to the experiment's
 * diagnostics. With a range, counts the events that a cursor over the same range returns. */
int trace_walk(struct mer_experiment *e, unsigned n_threads, struct mer_cancel *cancel,
	_Atomic uint64_t *done_bytes, struct trace_counts **counts, struct mer_err *err);
int trace_walk_range(struct mer_experiment *e, struct trace_range range, unsigned n_threads,
	struct mer_cancel *cancel, _Atomic uint64_t *done_bytes, struct trace_counts **counts,
	struct mer_err *err);
/* As trace_walk, but records without a fixed layout are decoded as a cursor does, so that a record
 * that a cursor cannot read is damage here, too. reading: must have all events and fields. */
int trace_walk_deep(struct mer_experiment *e, const struct trace_reading *reading,
	unsigned n_threads, struct mer_cancel *cancel, _Atomic uint64_t *done_bytes,
	struct trace_counts **counts, struct mer_err *err);
void trace_counts_free(struct trace_counts *);

#endif
