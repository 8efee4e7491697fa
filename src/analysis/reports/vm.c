/* Virtual machines: what the vCPUs of each hypervisor did, and why their guests were left. */
#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "analysis/facts/vcpu.h"

enum { LONG_NS = 2000000 }; /* a preemption that people feel */
#define STATE_IS(state_) .where = { "state", FOLD_IS, KERNEL_VCPU_##state_, 0 }

/* ---- vCPUs ---- */

/* The one CPU that it was on all the time. */
static int pinned_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t cpu = FACT_UNKNOWN;
	*c = MER_NONE;
	for (size_t i = 0; i < fold_parts_n(p); i++) {
		int64_t one = fold_part_key(p, i, "cpu");
		if (one == FACT_UNKNOWN || one == cpu)
			continue;
		if (cpu != FACT_UNKNOWN)
			return 0;
		cpu = one;
	}
	if (cpu != FACT_UNKNOWN)
		*c = MER_INT(cpu);
	return 0;
}

#define TIME_COLUMNS                                                                               \
	{ "guest_ns", "in guest", MER_DURATION }, { "hypervisor_ns", "hypervisor", MER_DURATION }, \
		{ "user_ns", "user", MER_DURATION },                                               \
		{ "preempted_ns", "preempted", MER_DURATION },                                     \
		{ "halted_ns", "halted", MER_DURATION },                                           \
	{                                                                                          \
		"unknown_ns", NULL, MER_DURATION                                                   \
	}
#define TIME_CELLS                                                                                 \
	{ "guest_ns", .op = FOLD_SUM, STATE_IS(GUEST) },                                           \
		{ "hypervisor_ns", FOLD_SUM, STATE_IS(HYPERVISOR) },                               \
		{ "user_ns", FOLD_SUM, STATE_IS(USER) },                                           \
		{ "preempted_ns", FOLD_SUM, STATE_IS(PREEMPTED) },                                 \
		{ "halted_ns", FOLD_SUM, STATE_IS(HALTED) },                                       \
	{                                                                                          \
		"unknown_ns", FOLD_SUM, STATE_IS(UNKNOWN)                                          \
	}

static const struct mer_column vcpu_columns[] = { ANALYSIS_TASK_COLUMNS, { "vcpu", "vCPU", MER_ID },
	{ "pinned", "pinned", MER_ID }, TIME_COLUMNS, { "total_ns", NULL, MER_DURATION },
	{ "guest_percent", "in guest %", MER_RATIO },
	{ "preempted_percent", "preempted %", MER_RATIO }, { "stays", "stays", MER_COUNT },
	{ "stay_p50_ns", "p50", MER_DURATION }, { "stay_p95_ns", "p95", MER_DURATION },
	{ "stay_max_ns", "max", MER_DURATION }, { "preemptions", "preemptions", MER_COUNT },
	{ "preemption_max_ns", "longest", MER_DURATION },
	{ "long_preemptions", ">2 ms", MER_COUNT }, { 0 } };
static const struct fold vcpus = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_vcpu_stay },
	.group = "host thread vcpu",
	.parts = "cpu",
	.cells = (const struct fold_cell[]){ { "pinned", FOLD_FUNCTION, .of_parts = pinned_cell },
		TIME_CELLS, { "total_ns", .op = FOLD_SUM },
		{ "guest_percent", FOLD_RATIO, .of = "guest_ns", .by = "total_ns" },
		{ "preempted_percent", FOLD_RATIO, .of = "preempted_ns", .by = "total_ns" },
		{ "stays", FOLD_COUNT, STATE_IS(GUEST) },
		{ "stay_p50_ns", FOLD_P50, STATE_IS(GUEST) },
		{ "stay_p95_ns", FOLD_P95, STATE_IS(GUEST) },
		{ "stay_max_ns", FOLD_MAX, STATE_IS(GUEST) },
		{ "preemptions", FOLD_COUNT, STATE_IS(PREEMPTED) },
		{ "preemption_max_ns", FOLD_MAX, STATE_IS(PREEMPTED) },
		{ "long_preemptions", FOLD_COUNT,
			.where = { "preemption_ns", FOLD_FROM_TO, LONG_NS + 1, INT64_MAX } },
		{ 0 } },
	.order = "host thread",
};

/* ---- exits ---- */

static const struct mer_column exit_columns[] = { ANALYSIS_TASK_COLUMNS, { "vcpu", "vCPU", MER_ID },
	{ "reason", "reason", MER_TEXT }, { "count", "count", MER_COUNT },
	{ "total_ns", "total", MER_DURATION }, { "percent", "%", MER_RATIO },
	{ "min_ns", "min", MER_DURATION }, { "mean_ns", "mean", MER_DURATION },
	{ "max_ns", "max", MER_DURATION }, { "p50_ns", NULL, MER_DURATION },
	{ "p95_ns", NULL, MER_DURATION }, { "max_at", NULL, MER_TIME }, { "exit", NULL, MER_ID },
	{ 0 } };
static const struct fold exits = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_vm_exit },
	.group = "host thread vcpu reason exit",
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "total_ns", FOLD_SUM, .of = "duration_ns" },
		{ "percent", FOLD_SHARE, .of = "total_ns" },
		{ "min_ns", FOLD_MIN, .of = "duration_ns" },
		{ "mean_ns", FOLD_MEAN, .of = "duration_ns" },
		{ "max_ns", FOLD_MAX, .of = "duration_ns" },
		{ "p50_ns", FOLD_P50, .of = "duration_ns" },
		{ "p95_ns", FOLD_P95, .of = "duration_ns" },
		{ "max_at", FOLD_AT_MAX, .of = "duration_ns" }, { 0 } },
	.order = "host thread",
};

/* ---- each preemption; lengths of stays ---- */

static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	ANALYSIS_TASK_COLUMNS, { "vcpu", "vCPU", MER_ID }, { "cpu", "CPU", MER_ID },
	{ "state", "state", MER_TEXT }, { "reason", "reason", MER_TEXT },
	{ "by_tid", "by tid", MER_ID }, { "by_pid", NULL, MER_ID }, { "by_comm", "by", MER_TEXT },
	{ 0 } };
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_vcpu_stay },
	.where = { { "state", FOLD_IS_NOT, KERNEL_VCPU_GUEST, 0 } },
	.value = "begin",
};

static const struct mer_column stats_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "vcpu", "vCPU", MER_ID }, { "state", "state", MER_TEXT }, ANALYSIS_STATS_COLUMNS,
	ANALYSIS_PERCENTILE_COLUMNS, { "p95_ns", "p95", MER_DURATION }, { 0 } };
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_vcpu_stay },
	.group = "host thread vcpu state",
	.cells = (const struct fold_cell[]){ FOLD_STATS(NULL), FOLD_PERCENTILES(NULL),
		{ "p95_ns", .op = FOLD_P95 }, { 0 } },
	.order = "host thread state",
};

static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	{ "state", "state", MER_TEXT }, ANALYSIS_FREQ_COLUMNS, { 0 } };
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_vcpu_stay },
	.group = "host state",
	.value = "duration_ns",
};

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, ANALYSIS_TASK_COLUMNS,
	{ "vcpu", "vCPU", MER_ID }, TIME_COLUMNS, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_vcpu_stay },
	.scopes = (const struct fold_scope[]){ { "host", .group = "host" },
		{ "vCPU", .group = "host thread vcpu" }, { 0 } },
	.cells = (const struct fold_cell[]){ TIME_CELLS, { 0 } },
	.order = "thread",
};

enum { VCPUS, EXITS, LOG, FREQ, STATS, BINS };
static const struct analysis_output outputs[] = {
	[VCPUS] = { "vcpus", "vCPUs", vcpu_columns, "preempted_ns", &vcpus, .is_top = true },
	[EXITS] = { "exits", "Exits of guests by reason", exit_columns, "total_ns", &exits,
		.is_top = true },
	[LOG] = { "log", "What vCPUs did outside of their guests", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "Lengths of stays of vCPUs", freq_columns, .fold = &freq },
	[STATS] = { "stats", "Stays of vCPUs by state", stats_columns, .fold = &stats },
	[BINS] = { "bins", "vCPUs over time", bins_columns, .fold = &bins },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "vCPUs preempted",
		.y = "part of the time",
		.of = "vCPU",
		.keys = "preempted_ns",
		.per = "time",
		.summary = true },
	{ .title = "vCPUs in their guests",
		.y = "part of the time",
		.of = "vCPU",
		.keys = "guest_ns",
		.per = "time" },
	{ .title = "vCPUs in the hypervisor and in their processes",
		.y = "part of the time",
		.of = "vCPU",
		.keys = "hypervisor_ns user_ns",
		.per = "time" },
	{ 0 },
};

const struct analysis analysis_vm = {
	.id = "vm",
	.title = "VMs",
	.help = "vCPUs of VMs: in the guest, preempted by whom, exits and their reasons",
	.by_duration = 1 << EXITS | 1 << LOG | 1 << FREQ | 1 << STATS,
	.outputs = outputs,
	.worth =
		"preempted_ns preempted_percent guest_ns guest_percent hypervisor_ns user_ns halted_ns "
		"pinned duration_ns reason by_comm total_ns count mean_ns max_ns stay_p50_ns stay_p95_ns "
		"stay_max_ns preemptions long_preemptions",
	.charts = charts,
};
