/* TSDL types in use: field classes of the schema from written types, with references resolved. */
#ifndef MER_CTF_TSDL_USE_H
#define MER_CTF_TSDL_USE_H

#include "ctf/tsdl_type.h"

/* The structures that a path can begin in, in the order in which they are decoded. */
enum tsdl_level {
	LEVEL_PACKET_HEADER,
	LEVEL_PACKET_CONTEXT,
	LEVEL_EVENT_HEADER,
	LEVEL_EVENT_CONTEXT,
	LEVEL_SPECIFIC_CONTEXT,
	LEVEL_PAYLOAD,
	N_LEVELS
};

struct tsdl_frame { /* a compound class that is being made; a member of it is the next frame */
	const struct tsdl_type *type;
	struct ctf_fc *fc;
	uint32_t at; /* the member that is being made; those before it are complete */
};

struct tsdl_use {
	struct tsdl *t;
	const struct ctf_schema *schema; /* its environment is known */
	uint8_t order;			 /* native byte order */
	struct tsdl_level_root {
		const struct tsdl_type *type; /* NULL: none */
		struct ctf_fc *fc;
	} levels[N_LEVELS];
	enum tsdl_level level; /* being made */
	struct tsdl_frame frames[CTF_MAX_DEPTH];
	unsigned n_frames;
	uint64_t n_fields; /* made so far */

	/* Registers of events are numbered from 1 in each event anew: only one event is decoded at
	 * a time. The other ones are numbered from OUTER_REG on at first, and moved behind those of
	 * the event that has most of them when all are known. */
	uint16_t n_event_regs, most_event_regs, n_outer_regs;
	uint16_t **outer; /* where a register number is to be changed; malloc'ed */
	uint32_t n_outer, cap_outer;
};

/* The field class of a structure that stands at a level of its own; type NULL gives NULL. */
struct ctf_fc *tsdl_use_level(
	struct tsdl_use *u, enum tsdl_level level, const struct tsdl_type *type, const char *start);
/* Gives the outer registers their final numbers; returns the number of registers. */
uint16_t tsdl_use_finish(struct tsdl_use *u);

/* tsdl_roles.c: roles and clocks of the fields that the reader itself needs. clock: the stream's;
 * -1 when there is none. */
void tsdl_packet_header_roles(struct tsdl_use *u, struct ctf_schema *s);
int16_t tsdl_stream_roles(struct tsdl_use *u, struct ctf_schema *s);

#endif
