/* Scalar types: integer, floating_point, string, enum. Each becomes a field class at once. */
#include "ctf/tsdl_type.h"

#include <stdlib.h>
#include <string.h>

static struct ctf_fc *new_fc(struct tsdl *t, struct tsdl_type *type, enum ctf_kind kind)
{
	struct ctf_fc *fc = tsdl_alloc(t, t->arena, 1, sizeof(*fc));
	fc->kind = kind;
	fc->align_bits = type->align_bits;
	type->fc = fc;
	return fc;
}

static void warn_unknown(struct tsdl *t, const struct tsdl_name *name, const char *of)
{
	tsdl_warn_at(t, name->start, "unknown attribute %.*s of %s ignored",
		name->len > 60 ? 60 : (int)name->len, name->start, of);
}

static uint8_t parse_base(struct tsdl *t, const struct tsdl_value *v)
{
	static const struct {
		const char *word;
		uint8_t base;
	} bases[] = { { "decimal", 10 }, { "dec", 10 }, { "d", 10 }, { "i", 10 }, { "u", 10 },
		{ "hexadecimal", 16 }, { "hex", 16 }, { "x", 16 }, { "X", 16 }, { "p", 16 },
		{ "octal", 8 }, { "oct", 8 }, { "o", 8 }, { "binary", 2 }, { "b", 2 } };
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		if (tsdl_value_is(v, bases[i].word))
			return bases[i].base;
	if (v->kind == VALUE_INT && !v->is_negative &&
		(v->magnitude == 2 || v->magnitude == 8 || v->magnitude == 10 ||
			v->magnitude == 16))
		return (uint8_t)v->magnitude;
	tsdl_fail_at(t, MER_ERR_INPUT, v->start,
		"a base is 2, 8, 10, 16, binary, octal, decimal or hexadecimal");
}

/* Is there an encoding? Both known ones are read as UTF-8. */
static bool parse_encoding(struct tsdl *t, const struct tsdl_value *v)
{
	static const char *const text[] = { "UTF8", "utf8", "Utf8", "ASCII", "ascii", "Ascii" };
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		if (tsdl_value_is(v, text[i]))
			return true;
	if (tsdl_value_is(v, "none") || tsdl_value_is(v, "NONE") || tsdl_value_is(v, "None"))
		return false;
	tsdl_fail_at(t, MER_ERR_INPUT, v->start, "an encoding is none, UTF8 or ASCII");
}

/* clock.NAME.value */
static void parse_map(struct tsdl *t, const struct tsdl_value *v, struct tsdl_type *type)
{
	static const char before[] = "clock.", behind[] = ".value";
	const size_t n_before = sizeof(before) - 1, n_behind = sizeof(behind) - 1;
	if (v->kind != VALUE_WORDS || v->n_words != 3 || v->len <= n_before + n_behind ||
		memcmp(v->text, before, n_before) != 0 ||
		memcmp(v->text + v->len - n_behind, behind, n_behind) != 0)
		tsdl_fail_at(t, MER_ERR_INPUT, v->start, "expected clock.NAME.value");
	const char *name = v->text + n_before;
	type->clock = tsdl_intern(t, name, v->len - n_before - n_behind) + 1;
	type->clock_start = v->start;
	type->older_map = t->maps;
	t->maps = type;
}

static void finish_integer(struct tsdl *t, struct tsdl_type *type, uint64_t size, bool is_signed,
	uint8_t base, int order, const char *start)
{
	type->is_native = order < 0;
	if (size == 0)
		tsdl_fail_at(t, MER_ERR_INPUT, start, "an integer must have at least 1 bit");
	if (size > 64) {
		/* Programs have no such integer, but its bytes (or bits) can be read. */
		tsdl_warn_at(t, start, "an integer of %llu bits is read as an array",
			(unsigned long long)size);
		uint32_t element_bits = size % 8 == 0 && type->align_bits >= 8 ? 8 : 1;
		type->kind = TSDL_WIDE;
		type->length = size / element_bits;
		size = element_bits;
		is_signed = false;
		base = 16;
	}
	struct ctf_fc *fc = new_fc(t, type, CTF_INT);
	fc->u.bits.len_bits = (uint16_t)size;
	fc->u.bits.is_signed = is_signed;
	fc->u.bits.base = base;
	fc->u.bits.order = (uint8_t)(order < 0 ? CTF_LE : order);
	if (type->kind == TSDL_WIDE)
		fc->align_bits = (uint32_t)size;
}

struct tsdl_type *tsdl_parse_integer(struct tsdl *t)
{
	enum { SIZE, ALIGN, SIGNED, BASE, ENCODING, ORDER, MAP };
	struct tsdl_type *type = tsdl_new_type(t, TSDL_INT);
	const char *start = t->tok.start;
	uint32_t given = 0;
	uint64_t size = 0;
	bool is_signed = false;
	uint8_t base = 10;
	int order = -1;
	tsdl_next(t);
	tsdl_expect_punct(t, '{');
	while (!tsdl_accept_punct(t, '}')) {
		struct tsdl_name name;
		tsdl_parse_name(t, &name);
		struct tsdl_value v = tsdl_parse_assigned(t);
		if (tsdl_name_is(&name, "size")) {
			tsdl_once(t, &given, SIZE, &name);
			size = tsdl_value_unsigned(t, &v, "a size");
			if (size > UINT32_MAX)
				tsdl_fail_at(t, MER_ERR_LIMIT, v.start, "this size is too large");
		} else if (tsdl_name_is(&name, "align")) {
			tsdl_once(t, &given, ALIGN, &name);
			type->align_bits = tsdl_value_align(t, &v);
		} else if (tsdl_name_is(&name, "signed")) {
			tsdl_once(t, &given, SIGNED, &name);
			is_signed = tsdl_value_bool(t, &v);
		} else if (tsdl_name_is(&name, "base")) {
			tsdl_once(t, &given, BASE, &name);
			base = parse_base(t, &v);
		} else if (tsdl_name_is(&name, "encoding")) {
			tsdl_once(t, &given, ENCODING, &name);
			type->is_text = parse_encoding(t, &v);
		} else if (tsdl_name_is(&name, "byte_order")) {
			tsdl_once(t, &given, ORDER, &name);
			order = tsdl_value_byte_order(t, &v);
		} else if (tsdl_name_is(&name, "map")) {
			tsdl_once(t, &given, MAP, &name);
			parse_map(t, &v, type);
		} else {
			warn_unknown(t, &name, "an integer");
		}
	}
	if (!(given & 1U << SIZE))
		tsdl_fail_at(t, MER_ERR_INPUT, start, "this integer has no size");
	if (!(given & 1U << ALIGN))
		type->align_bits = size % 8 == 0 ? 8 : 1;
	finish_integer(t, type, size, is_signed, base, order, start);
	return type;
}

struct tsdl_type *tsdl_parse_float(struct tsdl *t)
{
	enum { EXP, MANT, ALIGN, ORDER };
	struct tsdl_type *type = tsdl_new_type(t, TSDL_FLOAT);
	const char *start = t->tok.start;
	uint32_t given = 0;
	uint64_t exp_bits = 0, mant_bits = 0;
	int order = -1;
	type->align_bits = 1;
	tsdl_next(t);
	tsdl_expect_punct(t, '{');
	while (!tsdl_accept_punct(t, '}')) {
		struct tsdl_name name;
		tsdl_parse_name(t, &name);
		struct tsdl_value v = tsdl_parse_assigned(t);
		if (tsdl_name_is(&name, "exp_dig")) {
			tsdl_once(t, &given, EXP, &name);
			exp_bits = tsdl_value_unsigned(t, &v, "exp_dig");
		} else if (tsdl_name_is(&name, "mant_dig")) {
			tsdl_once(t, &given, MANT, &name);
			mant_bits = tsdl_value_unsigned(t, &v, "mant_dig");
		} else if (tsdl_name_is(&name, "align")) {
			tsdl_once(t, &given, ALIGN, &name);
			type->align_bits = tsdl_value_align(t, &v);
		} else if (tsdl_name_is(&name, "byte_order")) {
			tsdl_once(t, &given, ORDER, &name);
			order = tsdl_value_byte_order(t, &v);
		} else {
			warn_unknown(t, &name, "a floating point number");
		}
	}
	if (!(exp_bits == 5 && mant_bits == 11) && !(exp_bits == 8 && mant_bits == 24) &&
		!(exp_bits == 11 && mant_bits == 53))
		tsdl_fail_at(t, MER_ERR_INPUT, start,
			"a floating point number needs exp_dig and mant_dig of 5 and 11, 8 and 24, or 11 and 53");
	type->is_native = order < 0;
	struct ctf_fc *fc = new_fc(t, type, CTF_FLOAT);
	fc->u.bits.len_bits = (uint16_t)(exp_bits + mant_bits);
	fc->u.bits.is_signed = true;
	fc->u.bits.base = 10;
	fc->u.bits.order = (uint8_t)(order < 0 ? CTF_LE : order);
	return type;
}

struct tsdl_type *tsdl_parse_string(struct tsdl *t)
{
	struct tsdl_type *type = tsdl_new_type(t, TSDL_STRING);
	uint32_t given = 0;
	type->align_bits = 8;
	new_fc(t, type, CTF_STRING)->u.text.encoding = CTF_UTF8;
	tsdl_next(t);
	if (!tsdl_accept_punct(t, '{'))
		return type;
	while (!tsdl_accept_punct(t, '}')) {
		struct tsdl_name name;
		tsdl_parse_name(t, &name);
		struct tsdl_value v = tsdl_parse_assigned(t);
		if (tsdl_name_is(&name, "encoding")) {
			tsdl_once(t, &given, 0, &name);
			parse_encoding(t, &v);
		} else {
			warn_unknown(t, &name, "a string");
		}
	}
	return type;
}

/* Enumerations. The mappings are gathered in an array that doubles, in t->tmp. */
struct mappings {
	struct ctf_range *ranges;
	uint32_t *labels;
	uint32_t n, cap;
};

static void add_mapping(struct tsdl *t, struct mappings *m, uint32_t label, struct ctf_range range)
{
	if (m->n == m->cap) {
		uint32_t cap = m->cap ? m->cap * 2 : 8;
		struct ctf_range *ranges = tsdl_alloc(t, &t->tmp, cap, sizeof(*ranges));
		uint32_t *labels = tsdl_alloc(t, &t->tmp, cap, sizeof(*labels));
		if (m->n > 0) {
			memcpy(ranges, m->ranges, m->n * sizeof(*ranges));
			memcpy(labels, m->labels, m->n * sizeof(*labels));
		}
		m->ranges = ranges;
		m->labels = labels;
		m->cap = cap;
	}
	m->ranges[m->n] = range;
	m->labels[m->n++] = label;
}

static uint64_t mapping_value(struct tsdl *t, const struct ctf_fc *of)
{
	struct tsdl_value v = tsdl_parse_value(t);
	unsigned len = of->u.bits.len_bits;
	if (v.kind != VALUE_INT)
		tsdl_fail_at(t, MER_ERR_INPUT, v.start, "the value of a label must be a number");
	bool is_negative = v.is_negative && v.magnitude > 0;
	uint64_t half = UINT64_C(1) << (len - 1);
	if (of->u.bits.is_signed ? v.magnitude > half - !is_negative
				 : is_negative || v.magnitude > half - 1 + half)
		tsdl_fail_at(t, MER_ERR_INPUT, v.start,
			"this value does not fit in %s integer of %u bits",
			of->u.bits.is_signed ? "a signed" : "an unsigned", len);
	return is_negative ? 0 - v.magnitude : v.magnitude;
}

static uint32_t parse_label(struct tsdl *t)
{
	uint32_t id;
	if (t->tok.kind == TOK_STRING) {
		size_t len;
		const char *text = tsdl_unquote(t, &t->tok, &t->tmp, &len);
		id = tsdl_intern(t, text, strnlen(text, len));
	} else if (t->tok.kind == TOK_NAME || t->tok.kind == TOK_KEYWORD) {
		id = tsdl_intern(t, t->tok.start, t->tok.len);
	} else {
		tsdl_fail_expected(t, "a label");
	}
	tsdl_next(t);
	return id;
}

static void parse_mappings(struct tsdl *t, const struct ctf_fc *of, struct mappings *m)
{
	unsigned len = of->u.bits.len_bits;
	uint64_t greatest = UINT64_MAX >> (64 - len) >> (of->u.bits.is_signed ? 1 : 0);
	uint64_t next = 0;
	bool has_next = true;
	if (tsdl_is_punct(t, '}'))
		tsdl_fail_at(t, MER_ERR_INPUT, t->tok.start, "an enumeration must have a label");
	while (!tsdl_accept_punct(t, '}')) {
		const char *start = t->tok.start;
		uint32_t label = parse_label(t);
		struct ctf_range r = { next, next };
		if (t->tok.kind == TOK_ASSIGN) {
			tsdl_next(t);
			const char *value_start = t->tok.start;
			r.lo = r.hi = mapping_value(t, of);
			if (t->tok.kind == TOK_ELLIPSIS) {
				tsdl_next(t);
				r.hi = mapping_value(t, of);
			}
			if (of->u.bits.is_signed ? (int64_t)r.lo > (int64_t)r.hi : r.lo > r.hi)
				tsdl_fail_at(t, MER_ERR_INPUT, value_start,
					"this range ends before it begins");
		} else if (!has_next) {
			tsdl_fail_at(t, MER_ERR_INPUT, start,
				"the value of this label does not fit in an integer of %u bits",
				len);
		}
		has_next = r.hi != greatest;
		next = r.hi + 1;
		add_mapping(t, m, label, r);
		if (!tsdl_accept_punct(t, ',') && !tsdl_is_punct(t, '}'))
			tsdl_fail_expected(t, "',' or '}'");
	}
}

/* enum [NAME] [: TYPE] { ... }, or enum NAME. */
struct tsdl_type *tsdl_parse_enum(struct tsdl *t, bool *is_declaration)
{
	const char *start = t->tok.start, *name_start = NULL;
	uint32_t name = 0;
	tsdl_next(t);
	if (t->tok.kind == TOK_NAME) {
		name_start = t->tok.start;
		name = tsdl_intern(t, t->tok.start, t->tok.len);
		tsdl_next(t);
	}
	if (name_start && !tsdl_is_punct(t, ':') && !tsdl_is_punct(t, '{')) {
		const struct tsdl_symbol *s = tsdl_find(t, SPACE_ENUM, name);
		if (!s)
			tsdl_fail_at(t, MER_ERR_INPUT, name_start,
				"there is no enumeration of this name here");
		return s->type;
	}
	const struct tsdl_type *of;
	if (tsdl_accept_punct(t, ':')) {
		bool ignored;
		start = t->tok.start;
		of = tsdl_parse_type(t, &ignored);
	} else {
		const struct tsdl_symbol *s = tsdl_find(t, SPACE_TYPE, tsdl_intern(t, "int", 3));
		if (!s)
			tsdl_fail_at(t, MER_ERR_INPUT, start,
				"this enumeration has no type, and there is no type \"int\" here to use for it");
		of = s->type;
	}
	if (of->kind != TSDL_INT)
		tsdl_fail_at(t, MER_ERR_INPUT, start,
			"an enumeration must be of an integer type, not %s", tsdl_kind_name(of));
	tsdl_expect_punct(t, '{');
	struct mappings m = { 0 };
	parse_mappings(t, of->fc, &m);
	struct tsdl_type *type = tsdl_new_type(t, TSDL_ENUM);
	*type = *of;
	type->kind = TSDL_ENUM;
	type->is_text = false;
	if (type->clock) {
		type->older_map = t->maps;
		t->maps = type;
	}
	struct ctf_fc *fc = new_fc(t, type, CTF_INT);
	*fc = *of->fc;
	struct ctf_range *ranges = tsdl_alloc(t, t->arena, m.n, sizeof(*ranges));
	struct ctf_mapping *rows = tsdl_alloc(t, t->arena, m.n, sizeof(*rows));
	memcpy(ranges, m.ranges, m.n * sizeof(*ranges));
	for (uint32_t i = 0; i < m.n; i++)
		rows[i] = (struct ctf_mapping){ mer_intern_text(&t->names, m.labels[i]), 1,
			&ranges[i] };
	fc->u.bits.is_enum = true;
	fc->u.bits.n_mappings = m.n;
	fc->u.bits.mappings = rows;
	if (!ctf_index_labels(fc, t->arena))
		tsdl_fail_nomem(t);
	type->labels = m.labels;
	if (name_start)
		tsdl_define(t, SPACE_ENUM, name, name_start, type, NULL, 0);
	*is_declaration = true;
	return type;
}
