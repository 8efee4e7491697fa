/* Read ahead: the batches of a cursor, decoded on a thread of their own while the caller works on
 * the one before. Worth it where the work on a batch takes at least as long as decoding it, and a
 * CPU has nothing else to do. */
#ifndef MER_TRACE_READ_AHEAD_H
#define MER_TRACE_READ_AHEAD_H

#include "trace/cursor.h"

struct trace_read_ahead;

/* What is known about a batch; it holds until the next one is asked for. */
struct trace_ahead_batch {
	const struct mer_event *events;
	size_t n;		 /* 0: there was nothing more */
	uint64_t bytes;		 /* trace_cursor_bytes after it */
	const uint32_t *packets; /* with which a cursor that begins with it must begin; NULL */
};

/* has_thread: false decodes a batch when it is asked for; also where there can be no thread.
 * has_packets: batches say their packets. The cursor is the caller's, who must leave it alone until
 * trace_read_ahead_stop. */
int trace_read_ahead_start(struct mer_cursor *c, bool has_thread, bool has_packets,
	struct trace_read_ahead **a, struct mer_err *err);
int trace_read_ahead_next(
	struct trace_read_ahead *a, struct trace_ahead_batch *batch, struct mer_err *err);
void trace_read_ahead_stop(struct trace_read_ahead *a); /* NULL is fine */

#endif
