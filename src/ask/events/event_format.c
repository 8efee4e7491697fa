#include "ask/events/event_format.h"

#include <stdlib.h>

#include "base/file.h"
#include "ask/print/answer_print.h"

int event_format_init(struct event_format *f, struct ask *ask, const struct event_select *s)
{
	*f = (struct event_format){ .kind = ask->taken ? ASK_FORMAT_TABLE : ask->format,
		.last = MER_NO_TIME };
	const struct event_fields *fields = s->has_fields ? &s->fields : NULL;
	switch (f->kind) {
	case ASK_FORMAT_TABLE: return event_table_new(ask, s, &f->table, &ask->err);
	case ASK_FORMAT_JSON:
	case ASK_FORMAT_JSONL:
		return event_json_new(s->e, s->reading,
			&(struct event_json_options){ fields, s->headers }, &f->json, &ask->err);
	case ASK_FORMAT_CSV: return event_csv_new(s->e, s->reading, fields, &f->csv, &ask->err);
	default: return event_text_new(s->e, s->reading, fields, ask->ascii, &f->text, &ask->err);
	}
}

void event_format_fini(struct event_format *f)
{
	event_text_free(f->text);
	event_json_free(f->json);
	event_csv_free(f->csv);
	event_table_free(f->table);
}

void event_page_fini(struct event_page *p)
{
	mer_str_fini(&p->lines);
	free(p->longs.rows);
}

void event_page_clear(struct event_page *p)
{
	mer_str_clear(&p->lines);
	event_text_begin(&p->state);
	p->state.leave_delta = true;
	p->longs.n = 0;
	p->state.longs = &p->longs;
	p->n_lines = 0;
}

void event_page_add(const struct event_format *f, struct event_page *p, const uint64_t *context,
	const struct mer_event *ev)
{
	p->n_lines++;
	switch (f->kind) {
	case ASK_FORMAT_TABLE: event_table_add(f->table, context, ev); break;
	case ASK_FORMAT_JSON:
		mer_str_add(&p->lines, ",\n", 2);
		event_json_object(f->json, &p->lines, context, ev);
		break;
	case ASK_FORMAT_JSONL: event_json_line(f->json, &p->lines, context, ev); break;
	case ASK_FORMAT_CSV: event_csv_line(f->csv, &p->lines, context, ev); break;
	default: event_text_line(f->text, &p->state, &p->lines, context, ev);
	}
}

void event_format_begin(struct event_format *f, struct ask *ask)
{
	if (f->kind == ASK_FORMAT_JSON)
		fprintf(ask->out, "{\"schema_version\":%d,\"events\":[", MER_JSON_SCHEMA);
	if (f->kind != ASK_FORMAT_CSV)
		return;
	struct mer_str heading = { 0 };
	event_csv_heading(f->csv, &heading);
	fwrite(heading.data, 1, heading.len, ask->out);
	mer_str_fini(&heading);
}

/* The time since the line before is not known to who made the page's first line. */
static size_t write_first_delta(struct event_format *f, struct ask *ask, const struct event_page *p)
{
	if (f->kind != ASK_FORMAT_TEXT || p->state.delta_at < 0)
		return 0;
	struct mer_str delta = { 0 };
	size_t at = (size_t)p->state.delta_at;
	event_text_delta(&delta, f->last, p->state.first);
	fwrite(p->lines.data, 1, at, ask->out);
	fwrite(delta.data, 1, delta.len, ask->out);
	mer_str_fini(&delta);
	return at;
}

/* In parts, so that neither the text nor its bytes in the trace fill the memory. */
static void write_long(struct event_format *f, struct ask *ask, const struct event_long *l)
{
	struct mer_str part = { 0 };
	for (size_t at = 0; at < l->len && !ferror(ask->out) && !part.failed;) {
		mer_str_clear(&part);
		size_t n = event_text_part(f->text, &part, l->s + at, l->len - at);
		fwrite(part.data, 1, part.len, ask->out);
		mer_file_release(l->s + at, n);
		at += n;
	}
	mer_str_fini(&part);
}

int event_page_write(
	struct event_format *f, struct ask *ask, const struct event_page *p, struct mer_err *err)
{
	if (p->lines.failed)
		return mer_fail_nomem(err);
	size_t from = write_first_delta(f, ask, p);
	if (f->kind == ASK_FORMAT_JSON && !f->any && p->lines.len)
		from = 1; /* no comma before the first */
	f->any |= p->lines.len > 0;
	for (uint32_t i = 0; i < p->longs.n && !ferror(ask->out); i++) {
		const struct event_long *l = &p->longs.rows[i];
		fwrite(p->lines.data + from, 1, l->at - from, ask->out);
		from = l->at;
		write_long(f, ask, l);
	}
	if (p->lines.len > from)
		fwrite(p->lines.data + from, 1, p->lines.len - from, ask->out);
	if (p->state.last != MER_NO_TIME)
		f->last = p->state.last;
	return ferror(ask->out) ? mer_fail(err, MER_ERR_SYS, "cannot write the output") : 0;
}

int event_format_end(struct event_format *f, struct ask *ask, const struct mer_experiment *e)
{
	if (f->kind == ASK_FORMAT_TABLE)
		return event_table_end(f->table, ask);
	if (f->kind != ASK_FORMAT_JSON)
		return 0;
	struct mer_json j;
	struct mer_str tail = { 0 };
	struct answer about;
	ask_answer_init(ask, e, false, &about);
	fputs("\n],", ask->out);
	mer_json_init(&j, &tail, NULL, 0);
	mer_json_begin_object(&j);
	answer_json_about(&about, &j);
	mer_json_end_object(&j);
	if (tail.len > 1)
		fwrite(tail.data + 1, 1, tail.len - 1, ask->out);
	fputc('\n', ask->out);
	answer_fini(&about);
	mer_str_fini(&tail);
	return 0;
}
