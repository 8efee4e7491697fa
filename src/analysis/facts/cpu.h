/* Facts about CPUs: what each CPU did, which tasks waited for it, context switches, and when it
 * was full (cpu_full.h). */
#ifndef MER_ANALYSIS_FACTS_CPU_H
#define MER_ANALYSIS_FACTS_CPU_H

enum cpu_mode { /* mode of fact_cpu_run and fact_cpu_idle: what a CPU does */
	CPU_USER,
	CPU_SYSCALL,
	CPU_KERNEL,  /* a kernel thread */
	CPU_RUNNING, /* a task; not known whether it was in a system call */
	CPU_IRQ,     /* interrupts of devices, timers and other CPUs */
	CPU_SOFTIRQ,
	CPU_IDLE,
	CPU_STOLEN, /* in a guest: the hypervisor gave the CPU to others */
	/* in a guest: the hypervisor, or the process of the VM, did something for the guest */
	CPU_HYPERVISOR
};

#endif
