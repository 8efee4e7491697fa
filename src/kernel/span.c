#include "kernel/span.h"

#include <stddef.h>

const char *kernel_state_name(enum kernel_state s)
{
	static const char *const names[KERNEL_N_STATES] = {
		[KERNEL_UNKNOWN] = "unknown",
		[KERNEL_RUNNING] = "running",
		[KERNEL_USER] = "user",
		[KERNEL_SYSCALL] = "syscall",
		[KERNEL_THREAD] = "thread",
		[KERNEL_INTERRUPTED] = "interrupted",
		[KERNEL_RUNNABLE] = "runnable",
		[KERNEL_BLOCKED] = "blocked",
		[KERNEL_NEW] = "new",
		[KERNEL_STOPPED] = "stopped",
		[KERNEL_DEAD] = "dead",
	};
	return s < KERNEL_N_STATES ? names[s] : "?";
}

const char *kernel_cause_name(enum kernel_cause c)
{
	static const char *const names[KERNEL_N_CAUSES] = {
		[KERNEL_NO_CAUSE] = "unknown",
		[KERNEL_DISK] = "disk",
		[KERNEL_NETWORK] = "network",
		[KERNEL_TIMER] = "timer",
		[KERNEL_TASK] = "task",
		[KERNEL_FUTEX] = "futex",
		[KERNEL_PIPE] = "pipe",
		[KERNEL_INPUT] = "input",
		[KERNEL_IPI] = "ipi",
		[KERNEL_IRQ] = "irq",
		[KERNEL_SOFTIRQ] = "softirq",
		[KERNEL_STOLEN] = "stolen",
		[KERNEL_HYPERVISOR] = "hypervisor",
	};
	return c < KERNEL_N_CAUSES ? names[c] : "?";
}

const char *kernel_softirq_name(uint32_t vec)
{
	static const char *const names[] = { "hi", "timer", "net_tx", "net_rx", "block", "irq_poll",
		"tasklet", "sched", "hrtimer", "rcu" };
	return vec < sizeof(names) / sizeof(names[0]) ? names[vec] : NULL;
}
