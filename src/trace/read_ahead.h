/* Read ahead: decodes the next batch of a cursor on a separate thread while the caller works on the
 * current one. Worth it if that work takes at least as long as decoding, and a CPU is idle. */
#ifndef MER_TRACE_READ_AHEAD_H
#define MER_TRACE_READ_AHEAD_H

#include "trace/cursor.h"

struct trace_read_ahead;

/* A batch; valid until the next one is requested. */
struct trace_ahead_batch {
	const struct mer_event *events;
	size_t n;	/* 0: there was nothing more */
	uint64_t bytes; /* trace_cursor_bytes after it */
};

/* has_thread: if false, or if no thread can be made, each batch is decoded when it is requested.
 * The caller owns the cursor, but must not use it before trace_read_ahead_stop. */
int trace_read_ahead_start(
	struct mer_cursor *c, bool has_thread, struct trace_read_ahead **a, struct mer_err *err);
int trace_read_ahead_next(
	struct trace_read_ahead *a, struct trace_ahead_batch *batch, struct mer_err *err);
void trace_read_ahead_stop(struct trace_read_ahead *a); /* NULL is fine */

#endif
