#include "ctf/decode.h"

#include <string.h>

const char *ctf_status_text(enum ctf_status s)
{
	switch (s) {
	case CTF_OK: return "no error";
	case CTF_E_END: return "a field reaches beyond the end of the packet's content";
	case CTF_E_EVENT_ID: return "the metadata has no event record class with this id";
	case CTF_E_SELECTOR: return "a selector has a value that selects no option";
	case CTF_E_LENGTH: return "an array is longer than what is left of the packet";
	case CTF_E_ABSENT: return "a length or selector lies in a field that is not there";
	case CTF_E_VARINT: return "a variable-length integer has more than 64 bits";
	case CTF_E_ORDER: return "the byte order changes inside a byte";
	case CTF_E_TEXT: return "text has neither a NUL nor a whole number of code units";
	case CTF_E_EMPTY: return "an event record takes no bits, so there is no next one";
	case CTF_E_SPACE: return "one event record has more values than fit into memory";
	}
	return "unknown error";
}

/* Length of text in at most max bytes, up to its first NUL code unit; max: there is none. */
static size_t ctf_text_len(const uint8_t *p, size_t max, unsigned encoding)
{
	if (encoding == CTF_UTF8)
		return strnlen((const char *)p, max);
	size_t unit = ctf_unit_bytes(encoding);
	static const uint8_t nul[4];
	for (size_t i = 0; i + unit <= max; i += unit)
		if (memcmp(p + i, nul, unit) == 0)
			return i;
	return max;
}

void ctf_load_turned(const struct ctf_fixed *f, const uint8_t *p, uint64_t *row)
{
	for (const struct ctf_load *l = f->loads, *end = l + f->n_loads; l < end; l++)
		row[l->slot] = ctf_load_bits(l, p);
	for (uint32_t i = 0; i < f->n_bytes; i++)
		ctf_load_bytes(&f->bytes[i], p, row);
}

static void take_role(
	struct ctf_decoder *d, struct ctf_pos *pos, uint32_t roles, unsigned len, uint64_t v)
{
	struct ctf_packet_info *info = d->info;
	if (!info) {
		if (roles & CTF_ROLE_EVENT_ID)
			d->event_id = v;
		if (roles & CTF_ROLE_TIMESTAMP)
			pos->clock = __builtin_expect(d->program->schema->clock_wrap != 0, 0)
					     ? ctf_clock_unwrap(pos->clock, v,
						       d->program->schema->clock_wrap)
					     : ctf_clock_update(pos->clock, v, len);
		return;
	}
	info->seen |= roles;
	if (roles & CTF_ROLE_MAGIC)
		info->magic = v;
	if (roles & CTF_ROLE_STREAM_CLASS_ID)
		info->stream_class_id = v;
	if (roles & CTF_ROLE_STREAM_ID)
		info->stream_id = v;
	if (roles & CTF_ROLE_PACKET_SIZE)
		info->packet_size = v;
	if (roles & CTF_ROLE_CONTENT_SIZE)
		info->content_size = v;
	if (roles & CTF_ROLE_TIMESTAMP)
		info->begin = pos->clock = v;
	if (roles & CTF_ROLE_TIMESTAMP_END)
		info->end = v;
	if (roles & CTF_ROLE_SEQ_NUM)
		info->seq_num = v;
	if (roles & CTF_ROLE_CPU_ID)
		info->cpu_id = v;
	if (roles & CTF_ROLE_DISCARDED) {
		info->discarded = v;
		info->discarded_len = (uint8_t)len;
	}
}

static double half_to_double(uint16_t h)
{
	int exp = h >> 10 & 31;
	double frac = h & 1023, v;
	if (exp == 31)
		v = frac != 0 ? __builtin_nan("") : __builtin_inf();
	else
		v = exp ? __builtin_ldexp(frac + 1024, exp - 25) : __builtin_ldexp(frac, -24);
	return h >> 15 ? -v : v;
}

uint64_t ctf_float_slot(uint64_t bits, unsigned len)
{
	double v;
	if (len == 64)
		return bits;
	if (len == 32) {
		uint32_t w = (uint32_t)bits;
		float f;
		memcpy(&f, &w, sizeof(f));
		v = f;
	} else {
		v = half_to_double((uint16_t)bits);
	}
	memcpy(&bits, &v, sizeof(v));
	return bits;
}

/* LEB128: 7 bits a byte, least significant first; source: CTF 2, 6.3.10. */
static enum ctf_status read_varint(struct ctf_pos *pos, bool is_signed, uint64_t *value)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 70; shift += 7) {
		if (pos->bit + 8 > pos->end_bit)
			return CTF_E_END;
		uint8_t b = pos->base[pos->bit >> 3];
		pos->bit += 8;
		/* Bits beyond the 64th must be copies of the sign. */
		if (shift == 63) {
			uint8_t top = b & 0x7f;
			if ((b & 0x80) || (top != 0 && !(is_signed ? top == 0x7f : top == 1)))
				return CTF_E_VARINT;
		}
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			if (is_signed && shift + 7 < 64)
				v = mer_sign_extend(v, shift + 7);
			*value = v;
			return CTF_OK;
		}
	}
	return CTF_E_VARINT;
}

/* The end of a string that is longer than this is searched for in steps. */
enum { LONG_STRING = 16 << 20 };

static __attribute__((noinline)) const uint8_t *find_far_nul(
	const struct ctf_decoder *d, const uint8_t *p, size_t max)
{
	while (max) {
		size_t n = max < LONG_STRING ? max : LONG_STRING;
		const uint8_t *nul = memchr(p, 0, n);
		if (nul)
			return nul;
		if (d->passed)
			d->passed(p, n);
		p += n;
		max -= n;
	}
	return NULL;
}

/* Bytes of a string with its terminator, up to the end of the content; 0: there is no end. */
static size_t string_size(
	const struct ctf_decoder *d, const uint8_t *p, size_t max, unsigned encoding)
{
	if (encoding == CTF_UTF8) {
		const uint8_t *nul = memchr(p, 0, max < LONG_STRING ? max : LONG_STRING);
		if (!nul && max > LONG_STRING)
			nul = find_far_nul(d, p, max);
		return nul ? (size_t)(nul - p) + 1 : 0;
	}
	size_t unit = ctf_unit_bytes(encoding);
	size_t len = ctf_text_len(p, max, encoding);
	return len + unit <= max ? len + unit : 0;
}

static uint64_t load_plain(uint8_t code, const uint8_t *p)
{
	switch (code) {
	case OP_U8: return *p;
	case OP_S8: return (uint64_t)(int64_t)(int8_t)*p;
	case OP_U16: return mer_load_u16(p, false);
	case OP_S16: return (uint64_t)(int64_t)(int16_t)mer_load_u16(p, false);
	case OP_U32: return mer_load_u32(p, false);
	case OP_S32: return (uint64_t)(int64_t)(int32_t)mer_load_u32(p, false);
	case OP_U64: return mer_load_u64(p, false);
	case OP_U16BE: return mer_load_u16(p, true);
	case OP_S16BE: return (uint64_t)(int64_t)(int16_t)mer_load_u16(p, true);
	case OP_U32BE: return mer_load_u32(p, true);
	case OP_S32BE: return (uint64_t)(int64_t)(int32_t)mer_load_u32(p, true);
	default: return mer_load_u64(p, true);
	}
}

static bool align_to(struct ctf_pos *pos, uint64_t bits)
{
	uint64_t at = (pos->bit + bits - 1) & ~(bits - 1);
	if (at < pos->bit || at > pos->end_bit)
		return false;
	pos->bit = at;
	return true;
}

static enum ctf_status execute(
	struct ctf_decoder *d, struct ctf_pos *pos, uint32_t first_op, uint64_t *row);

static inline void forget(struct ctf_decoder *d, const struct ctf_forget *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		d->regs[f->regs[i]] = 0;
}

static enum ctf_status read_array(struct ctf_decoder *d, struct ctf_pos *pos,
	const struct ctf_array_op *a, uint64_t n, uint64_t *out)
{
	forget(d, &a->forget);
	if (!ctf_array_fits(a->one, n, pos->end_bit - pos->bit, d->n_idle))
		return CTF_E_LENGTH;
	uint64_t *rows = NULL;
	if (a->keep && !d->discard) {
		if (a->width && n > (d->pool->cap - d->pool->n) / a->width)
			return CTF_E_SPACE;
		rows = d->pool->slots + d->pool->n;
		d->pool->n += n * a->width;
	}
	out[0] = n;
	out[1] = (uint64_t)(uintptr_t)rows;
	if (a->plain) {
		const uint8_t *p = pos->base + (pos->bit >> 3);
		size_t bytes = a->one.exact >> 3;
		pos->bit += n * a->one.exact;
		if (!rows)
			return CTF_OK;
		if (a->plain == OP_U8)
			for (uint64_t i = 0; i < n; i++)
				rows[i] = p[i];
		else
			for (uint64_t i = 0; i < n; i++)
				rows[i] = load_plain(a->plain, p + i * bytes);
		return CTF_OK;
	}
	/* Without rows an element is still decoded, to advance the position and set its
	 * registers. */
	uint64_t scratch[4], *no_row = d->discard ? d->discard : scratch;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t before = pos->bit;
		if (!align_to(pos, a->align_bits))
			return CTF_E_END;
		enum ctf_status st =
			execute(d, pos, a->first_op, rows ? rows + i * a->width : no_row);
		if (st)
			return st;
		if (pos->bit == before && ++d->n_idle > CTF_MAX_IDLE)
			return CTF_E_LENGTH;
	}
	return CTF_OK;
}

static enum ctf_status execute(
	struct ctf_decoder *d, struct ctf_pos *pos, uint32_t first_op, uint64_t *row)
{
	const struct ctf_program *prog = d->program;
	const struct ctf_op *op = prog->ops + first_op;
	const uint8_t *p = pos->base; /* the span's first byte */
	uint64_t span = 0;	      /* the span's first bit */
	uint64_t v = 0;
	enum ctf_status st;
	for (;; op++) {
		switch ((enum ctf_opcode)op->code) {
		case OP_END: return CTF_OK;
		case OP_SPAN:
			if (pos->end_bit - pos->bit < op->x)
				return CTF_E_END;
			span = pos->bit;
			p = pos->base + (span >> 3);
			pos->bit += op->x;
			if (op->len && pos->bit + 64 <= pos->mapped_bit) {
				const struct ctf_load *l = prog->bit_loads + op->y;
				for (const struct ctf_load *end = l + op->len; l < end; l++)
					row[l->slot] = v = ctf_load_bits(l, p);
				op += op->len;
			}
			break;
		case OP_U8: row[op->slot] = v = p[op->x]; break;
		case OP_S8: row[op->slot] = v = (uint64_t)(int64_t)(int8_t)p[op->x]; break;
		case OP_U16: row[op->slot] = v = mer_load_u16(p + op->x, false); break;
		case OP_S16:
			row[op->slot] = v =
				(uint64_t)(int64_t)(int16_t)mer_load_u16(p + op->x, false);
			break;
		case OP_U32: row[op->slot] = v = mer_load_u32(p + op->x, false); break;
		case OP_S32:
			row[op->slot] = v =
				(uint64_t)(int64_t)(int32_t)mer_load_u32(p + op->x, false);
			break;
		case OP_U64: row[op->slot] = v = mer_load_u64(p + op->x, false); break;
		case OP_U16BE:
		case OP_S16BE:
		case OP_U32BE:
		case OP_S32BE:
		case OP_U64BE: row[op->slot] = v = load_plain(op->code, p + op->x); break;
		case OP_F32:
			row[op->slot] = ctf_float_slot(mer_load_u32(p + op->x, false), 32);
			break;
		case OP_F64: row[op->slot] = mer_load_u64(p + op->x, false); break;
		case OP_TEXT_FIXED:
			row[op->slot] = (uint64_t)(uintptr_t)(p + op->x);
			row[op->slot + 1] = ctf_fixed_text_len(p + op->x, op->y);
			break;
		case OP_BLOB_FIXED:
			row[op->slot] = (uint64_t)(uintptr_t)(p + op->x);
			row[op->slot + 1] = op->y;
			break;
		case OP_BITS:
		case OP_FLOAT:
			v = mer_bits_get(pos->base, span + op->x, op->len, op->flags & CTF_OP_BE);
			if (op->flags & CTF_OP_REVERSED)
				v = mer_bits_reverse(v, op->len);
			if (op->flags & CTF_OP_SIGNED)
				v = mer_sign_extend(v, op->len);
			row[op->slot] = op->code == OP_BITS ? v : ctf_float_slot(v, op->len);
			break;
		case OP_SAVE:
			d->regs[op->reg] = v;
			d->regs[op->x] = 1;
			break;
		case OP_ROLE: take_role(d, pos, op->x, op->len, v); break;
		case OP_ALIGN:
			if (!align_to(pos, op->x))
				return CTF_E_END;
			break;
		case OP_ORDER:
			if ((pos->bit & 7) && d->order >= 0 && d->order != op->flags)
				return CTF_E_ORDER;
			d->order = op->flags;
			break;
		case OP_VARINT:
			st = read_varint(pos, op->flags & CTF_OP_SIGNED, &v);
			if (st)
				return st;
			if (!(op->flags & CTF_OP_SKIP))
				row[op->slot] = v;
			break;
		case OP_STRING: {
			const uint8_t *s = pos->base + (pos->bit >> 3);
			size_t unit = ctf_unit_bytes(op->x);
			size_t size = string_size(d, s, (pos->end_bit - pos->bit) >> 3, op->x);
			if (size == 0)
				return CTF_E_END;
			pos->bit += size * 8;
			if (!(op->flags & CTF_OP_SKIP)) {
				row[op->slot] = (uint64_t)(uintptr_t)s;
				row[op->slot + 1] = size - unit;
			}
			break;
		}
		case OP_TEXT:
		case OP_BLOB:
		case OP_LONG_TEXT:
		case OP_LONG_BLOB: {
			bool is_static = op->code == OP_LONG_TEXT || op->code == OP_LONG_BLOB;
			if (!is_static && op->y && !d->regs[op->y])
				return CTF_E_ABSENT;
			uint64_t n = is_static ? prog->lengths[op->y] : d->regs[op->reg];
			if (n > (pos->end_bit - pos->bit) >> 3)
				return CTF_E_END;
			const uint8_t *s = pos->base + (pos->bit >> 3);
			bool text = op->code == OP_TEXT || op->code == OP_LONG_TEXT;
			bool skip = op->flags & CTF_OP_SKIP;
			uint64_t part = text ? n % ctf_unit_bytes(op->x) : 0, len = n;
			if (text && (!skip || part))
				len = ctf_text_len(s, n, op->x);
			if (part && len == n)
				return CTF_E_TEXT;
			pos->bit += n * 8;
			if (skip)
				break;
			row[op->slot] = (uint64_t)(uintptr_t)s;
			row[op->slot + 1] = len;
			break;
		}
		case OP_ARRAY: {
			const struct ctf_array_op *a = &prog->arrays[op->x];
			uint64_t unwanted[2];
			if (op->y && !d->regs[op->y])
				return CTF_E_ABSENT;
			st = read_array(d, pos, a, op->reg ? d->regs[op->reg] : a->n,
				a->keep ? row + op->slot : unwanted);
			if (st)
				return st;
			op = prog->ops + op[1].y - 1;
			break;
		}
		case OP_VARIANT: {
			const struct ctf_variant_op *va = &prog->variants[op->x];
			if (op->y && !d->regs[op->y])
				return CTF_E_ABSENT;
			uint64_t sel = d->regs[op->reg];
			forget(d, &va->forget);
			uint32_t i = sel < sizeof(va->quick) ? va->quick[sel] : CTF_NOT_QUICK;
			if (i == CTF_NOT_QUICK)
				i = ctf_option_of(va->fc, sel);
			if (i == va->fc->u.variant.n)
				return CTF_E_SELECTOR;
			if (!(op->flags & CTF_OP_SKIP))
				row[op->slot] = i;
			st = execute(d, pos, va->first_op[i], row);
			if (st)
				return st;
			op = prog->ops + op[1].y - 1;
			break;
		}
		case OP_OPTIONAL: {
			const struct ctf_optional_op *o = &prog->optionals[op->x];
			if (op->y && !d->regs[op->y])
				return CTF_E_ABSENT;
			uint64_t sel = d->regs[op->reg];
			forget(d, &o->forget);
			bool there = o->fc->u.optional.n_ranges
					     ? ctf_in_ranges(o->fc->u.optional.ranges,
						       o->fc->u.optional.n_ranges, sel)
					     : sel != 0;
			if (!(op->flags & CTF_OP_SKIP))
				row[op->slot] = there;
			if (there) {
				st = execute(d, pos, o->first_op, row);
				if (st)
					return st;
			}
			op = prog->ops + op[1].y - 1;
			break;
		}
		}
	}
}

enum ctf_status ctf_execute(
	struct ctf_decoder *d, struct ctf_pos *pos, uint32_t first_op, uint64_t *row)
{
	d->n_idle = 0;
	return execute(d, pos, first_op, row);
}
