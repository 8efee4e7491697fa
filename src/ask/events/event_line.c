#include "ask/events/event_line.h"

#include <stdlib.h>

#include "base/grow.h"
#include "ask/events/event_value.h"

enum kind {
	KIND_NONE,
	KIND_UNSIGNED,
	KIND_SIGNED,
	KIND_JSON_TEXT,
	KIND_CSV_TEXT,
	KIND_TEXT,
	KIND_JSON,
	KIND_CSV,
	KIND_JSON_PLACE,
	KIND_CSV_PLACE
};

static void add_piece(struct event_line_builder *b, struct event_piece piece)
{
	if (!mer_grow32(&b->pieces, b->n, &b->cap, sizeof(*b->pieces))) {
		b->failed = true;
		return;
	}
	piece.before_len = (uint32_t)b->text.len;
	piece.before = mer_arena_strndup(b->arena, b->text.len ? b->text.data : "", b->text.len);
	b->failed |= !piece.before || b->text.failed;
	b->pieces[b->n++] = piece;
	mer_str_clear(&b->text);
}

static void add_name(struct event_line_builder *b, const char *name)
{
	event_json_text(&b->text, name, strlen(name));
	mer_str_putc(&b->text, ':');
}

/* A value that is in a slot of the event's row (of the packet context's row). */
static void event_line_add(
	struct event_line_builder *b, const struct ctf_fc *fc, uint32_t slot, bool in_context)
{
	struct event_piece p = { .slot = slot, .in_context = in_context, .fc = fc };
	bool number = fc->kind == CTF_INT || fc->kind == CTF_VARINT;
	bool text = fc->kind == CTF_STRING || fc->kind == CTF_TEXT;
	if (b->failed)
		return;
	if (fc->kind == CTF_STRUCT &&
		b->values == EVENT_LINE_JSON) { /* its members lie in slots of their own */
		mer_str_putc(&b->text, '{');
		for (uint32_t i = 0; i < fc->u.record.n; i++) {
			const struct ctf_field *f = &fc->u.record.fields[i];
			if (i)
				mer_str_putc(&b->text, ',');
			add_name(b, f->name);
			event_line_add(b, f->fc, slot, in_context);
			slot += ctf_slot_width(f->fc);
		}
		mer_str_putc(&b->text, '}');
		return;
	}
	if (number)
		p.kind = fc->u.bits.is_signed ? KIND_SIGNED : KIND_UNSIGNED;
	else if (text && fc->u.text.encoding == CTF_UTF8)
		p.kind = b->values == EVENT_LINE_CSV	? KIND_CSV_TEXT
			 : b->values == EVENT_LINE_TEXT ? KIND_TEXT
							: KIND_JSON_TEXT;
	else
		p.kind = b->values == EVENT_LINE_CSV ? KIND_CSV : KIND_JSON;
	add_piece(b, p);
}

int event_line_add_path(struct event_line_builder *b, const struct trace_path *path,
	const struct ctf_plan *plan, bool contexts, struct mer_err *err)
{
	struct trace_place place, *kept;
	switch (trace_path_find(
		path, plan->stream->class, plan->class, plan, contexts, b->arena, &place)) {
	case TRACE_FOUND: break;
	case TRACE_NOT_FOUND:
		if (b->values == EVENT_LINE_JSON)
			mer_str_puts(&b->text, "null");
		return 0;
	case TRACE_NOT_READ:
		return mer_fail(err, MER_ERR_BUG, "the field %s of %s is not read", path->text,
			plan->class->name);
	default: return mer_fail_nomem(err);
	}
	if (place.n_steps == 0) {
		event_line_add(b, place.fc, place.slot, place.in_context);
		return 0;
	}
	kept = mer_arena_alloc(b->arena, sizeof(*kept));
	if (!kept)
		return mer_fail_nomem(err);
	*kept = place;
	add_piece(b, (struct event_piece){ .kind = b->values == EVENT_LINE_JSON ? KIND_JSON_PLACE
										: KIND_CSV_PLACE,
			     .in_context = place.in_context,
			     .place = kept });
	return 0;
}

bool event_line_add_scope(
	struct event_line_builder *b, const struct ctf_plan *plan, enum ctf_scope scope)
{
	bool in_context = scope == CTF_SCOPE_PACKET_CONTEXT, any = false;
	const struct ctf_fc *fc = ctf_scope_fc(NULL, plan->stream->class, plan->class, scope);
	const uint32_t *slots =
		in_context ? plan->stream->context.slots[scope] : plan->slots[scope];
	for (uint32_t i = 0; fc && slots && i < fc->u.record.n; i++) {
		if (slots[i] == CTF_NO_SLOT)
			continue;
		const char *name = fc->u.record.fields[i].name;
		bool is_text = b->values == EVENT_LINE_TEXT;
		if (any)
			mer_str_putc(&b->text, is_text ? ' ' : ',');
		if (is_text)
			mer_str_printf(&b->text, "%s=", name);
		else
			add_name(b, name);
		event_line_add(b, fc->u.record.fields[i].fc, slots[i], in_context);
		any = true;
	}
	return any;
}

bool event_line_finish(struct event_line_builder *b, struct event_line *line)
{
	add_piece(b, (struct event_piece){ .kind = KIND_NONE });
	if (b->failed)
		return false;
	line->pieces = mer_arena_alloc(b->arena, b->n * sizeof(*b->pieces));
	if (!line->pieces)
		return false;
	memcpy(line->pieces, b->pieces, b->n * sizeof(*b->pieces));
	line->n = b->n;
	b->n = 0;
	return true;
}

void event_line_builder_fini(struct event_line_builder *b)
{
	free(b->pieces);
	mer_str_fini(&b->text);
}

static void put_place(struct mer_str *out, const struct event_piece *p, const uint64_t *row)
{
	const struct ctf_fc *fc;
	const uint64_t *slot = trace_place_get(p->place, row, &fc);
	if (p->kind == KIND_CSV_PLACE) {
		if (slot)
			event_csv_value(out, fc, slot);
	} else if (slot) {
		event_json_value(out, fc, slot);
	} else {
		mer_str_puts(out, "null");
	}
}

void event_line_put(const struct event_line *line, struct mer_str *out, const uint64_t *context,
	const struct mer_event *ev)
{
	const uint64_t *const rows[2] = { ev->slots, context };
	for (uint32_t i = 0; i < line->n; i++) {
		const struct event_piece *piece = &line->pieces[i];
		if (!mer_str_reserve(out, piece->before_len + EVENT_NUMBER_ROOM))
			return;
		char *p = out->data + out->len;
		memcpy(p, piece->before, piece->before_len);
		p += piece->before_len;
		const uint64_t *row = rows[piece->in_context];
		if (piece->kind == KIND_UNSIGNED)
			p = event_put_u64(p, row[piece->slot]);
		else if (piece->kind == KIND_SIGNED)
			p = event_put_i64(p, (int64_t)row[piece->slot]);
		out->len = (size_t)(p - out->data);
		const uint64_t *slot = row + piece->slot;
		switch ((enum kind)piece->kind) {
		case KIND_JSON_TEXT:
			event_json_text(out, (const char *)(uintptr_t)slot[0], slot[1]);
			break;
		case KIND_CSV_TEXT:
			event_csv_text(out, (const char *)(uintptr_t)slot[0], slot[1]);
			break;
		case KIND_TEXT: mer_str_add(out, (const char *)(uintptr_t)slot[0], slot[1]); break;
		case KIND_JSON: event_json_value(out, piece->fc, slot); break;
		case KIND_CSV: event_csv_value(out, piece->fc, slot); break;
		case KIND_JSON_PLACE:
		case KIND_CSV_PLACE: put_place(out, piece, row); break;
		default: break;
		}
	}
}
