/* VMs: what the vCPUs of each hypervisor did, and the reasons of VM exits; and for traced guests,
 * how much of the time that their tasks seemed to run they really ran, and who had the CPU
 * instead. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "analysis/facts/guest.h"
#include "analysis/facts/vcpu.h"
#include "analysis/reports/vm_bad.h"
#include "kernel/vm/culprit.h"

enum { LONG_NS = 2000000 }; /* a longer preemption is long enough to be noticed */
#define STATE_IS(state_) .where = { "state", FOLD_IS, KERNEL_VCPU_##state_, 0 }

/* Keys that say who stole time; only the table "neighbours" has them. */
#define CULPRIT_KEYS "neighbour culprit by_host by_tid by_comm guest guest_tid guest_comm"
#define NEIGHBOURS_INSTEAD .not_by = CULPRIT_KEYS, .instead = "neighbours"

/* ---- vCPUs ---- */

/* The CPU, if the vCPU was on the same one all the time. If CPUs are selected, this cannot be
 * known. */
static int pinned_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t cpu = FACT_UNKNOWN;
	*c = MER_NONE;
	if (fold_parts_run(p)->options->wants_cpu)
		return 0;
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

/* begin, end: the part inside the window, as for preemption_max_ns. */
static int64_t is_long(int64_t begin, int64_t end)
{
	return end - begin > LONG_NS;
}

/* Percentages are shares of the known time. If all time of a row is unknown, the other columns are
 * emptied, too. */
struct unknown {		  /* keys */
	const char *of;		  /* the whole time */
	const char *parts[10];	  /* what is emptied if all of it is unknown; ends with NULL */
	const char *shares[2][2]; /* a time, and the column for its share of the known time */
};

static void tell_unknown(struct mer_table *t, const struct unknown *u)
{
	size_t all = mer_table_column(t, u->of), unknown = mer_table_column(t, "unknown_ns");
	for (size_t r = 0; r < t->n_rows && all != SIZE_MAX && unknown != SIZE_MAX; r++) {
		struct mer_cell *row = &t->cells[r * t->n_columns];
		int64_t known = row[all].v.i - row[unknown].v.i;
		t->time_ns += row[all].v.i;
		t->unknown_ns += row[unknown].v.i;
		for (size_t i = 0; i < 2 && u->shares[i][0] && row[unknown].v.i; i++) {
			size_t of = mer_table_column(t, u->shares[i][0]),
			       to = mer_table_column(t, u->shares[i][1]);
			if (of != SIZE_MAX && to != SIZE_MAX)
				row[to] = known ? MER_REAL_CELL((double)row[of].v.i / (double)known)
						: MER_NONE;
		}
		for (size_t i = 0; u->parts[i] && row[unknown].v.i && !known; i++)
			if (mer_table_column(t, u->parts[i]) != SIZE_MAX)
				row[mer_table_column(t, u->parts[i])] = MER_NONE;
	}
}

static int tell_unknown_of_vcpus(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	static const struct unknown u = { "total_ns",
		{ "guest_ns", "hypervisor_ns", "user_ns", "preempted_ns", "runnable_ns",
			"halted_ns", "stays", "preemptions", "long_preemptions" },
		{ { "guest_ns", "guest_percent" }, { "preempted_ns", "preempted_percent" } } };
	(void)run;
	(void)n_seen;
	tell_unknown(t, &u);
	return 0;
}

static int tell_unknown_of_tasks(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	static const struct unknown u = { "seen_ns",
		{ "guest_ns", "hypervisor_ns", "user_ns", "stolen_ns", "stolen_count" },
		{ { "stolen_ns", "stolen_percent" } } };
	(void)run;
	(void)n_seen;
	tell_unknown(t, &u);
	return 0;
}

#define TIME_COLUMNS                                                                               \
	{ "guest_ns", "in guest", MER_DURATION }, { "hypervisor_ns", "hypervisor", MER_DURATION }, \
		{ "user_ns", "user", MER_DURATION },                                               \
		{ "preempted_ns", "preempted", MER_DURATION },                                     \
		{ "runnable_ns", "runnable", MER_DURATION },                                       \
		{ "halted_ns", "halted", MER_DURATION },                                           \
	{                                                                                          \
		"unknown_ns", "unknown", MER_DURATION                                              \
	}
#define TIME_CELLS                                                                                 \
	{ "guest_ns", .op = FOLD_SUM, STATE_IS(GUEST) },                                           \
		{ "hypervisor_ns", FOLD_SUM, STATE_IS(HYPERVISOR) },                               \
		{ "user_ns", FOLD_SUM, STATE_IS(USER) },                                           \
		{ "preempted_ns", FOLD_SUM, STATE_IS(PREEMPTED) },                                 \
		{ "runnable_ns", FOLD_SUM, STATE_IS(RUNNABLE) },                                   \
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
	{ "long_preemptions", ">2 ms", MER_COUNT }, { "begin", NULL, MER_TIME }, { 0 } };
static const struct fold vcpus = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_vcpu_stay },
	.ignores = FOLD_BY_DURATION,
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
		{ "long_preemptions", FOLD_SUM, STATE_IS(PREEMPTED), .of_piece = is_long },
		{ "begin", .op = FOLD_FIRST }, { 0 } },
	.order = "host thread",
	NEIGHBOURS_INSTEAD,
	.finish = tell_unknown_of_vcpus,
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

static const struct mer_column spin_columns[] = { ANALYSIS_TASK_COLUMNS, { "vcpu", "vCPU", MER_ID },
	{ "sibling", "for vCPU", MER_ID }, { "by_comm", "preempted by", MER_TEXT },
	{ "by_tid", "by tid", MER_ID }, { "count", "count", MER_COUNT },
	{ "total_ns", "total", MER_DURATION }, { "mean_ns", "mean", MER_DURATION },
	{ "max_ns", "max", MER_DURATION }, { "max_at", NULL, MER_TIME }, { 0 } };
static const struct fold spins = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_vm_exit },
	.where = { { "kind", FOLD_IS, VM_EXIT_SPIN, 0 } },
	.group = "host thread vcpu sibling by",
	.cells = (const struct fold_cell[]){ { "count", .op = FOLD_COUNT },
		{ "total_ns", FOLD_SUM, .of = "duration_ns" },
		{ "mean_ns", FOLD_MEAN, .of = "duration_ns" },
		{ "max_ns", FOLD_MAX, .of = "duration_ns" },
		{ "max_at", FOLD_AT_MAX, .of = "duration_ns" }, { 0 } },
	.order = "host thread",
};

/* Name of the guest's task that the row is about. */
static int guest_comm_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t guest = fold_part_key(p, 0, "guest"), tid = fold_part_key(p, 0, "guest_task");
	const struct kernel_world *w = fold_parts_run(p)->world;
	*c = tid == 0 ? mer_text("idle") : MER_NONE;
	if (guest < 0 || guest >= w->n_hosts || tid <= 0)
		return 0;
	const struct kernel_host *h = &w->hosts[guest];
	uint32_t task = kernel_find_task(h, (int32_t)tid, NULL, 0);
	if (task != KERNEL_NONE)
		*c = mer_text(kernel_comm(h, task));
	return 0;
}

static const struct mer_column exit_task_columns[] = { { "guest", "guest", MER_TEXT },
	{ "guest_task", "tid", MER_ID }, { "guest_comm", "comm", MER_TEXT },
	{ "reason", "reason", MER_TEXT }, { "count", "count", MER_COUNT },
	{ "total_ns", "total", MER_DURATION }, { "percent", "%", MER_RATIO },
	{ "min_ns", "min", MER_DURATION }, { "mean_ns", "mean", MER_DURATION },
	{ "max_ns", "max", MER_DURATION }, { 0 } };
static const struct fold exit_tasks = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_vm_exit },
	.group = "guest guest_task reason",
	.known = "guest_task",
	.cells = (const struct fold_cell[]){ { "guest_comm", FOLD_FUNCTION, .is_key = true,
						     .of_parts = guest_comm_cell },
		{ "count", .op = FOLD_COUNT }, { "total_ns", FOLD_SUM, .of = "duration_ns" },
		{ "percent", FOLD_SHARE, .of = "total_ns" },
		{ "min_ns", FOLD_MIN, .of = "duration_ns" },
		{ "mean_ns", FOLD_MEAN, .of = "duration_ns" },
		{ "max_ns", FOLD_MAX, .of = "duration_ns" }, { 0 } },
	.order = "guest guest_task",
};

/* ---- physical CPUs ---- */

static const struct mer_column fused_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "vcpu", "vCPU", MER_ID }, { "guest", "guest", MER_TEXT },
	{ "guest_task", "tid", MER_ID }, { "guest_comm", "comm", MER_TEXT },
	{ "time_ns", "time", MER_DURATION }, { "percent", "%", MER_RATIO }, { 0 } };
static const struct fold fused = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_vm_fused },
	.group = "host cpu vcpu guest guest_task",
	.cells = (const struct fold_cell[]){ { "guest_comm", FOLD_FUNCTION, .is_key = true,
						     .of_parts = guest_comm_cell },
		{ "time_ns", .op = FOLD_SUM }, { "percent", FOLD_OF_RANGE, .of = "time_ns" },
		{ 0 } },
	.order = "host cpu",
};
static const struct mer_column fused_bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "guest", "guest", MER_TEXT }, { "guest_task", "tid", MER_ID },
	{ "guest_comm", "comm", MER_TEXT }, { "time_ns", "time", MER_DURATION }, { 0 } };
static const struct fold fused_bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_vm_fused },
	.scopes = (const struct fold_scope[]){ { "CPU", .group = "host cpu guest guest_task" },
		{ 0 } },
	.cells = (const struct fold_cell[]){ { "guest_comm", FOLD_FUNCTION, .is_key = true,
						     .of_parts = guest_comm_cell },
		{ "time_ns", .op = FOLD_SUM }, { 0 } },
	.order = "cpu",
};

/* ---- tasks of guests ---- */

static const struct kernel_guest *guest_of(const struct fold_parts *p, size_t i)
{
	return fold_parts_run(p)->world->hosts[fold_part_host(p, i)].guest;
}

/* Finds who stole most of the time; absence KERNEL_NONE: nobody. */
static int find_thief(const struct fold_parts *p, struct kernel_theft *thief)
{
	struct kernel_thefts thefts = { 0 };
	bool ok = true;
	for (size_t i = 0; i < fold_parts_n(p) && ok; i++) {
		const struct kernel_guest *g = guest_of(p, i);
		int64_t absence = fold_part_key(p, i, "absence");
		int64_t ns = absence == FACT_UNKNOWN ? 0 : fold_part_sum(p, i, "stolen_ns");
		if (ns && g && absence >= 0 && absence < g->n)
			ok = kernel_thefts_add(&thefts, g, (uint32_t)absence, ns);
	}
	*thief = kernel_culprit(&thefts);
	kernel_thefts_fini(&thefts);
	return ok ? 0 : mer_fail_nomem(fold_parts_run(p)->err);
}

/* The thread that stole most; by_task_cell: the guest's task in it that had more than half of that
 * time. */
static int by_thread_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct kernel_theft most;
	int rc = find_thief(p, &most);
	*c = most.absence == KERNEL_NONE
		     ? MER_NONE
		     : mer_text(kernel_absence_words(most.g, kernel_absence_thread(&most)));
	return rc;
}

static int by_task_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct kernel_theft most;
	int rc = find_thief(p, &most);
	const char *task = most.absence == KERNEL_NONE ? NULL : kernel_theft_task(&most);
	*c = mer_text(task);
	return rc;
}

static int by_task_ns_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct kernel_theft most;
	int rc = find_thief(p, &most);
	bool any = most.absence != KERNEL_NONE && kernel_theft_task(&most);
	*c = any ? MER_INT(most.task_ns) : MER_NONE;
	return rc;
}

static int by_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct kernel_theft most;
	int rc = find_thief(p, &most);
	*c = most.absence == KERNEL_NONE ? MER_NONE
					 : mer_text(kernel_absence_words(most.g, most.absence));
	return rc;
}

static int by_ns_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct kernel_theft most;
	int rc = find_thief(p, &most);
	*c = most.absence == KERNEL_NONE ? MER_NONE : MER_INT(most.ns);
	return rc;
}

#define KIND_IS(kind_) .where = { "kind", FOLD_IS, (kind_), 0 }
#define GUEST_COLUMNS                                                                              \
	{ "seen_ns", "seen", MER_DURATION }, { "guest_ns", "in guest", MER_DURATION },             \
		{ "hypervisor_ns", "hypervisor", MER_DURATION },                                   \
		{ "user_ns", "VM process", MER_DURATION },                                         \
		{ "stolen_ns", "stolen", MER_DURATION },                                           \
	{                                                                                          \
		"unknown_ns", "unknown", MER_DURATION                                              \
	}
#define GUEST_CELLS                                                                                \
	{ "seen_ns", .op = FOLD_SUM }, { "guest_ns", .op = FOLD_SUM, KIND_IS(GUEST_RAN) },         \
		{ "hypervisor_ns", .op = FOLD_SUM, KIND_IS(GUEST_HYPERVISOR) },                    \
		{ "user_ns", .op = FOLD_SUM, KIND_IS(GUEST_USER) },                                \
		{ "stolen_ns", .op = FOLD_SUM, KIND_IS(GUEST_STOLEN) },                            \
	{                                                                                          \
		"unknown_ns", .op = FOLD_SUM, KIND_IS(GUEST_UNKNOWN)                               \
	}

static const struct mer_column task_columns[] = { ANALYSIS_TASK_COLUMNS, GUEST_COLUMNS,
	{ "stolen_percent", "stolen %", MER_RATIO }, { "stolen_count", "count", MER_COUNT },
	{ "stolen_max_ns", "max", MER_DURATION }, { "by", "most by", MER_TEXT }, { 0 } };
static const struct fold tasks = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_guest_time, &fact_stolen },
	.ignores = FOLD_BY_DURATION,
	.group = "host thread",
	.parts = "absence",
	.cells = (const struct fold_cell[]){ GUEST_CELLS,
		{ "stolen_percent", FOLD_RATIO, .of = "stolen_ns", .by = "seen_ns" },
		{ "stolen_count", .op = FOLD_COUNT, .kind = 1 },
		{ "stolen_max_ns", FOLD_MAX, .kind = 1 },
		{ "by", FOLD_FUNCTION, .of_parts = by_cell }, { 0 } },
	.order = "host thread",
	/* A stretch of stolen time may have several culprits, so it cannot be counted by
	 * culprit. */
	NEIGHBOURS_INSTEAD,
	.finish = tell_unknown_of_tasks,
};

/* Percentages of the time that was stolen from the same guest; without a column "host", of all
 * stolen time. */
static int share_stolen(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	size_t host = mer_table_column(t, "host"), ns = mer_table_column(t, "stolen_ns"),
	       to = mer_table_column(t, "percent");
	double *sums = calloc((size_t)t->n_rows + 1, sizeof(*sums));
	(void)n_seen;
	if (!sums)
		return mer_fail_nomem(run->err);
	for (int filling = 0; filling < 2; filling++)
		for (size_t r = 0, of = 0; r < t->n_rows; r++) {
			struct mer_cell *row = &t->cells[r * t->n_columns];
			/* Rows of a guest follow each other. */
			if (host != SIZE_MAX && r && row[host].set &&
				row[host - t->n_columns].set &&
				strcmp(row[host].v.text, (row - t->n_columns)[host].v.text) != 0)
				of = r;
			if (!filling)
				sums[of] += (double)row[ns].v.i;
			else if (sums[of] > 0)
				row[to] = MER_REAL_CELL((double)row[ns].v.i / sums[of]);
		}
	free(sums);
	return 0;
}

static const struct mer_column neighbour_columns[] = { { "host", "guest", MER_TEXT },
	{ "neighbour", "by", MER_TEXT }, { "stolen_ns", "stolen", MER_DURATION },
	{ "percent", "%", MER_RATIO }, { 0 } };
static const struct fold neighbours = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_guest_time },
	.where = { { "kind", FOLD_IS, GUEST_STOLEN, 0 } },
	.group = "host neighbour",
	.cells = (const struct fold_cell[]){ { "stolen_ns", .op = FOLD_SUM },
		{ "percent", .op = FOLD_CONSTANT }, { 0 } },
	.order = "host -stolen_ns",
	.finish = share_stolen,
};

static const struct mer_column guest_columns[] = { { "host", "host", MER_TEXT }, GUEST_COLUMNS,
	{ "stolen_percent", "stolen %", MER_RATIO }, { "by", "most by", MER_TEXT },
	{ "by_ns", "by it", MER_DURATION }, { "by_task", "in it", MER_TEXT },
	{ "by_task_ns", "by that", MER_DURATION }, { 0 } };
static const struct fold guests = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_guest_time },
	.ignores = FOLD_BY_DURATION,
	.group = "host",
	.parts = "absence",
	.cells = (const struct fold_cell[]){ GUEST_CELLS,
		{ "stolen_percent", FOLD_RATIO, .of = "stolen_ns", .by = "seen_ns" },
		{ "by", FOLD_FUNCTION, .of_parts = by_thread_cell },
		{ "by_ns", FOLD_FUNCTION, .of_parts = by_ns_cell },
		{ "by_task", FOLD_FUNCTION, .of_parts = by_task_cell },
		{ "by_task_ns", FOLD_FUNCTION, .of_parts = by_task_ns_cell }, { 0 } },
	.order = "host",
	.finish = tell_unknown_of_tasks,
};

static const struct mer_column stolen_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	ANALYSIS_TASK_COLUMNS, { "cpu", "CPU", MER_ID }, { "by_comm", "by", MER_TEXT },
	{ "by_tid", "by tid", MER_ID }, { "by_host", "on", MER_TEXT },
	{ "guest", "its guest", MER_TEXT }, { "guest_comm", "guest task", MER_TEXT },
	{ "guest_tid", "guest tid", MER_ID }, { 0 } };
static const struct fold stolen_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_stolen },
	.cut_rows = true,
	.value = "-duration_ns",
};

static struct mer_cell share_of(const struct fact *f, int64_t ns)
{
	return f->end > f->begin ? MER_REAL_CELL((double)ns / (double)(f->end - f->begin))
				 : MER_NONE;
}

static struct mer_cell stolen_share(
	const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	(void)run;
	(void)host;
	return share_of(f, ((const struct vm_outlier *)f)->stolen);
}

static struct mer_cell hypervisor_share(
	const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	(void)run;
	(void)host;
	return share_of(f, ((const struct vm_outlier *)f)->hypervisor);
}

static struct mer_cell rest_share(
	const struct analysis_run *run, uint32_t host, const struct fact *f)
{
	const struct vm_outlier *x = (const struct vm_outlier *)f;
	(void)run;
	(void)host;
	return share_of(f, f->end - f->begin - x->stolen - x->hypervisor);
}

static const struct mer_column outlier_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "stolen_percent", "stolen %", MER_RATIO },
	{ "hypervisor_percent", "hypervisor %", MER_RATIO },
	{ "rest_percent", "rest %", MER_RATIO }, { "median_ns", "median", MER_DURATION },
	{ "stolen_ns", "stolen", MER_DURATION }, { "hypervisor_ns", "hypervisor", MER_DURATION },
	{ "rest_ns", "rest", MER_DURATION }, ANALYSIS_TASK_COLUMNS, { "kind", "kind", MER_TEXT },
	{ "call", "call", MER_TEXT }, { "object", NULL, MER_TEXT }, { "cpu", NULL, MER_ID },
	{ "by", "stolen by", MER_TEXT }, { 0 } };
static const struct fold outliers = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_vm_outlier },
	.value = "-stolen_ns",
	.cells = (const struct fold_cell[]){ { "stolen_percent", FOLD_VALUE,
						     .of_fact = stolen_share },
		{ "hypervisor_percent", FOLD_VALUE, .of_fact = hypervisor_share },
		{ "rest_percent", FOLD_VALUE, .of_fact = rest_share }, { 0 } },
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
	.ignores = FOLD_BY_DURATION,
	.scopes = (const struct fold_scope[]){ { "host", .group = "host" },
		{ "vCPU", .group = "host thread vcpu" }, { 0 } },
	.cells = (const struct fold_cell[]){ TIME_CELLS, { 0 } },
	.order = "thread",
};

enum {
	VCPUS,
	TASKS,
	GUESTS,
	EXITS,
	EXIT_TASKS,
	SPINS,
	NEIGHBOURS,
	STOLEN,
	OUTLIERS,
	FUSED,
	BAD,
	LOG,
	FREQ,
	STATS,
	BINS,
	BINS_FUSED,
	BINS_BAD
};
static const struct analysis_output outputs[] = {
	[VCPUS] = { "vcpus", "vCPUs", vcpu_columns, "preempted_ns", &vcpus, .is_top = true },
	[EXITS] = { "exits", "Exits of guests by reason", exit_columns, "total_ns", &exits,
		.is_top = true },
	[TASKS] = { "tasks", "Tasks of guests", task_columns, "stolen_ns", &tasks, .is_top = true },
	[GUESTS] = { "guests", "Guests: all of their tasks, and who stole most", guest_columns,
		"stolen_ns", &guests },
	[NEIGHBOURS] = { "neighbours", "Stolen from tasks of guests by neighbour",
		neighbour_columns, "stolen_ns", &neighbours },
	[STOLEN] = { "stolen", "Longest times stolen from tasks of guests", stolen_columns,
		"duration_ns", &stolen_fold },
	[OUTLIERS] = { "outliers", "Much longer than usual in guests", outlier_columns, "stolen_ns",
		&outliers },
	[EXIT_TASKS] = { "exits_tasks", "Exits of guests by task and reason", exit_task_columns,
		"total_ns", &exit_tasks },
	[SPINS] = { "spins", "Guests that spun for a lock, and which of their vCPUs was preempted",
		spin_columns, "count", &spins },
	[FUSED] = { "fused", "CPUs, their vCPUs and the tasks in them", fused_columns, "time_ns",
		&fused },
	[BAD] = { "bad", "Events of guests while their CPU was not in the guest", vm_bad_columns,
		"bad", .reads = true },
	[LOG] = { "log", "What vCPUs did outside of their guests", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "Lengths of stays of vCPUs", freq_columns, .fold = &freq },
	[STATS] = { "stats", "Stays of vCPUs by state", stats_columns, .fold = &stats },
	[BINS] = { "bins", "vCPUs over time", bins_columns, .fold = &bins },
	[BINS_FUSED] = { "bins_fused", "CPUs and the guests' tasks on them over time",
		fused_bins_columns, .fold = &fused_bins },
	[BINS_BAD] = { "bins_bad", "Events outside of guests over time", vm_bad_bins_columns,
		.reads = true },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Tasks of guests on the CPUs of their hypervisor",
		.table = "bins_fused",
		.y = "of each second",
		.of = "CPU",
		.keys = "time_ns",
		.per = "time",
		.by_host = true },
	{ .title = "vCPUs without a CPU: preempted, or runnable since a wake-up",
		.y = "of each second",
		.of = "vCPU",
		.keys = "preempted_ns runnable_ns",
		.per = "time",
		.summary = true },
	{ .title = "vCPUs in their guests",
		.y = "of each second",
		.of = "vCPU",
		.keys = "guest_ns",
		.per = "time" },
	{ .title = "vCPUs in the hypervisor and in their processes",
		.y = "of each second",
		.of = "vCPU",
		.keys = "hypervisor_ns user_ns",
		.per = "time" },
	{ 0 },
};

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	return vm_bad_emit(run, output == BINS_BAD, t);
}

const struct analysis analysis_vm = {
	.id = "vm",
	.title = "VMs",
	.help = "vCPUs of VMs: in the guest, preempted by whom, exits and their reasons",
	.outputs = outputs,
	.worth =
		"stolen_ns duration_ns call state by by_ns seen_ns guest_ns preempted_ns runnable_ns hypervisor_ns halted_ns "
		"by_comm reason stolen_percent median_ns preempted_percent long_preemptions user_ns "
		"guest_comm guest total_ns count mean_ns max_ns stolen_max_ns stay_p50_ns stay_p95_ns "
		"stay_max_ns preemptions pinned rest_ns kind time_ns",
	.charts = charts,
	.wants = KERNEL_WANT_VMS,
	.emit = emit,
};
