/* kernelworld: the simulation. Processors execute the steps of their contexts in the order of time;
 * interrupts, softirqs and the scheduler come between steps, as in a preemptive kernel. */
#include "kernelworld.h"
#include "kernelworld_vm.h"

#include <stdlib.h>
#include <string.h>

enum { TICK_NS = 4000000, APART_NS = 2 };

/* ---- happenings: a heap ---- */

static bool before(const struct happening *a, const struct happening *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void heap_put(struct sim *s, struct happening h)
{
	h.order = s->order++;
	s->heap = grown(s->heap, s->n_heap, &s->cap_heap, sizeof(*s->heap));
	size_t i = s->n_heap++;
	for (; i && before(&h, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = h;
}

static struct happening heap_take(struct sim *s)
{
	struct happening top = s->heap[0], last = s->heap[--s->n_heap];
	size_t i = 0;
	for (;;) {
		size_t k = 2 * i + 1;
		if (k + 1 < s->n_heap && before(&s->heap[k + 1], &s->heap[k]))
			k++;
		if (k >= s->n_heap || !before(&s->heap[k], &last))
			break;
		s->heap[i] = s->heap[k];
		i = k;
	}
	s->heap[i] = last;
	return top;
}

static void step_at(struct cpu *c, int64_t time)
{
	if (vm_step_at(c, time))
		return;
	c->next = time;
	c->sleeping = false;
	heap_put(c->sim,
		(struct happening){
			.time = time, .generation = ++c->generation, .cpu = c, .is_step = true });
}

void interrupt_at(struct cpu *c, int64_t time, enum irq_kind kind, void *p)
{
	heap_put(c->sim,
		(struct happening){ .time = time, .cpu = c, .irq = { .kind = kind, .p = p } });
}

/* ---- contexts ---- */

struct steps *context(struct cpu *c)
{
	return c->n_frames ? &c->frames[c->n_frames - 1].steps : &c->current->steps;
}

bool in_interrupt(const struct cpu *c)
{
	return c->n_frames > 0;
}

static bool interrupts_are_off(struct cpu *c)
{
	const struct steps *k = context(c);
	if (c->n_frames && !c->frames[c->n_frames - 1].is_softirq)
		return true;
	return k->n && k->of[k->n - 1].no_irq;
}

struct step *add(struct sim *s, step_fn run)
{
	if (s->n_sequence == sizeof(s->sequence) / sizeof(s->sequence[0]))
		give_up("a sequence is too long");
	struct step *step = &s->sequence[s->n_sequence++];
	*step = (struct step){ .run = run };
	return step;
}

struct step *add_p(struct sim *s, step_fn run, void *p)
{
	struct step *step = add(s, run);
	step->p = p;
	return step;
}

void add_time(struct sim *s, int64_t ns)
{
	add(s, NULL)->n = ns;
}

void put_first(struct sim *s, struct steps *k)
{
	while (k->n + s->n_sequence > k->cap) {
		k->cap = k->cap ? 2 * k->cap : 16;
		k->of = need(realloc(k->of, k->cap * sizeof(*k->of)));
	}
	while (s->n_sequence)
		k->of[k->n++] = s->sequence[--s->n_sequence];
}

static struct steps *push_frame(struct cpu *c, bool is_softirq)
{
	if (c->n_frames == MAX_FRAMES)
		give_up("interrupts are nested too deeply");
	struct frame *f = &c->frames[c->n_frames++];
	f->is_softirq = is_softirq;
	f->steps.n = 0;
	f->steps.left = 0;
	return &f->steps;
}

/* ---- entry and exit events: a: of enum event_id, n: irq, vec, ... ---- */

void do_enter(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	static const char *const irq_names[] = { "virtio1-req.0", "virtio0-input.0",
		"virtio0-output.0" };
	if (!c->n_inside++)
		note_state(c->current, KERNEL_INTERRUPTED, KERNEL_NO_CAUSE);
	if (step->a == EV_HRTIMER_ENTRY) {
		address(s, 0xFFFF888000000000 + (uint64_t)(step->n + (int64_t)c->id * 64));
		val(s, s->now + c->m->boot);
		address(s, step->n ? 0xFFFFFFFF81155160 : 0xFFFFFFFF81168830);
	} else {
		val(s, step->n);
		if (step->a == EV_IRQ_ENTRY)
			text(s, irq_names[step->n - 25]);
	}
	emit(c, (enum event_id)step->a);
}

void do_leave(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	if (step->a == EV_HRTIMER_EXIT)
		address(s, 0xFFFF888000000000 + (uint64_t)(step->n + (int64_t)c->id * 64));
	else
		val(s, step->n);
	if (step->a == EV_IRQ_EXIT)
		val(s, 1);
	emit(c, (enum event_id)step->a);
	if (!--c->n_inside)
		note_on_cpu(c->current);
}

static void add_enter(struct sim *s, enum event_id e, int64_t n)
{
	struct step *step = add(s, do_enter);
	step->a = (int32_t)e;
	step->n = n;
}

static void add_leave(struct sim *s, enum event_id e, int64_t n)
{
	struct step *step = add(s, do_leave);
	step->a = (int32_t)e;
	step->n = n;
}

static void do_raise(struct cpu *c, const struct step *step)
{
	c->softirqs |= 1u << step->n;
	val(c->sim, step->n);
	emit(c, EV_RAISE);
}

void raise_softirq(struct cpu *c, unsigned vec)
{
	struct step *step = add(c->sim, do_raise);
	step->n = vec;
	step->no_irq = true;
}

/* ---- interrupts ---- */

static void do_tick(struct cpu *c, const struct step *step)
{
	(void)step;
	struct sim *s = c->sim;
	if (c->queue.n && s->now - c->current->since > s->o.slice)
		c->need_resched = true;
	if (chance(s, 0.3))
		raise_softirq(c, 1);
	if (chance(s, 0.3))
		raise_softirq(c, 7);
	if (c->m->dead.n || chance(s, 0.3))
		raise_softirq(c, 9);
	put_first(s, context(c));
}

static void do_wheel(struct cpu *c, const struct step *step)
{
	list_add(&c->wheel, step->p);
	raise_softirq(c, 1);
	put_first(c->sim, context(c));
}

static void do_resend_later(struct cpu *c, const struct step *step)
{
	list_add(&c->resend, step->p);
	raise_softirq(c, 1);
	put_first(c->sim, context(c));
}

static void do_restart_tick(struct cpu *c, const struct step *step)
{
	(void)step;
	struct sim *s = c->sim;
	int64_t at = (s->now / TICK_NS + 1) * TICK_NS + c->id * 1117 + c->m->id * 131;
	address(s, 0xFFFF888000000000 + (uint64_t)c->id * 64);
	address(s, 0xFFFFFFFF81168830);
	val(s, at + c->m->boot);
	val(s, at + c->m->boot);
	val(s, 0);
	emit(c, EV_HRTIMER_START);
	interrupt_at(c, at, IRQ_TICK, NULL);
}

static void do_start_napi(struct cpu *c, const struct step *step)
{
	(void)step;
	raise_softirq(c, 3);
	put_first(c->sim, context(c));
}

static void timer_frame(struct cpu *c, const struct irq *irq)
{
	struct sim *s = c->sim;
	int64_t timer = irq->kind == IRQ_TIMER ? 64 * (1 + ((struct task *)irq->p)->tid) : 0;
	if (s->o.vectors)
		add_enter(s, EV_TIMER_VEC_ENTRY, 236);
	add_enter(s, EV_HRTIMER_ENTRY, timer);
	if (irq->kind == IRQ_TICK)
		add(s, do_tick);
	else if (irq->kind == IRQ_WHEEL)
		add_p(s, do_wheel, irq->p);
	else if (irq->kind == IRQ_RESEND)
		add_p(s, do_resend_later, irq->p);
	else
		add_timer_frame(c, irq->p);
	add_leave(s, EV_HRTIMER_EXIT, timer);
	if (irq->kind == IRQ_TICK && (c->current != c->idle || c->queue.n))
		add(s, do_restart_tick);
	else if (irq->kind == IRQ_TICK)
		c->tick = false;
	if (s->o.vectors)
		add_leave(s, EV_TIMER_VEC_EXIT, 236);
}

static void begin_irq(struct cpu *c)
{
	struct sim *s = c->sim;
	struct irq irq = c->irqs[0];
	memmove(c->irqs, c->irqs + 1, --c->n_irqs * sizeof(*c->irqs));
	switch (irq.kind) {
	case IRQ_TICK:
	case IRQ_TIMER:
	case IRQ_RESEND:
	case IRQ_WHEEL: timer_frame(c, &irq); break;
	case IRQ_DISK:
		add_enter(s, EV_IRQ_ENTRY, 25);
		disk_frame(c, irq.p);
		add_leave(s, EV_IRQ_EXIT, 25);
		break;
	case IRQ_NET:
	case IRQ_SENT:
		add_enter(s, EV_IRQ_ENTRY, irq.kind == IRQ_NET ? 26 : 27);
		add(s, do_start_napi);
		add_leave(s, EV_IRQ_EXIT, irq.kind == IRQ_NET ? 26 : 27);
		break;
	case IRQ_WAKE:
	case IRQ_RESCHEDULE:
		if (s->o.vectors)
			add_enter(s, EV_RESCHED_ENTRY, 253);
		if (irq.kind == IRQ_WAKE)
			wake_frame(c, irq.p);
		else
			c->need_resched |= c->queue.n > 0;
		if (s->o.vectors)
			add_leave(s, EV_RESCHED_EXIT, 253);
		break;
	}
	put_first(s, push_frame(c, false));
}

static void take_irq(struct cpu *c, struct irq irq)
{
	struct sim *s = c->sim;
	if (vm_take_irq(c, irq))
		return;
	if (irq.kind == IRQ_NET) {
		list_add(&c->input, irq.p);
		if (c->napi)
			return;
		c->napi = true;
	}
	if (c->n_irqs == c->cap_irqs) {
		c->cap_irqs = c->cap_irqs ? 2 * c->cap_irqs : 8;
		c->irqs = need(realloc(c->irqs, c->cap_irqs * sizeof(*c->irqs)));
	}
	c->irqs[c->n_irqs++] = irq;
	if (c->sleeping) {
		step_at(c, s->now + pick(s, 300, 2500));
	} else if (!interrupts_are_off(c)) {
		int64_t at = s->now + pick(s, 100, 600);
		if (at >= c->next)
			return;
		context(c)->left += c->next - at;
		step_at(c, at);
	}
}

/* ---- softirqs ---- */

static void do_balance(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct cpu *from = &c->m->cpus[pick(s, 0, c->m->n_cpus - 1)];
	(void)step;
	if (from == c || from->queue.n < 2)
		return;
	struct task *t = list_take(&from->queue);
	if (t->pinned) {
		list_add(&from->queue, t);
		return;
	}
	text(s, t->comm);
	val(s, t->tid);
	val(s, 20);
	val(s, from->id);
	val(s, c->id);
	emit(c, EV_MIGRATE);
	t->queued = false;
	enqueue(c, t);
}

static void do_rcu(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	(void)step;
	uint32_t n = c->m->dead.n < 3 ? c->m->dead.n : 3;
	for (uint32_t i = 0; i < n; i++)
		add(s, do_free_dead);
	if (!n && c->m->rcu->blocked)
		add_wake(s, c->m->rcu, KERNEL_SOFTIRQ, NULL);
	put_first(s, context(c));
}

static void do_timers(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t;
	struct packet *p;
	(void)step;
	while ((t = list_take(&c->wheel))) {
		t->timer_over = true;
		add_wake(s, t, KERNEL_TIMER, NULL);
	}
	while ((p = list_take(&c->resend)))
		add_p(s, do_resend, p);
	put_first(s, context(c));
}

static void fill_softirq(struct cpu *c)
{
	struct sim *s = c->sim;
	uint32_t raised = c->softirqs;
	c->softirqs = 0;
	for (unsigned vec = 0; vec < 10; vec++) {
		if (!(raised >> vec & 1))
			continue;
		add_enter(s, EV_SOFTIRQ_ENTRY, vec);
		if (vec == 1)
			add(s, do_timers);
		else if (vec == 3)
			add(s, do_poll_input);
		else if (vec == 4)
			add(s, do_block_softirq);
		else if (vec == 7)
			add(s, do_balance);
		else if (vec == 9)
			add(s, do_rcu);
		add_time(s, pick(s, 300, 4000));
		add_leave(s, EV_SOFTIRQ_EXIT, vec);
	}
	put_first(s, context(c));
}

/* ---- scheduler ---- */

void enqueue(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	t->cpu = c;
	t->queued = true;
	list_add(&c->queue, t);
	vm_enqueued(t);
	if (c->current == c->idle || chance(s, 0.6))
		c->need_resched = true;
	vm_preempt(c);
	if (c->sleeping)
		step_at(c, s->now + pick(s, 300, 3000));
}

static void start_tick(struct cpu *c)
{
	struct sim *s = c->sim;
	if (c->tick)
		return;
	c->tick = true;
	interrupt_at(c, (s->now / TICK_NS + 1) * TICK_NS + c->id * 1117 + c->m->id * 131, IRQ_TICK,
		NULL);
}

void switch_task(struct cpu *c, int prev_state)
{
	struct sim *s = c->sim;
	struct task *prev = c->current, *next;
	c->need_resched = false;
	bool runnable = prev_state == 0 || prev_state == 256;
	if (runnable && prev != c->idle && !c->queue.n)
		return;
	next = list_take(&c->queue);
	if (!next)
		next = c->idle;
	if (next == prev)
		return;
	text(s, prev->comm);
	val(s, prev->tid);
	val(s, 20);
	val(s, prev_state);
	text(s, next->comm);
	val(s, next->tid);
	val(s, 20);
	emit(c, EV_SWITCH);
	prev->on_cpu = false;
	if (runnable && prev != c->idle) {
		note_state(prev, KERNEL_RUNNABLE, KERNEL_NO_CAUSE);
		list_add(&c->queue, prev);
		prev->queued = true;
	}
	c->current = next;
	next->on_cpu = true;
	next->queued = false;
	next->cpu = c;
	next->since = s->now;
	note_on_cpu(next);
	vm_switched(c, prev, runnable);
	if (next != c->idle)
		start_tick(c);
}

/* ---- a processor's next step ---- */

/* Is the task on the CPU where --slower makes things slower? */
static bool is_slower(const struct cpu *c)
{
	const struct slower *o = &c->sim->o.slower;
	const struct task *t = c->current;
	if (!o->by || c->n_frames || strcmp(t->comm, o->comm) != 0)
		return false;
	return strcmp(o->place, t->call < 0 ? "user" : calls[t->call].name) == 0;
}

static int64_t takes(const struct cpu *c, bool slower, int64_t ns)
{
	return slower ? (int64_t)((double)ns * (1 + c->sim->o.slower.by)) : ns;
}

static void execute(struct cpu *c, struct steps *k)
{
	struct sim *s = c->sim;
	struct step step = k->of[--k->n];
	bool slower = is_slower(c);
	if (!step.run) {
		step_at(c, s->now + takes(c, slower, step.n));
		return;
	}
	step.run(c, &step);
	vm_executed(c);
	step_at(c, s->now + takes(c, slower, pick(s, 150, 1500)));
}

/* ---- processors of guests ---- */

void vm_host_step(struct cpu *c, int64_t time)
{
	if (c->next > time || c->next <= c->sim->now)
		step_at(c, time);
}

int64_t vm_pause(struct cpu *g)
{
	g->generation++;
	return g->sleeping || g->next < g->sim->now ? 0 : g->next - g->sim->now;
}

void vm_resume(struct cpu *g, int64_t left, int64_t at)
{
	if (g->sleeping && !g->n_irqs && !g->queue.n && !g->need_resched)
		return;
	if (g->n_irqs && !interrupts_are_off(g) && !g->sleeping) {
		context(g)->left += left;
		left = 0;
	}
	step_at(g, at + left);
}

static void step_cpu(struct cpu *c)
{
	struct sim *s = c->sim;
	for (;;) {
		struct steps *k = context(c);
		if (vm_step(c))
			return;
		if (k->n && k->of[k->n - 1].no_irq && !k->left) {
			execute(c, k);
			return;
		}
		if (c->n_irqs && !interrupts_are_off(c)) {
			begin_irq(c);
			continue;
		}
		if (c->n_frames) {
			struct frame *f = &c->frames[c->n_frames - 1];
			if (k->left) {
				step_at(c, s->now + k->left);
				k->left = 0;
				return;
			}
			if (k->n) {
				execute(c, k);
				return;
			}
			if (f->is_softirq && c->softirqs)
				fill_softirq(c);
			else
				c->n_frames--;
			continue;
		}
		if (c->softirqs) {
			push_frame(c, true);
			continue;
		}
		if (c->need_resched || (c->current == c->idle && c->queue.n)) {
			struct task *prev = c->current;
			bool kernel = prev != c->idle && (prev->is_kernel || prev->call >= 0);
			switch_task(c, kernel ? 256 : 0);
			if (c->current == prev)
				continue;
			step_at(c, s->now + pick(s, 400, 3000));
			return;
		}
		if (c->current == c->idle) {
			c->sleeping = true;
			vm_leave(c, VM_HLT);
			return;
		}
		if (k->left) {
			step_at(c, s->now + k->left);
			k->left = 0;
			return;
		}
		if (!k->n)
			next_activity(c, c->current);
		execute(c, context(c));
		return;
	}
}

void simulate(struct sim *s)
{
	for (uint32_t i = 0; i < s->o.n_machines; i++)
		for (uint32_t k = 0; k < s->machines[i].n_cpus; k++)
			step_at(&s->machines[i].cpus[k], pick(s, 0, 20000));
	while (s->n_heap) {
		struct happening h = heap_take(s);
		struct machine *m = h.cpu->m;
		if (h.is_step && h.generation != h.cpu->generation)
			continue;
		if (h.time > s->o.duration + s->o.begin_cut ||
			(s->o.n_events && s->n_events >= s->o.n_events))
			break;
		s->now = h.time;
		if (!h.is_step) {
			take_irq(h.cpu, h.irq);
		} else if (h.time < m->last + APART_NS) {
			step_at(h.cpu, m->last + APART_NS);
		} else {
			m->last = h.time;
			step_cpu(h.cpu);
		}
	}
}

void make_machines(struct sim *s)
{
	s->machines = need(calloc(s->o.n_machines, sizeof(*s->machines)));
	for (uint32_t i = 0; i < s->o.n_machines; i++) {
		struct machine *m = &s->machines[i];
		m->sim = s;
		m->id = i;
		m->last = -1;
		m->last_task = &m->tasks;
		m->next_tid = 300;
		m->next_port = 40000;
		m->n_cpus = i < s->o.n_hosts ? s->o.n_cpus : s->o.n_vcpus;
		m->cpus = need(calloc(m->n_cpus, sizeof(*m->cpus)));
		m->by_tid = need(calloc(1 << 15, sizeof(struct task *)));
		for (uint32_t k = 0; k < m->n_cpus; k++) {
			struct cpu *c = &m->cpus[k];
			char name[16];
			c->sim = s;
			c->m = m;
			c->id = k;
			snprintf(name, sizeof(name), "swapper/%u", k % 1000);
			c->idle = first_task(c, name, PROGRAM_IDLE, 0);
			c->current = c->idle;
			c->idle->on_cpu = true;
			c->sleeping = false;
		}
	}
	make_guests(s);
}
