#include "ctf/fixed.h"

#include <stdlib.h>

static uint64_t ones(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static bool bits_to_load(const struct ctf_op *op, struct ctf_load *load)
{
	uint32_t bit = op->x % 8;
	if (!(op->flags & CTF_OP_ON_BYTE) || op->flags & CTF_OP_REVERSED || bit + op->len > 64)
		return false;
	bool be = op->flags & CTF_OP_BE;
	*load = (struct ctf_load){
		.mask = ones(op->len),
		.sign = op->flags & CTF_OP_SIGNED ? (uint64_t)1 << (op->len - 1) : 0,
		.at = op->x / 8,
		.slot = (uint16_t)op->slot,
		.turn = (uint16_t)(be ? 64 - bit - op->len : CTF_NO_TURN + bit),
	};
	return true;
}

bool ctf_op_to_load(const struct ctf_op *op, struct ctf_load *load)
{
	static const struct {
		uint8_t bits, is_signed, be;
	} kinds[] = {
		[OP_U8] = { 8, 0, 0 },
		[OP_S8] = { 8, 1, 0 },
		[OP_U16] = { 16, 0, 0 },
		[OP_S16] = { 16, 1, 0 },
		[OP_U32] = { 32, 0, 0 },
		[OP_S32] = { 32, 1, 0 },
		[OP_U64] = { 64, 0, 0 },
		[OP_U16BE] = { 16, 0, 1 },
		[OP_S16BE] = { 16, 1, 1 },
		[OP_U32BE] = { 32, 0, 1 },
		[OP_S32BE] = { 32, 1, 1 },
		[OP_U64BE] = { 64, 0, 1 },
		[OP_F64] = { 64, 0, 0 },
	};
	if (op->slot > UINT16_MAX)
		return false;
	if (op->code == OP_BITS)
		return bits_to_load(op, load);
	if (op->code >= sizeof(kinds) / sizeof(*kinds) || !kinds[op->code].bits)
		return false;
	unsigned bits = kinds[op->code].bits;
	*load = (struct ctf_load){
		.mask = ones(bits),
		.sign = kinds[op->code].is_signed ? (uint64_t)1 << (bits - 1) : 0,
		.at = op->x,
		.slot = (uint16_t)op->slot,
		.turn = (uint16_t)(kinds[op->code].be ? 64 - bits : CTF_NO_TURN),
	};
	return true;
}

static bool is_bytes(const struct ctf_op *op)
{
	return op->code == OP_TEXT_FIXED || op->code == OP_BLOB_FIXED;
}

static int by_slot(const void *a, const void *b)
{
	return ((const struct ctf_load *)a)->slot - ((const struct ctf_load *)b)->slot;
}

/* Counts the slots to clear that no load fills: they become loads of no bits, so that clearing
 * needs no loop of its own. filled: n_clear slots. */
static uint32_t count_empty(const bool *filled, uint32_t n_clear)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < n_clear; i++)
		n += !filled[i];
	return n;
}

/* Marks the slots of the header's fields, which are in the row already. */
static void fill_from_header(const struct ctf_plan *plan, bool *filled)
{
	const uint32_t *slots = plan->slots[CTF_SCOPE_EVENT_HEADER];
	const struct ctf_fc *fc = plan->stream ? plan->stream->class->event_header : NULL;
	for (uint32_t i = 0; slots && fc && i < fc->u.record.n; i++)
		for (uint32_t k = 0;
			slots[i] != CTF_NO_SLOT && k < ctf_slot_width(fc->u.record.fields[i].fc) &&
			slots[i] + k < plan->n_clear;
			k++)
			filled[slots[i] + k] = true;
}

bool ctf_find_fixed(const struct ctf_op *op, struct ctf_plan *plan, struct mer_arena *arena)
{
	static const struct ctf_fixed nothing;
	if (op->code == OP_END && !plan->n_clear) {
		plan->fixed_bits = 0;
		plan->fixed = &nothing;
		return true;
	}
	if ((op->code != OP_SPAN && op->code != OP_END) ||
		plan->n_slots + CTF_LOADS_AT_ONCE > UINT16_MAX)
		return true;
	bool *filled = mer_arena_zalloc(arena, plan->n_clear + 2u, sizeof(*filled));
	if (!filled)
		return false;
	uint32_t n_loads = 0, n_bytes = 0;
	struct ctf_load load;
	const struct ctf_op *begin = op + (op->code == OP_SPAN), *end = begin;
	for (; end->code != OP_END; end++) {
		if (ctf_op_to_load(end, &load))
			n_loads++;
		else if (is_bytes(end))
			n_bytes++;
		else
			return true;
		for (uint32_t k = 0; k < 1u + is_bytes(end) && end->slot + k < plan->n_clear; k++)
			filled[end->slot + k] = true;
	}
	fill_from_header(plan, filled);
	n_loads += count_empty(filled, plan->n_clear);
	struct ctf_fixed *f = mer_arena_zalloc(arena, 1, sizeof(*f));
	uint32_t padded = (n_loads + CTF_LOADS_AT_ONCE - 1) / CTF_LOADS_AT_ONCE * CTF_LOADS_AT_ONCE;
	struct ctf_load *loads = mer_arena_zalloc(arena, padded, sizeof(*loads));
	struct ctf_bytes_at *bytes = mer_arena_zalloc(arena, n_bytes, sizeof(*bytes));
	if (!f || !loads || !bytes) {
		return false;
	}
	*f = (struct ctf_fixed){ .loads = loads, .bytes = bytes };
	for (const struct ctf_op *o = begin; o < end; o++) {
		if (is_bytes(o)) {
			bytes[f->n_bytes++] = (struct ctf_bytes_at){ o->x, o->y, (uint16_t)o->slot,
				o->code == OP_TEXT_FIXED };
			continue;
		}
		ctf_op_to_load(o, &loads[f->n_loads]);
		f->turns |= loads[f->n_loads++].turn != CTF_NO_TURN;
	}
	for (uint32_t i = 0; i < plan->n_clear; i++)
		if (!filled[i])
			loads[f->n_loads++] =
				(struct ctf_load){ .slot = (uint16_t)i, .turn = CTF_NO_TURN };
	qsort(loads, n_loads, sizeof(*loads), by_slot);
	f->dense = true;
	for (uint32_t i = 1; i < n_loads; i++)
		f->dense &= loads[i].slot == loads[0].slot + i;
	if (n_loads)
		f->first_slot = loads[0].slot;
	for (; f->n_loads < padded; f->n_loads++)
		loads[f->n_loads] = (struct ctf_load){ .turn = CTF_NO_TURN,
			.slot = (uint16_t)(plan->n_slots - 1) };
	if (f->dense && f->first_slot + padded > plan->n_slots)
		plan->n_slots = f->first_slot + padded;
	plan->fixed_bits = op->code == OP_SPAN ? op->x : 0;
	plan->fixed = f;
	return true;
}
