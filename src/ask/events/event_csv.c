#include "ask/events/event_csv.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/csv.h"
#include "ask/events/event_line.h"
#include "ask/events/event_value.h"

struct text {
	const char *s;
	size_t len;
};

struct line {
	struct text name;	  /* with a comma before and, with a payload, behind */
	struct event_line values; /* of the fields, or the payload as JSON */
};

struct event_csv {
	struct mer_arena arena;
	struct mer_str heading;
	struct text *streams; /* ",HOST,CPU", by stream */
	struct line *lines;   /* by ctf_plan.id */
	bool payload;
};

static bool keep_text(struct mer_arena *arena, const struct mer_str *s, struct text *t)
{
	t->s = s->failed ? NULL : mer_arena_strndup(arena, s->data ? s->data : "", s->len);
	t->len = s->len;
	return t->s != NULL;
}

static bool build_stream(struct event_csv *v, const struct mer_experiment *e, uint32_t stream)
{
	const struct mer_stream *s = &e->streams[stream];
	const char *host = e->hosts[e->traces[s->trace].host].name;
	struct mer_str text = { 0 };
	mer_str_putc(&text, ',');
	event_csv_text(&text, host, strlen(host));
	mer_str_putc(&text, ',');
	if (s->cpu >= 0)
		mer_str_printf(&text, "%" PRId32, s->cpu);
	bool ok = keep_text(&v->arena, &text, &v->streams[stream]);
	mer_str_fini(&text);
	return ok;
}

static int build_line(struct event_csv *v, struct event_line_builder *b,
	const struct ctf_plan *plan, bool contexts, const struct event_fields *fields,
	struct mer_err *err)
{
	struct line *l = &v->lines[plan->id];
	const char *name = plan->class->name;
	struct mer_str text = { 0 };
	mer_str_putc(&text, ',');
	event_csv_text(&text, name, strlen(name));
	if (v->payload)
		mer_str_putc(&text, ',');
	int rc = keep_text(&v->arena, &text, &l->name) ? 0 : mer_fail_nomem(err);
	mer_str_fini(&text);
	if (v->payload) {
		mer_str_putc(&b->text, '{');
		event_line_add_scope(b, plan, CTF_SCOPE_PAYLOAD);
		mer_str_putc(&b->text, '}');
	}
	for (uint32_t i = 0; rc == 0 && !v->payload && i < fields->n; i++) {
		mer_str_putc(&b->text, ',');
		rc = event_line_add_path(b, &fields->paths[i], plan, contexts, err);
	}
	if (rc == 0 && !event_line_finish(b, &l->values))
		rc = mer_fail_nomem(err);
	return rc;
}

static int build_lines(struct event_csv *v, const struct mer_experiment *e,
	const struct trace_reading *r, const struct event_fields *fields, struct mer_err *err)
{
	struct event_line_builder b = { .arena = &v->arena,
		.values = v->payload ? EVENT_LINE_JSON : EVENT_LINE_CSV };
	int rc = 0;
	for (uint32_t p = 0; p < e->n_parts; p++)
		for (uint32_t s = 0; s < e->parts[p].schema->n_streams; s++) {
			const struct ctf_stream_plan *sp = &r->programs[p]->streams[s];
			for (uint32_t i = 0; rc == 0 && i < sp->class->n_events; i++)
				if (sp->events[i].wanted)
					rc = build_line(
						v, &b, &sp->events[i], r->contexts, fields, err);
		}
	event_line_builder_fini(&b);
	return rc;
}

static void build_heading(struct event_csv *v, const struct event_fields *fields)
{
	mer_str_puts(&v->heading, "time,host,cpu,name");
	if (v->payload)
		mer_str_puts(&v->heading, ",fields");
	for (uint32_t i = 0; !v->payload && i < fields->n; i++) {
		mer_str_putc(&v->heading, ',');
		event_csv_text(&v->heading, fields->paths[i].text, strlen(fields->paths[i].text));
	}
	mer_str_putc(&v->heading, '\n');
}

int event_csv_new(const struct mer_experiment *e, const struct trace_reading *r,
	const struct event_fields *fields, struct event_csv **csv, struct mer_err *err)
{
	struct event_csv *v = calloc(1, sizeof(*v));
	if (!v)
		return mer_fail_nomem(err);
	mer_arena_init(&v->arena);
	v->payload = !fields;
	v->lines = mer_arena_zalloc(&v->arena, r->n_plans + 1u, sizeof(*v->lines));
	v->streams = mer_arena_zalloc(&v->arena, e->n_streams + 1u, sizeof(*v->streams));
	build_heading(v, fields);
	int rc = v->lines && v->streams && !v->heading.failed ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < e->n_streams; i++)
		rc = build_stream(v, e, i) ? 0 : mer_fail_nomem(err);
	if (rc == 0)
		rc = build_lines(v, e, r, fields, err);
	if (rc) {
		event_csv_free(v);
		return rc;
	}
	*csv = v;
	return 0;
}

void event_csv_free(struct event_csv *v)
{
	if (!v)
		return;
	mer_str_fini(&v->heading);
	mer_arena_fini(&v->arena);
	free(v);
}

void event_csv_heading(const struct event_csv *v, struct mer_str *out)
{
	mer_str_add(out, v->heading.data, v->heading.len);
}

void event_csv_line(const struct event_csv *v, struct mer_str *out, const uint64_t *context,
	const struct mer_event *ev)
{
	const struct text *stream = &v->streams[ev->stream];
	const struct line *l = &v->lines[ev->plan->id];
	if (!mer_str_reserve(out, EVENT_NUMBER_ROOM + stream->len + l->name.len))
		return;
	char *p = out->data + out->len;
	if (ev->ts != MER_NO_TIME)
		p = event_put_i64(p, ev->ts);
	memcpy(p, stream->s, stream->len);
	p += stream->len;
	memcpy(p, l->name.s, l->name.len);
	out->len = (size_t)(p - out->data) + l->name.len;
	size_t since = out->len;
	event_line_put(&l->values, out, context, ev);
	if (v->payload)
		mer_csv_quote(out, since);
	mer_str_putc(out, '\n');
}
