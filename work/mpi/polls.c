/* polls: rank 0 polls with MPI_Test for a message that rank 1 sends late.
 *
 *   mpirun -n 2 polls [--late-ms MS] [--tell FILE]
 *
 * MS -1: it never comes, and the program has to be killed. FILE is made when rank 0 has polled for
 * a while. Prints how often it polled. */
#include "common.h"

int main(int argc, char **argv)
{
	int rank, value = 1, flag = 0;
	long late, polls = 0;
	const char *tell = text_option(argc, argv, "tell");
	MPI_Request request;
	MPI_Init(&argc, &argv);
	late = option(argc, argv, "late-ms", 100);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Irecv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
		for (; !flag; polls++) {
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
			FILE *f = tell && polls == 100000 ? fopen(tell, "w") : NULL;
			if (f)
				fclose(f);
		}
		printf("%ld polls\n", polls);
	} else if (rank == 1 && late >= 0) {
		struct timespec t = { late / 1000, late % 1000 * 1000000 };
		nanosleep(&t, NULL);
		MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
