/* CPU usage of all tasks of a host together: their CPU time, how long they were runnable, and the
 * CPU time of short-lived tasks. The tracer's tasks are counted separately. The summary takes its
 * numbers from here. */
#include "analysis/reports/cpu.h"
#include "analysis/tracer.h"

enum { OTHERS = 1, TRACER = 2, BRIEF = 4 };

static unsigned who(const struct kernel_host *h, const bool *tracer, int64_t task)
{
	const struct kernel_task *t = task >= 0 && task < h->n_tasks ? &h->tasks[task] : NULL;
	if (t && tracer[task])
		return TRACER;
	return OTHERS | (t && analysis_is_brief(t) ? BRIEF : 0u);
}

/* Sum of the column over the tasks of these kinds (bits); n: how many of them are not 0. */
static int sum_of(
	const struct fold_parts *p, const char *column, unsigned kind, int64_t *sum, int64_t *n)
{
	const struct analysis_run *run = fold_parts_run(p);
	*sum = *n = 0;
	for (size_t i = 0; i < fold_parts_n(p); i++) {
		uint32_t host = fold_part_host(p, i);
		const bool *tracer = analysis_tracer_of((struct analysis_run *)run, host);
		if (!tracer)
			return mer_fail_nomem(run->err);
		int64_t ns = fold_part_sum(p, i, column);
		if (ns &&
			who(&run->world->hosts[host], tracer, fold_part_key(p, i, "task")) & kind) {
			*sum += ns;
			++*n;
		}
	}
	return 0;
}

static int sum_cell(
	const struct fold_parts *p, const char *column, unsigned kind, struct mer_cell *c)
{
	int64_t sum, n;
	int rc = sum_of(p, column, kind, &sum, &n);
	*c = MER_INT(sum);
	return rc;
}

static int tasks_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t sum, n;
	int rc = sum_of(p, "all_self_ns", OTHERS, &sum, &n);
	*c = MER_INT(n);
	return rc;
}

static int self_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return sum_cell(p, "all_self_ns", OTHERS, c);
}

static int runnable_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return sum_cell(p, "all_runnable_ns", OTHERS, c);
}

static int tracer_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return sum_cell(p, "all_self_ns", TRACER, c);
}

static int brief_ns_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return sum_cell(p, "all_self_ns", BRIEF, c);
}

/* Number of selected short-lived tasks that began in the selected time, even without CPU time.
 * threads: without main threads of processes. */
static int count_brief(const struct fold_parts *p, bool threads, struct mer_cell *c)
{
	const struct analysis_run *run = fold_parts_run(p);
	const struct analysis_options *o = run->options;
	uint32_t host = fold_part_host(p, 0);
	const struct kernel_host *h = &run->world->hosts[host];
	const bool *tracer = analysis_tracer_of((struct analysis_run *)run, host);
	if (!tracer)
		return mer_fail_nomem(run->err);
	int64_t n = 0;
	for (uint32_t i = 0; i < h->n_tasks; i++)
		n += who(h, tracer, i) & BRIEF &&
		     (!threads || h->tasks[i].pid != h->tasks[i].tid) &&
		     (!o->wants_task || o->wants_task(o->ctx, h, i)) &&
		     analysis_is_asked(o, h->tasks[i].begin);
	*c = MER_INT(n);
	return 0;
}

static int brief_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return count_brief(p, false, c);
}

static int brief_threads_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return count_brief(p, true, c);
}

static int finish_totals(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	(void)n_seen;
	return analysis_forget_runnable(run, t);
}

const struct mer_column cpu_total_columns[] = { { "host", "host", MER_TEXT },
	{ "tasks", "tasks", MER_COUNT }, { "self_ns", "CPU time", MER_DURATION },
	{ "runnable_ns", "runnable", MER_DURATION }, { "runnable_tasks", "mean", MER_REAL },
	{ "brief", "short-lived", MER_COUNT }, { "brief_threads", NULL, MER_COUNT },
	{ "brief_ns", "their CPU time", MER_DURATION }, { "tracer_ns", "tracer", MER_DURATION },
	{ "all_self_ns", NULL, MER_DURATION }, { "all_runnable_ns", NULL, MER_DURATION }, { 0 } };

#define OF_TASKS (1 << CPU_USER | 1 << CPU_SYSCALL | 1 << CPU_KERNEL | 1 << CPU_RUNNING)
const struct fold cpu_totals_fold = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_cpu_run, &fact_cpu_wait },
	.group = "host",
	.parts = "task",
	.cells =
		(const struct fold_cell[]){
			{ "all_self_ns", FOLD_SUM, .where = { "mode", FOLD_ONE_OF, OF_TASKS, 0 } },
			{ "all_runnable_ns", FOLD_SUM, .kind = 1 },
			{ "tasks", FOLD_FUNCTION, .of_parts = tasks_cell },
			{ "self_ns", FOLD_FUNCTION, .of_parts = self_cell },
			{ "runnable_ns", FOLD_FUNCTION, .of_parts = runnable_cell },
			{ "runnable_tasks", FOLD_OF_RANGE, .of = "runnable_ns" },
			{ "brief", FOLD_FUNCTION, .of_parts = brief_cell },
			{ "brief_threads", FOLD_FUNCTION, .of_parts = brief_threads_cell },
			{ "brief_ns", FOLD_FUNCTION, .of_parts = brief_ns_cell },
			{ "tracer_ns", FOLD_FUNCTION, .of_parts = tracer_cell }, { 0 } },
	.order = "host",
	.finish = finish_totals,
};
