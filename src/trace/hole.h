/* Hole: a few events long before all others, such as a packet of an older recording: figures over
 * the whole time say little then. */
#ifndef MER_TRACE_HOLE_H
#define MER_TRACE_HOLE_H

#include "trace/experiment.h"

struct trace_hole {
	int64_t begin, end; /* ns: of the last event before it, of the first one behind it */
	uint32_t n_before;  /* events before it */
};

/* Of a host. False: there is none. Reads some events of each stream. */
bool trace_find_hole(struct mer_experiment *e, uint32_t host, struct trace_hole *hole);
/* Tells of those of all hosts. */
void trace_report_holes(struct mer_experiment *e);

#endif
