/*
 * The events of an unbalanced program, with the names that a view of Trace Compass's for one has
 * (mpi_imbalance:*): a worker starts to work, waits at the barrier, goes on; the server likewise.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER mpi_imbalance

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "work/mpi/ust/events.h"

#if !defined(WORK_MPI_UST_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define WORK_MPI_UST_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT_CLASS(mpi_imbalance, of_server,
	LTTNG_UST_TP_ARGS(int32_t, cycle),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int32_t, cycle, cycle)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(mpi_imbalance, of_server, mpi_imbalance, server_start_cycle,
	LTTNG_UST_TP_ARGS(int32_t, cycle))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(mpi_imbalance, of_server, mpi_imbalance, server_wait,
	LTTNG_UST_TP_ARGS(int32_t, cycle))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(mpi_imbalance, of_server, mpi_imbalance, server_awake,
	LTTNG_UST_TP_ARGS(int32_t, cycle))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(mpi_imbalance, of_worker,
	LTTNG_UST_TP_ARGS(int32_t, workerno, int32_t, cycle),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, workerno, workerno)
		lttng_ust_field_integer(int32_t, cycle, cycle)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(mpi_imbalance, of_worker, mpi_imbalance, worker_start_work,
	LTTNG_UST_TP_ARGS(int32_t, workerno, int32_t, cycle))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(mpi_imbalance, of_worker, mpi_imbalance, worker_wait,
	LTTNG_UST_TP_ARGS(int32_t, workerno, int32_t, cycle))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(mpi_imbalance, of_worker, mpi_imbalance, worker_awake,
	LTTNG_UST_TP_ARGS(int32_t, workerno, int32_t, cycle))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
