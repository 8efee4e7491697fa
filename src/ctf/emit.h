/* Emits the operations that decode fields of any class. Adjacent fields of known length form a
 * span: its size is checked once, and its bit fields are loaded from fixed offsets. program.c
 * decides which fields are decoded and where their values go. */
#ifndef MER_CTF_EMIT_H
#define MER_CTF_EMIT_H

#include "ctf/program.h"

enum { CTF_MAX_MODULUS = 1 << 20 };

/* Positions are known as: bit = residue (mod modulus). */
struct ctf_align_state {
	uint32_t modulus, residue;
};

struct ctf_compiler {
	struct ctf_program *p;
	struct mer_arena *arena;
	const struct ctf_wants *wants;
	bool failed;   /* memory */
	bool too_wide; /* array elements of more than CTF_MAX_SLOTS are wanted */
	/* By register of the schema: the register that says whether it is set; 0: it always is. */
	uint16_t *flags;
	struct ctf_align_state at;
	uint32_t span_op;		/* open OP_SPAN; UINT32_MAX: none */
	uint64_t span_bits;		/* so far in the open span */
	struct ctf_align_state span_at; /* where the open span begins */
	int last_order;	  /* enum ctf_byte_order of the previous bit field, -1: unknown */
	bool check_order; /* the schema mixes byte orders */
	/* Class passed to ctf_wants.inner for inner fields; NULL: all are wanted. */
	const struct ctf_event_class *inner_of;
	int where; /* as in ctf_wants.inner */
};

/* The next operations begin at a position with this alignment. */
void ctf_emit_begin(struct ctf_compiler *c, struct ctf_align_state at);
void ctf_emit_align(struct ctf_compiler *c, uint32_t bits);
/* Emits the operations of a field. If wanted, its values go to `slot` and the following ones. */
void ctf_emit_field(struct ctf_compiler *c, const struct ctf_field *f, uint32_t slot, bool want);
/* Ends the operations. */
void ctf_emit_end(struct ctf_compiler *c);

#endif
