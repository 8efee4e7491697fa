#include "analysis/summary/summary_next.h"

#include <string.h>

#define TABLE(analysis_, output_)                                                                  \
	{                                                                                          \
		.view = SUMMARY_VIEW_TABLE, .analysis = analysis_, .output = output_               \
	}

static const struct summary_next of_rules[FINDING_N_RULES] = {
	[FINDING_LOST] = { .view = SUMMARY_VIEW_CHECK },
	[FINDING_UNKNOWN] = { .view = SUMMARY_VIEW_CHECK },
	[FINDING_GAPS] = { .view = SUMMARY_VIEW_INFO },
	[FINDING_NO_SWITCH] = { .view = SUMMARY_VIEW_CHECK },
	[FINDING_PACKETS] = TABLE("net", "sockets"),
	[FINDING_NOTHING] = { .view = SUMMARY_VIEW_INFO },
	[FINDING_EMPTY] = { .view = SUMMARY_VIEW_CHECK },
	[FINDING_DISK_ERRORS] = TABLE("disk", "top"),
	[FINDING_STUCK] = TABLE("futex", "top_unfinished"),
	[FINDING_CPU] = TABLE("cpu", "totals,top"),
	[FINDING_CPU_FULL] = TABLE("cpu", "cpus,top"),
	[FINDING_PROCESSES] = TABLE("cpu", "totals,processes"),
	[FINDING_DISK_BUSY] = TABLE("disk", "top"),
	[FINDING_DISK] = TABLE("disk", "top"),
	[FINDING_FAULTS] = TABLE("faults", "top"),
	[FINDING_FLUSHES] = TABLE("disk", "stats"),
	[FINDING_LOCKS] = TABLE("futex", "top"),
	[FINDING_STOLEN] = TABLE("vm", "guests,tasks"),
	[FINDING_SOFTIRQ] = TABLE("cpu", "hosts,cpus"),
	[FINDING_IRQ] = TABLE("cpu", "hosts,cpus"),
	[FINDING_POLLING] = TABLE("poll", "stats"),
	[FINDING_RANKS] = TABLE("mpi", "ranks,waits"),
	[FINDING_OUTSIDE] = TABLE("net", "sockets"),
	[FINDING_LATENCY] = { .view = SUMMARY_VIEW_LATENCY },
	[FINDING_REQUEST] = { .view = SUMMARY_VIEW_REQUEST },
	[FINDING_REPEATED] = { .view = SUMMARY_VIEW_LATENCY },
	[FINDING_CALM] = { .view = SUMMARY_VIEW_RELATIONS },
	[FINDING_SCHEDULING] = TABLE("sched", "top"),
	[FINDING_CALL_ERRORS] = TABLE("syscall", "stats"),
	[FINDING_VIEW] = TABLE("view", "top"),
};

enum finding_rule finding_rule_of(const struct mer_table *t, size_t row)
{
	const struct mer_cell *c = &t->cells[row * t->n_columns + FINDING_COL_RULE];
	int rule = 0;
	while (rule < FINDING_N_RULES - 1 &&
		strcmp(finding_rule_name((enum finding_rule)rule), c->set ? c->v.text : "") != 0)
		rule++;
	return (enum finding_rule)rule;
}

static const char *host_of(const struct mer_cell *c)
{
	return c->set && c->v.text[0] ? c->v.text : NULL;
}

struct summary_next finding_next(const struct mer_table *t, size_t row)
{
	const struct mer_cell *c = &t->cells[row * t->n_columns];
	enum finding_rule rule = finding_rule_of(t, row);
	struct summary_next next = of_rules[rule];
	/* an event that was not recorded and would show more */
	if (rule == FINDING_CALM && c[FINDING_COL_OBJECT2].set)
		next.view = SUMMARY_VIEW_CHECK;
	else if (rule == FINDING_CALM && !c[FINDING_COL_OBJECT].set)
		next = (struct summary_next)TABLE("cpu", "hosts");
	if (rule == FINDING_VIEW && c[FINDING_COL_OBJECT].set)
		next.name = c[FINDING_COL_OBJECT].v.text;
	if (rule == FINDING_REQUEST) {
		next.request = c[FINDING_COL_OBJECT].v.text;
		if (c[FINDING_COL_COUNT].v.i < 2)
			next.view = SUMMARY_VIEW_PATH;
	}
	if (rule == FINDING_OUTSIDE && c[FINDING_COL_OBJECT].set) {
		next = (struct summary_next){ .view = SUMMARY_VIEW_SYNC };
	} else if ((rule == FINDING_DISK || rule == FINDING_FAULTS || rule == FINDING_OUTSIDE) &&
		   /* the waits of one task, in their context, show more */
		   c[FINDING_COL_TID].set) {
		next = (struct summary_next){ .view = SUMMARY_VIEW_WAITS };
		next.tid = c[FINDING_COL_TID].v.i;
	}
	if (next.view != SUMMARY_VIEW_LATENCY && next.view != SUMMARY_VIEW_SYNC)
		next.host = host_of(&c[FINDING_COL_HOST]);
	return next;
}

/* NULL: there is no such column, or it is not set. */
static const struct mer_cell *cell(const struct mer_table *t, size_t row, const char *key)
{
	size_t c = mer_table_column(t, key);
	const struct mer_cell *found = c == SIZE_MAX ? NULL : &t->cells[row * t->n_columns + c];
	return found && found->set ? found : NULL;
}

static struct summary_next next_of_wait(const struct mer_table *t, size_t row, int64_t tid)
{
	static const struct {
		const char *cause;
		struct summary_next next;
	} of_causes[] = {
		{ "runnable", TABLE("sched", "top") },
		{ "disk", TABLE("disk", "top") },
		{ "page fault", TABLE("faults", "top") },
		{ "futex", TABLE("futex", "top") },
	};
	const struct mer_cell *cause = cell(t, row, "cause"), *most = cell(t, row, "most_tid");
	for (size_t i = 0; cause && i < sizeof(of_causes) / sizeof(*of_causes); i++)
		if (strcmp(of_causes[i].cause, cause->v.text) == 0)
			return of_causes[i].next;
	return (struct summary_next){ .view = SUMMARY_VIEW_WAITS,
		.tid = most && most->v.i > 0 ? most->v.i : tid };
}

struct summary_next summary_next(const struct mer_table *t, size_t row)
{
	const struct mer_cell *tid = cell(t, row, "tid"), *host = cell(t, row, "host");
	struct summary_next next = TABLE("cpu", "top");
	if (strcmp(t->id, "links") == 0)
		return (struct summary_next){ .view = SUMMARY_VIEW_LATENCY };
	if (strcmp(t->id, "waits") == 0)
		next = next_of_wait(t, row, tid ? tid->v.i : -1);
	else if (tid && tid->v.i > 0)
		next = (struct summary_next){ .view = SUMMARY_VIEW_TASK, .tid = tid->v.i };
	next.host = host ? host_of(host) : NULL;
	return next;
}
