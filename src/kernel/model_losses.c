/* Counted losses: what is no longer known of a CPU when a hole begins in its record, which task
 * runs there when the hole ends, and what is certain of tasks that sleep meanwhile.
 *
 * A task that was not on another CPU may have run, and slept again, while the record of any CPU had
 * a hole. Two things show more:
 *
 * - Lulls. Between two holes everything is recorded. If each CPU had nothing left to run at some
 *   moment in between, a task that did not run in between was not ready either: it slept.
 * - sched_waking names the CPU on which the task ran last. It has not run elsewhere since the
 *   last hole of that CPU. */
#include "base/lower_bound.h"
#include "kernel/model_state.h"

#include "base/grow.h"

/* This one runs on the CPU from now on: its record begins, or begins again. */
static int place(struct kernel_model *m, struct cpu *c, int64_t ts, int32_t tid)
{
	uint32_t task;
	c->task = tid == 0 ? ON_CPU_IDLE : ON_CPU_UNKNOWN;
	c->is_fresh = true;
	c->is_doubtful = false;
	c->fresh_since = c->idle_since = c->sure = ts;
	c->idle_cause = KERNEL_NO_CAUSE;
	if (tid <= 0)
		return 0;
	int rc = model_living(m, tid, ts, &task);
	if (rc)
		return rc;
	if (kernel_is_on_cpu(model_open(m, task)->state))
		return 0; /* on another CPU: it comes here later */
	rc = model_settle(m, task, ts, KERNEL_RUNNING);
	if (rc == 0)
		rc = model_run_on(m, task, ts, model_cpu_number(m, c));
	c->task = task;
	return rc;
}

/* Between two losses nothing told whether the task ran or its CPU served an interrupt. */
static void forget_since(struct kernel_model *m, uint32_t task, int64_t since)
{
	for (uint32_t i = m->h->tasks[task].last; i != KERNEL_NONE;) {
		struct kernel_span *s = kernel_span_kept(m->h, i);
		if (!s || s->begin < since || !kernel_is_on_cpu(s->state))
			return;
		s->state = KERNEL_UNKNOWN;
		s->cause = KERNEL_NO_CAUSE;
		s->call = s->source = s->by = KERNEL_NONE;
		i = s->before;
	}
}

/* What came before a loss or in it sets off nothing after it: what it did set off may have been
 * lost. */
static void forget_causes(struct cpu *c)
{
	c->has_packet = false;
	c->packet = c->request = KERNEL_NONE;
	for (int i = 0; i < MODEL_SOFTIRQS; i++)
		c->raised[i] = INT64_MIN;
}

/* ---- lulls ---- */

/* Did this CPU have nothing to run at some moment in [begin, end)? It switched to the idle task,
 * and that not while a wake-up was under way to it; or it was idle all the time, longer than that
 * takes. */
static bool had_nothing(const struct cpu *c, int64_t begin, int64_t end)
{
	enum { AT_ONCE_NS = 200000, SOON_NS = 20000000, LONG_NS = 100000000 };
	if (c->drained >= begin + AT_ONCE_NS)
		return true;
	return c->task == ON_CPU_IDLE && end - begin >= (c->last > begin ? SOON_NS : LONG_NS);
}

/* A hole begins, or the recording ends, and the hole before ended at `begin`. */
static int add_lull(struct kernel_model *m, int64_t begin, int64_t end)
{
	/* A task in a queue may be moved to another one while that is empty, which is recorded. */
	if (begin >= end || (m->n_cpus > 1 && !m->has_migrations))
		return 0;
	for (uint32_t i = 0; i < m->n_cpus; i++)
		if (!had_nothing(&m->cpus[i], begin, end))
			return 0;
	if (!mer_grow32(&m->lulls, m->n_lulls, &m->cap_lulls, sizeof(*m->lulls)))
		return mer_fail_nomem(m->err);
	m->lulls[m->n_lulls++] = (struct lull){ begin, end };
	return 0;
}

/* The first that begins at this time or later. */
static uint32_t find_lull(const struct kernel_model *m, int64_t time)
{
	MER_LOWER_BOUND(low, 0, m->n_lulls, at, m->lulls[at].begin < time);
	return (uint32_t)low;
}

/* Spans of tasks that slept through lulls are no more than the events: a great many tasks may sleep
 * through a great many of them. */
int model_tell_lulls(struct kernel_model *m, uint32_t task, int64_t from, int64_t until)
{
	int rc = 0;
	if (m->reuses_numbers)
		return 0; /* it may be another one than before the hole */
	for (uint32_t i = find_lull(m, from); i < m->n_lulls && rc == 0; i++) {
		struct lull lull = m->lulls[i];
		if (lull.end >= until || m->n_slept >= m->h->n_events / 2)
			break;
		m->n_slept++;
		rc = model_enter(m, task, lull.begin, KERNEL_BLOCKED, KERNEL_NO_CPU,
			KERNEL_NO_CAUSE, KERNEL_NONE, KERNEL_NONE);
		if (rc == 0)
			rc = model_enter(m, task, lull.end, KERNEL_UNKNOWN, KERNEL_NO_CPU,
				KERNEL_NO_CAUSE, KERNEL_NONE, KERNEL_NONE);
	}
	return rc;
}

/* Who was there before the recording began, as the state dump says or was seen before anything was
 * lost, and was not seen to end, is taken to live: its exit, and later sched_process_free, would
 * both have to be lost. Not one of which nothing is known since it began. */
int model_outlast(struct kernel_model *m, uint32_t task, int64_t end)
{
	const struct kernel_task *t = &m->h->tasks[task];
	const struct kernel_span *open = model_open(m, task);
	enum kernel_state before = open->state;
	bool lives = m->has_frees && (task < m->n_old || m->live[task].was_dumped) && !t->born &&
		     t->died == INT64_MAX &&
		     (before == KERNEL_BLOCKED || before == KERNEL_RUNNABLE ||
			     (before == KERNEL_UNKNOWN && open->begin > t->begin));
	int rc = model_settle(m, task, end, lives ? KERNEL_RUNNING : KERNEL_UNKNOWN);
	if (rc || !lives || m->reuses_numbers || m->n_lulls == 0)
		return rc;
	open = model_open(m, task);
	const struct lull *last = &m->lulls[m->n_lulls - 1];
	if (last->end < end || open->state != KERNEL_UNKNOWN || open->begin > last->begin)
		return 0;
	return model_enter(m, task, last->begin, KERNEL_BLOCKED, KERNEL_NO_CPU, KERNEL_NO_CAUSE,
		KERNEL_NONE, KERNEL_NONE);
}

int model_end_losses(struct kernel_model *m, int64_t end)
{
	int rc = model_pass_holes(m, end);
	return rc == 0 && m->n_in_loss == 0 && m->holes.n_ended ? add_lull(m, m->lost_until, end)
								: rc;
}

int64_t model_asleep_since(
	const struct kernel_model *m, uint32_t task, int64_t ts, uint64_t last_cpu)
{
	const struct kernel_span *open = model_open(m, task);
	if (last_cpu >= m->n_cpus)
		return INT64_MAX;
	const struct cpu *c = &m->cpus[last_cpu];
	int64_t lost_until = c->in_loss ? ts : c->lost_until;
	if (lost_until > open->begin)
		return lost_until;
	return open->state == KERNEL_BLOCKED && open->cpu == last_cpu ? open->begin : INT64_MAX;
}

/* ---- begins and ends ---- */

static int begin_loss(struct kernel_model *m, const struct kernel_loss *loss)
{
	struct cpu *c = model_cpu(m, loss->cpu);
	if (!c)
		return mer_fail_nomem(m->err);
	uint32_t task = c->task;
	bool is_fresh = c->is_fresh;
	int rc = task == ON_CPU_IDLE ? model_tell_idle(m, c, loss->begin, KERNEL_NO_CAUSE) : 0;
	if (m->holes.n_begun == 1)
		m->n_old = m->h->n_tasks;
	if (rc == 0 && m->n_in_loss == 0 && m->holes.n_ended)
		rc = add_lull(m, m->lost_until, loss->begin);
	if (rc)
		return rc;
	c->in_loss++;
	m->n_in_loss++;
	m->n_commands = 0; /* they may complete unseen */
	c->task = ON_CPU_UNKNOWN;
	model_clear_contexts(c);
	forget_causes(c);
	if (task >= ON_CPU_IDLE)
		return 0;
	if (is_fresh)
		forget_since(m, task, c->fresh_since);
	model_forget_mode(m, task);
	rc = model_enter(m, task, loss->begin, KERNEL_UNKNOWN, KERNEL_NO_CPU, KERNEL_NO_CAUSE,
		KERNEL_NONE, KERNEL_NONE);
	m->live[task].mode_since = KERNEL_NONE;
	return rc;
}

static int end_loss(struct kernel_model *m, const struct kernel_loss *loss)
{
	struct cpu *c = model_cpu(m, loss->cpu);
	if (!c)
		return mer_fail_nomem(m->err);
	c->in_loss -= c->in_loss > 0;
	m->n_in_loss -= m->n_in_loss > 0;
	m->n_commands = 0;
	c->last = c->lost_until = m->lost_until = loss->end;
	forget_causes(c);
	return c->in_loss ? 0 : place(m, c, loss->end, loss->next_tid);
}

int model_pass_holes(struct kernel_model *m, int64_t ts)
{
	struct kernel_hole_edge edge;
	int rc = 0;
	while (rc == 0 && kernel_holes_pass(&m->holes, ts, &edge))
		rc = edge.is_begin ? begin_loss(m, edge.loss) : end_loss(m, edge.loss);
	return rc;
}
