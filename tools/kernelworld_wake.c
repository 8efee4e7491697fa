/* kernelworld: blocking and waking up.
 *
 * A task blocks at the very step in which it finds that what it waits for is not there, so no
 * wake-up is lost. Waking is sched_waking on the waker's processor, perhaps a migration, and
 * sched_wakeup there or on the task's processor. */
#include "kernelworld.h"
#include "kernelworld_vm.h"

#include <string.h>

static void leave(struct cpu *c, int state)
{
	struct task *t = c->current;
	t->settling = t->leaving = false;
	t->blocked = !t->waking; /* else its waker waits for just this */
	note_state(t, KERNEL_BLOCKED, KERNEL_NO_CAUSE);
	switch_task(c, state);
}

static void do_leave_cpu(struct cpu *c, const struct step *step)
{
	if (c->current->held) { /* the waker has its lock */
		*add(c->sim, do_leave_cpu) = *step;
		put_first(c->sim, context(c));
	} else if (c->current->settling) {
		leave(c, step->a);
	}
}

/* With --races there is a moment in which the task says that it will wait and still has the
 * processor. Who wakes it then keeps it from waiting; or, once it is leaving, which nothing
 * interrupts, has said so already and waits until it is gone. */
void block(struct cpu *c, int state)
{
	struct sim *s = c->sim;
	if (!s->o.races) {
		leave(c, state);
		return;
	}
	c->current->settling = true;
	c->current->leaving = chance(s, 0.5);
	struct step *step = add(s, NULL);
	step->n = pick(s, 100, c->current->leaving ? 2000 : 10000);
	step->no_irq = c->current->leaving;
	step = add(s, do_leave_cpu);
	step->a = state;
	step->no_irq = c->current->leaving;
	put_first(s, context(c));
}

static bool is_free(const struct cpu *c)
{
	return c->current == c->idle && !c->queue.n && !c->need_resched;
}

static struct cpu *choose_cpu(struct sim *s, struct task *t)
{
	struct machine *m = t->m;
	if (is_free(t->cpu) || t->pinned)
		return t->cpu;
	int64_t from = pick(s, 0, m->n_cpus - 1);
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		struct cpu *c = &m->cpus[(from + i) % m->n_cpus];
		if (is_free(c) && chance(s, 0.8))
			return c;
	}
	return chance(s, 0.85) ? t->cpu : &m->cpus[from];
}

static void put_task(struct sim *s, const struct task *t)
{
	text(s, t->comm);
	val(s, t->tid);
	val(s, 20);
}

void do_wakeup(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = step->p;
	if (t->settling) {
		*add(s, do_wakeup) = *step;
		put_first(s, context(c));
		return;
	}
	put_task(s, t);
	val(s, t->cpu->id);
	emit(c, EV_WAKEUP);
	/* Nothing told about it before; or it began to wait only after that. */
	if (t->spans[t->n_spans - 1].state == KERNEL_BLOCKED) {
		struct task *by = in_interrupt(c) ? NULL : c->current;
		note_end_of_wait(t, step->a, by, step->q);
	}
	t->waking = false;
	enqueue(t->cpu, t);
	if (t->cpu != c && t->cpu->need_resched)
		interrupt_at(t->cpu, s->now + pick(s, 400, 3000), IRQ_RESCHEDULE, NULL);
}

void wake_frame(struct cpu *c, struct task *t)
{
	add_p(c->sim, do_wakeup, t);
}

static void do_migrate(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = step->p;
	struct cpu *to = step->q;
	put_task(s, t);
	val(s, t->cpu->id);
	val(s, to->id);
	emit(c, EV_MIGRATE);
	t->cpu = to;
	note_place(t);
}

static void do_send_wakeup(struct cpu *c, const struct step *step)
{
	struct task *t = step->p;
	interrupt_at(t->cpu, c->sim->now + pick(c->sim, 400, 4000), IRQ_WAKE, t);
}

/* It waits no longer, though it has not begun to. */
static void do_wakeup_running(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = step->p;
	t->held = false;
	put_task(s, t);
	val(s, t->cpu->id);
	emit(c, EV_WAKEUP);
}

static void wake_settling(struct cpu *c, struct task *t, int cause, struct packet *p)
{
	struct sim *s = c->sim;
	bool stays = !t->leaving;
	struct step *wakeup = add_p(s, stays ? do_wakeup_running : do_wakeup, t);
	wakeup->no_irq = true;
	wakeup->q = p;
	wakeup->a = cause;
	put_first(s, context(c));
	t->held = stays;
	if (stays)
		t->settling = false;
	else
		t->waking = true;
}

void wake_now(struct cpu *c, struct task *t, int cause, struct packet *p)
{
	struct sim *s = c->sim;
	if (!t->blocked && (!t->settling || t->waking))
		return;
	put_task(s, t);
	val(s, t->cpu->id);
	emit(c, EV_WAKING);
	if (t->settling) {
		wake_settling(c, t, cause, p);
		return;
	}
	t->blocked = false;
	t->waking = true;
	struct cpu *to = s->o.old ? t->cpu : choose_cpu(s, t);
	if (!s->o.old)
		note_end_of_wait(t, cause, in_interrupt(c) ? NULL : c->current, p);
	if (to != t->cpu) {
		struct step *migrate = add_p(s, do_migrate, t);
		migrate->q = to;
		migrate->no_irq = true;
	}
	bool remote = to != c && !s->o.old && chance(s, 0.5);
	struct step *wakeup = add_p(s, remote ? do_send_wakeup : do_wakeup, t);
	wakeup->no_irq = true;
	wakeup->q = p;
	wakeup->a = cause;
	put_first(s, context(c));
}

static void do_wake(struct cpu *c, const struct step *step)
{
	wake_now(c, step->p, step->a, step->q);
}

void add_wake(struct sim *s, struct task *t, int cause, struct packet *p)
{
	struct step *step = add_p(s, do_wake, t);
	step->q = p;
	step->a = cause;
}

/* ---- channels: p: the channel ---- */

void do_give(struct cpu *c, const struct step *step)
{
	struct channel *k = step->p;
	k->n++;
	if (k->waiter)
		wake_now(c, k->waiter, k->cause, NULL);
}

void do_take(struct cpu *c, const struct step *step)
{
	struct channel *k = step->p;
	if (k->n) {
		k->n--;
		k->waiter = NULL;
		return;
	}
	struct sim *s = c->sim;
	add_p(s, do_take, k);
	put_first(s, context(c));
	k->waiter = c->current;
	block(c, 1);
}

/* ---- sleeping ---- */

void do_start_timer(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = c->current;
	int64_t at = s->now + step->n;
	t->timer_over = false;
	address(s, 0xFFFF888000000000 + 64 * (uint64_t)(1 + t->tid + (int32_t)c->id));
	address(s, 0xFFFFFFFF81155160);
	val(s, at + c->m->boot);
	val(s, at + c->m->boot);
	val(s, 1);
	emit(c, EV_HRTIMER_START);
	interrupt_at(c, at, IRQ_TIMER, t);
	vm_leave(c, VM_MSR);
}

static void do_wait_timer(struct cpu *c, const struct step *step)
{
	struct task *t = c->current;
	(void)step;
	if (t->timer_over)
		return;
	add(c->sim, do_wait_timer);
	put_first(c->sim, context(c));
	block(c, 1);
}

void add_sleep(struct sim *s, int64_t ns)
{
	add(s, do_start_timer)->n = ns;
	add(s, do_wait_timer);
}

static void do_expire(struct cpu *c, const struct step *step)
{
	struct task *t = step->p;
	t->timer_over = true;
	wake_now(c, t, KERNEL_TIMER, NULL);
}

void add_timer_frame(struct cpu *c, struct task *t)
{
	add_p(c->sim, do_expire, t);
}

static void do_start_wheel(struct cpu *c, const struct step *step)
{
	struct task *t = c->current;
	t->timer_over = false;
	interrupt_at(c, c->sim->now + step->n, IRQ_WHEEL, t);
}

/* As kernel threads do: by a timer that the softirq TIMER serves; starting it is no event. */
void add_wheel_sleep(struct sim *s, int64_t ns)
{
	add(s, do_start_wheel)->n = ns;
	add(s, do_wait_timer);
}
