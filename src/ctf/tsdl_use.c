/* See tsdl_use.h. A written type may be used often, each use costs memory: their number has a
 * limit, since types used twice within types used twice grow as powers of two. */
#include "ctf/tsdl_use.h"

#include <stdlib.h>
#include <string.h>

enum { OUTER_REG = 0x8000, MAX_FIELDS = 1 << 20 };

static struct ctf_fc *use_type(struct tsdl_use *u, const struct tsdl_type *type);

/* Which level an absolute path begins with, and how many words that takes; N_LEVELS: none. */
static enum tsdl_level level_of(struct tsdl *t, const struct tsdl_ref *ref, uint32_t *n_words)
{
	static const struct {
		const char *words[4];
		enum tsdl_level level;
	} prefixes[] = { { { "trace", "packet", "header" }, LEVEL_PACKET_HEADER },
		{ { "stream", "packet", "context" }, LEVEL_PACKET_CONTEXT },
		{ { "stream", "event", "header" }, LEVEL_EVENT_HEADER },
		{ { "stream", "event", "context" }, LEVEL_EVENT_CONTEXT },
		{ { "event", "context" }, LEVEL_SPECIFIC_CONTEXT },
		{ { "event", "fields" }, LEVEL_PAYLOAD },
		/* Longer forms, from earlier texts of the specification. */
		{ { "stream", "event", "fields" }, LEVEL_PAYLOAD } };
	uint32_t first = 0;
	if (ref->n_words > 1 && strcmp(mer_intern_text(&t->names, ref->words[0]), "trace") == 0 &&
		strcmp(mer_intern_text(&t->names, ref->words[1]), "stream") == 0)
		first = 1;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		uint32_t k = 0;
		while (prefixes[i].words[k] && first + k < ref->n_words &&
			strcmp(prefixes[i].words[k],
				mer_intern_text(&t->names, ref->words[first + k])) == 0)
			k++;
		if (!prefixes[i].words[k]) {
			*n_words = first + k;
			return prefixes[i].level;
		}
	}
	return N_LEVELS;
}

/* The last complete field of that name in a structure, followed along the rest of the path. */
static bool find_in(struct tsdl_use *u, const struct tsdl_ref *ref, uint32_t word,
	const struct tsdl_type *type, struct ctf_fc *fc, struct tsdl_targets *out)
{
	tsdl_count_steps(u->t, type->n);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = type->n; i-- > 0;) {
			const struct tsdl_member *m = &type->members[i];
			struct ctf_field *f = &fc->u.record.fields[i];
			if (!f->fc)
				continue;
			if (pass == 0 ? m->name != ref->words[word]
				      : !tsdl_same_name(u->t, m->name, ref->words[word]))
				continue;
			tsdl_follow(u->t, ref, word + 1, m->type, f, out);
			return true;
		}
	}
	return false;
}

/* An absolute path into the structure that is being made: through complete members, or along the
 * way down to the place where it is written. Elements of arrays on that way are the ones being
 * read. */
static void find_open(struct tsdl_use *u, const struct tsdl_ref *ref, uint32_t word, unsigned frame,
	struct tsdl_targets *out)
{
	for (; frame < u->n_frames && word < ref->n_words; frame++) {
		const struct tsdl_frame *f = &u->frames[frame];
		if (f->type->kind == TSDL_ARRAY)
			continue;
		if (f->type->kind == TSDL_STRUCT && find_in(u, ref, word, f->type, f->fc, out))
			return;
		bool named = tsdl_same_name(u->t, f->type->members[f->at].name, ref->words[word]);
		if (named)
			word++;
		else if (f->type->kind == TSDL_STRUCT)
			return; /* a path may leave out the option of a variant */
	}
}

static enum tsdl_level find_targets(
	struct tsdl_use *u, const struct tsdl_ref *ref, struct tsdl_targets *out)
{
	struct tsdl *t = u->t;
	if (ref->is_absolute) {
		uint32_t n_words = 0;
		enum tsdl_level level = level_of(t, ref, &n_words);
		if (level == N_LEVELS || n_words == ref->n_words)
			tsdl_fail_at(t, MER_ERR_INPUT, ref->start,
				"\"%s\" does not lead to a field", ref->path);
		if (level == u->level && u->levels[level].type)
			find_open(u, ref, n_words, 0, out);
		else if (level < u->level && u->levels[level].type)
			find_in(u, ref, n_words, u->levels[level].type, u->levels[level].fc, out);
		return level;
	}
	for (unsigned i = u->n_frames; i-- > 0;) {
		const struct tsdl_frame *f = &u->frames[i];
		if (f->type->kind != TSDL_STRUCT)
			continue;
		if (ref->bound_to) {
			if (f->type != ref->bound_to)
				continue;
			tsdl_follow(t, ref, 1, f->type->members[ref->bound_index].type,
				&f->fc->u.record.fields[ref->bound_index], out);
			return u->level;
		}
		if (find_in(u, ref, 0, f->type, f->fc, out))
			return u->level;
	}
	for (unsigned level = u->level; level-- > 0;)
		if (u->levels[level].type &&
			find_in(u, ref, 0, u->levels[level].type, u->levels[level].fc, out))
			return (enum tsdl_level)level;
	return u->level;
}

static void change_later(struct tsdl_use *u, uint16_t *reg)
{
	tsdl_grow(u->t, (void **)&u->outer, &u->cap_outer, u->n_outer, sizeof(*u->outer));
	u->outer[u->n_outer++] = reg;
}

static uint16_t new_reg(struct tsdl_use *u, enum tsdl_level level, const struct tsdl_ref *ref)
{
	uint16_t *n = level < LEVEL_SPECIFIC_CONTEXT ? &u->n_outer_regs : &u->n_event_regs;
	if (*n >= CTF_MAX_REGS / 2)
		tsdl_fail_at(u->t, MER_ERR_LIMIT, ref->start, "more than %d fields are referred to",
			CTF_MAX_REGS / 2);
	++*n;
	if (u->most_event_regs < u->n_event_regs)
		u->most_event_regs = u->n_event_regs;
	return (uint16_t)(*n | (level < LEVEL_SPECIFIC_CONTEXT ? OUTER_REG : 0));
}

/* Resolves the reference of a sequence or variant; returns the type it leads to. */
static const struct tsdl_type *use_ref(
	struct tsdl_use *u, const struct tsdl_type *user, struct ctf_ref *out)
{
	struct tsdl_ref *ref = user->ref;
	struct tsdl_targets targets = { 0 };
	enum tsdl_level level = find_targets(u, ref, &targets);
	if (targets.n == 0)
		tsdl_fail_at(u->t, MER_ERR_INPUT, ref->start,
			"there is no field \"%s\" before this one", ref->path);
	tsdl_check_target(u->t, user, targets.type);
	ref->is_settled = true;
	uint16_t reg = CTF_NO_REG;
	for (uint32_t i = 0; i < targets.n; i++) {
		uint16_t other = targets.fields[i]->reg;
		if (reg != CTF_NO_REG && other != CTF_NO_REG && other != reg)
			tsdl_fail_at(u->t, MER_ERR_LIMIT, ref->start,
				"\"%s\" leads to several fields that others refer to one by one",
				ref->path);
		if (other != CTF_NO_REG)
			reg = other;
	}
	if (reg == CTF_NO_REG)
		reg = new_reg(u, level, ref);
	for (uint32_t i = 0; i < targets.n; i++) {
		struct ctf_field *f = targets.fields[i];
		if (f->reg == CTF_NO_REG && (reg & OUTER_REG))
			change_later(u, &f->reg);
		f->reg = reg;
	}
	out->reg = reg;
	out->is_signed = targets.type->fc->u.bits.is_signed;
	out->path = ref->path;
	if (reg & OUTER_REG)
		change_later(u, &out->reg);
	return targets.type;
}

static void count_fields(struct tsdl_use *u, uint64_t n)
{
	struct tsdl *t = u->t;
	u->n_fields += n;
	if (u->n_fields > MAX_FIELDS + (uint64_t)(t->end - t->text) / 2)
		tsdl_fail_at(t, MER_ERR_LIMIT, t->end, "the types have more than %d fields in all",
			MAX_FIELDS);
}

static struct ctf_fc *new_fc(struct tsdl_use *u, enum ctf_kind kind, uint32_t align_bits)
{
	struct ctf_fc *fc = tsdl_alloc(u->t, u->t->arena, 1, sizeof(*fc));
	fc->kind = kind;
	fc->align_bits = align_bits;
	count_fields(u, 1);
	return fc;
}

/* The field is complete, and can be referred to, when its class is set: last. */
static void use_field(
	struct tsdl_use *u, const struct tsdl_type *type, const char *name, struct ctf_field *out)
{
	out->name = name;
	out->clock = (int16_t)(type->clock_index - 1);
	out->fc = use_type(u, type);
}

static struct tsdl_frame *push_frame(
	struct tsdl_use *u, const struct tsdl_type *type, struct ctf_fc *fc)
{
	u->frames[u->n_frames] = (struct tsdl_frame){ type, fc, 0 };
	return &u->frames[u->n_frames++];
}

static struct ctf_fc *use_struct(struct tsdl_use *u, const struct tsdl_type *type)
{
	struct ctf_fc *fc = new_fc(u, CTF_STRUCT, type->align_bits);
	count_fields(u, type->n);
	fc->u.record.fields = tsdl_alloc(u->t, u->t->arena, type->n, sizeof(*fc->u.record.fields));
	fc->u.record.n = type->n;
	if (u->n_frames == 0)
		u->levels[u->level] = (struct tsdl_level_root){ type, fc };
	struct tsdl_frame *frame = push_frame(u, type, fc);
	for (; frame->at < type->n; frame->at++)
		use_field(u, type->members[frame->at].type, type->members[frame->at].shown,
			&fc->u.record.fields[frame->at]);
	u->n_frames--;
	return fc;
}

static struct ctf_fc *use_variant(struct tsdl_use *u, const struct tsdl_type *type)
{
	struct ctf_fc *fc = new_fc(u, CTF_VARIANT, type->align_bits);
	count_fields(u, type->n);
	if (!type->ref)
		tsdl_fail_at(u->t, MER_ERR_INPUT, type->n ? type->members[0].start : u->t->text,
			"a variant without a tag is used");
	const struct tsdl_type *tag = use_ref(u, type, &fc->u.variant.ref);
	struct ctf_option *ranges = tsdl_option_ranges(u->t, (struct tsdl_type *)type, tag);
	fc->u.variant.options = tsdl_alloc(u->t, u->t->arena, type->n, sizeof(*ranges));
	fc->u.variant.n = type->n;
	struct tsdl_frame *frame = push_frame(u, type, fc);
	for (; frame->at < type->n; frame->at++) {
		const struct tsdl_member *m = &type->members[frame->at];
		struct ctf_option *o = &fc->u.variant.options[frame->at];
		o->ranges = ranges[frame->at].ranges;
		o->n_ranges = ranges[frame->at].n_ranges;
		use_field(u, m->type, m->shown, &o->field);
	}
	u->n_frames--;
	if (!ctf_index_options(fc, u->t->arena))
		tsdl_fail_nomem(u->t);
	return fc;
}

/* env.NAME as a length (CTF 1.8, 7.3.2: the environment is the outermost scope): it is known
 * now. */
static uint64_t env_length(struct tsdl_use *u, const struct tsdl_ref *ref)
{
	const struct ctf_env *env = NULL;
	if (ref->n_words == 2)
		env = ctf_env_find(u->schema, mer_intern_text(&u->t->names, ref->words[1]));
	if (!env)
		tsdl_fail_at(u->t, MER_ERR_INPUT, ref->start, "the environment has no entry \"%s\"",
			ref->path);
	if (env->text || env->number < 0)
		tsdl_fail_at(u->t, MER_ERR_INPUT, ref->start,
			"the length \"%s\" must be a number, and not negative", ref->path);
	return (uint64_t)env->number;
}

static struct ctf_fc *use_array(struct tsdl_use *u, const struct tsdl_type *type)
{
	const struct tsdl_type *element = type->element;
	bool is_text = element->kind == TSDL_INT && element->is_text &&
		       element->fc->u.bits.len_bits == 8 && element->align_bits == 8;
	struct ctf_fc *fc = new_fc(u, is_text ? CTF_TEXT : CTF_ARRAY, type->align_bits);
	uint64_t length = type->length;
	if (type->ref && type->ref->is_env)
		length = env_length(u, type->ref);
	else if (type->ref)
		use_ref(u, type, is_text ? &fc->u.text.ref : &fc->u.array.ref);
	if (is_text) {
		fc->u.text.encoding = CTF_UTF8;
		fc->u.text.len_bytes = length;
		return fc;
	}
	fc->u.array.n = length;
	push_frame(u, type, fc);
	use_field(u, element, "", &fc->u.array.element);
	u->n_frames--;
	return fc;
}

static struct ctf_fc *use_wide(struct tsdl_use *u, const struct tsdl_type *type)
{
	struct ctf_fc *fc = new_fc(u, CTF_ARRAY, type->align_bits);
	fc->u.array.n = type->length;
	fc->u.array.element = (struct ctf_field){ .name = "", .fc = type->fc, .clock = -1 };
	return fc;
}

static struct ctf_fc *use_type(struct tsdl_use *u, const struct tsdl_type *type)
{
	if (type->is_native)
		type->fc->u.bits.order = u->order;
	switch (type->kind) {
	case TSDL_STRUCT: return use_struct(u, type);
	case TSDL_VARIANT: return use_variant(u, type);
	case TSDL_ARRAY: return use_array(u, type);
	case TSDL_WIDE: return use_wide(u, type);
	default: return type->fc;
	}
}

struct ctf_fc *tsdl_use_level(
	struct tsdl_use *u, enum tsdl_level level, const struct tsdl_type *type, const char *start)
{
	for (unsigned i = level; i < N_LEVELS; i++)
		u->levels[i] = (struct tsdl_level_root){ NULL, NULL };
	if (!type)
		return NULL;
	if (type->kind != TSDL_STRUCT)
		tsdl_fail_at(u->t, MER_ERR_INPUT, start, "this must be a structure, not %s",
			tsdl_kind_name(type));
	u->level = level;
	u->n_frames = 0;
	return use_struct(u, type);
}

uint16_t tsdl_use_finish(struct tsdl_use *u)
{
	for (uint32_t i = 0; i < u->n_outer; i++)
		*u->outer[i] = (uint16_t)((*u->outer[i] & ~OUTER_REG) + u->most_event_regs);
	return (uint16_t)(u->most_event_regs + u->n_outer_regs);
}
