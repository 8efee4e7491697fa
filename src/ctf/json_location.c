/* CTF 2 metadata: field locations to registers.
 *
 * A location is resolved at the moment its field class is built. All that is decoded before is then
 * complete or, on the way down to the place itself, in a frame; so what can be found is exactly
 * what has been decoded when the value is needed. An element of an array, and the content of an
 * optional, can be reached only from inside of it; a variant that is crossed from elsewhere stands
 * for all of its options, and each must have the field. CTF 2 would leave it to the data whether an
 * optional or an option has the value; this is refused here, so that a missing value is noticed
 * before decoding and never replaced by an old one.
 *
 * Registers of packet and event headers live as long as a packet; those of one event record class
 * are needed only while such an event is decoded, so all classes share them, behind the others.
 * Both kinds are numbered from 1 until the end; the places that hold a number are listed, and made
 * final when the number of packet-wide ones is known. Fields that one location means together share
 * a register; if they had two already, these are joined. */
#include "ctf/json_parser.h"

#include <string.h>

enum { LONG_STRUCT = 16, MAX_PATH = 256 };
static const uint64_t MAX_WALK_STEPS = (uint64_t)1 << 26;

struct walk {
	struct json_parser *p;
	const struct mer_json_value *json;	     /* the location */
	const struct mer_json_value *path[MAX_PATH]; /* names only, without "parent" */
	unsigned n_path;
	enum json_target target;
	bool global; /* the targets' scope outlives an event */
	unsigned found, n_signed, n_bool;
	uint16_t reg;
};

_Noreturn static void fail(const struct walk *w, const struct mer_json_value *at, const char *why)
{
	ctf_json_error(w->p, MER_ERR_INPUT, at->at, "%s", why);
}

static uint64_t member_key(const struct ctf_fc *fc, uint32_t name)
{
	return (uint64_t)(uintptr_t)fc / 16 << 24 ^ name;
}

void ctf_json_index_member(struct json_parser *p, const struct ctf_fc *fc, uint32_t i)
{
	const char *name = fc->u.record.fields[i].name;
	uint32_t id = mer_intern_add(&p->names, name, strlen(name));
	uint32_t *slot =
		id == MER_INTERN_NONE ? NULL : mer_map_put(&p->members, member_key(fc, id));
	if (!slot)
		ctf_json_nomem(p);
	if (*slot == 0)
		*slot = i + 1;
}

static bool same_name(const char *name, const struct mer_json_value *string)
{
	return strncmp(name, string->u.text, string->n) == 0 && name[string->n] == '\0';
}

/* Index of the member among the first n; n when there is none. Hash keys may collide, so the name
 * is compared; after a collision, and in short structures, all members are. */
static uint32_t find_member(struct json_parser *p, const struct ctf_fc *fc, uint32_t n,
	const struct mer_json_value *name)
{
	if (name->n && memchr(name->u.text, 0, name->n))
		return n;
	if (fc->u.record.n > LONG_STRUCT) {
		uint32_t id = mer_intern_find(&p->names, name->u.text, name->n);
		if (id == MER_INTERN_NONE)
			return n;
		const uint32_t *slot = mer_map_get(&p->members, member_key(fc, id));
		if (!slot)
			return n;
		uint32_t i = *slot - 1;
		if (i < n && same_name(fc->u.record.fields[i].name, name))
			return i;
	}
	for (uint32_t i = 0; i < n; i++, p->walk_steps++)
		if (same_name(fc->u.record.fields[i].name, name))
			return i;
	return n;
}

static bool is_later_member(
	const struct mer_json_value *struct_json, const struct mer_json_value *name)
{
	const struct mer_json_value *list = ctf_json_get(struct_json, "member-classes");
	for (uint32_t i = 0; list && list->kind == MER_JSON_ARRAY && i < list->n; i++) {
		const struct mer_json_value *m = &list->u.items[i];
		const struct mer_json_value *n =
			m->kind == MER_JSON_OBJECT ? ctf_json_get(m, "name") : NULL;
		if (n && n->kind == MER_JSON_STRING && n->n == name->n &&
			memcmp(n->u.text, name->u.text, n->n) == 0)
			return true;
	}
	return false;
}

static uint16_t root_of(uint16_t *parents, uint16_t reg)
{
	while (parents[reg] != reg) {
		parents[reg] = parents[parents[reg]];
		reg = parents[reg];
	}
	return reg;
}

static uint16_t *parents_of(struct json_parser *p, bool global)
{
	return global ? p->globals : p->locals;
}

static void add_use(struct json_parser *p, uint16_t *slot, bool global)
{
	p->reg_uses = ctf_json_grow(
		p, p->reg_uses, p->n_reg_uses, &p->cap_reg_uses, sizeof(*p->reg_uses));
	p->reg_uses[p->n_reg_uses++] = (struct json_reg_use){ .slot = slot, .global = global };
}

static uint16_t new_reg(const struct walk *w)
{
	struct json_parser *p = w->p;
	uint32_t *n = w->global ? &p->n_globals : &p->n_locals;
	if (*n >= CTF_MAX_REGS)
		ctf_json_error(p, MER_ERR_LIMIT, w->json->at,
			"more than %d fields are lengths or selectors", CTF_MAX_REGS);
	uint16_t reg = (uint16_t)++ * n;
	parents_of(p, w->global)[reg] = reg;
	if (p->n_locals > p->most_locals)
		p->most_locals = p->n_locals;
	return reg;
}

/* A field that the location means. */
static void take(struct walk *w, struct ctf_field *field, const struct mer_json_value *at)
{
	const struct ctf_fc *fc = field->fc;
	bool is_int = fc->kind == CTF_INT || fc->kind == CTF_VARINT;
	if (w->target == TARGET_LENGTH && (!is_int || fc->u.bits.is_signed))
		fail(w, at, "a length must be an unsigned integer field");
	if (w->target == TARGET_SELECTOR_INT && !is_int)
		fail(w, at, "the selector of a variant must be an integer field");
	if (w->target == TARGET_SELECTOR_ANY && !is_int && fc->kind != CTF_BOOL)
		fail(w, at, "the selector of an optional must be a boolean or integer field");
	w->found++;
	w->n_signed += is_int && fc->u.bits.is_signed;
	w->n_bool += !is_int;
	uint16_t *parents = parents_of(w->p, w->global);
	if (field->reg == CTF_NO_REG) {
		if (w->reg == CTF_NO_REG)
			w->reg = new_reg(w);
		field->reg = w->reg;
		add_use(w->p, &field->reg, w->global);
	} else if (w->reg == CTF_NO_REG) {
		w->reg = field->reg;
	} else {
		parents[root_of(parents, field->reg)] = root_of(parents, w->reg);
	}
}

/* Follows the path from element i on, starting at field. frame: the frame of the field's class if
 * the referring place is inside of it, else CTF_MAX_DEPTH. */
static void walk_field(struct walk *w, struct ctf_field *field, unsigned frame, unsigned i);

static void walk_struct(struct walk *w, const struct ctf_fc *fc, unsigned frame, unsigned i)
{
	struct json_parser *p = w->p;
	bool inside = frame < CTF_MAX_DEPTH;
	if (i == w->n_path)
		fail(w, w->json, "the location ends at a structure");
	const struct mer_json_value *name = w->path[i];
	uint32_t n = inside ? p->frames[frame].n : fc->u.record.n;
	uint32_t k = find_member(p, fc, n, name);
	if (k < n) {
		walk_field(w, &fc->u.record.fields[k], CTF_MAX_DEPTH, i + 1);
		return;
	}
	if (inside && n < fc->u.record.n && same_name(fc->u.record.fields[n].name, name)) {
		if (frame + 1 >= p->depth)
			fail(w, name, "a field cannot refer to itself");
		walk_field(w, &fc->u.record.fields[n], frame + 1, i + 1);
		return;
	}
	if (inside && is_later_member(p->frames[frame].json, name))
		ctf_json_error(p, MER_ERR_INPUT, name->at,
			"the field `%.*s` comes later than the field that needs it",
			(int)(name->n > 80 ? 80 : name->n), name->u.text);
	ctf_json_error(p, MER_ERR_INPUT, name->at, "there is no field `%.*s`",
		(int)(name->n > 80 ? 80 : name->n), name->u.text);
}

static void walk_field(struct walk *w, struct ctf_field *field, unsigned frame, unsigned i)
{
	const struct json_parser *p = w->p;
	const struct ctf_fc *fc = field->fc;
	const struct mer_json_value *at = w->path[i ? i - 1 : 0];
	bool inside = frame < CTF_MAX_DEPTH;
	if (w->p->walk_steps++ > MAX_WALK_STEPS)
		ctf_json_error(w->p, MER_ERR_LIMIT, w->json->at,
			"following the locations of this metadata takes too long");
	/* A class under construction is not yet in its field. */
	if (inside)
		fc = p->frames[frame].fc;
	if (inside && fc->kind != CTF_STRUCT && frame + 1 >= p->depth)
		fail(w, at, "a field cannot refer to itself");
	unsigned deeper = inside && frame + 1 < p->depth ? frame + 1 : CTF_MAX_DEPTH;
	switch (fc->kind) {
	case CTF_STRUCT: walk_struct(w, fc, frame, i); return;
	case CTF_ARRAY:
		if (deeper == CTF_MAX_DEPTH)
			fail(w, at, "an element of an array cannot be reached from outside of it");
		walk_field(w, &((struct ctf_fc *)fc)->u.array.element, deeper, i);
		return;
	case CTF_OPTIONAL:
		if (deeper == CTF_MAX_DEPTH)
			fail(w, at, "an optional field cannot be reached from outside of it");
		walk_field(w, &((struct ctf_fc *)fc)->u.optional.content, deeper, i);
		return;
	case CTF_VARIANT:
		if (inside) {
			walk_field(w, &fc->u.variant.options[p->frames[frame].n].field, deeper, i);
			return;
		}
		for (uint32_t k = 0; k < fc->u.variant.n; k++)
			walk_field(w, &fc->u.variant.options[k].field, CTF_MAX_DEPTH, i);
		return;
	default:
		if (inside)
			fail(w, at, "a field cannot refer to itself");
		if (i < w->n_path)
			fail(w, w->path[i], "the field before this is no structure");
		take(w, field, at);
	}
}

static enum json_scope scope_called(const struct mer_json_value *v)
{
	static const char *const names[] = { "packet-header", "packet-context",
		"event-record-header", "event-record-common-context",
		"event-record-specific-context", "event-record-payload" };
	for (unsigned i = 0; i < N_SCOPES; i++)
		if (mer_json_is(v, names[i]))
			return (enum json_scope)i;
	return N_SCOPES;
}

/* Reads the location's parts. A null removes the name before it; a null with none before it goes up
 * one structure: *up is the number of these. */
static enum json_scope read_location(struct walk *w, const struct mer_json_value *v, unsigned *up)
{
	static const char *const keys[] = { "origin path", NULL };
	struct json_parser *p = w->p;
	enum json_scope scope = N_SCOPES;
	const struct mer_json_value *path = v;
	uint32_t i = 0;
	*up = 0;
	if (v->kind == MER_JSON_OBJECT) {
		ctf_json_check_keys(p, v, "a field location", keys);
		const struct mer_json_value *origin = ctf_json_get(v, "origin");
		path = ctf_json_need(p, v, "path", "field location");
		ctf_json_expect(p, path, MER_JSON_ARRAY, "property `path`");
		if (origin)
			scope = scope_called(origin);
		if (origin && scope == N_SCOPES)
			fail(w, origin,
				"property `origin`: expected \"packet-header\", \"packet-context\", \"event-record-header\", \"event-record-common-context\", \"event-record-specific-context\" or \"event-record-payload\"");
	} else if (v->kind == MER_JSON_ARRAY) { /* before CTF 2.0: an array, the origin in front */
		scope = v->n ? scope_called(&v->u.items[0]) : N_SCOPES;
		i = scope != N_SCOPES;
	} else {
		fail(w, v, "a field location must be an object");
	}
	if (path->n == i || path->u.items[path->n - 1].kind == MER_JSON_NULL)
		fail(w, path, "the path of a field location must end with a name");
	for (; i < path->n; i++) {
		const struct mer_json_value *e = &path->u.items[i];
		if (e->kind == MER_JSON_NULL) {
			if (w->n_path)
				w->n_path--;
			else if (scope != N_SCOPES || ++*up >= CTF_MAX_DEPTH)
				fail(w, e, "the root of a scope has no parent");
			continue;
		}
		ctf_json_expect(p, e, MER_JSON_STRING, "an element of a path");
		if (w->n_path == MAX_PATH)
			fail(w, e, "the path is too long");
		w->path[w->n_path++] = e;
	}
	return scope;
}

/* The path as text, for the layout view and messages. */
static const char *path_text(struct walk *w, enum json_scope scope, unsigned up)
{
	static const char *const prefixes[] = { "packet-header", "packet-context",
		"event-record-header", "event-record-common-context",
		"event-record-specific-context", "event-record-payload" };
	size_t len = 0;
	const char *prefix = scope < N_SCOPES ? prefixes[scope] : "";
	len += strlen(prefix) + 1 + 3 * (size_t)up;
	for (unsigned i = 0; i < w->n_path; i++)
		len += w->path[i]->n + 1u;
	char *text = ctf_json_alloc(w->p, len + 1, 1), *out = text;
	out = stpcpy(out, prefix);
	if (*prefix)
		*out++ = '/';
	for (unsigned i = 0; i < up; i++)
		out = stpcpy(out, "../");
	for (unsigned i = 0; i < w->n_path; i++) {
		if (i)
			*out++ = '/';
		memcpy(out, w->path[i]->u.text, w->path[i]->n);
		out += w->path[i]->n;
	}
	return text;
}

/* Frame of the structure that a relative location begins at. */
static unsigned start_frame(const struct walk *w, unsigned up)
{
	const struct json_parser *p = w->p;
	for (unsigned f = p->depth; f-- > 0;)
		if (p->frames[f].fc->kind == CTF_STRUCT && up-- == 0)
			return f;
	fail(w, w->json, "the root of a scope has no parent");
}

void ctf_json_resolve(struct json_parser *p, const struct mer_json_value *v,
	enum json_target target, struct ctf_ref *ref, bool *is_bool)
{
	struct walk w = { .p = p, .json = v, .target = target };
	unsigned up;
	enum json_scope scope = read_location(&w, v, &up);
	ref->path = path_text(&w, scope, up);
	*is_bool = false;
	if (p->checking_alias)
		return;
	bool here = scope == N_SCOPES || scope == p->scope;
	w.global = (here ? p->scope : scope) < SCOPE_SPECIFIC_CONTEXT;
	if (here) {
		unsigned f = scope == N_SCOPES ? start_frame(&w, up) : 0;
		walk_struct(&w, p->frames[f].fc, f, 0);
	} else {
		if (scope > p->scope)
			fail(&w, v, "the location is in a scope that comes later");
		if (!p->scopes[scope])
			fail(&w, v, "the location is in a scope that this event or packet has not");
		walk_struct(&w, p->scopes[scope], CTF_MAX_DEPTH, 0);
	}
	if (w.n_bool && w.n_bool != w.found)
		fail(&w, v, "the location means both boolean and integer fields");
	if (w.n_signed && w.n_signed != w.found)
		fail(&w, v, "the location means both signed and unsigned fields");
	ref->reg = w.reg;
	ref->is_signed = w.n_signed > 0;
	add_use(p, &ref->reg, w.global);
	*is_bool = w.n_bool > 0;
}

static void finish_event(struct json_parser *p)
{
	for (; p->event_uses < p->n_reg_uses; p->event_uses++) {
		struct json_reg_use *u = &p->reg_uses[p->event_uses];
		if (!u->global)
			*u->slot = root_of(p->locals, *u->slot);
	}
	p->n_locals = 0;
}

void ctf_json_begin_event(struct json_parser *p)
{
	finish_event(p);
}

void ctf_json_finish_regs(struct json_parser *p)
{
	finish_event(p);
	if (p->n_globals + p->most_locals > CTF_MAX_REGS)
		ctf_json_error(p, MER_ERR_LIMIT, 0, "more than %d fields are lengths or selectors",
			CTF_MAX_REGS);
	for (size_t i = 0; i < p->n_reg_uses; i++) {
		uint16_t *slot = p->reg_uses[i].slot;
		*slot = p->reg_uses[i].global ? root_of(p->globals, *slot)
					      : (uint16_t)(p->n_globals + *slot);
	}
	p->schema->n_regs = (uint16_t)(p->n_globals + p->most_locals);
}
