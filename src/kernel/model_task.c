#include "kernel/model_state.h"

#include <stdlib.h>

static int tell(const struct kernel_model *m, uint32_t span, int64_t end)
{
	const struct kernel_observer *o = m->in.observer;
	return o && o->span ? o->span(o->ctx, m->h, span, end) : 0;
}

struct live model_no_live(void)
{
	return (struct live){ .call = KERNEL_NONE,
		.mode_since = KERNEL_NONE,
		.call_begin = INT64_MIN,
		.doubted = { .call = KERNEL_NONE, .begin = INT64_MIN },
		.renamed = INT64_MIN,
		.woke_futex_at = INT64_MIN,
		.packet = KERNEL_NONE,
		.spins_for = KERNEL_NONE,
		.wait = { .span = KERNEL_NONE, .timed_out = KERNEL_NONE, .call = KERNEL_NONE } };
}

int model_new_task(struct kernel_model *m, int32_t tid, int64_t begin, uint32_t *task)
{
	struct kernel_host *h = m->h;
	uint32_t *at = mer_map_put(&m->tids, (uint32_t)tid);
	uint32_t t = at ? kernel_add_task(h, tid, begin) : KERNEL_NONE;
	if (t == KERNEL_NONE)
		return mer_fail_nomem(m->err);
	if (!mer_spill_grow32(h->log.spill, &m->live, t, &m->cap_live, sizeof(*m->live)))
		return mer_fail_nomem(m->err);
	m->live[t] = model_no_live();
	*at = t + 1;
	struct kernel_span first = { .begin = begin,
		.task = t,
		.call = KERNEL_NONE,
		.by = KERNEL_NONE,
		.source = KERNEL_NONE,
		.cpu = KERNEL_NO_CPU,
		.state = KERNEL_UNKNOWN };
	if (kernel_add_span(h, &first) == KERNEL_NONE)
		return mer_fail_nomem(m->err);
	*task = t;
	return 0;
}

int model_task_of(struct kernel_model *m, int64_t tid, uint32_t *task)
{
	int64_t begin = m->h->begin;
	uint32_t *at = mer_map_get(&m->tids, (uint32_t)tid);
	if (at && *at) {
		const struct kernel_task *t = &m->h->tasks[*at - 1];
		if (t->end == INT64_MAX) {
			*task = *at - 1;
			return 0;
		}
		begin = t->end; /* the number was given to another task, whose fork is missing */
	}
	return model_new_task(m, (int32_t)tid, begin, task);
}

int model_living(struct kernel_model *m, int64_t tid, int64_t ts, uint32_t *task)
{
	int rc = model_task_of(m, tid, task);
	int64_t died = rc ? INT64_MAX : m->h->tasks[*task].died;
	if (rc || died == INT64_MAX)
		return rc;
	/* What it did after that is not its own: its end and the other one's begin are missing. */
	m->h->n_odd++;
	if (model_open(m, *task)->state != KERNEL_DEAD)
		rc = model_settle(m, *task, ts, KERNEL_UNKNOWN);
	m->h->tasks[*task].end = ts;
	return rc ? rc : model_new_task(m, (int32_t)tid, died, task);
}

static bool may_overwrite(const struct kernel_span *s)
{
	return kernel_is_on_cpu(s->state);
}

int model_enter(struct kernel_model *m, uint32_t task, int64_t ts, enum kernel_state state,
	uint16_t cpu, enum kernel_cause cause, uint32_t source, uint32_t by)
{
	struct live *l = &m->live[task];
	struct kernel_span *open = model_open(m, task);
	struct kernel_span s = { .begin = ts > open->begin ? ts : open->begin,
		.task = task,
		.before = open->before,
		.call = l->call,
		.by = by,
		.source = source,
		.cpu = cpu,
		.state = (uint8_t)state,
		.cause = (uint8_t)cause };
	uint32_t i = m->h->tasks[task].last;
	if (s.begin == open->begin && may_overwrite(open) && kernel_is_on_cpu(state)) {
		*open = s; /* nothing lasted no time */
	} else {
		int rc = tell(m, i, s.begin);
		if (rc)
			return rc;
		i = kernel_add_span(m->h, &s);
		if (i == KERNEL_NONE)
			return mer_fail_nomem(m->err);
	}
	if (!l->knows_mode && l->mode_since == KERNEL_NONE)
		l->mode_since = i;
	return 0;
}

int model_run_on(struct kernel_model *m, uint32_t task, int64_t ts, uint16_t cpu)
{
	const struct live *l = &m->live[task];
	enum kernel_state state = m->h->tasks[task].is_kernel ? KERNEL_THREAD
				  : l->call != KERNEL_NONE    ? KERNEL_SYSCALL
				  : l->knows_mode	      ? KERNEL_USER
							      : KERNEL_RUNNING;
	uint32_t absence = cpu < m->n_cpus ? m->cpus[cpu].absence : KERNEL_NONE;
	if (absence != KERNEL_NONE)
		return model_enter(m, task, ts, KERNEL_INTERRUPTED, cpu,
			model_absence_cause(m, absence), absence, KERNEL_NONE);
	return model_enter(m, task, ts, state, cpu, KERNEL_NO_CAUSE, KERNEL_NONE, KERNEL_NONE);
}

void model_forget_mode(struct kernel_model *m, uint32_t task)
{
	struct live *l = &m->live[task];
	l->call = l->doubted.call = KERNEL_NONE;
	l->knows_mode = false;
	l->mode_since = KERNEL_NONE;
	l->call_begin = INT64_MIN;
	l->spins_for = KERNEL_NONE;
	model_wait_forget(l);
}

void model_learn_mode(struct kernel_model *m, uint32_t task, uint32_t call)
{
	struct live *l = &m->live[task];
	if (l->knows_mode)
		return;
	l->knows_mode = true;
	l->call = call;
	enum kernel_state ran = m->h->tasks[task].is_kernel ? KERNEL_THREAD
				: call == KERNEL_NONE	    ? KERNEL_USER
							    : KERNEL_SYSCALL;
	uint32_t i = m->h->tasks[task].last;
	while (l->mode_since != KERNEL_NONE && i != KERNEL_NONE) {
		struct kernel_span *s = kernel_span_kept(m->h, i);
		if (!s)
			break;
		s->call = call;
		if (s->state == KERNEL_RUNNING)
			s->state = (uint8_t)ran;
		if (i == l->mode_since)
			break;
		i = s->before;
	}
	l->mode_since = KERNEL_NONE;
}

/* What it did in the hole, and between several, is not known, but that it slept through lulls. */
static int lose_between(
	struct kernel_model *m, uint32_t task, int64_t from, int64_t until, bool lives)
{
	struct live *l = &m->live[task];
	struct kernel_span *open = model_open(m, task);
	enum kernel_state before = open->state;
	uint16_t cpu = open->cpu;
	int rc = 0;
	if (from <= open->begin) {
		open->state = KERNEL_UNKNOWN;
		open->cause = KERNEL_NO_CAUSE;
		open->by = open->source = open->call = KERNEL_NONE;
		model_forget_mode(m, task);
	} else if (open->state != KERNEL_UNKNOWN) {
		model_forget_mode(m, task);
		rc = model_enter(m, task, from, KERNEL_UNKNOWN, cpu, KERNEL_NO_CAUSE, KERNEL_NONE,
			KERNEL_NONE);
	}
	if (rc == 0 && lives && before != KERNEL_NEW && before != KERNEL_STOPPED)
		rc = model_tell_lulls(m, task, from, until);
	l->mode_since = KERNEL_NONE;
	l->untracked = false;
	return rc;
}

int model_settle_since(
	struct kernel_model *m, uint32_t task, int64_t ts, enum kernel_state was, int64_t since)
{
	struct live *l = &m->live[task];
	struct kernel_span *open = model_open(m, task);
	int64_t from, until, end = since < ts ? since : ts;
	bool is_known = was != KERNEL_UNKNOWN && was != KERNEL_RUNNING;
	if (m->holes.n_begun && end > open->begin &&
		kernel_lost_between(m->in.losses, open->begin, end, &from, &until)) {
		uint16_t cpu = open->cpu;
		int rc = lose_between(m, task, from, until,
			was == KERNEL_BLOCKED || was == KERNEL_RUNNABLE || was == KERNEL_RUNNING);
		if (rc == 0 && is_known && until < ts)
			rc = model_enter(m, task, until, was, cpu, KERNEL_NO_CAUSE, KERNEL_NONE,
				KERNEL_NONE);
		return rc;
	}
	if (open->state == KERNEL_UNKNOWN && is_known && !l->untracked) {
		open->state = (uint8_t)was;
		if (!l->knows_mode && l->mode_since == KERNEL_NONE)
			l->mode_since = m->h->tasks[task].last;
	}
	l->untracked = false;
	return 0;
}

int model_settle(struct kernel_model *m, uint32_t task, int64_t ts, enum kernel_state was)
{
	return model_settle_since(m, task, ts, was, INT64_MAX);
}

/* Switches are missing, but not its own events: it can still be in its call (model_call_exit). */
static void doubt_mode(struct kernel_model *m, uint32_t task)
{
	struct live *l = &m->live[task];
	if (l->call_begin != INT64_MIN) {
		l->doubted.call = l->call;
		l->doubted.kind = l->kind;
		l->doubted.begin = l->call_begin;
	}
	uint32_t call = l->doubted.call;
	model_forget_mode(m, task);
	l->doubted.call = call;
}

int model_doubt(struct kernel_model *m, uint32_t task, int64_t since)
{
	for (uint32_t i = m->h->tasks[task].last; i != KERNEL_NONE;) {
		struct kernel_span *s = kernel_span_kept(m->h, i);
		if (!s || s->begin < since || !kernel_is_on_cpu(s->state))
			break;
		s->state = KERNEL_UNKNOWN;
		s->cause = KERNEL_NO_CAUSE;
		s->cpu = KERNEL_NO_CPU;
		s->call = s->source = s->by = KERNEL_NONE;
		i = s->before;
	}
	if (model_open(m, task)->state != KERNEL_UNKNOWN)
		return model_lose_track(m, task, since);
	doubt_mode(m, task);
	m->live[task].untracked = true;
	return 0;
}

int model_lose_track(struct kernel_model *m, uint32_t task, int64_t since)
{
	doubt_mode(m, task);
	m->live[task].untracked = true;
	int rc = model_enter(m, task, since, KERNEL_UNKNOWN, KERNEL_NO_CPU, KERNEL_NO_CAUSE,
		KERNEL_NONE, KERNEL_NONE);
	m->live[task].mode_since = KERNEL_NONE;
	return rc;
}
