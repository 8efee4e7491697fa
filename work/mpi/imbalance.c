/* imbalance: all ranks compute and meet at a barrier; in each cycle another one is slowest.
 *
 *   mpirun -n 4 imbalance [--iters N] [--work-us N] [--ust LIBRARY] [--truth 1]
 *
 * In cycle i, rank r computes work * (1 + (r + i) % ranks): so the last to enter is the rank with
 * (r + i) % ranks = ranks - 1, and the others wait for it. On fewer CPUs than ranks that may be
 * another one.
 *
 * --ust: events of LTTng-UST, mpi_imbalance:*, by mpi-imbalance-ust.so. --truth: a line for each
 * rank and cycle: "truth RANK CYCLE START WAIT_0 WAIT_1 AWAKE_0 AWAKE_1", ns of CLOCK_MONOTONIC:
 * the event of waiting lies between the first two of WAIT, that of having waited between those of
 * AWAKE. */
#include <dlfcn.h>
#include <stdint.h>

#include "common.h"

enum { START, WAIT, AWAKE };

static void no_event(int what, int32_t worker, int32_t cycle)
{
	(void)what;
	(void)worker;
	(void)cycle;
}

static void (*event)(int what, int32_t worker, int32_t cycle) = no_event;

static int load(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW),
	     *found = handle ? dlsym(handle, "imbalance_event") : NULL;
	if (!found) {
		fprintf(stderr, "imbalance: --ust %s: %s\n", library, dlerror());
		return 1;
	}
	memcpy(&event, &found, sizeof(event));
	return 0;
}

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(int argc, char **argv)
{
	int rank, size;
	const char *ust = text_option(argc, argv, "ust");
	if (ust && load(ust))
		return 2;
	MPI_Init(&argc, &argv);
	long iters = option(argc, argv, "iters", 8), us = option(argc, argv, "work-us", 5000);
	long truth = option(argc, argv, "truth", 0);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Barrier(MPI_COMM_WORLD);
	for (long i = 0; i < iters; i++) {
		long long t[5] = { now() };
		event(START, rank, (int32_t)i);
		work_us(us * (1 + (rank + i) % size));
		t[1] = now();
		event(WAIT, rank, (int32_t)i);
		t[2] = now();
		MPI_Barrier(MPI_COMM_WORLD);
		t[3] = now();
		event(AWAKE, rank, (int32_t)i);
		t[4] = now();
		if (truth)
			printf("truth %d %ld %lld %lld %lld %lld %lld\n", rank, i, t[0], t[1], t[2],
				t[3], t[4]);
	}
	MPI_Finalize();
	return 0;
}
