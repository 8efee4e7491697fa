/* Facts about tasks of guests: what of the time that they seemed to run they did run. */
#ifndef MER_ANALYSIS_FACTS_GUEST_H
#define MER_ANALYSIS_FACTS_GUEST_H

#include "analysis/fact.h"

enum guest_time_kind {
	GUEST_RAN, /* in the guest */
	GUEST_HYPERVISOR,
	GUEST_USER, /* in the process of its VM */
	GUEST_STOLEN,
	GUEST_UNKNOWN, /* what its vCPU did was not recorded */
	GUEST_N_KINDS
};

struct guest_time { /* a stretch on a CPU of the guest; choice: enum guest_time_kind */
	struct fact fact;
	uint32_t absence; /* in kernel_guest.absences; KERNEL_NONE */
	uint32_t unused;  /* 0: facts are saved as they are, without padding */
};

struct stolen { /* from when its CPU was taken away until it was back */
	struct fact fact;
};

enum vm_outlier_kind { OUTLIER_CALL, OUTLIER_USER };
struct vm_outlier { /* took more than usual; choice: enum vm_outlier_kind */
	struct fact fact;
	int64_t median;
	int64_t stolen, hypervisor; /* of it */
	uint32_t call;		    /* KERNEL_NONE: time in user mode, without events */
	uint32_t absence;	    /* the culprit (kernel/vm/culprit.h); KERNEL_NONE */
};

#endif
