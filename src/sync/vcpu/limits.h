/* Limits: the limits of the offset between a hypervisor's and a guest's clock before the schedule
 * is evaluated. */
#ifndef MER_SYNC_VCPU_LIMITS_H
#define MER_SYNC_VCPU_LIMITS_H

#include "sync/result.h"
#include "sync/vcpu/track.h"

struct sync_vm_limits {
	struct sync_offset_limit *limits; /* malloc'ed; by time; none: no offset is possible */
	size_t n;
	double max_drift;
	/* 0: proven by messages. Else no messages connect the two, and the recorded clocks are
	 * assumed to differ by at most this; the next attempt allows more. */
	int64_t searched_ns;
	bool is_last; /* attempt */
};

struct sync_vm_question {
	uint32_t hypervisor, guest;
	struct sync_range events; /* time range of the guest's events that will be evaluated */
	double max_drift;
	unsigned attempt; /* 0, then 1, ... as long as none is the last */
};

/* r: the result from messages alone. */
int sync_vm_limits(const struct sync_result *r, const struct sync_vm_question *q,
	struct sync_vm_limits *l, struct mer_err *err);
void sync_vm_limits_free(struct sync_vm_limits *l);

#endif
