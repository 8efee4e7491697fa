/* halo: a line (or, --periodic 1, a ring) of ranks that exchange the boundaries of their cells
 * with their neighbours after each iteration: 1-D decomposition, blocking calls.
 *
 *   mpirun -n 4 halo [--iters N] [--cells N] [--work-us N] [--periodic 1]
 *
 * Messages: 2 * (ranks - 1) for each iteration, periodic 2 * ranks; each of --cells doubles. */
#include "common.h"

int main(int argc, char **argv)
{
	int rank, size, left, right, wraps;
	MPI_Comm line;
	MPI_Init(&argc, &argv);
	long iters = option(argc, argv, "iters", 20), cells = option(argc, argv, "cells", 1000);
	long us = option(argc, argv, "work-us", 2000);
	wraps = option(argc, argv, "periodic", 0) != 0;
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &wraps, 0, &line);
	MPI_Comm_rank(line, &rank);
	MPI_Cart_shift(line, 0, 1, &left, &right);
	double *out = calloc((size_t)cells, sizeof(*out)), *in = calloc((size_t)cells, sizeof(*in));
	double sum = 0, mine = rank;
	for (long i = 0; i < iters; i++) {
		work_us(us);
		MPI_Sendrecv(out, (int)cells, MPI_DOUBLE, right, 1, in, (int)cells, MPI_DOUBLE,
			left, 1, line, MPI_STATUS_IGNORE);
		MPI_Sendrecv(out, (int)cells, MPI_DOUBLE, left, 2, in, (int)cells, MPI_DOUBLE,
			right, 2, line, MPI_STATUS_IGNORE);
	}
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, line);
	free(out);
	free(in);
	MPI_Comm_free(&line);
	MPI_Finalize();
	return sum == (double)size * (size - 1) / 2 ? 0 : 1;
}
