#include "ask/events/event_json.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/events/event_line.h"
#include "ask/events/event_value.h"

struct text {
	const char *s;
	size_t len;
};

struct event_json {
	struct mer_arena arena;
	struct text *streams;	  /* what stands between time and name, by stream */
	struct event_line *lines; /* from the name on, by ctf_plan.id */
};

static bool keep_text(struct mer_arena *arena, const struct mer_str *s, struct text *t)
{
	t->s = s->failed ? NULL : mer_arena_strndup(arena, s->data ? s->data : "", s->len);
	t->len = s->len;
	return t->s != NULL;
}

static bool build_stream(
	struct event_json *j, const struct mer_experiment *e, uint32_t stream, bool all)
{
	const struct mer_stream *s = &e->streams[stream];
	const struct mer_trace *t = &e->traces[s->trace];
	const char *host = e->hosts[t->host].name;
	struct mer_str text = { 0 };
	if (t->base_s)
		mer_str_printf(&text, ",\"base_s\":%" PRId64, t->base_s);
	mer_str_puts(&text, ",\"host\":");
	event_json_text(&text, host, strlen(host));
	if (s->cpu >= 0)
		mer_str_printf(&text, ",\"cpu\":%" PRId32, s->cpu);
	else if (!all)
		mer_str_puts(&text, ",\"cpu\":null");
	if (all)
		mer_str_printf(&text, ",\"stream\":%" PRIu32, stream);
	mer_str_puts(&text, ",\"name\":");
	bool ok = keep_text(&j->arena, &text, &j->streams[stream]);
	mer_str_fini(&text);
	return ok;
}

static void add_scopes(
	struct event_line_builder *b, const struct ctf_plan *plan, bool contexts, bool headers)
{
	static const struct {
		enum ctf_scope scope;
		const char *key;
	} scopes[] = { { CTF_SCOPE_COMMON_CONTEXT, ",\"context\":{" },
		{ CTF_SCOPE_SPECIFIC_CONTEXT, ",\"specific_context\":{" },
		{ CTF_SCOPE_PACKET_CONTEXT, ",\"packet_context\":{" },
		{ CTF_SCOPE_EVENT_HEADER, ",\"header\":{" },
		{ CTF_SCOPE_PAYLOAD, ",\"payload\":{" } };
	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		enum ctf_scope s = scopes[i].scope;
		if ((s == CTF_SCOPE_PACKET_CONTEXT && !(headers && contexts)) ||
			(s == CTF_SCOPE_EVENT_HEADER && !headers))
			continue;
		size_t before = b->text.len;
		mer_str_puts(&b->text, scopes[i].key);
		if (event_line_add_scope(b, plan, s) || s == CTF_SCOPE_PAYLOAD)
			mer_str_putc(&b->text, '}');
		else
			b->text.len = before; /* nothing was added: take the key back */
	}
}

static int build_line(struct event_json *j, struct event_line_builder *b,
	const struct ctf_plan *plan, bool contexts, const struct event_json_options *o,
	struct mer_err *err)
{
	const char *name = plan->class->name;
	event_json_text(&b->text, name, strlen(name));
	if (!o->fields)
		add_scopes(b, plan, contexts, o->headers);
	for (uint32_t i = 0; o->fields && i < o->fields->n; i++) {
		const struct trace_path *path = &o->fields->paths[i];
		mer_str_putc(&b->text, ',');
		event_json_text(&b->text, path->text, strlen(path->text));
		mer_str_putc(&b->text, ':');
		int rc = event_line_add_path(b, path, plan, contexts, err);
		if (rc)
			return rc;
	}
	mer_str_putc(&b->text, '}');
	return event_line_finish(b, &j->lines[plan->id]) ? 0 : mer_fail_nomem(err);
}

static int build_lines(struct event_json *j, const struct mer_experiment *e,
	const struct trace_reading *r, const struct event_json_options *o, struct mer_err *err)
{
	struct event_line_builder b = { .arena = &j->arena };
	int rc = 0;
	for (uint32_t p = 0; p < e->n_parts; p++)
		for (uint32_t s = 0; s < e->parts[p].schema->n_streams; s++) {
			const struct ctf_stream_plan *sp = &r->programs[p]->streams[s];
			for (uint32_t i = 0; rc == 0 && i < sp->class->n_events; i++)
				if (sp->events[i].wanted)
					rc = build_line(j, &b, &sp->events[i], r->contexts, o, err);
		}
	event_line_builder_fini(&b);
	return rc;
}

int event_json_new(const struct mer_experiment *e, const struct trace_reading *r,
	const struct event_json_options *o, struct event_json **json, struct mer_err *err)
{
	struct event_json *j = calloc(1, sizeof(*j));
	if (!j)
		return mer_fail_nomem(err);
	mer_arena_init(&j->arena);
	j->lines = mer_arena_zalloc(&j->arena, r->n_plans + 1u, sizeof(*j->lines));
	j->streams = mer_arena_zalloc(&j->arena, e->n_streams + 1u, sizeof(*j->streams));
	int rc = j->lines && j->streams ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < e->n_streams; i++)
		rc = build_stream(j, e, i, !o->fields) ? 0 : mer_fail_nomem(err);
	if (rc == 0)
		rc = build_lines(j, e, r, o, err);
	if (rc) {
		event_json_free(j);
		return rc;
	}
	*json = j;
	return 0;
}

void event_json_free(struct event_json *j)
{
	if (!j)
		return;
	mer_arena_fini(&j->arena);
	free(j);
}

void event_json_object(const struct event_json *j, struct mer_str *out, const uint64_t *context,
	const struct mer_event *ev)
{
	const struct text *stream = &j->streams[ev->stream];
	if (!mer_str_reserve(out, 8 + EVENT_NUMBER_ROOM + stream->len))
		return;
	char *p = out->data + out->len;
	memcpy(p, "{\"time\":", 8);
	p += 8;
	if (ev->ts != MER_NO_TIME) {
		p = event_put_i64(p, ev->ts);
	} else {
		memcpy(p, "null", 4);
		p += 4;
	}
	memcpy(p, stream->s, stream->len);
	out->len = (size_t)(p - out->data) + stream->len;
	event_line_put(&j->lines[ev->plan->id], out, context, ev);
}

void event_json_line(const struct event_json *j, struct mer_str *out, const uint64_t *context,
	const struct mer_event *ev)
{
	event_json_object(j, out, context, ev);
	mer_str_putc(out, '\n');
}
