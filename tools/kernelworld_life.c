/* kernelworld: tasks from fork to free. */
#include "kernelworld.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TID = (1 << 15) - 1 };

static int32_t free_tid(struct machine *m)
{
	/* With --reuse the numbers run out soon, and those of freed tasks are given again. */
	int32_t most = m->sim->o.reuse ? 300 + 64 : MAX_TID;
	for (int32_t i = 0; i <= MAX_TID; i++) {
		if (m->next_tid >= most)
			m->next_tid = 300;
		int32_t tid = m->next_tid++;
		if (!m->by_tid[tid] || m->by_tid[tid]->freed)
			return tid;
	}
	give_up("too many tasks");
}

static struct task *make_task(
	struct machine *m, const char *comm, enum program program, int32_t tid)
{
	struct task *t = need(calloc(1, sizeof(*t)));
	t->m = m;
	t->tid = t->pid = tid;
	t->ppid = 1;
	t->call = -1;
	t->program = program;
	t->is_idle = program == PROGRAM_IDLE;
	t->is_kernel = program == PROGRAM_KTHREAD || program == PROGRAM_TICKER;
	t->number = m->sim->n_tasks++;
	t->born = m->sim->now;
	t->died = t->freed_at = INT64_MAX;
	t->window = -1;
	t->files = t->is_kernel ? 0xFFFFFFFF82B6F840 : 0xFFFF888005000000 + 0x140 * t->number;
	snprintf(t->comm, sizeof(t->comm), "%s", comm);
	*m->last_task = t;
	m->last_task = &t->next;
	if (tid)
		m->by_tid[tid] = t;
	return t;
}

struct task *first_task(struct cpu *c, const char *comm, enum program program, int32_t tid)
{
	struct task *t = make_task(c->m, comm, program, tid < 0 ? free_tid(c->m) : tid);
	t->cpu = c;
	if (t->is_idle)
		return t;
	t->born = INT64_MIN;
	t->ppid = t->is_kernel ? 2 : 1;
	note_state(t, KERNEL_RUNNABLE, KERNEL_NO_CAUSE);
	t->queued = true;
	list_add(&c->queue, t);
	return t;
}

/* ---- fork ---- */

struct task *new_task(struct machine *m, const char *comm, enum program program,
	struct task *parent, bool is_thread)
{
	struct task *t = make_task(m, comm, program, free_tid(m));
	t->parent = parent;
	t->cpu = parent->cpu;
	t->ppid = is_thread ? parent->ppid : parent->pid;
	if (is_thread) {
		t->pid = parent->pid;
		t->files = parent->files;
	} else {
		t->reaper = parent;
	}
	note_state(t, KERNEL_NEW, KERNEL_NO_CAUSE);
	return t;
}

static void do_wake_new(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = step->p;
	for (uint32_t i = 0; i < c->m->n_cpus; i++) {
		struct cpu *to = &c->m->cpus[pick(s, 0, c->m->n_cpus - 1)];
		if (to->current == to->idle && !to->queue.n)
			t->cpu = to;
	}
	text(s, t->comm);
	val(s, t->tid);
	val(s, 20);
	val(s, t->cpu->id);
	emit(c, EV_WAKEUP_NEW);
	note_end_of_wait(t, KERNEL_TASK, c->current, NULL);
	enqueue(t->cpu, t);
	if (t->cpu != c && t->cpu->need_resched)
		interrupt_at(t->cpu, s->now + pick(s, 400, 3000), IRQ_RESCHEDULE, NULL);
}

static void do_fork(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *p = c->current;
	struct task *t = new_task(c->m, p->comm, (enum program)step->a, p, step->n != 0);
	t->call = C_CLONE;
	text(s, p->comm);
	val(s, p->tid);
	if (!s->o.old) {
		val(s, p->pid);
		val(s, 4026531836);
	}
	text(s, t->comm);
	val(s, t->tid);
	if (!s->o.old) {
		val(s, 1);
		val(s, t->tid);
		val(s, t->pid);
		val(s, 4026531836);
	}
	emit(c, EV_FORK);
	/* The child is the program's matter: it inherits what the parent made for it. */
	t->in = p->out;
	t->out = p->in;
	t->service = step->p;
	add_return(s, C_CLONE, 0);
	put_first(s, &t->steps);
	add_time(s, pick(s, 2000, 60000));
	add_p(s, do_wake_new, t);
	add_time(s, pick(s, 500, 5000));
	add_return(s, C_CLONE, t->tid);
	put_first(s, &p->steps);
}

void add_fork(struct sim *s, struct task *parent, enum program program, bool is_thread)
{
	(void)parent;
	add_call(s, C_CLONE, -1);
	add_time(s, pick(s, 20000, 200000));
	struct step *fork = add(s, do_fork);
	fork->a = (int32_t)program;
	fork->n = is_thread;
}

void add_fork_service(struct sim *s, struct service *of, bool is_thread)
{
	add_fork(s, NULL, PROGRAM_SERVICE, is_thread);
	s->sequence[s->n_sequence - 1].p = of;
}

/* ---- exec and names ---- */

void do_exec(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = c->current;
	char path[32];
	snprintf(path, sizeof(path), "/usr/bin/%s", (const char *)step->p);
	snprintf(t->comm, sizeof(t->comm), "%s", (const char *)step->p);
	text(s, path);
	val(s, t->tid);
	val(s, t->tid);
	emit(c, EV_EXEC);
}

void do_rename(struct cpu *c, const struct step *step)
{
	struct task *t = c->current;
	snprintf(t->comm, sizeof(t->comm), "%s-%d", (const char *)step->p, t->tid % 100000);
}

/* ---- exit ---- */

static void do_exit_event(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = c->current;
	(void)step;
	text(s, t->comm);
	val(s, t->tid);
	val(s, 20);
	emit(c, EV_EXIT);
}

static void do_tell_parent(struct cpu *c, const struct step *step)
{
	struct task *t = c->current, *p = t->reaper;
	(void)step;
	if (!p || p->dead)
		return;
	p->n_zombies++;
	if (p->wants_child)
		wake_now(c, p, KERNEL_TASK, NULL);
}

static void do_die(struct cpu *c, const struct step *step)
{
	struct task *t = c->current;
	(void)step;
	t->dead = true;
	t->died = c->sim->now;
	note_state(t, KERNEL_DEAD, KERNEL_NO_CAUSE);
	switch_task(c, t->reaper ? 32 : 16);
	list_add(&c->m->dead, t);
}

void do_free_dead(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = list_take(&c->m->dead);
	(void)step;
	if (!t)
		return;
	text(s, t->comm);
	val(s, t->tid);
	val(s, 20);
	emit(c, EV_FREE);
	t->freed = true;
	t->freed_at = s->now;
	free(t->steps.of);
	t->steps = (struct steps){ 0 };
	if (s->o.no_truth)
		free(t->spans), t->spans = NULL, t->n_spans = t->cap_spans = 0;
}

void add_exit(struct sim *s, struct task *t)
{
	add_call(s, t->pid != t->tid ? C_EXIT : C_EXIT_GROUP, -1);
	add_time(s, pick(s, 10000, 300000));
	add(s, do_exit_event);
	add_time(s, pick(s, 1000, 60000));
	add(s, do_tell_parent);
	add_time(s, pick(s, 500, 20000));
	add(s, do_die);
}

void do_wait_child(struct cpu *c, const struct step *step)
{
	struct task *t = c->current;
	(void)step;
	if (t->n_zombies) {
		t->n_zombies--;
		t->wants_child = false;
		return;
	}
	add(c->sim, do_wait_child);
	put_first(c->sim, context(c));
	t->wants_child = true;
	block(c, 1);
}
