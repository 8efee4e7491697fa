/* Cursor: the events of all streams, merged, a batch at a time.
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
 * The result does not depend on where windows begin and end. */
#ifndef MER_TRACE_CURSOR_H
#define MER_TRACE_CURSOR_H

#include "trace/reading.h"

struct trace_range { /* [begin, end) */
	int64_t begin, end;
};

/* The first packet of each stream that a reading from begin on needs, if the packets' headers tell
 * the truth about their ends. */
void trace_first_packets(const struct mer_experiment *e, int64_t begin, uint32_t *first);

/* The reading must outlive the cursor. first: per stream, the packet to begin with; NULL: found by
 * the packets' times, with two packets more than seems needed, because their ends are not always
 * true. */
int trace_cursor_new(struct mer_experiment *e, const struct trace_reading *reading,
	struct trace_range range, const uint32_t *first, struct mer_cursor **cursor,
	struct mer_err *err);
/* All events of one host, but what two of its traces have (trace_twin) once, for readers that have
 * a cursor for each host: what each of them needs depends on the number of hosts only so far that
 * all together stay small. */
int trace_cursor_of_host(struct mer_experiment *e, const struct trace_reading *reading,
	uint32_t host, struct mer_cursor **cursor, struct mer_err *err);
/* The same of a part of the time. first: per stream of the host, the packet to begin with; NULL:
 * found. */
int trace_cursor_of_host_from(struct mer_experiment *e, const struct trace_reading *reading,
	uint32_t host, struct trace_range range, const uint32_t *first, struct mer_cursor **cursor,
	struct mer_err *err);
/* Per stream: the packet that the cursor began with, and the one with which a cursor that goes on
 * from here must begin. */
void trace_cursor_packets(const struct mer_cursor *c, uint32_t *first, uint32_t *left);
/* Streams that it reads: elements of such arrays. */
uint32_t trace_cursor_streams(const struct mer_cursor *c);
/* mer_cursor_free, but its diagnostics are forgotten: somebody else reads the same again. */
void trace_cursor_drop(struct mer_cursor *c);
/* mer_cursor_free, but its diagnostics go here: for cursors on several threads, whose findings are
 * joined later. */
void trace_cursor_free_to(struct mer_cursor *c, struct mer_diags *found);

/* A batch that stays when the cursor goes on: for readers that hand batches to other threads.
 * Zeroed before its first use; then it is taken into again and again. */
struct trace_batch {
	const struct mer_event *events;
	size_t n; /* 0: there was nothing more */
	/* What they point into; the cursor's and the batch's change places. */
	struct mer_event *storage;
	struct ctf_pool pool;
	const uint64_t **contexts;
	uint32_t *files; /* in use by the batch; NULL: all stay mapped (files.h) */
	uint32_t n_files;
	const struct mer_experiment *e;
};

/* mer_cursor_next, but the events stay until the batch is taken into again or freed. Strings lie
 * in the trace's files: they stay only where trace_files_stay(), else until the next batch is
 * taken. */
int trace_cursor_take(struct mer_cursor *c, struct trace_batch *b, struct mer_err *err);
void trace_batch_fini(struct trace_batch *b);
/* Larger batches than are best for one thread: so many events at least, where there are as many. */
void trace_cursor_aim(struct mer_cursor *c, uint32_t n_events);

/* Row of the packet context of an event of the current batch (slots as the stream plan's context),
 * NULL when contexts are not read. */
const uint64_t *trace_cursor_context(const struct mer_cursor *c, const struct mer_event *ev);
/* The same for an event of a batch that was taken. */
const uint64_t *trace_batch_context(const struct trace_batch *b, const struct mer_event *ev);
/* Bytes of packets begun so far, for progress. */
uint64_t trace_cursor_bytes(const struct mer_cursor *c);

#endif
