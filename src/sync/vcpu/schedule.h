/* Schedule: when the vCPUs of the traced hosts were not in their guests, and when something
 * happened in the guests.
 *
 * What a hypervisor's trace proves is the gaps: an exit that is directly followed by an entry of
 * the same thread, with no lost events in between. All other time may have been spent in the guest:
 * where only one of both was recorded, before the first and after the last of them. So what is
 * missing in a trace never makes a wrong gap. */
#ifndef MER_SYNC_VCPU_SCHEDULE_H
#define MER_SYNC_VCPU_SCHEDULE_H

#include "base/pool.h"
#include "base/spill.h"
#include "sync/vcpu/vm.h"
#include "trace/experiment.h"

/* Hypervisor's clock; nothing happens in the guest between them. exit: or the interrupt that took
 * the CPU out of the guest, where that was told first. */
struct sync_gap {
	int64_t exit, entry;
};

struct sync_vcpu_thread {
	uint32_t host, tid, pid; /* pid: SYNC_NO_PID */
	uint32_t id;		 /* of the vCPU; UINT32_MAX while not known */
	char name[32];
	uint32_t vm;	       /* number in the schedule */
	struct sync_gap *gaps; /* a block of spill; by time */
	size_t n, cap;
	uint64_t n_exits;
};

struct sync_guest_event { /* the guest's clock */
	int64_t time;
	uint32_t cpu;
};

struct sync_guest_events {		 /* by time */
	struct sync_guest_event *events; /* a block of spill */
	size_t n, cap;
	bool is_read;
};

struct sync_hypercaller { /* a guest by the id of its hypercalls */
	uint64_t uid;
	uint32_t host;
	uint32_t thread_tid; /* on the hypervisor; 0: it is the guest's side */
};

struct sync_schedule {
	struct sync_vcpu_thread *threads; /* malloc'ed; by VM, then id, then tid */
	uint32_t n_threads, cap_threads;
	struct sync_vm *vms;	 /* malloc'ed */
	struct sync_vcpu *vcpus; /* as threads */
	uint32_t *first;	 /* as vms, and one more: of its threads */
	uint32_t n_vms;
	struct sync_guest_events *guests; /* as hosts; malloc'ed */
	uint32_t n_hosts;
	struct sync_hypercaller *callers; /* malloc'ed */
	uint32_t n_callers, cap_callers;
	struct mer_spill *spill;
};

/* Reads the entries and exits of all hosts; s is freed in any case. Without any, n_vms is 0 and
 * nothing but metadata was read where no class of such events is. */
int sync_schedule_read(struct mer_experiment *e, struct mer_cancel *cancel, struct sync_schedule *s,
	struct mer_err *err);
/* Reads when something happened on the host, once. Of events that follow each other on a CPU faster
 * than anything can go to the hypervisor and back, the first and the last are enough. */
int sync_schedule_read_guest(struct mer_experiment *e, uint32_t host, struct mer_cancel *cancel,
	struct sync_schedule *s, struct mer_err *err);
void sync_schedule_free(struct sync_schedule *s);

#endif
