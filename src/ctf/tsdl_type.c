/* Compound types, type names and their declarations. */
#include "ctf/tsdl_type.h"

#include <stdlib.h>
#include <string.h>

/* A typedef'd or field name with its type. */
struct declarator {
	const char *start;
	uint32_t name;
	struct tsdl_type *type;
};

struct tsdl_type *tsdl_new_type(struct tsdl *t, enum tsdl_kind kind)
{
	struct tsdl_type *type = tsdl_alloc(t, &t->tmp, 1, sizeof(*type));
	type->kind = kind;
	type->depth = 1;
	type->align_bits = 1;
	return type;
}

const char *tsdl_kind_name(const struct tsdl_type *type)
{
	switch (type->kind) {
	case TSDL_INT: return "an integer";
	case TSDL_ENUM: return "an enumeration";
	case TSDL_FLOAT: return "a floating point number";
	case TSDL_STRING: return "a string";
	case TSDL_WIDE: return "an integer of this size";
	case TSDL_STRUCT: return "a structure";
	case TSDL_VARIANT: return "a variant";
	case TSDL_ARRAY: return "an array";
	}
	return "this";
}

static void tsdl_enter_type(struct tsdl *t)
{
	if (++t->depth > CTF_MAX_DEPTH)
		tsdl_fail_at(t, MER_ERR_LIMIT, t->tok.start, "types are nested more than %d deep",
			CTF_MAX_DEPTH);
}

static void tsdl_leave_type(struct tsdl *t)
{
	t->depth--;
}

/* The outer type is one deeper than the inner one; the same limit as above, also over names. */
static void set_depth(
	struct tsdl *t, struct tsdl_type *outer, const struct tsdl_type *inner, const char *start)
{
	/* A wide integer is two deep: it becomes an array. One level is kept for the decoder. */
	unsigned depth = inner->depth + 1U + (inner->kind == TSDL_WIDE);
	if (depth >= CTF_MAX_DEPTH)
		tsdl_fail_at(t, MER_ERR_LIMIT, start, "types are nested more than %d deep",
			CTF_MAX_DEPTH);
	if (outer->depth < depth)
		outer->depth = (uint16_t)depth;
	/* A variant is not aligned by itself: the option that is selected is. */
	if (outer->kind != TSDL_VARIANT && outer->align_bits < inner->align_bits)
		outer->align_bits = inner->align_bits;
}

static bool is_type_word(const struct tsdl *t)
{
	return t->tok.kind == TOK_KEYWORD && t->tok.keyword >= KW_CONST;
}

bool tsdl_at_type(const struct tsdl *t)
{
	switch (t->tok.keyword) {
	case KW_ENUM:
	case KW_FLOATING_POINT:
	case KW_INTEGER:
	case KW_STRING:
	case KW_STRUCT:
	case KW_VARIANT: return true;
	default: return is_type_word(t) || t->tok.kind == TOK_NAME;
	}
}

/* The name of a type: one name, or words like "unsigned long"; any number of "*" behind. "const"
 * says nothing about a layout and is left out. */
static uint32_t parse_type_name(struct tsdl *t)
{
	char text[256];
	size_t len = 0;
	const char *start = t->tok.start;
	while (tsdl_is_keyword(t, KW_CONST))
		tsdl_next(t);
	if (!is_type_word(t) && t->tok.kind != TOK_NAME)
		tsdl_fail_expected(t, "a type");
	bool is_name = t->tok.kind == TOK_NAME;
	uint32_t id = is_name ? tsdl_intern(t, t->tok.start, t->tok.len) : 0;
	if (is_name) {
		tsdl_next(t);
		if (!tsdl_is_punct(t, '*') && !tsdl_is_keyword(t, KW_CONST))
			return id;
		len = strlen(mer_intern_text(&t->names, id));
		if (len < sizeof(text))
			memcpy(text, mer_intern_text(&t->names, id), len);
	}
	while (is_type_word(t) || tsdl_is_punct(t, '*')) {
		if (is_name && is_type_word(t) && t->tok.keyword != KW_CONST)
			break;
		if (len + t->tok.len + 2 >= sizeof(text))
			tsdl_fail_at(t, MER_ERR_LIMIT, start, "this type has too long a name");
		if (t->tok.keyword != KW_CONST) {
			if (len > 0)
				text[len++] = ' ';
			memcpy(text + len, t->tok.start, t->tok.len);
			len += t->tok.len;
		}
		tsdl_next(t);
	}
	return tsdl_intern(t, text, len);
}

static struct tsdl_type *parse_named_type(struct tsdl *t)
{
	const char *start = t->tok.start;
	uint32_t id = parse_type_name(t);
	const struct tsdl_symbol *s = tsdl_find(t, SPACE_TYPE, id);
	if (!s) {
		const char *name = mer_intern_text(&t->names, id);
		tsdl_fail_at(t, MER_ERR_INPUT, start, "there is no type \"%.*s\" here",
			strlen(name) > 80 ? 80 : (int)strlen(name), name);
	}
	return s->type;
}

/* { "[" number or path "]" } behind a name: int x[2][3] is two of three. */
static struct tsdl_type *parse_dimensions(struct tsdl *t, struct tsdl_type *type)
{
	struct tsdl_type *outer = type, *last = NULL; /* dimensions, linked by their element */
	unsigned n = 0;
	const char *start = t->tok.start;
	while (tsdl_accept_punct(t, '[')) {
		if (n++ == CTF_MAX_DEPTH)
			tsdl_fail_at(t, MER_ERR_LIMIT, start,
				"this array has more than %d dimensions", CTF_MAX_DEPTH);
		struct tsdl_type *a = tsdl_new_type(t, TSDL_ARRAY);
		if (t->tok.kind == TOK_INT) {
			a->length = t->tok.value;
			tsdl_next(t);
		} else if (t->tok.kind == TOK_NAME || t->tok.kind == TOK_KEYWORD) {
			a->ref = tsdl_parse_ref(t);
			tsdl_bind_ref(t, a);
		} else {
			tsdl_fail_expected(t, "the length of the array");
		}
		tsdl_expect_punct(t, ']');
		a->element = last;
		last = a;
	}
	while (last) {
		struct tsdl_type *a = last;
		last = a->element;
		a->element = outer;
		set_depth(t, a, outer, start);
		outer = a;
	}
	return outer;
}

static void parse_declarator(struct tsdl *t, struct tsdl_type *type, struct declarator *d)
{
	if (t->tok.kind != TOK_NAME)
		tsdl_fail_expected(t, "a name");
	d->start = t->tok.start;
	d->name = tsdl_intern(t, t->tok.start, t->tok.len);
	tsdl_next(t);
	d->type = tsdl_is_punct(t, '[') ? parse_dimensions(t, type) : type;
}

bool tsdl_parse_alias(struct tsdl *t)
{
	bool ignored;
	if (tsdl_is_keyword(t, KW_TYPEDEF)) {
		tsdl_next(t);
		struct tsdl_type *type = tsdl_parse_type(t, &ignored);
		do {
			struct declarator d;
			parse_declarator(t, type, &d);
			tsdl_define(t, SPACE_TYPE, d.name, d.start, d.type, NULL, 0);
		} while (tsdl_accept_punct(t, ','));
		tsdl_expect_punct(t, ';');
		return true;
	}
	if (!tsdl_is_keyword(t, KW_TYPEALIAS))
		return false;
	tsdl_next(t);
	struct tsdl_type *type = tsdl_parse_type(t, &ignored);
	if (tsdl_is_punct(t, '['))
		type = parse_dimensions(t, type);
	if (t->tok.kind != TOK_TYPE_IS)
		tsdl_fail_expected(t, "':='");
	tsdl_next(t);
	const char *start = t->tok.start;
	uint32_t name = parse_type_name(t);
	tsdl_define(t, SPACE_TYPE, name, start, type, NULL, 0);
	tsdl_expect_punct(t, ';');
	return true;
}

/* Takes the members from the stack of those under construction, from first on. */
static void take_members(struct tsdl *t, struct tsdl_type *type, uint32_t first)
{
	uint32_t n = t->n_members - first;
	struct tsdl_member *m = tsdl_alloc(t, &t->tmp, n, sizeof(*m));
	if (n > 0)
		memcpy(m, t->members + first, n * sizeof(*m));
	t->n_members = first;
	type->members = m;
	type->n = n;
}

/* Members whose shown names are equal, although their written ones differ, are shown as written;
 * returns how many there were. Repeated names are found in one step, in SPACE_OPTION of a scope of
 * its own. */
static uint32_t keep_clashing_names(struct tsdl *t, struct tsdl_type *type)
{
	uint32_t n = 0;
	tsdl_scope_open(t);
	for (uint32_t i = 0; i < type->n; i++) {
		struct tsdl_member *m = &type->members[i];
		uint32_t shown = tsdl_intern(t, m->shown, strlen(m->shown));
		const struct tsdl_symbol *s = tsdl_find(t, SPACE_OPTION, shown);
		if (!s || s->scope != t->scope) {
			tsdl_define(t, SPACE_OPTION, shown, m->start, NULL, NULL, i);
			continue;
		}
		struct tsdl_member *other = &type->members[s->index];
		m->shown = mer_intern_text(&t->names, m->name);
		other->shown = mer_intern_text(&t->names, other->name);
		n++;
	}
	tsdl_scope_close(t);
	return n;
}

/* The names to show: without the escape, unless two would be the same then. */
static void name_members(struct tsdl *t, struct tsdl_type *type)
{
	bool is_escaped = false;
	for (uint32_t i = 0; i < type->n; i++) {
		struct tsdl_member *m = &type->members[i];
		const char *name = mer_intern_text(&t->names, m->name);
		m->shown = name[0] == '_' ? name + 1 : name;
		is_escaped |= name[0] == '_';
	}
	if (!is_escaped)
		return;
	/* A name that is kept may clash with another one that is not: a, _a, __a. */
	for (int pass = 0; pass < 3; pass++)
		if (keep_clashing_names(t, type) == 0)
			return;
	for (uint32_t i = 0; i < type->n; i++)
		type->members[i].shown = mer_intern_text(&t->names, type->members[i].name);
}

/* The body of a structure or variant, after "{" and including "}". */
static void parse_members(struct tsdl *t, struct tsdl_type *type)
{
	enum tsdl_space space = type->kind == TSDL_STRUCT ? SPACE_FIELD : SPACE_OPTION;
	uint32_t first = t->n_members;
	tsdl_scope_open(t);
	while (!tsdl_accept_punct(t, '}')) {
		if (tsdl_parse_alias(t))
			continue;
		if (!tsdl_at_type(t))
			tsdl_fail_expected(t, "a type or '}'");
		bool is_declaration = false;
		struct tsdl_type *of = tsdl_parse_type(t, &is_declaration);
		if (is_declaration && tsdl_accept_punct(t, ';'))
			continue;
		do {
			struct declarator d;
			parse_declarator(t, of, &d);
			if (d.type->kind == TSDL_VARIANT && !d.type->ref)
				tsdl_fail_at(t, MER_ERR_INPUT, d.start, "this variant has no tag");
			set_depth(t, type, d.type, d.start);
			tsdl_define(t, space, d.name, d.start, d.type, type, t->n_members - first);
			tsdl_grow(t, (void **)&t->members, &t->cap_members, t->n_members,
				sizeof(*t->members));
			t->members[t->n_members++] =
				(struct tsdl_member){ d.name, NULL, d.start, d.type };
		} while (tsdl_accept_punct(t, ','));
		tsdl_expect_punct(t, ';');
	}
	tsdl_scope_close(t);
	take_members(t, type, first);
	name_members(t, type);
}

static void parse_struct_align(struct tsdl *t, struct tsdl_type *type)
{
	if (!tsdl_is_keyword(t, KW_ALIGN))
		return;
	tsdl_next(t);
	tsdl_expect_punct(t, '(');
	struct tsdl_value v = tsdl_parse_value(t);
	uint32_t align = tsdl_value_align(t, &v);
	tsdl_expect_punct(t, ')');
	if (type->align_bits < align)
		type->align_bits = align;
}

/* struct [NAME] { ... } [align(N)], or struct NAME. */
static struct tsdl_type *parse_struct(struct tsdl *t, bool *is_declaration)
{
	const char *name_start = NULL;
	uint32_t name = 0;
	tsdl_next(t);
	if (t->tok.kind == TOK_NAME) {
		name_start = t->tok.start;
		name = tsdl_intern(t, t->tok.start, t->tok.len);
		tsdl_next(t);
	}
	if (!tsdl_is_punct(t, '{') && name_start) {
		const struct tsdl_symbol *s = tsdl_find(t, SPACE_STRUCT, name);
		if (!s)
			tsdl_fail_at(t, MER_ERR_INPUT, name_start,
				"there is no structure of this name here");
		return s->type;
	}
	tsdl_expect_punct(t, '{');
	struct tsdl_type *type = tsdl_new_type(t, TSDL_STRUCT);
	parse_members(t, type);
	parse_struct_align(t, type);
	if (name_start)
		tsdl_define(t, SPACE_STRUCT, name, name_start, type, NULL, 0);
	*is_declaration = true;
	return type;
}

/* variant [NAME] [<tag>] { ... }, or variant NAME <tag>. */
static struct tsdl_type *parse_variant(struct tsdl *t, bool *is_declaration)
{
	const char *name_start = NULL, *start = t->tok.start;
	uint32_t name = 0;
	struct tsdl_ref *ref = NULL;
	tsdl_next(t);
	if (t->tok.kind == TOK_NAME) {
		name_start = t->tok.start;
		name = tsdl_intern(t, t->tok.start, t->tok.len);
		tsdl_next(t);
	}
	if (tsdl_accept_punct(t, '<')) {
		ref = tsdl_parse_ref(t);
		tsdl_expect_punct(t, '>');
	}
	struct tsdl_type *type = tsdl_new_type(t, TSDL_VARIANT);
	if (tsdl_is_punct(t, '{') || !name_start) {
		tsdl_expect_punct(t, '{');
		parse_members(t, type);
		/* A variant without a tag of its own may be used with any tag. */
		type->ref = ref;
		if (name_start)
			tsdl_define(t, SPACE_VARIANT, name, name_start, type, NULL, 0);
		*is_declaration = true;
	} else {
		const struct tsdl_symbol *s = tsdl_find(t, SPACE_VARIANT, name);
		if (!s)
			tsdl_fail_at(t, MER_ERR_INPUT, name_start,
				"there is no variant of this name here");
		if (ref && s->type->ref)
			tsdl_fail_at(t, MER_ERR_INPUT, start, "this variant has a tag already");
		if (!ref)
			return s->type;
		*type = *s->type;
		type->ref = ref;
		type->ranges_for = NULL;
	}
	if (ref)
		tsdl_bind_ref(t, type);
	return type;
}

struct tsdl_type *tsdl_parse_type(struct tsdl *t, bool *is_declaration)
{
	struct tsdl_type *type;
	*is_declaration = false;
	tsdl_enter_type(t);
	switch (t->tok.keyword) {
	case KW_INTEGER: type = tsdl_parse_integer(t); break;
	case KW_FLOATING_POINT: type = tsdl_parse_float(t); break;
	case KW_STRING: type = tsdl_parse_string(t); break;
	case KW_ENUM: type = tsdl_parse_enum(t, is_declaration); break;
	case KW_STRUCT: type = parse_struct(t, is_declaration); break;
	case KW_VARIANT: type = parse_variant(t, is_declaration); break;
	default: type = parse_named_type(t); break;
	}
	tsdl_leave_type(t);
	return type;
}
