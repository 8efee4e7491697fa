/* Advice: diagnostics about guests and their clocks. */
#ifndef MER_SYNC_VCPU_ADVICE_H
#define MER_SYNC_VCPU_ADVICE_H

#include "sync/result.h"

/* Adds the diagnostics of the result's VMs. */
void sync_advise_vms(struct sync_result *r);
/* Adds the diagnostic that nothing can be concluded from the guest's schedule within the range of
 * the host's clock. */
void sync_advise_contradiction(
	struct sync_result *r, const struct sync_vm *vm, struct sync_range range, uint32_t host);

#endif
