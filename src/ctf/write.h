/* Internals of the writer: the encoder of fields, and the search for the field that a reference
 * means. */
#ifndef MER_CTF_WRITE_H
#define MER_CTF_WRITE_H

#include "ctf/writer.h"

enum { CTF_N_ROLES = 12, CTF_MAX_WRITE_BYTES = 1 << 30 };

/* Values that the writer fills in by itself; `value` is indexed by the role's bit number. */
struct ctf_role_values {
	uint64_t value[CTF_N_ROLES];
	const uint8_t *uuid;
};

static inline unsigned ctf_role_index(uint32_t role)
{
	return (unsigned)__builtin_ctz(role);
}

/* The encoder: a zeroed buffer that grows, the position, the registers. Bits at and after the
 * position are zero. */
struct ctf_encoder {
	uint8_t *data;
	size_t cap_bytes;
	uint64_t at_bits;
	uint64_t *regs; /* n_regs + 1 */
	uint32_t n_regs;
	uint8_t order; /* of the last bit field: must not change inside a byte */
	/* Where values come from: roles != NULL: header mode, in which values may be NULL: all
	 * 0. */
	const struct ctf_role_values *roles;
	const struct ctf_value *values;
	size_t n_values, used;
	/* Event header mode: the clock so far, and what the encoded fields amount to. */
	uint64_t clock;
	bool clock_lost; /* a timestamp field was too small */
	bool choose_id;	 /* the first event id field takes first_id */
	uint64_t first_id, last_id;
	uint32_t n_ids;
	struct mer_err *err;
	const char *where; /* for messages */
};

void ctf_encoder_fini(struct ctf_encoder *e);
/* Room for the registers of a schema. */
int ctf_encoder_regs(struct ctf_encoder *e, uint32_t n_regs);
int ctf_encode_struct(struct ctf_encoder *e, const struct ctf_fc *record);
int ctf_encode_bytes(struct ctf_encoder *e, const void *data, size_t len);
/* Goes back: everything from this bit on is zeroed again. order is that of the bits before. */
void ctf_encoder_rewind(struct ctf_encoder *e, uint64_t bit, uint8_t order);
/* Makes room for bits after the position. */
int ctf_encoder_room(struct ctf_encoder *e, uint64_t bits);

/* The way to the field being written: frame 0 is a scope's structure, the last one the structure
 * that holds the field. Compounds between are not structures and have no names. */
struct ctf_frame {
	const struct ctf_fc *record;
	uint32_t at; /* member being written */
	bool plain;  /* the frame before holds this one directly, not by array or variant */
};

struct ctf_write_place {
	const struct ctf_fc *scopes[CTF_N_SCOPES]; /* NULL: not there */
	enum ctf_scope scope;
	uint32_t depth;
	struct ctf_frame frames[CTF_MAX_DEPTH + 2];
};

/* A field found: the names from its frame (same scope) or scope root (other scope) down to it. */
struct ctf_target {
	const struct ctf_field *field;
	enum ctf_scope scope;
	int frame;	 /* index in the place's frames; -1: in an earlier scope */
	uint32_t member; /* of the frame's or scope's structure where the way begins */
	uint32_t n_names;
	const char *names[CTF_MAX_DEPTH + 1];
	bool plain; /* no array, optional or variant on the way */
};

/* The field with this register that is decoded last before the place. */
bool ctf_find_target(const struct ctf_write_place *p, uint16_t reg, struct ctf_target *t);

#endif
