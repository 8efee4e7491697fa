/* kernelworld: machines in machines.
 *
 * A guest is a machine whose processors are vCPUs: threads of a process of its host, that enter the
 * guest and leave it. While a vCPU is out of the guest its processor stands still, and what was to
 * happen on it happens as much later; interrupts for it wait, and are injected before an entry.
 * What takes a guest out of the guest: interrupts of the host's processor, somebody who wants that
 * processor, an interrupt for the guest, what the guest does (timers, devices, memory), and that it
 * has nothing to do, after which the thread waits. */
#ifndef KERNELWORLD_VM_H
#define KERNELWORLD_VM_H

#include "kernelworld.h"

enum vm_exit {
	VM_NONE,
	VM_INTERRUPT,
	VM_HLT,
	VM_MSR,
	VM_MEMORY,
	VM_IO,	  /* handled by the process, not by the kernel */
	VM_PAUSE, /* it spins */
	VM_KICK,  /* of a device that another thread of the process serves */
	VM_N_EXITS
};

enum vm_state { VM_HALTED, VM_GUEST, VM_HYPERVISOR, VM_USER, VM_PREEMPTED };

struct vcpu {
	struct cpu *cpu;     /* of the guest */
	struct task *thread; /* on the host */
	bool in_guest;
	enum vm_exit wanted; /* the guest leaves at that time, and does nothing before */
	int64_t wanted_at;
	int64_t left;	     /* ns of its processor's step that was under way */
	struct irq *pending; /* interrupts to inject */
	uint32_t n_pending, cap_pending;
	/* The truth: */
	enum vm_state state;
	enum vm_exit reason; /* of the latest exit */
	int64_t since;
	struct task *thief, *thief_inside; /* who has the processor, and in its guest */
	int64_t stolen_since;
};

void make_guests(struct sim *s); /* the machines are there */
void make_vcpus(struct sim *s);	 /* the other tasks are there */
void next_of_vcpu(struct cpu *c, struct task *t);
/* The clock of a guest is behind at a time: --glitch. */
int64_t glitch_of(const struct machine *m, int64_t t);

/* Of processors of guests. True: it is taken care of. */
bool vm_step_at(struct cpu *c, int64_t time);
bool vm_take_irq(struct cpu *c, struct irq irq);
void vm_executed(struct cpu *c); /* a step of the guest */
void vm_leave(struct cpu *c, enum vm_exit reason);
/* The task on this processor of the host sends an interrupt to that one of a guest. */
void vm_send_irq(struct cpu *c, struct cpu *guest, struct irq irq);

/* Of processors of hosts. True: the guest was left, or goes on. */
bool vm_step(struct cpu *c);
void vm_preempt(struct cpu *c); /* somebody wants the processor */
/* Who runs on the processor, or whether the thread does, has changed. */
void vm_switched(struct cpu *c, struct task *prev, bool runnable);
void vm_enqueued(struct task *t);

void vm_open_truth(struct sim *s);
void vm_close_truth(struct sim *s);

#endif
