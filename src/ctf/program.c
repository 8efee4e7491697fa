#include "ctf/program.h"

#include <string.h>

#include "ctf/emit.h"
#include "ctf/fixed.h"
#include "ctf/header_kind.h"

/* Gives the wanted members of the scope's structure their slots and emits its operations. */
static void emit_scope(struct ctf_compiler *c, struct ctf_plan *plan,
	const struct ctf_stream_class *sc, enum ctf_scope scope, uint32_t trash)
{
	const struct ctf_fc *fc = ctf_scope_fc(c->p->schema, sc, plan->class, scope);
	if (!fc || c->failed)
		return;
	ctf_emit_align(c, fc->align_bits);
	c->inner_of = c->wants && c->wants->inner ? plan->class : NULL;
	c->where = 0;
	for (uint32_t i = 0; i < fc->u.record.n; i++) {
		const uint32_t *slots = plan->slots[scope];
		bool want = slots && slots[i] != CTF_NO_SLOT;
		ctf_emit_field(c, &fc->u.record.fields[i], want ? slots[i] : trash, want);
	}
}

/* Numbers come first in a row, so that the loads of a fixed body fill it from the left. */
enum place_pass { PLACE_ALL, PLACE_NUMBERS, PLACE_OTHERS };

/* Slots of the scope's wanted members, from *next on. */
static void place_scope(struct ctf_compiler *c, struct ctf_plan *plan,
	const struct ctf_stream_class *sc, enum ctf_scope scope, enum place_pass pass,
	uint32_t *next)
{
	const struct ctf_fc *fc = ctf_scope_fc(c->p->schema, sc, plan->class, scope);
	if (!fc)
		return;
	bool all = pass == PLACE_ALL;
	uint32_t *slots = plan->slots[scope];
	if (!slots)
		slots = mer_arena_alloc(c->arena, (fc->u.record.n + 1) * sizeof(*slots));
	if (!slots) {
		c->failed = true;
		return;
	}
	for (uint32_t i = 0; i < fc->u.record.n; i++) {
		const struct ctf_field *f = &fc->u.record.fields[i];
		if (!all && (f->fc->kind <= CTF_VARINT) != (pass == PLACE_NUMBERS))
			continue;
		int32_t place = all ? CTF_ANYWHERE : CTF_UNWANTED;
		if (!all && plan->wanted && c->wants && c->wants->field)
			place = c->wants->field(c->wants->arg, sc, plan->class, scope, f);
		else if (!all && plan->wanted && scope != CTF_SCOPE_EVENT_HEADER)
			place = CTF_ANYWHERE;
		slots[i] = CTF_NO_SLOT;
		if (place == CTF_UNWANTED)
			continue;
		uint32_t at = place == CTF_ANYWHERE ? *next : (uint32_t)place;
		if (at < CTF_MAX_SLOTS)
			slots[i] = at;
		uint32_t end = at + ctf_slot_width(f->fc);
		if (end > *next)
			*next = end < CTF_MAX_SLOTS ? end : CTF_MAX_SLOTS + 1;
	}
	plan->slots[scope] = slots;
}

static int finish_plan(struct ctf_compiler *c, struct ctf_plan *plan, uint32_t n_slots,
	const char *name, struct mer_err *err)
{
	ctf_emit_end(c);
	if (c->failed)
		return mer_fail_nomem(err);
	if (n_slots > CTF_MAX_SLOTS || c->too_wide)
		return mer_fail(err, MER_ERR_LIMIT,
			"`%s` has more than %d field values (its structures are too large)", name,
			CTF_MAX_SLOTS);
	plan->n_slots = n_slots + 1; /* and the trash slot */
	const struct ctf_op *op = &c->p->ops[plan->first_op];
	plan->fixed_bits = UINT64_MAX;
	if (plan->class && !ctf_find_fixed(op, plan, c->arena))
		return mer_fail_nomem(err);
	if (plan->n_slots > c->p->max_slots)
		c->p->max_slots = plan->n_slots;
	return 0;
}

/* A header or packet context: everything in it is wanted. */
static int compile_whole(struct ctf_compiler *c, struct ctf_plan *plan,
	const struct ctf_stream_class *sc, enum ctf_scope scope, struct ctf_align_state at,
	const char *name, struct mer_err *err)
{
	uint32_t next = 0;
	plan->first_op = c->p->n_ops;
	place_scope(c, plan, sc, scope, PLACE_ALL, &next);
	ctf_emit_begin(c, at);
	if (next <= CTF_MAX_SLOTS)
		emit_scope(c, plan, sc, scope, next);
	return finish_plan(c, plan, next, name, err);
}

/* Slots that the class' own fields fill; they never overlap. */
static uint32_t slots_filled(const struct ctf_schema *schema, const struct ctf_stream_class *sc,
	const struct ctf_plan *plan)
{
	uint32_t n = 0;
	for (int scope = CTF_SCOPE_EVENT_HEADER; scope < CTF_N_SCOPES; scope++) {
		const struct ctf_fc *fc =
			ctf_scope_fc(schema, sc, plan->class, (enum ctf_scope)scope);
		for (uint32_t i = 0; fc && plan->slots[scope] && i < fc->u.record.n; i++)
			if (plan->slots[scope][i] != CTF_NO_SLOT)
				n += ctf_slot_width(fc->u.record.fields[i].fc);
	}
	return n;
}

static int compile_event(struct ctf_compiler *c, struct ctf_stream_plan *s, struct ctf_plan *plan,
	struct ctf_align_state at, struct mer_err *err)
{
	const struct ctf_wants *w = c->wants;
	plan->tag = w && w->event ? w->event(w->arg, s->class, plan->class) : 0;
	plan->wanted = plan->tag != CTF_UNWANTED;
	uint32_t next = 0;
	/* The header's fields, if wanted, come first; the decoder copies them there. */
	for (int pass = PLACE_NUMBERS; pass <= PLACE_OTHERS; pass++)
		for (int scope = CTF_SCOPE_EVENT_HEADER; scope < CTF_N_SCOPES; scope++)
			place_scope(c, plan, s->class, (enum ctf_scope)scope, (enum place_pass)pass,
				&next);
	if (c->failed)
		return mer_fail_nomem(err);
	if (plan->wanted && w && w->n_slots) {
		plan->n_clear = w->n_slots(w->arg, s->class, plan->class);
		if (plan->n_clear > next)
			next = plan->n_clear;
		if (slots_filled(c->p->schema, s->class, plan) == next)
			plan->n_clear = 0;
	}
	plan->first_op = c->p->n_ops;
	ctf_emit_begin(c, at);
	for (int scope = CTF_SCOPE_COMMON_CONTEXT; scope < CTF_N_SCOPES && next <= CTF_MAX_SLOTS;
		scope++)
		emit_scope(c, plan, s->class, (enum ctf_scope)scope, next);
	return finish_plan(c, plan, next, plan->class->name, err);
}

static void add_reg(void *arg, uint16_t reg, bool inside)
{
	bool *regs = arg;
	(void)inside;
	regs[reg] = true;
}

/* Does a body refer to a field of the header? */
static bool refers_to_header(struct ctf_compiler *c, const struct ctf_stream_class *sc)
{
	if (!sc->event_header)
		return false;
	bool *regs = mer_arena_zalloc(c->arena, c->p->schema->n_regs + 1u, sizeof(*regs));
	if (!regs) {
		c->failed = true;
		return true;
	}
	ctf_each_reg(&(struct ctf_field){ .fc = sc->event_header }, false, add_reg, regs);
	bool any = ctf_refers_to(sc->event_context, regs);
	for (uint32_t i = 0; i < sc->n_events && !any; i++)
		any = ctf_refers_to(sc->events[i].specific_context, regs) ||
		      ctf_refers_to(sc->events[i].payload, regs);
	return any;
}

static void choose_header(struct ctf_compiler *c, struct ctf_stream_plan *s)
{
	const struct ctf_fc *h = s->class->event_header;
	bool refers = refers_to_header(c, s->class);
	s->header_kind = CTF_HEADER_GENERIC;
	s->header_lingers = refers || c->check_order;
	if (!h || refers || c->p->schema->clock_wrap) /* only generic code handles that */
		return;
	for (uint32_t i = 0; i < s->class->n_events; i++) {
		const uint32_t *slots = s->events[i].slots[CTF_SCOPE_EVENT_HEADER];
		for (uint32_t f = 0; slots && f < h->u.record.n; f++)
			if (slots[f] != CTF_NO_SLOT)
				return; /* the header's fields are wanted */
	}
	s->header_kind = ctf_is_lttng_header(h, 5, 27)	  ? CTF_HEADER_COMPACT
			 : ctf_is_lttng_header(h, 16, 32) ? CTF_HEADER_LARGE
			 : ctf_is_plain_header(s, h)	  ? CTF_HEADER_PLAIN
							  : CTF_HEADER_GENERIC;
	if (s->header_kind != CTF_HEADER_GENERIC) /* it ends on a byte boundary */
		s->header_lingers = false;
}

static int compile_stream(struct ctf_compiler *c, struct ctf_stream_plan *s, struct mer_err *err)
{
	const struct ctf_stream_class *sc = s->class;
	struct ctf_align_state unknown = { 1, 0 };
	s->context.stream = s->header.stream = s;
	s->head_align_bits = sc->event_header ? sc->event_header->align_bits : 1;
	int rc = compile_whole(
		c, &s->context, sc, CTF_SCOPE_PACKET_CONTEXT, unknown, "packet context", err);
	if (rc)
		return rc;
	rc = compile_whole(c, &s->header, sc, CTF_SCOPE_EVENT_HEADER, unknown, "event header", err);
	if (rc)
		return rc;
	struct ctf_align_state body = c->at; /* where the header ends, the body begins */
	s->events = mer_arena_zalloc(c->arena, sc->n_events + 1, sizeof(*s->events));
	if (!s->events)
		return mer_fail_nomem(err);
	uint64_t small_ids = 0;
	for (uint32_t i = 0; i < sc->n_events; i++) {
		s->events[i].class = &sc->events[i];
		s->events[i].stream = s;
		rc = compile_event(c, s, &s->events[i], body, err);
		if (rc)
			return rc;
		if (sc->events[i].id < 65536)
			small_ids = sc->events[i].id + 1;
	}
	s->by_id = mer_arena_zalloc(c->arena, small_ids + 1, sizeof(*s->by_id));
	s->entries = mer_arena_zalloc(c->arena, sc->n_events + 1, sizeof(*s->entries));
	if (!s->by_id || !s->entries)
		return mer_fail_nomem(err);
	s->n_by_id = (uint32_t)small_ids;
	for (uint32_t i = 0; i < sc->n_events; i++) {
		struct ctf_plan *plan = &s->events[i];
		bool pass = plan->fixed && plan->fixed_bits < UINT32_MAX;
		s->entries[i] = (struct ctf_entry){ .plan = plan,
			.number = i & INT32_MAX,
			.pass_bits = pass ? (uint32_t)plan->fixed_bits : (uint32_t)CTF_NO_PASS,
			.wanted = plan->wanted };
		if (pass && plan->wanted && plan->n_slots > s->max_fixed_slots)
			s->max_fixed_slots = plan->n_slots;
		if (sc->events[i].id < small_ids)
			s->by_id[sc->events[i].id] = s->entries[i];
	}
	choose_header(c, s);
	return 0;
}

static bool mixes_orders(const struct ctf_schema *s)
{
	unsigned o = ctf_orders_of(s->packet_header);
	for (uint32_t i = 0; i < s->n_streams; i++) {
		const struct ctf_stream_class *sc = &s->streams[i];
		o |= ctf_orders_of(sc->packet_context) | ctf_orders_of(sc->event_header) |
		     ctf_orders_of(sc->event_context);
		for (uint32_t e = 0; e < sc->n_events && o != 3; e++)
			o |= ctf_orders_of(sc->events[e].specific_context) |
			     ctf_orders_of(sc->events[e].payload);
	}
	return o == 3;
}

struct flag_maker {
	uint16_t *flags;
	uint32_t n_regs;
};

static void make_flag(void *arg, uint16_t reg, bool inside)
{
	struct flag_maker *m = arg;
	if (inside && !m->flags[reg])
		m->flags[reg] = (uint16_t)m->n_regs++;
}

/* Which registers may not have been set when they are read? */
static bool find_flags(struct ctf_compiler *c)
{
	const struct ctf_schema *s = c->p->schema;
	struct flag_maker m = { .n_regs = s->n_regs + 1u };
	c->flags = m.flags = mer_arena_zalloc(c->arena, s->n_regs + 1u, sizeof(*m.flags));
	if (!m.flags)
		return false;
	for (uint32_t i = 0; i < s->n_streams || i == 0; i++) {
		const struct ctf_stream_class *sc = i < s->n_streams ? &s->streams[i] : NULL;
		for (uint32_t e = 0; e == 0 || (sc && e < sc->n_events); e++)
			for (int scope = 0; scope < CTF_N_SCOPES; scope++) {
				const struct ctf_fc *fc = ctf_scope_fc(s, sc,
					sc && e < sc->n_events ? &sc->events[e] : NULL,
					(enum ctf_scope)scope);
				if (fc && (e == 0 || scope >= CTF_SCOPE_SPECIFIC_CONTEXT))
					ctf_each_reg(
						&(struct ctf_field){ .fc = (struct ctf_fc *)fc },
						false, make_flag, &m);
			}
	}
	c->p->n_regs = m.n_regs;
	return true;
}

int ctf_program_compile(const struct ctf_schema *schema, const struct ctf_wants *wants,
	struct mer_arena *arena, struct ctf_program **program, struct mer_err *err)
{
	struct ctf_program *p = mer_arena_zalloc(arena, 1, sizeof(*p));
	if (!p)
		return mer_fail_nomem(err);
	struct ctf_compiler c = { .p = p, .arena = arena, .wants = wants };
	p->schema = schema;
	c.check_order = mixes_orders(schema);
	if (!find_flags(&c))
		return mer_fail_nomem(err);
	p->streams = mer_arena_zalloc(arena, schema->n_streams + 1, sizeof(*p->streams));
	if (!p->streams)
		return mer_fail_nomem(err);
	struct ctf_align_state start = { CTF_MAX_MODULUS,
		0 }; /* alignment counts from the packet's start */
	int rc = compile_whole(
		&c, &p->packet_header, NULL, CTF_SCOPE_PACKET_HEADER, start, "packet header", err);
	for (uint32_t i = 0; rc == 0 && i < schema->n_streams; i++) {
		p->streams[i].class = &schema->streams[i];
		rc = compile_stream(&c, &p->streams[i], err);
	}
	if (rc == 0)
		*program = p;
	return rc;
}
