/* Lane: the events of one packet, one after the other.
 *
 * Always stands before the body of the next wanted event, whose header it has read (the head). All
 * that moves is in struct lane_state, which can be saved and gone back to. */
#ifndef MER_TRACE_LANE_H
#define MER_TRACE_LANE_H

#include "trace/reading.h"
#include "trace/timesort.h"

struct lane_state {
	struct ctf_pos pos;	     /* behind the head's header */
	const struct ctf_plan *plan; /* of the head */
	uint64_t head_bit;	     /* where its header begins */
	uint64_t head_clock;	     /* before its header */
	uint64_t peak;		/* greatest clock value in the packet so far, from its begin on */
	int64_t ts;		/* the head's time */
	int64_t key;		/* its place: the time of peak */
	uint64_t n_back;	/* events whose time is before that of their predecessor */
	uint64_t worst_back;	/* by how many cycles at the most */
	uint64_t worst_from;	/* and from which value */
	enum ctf_status status; /* damage met, after which nothing follows */
	bool done;
};

struct lane {
	struct lane_state now, saved;
	struct ctf_decoder d;
	const struct ctf_stream_plan *stream;
	const struct mer_clock *clock; /* NULL: none */
	size_t piece;		       /* of the clock's map, used last */
	const struct ctf_packet *packet;
	uint32_t packet_number; /* in its stream */
	uint64_t saved_window, opened_window, context_window, file_window;
	uint32_t context; /* in the batch, valid in context_window */
};

/* Opens a packet, whose file is in use: decodes its header for the registers, and finds the first
 * head. row and header_row are scratch of reading->max_slots each. clock and peak: running values
 * from the packet before, for packets that do not say when they begin. */
void lane_open(struct lane *l, const struct mer_experiment *e, const struct trace_reading *r,
	const struct ctf_packet *packet, struct ctf_pool *pool, uint64_t clock, uint64_t peak,
	int64_t begin, uint64_t *header_row, uint64_t *row);

/* Where a lane's events go. */
struct lane_sink {
	struct mer_event *events;
	struct timesort_key *keys; /* time since `origin` */
	uint32_t n, cap;
	struct ctf_pool *pool; /* rows */
	int64_t origin;
	uint64_t *header_row, *row; /* scratch of reading->max_slots each */
};

enum lane_stop {
	LANE_OK,  /* done, or the head's place is not before end */
	LANE_FULL /* the head did not fit into the sink */
};

/* Puts the events before end into the sink, those before begin are passed. stream and context are
 * written into the events. Damage ends the lane: see now.status. */
enum lane_stop lane_run(struct lane *l, struct lane_sink *sink, int64_t begin, int64_t end,
	uint32_t stream, uint32_t context);

#endif
