/*
 * The library mpi-imbalance-ust.so: emits user-space events for `imbalance --ust LIBRARY`, which
 * loads it. Built where LTTng-UST's headers are; it needs no MPI.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "work/mpi/ust/events.h"

__attribute__((visibility("default"))) void imbalance_event(
	int what, int32_t worker, int32_t cycle);

/* what: 0: starts, 1: waits, 2: is awake. worker 0 is the server, too. */
void imbalance_event(int what, int32_t worker, int32_t cycle)
{
	switch (what) {
	case 0:
		if (worker == 0)
			lttng_ust_tracepoint(mpi_imbalance, server_start_cycle, cycle);
		lttng_ust_tracepoint(mpi_imbalance, worker_start_work, worker, cycle);
		break;
	case 1:
		if (worker == 0)
			lttng_ust_tracepoint(mpi_imbalance, server_wait, cycle);
		lttng_ust_tracepoint(mpi_imbalance, worker_wait, worker, cycle);
		break;
	default:
		if (worker == 0)
			lttng_ust_tracepoint(mpi_imbalance, server_awake, cycle);
		lttng_ust_tracepoint(mpi_imbalance, worker_awake, worker, cycle);
	}
}
