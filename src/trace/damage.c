#include "trace/damage.h"

#include <inttypes.h>
#include <stdio.h>

void trace_report_damage(struct mer_diags *diags, const struct mer_experiment *e, uint32_t stream,
	uint32_t packet, const struct trace_damage *damage)
{
	const struct ctf_packet *p = &e->data[stream].packets[packet];
	struct mer_diag d = { .severity = MER_ERROR,
		.code = damage->status == CTF_E_EVENT_ID ? "unknown-event-id" : "bad-event",
		.host = e->hosts[e->traces[e->streams[stream].trace].host].name,
		.path = e->files[p->file].shown,
		.stream = stream,
		.packet = packet,
		.offset_bits = (int64_t)(p->offset * 8 + damage->head_bit) };
	char id[40] = "";
	if (damage->status == CTF_E_EVENT_ID)
		snprintf(id, sizeof(id), " (%" PRIu64 ")", damage->event_id);
	mer_diag_add(diags, &d,
		"event record (bit %" PRIu64 " of the packet): %s%s; the %" PRIu64
		" bytes from there to the end of the packet are skipped",
		damage->head_bit, ctf_status_text(damage->status), id,
		(p->content_bits - damage->head_bit) / 8);
}

void trace_report_overflow(
	struct mer_diags *diags, const struct mer_experiment *e, uint32_t stream, uint32_t packet)
{
	const struct ctf_packet *p = &e->data[stream].packets[packet];
	mer_diag_add(diags,
		&(struct mer_diag){ .severity = MER_ERROR,
			.code = "time-overflow",
			.host = e->hosts[e->traces[e->streams[stream].trace].host].name,
			.path = e->files[p->file].shown,
			.stream = stream,
			.packet = packet,
			.offset_bits = (int64_t)(p->offset * 8) },
		"times in this packet are beyond 64-bit nanoseconds (the year 2262); they are "
		"shown as the last one that fits");
}
