/* Lane: the events of one packet, one after the other.
 *
 * Always stands before the body of the next wanted event, whose header it has read (the head). All
 * that moves is in struct lane_state, which can be saved and gone back to. */
#ifndef MER_TRACE_LANE_H
#define MER_TRACE_LANE_H

#include "trace/reading.h"

struct lane_state {
	struct ctf_pos pos;	     /* behind the head's header */
	const struct ctf_plan *plan; /* of the head */
	uint64_t head_bit;	     /* where its header begins */
	uint64_t head_clock;	     /* before its header */
	int64_t ts;		     /* its time */
	int64_t key;		     /* its place: the greatest time in the packet so far */
	uint64_t n_back;	     /* events whose time is before that of their predecessor */
	int64_t worst_back;	     /* by how much at the most, ns */
	enum ctf_status status;	     /* damage met, after which nothing follows */
	bool done;
};

struct lane {
	struct lane_state now, saved;
	struct ctf_decoder d;
	const struct ctf_stream_plan *stream;
	const struct mer_clock *clock; /* NULL: none */
	const struct ctf_packet *packet;
	uint32_t packet_number; /* in its stream */
	uint64_t saved_window, opened_window, context_window;
	uint32_t context; /* in the batch, valid in context_window */
};

/* Opens a packet: decodes its header for the registers, and finds the first head. row and header_row
 * are scratch of reading->max_slots each. clock and key: running values from the packet before, for
 * packets that do not say when they begin. */
void lane_open(struct lane *l, const struct mer_experiment *e, const struct trace_reading *r,
	const struct ctf_packet *packet, struct ctf_pool *pool, uint64_t clock, int64_t key,
	int64_t begin, uint64_t *header_row, uint64_t *row);

/* From behind a head's body to the next head that is wanted and not before begin. */
void lane_next(struct lane *l, int64_t begin, uint64_t *header_row, uint64_t *row);

/* The head's body into row (and its header's fields, where wanted). On damage the lane is done. */
enum ctf_status lane_body(struct lane *l, uint64_t *header_row, uint64_t *row);

#endif
