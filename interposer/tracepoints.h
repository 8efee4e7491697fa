/* The events of the interposer as tracepoints of LTTng-UST: those of ctf.c, field by field. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER meridian_mpi
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "interposer/tracepoints.h"

#if !defined(MER_INTERPOSER_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define MER_INTERPOSER_TRACEPOINTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

#include "mpi/calls.h"

/* Calls by name, for whoever reads the trace without src/mpi/calls.h. */
#define MM_CALL_LABEL(name_, shape_) lttng_ust_field_enum_value("MPI_" #name_, MPI_CALL_##name_)
LTTNG_UST_TRACEPOINT_ENUM(meridian_mpi, call, LTTNG_UST_TP_ENUM_VALUES(MPI_CALLS(MM_CALL_LABEL)))

#define MM_WHO int32_t, rank, int32_t, pid, int32_t, tid
#define MM_WHO_FIELDS                                                                              \
	lttng_ust_field_integer(int32_t, rank, rank) lttng_ust_field_integer(int32_t, pid, pid)    \
		lttng_ust_field_integer(int32_t, tid, tid)

LTTNG_UST_TRACEPOINT_EVENT(meridian_mpi, init,
	LTTNG_UST_TP_ARGS(MM_WHO, int32_t, size, uint64_t, job),
	LTTNG_UST_TP_FIELDS(MM_WHO_FIELDS lttng_ust_field_integer(int32_t, size, size)
			lttng_ust_field_integer(uint64_t, job, job)))
LTTNG_UST_TRACEPOINT_EVENT(meridian_mpi, comm,
	LTTNG_UST_TP_ARGS(MM_WHO, int64_t, comm, int32_t, size),
	LTTNG_UST_TP_FIELDS(MM_WHO_FIELDS lttng_ust_field_integer(int64_t, comm, comm)
			lttng_ust_field_integer(int32_t, size, size)))
LTTNG_UST_TRACEPOINT_EVENT(meridian_mpi, enter, LTTNG_UST_TP_ARGS(MM_WHO, uint16_t, call),
	LTTNG_UST_TP_FIELDS(
		MM_WHO_FIELDS lttng_ust_field_enum(meridian_mpi, call, uint16_t, call, call)))
LTTNG_UST_TRACEPOINT_EVENT(meridian_mpi, leave, LTTNG_UST_TP_ARGS(MM_WHO, uint16_t, call),
	LTTNG_UST_TP_FIELDS(
		MM_WHO_FIELDS lttng_ust_field_enum(meridian_mpi, call, uint16_t, call, call)))
LTTNG_UST_TRACEPOINT_EVENT(meridian_mpi, polled,
	LTTNG_UST_TP_ARGS(MM_WHO, uint16_t, call, uint64_t, count, uint64_t, ago),
	LTTNG_UST_TP_FIELDS(MM_WHO_FIELDS lttng_ust_field_enum(meridian_mpi, call, uint16_t, call,
		call) lttng_ust_field_integer(uint64_t, count, count)
			lttng_ust_field_integer(uint64_t, ago, ago)))
LTTNG_UST_TRACEPOINT_EVENT_CLASS(meridian_mpi, message,
	LTTNG_UST_TP_ARGS(MM_WHO, int64_t, comm, int32_t, peer, int32_t, tag, uint64_t, bytes,
		uint64_t, request),
	LTTNG_UST_TP_FIELDS(MM_WHO_FIELDS lttng_ust_field_integer(int64_t, comm, comm)
			lttng_ust_field_integer(int32_t, peer, peer) lttng_ust_field_integer(
				int32_t, tag, tag) lttng_ust_field_integer(uint64_t, bytes, bytes)
				lttng_ust_field_integer(uint64_t, request, request)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(meridian_mpi, message, meridian_mpi, send,
	LTTNG_UST_TP_ARGS(MM_WHO, int64_t, comm, int32_t, peer, int32_t, tag, uint64_t, bytes,
		uint64_t, request))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(meridian_mpi, message, meridian_mpi, recv_posted,
	LTTNG_UST_TP_ARGS(MM_WHO, int64_t, comm, int32_t, peer, int32_t, tag, uint64_t, bytes,
		uint64_t, request))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(meridian_mpi, message, meridian_mpi, recv_done,
	LTTNG_UST_TP_ARGS(MM_WHO, int64_t, comm, int32_t, peer, int32_t, tag, uint64_t, bytes,
		uint64_t, request))
LTTNG_UST_TRACEPOINT_EVENT(meridian_mpi, send_done, LTTNG_UST_TP_ARGS(MM_WHO, uint64_t, request),
	LTTNG_UST_TP_FIELDS(MM_WHO_FIELDS lttng_ust_field_integer(uint64_t, request, request)))
LTTNG_UST_TRACEPOINT_EVENT(meridian_mpi, collective,
	LTTNG_UST_TP_ARGS(MM_WHO, int64_t, comm, uint64_t, seq, int32_t, root, uint64_t, bytes),
	LTTNG_UST_TP_FIELDS(MM_WHO_FIELDS lttng_ust_field_integer(int64_t, comm, comm)
			lttng_ust_field_integer(uint64_t, seq, seq) lttng_ust_field_integer(int32_t,
				root, root) lttng_ust_field_integer(uint64_t, bytes, bytes)))
LTTNG_UST_TRACEPOINT_EVENT(
	meridian_mpi, final, LTTNG_UST_TP_ARGS(MM_WHO), LTTNG_UST_TP_FIELDS(MM_WHO_FIELDS))

#endif
#include <lttng/tracepoint-event.h>
