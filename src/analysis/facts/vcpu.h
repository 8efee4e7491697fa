/* Facts about vCPUs: structs for tables made of them. */
#ifndef MER_ANALYSIS_FACTS_VCPU_H
#define MER_ANALYSIS_FACTS_VCPU_H

#include "analysis/fact.h"

struct vcpu_stay { /* task: the vCPU's thread; choice: enum kernel_vcpu_state */
	struct fact fact;
	/* PREEMPTED: the task that had the CPU for the longest part of that time; KERNEL_NONE */
	uint32_t by;
	uint32_t exit; /* kernel/vm/exits.h; KERNEL_NONE */
	int32_t id;    /* of the vCPU; -1 */
	uint32_t unused;
};

enum vm_exit_kind { VM_EXIT_ANY, VM_EXIT_SPIN /* the guest spins on a lock */ };

struct vm_exit { /* from the exit until the next entry; choice: enum vm_exit_kind */
	struct fact fact;
	uint32_t exit;
	int32_t id;
	uint32_t guest;	   /* the traced host that exited; KERNEL_NONE: not known */
	int32_t guest_tid; /* the guest's task on that vCPU, 0: idle; -1: not known */
	/* SPIN: the vCPU of the same VM that had been preempted longest at that time; -1: none.
	 * It may hold the guest's lock. by: the task that had its CPU; KERNEL_NONE. */
	int32_t sibling;
	uint32_t by;
};

/* What a CPU of a hypervisor did for a task of a guest; task: the thread of the vCPU. */
struct vm_fused {
	struct fact fact;
	uint32_t guest;	   /* host; KERNEL_NONE: not known */
	int32_t guest_tid; /* 0: idle; -1: not known */
	int32_t id;	   /* of the vCPU */
	uint32_t unused;
};

#endif
