/* kernelworld: what the programs of services do. */
#include "kernelworld_service.h"

#include <stdlib.h>
#include <string.h>

struct service *new_service(struct role *p, void (*go)(struct cpu *c, struct task *t))
{
	struct service *v = need(calloc(1, sizeof(*v)));
	v->program = p;
	v->go = go;
	v->fds = &p->fds;
	v->waited_since = -1;
	return v;
}

void service_goes_on(struct cpu *c, struct task *t)
{
	t->service->go(c, t);
}

static void add_work(struct sim *s, const struct role *p)
{
	add_user(s, p->work[0], p->work[1]);
}

/* Some of the requests compute longer. */
static void add_work_of(struct sim *s, const struct role *p, struct ask *a)
{
	add_work(s, p);
	if (s->o.tail != TAIL_BURN || p->is_db || p->is_front || !chance(s, 0.02))
		return;
	a->cause = "burn";
	add_user(s, 20000000, 30000000);
}

/* ---- clients ---- */

static void client_asks(struct cpu *c, struct task *t);
static void client_gets(struct cpu *c, struct task *t);

static void do_begin_with_connect(struct cpu *c, const struct step *step)
{
	struct ask *a = step->p;
	a->client = c->current;
	a->begin = c->current->call_begin;
}

void client_begins(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	add_call(s, C_NANOSLEEP, -1);
	add_sleep(s, pick(s, s->o.think / 4, s->o.think * 7 / 4));
	add_return(s, C_NANOSLEEP, 0);
	t->service->go = client_asks;
}

static void client_asks(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	bool opens = !v->conn;
	if (opens)
		v->conn = add_connect(s, t, v->program->asks, true);
	v->ask = new_ask(s, NULL, v->conn, 0);
	if (opens)
		add_p(s, do_begin_with_connect, v->ask);
	add_user(s, 300, 3000);
	add_question(s, v->ask);
	v->go = client_gets;
}

static void client_got(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	v->go = client_gets;
	if (!received(v->conn, 0, v->ret))
		return;
	end_ask(c, v->ask);
	add_user(s, 1000, 30000);
	if (v->program->asks_new) {
		add_close(s, t, v->conn, 0, true);
		v->conn = NULL;
	}
	v->go = client_begins;
}

static void client_gets(struct cpu *c, struct task *t)
{
	struct service *v = t->service;
	if (chance(c->sim, 0.3))
		add_poll_one(c->sim, v->conn, 0);
	add_read(c->sim, v->conn, 0, true);
	v->go = client_got;
}

/* ---- an event loop, of one thread or of several ---- */

static void loop_next(struct cpu *c, struct task *t);
static void loop_waits(struct cpu *c, struct task *t);

static void do_send_on(struct cpu *c, const struct step *step)
{
	struct ask *child = step->p;
	add_question(c->sim, child);
	put_first(c->sim, context(c));
}

/* For a child there is a connection now, or it waits for one. */
static void add_child(struct sim *s, struct task *t, struct ask *of)
{
	struct role *p = t->service->program;
	struct ask *child = new_ask(s, of, NULL, p->asks->tier);
	if (p->asks_new) {
		child->conn = add_connect(s, t, p->asks, false);
		child->conn->opened_for = child;
		add_p(s, do_begin_with_connect, child);
		add_watch(s, &p->poller, &child->conn->end[0].watched);
	} else if ((child->conn = list_take(&p->idle))) {
		add_p(s, do_send_on, child);
	} else {
		list_add(&p->waiting, child);
	}
}

static void add_go_on(struct sim *s, struct task *t, struct ask *a)
{
	struct role *p = t->service->program;
	if (p->has_timers && a->left && chance(s, 0.5) && p->n_timers < 1024) {
		a->due = s->now + pick(s, 200000, 4000000);
		p->timers[p->n_timers++] = a;
		return;
	}
	if (!a->left) {
		add_answer(s, a);
		return;
	}
	uint32_t n = p->is_parallel ? a->left : 1;
	a->left -= n;
	a->open += n;
	while (n--)
		add_child(s, t, a);
}

/* Computes for it, then asks or answers. */
static void add_turn(struct sim *s, struct task *t, struct ask *a)
{
	struct role *p = t->service->program;
	add_work_of(s, p, a);
	add_go_on(s, t, a);
}

/* Another thread may go on with it; of a scheduler's, one that sleeps is woken. */
static void hand_over(struct sim *s, struct role *p, struct ask *a)
{
	if (p->schedules)
		add_give_item(s, &p->jobs, a);
	else
		list_add(&p->run, a);
}

static void take_request(struct sim *s, struct task *t, struct ask *a)
{
	struct role *p = t->service->program;
	a->left = p->asks ? (uint32_t)pick(s, p->queries[0], p->queries[1]) : 0;
	if (p->kind == SERVE_POOL)
		add_give_item(s, &p->jobs, a);
	else if (p->collects)
		list_add(&t->service->collected, a);
	else if (p->hops && chance(s, 0.5))
		hand_over(s, p, a);
	else
		add_turn(s, t, a);
}

static void loop_got_request(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	struct conn_end *e = &v->conn->end[1];
	v->go = loop_next;
	e->watched.is_busy = false;
	struct ask *a = received(v->conn, 1, v->ret);
	if (a)
		take_request(s, t, a);
	else if (v->ret == 0)
		add_close(s, t, v->conn, 1, true);
	if (e->unread || (e->is_ended && v->ret))
		make_ready(s, &e->watched, NULL);
}

static void add_next_waiting(struct sim *s, struct role *p, struct conn *k)
{
	struct ask *next = list_take(&p->waiting);
	if (!next) {
		list_add(&p->idle, k);
		return;
	}
	next->conn = k;
	add_question(s, next);
}

static void loop_got_answer(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	struct role *p = v->program;
	struct conn *k = v->conn;
	v->go = loop_next;
	k->end[0].watched.is_busy = false;
	struct ask *child = received(k, 0, v->ret);
	if (k->end[0].unread)
		make_ready(s, &k->end[0].watched, NULL);
	if (!child)
		return;
	struct ask *a = child->parent;
	end_ask(c, child);
	a->open--;
	bool waiting_first = chance(s, 0.5);
	if (p->asks_new)
		add_close(s, t, k, 0, true);
	else if (waiting_first)
		add_next_waiting(s, p, k);
	if (a->open == 0 && p->hops && chance(s, 0.5))
		hand_over(s, p, a);
	else if (a->open == 0)
		add_turn(s, t, a);
	if (!p->asks_new && !waiting_first)
		add_next_waiting(s, p, k);
}

static void loop_accepted(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	v->go = loop_next;
	if (!v->conn)
		return;
	add_watch(s, &v->program->poller, &v->conn->end[1].watched);
	if (v->conn->end[1].unread || v->conn->end[1].is_ended)
		make_ready(s, &v->conn->end[1].watched, NULL);
	if (v->program->listener->pending.n)
		make_ready(s, &v->program->listener->watched, NULL);
}

static void loop_handles(struct cpu *c, struct task *t, struct watched *of)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	if (of->kind == SOURCE_LISTENER) {
		add_accept(s, of->of, false);
		v->go = loop_accepted;
		return;
	}
	if (of->kind == SOURCE_EVENT) {
		add_call(s, C_READ, v->program->event_fd);
		add_time(s, pick(s, 400, 1500));
		add_return(s, C_READ, 8);
		return;
	}
	v->conn = of->of;
	struct ask *a = v->conn->opened_for;
	if (of->side == 0 && a) { /* it is open now */
		v->conn->opened_for = NULL;
		add_question(s, a);
		return;
	}
	of->is_busy = true;
	add_read(s, v->conn, of->side, false);
	v->go = of->side ? loop_got_request : loop_got_answer;
}

static struct ask *take_due(struct sim *s, struct role *p)
{
	for (uint32_t i = 0; i < p->n_timers; i++)
		if (p->timers[i]->due <= s->now) {
			struct ask *a = p->timers[i];
			p->timers[i] = p->timers[--p->n_timers];
			return a;
		}
	return NULL;
}

static void loop_next(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	struct role *p = v->program;
	struct ask *a;
	struct watched *of;
	if ((a = list_take(&p->done))) {
		add_answer(s, a);
	} else if ((a = list_take(&p->run))) {
		add_turn(s, t, a);
	} else if ((a = take_due(s, p))) {
		add_go_on(s, t, a);
	} else if ((of = list_take(&v->batch))) {
		if (of->poller)
			loop_handles(c, t, of);
	} else if ((a = list_take(&v->collected))) {
		add_turn(s, t, a);
	} else {
		v->go = loop_waits;
	}
}

/* ---- threads of a scheduler, as Go has: one of those that have nothing to do waits for what is
 * ready, the others sleep at a futex. Whoever has something to do wakes another one. ---- */

static struct ask nothing; /* but to look around */

static void thread_woken(struct cpu *c, struct task *t)
{
	struct service *v = t->service;
	v->go = loop_next;
	if (v->item != &nothing)
		add_turn(c->sim, t, v->item);
}

static void thread_polled(struct cpu *c, struct task *t)
{
	struct role *p = t->service->program;
	p->is_polled = false;
	if (p->jobs.waiters.n && !p->jobs.items.n)
		add_give_item(c->sim, &p->jobs, &nothing);
	t->service->go = loop_next;
}

static void loop_waits(struct cpu *c, struct task *t)
{
	struct service *v = t->service;
	struct role *p = v->program;
	if (p->schedules && (p->is_polled || p->jobs.items.n)) {
		add_take_item(c->sim, &p->jobs);
		v->go = thread_woken;
		return;
	}
	p->is_polled = true;
	add_wait_ready(c->sim, t);
	v->go = p->schedules ? thread_polled : loop_next;
}

static void add_start(
	struct sim *s, struct task *t, uint32_t n, void (*go)(struct cpu *, struct task *))
{
	struct role *p = t->service->program;
	for (uint32_t i = 0; i < n; i++)
		add_fork_service(s, new_service(p, go), true);
}

static void add_event(struct sim *s, struct task *t)
{
	struct role *p = t->service->program;
	p->event_fd = new_fd(t->service, name_of_event);
	p->event = (struct watched){ .kind = SOURCE_EVENT, .of = p };
	add_call(s, C_EVENTFD2, -1);
	add_time(s, pick(s, 500, 2000));
	add_return(s, C_EVENTFD2, p->event_fd);
	add_watch(s, &p->poller, &p->event);
}

/* Opens its connections, one after the other, then serves. */
void loop_begins(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	struct role *p = v->program;
	if (!v->phase++) {
		p->poller.fd = new_fd(v, name_of_poller);
		add_watch(s, &p->poller, &p->listener->watched);
		if (p->hands_back)
			add_event(s, t);
	} else if (p->n_opened++ < (p->asks_new || !p->asks ? 0 : p->n_conns)) {
		struct conn *k = add_connect(s, t, p->asks, true);
		if (p->kind == SERVE_POOL) {
			add_give_item(s, &p->conns, k);
		} else {
			add_watch(s, &p->poller, &k->end[0].watched);
			list_add(&p->idle, k);
		}
	} else {
		if (p->kind == SERVE_POOL)
			add_start(s, t, p->n_workers, worker_begins);
		else if (p->n_workers > 1)
			add_start(s, t, p->n_workers - 1, loop_waits);
		v->go = loop_waits;
	}
}

/* ---- who does one after the other ---- */

static void worker_works(struct cpu *c, struct task *t);
static void reader_reads(struct cpu *c, struct task *t);

void worker_begins(struct cpu *c, struct task *t)
{
	add_take_item(c->sim, &t->service->program->jobs);
	t->service->go = worker_works;
}

static void worker_got(struct cpu *c, struct task *t);

static void worker_gets(struct cpu *c, struct task *t)
{
	struct service *v = t->service;
	if (chance(c->sim, 0.3))
		add_poll_one(c->sim, v->child->conn, 0);
	add_read(c->sim, v->child->conn, 0, true);
	v->go = worker_got;
}

static void worker_asks(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	struct conn *k = v->own ? v->own : v->item;
	v->child = new_ask(s, v->ask, k, v->program->asks->tier);
	add_question(s, v->child);
	v->go = worker_gets;
}

static void worker_got(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	struct conn *k = v->child->conn;
	v->go = worker_gets;
	if (!received(k, 0, v->ret))
		return;
	end_ask(c, v->child);
	if (!v->own)
		add_give_item(s, &v->program->conns, k);
	v->ask->left--;
	v->phase = 1;
	v->go = worker_works;
}

static void do_wake_loop(struct cpu *c, const struct step *step)
{
	struct role *p = c->current->service->program;
	list_add(&p->done, step->p);
	make_ready(c->sim, &p->event, NULL);
	put_first(c->sim, context(c));
}

static void add_hand_back(struct sim *s, struct role *p, struct ask *a)
{
	add_call(s, C_WRITE, p->event_fd);
	add_time(s, pick(s, 500, 1500));
	add_p(s, do_wake_loop, a);
	add_time(s, pick(s, 300, 1500));
	add_return(s, C_WRITE, 8);
}

/* A database's own: from the disk, and under a lock. */
static void add_storage(struct sim *s, struct task *t)
{
	struct role *p = t->service->program;
	if (p->lock && chance(s, 0.3)) {
		add_lock(s, p->lock);
		add_user(s, 2000, 20000);
		add_unlock(s, p->lock);
	}
	if (!chance(s, s->o.tail == TAIL_DISK || s->o.tail == TAIL_MIXED ? 0.3 : 0.05))
		return;
	add_call(s, C_PREAD, 60);
	add_time(s, pick(s, 2000, 8000));
	add_disk(s, t, false);
	add_return(s, C_PREAD, 8192);
}

static void worker_works(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	struct role *p = v->program;
	bool shared = p->kind == SERVE_POOL;
	if (shared && !v->phase)
		v->ask = v->item;
	v->phase = 0;
	add_work_of(s, p, v->ask);
	if (p->is_db)
		add_storage(s, t);
	if (v->ask->left) {
		if (!v->own)
			add_take_item(s, &p->conns);
		v->go = worker_asks;
		return;
	}
	if (p->hands_back)
		add_hand_back(s, p, v->ask);
	else
		add_answer(s, v->ask);
	v->ask = NULL;
	v->go = shared ? worker_begins : reader_reads;
}

/* ---- one connection after the other: by the task itself, a child, a thread ---- */

static void accept_waits(struct cpu *c, struct task *t);

static void reader_ends(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	bool is_shared = v->program->kind == SERVE_SHARED;
	add_close(s, t, v->conn, 1, true);
	if (is_shared) {
		v->go = accept_waits;
		return;
	}
	if (v->own)
		add_close(s, t, v->own, 0, true);
	add_exit(s, t);
}

static void reader_got(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	const struct role *p = v->program;
	v->go = reader_reads;
	struct ask *a = received(v->conn, 1, v->ret);
	if (a) {
		v->ask = a;
		a->left = p->asks ? (uint32_t)pick(s, p->queries[0], p->queries[1]) : 0;
		v->go = worker_works;
	} else if (v->ret == 0) {
		v->go = reader_ends;
	}
}

static void reader_reads(struct cpu *c, struct task *t)
{
	struct service *v = t->service;
	if (chance(c->sim, 0.2))
		add_poll_one(c->sim, v->conn, 1);
	add_read(c->sim, v->conn, 1, true);
	v->go = reader_got;
}

static void reader_begins(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	v->conn->end[1].owner = t;
	if (v->program->asks && !v->own)
		v->own = add_connect(s, t, v->program->asks, true);
	v->go = reader_reads;
}

static void accept_done(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct service *v = t->service;
	struct role *p = v->program;
	v->go = accept_waits;
	if (!v->conn)
		return;
	if (p->kind == SERVE_SHARED) {
		v->go = reader_begins;
		return;
	}
	struct service *child = new_service(p, reader_begins);
	child->conn = v->conn;
	if (p->kind == SERVE_FORK) {
		child->fds = need(malloc(sizeof(*child->fds)));
		*child->fds = *v->fds;
		add_fork_service(s, child, false);
		add_close(s, t, v->conn, 1, false);
	} else {
		add_fork_service(s, child, true);
	}
}

static void accept_waits(struct cpu *c, struct task *t)
{
	add_accept(c->sim, t->service->program->listener, true);
	t->service->go = accept_done;
}

void accept_begins(struct cpu *c, struct task *t)
{
	struct service *v = t->service;
	struct role *p = v->program;
	if (p->kind == SERVE_SHARED && v->fds == &p->fds) { /* a process each */
		v->fds = need(malloc(sizeof(*v->fds)));
		*v->fds = p->fds;
	}
	accept_waits(c, t);
}

/* ---- disturbers ---- */

static void disturber_works(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	struct role *p = t->service->program;
	switch (p->tail) {
	case TAIL_HOG: add_user(s, 10000000, 16000000); break;
	case TAIL_LOCK:
		add_lock(s, p->lock);
		add_user(s, 8000000, 14000000);
		add_unlock(s, p->lock);
		break;
	case TAIL_DISK:
		for (int i = 0; i < 3; i++) {
			add_call(s, C_PWRITE, 61);
			add_time(s, pick(s, 2000, 20000));
			add_disk_bytes(s, t, true, 16 << 20);
			add_return(s, C_PWRITE, 16 << 20);
		}
		break;
	default: break;
	}
	t->service->go = disturber_begins;
}

/* In a window: all the time, but for what lets others have a lock or a disk, too. */
static int64_t pause_of(struct sim *s, const struct role *p)
{
	if (!p->until)
		return pick(s, 250000000, 350000000);
	if (s->now < p->from)
		return p->from - s->now + pick(s, 0, 2000000);
	if (s->now > p->until)
		return s->o.duration + s->o.begin_cut;
	return p->tail == TAIL_HOG ? 0 : pick(s, 1000000, 5000000);
}

void disturber_begins(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	int64_t pause = pause_of(s, t->service->program);
	if (pause) {
		add_call(s, C_NANOSLEEP, -1);
		add_sleep(s, pause);
		add_return(s, C_NANOSLEEP, 0);
	}
	t->service->go = disturber_works;
	if (t->service->program->until && s->now < t->service->program->from)
		t->service->go = disturber_begins;
	else if (!pause)
		disturber_works(c, t);
}
