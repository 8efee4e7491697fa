/* Recorded range: the times of the first and the last event of a host, of any kind.
 *
 * Packets say when they were opened and closed, which may be long before and after. Which events
 * are read depends on the question; the range of a host's time must not. */
#ifndef MER_KERNEL_RECORDED_H
#define MER_KERNEL_RECORDED_H

#include "trace/experiment.h"
#include "trace/reading.h"

/* A reading of all events, without fields. */
int kernel_recorded_reading_new(
	const struct mer_experiment *e, struct trace_reading **reading, struct mer_err *err);
/* Of its kernel's traces; MER_NO_TIME: it has no events. Reads the begin and the end of each
 * stream. */
int kernel_recorded_find(struct mer_experiment *e, uint32_t host,
	const struct trace_reading *reading, int64_t *begin, int64_t *end, struct mer_err *err);

#endif
