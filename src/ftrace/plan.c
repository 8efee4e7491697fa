#include "ftrace/plan.h"

#include <string.h>

#include "ftrace/bytes.h"

static struct ctf_fc *integer(
	struct mer_arena *a, const struct ftrace_field *f, enum ctf_byte_order order)
{
	struct ctf_fc *fc = ctf_new_int(a, f->element * 8u, f->is_signed, 8, order);
	if (fc && f->is_hex)
		fc->u.bits.base = 16;
	return fc;
}

/* A length, which CTF needs before the elements, and the elements. */
static void add_list(struct mer_arena *a, struct ctf_schema *schema, struct ctf_fc *payload,
	const struct ftrace_field *f, enum ctf_byte_order order)
{
	char *name = mer_arena_printf(a, "_%s_length", f->name);
	struct ctf_field *n = ctf_struct_add(a, payload, name, ctf_new_int(a, 32, false, 8, order));
	struct ctf_fc *list = ctf_new_array(a, integer(a, f, order), 0);
	if (!n || !list)
		return;
	if (!ctf_refer(schema, list, n))
		a->failed = true;
	ctf_struct_add(a, payload, f->name, list);
}

static void add_field(struct mer_arena *a, struct ctf_schema *schema, struct ctf_fc *payload,
	const struct ftrace_field *f, enum ctf_byte_order order)
{
	switch (f->kind) {
	case FTRACE_INT: ctf_struct_add(a, payload, f->name, integer(a, f, order)); break;
	case FTRACE_INTS:
		ctf_struct_add(a, payload, f->name,
			ctf_new_array(a, integer(a, f, order), f->size / f->element));
		break;
	case FTRACE_CHARS:
		ctf_struct_add(a, payload, f->name, ctf_new_bytes(a, CTF_TEXT, f->size));
		break;
	case FTRACE_TEXT:
	case FTRACE_TEXT_TO_END: ctf_struct_add(a, payload, f->name, ctf_new_string(a)); break;
	case FTRACE_LIST:
	case FTRACE_LIST_TO_END: add_list(a, schema, payload, f, order); break;
	}
}

static void add_step(struct ftrace_plan *p, const struct ftrace_field *f)
{
	struct ftrace_step s = { .from = f->offset,
		.len = f->size,
		.element = f->element,
		.is_relative = f->is_relative };
	struct ftrace_step *last = p->n_steps ? &p->steps[p->n_steps - 1] : NULL;
	switch (f->kind) {
	case FTRACE_TEXT: s.kind = FTRACE_STEP_TEXT; break;
	case FTRACE_LIST: s.kind = FTRACE_STEP_LIST; break;
	case FTRACE_TEXT_TO_END: s.kind = FTRACE_STEP_REST; break;
	case FTRACE_LIST_TO_END: s.kind = FTRACE_STEP_REST_LIST; break;
	default:
		if (last && last->kind == FTRACE_STEP_RUN && last->from + last->len == s.from) {
			last->len += s.len;
			return;
		}
		break;
	}
	p->steps[p->n_steps++] = s;
}

struct ftrace_plan *ftrace_plan_new(struct mer_arena *a, struct ctf_schema *schema,
	const struct ftrace_format *format, enum ctf_byte_order order, struct ctf_fc **payload)
{
	struct ftrace_plan *p = mer_arena_zalloc(a, 1, sizeof(*p));
	*payload = ctf_new_struct(a, 8);
	if (!p || !*payload)
		return NULL;
	p->format = format;
	p->steps = mer_arena_zalloc(a, format->n_fields + 1u, sizeof(*p->steps));
	for (uint32_t i = 0; p->steps && i < format->n_fields; i++) {
		add_field(a, schema, *payload, &format->fields[i], order);
		add_step(p, &format->fields[i]);
	}
	return a->failed ? NULL : p;
}

bool ftrace_plan_add_chain(struct mer_arena *a, struct ctf_schema *schema, struct ctf_fc *payload,
	enum ctf_byte_order order)
{
	struct ctf_field *n = ctf_struct_add(
		a, payload, "perf_callchain_size", ctf_new_int(a, 32, false, 8, order));
	struct ctf_fc *address = ctf_new_int(a, 64, false, 8, order);
	if (address)
		address->u.bits.base = 16;
	struct ctf_fc *list = ctf_new_array(a, address, 0);
	if (!n || !list || !ctf_refer(schema, list, n))
		return false;
	ctf_struct_add(a, payload, "perf_callchain", list);
	return !a->failed;
}

struct ctf_fc *ftrace_plan_context(struct mer_arena *a, enum ctf_byte_order order)
{
	struct ctf_fc *c = ctf_new_struct(a, 8);
	ctf_struct_add(a, c, "common_flags", ctf_new_int(a, 8, false, 8, order));
	ctf_struct_add(a, c, "common_preempt_count", ctf_new_int(a, 8, false, 8, order));
	ctf_struct_add(a, c, "common_pid", ctf_new_int(a, 32, true, 8, order));
	return c;
}

/* The text or list that a __data_loc field refers to, cut at the end of the record. */
static const uint8_t *located(const struct ftrace_step *s, const uint8_t *record, uint32_t size,
	bool is_be, uint32_t *len)
{
	uint32_t place = ftrace_load32(record + s->from, is_be);
	uint32_t at = (place & 0xffff) + (s->is_relative ? s->from + 4 : 0);
	*len = place >> 16;
	if (at > size)
		at = size;
	if (*len > size - at)
		*len = size - at;
	return record + at;
}

static uint8_t *put_text(uint8_t *out, const uint8_t *text, uint32_t len)
{
	len = (uint32_t)strnlen((const char *)text, len);
	memcpy(out, text, len);
	out[len] = '\0';
	return out + len + 1;
}

uint8_t *ftrace_put_list(
	uint8_t *out, const uint8_t *from, uint32_t len, uint8_t element, bool is_be)
{
	uint32_t n = is_be ? __builtin_bswap32(len) : len;
	memcpy(out, &n, 4);
	if (len)
		memcpy(out + 4, from, (size_t)len * element);
	return out + 4 + (size_t)len * element;
}

static uint8_t *put_context(const struct ftrace_format *f, const uint8_t *record, uint8_t *out)
{
	/* As all kernels have it. */
	if (f->flags_offset == 2 && f->preempt_offset == 3 && f->pid_offset == 4) {
		memcpy(out, record + 2, 6);
		return out + 6;
	}
	out[0] = f->flags_offset ? record[f->flags_offset] : 0;
	out[1] = f->preempt_offset ? record[f->preempt_offset] : 0;
	if (f->pid_offset)
		memcpy(out + 2, record + f->pid_offset, 4);
	else
		memset(out + 2, 0, 4);
	return out + 6;
}

size_t ftrace_plan_run(
	const struct ftrace_plan *p, const uint8_t *record, uint32_t size, bool is_be, uint8_t *out)
{
	uint8_t *begin = out;
	if (size < p->format->least)
		return 0;
	out = put_context(p->format, record, out);
	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct ftrace_step *s = &p->steps[i];
		const uint8_t *from;
		uint32_t len;
		switch (s->kind) {
		case FTRACE_STEP_RUN:
			memcpy(out, record + s->from, s->len);
			out += s->len;
			break;
		case FTRACE_STEP_TEXT:
			from = located(s, record, size, is_be, &len);
			out = put_text(out, from, len);
			break;
		case FTRACE_STEP_REST: out = put_text(out, record + s->from, size - s->from); break;
		case FTRACE_STEP_LIST:
			from = located(s, record, size, is_be, &len);
			out = ftrace_put_list(out, from, len / s->element, s->element, is_be);
			break;
		case FTRACE_STEP_REST_LIST:
			out = ftrace_put_list(out, record + s->from, (size - s->from) / s->element,
				s->element, is_be);
			break;
		}
	}
	return (size_t)(out - begin);
}
