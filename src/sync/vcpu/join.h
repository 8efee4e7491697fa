/* Join: the hosts' clocks by messages and by the schedules of their VMs together.
 *
 * First what the messages alone say, then, within that, in which stay of its vCPU each guest's
 * event happened (track.h). From then on the schedule consists of messages: what is received with a
 * guest's event was sent with the entry before it, and what it sends is received with the exit
 * after it. These limit the guest's clock from both sides, in the same solver as all others. */
#ifndef MER_SYNC_VCPU_JOIN_H
#define MER_SYNC_VCPU_JOIN_H

#include "sync/solve.h"
#include "sync/vcpu/pairing.h"

/* sync_solve for an experiment whose clock maps are not applied: with method auto (or vcpu) also
 * with what its VMs' schedules say. The result has the VMs in any case. given may be NULL. */
int sync_join(struct mer_experiment *e, const struct sync_messages *m,
	const struct sync_host_info *hosts, const struct sync_options *o,
	struct sync_result **result, struct mer_err *err);

#endif
