/* Decoder: executes a compiled program over the bytes of one packet.
 *
 * The position is a small struct that can be saved and restored; the decoder itself holds only
 * state within one packet (registers) and the memory for values of varying number. No function here
 * allocates but ctf_decoder_init; every read is checked against the end of the packet's content. */
#ifndef MER_CTF_DECODE_H
#define MER_CTF_DECODE_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bits.h"
#include "ctf/program.h"

enum ctf_status {
	CTF_OK,
	CTF_E_END,	/* a field reaches beyond the end of the packet's content */
	CTF_E_EVENT_ID, /* no event record class has this id */
	CTF_E_SELECTOR, /* a selector has a value that selects nothing */
	CTF_E_LENGTH,	/* a length that cannot be */
	CTF_E_ABSENT,	/* a length or selector lies in a field that is not there */
	CTF_E_VARINT,	/* a variable length integer of more than 64 bits */
	CTF_E_ORDER,	/* the byte order changes inside a byte */
	CTF_E_TEXT,	/* text ends inside of a code unit */
	CTF_E_EMPTY,	/* an event record of no bits, with bits left: there is no next one */
	CTF_E_SPACE	/* not damage: the pool is full */
};

/* A clause fit to print after "at bit N: ". */
const char *ctf_status_text(enum ctf_status s);

struct ctf_pos {
	const uint8_t *base; /* first byte of the packet */
	uint64_t bit;	     /* from base */
	uint64_t end_bit;    /* of the content */
	uint64_t mapped_bit; /* end of the file: up to there memory can be read, if not used */
	uint64_t clock;	     /* running value of the default clock, cycles */
};

/* Values of the fields with roles in a packet header and context. */
struct ctf_packet_info {
	uint32_t seen; /* enum ctf_role bits of the fields present; TIMESTAMP: begin */
	uint64_t magic, stream_class_id, stream_id, packet_size, content_size;
	uint64_t begin, end; /* cycles */
	uint64_t seq_num, discarded, cpu_id;
	uint8_t discarded_len; /* bits of the counter, which may wrap */
	uint64_t body_bit;     /* where the first event record header begins */
};

struct ctf_pool { /* memory for rows and array elements, reset for each batch */
	uint64_t *slots;
	size_t n, cap;
};

struct ctf_decoder {
	const struct ctf_program *program;
	uint64_t *regs;	       /* program->n_regs; borrowed from the decoder's creator */
	struct ctf_pool *pool; /* borrowed */
	/* not NULL: values are not wanted; array elements go there (program->max_slots) instead of
	 * to the pool */
	uint64_t *discard;
	struct ctf_packet_info *info; /* while a packet header or context is read, else NULL */
	/* Called for long stretches of bytes that were only scanned: they need not stay in memory.
	 * May be NULL. */
	void (*passed)(const void *bytes, size_t n);
	uint64_t event_id;
	int order;	 /* byte order of the previous bit field: CTF_OP_BE or 0; -1: none yet */
	uint32_t n_idle; /* array elements without bits so far, see CTF_MAX_IDLE */
};

/* Executes the operations from first_op on; values go to row, pos is advanced. On failure pos->bit
 * is where the field that failed begins, row is undefined. */
enum ctf_status ctf_execute(
	struct ctf_decoder *d, struct ctf_pos *pos, uint32_t first_op, uint64_t *row);

/* The slot value of a float of 16, 32 or 64 bits: the bits of a double. */
uint64_t ctf_float_slot(uint64_t bits, unsigned len);

/* New running clock after a timestamp field of len bits with value v was read. */
static inline uint64_t ctf_clock_update(uint64_t clock, uint64_t v, unsigned len)
{
	if (len >= 64)
		return v;
	uint64_t mask = ((uint64_t)1 << len) - 1;
	uint64_t next = (clock & ~mask) | v;
	return next < clock ? next + mask + 1 : next;
}

/* The same for a clock that wraps to 0 after `wrap` cycles. */
static inline uint64_t ctf_clock_unwrap(uint64_t clock, uint64_t v, uint64_t wrap)
{
	uint64_t next = clock - clock % wrap + v % wrap;
	return next < clock && clock - next > wrap / 2 ? next + wrap : next;
}

/* Maximum bits of the headers that have special code (CTF_HEADER_PLAIN: 255 bytes). */
enum { CTF_MAX_QUICK_HEADER_BITS = 256 * 8 };

/* Reads an event record header; *entry is its class's. kind is s->header_kind, passed separately so
 * that a loop over many events can be specialized for it. header_row (of the stream's
 * header.n_slots) is used only for CTF_HEADER_GENERIC and then holds the header's values. */
static inline __attribute__((always_inline)) enum ctf_status ctf_read_header(struct ctf_decoder *d,
	const struct ctf_stream_plan *s, enum ctf_header_kind kind, struct ctf_pos *pos,
	uint64_t *header_row, const struct ctf_entry **entry)
{
	uint64_t id;
	switch (kind) {
	case CTF_HEADER_COMPACT:
	case CTF_HEADER_LARGE: {
		bool compact = kind == CTF_HEADER_COMPACT;
		unsigned small = compact ? 4 : 6, id_bytes = compact ? 1 : 2;
		uint64_t bit = (pos->bit + 7) & ~(uint64_t)7;
		if (bit + small * 8 > pos->end_bit)
			return CTF_E_END;
		const uint8_t *p = pos->base + (bit >> 3);
		uint32_t w = mer_load_u32(p, false);
		id = compact ? w & 31 : w & 0xffff;
		if (__builtin_expect(id != (compact ? 31u : 0xffffu), 1)) {
			if (compact)
				pos->clock = ctf_clock_update(pos->clock, w >> 5, 27);
			else
				pos->clock = ctf_clock_update(
					pos->clock, mer_load_u32(p + 2, false), 32);
			pos->bit = bit + small * 8;
		} else {
			if (bit + (id_bytes + 12) * 8 > pos->end_bit)
				return CTF_E_END;
			id = mer_load_u32(p + id_bytes, false);
			pos->clock = mer_load_u64(p + id_bytes + 4, false);
			pos->bit = bit + (id_bytes + 12) * 8;
		}
		break;
	}
	case CTF_HEADER_PLAIN: {
		uint64_t bit = (pos->bit + 7) & ~(uint64_t)7;
		if (bit + s->plain.size * 8u > pos->end_bit)
			return CTF_E_END;
		const uint8_t *p = pos->base + (bit >> 3), *i = p + s->plain.id_at;
		id = s->plain.id_size == 1   ? *i
		     : s->plain.id_size == 2 ? mer_load_u16(i, false)
		     : s->plain.id_size == 4 ? mer_load_u32(i, false)
					     : mer_load_u64(i, false);
		pos->clock = mer_load_u64(p + s->plain.time_at, false);
		pos->bit = bit + s->plain.size * 8u;
		break;
	}
	default: {
		size_t used = d->pool->n; /* arrays in a header are never kept */
		d->event_id = 0;
		enum ctf_status st = ctf_execute(d, pos, s->header.first_op, header_row);
		d->pool->n = used;
		if (st)
			return st;
		id = d->event_id;
	}
	}
	*entry = ctf_entry_find(s, id);
	if (__builtin_expect(*entry != NULL, 1))
		return CTF_OK;
	d->event_id = id;
	return CTF_E_EVENT_ID;
}

/* Is only padding left, with no further header? */
static inline bool ctf_at_end(const struct ctf_stream_plan *s, const struct ctf_pos *pos)
{
	uint64_t align = s->head_align_bits;
	if (pos->bit + align <= pos->end_bit)
		return false;
	return ((pos->bit + align - 1) & ~(align - 1)) >= pos->end_bit;
}

/* Length of text in a field of so many bytes. In kernel traces most text fields have 16 bytes: a
 * function call costs more than the search, and a branch on the length would be mispredicted half
 * of the time. */
static inline uint64_t ctf_fixed_text_len(const uint8_t *p, uint32_t bytes)
{
	if (bytes != 16)
		return strnlen((const char *)p, bytes);
#ifdef __SSE2__
	__m128i nul = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)p), _mm_setzero_si128());
	return (uint64_t)__builtin_ctz((unsigned)_mm_movemask_epi8(nul) | 1u << 16);
#else
	return strnlen((const char *)p, 16);
#endif
}

static inline uint64_t ctf_load_one(const struct ctf_load *l, const uint8_t *p)
{
	return ((mer_load_u64(p + l->at, false) & l->mask) ^ l->sign) - l->sign;
}

/* The same for any order and place of bits. */
static inline uint64_t ctf_load_bits(const struct ctf_load *l, const uint8_t *p)
{
	uint64_t v = mer_load_u64(p + l->at, l->turn < CTF_NO_TURN);
	return ((v >> (l->turn % CTF_NO_TURN) & l->mask) ^ l->sign) - l->sign;
}

static inline void ctf_load_bytes(
	const struct ctf_bytes_at *b, const uint8_t *p, uint64_t *restrict row)
{
	row[b->slot] = (uint64_t)(uintptr_t)(p + b->at);
	row[b->slot + 1] = b->text ? ctf_fixed_text_len(p + b->at, b->len) : b->len;
}

/* Bodies with big endian or bit fields. */
void ctf_load_turned(const struct ctf_fixed *f, const uint8_t *p, uint64_t *row);

/* Executes the loads of a fixed body at p; whole words must be readable there. */
static inline void ctf_load_fixed(
	const struct ctf_fixed *f, const uint8_t *p, uint64_t *restrict row)
{
	if (__builtin_expect(f->turns, 0)) {
		ctf_load_turned(f, p, row);
		return;
	}
	const struct ctf_load *l = f->loads, *end = l + f->n_loads;
	if (__builtin_expect(f->dense, 1)) {
		uint64_t *to = row + f->first_slot;
		for (; l < end; l += CTF_LOADS_AT_ONCE, to += CTF_LOADS_AT_ONCE)
#pragma GCC unroll 8 /* all of them */
			for (int i = 0; i < CTF_LOADS_AT_ONCE; i++)
				to[i] = ctf_load_one(l + i, p);
	} else {
		for (; l < end; l++)
			row[l->slot] = ctf_load_one(l, p);
	}
	for (uint32_t i = 0; i < f->n_bytes; i++)
		ctf_load_bytes(f->bytes + i, p, row);
}

/* Skips the body of an event record, or decodes its values into row. Only the loads of a fixed body
 * clear the unused slots (n_clear), and near the end of a mapping a body's operations are executed
 * instead: so the caller must clear these slots before. */
static inline enum ctf_status ctf_read_body(
	struct ctf_decoder *d, struct ctf_pos *pos, const struct ctf_plan *plan, uint64_t *row)
{
	if (plan->fixed && pos->bit + plan->fixed_bits + 64 <= pos->mapped_bit) {
		if (pos->end_bit - pos->bit < plan->fixed_bits)
			return CTF_E_END;
		ctf_load_fixed(plan->fixed, pos->base + (pos->bit >> 3), row);
		pos->bit += plan->fixed_bits;
		return CTF_OK;
	}
	return ctf_execute(d, pos, plan->first_op, row);
}

#endif
