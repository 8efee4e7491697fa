#include "trace/reading.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

int trace_reading_new(const struct mer_experiment *e, const struct ctf_wants *wants, bool contexts,
	struct trace_reading **reading, struct mer_err *err)
{
	struct trace_reading *r = calloc(1, sizeof(*r));
	if (!r)
		return mer_fail_nomem(err);
	mer_arena_init(&r->arena);
	r->contexts = contexts;
	r->programs = mer_arena_zalloc(&r->arena, e->n_parts + 1u, sizeof(*r->programs));
	int rc = r->programs ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; i < e->n_parts && rc == 0; i++) {
		const struct ctf_schema *s = e->parts[i].schema;
		rc = ctf_program_compile(s, wants, &r->arena, &r->programs[i], err);
		if (rc)
			break;
		for (uint32_t k = 0; k < s->n_streams; k++)
			for (uint32_t c = 0; c < s->streams[k].n_events; c++)
				r->programs[i]->streams[k].events[c].id = r->n_plans++;
		if (r->programs[i]->max_slots > r->max_slots)
			r->max_slots = r->programs[i]->max_slots;
		if (r->programs[i]->n_regs > r->max_regs)
			r->max_regs = r->programs[i]->n_regs;
	}
	if (rc) {
		trace_reading_free(r);
		return rc;
	}
	*reading = r;
	return 0;
}

void trace_reading_free(struct trace_reading *r)
{
	if (!r)
		return;
	mer_arena_fini(&r->arena);
	free(r);
}

struct needs {
	const struct mer_need *needs;
	size_t n;
	bool headers;
};

static int32_t want_event(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	const struct needs *w = arg;
	(void)sc;
	for (size_t i = 0; i < w->n; i++)
		if (fnmatch(w->needs[i].event, ec->name, 0) == 0)
			return (int32_t)i;
	return w->n ? CTF_UNWANTED : 0;
}

/* Calls of a need's fields, one after the other: name, its first slot, slots taken. */
static bool next_field(const char **list, const char **name, size_t *len, uint32_t *slots)
{
	const char *p = *list + strspn(*list, " ");
	*len = strcspn(p, " ");
	if (*len == 0)
		return false;
	*name = p;
	*list = p + *len;
	*slots = *len > 2 && memcmp(p + *len - 2, ":s", 2) == 0 ? 2 : 1;
	if (*slots == 2)
		*len -= 2;
	return true;
}

static const struct mer_need *need_of(
	const struct needs *w, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	int32_t i = w->n ? want_event((void *)(uintptr_t)w, sc, ec) : -1;
	return i < 0 ? NULL : &w->needs[i];
}

/* A name in several scopes means the innermost: payload, then contexts. */
static bool shadowed(const struct ctf_stream_class *sc, const struct ctf_event_class *ec,
	enum ctf_scope scope, const char *name)
{
	for (int s = (int)scope + 1; s < CTF_N_SCOPES; s++) {
		const struct ctf_fc *fc = ctf_scope_fc(NULL, sc, ec, (enum ctf_scope)s);
		for (uint32_t i = 0; fc && i < fc->u.record.n; i++)
			if (strcmp(fc->u.record.fields[i].name, name) == 0)
				return true;
	}
	return false;
}

static int32_t want_field(void *arg, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *f)
{
	const struct needs *w = arg;
	const struct mer_need *need = need_of(w, sc, ec);
	if (!need || !need->fields)
		return scope != CTF_SCOPE_EVENT_HEADER || w->headers ? CTF_ANYWHERE : CTF_UNWANTED;
	const char *list = need->fields, *name;
	size_t len;
	uint32_t at = 0, slots;
	for (; next_field(&list, &name, &len, &slots); at += slots)
		if (strncmp(f->name, name, len) == 0 && f->name[len] == '\0')
			return ctf_slot_width(f->fc) == slots && !shadowed(sc, ec, scope, f->name)
				       ? (int32_t)at
				       : CTF_UNWANTED;
	return CTF_UNWANTED;
}

static uint32_t want_slots(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	const struct mer_need *need = need_of(arg, sc, ec);
	if (!need || !need->fields)
		return 0;
	const char *list = need->fields, *name;
	size_t len;
	uint32_t at = 0, slots;
	while (next_field(&list, &name, &len, &slots))
		at += slots;
	return at;
}

int trace_reading_from_needs(const struct mer_experiment *e, const struct mer_need *needs,
	size_t n_needs, bool headers, struct trace_reading **reading, struct mer_err *err)
{
	struct needs w = { needs, n_needs, headers };
	struct ctf_wants wants = { &w, want_event, want_field, want_slots };
	return trace_reading_new(e, &wants, headers, reading, err);
}
