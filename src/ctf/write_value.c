/* Encoding of fields: values, checked against their field classes, to bits.
 *
 * The encoder mirrors the decoder: registers hold the values of fields that others refer to, so
 * what it writes is what a decoder will follow. In header mode leaves take the value of their
 * role. */
#include "ctf/write.h"

#include <stdlib.h>
#include "base/bits.h"

void ctf_encoder_fini(struct ctf_encoder *e)
{
	free(e->data);
	free(e->regs);
	*e = (struct ctf_encoder){ 0 };
}

int ctf_encoder_regs(struct ctf_encoder *e, uint32_t n_regs)
{
	if (e->regs && n_regs <= e->n_regs)
		return 0;
	uint64_t *p = realloc(e->regs, (n_regs + 1) * sizeof(*p));
	if (!p)
		return mer_fail_nomem(e->err);
	size_t old = e->regs ? e->n_regs + 1 : 0;
	memset(p + old, 0, (n_regs + 1 - old) * sizeof(*p));
	e->regs = p;
	e->n_regs = n_regs;
	return 0;
}

int ctf_encoder_room(struct ctf_encoder *e, uint64_t bits)
{
	uint64_t need = (e->at_bits + bits + 7) / 8 + 16;
	if (need <= e->cap_bytes)
		return 0;
	if (bits > (uint64_t)CTF_MAX_WRITE_BYTES * 8 || need > CTF_MAX_WRITE_BYTES)
		return mer_fail(e->err, MER_ERR_LIMIT, "%s: packet larger than 1 GB", e->where);
	size_t cap = e->cap_bytes ? e->cap_bytes : 4096;
	while (cap < need)
		cap *= 2;
	uint8_t *p = realloc(e->data, cap);
	if (!p)
		return mer_fail_nomem(e->err);
	memset(p + e->cap_bytes, 0, cap - e->cap_bytes);
	e->data = p;
	e->cap_bytes = cap;
	return 0;
}

void ctf_encoder_rewind(struct ctf_encoder *e, uint64_t bit, uint8_t order)
{
	uint64_t from = (bit + 7) / 8, to = (e->at_bits + 7) / 8;
	/* The bits of a shared byte: which ones they are depends on the byte order. */
	if (bit % 8 && bit < e->at_bits)
		mer_bits_put(e->data, bit, 8 - (unsigned)(bit % 8), order == CTF_BE, 0);
	if (to > from)
		memset(e->data + from, 0, to - from);
	e->at_bits = bit;
	e->order = order;
}

static int align(struct ctf_encoder *e, uint32_t align_bits)
{
	uint64_t pad = -e->at_bits & (align_bits - 1);
	if (!pad)
		return 0;
	int rc = ctf_encoder_room(e, pad);
	if (!rc)
		e->at_bits += pad;
	return rc;
}

static int bad(struct ctf_encoder *e, const struct ctf_field *f, const char *what)
{
	return mer_fail(e->err, MER_ERR_USAGE, "%s: field \"%s\": %s", e->where, f->name, what);
}

static int put(
	struct ctf_encoder *e, const struct ctf_field *f, unsigned len, uint8_t order, uint64_t v)
{
	int rc = ctf_encoder_room(e, len);
	if (rc)
		return rc;
	uint8_t *p = e->data + e->at_bits / 8;
	bool be = order == CTF_BE;
	if (e->at_bits % 8 == 0 && len == 32) {
		uint32_t x = be ? __builtin_bswap32((uint32_t)v) : (uint32_t)v;
		memcpy(p, &x, 4);
	} else if (e->at_bits % 8 == 0 && len == 64) {
		uint64_t x = be ? __builtin_bswap64(v) : v;
		memcpy(p, &x, 8);
	} else {
		if (e->at_bits % 8 && order != e->order)
			return bad(e, f, "the byte order changes inside a byte");
		mer_bits_put(e->data, e->at_bits, len, be, v);
	}
	e->order = order;
	e->at_bits += len;
	return 0;
}

int ctf_encode_bytes(struct ctf_encoder *e, const void *data, size_t len)
{
	if (len > CTF_MAX_WRITE_BYTES)
		return mer_fail(e->err, MER_ERR_LIMIT, "%s: more than 1 GB", e->where);
	int rc = align(e, 8);
	if (!rc)
		rc = ctf_encoder_room(e, (uint64_t)len * 8);
	if (rc || !len)
		return rc;
	memcpy(e->data + e->at_bits / 8, data, len);
	e->at_bits += (uint64_t)len * 8;
	return 0;
}

/* The value of a leaf in header mode. Timestamps that do not fit are noticed here, because a
 * decoder would silently get another time. */
static uint64_t role_value(struct ctf_encoder *e, const struct ctf_field *f)
{
	const struct ctf_fc *fc = f->fc;
	if (!f->roles)
		return 0;
	uint32_t role = f->roles & -f->roles;
	if (role == CTF_ROLE_EVENT_ID) {
		uint64_t id = e->n_ids++ == 0 && e->choose_id
				      ? e->first_id
				      : e->roles->value[ctf_role_index(role)];
		e->last_id = id;
		return id;
	}
	uint64_t v = e->roles->value[ctf_role_index(role)];
	if (fc->kind != CTF_INT && fc->kind != CTF_VARINT)
		return v;
	/* Counters wrap. */
	if (role != CTF_ROLE_SEQ_NUM && role != CTF_ROLE_DISCARDED && role != CTF_ROLE_TIMESTAMP &&
		role != CTF_ROLE_TIMESTAMP_END)
		return v;
	unsigned len = fc->kind == CTF_VARINT ? 64 : fc->u.bits.len_bits;
	if (len >= 64)
		return v;
	uint64_t mask = ((uint64_t)1 << len) - 1;
	if (role == CTF_ROLE_TIMESTAMP && e->choose_id && v - e->clock > mask)
		e->clock_lost = true;
	return v & mask;
}

/* Is a leaf filled in, rather than given? */
static bool filled_in(const struct ctf_encoder *e, const struct ctf_field *f)
{
	return e->roles && (f->roles || !e->values);
}

static const struct ctf_value *next(struct ctf_encoder *e, const struct ctf_field *f, int *rc)
{
	if (e->used < e->n_values)
		return &e->values[e->used++];
	*rc = bad(e, f, "no value given");
	return NULL;
}

/* Checks that the value fits; *out is the bit pattern, sign extended for signed fields. */
static int int_value(struct ctf_encoder *e, const struct ctf_field *f, unsigned len, bool is_signed,
	uint64_t *out)
{
	int rc = 0;
	if (filled_in(e, f)) {
		*out = role_value(e, f);
		if (len < 64 && *out >> (len - (is_signed ? 1 : 0)))
			return bad(e, f, "the value is too large");
		return 0;
	}
	const struct ctf_value *v = next(e, f, &rc);
	if (!v)
		return rc;
	if (v->kind != CTF_VALUE_UINT && v->kind != CTF_VALUE_INT)
		return bad(e, f, "needs an integer");
	bool negative = v->kind == CTF_VALUE_INT && v->v.i < 0;
	*out = v->v.u;
	if (is_signed) {
		int64_t s = (int64_t)*out;
		if (v->kind == CTF_VALUE_UINT && s < 0)
			return bad(e, f, "the value is too large");
		if (len < 64 && s != (int64_t)mer_sign_extend(*out, len))
			return bad(e, f, "the value does not fit");
	} else if (negative) {
		return bad(e, f, "unsigned, but the value is negative");
	} else if (len < 64 && *out >> len) {
		return bad(e, f, "the value is too large");
	}
	return 0;
}

static void store(struct ctf_encoder *e, const struct ctf_field *f, uint64_t v)
{
	if (f->reg != CTF_NO_REG && f->reg <= e->n_regs)
		e->regs[f->reg] = v;
}

static uint64_t reg(const struct ctf_encoder *e, const struct ctf_ref *r)
{
	return r->reg <= e->n_regs ? e->regs[r->reg] : 0;
}

/* Round to nearest, ties to even. */
static uint16_t half_bits(double d)
{
	union {
		float f;
		uint32_t u;
	} x = { .f = (float)d };
	uint32_t sign = x.u >> 16 & 0x8000, mant = x.u & 0x7FFFFF;
	int exp = (int)(x.u >> 23 & 0xFF) - 127 + 15;
	if ((x.u >> 23 & 0xFF) == 0xFF)
		return (uint16_t)(sign | 0x7C00 | (mant ? 0x200 : 0));
	if (exp >= 31)
		return (uint16_t)(sign | 0x7C00);
	unsigned drop = 13;
	uint32_t bits;
	if (exp <= 0) {
		if (exp < -10)
			return (uint16_t)sign;
		mant |= 0x800000;
		drop = (unsigned)(14 - exp);
		bits = mant >> drop;
	} else {
		bits = (uint32_t)exp << 10 | mant >> 13;
	}
	uint32_t rest = mant & ((1u << drop) - 1), tie = 1u << (drop - 1);
	if (rest > tie || (rest == tie && (bits & 1)))
		bits++;
	return (uint16_t)(sign | bits);
}

static int encode_float(struct ctf_encoder *e, const struct ctf_field *f, uint64_t *out)
{
	int rc = 0;
	*out = 0;
	if (filled_in(e, f))
		return 0;
	const struct ctf_value *v = next(e, f, &rc);
	if (!v)
		return rc;
	double d = v->v.f;
	if (v->kind == CTF_VALUE_INT)
		d = (double)v->v.i;
	else if (v->kind == CTF_VALUE_UINT)
		d = (double)v->v.u;
	else if (v->kind != CTF_VALUE_REAL)
		return bad(e, f, "needs a number");
	union {
		float f;
		uint32_t u;
	} x32 = { .f = (float)d };
	switch (f->fc->u.bits.len_bits) {
	case 16: *out = half_bits(d); return 0;
	case 32: *out = x32.u; return 0;
	case 64: memcpy(out, &d, 8); return 0;
	default: return bad(e, f, "floating point of an unusual size");
	}
}

static int encode_bits(struct ctf_encoder *e, const struct ctf_field *f)
{
	const struct ctf_fc *fc = f->fc;
	unsigned len = fc->u.bits.len_bits;
	uint64_t v;
	int rc = align(e, fc->align_bits);
	if (!rc && fc->kind == CTF_FLOAT)
		rc = encode_float(e, f, &v);
	else if (!rc)
		rc = int_value(e, f, len, fc->kind == CTF_INT && fc->u.bits.is_signed, &v);
	if (rc)
		return rc;
	store(e, f, v);
	return put(e, f, len, fc->u.bits.order, fc->u.bits.reversed ? mer_bits_reverse(v, len) : v);
}

/* In header mode always 10 bytes long, because sizes and times are put in when the packet ends. */
static int encode_varint(struct ctf_encoder *e, const struct ctf_field *f)
{
	bool is_signed = f->fc->u.bits.is_signed;
	uint64_t v;
	int rc = align(e, f->fc->align_bits);
	if (!rc)
		rc = int_value(e, f, 64, is_signed, &v);
	if (rc)
		return rc;
	store(e, f, v);
	uint8_t bytes[10];
	unsigned n = 0;
	for (bool more = true; more; n++) {
		uint8_t part = v & 0x7F;
		v = is_signed ? (uint64_t)((int64_t)v >> 7) : v >> 7;
		more = is_signed
			       ? !((v == 0 && !(part & 0x40)) || (v == UINT64_MAX && (part & 0x40)))
			       : v != 0;
		if (e->roles && !e->choose_id)
			more = n < 9;
		bytes[n] = more ? part | 0x80 : part;
	}
	return ctf_encode_bytes(e, bytes, n);
}

static int bytes_value(
	struct ctf_encoder *e, const struct ctf_field *f, const void **data, size_t *len)
{
	int rc = 0;
	*data = "";
	*len = 0;
	if (filled_in(e, f)) {
		if ((f->roles & CTF_ROLE_TRACE_UUID) && e->roles->uuid) {
			*data = e->roles->uuid;
			*len = 16;
		}
		return 0;
	}
	const struct ctf_value *v = next(e, f, &rc);
	if (!v)
		return rc;
	if (v->kind != CTF_VALUE_BYTES)
		return bad(e, f, "needs a text");
	*data = v->v.bytes.data;
	*len = v->v.bytes.len;
	return 0;
}

static int encode_string(struct ctf_encoder *e, const struct ctf_field *f)
{
	static const uint8_t unit_bytes[] = { 1, 2, 2, 4, 4 };
	const void *data;
	size_t len, unit = unit_bytes[f->fc->u.text.encoding];
	static const uint8_t nul[4];
	int rc = bytes_value(e, f, &data, &len);
	if (rc)
		return rc;
	if (len % unit)
		return bad(e, f, "the text ends inside a code unit");
	for (size_t i = 0; i < len; i += unit)
		if (!memcmp((const char *)data + i, nul, unit))
			return bad(e, f, "the text holds a NUL");
	rc = align(e, f->fc->align_bits);
	if (!rc)
		rc = ctf_encode_bytes(e, data, len);
	return rc ? rc : ctf_encode_bytes(e, nul, unit);
}

static int encode_text(struct ctf_encoder *e, const struct ctf_field *f)
{
	const struct ctf_fc *fc = f->fc;
	const void *data;
	size_t len;
	bool fixed = fc->u.text.ref.reg == CTF_NO_REG;
	uint64_t want = fixed ? fc->u.text.len_bytes : reg(e, &fc->u.text.ref);
	int rc = bytes_value(e, f, &data, &len);
	if (rc)
		return rc;
	if (len > want || (fc->kind == CTF_BLOB && !e->roles && len != want))
		return mer_fail(e->err, MER_ERR_USAGE,
			"%s: field \"%s\": %zu bytes given, the field has %llu", e->where, f->name,
			len, (unsigned long long)want);
	if (want > CTF_MAX_WRITE_BYTES)
		return bad(e, f, "longer than 1 GB");
	rc = align(e, fc->align_bits);
	if (!rc)
		rc = ctf_encode_bytes(e, data, len);
	if (!rc)
		rc = ctf_encoder_room(e, (want - len) * 8);
	if (!rc)
		e->at_bits += (want - len) * 8;
	return rc;
}

static int encode_field(struct ctf_encoder *e, const struct ctf_field *f, unsigned depth);

static int encode_array(struct ctf_encoder *e, const struct ctf_field *f, unsigned depth)
{
	const struct ctf_fc *fc = f->fc;
	uint64_t n = fc->u.array.ref.reg == CTF_NO_REG ? fc->u.array.n : reg(e, &fc->u.array.ref);
	int rc = align(e, fc->align_bits);
	if (!rc && e->roles && e->roles->uuid && (f->roles & CTF_ROLE_TRACE_UUID) && n == 16)
		return ctf_encode_bytes(e, e->roles->uuid, 16);
	for (uint64_t i = 0; !rc && i < n; i++) {
		uint64_t before = e->at_bits;
		size_t used = e->used;
		rc = encode_field(e, &fc->u.array.element, depth);
		if (before == e->at_bits && used == e->used)
			break; /* the elements are empty: there is nothing to write */
	}
	return rc;
}

static int encode_variant(struct ctf_encoder *e, const struct ctf_field *f, unsigned depth)
{
	const struct ctf_fc *fc = f->fc;
	uint64_t v = reg(e, &fc->u.variant.ref);
	for (uint32_t i = 0; i < fc->u.variant.n; i++) {
		const struct ctf_option *o = &fc->u.variant.options[i];
		if (ctf_in_ranges(o->ranges, o->n_ranges, v))
			return encode_field(e, &o->field, depth);
	}
	return mer_fail(e->err, MER_ERR_USAGE, "%s: field \"%s\": no option for the selector %lld",
		e->where, f->name, (long long)v);
}

static int encode_optional(struct ctf_encoder *e, const struct ctf_field *f, unsigned depth)
{
	const struct ctf_fc *fc = f->fc;
	uint64_t v = reg(e, &fc->u.optional.ref);
	uint32_t n = fc->u.optional.n_ranges;
	bool there = n ? ctf_in_ranges(fc->u.optional.ranges, n, v) : v != 0;
	return there ? encode_field(e, &fc->u.optional.content, depth) : 0;
}

static int encode_record(struct ctf_encoder *e, const struct ctf_fc *fc, unsigned depth)
{
	int rc = align(e, fc->align_bits);
	for (uint32_t i = 0; !rc && i < fc->u.record.n; i++)
		rc = encode_field(e, &fc->u.record.fields[i], depth);
	return rc;
}

static int encode_field(struct ctf_encoder *e, const struct ctf_field *f, unsigned depth)
{
	if (depth > CTF_MAX_DEPTH)
		return bad(e, f, "nested too deeply");
	switch (f->fc->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_BOOL:
	case CTF_INT:
	case CTF_FLOAT: return encode_bits(e, f);
	case CTF_VARINT: return encode_varint(e, f);
	case CTF_STRING: return encode_string(e, f);
	case CTF_TEXT:
	case CTF_BLOB: return encode_text(e, f);
	case CTF_STRUCT: return encode_record(e, f->fc, depth + 1);
	case CTF_ARRAY: return encode_array(e, f, depth + 1);
	case CTF_VARIANT: return encode_variant(e, f, depth + 1);
	case CTF_OPTIONAL: return encode_optional(e, f, depth + 1);
	}
	return bad(e, f, "unknown kind");
}

int ctf_encode_struct(struct ctf_encoder *e, const struct ctf_fc *record)
{
	return record ? encode_record(e, record, 0) : 0;
}
