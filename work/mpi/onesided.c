/* onesided: each rank puts its number into its right neighbour's window, and reads its left one's:
 * with fences, then under a lock.
 *
 *   mpirun -n 4 onesided [--iters N] [--verify 0]
 *
 * Each iteration: 2 MPI_Win_fence, MPI_Put; MPI_Win_lock, MPI_Get, MPI_Win_unlock. No messages.
 * Fails when a value was not what was put, which happens where the library's one-sided calls do
 * not work (MPICH 4.0 over UCX, in some containers); --verify 0: whatever came. */
#include "common.h"

int main(int argc, char **argv)
{
	int rank, size, mine[2] = { -1, -1 }, read = -1, wrong = 0;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	long iters = option(argc, argv, "iters", 5), verify = option(argc, argv, "verify", 1);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	MPI_Win_create(mine, sizeof(mine), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (long i = 0; i < iters; i++) {
		MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
		MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
		MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
		wrong += mine[0] != left;
		MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
		MPI_Get(&read, 1, MPI_INT, right, 0, 1, MPI_INT, win);
		MPI_Win_unlock(right, win);
		wrong += read != rank;
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return verify && wrong != 0;
}
