/* Cursor: the merged events of all streams, one batch at a time.
 *
 * A batch is a window of time: every stream decodes its events up to the window's end, one stream
 * after the other (so the code and data of a stream stay hot), then the window is sorted by time.
 * The cost of merging thus hardly depends on the number of streams. The window's width follows the
 * density of events. If a window turns out to hold too much, all streams go back to its begin
 * (their positions are small structs) and it is made narrower; a single instant with more events
 * than fit is handed out in the order of the streams, which is its order.
 *
 *   stream A  |--e----e-|-ee--e---
 *   stream B  |-e---e---|---e----     window = [begin, end): A's events, then B's, then a stable
 *             begin    end            radix sort: (time, stream, place in the stream)
 *
 * A packet that begins before the one before it has ended (tracers have such bugs) is read beside
 * it: both are lanes of their stream. Inside a packet, time that goes backwards cannot be put in
 * order; such an event follows its predecessor, and is counted.
 *
 * The result does not depend on where windows begin and end.  */
#ifndef MER_TRACE_CURSOR_H
#define MER_TRACE_CURSOR_H

#include "trace/reading.h"

struct trace_range { /* [begin, end) */
	int64_t begin, end;
};

/* For each stream the first packet that a reading from `begin` on needs, provided that the ends in
 * packet headers are correct. */
void trace_first_packets(const struct mer_experiment *e, int64_t begin, uint32_t *first);

/* The reading must outlive the cursor. first: per stream, the packet to begin with; NULL: found
 * from the packets' times, starting two packets early, because the ends in headers are not always
 * correct. */
int trace_cursor_new(struct mer_experiment *e, const struct trace_reading *reading,
	struct trace_range range, const uint32_t *first, struct mer_cursor **cursor,
	struct mer_err *err);
/* All events of one host; events recorded by two of its traces (trace_twin) come once. For readers
 * with one cursor per host: its memory shrinks with the number of hosts, so that all cursors
 * together stay small. */
int trace_cursor_of_host(struct mer_experiment *e, const struct trace_reading *reading,
	uint32_t host, struct mer_cursor **cursor, struct mer_err *err);
/* The same for part of the time. first: per stream of the host, the packet to begin with; NULL:
 * found from the packets' times. */
int trace_cursor_of_host_from(struct mer_experiment *e, const struct trace_reading *reading,
	uint32_t host, struct trace_range range, const uint32_t *first, struct mer_cursor **cursor,
	struct mer_err *err);
/* Per stream: the packet with which the cursor began, and the one with which another cursor must
 * begin to continue from here. */
void trace_cursor_packets(const struct mer_cursor *c, uint32_t *first, uint32_t *left);
/* mer_cursor_free, but drops its diagnostics, because another cursor reads the same events
 * again. */
void trace_cursor_drop(struct mer_cursor *c);
/* mer_cursor_free, but moves its diagnostics to `found`: for cursors on several threads, whose
 * diagnostics are merged later. */
void trace_cursor_free_to(struct mer_cursor *c, struct mer_diags *found);

/* A batch that stays valid while the cursor continues: for readers that pass batches to other
 * threads. Zero it before first use; it can then be reused by trace_cursor_take. */
struct trace_batch {
	const struct mer_event *events;
	size_t n; /* 0: there was nothing more */
	/* Memory of the events; swapped with the cursor's when a batch is taken. */
	struct mer_event *storage;
	struct ctf_pool pool;
	const uint64_t **contexts;
	uint32_t *files; /* in use by the batch; NULL: all stay mapped (files.h) */
	uint32_t n_files;
	const struct mer_experiment *e;
};

/* mer_cursor_next, but the events stay valid until the batch is reused or freed. Strings point into
 * the trace's files: they stay as long only if trace_files_stay(); otherwise until the next batch
 * is taken. */
int trace_cursor_take(struct mer_cursor *c, struct trace_batch *b, struct mer_err *err);
void trace_batch_fini(struct trace_batch *b);
/* Makes batches larger than is best for one thread: at least n_events, if there are as many. */
void trace_cursor_aim(struct mer_cursor *c, uint32_t n_events);

/* Packet context row of an event in the current batch (slots as in the stream plan's context); NULL
 * if contexts are not read. */
const uint64_t *trace_cursor_context(const struct mer_cursor *c, const struct mer_event *ev);
/* The same for an event of a batch that was taken. */
const uint64_t *trace_batch_context(const struct trace_batch *b, const struct mer_event *ev);
/* Total bytes of the packets begun so far, for progress. */
uint64_t trace_cursor_bytes(const struct mer_cursor *c);

#endif
