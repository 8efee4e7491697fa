/* Guests: when the CPUs of traced guests were not there, and why.
 *
 * A guest does not see that its hypervisor took a CPU away: its trace shows a task that runs on.
 * For each traced guest whose vCPUs are known (sync/vcpu/vm.h), what these did (vcpus.h) becomes a
 * list of moments at which a CPU of the guest goes away, and why, or comes back. The guest's model
 * takes them like the begin and end of an interrupt, so what a task did is split there:
 * KERNEL_INTERRUPTED by KERNEL_STOLEN or KERNEL_HYPERVISOR, with the number of the absence as
 * source. Everything that goes through spans is right by itself.
 *
 * All is known before the first model runs, so hosts stay independent of each other.
 *
 * Guests of guests compose: while its hypervisor's CPU is away, a vCPU that was believed to be on
 * it is away for the same reason. A vCPU that waits for that CPU waits for the task that has it,
 * as before. */
#ifndef MER_KERNEL_VM_GUESTS_H
#define MER_KERNEL_VM_GUESTS_H

#include "kernel/vm/vcpus.h"

struct sync_result;

/* Why a CPU of a guest was away; each different one once. Texts are places in
 * kernel_guest.texts, 0: "". */
struct kernel_absence {
	uint8_t state; /* enum kernel_vcpu_state: HYPERVISOR, USER, PREEMPTED or HALTED */
	uint8_t unused[3];
	uint32_t exit; /* not PREEMPTED: exits.h; KERNEL_NONE: not said */
	uint32_t host; /* text: the hypervisor on which it happened */
	/* PREEMPTED: the task that had the CPU; tid -1: none, or not known */
	int32_t by_tid;
	uint32_t by_comm;
	/* and if that one is a vCPU of another guest, or another one of the same: what ran there.
	 * tid 0: nothing; -1: not known, or no vCPU */
	uint32_t guest; /* text: the host; 0: it is no vCPU of a traced guest */
	int32_t guest_tid;
	uint32_t guest_comm;
	uint32_t words; /* text: all of that for people, "l1hog/293 on l1", "NPF" */
};

struct kernel_edge { /* from then on a CPU of the guest is away, or back */
	int64_t time;
	uint32_t absence; /* number; KERNEL_NONE: it is there; KERNEL_NOT_KNOWN */
	uint16_t cpu;
};
#define KERNEL_NOT_KNOWN (KERNEL_NONE - 1)

struct kernel_guest {
	struct kernel_absence *absences; /* malloc'ed */
	uint32_t n, cap;
	char *texts;		     /* malloc'ed; the first is "" */
	uint32_t n_texts, cap_texts; /* bytes */
	struct kernel_edge *edges;   /* by time; a block of spill. Not of a saved world */
	uint32_t n_edges;
	/* Of its edges, where it begins and ceases to be known what a CPU did; by CPU, then time.
	 * Not of a saved world. */
	struct kernel_edge *known; /* malloc'ed */
	uint32_t n_known, cap_known;
	uint16_t n_cpus; /* whose vCPUs are known, and all below */
};

/* Is it known what became of the CPU at that time? Until when that holds. */
int64_t kernel_guest_known(
	const struct kernel_guest *g, uint16_t cpu, int64_t time, bool *is_known);

static inline const char *kernel_guest_text(const struct kernel_guest *g, uint32_t text)
{
	return g && text < g->n_texts ? g->texts + text : "";
}

/* Who or what it was, for people: "l1hog/293 on l1", "make/12 on b (vCPU CPU 1/KVM/88 on l1)",
 * "NPF"; "" where it is none. */
const char *kernel_absence_words(const struct kernel_guest *g, uint32_t absence);

/* By host: guests[i] is filled for those whose vCPUs are known. vcpus: by host, with those of all
 * hypervisors, which learn whose they are. r: whose guest each is; NULL: not known, and there are
 * none. */
int kernel_guests_find(struct mer_experiment *e, struct kernel_vcpus *vcpus,
	const struct sync_result *r, struct mer_cancel *cancel, struct kernel_guest **guests,
	struct mer_err *err);
void kernel_guest_free(struct kernel_guest *g); /* NULL is fine */

#endif
