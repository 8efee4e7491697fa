/* Locate: where the n-th record of an event lies, in its file, bit by bit.
 *
 * Records are counted in the order of a merged reading: by time, then by stream; those of one
 * stream in the order of its packets. A damaged record counts as long as its header says what it
 * is. */
#ifndef MER_TRACE_LOCATE_H
#define MER_TRACE_LOCATE_H

#include <stdatomic.h>
#include "base/pool.h"
#include "trace/experiment.h"

struct trace_record_place {
	uint32_t stream, packet; /* the packet's number in its stream */
	uint64_t head_bit;	 /* where the record begins, in the packet */
	uint64_t head_clock;	 /* running clock before it */
	int64_t ts;		 /* MER_NO_TIME: its stream has no clock */
	enum ctf_status status;	 /* of the record */
};

/* n counts from 1. *n_found is n, or how many there are in all when there are fewer. Damage met on
 * the way is told to the experiment's diagnostics. */
int trace_locate(struct mer_experiment *e, const char *event, uint64_t n, struct mer_cancel *cancel,
	atomic_uint_least64_t *done_bytes, struct trace_record_place *place, uint64_t *n_found,
	struct mer_err *err);

#endif
