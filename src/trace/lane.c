#include "trace/lane.h"

#include <string.h>

static void fail(struct lane_state *s, enum ctf_status st)
{
	s->status = st;
	s->done = true;
}

/* What lies before begin is somebody else's to count. */
static inline void set_time(struct lane *l, int64_t begin)
{
	struct lane_state *s = &l->now;
	s->ts = l->clock ? mer_clock_ns(l->clock, s->pos.clock) : MER_NO_TIME;
	if (__builtin_expect(s->ts >= s->key, 1)) {
		s->key = s->ts;
		return;
	}
	if (s->key < begin)
		return;
	s->n_back++;
	if (s->key - s->ts > s->worst_back)
		s->worst_back = s->key - s->ts;
}

static inline __attribute__((always_inline)) void next(struct lane *l, enum ctf_header_kind kind,
	int64_t begin, uint64_t *header_row, uint64_t *row)
{
	struct lane_state *s = &l->now;
	for (;;) {
		if (ctf_at_end(l->stream, &s->pos)) {
			s->done = true;
			return;
		}
		s->head_bit = s->pos.bit;
		s->head_clock = s->pos.clock;
		struct ctf_plan *plan;
		enum ctf_status st =
			ctf_read_header(&l->d, l->stream, kind, &s->pos, header_row, &plan);
		if (st) {
			fail(s, st);
			return;
		}
		s->plan = plan;
		set_time(l, begin);
		if (__builtin_expect(plan->wanted && s->key >= begin, 1))
			return;
		/* Not wanted at all: a skip program; wanted, but too early: decoded in vain. */
		l->d.discard = row;
		st = ctf_read_body(&l->d, &s->pos, plan, row);
		l->d.discard = NULL;
		if (st == CTF_OK && s->pos.bit == s->head_bit)
			st = CTF_E_EMPTY;
		if (st) {
			fail(s, st);
			return;
		}
	}
}

void lane_next(struct lane *l, int64_t begin, uint64_t *header_row, uint64_t *row)
{
	switch (l->stream->header_kind) {
	case CTF_HEADER_COMPACT: next(l, CTF_HEADER_COMPACT, begin, header_row, row); break;
	case CTF_HEADER_LARGE: next(l, CTF_HEADER_LARGE, begin, header_row, row); break;
	case CTF_HEADER_PLAIN: next(l, CTF_HEADER_PLAIN, begin, header_row, row); break;
	case CTF_HEADER_GENERIC: next(l, CTF_HEADER_GENERIC, begin, header_row, row); break;
	}
}

/* The fields of the header that the row has room for. The head's header was read earlier, maybe long
 * ago: it is read again. */
static enum ctf_status header_fields(struct lane *l, uint64_t *header_row, uint64_t *row)
{
	const uint16_t *slots = l->now.plan->slots[CTF_SCOPE_EVENT_HEADER];
	const struct ctf_fc *fc = l->stream->class->event_header;
	bool any = false;
	for (uint32_t i = 0; slots && i < fc->u.record.n && !any; i++)
		any = slots[i] != CTF_NO_SLOT;
	if (!any)
		return CTF_OK;
	struct ctf_pos pos = l->now.pos;
	pos.bit = l->now.head_bit;
	pos.clock = l->now.head_clock;
	enum ctf_status st = ctf_execute(&l->d, &pos, l->stream->header.first_op, header_row);
	if (st)
		return st;
	const uint16_t *from = l->stream->header.slots[CTF_SCOPE_EVENT_HEADER];
	for (uint32_t i = 0; i < fc->u.record.n; i++)
		if (slots[i] != CTF_NO_SLOT)
			memcpy(row + slots[i], header_row + from[i],
				ctf_slot_width(fc->u.record.fields[i].fc) * sizeof(*row));
	return CTF_OK;
}

enum ctf_status lane_body(struct lane *l, uint64_t *header_row, uint64_t *row)
{
	struct lane_state *s = &l->now;
	enum ctf_status st = CTF_OK;
	if (l->stream->header_kind == CTF_HEADER_GENERIC)
		st = header_fields(l, header_row, row);
	if (st == CTF_OK)
		st = ctf_read_body(&l->d, &s->pos, s->plan, row);
	if (st == CTF_OK && s->pos.bit == s->head_bit)
		st = CTF_E_EMPTY;
	if (st && st != CTF_E_SPACE)
		fail(s, st);
	return st;
}

void lane_open(struct lane *l, const struct mer_experiment *e, const struct trace_reading *r,
	const struct ctf_packet *packet, struct ctf_pool *pool, uint64_t clock, int64_t key,
	int64_t begin, uint64_t *header_row, uint64_t *row)
{
	const struct trace_file *f = &e->files[packet->file];
	const struct trace_part *part = &e->parts[f->part];
	l->d.program = r->programs[f->part];
	l->d.pool = pool;
	l->d.order = -1;
	l->stream = &l->d.program->streams[packet->stream_class];
	l->clock = trace_clock(part, packet->stream_class);
	l->packet = packet;
	l->context_window = 0;
	/* Nothing comes before its packet, whatever time it says it has: so the order does not depend on
	 * when the packet is opened. */
	int64_t packet_begin = trace_packet_begin(e, packet);
	l->now = (struct lane_state){ .key = packet_begin > key ? packet_begin : key };
	/* Registers that the header or context set may be meant by any event of the packet. */
	struct ctf_packet_info info;
	struct ctf_packet again;
	enum ctf_status why;
	uint64_t bit;
	ctf_packet_read(&l->d, f->map.data, f->map.size, packet->offset, header_row, row, &info,
		&again, &why, &bit);
	l->now.pos = ctf_packet_body(packet, f->map.data, clock);
	lane_next(l, begin, header_row, row);
}
