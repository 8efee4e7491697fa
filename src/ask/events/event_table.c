#include "ask/events/event_table.h"

#include <stdlib.h>

#include "ask/events/event_line.h"
#include "ask/print/answer_print.h"

enum { TIME, HOST, CPU, STREAM, NAME, TEXTS };

static const struct {
	enum ctf_scope scope;
	struct mer_column column;
} scopes[] = { { CTF_SCOPE_COMMON_CONTEXT, { "context", "context", MER_TEXT } },
	{ CTF_SCOPE_SPECIFIC_CONTEXT, { "specific_context", "specific context", MER_TEXT } },
	{ CTF_SCOPE_PAYLOAD, { "payload", "payload", MER_TEXT } } };
enum { N_SCOPES = sizeof(scopes) / sizeof(*scopes) };

struct event_table {
	struct answer answer;
	struct mer_table *rows;
	const struct mer_experiment *e;
	size_t n_texts;		  /* columns from TEXTS on: of fields, or of scopes */
	struct event_line *lines; /* of each plan n_texts */
	struct mer_cell *cells;	  /* of a row */
	struct mer_str text;
};

static int build_lines(struct event_table *t, const struct trace_reading *r,
	const struct ctf_plan *plan, const struct event_fields *fields, struct mer_err *err)
{
	struct event_line_builder b = { .arena = &t->answer.arena, .values = EVENT_LINE_TEXT };
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < t->n_texts; i++) {
		if (fields)
			rc = event_line_add_path(&b, &fields->paths[i], plan, r->contexts, err);
		else
			event_line_add_scope(&b, plan, scopes[i].scope);
		if (rc == 0 && !event_line_finish(&b, &t->lines[plan->id * t->n_texts + i]))
			rc = mer_fail_nomem(err);
	}
	event_line_builder_fini(&b);
	return rc;
}

static int build(struct event_table *t, const struct trace_reading *r,
	const struct event_fields *fields, struct mer_err *err)
{
	int rc = 0;
	for (uint32_t p = 0; p < t->e->n_parts; p++)
		for (uint32_t s = 0; s < t->e->parts[p].schema->n_streams; s++) {
			const struct ctf_stream_plan *sp = &r->programs[p]->streams[s];
			for (uint32_t i = 0; rc == 0 && i < sp->class->n_events; i++)
				if (sp->events[i].wanted)
					rc = build_lines(t, r, &sp->events[i], fields, err);
		}
	return rc;
}

int event_table_new(struct ask *ask, const struct event_select *s, struct event_table **table,
	struct mer_err *err)
{
	static const struct mer_column first[TEXTS] = {
		[TIME] = { "time", "time", MER_DATE },
		[HOST] = { "host", "host", MER_TEXT },
		[CPU] = { "cpu", "cpu", MER_ID },
		[STREAM] = { "stream", "stream", MER_ID },
		[NAME] = { "name", "name", MER_TEXT },
	};
	const struct event_fields *fields = s->has_fields ? &s->fields : NULL;
	struct event_table *t = calloc(1, sizeof(*t));
	*table = t;
	if (!t)
		return mer_fail_nomem(err);
	ask_answer_init(ask, s->e, true, &t->answer);
	struct mer_arena *arena = &t->answer.arena;
	t->e = s->e;
	t->n_texts = fields ? fields->n : N_SCOPES;
	t->lines =
		mer_arena_zalloc(arena, (s->reading->n_plans + 1u) * t->n_texts, sizeof(*t->lines));
	t->cells = mer_arena_zalloc(arena, TEXTS + t->n_texts, sizeof(*t->cells));
	struct mer_column *columns =
		mer_arena_zalloc(arena, TEXTS + t->n_texts + 1, sizeof(*columns));
	if (!t->lines || !t->cells || !columns)
		return mer_fail_nomem(err);
	memcpy(columns, first, sizeof(first));
	for (size_t i = 0; i < t->n_texts; i++)
		columns[TEXTS + i] = fields ? (struct mer_column){ fields->paths[i].text,
			fields->paths[i].text, MER_TEXT }
					    : scopes[i].column;
	t->rows = answer_add(&t->answer, "events", NULL, columns);
	return build(t, s->reading, fields, err);
}

void event_table_free(struct event_table *t)
{
	if (!t)
		return;
	answer_fini(&t->answer);
	mer_str_fini(&t->text);
	free(t);
}

void event_table_add(struct event_table *t, const uint64_t *context, const struct mer_event *ev)
{
	const struct mer_stream *s = &t->e->streams[ev->stream];
	struct mer_cell *row = t->cells;
	row[TIME] = mer_int_unless(ev->ts, MER_NO_TIME);
	row[HOST] = mer_text(t->e->hosts[t->e->traces[s->trace].host].name);
	row[CPU] = mer_natural(s->cpu);
	row[STREAM] = MER_INT(ev->stream);
	row[NAME] = mer_text(ev->plan->class->name);
	for (size_t i = 0; i < t->n_texts; i++) {
		mer_str_clear(&t->text);
		event_line_put(&t->lines[ev->plan->id * t->n_texts + i], &t->text, context, ev);
		t->rows->failed |= t->text.failed;
		row[TEXTS + i] = t->text.len ? mer_text(mer_arena_strndup(
						       &t->answer.arena, t->text.data, t->text.len))
					     : MER_NONE;
	}
	mer_table_add(t->rows, row);
}

/* People see those that some event has. */
static void hide_unknown(struct mer_table *t)
{
	for (size_t c = TEXTS; c < t->n_columns; c++) {
		bool known = false;
		for (size_t r = 0; r < t->n_rows && !known; r++)
			known = t->cells[r * t->n_columns + c].set;
		if (!known)
			mer_table_hide(t, c);
	}
}

int event_table_end(struct event_table *t, struct ask *ask)
{
	hide_unknown(t->rows);
	return ask_answer_print(ask, &t->answer);
}
