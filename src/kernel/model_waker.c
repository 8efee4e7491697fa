/* Which task woke another one, where sched_wakeup alone is recorded.
 *
 * The kernel wakes a task of a distant or idle CPU with an interprocessor interrupt: sched_waking
 * comes on the waker's CPU, sched_wakeup on the CPU of the woken task, and the task that runs there
 * has nothing to do with it. So for a sched_wakeup on the CPU that the task is put on there are two
 * possibilities: what that CPU was doing, or another CPU. (A sched_wakeup for another CPU was
 * written by the waker itself.)
 *
 * A task in user mode and an idle CPU wake no task, so then it was another CPU. If the woken
 * task waits at a futex, the address decides: a task in a call that wakes waiters at this
 * address was the waker, and no packet and no disk request was. Otherwise the wake-up is
 * attributed to what the CPU was doing: kernels seldom interrupt a busy CPU for it. */
#include "kernel/model_state.h"

#include <string.h>

bool model_waker_is_doubtful(
	const struct kernel_model *m, const struct cpu *c, uint64_t target, bool is_only_wakeup)
{
	bool has_others = m->has_more_cpus || m->n_cpus > 1;
	return is_only_wakeup && has_others &&
	       (target >= KERNEL_MAX_CPUS || target == model_cpu_number(m, c));
}

static bool wakes_at_futex(const struct live *l)
{
	enum { WAKE = 1, REQUEUE = 3, CMP_REQUEUE, WAKE_OP, UNLOCK_PI = 7, WAKE_BITSET = 10 };
	uint64_t op = kernel_futex_op(l->args[KERNEL_ARG_FUTEX_OP]);
	if (l->kind != KERNEL_CALL_FUTEX)
		return l->kind == KERNEL_CALL_FUTEX_WAKE;
	return op == WAKE || (op >= REQUEUE && op <= WAKE_OP) || op == UNLOCK_PI ||
	       op == WAKE_BITSET;
}

static bool is_private(const struct live *l)
{
	return l->kind == KERNEL_CALL_FUTEX && l->args[KERNEL_ARG_FUTEX_OP] & KERNEL_FUTEX_PRIVATE;
}

/* May a wake-up at an address be one of that task? Other processes have other addresses, unless
 * they share memory. */
static bool shares_addresses(const struct kernel_model *m, uint32_t waker, uint32_t task)
{
	int32_t a = m->h->tasks[waker].pid, b = m->h->tasks[task].pid;
	return a < 0 || b < 0 || a == b ||
	       (!is_private(&m->live[waker]) && !is_private(&m->live[task]));
}

void model_waker_note_futex(struct live *l, int64_t ts, int64_t ret)
{
	if (ret <= 0 || !wakes_at_futex(l))
		return;
	l->woke_futex = l->args[KERNEL_ARG_FUTEX];
	l->woke_futex_at = ts;
}

/* Does the task wake at this futex, or did it a moment ago? The other CPU may take its time. */
static bool is_waking_at(const struct live *l, uint64_t address, int64_t since, int64_t now)
{
	enum { SOON_NS = 200000 };
	if (l->call != KERNEL_NONE && l->call_begin != INT64_MIN && wakes_at_futex(l))
		return l->args[KERNEL_ARG_FUTEX] == address;
	return l->woke_futex == address && l->woke_futex_at > since &&
	       l->woke_futex_at > now - SOON_NS;
}

/* The task on this CPU, or the only one on another, that wakes at the futex that the task waits at;
 * KERNEL_NONE: there is none, or there are several. */
static uint32_t futex_waker(const struct kernel_model *m, const struct cpu *c, uint32_t task)
{
	uint64_t address = m->live[task].args[KERNEL_ARG_FUTEX];
	int64_t since = model_open(m, task)->begin;
	uint32_t found = KERNEL_NONE;
	bool several = false;
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		uint32_t t = m->cpus[i].task;
		if (t >= ON_CPU_IDLE || t == task || m->cpus[i].in_loss)
			continue;
		if (!is_waking_at(&m->live[t], address, since, m->now) ||
			!shares_addresses(m, t, task))
			continue;
		if (&m->cpus[i] == c)
			return t;
		several |= found != KERNEL_NONE;
		found = t;
	}
	return several ? KERNEL_NONE : found;
}

/* Of a wait at a futex: is that all there is to say? */
static bool cause_of_futex(const struct kernel_model *m, struct cpu *c, uint32_t task,
	enum kernel_cause *cause, uint32_t *by)
{
	const struct live *l = &m->live[task];
	bool waits = l->kind == KERNEL_CALL_FUTEX_WAIT ||
		     (l->kind == KERNEL_CALL_FUTEX && !wakes_at_futex(l));
	uint32_t waker = waits && l->call != KERNEL_NONE ? futex_waker(m, c, task) : KERNEL_NONE;
	if (waker != KERNEL_NONE) {
		*cause = KERNEL_FUTEX;
		*by = m->h->tasks[waker].last;
		return true;
	}
	if (!waits)
		return false;
	*cause = m->has_interrupts ? KERNEL_IPI : KERNEL_NO_CAUSE;
	if (model_context(c))
		return model_context_cause(m, c) != KERNEL_TIMER;
	/* A signal, or the end of a thread that somebody joins, comes from other calls. */
	uint32_t span = model_span_on(m, c);
	uint32_t call = span == KERNEL_NONE ? KERNEL_NONE : kernel_span(m->h, span)->call;
	return !(kernel_classes(m->h, call) &
		 (KERNEL_CALLS_EXIT | KERNEL_CALLS_EXIT_GROUP | KERNEL_CALLS_SIGNAL));
}

static bool is_named(const struct kernel_model *m, uint32_t task, const char *begin)
{
	return m->h->tasks[task].is_kernel &&
	       strncmp(kernel_comm(m->h, task), begin, strlen(begin)) == 0;
}

/* Does the innermost context wake who waits for this? If not, its CPU was interrupted in it. */
static bool cannot_be(const struct kernel_model *m, const struct context *x, uint32_t task,
	enum kernel_cause *cause)
{
	bool is_softirq = x->kind == CONTEXT_SOFTIRQ;
	uint32_t classes = kernel_classes(m->h, model_open(m, task)->call);
	if (classes & KERNEL_CALLS_SLEEP) {
		*cause = KERNEL_TIMER;
		return true;
	}
	*cause = KERNEL_IPI;
	if (classes & (KERNEL_CALLS_AWAIT | KERNEL_CALLS_MULTIPLEX))
		return is_softirq && (x->nr == VEC_SCHED || x->nr == VEC_RCU);
	/* These are woken by their softirq, on any CPU, and by timers. */
	*cause = KERNEL_NO_CAUSE;
	return !(is_softirq && x->nr == VEC_RCU) && is_named(m, task, "rcu_");
}

bool model_waker_elsewhere(const struct kernel_model *m, struct cpu *c, uint32_t task,
	enum kernel_cause *cause, uint32_t *by)
{
	if (cause_of_futex(m, c, task, cause, by))
		return true;
	if (model_context(c))
		return cannot_be(m, model_context(c), task, cause);
	uint32_t waker = model_span_on(m, c);
	uint8_t state = waker == KERNEL_NONE ? KERNEL_UNKNOWN : kernel_span(m->h, waker)->state;
	/* ksoftirqd: each CPU wakes its own. */
	if (c->has_packet || c->request != KERNEL_NONE || state == KERNEL_SYSCALL ||
		state == KERNEL_THREAD || is_named(m, task, "ksoftirqd/"))
		return false;
	if (kernel_classes(m->h, model_open(m, task)->call) & KERNEL_CALLS_SLEEP)
		*cause = KERNEL_TIMER;
	else
		*cause = m->has_interrupts && (state == KERNEL_USER || c->task == ON_CPU_IDLE)
				 ? KERNEL_IPI
				 : KERNEL_NO_CAUSE;
	return true;
}
