/* Plain decoder: reads one structure of a packet field by field, as the specification describes it.
 *
 * Slow, complete, and easy to review: no spans, no skipping, no program. The compiled program
 * (program.h, decode.h) is tested against it, and it is used to show a record's layout. Both agree
 * on every value, on the position after a record, and on what counts as damage.
 *
 * References. A field that has a register leaves its value there. The content of a variant,
 * optional or array may be absent, so the registers of all fields in it are invalidated before it
 * is read; a reference to an invalid register is damage, and never yields an old value. */
#ifndef MER_CTF_PLAIN_H
#define MER_CTF_PLAIN_H

#include "ctf/decode.h"

enum ctf_plain_step {
	CTF_PLAIN_FIELD, /* a field without fields in it */
	/* begin of a structure, array, variant or optional: n_bits is not known yet */
	CTF_PLAIN_BEGIN,
	CTF_PLAIN_END /* and ends */
};

struct ctf_plain_field {
	enum ctf_plain_step step;
	enum ctf_scope scope;
	unsigned depth;		       /* 0: the scope's structure; its members have 1 */
	const struct ctf_field *field; /* NULL: the scope's structure */
	const struct ctf_fc *fc;
	uint64_t bit, n_bits; /* from the packet's start, after alignment */
	uint64_t index;	      /* of an array's element, else CTF_PLAIN_NO_INDEX */
	uint64_t value;	      /* the bits (signed ones sign extended); array: number of elements;
				 variant: number of the option; optional: 0 or 1 */
	const uint8_t *bytes; /* string without its terminator, text up to it, blob */
	uint64_t n_bytes;
};
#define CTF_PLAIN_NO_INDEX UINT64_MAX

struct ctf_plain {
	const struct ctf_schema *schema;
	void (*see)(void *arg, const struct ctf_plain_field *f); /* may be NULL */
	void *arg;
	struct ctf_packet_info *info; /* while a packet header or context is read, else NULL */
	uint64_t event_id;	      /* of the header read last; 0 when it has none */
	/* After damage: the field that could not be read, and where it begins. */
	const struct ctf_field *bad_field;
	uint64_t bad_bit;
	/* Private: */
	uint64_t *regs; /* n_regs + 1 */
	bool *known;	/* the same; false: forgotten */
	int order;	/* enum ctf_byte_order of the bit field before; -1: none yet */
	uint32_t n_idle;
	enum ctf_scope scope;
};

/* Registers come from the arena. False: memory is out. */
bool ctf_plain_init(struct ctf_plain *p, const struct ctf_schema *schema, struct mer_arena *arena);

/* Call at the begin of a packet: invalidates all registers. */
void ctf_plain_begin_packet(struct ctf_plain *p);

/* Reads a scope's structure (NULL: there is none, and nothing is read); pos is advanced. On damage
 * pos is at the field that could not be read. */
enum ctf_status ctf_plain_read(
	struct ctf_plain *p, struct ctf_pos *pos, enum ctf_scope scope, const struct ctf_fc *fc);

/* Reads an event record, header and all. class (NULL: not determined) is valid after damage,
 * too. */
enum ctf_status ctf_plain_event(struct ctf_plain *p, struct ctf_pos *pos,
	const struct ctf_stream_class *sc, const struct ctf_event_class **class);

#endif
