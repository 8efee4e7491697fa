/* Full: how long a CPU had no time to spare. A mean hides it: one of 16 CPUs that works without a pause for
 * seconds is 6 % of all. Time is cut into windows of 0.1 s; one is full when the CPU was idle for less than a
 * twentieth of it, and full windows count when a second of them follow each other. Time of which it is not
 * known what the CPU did is not busy. */
#ifndef MER_ANALYSIS_REPORTS_CPU_FULL_H
#define MER_ANALYSIS_REPORTS_CPU_FULL_H

#include "analysis/reports/cpu_use.h"

enum { CPU_FULL_WINDOW = 100000000, CPU_FULL_STRETCH = 10 * CPU_FULL_WINDOW };

/* The CPU was busy; times rise from call to call. */
void cpu_full_add(struct cpu_full *f, int64_t begin, int64_t end);
/* Nothing comes any more: f->ns is right. */
void cpu_full_end(struct cpu_full *f);

#endif
