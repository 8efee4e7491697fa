#include "trace/path.h"

#include <string.h>

/* Scopes in which a path is looked up, in this order; in the event header only when the path says
 * so: its id and timestamp belong to the encoding, and every event would have them. */
static const enum ctf_scope any_scope[] = { CTF_SCOPE_PAYLOAD, CTF_SCOPE_SPECIFIC_CONTEXT,
	CTF_SCOPE_COMMON_CONTEXT, CTF_SCOPE_PACKET_CONTEXT, CTF_SCOPE_EVENT_HEADER };

static void scopes_of(enum trace_path_scope s, size_t *first, size_t *last)
{
	static const uint8_t from[] = { 0, 0, 1, 3, 4 }, to[] = { 3, 0, 2, 3, 4 };
	*first = from[s];
	*last = to[s];
}

/* Follows the path's parts after the top-level field. steps NULL: only finds where it leads, and
 * the number of steps. False: there is no such field. */
static bool follow(const struct trace_path *path, struct trace_place *p, struct trace_step *steps)
{
	uint32_t before = 0;	  /* slots to pass before the first step */
	uint32_t *skip = &before; /* where slots that are passed count */
	uint32_t i = 1, n = 0;
	while (i < path->n) {
		const struct ctf_fc *fc = p->fc;
		const char *name = path->parts[i].name;
		struct trace_step step = { 0 };
		if (fc->kind == CTF_STRUCT && name) {
			uint32_t m = 0, passed = 0;
			for (; m < fc->u.record.n; m++) {
				if (strcmp(fc->u.record.fields[m].name, name) == 0)
					break;
				if (steps)
					passed += ctf_slot_width(fc->u.record.fields[m].fc);
			}
			if (m == fc->u.record.n)
				return false;
			*skip += passed;
			p->last = &fc->u.record.fields[m];
			p->fc = p->last->fc;
			i++;
			continue;
		}
		if (fc->kind == CTF_OPTIONAL) { /* no part of the path: looked through */
			step.kind = TRACE_STEP_OPTIONAL;
			p->fc = fc->u.optional.content.fc;
		} else if (fc->kind == CTF_VARIANT && name) {
			uint32_t o = 0;
			while (o < fc->u.variant.n &&
				strcmp(fc->u.variant.options[o].field.name, name) != 0)
				o++;
			if (o == fc->u.variant.n)
				return false;
			step.kind = TRACE_STEP_OPTION;
			step.index = o;
			p->last = &fc->u.variant.options[o].field;
			p->fc = p->last->fc;
			i++;
		} else if (fc->kind == CTF_ARRAY && !name) {
			step.kind = TRACE_STEP_ELEMENT;
			step.index = path->parts[i].index;
			p->last = NULL;
			p->fc = fc->u.array.element.fc;
			step.width = steps ? ctf_slot_width(p->fc) : 0;
			i++;
		} else {
			return false;
		}
		if (steps) {
			steps[n] = step;
			skip = &steps[n].skip;
		}
		n++;
	}
	p->slot += before;
	p->n_steps = n;
	p->steps = steps;
	return true;
}

static enum trace_found find_in(const struct trace_path *path, enum ctf_scope scope,
	const struct ctf_fc *record, const struct ctf_plan *plan, bool contexts,
	struct mer_arena *arena, struct trace_place *place)
{
	uint32_t m = 0;
	while (m < record->u.record.n &&
		strcmp(record->u.record.fields[m].name, path->parts[0].name) != 0)
		m++;
	if (m == record->u.record.n)
		return TRACE_NOT_FOUND;
	const struct ctf_field *top = &record->u.record.fields[m];
	struct trace_place p = { .scope = scope, .top = top, .last = top, .fc = top->fc };
	struct trace_place dry = p;
	if (!follow(path, &dry, NULL))
		return TRACE_NOT_FOUND;
	if (!plan) {
		*place = dry;
		return TRACE_FOUND;
	}
	p.in_context = scope == CTF_SCOPE_PACKET_CONTEXT;
	const uint32_t *slots =
		p.in_context ? plan->stream->context.slots[scope] : plan->slots[scope];
	if ((p.in_context && !contexts) || !slots || slots[m] == CTF_NO_SLOT)
		return TRACE_NOT_READ;
	p.slot = slots[m];
	struct trace_step *steps = mer_arena_zalloc(arena, dry.n_steps + 1u, sizeof(*steps));
	if (!steps)
		return TRACE_FIND_NOMEM;
	follow(path, &p, steps);
	*place = p;
	return TRACE_FOUND;
}

enum trace_found trace_path_find(const struct trace_path *path, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, const struct ctf_plan *plan, bool contexts,
	struct mer_arena *arena, struct trace_place *place)
{
	size_t i, last;
	scopes_of(path->scope, &i, &last);
	for (; i <= last; i++) {
		const struct ctf_fc *record = ctf_scope_fc(NULL, sc, ec, any_scope[i]);
		if (!record)
			continue;
		enum trace_found f =
			find_in(path, any_scope[i], record, plan, contexts, arena, place);
		if (f != TRACE_NOT_FOUND)
			return f;
	}
	return TRACE_NOT_FOUND;
}

const uint64_t *trace_place_get(
	const struct trace_place *place, const uint64_t *row, const struct ctf_fc **fc)
{
	const uint64_t *p = row + place->slot;
	for (uint32_t i = 0; i < place->n_steps; i++) {
		const struct trace_step *s = &place->steps[i];
		if (s->kind == TRACE_STEP_ELEMENT) {
			if (s->index >= p[0])
				return NULL;
			p = (const uint64_t *)(uintptr_t)p[1] + s->index * s->width + s->skip;
			continue;
		}
		if (s->kind == TRACE_STEP_OPTION ? p[0] != s->index : !p[0])
			return NULL;
		p += 1 + s->skip;
	}
	const struct ctf_fc *c = place->fc;
	for (;;) {
		if (c->kind == CTF_OPTIONAL) {
			if (!p[0])
				return NULL;
			c = c->u.optional.content.fc;
		} else if (c->kind == CTF_VARIANT) {
			c = c->u.variant.options[p[0]].field.fc;
		} else {
			break;
		}
		p++;
	}
	*fc = c;
	return p;
}

bool trace_path_reads(const struct trace_path *path, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *field)
{
	struct trace_place p;
	return trace_path_find(path, sc, ec, NULL, false, NULL, &p) == TRACE_FOUND &&
	       p.scope == scope && p.top == field;
}

bool trace_path_exists(
	const struct trace_path *path, const struct mer_experiment *e, enum ctf_scope scope)
{
	struct trace_place p;
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct ctf_schema *s = e->parts[i].schema;
		for (uint32_t k = 0; k < s->n_streams; k++) {
			const struct ctf_stream_class *sc = &s->streams[k];
			for (uint32_t c = 0; c < sc->n_events; c++)
				if (trace_path_find(path, sc, &sc->events[c], NULL, false, NULL,
					    &p) == TRACE_FOUND &&
					(scope == CTF_N_SCOPES || p.scope == scope))
					return true;
		}
	}
	return false;
}
