/* Probe: the event times of a single packet, without values and without reading the rest of the
 * stream. */
#ifndef MER_TRACE_PROBE_H
#define MER_TRACE_PROBE_H

#include "trace/experiment.h"

struct trace_prober {
	struct mer_experiment *e;
	struct ctf_decoder d;
	struct ctf_pool pool;
	uint64_t *row, *header_row;
	struct mer_arena arena;
};

/* Call Call trace_prober_fini in any case. */
int trace_prober_init(struct trace_prober *p, struct mer_experiment *e, struct mer_err *err);
void trace_prober_fini(struct trace_prober *p);

struct trace_times { /* of events, cycles */
	uint64_t first, last;
	uint64_t tail; /* of the first event with at most tail_bits after it */
	bool any, has_tail;
};

/* Times of the first n_max events, as far as they can be read. clock: initial value if the packets
 * have no begin time. */
struct trace_times trace_probe(struct trace_prober *p, const struct ctf_packet *packet,
	uint64_t n_max, uint64_t tail_bits, uint64_t *clock);

/* NULL: it has none. */
static inline const struct mer_clock *trace_probe_clock(
	const struct trace_prober *p, const struct ctf_packet *packet)
{
	return trace_clock(&p->e->parts[p->e->files[packet->file].part], packet->stream_class);
}

#endif
