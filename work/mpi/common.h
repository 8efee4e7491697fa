/* What the workloads share: options as --name NUMBER, and work that takes CPU time. */
#ifndef WORK_MPI_COMMON_H
#define WORK_MPI_COMMON_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The number after --name; `otherwise` without it. */
static inline long option(int argc, char **argv, const char *name, long otherwise)
{
	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, name) == 0)
			return i + 1 < argc ? strtol(argv[i + 1], NULL, 10) : otherwise;
	return otherwise;
}

/* The text after --name; NULL: it is not there. */
static inline const char *text_option(int argc, char **argv, const char *name)
{
	for (int i = 1; i + 1 < argc; i++)
		if (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, name) == 0)
			return argv[i + 1];
	return NULL;
}

/* Computes for so long, on its CPU. */
static inline void work_us(long us)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	long long end = t.tv_sec * 1000000000ll + t.tv_nsec + us * 1000ll;
	volatile double x = 1;
	do {
		for (int i = 0; i < 1000; i++)
			x = x * 1.0000001 + 1e-9;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000000000ll + t.tv_nsec < end);
}

#endif
