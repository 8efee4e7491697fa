/* Stays: from when a thread comes onto a CPU until it leaves it, interrupts included. */
#ifndef MER_ANALYSIS_REPORTS_CPU_STAYS_H
#define MER_ANALYSIS_REPORTS_CPU_STAYS_H

#include "analysis/rows.h"

enum cpu_stay_end {
	CPU_STAY_UNKNOWN,   /* the recording ended, events were lost, or it was not seen */
	CPU_STAY_PREEMPTED, /* it could have gone on */
	CPU_STAY_BLOCKED,
	CPU_STAY_STOPPED,
	CPU_STAY_EXITED,
	CPU_STAY_MOVED /* onto another CPU, without that it was seen to leave this one */
};

struct cpu_stay {
	struct analysis_row row;
	int64_t begin, end;
	int64_t interrupted; /* ns of it */
	uint32_t task;
	uint16_t cpu;
	uint8_t how; /* enum cpu_stay_end */
	bool is_open;
};

struct cpu_stays {		      /* zeroed: empty */
	struct cpu_stay *open;	      /* by task: that it is in, or was last */
	struct analysis_stats *stats; /* by task */
	size_t cap_open, cap_stats;
	struct analysis_histogram freq;
	struct analysis_rows log;
};

/* A span of a task ended: all of them, in order. False: no memory. */
bool cpu_stays_add(struct analysis_host *a, struct cpu_stays *s, const struct kernel_host *h,
	const struct kernel_span *k, int64_t end);
/* After the last one. */
bool cpu_stays_end(struct analysis_host *a, struct cpu_stays *s, const struct kernel_host *h);
void cpu_stays_fini(struct cpu_stays *s);

#endif
