#include "ctf/emit.h"

#include <string.h>

#include "ctf/fixed.h"

enum { NO_SPAN = UINT32_MAX };

/* Makes room for one more element in an arena array. */
static void *grow(struct ctf_compiler *c, void *array, uint32_t n, uint32_t *cap, size_t each)
{
	if (n < *cap)
		return array;
	uint32_t bigger = *cap ? *cap * 2 : 16;
	void *p = mer_arena_zalloc(c->arena, bigger, each);
	if (!p) {
		c->failed = true;
		return NULL;
	}
	if (n)
		memcpy(p, array, n * each);
	*cap = bigger;
	return p;
}

#define APPEND(c, what)                                                                            \
	((what##_grown = grow((c), (c)->p->what, (c)->p->n_##what, &(c)->p->cap_##what,            \
		  sizeof(*(c)->p->what))) != NULL)

static uint32_t emit(struct ctf_compiler *c, struct ctf_op op)
{
	void *ops_grown;
	if (c->failed || !APPEND(c, ops))
		return 0;
	c->p->ops = ops_grown;
	c->p->ops[c->p->n_ops] = op;
	return c->p->n_ops++;
}

/* Joins the loads that the open span begins with, so that they are done at once. */
static void join_loads(struct ctf_compiler *c)
{
	enum { WORTH_IT = 2 };
	struct ctf_load load;
	uint32_t first = c->span_op + 1, n = 0;
	while (first + n < c->p->n_ops && n < UINT16_MAX &&
		ctf_op_to_load(&c->p->ops[first + n], &load))
		n++;
	for (uint32_t i = 0; n >= WORTH_IT && i < n; i++) {
		void *bit_loads_grown;
		if (!APPEND(c, bit_loads))
			return;
		c->p->bit_loads = bit_loads_grown;
		ctf_op_to_load(&c->p->ops[first + i], &c->p->bit_loads[c->p->n_bit_loads++]);
	}
	if (n < WORTH_IT)
		return;
	c->p->ops[c->span_op].len = (uint16_t)n;
	c->p->ops[c->span_op].y = c->p->n_bit_loads - n;
}

static void close_span(struct ctf_compiler *c)
{
	if (c->span_op == NO_SPAN)
		return;
	if (!c->failed) {
		c->p->ops[c->span_op].x = (uint32_t)c->span_bits;
		join_loads(c);
	}
	c->span_op = NO_SPAN;
}

static void forget_alignment(struct ctf_compiler *c, uint32_t modulus)
{
	close_span(c);
	c->at = (struct ctf_align_state){ modulus, 0 };
	c->last_order = -1;
}

static void advance(struct ctf_compiler *c, uint64_t bits)
{
	c->at.residue = (uint32_t)((c->at.residue + bits) % c->at.modulus);
}

void ctf_emit_align(struct ctf_compiler *c, uint32_t bits)
{
	if (bits <= 1)
		return;
	if (c->at.modulus >= bits) {
		uint32_t pad = (bits - c->at.residue % bits) % bits;
		if (pad && c->span_op == NO_SPAN) {
			emit(c, (struct ctf_op){ .code = OP_ALIGN, .x = bits });
		} else if (pad) {
			c->span_bits += pad;
		}
		advance(c, pad);
		return;
	}
	close_span(c);
	emit(c, (struct ctf_op){ .code = OP_ALIGN, .x = bits });
	c->at = (struct ctf_align_state){ bits > CTF_MAX_MODULUS ? CTF_MAX_MODULUS : bits, 0 };
}

/* Adds a field of `bits` bits to the span, which is opened if needed; returns its bit offset in
 * it. */
static uint32_t take_span(struct ctf_compiler *c, uint64_t bits)
{
	if (c->span_op != NO_SPAN && c->span_bits + bits > UINT32_MAX / 2)
		close_span(c);
	if (c->span_op == NO_SPAN) {
		c->span_op = emit(c, (struct ctf_op){ .code = OP_SPAN });
		c->span_bits = 0;
		c->span_at = c->at;
	}
	uint32_t offset = (uint32_t)c->span_bits;
	c->span_bits += bits;
	advance(c, bits);
	return offset;
}

static bool span_starts_on_byte(const struct ctf_compiler *c)
{
	return c->span_at.modulus >= 8 && c->span_at.residue % 8 == 0;
}

void ctf_emit_field(struct ctf_compiler *c, const struct ctf_field *f, uint32_t slot, bool want);

/* A nested program with its own spans, slots from `slot` on; returns its first operation. The
 * caller has closed its own span. */
static uint32_t emit_nested(
	struct ctf_compiler *c, const struct ctf_field *f, uint32_t slot, bool want)
{
	uint32_t jump_over = c->p->n_ops;
	ctf_emit_field(c, f, slot, want);
	close_span(c);
	emit(c, (struct ctf_op){ .code = OP_END });
	return jump_over;
}

static uint8_t load_opcode(const struct ctf_fc *fc)
{
	bool s = fc->u.bits.is_signed, be = fc->u.bits.order == CTF_BE;
	if (fc->u.bits.reversed)
		return 0;
	if (fc->kind == CTF_FLOAT)
		return be			   ? 0
		       : fc->u.bits.len_bits == 32 ? OP_F32
		       : fc->u.bits.len_bits == 64 ? OP_F64
						   : 0;
	switch (fc->u.bits.len_bits) {
	case 8: return s ? OP_S8 : OP_U8;
	case 16: return be ? (s ? OP_S16BE : OP_U16BE) : (s ? OP_S16 : OP_U16);
	case 32: return be ? (s ? OP_S32BE : OP_U32BE) : (s ? OP_S32 : OP_U32);
	case 64: return be ? OP_U64BE : OP_U64;
	}
	return 0;
}

/* Emits the byte order's check before `bits` bits of bit fields of this class. A field that begins
 * and ends on a byte boundary shares no byte with others: it cannot be wrong, and nothing after it
 * depends on its order. */
static void set_order(struct ctf_compiler *c, const struct ctf_fc *fc, uint64_t bits)
{
	bool on_byte = c->at.modulus >= 8 && c->at.residue % 8 == 0;
	if (!c->check_order || c->last_order == fc->u.bits.order || (on_byte && bits % 8 == 0))
		return;
	close_span(c);
	emit(c, (struct ctf_op){
			.code = OP_ORDER, .flags = fc->u.bits.order == CTF_BE ? CTF_OP_BE : 0 });
	c->last_order = fc->u.bits.order;
}

static void emit_bits(struct ctf_compiler *c, const struct ctf_field *f, uint32_t slot, bool want)
{
	const struct ctf_fc *fc = f->fc;
	unsigned len = fc->u.bits.len_bits;
	set_order(c, fc, len);
	bool on_byte = c->at.modulus >= 8 && c->at.residue % 8 == 0;
	uint32_t at = take_span(c, len);
	if (!want && !f->reg && !f->roles)
		return;
	uint8_t code = on_byte && span_starts_on_byte(c) ? load_opcode(fc) : 0;
	struct ctf_op op = { .len = (uint16_t)len, .slot = slot };
	if (code) {
		op.code = code;
		op.x = at / 8;
	} else {
		op.code = fc->kind == CTF_FLOAT ? OP_FLOAT : OP_BITS;
		op.x = at;
		op.flags = (uint8_t)((fc->u.bits.is_signed ? CTF_OP_SIGNED : 0) |
				     (fc->u.bits.order == CTF_BE ? CTF_OP_BE : 0) |
				     (fc->u.bits.reversed ? CTF_OP_REVERSED : 0) |
				     (span_starts_on_byte(c) ? CTF_OP_ON_BYTE : 0));
	}
	emit(c, op);
}

static void emit_static_bytes(
	struct ctf_compiler *c, const struct ctf_fc *fc, uint32_t slot, bool want)
{
	bool text = fc->kind == CTF_TEXT;
	uint64_t bytes = fc->u.text.len_bytes;
	ctf_emit_align(c, 8);
	bool on_byte = c->at.modulus >= 8 && c->at.residue % 8 == 0;
	/* Text in which a code unit may be cut off must be examined even if it is skipped. */
	bool whole = !text || bytes % ctf_unit_bytes(fc->u.text.encoding) == 0;
	if (on_byte && whole && bytes < (1u << 24)) {
		uint32_t at = take_span(c, bytes * 8);
		if (want && span_starts_on_byte(c) && fc->u.text.encoding == CTF_UTF8) {
			emit(c, (struct ctf_op){ .code = text ? OP_TEXT_FIXED : OP_BLOB_FIXED,
					.slot = slot,
					.x = at / 8,
					.y = (uint32_t)bytes });
			return;
		}
		if (!want)
			return;
		/* give the span back: the general form does it alone */
		c->span_bits -= bytes * 8;
		forget_alignment(c, 8);
	}
	forget_alignment(c, 8);
	void *lengths_grown;
	if (c->failed || !APPEND(c, lengths))
		return;
	c->p->lengths = lengths_grown;
	c->p->lengths[c->p->n_lengths] = bytes;
	emit(c, (struct ctf_op){ .code = text ? OP_LONG_TEXT : OP_LONG_BLOB,
			.slot = slot,
			.flags = want ? 0 : CTF_OP_SKIP,
			.x = fc->u.text.encoding,
			.y = c->p->n_lengths++ });
}

struct reg_list {
	const uint16_t *flags;
	uint16_t *regs; /* NULL: count only */
	uint32_t n;
};

static void list_reg(void *arg, uint16_t reg, bool inside)
{
	struct reg_list *l = arg;
	(void)inside;
	if (!l->flags[reg])
		return;
	if (l->regs)
		l->regs[l->n] = l->flags[reg];
	l->n++;
}

/* Registers to invalidate before reading a field that may be absent. */
static struct ctf_forget forget_in(struct ctf_compiler *c, const struct ctf_field *f)
{
	struct reg_list l = { c->flags, NULL, 0 };
	ctf_each_reg(f, true, list_reg, &l);
	if (l.n == 0)
		return (struct ctf_forget){ 0 };
	l.regs = mer_arena_zalloc(c->arena, l.n, sizeof(*l.regs));
	if (!l.regs) {
		c->failed = true;
		return (struct ctf_forget){ 0 };
	}
	l.n = 0;
	ctf_each_reg(f, true, list_reg, &l);
	return (struct ctf_forget){ l.n, l.regs };
}

bool ctf_can_be_packed(const struct ctf_fc *fc)
{
	const struct ctf_fc *element = fc->kind == CTF_ARRAY ? fc->u.array.element.fc : NULL;
	return element && (fc->u.array.n == 4 || fc->u.array.n == 8) &&
	       fc->u.array.ref.reg == CTF_NO_REG && !fc->u.array.element.reg &&
	       (element->kind == CTF_INT || element->kind == CTF_BIT_ARRAY) &&
	       element->align_bits == 8 && element->u.bits.len_bits == 8 &&
	       !element->u.bits.is_signed && !element->u.bits.reversed;
}

static void emit_packed(struct ctf_compiler *c, const struct ctf_fc *fc, uint32_t slot)
{
	const struct ctf_fc *element = fc->u.array.element.fc;
	unsigned bits = (unsigned)fc->u.array.n * 8;
	ctf_emit_align(c, fc->align_bits);
	ctf_emit_align(c, element->align_bits);
	set_order(c, element, bits);
	uint32_t at = take_span(c, bits);
	struct ctf_op op = {
		.code = OP_BITS, .flags = CTF_OP_BE, .len = (uint16_t)bits, .slot = slot, .x = at
	};
	if (span_starts_on_byte(c)) {
		op.code = bits == 32 ? OP_U32BE : OP_U64BE;
		op.x = at / 8;
	}
	emit(c, op);
}

static void emit_array(struct ctf_compiler *c, const struct ctf_fc *fc, uint32_t slot, bool want)
{
	const struct ctf_fc *element = fc->u.array.element.fc;
	struct ctf_size size = ctf_size_of(fc), one = ctf_size_of(element);
	ctf_emit_align(c, fc->align_bits);
	ctf_emit_align(c, element->align_bits);
	bool scalar = element->kind <= CTF_FLOAT && !fc->u.array.element.reg;
	if (!want && scalar && size.exact != UINT64_MAX && size.exact < (1u << 24)) {
		if (size.exact)
			set_order(c, element, size.exact);
		take_span(c, size.exact);
		return;
	}
	bool on_byte = c->at.modulus >= 8 && c->at.residue % 8 == 0;
	close_span(c);
	struct ctf_align_state before = c->at;
	void *arrays_grown;
	if (c->failed || !APPEND(c, arrays))
		return;
	c->p->arrays = arrays_grown;
	uint32_t index = c->p->n_arrays++;
	emit(c, (struct ctf_op){ .code = OP_ARRAY,
			.slot = slot,
			.reg = fc->u.array.ref.reg,
			.x = index,
			.y = c->flags[fc->u.array.ref.reg] });
	/* The element's program lies out of line, behind a jump over it. */
	uint32_t jump = emit(c, (struct ctf_op){ .code = OP_END });
	uint32_t width = ctf_slot_width(element);
	if (want && width > CTF_MAX_SLOTS)
		c->too_wide = true;
	if (want && width + 1 > c->p->max_slots)
		c->p->max_slots = width + 1;
	uint32_t a = element->align_bits > CTF_MAX_MODULUS ? CTF_MAX_MODULUS : element->align_bits;
	bool stays_on_byte = on_byte && one.exact != UINT64_MAX && one.exact % 8 == 0;
	c->at = (struct ctf_align_state){ stays_on_byte && a < 8 ? 8 : a, 0 };
	c->last_order = -1;
	const struct ctf_event_class *inner_of = c->inner_of;
	c->inner_of = NULL;
	uint32_t first = emit_nested(c, &fc->u.array.element, 0, want);
	c->inner_of = inner_of;
	struct ctf_forget forget = forget_in(c, &fc->u.array.element);
	if (c->failed)
		return;
	c->p->ops[jump].y = c->p->n_ops; /* where the main program continues */
	c->p->arrays[index] = (struct ctf_array_op){
		.fc = fc,
		.forget = forget,
		.n = fc->u.array.n,
		.first_op = first,
		.width = want ? width : 0,
		.align_bits = element->align_bits,
		.one = one,
		.plain = scalar && stays_on_byte && one.exact % a == 0 && element->kind != CTF_FLOAT
				 ? load_opcode(element)
				 : 0,
		.keep = want,
	};
	c->span_op = NO_SPAN;
	c->last_order = -1;
	if (size.exact != UINT64_MAX) {
		c->at = before;
		advance(c, size.exact);
	} else {
		c->at = (struct ctf_align_state){
			stays_on_byte || (a >= 8 && one.exact % 8 == 0) ? 8 : 1, 0
		};
	}
}

/* The alignment known after either of two branches. */
static struct ctf_align_state meet(struct ctf_align_state a, struct ctf_align_state b)
{
	uint32_t m = a.modulus < b.modulus ? a.modulus : b.modulus;
	while (m > 1 && a.residue % m != b.residue % m)
		m /= 2;
	return (struct ctf_align_state){ m, a.residue % m };
}

static void emit_variant(struct ctf_compiler *c, const struct ctf_fc *fc, uint32_t slot, bool want)
{
	close_span(c);
	void *variants_grown;
	if (c->failed || !APPEND(c, variants))
		return;
	c->p->variants = variants_grown;
	uint32_t index = c->p->n_variants++;
	uint32_t *first = mer_arena_zalloc(c->arena, fc->u.variant.n + 1, sizeof(*first));
	if (!first) {
		c->failed = true;
		return;
	}
	emit(c, (struct ctf_op){ .code = OP_VARIANT,
			.slot = slot,
			.reg = fc->u.variant.ref.reg,
			.flags = want ? 0 : CTF_OP_SKIP,
			.x = index,
			.y = c->flags[fc->u.variant.ref.reg] });
	uint32_t jump = emit(c, (struct ctf_op){ .code = OP_END });
	struct ctf_align_state before = c->at, after = c->at;
	int order = c->last_order;
	for (uint32_t i = 0; i < fc->u.variant.n; i++) {
		c->at = before;
		c->last_order = order;
		first[i] = emit_nested(c, &fc->u.variant.options[i].field, slot + want, want);
		after = i == 0 ? c->at : meet(after, c->at);
	}
	struct ctf_forget forget = forget_in(c, &(struct ctf_field){ .fc = (struct ctf_fc *)fc });
	if (c->failed)
		return;
	c->p->ops[jump].y = c->p->n_ops;
	struct ctf_variant_op *v = &c->p->variants[index];
	*v = (struct ctf_variant_op){ fc, forget, first, { 0 } };
	for (uint32_t i = 0; i < sizeof(v->quick); i++) {
		uint32_t option = ctf_option_of(fc, i);
		v->quick[i] = option < fc->u.variant.n && option < CTF_NOT_QUICK ? (uint8_t)option
										 : CTF_NOT_QUICK;
	}
	c->at = after;
	c->last_order = -1;
}

static void emit_optional(struct ctf_compiler *c, const struct ctf_fc *fc, uint32_t slot, bool want)
{
	close_span(c);
	void *optionals_grown;
	if (c->failed || !APPEND(c, optionals))
		return;
	c->p->optionals = optionals_grown;
	uint32_t index = c->p->n_optionals++;
	emit(c, (struct ctf_op){ .code = OP_OPTIONAL,
			.slot = slot,
			.reg = fc->u.optional.ref.reg,
			.flags = want ? 0 : CTF_OP_SKIP,
			.x = index,
			.y = c->flags[fc->u.optional.ref.reg] });
	uint32_t jump = emit(c, (struct ctf_op){ .code = OP_END });
	struct ctf_align_state before = c->at;
	uint32_t first = emit_nested(c, &fc->u.optional.content, slot + want, want);
	struct ctf_forget forget = forget_in(c, &fc->u.optional.content);
	if (c->failed)
		return;
	c->p->ops[jump].y = c->p->n_ops;
	c->p->optionals[index] = (struct ctf_optional_op){ fc, forget, first };
	c->at = meet(before, c->at);
	c->last_order = -1;
}

static void emit_members(struct ctf_compiler *c, const struct ctf_fc *fc, uint32_t slot, bool want)
{
	ctf_emit_align(c, fc->align_bits);
	for (uint32_t i = 0; i < fc->u.record.n && !c->failed; i++) {
		const struct ctf_field *m = &fc->u.record.fields[i];
		ctf_emit_field(c, m, slot, want);
		if (want)
			slot += ctf_slot_width(m->fc);
	}
}

static void emit_any(struct ctf_compiler *c, const struct ctf_field *f, uint32_t slot, bool want)
{
	const struct ctf_fc *fc = f->fc;
	uint8_t skip = want ? 0 : CTF_OP_SKIP;
	switch (fc->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_BOOL:
	case CTF_INT:
	case CTF_FLOAT:
		ctf_emit_align(c, fc->align_bits);
		emit_bits(c, f, slot, want);
		break;
	case CTF_VARINT:
		ctf_emit_align(c, fc->align_bits < 8 ? 8 : fc->align_bits);
		forget_alignment(c, 8);
		emit(c, (struct ctf_op){ .code = OP_VARINT,
				.slot = slot,
				.len = 64,
				.flags = (uint8_t)(skip |
						   (fc->u.bits.is_signed ? CTF_OP_SIGNED : 0)) });
		break;
	case CTF_STRING:
		ctf_emit_align(c, fc->align_bits < 8 ? 8 : fc->align_bits);
		forget_alignment(c, 8);
		emit(c, (struct ctf_op){ .code = OP_STRING,
				.slot = slot,
				.flags = skip,
				.x = fc->u.text.encoding });
		break;
	case CTF_TEXT:
	case CTF_BLOB:
		ctf_emit_align(c, fc->align_bits < 8 ? 8 : fc->align_bits);
		if (fc->u.text.ref.reg == CTF_NO_REG) {
			emit_static_bytes(c, fc, slot, want);
			break;
		}
		forget_alignment(c, 8);
		emit(c, (struct ctf_op){ .code = fc->kind == CTF_TEXT ? OP_TEXT : OP_BLOB,
				.slot = slot,
				.reg = fc->u.text.ref.reg,
				.flags = skip,
				.x = fc->u.text.encoding,
				.y = c->flags[fc->u.text.ref.reg] });
		break;
	case CTF_STRUCT: emit_members(c, fc, slot, want); break;
	case CTF_ARRAY: emit_array(c, fc, slot, want); break;
	case CTF_VARIANT: emit_variant(c, fc, slot, want); break;
	case CTF_OPTIONAL: emit_optional(c, fc, slot, want); break;
	}
	/* Uses of the value just loaded. Unwanted fields that have uses are loaded, too (see
	 * emit_bits), into `slot`, which is then the trash slot after the row. */
	if (f->reg)
		emit(c, (struct ctf_op){ .code = OP_SAVE, .reg = f->reg, .x = c->flags[f->reg] });
	if (f->roles & ~(uint32_t)CTF_ROLE_TRACE_UUID) {
		uint8_t len = (uint8_t)(fc->kind <= CTF_FLOAT ? fc->u.bits.len_bits : 64);
		emit(c, (struct ctf_op){ .code = OP_ROLE, .len = len, .x = f->roles });
	}
}

/* Emits a field. Fields inside of a wanted one may be unwanted. */
void ctf_emit_field(struct ctf_compiler *c, const struct ctf_field *f, uint32_t slot, bool want)
{
	if (!want || !c->inner_of) {
		emit_any(c, f, slot, want);
		return;
	}
	int where = c->where;
	enum ctf_inner inner = c->wants->inner(c->wants->arg, c->inner_of, f, &c->where);
	if (inner == CTF_INNER_PACKED && ctf_can_be_packed(f->fc))
		emit_packed(c, f->fc, slot);
	else
		emit_any(c, f, slot, inner != CTF_INNER_UNWANTED);
	c->where = where;
}

void ctf_emit_begin(struct ctf_compiler *c, struct ctf_align_state at)
{
	c->at = at;
	c->span_op = NO_SPAN;
	c->span_bits = 0;
	c->last_order = -1;
}

void ctf_emit_end(struct ctf_compiler *c)
{
	close_span(c);
	emit(c, (struct ctf_op){ .code = OP_END });
}
