/* Extent: the times of the first and the last event of each stream.
 *
 * Packet headers do not tell them. A tracer begins the first packet when it makes its buffers,
 * which may be long before the first event, and ends the last one when the recording is closed. */
#ifndef MER_TRACE_EXTENT_H
#define MER_TRACE_EXTENT_H

#include "trace/experiment.h"

struct trace_extent { /* ns; both MER_NO_TIME: no event, or their times cannot be known cheaply */
	int64_t begin, end;
};

/* Of every stream, extents[] as e->data. Reads the first event of the first packets and the whole
 * of the last ones, up to some MiB a stream; where that does not reach the last event, the end is
 * that of the packet's header. Reports no damage: whoever reads the packets does. */
int trace_find_extents(struct mer_experiment *e, struct trace_extent *extents, struct mer_err *err);

#endif
