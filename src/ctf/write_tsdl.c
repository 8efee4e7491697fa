/* A schema as TSDL, the language of CTF 1.8.
 *
 * Every type is written out where it is used. Names of contexts and payloads get the leading
 * underscore that readers take away again, others where they need it. What TSDL has no word for is
 * an error, except for kinds that differ in their meaning only (blobs, booleans, bit maps), which
 * become numbers of the same bits. A variant's tag must be an enumeration with a label per option:
 * where the schema's tag has none, labels are added. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "ctf/write.h"

struct tsdl_out {
	const struct ctf_schema *schema;
	struct mer_str *out;
	struct mer_err *err;
	int rc;
	struct ctf_write_place place;
	const char *where; /* of the event, for messages */
};

static void fail(struct tsdl_out *t, const struct ctf_field *f, const char *what)
{
	if (!t->rc)
		t->rc = mer_fail(
			t->err, MER_ERR_USAGE, "%s: field \"%s\": %s", t->where, f->name, what);
}

static bool is_word(const char *s)
{
	if (!*s || (*s >= '0' && *s <= '9'))
		return false;
	for (; *s; s++)
		if (!(*s >= 'a' && *s <= 'z') && !(*s >= 'A' && *s <= 'Z') &&
			!(*s >= '0' && *s <= '9') && *s != '_')
			return false;
	return true;
}

static bool is_keyword(const char *s)
{
	static const char *const words[] = { "align", "callsite", "char", "clock", "const",
		"double", "enum", "env", "event", "float", "floating_point", "int", "integer",
		"long", "short", "signed", "stream", "string", "struct", "trace", "typealias",
		"typedef", "unsigned", "variant", "void", "_Bool", "_Complex", "_Imaginary" };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(s, words[i]))
			return true;
	return false;
}

/* A name as an identifier; escape puts the underscore in front. Names that are no identifiers get
 * four digits of their hash, so that different ones stay different. */
static void put_word(struct tsdl_out *t, const char *name, bool escape)
{
	bool word = is_word(name);
	if (escape || *name == '_' || !word || is_keyword(name))
		mer_str_putc(t->out, '_');
	for (const char *s = name; *s; s++) {
		char c[2] = { *s, 0 };
		mer_str_putc(t->out, (*s >= '0' && *s <= '9') || is_word(c) ? *s : '_');
	}
	if (!word && *name)
		mer_str_printf(t->out, "_%04x", (unsigned)(mer_hash(name, strlen(name)) & 0xFFFF));
}

/* CTF 2 has options without a name. */
static void put_option_name(struct tsdl_out *t, const char *name, uint32_t index)
{
	put_word(t, name, true);
	if (!*name)
		mer_str_printf(t->out, "%" PRIu32, index);
}

static void put_name(struct tsdl_out *t, enum ctf_scope scope, const char *name)
{
	put_word(t, name, scope >= CTF_SCOPE_COMMON_CONTEXT);
}

static void put_quoted(struct tsdl_out *t, const char *s)
{
	mer_str_putc(t->out, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			mer_str_printf(t->out, "\\%c", *s);
		else if (*s == '\n')
			mer_str_puts(t->out, "\\n");
		else if ((unsigned char)*s < ' ' || *s == 127)
			mer_str_printf(t->out, "\\%03o", (unsigned)*s);
		else
			mer_str_putc(t->out, *s);
	}
	mer_str_putc(t->out, '"');
}

static void put_uuid(struct tsdl_out *t, const uint8_t u[16])
{
	for (int i = 0; i < 16; i++)
		mer_str_printf(
			t->out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", u[i]);
}

static void indent(struct tsdl_out *t, unsigned n)
{
	for (; n; n--)
		mer_str_putc(t->out, '\t');
}

/* References. */

static bool hidden(const struct tsdl_out *t, const struct ctf_target *target)
{
	for (uint32_t i = (uint32_t)target->frame + 1; i < t->place.depth; i++)
		for (uint32_t k = 0; k < t->place.frames[i].at; k++)
			if (!strcmp(t->place.frames[i].record->u.record.fields[k].name,
				    target->names[0]))
				return true;
	return false;
}

static bool put_path(struct tsdl_out *t, const struct ctf_field *f, const struct ctf_ref *ref)
{
	static const char *const prefixes[] = { "trace.packet.header.", "stream.packet.context.",
		"stream.event.header.", "stream.event.context.", "event.context.",
		"event.fields." };
	struct ctf_target g;
	if (!ctf_find_target(&t->place, ref->reg, &g)) {
		fail(t, f, "the field that it refers to is not before it");
		return false;
	}
	bool absolute = g.frame < 0 || hidden(t, &g);
	bool plain = g.plain;
	if (absolute) {
		mer_str_puts(t->out, prefixes[g.scope]);
		for (int i = 0; i < g.frame; i++) {
			const struct ctf_frame *fr = &t->place.frames[i];
			put_name(t, g.scope, fr->record->u.record.fields[fr->at].name);
			mer_str_putc(t->out, '.');
			plain = plain && t->place.frames[i + 1].plain;
		}
	}
	if (!plain) {
		fail(t, f, "TSDL has no path to the field that it refers to");
		return false;
	}
	for (uint32_t i = 0; i < g.n_names; i++) {
		if (i)
			mer_str_putc(t->out, '.');
		put_name(t, g.scope, g.names[i]);
	}
	return true;
}

/* Variants and their tags. */

/* Whether the label stands for exactly the ranges of the option: a label may occur several
 * times. */
static bool is_label_of(const struct ctf_fc *tag, const char *label, const struct ctf_option *o)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < tag->u.bits.n_mappings; i++) {
		const struct ctf_mapping *m = &tag->u.bits.mappings[i];
		if (strcmp(m->label, label) != 0)
			continue;
		if (m->n_ranges > o->n_ranges - n ||
			memcmp(m->ranges, o->ranges + n, m->n_ranges * sizeof(*m->ranges)) != 0)
			return false;
		n += m->n_ranges;
	}
	return n == o->n_ranges;
}

/* The mapping whose label can name the option; the one of the same name, if there is one. */
static const struct ctf_mapping *mapping_of(const struct ctf_fc *tag, const struct ctf_option *o)
{
	const struct ctf_mapping *found = NULL;
	for (uint32_t i = 0; o->n_ranges && i < tag->u.bits.n_mappings; i++) {
		const struct ctf_mapping *m = &tag->u.bits.mappings[i];
		if (!m->n_ranges || memcmp(m->ranges, o->ranges, sizeof(*o->ranges)) != 0 ||
			!is_word(m->label) || is_keyword(m->label) ||
			!is_label_of(tag, m->label, o))
			continue;
		if (!strcmp(m->label + (*m->label == '_'), o->field.name))
			return m;
		if (!found)
			found = m;
	}
	return found;
}

static void put_range(struct tsdl_out *t, const struct ctf_range *r, bool is_signed)
{
	if (is_signed)
		mer_str_printf(t->out, " = %" PRId64, (int64_t)r->lo);
	else
		mer_str_printf(t->out, " = %" PRIu64, r->lo);
	if (r->hi != r->lo && is_signed)
		mer_str_printf(t->out, " ... %" PRId64, (int64_t)r->hi);
	else if (r->hi != r->lo)
		mer_str_printf(t->out, " ... %" PRIu64, r->hi);
}

/* The options of variants at or below f that this tag selects but has no label for. With count_only
 * they are counted. */
static uint32_t put_extra_labels(struct tsdl_out *t, const struct ctf_field *tag,
	const struct ctf_field *f, unsigned depth, bool count_only, bool *first)
{
	const struct ctf_fc *fc = f->fc;
	uint32_t n = 0;
	if (depth > CTF_MAX_DEPTH)
		return 0;
	switch (fc->kind) {
	case CTF_STRUCT:
		for (uint32_t i = 0; i < fc->u.record.n; i++)
			n += put_extra_labels(
				t, tag, &fc->u.record.fields[i], depth + 1, count_only, first);
		break;
	case CTF_ARRAY:
		n += put_extra_labels(t, tag, &fc->u.array.element, depth + 1, count_only, first);
		break;
	case CTF_VARIANT:
		for (uint32_t i = 0; i < fc->u.variant.n; i++) {
			const struct ctf_option *o = &fc->u.variant.options[i];
			n += put_extra_labels(t, tag, &o->field, depth + 1, count_only, first);
			if (fc->u.variant.ref.reg != tag->reg || mapping_of(tag->fc, o))
				continue;
			for (uint32_t k = 0; k < o->n_ranges; k++, n++) {
				if (count_only)
					continue;
				mer_str_puts(t->out, *first ? " " : ", ");
				*first = false;
				put_option_name(t, o->field.name, i);
				put_range(t, &o->ranges[k], fc->u.variant.ref.is_signed);
			}
		}
		break;
	default: break;
	}
	return n;
}

/* All places behind the field being written where a variant may refer to it. */
static uint32_t extra_labels(
	struct tsdl_out *t, const struct ctf_field *tag, bool count_only, bool *first)
{
	uint32_t n = 0;
	if (tag->reg == CTF_NO_REG)
		return 0;
	for (uint32_t i = 0; i < t->place.depth; i++) {
		const struct ctf_frame *f = &t->place.frames[i];
		for (uint32_t k = f->at + (i + 1 == t->place.depth); k < f->record->u.record.n; k++)
			n += put_extra_labels(
				t, tag, &f->record->u.record.fields[k], 0, count_only, first);
	}
	return n;
}

static void put_type(struct tsdl_out *t, const struct ctf_field *f, bool plain, unsigned depth);

/* The subscripts of nested arrays, from the outside in; they follow the name. */
static void put_subscripts(struct tsdl_out *t, const struct ctf_field *f)
{
	for (const struct ctf_field *a = f; !t->rc;) {
		const struct ctf_fc *fc = a->fc;
		if (fc->kind != CTF_ARRAY && fc->kind != CTF_TEXT && fc->kind != CTF_BLOB)
			return;
		const struct ctf_ref *ref =
			fc->kind == CTF_ARRAY ? &fc->u.array.ref : &fc->u.text.ref;
		mer_str_putc(t->out, '[');
		if (ref->reg == CTF_NO_REG)
			mer_str_printf(t->out, "%" PRIu64,
				fc->kind == CTF_ARRAY ? fc->u.array.n : fc->u.text.len_bytes);
		else
			put_path(t, f, ref);
		mer_str_putc(t->out, ']');
		if (fc->kind != CTF_ARRAY)
			return;
		a = &fc->u.array.element;
	}
}

static void put_variant(struct tsdl_out *t, const struct ctf_field *f, unsigned depth)
{
	const struct ctf_fc *fc = f->fc;
	struct ctf_target g;
	mer_str_puts(t->out, "variant <");
	if (!put_path(t, f, &fc->u.variant.ref) ||
		!ctf_find_target(&t->place, fc->u.variant.ref.reg, &g))
		return;
	if (g.field->fc->kind == CTF_VARINT || g.field->fc->kind > CTF_VARINT)
		return fail(t, f, "TSDL wants a selector of fixed length");
	mer_str_puts(t->out, "> {\n");
	for (uint32_t i = 0; !t->rc && i < fc->u.variant.n; i++) {
		const struct ctf_option *o = &fc->u.variant.options[i];
		const struct ctf_mapping *m = mapping_of(g.field->fc, o);
		if (!m && o->n_ranges && g.frame < 0)
			fail(t, f, "TSDL wants a label for each option in the selector");
		indent(t, depth + 1);
		put_type(t, &o->field, false, depth + 1);
		mer_str_putc(t->out, ' ');
		if (m)
			mer_str_puts(t->out, m->label);
		else
			put_option_name(t, o->field.name, i);
		put_subscripts(t, &o->field);
		mer_str_puts(t->out, ";\n");
	}
	indent(t, depth);
	mer_str_putc(t->out, '}');
}

static void put_integer(struct tsdl_out *t, const struct ctf_field *f, bool text)
{
	const struct ctf_fc *fc = f->fc;
	bool is_signed = fc->kind == CTF_INT && fc->u.bits.is_signed;
	unsigned base = fc->kind == CTF_BIT_ARRAY || fc->kind == CTF_BIT_MAP ? 16
			: fc->u.bits.base				     ? fc->u.bits.base
									     : 10;
	if (fc->u.bits.reversed)
		fail(t, f, "TSDL has no reversed bit order");
	mer_str_printf(t->out, "integer { size = %u; align = %u; signed = %d;", fc->u.bits.len_bits,
		fc->align_bits, is_signed);
	if (fc->u.bits.order != t->schema->order)
		mer_str_printf(
			t->out, " byte_order = %s;", fc->u.bits.order == CTF_BE ? "be" : "le");
	if (text)
		mer_str_puts(t->out, " encoding = UTF8;");
	if (base != 10)
		mer_str_printf(t->out, " base = %u;", base);
	if (f->clock >= 0) {
		mer_str_puts(t->out, " map = clock.");
		put_word(t, t->schema->clocks[f->clock].name, false);
		mer_str_puts(t->out, ".value;");
	}
	mer_str_puts(t->out, " }");
}

static void put_bits(struct tsdl_out *t, const struct ctf_field *f, unsigned depth)
{
	const struct ctf_fc *fc = f->fc;
	bool first = true, is_signed = fc->kind == CTF_INT && fc->u.bits.is_signed;
	bool is_enum = fc->kind == CTF_INT && (fc->u.bits.is_enum || fc->u.bits.n_mappings);
	if (!is_enum && !extra_labels(t, f, true, &first))
		return put_integer(t, f, false);
	mer_str_puts(t->out, "enum : ");
	put_integer(t, f, false);
	mer_str_puts(t->out, " {");
	for (uint32_t i = 0; is_enum && i < fc->u.bits.n_mappings; i++) {
		const struct ctf_mapping *m = &fc->u.bits.mappings[i];
		for (uint32_t k = 0; k < m->n_ranges; k++) {
			mer_str_puts(t->out, first ? "" : ",");
			first = false;
			mer_str_putc(t->out, '\n');
			indent(t, depth + 1);
			if (is_word(m->label) && !is_keyword(m->label))
				mer_str_puts(t->out, m->label);
			else
				put_quoted(t, m->label);
			put_range(t, &m->ranges[k], is_signed);
		}
	}
	extra_labels(t, f, false, &first);
	mer_str_puts(t->out, " }");
}

static void put_float(struct tsdl_out *t, const struct ctf_field *f)
{
	const struct ctf_fc *fc = f->fc;
	unsigned len = fc->u.bits.len_bits, mant = len == 16 ? 11 : len == 32 ? 24 : 53;
	mer_str_printf(t->out, "floating_point { exp_dig = %u; mant_dig = %u; align = %u;",
		len - mant, mant, fc->align_bits);
	if (fc->u.bits.order != t->schema->order)
		mer_str_printf(
			t->out, " byte_order = %s;", fc->u.bits.order == CTF_BE ? "be" : "le");
	mer_str_puts(t->out, " }");
}

static void put_struct(struct tsdl_out *t, const struct ctf_fc *record, bool plain, unsigned depth)
{
	struct ctf_write_place *p = &t->place;
	uint32_t natural = 1;
	if (p->depth >= CTF_MAX_DEPTH + 1) {
		t->rc = mer_fail(t->err, MER_ERR_LIMIT, "%s: nested too deeply", t->where);
		return;
	}
	struct ctf_frame *frame = &p->frames[p->depth++];
	*frame = (struct ctf_frame){ .record = record, .plain = plain };
	mer_str_puts(t->out, record->u.record.n ? "struct {\n" : "struct { ");
	for (; !t->rc && frame->at < record->u.record.n; frame->at++) {
		const struct ctf_field *f = &record->u.record.fields[frame->at];
		if (f->fc->kind != CTF_VARIANT && f->fc->align_bits > natural)
			natural = f->fc->align_bits;
		indent(t, depth + 1);
		put_type(t, f, true, depth + 1);
		mer_str_putc(t->out, ' ');
		put_name(t, p->scope, f->name);
		put_subscripts(t, f);
		mer_str_puts(t->out, ";\n");
	}
	p->depth--;
	if (record->u.record.n)
		indent(t, depth);
	mer_str_putc(t->out, '}');
	if (record->align_bits > natural)
		mer_str_printf(t->out, " align(%u)", record->align_bits);
}

/* The type; the subscripts of arrays follow the name. */
static void put_type(struct tsdl_out *t, const struct ctf_field *f, bool plain, unsigned depth)
{
	const struct ctf_fc *fc = f->fc;
	if (t->rc)
		return;
	if (depth > CTF_MAX_DEPTH + 2)
		return fail(t, f, "nested too deeply");
	switch (fc->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_BOOL:
	case CTF_INT: return put_bits(t, f, depth);
	case CTF_FLOAT: return put_float(t, f);
	case CTF_VARINT: return fail(t, f, "TSDL has no integers of variable length");
	case CTF_OPTIONAL: return fail(t, f, "TSDL has no optional fields");
	case CTF_STRING:
		if (fc->u.text.encoding != CTF_UTF8)
			return fail(t, f, "TSDL has UTF-8 text only");
		mer_str_puts(t->out, "string");
		return;
	case CTF_TEXT:
	case CTF_BLOB: {
		if (fc->kind == CTF_TEXT && fc->u.text.encoding != CTF_UTF8)
			return fail(t, f, "TSDL has UTF-8 text only");
		if (fc->align_bits != 8)
			return fail(t, f, "TSDL has no alignment of texts");
		struct ctf_fc byte = { .kind = CTF_INT, .align_bits = 8 };
		byte.u.bits.len_bits = 8;
		byte.u.bits.order = t->schema->order;
		struct ctf_field element = { .name = f->name, .fc = &byte, .clock = -1 };
		return put_integer(t, &element, fc->kind == CTF_TEXT);
	}
	case CTF_STRUCT: return put_struct(t, fc, plain, depth);
	case CTF_ARRAY:
		if (fc->align_bits > fc->u.array.element.fc->align_bits)
			return fail(t, f, "TSDL has no alignment of arrays");
		return put_type(t, &fc->u.array.element, false, depth);
	case CTF_VARIANT: return put_variant(t, f, depth);
	}
}

static void put_scope(
	struct tsdl_out *t, const char *title, enum ctf_scope scope, const struct ctf_fc *record)
{
	if (!record || t->rc)
		return;
	t->place.scope = scope;
	t->place.depth = 0;
	t->place.scopes[scope] = record;
	mer_str_printf(t->out, "\t%s := ", title);
	put_struct(t, record, true, 1);
	mer_str_puts(t->out, ";\n");
}

static void put_trace(struct tsdl_out *t)
{
	const struct ctf_schema *s = t->schema;
	mer_str_puts(t->out, "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n");
	if (s->has_uuid) {
		mer_str_puts(t->out, "\tuuid = \"");
		put_uuid(t, s->uuid);
		mer_str_puts(t->out, "\";\n");
	}
	mer_str_printf(t->out, "\tbyte_order = %s;\n", s->order == CTF_BE ? "be" : "le");
	t->where = "packet header";
	put_scope(t, "packet.header", CTF_SCOPE_PACKET_HEADER, s->packet_header);
	mer_str_puts(t->out, "};\n\n");
	if (s->n_env)
		mer_str_puts(t->out, "env {\n");
	for (uint32_t i = 0; i < s->n_env; i++) {
		mer_str_putc(t->out, '\t');
		put_word(t, s->env[i].name, false);
		mer_str_puts(t->out, " = ");
		if (s->env[i].text)
			put_quoted(t, s->env[i].text);
		else
			mer_str_printf(t->out, "%" PRId64, s->env[i].number);
		mer_str_puts(t->out, ";\n");
	}
	if (s->n_env)
		mer_str_puts(t->out, "};\n\n");
}

static void put_clock(struct tsdl_out *t, const struct ctf_clock *c)
{
	mer_str_puts(t->out, "clock {\n\tname = \"");
	put_word(t, c->name, false);
	mer_str_puts(t->out, "\";\n");
	if (c->has_uuid) {
		mer_str_puts(t->out, "\tuuid = \"");
		put_uuid(t, c->uuid);
		mer_str_puts(t->out, "\";\n");
	}
	if (c->description) {
		mer_str_puts(t->out, "\tdescription = ");
		put_quoted(t, c->description);
		mer_str_puts(t->out, ";\n");
	}
	mer_str_printf(t->out, "\tfreq = %" PRIu64 ";\n", c->freq_hz);
	if (c->precision_cycles)
		mer_str_printf(t->out, "\tprecision = %" PRIu64 ";\n", c->precision_cycles);
	if (c->offset_s)
		mer_str_printf(t->out, "\toffset_s = %" PRId64 ";\n", c->offset_s);
	mer_str_printf(t->out, "\toffset = %" PRId64 ";\n", c->offset_cycles);
	if (c->is_absolute)
		mer_str_puts(t->out, "\tabsolute = TRUE;\n");
	mer_str_puts(t->out, "};\n\n");
}

static void put_event(
	struct tsdl_out *t, const struct ctf_stream_class *c, const struct ctf_event_class *e)
{
	t->where = e->name;
	mer_str_puts(t->out, "event {\n\tname = ");
	put_quoted(t, e->name);
	mer_str_printf(
		t->out, ";\n\tid = %" PRIu64 ";\n\tstream_id = %" PRIu64 ";\n", e->id, c->id);
	if (e->log_level >= 0)
		mer_str_printf(t->out, "\tloglevel = %d;\n", e->log_level);
	if (e->emf_uri) {
		mer_str_puts(t->out, "\tmodel.emf.uri = ");
		put_quoted(t, e->emf_uri);
		mer_str_puts(t->out, ";\n");
	}
	t->place.scopes[CTF_SCOPE_SPECIFIC_CONTEXT] = NULL;
	put_scope(t, "context", CTF_SCOPE_SPECIFIC_CONTEXT, e->specific_context);
	put_scope(t, "fields", CTF_SCOPE_PAYLOAD, e->payload);
	mer_str_puts(t->out, "};\n\n");
}

int ctf_write_tsdl(const struct ctf_schema *s, struct mer_str *out, struct mer_err *err)
{
	struct tsdl_out *t = calloc(1, sizeof(*t));
	if (!t)
		return mer_fail_nomem(err);
	*t = (struct tsdl_out){ .schema = s, .out = out, .err = err };
	put_trace(t);
	for (uint32_t i = 0; i < s->n_clocks; i++)
		put_clock(t, &s->clocks[i]);
	for (uint32_t i = 0; !t->rc && i < s->n_streams; i++) {
		const struct ctf_stream_class *c = &s->streams[i];
		t->where = "stream";
		memset(&t->place.scopes[1], 0,
			sizeof(t->place.scopes) - sizeof(t->place.scopes[0]));
		mer_str_printf(out, "stream {\n\tid = %" PRIu64 ";\n", c->id);
		put_scope(t, "packet.context", CTF_SCOPE_PACKET_CONTEXT, c->packet_context);
		put_scope(t, "event.header", CTF_SCOPE_EVENT_HEADER, c->event_header);
		put_scope(t, "event.context", CTF_SCOPE_COMMON_CONTEXT, c->event_context);
		mer_str_puts(out, "};\n\n");
		for (uint32_t k = 0; !t->rc && k < c->n_events; k++)
			put_event(t, c, &c->events[k]);
	}
	int rc = t->rc;
	free(t);
	return !rc && out->failed ? mer_fail_nomem(err) : rc;
}
