/* Full: when a CPU had no time to spare. A mean hides it: one of 16 CPUs that works without a pause
 * for seconds is 6 % of all. Time is cut into windows of 0.1 s; one is full when the CPU was idle
 * for less than a twentieth of it, and full windows count when a second of them follow each other.
 * Time of which it is not known what the CPU did is not busy. */
#ifndef MER_ANALYSIS_FACTS_CPU_FULL_H
#define MER_ANALYSIS_FACTS_CPU_FULL_H

#include <stdbool.h>
#include <stdint.h>

enum { CPU_FULL_WINDOW = 100000000, CPU_FULL_STRETCH = 10 * CPU_FULL_WINDOW };

struct cpu_full {	    /* of a CPU; zeroed at first */
	int64_t begin, end; /* of the window that is being filled */
	int64_t busy;	    /* of it */
	int64_t stretch;    /* length of the full windows in a row up to `begin` */
};
struct cpu_full_times { /* full windows in a row */
	int64_t begin, end;
};

/* The CPU was busy; times rise from call to call. True: a row of full windows has ended, which was
 * at least as long as counts. */
bool cpu_full_add(struct cpu_full *f, int64_t begin, int64_t end, struct cpu_full_times *ended);
/* Nothing comes any more. */
bool cpu_full_end(struct cpu_full *f, struct cpu_full_times *ended);
/* What of such a row counts in a part of the time: the whole windows in it, when they are long
 * enough. */
int64_t cpu_full_of(int64_t begin, int64_t end);

#endif
