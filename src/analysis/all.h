/* All analyses, each defined in a file of its own; registry.c lists them. */
#ifndef MER_ANALYSIS_ALL_H
#define MER_ANALYSIS_ALL_H

#include "analysis/analysis.h"

extern const struct analysis analysis_faults;
extern const struct analysis analysis_syscall;
extern const struct analysis analysis_io;
extern const struct analysis analysis_disk;
extern const struct analysis analysis_mem;
extern const struct analysis analysis_net;
extern const struct analysis analysis_irq;
extern const struct analysis analysis_futex;
extern const struct analysis analysis_cpu;
extern const struct analysis analysis_cpufreq;
extern const struct analysis analysis_sched;
extern const struct analysis analysis_poll;
extern const struct analysis analysis_mpi;
extern const struct analysis analysis_servers;
extern const struct analysis analysis_rates;
extern const struct analysis analysis_vm;
extern const struct analysis analysis_period;
extern const struct analysis analysis_view;

/* Kinds of facts, each defined with the analysis that it was made for; fact_kinds.c lists them
 * all. */
extern const struct fact_kind fact_accept, fact_server_turn;
extern const struct fact_kind fact_call, fact_open_call;
extern const struct fact_kind fact_fault;
extern const struct fact_kind fact_futex_wait, fact_futex_open;
extern const struct fact_kind fact_interrupt;
extern const struct fact_kind fact_disk_request, fact_disk_merge, fact_disk_time;
extern const struct fact_kind fact_io;
extern const struct fact_kind fact_memory;
extern const struct fact_kind fact_rate;
extern const struct fact_kind fact_packet;
extern const struct fact_kind fact_left_out;
extern const struct fact_kind fact_cpu_full, fact_cpu_idle, fact_cpu_move, fact_cpu_run,
	fact_cpu_stay, fact_cpu_wait;
extern const struct fact_kind fact_clock, fact_frequency, fact_task_clock;
extern const struct fact_kind fact_mpi_call, fact_mpi_collective, fact_mpi_message, fact_mpi_poll,
	fact_mpi_state, fact_mpi_syscall;
extern const struct fact_kind fact_poll_run;
extern const struct fact_kind fact_sched_wait;
/* Facts of views. Stores do not keep them, so fact_kinds.c does not list them. */
extern const struct fact_kind fact_view_arrow, fact_view_mark, fact_view_state, fact_view_time,
	fact_view_value;
extern const struct fact_kind fact_vcpu_stay, fact_vm_exit;
extern const struct fact_kind fact_guest_time, fact_stolen, fact_vm_fused, fact_vm_outlier;

#endif
