#include "trace/probe.h"

#include "base/file.h"
#include "trace/record.h"

enum { POOL_SLOTS = 4096 }; /* packet headers with arrays */

int trace_prober_init(struct trace_prober *p, struct mer_experiment *e, struct mer_err *err)
{
	uint32_t regs = 1, slots = 1;
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct ctf_program *scan = e->parts[i].scan;
		regs = scan->n_regs > regs ? scan->n_regs : regs;
		slots = scan->max_slots + 1u > slots ? scan->max_slots + 1u : slots;
	}
	*p = (struct trace_prober){ .e = e };
	mer_arena_init(&p->arena);
	p->row = mer_arena_zalloc(&p->arena, slots, sizeof(*p->row));
	p->header_row = mer_arena_zalloc(&p->arena, slots, sizeof(*p->row));
	p->pool.slots = mer_arena_zalloc(&p->arena, POOL_SLOTS, sizeof(*p->row));
	p->pool.cap = POOL_SLOTS;
	p->d = (struct ctf_decoder){ .regs = mer_arena_zalloc(&p->arena, regs, sizeof(*p->d.regs)),
		.pool = &p->pool,
		.order = -1,
		.passed = mer_file_release };
	return p->arena.failed ? mer_fail_nomem(err) : 0;
}

void trace_prober_fini(struct trace_prober *p)
{
	mer_arena_fini(&p->arena);
}

static inline __attribute__((always_inline)) struct trace_times walk(struct trace_prober *p,
	const struct ctf_stream_plan *plan, enum ctf_header_kind kind, struct ctf_pos *pos,
	uint64_t n_max, uint64_t tail_bits)
{
	struct trace_times t = { 0 };
	uint64_t n = 0;
	for (; n < n_max && !ctf_at_end(plan, pos); n++) {
		const struct ctf_entry *entry;
		if (trace_pass_record(&p->d, plan, kind, pos, p->header_row, p->row, &entry))
			break;
		if (n == 0)
			t.first = pos->clock;
		if (pos->clock > t.last)
			t.last = pos->clock;
		if (__builtin_expect(pos->end_bit - pos->bit <= tail_bits, 0) && !t.has_tail) {
			t.tail = pos->clock;
			t.has_tail = true;
		}
	}
	t.any = n > 0;
	return t;
}

/* The loop for each kind of header, as in walk.c. */
static struct trace_times walk_any(struct trace_prober *p, const struct ctf_stream_plan *plan,
	struct ctf_pos *pos, uint64_t n_max, uint64_t tail_bits)
{
	switch (plan->header_kind) {
	case CTF_HEADER_COMPACT: return walk(p, plan, CTF_HEADER_COMPACT, pos, n_max, tail_bits);
	case CTF_HEADER_LARGE: return walk(p, plan, CTF_HEADER_LARGE, pos, n_max, tail_bits);
	case CTF_HEADER_PLAIN: return walk(p, plan, CTF_HEADER_PLAIN, pos, n_max, tail_bits);
	default: return walk(p, plan, CTF_HEADER_GENERIC, pos, n_max, tail_bits);
	}
}

struct trace_times trace_probe(struct trace_prober *p, const struct ctf_packet *packet,
	uint64_t n_max, uint64_t tail_bits, uint64_t *clock)
{
	const struct trace_file *f = &p->e->files[packet->file];
	const struct trace_part *part = &p->e->parts[f->part];
	const struct ctf_stream_plan *plan = &part->scan->streams[packet->stream_class];
	struct trace_times t = { 0 };
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
	t = walk_any(p, plan, &pos, n_max, tail_bits);
	trace_file_done(p->e, packet->file);
	*clock = pos.clock;
	return t;
}
