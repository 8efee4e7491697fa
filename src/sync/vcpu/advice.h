/* Advice: what is to be said about guests and their clocks. */
#ifndef MER_SYNC_VCPU_ADVICE_H
#define MER_SYNC_VCPU_ADVICE_H

#include "sync/result.h"

/* Of the result's VMs. */
void sync_advise_vms(struct sync_result *r);
/* In the range, of the host's clock, nothing can be concluded from the schedule of the guest. */
void sync_advise_contradiction(
	struct sync_result *r, const struct sync_vm *vm, struct sync_range range, uint32_t host);

#endif
