/* CPU usage over time: of hosts, CPUs, threads and processes.
 *
 * The busiest threads and processes (or all selected ones) have rows of their own; the others of a
 * host share one row. So the sum over the threads of a bin, and the sum over its processes, is the
 * CPU time of all tasks of the host in that bin. */
#include "analysis/reports/cpu.h"

const struct mer_column cpu_bin_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "tid", "tid", MER_ID }, { "pid", "pid", MER_ID },
	{ "comm", "comm", MER_TEXT }, { "self_ns", "task", MER_DURATION },
	{ "interrupted_ns", NULL, MER_DURATION }, CPU_TIME_COLUMNS, { "percent", "%", MER_RATIO },
	{ "capacity_ns", NULL, MER_DURATION }, { "busy_ns", NULL, MER_DURATION }, { 0 } };

#define OF_TASKS                                                                                   \
	.cells = "self_ns interrupted_ns percent capacity_ns", .known = "thread process",          \
	.busiest = "task_ns"
static const struct fold_scope scopes[] = { { "host", "host", .every_bin = true },
	{ "cpu", "host cpu", .known = "cpu", .every_bin = true },
	{ "thread", "host thread", OF_TASKS }, { "process", "host process", OF_TASKS }, { 0 } };

const struct fold cpu_bins_fold = {
	.shape = FOLD_BINS,
	.kinds = { &fact_cpu_run, &fact_cpu_idle },
	.scopes = scopes,
	.cells = (const struct fold_cell[]){ CPU_TIME_CELLS, CPU_SELF_CELL, CPU_INTERRUPTED_CELL,
		{ "percent", FOLD_OF_OWN, .of = CPU_OF_ALL, .scopes = "host cpu" },
		{ "percent", FOLD_OF_RANGE, .of = "self_ns", .scopes = "thread process" },
		{ "capacity_ns", .op = FOLD_CAPACITY }, { "busy_ns", FOLD_PLUS, .of = CPU_OF_ALL },
		{ 0 } },
	.order = "thread cpu",
	.every_task = true,
	.every_cpu = true,
	.finish = analysis_forget_modes,
};

const struct analysis_chart cpu_charts[] = {
	{ .title = "CPU usage by host",
		.y = "share of the host's CPUs",
		.of = "host",
		.keys = "percent",
		.lines = true,
		.several = true },
	{ .title = "CPU usage by process",
		.y = "share of all CPUs",
		.of = "process",
		.keys = "self_ns",
		.per = "capacity_ns",
		.total_name = "busy, with interrupts",
		.total_of = "host",
		.total = "percent",
		.by_host = true,
		.summary = true },
	{ .title = "CPU usage by thread",
		.y = "share of all CPUs",
		.of = "thread",
		.keys = "self_ns",
		.per = "capacity_ns",
		.total_name = "busy, with interrupts",
		.total_of = "host",
		.total = "percent",
		.by_host = true },
	{ .title = "CPU time by mode",
		.y = "share of all CPUs",
		.of = "host",
		.keys = "user_ns syscall_ns kernel_ns running_ns irq_ns softirq_ns stolen_ns hypervisor_ns unknown_ns",
		.per = "capacity_ns",
		.by_host = true },
	{ .title = "CPU usage by CPU",
		.y = "share of all CPUs",
		.of = "cpu",
		.keys = "busy_ns",
		.per = "capacity_ns",
		.by_host = true,
		.several = true },
	{ 0 },
};
