#include "analysis/reports/cpu_stays.h"

#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/recorded.h"
#include "base/grow.h"

/* ---- facts ---- */

enum {		   /* how a stay ended */
	UNKNOWN,   /* the recording ended, events were lost, or it was not seen */
	PREEMPTED, /* it was still runnable */
	BLOCKED,
	STOPPED,
	EXITED,
	MOVED /* it ran on another CPU next; no event shows that it left this one */
};
static const char *const end_names[] = { NULL, "preempted", "blocked", "stopped", "exited",
	"moved" };

struct cpu_stay {
	struct fact fact;    /* choice: how it ended */
	int64_t interrupted; /* time in interrupts, part of the stay, ns */
};

static int64_t self_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return f->end - f->begin - ((const struct cpu_stay *)f)->interrupted;
}

static const struct fact_field fields[] = {
	{ "ended", "ended", MER_TEXT, FACT_WORDS(end_names), FACT_MEMBER(struct fact, choice) },
	{ "interrupted_ns", "interrupted", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct cpu_stay, interrupted) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "self_ns", "task", MER_DURATION, FACT_BY_FUNCTION, .get = self_of,
		.meaning = FACT_NUMBER },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_cpu_stay = {
	.id = "cpu_stay",
	.title = "Time slices on a CPU",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct cpu_stay),
	.fields = fields,
	.views = views,
	.duration = "duration_ns",
};

/* ---- their maker ---- */

struct open_stay { /* the current or the last stay of a task */
	struct cpu_stay stay;
	bool is_open;
};

struct state {
	struct open_stay *tasks;
	size_t cap_tasks;
};

static int close_stay(
	struct fact_host *f, const struct kernel_host *h, struct open_stay *x, uint16_t how)
{
	x->is_open = false;
	x->stay.fact.choice = how;
	return x->stay.fact.end > x->stay.fact.begin ? fact_add(f, h, 0, &x->stay) : 0;
}

static uint16_t end_of(enum kernel_state next)
{
	switch (next) {
	case KERNEL_RUNNABLE: return PREEMPTED;
	case KERNEL_BLOCKED: return BLOCKED;
	case KERNEL_STOPPED: return STOPPED;
	case KERNEL_DEAD: return EXITED;
	default: return UNKNOWN;
	}
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	const struct kernel_span *k = kernel_span(h, span);
	struct open_stay *x = mer_grow_at(&s->tasks, &s->cap_tasks, k->task, sizeof(*x));
	bool on = kernel_is_on_cpu(k->state) && k->cpu != KERNEL_NO_CPU;
	int rc = 0;
	if (!x)
		return mer_fail_nomem(f->err);
	if (x->is_open && !(on && x->stay.fact.cpu == k->cpu))
		rc = close_stay(f, h, x, on ? MOVED : end_of(k->state));
	if (!on)
		return rc;
	if (!x->is_open)
		*x = (struct open_stay){ .stay.fact = { k->begin, end, k->task, k->cpu, UNKNOWN },
			.is_open = true };
	x->stay.fact.end = end;
	if (k->state == KERNEL_INTERRUPTED)
		x->stay.interrupted += end - k->begin;
	return rc;
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	int rc = 0;
	(void)w;
	for (size_t i = 0; i < s->cap_tasks && i < h->n_tasks && rc == 0; i++) {
		struct open_stay *x = &s->tasks[i];
		if (x->is_open)
			rc = close_stay(
				f, h, x, h->tasks[i].died <= x->stay.fact.end ? EXITED : UNKNOWN);
	}
	return rc;
}

static void free_state(void *state)
{
	free(((struct state *)state)->tasks);
}

static const struct fact_kind *const kinds[] = { &fact_cpu_stay, NULL };
static const struct fact_maker maker = {
	.id = "cpu_stay",
	.kinds = kinds,
	.state_size = sizeof(struct state),
	.on = { .span = on_span },
	.end = end,
	.free_state = free_state,
};

/* ---- tables ---- */

const struct mer_column cpu_log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "cpu", "CPU", MER_ID }, ANALYSIS_TASK_COLUMNS, { "ended", "ended", MER_TEXT },
	{ "self_ns", NULL, MER_DURATION }, { "interrupted_ns", "interrupted", MER_DURATION },
	{ 0 } };
const struct fold cpu_log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_cpu_stay },
	.value = "begin",
	.finish = analysis_forget_modes,
};

const struct mer_column cpu_freq_columns[] = { { "host", "host", MER_TEXT }, ANALYSIS_FREQ_COLUMNS,
	{ 0 } };
const struct fold cpu_freq_fold = {
	.shape = FOLD_BUCKETS, .kinds = { &fact_cpu_stay }, .group = "host", .value = "duration_ns"
};

const struct mer_column cpu_stats_columns[] = { ANALYSIS_TASK_COLUMNS, ANALYSIS_STATS_COLUMNS,
	ANALYSIS_PERCENTILE_COLUMNS, { 0 } };
const struct fold cpu_stats_fold = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_cpu_stay },
	.group = "host thread",
	.cells = (const struct fold_cell[]){ FOLD_STATS("duration_ns"),
		FOLD_PERCENTILES("duration_ns"), { 0 } },
	.order = "host thread",
};
