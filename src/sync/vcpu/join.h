/* Join: synchronizes hosts by messages and by the schedules of their VMs together.
 *
 * First it solves with the messages alone. Within those limits it finds the stay of its vCPU in
 * which each event of a guest happened (track.h). The schedule then becomes messages: one from the
 * entry before a guest's event to that event, one from the event to the exit after it. These limit
 * the guest's clock from both sides, in the same solver as all other messages. */
#ifndef MER_SYNC_VCPU_JOIN_H
#define MER_SYNC_VCPU_JOIN_H

#include "sync/solve.h"
#include "sync/vcpu/pairing.h"

/* sync_solve for an experiment whose clock maps are not applied: with method auto (or vcpu) the
 * schedules of its VMs count too. The result lists the VMs in any case. given may be NULL. */
int sync_join(struct mer_experiment *e, const struct sync_messages *m,
	const struct sync_host_info *hosts, const struct sync_options *o,
	struct sync_result **result, struct mer_err *err);

#endif
