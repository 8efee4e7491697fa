/* Missing: what of a trace was recorded, but is not there: the first packets of a stream (a
 * recorder overwrote them, or a file is gone), its last ones, or a whole stream. The tracer counts
 * none of it.
 *
 * - First packets: LTTng and others number the packets of a stream from 0 on.
 * - Last packets: LTTng ends all streams after the last event, so every last packet says an end
 *   that is not before the last event of its trace; and a packet that ended because the next event
 *   did not fit has a packet after it.
 * - Streams: kernel/survey.h knows the CPUs that there are. Where there is no packet of a channel
 *   (a class of streams) that has events by the metadata, its streams are missing, or nothing was
 *   recorded in it: nothing tells which; but of a copy none is missing.
 *
 * A packet that another trace of the host has, with the next number or of the same time, is not
 * missing. */
#ifndef MER_TRACE_MISSING_H
#define MER_TRACE_MISSING_H

#include "base/str.h"
#include "trace/experiment.h"

/* Finds first and last packets that are missing: begins_late and ends_early of the streams, losses
 * without a number, and findings that tell of them. After the streams are described. */
int trace_find_missing(struct mer_experiment *e, struct mer_err *err);

/* A CPU of a trace has no stream, though it was at work: a finding, too. */
int trace_add_absent(struct mer_experiment *e, uint32_t trace, int32_t cpu, struct mer_err *err);

/* A stream of another trace of the host that goes on where this one ends, by the numbers of the
 * packets; UINT32_MAX: none. */
uint32_t trace_stream_after(const struct mer_experiment *e, uint32_t stream);

/* Was there another packet of the stream before this one, by its number? */
static inline bool trace_has_before(const struct ctf_packet *p)
{
	return p->has_seq_num && p->seq_num > 0;
}

struct trace_missing { /* numbers of streams */
	uint32_t n_late, n_early, n_absent;
	uint32_t n_unseen; /* of channels, of a trace without any: there is none */
};

/* Adds what is missing of a trace. */
void trace_count_missing(const struct mer_experiment *e, uint32_t trace, struct trace_missing *m);
static inline bool trace_is_missing(const struct trace_missing *m)
{
	return m->n_late || m->n_early || m->n_absent || m->n_unseen;
}
/* "the first packets of 2 streams and the whole stream of 1 CPU"; nothing if nothing is missing. */
void trace_put_missing(struct mer_str *out, const struct trace_missing *m);

#endif
