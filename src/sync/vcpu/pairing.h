/* Pairing: which traced host is the guest of which VM.
 *
 * In this order: what the user says; hypercalls with the same id on both sides; the schedule, tried
 * with each host, because a host that is not the guest contradicts it nearly everywhere; and if
 * only one VM and one host that exchange messages are left, these two. The result says which way it
 * was (sync_vm_how), because the later ones are less certain. */
#ifndef MER_SYNC_VCPU_PAIRING_H
#define MER_SYNC_VCPU_PAIRING_H

#include "sync/result.h"
#include "sync/vcpu/track.h"

struct sync_vm_given { /* as the user says: the host is the guest of this process */
	uint32_t guest, hypervisor, pid;
};

struct sync_pairing_options {
	const struct sync_vm_given *given;
	size_t n_given;
	double max_drift;
	unsigned n_threads; /* at least 1 */
	struct mer_cancel *cancel;
};

/* Sets guest and how of the schedule's VMs. m: the messages; r: the result from them alone.
 * MER_ERR_USAGE: a VM that the user names does not exist. */
int sync_pair_vms(struct mer_experiment *e, struct sync_schedule *s, const struct sync_messages *m,
	const struct sync_result *r, const struct sync_pairing_options *o, struct mer_err *err);

/* The stays of a VM in which a guest's events happened, within the limits that the messages set. */
struct sync_vm_track {
	struct sync_track track;
	struct sync_cpu_gaps *cpus; /* malloc'ed; by the guest's CPU */
	size_t n_cpus;
	int64_t searched_ns; /* as in struct sync_vm */
};
/* most: maximum of events to use; 0: all. Reads the guest's events unless they have been read. */
int sync_vm_follow(struct mer_experiment *e, struct sync_schedule *s, uint32_t vm, uint32_t guest,
	const struct sync_result *r, const struct sync_pairing_options *o, size_t most,
	struct sync_vm_track *t, struct mer_err *err);
void sync_vm_track_fini(struct sync_vm_track *t);

#endif
