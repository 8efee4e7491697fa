/* All kinds of facts, each defined by the analysis that it was made for. */
#include "analysis/all.h"
#include "analysis/fact.h"

const struct fact_kind *const fact_kinds[] = {
	&fact_accept,
	&fact_call,
	&fact_clock,
	&fact_cpu_full,
	&fact_cpu_idle,
	&fact_cpu_move,
	&fact_cpu_run,
	&fact_cpu_stay,
	&fact_cpu_wait,
	&fact_disk_merge,
	&fact_disk_request,
	&fact_disk_time,
	&fact_fault,
	&fact_futex_open,
	&fact_futex_wait,
	&fact_frequency,
	&fact_interrupt,
	&fact_io,
	&fact_memory,
	&fact_open_call,
	&fact_packet,
	&fact_packet_link,
	&fact_rate,
	&fact_poll_run,
	&fact_sched_wait,
	&fact_server_turn,
	&fact_task_clock,
	NULL,
};
