/* Schedule: when the vCPUs of the traced hosts were not running their guests, and when events
 * happened in the guests.
 *
 * What a hypervisor's trace proves is the gaps: an exit that is directly followed by an entry of
 * the same thread, with no lost events in between. At all other times the guest may have run: where
 * only an exit or only an entry was recorded, before the first and after the last of them. So
 * missing events never make a wrong gap. */
#ifndef MER_SYNC_VCPU_SCHEDULE_H
#define MER_SYNC_VCPU_SCHEDULE_H

#include "base/pool.h"
#include "base/spill.h"
#include "sync/vcpu/vm.h"
#include "trace/experiment.h"

/* Hypervisor's clock; nothing happens in the guest between the two. exit: the exit, or the
 * interrupt that caused it if that was recorded first. */
struct sync_gap {
	int64_t exit, entry;
};

struct sync_vcpu_thread {
	uint32_t host, tid, pid; /* pid: SYNC_NO_PID */
	uint32_t id;		 /* of the vCPU; UINT32_MAX: not known yet */
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

struct sync_hypercaller { /* a thread or guest that has hypercalls with this id */
	uint64_t uid;
	uint32_t host;
	uint32_t thread_tid; /* on the hypervisor; 0: seen on the guest's side */
};

struct sync_schedule {
	struct sync_vcpu_thread *threads; /* malloc'ed; by VM, then id, then tid */
	uint32_t n_threads, cap_threads;
	struct sync_vm *vms;	 /* malloc'ed */
	struct sync_vcpu *vcpus; /* as threads */
	uint32_t *first;	 /* index of the first thread of each VM, and one more */
	uint32_t n_vms;
	struct sync_guest_events *guests; /* as hosts; malloc'ed */
	uint32_t n_hosts;
	struct sync_hypercaller *callers; /* malloc'ed */
	uint32_t n_callers, cap_callers;
	struct mer_spill *spill;
};

/* Reads the entries and exits of all hosts; s must be freed also after a failure. Without any,
 * n_vms is 0; of hosts without classes of such events only metadata is read. */
int sync_schedule_read(struct mer_experiment *e, struct mer_cancel *cancel, struct sync_schedule *s,
	struct mer_err *err);
/* Reads the times of the host's events, once. Of events that follow each other on a CPU faster than
 * a switch to the hypervisor and back, only the first and the last are kept. */
int sync_schedule_read_guest(struct mer_experiment *e, uint32_t host, struct mer_cancel *cancel,
	struct sync_schedule *s, struct mer_err *err);
void sync_schedule_free(struct sync_schedule *s);

#endif
