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
 * it is away for the same reason. A vCPU that waits for that CPU waits for the task that has it
 * or, while that was stolen from, too, for the thief. */
#ifndef MER_KERNEL_VM_GUESTS_H
#define MER_KERNEL_VM_GUESTS_H

#include "kernel/vm/vcpus.h"

struct sync_result;

/* Why a CPU of a guest was away; each different one once. Texts are places in
 * kernel_guest.texts, 0: "". */
struct kernel_absence {
	uint8_t state; /* enum kernel_vcpu_state: HYPERVISOR, USER, PREEMPTED or HALTED */
	uint8_t unused;
	/* HYPERVISOR, as the guest spins for a lock: its CPU, plus 1, that was preempted then,
	 * since longest, and so perhaps has the lock; 0: none was */
	uint16_t sibling;
	uint32_t exit; /* not PREEMPTED: exits.h; KERNEL_NONE: not said */
	uint32_t host; /* text: the hypervisor on which it happened */
	/* PREEMPTED, sibling: the task that had the CPU; tid -1: none, or not known */
	int32_t by_tid;
	uint32_t by_comm;
	/* and if that one is a vCPU of another guest, or another one of the same: what ran there.
	 * tid 0: nothing; -1: not known, or no vCPU */
	uint32_t guest; /* text: the host; 0: it is no vCPU of a traced guest */
	int32_t guest_tid;
	uint32_t guest_comm;
	uint32_t words;	    /* text: all of that for people, "l1hog/293 on l1", "NPF" */
	uint32_t neighbour; /* PREEMPTED: text: the VM, "b on l1", or else the task */
	uint32_t task;	    /* guest_tid > 0: text: "l2burn/177" */
	uint32_t thread; /* `guest` is known: number of the absence that says it of no task of it */
};

struct kernel_edge { /* from then on a CPU of the guest is away, or back */
	int64_t time;
	uint32_t absence; /* number; KERNEL_NONE: it is there; KERNEL_NOT_KNOWN */
	uint16_t cpu;
};
#define KERNEL_NOT_KNOWN (KERNEL_NONE - 1)

struct kernel_move { /* a task that waits for a CPU of the guest was moved to another one */
	int64_t time;
	uint32_t span; /* its wait */
	uint16_t cpu;  /* that it waited for until then */
};

/* A request to a disk of the guest, which a task of the hypervisor served (relays.h). */
struct kernel_relay {
	int64_t entered; /* a vCPU brought the interrupt into the guest with which it completed */
	int64_t sent;	 /* by the task of `by`, if that is known */
	uint32_t request;
	uint32_t vcpu; /* span on the hypervisor: of the vCPU's thread, when it entered */
	/* The same of who sent the interrupt, then; KERNEL_NONE: what the vCPU's thread waited for
	 * says it, or it is not known. */
	uint32_t by;
	uint16_t cpu; /* of the guest, that was interrupted */
};

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
	/* Of its edges, for who waits for a CPU of the guest (ready.c): those of stretches in which
	 * it was preempted or halted, by CPU, then time; KERNEL_NONE: it is there, or not known. A
	 * block of spill. */
	struct kernel_edge *aways;
	uint32_t n_aways, cap_aways;
	struct kernel_move *moves; /* by span, then time; malloc'ed */
	uint32_t n_moves, cap_moves;
	uint32_t hypervisor;	     /* host, of relays */
	struct kernel_relay *relays; /* by request; malloc'ed */
	uint32_t n_relays, cap_relays;
	uint16_t n_cpus; /* whose vCPUs are known, and all below */
};

/* Is it known what became of the CPU at that time? Until when that holds. */
int64_t kernel_guest_known(
	const struct kernel_guest *g, uint16_t cpu, int64_t time, bool *is_known);

struct kernel_ready { /* of a wait for a CPU of a guest, a piece in which that did the same */
	int64_t begin;
	uint32_t absence; /* why it was away; KERNEL_NONE: it was there */
	uint16_t cpu;
};
/* A task waits in this span, in the end for this CPU: the last piece of [begin, end). */
struct kernel_ready kernel_guest_ready(
	const struct kernel_guest *g, uint32_t span, uint16_t cpu, int64_t begin, int64_t end);
/* The next edge of a CPU, in order of CPU and time. False: no memory. */
bool kernel_guest_add_away(
	struct kernel_guest *g, struct mer_spill *spill, const struct kernel_edge *e);
/* The wait in this span was for another CPU until then. */
bool kernel_guest_add_move(struct kernel_guest *g, uint32_t span, int64_t time, uint16_t cpu);
void kernel_guest_sort_moves(struct kernel_guest *g);

/* As a cause of who is on that CPU, or waits for it. */
static inline enum kernel_cause kernel_absence_cause(const struct kernel_guest *g, uint32_t absence)
{
	return g->absences[absence].state == KERNEL_VCPU_PREEMPTED ? KERNEL_STOLEN
								   : KERNEL_HYPERVISOR;
}

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
