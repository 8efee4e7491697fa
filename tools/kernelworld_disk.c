/* kernelworld: block requests, and the kernel threads that stand between them and who waits. */
#include "kernelworld.h"
#include "kernelworld_virtio.h"

#include <stdlib.h>

enum { DEVICE = 254 << 20 };

/* What a kernel thread is asked to do. */
struct work {
	struct task *waiter;
	struct request *request; /* is done: wake who waits for it; NULL: write the journal */
};

/* ---- requests ---- */

static void put_request(struct sim *s, const struct request *r)
{
	val(s, DEVICE);
	val(s, (int64_t)r->sector);
	val(s, r->bytes / 512);
}

static void emit_request(struct cpu *c, const struct request *r, enum event_id e)
{
	struct sim *s = c->sim;
	put_request(s, r);
	val(s, r->bytes);
	val(s, c->current->tid);
	val(s, r->rwbs);
	text(s, c->current->comm);
	emit(c, e);
}

static void do_insert(struct cpu *c, const struct step *step)
{
	emit_request(c, step->p, EV_INSERT);
}

static void do_issue(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct request *r = step->p;
	emit_request(c, r, EV_ISSUE);
	if (c->m->virtio) {
		virtio_issue(c, r);
		return;
	}
	int64_t begin = c->m->disk_free > s->now ? c->m->disk_free : s->now;
	int64_t takes = (int64_t)pick(s, 30000, 90000) + r->bytes / 4;
	if (s->o.slow_disk.host == c->m->id + 1)
		takes = (int64_t)((double)takes * s->o.slow_disk.by);
	c->m->disk_free = begin + takes;
	r->cpu = &c->m->cpus[pick(s, 0, c->m->n_cpus - 1)];
	interrupt_at(r->cpu, c->m->disk_free + pick(s, 1000, 40000), IRQ_DISK, r);
}

static void do_await(struct cpu *c, const struct step *step)
{
	struct request *r = step->p;
	if (r->is_done) {
		free(r);
		return;
	}
	add_p(c->sim, do_await, r);
	put_first(c->sim, context(c));
	block(c, 2);
}

static void add_request(
	struct sim *s, struct task *t, struct task *worker, bool is_write, uint32_t bytes)
{
	struct request *r = need(calloc(1, sizeof(*r)));
	r->waiter = t;
	r->worker = worker;
	r->sector = (uint64_t)pick(s, 1, 1 << 24) * 8;
	r->bytes = bytes;
	r->rwbs = is_write ? 1 | 16 : 4; /* write, sync; read */
	if (chance(s, 0.7))
		add_p(s, do_insert, r);
	add_p(s, do_issue, r);
	add_time(s, pick(s, 500, 5000));
	add_p(s, do_await, r);
}

void add_disk(struct sim *s, struct task *t, bool is_write)
{
	struct task *worker = chance(s, 0.3) ? t->m->kworker : NULL;
	add_request(s, t, worker, is_write, (uint32_t)pick(s, 1, 64) * 4096);
}

void add_disk_bytes(struct sim *s, struct task *t, bool is_write, uint32_t bytes)
{
	add_request(s, t, NULL, is_write, bytes);
}

/* ---- completion ---- */

static void ask(struct cpu *c, struct task *worker, struct work w, int cause)
{
	struct work *copy = need(malloc(sizeof(*copy)));
	*copy = w;
	list_add(&worker->works, copy);
	wake_now(c, worker, cause, NULL);
}

static void do_complete(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct request *r = step->p;
	put_request(s, r);
	val(s, 0);
	val(s, r->rwbs);
	emit(c, EV_COMPLETE);
	if (c->m->virtio)
		virtio_completed(c, r);
}

static void do_finish(struct cpu *c, const struct step *step)
{
	struct request *r = step->p;
	c->sim->served = r->served;
	if (r->worker) {
		ask(c, r->worker, (struct work){ .request = r }, KERNEL_DISK);
		return;
	}
	struct task *t = r->waiter;
	r->is_done = true;
	wake_now(c, t, KERNEL_DISK, NULL);
}

static void add_completion(struct sim *s, struct request *r)
{
	add_p(s, do_complete, r);
	add_p(s, do_finish, r);
}

static void do_defer(struct cpu *c, const struct step *step)
{
	list_add(&c->finished, step->p);
	raise_softirq(c, 4);
	put_first(c->sim, context(c));
}

void disk_frame(struct cpu *c, struct request *r)
{
	if (chance(c->sim, 0.3))
		add_p(c->sim, do_defer, r);
	else
		add_completion(c->sim, r);
}

void do_block_softirq(struct cpu *c, const struct step *step)
{
	struct request *r = list_take(&c->finished);
	(void)step;
	if (!r)
		return;
	add_completion(c->sim, r);
	add(c->sim, do_block_softirq);
	put_first(c->sim, context(c));
}

/* ---- the journal ---- */

static void do_ask_journal(struct cpu *c, const struct step *step)
{
	(void)step;
	c->current->done = false;
	ask(c, c->m->jbd2, (struct work){ .waiter = c->current }, KERNEL_TASK);
}

static void do_await_journal(struct cpu *c, const struct step *step)
{
	(void)step;
	if (c->current->done)
		return;
	add(c->sim, do_await_journal);
	put_first(c->sim, context(c));
	block(c, 2);
}

void add_fsync(struct sim *s, struct task *t)
{
	(void)t;
	add_time(s, pick(s, 3000, 30000));
	add(s, do_ask_journal);
	add_time(s, pick(s, 500, 4000));
	add(s, do_await_journal);
	add_time(s, pick(s, 500, 5000));
}

/* ---- kernel threads ---- */

static void do_finish_request(struct cpu *c, const struct step *step)
{
	struct request *r = step->p;
	struct task *t = r->waiter;
	r->is_done = true;
	wake_now(c, t, KERNEL_TASK, NULL);
}

static void do_finish_journal(struct cpu *c, const struct step *step)
{
	struct task *t = step->p;
	t->done = true;
	wake_now(c, t, KERNEL_TASK, NULL);
}

static void do_await_work(struct cpu *c, const struct step *step)
{
	(void)step;
	struct task *t = c->current;
	if (t->works.n)
		return;
	/* Only who works off requests has no business with signals. */
	block(c, t == t->m->jbd2 ? 1 : 128);
}

void next_work(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct work *w = list_take(&t->works);
	add_time(s, pick(s, 1000, 30000));
	if (!w) {
		add(s, do_await_work);
	} else if (w->request) {
		add_p(s, do_finish_request, w->request);
	} else {
		for (int64_t i = pick(s, 1, 2); i > 0; i--) {
			add_request(s, t, NULL, true, (uint32_t)pick(s, 1, 64) * 4096);
			add_time(s, pick(s, 1000, 20000));
		}
		add_p(s, do_finish_journal, w->waiter);
	}
	free(w);
}
