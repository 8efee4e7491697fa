/* Facts of CPUs: what each did, who waited for one, who changed to another one, when one was full
 * (cpu_full.h). */
#ifndef MER_ANALYSIS_FACTS_CPU_H
#define MER_ANALYSIS_FACTS_CPU_H

enum cpu_mode { /* of fact_cpu_run and fact_cpu_idle: what a CPU does */
	CPU_USER,
	CPU_SYSCALL,
	CPU_KERNEL,  /* a kernel thread */
	CPU_RUNNING, /* a task of which it is not known whether it was in a system call */
	CPU_IRQ,     /* interrupts of devices, timers and other CPUs */
	CPU_SOFTIRQ,
	CPU_IDLE,
	CPU_STOLEN,    /* of a guest: its hypervisor gave the CPU to others */
	CPU_HYPERVISOR /* of a guest: its hypervisor, or its VM's process, did something for it */
};

#endif
