/* Lane: the events of one packet, one after the other.
 *
 * Its position is always before the body of the next wanted event (the head), whose header it has
 * read. All changing state is in struct lane_state, which can be saved and restored. */
#ifndef MER_TRACE_LANE_H
#define MER_TRACE_LANE_H

#include "trace/reading.h"
#include "trace/timesort.h"

struct lane_state {
	struct ctf_pos pos;	     /* after the head's header */
	const struct ctf_plan *plan; /* of the head */
	uint64_t head_bit;	     /* where the head's header begins */
	uint64_t head_clock;	     /* before its header */
	uint64_t peak;		     /* greatest clock value since the begin of the packet */
	int64_t ts;		     /* the head's time */
	int64_t key;		     /* its sort key: the time of peak */
	uint64_t n_back;	     /* events earlier than their predecessor */
	uint64_t worst_back;	     /* the largest step back, cycles */
	uint64_t worst_from;	     /* the clock value before that step */
	enum ctf_status status;	     /* damage that ended the lane */
	bool done;
};

struct lane {
	struct lane_state now, saved;
	struct ctf_decoder d;
	const struct ctf_stream_plan *stream;
	const struct mer_clock *clock; /* NULL: none */
	size_t piece;		       /* last used piece of the clock's map */
	const struct ctf_packet *packet;
	uint32_t packet_number; /* in its stream */
	uint64_t saved_window, opened_window, context_window, file_window;
	uint32_t context; /* index in the batch, valid in window context_window */
};

/* Opens a packet, whose file must be in use: decodes its header to set the registers, and finds the
 * first head. row and header_row are scratch of reading->max_slots each. clock and peak: running
 * values from the packet before, for packets that do not say when they begin. */
void lane_open(struct lane *l, const struct mer_experiment *e, const struct trace_reading *r,
	const struct ctf_packet *packet, struct ctf_pool *pool, uint64_t clock, uint64_t peak,
	int64_t begin, uint64_t *header_row, uint64_t *row);

/* Destination of a lane's events. */
struct lane_sink {
	struct mer_event *events;
	struct timesort_key *keys; /* time since `origin` */
	uint32_t n, cap;
	struct ctf_pool *pool; /* rows */
	int64_t origin;
	uint64_t *header_row, *row; /* scratch of reading->max_slots each */
};

enum lane_stop {
	LANE_OK,  /* done, or the head's sort key is not before `end` */
	LANE_FULL /* the head did not fit into the sink */
};

/* Puts the events before `end` into the sink; skips those before `begin`. stream and context are
 * stored in the events. Damage ends the lane: see now.status. */
enum lane_stop lane_run(struct lane *l, struct lane_sink *sink, int64_t begin, int64_t end,
	uint32_t stream, uint32_t context);

#endif
