/* Locate: the position of the n-th record of an event in its file, to the bit.
 *
 * Records are counted in the order of a merged reading: by time, then by stream; those of one
 * stream in the order of its packets. A damaged record counts if its header identifies it. */
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

/* n counts from 1. *n_found is n, or the total number if there are fewer. Damage on the way goes to
 * the experiment's diagnostics. */
int trace_locate(struct mer_experiment *e, const char *event, uint64_t n, struct mer_cancel *cancel,
	atomic_uint_least64_t *done_bytes, struct trace_record_place *place, uint64_t *n_found,
	struct mer_err *err);

#endif
