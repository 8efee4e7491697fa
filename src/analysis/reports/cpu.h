/* CPU usage: declarations shared by its files.
 *
 *   cpu.c        the analysis: its tables by thread, process, CPU and host
 *   cpu_bins.c   the same over time
 *   cpu_totals.c the tasks of each host together
 *   cpu_stays.c  every time slice of a thread, and how long they were */
#ifndef MER_ANALYSIS_REPORTS_CPU_H
#define MER_ANALYSIS_REPORTS_CPU_H

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/facts/cpu.h"
#include "analysis/fold.h"
#include "analysis/recorded.h"

#define CPU_TIME_COLUMNS                                                                           \
	{ "user_ns", "user", MER_DURATION }, { "syscall_ns", "system calls", MER_DURATION },       \
		{ "kernel_ns", "kernel threads", MER_DURATION },                                   \
		{ "running_ns", "user or syscall", MER_DURATION },                                 \
		{ "irq_ns", "interrupts", MER_DURATION },                                          \
		{ "softirq_ns", "softirqs", MER_DURATION }, { "idle_ns", "idle", MER_DURATION },   \
		{ "unknown_ns", "unknown", MER_DURATION },                                         \
		{ "stolen_ns", "stolen", MER_DURATION }, { "hypervisor_ns", NULL, MER_DURATION },  \
	{                                                                                          \
		"task_ns", NULL, MER_DURATION                                                      \
	}
/* Cells for these columns: time in a mode; of tasks, or of the CPU whatever task it ran. */
#define CPU_IN(mode_) FOLD_SUM, .where = { "mode", FOLD_IS, (mode_), 0 }
#define CPU_OF_TASKS_CELLS                                                                         \
	{ "user_ns", CPU_IN(CPU_USER) }, { "syscall_ns", CPU_IN(CPU_SYSCALL) },                    \
		{ "kernel_ns", CPU_IN(CPU_KERNEL) },                                               \
	{                                                                                          \
		"running_ns", CPU_IN(CPU_RUNNING)                                                  \
	}
#define CPU_OF_ALL "user_ns syscall_ns kernel_ns running_ns irq_ns softirq_ns"
/* For guests: time when a vCPU did not run. */
#define CPU_AWAY_CELLS                                                                             \
	{ "stolen_ns", CPU_IN(CPU_STOLEN), .empty_if_none = true },                                \
	{                                                                                          \
		"hypervisor_ns", CPU_IN(CPU_HYPERVISOR), .empty_if_none = true                     \
	}
#define CPU_TIME_CELLS                                                                             \
	CPU_OF_TASKS_CELLS, { "irq_ns", CPU_IN(CPU_IRQ), .kind = FOLD_EVERY_KIND },                \
		{ "softirq_ns", CPU_IN(CPU_SOFTIRQ), .kind = FOLD_EVERY_KIND },                    \
		{ "idle_ns", CPU_IN(CPU_IDLE), .kind = 1 }, CPU_AWAY_CELLS,                        \
		{ "unknown_ns", FOLD_REST, .of = CPU_OF_ALL " idle_ns stolen_ns hypervisor_ns" },  \
	{                                                                                          \
		"task_ns", .op = FOLD_SUM                                                          \
	}
/* Time of the task itself, and time that interrupts took from it. */
#define CPU_SELF "user_ns syscall_ns kernel_ns running_ns"
#define CPU_SELF_CELL                                                                              \
	{                                                                                          \
		"self_ns", FOLD_PLUS, .of = CPU_SELF                                               \
	}
#define CPU_INTERRUPTED_CELL                                                                       \
	{                                                                                          \
		"interrupted_ns", FOLD_SUM, .where = {                                             \
			"mode",                                                                    \
			FOLD_ONE_OF,                                                               \
			1 << CPU_IRQ | 1 << CPU_SOFTIRQ,                                           \
			0                                                                          \
		}                                                                                  \
	}

extern const struct mer_column cpu_bin_columns[];
extern const struct fold cpu_bins_fold;
extern const struct mer_column cpu_total_columns[];
extern const struct fold cpu_totals_fold;
extern const struct analysis_chart cpu_charts[];

#endif
