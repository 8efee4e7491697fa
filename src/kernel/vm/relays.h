/* Relays: requests of guests that tasks of their hypervisor served.
 *
 *   guest's request → its CPU leaves the guest → a thread of the VM's process serves it, perhaps
 *   with others and its own disk → it sends an interrupt → the vCPU enters the guest with it → the
 *   guest completes the request
 *
 * What the guest's task waited for is then what those did. The models say when a request of a guest
 * was completed, on which CPU; with those of all hosts at hand it is looked who sent the
 * interrupt. */
#ifndef MER_KERNEL_VM_RELAYS_H
#define MER_KERNEL_VM_RELAYS_H

#include "base/err.h"
#include "kernel/vm/guests.h"

struct kernel_host;
struct sync_result;

/* While the guest is read: the request was completed in an interrupt that began at that time on
 * this CPU. False: no memory. */
bool kernel_relay_add(struct kernel_guest *g, uint32_t request, int64_t interrupted, uint16_t cpu);
/* Afterwards: those that are not what was thought are dropped. hosts: all of them, of which
 * those with vCPUs have them in vcpus. */
int kernel_relays_find(struct kernel_host *hosts, uint32_t n_hosts,
	const struct kernel_vcpus *vcpus, const struct sync_result *r, struct mer_err *err);
/* NULL: it was not served by a task that is known. */
const struct kernel_relay *kernel_relay_of(const struct kernel_guest *g, uint32_t request);

#endif
