/* overhead: what a call of MPI costs, for a look at what an interposer adds. One rank, which
 * sends to itself.
 *
 *   mpirun -n 1 overhead [--calls N]
 *
 * Prints ns a call, the least of 5 rounds: of MPI_Test without a request, and of MPI_Irecv,
 * MPI_Send, MPI_Wait of a message (a third of the three together). */
#include "common.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double tests(long n)
{
	MPI_Request request = MPI_REQUEST_NULL;
	int flag;
	double begin = now();
	for (long i = 0; i < n; i++)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	return (now() - begin) / (double)n;
}

static double messages(long n)
{
	MPI_Request request;
	int in, out = 1;
	double begin = now();
	for (long i = 0; i < n; i++) {
		MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
		MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	return (now() - begin) / (double)n / 3;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	long n = option(argc, argv, "calls", 30000);
	double test = 1e9, message = 1e9;
	for (int i = 0; i < 5; i++) {
		double t = tests(n), m = messages(n / 3);
		test = t < test ? t : test;
		message = m < message ? m : message;
	}
	printf("MPI_Test %.0f ns, MPI_Irecv + MPI_Send + MPI_Wait %.0f ns a call\n", test, message);
	MPI_Finalize();
	return 0;
}
