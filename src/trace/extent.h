/* Extent: the times of the first and the last event of each stream, and of a host.
 *
 * Packet headers do not have these times. A tracer begins the first packet when it allocates its
 * buffers, which may be long before the first event, and ends the last one when the recording is
 * stopped. */
#ifndef MER_TRACE_EXTENT_H
#define MER_TRACE_EXTENT_H

#include "trace/experiment.h"

struct trace_extent { /* ns; both MER_NO_TIME: no event, or too expensive to find */
	int64_t begin, end;
};

/* Finds the extents of all streams; extents[] is indexed as e->data. Reads the first event of the
 * first packets, and all of the last packets, up to a few MiB per stream; if that does not reach
 * the last event, the end is the one in the packet's header. Damage is not reported here: later
 * readers of the packets do so. */
int trace_find_extents(struct mer_experiment *e, struct trace_extent *extents, struct mer_err *err);

/* From the first to the last event of all traces of a host. */
struct trace_extent trace_extent_of_host(const struct mer_experiment *e, uint32_t host);

#endif
