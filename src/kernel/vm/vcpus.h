/* vCPUs: what the threads that run guests did when, from the hypervisor's side.
 *
 * A vCPU is a thread of a host whose kernel recorded that it entered or left a guest. Its stays
 * tile its life: each begins where the one before it ends, and what is not known is a stay of its
 * own. They are read ahead of the models (model.h), because the model of the guest needs them: a
 * reading of the switches, wake-ups, entries and exits of hosts that record entries; other hosts
 * cost nothing. Which vCPU is which CPU of which traced guest is the matter of guests.h. */
#ifndef MER_KERNEL_VM_VCPUS_H
#define MER_KERNEL_VM_VCPUS_H

#include <stdbool.h>
#include "base/map.h"
#include "base/pool.h"
#include "kernel/span.h"
#include "trace/experiment.h"

enum kernel_vcpu_state {
	KERNEL_VCPU_UNKNOWN, /* events were lost */
	KERNEL_VCPU_GUEST,
	KERNEL_VCPU_HYPERVISOR, /* its thread is in the kernel for it, or waits there */
	KERNEL_VCPU_USER,	/* the same in its process: devices that are emulated there */
	KERNEL_VCPU_PREEMPTED,	/* its thread would run on, and others have the CPU */
	KERNEL_VCPU_HALTED,	/* its guest has nothing to do: its thread sleeps */
	KERNEL_VCPU_RUNNABLE,	/* its thread was woken, and others still have the CPU */
	KERNEL_VCPU_N_STATES
};
/* Do others have the CPU on which its thread would run? */
static inline bool kernel_vcpu_waits(enum kernel_vcpu_state s)
{
	return s == KERNEL_VCPU_PREEMPTED || s == KERNEL_VCPU_RUNNABLE;
}
extern const char *const kernel_vcpu_state_names[KERNEL_VCPU_N_STATES];

struct kernel_vcpu_stay {
	int64_t begin; /* ns, common time line; ends where the next one begins */
	/* Why the guest was left last (exits.h); KERNEL_NONE: it is in the guest, or not known. */
	uint32_t exit;
	uint32_t by;  /* PREEMPTED, RUNNABLE: which runner has the CPU; KERNEL_NONE: none */
	uint16_t cpu; /* runs there, is queued there, or ran there last; KERNEL_NO_CPU */
	uint8_t state;
};

struct kernel_vcpu {
	int32_t tid;	    /* of its thread */
	int32_t id;	    /* as its VM numbers it, from its exits; -1: not said */
	uint32_t guest;	    /* traced host that is its guest; KERNEL_NONE: not known */
	uint16_t guest_cpu; /* of that host */
	int64_t begin, end; /* of its life, as far as recorded */
	struct kernel_vcpu_stay *stays;
	uint32_t n_stays, cap_stays;
};

struct kernel_runner { /* a task that had a CPU while a vCPU waited for it */
	int32_t tid;
	const char *comm;
};

struct kernel_vcpus { /* of a host, by the time of their first entry */
	struct mer_arena arena;
	struct kernel_vcpu *vcpus;
	uint32_t n, cap;
	struct kernel_runner *runners;
	uint32_t n_runners, cap_runners;
};

struct kernel_event_reading;
struct kernel_losses;

/* Does the host record entries into guests? */
bool kernel_vcpus_are_recorded(
	const struct mer_experiment *e, uint32_t host, const struct kernel_event_reading *r);
/* The events that it needs. */
int kernel_vcpus_reading_new(
	const struct mer_experiment *e, struct kernel_event_reading **r, struct mer_err *err);
/* v is filled; kernel_vcpus_fini in any case. Damage that is found is not reported: the model will
 * read the same. */
int kernel_vcpus_read(struct mer_experiment *e, uint32_t host, const struct kernel_event_reading *r,
	const struct kernel_losses *losses, struct mer_cancel *cancel, struct kernel_vcpus *v,
	struct mer_err *err);
void kernel_vcpus_fini(struct kernel_vcpus *v);

/* Others have its CPU at that time: since when, and which runner has the CPU then. INT64_MAX: it is
 * not. */
int64_t kernel_preempted_since(const struct kernel_vcpu *v, int64_t time, uint32_t *by);

static inline int64_t kernel_stay_end(const struct kernel_vcpu *v, uint32_t stay)
{
	return stay + 1 < v->n_stays ? v->stays[stay + 1].begin : v->end;
}

#endif
