/*
 * Time, and CPU time that is used up. The loop's speed is measured once, at full load; after that
 * a given CPU time is a given number of turns, without a system call that would be in the trace.
 */
#include "work.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t work_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}
int64_t work_cpu(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* The result is used, and the compiler cannot know it: so it is computed. */
static void turn(uint64_t turns)
{
	volatile uint32_t result;
	uint32_t x = 1;
	for (uint64_t i = 0; i < turns; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
	}
	result = x;
	(void)result;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

void work_calibrate(struct worker *worker, int times, int ms)
{
	enum { MOST = 99 };
	double rates[MOST];
	uint64_t turns = 100000;
	if (times > MOST)
		times = MOST;
	for (int i = 0; i < times; i++) {
		struct step step = worker_begin(worker, "calibrate", i);
		uint64_t done = 0;
		int64_t begin = work_cpu(), cpu;
		/* By CPU time: what others do on the CPU meanwhile does not count. */
		do {
			turn(turns);
			done += turns;
			cpu = work_cpu() - begin;
		} while (cpu < (int64_t)ms * 1000000);
		worker_done(worker, &step);
		rates[i] = (double)done / (double)cpu;
	}
	qsort(rates, (size_t)times, sizeof *rates, by_size);
	worker->work->turns_per_ns = rates[times / 2];
}

void work_hog(const struct work *work, int64_t ns)
{
	if (ns > 0)
		turn((uint64_t)((double)ns * work->turns_per_ns));
}

void work_sleep(int64_t ns)
{
	struct timespec left = { ns / 1000000000, ns % 1000000000 };
	while (nanosleep(&left, &left) != 0 && errno == EINTR && !work_stopped())
		;
}
