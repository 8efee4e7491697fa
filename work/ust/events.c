/*
 * The library meridian-work-ust.so: emits user-space events for steps. It is loaded when --ust is
 * given, and built where LTTng-UST's headers are.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "work/ust/events.h"

__attribute__((visibility("default"))) void work_ust_event(
	const char *step, int64_t id, int end, int32_t by);

void work_ust_event(const char *step, int64_t id, int end, int32_t by)
{
	if (end)
		lttng_ust_tracepoint(meridian_work, step_end, step, id, by);
	else
		lttng_ust_tracepoint(meridian_work, step_begin, step, id);
}
