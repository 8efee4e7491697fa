/* kernelworld: guests whose disks are files of their hosts. */
#include "kernelworld_virtio.h"

#include <stdlib.h>

#include "kernelworld_vm.h"

struct virtio {
	struct task *main, *worker;
	/* Requests: issued; known to the main thread; handed to the worker; done by it. */
	struct list issued, queue, work, done;
};

static struct virtio *virtio_of(struct task *t)
{
	struct sim *s = t->m->sim;
	for (uint32_t i = s->o.n_hosts; i < s->o.n_machines; i++) {
		struct virtio *v = s->machines[i].virtio;
		if (v && (v->main == t || v->worker == t))
			return v;
	}
	give_up("a task of no guest");
}

void make_virtio(struct machine *guest, struct task *main)
{
	struct virtio *v = guest->virtio = need(calloc(1, sizeof(*v)));
	v->main = main;
	v->worker = start(main->m, "worker", PROGRAM_VIRTIO_WORKER);
	v->worker->pid = main->pid;
	v->worker->files = main->files;
}

/* ---- the guest's side ---- */

void virtio_issue(struct cpu *c, struct request *r)
{
	struct sim *s = c->sim;
	r->served = need(calloc(1, sizeof(*r->served))); /* the truth keeps it */
	r->served->issued = s->now;
	r->served->before = s->last_served;
	s->last_served = r->served;
	r->cpu = &c->m->cpus[pick(s, 0, c->m->n_cpus - 1)];
	list_add(&c->m->virtio->issued, r);
	vm_leave(c, VM_KICK);
}

void virtio_completed(struct cpu *c, const struct request *r)
{
	struct sim *s = c->sim;
	const struct virtio *v = c->m->virtio;
	const struct served *x = r->served;
	if (!s->disks_csv || x->issued <= s->o.begin_cut)
		return;
	fprintf(s->disks_csv, "%s,%d,%lld,%lld,%s,%d,%d,%lld,%lld,%lld,%lld\n", c->m->name,
		r->waiter->tid, (long long)shown(x->issued), (long long)shown(s->now),
		v->main->m->name, v->main->tid, v->worker->tid, (long long)shown(x->begun),
		(long long)shown(x->ended), (long long)shown(x->sent),
		(long long)shown(x->entered));
}

void virtio_open_truth(struct sim *s)
{
	s->disks_csv = open_csv(s, "disks.csv");
	fprintf(s->disks_csv,
		"guest,tid,issued,completed,host,main,worker,begun,ended,sent,entered\n");
}

/* ---- the host's side ---- */

static void do_kick(struct cpu *c, const struct step *step)
{
	struct virtio *v = step->p;
	struct request *r;
	bool any = v->issued.n > 0;
	while ((r = list_take(&v->issued)))
		list_add(&v->queue, r);
	if (any)
		wake_now(c, v->main, KERNEL_TASK, NULL);
}

void add_virtio_kick(struct sim *s, struct machine *guest)
{
	add_p(s, do_kick, guest->virtio);
}

static void do_await(struct cpu *c, const struct step *step)
{
	struct virtio *v = step->p;
	bool any = c->current == v->main ? v->queue.n || v->done.n : v->work.n;
	if (any)
		return;
	add_p(c->sim, do_await, v);
	put_first(c->sim, context(c));
	block(c, 1);
}

static void do_hand(struct cpu *c, const struct step *step)
{
	struct virtio *v = step->q;
	list_add(&v->work, step->p);
	wake_now(c, v->worker, KERNEL_FUTEX, NULL);
}

static void do_send(struct cpu *c, const struct step *step)
{
	struct request *r = step->p;
	r->served->sent = c->sim->now;
	r->served->sender = c->current;
	r->served->vcpu = r->cpu->vcpu->thread;
	vm_send_irq(c, r->cpu, (struct irq){ IRQ_DISK, r });
}

static void do_begin(struct cpu *c, const struct step *step)
{
	((struct request *)step->p)->served->begun = c->sim->now;
}

static void do_done(struct cpu *c, const struct step *step)
{
	struct virtio *v = step->q;
	struct request *r = step->p;
	r->served->ended = c->sim->now;
	list_add(&v->done, r);
	wake_now(c, v->main, KERNEL_TASK, NULL);
}

static void add_wait(struct sim *s, struct virtio *v, int call, int64_t ret)
{
	add_call(s, call, -1);
	add_time(s, pick(s, 500, 3000));
	add_p(s, do_await, v);
	add_time(s, pick(s, 500, 3000));
	add_return(s, call, ret);
}

static void add_deed(struct sim *s, struct virtio *v, int call, int fd, step_fn run,
	struct request *r, int64_t ret)
{
	add_call(s, call, fd);
	add_time(s, pick(s, 300, 3000));
	add_p(s, run, r)->q = v;
	add_time(s, pick(s, 300, 1500));
	add_return(s, call, ret);
}

static void next_of_main(struct sim *s, struct virtio *v)
{
	struct request *r;
	if ((r = list_take(&v->done)))
		add_deed(s, v, C_WRITE, 40, do_send, r, 8);
	else if ((r = list_take(&v->queue)))
		add_deed(s, v, C_FUTEX, FUTEX_WAKES, do_hand, r, 1);
	else
		add_wait(s, v, C_POLL, 1);
}

static void next_of_worker(struct sim *s, struct virtio *v, struct task *t)
{
	struct request *r = list_take(&v->work);
	if (!r) {
		add_wait(s, v, C_FUTEX, 0);
		return;
	}
	bool is_write = r->rwbs & 1;
	int call = is_write ? C_PWRITE : C_PREAD;
	add_call(s, call, 30);
	add_p(s, do_begin, r);
	add_time(s, pick(s, 1000, 20000));
	add_disk_bytes(s, t, is_write, r->bytes);
	add_time(s, pick(s, 1000, 9000));
	add_return(s, call, r->bytes);
	add_user(s, 300, 5000);
	add_deed(s, v, C_WRITE, 41, do_done, r, 8);
}

void next_of_virtio(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct virtio *v = virtio_of(t);
	add_user(s, 1000, 15000);
	if (t == v->main)
		next_of_main(s, v);
	else
		next_of_worker(s, v, t);
}
