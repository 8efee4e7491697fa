/* Outside: how many events of guests happened, by a result's clocks, while their CPU was not in the
 * guest. They cannot, so the fewer there are, the better the clocks. */
#ifndef MER_SYNC_VCPU_OUTSIDE_H
#define MER_SYNC_VCPU_OUTSIDE_H

#include "sync/result.h"
#include "sync/vcpu/schedule.h"

/* Fills n_outside of each VM whose guest's events were read; vms: as the schedule's. False: no
 * memory. */
bool sync_count_outside(
	const struct sync_schedule *s, const struct sync_result *r, struct sync_vm *vms);

#endif
