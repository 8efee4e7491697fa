/* Facts about tasks of guests: for how much of the time when they seemed to run they really ran. */
#ifndef MER_ANALYSIS_FACTS_GUEST_H
#define MER_ANALYSIS_FACTS_GUEST_H

#include "analysis/fact.h"

enum guest_time_kind {
	GUEST_RAN, /* in the guest */
	GUEST_HYPERVISOR,
	GUEST_USER, /* in the process of its VM */
	GUEST_STOLEN,
	GUEST_UNKNOWN, /* not recorded what its vCPU did */
	GUEST_N_KINDS
};

/* a stretch of time on a CPU of the guest; choice: enum guest_time_kind */
struct guest_time {
	struct fact fact;
	uint32_t absence; /* index in kernel_guest.absences; KERNEL_NONE */
	/* 0: facts are saved with all their bytes, so there must be no padding */
	uint32_t unused;
};

struct stolen { /* from when the guest's CPU was taken away until it was back */
	struct fact fact;
};

enum vm_outlier_kind { OUTLIER_CALL, OUTLIER_USER };
/* something that took longer than usual; choice: enum vm_outlier_kind */
struct vm_outlier {
	struct fact fact;
	int64_t median;
	int64_t stolen, hypervisor; /* stolen time and hypervisor time in it */
	uint32_t call;		    /* KERNEL_NONE: a stretch in user mode, without events */
	uint32_t absence;	    /* the culprit (kernel/vm/culprit.h); KERNEL_NONE */
};

#endif
