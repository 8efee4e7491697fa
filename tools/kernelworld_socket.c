/* kernelworld: sockets of services: connect, accept, read, write, close; what polls; queues and
 * locks in memory. Only who must wait enters the kernel for these. */
#include "kernelworld.h"
#include "kernelworld_service.h"

#include <stdlib.h>

void add_step(struct sim *s, step_fn run, void *p)
{
	add_p(s, run, p);
}

/* ---- descriptors ---- */

const char name_of_socket[] = "socket:[12462]", name_of_poller[] = "anon_inode:[eventpoll]",
	   name_of_event[] = "anon_inode:[eventfd]";

int new_fd(struct service *v, const char *name)
{
	for (int i = 3; i < (int)(sizeof(v->fds->name) / sizeof(v->fds->name[0])); i++)
		if (!v->fds->name[i]) {
			v->fds->name[i] = name;
			return i;
		}
	give_up("too many descriptors");
}

void free_fd(struct service *v, int fd)
{
	v->fds->name[fd] = NULL;
}

int watched_fd(const struct watched *of)
{
	switch (of->kind) {
	case SOURCE_CONN: return ((const struct conn *)of->of)->end[of->side].fd;
	case SOURCE_LISTENER: return ((const struct listener *)of->of)->fd;
	default: return ((const struct role *)of->of)->event_fd;
	}
}

/* ---- who waits for whom ---- */

static void wake_one(struct sim *s, struct list *waiters, int cause, struct packet *p)
{
	struct task *t = list_take(waiters);
	if (t)
		add_wake(s, t, cause, p);
}

void make_ready(struct sim *s, struct watched *of, struct packet *p)
{
	if (!of->poller || of->is_ready || of->is_busy)
		return;
	of->is_ready = true;
	list_add(&of->poller->ready, of);
	wake_one(s, &of->poller->waiters, p ? KERNEL_NETWORK : KERNEL_TASK, p);
}

void blame(struct conn *k, const char *cause)
{
	struct list *l = &k->unanswered;
	if (l->n)
		((struct ask *)l->of[l->first])->cause = cause;
}

static void wait_in(struct cpu *c, struct list *waiters)
{
	c->current->service->is_waiting = true;
	list_add(waiters, c->current);
	block(c, 1);
}

/* True: it has waited and was woken. */
static bool has_waited(struct task *t, struct list *waiters)
{
	bool waited = t->service->is_waiting;
	t->service->is_waiting = false;
	list_remove(waiters, t);
	return waited;
}

/* ---- opening and closing ---- */

static void queue_control(
	struct sim *s, struct conn *k, int side, int flags, struct packet *answers)
{
	struct step *step = add_p(s, do_queue, k);
	step->a = side | flags << 1;
	step->q = answers;
}

void control(struct cpu *c, struct packet *p)
{
	struct sim *s = c->sim;
	struct conn *k = p->conn;
	struct conn_end *to = &k->end[!p->side];
	struct listener *l = k->listener;
	if (p->flags & FLAG_SYN && p->side == 0) {
		queue_control(s, k, 1, FLAG_SYN, p);
	} else if (p->flags & FLAG_SYN) {
		k->is_connected = true;
		queue_control(s, k, 0, 0, p);
		if (to->waiter)
			add_wake(s, to->waiter, KERNEL_NETWORK, p);
		make_ready(s, &to->watched, p);
	} else if (p->side == 0 && !k->is_pending) {
		k->is_pending = true;
		list_add(&l->pending, k);
		if (l->watched.poller)
			make_ready(s, &l->watched, p);
		else
			wake_one(s, &l->waiters, KERNEL_NETWORK, p);
	}
	if (p->flags & FLAG_FIN) {
		to->is_ended = true;
		if (to->waiter)
			add_wake(s, to->waiter, KERNEL_NETWORK, p);
		make_ready(s, &to->watched, p);
	}
}

static void do_await_connected(struct cpu *c, const struct step *step)
{
	struct conn *k = step->p;
	k->end[0].waiter = NULL;
	if (k->is_connected)
		return;
	add_p(c->sim, do_await_connected, k);
	put_first(c->sim, context(c));
	k->end[0].waiter = c->current;
	block(c, 1);
}

static void add_call_on(struct sim *s, int call, int fd, struct conn *k, int other)
{
	add_call(s, call, fd);
	struct step *step = &s->sequence[s->n_sequence - 1];
	step->p = k;
	step->q = (void *)(intptr_t)other;
}

struct conn *add_connect(struct sim *s, struct task *t, struct listener *to, bool waits)
{
	struct conn *k = new_conn(t->m, to->m);
	k->listener = to;
	k->end[1].port = to->port;
	k->end[0].owner = t;
	k->end[1].owner = to->owner;
	k->end[0].fd = new_fd(t->service, name_of_socket);
	for (int i = 0; i < 2; i++)
		k->end[i].watched = (struct watched){ .kind = SOURCE_CONN, .of = k, .side = i };
	add_call(s, C_SOCKET, -1);
	add_time(s, pick(s, 1000, 4000));
	add_return(s, C_SOCKET, k->end[0].fd);
	add_user(s, 200, 900);
	add_call_on(s, C_CONNECT, k->end[0].fd, k, 0);
	add_time(s, pick(s, 2000, 9000));
	queue_control(s, k, 0, FLAG_SYN, NULL);
	add_time(s, pick(s, 500, 2000));
	if (waits) {
		add_p(s, do_await_connected, k);
		add_time(s, pick(s, 300, 1500));
	}
	add_return(s, C_CONNECT, waits ? 0 : -115);
	add_user(s, 200, 900);
	return k;
}

static void do_accept(struct cpu *c, const struct step *step)
{
	struct listener *l = step->p;
	struct task *t = c->current;
	struct service *v = t->service;
	has_waited(t, &l->waiters);
	if (l->pending.n || !step->n) {
		v->conn = list_take(&l->pending);
		v->ret = -11;
		if (v->conn) {
			v->ret = v->conn->end[1].fd = new_fd(v, name_of_socket);
			v->conn->end[1].owner = t;
		}
		return;
	}
	struct step *again = add_p(c->sim, do_accept, l);
	again->n = 1;
	put_first(c->sim, context(c));
	wait_in(c, &l->waiters);
}

static void do_return_ret(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct service *v = c->current->service;
	add_return(s, step->a, v->ret);
	s->sequence[s->n_sequence - 1].p = v->conn;
	put_first(s, context(c));
}

/* The address is there only if a connection was accepted. */
static void do_return_accept(struct cpu *c, const struct step *step)
{
	static const struct conn nobody = { .loopback = true };
	struct service *v = c->current->service;
	(void)step;
	add_return(c->sim, C_ACCEPT4, v->ret);
	c->sim->sequence[c->sim->n_sequence - 1].p =
		v->conn ? v->conn : (struct conn *)(uintptr_t)&nobody;
	put_first(c->sim, context(c));
}

void add_accept(struct sim *s, struct listener *l, bool waits)
{
	add_call(s, C_ACCEPT4, l->fd);
	add_time(s, pick(s, 1500, 5000));
	add_p(s, do_accept, l);
	s->sequence[s->n_sequence - 1].n = waits;
	add_time(s, pick(s, 500, 2000));
	add_p(s, do_return_accept, NULL);
}

static void do_close(struct cpu *c, const struct step *step)
{
	struct conn *k = step->p;
	struct conn_end *e = &k->end[step->a];
	if (e->watched.is_ready)
		list_remove(&e->watched.poller->ready, &e->watched);
	e->watched.poller = NULL;
	e->watched.is_ready = false;
	free_fd(c->current->service, e->fd);
}

void add_close(struct sim *s, struct task *t, struct conn *k, int side, bool is_last)
{
	(void)t;
	struct step *step = add_p(s, do_close, k);
	step->a = side;
	add_call(s, C_CLOSE, k->end[side].fd);
	add_time(s, pick(s, 800, 4000));
	if (is_last)
		queue_control(s, k, side, FLAG_FIN, NULL);
	add_time(s, pick(s, 300, 1200));
	add_return(s, C_CLOSE, 0);
}

/* ---- reading and writing ---- */

static void do_read(struct cpu *c, const struct step *step)
{
	struct conn *k = step->p;
	struct conn_end *e = &k->end[step->a];
	struct service *v = c->current->service;
	e->waiter = NULL;
	if (e->unread || e->is_ended || !step->n) {
		v->ret = e->unread || e->is_ended ? (int64_t)e->unread : -11;
		e->unread = 0;
		return;
	}
	*add(c->sim, do_read) = *step;
	put_first(c->sim, context(c));
	e->waiter = c->current;
	block(c, 1);
}

void add_read(struct sim *s, struct conn *k, int side, bool waits)
{
	int call = chance(s, 0.5) ? C_READ : C_RECVFROM;
	add_call(s, call, k->end[side].fd);
	add_time(s, pick(s, 500, 3000));
	struct step *step = add_p(s, do_read, k);
	step->a = side;
	step->n = waits;
	add_time(s, pick(s, 500, 3000));
	add_p(s, do_return_ret, NULL)->a = call;
}

static void do_await_byte(struct cpu *c, const struct step *step)
{
	struct conn *k = step->p;
	struct conn_end *e = &k->end[step->a];
	e->waiter = NULL;
	if (e->unread || e->is_ended)
		return;
	*add(c->sim, do_await_byte) = *step;
	put_first(c->sim, context(c));
	e->waiter = c->current;
	block(c, 1);
}

void add_poll_one(struct sim *s, struct conn *k, int side)
{
	add_call(s, C_POLL, k->end[side].fd);
	add_time(s, pick(s, 500, 2000));
	add_p(s, do_await_byte, k)->a = side;
	add_time(s, pick(s, 500, 2000));
	add_return(s, C_POLL, 1);
}

static void add_bytes(
	struct sim *s, struct conn *k, int side, uint32_t bytes, step_fn note, void *p)
{
	int call = chance(s, 0.5) ? C_SENDTO : C_WRITE;
	add_call(s, call, k->end[side].fd);
	add_p(s, note, p);
	add_send(s, k, side, bytes);
	add_return(s, call, bytes);
}

static void do_begin_ask(struct cpu *c, const struct step *step)
{
	struct ask *a = step->p;
	a->client = c->current;
	if (a->begin < 0)
		a->begin = c->current->call_begin;
	list_add(&a->conn->asked, a);
	list_add(&a->conn->unanswered, a);
}

void add_question(struct sim *s, struct ask *a)
{
	add_bytes(s, a->conn, 0, a->bytes[0], do_begin_ask, a);
}

static void do_begin_answer(struct cpu *c, const struct step *step)
{
	((struct ask *)step->p)->server = c->current;
}

void add_answer(struct sim *s, struct ask *a)
{
	add_bytes(s, a->conn, 1, a->bytes[1], do_begin_answer, a);
}

struct ask *received(struct conn *k, int side, int64_t bytes)
{
	struct list *l = side ? &k->asked : &k->unanswered;
	struct ask *a = l->n ? l->of[l->first] : NULL;
	if (!a || bytes <= 0)
		return NULL;
	a->got[!side] += (uint32_t)bytes;
	if (a->got[!side] < a->bytes[!side])
		return NULL;
	list_take(l);
	return a;
}

/* ---- polling many ---- */

void add_watch(struct sim *s, struct poller *p, struct watched *of)
{
	of->poller = p;
	add_call_on(s, C_EPOLL_CTL, p->fd, NULL, watched_fd(of));
	add_time(s, pick(s, 500, 2500));
	add_return(s, C_EPOLL_CTL, 0);
}

static const struct ask *next_due(const struct role *p)
{
	const struct ask *first = NULL;
	for (uint32_t i = 0; i < p->n_timers; i++)
		if (!first || p->timers[i]->due < first->due)
			first = p->timers[i];
	return first;
}

static void do_wait_ready(struct cpu *c, const struct step *step);

static void do_block_ready(struct cpu *c, const struct step *step)
{
	struct role *p = c->current->service->program;
	(void)step;
	add(c->sim, do_wait_ready);
	put_first(c->sim, context(c));
	if (!p->poller.ready.n)
		wait_in(c, &p->poller.waiters);
}

static void do_wait_ready(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = c->current;
	struct role *p = t->service->program;
	const struct ask *due = next_due(p);
	(void)step;
	has_waited(t, &p->poller.waiters);
	while (p->poller.ready.n && t->service->batch.n < 6) {
		struct watched *of = list_take(&p->poller.ready);
		of->is_ready = false;
		list_add(&t->service->batch, of);
	}
	if (t->service->batch.n || (due && due->due <= s->now))
		return;
	if (due)
		add(s, do_start_timer)->n = due->due - s->now;
	add(s, do_block_ready);
	put_first(s, context(c));
}

static void do_return_ready(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	(void)step;
	s->polled = &c->current->service->batch;
	add_return(s, C_EPOLL, s->polled->n);
	put_first(s, context(c));
}

/* What do_return emits is that of the task which returns. */
void add_wait_ready(struct sim *s, struct task *t)
{
	add_call(s, C_EPOLL, t->service->program->poller.fd);
	add_time(s, pick(s, 500, 3000));
	add(s, do_wait_ready);
	add_time(s, pick(s, 500, 2000));
	add(s, do_return_ready);
}

/* ---- queues and locks ---- */

static void do_wake_waiter(struct cpu *c, const struct step *step)
{
	struct task *t = list_take(step->p);
	if (t)
		wake_now(c, t, KERNEL_FUTEX, NULL);
}

static void add_wake_waiter(struct sim *s, struct list *waiters)
{
	add_call(s, C_FUTEX, FUTEX_WAKES);
	add_time(s, pick(s, 500, 2000));
	add_p(s, do_wake_waiter, waiters);
	add_time(s, pick(s, 500, 1500));
	add_return(s, C_FUTEX, 1);
}

static void do_wait_item(struct cpu *c, const struct step *step)
{
	struct queue *q = step->p;
	if (has_waited(c->current, &q->waiters) || q->items.n)
		return;
	add_p(c->sim, do_wait_item, q);
	put_first(c->sim, context(c));
	wait_in(c, &q->waiters);
}

/* In a call: wait, until somebody wakes it; then it tries again. */
static void wait_by_futex(struct cpu *c, step_fn wait, step_fn again, void *p)
{
	struct sim *s = c->sim;
	add_call(s, C_FUTEX, -1);
	add_time(s, pick(s, 500, 2000));
	add_p(s, wait, p);
	add_time(s, pick(s, 300, 1500));
	add_return(s, C_FUTEX, 0);
	add_p(s, again, p);
	put_first(s, context(c));
}

static void do_take_item(struct cpu *c, const struct step *step)
{
	struct queue *q = step->p;
	c->current->service->item = list_take(&q->items);
	if (c->current->service->item)
		return;
	wait_by_futex(c, do_wait_item, do_take_item, q);
}

void add_take_item(struct sim *s, struct queue *q)
{
	add_p(s, do_take_item, q);
}

static void do_give_item(struct cpu *c, const struct step *step)
{
	struct queue *q = step->p;
	list_add(&q->items, step->q);
	if (!q->waiters.n)
		return;
	add_wake_waiter(c->sim, &q->waiters);
	put_first(c->sim, context(c));
}

void add_give_item(struct sim *s, struct queue *q, void *item)
{
	add_p(s, do_give_item, q)->q = item;
}

static void do_wait_lock(struct cpu *c, const struct step *step)
{
	struct lock *l = step->p;
	if (has_waited(c->current, &l->waiters) || !l->holder)
		return;
	add_p(c->sim, do_wait_lock, l);
	put_first(c->sim, context(c));
	wait_in(c, &l->waiters);
}

static void do_lock(struct cpu *c, const struct step *step)
{
	enum { LONG_NS = 3000000 };
	struct sim *s = c->sim;
	struct lock *l = step->p;
	struct service *v = c->current->service;
	if (!l->holder) {
		l->holder = c->current;
		if (v->ask && v->waited_since >= 0 && s->now - v->waited_since > LONG_NS)
			v->ask->cause = "lock";
		v->waited_since = -1;
		return;
	}
	if (v->waited_since < 0)
		v->waited_since = s->now;
	wait_by_futex(c, do_wait_lock, do_lock, l);
}

void add_lock(struct sim *s, struct lock *l)
{
	add_p(s, do_lock, l);
}

static void do_unlock(struct cpu *c, const struct step *step)
{
	struct lock *l = step->p;
	l->holder = NULL;
	if (!l->waiters.n)
		return;
	add_wake_waiter(c->sim, &l->waiters);
	put_first(c->sim, context(c));
}

void add_unlock(struct sim *s, struct lock *l)
{
	add_p(s, do_unlock, l);
}

/* ---- asks ---- */

struct ask *new_ask(struct sim *s, struct ask *parent, struct conn *k, uint8_t tier)
{
	struct ask *a = need(calloc(1, sizeof(*a)));
	a->id = ++s->n_asks;
	a->parent = parent;
	a->conn = k;
	a->tier = tier;
	a->begin = a->end = -1;
	a->bytes[0] = (uint32_t)(chance(s, 0.05) ? pick(s, 1500, 6000) : pick(s, 40, 1200));
	a->bytes[1] = (uint32_t)(chance(s, 0.1) ? pick(s, 3000, 20000) : pick(s, 40, 1400));
	a->after = s->asks;
	if (s->asks)
		s->asks->before = a;
	s->asks = a;
	return a;
}

static void write_ask(struct sim *s, const struct ask *a)
{
	const struct conn *k = a->conn;
	if (!s->services || a->begin < 0 || a->begin < s->o.begin_cut)
		return;
	fprintf(s->services, "%llu,", (unsigned long long)a->id);
	if (a->parent)
		fprintf(s->services, "%llu", (unsigned long long)a->parent->id);
	fprintf(s->services, ",%s,%d,%u,%s,%d,%u,%lld,", a->client->m->name, a->client->tid,
		k->end[0].port, k->end[1].m->name, a->server ? a->server->tid : -1, k->end[1].port,
		(long long)shown(a->begin));
	if (a->end >= 0)
		fprintf(s->services, "%lld", (long long)shown(a->end));
	fprintf(s->services, ",%u,%u,%s\n", a->bytes[0], a->bytes[1], a->cause ? a->cause : "");
}

void end_ask(struct cpu *c, struct ask *a)
{
	struct sim *s = c->sim;
	a->end = c->current->call_end;
	if (a->parent && a->cause)
		a->parent->cause = a->cause;
	write_ask(s, a);
	if (a->before)
		a->before->after = a->after;
	else
		s->asks = a->after;
	if (a->after)
		a->after->before = a->before;
	free(a);
}

void end_services(struct sim *s)
{
	for (const struct ask *a = s->asks; a; a = a->after)
		write_ask(s, a);
	if (s->services)
		close_csv(s->services, "services.csv");
}
