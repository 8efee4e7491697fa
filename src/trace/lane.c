#include "trace/lane.h"

#include <string.h>

static void fail(struct lane_state *s, enum ctf_status st)
{
	s->status = st;
	s->done = true;
}

/* The time of the head whose header was just read, and its place. What lies before begin is somebody
 * else's to count. */
static inline __attribute__((always_inline)) void set_time(struct lane_state *s,
	const struct mer_clock *clock, uint64_t cycles, int64_t begin)
{
	s->ts = clock ? mer_clock_ns(clock, cycles) : MER_NO_TIME;
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

/* From behind a body to the next head that is wanted and not before begin. pos stands for s->pos:
 * a caller's local copy stays in registers. */
static inline __attribute__((always_inline)) void next_head(struct lane *l, struct lane_state *s,
	struct ctf_pos *pos, enum ctf_header_kind kind, int64_t begin, uint64_t *header_row,
	uint64_t *row)
{
	const struct ctf_stream_plan *stream = l->stream;
	for (;;) {
		if (ctf_at_end(stream, pos)) {
			s->done = true;
			return;
		}
		s->head_bit = pos->bit;
		s->head_clock = pos->clock;
		struct ctf_plan *plan;
		enum ctf_status st = ctf_read_header(&l->d, stream, kind, pos, header_row, &plan);
		if (__builtin_expect(st != CTF_OK, 0)) {
			fail(s, st);
			return;
		}
		s->plan = plan;
		set_time(s, l->clock, pos->clock, begin);
		if (plan->wanted && __builtin_expect(s->key >= begin, 1))
			return;
		if (plan->fixed) {
			/* Passing needs no look at the bytes. */
			if (pos->end_bit - pos->bit >= plan->fixed_bits && pos->bit + plan->fixed_bits > s->head_bit) {
				pos->bit += plan->fixed_bits;
				continue;
			}
			st = pos->end_bit - pos->bit < plan->fixed_bits ? CTF_E_END : CTF_E_EMPTY;
		} else {
			/* Not wanted: a program that only skips; wanted, but too early: decoded in vain. */
			struct ctf_pos slow = *pos;
			l->d.discard = row;
			st = ctf_execute(&l->d, &slow, plan->first_op, row);
			l->d.discard = NULL;
			*pos = slow;
			if (st == CTF_OK && pos->bit != s->head_bit)
				continue;
			st = st ? st : CTF_E_EMPTY;
		}
		fail(s, st);
		return;
	}
}

/* The fields of the header that the row has room for. The head's header was read earlier, maybe long
 * ago: it is read again. */
static enum ctf_status header_fields(struct lane *l, const struct lane_state *s, uint64_t *header_row,
	uint64_t *row)
{
	const uint16_t *slots = s->plan->slots[CTF_SCOPE_EVENT_HEADER];
	const struct ctf_fc *fc = l->stream->class->event_header;
	bool any = false;
	for (uint32_t i = 0; slots && i < fc->u.record.n && !any; i++)
		any = slots[i] != CTF_NO_SLOT;
	if (!any)
		return CTF_OK;
	struct ctf_pos pos = s->pos;
	pos.bit = s->head_bit;
	pos.clock = s->head_clock;
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

/* The head's body, when it is not of the simplest kind. s->pos is up to date and advanced. */
static enum ctf_status slow_body(struct lane *l, struct lane_state *s, struct lane_sink *sink,
	uint64_t *row)
{
	size_t used = sink->pool->n;
	struct ctf_pos before = s->pos;
	sink->pool->n += s->plan->n_slots;
	enum ctf_status st = CTF_OK;
	if (l->stream->header_kind == CTF_HEADER_GENERIC)
		st = header_fields(l, s, sink->header_row, row);
	if (st == CTF_OK)
		st = ctf_read_body(&l->d, &s->pos, s->plan, row);
	if (st == CTF_OK && s->pos.bit == s->head_bit)
		st = CTF_E_EMPTY;
	if (st) {
		sink->pool->n = used;
		if (st == CTF_E_SPACE)
			s->pos = before;
		else
			fail(s, st);
	}
	return st;
}

static inline __attribute__((always_inline)) enum lane_stop run(struct lane *l,
	struct lane_sink *sink, enum ctf_header_kind kind, int64_t begin, int64_t end, uint32_t stream,
	uint32_t context)
{
	struct lane_state s = l->now;
	struct ctf_pos pos = s.pos;
	struct ctf_pool *pool = sink->pool;
	uint32_t n = sink->n;
	enum lane_stop stop = LANE_OK;
	while (!s.done && s.key < end) {
		const struct ctf_plan *plan = s.plan;
		if (n == sink->cap || pool->cap - pool->n < plan->n_slots) {
			stop = LANE_FULL;
			break;
		}
		uint64_t *row = pool->slots + pool->n;
		if (kind != CTF_HEADER_GENERIC && plan->fixed && !plan->n_clear &&
			pos.bit + plan->fixed_bits + 64 <= pos.mapped_bit &&
			pos.end_bit - pos.bit >= plan->fixed_bits) {
			ctf_load_fixed(plan->fixed, pos.base + (pos.bit >> 3), row);
			pos.bit += plan->fixed_bits;
			pool->n += plan->n_slots - 1; /* the scratch slot is not needed */
		} else {
			s.pos = pos;
			l->now = s;
			enum ctf_status st = slow_body(l, &l->now, sink, row);
			s = l->now;
			pos = s.pos;
			if (st) {
				stop = st == CTF_E_SPACE ? LANE_FULL : LANE_OK;
				break;
			}
		}
		/* A packet opened late may have events that belong before the window. */
		uint64_t time = s.key > sink->origin ? (uint64_t)s.key - (uint64_t)sink->origin : 0;
		sink->events[n] = (struct mer_event){ s.ts, row, plan, stream, context };
		sink->keys[n] = (struct timesort_key){ (uint32_t)time, n };
		n++;
		next_head(l, &s, &pos, kind, begin, sink->header_row, sink->row);
	}
	s.pos = pos;
	l->now = s;
	sink->n = n;
	return stop;
}

enum lane_stop lane_run(struct lane *l, struct lane_sink *sink, int64_t begin, int64_t end,
	uint32_t stream, uint32_t context)
{
	switch (l->stream->header_kind) {
	case CTF_HEADER_COMPACT:
		return run(l, sink, CTF_HEADER_COMPACT, begin, end, stream, context);
	case CTF_HEADER_LARGE: return run(l, sink, CTF_HEADER_LARGE, begin, end, stream, context);
	case CTF_HEADER_PLAIN: return run(l, sink, CTF_HEADER_PLAIN, begin, end, stream, context);
	case CTF_HEADER_GENERIC: break;
	}
	return run(l, sink, CTF_HEADER_GENERIC, begin, end, stream, context);
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
	l->now.pos = ctf_packet_body(packet, f->map.data, f->map.size, clock);
	struct ctf_pos pos = l->now.pos;
	next_head(l, &l->now, &pos, l->stream->header_kind, begin, header_row, row);
	l->now.pos = pos;
}
