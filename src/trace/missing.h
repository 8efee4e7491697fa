/* Missing: packets that were recorded but are not in the trace: the first ones of a stream
 * (overwritten by the recorder, or a file is gone), the last ones, or a whole stream. The tracer
 * does not count them.
 *
 * - First packets: LTTng and others number the packets of a stream from 0 on.
 * - Last packets: LTTng ends all streams after the last event, so every last packet says an end
 *   that is not before the last event of its trace; and a packet that ended because the next event
 *   did not fit has a packet after it.
 * - Streams: kernel/survey.h knows which CPUs exist. If there is no packet at all of a channel (a
 *   stream class) that has events in the metadata, either its streams are missing or nothing was
 *   recorded in it: this cannot be decided. A copy never lacks a stream.
 *
 * A packet is not missing if another trace of the host has it, with the next number or of the same
 * time. */
#ifndef MER_TRACE_MISSING_H
#define MER_TRACE_MISSING_H

#include "base/str.h"
#include "trace/experiment.h"

/* Finds missing first and last packets: sets begins_late and ends_early of the streams, adds losses
 * of unknown size, and reports them. Call it when the streams are complete. */
int trace_find_missing(struct mer_experiment *e, struct mer_err *err);

/* Records and reports that a CPU of a trace has no stream although it was active. */
int trace_add_absent(struct mer_experiment *e, uint32_t trace, int32_t cpu, struct mer_err *err);

/* The stream of another trace of the host that continues where this one ends, by packet number;
 * UINT32_MAX: none. */
uint32_t trace_stream_after(const struct mer_experiment *e, uint32_t stream);

/* Was there another packet of the stream before this one, by its number? */
static inline bool trace_has_before(const struct ctf_packet *p)
{
	return p->has_seq_num && p->seq_num > 0;
}

struct trace_missing { /* numbers of streams */
	uint32_t n_late, n_early, n_absent;
	uint32_t n_unseen; /* channels without any packet, see above */
};

/* Adds the numbers of a trace. */
void trace_count_missing(const struct mer_experiment *e, uint32_t trace, struct trace_missing *m);
static inline bool trace_is_missing(const struct trace_missing *m)
{
	return m->n_late || m->n_early || m->n_absent || m->n_unseen;
}
/* "the first packets of 2 streams and the whole stream of 1 CPU"; nothing if nothing is missing. */
void trace_put_missing(struct mer_str *out, const struct trace_missing *m);

#endif
