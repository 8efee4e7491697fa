/* Skips event records without their values: for counting, and to find times.
 *
 * This is fastest with programs compiled without any wanted event class (trace_part.scan). With
 * other programs, records without a fixed layout are decoded, within the same memory limit as in a
 * cursor. */
#ifndef MER_TRACE_RECORD_H
#define MER_TRACE_RECORD_H

#include "ctf/decode.h"

/* Skips one event record; sets *entry to that of its class, and pos->clock to its time. Always
 * advances: a record without bits is CTF_E_EMPTY. */
static inline __attribute__((always_inline)) enum ctf_status trace_pass_record(
	struct ctf_decoder *d, const struct ctf_stream_plan *s, enum ctf_header_kind kind,
	struct ctf_pos *pos, uint64_t *header_row, uint64_t *row, const struct ctf_entry **entry)
{
	uint64_t head = pos->bit;
	enum ctf_status st = ctf_read_header(d, s, kind, pos, header_row, entry);
	if (st)
		return st;
	if (__builtin_expect((*entry)->pass_bits != (uint32_t)CTF_NO_PASS, 1)) {
		if (pos->end_bit - pos->bit < (*entry)->pass_bits)
			return CTF_E_END;
		pos->bit += (*entry)->pass_bits;
	} else {
		const struct ctf_plan *plan = (*entry)->plan;
		uint64_t clock = pos->clock;
		size_t used = d->pool->n;
		if (plan->wanted) { /* a cursor has the row in its pool */
			if (d->pool->cap - used < plan->n_slots)
				return CTF_E_SPACE;
			d->pool->n += plan->n_slots;
		}
		st = ctf_execute(d, pos, plan->first_op, row);
		d->pool->n = used;
		pos->clock = clock;
		if (st)
			return st;
	}
	return pos->bit == head ? CTF_E_EMPTY : CTF_OK;
}

#endif
