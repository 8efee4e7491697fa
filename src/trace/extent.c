#include "trace/extent.h"

#include "base/file.h"
#include "trace/record.h"

enum { POOL_SLOTS = 4096 }; /* packet headers with arrays */

/* What is read of a stream at its end: some buffers of the largest usual size. */
static const uint64_t max_tail_bits = (uint64_t)32 << 23;

struct prober {
	struct mer_experiment *e;
	struct ctf_decoder d;
	struct ctf_pool pool;
	uint64_t *row, *header_row;
};

struct times { /* of events, cycles */
	uint64_t first, last;
	bool any;
};

/* Times of the first n_max events of a packet, as far as they can be read; clock is what a stream whose
 * packets do not say when they begin goes on from. */
static struct times probe(
	struct prober *p, const struct ctf_packet *packet, uint64_t n_max, uint64_t *clock)
{
	const struct trace_file *f = &p->e->files[packet->file];
	const struct trace_part *part = &p->e->parts[f->part];
	const struct ctf_stream_plan *plan = &part->scan->streams[packet->stream_class];
	struct times t = { 0 };
	const uint8_t *data = trace_file_use(p->e, packet->file);
	if (!data)
		return t;
	/* For the registers that the header and context set. */
	struct ctf_packet_info info;
	struct ctf_packet again;
	enum ctf_status why;
	uint64_t bit;
	p->d.program = part->scan;
	ctf_packet_read(&p->d, data, f->bytes, packet->offset, p->header_row, p->row, &info, &again,
		&why, &bit);
	struct ctf_pos pos = ctf_packet_body(packet, info.body_bit, data, f->bytes, *clock);
	for (uint64_t n = 0; n < n_max && !ctf_at_end(plan, &pos); n++) {
		const struct ctf_entry *entry;
		if (trace_pass_record(
			    &p->d, plan, plan->header_kind, &pos, p->header_row, p->row, &entry))
			break;
		if (!t.any)
			t.first = t.last = pos.clock;
		t.any = true;
		if (pos.clock > t.last)
			t.last = pos.clock;
	}
	trace_file_done(p->e, packet->file);
	*clock = pos.clock;
	return t;
}

static const struct mer_clock *clock_of(const struct prober *p, const struct ctf_packet *packet)
{
	return trace_clock(&p->e->parts[p->e->files[packet->file].part], packet->stream_class);
}

/* Packets are in the order of their begin times, and may overlap: a later one may have the first
 * event as long as it begins before the first event known. */
static int64_t find_begin(struct prober *p, const struct trace_stream *t)
{
	int64_t best = MER_NO_TIME;
	for (uint32_t i = 0; i < t->n_packets; i++) {
		const struct ctf_packet *packet = &t->packets[i];
		const struct mer_clock *c = clock_of(p, packet);
		uint64_t clock = 0;
		if (best != MER_NO_TIME && trace_packet_begin(p->e, packet) >= best)
			break;
		struct times found = probe(p, packet, 1, &clock);
		int64_t first = c && found.any ? mer_clock_ns(c, found.first) : MER_NO_TIME;
		if (first != MER_NO_TIME && (best == MER_NO_TIME || first < best))
			best = first;
	}
	return best;
}

/* From the last packet back, as long as one may hold a later event than the last one known. */
static int64_t find_end(struct prober *p, const struct trace_stream *t)
{
	int64_t best = MER_NO_TIME;
	uint64_t read_bits = 0;
	for (uint32_t i = t->n_packets; i-- > 0;) {
		const struct ctf_packet *packet = &t->packets[i];
		const struct mer_clock *c = clock_of(p, packet);
		int64_t end = trace_packet_end(p->e, packet);
		uint64_t clock = 0;
		if (!c)
			continue;
		if (best != MER_NO_TIME && (end == MER_NO_TIME || end <= best))
			break;
		read_bits += packet->content_bits;
		if (read_bits > max_tail_bits && (best != MER_NO_TIME || end != MER_NO_TIME))
			return best == MER_NO_TIME ? end : best;
		struct times found = probe(p, packet, UINT64_MAX, &clock);
		int64_t last = found.any ? mer_clock_ns(c, found.last) : MER_NO_TIME;
		best = last > best ? last : best; /* MER_NO_TIME is the least */
	}
	return best;
}

/* Packets that do not say when they begin are read from the first one on, if that is little. */
static struct trace_extent find_unordered(struct prober *p, const struct trace_stream *t)
{
	struct trace_extent x = { MER_NO_TIME, MER_NO_TIME };
	uint64_t clock = 0, bits = 0;
	for (uint32_t i = 0; i < t->n_packets; i++)
		bits += t->packets[i].content_bits;
	for (uint32_t i = 0; bits <= max_tail_bits && i < t->n_packets; i++) {
		const struct mer_clock *c = clock_of(p, &t->packets[i]);
		struct times found = probe(p, &t->packets[i], UINT64_MAX, &clock);
		if (c && found.any)
			trace_widen(&x.begin, &x.end, mer_clock_ns(c, found.first),
				mer_clock_ns(c, found.last));
	}
	return x;
}

static struct trace_extent find(struct prober *p, const struct trace_stream *t)
{
	if (!t->ordered)
		return find_unordered(p, t);
	struct trace_extent x = { .begin = find_begin(p, t) };
	x.end = x.begin == MER_NO_TIME ? MER_NO_TIME : find_end(p, t);
	if (x.end < x.begin) /* only a header that contradicts the events can say so */
		x.end = x.begin;
	return x;
}

int trace_find_extents(struct mer_experiment *e, struct trace_extent *extents, struct mer_err *err)
{
	uint32_t regs = 1, slots = 1;
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct ctf_program *scan = e->parts[i].scan;
		regs = scan->n_regs > regs ? scan->n_regs : regs;
		slots = scan->max_slots + 1u > slots ? scan->max_slots + 1u : slots;
	}
	struct mer_arena scratch;
	mer_arena_init(&scratch);
	struct prober p = { .e = e,
		.row = mer_arena_zalloc(&scratch, slots, sizeof(*p.row)),
		.header_row = mer_arena_zalloc(&scratch, slots, sizeof(*p.row)),
		.pool = { .slots = mer_arena_zalloc(&scratch, POOL_SLOTS, sizeof(*p.row)),
			.cap = POOL_SLOTS } };
	p.d = (struct ctf_decoder){ .regs = mer_arena_zalloc(&scratch, regs, sizeof(*p.d.regs)),
		.pool = &p.pool,
		.order = -1,
		.passed = mer_file_release };
	bool ok = p.row && p.header_row && p.pool.slots && p.d.regs;
	for (uint32_t i = 0; ok && i < e->n_streams; i++)
		extents[i] = find(&p, &e->data[i]);
	mer_arena_fini(&scratch);
	return ok ? 0 : mer_fail_nomem(err);
}
