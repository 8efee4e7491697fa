/* Twins: events that two traces of one host both have, because two sessions recorded it at the same
 * time. kernel/survey.h finds them; here is what a reading passes. */
#ifndef MER_TRACE_TWINS_H
#define MER_TRACE_TWINS_H

#include "trace/reading.h"

/* Has the trace a class of events of this name? */
bool trace_has_class(const struct mer_experiment *e, uint32_t trace, const char *name);
/* Is an event of this stream, of a class that the other trace has, there too at this time? */
bool trace_is_in_twin(const struct mer_experiment *e, uint32_t stream, int64_t ts);
/* By ctf_plan.id: classes of events of the host that the other trace of their twins has, too.
 * malloc'ed; NULL: no memory. */
bool *trace_twin_classes(
	const struct mer_experiment *e, const struct trace_reading *r, uint32_t host);

#endif
