#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "kernel/model_state.h"

uint32_t model_span_on(const struct kernel_model *m, const struct cpu *c)
{
	return c->task >= ON_CPU_IDLE ? KERNEL_NONE : m->h->tasks[c->task].last;
}

static enum kernel_cause interrupted_by(const struct context *x, uint32_t *nr)
{
	*nr = x->nr;
	switch (x->kind) {
	case CONTEXT_SOFTIRQ: return KERNEL_SOFTIRQ;
	case CONTEXT_TIMER: *nr = 0; return KERNEL_TIMER;
	case CONTEXT_IPI: return KERNEL_IPI;
	case CONTEXT_IRQ: return KERNEL_IRQ;
	default: *nr = KERNEL_NONE; return KERNEL_IRQ;
	}
}

static enum kernel_interrupt_kind kind_of(const struct context *x)
{
	switch (x->kind) {
	case CONTEXT_IRQ: return KERNEL_BY_IRQ;
	case CONTEXT_SOFTIRQ: return KERNEL_BY_SOFTIRQ;
	case CONTEXT_IPI: return KERNEL_BY_IPI;
	case CONTEXT_VECTOR: return KERNEL_BY_VECTOR;
	case CONTEXT_TIMER:
		return x->nr == KERNEL_EV_HRTIMER_ENTRY ? KERNEL_BY_HRTIMER
		       : x->nr == KERNEL_EV_TIMER_ENTRY ? KERNEL_BY_TIMER
							: KERNEL_BY_LOCAL_TIMER;
	default: return KERNEL_BY_ANY_IRQ;
	}
}

/* The innermost context that is an interruption. A packet may be delivered in a thread, too; timers
 * expire inside the interrupt or softirq that counts, if those are recorded. */
static const struct context *interruption(struct cpu *c)
{
	const struct context *x = model_context(c), *timer = NULL;
	for (; x; x = x == c->contexts ? NULL : x - 1) {
		if (x->kind == CONTEXT_TIMER)
			timer = x;
		else if (x->kind != CONTEXT_PACKET)
			return x;
	}
	return timer;
}

int model_tell_idle(struct kernel_model *m, struct cpu *c, int64_t ts, enum kernel_cause now)
{
	const struct kernel_observer *o = m->in.observer;
	struct kernel_idle i = { .begin = c->idle_since,
		.end = ts,
		.cpu = model_cpu_number(m, c),
		.cause = c->idle_cause };
	c->idle_cause = (uint8_t)now;
	c->idle_since = ts > i.begin ? ts : i.begin; /* where time goes backwards, this one waits */
	return o && o->idle && ts > i.begin ? o->idle(o->ctx, m->h, &i) : 0;
}

int model_resume(struct kernel_model *m, struct cpu *c, int64_t ts)
{
	uint32_t nr;
	const struct context *x = interruption(c);
	uint16_t cpu = model_cpu_number(m, c);
	if (c->task == ON_CPU_IDLE) {
		enum kernel_cause now = x ? interrupted_by(x, &nr) : KERNEL_NO_CAUSE;
		return now == c->idle_cause ? 0 : model_tell_idle(m, c, ts, now);
	}
	if (c->task == ON_CPU_UNKNOWN)
		return 0;
	const struct kernel_span *open = model_open(m, c->task);
	uint32_t spins_for = m->live[c->task].spins_for;
	bool is_away = c->absence != KERNEL_NONE;
	if (!x && !is_away && spins_for != KERNEL_NONE && open->state == KERNEL_INTERRUPTED)
		return model_spin(m, c->task, ts, cpu);
	if (!x && !is_away)
		return open->state == KERNEL_INTERRUPTED ? model_run_on(m, c->task, ts, cpu) : 0;
	if (spins_for != KERNEL_NONE)
		model_note_holder(m, c->task);
	enum kernel_cause cause;
	if (is_away) { /* with whatever it was doing */
		nr = c->absence;
		cause = model_absence_cause(m, nr);
	} else {
		cause = interrupted_by(x, &nr);
	}
	if (open->state == KERNEL_INTERRUPTED && open->cause == cause && open->source == nr)
		return 0;
	return model_enter(m, c->task, ts, KERNEL_INTERRUPTED, cpu, cause, nr, KERNEL_NONE);
}

static int push(
	struct kernel_model *m, struct cpu *c, int64_t ts, enum context_kind kind, uint32_t nr)
{
	if (++c->depth > MODEL_MAX_CONTEXTS)
		return 0;
	*model_context(c) = (struct context){ .kind = (uint8_t)kind,
		.nr = nr,
		.since = ts,
		.raised = INT64_MIN,
		.packet = KERNEL_NONE,
		.request = KERNEL_NONE };
	if (kind == CONTEXT_SOFTIRQ && nr < MODEL_SOFTIRQS) {
		model_context(c)->raised = c->raised[nr];
		c->raised[nr] = INT64_MIN;
	}
	return model_resume(m, c, ts);
}

/* A context ends whose begin is not recorded: if the CPU's record has just begun, all since then
 * was in it. */
static int learn_interrupted(
	struct kernel_model *m, struct cpu *c, int64_t ts, enum context_kind kind, uint32_t nr)
{
	struct context x = { .kind = (uint8_t)kind, .nr = nr };
	m->h->n_odd += !c->is_fresh;
	if (!c->is_fresh || c->task >= ON_CPU_IDLE || kind == CONTEXT_PACKET)
		return 0;
	uint32_t nr_of;
	enum kernel_cause cause = interrupted_by(&x, &nr_of);
	uint32_t i = m->h->tasks[c->task].last;
	while (i != KERNEL_NONE) {
		struct kernel_span *s = kernel_span_kept(m->h, i);
		if (!s || s->begin < c->fresh_since || !kernel_is_on_cpu(s->state))
			break;
		if (s->state != KERNEL_INTERRUPTED) {
			s->state = KERNEL_INTERRUPTED;
			s->cause = (uint8_t)cause;
			s->source = nr_of;
		}
		i = s->before;
	}
	return model_run_on(m, c->task, ts, model_cpu_number(m, c));
}

/* Ends the matching context that began last, and what has begun in it: their ends are missing. An
 * end without begin is of a context that began before the record did. */
static int pop(
	struct kernel_model *m, struct cpu *c, int64_t ts, enum context_kind kind, uint32_t nr)
{
	uint32_t top = c->depth;
	if (top > MODEL_MAX_CONTEXTS) {
		c->depth--;
		return 0;
	}
	while (top > 0 && (c->contexts[top - 1].kind != kind || c->contexts[top - 1].nr != nr))
		top--;
	if (top == 0)
		return learn_interrupted(m, c, ts, kind, nr);
	m->h->n_odd += c->depth != top;
	const struct context *x = &c->contexts[top - 1];
	const struct kernel_observer *o = m->in.observer;
	struct kernel_interrupt told = { .cpu = model_cpu_number(m, c),
		.task = c->task >= ON_CPU_IDLE ? KERNEL_NONE : c->task,
		.raised = x->raised,
		.begin = x->since,
		.end = ts };
	told.cause = (uint8_t)interrupted_by(x, &told.source);
	told.kind = (uint8_t)kind_of(x);
	told.nr = x->kind == CONTEXT_TIMER || x->kind == CONTEXT_ANY_IRQ ? KERNEL_NONE : x->nr;
	int rc =
		o && o->interrupt && kind != CONTEXT_PACKET ? o->interrupt(o->ctx, m->h, &told) : 0;
	c->depth = top - 1;
	return rc ? rc : model_resume(m, c, ts);
}

/* Of a timer, the event of its entry; what is not told apart has none. */
static uint32_t number_of(
	enum context_kind kind, const struct mer_event *ev, enum kernel_event entry)
{
	switch (kind) {
	case CONTEXT_TIMER: return (uint32_t)entry;
	case CONTEXT_ANY_IRQ:
	case CONTEXT_PACKET: return 0;
	default: return (uint32_t)ev->slots[IRQ_NR];
	}
}

int model_context_entry(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	enum context_kind kind = (enum context_kind)kernel_event_rows[b->event].context;
	return push(m, c, ev->ts, kind, number_of(kind, ev, (enum kernel_event)b->event));
}

int model_context_exit(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	enum context_kind kind = (enum context_kind)kernel_event_rows[b->event].context;
	return pop(m, c, ev->ts, kind, number_of(kind, ev, (enum kernel_event)(b->event - 1)));
}

int model_irq_entry(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	int rc = model_name_irq(m, ev->slots[IRQ_NR], &ev->slots[IRQ_NAME]);
	return rc ? rc : model_context_entry(m, c, ev, b);
}

/* No task is switched in an interrupt: where one seems to be, ends are missing. */
void model_clear_contexts(struct cpu *c)
{
	c->is_fresh = false;
	c->depth = 0;
}

/* ---- what ends a wait ---- */

/* Is this part in the name, not in the middle of a word? */
static bool has_word(const char *name, const char *part)
{
	for (const char *p = strstr(name, part); p; p = strstr(p + 1, part))
		if (p == name || part[0] == '-' || !isalpha((unsigned char)p[-1]))
			return true;
	return false;
}

/* The interrupt that a thread serves, by its name: irq/NN-HANDLER; KERNEL_NONE: it is none such. */
static uint32_t irq_of_thread(const struct kernel_model *m, uint32_t task)
{
	const struct kernel_task *t = &m->h->tasks[task];
	const char *name = t->is_kernel ? kernel_comm(m->h, task) : "";
	unsigned nr;
	return strncmp(name, "irq/", 4) == 0 && sscanf(name + 4, "%u-", &nr) == 1 ? nr
										  : KERNEL_NONE;
}

/* What kind of device an interrupt is of, from the name of its handler. */
static enum kernel_cause device_of(const struct kernel_model *m, uint32_t irq)
{
	static const struct {
		const char *part;
		enum kernel_cause cause;
	} parts[] = {
		{ "timer", KERNEL_TIMER },
		{ "hpet", KERNEL_TIMER },
		{ "rtc", KERNEL_TIMER },
		{ "-input", KERNEL_NETWORK },
		{ "-output", KERNEL_NETWORK },
		{ "eth", KERNEL_NETWORK },
		{ "wlan", KERNEL_NETWORK },
		{ "iwl", KERNEL_NETWORK },
		{ "ath", KERNEL_NETWORK },
		{ "mlx", KERNEL_NETWORK },
		{ "ixgbe", KERNEL_NETWORK },
		{ "i40e", KERNEL_NETWORK },
		{ "enp", KERNEL_NETWORK },
		{ "eno", KERNEL_NETWORK },
		{ "ens", KERNEL_NETWORK },
		{ "-req", KERNEL_DISK },
		{ "ahci", KERNEL_DISK },
		{ "ata", KERNEL_DISK },
		{ "nvme", KERNEL_DISK },
		{ "scsi", KERNEL_DISK },
		{ "mmc", KERNEL_DISK },
		{ "megasas", KERNEL_DISK },
		{ "i8042", KERNEL_INPUT },
		{ "ttyS", KERNEL_INPUT },
		{ "serial", KERNEL_INPUT },
	};
	const uint32_t *at = mer_map_get(&m->h->irq_names, irq);
	if (irq == 0)
		return KERNEL_TIMER;
	if (!at || !*at)
		return KERNEL_IRQ;
	const char *name = kernel_name_text(m->h, *at - 1);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (has_word(name, parts[i].part))
			return parts[i].cause;
	return KERNEL_IRQ;
}

static enum kernel_cause cause_of_context(
	const struct kernel_model *m, const struct context *x, uint32_t *source)
{
	enum kernel_cause cause = KERNEL_IRQ;
	*source = KERNEL_NONE;
	switch (x->kind) {
	case CONTEXT_TIMER: return KERNEL_TIMER;
	case CONTEXT_IPI: return KERNEL_IPI;
	case CONTEXT_VECTOR: *source = x->nr; return KERNEL_IRQ;
	case CONTEXT_PACKET: cause = KERNEL_NETWORK; break;
	case CONTEXT_IRQ:
		cause = device_of(m, x->nr);
		*source = x->nr;
		break;
	case CONTEXT_SOFTIRQ:
		cause = x->nr == VEC_TIMER || x->nr == VEC_HRTIMER    ? KERNEL_TIMER
			: x->nr == VEC_NET_TX || x->nr == VEC_NET_RX  ? KERNEL_NETWORK
			: x->nr == VEC_BLOCK || x->nr == VEC_IRQ_POLL ? KERNEL_DISK
								      : KERNEL_SOFTIRQ;
		*source = cause == KERNEL_SOFTIRQ ? x->nr : KERNEL_NONE;
		break;
	default: break;
	}
	if (cause == KERNEL_TIMER)
		*source = KERNEL_NONE;
	/* What was seen to happen is better than what the name says. */
	if (x->request != KERNEL_NONE)
		cause = KERNEL_DISK;
	else if (x->has_packet && cause != KERNEL_TIMER)
		cause = KERNEL_NETWORK;
	if (cause == KERNEL_DISK)
		*source = x->request;
	else if (cause == KERNEL_NETWORK)
		*source = x->has_packet ? x->packet : KERNEL_NONE;
	return cause;
}

enum kernel_cause model_context_cause(const struct kernel_model *m, struct cpu *c)
{
	uint32_t source;
	const struct context *x = model_context(c);
	return x ? cause_of_context(m, x, &source) : KERNEL_NO_CAUSE;
}

void model_cause(const struct kernel_model *m, struct cpu *c, uint32_t task,
	enum kernel_cause *cause, uint32_t *source, uint32_t *by)
{
	const struct context *x = model_context(c);
	uint32_t waker = model_span_on(m, c);
	*source = *by = KERNEL_NONE;
	/* Its handler wakes it after the event that tells the handler's end. */
	uint32_t irq = irq_of_thread(m, task);
	if (irq != KERNEL_NONE) {
		*cause = device_of(m, irq);
		*source = *cause == KERNEL_DISK || *cause == KERNEL_NETWORK ? KERNEL_NONE : irq;
		return;
	}
	if (m->doubts_waker && model_waker_elsewhere(m, c, task, cause, by))
		return;
	if (x) {
		*cause = cause_of_context(m, x, source);
		if (*cause == KERNEL_NETWORK)
			*source = model_flow_woke(m, x->since, *source, task, c->unmatched);
		return;
	}
	*cause = KERNEL_NO_CAUSE;
	if (c->is_fresh)
		return; /* the task, or an interrupt that began before the record did */
	bool by_kernel =
		waker == KERNEL_NONE || m->h->tasks[kernel_span(m->h, waker)->task].is_kernel;
	/* Kernel threads that serve interrupts and receive queues do it for the packet or
	 * request. */
	if (by_kernel && c->has_packet) {
		*cause = KERNEL_NETWORK;
		*source = model_flow_woke(m, INT64_MIN, c->packet, task, c->unmatched);
		*by = waker;
		return;
	}
	if (by_kernel && c->request != KERNEL_NONE) {
		*cause = KERNEL_DISK;
		*source = c->request;
		return;
	}
	if (waker ==
		KERNEL_NONE) { /* no task runs there: an interrupt of which no event is recorded */
		*cause = c->task == ON_CPU_IDLE ? KERNEL_IRQ : KERNEL_NO_CAUSE;
		return;
	}
	uint32_t call = model_open(m, task)->call;
	const struct kernel_call *k = call == KERNEL_NONE ? NULL : &m->h->calls[call];
	uint32_t classes = kernel_classes(m->h, call);
	/* A program in user mode wakes no task: it was an interrupt, of which no event is
	 * recorded. */
	if (!m->has_interrupts && kernel_span(m->h, waker)->state == KERNEL_USER) {
		*cause = classes & KERNEL_CALLS_SLEEP ? KERNEL_TIMER : KERNEL_IRQ;
		return;
	}
	*by = waker;
	*cause = KERNEL_TASK;
	if (!k)
		return;
	if (classes & KERNEL_CALLS_FUTEX)
		*cause = KERNEL_FUTEX;
	else if (k->kind == KERNEL_OBJECT_PIPE)
		*cause = KERNEL_PIPE;
}
