/* master: rank 0 gives tasks to the others, and takes results from whoever is done first.
 *
 *   mpirun -n 4 master [--tasks N] [--work-us N]
 *
 * Messages: a task and a result for each task, and a stop for each worker. Results are received
 * from any source; task t takes work * (1 + t % 3). */
#include "common.h"

enum { TASK = 1, RESULT = 2, STOP = -1 };

static void give(int tasks, int size)
{
	int next = 0, busy = 0, task = STOP, from;
	MPI_Status status;
	for (int r = 1; r < size; r++) {
		task = next < tasks ? next++ : STOP;
		busy += task != STOP;
		MPI_Send(&task, 1, MPI_INT, r, TASK, MPI_COMM_WORLD);
	}
	while (busy > 0) {
		MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
		task = next < tasks ? next++ : STOP;
		busy -= task == STOP;
		MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
	}
}

static void take(long us)
{
	MPI_Request request;
	for (int task = 0;;) {
		MPI_Irecv(&task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (task == STOP)
			return;
		work_us(us * (1 + task % 3));
		MPI_Send(&task, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0)
		give((int)option(argc, argv, "tasks", 30), size);
	else
		take(option(argc, argv, "work-us", 2000));
	MPI_Finalize();
	return 0;
}
