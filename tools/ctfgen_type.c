/* ctfgen: types of fields, and event classes, declared or inferred. */
#include "ctfgen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct scope {
	const struct scope *outer;
	struct ctf_fc *record;
};

static struct ctf_fc *take_type(
	struct gen *g, struct lexer *l, struct trace *t, const struct scope *s);

static struct ctf_field *find_field(const struct scope *s, const char *name)
{
	for (; s; s = s->outer)
		for (uint32_t i = s->record->u.record.n; i-- > 0;)
			if (!strcmp(s->record->u.record.fields[i].name, name))
				return &s->record->u.record.fields[i];
	return NULL;
}

/* The digits after a type's letter, or 0. */
static unsigned digits_after(const struct lexer *l, size_t skip)
{
	unsigned v = 0;
	if (l->t.len == skip)
		return 0;
	for (size_t i = skip; i < l->t.len; i++) {
		char c = l->source->text[l->t.at + i];
		if (!isdigit((unsigned char)c) || v > 100000000)
			return 0;
		v = v * 10 + (unsigned)(c - '0');
	}
	return v;
}

static bool starts(const struct lexer *l, const char *prefix)
{
	size_t n = strlen(prefix);
	return l->t.kind == T_WORD && l->t.len >= n &&
	       !memcmp(l->source->text + l->t.at, prefix, n);
}

/* le be hex oct bin reversed align=N */
static void take_attributes(struct gen *g, struct lexer *l, struct ctf_fc *fc)
{
	bool bits = fc->kind <= CTF_FLOAT;
	for (;;) {
		skip_lines(l); /* the name is still to come */
		size_t at = l->t.at;
		if (bits && accept_word(l, "le"))
			fc->u.bits.order = CTF_LE;
		else if (bits && accept_word(l, "be"))
			fc->u.bits.order = CTF_BE;
		else if (bits && accept_word(l, "hex"))
			fc->u.bits.base = 16;
		else if (bits && accept_word(l, "oct"))
			fc->u.bits.base = 8;
		else if (bits && accept_word(l, "bin"))
			fc->u.bits.base = 2;
		else if (bits && accept_word(l, "reversed"))
			fc->u.bits.reversed = true;
		else if (accept_word(l, "align")) {
			expect(l, '=');
			uint64_t a = take_uint(g, l, "an alignment");
			if (!a || (a & (a - 1)) || a > 1 << 16)
				fail_at(l, at, "an alignment is a power of two, in bits");
			fc->align_bits = (uint32_t)a;
		} else
			return;
	}
}

static struct ctf_fc *take_integer(struct gen *g, struct lexer *l, const struct trace *t)
{
	skip_lines(l);
	enum ctf_byte_order order = t->schema->order ? CTF_BE : CTF_LE;
	unsigned n = starts(l, "u") || starts(l, "s") ? digits_after(l, 1) : 0;
	if (n < 1 || n > 64)
		fail_at(l, l->t.at, "expected an integer type, u1 to u64 or s1 to s64");
	bool is_signed = l->source->text[l->t.at] == 's';
	lex_next(l);
	struct ctf_fc *fc = ctf_new_int(&g->arena, n, is_signed, n % 8 ? 1 : 8, order);
	check_memory(fc);
	take_attributes(g, l, fc);
	return fc;
}

static struct ctf_fc *take_enum(struct gen *g, struct lexer *l, const struct trace *t)
{
	struct ctf_fc *fc = take_integer(g, l, t);
	uint64_t value = 0;
	expect(l, '{');
	skip_lines(l);
	fc->u.bits.is_enum = true;
	while (!accept(l, '}')) {
		const char *label = take_name(g, l, "a label", &g->arena);
		uint64_t lo = value, hi;
		if (accept(l, '='))
			lo = (uint64_t)take_int(g, l, "a value");
		hi = lo;
		if (accept(l, '.' << 8 | '.'))
			hi = (uint64_t)take_int(g, l, "a value");
		ctf_enum_add(&g->arena, fc, label, lo, hi);
		value = hi + 1;
		skip_lines(l);
		if (!accept(l, ',') && !is_punct(l, '}'))
			fail_at(l, l->t.at, "expected ',' or '}'");
		skip_lines(l);
	}
	return fc;
}

/* The ranges of every mapping with the option's label, which may have an underscore in front. */
static void select_option(struct gen *g, struct ctf_option *o, const struct ctf_fc *tag)
{
	struct ctf_range *ranges = NULL;
	uint32_t n = 0;
	for (unsigned escaped = 0; escaped < 2 && !n; escaped++)
		for (uint32_t i = 0; i < tag->u.bits.n_mappings; i++) {
			const struct ctf_mapping *m = &tag->u.bits.mappings[i];
			if ((escaped && *m->label != '_') ||
				strcmp(m->label + escaped, o->field.name) != 0)
				continue;
			ranges = more(g, ranges, n, sizeof(*ranges));
			ranges[n++] = m->ranges[0];
		}
	o->ranges = ranges;
	o->n_ranges = n;
}

static struct ctf_fc *take_variant(
	struct gen *g, struct lexer *l, struct trace *t, const struct scope *s)
{
	struct ctf_fc *v = ctf_new_variant(&g->arena);
	struct ctf_field *tag = NULL;
	check_memory(v);
	skip_lines(l);
	if (l->t.kind == T_WORD) {
		size_t at = l->t.at;
		const char *name = take_name(g, l, "a field", &g->line);
		tag = find_field(s, name);
		if (!tag)
			fail_at(l, at, "no field %s before this one", name);
		if (!ctf_refer(t->schema, v, tag))
			fail_at(l, at, "too many references");
	}
	/* The enumeration stays where it is; the field may move. */
	const struct ctf_fc *tag_class = tag ? tag->fc : NULL;
	expect(l, '{');
	skip_lines(l);
	for (uint64_t i = 0; !accept(l, '}'); i++) {
		struct ctf_fc *fc = take_type(g, l, t, s);
		size_t at = l->t.at;
		const char *name = take_name(g, l, "the name of an option", &g->arena);
		struct ctf_option *o = ctf_variant_add(&g->arena, v, name, fc, i, i);
		check_memory(o);
		if (tag_class && tag_class->u.bits.n_mappings) {
			select_option(g, o, tag_class);
			if (!o->n_ranges)
				fail_at(l, at, "the selector has no label %s", name);
		}
		end_line(l);
		skip_lines(l);
	}
	if (!v->u.variant.n)
		fail_at(l, l->t.at, "a variant needs an option");
	return v;
}

static struct ctf_fc *take_record(
	struct gen *g, struct lexer *l, struct trace *t, const struct scope *outer);

static struct ctf_fc *take_type(
	struct gen *g, struct lexer *l, struct trace *t, const struct scope *s)
{
	struct mer_arena *a = &g->arena;
	enum ctf_byte_order order = t->schema->order ? CTF_BE : CTF_LE;
	skip_lines(l);
	size_t at = l->t.at;
	struct ctf_fc *fc = NULL;
	if (++g->depth > CTF_MAX_DEPTH - 4)
		fail_at(l, at, "nested too deeply");
	unsigned n;
	if (accept_word(l, "enum")) {
		fc = take_enum(g, l, t);
	} else if (accept_word(l, "struct")) {
		fc = take_record(g, l, t, s);
		take_attributes(g, l, fc);
	} else if (accept_word(l, "variant")) {
		fc = take_variant(g, l, t, s);
	} else if (accept_word(l, "optional")) {
		if (t->major == 1)
			fail_at(l, at, "CTF 1.8 has no optional fields");
		fc = ctf_new_optional(a, take_type(g, l, t, s));
	} else if (is_word(l, "uleb") || is_word(l, "sleb")) {
		if (t->major == 1)
			fail_at(l, at, "CTF 1.8 has no integers of variable length");
		fc = ctf_new_varint(a, is_word(l, "sleb"));
		lex_next(l);
	} else if (starts(l, "f") && (n = digits_after(l, 1)) && (n == 16 || n == 32 || n == 64)) {
		fc = ctf_new_bits(a, CTF_FLOAT, n, 8, order);
		lex_next(l);
	} else if (starts(l, "bits") && (n = digits_after(l, 4)) && n <= 64) {
		fc = ctf_new_bits(a, CTF_BIT_ARRAY, n, n % 8 ? 1 : 8, order);
		lex_next(l);
	} else if (accept_word(l, "bool")) {
		fc = ctf_new_bits(a, CTF_BOOL, 8, 8, order);
	} else if (accept_word(l, "string")) {
		fc = ctf_new_string(a);
	} else if (accept_word(l, "text")) {
		fc = ctf_new_bytes(a, CTF_TEXT, 0);
	} else if (accept_word(l, "blob")) {
		fc = ctf_new_bytes(a, CTF_BLOB, 0);
	} else if (starts(l, "string") && (n = digits_after(l, 6))) {
		fc = ctf_new_bytes(a, CTF_TEXT, n);
		lex_next(l);
	} else if (starts(l, "blob") && (n = digits_after(l, 4))) {
		fc = ctf_new_bytes(a, CTF_BLOB, n);
		lex_next(l);
	} else if (starts(l, "u") || starts(l, "s")) {
		fc = take_integer(g, l, t);
	} else {
		fail_at(l, at, "expected a type");
	}
	check_memory(fc);
	if (fc->kind <= CTF_FLOAT && fc->kind != CTF_INT)
		take_attributes(g, l, fc);
	skip_lines(l);
	g->depth--;
	return fc;
}

static struct ctf_field *add(
	struct gen *g, struct ctf_fc *record, const char *name, struct ctf_fc *fc)
{
	struct ctf_field *f = ctf_struct_add(&g->arena, record, name, fc);
	check_memory(f);
	return f;
}

/* A field put in before fc, which refers to it: a length, a selector. */
static void add_helper(struct gen *g, struct lexer *l, struct trace *t, struct ctf_fc *record,
	const char *name, const char *suffix, struct ctf_fc *type, struct ctf_fc *fc)
{
	const char *helper = mer_arena_printf(&g->arena, "_%s_%s", name, suffix);
	check_memory(helper);
	check_memory(type);
	if (!ctf_refer(t->schema, fc, add(g, record, helper, type)))
		fail_at(l, l->t.at, "too many references");
}

static void add_field(struct gen *g, struct lexer *l, struct trace *t, struct ctf_fc *record,
	const char *name, struct ctf_fc *fc)
{
	enum ctf_byte_order order = t->schema->order ? CTF_BE : CTF_LE;
	struct mer_arena *a = &g->arena;
	if ((fc->kind == CTF_TEXT || fc->kind == CTF_BLOB) && !fc->u.text.len_bytes &&
		!fc->u.text.ref.reg)
		add_helper(
			g, l, t, record, name, "length", ctf_new_int(a, 32, false, 8, order), fc);
	if (fc->kind == CTF_ARRAY && fc->u.array.n == UINT64_MAX && !fc->u.array.ref.reg)
		add_helper(
			g, l, t, record, name, "length", ctf_new_int(a, 32, false, 8, order), fc);
	if (fc->kind == CTF_OPTIONAL)
		add_helper(g, l, t, record, name, "present", ctf_new_bits(a, CTF_BOOL, 8, 8, order),
			fc);
	if (fc->kind == CTF_VARIANT && !fc->u.variant.ref.reg) {
		struct ctf_fc *tag = ctf_new_int(a, 8, false, 8, order);
		for (uint32_t i = 0; i < fc->u.variant.n; i++)
			ctf_enum_add(a, tag, fc->u.variant.options[i].field.name, i, i);
		add_helper(g, l, t, record, name, "tag", tag, fc);
	}
	add(g, record, name, fc);
}

/* NAME and its subscripts, the outermost first. */
static void take_declarator(struct gen *g, struct lexer *l, struct trace *t, const struct scope *s,
	struct ctf_fc *record, struct ctf_fc *fc)
{
	size_t at = l->t.at, dims[8];
	const char *name = take_name(g, l, "the name of a field", &g->arena);
	unsigned n = 0;
	for (uint32_t i = 0; i < record->u.record.n; i++)
		if (!strcmp(record->u.record.fields[i].name, name))
			fail_at(l, at, "there is a field %s already", name);
	while (is_punct(l, '[')) {
		if (n == 8)
			fail_at(l, l->t.at, "more than 8 dimensions");
		dims[n++] = l->t.at;
		while (!is_punct(l, ']') && l->t.kind != T_LINE && l->t.kind != T_END)
			lex_next(l);
		expect(l, ']');
	}
	size_t end = l->t.at;
	for (unsigned i = n; i-- > 0;) {
		lex_go(l, dims[i]);
		expect(l, '[');
		size_t here = l->t.at;
		uint64_t len = UINT64_MAX;
		struct ctf_field *ref = NULL;
		if (l->t.kind == T_WORD) {
			const char *word = take_name(g, l, "a field", &g->line);
			ref = find_field(s, word);
			if (!ref)
				fail_at(l, here, "no field %s before this one", word);
		} else if (!is_punct(l, ']')) {
			len = take_uint(g, l, "a length");
		} else if (i) {
			fail_at(l, here, "only the first dimension may be left open");
		}
		bool text = i + 1 == n && fc->kind == CTF_TEXT && !fc->u.text.len_bytes;
		if (text && ref) {
			ctf_refer(t->schema, fc, ref);
		} else if (text && len != UINT64_MAX) {
			fc->u.text.len_bytes = len;
		} else {
			fc = ctf_new_array(&g->arena, fc, ref ? 0 : len);
			check_memory(fc);
			if (ref && !ctf_refer(t->schema, fc, ref))
				fail_at(l, here, "too many references");
		}
	}
	if (n)
		lex_go(l, end);
	add_field(g, l, t, record, name, fc);
}

static struct ctf_fc *take_record(
	struct gen *g, struct lexer *l, struct trace *t, const struct scope *outer)
{
	struct ctf_fc *record = ctf_new_struct(&g->arena, 1);
	struct scope s = { outer, record };
	check_memory(record);
	expect(l, '{');
	skip_lines(l);
	while (!accept(l, '}')) {
		struct ctf_fc *fc = take_type(g, l, t, &s);
		take_declarator(g, l, t, &s, record, fc);
		end_line(l);
		skip_lines(l);
	}
	return record;
}

struct ctf_fc *take_fields(struct gen *g, struct lexer *l, struct trace *t)
{
	return take_record(g, l, t, NULL);
}

void note_event(struct gen *g, struct lexer *l)
{
	const char *name = take_name(g, l, "the name of an event", &g->arena);
	uint32_t known = g->decl_names.n, id = mer_intern_add(&g->decl_names, name, strlen(name));
	check_memory(id == MER_INTERN_NONE ? NULL : name);
	if (id == known) {
		g->decls = more(g, g->decls, g->n_decls, sizeof(*g->decls));
		g->n_decls++;
	}
	g->decls[id] = (struct declaration){ .name = name, .source = l->source, .at = l->t.at };
	while (!is_punct(l, '{') && l->t.kind != T_END && l->t.kind != T_LINE)
		lex_next(l);
	do {
		expect(l, '{');
		skip_block(l);
	} while (is_punct(l, '{'));
}

void note_events(struct gen *g, const struct source *source)
{
	struct lexer l = { .source = source };
	lex_next(&l);
	for (skip_lines(&l); l.t.kind != T_END; skip_lines(&l)) {
		if (!accept_word(&l, "event"))
			fail_at(&l, l.t.at, "expected event");
		note_event(g, &l);
		end_line(&l);
	}
}

static struct ctf_event_class *new_class(struct gen *g, struct trace *t, const char *name)
{
	struct ctf_event_class *e = mer_arena_zalloc(&g->arena, 1, sizeof(*e));
	check_memory(e);
	e->name = mer_arena_strdup(&g->arena, name);
	check_memory(e->name);
	e->id = t->next_id++;
	e->log_level = -1;
	return e;
}

struct ctf_event_class *declare_event(struct gen *g, struct trace *t, const struct declaration *d)
{
	struct lexer l = { .source = d->source };
	struct ctf_event_class *e = new_class(g, t, d->name);
	lex_go(&l, d->at);
	for (;;) {
		if (accept_word(&l, "id")) {
			e->id = take_uint(g, &l, "an id");
			t->next_id = e->id + 1;
		} else if (accept_word(&l, "level")) {
			e->log_level = (int32_t)take_uint(g, &l, "a log level");
		} else if (accept_word(&l, "uri")) {
			e->emf_uri = take_name(g, &l, "a text", &g->arena);
		} else if (accept_word(&l, "context")) {
			e->specific_context = take_fields(g, &l, t);
		} else {
			break;
		}
	}
	e->payload = take_fields(g, &l, t);
	return e;
}

static struct ctf_fc *infer_record(struct gen *g, struct trace *t, const struct value *v);

static struct ctf_fc *infer(struct gen *g, struct trace *t, const struct value *v)
{
	enum ctf_byte_order order = t->schema->order ? CTF_BE : CTF_LE;
	switch (v->kind) {
	case V_INT: return ctf_new_int(&g->arena, 64, !v->big, 8, order);
	case V_REAL: return ctf_new_bits(&g->arena, CTF_FLOAT, 64, 8, order);
	case V_TEXT:
	case V_WORD: return ctf_new_string(&g->arena);
	case V_LIST:
		if (!v->first)
			fail_at(&g->lex, v->at, "what is in the list? Declare the event");
		return ctf_new_array(&g->arena, infer(g, t, v->first), UINT64_MAX);
	case V_RECORD: return infer_record(g, t, v);
	case V_NONE: break;
	}
	return NULL;
}

static struct ctf_fc *infer_record(struct gen *g, struct trace *t, const struct value *v)
{
	struct ctf_fc *record = ctf_new_struct(&g->arena, 1);
	check_memory(record);
	for (const struct value *m = v->first; m; m = m->next) {
		struct ctf_fc *fc = infer(g, t, m);
		check_memory(fc);
		add_field(g, &g->lex, t, record, m->name, fc);
	}
	return record;
}

struct ctf_event_class *infer_event(
	struct gen *g, struct trace *t, const char *name, const struct value *fields)
{
	struct ctf_event_class *e = new_class(g, t, name);
	e->payload = infer_record(g, t, fields);
	return e;
}
