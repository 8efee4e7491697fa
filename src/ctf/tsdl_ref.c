/* References: the paths of sequence lengths and variant tags, followed through written types (and,
 * when the type is in use, through the fields of that use beside them). The scope in which a path
 * begins is decided here for the place where it is written, and in tsdl_use.c for the place where
 * it is used. */
#include "ctf/tsdl_type.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 64 };

struct tsdl_ref *tsdl_parse_ref(struct tsdl *t)
{
	uint32_t words[MAX_WORDS], n = 0;
	struct tsdl_ref *ref = tsdl_alloc(t, &t->tmp, 1, sizeof(*ref));
	const char *stop;
	ref->start = t->tok.start;
	ref->is_absolute = tsdl_is_keyword(t, KW_TRACE) || tsdl_is_keyword(t, KW_STREAM) ||
			   tsdl_is_keyword(t, KW_EVENT) || tsdl_is_keyword(t, KW_ENV);
	ref->is_env = tsdl_is_keyword(t, KW_ENV);
	for (;;) {
		if (t->tok.kind != TOK_NAME && !(ref->is_absolute && t->tok.kind == TOK_KEYWORD))
			tsdl_fail_expected(t, "the name of a field");
		if (n == MAX_WORDS)
			tsdl_fail_at(t, MER_ERR_LIMIT, ref->start,
				"this path has more than %d parts", MAX_WORDS);
		words[n++] = tsdl_intern(t, t->tok.start, t->tok.len);
		stop = t->tok.start + t->tok.len;
		tsdl_next(t);
		if (t->tok.kind == TOK_ARROW)
			tsdl_next(t);
		else if (!tsdl_accept_punct(t, '.'))
			break;
	}
	uint32_t *copy = tsdl_alloc(t, &t->tmp, n, sizeof(*copy));
	memcpy(copy, words, n * sizeof(*copy));
	ref->words = copy;
	ref->n_words = n;
	ref->path = n == 1 ? mer_intern_text(&t->names, words[0])
			   : mer_arena_strndup(t->arena, ref->start, (size_t)(stop - ref->start));
	if (!ref->path)
		tsdl_fail_nomem(t);
	ref->older = t->refs;
	t->refs = ref;
	return ref;
}

static const char *escaped(const char *name)
{
	return name[0] == '_' ? name + 1 : name;
}

bool tsdl_same_name(const struct tsdl *t, uint32_t a, uint32_t b)
{
	return a == b || strcmp(escaped(mer_intern_text(&t->names, a)),
				 escaped(mer_intern_text(&t->names, b))) == 0;
}

/* The visible field of this name: as written, or else one that differs only in the escape. */
static const struct tsdl_symbol *find_field(struct tsdl *t, uint32_t name)
{
	const struct tsdl_symbol *s = tsdl_find(t, SPACE_FIELD, name);
	if (s)
		return s;
	const char *text = mer_intern_text(&t->names, name);
	size_t len = strlen(text);
	uint32_t other = MER_INTERN_NONE;
	if (text[0] == '_') {
		other = mer_intern_find(&t->names, text + 1, len - 1);
	} else if (len < 250) {
		char with[256] = "_";
		memcpy(with + 1, text, len);
		other = mer_intern_find(&t->names, with, len + 1);
	}
	return other == MER_INTERN_NONE ? NULL : tsdl_find(t, SPACE_FIELD, other);
}

static void add_target(struct tsdl *t, const struct tsdl_ref *ref, const struct tsdl_type *type,
	struct ctf_field *field, struct tsdl_targets *out)
{
	if (out->n > 0 && out->type != type &&
		(type->kind == TSDL_ENUM || out->type->kind != type->kind ||
			(type->fc &&
				type->fc->u.bits.is_signed != out->type->fc->u.bits.is_signed)))
		tsdl_fail_at(t, MER_ERR_INPUT, ref->start,
			"\"%s\" leads to several fields of different types", ref->path);
	if (out->n == sizeof(out->fields) / sizeof(out->fields[0]))
		tsdl_fail_at(
			t, MER_ERR_LIMIT, ref->start, "\"%s\" leads to too many fields", ref->path);
	out->type = type;
	out->fields[out->n++] = field;
}

/* The field at index i of the members of type, NULL when type is not in use; *is_there: false when
 * it is in use but that field comes later. */
static struct ctf_field *field_of(
	const struct tsdl_type *type, struct ctf_field *field, uint32_t i, bool *is_there)
{
	*is_there = true;
	if (!field)
		return NULL;
	struct ctf_fc *fc = field->fc;
	struct ctf_field *f = type->kind == TSDL_STRUCT ? &fc->u.record.fields[i]
							: &fc->u.variant.options[i].field;
	*is_there = f->fc != NULL;
	return f;
}

void tsdl_follow(struct tsdl *t, const struct tsdl_ref *ref, uint32_t i,
	const struct tsdl_type *type, struct ctf_field *field, struct tsdl_targets *out)
{
	if (i == ref->n_words) {
		add_target(t, ref, type, field, out);
		return;
	}
	if (type->kind != TSDL_STRUCT && type->kind != TSDL_VARIANT)
		return;
	bool is_there;
	tsdl_count_steps(t, type->n);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t k = 0; k < type->n; k++) {
			const struct tsdl_member *m = &type->members[k];
			if (pass == 0 ? m->name != ref->words[i]
				      : !tsdl_same_name(t, m->name, ref->words[i]))
				continue;
			struct ctf_field *f = field_of(type, field, k, &is_there);
			if (is_there)
				tsdl_follow(t, ref, i + 1, m->type, f, out);
			return;
		}
	}
	if (type->kind == TSDL_STRUCT)
		return;
	/* A path may leave out which option: whichever is decoded has the field then. */
	for (uint32_t k = 0; k < type->n; k++) {
		struct ctf_field *f = field_of(type, field, k, &is_there);
		if (is_there)
			tsdl_follow(t, ref, i, type->members[k].type, f, out);
	}
}

void tsdl_check_target(struct tsdl *t, const struct tsdl_type *user, const struct tsdl_type *target)
{
	const char *path = user->ref->path;
	if (user->kind == TSDL_VARIANT && target->kind != TSDL_ENUM)
		tsdl_fail_at(t, MER_ERR_INPUT, user->ref->start,
			"the tag \"%s\" of a variant must be an enumeration, not %s", path,
			tsdl_kind_name(target));
	if (user->kind == TSDL_VARIANT)
		return;
	if (target->kind != TSDL_ENUM && target->kind != TSDL_INT)
		tsdl_fail_at(t, MER_ERR_INPUT, user->ref->start,
			"the length \"%s\" must be an integer, not %s", path,
			tsdl_kind_name(target));
	if (target->fc->u.bits.is_signed)
		tsdl_fail_at(t, MER_ERR_INPUT, user->ref->start,
			"the length \"%s\" must be an unsigned integer", path);
}

void tsdl_bind_ref(struct tsdl *t, struct tsdl_type *type)
{
	struct tsdl_ref *ref = type->ref;
	if (ref->is_absolute) {
		ref->is_settled = true;
		return;
	}
	const struct tsdl_symbol *s = find_field(t, ref->words[0]);
	if (!s)
		return;
	struct tsdl_targets targets = { 0 };
	tsdl_follow(t, ref, 1, s->type, NULL, &targets);
	if (targets.n == 0)
		return;
	tsdl_check_target(t, type, targets.type);
	if (type->kind == TSDL_VARIANT)
		tsdl_option_ranges(t, type, targets.type);
	ref->bound_to = s->owner;
	ref->bound_index = s->index;
	ref->is_settled = true;
}

/* A label or option, without the escape. */
static uint64_t label_key(const struct tsdl *t, uint32_t name)
{
	const char *text = escaped(mer_intern_text(&t->names, name));
	return mer_hash(text, strlen(text));
}

/* Puts the mappings of the tag into chains of those with the same label, apart from the escape. */
static void chain_labels(struct tsdl *t, const struct tsdl_type *tag)
{
	struct tsdl_labels *c = &t->labels;
	uint32_t n = tag->fc->u.bits.n_mappings;
	if (c->tag == tag)
		return;
	tsdl_count_steps(t, n);
	mer_map_fini(&c->heads);
	c->tag = NULL;
	c->next = tsdl_alloc(t, &t->tmp, n, sizeof(*c->next));
	for (uint32_t i = n; i-- > 0;) { /* backwards: chains go forwards */
		uint32_t *head = mer_map_put(&c->heads, label_key(t, tag->labels[i]));
		if (!head)
			tsdl_fail_nomem(t);
		c->next[i] = *head;
		*head = i + 1;
	}
	c->tag = tag;
}

/* The ranges of all mappings of tag whose label is the option's name. out: NULL, only count
 * them. */
static uint32_t collect_ranges(struct tsdl *t, const struct tsdl_type *tag, uint32_t option,
	bool exactly, struct ctf_range *out)
{
	const struct tsdl_labels *c = &t->labels;
	const uint32_t *head = mer_map_get(&c->heads, label_key(t, option));
	uint32_t n = 0;
	for (uint32_t i = head ? *head : 0; i; i = c->next[i - 1]) {
		uint32_t label = tag->labels[i - 1];
		tsdl_count_steps(t, 1);
		if (!(exactly ? label == option : tsdl_same_name(t, label, option)))
			continue;
		if (out)
			out[n] = tag->fc->u.bits.mappings[i - 1].ranges[0];
		n++;
	}
	return n;
}

struct ctf_option *tsdl_option_ranges(
	struct tsdl *t, struct tsdl_type *variant, const struct tsdl_type *tag)
{
	if (variant->ranges_for == tag)
		return variant->ranges;
	uint32_t n_selected = 0;
	struct ctf_option *ranges = tsdl_alloc(t, &t->tmp, variant->n, sizeof(*ranges));
	chain_labels(t, tag);
	for (uint32_t i = 0; i < variant->n; i++) {
		uint32_t name = variant->members[i].name;
		bool exactly = true;
		uint32_t n = collect_ranges(t, tag, name, exactly, NULL);
		if (n == 0)
			n = collect_ranges(t, tag, name, exactly = false, NULL);
		if (n == 0)
			continue;
		struct ctf_range *found = tsdl_alloc(t, t->arena, n, sizeof(*found));
		collect_ranges(t, tag, name, exactly, found);
		ranges[i].ranges = found;
		ranges[i].n_ranges = n;
		n_selected++;
	}
	if (variant->n > 0 && n_selected == 0)
		tsdl_fail_at(t, MER_ERR_INPUT, variant->ref->start,
			"no option of this variant has the name of a label of its tag \"%s\"",
			variant->ref->path);
	variant->ranges_for = tag;
	variant->ranges = ranges;
	return ranges;
}
