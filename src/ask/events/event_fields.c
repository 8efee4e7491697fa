#include "ask/events/event_fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/nearest.h"
#include "ask/words/options.h"

static bool is_known(const struct event_fields *fields, const char *text)
{
	static const char *const always[] = { "time", "host", "cpu", "name" };
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (strcmp(always[i], text) == 0)
			return true;
	for (uint32_t i = 0; i < fields->n; i++)
		if (strcmp(fields->paths[i].text, text) == 0)
			return true;
	return false;
}

int event_fields_parse(const char *const *texts, size_t n, struct mer_arena *arena,
	struct event_fields *fields, struct mer_err *err)
{
	*fields = (struct event_fields){ .paths = mer_arena_zalloc(
						 arena, n + 1, sizeof(*fields->paths)) };
	if (!fields->paths)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct trace_path *p = &fields->paths[fields->n];
		int rc = trace_path_parse(texts[i], "fields", arena, p, err);
		if (rc)
			return rc;
		if (!is_known(fields, p->text))
			fields->n++;
	}
	return 0;
}

bool event_fields_read(const struct event_fields *fields, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *field)
{
	for (uint32_t i = 0; i < fields->n; i++)
		if (trace_path_reads(&fields->paths[i], sc, ec, scope, field))
			return true;
	return false;
}

bool event_fields_need_contexts(const struct event_fields *fields, const struct mer_experiment *e)
{
	for (uint32_t i = 0; i < fields->n; i++)
		if (trace_path_exists(&fields->paths[i], e, CTF_SCOPE_PACKET_CONTEXT))
			return true;
	return false;
}

const char *event_fields_unknown(const struct event_fields *fields, const struct mer_experiment *e)
{
	for (uint32_t i = 0; i < fields->n; i++)
		if (!trace_path_exists(&fields->paths[i], e, CTF_N_SCOPES))
			return fields->paths[i].text;
	return NULL;
}

enum { MAX_NAMES = 4096 };

static bool add_names(struct mer_intern *names, const struct ctf_fc *record)
{
	bool ok = true;
	for (uint32_t i = 0; record && i < record->u.record.n && names->n < MAX_NAMES && ok; i++) {
		const struct ctf_field *f = &record->u.record.fields[i];
		ok = mer_intern_add(names, f->name, strlen(f->name)) != UINT32_MAX &&
		     (f->fc->kind != CTF_STRUCT || add_names(names, f->fc));
	}
	return ok;
}

const char *event_fields_nearest(
	const struct mer_experiment *e, const char *text, struct mer_arena *arena)
{
	struct mer_intern names;
	const char *best = NULL;
	mer_intern_init(&names, arena);
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_schema *s = e->parts[p].schema;
		for (uint32_t c = 0; c < s->n_streams; c++)
			for (uint32_t i = 0; i < s->streams[c].n_events; i++)
				for (int scope = 0; scope < CTF_N_SCOPES; scope++)
					add_names(&names, ctf_scope_fc(s, &s->streams[c],
								  &s->streams[c].events[i],
								  (enum ctf_scope)scope));
	}
	const char **list = calloc(names.n + 1, sizeof(*list));
	for (uint32_t i = 0; list && i < names.n; i++)
		list[i] = mer_intern_text(&names, i);
	if (list)
		best = mer_nearest(text, list, names.n);
	free(list);
	mer_intern_fini(&names);
	return best;
}
