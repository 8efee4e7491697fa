/* Operations that decode fields, of whatever class. What is next to each other and of known length
 * is a span: its size is checked once, and its bit fields are loaded from fixed places. Which
 * fields, and where their values go, program.c says. */
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
	/* By register of the schema: the one that says whether it is set; 0: it is. */
	uint16_t *flags;
	struct ctf_align_state at;
	uint32_t span_op;		/* open OP_SPAN; UINT32_MAX: none */
	uint64_t span_bits;		/* so far in the open span */
	struct ctf_align_state span_at; /* where the open span begins */
	int last_order;	  /* enum ctf_byte_order of the bit field before, -1: unknown */
	bool check_order; /* the schema mixes byte orders */
	/* Whom inner fields are asked of; NULL: all are wanted. */
	const struct ctf_event_class *inner_of;
	int where; /* as in ctf_wants.inner */
};

/* The next operations begin at such a position. */
void ctf_emit_begin(struct ctf_compiler *c, struct ctf_align_state at);
void ctf_emit_align(struct ctf_compiler *c, uint32_t bits);
/* Its values go to slot and the following ones, if they are wanted. */
void ctf_emit_field(struct ctf_compiler *c, const struct ctf_field *f, uint32_t slot, bool want);
/* Nothing follows. */
void ctf_emit_end(struct ctf_compiler *c);

#endif
