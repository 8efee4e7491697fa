#include "ctf/plain.h"

#include <string.h>

bool ctf_plain_init(struct ctf_plain *p, const struct ctf_schema *schema, struct mer_arena *arena)
{
	*p = (struct ctf_plain){ .schema = schema, .order = -1 };
	p->regs = mer_arena_zalloc(arena, schema->n_regs + 1u, sizeof(*p->regs));
	p->known = mer_arena_zalloc(arena, schema->n_regs + 1u, sizeof(*p->known));
	return p->regs && p->known;
}

void ctf_plain_begin_packet(struct ctf_plain *p)
{
	memset(p->known, 0, (p->schema->n_regs + 1u) * sizeof(*p->known));
	p->order = -1;
}

static void see(struct ctf_plain *p, const struct ctf_plain_field *f)
{
	if (p->see)
		p->see(p->arg, f);
}

static void forget(struct ctf_plain *p, const struct ctf_field *f)
{
	const struct ctf_fc *fc = f->fc;
	p->known[f->reg] = false;
	if (fc->kind == CTF_STRUCT)
		for (uint32_t i = 0; i < fc->u.record.n; i++)
			forget(p, &fc->u.record.fields[i]);
	else if (fc->kind == CTF_VARIANT)
		for (uint32_t i = 0; i < fc->u.variant.n; i++)
			forget(p, &fc->u.variant.options[i].field);
	else if (fc->kind == CTF_ARRAY)
		forget(p, &fc->u.array.element);
	else if (fc->kind == CTF_OPTIONAL)
		forget(p, &fc->u.optional.content);
}

/* Uses of a field's value besides showing it. */
static void use_value(struct ctf_plain *p, struct ctf_pos *pos, const struct ctf_field *f,
	uint64_t v, unsigned len_bits)
{
	p->regs[f->reg] = v;
	p->known[f->reg] = true;
	if (!p->info) {
		if (f->roles & CTF_ROLE_EVENT_ID)
			p->event_id = v;
		if (f->roles & CTF_ROLE_TIMESTAMP)
			pos->clock = ctf_clock_update(pos->clock, v, len_bits);
		return;
	}
	struct ctf_packet_info *info = p->info;
	const struct {
		uint32_t role;
		uint64_t *member;
	} uses[] = {
		{ CTF_ROLE_MAGIC, &info->magic },
		{ CTF_ROLE_STREAM_CLASS_ID, &info->stream_class_id },
		{ CTF_ROLE_STREAM_ID, &info->stream_id },
		{ CTF_ROLE_PACKET_SIZE, &info->packet_size },
		{ CTF_ROLE_CONTENT_SIZE, &info->content_size },
		{ CTF_ROLE_TIMESTAMP, &info->begin },
		{ CTF_ROLE_TIMESTAMP_END, &info->end },
		{ CTF_ROLE_SEQ_NUM, &info->seq_num },
		{ CTF_ROLE_DISCARDED, &info->discarded },
		{ CTF_ROLE_CPU_ID, &info->cpu_id },
	};
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (f->roles & uses[i].role)
			*uses[i].member = v;
	info->seen |= f->roles & ~(uint32_t)CTF_ROLE_TRACE_UUID;
	if (f->roles & CTF_ROLE_TIMESTAMP)
		pos->clock = v;
	if (f->roles & CTF_ROLE_DISCARDED)
		info->discarded_len = (uint8_t)len_bits;
}

static enum ctf_status align(struct ctf_pos *pos, uint64_t bits)
{
	while (pos->bit % bits != 0) {
		uint64_t pad = bits - pos->bit % bits;
		if (pad > pos->end_bit - pos->bit)
			return CTF_E_END;
		pos->bit += pad;
	}
	return CTF_OK;
}

static bool fits(const struct ctf_pos *pos, uint64_t bytes)
{
	return bytes <= (pos->end_bit - pos->bit) / 8;
}

static bool selects(uint64_t v, bool is_signed, const struct ctf_range *ranges, uint32_t n_ranges)
{
	for (uint32_t i = 0; i < n_ranges; i++) {
		const struct ctf_range *r = &ranges[i];
		if (is_signed && (int64_t)v >= (int64_t)r->lo && (int64_t)v <= (int64_t)r->hi)
			return true;
		if (!is_signed && v >= r->lo && v <= r->hi)
			return true;
	}
	return false;
}

static enum ctf_status read_bits(
	struct ctf_plain *p, struct ctf_pos *pos, struct ctf_plain_field *f)
{
	const struct ctf_fc *fc = f->fc;
	unsigned len = fc->u.bits.len_bits;
	if (pos->bit % 8 != 0 && p->order != -1 && p->order != fc->u.bits.order)
		return CTF_E_ORDER;
	if (len > pos->end_bit - pos->bit)
		return CTF_E_END;
	p->order = fc->u.bits.order;
	uint64_t v = mer_bits_get(pos->base, pos->bit, len, fc->u.bits.order == CTF_BE);
	if (fc->u.bits.reversed)
		v = mer_bits_reverse(v, len);
	if (fc->u.bits.is_signed)
		v = mer_sign_extend(v, len);
	f->value = v;
	pos->bit += len;
	use_value(p, pos, f->field, v, len);
	return CTF_OK;
}

/* Groups of 7 bits, the lowest first; the high bit of a byte says that another one follows. Bits
 * beyond the 64th must be those of the sign. */
static enum ctf_status read_varint(
	struct ctf_plain *p, struct ctf_pos *pos, struct ctf_plain_field *f)
{
	bool is_signed = f->fc->u.bits.is_signed;
	uint64_t v = 0;
	unsigned n = 0; /* bits so far */
	uint8_t byte;
	do {
		if (!fits(pos, 1))
			return CTF_E_END;
		byte = pos->base[pos->bit / 8];
		pos->bit += 8;
		v |= (uint64_t)(byte & 0x7f) << n;
		n += 7;
		if (n == 70 && byte != 0 && byte != (is_signed ? 0x7f : 0x01))
			return CTF_E_VARINT;
	} while (byte & 0x80);
	if (is_signed && n < 64)
		v = mer_sign_extend(v, n);
	f->value = v;
	use_value(p, pos, f->field, v, 64);
	return CTF_OK;
}

static uint64_t unit_bytes(const struct ctf_fc *fc)
{
	switch (fc->u.text.encoding) {
	case CTF_UTF16BE:
	case CTF_UTF16LE: return 2;
	case CTF_UTF32BE:
	case CTF_UTF32LE: return 4;
	default: return 1;
	}
}

static bool is_nul(const uint8_t *p, uint64_t unit)
{
	for (uint64_t i = 0; i < unit; i++)
		if (p[i])
			return false;
	return true;
}

static enum ctf_status read_string(struct ctf_pos *pos, struct ctf_plain_field *f)
{
	uint64_t unit = unit_bytes(f->fc);
	f->bytes = pos->base + pos->bit / 8;
	uint64_t max = (pos->end_bit - pos->bit) / 8, n = 0;
	while (n + unit <= max && !is_nul(f->bytes + n, unit))
		n += unit;
	if (n + unit > max)
		return CTF_E_END;
	f->n_bytes = n;
	pos->bit += (n + unit) * 8;
	return CTF_OK;
}

/* The value that a reference refers to. */
static enum ctf_status look_up(const struct ctf_plain *p, const struct ctf_ref *ref, uint64_t *v)
{
	if (!p->known[ref->reg])
		return CTF_E_ABSENT;
	*v = p->regs[ref->reg];
	return CTF_OK;
}

static enum ctf_status read_bytes(
	struct ctf_plain *p, struct ctf_pos *pos, struct ctf_plain_field *f)
{
	uint64_t len = f->fc->u.text.len_bytes;
	if (f->fc->u.text.ref.reg) {
		enum ctf_status st = look_up(p, &f->fc->u.text.ref, &len);
		if (st)
			return st;
	}
	if (!fits(pos, len))
		return CTF_E_END;
	f->bytes = pos->base + pos->bit / 8;
	f->n_bytes = len;
	pos->bit += len * 8;
	if (f->fc->kind == CTF_BLOB)
		return CTF_OK;
	uint64_t unit = unit_bytes(f->fc);
	for (uint64_t n = 0; n + unit <= len; n += unit)
		if (is_nul(f->bytes + n, unit)) {
			f->n_bytes = n;
			break;
		}
	/* Without a NUL all of it is text, and must be whole code units. */
	return f->n_bytes % unit ? CTF_E_TEXT : CTF_OK;
}

static enum ctf_status read_class(struct ctf_plain *p, struct ctf_pos *pos,
	const struct ctf_field *field, const struct ctf_fc *fc, unsigned depth, uint64_t index);

static enum ctf_status read_field(struct ctf_plain *p, struct ctf_pos *pos,
	const struct ctf_field *field, unsigned depth, uint64_t index)
{
	return read_class(p, pos, field, field->fc, depth, index);
}

static enum ctf_status read_struct(
	struct ctf_plain *p, struct ctf_pos *pos, struct ctf_plain_field *f)
{
	see(p, f);
	for (uint32_t i = 0; i < f->fc->u.record.n; i++) {
		enum ctf_status st = read_field(
			p, pos, &f->fc->u.record.fields[i], f->depth + 1, CTF_PLAIN_NO_INDEX);
		if (st)
			return st;
	}
	return CTF_OK;
}

static enum ctf_status read_array(
	struct ctf_plain *p, struct ctf_pos *pos, struct ctf_plain_field *f)
{
	const struct ctf_field *element = &f->fc->u.array.element;
	uint64_t n = f->fc->u.array.n;
	/* The elements' alignment counts even when there are none. */
	if (align(pos, element->fc->align_bits))
		return CTF_E_END;
	f->bit = pos->bit;
	if (f->fc->u.array.ref.reg) {
		enum ctf_status st = look_up(p, &f->fc->u.array.ref, &n);
		if (st)
			return st;
	}
	forget(p, element);
	f->value = n;
	if (!ctf_array_fits(ctf_size_of(element->fc), n, pos->end_bit - pos->bit, p->n_idle))
		return CTF_E_LENGTH;
	see(p, f);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t before = pos->bit;
		enum ctf_status st = read_field(p, pos, element, f->depth + 1, i);
		if (st)
			return st;
		if (pos->bit == before && ++p->n_idle > CTF_MAX_IDLE)
			return CTF_E_LENGTH;
	}
	return CTF_OK;
}

static enum ctf_status read_variant(
	struct ctf_plain *p, struct ctf_pos *pos, struct ctf_plain_field *f)
{
	const struct ctf_fc *fc = f->fc;
	uint64_t selector;
	enum ctf_status st = look_up(p, &fc->u.variant.ref, &selector);
	if (st)
		return st;
	for (uint32_t i = 0; i < fc->u.variant.n; i++)
		forget(p, &fc->u.variant.options[i].field);
	for (uint32_t i = 0; i < fc->u.variant.n; i++) {
		const struct ctf_option *o = &fc->u.variant.options[i];
		if (!selects(selector, fc->u.variant.ref.is_signed, o->ranges, o->n_ranges))
			continue;
		f->value = i;
		see(p, f);
		return read_field(p, pos, &o->field, f->depth + 1, CTF_PLAIN_NO_INDEX);
	}
	return CTF_E_SELECTOR;
}

static enum ctf_status read_optional(
	struct ctf_plain *p, struct ctf_pos *pos, struct ctf_plain_field *f)
{
	const struct ctf_fc *fc = f->fc;
	uint64_t selector;
	enum ctf_status st = look_up(p, &fc->u.optional.ref, &selector);
	if (st)
		return st;
	forget(p, &fc->u.optional.content);
	f->value = selector != 0;
	if (fc->u.optional.n_ranges)
		f->value = selects(selector, fc->u.optional.ref.is_signed, fc->u.optional.ranges,
			fc->u.optional.n_ranges);
	see(p, f);
	return f->value ? read_field(
				  p, pos, &fc->u.optional.content, f->depth + 1, CTF_PLAIN_NO_INDEX)
			: CTF_OK;
}

static enum ctf_status read_class(struct ctf_plain *p, struct ctf_pos *pos,
	const struct ctf_field *field, const struct ctf_fc *fc, unsigned depth, uint64_t index)
{
	struct ctf_plain_field f = {
		.scope = p->scope, .depth = depth, .field = field, .fc = fc, .index = index
	};
	bool compound = fc->kind >= CTF_STRUCT, on_byte = !compound && fc->kind > CTF_FLOAT;
	f.step = compound ? CTF_PLAIN_BEGIN : CTF_PLAIN_FIELD;
	f.bit = pos->bit;
	enum ctf_status st = align(pos, on_byte && fc->align_bits < 8 ? 8 : fc->align_bits);
	if (st == CTF_OK) {
		f.bit = pos->bit;
		switch (fc->kind) {
		case CTF_BIT_ARRAY:
		case CTF_BIT_MAP:
		case CTF_BOOL:
		case CTF_INT:
		case CTF_FLOAT: st = read_bits(p, pos, &f); break;
		case CTF_VARINT: st = read_varint(p, pos, &f); break;
		case CTF_STRING: st = read_string(pos, &f); break;
		case CTF_TEXT:
		case CTF_BLOB: st = read_bytes(p, pos, &f); break;
		case CTF_STRUCT: st = read_struct(p, pos, &f); break;
		case CTF_ARRAY: st = read_array(p, pos, &f); break;
		case CTF_VARIANT: st = read_variant(p, pos, &f); break;
		case CTF_OPTIONAL: st = read_optional(p, pos, &f); break;
		}
	}
	if (st) {
		if (p->bad_bit == UINT64_MAX) { /* the innermost field is reported first */
			p->bad_field = field;
			p->bad_bit = pos->bit = f.bit;
		}
		return st;
	}
	f.n_bits = pos->bit - f.bit;
	if (compound)
		f.step = CTF_PLAIN_END;
	see(p, &f);
	return CTF_OK;
}

enum ctf_status ctf_plain_read(
	struct ctf_plain *p, struct ctf_pos *pos, enum ctf_scope scope, const struct ctf_fc *fc)
{
	p->scope = scope;
	if (scope <= CTF_SCOPE_COMMON_CONTEXT) /* the scopes after it belong to the same record */
		p->n_idle = 0;
	p->bad_field = NULL;
	p->bad_bit = UINT64_MAX;
	return fc ? read_class(p, pos, NULL, fc, 0, CTF_PLAIN_NO_INDEX) : CTF_OK;
}

enum ctf_status ctf_plain_event(struct ctf_plain *p, struct ctf_pos *pos,
	const struct ctf_stream_class *sc, const struct ctf_event_class **class)
{
	*class = NULL;
	p->event_id = 0;
	enum ctf_status st = ctf_plain_read(p, pos, CTF_SCOPE_EVENT_HEADER, sc->event_header);
	if (st)
		return st;
	*class = ctf_event_class_find(sc, p->event_id);
	if (!*class)
		return CTF_E_EVENT_ID;
	for (int scope = CTF_SCOPE_COMMON_CONTEXT; st == CTF_OK && scope < CTF_N_SCOPES; scope++)
		st = ctf_plain_read(p, pos, (enum ctf_scope)scope,
			ctf_scope_fc(p->schema, sc, *class, (enum ctf_scope)scope));
	return st;
}
