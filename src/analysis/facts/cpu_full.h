/* Full: when a CPU was saturated. A mean hides this: one of 16 CPUs that is busy for seconds is
 * 6 % of all. Time is cut into windows of 0.1 s; a window is full when the CPU was idle for less
 * than a twentieth of it, and full windows count when they last for at least a second without a
 * gap. Time when it is not known what the CPU did does not count as busy. */
#ifndef MER_ANALYSIS_FACTS_CPU_FULL_H
#define MER_ANALYSIS_FACTS_CPU_FULL_H

#include <stdbool.h>
#include <stdint.h>

enum { CPU_FULL_WINDOW = 100000000, CPU_FULL_STRETCH = 10 * CPU_FULL_WINDOW };

struct cpu_full {	    /* of a CPU; zeroed at first */
	int64_t begin, end; /* of the current window */
	int64_t busy;	    /* busy time in the current window */
	int64_t stretch;    /* total length of the consecutive full windows up to `begin` */
};
struct cpu_full_times { /* consecutive full windows */
	int64_t begin, end;
};

/* The CPU was busy; times must rise from call to call. True: a row of full windows has ended
 * that is long enough to count. */
bool cpu_full_add(struct cpu_full *f, int64_t begin, int64_t end, struct cpu_full_times *ended);
/* No more busy time will come. */
bool cpu_full_end(struct cpu_full *f, struct cpu_full_times *ended);
/* How much of such a row counts in a part of the time: its whole windows inside that part, if
 * they are long enough. */
int64_t cpu_full_of(int64_t begin, int64_t end);

#endif
