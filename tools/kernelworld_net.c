/* kernelworld: TCP connections between tasks, and their packets.
 *
 * Connections are open from the begin. What is sent at once is cut into segments; each is received
 * in the softirq NET_RX of some processor, which wakes who waits for bytes, and sometimes answers
 * with a packet that only acknowledges. */
#include "kernelworld.h"
#include "kernelworld_service.h"

#include <stdlib.h>

enum { WINDOW = 2 * MSS }; /* that may be sent before anything is acknowledged */

struct conn *new_conn(struct machine *client, struct machine *server)
{
	struct conn *k = need(calloc(1, sizeof(*k)));
	k->loopback = client == server;
	k->end[0].m = client;
	k->end[1].m = server;
	if (client->next_port > 60000)
		client->next_port = 32768;
	k->end[0].port = client->next_port++;
	k->end[1].port = 5000;
	k->end[0].seq = (uint32_t)world_random_u64(&client->sim->random);
	k->end[1].seq = (uint32_t)world_random_u64(&client->sim->random);
	k->end[0].got = k->end[1].seq;
	k->end[1].got = k->end[0].seq;
	return k;
}

/* ---- packet events ---- */

void put_address(struct sim *s, const struct conn *k, const struct machine *m)
{
	if (k->loopback) {
		val(s, 127);
		val(s, 0);
		val(s, 0);
		val(s, 1);
		return;
	}
	val(s, 10);
	val(s, (m->id + 1) >> 16 & 255);
	val(s, (m->id + 1) >> 8 & 255);
	val(s, (m->id + 1) & 255);
}

static int flags_of(const struct packet *p)
{
	bool first = p->flags & FLAG_SYN && p->side == 0;
	return (p->flags & 0xFF) | (p->bytes ? 0x18 : first ? 0 : 0x10);
}

static void put_packet(struct sim *s, const struct packet *p, bool is_send)
{
	const struct conn_end *from = &p->conn->end[p->side], *to = &p->conn->end[!p->side];
	address(s, 0xFFFF888000000000 + p->id * 0x100 + (is_send || p->conn->loopback ? 0 : 0x40));
	if (s->o.old) {
		val(s, p->seq);
		val(s, p->ack);
		val(s, 0x1234);
		val(s, 501);
		val(s, 0x8000 | flags_of(p));
		return;
	}
	val(s, p->bytes + 52 + (is_send ? 14 : 0));
	text(s, p->conn->loopback ? "lo" : "eth0");
	val(s, 1); /* IPv4 */
	val(s, 4);
	val(s, 5);
	val(s, 0);
	val(s, p->bytes + 52);
	val(s, p->ip_id);
	val(s, 0x4000);
	val(s, 64);
	val(s, 6);
	val(s, 0x5555);
	put_address(s, p->conn, from->m);
	put_address(s, p->conn, to->m);
	val(s, 1); /* TCP */
	val(s, from->port);
	val(s, to->port);
	val(s, p->seq);
	val(s, p->ack);
	val(s, 8);
	val(s, 0);
	val(s, flags_of(p));
	val(s, 501);
	val(s, is_send && !p->conn->loopback ? 0x1234 : (p->id * 40503) & 0xFFFF);
	val(s, 0);
}

/* ---- sending ---- */

static void do_raise_loopback(struct cpu *c, const struct step *step)
{
	(void)step;
	raise_softirq(c, 3);
	put_first(c->sim, context(c));
}

static uint32_t length_of(const struct packet *p)
{
	return p->bytes + ((p->flags & (FLAG_SYN | FLAG_FIN)) != 0);
}

static struct packet *new_packet(struct cpu *c, struct conn *k, int side)
{
	struct sim *s = c->sim;
	struct packet *p = need(calloc(1, sizeof(*p)));
	p->id = s->n_packets;
	if (!s->o.no_truth) {
		s->packets = grown(s->packets, s->n_packets, &s->cap_packets, sizeof(*s->packets));
		s->packets[s->n_packets] = p;
	}
	s->n_packets++;
	p->conn = k;
	p->side = side;
	p->sender = in_interrupt(c) ? NULL : c->current;
	p->sent = s->now;
	p->received = -1;
	p->seq = k->end[side].seq;
	p->ack = k->end[side].got;
	p->ip_id = c->m->ip_id++;
	return p;
}

static void done_with(struct sim *s, struct packet *p)
{
	if (s->o.no_truth)
		free(p);
}

static void transmit(struct cpu *c, struct packet *p);

/* p: the packet that nobody got */
void do_resend(struct cpu *c, const struct step *step)
{
	const struct packet *lost = step->p;
	struct packet *p = new_packet(c, lost->conn, lost->side);
	p->bytes = lost->bytes;
	p->seq = lost->seq;
	done_with(c->sim, step->p);
	transmit(c, p);
}

/* n: bytes; 0: acknowledges only. a: side and flags, p: connection, q: the packet that it answers.
 */
void do_queue(struct cpu *c, const struct step *step)
{
	enum { LOST_NS = 40000000 };
	struct sim *s = c->sim;
	struct packet *p = new_packet(c, step->p, step->a & 1);
	struct conn_end *from = &p->conn->end[p->side];
	p->answers = step->q;
	p->flags = (uint8_t)(step->a >> 1);
	p->bytes = (uint32_t)step->n;
	from->seq += length_of(p);
	bool alone = step->a >> 1 & FLAG_ALONE && !p->conn->loopback;
	if (alone && s->o.tail == TAIL_LOSS && chance(s, 0.01)) {
		put_packet(s, p, true);
		emit(c, EV_QUEUE);
		blame(p->conn, "loss");
		interrupt_at(c, s->now + LOST_NS, IRQ_RESEND, p);
	} else {
		transmit(c, p);
	}
}

static void transmit(struct cpu *c, struct packet *p)
{
	struct sim *s = c->sim;
	struct conn *k = p->conn;
	struct conn_end *from = &k->end[p->side], *to = &k->end[!p->side];
	put_packet(s, p, true);
	emit(c, EV_QUEUE);
	if (k->loopback) {
		list_add(&c->input, p);
		if (!in_interrupt(c))
			add(s, do_raise_loopback)->no_irq = true;
		put_first(s, context(c));
		return;
	}
	int64_t takes = pick(s, 15000, 60000) + (chance(s, 0.2) ? pick(s, 0, 300000) : 0);
	if (s->o.slow_net.host == c->m->id + 1 || s->o.slow_net.host == to->m->id + 1)
		takes = (int64_t)((double)takes * s->o.slow_net.by);
	int64_t at = s->now + takes;
	if (at <= from->latest)
		at = from->latest + pick(s, 500, 3000);
	from->latest = at;
	interrupt_at(&to->m->cpus[to->port % to->m->n_cpus], at, IRQ_NET, p);
	if (chance(s, 0.2))
		interrupt_at(&c->m->cpus[pick(s, 0, c->m->n_cpus - 1)],
			s->now + pick(s, 20000, 200000), IRQ_SENT, NULL);
}

/* What the window has no room for stays behind. */
static void do_keep(struct cpu *c, const struct step *step)
{
	struct conn *k = step->p;
	(void)c;
	k->end[step->a].backlog += (uint32_t)step->n;
}

void add_send(struct sim *s, struct conn *k, int side, uint32_t bytes)
{
	if (bytes > WINDOW) {
		struct step *keep = add_p(s, do_keep, k);
		keep->a = side;
		keep->n = bytes - WINDOW;
		bytes = WINDOW;
	}
	for (uint32_t sent = 0, n; sent < bytes; sent += n) {
		n = bytes - sent < MSS ? bytes - sent : MSS;
		add_time(s, pick(s, 2000, 15000));
		struct step *step = add_p(s, do_queue, k);
		step->a = side | (k->listener && n == bytes ? FLAG_ALONE << 1 : 0);
		step->n = n;
	}
	add_time(s, pick(s, 500, 6000));
}

/* ---- receiving ---- */

static void do_input(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct packet *p = step->p;
	struct conn_end *to = &p->conn->end[!p->side];
	p->received = s->now;
	p->receiver = to->owner;
	to->got = p->seq + length_of(p);
	put_packet(s, p, false);
	emit(c, EV_RECEIVE);
	if (p->conn->listener)
		control(c, p);
	if (!p->bytes && to->backlog) {
		struct step *more = add_p(s, do_queue, p->conn);
		more->a = !p->side;
		more->q = p;
		more->n = to->backlog < MSS ? to->backlog : MSS;
		to->backlog -= (uint32_t)more->n;
	}
	if (p->bytes) {
		to->unread += p->bytes;
		add_time(s, pick(s, 500, 6000));
		if (p->conn->end[p->side].backlog || chance(s, 0.4)) {
			struct step *ack = add_p(s, do_queue, p->conn);
			ack->a = !p->side;
			ack->q = p;
		}
		if (to->waiter)
			add_wake(s, to->waiter, KERNEL_NETWORK, p);
		make_ready(s, &to->watched, p);
	}
	put_first(s, context(c));
	done_with(s, p);
}

void do_poll_input(struct cpu *c, const struct step *step)
{
	struct packet *p = list_take(&c->input);
	(void)step;
	if (!p) {
		c->napi = false;
		return;
	}
	add_p(c->sim, do_input, p);
	add(c->sim, do_poll_input);
	put_first(c->sim, context(c));
}

/* p: connection, a: side, n: bytes that it needs. */
void do_receive(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct conn *k = step->p;
	struct conn_end *e = &k->end[step->a];
	if (e->unread >= step->n) {
		e->unread -= (uint32_t)step->n;
		e->waiter = NULL;
		return;
	}
	struct step *again = add_p(s, do_receive, k);
	again->a = step->a;
	again->n = step->n;
	put_first(s, context(c));
	e->waiter = c->current;
	block(c, 1);
}

void add_receive(struct sim *s, struct conn *k, int side, uint32_t bytes)
{
	struct step *step;
	int fd = k->end[side].fd;
	int64_t how = pick(s, 0, 3);
	if (how >= 2) { /* waits for the first byte only, then reads what is there already */
		add_call(s, how == 2 ? C_POLL : C_EPOLL_WAIT, how == 2 ? fd : fd + 1);
		add_time(s, pick(s, 500, 4000));
		step = add_p(s, do_receive, k);
		step->a = side;
		step->n = bytes;
		add_time(s, pick(s, 500, 4000));
		add_return(s, how == 2 ? C_POLL : C_EPOLL_WAIT, 1);
		add_time(s, pick(s, 500, 3000));
	}
	add_call(s, how & 1 ? C_READ : C_RECVFROM, fd);
	add_time(s, pick(s, 500, 4000));
	step = add_p(s, do_receive, k);
	step->a = side;
	step->n = how >= 2 ? 0 : bytes;
	add_time(s, pick(s, 500, 4000));
	add_return(s, how & 1 ? C_READ : C_RECVFROM, bytes);
}
