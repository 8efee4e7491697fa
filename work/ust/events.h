/*
 * The user-space events of meridian-work: a step begins, a step ends. In LTTng's own form, which
 * is read several times.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER meridian_work

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "work/ust/events.h"

#if !defined(WORK_UST_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define WORK_UST_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(meridian_work, step_begin,
	LTTNG_UST_TP_ARGS(const char *, step, int64_t, id),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(step, step)
		lttng_ust_field_integer(int64_t, id, id)))

LTTNG_UST_TRACEPOINT_EVENT(meridian_work, step_end,
	LTTNG_UST_TP_ARGS(const char *, step, int64_t, id, int32_t, by_tid),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(step, step)
		lttng_ust_field_integer(int64_t, id, id)
		lttng_ust_field_integer(int32_t, by_tid, by_tid)))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
