/* Switches: are the context switches of a host consistent? Each switch on a CPU takes off the
 * task that the previous one put there. If one does not, switches between them are missing that
 * no counter of the tracer reports: an option left them out, or the tracer is wrong. */
#ifndef MER_KERNEL_SWITCHES_H
#define MER_KERNEL_SWITCHES_H

#include "base/pool.h"
#include "trace/experiment.h"

struct kernel_switches {
	uint64_t n;	       /* but for the first of each CPU */
	uint64_t n_contradict; /* of these, those that take off another task */
	int64_t first;	       /* of these: its time */
	uint32_t trace;	       /* and its trace */
};

/* cancel may be NULL. */
int kernel_switches_count(struct mer_experiment *e, uint32_t host, struct mer_cancel *cancel,
	struct kernel_switches *s, struct mer_err *err);

#endif
