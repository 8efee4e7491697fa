/* Outside: counts the events of guests that, by a result's clocks, happened while their vCPU was
 * not running the guest. That is impossible, so the fewer, the better the clocks. */
#ifndef MER_SYNC_VCPU_OUTSIDE_H
#define MER_SYNC_VCPU_OUTSIDE_H

#include "sync/result.h"
#include "sync/vcpu/schedule.h"

/* Fills n_compared and n_outside of each VM whose guest's events were read; vms: same order as in
 * the schedule. False: no memory. */
bool sync_count_outside(
	const struct sync_schedule *s, const struct sync_result *r, struct sync_vm *vms);

#endif
