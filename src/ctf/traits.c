#include "ctf/traits.h"

uint32_t ctf_slot_width(const struct ctf_fc *fc)
{
	uint64_t w = 0;
	switch (fc->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_BOOL:
	case CTF_INT:
	case CTF_VARINT:
	case CTF_FLOAT: return 1;
	case CTF_STRING:
	case CTF_TEXT:
	case CTF_BLOB:
	case CTF_ARRAY: return 2;
	case CTF_STRUCT:
		for (uint32_t i = 0; i < fc->u.record.n && w <= CTF_MAX_SLOTS; i++)
			w += ctf_slot_width(fc->u.record.fields[i].fc);
		break;
	case CTF_VARIANT:
		for (uint32_t i = 0; i < fc->u.variant.n; i++) {
			uint32_t o = ctf_slot_width(fc->u.variant.options[i].field.fc);
			w = o > w ? o : w;
		}
		w++;
		break;
	case CTF_OPTIONAL: w = 1 + ctf_slot_width(fc->u.optional.content.fc); break;
	}
	return w > CTF_MAX_SLOTS ? CTF_MAX_SLOTS + 1 : (uint32_t)w;
}

/* Sizes beyond this count as unknown. */
#define MAX_SIZE ((uint64_t)1 << 56)

struct ctf_size ctf_size_of(const struct ctf_fc *fc)
{
	struct ctf_size none = { 0, UINT64_MAX };
	switch (fc->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_BOOL:
	case CTF_INT:
	case CTF_FLOAT: return (struct ctf_size){ fc->u.bits.len_bits, fc->u.bits.len_bits };
	case CTF_VARINT:
	case CTF_STRING: return (struct ctf_size){ 8, UINT64_MAX };
	case CTF_TEXT:
	case CTF_BLOB:
		if (fc->u.text.ref.reg)
			return none;
		if (fc->u.text.len_bytes > MAX_SIZE / 8)
			return (struct ctf_size){ MAX_SIZE, UINT64_MAX };
		return (struct ctf_size){ fc->u.text.len_bytes * 8, fc->u.text.len_bytes * 8 };
	case CTF_STRUCT: {
		struct ctf_size sum = { 0, 0 };
		for (uint32_t i = 0; i < fc->u.record.n; i++) {
			const struct ctf_fc *m = fc->u.record.fields[i].fc;
			struct ctf_size s = ctf_size_of(m);
			sum.min = sum.min + s.min < MAX_SIZE ? sum.min + s.min : MAX_SIZE;
			if (sum.exact > MAX_SIZE || s.exact > MAX_SIZE) {
				sum.exact = UINT64_MAX;
				continue;
			}
			sum.exact = (sum.exact + m->align_bits - 1) / m->align_bits * m->align_bits;
			sum.exact += s.exact;
		}
		return sum;
	}
	case CTF_ARRAY: {
		struct ctf_size s = ctf_size_of(fc->u.array.element.fc);
		uint32_t a = fc->u.array.element.fc->align_bits;
		if (fc->u.array.ref.reg)
			return none;
		if (fc->u.array.n == 0)
			return (struct ctf_size){ 0, 0 };
		if (s.exact >= UINT32_MAX / 2 || fc->u.array.n >= MAX_SIZE >> 32)
			return (struct ctf_size){ s.min, UINT64_MAX };
		uint64_t stride = (s.exact + a - 1) / a * a;
		uint64_t all = stride * (fc->u.array.n - 1) + s.exact;
		return (struct ctf_size){ all, all };
	}
	case CTF_VARIANT:
	case CTF_OPTIONAL: return none;
	}
	return none;
}

void ctf_each_reg(const struct ctf_field *f, bool inside,
	void (*fn)(void *arg, uint16_t reg, bool inside), void *arg)
{
	const struct ctf_fc *fc = f->fc;
	if (f->reg)
		fn(arg, f->reg, inside);
	if (fc->kind == CTF_STRUCT)
		for (uint32_t i = 0; i < fc->u.record.n; i++)
			ctf_each_reg(&fc->u.record.fields[i], inside, fn, arg);
	else if (fc->kind == CTF_VARIANT)
		for (uint32_t i = 0; i < fc->u.variant.n; i++)
			ctf_each_reg(&fc->u.variant.options[i].field, true, fn, arg);
	else if (fc->kind == CTF_ARRAY)
		ctf_each_reg(&fc->u.array.element, true, fn, arg);
	else if (fc->kind == CTF_OPTIONAL)
		ctf_each_reg(&fc->u.optional.content, true, fn, arg);
}

bool ctf_refers_to(const struct ctf_fc *fc, const bool *regs)
{
	if (!fc)
		return false;
	switch (fc->kind) {
	case CTF_STRUCT:
		for (uint32_t i = 0; i < fc->u.record.n; i++)
			if (ctf_refers_to(fc->u.record.fields[i].fc, regs))
				return true;
		return false;
	case CTF_ARRAY:
		return regs[fc->u.array.ref.reg] || ctf_refers_to(fc->u.array.element.fc, regs);
	case CTF_TEXT:
	case CTF_BLOB: return regs[fc->u.text.ref.reg];
	case CTF_OPTIONAL:
		return regs[fc->u.optional.ref.reg] ||
		       ctf_refers_to(fc->u.optional.content.fc, regs);
	case CTF_VARIANT:
		if (regs[fc->u.variant.ref.reg])
			return true;
		for (uint32_t i = 0; i < fc->u.variant.n; i++)
			if (ctf_refers_to(fc->u.variant.options[i].field.fc, regs))
				return true;
		return false;
	default: return false;
	}
}

unsigned ctf_orders_of(const struct ctf_fc *fc)
{
	unsigned o = 0;
	if (!fc)
		return 0;
	switch (fc->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_BOOL:
	case CTF_INT:
	case CTF_FLOAT:
		return fc->u.bits.len_bits % 8 || fc->align_bits < 8 ? 1u << fc->u.bits.order : 0;
	case CTF_STRUCT:
		for (uint32_t i = 0; i < fc->u.record.n; i++)
			o |= ctf_orders_of(fc->u.record.fields[i].fc);
		return o;
	case CTF_ARRAY: return ctf_orders_of(fc->u.array.element.fc);
	case CTF_OPTIONAL: return ctf_orders_of(fc->u.optional.content.fc);
	case CTF_VARIANT:
		for (uint32_t i = 0; i < fc->u.variant.n; i++)
			o |= ctf_orders_of(fc->u.variant.options[i].field.fc);
		return o;
	default: return 0;
	}
}
