/* Runs: which task was on which CPU of a host when, from its context switches alone: for who wants
 * that before the host's model has run. */
#ifndef MER_KERNEL_VM_RUNS_H
#define MER_KERNEL_VM_RUNS_H

#include "base/map.h"
#include "base/pool.h"
#include "trace/experiment.h"

struct kernel_run {
	int32_t tid; /* 0: none; -1: not known */
	const char *comm;
};

struct kernel_runs { /* zeroed: empty */
	struct mer_arena arena;
	struct mer_intern comms;
	struct kernel_runs_cpu {
		struct kernel_runs_change {
			int64_t time;
			int32_t tid;
			uint32_t comm;
		} * changes; /* a block of spill */
		uint32_t n, cap;
	} * cpus;
	uint32_t n_cpus;
	bool is_read;
};

int kernel_runs_read(struct mer_experiment *e, uint32_t host, struct mer_cancel *cancel,
	struct kernel_runs *r, struct mer_err *err);
void kernel_runs_fini(struct kernel_runs *r);
/* What ran there at that time, and until when. */
int64_t kernel_run_at(
	const struct kernel_runs *r, uint16_t cpu, int64_t time, struct kernel_run *run);

#endif
