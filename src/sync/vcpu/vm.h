/* VMs: which virtual machines the traced hosts run, and which traced host is the guest of which.
 *
 * A vCPU is a thread of a host that has entries into and exits from a guest (kvm_x86_entry and
 * kvm_x86_exit, kvm_entry and kvm_exit); a VM is its process. CPU n of the guest is the vCPU with
 * the id n. A host may be the guest of one VM and run others (nested). */
#ifndef MER_SYNC_VCPU_VM_H
#define MER_SYNC_VCPU_VM_H

#include "sync/limits/drift.h"

enum sync_vm_how {	    /* how it is known which traced host is the guest */
	SYNC_VM_UNKNOWN,    /* it is not known: guest is SYNC_NO_GUEST */
	SYNC_VM_GIVEN,	    /* the user said so */
	SYNC_VM_HYPERCALLS, /* hypercalls with the same id were recorded on both sides (vmsync) */
	SYNC_VM_SCHEDULE,   /* the guest's events fit to the entries and exits of this VM, and of
				no other one */
	SYNC_VM_ADDRESSES,  /* of all VMs only this one runs on a host that the guest talks to, and
				of all hosts only this one can be its guest */
	SYNC_VM_N_HOW
};
const char *sync_vm_how_name(enum sync_vm_how); /* "given", "hypercalls", ... */

struct sync_vcpu {
	uint32_t id;  /* the guest's CPU */
	uint32_t tid; /* the thread on the hypervisor */
};

enum { SYNC_NO_GUEST = UINT32_MAX, SYNC_NO_PID = UINT32_MAX };

struct sync_vm {
	uint32_t hypervisor; /* host whose trace has its entries and exits */
	uint32_t guest;	     /* host whose trace was recorded in the VM; SYNC_NO_GUEST */
	uint32_t pid;	     /* its process on the hypervisor; SYNC_NO_PID: not recorded; its
				vCPUs are then the threads that seem to belong together */
	const char *name;    /* of the process or of its first vCPU's thread, "": not recorded */
	enum sync_vm_how how;
	const struct sync_vcpu *vcpus; /* by id, then tid */
	uint32_t n_vcpus;
	/* n_events: events of the guest that were used (the others add nothing); n_certain: those
	 * whose stay is certain; n_bad: those that contradict all others. */
	uint64_t n_events, n_certain, n_bad;
	/* With sync_options.count_outside: of n_compared events, n_outside happened while the guest
	 * did not run, by the clocks of the result. */
	uint64_t n_compared, n_outside;
	/* 0: messages limit both clocks. Else there are none, and the offset was searched within
	 * this distance of the recorded clocks; INT64_MAX: anywhere. */
	int64_t searched_ns;
	/* Parts of the guest's clock in which its schedule contradicts its events, so that nothing
	 * can be concluded there. */
	const struct sync_range *contradictions;
	uint32_t n_contradictions;
};

#endif
