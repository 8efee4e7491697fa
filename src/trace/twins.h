/* Twins: events in two traces of one host, because two sessions recorded at the same time.
 * kernel/survey.h finds them; this file says which of them a reading skips. */
#ifndef MER_TRACE_TWINS_H
#define MER_TRACE_TWINS_H

#include "trace/reading.h"

/* Does the trace have an event record class of this name? */
bool trace_has_class(const struct mer_experiment *e, uint32_t trace, const char *name);
/* Does the other trace, too, have an event of this stream at this time? Its class must be one that
 * the other trace has. */
bool trace_is_in_twin(const struct mer_experiment *e, uint32_t stream, int64_t ts);
/* For the host's traces that have twins, by ctf_plan.id: does the other trace have an event record
 * class of the same name? malloc'ed; NULL: no memory. */
bool *trace_twin_classes(
	const struct mer_experiment *e, const struct trace_reading *r, uint32_t host);

#endif
