/* Slices: a merged reading on several threads.
 *
 * The time range is cut into slices of about equal bytes; each is read by a cursor of its own, on
 * any thread, and its result is consumed in the order of time. The result is exactly that of one
 * cursor: if a packet's header has a wrong end, so that a slice began too late in a stream, this is
 * detected and the slice is read again. */
#ifndef MER_TRACE_SLICES_H
#define MER_TRACE_SLICES_H

#include "base/pool.h"
#include "trace/cursor.h"

struct trace_slices_job {
	const struct trace_reading *reading;
	struct trace_range range;
	unsigned n_threads;
	uint64_t slice_bytes; /* 0: a default */
	size_t n_slots;	      /* results that may wait to be consumed; 0: n_threads + 2 */
	struct mer_cancel *cancel;
	void *ctx;
	/* begin: a slice starts in this slot; discard its previous contents. The second is called
	 * with the slice's events. consume: the slice is complete, and those before it were
	 * consumed. The first two run on any thread, but never at the same time for one slot;
	 * consume runs on the caller's thread. If it returns MER_POOL_STOP, everything ends. */
	void (*begin)(void *ctx, size_t slot);
	int (*batch)(void *ctx, size_t slot, const struct mer_cursor *c, const struct mer_event *ev,
		size_t n, struct mer_err *err);
	int (*consume)(void *ctx, size_t slot, struct mer_err *err);
};

int trace_run_slices(
	struct mer_experiment *e, const struct trace_slices_job *job, struct mer_err *err);

#endif
