/* Cut: a copy of a recording in which events are missing, and whose packets tell so, as if the
 * tracer's buffers had been full. What happened is in the original. */
#ifndef TESTS_CUT_H
#define TESTS_CUT_H

#include <stdint.h>
#include "trace/experiment.h"

enum cut_manner {
	CUT_SHORT,  /* some ten to two hundred events at a time */
	CUT_LONG,   /* some hundred to two thousand */
	CUT_TINY,   /* two to twenty */
	CUT_PACKETS /* whole packets, as recorders that overwrite: nothing counts their events */
};

struct cut {
	enum cut_manner manner;
	double share; /* of the events of each stream */
	uint64_t seed;
	/* What was done: */
	uint64_t n_lost, n_events;
};

/* Copies the traces of e (kernel traces of LTTng without padding between events; others are copied
 * as they are) into a folder that is there and empty. Failures fail the test. */
void cut_recording(const struct mer_experiment *e, const char *dir, struct cut *cut);

#endif
