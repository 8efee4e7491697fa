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
	struct mer_cancel *cancel;
};

/* Sets guest and how of the schedule's VMs. m, r: the messages, and what they alone say of the
 * clocks. MER_ERR_USAGE: there is no such VM as the user says. */
int sync_pair_vms(struct mer_experiment *e, struct sync_schedule *s, const struct sync_messages *m,
	const struct sync_result *r, const struct sync_pairing_options *o, struct mer_err *err);

/* What the messages say of the offset between the hypervisor's and the guest's clock. */
struct sync_vm_limits {
	struct sync_offset_limit *limits; /* malloc'ed; by time */
	size_t n;
	bool is_proven; /* by messages; else the recorded clocks are believed to some seconds */
	double max_drift;
};
int sync_vm_limits(const struct sync_result *r, uint32_t hypervisor, uint32_t guest,
	double max_drift, struct sync_vm_limits *l, struct mer_err *err);
void sync_vm_limits_free(struct sync_vm_limits *l);

/* The gaps of a VM's vCPUs by the guest's CPU; malloc'ed. */
int sync_vm_gaps(const struct sync_schedule *s, uint32_t vm, struct sync_cpu_gaps **cpus,
	size_t *n_cpus, struct mer_err *err);

#endif
