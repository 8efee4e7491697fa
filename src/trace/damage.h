/* Reports damage inside a packet, in the same words for all readers of events. */
#ifndef MER_TRACE_DAMAGE_H
#define MER_TRACE_DAMAGE_H

#include "trace/experiment.h"

struct trace_damage {
	enum ctf_status status;
	uint64_t head_bit; /* where the event record begins, in the packet */
	uint64_t event_id; /* valid valid with CTF_E_EVENT_ID */
};

void trace_report_damage(struct mer_diags *diags, const struct mer_experiment *e, uint32_t stream,
	uint32_t packet, const struct trace_damage *damage);

/* The packet has times that its clock cannot hold (clock.h). */
void trace_report_overflow(
	struct mer_diags *diags, const struct mer_experiment *e, uint32_t stream, uint32_t packet);

#endif
