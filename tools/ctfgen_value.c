/* ctfgen: the values of a line in the order of the event's fields.
 *
 * What is not given is 0, "" or empty. Lengths and selectors that are not given follow from the
 * array, text, variant or optional that refers to them, if that is a later member of the same
 * structure. */
#include "ctfgen.h"

#include <stdlib.h>
#include <string.h>

static void flatten(struct gen *g, const struct ctf_field *f, const struct value *v);

static struct ctf_value *push(struct gen *g, enum ctf_value_kind kind)
{
	if (g->n_out == g->cap_out) {
		g->cap_out = g->cap_out ? g->cap_out * 2 : 64;
		g->out = realloc(g->out, g->cap_out * sizeof(*g->out));
		check_memory(g->out);
	}
	struct ctf_value *v = &g->out[g->n_out++];
	*v = (struct ctf_value){ .kind = kind };
	return v;
}

static _Noreturn void wrong(
	struct gen *g, const struct ctf_field *f, const struct value *v, const char *want)
{
	fail_at(&g->lex, v->at, "field %s wants %s", f->name, want);
}

static bool same_option(const char *option, const char *given)
{
	return !strcmp(option, given) || (*option == '_' && !strcmp(option + 1, given));
}

/* What the reference field must be, as far as the value of the referring field tells. */
static bool implied(struct gen *g, const struct ctf_field *f, uint16_t reg, const struct value *v,
	uint64_t *out)
{
	const struct ctf_fc *fc = f->fc;
	uint64_t n = 0;
	switch (fc->kind) {
	case CTF_TEXT:
	case CTF_BLOB:
		*out = v ? v->len : 0;
		if (v && fc->kind == CTF_BLOB && v->kind == V_TEXT)
			*out = v->len;
		return fc->u.text.ref.reg == reg;
	case CTF_ARRAY:
		for (const struct value *m = v ? v->first : NULL; m; m = m->next)
			n++;
		*out = n;
		return fc->u.array.ref.reg == reg;
	case CTF_OPTIONAL:
		*out = 0;
		if (v)
			*out = fc->u.optional.n_ranges ? fc->u.optional.ranges[0].lo : 1;
		return fc->u.optional.ref.reg == reg;
	case CTF_VARIANT:
		if (fc->u.variant.ref.reg != reg)
			return false;
		if (v && (v->kind != V_RECORD || !v->first || v->first->next))
			wrong(g, f, v, "one of its options, as in name.option=value");
		for (uint32_t i = 0; i < fc->u.variant.n; i++) {
			const struct ctf_option *o = &fc->u.variant.options[i];
			if (!o->n_ranges || (v && !same_option(o->field.name, v->first->name)))
				continue;
			*out = o->ranges[0].lo;
			return true;
		}
		if (v)
			fail_at(&g->lex, v->at, "field %s has no option %s", f->name,
				v->first->name);
		return false;
	default: return false;
	}
}

static void flatten_int(struct gen *g, const struct ctf_field *f, const struct value *v)
{
	struct ctf_value *out = push(g, CTF_VALUE_INT);
	const struct ctf_fc *fc = f->fc;
	if (v && v->kind == V_WORD) {
		uint32_t i = 0;
		while (i < fc->u.bits.n_mappings &&
			!same_option(fc->u.bits.mappings[i].label, v->s))
			i++;
		if (i < fc->u.bits.n_mappings)
			out->v.u = fc->u.bits.mappings[i].ranges[0].lo;
		else if (fc->kind == CTF_BOOL && (!strcmp(v->s, "true") || !strcmp(v->s, "false")))
			out->v.u = v->s[0] == 't';
		else
			wrong(g, f, v, fc->u.bits.n_mappings ? "one of its labels" : "a number");
	} else if (v && v->kind != V_INT) {
		wrong(g, f, v, "an integer");
	} else if (v) {
		out->v.u = v->i;
		if (v->big)
			out->kind = CTF_VALUE_UINT;
	}
	unsigned len = fc->kind == CTF_VARINT ? 64 : fc->u.bits.len_bits;
	bool is_signed = fc->u.bits.is_signed;
	bool fits = is_signed ? out->kind == CTF_VALUE_INT &&
					(len == 64 || (out->v.i >= -((int64_t)1 << (len - 1)) &&
							      out->v.i < (int64_t)1 << (len - 1)))
			      : (out->kind == CTF_VALUE_UINT || out->v.i >= 0) &&
					(len == 64 || out->v.u >> len == 0);
	if (!fits && v)
		wrong(g, f, v, is_signed ? "a smaller number" : "a smaller number, not negative");
	if (f->reg)
		g->regs[f->reg] = out->v.u;
}

static void flatten_record(struct gen *g, const struct ctf_fc *fc, const struct value *v)
{
	for (const struct value *m = v ? v->first : NULL; m; m = m->next) {
		uint32_t i = 0;
		while (i < fc->u.record.n && strcmp(fc->u.record.fields[i].name, m->name) != 0)
			i++;
		if (i == fc->u.record.n)
			fail_at(&g->lex, m->at, "there is no field %s", m->name);
	}
	for (uint32_t i = 0; i < fc->u.record.n; i++) {
		const struct ctf_field *f = &fc->u.record.fields[i];
		const struct value *m = v ? record_get(v, f->name) : NULL;
		struct value helper = { .kind = V_INT, .at = v ? v->at : g->lex.t.at };
		for (uint32_t k = i + 1; f->reg && !m && k < fc->u.record.n; k++) {
			const struct ctf_field *user = &fc->u.record.fields[k];
			if (implied(g, user, f->reg, v ? record_get(v, user->name) : NULL,
				    &helper.i))
				m = &helper;
		}
		flatten(g, f, m);
	}
}

static void flatten_array(struct gen *g, const struct ctf_field *f, const struct value *v)
{
	const struct ctf_fc *fc = f->fc;
	uint64_t n = fc->u.array.ref.reg ? g->regs[fc->u.array.ref.reg] : fc->u.array.n;
	if (v && v->kind != V_LIST)
		wrong(g, f, v, "a list, as in [1, 2]");
	const struct value *m = v ? v->first : NULL;
	if (n > 1 << 24)
		fail_at(&g->lex, v ? v->at : g->lex.t.at, "field %s has too many elements",
			f->name);
	for (uint64_t i = 0; i < n; i++) {
		flatten(g, &fc->u.array.element, m);
		m = m ? m->next : NULL;
	}
	if (m)
		fail_at(&g->lex, m->at, "field %s has %llu elements only", f->name,
			(unsigned long long)n);
}

static bool selects(const struct ctf_option *o, bool is_signed, uint64_t x)
{
	for (uint32_t i = 0; i < o->n_ranges; i++) {
		uint64_t lo = o->ranges[i].lo, hi = o->ranges[i].hi;
		if (is_signed ? (int64_t)x >= (int64_t)lo && (int64_t)x <= (int64_t)hi
			      : x >= lo && x <= hi)
			return true;
	}
	return false;
}

static void flatten_variant(struct gen *g, const struct ctf_field *f, const struct value *v)
{
	const struct ctf_fc *fc = f->fc;
	uint64_t x = g->regs[fc->u.variant.ref.reg];
	for (uint32_t i = 0; i < fc->u.variant.n; i++) {
		const struct ctf_option *o = &fc->u.variant.options[i];
		if (!selects(o, fc->u.variant.ref.is_signed, x))
			continue;
		const struct value *m = v ? v->first : NULL;
		if (m && !same_option(o->field.name, m->name))
			fail_at(&g->lex, m->at, "field %s: the selector %lld selects %s", f->name,
				(long long)x, o->field.name);
		flatten(g, &o->field, m);
		return;
	}
	fail_at(&g->lex, v ? v->at : g->lex.t.at, "field %s: no option for the selector %lld",
		f->name, (long long)x);
}

static void flatten(struct gen *g, const struct ctf_field *f, const struct value *v)
{
	const struct ctf_fc *fc = f->fc;
	struct ctf_value *out;
	switch (fc->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_BOOL:
	case CTF_INT:
	case CTF_VARINT: flatten_int(g, f, v); return;
	case CTF_FLOAT:
		out = push(g, CTF_VALUE_REAL);
		if (v && v->kind == V_REAL)
			out->v.f = v->f;
		else if (v && v->kind == V_INT)
			out->v.f = v->big ? (double)v->i : (double)(int64_t)v->i;
		else if (v)
			wrong(g, f, v, "a number");
		return;
	case CTF_STRING:
	case CTF_TEXT:
	case CTF_BLOB:
		out = push(g, CTF_VALUE_BYTES);
		out->v.bytes.data = "";
		if (v && v->kind != V_TEXT && v->kind != V_WORD)
			wrong(g, f, v, "a text");
		if (v && fc->kind == CTF_TEXT && !fc->u.text.ref.reg &&
			v->len > fc->u.text.len_bytes)
			fail_at(&g->lex, v->at, "field %s holds %llu bytes", f->name,
				(unsigned long long)fc->u.text.len_bytes);
		if (v) {
			out->v.bytes.data = v->s;
			out->v.bytes.len = v->len;
		} else if (fc->kind == CTF_BLOB && !fc->u.text.ref.reg) {
			out->v.bytes.len = fc->u.text.len_bytes;
			out->v.bytes.data = mer_arena_zalloc(&g->line, 1, fc->u.text.len_bytes + 1);
			check_memory(out->v.bytes.data);
		}
		return;
	case CTF_STRUCT:
		if (v && v->kind != V_RECORD)
			wrong(g, f, v, "members, as in {a=1}");
		flatten_record(g, fc, v);
		return;
	case CTF_ARRAY: flatten_array(g, f, v); return;
	case CTF_VARIANT: flatten_variant(g, f, v); return;
	case CTF_OPTIONAL:
		if (g->regs[fc->u.optional.ref.reg])
			flatten(g, &fc->u.optional.content, v);
		return;
	}
}

static const struct value *members_of(struct gen *g, const struct ctf_fc *fc,
	const struct value *all, bool rest, const struct ctf_fc *other)
{
	if (!all)
		return NULL;
	struct value *own = new_value(g, V_RECORD, all->at);
	for (const struct value *m = all->first; m; m = m->next) {
		bool mine = false, others = false;
		for (uint32_t i = 0; fc && i < fc->u.record.n; i++)
			mine |= !strcmp(fc->u.record.fields[i].name, m->name);
		for (uint32_t i = 0; other && i < other->u.record.n; i++)
			others |= !strcmp(other->u.record.fields[i].name, m->name);
		if (!mine && (!rest || others))
			continue;
		struct value *copy = new_value(g, m->kind, m->at);
		*copy = *m;
		record_put(own, copy, m->name);
	}
	return own;
}

void flatten_event(struct gen *g, const struct trace *t, const struct ctf_event_class *e,
	const struct value *context, const struct value *fields)
{
	const struct ctf_fc *common = t->class->event_context, *own = e->specific_context;
	g->n_out = 0;
	if (context && !common && !own)
		fail_at(&g->lex, context->at, "neither the trace nor the event has a context");
	if (common)
		flatten_record(g, common, members_of(g, common, context, !own, NULL));
	if (own)
		flatten_record(g, own, members_of(g, own, context, true, common));
	flatten_record(g, e->payload, fields);
}
