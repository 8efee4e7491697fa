/* threads: each rank has two threads, each with a communicator of its own, that send around a ring
 * at the same time (MPI_THREAD_MULTIPLE).
 *
 *   mpirun -n 4 threads [--iters N]
 *
 * Messages: --iters (10) for each rank and thread. */
#include <pthread.h>

#include "common.h"

static long iters;

static void *around(void *arg)
{
	MPI_Comm comm = *(MPI_Comm *)arg;
	int rank, size, out, in = 0;
	MPI_Request requests[2];
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	for (long i = 0; i < iters; i++) {
		out = rank;
		MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 3, comm, &requests[0]);
		MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 3, comm, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int provided;
	pthread_t thread;
	MPI_Comm comms[2];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	iters = option(argc, argv, "iters", 10);
	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	if (provided == MPI_THREAD_MULTIPLE) {
		pthread_create(&thread, NULL, around, &comms[0]);
		around(&comms[1]);
		pthread_join(thread, NULL);
	} else { /* one after the other */
		around(&comms[0]);
		around(&comms[1]);
	}
	for (int i = 0; i < 2; i++)
		MPI_Comm_free(&comms[i]);
	MPI_Finalize();
	return 0;
}
