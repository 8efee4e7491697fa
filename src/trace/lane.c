#include "trace/lane.h"

#include <string.h>

#include "base/file.h"

static void fail(struct lane_state *s, enum ctf_status st)
{
	s->status = st;
	s->done = true;
}

/* mer_clock_ns, but it remembers the piece of the map. */
static inline int64_t lane_ns(struct lane *l, uint64_t cycles)
{
	const struct mer_clock *c = l->clock;
	int64_t t = mer_clock_host_ns(c, cycles);
	if (__builtin_expect(!c->map, 1))
		return t;
	return trace_piece_time(trace_map_piece(c->map, t, &l->piece), t);
}

/* Counts a step back in time, unless it is before `begin`: then another reading counts it. */
static __attribute__((noinline)) void count_back(
	struct lane *l, struct lane_state *s, uint64_t clock, int64_t begin)
{
	if (l->clock && lane_ns(l, s->peak) < begin)
		return;
	s->n_back++;
	if (s->peak - clock > s->worst_back) {
		s->worst_back = s->peak - clock;
		s->worst_from = s->peak;
	}
}

/* Moves from the end of a body to the next head that is wanted and not before `begin`. pos replaces
 * s->pos: a caller's local copy stays in registers. */
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
		const struct ctf_entry *entry;
		enum ctf_status st = ctf_read_header(&l->d, stream, kind, pos, header_row, &entry);
		if (__builtin_expect(st != CTF_OK, 0)) {
			fail(s, st);
			return;
		}
		if (__builtin_expect(pos->clock < s->peak, 0)) {
			if (pos->clock < s->head_clock)
				count_back(l, s, pos->clock, begin);
		} else
			s->peak = pos->clock;
		const struct ctf_plan *plan = entry->plan;
		if (entry->wanted) {
			s->plan = plan;
			s->ts = l->clock ? lane_ns(l, pos->clock) : MER_NO_TIME;
			s->key = pos->clock == s->peak ? s->ts : lane_ns(l, s->peak);
			if (__builtin_expect(s->key >= begin, 1))
				return;
		}
		/* The entry is in the cache; the plan may not be, and is rarely needed. */
		uint64_t skip = entry->pass_bits;
		if (__builtin_expect(skip == (uint32_t)CTF_NO_PASS, 0))
			skip = plan->fixed_bits;
		if (skip == UINT64_MAX) {
			/* Not wanted: the program only skips. Wanted, but too early: it is decoded
			 * and the values are discarded. */
			struct ctf_pos slow = *pos;
			l->d.discard = row;
			st = ctf_execute(&l->d, &slow, plan->first_op, row);
			l->d.discard = NULL;
			*pos = slow;
			skip = 0;
		}
		if (pos->end_bit - pos->bit < skip)
			st = CTF_E_END;
		else
			pos->bit += skip;
		if (st == CTF_OK && pos->bit == s->head_bit)
			st = CTF_E_EMPTY;
		if (__builtin_expect(st != CTF_OK, 0)) {
			fail(s, st);
			return;
		}
	}
}

/* Reads the header fields that have slots in the row. The header was read before, but other events
 * may have been decoded since (and rolled back), so it is read again, even if only the body refers
 * to its fields. */
static enum ctf_status header_fields(
	struct lane *l, const struct lane_state *s, uint64_t *header_row, uint64_t *row)
{
	const uint32_t *slots = s->plan->slots[CTF_SCOPE_EVENT_HEADER];
	const struct ctf_fc *fc = l->stream->class->event_header;
	bool any = false;
	for (uint32_t i = 0; slots && i < fc->u.record.n && !any; i++)
		any = slots[i] != CTF_NO_SLOT;
	if (!any && !l->stream->header_lingers)
		return CTF_OK;
	struct ctf_pos pos = s->pos;
	pos.bit = s->head_bit;
	pos.clock = s->head_clock;
	enum ctf_status st = ctf_execute(&l->d, &pos, l->stream->header.first_op, header_row);
	if (st)
		return st;
	const uint32_t *from = l->stream->header.slots[CTF_SCOPE_EVENT_HEADER];
	for (uint32_t i = 0; any && i < fc->u.record.n; i++)
		if (slots[i] != CTF_NO_SLOT)
			memcpy(row + slots[i], header_row + from[i],
				ctf_slot_width(fc->u.record.fields[i].fc) * sizeof(*row));
	return CTF_OK;
}

/* Decodes the body of the head in any case that find_heads does not handle. s->pos must be up to
 * date, and is advanced. */
static enum ctf_status slow_body(
	struct lane *l, struct lane_state *s, struct lane_sink *sink, uint64_t *row)
{
	size_t used = sink->pool->n;
	uint64_t bit = s->pos.bit, clock = s->pos.clock;
	sink->pool->n += s->plan->n_slots;
	enum ctf_status st = CTF_OK;
	/* Needed for fixed bodies, too: near the end of a mapping their operations are executed. */
	for (uint32_t i = 0; i < s->plan->n_clear; i++)
		row[i] = 0;
	if (l->stream->header_kind == CTF_HEADER_GENERIC)
		st = header_fields(l, s, sink->header_row, row);
	if (st == CTF_OK)
		st = ctf_read_body(&l->d, &s->pos, s->plan, row);
	if (st == CTF_OK && s->pos.bit == s->head_bit)
		st = CTF_E_EMPTY;
	if (st) {
		sink->pool->n = used;
		if (st == CTF_E_SPACE) {
			s->pos.bit = bit;
			s->pos.clock = clock;
		} else {
			fail(s, st);
		}
	}
	return st;
}

/* An event record whose body is not decoded yet. */
struct head {
	const struct ctf_plan *plan;
	uint64_t bit, clock;
};

enum { MAX_HEADS = 64, PREFETCH_BYTES = 512 };

/* The common case: bodies of fixed size, time that only rises, a clock of 1 GHz. Finds up to max -
 * 1 heads after heads[0], without a branch on whether they are wanted; stops before any other case.
 * The bodies are decoded afterwards, by loads that do not wait for each other. */
static inline __attribute__((always_inline)) uint32_t find_heads(struct lane *l,
	struct ctf_pos *pos, enum ctf_header_kind kind, uint64_t limit_bit, uint64_t end_clock,
	uint64_t *peak, struct head *heads, uint32_t max)
{
	const struct ctf_stream_plan *stream = l->stream;
	uint32_t n = 1;
	struct ctf_pos p = *pos;
	uint64_t top = *peak;
	while (n < max) {
		uint64_t bit = p.bit, clock = p.clock;
		const struct ctf_entry *entry;
		/* A header at the very end is left to code that can tell padding from damage. */
		if (p.bit + CTF_MAX_QUICK_HEADER_BITS > limit_bit ||
			ctf_read_header(&l->d, stream, kind, &p, NULL, &entry) != CTF_OK ||
			entry->pass_bits == (uint32_t)CTF_NO_PASS ||
			p.bit + entry->pass_bits > limit_bit || p.clock < top ||
			p.clock >= end_clock) {
			p.bit = bit;
			p.clock = clock;
			break;
		}
		top = p.clock;
		heads[n] = (struct head){ entry->plan, p.bit, p.clock };
		n += entry->wanted;
		p.bit += entry->pass_bits;
		__builtin_prefetch(p.base + (p.bit >> 3) + PREFETCH_BYTES);
	}
	*peak = top;
	*pos = p;
	return n;
}

/* A stretch of a host's clock inside one piece of its map. */
struct stretch {
	const struct trace_clock_piece *piece;
	/* Host clock; times before `end` are certainly before the window's end. */
	int64_t begin, end;
};

/* Finds the stretch that begins with an event at time `host`, which the map converts to `time` <
 * end. False: the times are so large that sums may overflow; such events are decoded one by one. */
static bool find_stretch(struct lane *l, int64_t host, int64_t time, int64_t end, struct stretch *s)
{
	if (s->piece && host >= s->begin && host < s->end)
		return true;
	const struct trace_clock_map *m = l->clock->map;
	const struct trace_clock_piece *p = trace_map_piece(m, host, &l->piece);
	int64_t distance;
	s->piece = NULL;
	if (time == INT64_MIN + 1 || host == INT64_MIN ||
		__builtin_sub_overflow(host, p->begin, &distance))
		return false;
	s->piece = p;
	s->begin = host;
	s->end = l->piece + 1 < m->n ? p[1].begin : INT64_MAX;
	if (__builtin_sub_overflow(s->end, p->begin, &distance))
		s->end = p->begin + INT64_MAX;
	if (p->rate == -((int64_t)1 << TRACE_RATE_BITS))
		return true; /* time stands still */
	/* One ns less than is left, because `time` was rounded down; and 1 - rate, which is at most
	 * 1 / (1 + rate). The rest comes with the next stretch. */
	uint64_t left = (uint64_t)end - (uint64_t)time - 1;
	if (left > (uint64_t)1 << 48)
		left = (uint64_t)1 << 48;
	__int128 host_left = left - (((__int128)left * p->rate) >> TRACE_RATE_BITS) - 1;
	if (host_left < 0)
		host_left = 0;
	if ((uint64_t)host_left < (uint64_t)s->end - (uint64_t)host)
		s->end = (int64_t)((uint64_t)host + (uint64_t)host_left);
	return true;
}

/* trace_piece_time of a host time in a stretch. */
static inline uint64_t stretch_time(const struct trace_clock_piece *p, uint64_t host)
{
	int64_t d = (int64_t)(host - (uint64_t)p->begin);
	return (uint64_t)p->time + (uint64_t)d +
	       (uint64_t)(((__int128)d * p->rate) >> TRACE_RATE_BITS);
}

static inline __attribute__((always_inline)) enum lane_stop run(struct lane *l,
	struct lane_sink *sink, enum ctf_header_kind kind, bool mapped, int64_t begin, int64_t end,
	uint32_t stream, uint32_t context)
{
	struct lane_state *s = &l->now;
	struct ctf_pool *pool = sink->pool;
	bool quick = kind != CTF_HEADER_GENERIC && l->clock && l->clock->freq_hz == NS_PER_S;
	uint64_t base_ns = quick ? (uint64_t)l->clock->base_ns : 0;
	/* Clock values from here on exceed 64-bit nanoseconds; their events are decoded one by
	 * one. */
	uint64_t too_late = (uint64_t)TRACE_LAST_TIME - base_ns;
	struct stretch stretch = { .end = end };
	uint64_t limit_bit = s->pos.mapped_bit < 64 ? 0 : s->pos.mapped_bit - 64;
	if (limit_bit > s->pos.end_bit)
		limit_bit = s->pos.end_bit;
	while (!s->done && s->key < end) {
		const struct ctf_plan *plan = s->plan;
		uint64_t room = (pool->cap - pool->n) / (l->stream->max_fixed_slots + 1);
		uint32_t max = sink->cap - sink->n;
		if (max == 0 || pool->cap - pool->n < plan->n_slots)
			return LANE_FULL;
		max = max > room ? (uint32_t)room : max;
		/* A packet opened late may have events that belong before the window. */
		uint64_t time =
			s->key > sink->origin ? (uint64_t)s->key - (uint64_t)sink->origin : 0;
		if (quick && max > 1 && plan->fixed && s->key >= sink->origin &&
			s->pos.bit + plan->fixed_bits <= limit_bit && s->pos.clock == s->peak &&
			s->pos.clock < too_late &&
			(!mapped || find_stretch(l, (int64_t)(base_ns + s->pos.clock), s->ts, end,
					    &stretch))) {
			struct head heads[MAX_HEADS];
			heads[0] = (struct head){ plan, s->pos.bit, s->pos.clock };
			s->pos.bit += plan->fixed_bits;
			uint32_t n = find_heads(l, &s->pos, kind, limit_bit,
				(uint64_t)stretch.end - base_ns, &s->peak, heads,
				max < MAX_HEADS ? max : MAX_HEADS);
			struct mer_event *ev = sink->events + sink->n;
			struct timesort_key *key = sink->keys + sink->n;
			uint64_t *row = pool->slots + pool->n;
			struct trace_clock_piece piece = { 0 };
			if (mapped)
				piece = *stretch.piece;
			for (uint32_t i = 0; i < n; i++) {
				const struct head *h = &heads[i];
				uint64_t ts = base_ns + h->clock;
				if (mapped)
					ts = stretch_time(&piece, ts);
				ctf_load_fixed(h->plan->fixed, s->pos.base + (h->bit >> 3), row);
				ev[i] = (struct mer_event){ (int64_t)ts, row, h->plan, stream,
					context };
				key[i] = (struct timesort_key){
					(uint32_t)(ts - (uint64_t)sink->origin), sink->n + i
				};
				row += h->plan->n_slots;
			}
			sink->n += n;
			pool->n = (size_t)(row - pool->slots);
		} else {
			uint64_t *row = pool->slots + pool->n;
			struct mer_event *ev = &sink->events[sink->n];
			*ev = (struct mer_event){ s->ts, row, plan, stream, context };
			enum ctf_status st = slow_body(l, s, sink, row);
			if (st)
				return st == CTF_E_SPACE ? LANE_FULL : LANE_OK;
			sink->keys[sink->n] = (struct timesort_key){ (uint32_t)time, sink->n };
			sink->n++;
		}
		struct ctf_pos pos = s->pos;
		next_head(l, s, &pos, kind, begin, sink->header_row, sink->row);
		s->pos = pos;
	}
	return LANE_OK;
}

enum lane_stop lane_run(struct lane *l, struct lane_sink *sink, int64_t begin, int64_t end,
	uint32_t stream, uint32_t context)
{
	enum ctf_header_kind kind = l->stream->header_kind;
	bool mapped = l->clock && l->clock->map;
#define RUN(k, m) run(l, sink, k, m, begin, end, stream, context)
	switch (kind) {
	case CTF_HEADER_COMPACT:
		return mapped ? RUN(CTF_HEADER_COMPACT, true) : RUN(CTF_HEADER_COMPACT, false);
	case CTF_HEADER_LARGE:
		return mapped ? RUN(CTF_HEADER_LARGE, true) : RUN(CTF_HEADER_LARGE, false);
	case CTF_HEADER_PLAIN:
		return mapped ? RUN(CTF_HEADER_PLAIN, true) : RUN(CTF_HEADER_PLAIN, false);
	case CTF_HEADER_GENERIC: break;
	}
	return RUN(CTF_HEADER_GENERIC, false); /* one by one: lane_ns applies the map */
#undef RUN
}

void lane_open(struct lane *l, const struct mer_experiment *e, const struct trace_reading *r,
	const struct ctf_packet *packet, struct ctf_pool *pool, uint64_t clock, uint64_t peak,
	int64_t begin, uint64_t *header_row, uint64_t *row)
{
	const struct trace_file *f = &e->files[packet->file];
	const struct trace_part *part = &e->parts[f->part];
	l->d.program = r->programs[f->part];
	l->d.pool = pool;
	l->d.passed = mer_file_release;
	l->d.order = -1;
	l->stream = &l->d.program->streams[packet->stream_class];
	l->clock = trace_clock(part, packet->stream_class);
	l->piece = 0;
	l->packet = packet;
	l->context_window = 0;
	/* No event sorts before the begin of its packet, whatever its time: so the order does not
	 * depend on when the packet is opened. */
	bool says = packet->has_begin;
	l->now = (struct lane_state){ .key = INT64_MIN, .peak = says ? packet->begin : peak };
	/* Any event of the packet may refer to registers set by the header or context. */
	struct ctf_packet_info info;
	struct ctf_packet again;
	enum ctf_status why;
	uint64_t bit;
	ctf_packet_read(&l->d, f->data, f->bytes, packet->offset, header_row, row, &info, &again,
		&why, &bit);
	l->now.pos = ctf_packet_body(packet, info.body_bit, f->data, f->bytes, clock);
	struct ctf_pos pos = l->now.pos;
	next_head(l, &l->now, &pos, l->stream->header_kind, begin, header_row, row);
	l->now.pos = pos;
}
