/* Pairing: which traced host is the guest of which VM.
 *
 * In this order: what the user says; hypercalls with the same id on both sides; the schedule, tried
 * with each host, as a host that is not the guest contradicts nearly everywhere; and when only one
 * VM and one host are left that talk with each other, these. How it is known is told, because the
 * later ones are less certain. */
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

/* Sets guest and how of the schedule's VMs. m, r: the messages, and what they alone say of the
 * clocks. MER_ERR_USAGE: there is no such VM as the user says. */
int sync_pair_vms(struct mer_experiment *e, struct sync_schedule *s, const struct sync_messages *m,
	const struct sync_result *r, const struct sync_pairing_options *o, struct mer_err *err);

/* A guest's events in the stays of a VM, within what the messages say of both clocks. */
struct sync_vm_track {
	struct sync_track track;
	struct sync_cpu_gaps *cpus; /* malloc'ed; by the guest's CPU */
	size_t n_cpus;
	int64_t searched_ns; /* as in struct sync_vm */
};
/* most: events to look at; 0: all. The host's events are read if they are not yet. */
int sync_vm_follow(struct mer_experiment *e, struct sync_schedule *s, uint32_t vm, uint32_t guest,
	const struct sync_result *r, const struct sync_pairing_options *o, size_t most,
	struct sync_vm_track *t, struct mer_err *err);
void sync_vm_track_fini(struct sync_vm_track *t);

#endif
