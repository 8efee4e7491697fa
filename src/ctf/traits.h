/* Traits: properties of a field class that do not depend on a record.
 *
 * Walks over the tree of field classes, for code that compiles or shows it. Nothing here reads
 * trace data. */
#ifndef MER_CTF_TRAITS_H
#define MER_CTF_TRAITS_H

#include "ctf/schema.h"

enum { CTF_MAX_SLOTS = 1 << 20 };
#define CTF_NO_SLOT UINT32_MAX

/* Slots that a field class takes in a row (program.h); 0 for an empty structure. Saturates above
 * CTF_MAX_SLOTS. */
uint32_t ctf_slot_width(const struct ctf_fc *fc);

/* Size in bits of a field that begins aligned to its class: the minimum; and the exact size,
 * UINT64_MAX: it varies. */
struct ctf_size {
	uint64_t min, exact;
};
struct ctf_size ctf_size_of(const struct ctf_fc *fc);

/* Maximum array elements without bits in a record: otherwise a length field could keep a reader
 * busy with empty elements. */
enum { CTF_MAX_IDLE = 1 << 14 };

/* Do n elements of this size fit into so many bits? idle: number of the record's elements without
 * bits so far. */
static inline bool ctf_array_fits(
	struct ctf_size one, uint64_t n, uint64_t left_bits, uint32_t idle)
{
	if (one.min)
		return n <= left_bits / one.min;
	return n <= CTF_MAX_IDLE - idle + (one.exact ? left_bits : 0);
}

/* Calls fn for the registers of f and of all fields in it; inside: the field may not be there. */
void ctf_each_reg(const struct ctf_field *f, bool inside,
	void (*fn)(void *arg, uint16_t reg, bool inside), void *arg);
/* Does fc, or a class inside it, refer to one of these registers? fc NULL: no. */
bool ctf_refers_to(const struct ctf_fc *fc, const bool *regs);
/* Byte orders of the bit fields that may not fill whole bytes. Bit 0: little, bit 1: big endian. */
unsigned ctf_orders_of(const struct ctf_fc *fc);

#endif
