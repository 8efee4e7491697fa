/* Schemas by hand: what a program that makes traces needs instead of a metadata parser. Growing
 * arrays are doubled in the arena; what they leave behind is lost until the arena is freed. */
#include "ctf/writer.h"

#include <string.h>

static struct ctf_fc *new_fc(struct mer_arena *a, enum ctf_kind kind, unsigned align_bits)
{
	struct ctf_fc *fc = mer_arena_zalloc(a, 1, sizeof(*fc));
	if (!fc)
		return NULL;
	fc->kind = kind;
	fc->align_bits = align_bits ? align_bits : 1;
	return fc;
}

/* Room for one more element in an array whose capacity is n rounded up to a power of two. */
static void *grow(struct mer_arena *a, const void *old, size_t n, size_t bytes_each)
{
	if (n & (n - 1))
		return (void *)(uintptr_t)old;
	void *p = mer_arena_zalloc(a, n ? n * 2 : 1, bytes_each);
	if (p && n)
		memcpy(p, old, n * bytes_each);
	return p;
}

struct ctf_fc *ctf_new_bits(struct mer_arena *a, enum ctf_kind kind, unsigned len_bits,
	unsigned align_bits, enum ctf_byte_order order)
{
	struct ctf_fc *fc = new_fc(a, kind, align_bits);
	if (!fc)
		return NULL;
	fc->u.bits.len_bits = (uint16_t)len_bits;
	fc->u.bits.order = (uint8_t)order;
	fc->u.bits.base = 10;
	fc->u.bits.is_signed = kind == CTF_FLOAT;
	return fc;
}

struct ctf_fc *ctf_new_int(struct mer_arena *a, unsigned len_bits, bool is_signed,
	unsigned align_bits, enum ctf_byte_order order)
{
	struct ctf_fc *fc = ctf_new_bits(a, CTF_INT, len_bits, align_bits, order);
	if (fc)
		fc->u.bits.is_signed = is_signed;
	return fc;
}

struct ctf_fc *ctf_new_varint(struct mer_arena *a, bool is_signed)
{
	struct ctf_fc *fc = ctf_new_bits(a, CTF_VARINT, 0, 8, CTF_LE);
	if (fc)
		fc->u.bits.is_signed = is_signed;
	return fc;
}

struct ctf_fc *ctf_new_string(struct mer_arena *a)
{
	return new_fc(a, CTF_STRING, 8);
}

struct ctf_fc *ctf_new_bytes(struct mer_arena *a, enum ctf_kind kind, uint64_t len_bytes)
{
	struct ctf_fc *fc = new_fc(a, kind, 8);
	if (fc)
		fc->u.text.len_bytes = len_bytes;
	return fc;
}

struct ctf_fc *ctf_new_struct(struct mer_arena *a, unsigned min_align_bits)
{
	return new_fc(a, CTF_STRUCT, min_align_bits);
}

struct ctf_fc *ctf_new_array(struct mer_arena *a, struct ctf_fc *element, uint64_t n)
{
	struct ctf_fc *fc = element ? new_fc(a, CTF_ARRAY, element->align_bits) : NULL;
	if (!fc)
		return NULL;
	fc->u.array.n = n;
	fc->u.array.element = (struct ctf_field){ .name = "", .fc = element, .clock = -1 };
	return fc;
}

struct ctf_fc *ctf_new_variant(struct mer_arena *a)
{
	return new_fc(a, CTF_VARIANT, 1);
}

struct ctf_fc *ctf_new_optional(struct mer_arena *a, struct ctf_fc *content)
{
	struct ctf_fc *fc = content ? new_fc(a, CTF_OPTIONAL, 1) : NULL;
	if (fc)
		fc->u.optional.content =
			(struct ctf_field){ .name = "", .fc = content, .clock = -1 };
	return fc;
}

struct ctf_field *ctf_struct_add(
	struct mer_arena *a, struct ctf_fc *record, const char *name, struct ctf_fc *fc)
{
	if (!record || !fc || !name)
		return NULL;
	struct ctf_field *fields =
		grow(a, record->u.record.fields, record->u.record.n, sizeof(*fields));
	char *own = mer_arena_strdup(a, name);
	if (!fields || !own)
		return NULL;
	record->u.record.fields = fields;
	struct ctf_field *f = &fields[record->u.record.n++];
	*f = (struct ctf_field){ .name = own, .fc = fc, .clock = -1 };
	if (fc->align_bits > record->align_bits)
		record->align_bits = fc->align_bits;
	return f;
}

struct ctf_option *ctf_variant_add(struct mer_arena *a, struct ctf_fc *variant, const char *name,
	struct ctf_fc *fc, uint64_t lo, uint64_t hi)
{
	if (!variant || !fc || !name)
		return NULL;
	struct ctf_option *options =
		grow(a, variant->u.variant.options, variant->u.variant.n, sizeof(*options));
	struct ctf_range *range = mer_arena_zalloc(a, 1, sizeof(*range));
	char *own = mer_arena_strdup(a, name);
	if (!options || !range || !own)
		return NULL;
	*range = (struct ctf_range){ lo, hi };
	variant->u.variant.options = options;
	struct ctf_option *o = &options[variant->u.variant.n++];
	*o = (struct ctf_option){
		.field = { .name = own, .fc = fc, .clock = -1 }, .n_ranges = 1, .ranges = range
	};
	return o;
}

void ctf_enum_add(
	struct mer_arena *a, struct ctf_fc *fc, const char *label, uint64_t lo, uint64_t hi)
{
	if (!fc)
		return;
	struct ctf_mapping *m = grow(a, fc->u.bits.mappings, fc->u.bits.n_mappings, sizeof(*m));
	struct ctf_range *range = mer_arena_zalloc(a, 1, sizeof(*range));
	char *own = mer_arena_strdup(a, label);
	if (!m || !range || !own)
		return;
	*range = (struct ctf_range){ lo, hi };
	fc->u.bits.mappings = m;
	fc->u.bits.is_enum = true;
	m[fc->u.bits.n_mappings++] =
		(struct ctf_mapping){ .label = own, .n_ranges = 1, .ranges = range };
}

bool ctf_refer(struct ctf_schema *s, struct ctf_fc *fc, struct ctf_field *target)
{
	if (!fc || !target)
		return false;
	if (target->reg == CTF_NO_REG) {
		if (s->n_regs >= CTF_MAX_REGS - 1)
			return false;
		target->reg = ++s->n_regs;
	}
	struct ctf_ref ref = { .reg = target->reg, .path = target->name };
	if (target->fc->kind == CTF_INT || target->fc->kind == CTF_VARINT)
		ref.is_signed = target->fc->u.bits.is_signed;
	switch (fc->kind) {
	case CTF_TEXT:
	case CTF_BLOB: fc->u.text.ref = ref; break;
	case CTF_ARRAY: fc->u.array.ref = ref; break;
	case CTF_VARIANT: fc->u.variant.ref = ref; break;
	case CTF_OPTIONAL: fc->u.optional.ref = ref; break;
	default: return false;
	}
	return true;
}

static struct ctf_field *add_uint(struct mer_arena *a, struct ctf_fc *record, const char *name,
	unsigned len_bits, enum ctf_byte_order order, uint32_t roles)
{
	unsigned align = len_bits % 8 ? 1 : 8;
	struct ctf_field *f =
		ctf_struct_add(a, record, name, ctf_new_int(a, len_bits, false, align, order));
	if (f)
		f->roles = roles;
	return f;
}

static void add_time(struct mer_arena *a, struct ctf_fc *record, const char *name,
	unsigned len_bits, enum ctf_byte_order order, uint32_t roles, int clock)
{
	if (clock < 0)
		return;
	struct ctf_field *f = add_uint(a, record, name, len_bits, order, roles);
	if (f)
		f->clock = (int16_t)clock;
}

struct ctf_fc *ctf_new_packet_header(struct mer_arena *a, enum ctf_byte_order order)
{
	struct ctf_fc *h = ctf_new_struct(a, 1);
	add_uint(a, h, "magic", 32, order, CTF_ROLE_MAGIC);
	struct ctf_field *uuid = ctf_struct_add(
		a, h, "uuid", ctf_new_array(a, ctf_new_int(a, 8, false, 8, order), 16));
	if (uuid)
		uuid->roles = CTF_ROLE_TRACE_UUID;
	add_uint(a, h, "stream_id", 32, order, CTF_ROLE_STREAM_CLASS_ID);
	add_uint(a, h, "stream_instance_id", 64, order, CTF_ROLE_STREAM_ID);
	return a->failed ? NULL : h;
}

struct ctf_fc *ctf_new_packet_context(struct mer_arena *a, enum ctf_byte_order order, int clock)
{
	struct ctf_fc *c = ctf_new_struct(a, 1);
	add_time(a, c, "timestamp_begin", 64, order, CTF_ROLE_TIMESTAMP, clock);
	add_time(a, c, "timestamp_end", 64, order, CTF_ROLE_TIMESTAMP_END, clock);
	add_uint(a, c, "content_size", 64, order, CTF_ROLE_CONTENT_SIZE);
	add_uint(a, c, "packet_size", 64, order, CTF_ROLE_PACKET_SIZE);
	add_uint(a, c, "packet_seq_num", 64, order, CTF_ROLE_SEQ_NUM);
	add_uint(a, c, "events_discarded", 64, order, CTF_ROLE_DISCARDED);
	add_uint(a, c, "cpu_id", 32, order, CTF_ROLE_CPU_ID);
	return a->failed ? NULL : c;
}

struct ctf_fc *ctf_new_event_header(struct mer_arena *a, struct ctf_schema *s,
	enum ctf_header_shape shape, enum ctf_byte_order order, int clock)
{
	struct ctf_fc *h = ctf_new_struct(a, 8);
	if (shape == CTF_WRITE_PLAIN) {
		add_time(a, h, "timestamp", 64, order, CTF_ROLE_TIMESTAMP, clock);
		add_uint(a, h, "id", 32, order, CTF_ROLE_EVENT_ID);
		return a->failed ? NULL : h;
	}
	bool large = shape == CTF_WRITE_LARGE;
	uint64_t last = large ? 65535 : 31;
	struct ctf_field *id = add_uint(a, h, "id", large ? 16 : 5, order, CTF_ROLE_EVENT_ID);
	struct ctf_fc *v = ctf_new_variant(a), *few = ctf_new_struct(a, 1),
		      *many = ctf_new_struct(a, 1);
	if (!id || !ctf_refer(s, v, id))
		return NULL;
	ctf_enum_add(a, id->fc, "compact", 0, last - 1);
	ctf_enum_add(a, id->fc, "extended", last, last);
	add_time(a, few, "timestamp", large ? 32 : 27, order, CTF_ROLE_TIMESTAMP, clock);
	add_uint(a, many, "id", 32, order, CTF_ROLE_EVENT_ID);
	add_time(a, many, "timestamp", 64, order, CTF_ROLE_TIMESTAMP, clock);
	ctf_variant_add(a, v, "compact", few, 0, last - 1);
	ctf_variant_add(a, v, "extended", many, last, last);
	ctf_struct_add(a, h, "v", v);
	return a->failed ? NULL : h;
}
