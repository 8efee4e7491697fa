/* Calls: the dictionary of MPI calls: a row each, with what the call does.
 *
 * The interposer writes the number of a row into traces, so rows are only ever added at the end.
 * Names that are not here (of other tracers) are MPI_CALL_OTHER. */
#ifndef MER_MPI_CALLS_H
#define MER_MPI_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mpi_shape {
	MPI_SHAPE_NONE,	      /* states that are no call: outside of MPI */
	MPI_SHAPE_SETUP,      /* begins, ends, makes communicators and types */
	MPI_SHAPE_SEND,	      /* blocks until the message is sent, or copied */
	MPI_SHAPE_RECV,	      /* blocks until a message is there */
	MPI_SHAPE_WAIT,	      /* blocks until requests have completed */
	MPI_SHAPE_START,      /* begins an operation, or looks whether one is done: never blocks */
	MPI_SHAPE_BARRIER,    /* no rank leaves before the last one has entered */
	MPI_SHAPE_NXN,	      /* the same: every rank gets data from every rank */
	MPI_SHAPE_ONE_TO_ALL, /* no rank leaves before the root has entered */
	MPI_SHAPE_ALL_TO_ONE, /* the root does not leave before the last one has entered */
	MPI_SHAPE_PREFIX,     /* a rank waits for the ranks before it */
	MPI_SHAPE_ELSE	      /* one-sided, files: in MPI; not known for which ranks it waits */
};

/* X(NAME, SHAPE): the call MPI_NAME. */
/* clang-format off */
#define MPI_CALLS(X) \
	X(Init, SETUP) X(Init_thread, SETUP) X(Finalize, SETUP) X(Send, SEND) X(Bsend, SEND) \
	X(Ssend, SEND) X(Rsend, SEND) X(Recv, RECV) X(Mrecv, RECV) X(Probe, RECV) \
	X(Mprobe, RECV) X(Sendrecv, RECV) X(Sendrecv_replace, RECV) X(Isend, START) \
	X(Ibsend, START) X(Issend, START) X(Irsend, START) X(Irecv, START) X(Imrecv, START) \
	X(Iprobe, START) X(Improbe, START) X(Send_init, START) X(Bsend_init, START) \
	X(Ssend_init, START) X(Rsend_init, START) X(Recv_init, START) X(Start, START) \
	X(Startall, START) X(Request_free, START) X(Cancel, START) X(Test, START) \
	X(Testany, START) X(Testsome, START) X(Testall, START) X(Wait, WAIT) X(Waitany, WAIT) \
	X(Waitsome, WAIT) X(Waitall, WAIT) X(Barrier, BARRIER) X(Bcast, ONE_TO_ALL) \
	X(Scatter, ONE_TO_ALL) X(Scatterv, ONE_TO_ALL) X(Gather, ALL_TO_ONE) \
	X(Gatherv, ALL_TO_ONE) X(Reduce, ALL_TO_ONE) X(Allgather, NXN) X(Allgatherv, NXN) \
	X(Alltoall, NXN) X(Alltoallv, NXN) X(Alltoallw, NXN) X(Allreduce, NXN) \
	X(Reduce_scatter, NXN) X(Reduce_scatter_block, NXN) X(Scan, PREFIX) X(Exscan, PREFIX) \
	X(Ibarrier, START) X(Ibcast, START) X(Iscatter, START) X(Igather, START) \
	X(Ireduce, START) X(Iallgather, START) X(Ialltoall, START) X(Iallreduce, START) \
	X(Comm_dup, SETUP) X(Comm_create, SETUP) X(Comm_create_group, SETUP) \
	X(Comm_split, SETUP) X(Comm_split_type, SETUP) X(Cart_create, SETUP) X(Cart_sub, SETUP) \
	X(Graph_create, SETUP) X(Dist_graph_create, SETUP) X(Dist_graph_create_adjacent, SETUP) \
	X(Comm_free, SETUP) \
	X(Win_create, SETUP) X(Win_allocate, SETUP) X(Win_allocate_shared, SETUP) \
	X(Win_free, SETUP) X(Win_fence, ELSE) X(Win_post, ELSE) X(Win_start, ELSE) \
	X(Win_complete, ELSE) X(Win_wait, ELSE) X(Win_test, ELSE) X(Win_lock, ELSE) \
	X(Win_unlock, ELSE) X(Win_lock_all, ELSE) X(Win_unlock_all, ELSE) X(Win_flush, ELSE) \
	X(Win_flush_all, ELSE) X(Win_flush_local, ELSE) X(Win_flush_local_all, ELSE) \
	X(Put, ELSE) X(Get, ELSE) X(Accumulate, ELSE) X(Rput, ELSE) X(Rget, ELSE) \
	X(Fetch_and_op, ELSE) X(Compare_and_swap, ELSE)
/* clang-format on */

enum mpi_call_id {
	MPI_CALL_OUTSIDE, /* outside of MPI: counts as computing */
	MPI_CALL_COMPUTE, /* in a part that the program marked as computing */
	MPI_CALL_UNKNOWN, /* events are missing */
	MPI_CALL_OTHER,	  /* a call that has no row */
#define X(name_, shape_) MPI_CALL_##name_,
	MPI_CALLS(X)
#undef X
		MPI_CALL_N
};

/* By mpi_call_id: "MPI_Send"; "outside MPI", "compute", "unknown", "other MPI call". */
extern const char *const mpi_call_names[MPI_CALL_N];
enum mpi_shape mpi_call_shape(unsigned id);
/* "MPI_Send", or "PMPI_Send". MPI_CALL_OTHER: an MPI call without a row; MPI_CALL_OUTSIDE: not an
 * MPI call. */
unsigned mpi_call_find(const char *name, size_t len);

/* What a state counts as. */
enum mpi_class {
	MPI_COMPUTE,
	MPI_OUTSIDE, /* not in MPI, and not in a part that the program marked as computing */
	MPI_SETUP,
	MPI_POINT, /* point to point */
	MPI_COLLECTIVE,
	MPI_ELSE,
	MPI_UNKNOWN,
	MPI_N_CLASSES
};
extern const char *const mpi_class_names[MPI_N_CLASSES];
/* marked: the program marks the parts in which it computes. */
enum mpi_class mpi_call_class(unsigned id, bool marked);
/* May it wait for other ranks? */
bool mpi_call_blocks(unsigned id);
/* Does it only test whether an operation has completed? */
bool mpi_call_polls(unsigned id);

#endif
