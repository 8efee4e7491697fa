#include <string.h>

#include "kernel/model_state.h"

/* Only threads of the kernel are parked. prev_state as the kernel reports it; the numbers changed
 * their meaning with 4.14, and a preempted task has a bit of its own, which moved too: beyond the
 * low byte nothing but "still runnable" was seen. */
enum {
	SLEEPS = 1 | 2,
	STOPPED = 4,
	TRACED = 8,
	EXIT_DEAD = 16,
	EXIT_ZOMBIE = 32,
	DEAD_OR_PARKED = 64
};

enum { WAKE_BY_WAKEUP = 1, WAKE_BY_WAKING, WAKE_BY_TTWU };

/* Threads of the kernel that serve interrupts, packets and requests. */
static bool is_kernel_name(const char *name, size_t len)
{
	static const char *const prefixes[] = { "irq/", "ksoftirqd/", "kworker/", "napi/",
		"migration/", "rcu_", "rcuo", "jbd2/", "kblockd", "kswapd" };
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);
		if (len >= n && memcmp(name, prefixes[i], n) == 0)
			return true;
	}
	return false;
}

int model_rename(struct kernel_model *m, uint32_t task, int64_t ts, const uint64_t *text)
{
	size_t len;
	const char *name = model_text(text, &len);
	if (len == 0)
		return 0;
	/* Without a state dump nothing else says it; a system call takes it back. */
	if (m->h->tasks[task].name == KERNEL_NONE && is_kernel_name(name, len)) {
		m->h->tasks[task].is_kernel = true;
		model_learn_mode(m, task, KERNEL_NONE);
	}
	/* A name that a call has set holds since then, not since it was seen. */
	struct live *l = &m->live[task];
	uint32_t last = m->h->tasks[task].name;
	if (l->renamed != INT64_MIN) {
		if (last != KERNEL_NONE && l->renamed > m->h->renames[last].begin)
			ts = l->renamed;
		l->renamed = INT64_MIN;
	}
	return kernel_rename(m->h, task, ts, name, len, m->err);
}

static enum kernel_state state_of(uint64_t prev_state, bool exiting, bool is_kernel)
{
	uint64_t low = prev_state & 0xff;
	if (low == 0)
		return KERNEL_RUNNABLE;
	if (low & (EXIT_DEAD | EXIT_ZOMBIE) || (low & DEAD_OR_PARKED && (exiting || !is_kernel)))
		return KERNEL_DEAD;
	if (low & SLEEPS)
		return KERNEL_BLOCKED;
	if (low & (STOPPED | TRACED))
		return KERNEL_STOPPED;
	return exiting ? KERNEL_DEAD : KERNEL_BLOCKED; /* parked, idle */
}

/* The same, where it is known whether it waits, and no more. */
static enum kernel_state state_by_waits(uint64_t waits, bool exiting)
{
	enum { RUNNABLE, WAITS };
	return waits == RUNNABLE ? KERNEL_RUNNABLE
	       : exiting	 ? KERNEL_DEAD
	       : waits == WAITS	 ? KERNEL_BLOCKED
				 : KERNEL_UNKNOWN;
}

/* The last switch of a task that is recorded by itself is missing: by then it has no tracer. */
static int end_exiting(struct kernel_model *m, uint32_t task, int64_t ts)
{
	int rc = model_enter(
		m, task, ts, KERNEL_DEAD, KERNEL_NO_CPU, KERNEL_NO_CAUSE, KERNEL_NONE, KERNEL_NONE);
	m->h->tasks[task].died = model_open(m, task)->begin;
	return rc;
}

/* It is not where it was believed to be: since when, nobody knows. */
static int doubt_or_end(struct kernel_model *m, const struct cpu *c, uint32_t task)
{
	return m->live[task].exiting ? end_exiting(m, task, c->last)
				     : model_doubt(m, task, c->sure);
}

/* The task is taken from whatever CPU it was believed to be on: an event is missing there. */
static int take_from(struct kernel_model *m, uint32_t task, const struct cpu *now)
{
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		struct cpu *c = &m->cpus[i];
		if (c == now || c->task != task)
			continue;
		c->task = ON_CPU_UNKNOWN;
		m->h->n_odd++;
		return doubt_or_end(m, c, task);
	}
	return 0;
}

int model_make_current(
	struct kernel_model *m, struct cpu *c, int64_t ts, int64_t tid, uint32_t *task)
{
	*task = ON_CPU_IDLE;
	int rc = tid ? model_living(m, tid, ts, task) : 0;
	if (rc || c->task == *task)
		return rc;
	int64_t since = c->last;
	if (c->task != ON_CPU_UNKNOWN) {
		m->h->n_odd++;
		since = c->sure;
		if (c->task != ON_CPU_IDLE)
			rc = doubt_or_end(m, c, c->task);
	}
	c->task = *task;
	if (rc || *task == ON_CPU_IDLE)
		return rc;
	if (kernel_is_on_cpu(model_open(m, *task)->state))
		return take_from(m, *task, c);
	/* It came onto the CPU somewhere since its last event. */
	rc = model_settle(m, *task, ts, KERNEL_RUNNING);
	return rc ? rc
		  : model_lose_track(m, *task,
			    model_open(m, *task)->begin > since ? model_open(m, *task)->begin
								: since);
}

/* What the task of a span does now, if it is on a CPU, and is not this task. */
static uint32_t still_runs(const struct kernel_model *m, uint32_t span, uint32_t task)
{
	const struct kernel_span *s = kernel_span_kept(m->h, span);
	if (!s || s->task == task || !kernel_is_on_cpu(model_open(m, s->task)->state))
		return KERNEL_NONE;
	return m->h->tasks[s->task].last;
}

/* slots: of the switch. */
static int leave_cpu(struct kernel_model *m, const struct cpu *c, uint32_t task, int64_t ts,
	const uint64_t *slots, const struct kernel_binding *b)
{
	struct live *l = &m->live[task];
	enum kernel_state state = b->has_waits ? state_by_waits(slots[SWITCH_STATE], l->exiting)
					       : state_of(slots[SWITCH_STATE], l->exiting,
							 m->h->tasks[task].is_kernel);
	if (b->has_no_state && !l->exiting)
		state = KERNEL_UNKNOWN;
	if (l->spins_for != KERNEL_NONE)
		model_note_holder(m, task);
	int rc = model_enter(m, task, ts, state, model_cpu_number(m, c), KERNEL_NO_CAUSE,
		KERNEL_NONE, KERNEL_NONE);
	if (state == KERNEL_DEAD)
		m->h->tasks[task].died = model_open(m, task)->begin;
	if (rc == 0 && state == KERNEL_BLOCKED)
		model_wait_begin(m, task);
	if (state != KERNEL_RUNNABLE)
		l->spins_for = KERNEL_NONE; /* it spins no more: it is woken */
	/* Woken before it left the CPU: it waits for nothing, and no other event will say so. */
	if (rc == 0 && state == KERNEL_BLOCKED && l->woken_early && !m->has_late_wakeups) {
		struct kernel_span *wait = model_open(m, task);
		wait->cause = l->early_cause;
		wait->source = l->early_source;
		wait->by = still_runs(m, l->early_by, task);
		l->woken_early = false;
		rc = model_enter(m, task, ts, KERNEL_RUNNABLE, model_cpu_number(m, c),
			KERNEL_NO_CAUSE, KERNEL_NONE, KERNEL_NONE);
	}
	return rc;
}

static int come_onto_cpu(struct kernel_model *m, struct cpu *c, uint32_t task, int64_t ts)
{
	int rc = take_from(m, task, c);
	if (rc)
		return rc;
	enum kernel_state before = model_open(m, task)->state;
	/* Who comes onto a CPU was ready; if the host records wake-ups and there was none, since
	 * its begin, or since events were lost. */
	bool was_ready = before == KERNEL_RUNNABLE || before == KERNEL_NEW || m->has_wakeups;
	rc = model_settle(m, task, ts, was_ready ? KERNEL_RUNNABLE : KERNEL_RUNNING);
	if (rc == 0 && m->has_wakeups && model_open(m, task)->state == KERNEL_BLOCKED)
		m->h->n_odd++;
	m->live[task].woken_early = false;
	if (rc == 0)
		rc = model_run_on(m, task, ts, model_cpu_number(m, c));
	if (rc == 0 && m->live[task].spins_for != KERNEL_NONE)
		rc = model_spin(m, task, ts, model_cpu_number(m, c));
	return rc;
}

static void set_priority(struct kernel_model *m, uint32_t task, const uint64_t *slots,
	const struct kernel_binding *b)
{
	if (!b->has_prio || !m->in.observer || !(m->in.observer->wants & KERNEL_WANT_PRIORITIES))
		return;
	int64_t prio = (int64_t)(int32_t)slots[SWITCH_PRIO] - b->prio_of_0;
	m->h->tasks[task].prio =
		prio > INT16_MIN && prio <= INT16_MAX ? (int16_t)prio : KERNEL_NO_PRIO;
}

/* Also where events are missing: it did happen. */
static int tell_switch(const struct kernel_model *m, const struct cpu *c, int64_t ts)
{
	const struct kernel_observer *o = m->in.observer;
	return o && o->switched ? o->switched(o->ctx, m->h, model_cpu_number(m, c), ts) : 0;
}

/* Some task leaves: whoever was believed to be there is gone since it was last seen. */
static int leave_unknown(struct kernel_model *m, struct cpu *c, uint32_t *prev)
{
	uint32_t task = c->task;
	*prev = ON_CPU_IDLE;
	c->task = ON_CPU_UNKNOWN;
	if (task == ON_CPU_IDLE || task == ON_CPU_UNKNOWN)
		return 0;
	m->h->n_odd++;
	return doubt_or_end(m, c, task);
}

int model_switch(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	const uint64_t *slots = ev->slots;
	int64_t ts = ev->ts;
	uint32_t prev, next = ON_CPU_IDLE;
	int64_t next_tid = (int32_t)slots[SWITCH_NEXT];
	int32_t prev_tid = (int32_t)slots[SWITCH_PREV];
	int rc = tell_switch(m, c, ts);
	if (rc || c->in_loss)
		return rc;
	model_clear_contexts(c);
	/* If another one than was believed has had the CPU, it was idle until its last event. */
	rc = c->task != ON_CPU_IDLE
		     ? 0
		     : model_tell_idle(m, c, prev_tid ? c->last : ts, KERNEL_NO_CAUSE);
	if (rc == 0)
		rc = prev_tid >= 0 ? model_make_current(m, c, ts, prev_tid, &prev)
				   : leave_unknown(m, c, &prev);
	if (rc)
		return rc;
	uint32_t preempted = KERNEL_NONE;
	if (prev != ON_CPU_IDLE) {
		rc = model_rename(m, prev, ts, &slots[SWITCH_PREV_COMM]);
		if (rc == 0)
			rc = leave_cpu(m, c, prev, ts, slots, b);
		if (rc)
			return rc;
		if (model_open(m, prev)->state == KERNEL_RUNNABLE)
			preempted = m->h->tasks[prev].last;
	}
	c->task = next_tid < 0 ? ON_CPU_UNKNOWN : ON_CPU_IDLE;
	c->idle_since = ts;
	c->idle_cause = KERNEL_NO_CAUSE;
	if (next_tid == 0)
		c->drained = ts;
	if (next_tid > 0) {
		rc = model_living(m, next_tid, ts, &next);
		if (rc == 0)
			set_priority(m, next, slots, b);
		if (rc == 0)
			rc = come_onto_cpu(m, c, next, ts);
		if (rc == 0)
			rc = model_rename(m, next, ts, &slots[SWITCH_NEXT_COMM]);
		if (rc)
			return rc;
		c->task = next;
		if (preempted != KERNEL_NONE)
			kernel_span(m->h, preempted)->by = m->h->tasks[next].last;
	}
	c->has_packet = false;
	c->packet = c->request = KERNEL_NONE;
	c->sure = ts;
	c->is_doubtful = false;
	return 0;
}

/* ---- wake-ups ---- */

static void queue_on(struct kernel_model *m, struct kernel_span *ready, uint64_t cpu)
{
	struct cpu *c = model_cpu(m, (int64_t)cpu);
	if (!c)
		return;
	ready->cpu = (uint16_t)cpu;
	ready->by = model_span_on(m, c);
	if (ready->by != KERNEL_NONE && kernel_span(m->h, ready->by)->task == ready->task)
		ready->by = KERNEL_NONE;
}

/* since: it certainly slept from then on. */
static int end_wait(struct kernel_model *m, struct cpu *c, int64_t ts, uint32_t task,
	bool knows_who, bool is_new, int64_t since, const uint64_t *slots)
{
	enum kernel_cause cause = KERNEL_NO_CAUSE;
	uint32_t source = KERNEL_NONE, by = KERNEL_NONE;
	/* A later sign alone: it was woken before that, where no events were recorded. */
	struct live *l = &m->live[task];
	int rc = model_settle_since(m, task, ts,
		is_new			      ? KERNEL_NEW
		: knows_who || l->woken_early ? KERNEL_BLOCKED
					      : KERNEL_RUNNABLE,
		since);
	if (rc)
		return rc;
	struct kernel_span *wait = model_open(m, task);
	if (wait->state == KERNEL_BLOCKED || wait->state == KERNEL_STOPPED) {
		if (knows_who)
			model_cause(m, c, task, &cause, &source, &by);
		else if (l->woken_early) {
			cause = (enum kernel_cause)l->early_cause;
			source = l->early_source;
			by = still_runs(m, l->early_by, task);
		}
		l->woken_early = false;
		wait->cause = (uint8_t)cause;
		wait->source = source;
		wait->by = by;
		if (cause == KERNEL_NETWORK) {
			l->packet = source;
			model_flow_has_woken(m, task, source);
		}
	}
	rc = model_enter(m, task, ts, KERNEL_RUNNABLE, KERNEL_NO_CPU, KERNEL_NO_CAUSE, KERNEL_NONE,
		KERNEL_NONE);
	if (rc == 0)
		queue_on(m, model_open(m, task), slots[WAKE_CPU]);
	return rc;
}

static int tell_woken(struct kernel_model *m, struct cpu *c, int64_t ts, uint32_t task)
{
	const struct kernel_observer *o = m->in.observer;
	enum kernel_cause cause;
	uint32_t source, by;
	if (!o || !o->woken_ready)
		return 0;
	model_cause(m, c, task, &cause, &source, &by);
	return o->woken_ready(o->ctx, m->h, task, ts, by);
}

int model_wake(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	const uint64_t *slots = ev->slots;
	int64_t ts = ev->ts;
	enum kernel_event event = (enum kernel_event)b->event;
	uint32_t task;
	int64_t tid = (int32_t)slots[TASK_TID];
	uint8_t rank = event == KERNEL_EV_TTWU	   ? WAKE_BY_TTWU
		       : event == KERNEL_EV_WAKING ? WAKE_BY_WAKING
						   : WAKE_BY_WAKEUP;
	if (tid <= 0)
		return 0;
	bool is_new = event == KERNEL_EV_WAKEUP_NEW;
	if (!is_new && rank > m->wake_rank)
		m->wake_rank = rank;
	m->doubts_waker = model_waker_is_doubtful(
		m, c, slots[WAKE_CPU], !is_new && m->wake_rank == WAKE_BY_WAKEUP);
	int rc = model_living(m, tid, ts, &task);
	if (rc == 0 && m->h->tasks[task].name == KERNEL_NONE)
		rc = model_rename(m, task, ts, &slots[WAKE_COMM]);
	if (rc)
		return rc;
	struct kernel_span *open = model_open(m, task);
	int64_t from, until;
	/* Who is woken was blocked, even if that was not seen because events were lost. */
	bool was_blocked = open->state == KERNEL_BLOCKED || open->state == KERNEL_STOPPED ||
			   open->state == KERNEL_UNKNOWN;
	if (!was_blocked && !is_new && rank >= m->wake_rank && m->holes.n_begun &&
		!kernel_is_on_cpu(open->state))
		was_blocked = kernel_lost_between(m->in.losses, open->begin, ts, &from, &until);
	if (was_blocked)
		return end_wait(m, c, ts, task, is_new || rank >= m->wake_rank, is_new,
			event == KERNEL_EV_WAKING && m->holes.n_begun
				? model_asleep_since(m, task, ts, slots[WAKE_CPU])
				: INT64_MAX,
			slots);
	switch (open->state) {
	case KERNEL_NEW:
		rc = model_settle(m, task, ts, KERNEL_NEW);
		if (rc == 0)
			rc = model_enter(m, task, ts, KERNEL_RUNNABLE, KERNEL_NO_CPU,
				KERNEL_NO_CAUSE, KERNEL_NONE, KERNEL_NONE);
		if (rc == 0)
			queue_on(m, model_open(m, task), slots[WAKE_CPU]);
		return rc;
	case KERNEL_RUNNABLE: /* only now it is said on which CPU */
		if (rank >= m->wake_rank && !is_new)
			rc = tell_woken(m, c, ts, task);
		if (event != KERNEL_EV_TTWU && open->cpu != slots[WAKE_CPU])
			queue_on(m, open, slots[WAKE_CPU]);
		return rc;
	case KERNEL_DEAD: return 0;
	default: { /* woken before it slept: if it does now, this is what ends it, unless it was
		    * about to and its own CPU could still do this: then it goes on */
		struct live *l = &m->live[task];
		l->woken_early = rank >= m->wake_rank && c->task != task;
		if (l->woken_early) {
			enum kernel_cause cause;
			model_cause(m, c, task, &cause, &l->early_source, &l->early_by);
			l->early_cause = (uint8_t)cause;
		}
		return 0;
	}
	}
}

int model_spin(struct kernel_model *m, uint32_t task, int64_t ts, uint16_t cpu)
{
	uint32_t holder = m->live[task].spins_for;
	return model_enter(m, task, ts, KERNEL_SYSCALL, cpu, KERNEL_FUTEX, KERNEL_NONE,
		m->h->tasks[holder].last);
}

void model_note_holder(struct kernel_model *m, uint32_t task)
{
	struct kernel_span *open = model_open(m, task);
	if (kernel_is_spin(open))
		open->by = m->h->tasks[m->live[task].spins_for].last;
}

/* The task on the CPU lends its priority to who has the lock that it wants. If that one runs, the
 * kernel does not block it: it spins until the lock is free, or its holder leaves the CPU. */
int model_boost(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b;
	const uint32_t *at = mer_map_get(&m->tids, (uint32_t)ev->slots[TASK_TID]);
	uint32_t task = c->task, holder = at && *at ? *at - 1 : KERNEL_NONE;
	if (task >= ON_CPU_IDLE || holder == KERNEL_NONE || holder == task || c->depth > 0)
		return 0;
	struct live *l = &m->live[task];
	if (l->kind != KERNEL_CALL_FUTEX || l->spins_for != KERNEL_NONE ||
		model_open(m, task)->state != KERNEL_SYSCALL ||
		!kernel_is_on_cpu(model_open(m, holder)->state))
		return 0;
	l->spins_for = holder;
	return model_spin(m, task, ev->ts, model_cpu_number(m, c));
}

int model_end_spin(struct kernel_model *m, struct cpu *c, int64_t ts)
{
	model_note_holder(m, c->task);
	int rc = model_enter(m, c->task, ts, KERNEL_SYSCALL, model_cpu_number(m, c),
		KERNEL_NO_CAUSE, KERNEL_NONE, KERNEL_NONE);
	m->live[c->task].spins_for = KERNEL_NONE;
	m->live[c->task].woken_early = false; /* that was for this */
	return rc;
}

int model_migrate(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b, (void)c;
	const uint64_t *slots = ev->slots;
	int64_t ts = ev->ts;
	const struct kernel_observer *o = m->in.observer;
	uint32_t *at = mer_map_get(&m->tids, (uint32_t)slots[TASK_TID]);
	if (!at || !*at)
		return 0;
	struct kernel_span *open = model_open(m, *at - 1);
	uint16_t from = open->cpu;
	int64_t lost, until;
	/* Who is moved is in a queue: it was woken where events are missing. */
	if (m->holes.n_begun && m->wake_rank >= WAKE_BY_WAKING && !kernel_is_on_cpu(open->state) &&
		kernel_lost_between(m->in.losses, open->begin, ts, &lost, &until)) {
		int rc = model_settle(m, *at - 1, ts, KERNEL_RUNNABLE);
		if (rc)
			return rc;
		open = model_open(m, *at - 1);
	}
	if (open->state == KERNEL_RUNNABLE) {
		int rc = open->cpu == slots[WAKE_CPU] ? 0 : model_note_move(m, *at - 1, ts);
		if (rc)
			return rc;
		queue_on(m, open, slots[WAKE_CPU]);
	}
	return o && o->migrate && slots[WAKE_CPU] < KERNEL_MAX_CPUS
		       ? o->migrate(o->ctx, m->h, *at - 1, ts, from, (uint16_t)slots[WAKE_CPU])
		       : 0;
}

/* ---- life ---- */

static bool is_new(const struct kernel_model *m, int64_t tid, uint32_t *task)
{
	const uint32_t *at = mer_map_get(&m->tids, (uint32_t)tid);
	if (!at || !*at)
		return false;
	*task = *at - 1;
	return m->h->tasks[*task].end == INT64_MAX && model_open(m, *task)->state == KERNEL_NEW;
}

/* The first switch of a CPU says who had it from the beginning (place_first). A task that is forked
 * only now cannot have had it: switches are missing there, and it begins now. */
static bool unplace(struct kernel_model *m, uint32_t task, int64_t ts)
{
	struct kernel_span *open = model_open(m, task);
	for (uint32_t i = 0; i < m->n_cpus && open->before == KERNEL_NONE; i++) {
		struct cpu *c = &m->cpus[i];
		if (c->task != task || !c->is_fresh || open->state != KERNEL_RUNNING)
			continue;
		c->task = ON_CPU_UNKNOWN;
		m->h->n_odd++;
		m->h->tasks[task].begin = open->begin = ts;
		open->state = KERNEL_UNKNOWN;
		open->cpu = KERNEL_NO_CPU;
		m->live[task] = model_no_live();
		return true;
	}
	return false;
}

int model_fork(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b;
	const uint64_t *slots = ev->slots;
	int64_t ts = ev->ts;
	int64_t parent_tid = (int32_t)slots[FORK_PARENT], tid = (int32_t)slots[FORK_CHILD];
	uint32_t parent = KERNEL_NONE, child;
	bool knows_kind = tid > 0 && c->new_tid == tid, is_new_thread = c->new_is_thread;
	bool is_told = tid > 0 && c->forked_tid == tid;
	c->forked_tid = 0;
	if (tid <= 0)
		return 0;
	if (is_told && is_new(m, tid, &child)) /* perf has told it, with more */
		return model_rename(m, child, ts, &slots[FORK_COMM]);
	int rc = parent_tid > 0 ? model_living(m, parent_tid, ts, &parent) : 0;
	uint32_t *old = mer_map_get(&m->tids, (uint32_t)tid);
	m->reuses_numbers |= old && *old;
	bool is_placed = rc == 0 && old && *old && unplace(m, *old - 1, ts);
	if (is_placed) {
		child = *old - 1;
	} else if (old && *old && m->h->tasks[*old - 1].end == INT64_MAX) {
		for (uint32_t i = 0; i < m->n_cpus; i++)
			if (m->cpus[i].task == *old - 1)
				m->cpus[i].task = ON_CPU_UNKNOWN;
		if (rc == 0)
			rc = model_settle(m, *old - 1, ts, KERNEL_UNKNOWN);
		m->h->tasks[*old - 1].end = ts; /* its number is free: its end is missing */
	}
	if (rc == 0 && !is_placed)
		rc = model_new_task(m, (int32_t)tid, ts, &child);
	if (rc)
		return rc;
	struct kernel_task *t = &m->h->tasks[child];
	const struct kernel_task *p = parent == KERNEL_NONE ? NULL : &m->h->tasks[parent];
	bool is_thread =
		p && slots[FORK_CHILD_PID] && slots[FORK_CHILD_PID] == slots[FORK_PARENT_PID];
	t->born = true;
	t->pid = slots[FORK_CHILD_PID] ? (int32_t)slots[FORK_CHILD_PID] : -1;
	t->parent = parent;
	t->ppid = slots[FORK_PARENT_PID] ? (int32_t)slots[FORK_PARENT_PID] : (int32_t)parent_tid;
	t->pid_ns = (uint32_t)slots[FORK_NS];
	if (!slots[FORK_CHILD_PID] && knows_kind) { /* the kernel's own fork has threads alone */
		int32_t parent_pid = p ? p->pid : -1;
		t->pid = is_new_thread ? parent_pid : (int32_t)tid;
		t->ppid = parent_pid < 0 ? t->ppid : parent_pid;
		is_thread = is_new_thread && p;
	}
	if (p) {
		if (p->pid < 0 && !(knows_kind && is_new_thread))
			m->h->tasks[parent].pid = t->ppid;
		t->is_kernel = parent_tid == 2 || p->is_kernel;
		if (is_thread)
			t->ppid = p->ppid;
		model_wait_forget(&m->live[parent]);
		m->live[child].call = m->live[parent].call;
		m->live[child].kind = m->live[parent].kind;
		m->live[child].knows_mode = m->live[parent].knows_mode;
	}
	if (t->is_kernel) {
		m->live[child].call = KERNEL_NONE;
		m->live[child].knows_mode = true;
	}
	struct kernel_span *s = model_open(m, child);
	s->state = KERNEL_NEW;
	s->cause = KERNEL_TASK;
	s->call = m->live[child].call;
	s->by = p && kernel_is_on_cpu(model_open(m, parent)->state) ? p->last : KERNEL_NONE;
	s->cpu = model_cpu_number(m, c);
	rc = model_rename(m, child, ts, &slots[FORK_COMM]);
	if (rc == 0 && parent != KERNEL_NONE)
		rc = kernel_files_fork(m->files, parent, child, is_thread, m->err);
	return rc;
}

int model_take_number(
	struct kernel_model *m, int32_t old_tid, int64_t ts, uint32_t first, uint32_t *task)
{
	uint32_t *old = mer_map_get(&m->tids, (uint32_t)old_tid);
	if (!old || !*old || *old - 1 == first)
		return 0;
	uint32_t thread = *old - 1;
	int rc = kernel_is_on_cpu(model_open(m, first)->state)
			 ? 0
			 : model_settle(m, first, ts, KERNEL_UNKNOWN);
	struct kernel_task *t = &m->h->tasks[first];
	uint32_t *at = mer_map_put(&m->tids, (uint32_t)t->tid);
	if (!at)
		return mer_fail_nomem(m->err);
	if (t->died == INT64_MAX)
		t->died = ts > model_open(m, first)->begin ? ts : model_open(m, first)->begin;
	t->end = t->died;
	m->h->tasks[thread].tid = t->tid;
	*at = thread + 1;
	*task = thread;
	return rc;
}

int model_exec(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b, (void)c;
	const uint64_t *slots = ev->slots;
	int64_t ts = ev->ts;
	enum { COMM = 15 }; /* what the kernel keeps of a name */
	uint32_t task;
	if ((int32_t)slots[TASK_TID] <= 0)
		return 0;
	/* A process's first thread may have exited before, its number is still its own. */
	bool is_other = (int32_t)slots[EXEC_OLD] > 0 && slots[EXEC_OLD] != slots[TASK_TID];
	int rc = is_other ? model_task_of(m, (int32_t)slots[TASK_TID], &task)
			  : model_living(m, (int32_t)slots[TASK_TID], ts, &task);
	if (rc)
		return rc;
	m->h->tasks[task].is_kernel = false;
	if (is_other) {
		rc = model_take_number(m, (int32_t)slots[EXEC_OLD], ts, task, &task);
		if (rc)
			return rc;
	}
	size_t len;
	const char *file = model_text(&slots[EXEC_FILE], &len);
	const char *slash = len ? memrchr(file, '/', len) : NULL;
	if (slash) {
		len -= (size_t)(slash + 1 - file);
		file = slash + 1;
	}
	if (len)
		rc = kernel_rename(m->h, task, ts, file, len < COMM ? len : COMM, m->err);
	return rc ? rc : kernel_files_exec(m->files, task, m->err);
}

int model_exit(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b;
	uint32_t *at = mer_map_get(&m->tids, (uint32_t)ev->slots[TASK_TID]);
	if (!at || !*at)
		return 0;
	uint32_t task = *at - 1;
	m->live[task].exiting = true;
	kernel_files_exit(m->files, task);
	if (!m->has_switches)
		return end_exiting(m, task, ev->ts);
	/* It does so itself. */
	return c->in_loss || c->task == task
		       ? 0
		       : model_make_current(m, c, ev->ts, (int32_t)ev->slots[TASK_TID], &task);
}

int model_free_task(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b, (void)c;
	uint32_t *at = mer_map_get(&m->tids, (uint32_t)ev->slots[TASK_TID]);
	if (!at || !*at)
		return 0;
	uint32_t task = *at - 1;
	struct kernel_task *t = &m->h->tasks[task];
	if (t->end != INT64_MAX || kernel_is_on_cpu(model_open(m, task)->state))
		return 0; /* of an earlier task with the same number */
	int rc = model_settle(m, task, ev->ts, KERNEL_DEAD);
	t->end = ev->ts;
	if (t->died == INT64_MAX) {
		/* Its last switch is missing: it was dead for some time, who knows since when. */
		t->died = model_open(m, task)->begin;
		m->h->n_odd++;
	}
	return rc;
}

int model_new_name(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	uint32_t task;
	(void)b, (void)c;
	if ((int32_t)ev->slots[TASK_TID] <= 0)
		return 0;
	int rc = model_task_of(m, (int32_t)ev->slots[TASK_TID], &task);
	return rc ? rc : model_rename(m, task, ev->ts, &ev->slots[RENAME_COMM]);
}
