/* Facts about MPI programs. Ranks are numbered within their program; programs are numbered, too,
 * as there may be several. Tasks are known if the kernel was recorded.
 *
 * What a rank did is reported twice: as mpi_call, whole calls, and as mpi_state, pieces of time
 * that tile the life of the rank: each is in one call or outside, waiting or not, on a CPU or
 * not. So the sum of the pieces is the elapsed time, in any window. */
#ifndef MER_ANALYSIS_FACTS_MPI_H
#define MER_ANALYSIS_FACTS_MPI_H

#include "analysis/fact.h"
#include "mpi/run.h"

enum mpi_on_cpu { MPI_CPU_UNKNOWN, MPI_OFF_CPU, MPI_ON_CPU };

struct mpi_state {
	struct fact fact; /* choice: enum mpi_class */
	int64_t tid;	  /* from the MPI events, -1: not known */
	int32_t rank, by; /* by: rank that it waited for; -1: it did not wait */
	uint32_t job;
	uint16_t call; /* enum mpi_call_id */
	uint8_t wait;  /* enum mpi_wait */
	uint8_t on_cpu;
};

struct mpi_call_fact {
	struct fact fact; /* choice: enum mpi_class; end FACT_UNKNOWN: it had not ended */
	int64_t tid, seq, wait_ns;
	uint64_t bytes;
	int32_t rank, peer, tag, by; /* -1: none */
	uint32_t job;
	uint16_t call;
	uint8_t wait, unused;
	/* polls: number of polls if it is a polling loop, otherwise 0 */
	uint32_t polls, unused_too;
};

/* On the receiving host. Lasts from the begin of the sending call to the end of the receiving
 * one. */
struct mpi_message_fact {
	struct fact fact; /* choice: enum mpi_wait */
	int64_t tid;	  /* of the thread that received it */
	int64_t comm, wait_ns;
	uint64_t bytes;
	int32_t from, to, tag;
	uint32_t job, from_host, to_host;
	uint8_t is_any, is_reversed, unused[6]; /* is_reversed: received before it was sent */
};

/* On the host of the rank that entered last. Lasts from the first entry to the last one. */
struct mpi_collective_fact {
	struct fact fact;
	int64_t tid; /* of the thread that entered last */
	int64_t comm, seq, waited;
	uint64_t bytes;
	int32_t first, last;
	uint32_t job, n;
	int64_t left_ns; /* from the last one's entry until all had left */
	uint16_t call, unused[3];
};

struct mpi_poll {	  /* a polling loop in one call, or outside of calls */
	struct fact fact; /* choice: enum mpi_class */
	int64_t cpu_ns;
	uint64_t calls;
	int32_t rank;
	uint32_t job;
	uint16_t call;
	uint8_t wait, unused[5];
};

struct mpi_syscall {	  /* a system call inside an MPI call */
	struct fact fact; /* choice: 1: it moves data between processes */
	int32_t rank;
	uint32_t job;
	uint32_t name; /* index in kernel_host.calls */
	uint16_t call;
	uint8_t wait;
	uint8_t is_first; /* the first one in its MPI call that moves data */
};

#endif
