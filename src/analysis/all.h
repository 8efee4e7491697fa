/* All analyses and all kinds of facts, each defined in a file of its own: the two lists that
 * everything else goes by. */
#ifndef MER_ANALYSIS_ALL_H
#define MER_ANALYSIS_ALL_H

#include "analysis/analysis.h"

/* clang-format off */

/* In the order in which help and completions have them. */
#define ANALYSES(X) \
	X(analysis_cpu) \
	X(analysis_cpufreq) \
	X(analysis_sched) \
	X(analysis_poll) \
	X(analysis_io) \
	X(analysis_disk) \
	X(analysis_net) \
	X(analysis_mem) \
	X(analysis_faults) \
	X(analysis_syscall) \
	X(analysis_irq) \
	X(analysis_futex) \
	X(analysis_waits) \
	X(analysis_requests) \
	X(analysis_messages) \
	X(analysis_servers) \
	X(analysis_rates) \
	X(analysis_vm) \
	X(analysis_view) \
	X(analysis_mpi) \
	X(analysis_period)

/* Those that stores keep. */
#define FACT_KINDS(X) \
	X(fact_accept) \
	X(fact_call) \
	X(fact_clock) \
	X(fact_cpu_full) \
	X(fact_cpu_idle) \
	X(fact_cpu_move) \
	X(fact_cpu_run) \
	X(fact_cpu_stay) \
	X(fact_cpu_wait) \
	X(fact_disk_merge) \
	X(fact_disk_request) \
	X(fact_disk_time) \
	X(fact_fault) \
	X(fact_futex_open) \
	X(fact_futex_wait) \
	X(fact_frequency) \
	X(fact_guest_time) \
	X(fact_interrupt) \
	X(fact_io) \
	X(fact_memory) \
	X(fact_mpi_call) \
	X(fact_mpi_collective) \
	X(fact_mpi_message) \
	X(fact_mpi_poll) \
	X(fact_mpi_state) \
	X(fact_mpi_syscall) \
	X(fact_open_call) \
	X(fact_left_out) \
	X(fact_packet) \
	X(fact_rate) \
	X(fact_poll_run) \
	X(fact_sched_wait) \
	X(fact_server_turn) \
	X(fact_stolen) \
	X(fact_task_clock) \
	X(fact_vcpu_stay) \
	X(fact_vm_exit) \
	X(fact_vm_fused) \
	X(fact_vm_outlier)

/* clang-format on */

#define ANALYSIS_DECLARED(name) extern const struct analysis name;
ANALYSES(ANALYSIS_DECLARED)
#define FACT_KIND_DECLARED(name) extern const struct fact_kind name;
FACT_KINDS(FACT_KIND_DECLARED)

/* Facts of the world of all hosts, which stores have in other forms. */
extern const struct fact_kind fact_message, fact_request, fact_wait;

/* Facts of views, which stores do not keep. */
extern const struct fact_kind fact_view_arrow, fact_view_mark, fact_view_state, fact_view_time,
	fact_view_value;

#endif
