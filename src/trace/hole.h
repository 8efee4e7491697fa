/* Hole: a long gap after a few early events, such as a packet of an older recording. Figures over
 * the whole time then mean little. */
#ifndef MER_TRACE_HOLE_H
#define MER_TRACE_HOLE_H

#include "trace/experiment.h"

struct trace_hole {
	/* ns: time of the last event before it, and of the first one after it */
	int64_t begin, end;
	uint32_t n_before; /* events before it */
};

/* Finds the hole of a host. False: there is none. Reads a few events of each stream. */
bool trace_find_hole(struct mer_experiment *e, uint32_t host, struct trace_hole *hole);
/* Reports the holes of all hosts. */
void trace_report_holes(struct mer_experiment *e);

#endif
