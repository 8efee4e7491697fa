/* Facts about vCPUs: their structs, for tables that are made of them. */
#ifndef MER_ANALYSIS_FACTS_VCPU_H
#define MER_ANALYSIS_FACTS_VCPU_H

#include "analysis/fact.h"

struct vcpu_stay { /* task: the vCPU's thread; choice: enum kernel_vcpu_state */
	struct fact fact;
	uint32_t by;   /* PREEMPTED: task that had the CPU longest meanwhile; KERNEL_NONE */
	uint32_t exit; /* kernel/vm/exits.h; KERNEL_NONE */
	int32_t id;    /* of the vCPU; -1 */
	uint32_t unused;
};

enum vm_exit_kind { VM_EXIT_ANY, VM_EXIT_SPIN /* the guest spins for a lock */ };

struct vm_exit { /* from the exit until the next entry; choice: enum vm_exit_kind */
	struct fact fact;
	uint32_t exit;
	int32_t id;
	uint32_t guest;	   /* traced host that was left; KERNEL_NONE: not known */
	int32_t guest_tid; /* of the task that was on its CPU, 0: idle; -1: not known */
	/* SPIN: the vCPU of the same VM that was preempted then, since longest; -1: none was. Its
	 * guest has the lock, perhaps. by: the task that had its CPU; KERNEL_NONE. */
	int32_t sibling;
	uint32_t by;
};

/* What a CPU of a hypervisor did for a guest: the task that ran in it; task: the vCPU's thread. */
struct vm_fused {
	struct fact fact;
	uint32_t guest;	   /* host; KERNEL_NONE: not known */
	int32_t guest_tid; /* 0: idle; -1: not known */
	int32_t id;	   /* of the vCPU */
	uint32_t unused;
};

#endif
