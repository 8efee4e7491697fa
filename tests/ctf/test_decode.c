/* The compiled program against the plain decoder: random schemas over random bytes. Everything is
 * derived from the case's number, so a failure can be had again: test_decode CASE. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "given.h"
#include "plain_rows.h"

enum { N_CASES = 20000 / GIVEN_EVERY(2), MAX_EVENTS = 8, MAX_TARGETS = 64 };

/* ---- random schemas ---- */

struct maker {
	uint64_t rng;
	struct mer_arena arena;
	struct ctf_schema *schema;
	struct ctf_field *targets[MAX_TARGETS]; /* fields that may be referred to */
	unsigned n_targets;
	unsigned budget; /* fields that may still be made */
	int mix;	 /* byte orders: 0 little, 1 big, 2 both */
};

static uint64_t next_random(uint64_t *s)
{
	uint64_t z = (*s += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static unsigned below(struct maker *m, unsigned n)
{
	return (unsigned)(next_random(&m->rng) % n);
}

static bool chance(struct maker *m, unsigned percent)
{
	return below(m, 100) < percent;
}

static void *make(struct maker *m, size_t n, size_t each)
{
	void *p = mer_arena_zalloc(&m->arena, n ? n : 1, each);
	assert_non_null(p);
	return p;
}

static uint32_t random_align(struct maker *m)
{
	return chance(m, 60) ? 1u : 1u << below(m, 7);
}

static void may_be_target(struct maker *m, struct ctf_field *f)
{
	if (m->n_targets < MAX_TARGETS)
		m->targets[m->n_targets++] = f;
	else
		m->targets[below(m, MAX_TARGETS)] = f;
}

static struct ctf_field *any_target(struct maker *m, bool is_length)
{
	for (int tries = 0; m->n_targets && tries < 8; tries++) {
		/* Late ones more often: they are near. */
		unsigned i = m->n_targets - 1 - below(m, 1 + below(m, m->n_targets));
		struct ctf_field *f = m->targets[i];
		if (is_length && f->fc->u.bits.is_signed)
			continue;
		if (is_length && f->fc->u.bits.len_bits > 6 && chance(m, 80))
			continue;
		if (!f->reg)
			f->reg = ++m->schema->n_regs;
		return f;
	}
	return NULL;
}

static bool refer(struct maker *m, struct ctf_ref *ref, bool is_length)
{
	struct ctf_field *f = any_target(m, is_length);
	if (!f)
		return false;
	*ref = (struct ctf_ref){ f->reg, f->fc->u.bits.is_signed, "" };
	return true;
}

static struct ctf_fc *random_class(struct maker *m, unsigned depth);

static void random_field(struct maker *m, struct ctf_field *f, unsigned depth)
{
	unsigned before = m->n_targets;
	f->name = "f";
	f->clock = -1;
	f->fc = random_class(m, depth);
	/* What lies inside may be referred to from outside, now and then. */
	if (f->fc->kind >= CTF_ARRAY && chance(m, 80) && m->n_targets > before)
		m->n_targets = before;
	if ((f->fc->kind == CTF_INT || f->fc->kind == CTF_BOOL || f->fc->kind == CTF_VARINT) &&
		chance(m, 70))
		may_be_target(m, f);
}

static struct ctf_fc *random_bits(struct maker *m)
{
	struct ctf_fc *fc = make(m, 1, sizeof(*fc));
	fc->kind = (enum ctf_kind)below(m, CTF_FLOAT + 1);
	fc->u.bits.order = (uint8_t)(m->mix == 2 ? chance(m, 50) : m->mix == 1);
	fc->u.bits.base = 10;
	unsigned style = below(m, 10);
	if (fc->kind == CTF_FLOAT) {
		fc->u.bits.len_bits = (uint16_t)(16u << below(m, 3));
		fc->align_bits = chance(m, 60) ? 8 : random_align(m);
	} else if (style < 4) {
		fc->u.bits.len_bits = (uint16_t)(8u << below(m, 4));
		fc->align_bits = chance(m, 70) ? 8 : fc->u.bits.len_bits;
	} else {
		fc->u.bits.len_bits = (uint16_t)(1 + below(m, style < 8 ? 6 : 64));
		fc->align_bits = random_align(m);
	}
	fc->u.bits.is_signed = fc->kind == CTF_INT && chance(m, 40);
	fc->u.bits.reversed = chance(m, 5);
	/* Inside a byte the order must not change: mixed schemas keep to whole bytes mostly. */
	if (m->mix == 2 && chance(m, 85)) {
		fc->align_bits = fc->align_bits < 8 ? 8 : fc->align_bits;
	}
	return fc;
}

static void random_ranges(
	struct maker *m, bool is_signed, uint32_t *n, const struct ctf_range **ranges)
{
	*n = 1 + below(m, 2);
	struct ctf_range *r = make(m, *n, sizeof(*r));
	for (uint32_t i = 0; i < *n; i++) {
		r[i].lo = is_signed ? (uint64_t) - (int64_t)below(m, 20) : below(m, 8);
		r[i].hi = r[i].lo + below(m, 40);
		if (chance(m, 10))
			r[i].hi = is_signed ? INT64_MAX : UINT64_MAX;
	}
	*ranges = r;
}

static struct ctf_fc *random_struct(struct maker *m, unsigned depth)
{
	struct ctf_fc *fc = make(m, 1, sizeof(*fc));
	fc->kind = CTF_STRUCT;
	fc->align_bits = chance(m, 80) ? 1 : random_align(m);
	fc->u.record.n = chance(m, 8) ? 0 : 1 + below(m, depth ? 4 : 7);
	fc->u.record.fields = make(m, fc->u.record.n, sizeof(*fc->u.record.fields));
	for (uint32_t i = 0; i < fc->u.record.n; i++) {
		random_field(m, &fc->u.record.fields[i], depth + 1);
		uint32_t a = fc->u.record.fields[i].fc->align_bits;
		fc->align_bits = a > fc->align_bits ? a : fc->align_bits;
	}
	return fc;
}

static struct ctf_fc *random_array(struct maker *m, unsigned depth)
{
	struct ctf_fc *fc = make(m, 1, sizeof(*fc));
	fc->kind = CTF_ARRAY;
	static const uint64_t rare[] = { 1000, 1u << 20, UINT32_MAX, UINT64_MAX / 8, UINT64_MAX };
	if (!chance(m, 50) || !refer(m, &fc->u.array.ref, true))
		fc->u.array.n = chance(m, 97) ? below(m, 5) : rare[below(m, 5)];
	unsigned before = m->n_targets;
	random_field(m, &fc->u.array.element, depth + 1);
	if (chance(m, 90) && m->n_targets > before)
		m->n_targets = before;
	fc->align_bits = fc->u.array.element.fc->align_bits;
	return fc;
}

static struct ctf_fc *random_variant(struct maker *m, unsigned depth)
{
	struct ctf_fc *fc = make(m, 1, sizeof(*fc));
	fc->kind = CTF_VARIANT;
	fc->align_bits = 1;
	if (!refer(m, &fc->u.variant.ref, false))
		return random_bits(m);
	fc->u.variant.n = 1 + below(m, 4);
	fc->u.variant.options = make(m, fc->u.variant.n, sizeof(*fc->u.variant.options));
	unsigned before = m->n_targets;
	for (uint32_t i = 0; i < fc->u.variant.n; i++) {
		struct ctf_option *o = &fc->u.variant.options[i];
		random_field(m, &o->field, depth + 1);
		random_ranges(m, fc->u.variant.ref.is_signed, &o->n_ranges, &o->ranges);
		if (i + 1 == fc->u.variant.n && chance(m, 60)) { /* all the rest */
			struct ctf_range *r = make(m, 1, sizeof(*r));
			*r = fc->u.variant.ref.is_signed
				     ? (struct ctf_range){ (uint64_t)INT64_MIN, INT64_MAX }
				     : (struct ctf_range){ 0, UINT64_MAX };
			o->ranges = r;
			o->n_ranges = 1;
		}
		if (m->n_targets > before && chance(m, 80))
			m->n_targets = before;
	}
	return fc;
}

static struct ctf_fc *random_class(struct maker *m, unsigned depth)
{
	struct ctf_fc *fc;
	if (m->budget == 0 || depth > 5)
		return random_bits(m);
	m->budget--;
	switch (below(m, 24)) {
	case 0:
		fc = make(m, 1, sizeof(*fc));
		fc->kind = CTF_VARINT;
		fc->align_bits = 8u << below(m, 2);
		fc->u.bits.is_signed = chance(m, 50);
		return fc;
	case 1:
	case 2:
		fc = make(m, 1, sizeof(*fc));
		fc->kind = CTF_STRING;
		fc->align_bits = 8;
		fc->u.text.encoding = (uint8_t)(chance(m, 60) ? CTF_UTF8 : below(m, 5));
		return fc;
	case 3:
	case 4:
	case 5:
		fc = make(m, 1, sizeof(*fc));
		fc->kind = chance(m, 50) ? CTF_TEXT : CTF_BLOB;
		fc->align_bits = chance(m, 90) ? 8 : 32;
		if (fc->kind == CTF_TEXT && chance(m, 40))
			fc->u.text.encoding = (uint8_t)below(m, 5);
		if (!chance(m, 40) || !refer(m, &fc->u.text.ref, true))
			fc->u.text.len_bytes = chance(m, 97) ? (chance(m, 30) ? 16 : below(m, 9))
							     : UINT64_MAX >> below(m, 45);
		return fc;
	case 6:
	case 7: return random_struct(m, depth);
	case 8:
	case 9:
	case 10: return random_array(m, depth);
	case 11:
	case 12: return random_variant(m, depth);
	case 13:
	case 14:
		fc = make(m, 1, sizeof(*fc));
		fc->kind = CTF_OPTIONAL;
		fc->align_bits = 1;
		if (!refer(m, &fc->u.optional.ref, false))
			return random_bits(m);
		if (chance(m, 50))
			random_ranges(m, fc->u.optional.ref.is_signed, &fc->u.optional.n_ranges,
				&fc->u.optional.ranges);
		random_field(m, &fc->u.optional.content, depth + 1);
		return fc;
	default: return random_bits(m);
	}
}

static struct ctf_fc *some_struct(struct maker *m, unsigned percent, unsigned budget)
{
	m->budget = budget;
	return chance(m, percent) ? random_struct(m, 0) : NULL;
}

static struct ctf_field uint_field(struct maker *m, unsigned len, unsigned align, uint32_t roles)
{
	struct ctf_fc *fc = make(m, 1, sizeof(*fc));
	fc->kind = CTF_INT;
	fc->align_bits = align;
	fc->u.bits.len_bits = (uint16_t)len;
	fc->u.bits.base = 10;
	fc->u.bits.order = m->mix == 1;
	return (struct ctf_field){ .name = "f", .fc = fc, .roles = roles, .clock = -1 };
}

static struct ctf_fc *struct_of(
	struct maker *m, uint32_t align, uint32_t n, const struct ctf_field *fields)
{
	struct ctf_fc *fc = make(m, 1, sizeof(*fc));
	fc->kind = CTF_STRUCT;
	fc->align_bits = align;
	fc->u.record.n = n;
	fc->u.record.fields = make(m, n, sizeof(*fields));
	memcpy(fc->u.record.fields, fields, n * sizeof(*fields));
	return fc;
}

/* The headers that LTTng writes. */
static struct ctf_fc *lttng_header(struct maker *m, unsigned id_bits, unsigned time_bits)
{
	unsigned align = id_bits == 5 ? 1 : 8;
	struct ctf_field t = uint_field(m, time_bits, align, CTF_ROLE_TIMESTAMP);
	struct ctf_field extended[2] = { uint_field(m, 32, 8, CTF_ROLE_EVENT_ID),
		uint_field(m, 64, 8, CTF_ROLE_TIMESTAMP) };
	struct ctf_fc *v = make(m, 1, sizeof(*v));
	struct ctf_option *o = make(m, 2, sizeof(*o));
	struct ctf_range *r = make(m, 2, sizeof(*r));
	uint64_t last = (1u << id_bits) - 1;
	r[0] = (struct ctf_range){ 0, last - 1 };
	r[1] = (struct ctf_range){ last, last };
	o[0] = (struct ctf_option){ { .name = "compact", .fc = struct_of(m, align, 1, &t) }, 1,
		&r[0] };
	o[1] = (struct ctf_option){ { .name = "extended", .fc = struct_of(m, 8, 2, extended) }, 1,
		&r[1] };
	v->kind = CTF_VARIANT;
	v->align_bits = 1;
	v->u.variant.n = 2;
	v->u.variant.options = o;
	struct ctf_field both[2] = { uint_field(m, id_bits, align, CTF_ROLE_EVENT_ID),
		{ .name = "v", .fc = v } };
	both[0].reg = ++m->schema->n_regs;
	v->u.variant.ref.reg = both[0].reg;
	struct ctf_fc *h = struct_of(m, 8, 2, both);
	if (chance(m, 20)) /* then it must be decoded in full */
		may_be_target(m, &h->u.record.fields[0]);
	return h;
}

static struct ctf_fc *event_header(struct maker *m)
{
	struct ctf_field f[3];
	switch (below(m, 6)) {
	case 0: return lttng_header(m, 5, 27);
	case 1: return lttng_header(m, 16, 32);
	case 2:
		f[0] = uint_field(m, 64, 8, CTF_ROLE_TIMESTAMP);
		f[1] = uint_field(m, 16u << below(m, 3), 8, CTF_ROLE_EVENT_ID);
		return struct_of(m, 8, 2, f);
	case 3:
		f[0] = uint_field(m, 24, 8, 0);
		f[1] = uint_field(m, 8, 8, CTF_ROLE_EVENT_ID);
		f[2] = uint_field(m, 64, 1, CTF_ROLE_TIMESTAMP);
		return struct_of(m, 8, 3, f);
	case 4: return NULL;
	default: {
		struct ctf_fc *h = some_struct(m, 100, 6);
		for (uint32_t i = 0; i < h->u.record.n; i++) {
			struct ctf_field *t = &h->u.record.fields[i];
			if (t->fc->kind != CTF_INT || t->fc->u.bits.is_signed)
				continue;
			t->roles =
				t->fc->u.bits.len_bits > 5 ? CTF_ROLE_TIMESTAMP : CTF_ROLE_EVENT_ID;
		}
		return h;
	}
	}
}

static void random_schema(struct maker *m)
{
	struct ctf_schema *s = m->schema = make(m, 1, sizeof(*s));
	struct ctf_stream_class *sc = s->streams = make(m, 1, sizeof(*sc));
	enum { N_EVENTS = 32, N_BODIES = 3 };
	m->mix = (int)below(m, 4) % 3;
	s->n_streams = 1;
	sc->clock = -1;
	s->packet_header = some_struct(m, 30, 5);
	sc->packet_context = some_struct(m, 50, 6);
	for (uint32_t i = 0; sc->packet_context && i < sc->packet_context->u.record.n; i++) {
		struct ctf_field *f = &sc->packet_context->u.record.fields[i];
		if (f->fc->kind == CTF_INT && !f->fc->u.bits.is_signed)
			f->roles = 1u << (below(m, 6) + 4); /* sizes, times, counters */
	}
	sc->event_header = event_header(m);
	sc->event_context = some_struct(m, 30, 6);
	struct ctf_fc *specific[N_BODIES], *payload[N_BODIES];
	unsigned common = m->n_targets;
	for (int i = 0; i < N_BODIES; i++) {
		specific[i] = some_struct(m, 20, 8);
		payload[i] = some_struct(m, 90, 25);
		m->n_targets = common < m->n_targets ? common : m->n_targets;
		/* Targets that were overwritten may be of the body before. */
		if (common == MAX_TARGETS)
			m->n_targets = common = 0;
	}
	sc->n_events = N_EVENTS;
	sc->events = make(m, N_EVENTS, sizeof(*sc->events));
	for (uint32_t i = 0; i < N_EVENTS; i++)
		sc->events[i] = (struct ctf_event_class){ .id = i,
			.name = "event",
			.specific_context = specific[i % N_BODIES],
			.payload = payload[i % N_BODIES] };
}

/* ---- reading with a program ---- */

struct reader {
	const struct ctf_program *program;
	struct ctf_decoder d;
	struct ctf_pool pool;
	uint64_t *row, *header_row;
	struct ctf_pos pos;
	const struct ctf_plan *plan;
};

enum { POOL_SLOTS = 1 << 16 };

static void reader_init(struct reader *r, struct maker *m, const struct ctf_wants *wants)
{
	struct ctf_program *p;
	struct mer_err err;
	assert_int_equal(ctf_program_compile(m->schema, wants, &m->arena, &p, &err), 0);
	*r = (struct reader){ .program = p, .d = { .program = p, .pool = &r->pool, .order = -1 } };
	r->d.regs = calloc(p->n_regs, sizeof(uint64_t));
	r->header_row = calloc(p->max_slots, sizeof(uint64_t));
	r->row = malloc(p->max_slots * sizeof(uint64_t));
	static uint64_t slots[POOL_SLOTS];
	r->pool = (struct ctf_pool){ slots, 0, POOL_SLOTS };
}

static void reader_fini(struct reader *r)
{
	free(r->d.regs);
	free(r->header_row);
	free(r->row);
}

static enum ctf_status read_event(struct reader *r, enum ctf_header_kind kind, bool discard)
{
	const struct ctf_entry *entry = NULL;
	r->pool.n = 0;
	r->plan = NULL;
	enum ctf_status st = ctf_read_header(
		&r->d, &r->program->streams[0], kind, &r->pos, r->header_row, &entry);
	if (st)
		return st;
	const struct ctf_plan *plan = r->plan = entry->plan;
	uint64_t body = r->pos.bit;
	/* A row of its own size, so that a sanitizer sees what is written beyond. */
	free(r->row);
	r->row = malloc((discard ? r->program->max_slots : plan->n_slots) * sizeof(uint64_t));
	r->d.discard = discard ? r->row : NULL;
	st = ctf_read_body(&r->d, &r->pos, plan, r->row);
	r->d.discard = NULL;
	if (st == CTF_OK && !plan->wanted && entry->pass_bits != (uint32_t)CTF_NO_PASS)
		assert_int_equal(r->pos.bit, body + entry->pass_bits);
	return st;
}

/* ---- the comparison ---- */

static int32_t want_none(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	(void)arg;
	(void)sc;
	(void)ec;
	return CTF_UNWANTED;
}

static int32_t want_some(void *arg, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *f)
{
	(void)sc;
	(void)ec;
	(void)f;
	return scope != CTF_SCOPE_EVENT_HEADER && chance(arg, 40) ? CTF_ANYWHERE : CTF_UNWANTED;
}

/* The same with exact places, with gaps between them. */
struct places {
	struct maker *m;
	const struct ctf_event_class *class;
	uint32_t next;
};

static int32_t want_placed(void *arg, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *f)
{
	struct places *p = arg;
	(void)sc;
	if (p->class != ec)
		p->next = 0;
	p->class = ec;
	if (scope == CTF_SCOPE_EVENT_HEADER || chance(p->m, 50))
		return CTF_UNWANTED;
	uint32_t at = p->next + below(p->m, 3);
	p->next = at + ctf_slot_width(f->fc);
	return (int32_t)at;
}

static uint32_t some_slots(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	(void)arg;
	(void)sc;
	(void)ec;
	return 12;
}

/* Which of several kinds of damage at once is met first may differ when fields are skipped. */
static bool same_status(enum ctf_status a, enum ctf_status b)
{
	return a == b || ((a == CTF_E_END || a == CTF_E_LENGTH || a == CTF_E_ORDER) &&
				 (b == CTF_E_END || b == CTF_E_LENGTH || b == CTF_E_ORDER));
}

enum { FULL, SOME, PLACED, NONE, GENERIC, DISCARD, N_READERS };

static uint64_t n_statuses[CTF_E_SPACE + 1], n_events, n_fields, n_kinds[4];

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("case %u, reader %d, event %u: %s\n", number, i, e, #x);            \
			return false;                                                              \
		}                                                                                  \
	} while (0)

static bool compare(struct maker *m, unsigned number, struct seen *seen, struct reader *r,
	struct ctf_plain *p, struct ctf_pos start)
{
	const struct ctf_stream_class *sc = &m->schema->streams[0];
	int i = FULL;
	unsigned e = 0;
	/* Packet header and context */
	struct ctf_packet_info want = { 0 }, got = { 0 };
	struct ctf_pos pos = start;
	ctf_plain_begin_packet(p);
	p->info = &want;
	seen->n = 0;
	enum ctf_status st =
		ctf_plain_read(p, &pos, CTF_SCOPE_PACKET_HEADER, m->schema->packet_header);
	if (!st)
		st = ctf_plain_read(p, &pos, CTF_SCOPE_PACKET_CONTEXT, sc->packet_context);
	p->info = NULL;
	for (i = 0; i < N_READERS; i++) {
		got = (struct ctf_packet_info){ 0 };
		r[i].pos = start;
		r[i].d.info = &got;
		r[i].d.order = -1;
		const struct ctf_program *g = r[i].program;
		enum ctf_status s =
			ctf_execute(&r[i].d, &r[i].pos, g->packet_header.first_op, r[i].header_row);
		if (!s)
			s = ctf_execute(&r[i].d, &r[i].pos, g->streams[0].context.first_op,
				r[i].header_row);
		r[i].d.info = NULL;
		if (s == CTF_E_SPACE)
			return true;
		CHECK(s == st);
		if (st)
			continue;
		CHECK(r[i].pos.bit == pos.bit && r[i].pos.clock == pos.clock);
		CHECK(memcmp(&got, &want, sizeof(got)) == 0);
		CHECK(seen->full ||
			same_scope(seen, &g->streams[0].context, CTF_SCOPE_PACKET_CONTEXT,
				sc->packet_context, r[i].header_row));
	}
	n_statuses[st]++;
	for (e = 1; e <= MAX_EVENTS && !st; e++) {
		const struct ctf_event_class *class;
		seen->n = 0;
		seen->full = false;
		st = ctf_plain_event(p, &pos, sc, &class);
		n_statuses[st]++;
		n_events++;
		n_fields += seen->n;
		for (i = 0; i < N_READERS; i++) {
			enum ctf_header_kind kind = r[i].program->streams[0].header_kind;
			n_kinds[kind]++;
			enum ctf_status s = read_event(
				&r[i], i == GENERIC ? CTF_HEADER_GENERIC : kind, i == DISCARD);
			if (s == CTF_E_SPACE)
				return true;
			CHECK(i == FULL ? s == st : same_status(s, st));
			if (st)
				continue;
			CHECK(r[i].pos.bit == pos.bit && r[i].pos.clock == pos.clock);
			CHECK(r[i].plan->class == class);
			if (seen->full || i == NONE || i == DISCARD)
				continue;
			for (int scope = CTF_SCOPE_COMMON_CONTEXT; scope < CTF_N_SCOPES; scope++)
				CHECK(same_scope(seen, r[i].plan, (enum ctf_scope)scope,
					ctf_scope_fc(m->schema, sc, class, (enum ctf_scope)scope),
					r[i].row));
		}
	}
	return true;
}

static bool run_case(unsigned number)
{
	static struct ctf_plain_field fields[MAX_SEEN];
	struct maker m = { .rng = number };
	mer_arena_init(&m.arena);
	random_schema(&m);
	struct reader r[N_READERS];
	struct ctf_wants some = { .arg = &m, .field = want_some };
	struct ctf_wants none = { .arg = &m, .event = want_none };
	struct places places = { .m = &m };
	struct ctf_wants placed = { .arg = &places, .field = want_placed, .n_slots = some_slots };
	const struct ctf_wants *wants[N_READERS] = {
		[SOME] = &some, [PLACED] = &placed, [NONE] = &none
	};
	for (int i = 0; i < N_READERS; i++)
		reader_init(&r[i], &m, wants[i]);
	struct seen seen = { .fields = fields };
	struct ctf_plain p;
	assert_true(ctf_plain_init(&p, m.schema, &m.arena));
	p.see = note;
	p.arg = &seen;
	bool ok = true;
	for (int round = 0; round < 2 && ok; round++) {
		size_t bytes = below(&m, 4) ? 40 + below(&m, 300) : below(&m, 20);
		uint8_t *data = malloc(bytes ? bytes : 1);
		unsigned zeros = below(&m, 90), ones = chance(&m, 20) ? 60 : 0;
		for (size_t i = 0; i < bytes; i++)
			data[i] = chance(&m, ones)    ? 0xff
				  : chance(&m, zeros) ? 0
				  : chance(&m, 30)    ? (uint8_t)below(&m, 4)
						      : (uint8_t)below(&m, 256);
		struct ctf_pos start = { .base = data, .end_bit = bytes * 8 };
		start.mapped_bit = start.end_bit;
		if (bytes && chance(&m, 30))
			start.end_bit -= below(&m, (unsigned)(bytes > 9 ? 70 : bytes * 8));
		ok = compare(&m, number, &seen, r, &p, start);
		free(data);
	}
	for (int i = 0; i < N_READERS; i++)
		reader_fini(&r[i]);
	mer_arena_fini(&m.arena);
	return ok;
}

static void test_random(void **state)
{
	(void)state;
	unsigned failed = 0;
	for (unsigned i = 1; i <= N_CASES && failed < 10; i++)
		failed += !run_case(i);
	assert_int_equal(failed, 0);
	/* The generator must reach everything that it was made for. */
	for (int s = 0; s < CTF_E_SPACE; s++) {
		printf("%8llu  %s\n", (unsigned long long)n_statuses[s],
			ctf_status_text((enum ctf_status)s));
		assert_true(s == CTF_E_EMPTY || n_statuses[s] > 20);
	}
	for (int k = 0; k < 4; k++)
		assert_true(n_kinds[k] > 1000);
	printf("%llu records, %llu fields\n", (unsigned long long)n_events,
		(unsigned long long)n_fields);
	assert_true(n_events > N_CASES / 2);
}

/* Elements of an array that are wider than a row can be are refused, unless nobody wants them. */
static void test_too_wide(void **state)
{
	(void)state;
	struct maker m = { .rng = 1 };
	mer_arena_init(&m.arena);
	struct ctf_schema *s = m.schema = make(&m, 1, sizeof(*s));
	s->n_streams = 1;
	s->streams = make(&m, 1, sizeof(*s->streams));
	s->streams[0].n_events = 1;
	s->streams[0].events = make(&m, 1, sizeof(struct ctf_event_class));
	static struct ctf_field fields[CTF_MAX_SLOTS + 1];
	for (size_t i = 0; i < CTF_MAX_SLOTS + 1; i++)
		fields[i] = uint_field(&m, 8, 8, 0);
	struct ctf_fc array = { .kind = CTF_ARRAY, .align_bits = 8 };
	array.u.array.n = 2;
	array.u.array.element.fc = struct_of(&m, 8, CTF_MAX_SLOTS + 1, fields);
	struct ctf_field member = { .name = "f", .fc = &array };
	s->streams[0].events[0] = (struct ctf_event_class){ .name = "event",
		.payload = struct_of(&m, 8, 1, &member) };
	struct ctf_program *p;
	struct mer_err err = { 0 };
	assert_int_equal(ctf_program_compile(s, NULL, &m.arena, &p, &err), MER_ERR_LIMIT);
	struct ctf_wants none = { .event = want_none };
	assert_int_equal(ctf_program_compile(s, &none, &m.arena, &p, &err), 0);
	mer_arena_fini(&m.arena);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return !run_case((unsigned)strtoul(argv[1], NULL, 10));
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_too_wide),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
