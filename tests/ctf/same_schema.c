#include "same_schema.h"

#include <stdio.h>
#include <string.h>

struct pair {
	unsigned how;
	uint16_t reg[CTF_MAX_REGS + 1]; /* of b for that of a */
	char text[500];
};

static const char *differ(struct pair *p, const char *where, const char *what)
{
	snprintf(p->text, sizeof(p->text), "%s: %s", where, what);
	return p->text;
}

#define CHECK(condition, what)                                                                     \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return differ(p, f->name, what);                                           \
	} while (0)

static const char *same_class(
	struct pair *p, const struct ctf_field *f, const struct ctf_field *g, bool bare);

static bool same_ref(struct pair *p, const struct ctf_ref *a, const struct ctf_ref *b)
{
	if (a->reg == CTF_NO_REG || b->reg == CTF_NO_REG)
		return a->reg == b->reg;
	return p->reg[a->reg] == b->reg && a->is_signed == b->is_signed;
}

static bool same_ranges(
	const struct ctf_range *a, uint32_t n, const struct ctf_range *b, uint32_t m)
{
	return n == m && (n == 0 || !memcmp(a, b, n * sizeof(*a)));
}

static const char *same_bits(
	struct pair *p, const struct ctf_field *f, const struct ctf_fc *a, const struct ctf_fc *b)
{
	CHECK(a->u.bits.len_bits == b->u.bits.len_bits, "length");
	CHECK(a->u.bits.is_signed == b->u.bits.is_signed || a->kind != CTF_INT, "signedness");
	CHECK(a->u.bits.reversed == b->u.bits.reversed, "bit order");
	CHECK(a->u.bits.order == b->u.bits.order || a->kind == CTF_VARINT, "byte order");
	if (p->how & SAME_BUT_LANGUAGE)
		return NULL;
	CHECK(a->u.bits.base == b->u.bits.base || a->kind != CTF_INT, "base");
	CHECK(a->u.bits.is_enum == b->u.bits.is_enum, "enumeration");
	CHECK(a->u.bits.n_mappings == b->u.bits.n_mappings, "number of mappings");
	for (uint32_t i = 0; i < a->u.bits.n_mappings; i++) {
		const struct ctf_mapping *m = &a->u.bits.mappings[i], *n = &b->u.bits.mappings[i];
		CHECK(!strcmp(m->label, n->label), "label");
		CHECK(same_ranges(m->ranges, m->n_ranges, n->ranges, n->n_ranges), "mapping");
	}
	return NULL;
}

static const char *same_variant(
	struct pair *p, const struct ctf_field *f, const struct ctf_fc *a, const struct ctf_fc *b)
{
	const char *d = NULL;
	CHECK(same_ref(p, &a->u.variant.ref, &b->u.variant.ref), "selector");
	uint32_t k = 0;
	for (uint32_t i = 0; !d && i < a->u.variant.n; i++) {
		const struct ctf_option *o = &a->u.variant.options[i];
		if ((p->how & SAME_BUT_LANGUAGE) && !o->n_ranges)
			continue;
		CHECK(k < b->u.variant.n, "number of options");
		const struct ctf_option *q = &b->u.variant.options[k++];
		CHECK(same_ranges(o->ranges, o->n_ranges, q->ranges, q->n_ranges),
			"option's ranges");
		d = same_class(p, &o->field, &q->field, false);
	}
	CHECK(d || k == b->u.variant.n, "number of options");
	return d;
}

static const char *same_class(
	struct pair *p, const struct ctf_field *f, const struct ctf_field *g, bool bare)
{
	const struct ctf_fc *a = f->fc, *b = g->fc;
	const char *d = NULL;
	CHECK(strcmp(f->name, g->name) == 0, "name");
	CHECK(f->roles == g->roles, "roles");
	CHECK((f->reg == 0) == (g->reg == 0) || bare, "has a register");
	p->reg[f->reg] = g->reg;
	if (!(p->how & SAME_BUT_LANGUAGE))
		CHECK(f->clock == g->clock, "clock");
	if ((p->how & SAME_BUT_LANGUAGE) && (f->roles & CTF_ROLE_TRACE_UUID))
		return NULL;
	CHECK(a->kind == b->kind, "kind");
	CHECK(a->align_bits == b->align_bits, "alignment");
	switch (a->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_BOOL:
	case CTF_INT:
	case CTF_FLOAT:
	case CTF_VARINT: return same_bits(p, f, a, b);
	case CTF_STRING: CHECK(a->u.text.encoding == b->u.text.encoding, "encoding"); return NULL;
	case CTF_TEXT:
	case CTF_BLOB:
		CHECK(a->u.text.encoding == b->u.text.encoding, "encoding");
		CHECK(same_ref(p, &a->u.text.ref, &b->u.text.ref), "length's field");
		CHECK(a->u.text.ref.reg || a->u.text.len_bytes == b->u.text.len_bytes, "length");
		return NULL;
	case CTF_STRUCT:
		CHECK(a->u.record.n == b->u.record.n, "number of members");
		for (uint32_t i = 0; !d && i < a->u.record.n; i++)
			d = same_class(p, &a->u.record.fields[i], &b->u.record.fields[i], false);
		return d;
	case CTF_ARRAY:
		CHECK(same_ref(p, &a->u.array.ref, &b->u.array.ref), "length's field");
		CHECK(a->u.array.ref.reg || a->u.array.n == b->u.array.n, "length");
		return same_class(p, &a->u.array.element, &b->u.array.element, true);
	case CTF_VARIANT: return same_variant(p, f, a, b);
	case CTF_OPTIONAL:
		CHECK(same_ref(p, &a->u.optional.ref, &b->u.optional.ref), "selector");
		CHECK(same_ranges(a->u.optional.ranges, a->u.optional.n_ranges,
			      b->u.optional.ranges, b->u.optional.n_ranges),
			"ranges");
		return same_class(p, &a->u.optional.content, &b->u.optional.content, true);
	}
	return NULL;
}

static const char *same_scope(
	struct pair *p, const char *name, const struct ctf_fc *a, const struct ctf_fc *b)
{
	struct ctf_field f = { .name = name, .fc = (struct ctf_fc *)(uintptr_t)a, .clock = -1 };
	struct ctf_field g = { .name = name, .fc = (struct ctf_fc *)(uintptr_t)b, .clock = -1 };
	if (!a && !b)
		return NULL;
	if (!a || !b)
		return differ(p, name, "only one has it");
	return same_class(p, &f, &g, true);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static const char *same_event(
	struct pair *p, const struct ctf_event_class *a, const struct ctf_event_class *b)
{
	static char where[400];
	const char *d;
	if (a->id != b->id || !same_text(a->name, b->name) || a->log_level != b->log_level ||
		!same_text(a->emf_uri, b->emf_uri))
		return differ(p, a->name, "id, name or attributes");
	d = same_scope(p, "specific context", a->specific_context, b->specific_context);
	if (!d)
		d = same_scope(p, "payload", a->payload, b->payload);
	if (d) {
		snprintf(where, sizeof(where), "event %s: %.300s", a->name, d);
		return where;
	}
	return NULL;
}

static const char *same_clock(struct pair *p, const struct ctf_clock *a, const struct ctf_clock *b)
{
	if (!same_text(a->name, b->name) || !same_text(a->description, b->description) ||
		a->freq_hz != b->freq_hz || a->precision_cycles != b->precision_cycles ||
		a->has_uuid != b->has_uuid || memcmp(a->uuid, b->uuid, 16) != 0)
		return differ(p, "clock", a->name);
	__int128 f = (__int128)a->freq_hz;
	if (a->offset_s * f + a->offset_cycles != b->offset_s * f + b->offset_cycles)
		return differ(p, "clock", "offset");
	if (a->is_absolute != b->is_absolute)
		return differ(p, "clock", "origin");
	return NULL;
}

const char *same_schema(const struct ctf_schema *a, const struct ctf_schema *b, unsigned how)
{
	static struct pair pair;
	struct pair *p = &pair;
	*p = (struct pair){ .how = how };
	if (a->has_uuid != b->has_uuid || memcmp(a->uuid, b->uuid, 16) != 0)
		return "uuid";
	if (!(how & SAME_BUT_LANGUAGE) && (a->major != b->major || a->minor != b->minor))
		return "version";
	if (!(how & (SAME_BUT_LANGUAGE | SAME_BUT_ORDER)) && a->order != b->order)
		return "byte order";
	if (a->n_clocks != b->n_clocks || a->n_streams != b->n_streams || a->n_env != b->n_env)
		return "number of clocks, streams or environment entries";
	for (uint32_t i = 0; i < a->n_env; i++)
		if (!same_text(a->env[i].name, b->env[i].name) ||
			!same_text(a->env[i].text, b->env[i].text) ||
			a->env[i].number != b->env[i].number)
			return differ(p, "environment", a->env[i].name);
	const char *d = same_scope(p, "packet header", a->packet_header, b->packet_header);
	for (uint32_t i = 0; !d && i < a->n_clocks; i++)
		d = same_clock(p, &a->clocks[i], &b->clocks[i]);
	for (uint32_t i = 0; !d && i < a->n_streams; i++) {
		const struct ctf_stream_class *s = &a->streams[i], *t = &b->streams[i];
		if (s->id != t->id || s->clock != t->clock || s->n_events != t->n_events)
			return differ(p, "stream", "id, clock or number of events");
		d = same_scope(p, "packet context", s->packet_context, t->packet_context);
		if (!d)
			d = same_scope(p, "event header", s->event_header, t->event_header);
		if (!d)
			d = same_scope(p, "event context", s->event_context, t->event_context);
		for (uint32_t k = 0; !d && k < s->n_events; k++)
			d = same_event(p, &s->events[k], &t->events[k]);
	}
	return d;
}
