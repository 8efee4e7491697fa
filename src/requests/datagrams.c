/* Datagrams: a UDP socket with several peers is treated as one socket for each peer: an end of
 * as many connections. For a datagram that was sent, the packet shows the peer. A datagram that
 * was read came from the peer to which the task writes next on that socket, if the socket
 * receives requests, and from the peer to which it wrote last, if the socket sends them. A port
 * that another socket of the peer had before is another peer. Datagrams that cannot be assigned
 * stay on the socket, and are counted. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "kernel/local_endpoints.h"
#include "requests/connections.h"

struct use {		      /* of a socket */
	int64_t since;	      /* when it was used first */
	uint32_t local, peer; /* endpoints of the first one that it sent; 0: none yet */
	uint32_t current;     /* socket of the one that was written to last, plus 1 */
	bool has_several, asks, is_used;
};

struct reading {	 /* what a task has read last and not answered */
	uint32_t action; /* plus 1; 0: nothing */
	uint32_t socket;
};

/* A socket with one peer, and when it was used first; by key, then time. */
struct opened {
	uint64_t key; /* of both endpoints */
	int64_t begin;
};

struct peers {
	struct opened *item;
	size_t n, cap;
};

struct splitter {
	struct peers *peers;
	const struct kernel_world *w;
	const struct kernel_host *h;
	struct requests_host *r;
	uint32_t *sent; /* bridges: datagrams that tasks of the host sent, in the order of time */
	uint32_t n_sent;
	struct use *uses;	  /* by socket */
	struct reading *readings; /* by task */
	struct mer_map sockets;	  /* of a socket and a peer, plus 1 */
};

/* That a task of the host it came from sent, as far as that is known. */
static bool is_datagram(const struct kernel_world *w, const struct kernel_bridge *p)
{
	return p->kind == SYNC_UDP && p->from.host < w->n_hosts && p->from.endpoint &&
	       p->to.endpoint && p->from.span != KERNEL_NONE &&
	       kernel_span_kept(&w->hosts[p->from.host], p->from.span);
}

/* The datagram that the action sent; NULL: none, or they went to several. */
static const struct kernel_bridge *sent_by(
	const struct splitter *x, const struct requests_action *a, bool *has_several)
{
	const struct kernel_bridge *found = NULL;
	MER_LOWER_BOUND(
		i, 0, x->n_sent, at, kernel_bridge_at(x->w, x->sent[at])->from.time < a->begin);
	*has_several = false;
	for (; i < x->n_sent; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(x->w, x->sent[i]);
		if (p->from.time > a->end)
			break;
		if (kernel_span(x->h, p->from.span)->task != a->task)
			continue;
		*has_several |= found && found->to.endpoint != p->to.endpoint;
		found = p;
	}
	return *has_several ? NULL : found;
}

/* Of all hosts; false: no memory. */
static bool find_sent(struct splitter *x, const struct requests_connections *c)
{
	const struct kernel_world *w = c->w;
	uint32_t *n = calloc((size_t)w->n_hosts + 1, sizeof(*n));
	bool ok = n != NULL;
	for (uint32_t i = 0; ok && i < w->n_bridges; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(w, i);
		if (is_datagram(w, p))
			n[p->from.host]++;
	}
	for (uint32_t h = 0; ok && h < w->n_hosts; h++)
		if (n[h]) {
			x[h].sent = mer_spill_array(x[h].r->spill, n[h], sizeof(*x[h].sent));
			ok = x[h].sent != NULL;
		}
	for (uint32_t i = 0; ok && i < w->n_bridges; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(w, i);
		if (is_datagram(w, p))
			x[p->from.host].sent[x[p->from.host].n_sent++] = i;
	}
	free(n);
	return ok;
}

static bool find_uses(struct splitter *x)
{
	for (uint32_t i = 0; i < x->r->n_actions; i++) {
		const struct requests_action *a = &x->r->actions[i];
		bool has_several;
		if (a->kind > REQUESTS_WRITE)
			continue;
		struct use *u = &x->uses[a->socket];
		u->asks |= !u->is_used && a->kind == REQUESTS_WRITE;
		if (!u->is_used)
			u->since = a->begin;
		u->is_used = true;
		if (a->kind == REQUESTS_READ || x->r->sockets[a->socket].is_accepted)
			continue;
		const struct kernel_bridge *p = sent_by(x, a, &has_several);
		u->has_several |= has_several || (p && u->peer && u->peer != p->to.endpoint);
		if (p && !u->peer) {
			u->local = p->from.endpoint;
			u->peer = p->to.endpoint;
		}
	}
	for (uint32_t i = 0; i < x->r->n_sockets; i++)
		if (x->uses[i].peer && !x->uses[i].has_several) {
			struct peers *o = x->peers;
			if (!mer_grow(&o->item, o->n, &o->cap, sizeof(*o->item)))
				return false;
			x->r->sockets[i].local = x->uses[i].local;
			x->r->sockets[i].remote = x->uses[i].peer;
			o->item[o->n++] = (struct opened){ kernel_endpoints_key(x->uses[i].local,
								   x->uses[i].peer),
				x->uses[i].since };
		}
	return true;
}

static int by_key(const void *a, const void *b)
{
	const struct opened *p = a, *q = b;
	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

/* Which socket with the port of its receiver that one is, one after the other. */
static uint64_t generation(const struct peers *o, const struct kernel_bridge *p)
{
	uint64_t key = kernel_endpoints_key(p->from.endpoint, p->to.endpoint);
	MER_LOWER_BOUND(i, 0, o->n, at,
		o->item[at].key < key ||
			(o->item[at].key == key && o->item[at].begin < p->from.time));
	MER_LOWER_BOUND(first, 0, i, k, o->item[k].key < key);
	return i - first;
}

/* The socket for this peer; KERNEL_NONE: no memory. */
static uint32_t socket_for(struct splitter *x, uint32_t socket, const struct kernel_bridge *p)
{
	struct requests_host *r = x->r;
	const uint64_t key[] = { (uint64_t)socket << 32 | p->to.endpoint, generation(x->peers, p) };
	uint32_t *at = mer_map_put(&x->sockets, mer_hash(key, sizeof(key)));
	if (!at)
		return KERNEL_NONE;
	if (*at)
		return *at - 1;
	if (!mer_spill_grow32(
		    r->spill, &r->sockets, r->n_sockets, &r->cap_sockets, sizeof(*r->sockets)))
		return KERNEL_NONE;
	const struct requests_socket *of = &r->sockets[socket];
	r->sockets[r->n_sockets] = (struct requests_socket){ .begin = of->begin,
		.end_of_use = of->end_of_use,
		.owner = of->owner,
		.object = of->object,
		.kind = of->kind,
		.is_received_from = of->is_received_from,
		.is_made = of->is_made,
		.told_local = KERNEL_NONE,
		.told_peer = KERNEL_NONE,
		.local = p->from.endpoint,
		.remote = p->to.endpoint };
	*at = ++r->n_sockets;
	return *at - 1;
}

static void move(struct splitter *x, uint32_t action, uint32_t to)
{
	struct requests_action *a = &x->r->actions[action];
	x->r->sockets[a->socket].n--;
	x->r->sockets[to].n++;
	a->socket = to;
}

static bool on_write(struct splitter *x, uint32_t action)
{
	const struct requests_action *a = &x->r->actions[action];
	struct reading *reading = &x->readings[a->task];
	uint32_t socket = a->socket, read = reading->socket == socket ? reading->action : 0;
	bool has_several;
	const struct kernel_bridge *p = sent_by(x, a, &has_several);
	uint32_t to = p ? socket_for(x, socket, p) : 0;
	if (read)
		reading->action = 0;
	x->uses[socket].current = p ? to + 1 : 0;
	if (!p || to == KERNEL_NONE)
		return !p;
	if (read)
		move(x, read - 1, to);
	move(x, action, to);
	return true;
}

static bool split(struct splitter *x, uint64_t *n_left)
{
	uint32_t n = x->r->n_sockets; /* those that are made here are not looked at */
	for (uint32_t i = 0; i < x->r->n_actions; i++) {
		const struct requests_action *a = &x->r->actions[i];
		if (a->kind > REQUESTS_WRITE || a->socket >= n || !x->uses[a->socket].has_several)
			continue;
		const struct use *u = &x->uses[a->socket];
		if (a->kind == REQUESTS_WRITE && !on_write(x, i))
			return false;
		if (a->kind == REQUESTS_READ && u->asks && u->current)
			move(x, i, u->current - 1);
		else if (a->kind == REQUESTS_READ && !u->asks)
			x->readings[a->task] = (struct reading){ i + 1, a->socket };
	}
	/* What is left: the packets are of several. */
	for (uint32_t i = 0; i < n; i++)
		if (x->uses[i].has_several)
			x->r->sockets[i].n_samples = 0;
	for (uint32_t i = 0; i < x->r->n_actions; i++) {
		const struct requests_action *a = &x->r->actions[i];
		*n_left +=
			a->kind == REQUESTS_READ && a->socket < n && x->uses[a->socket].has_several;
	}
	return true;
}

static bool begin(struct splitter *x)
{
	if (!x->n_sent)
		return true;
	x->uses = calloc((size_t)x->r->n_sockets + 1, sizeof(*x->uses));
	x->readings = calloc((size_t)x->h->n_tasks + 1, sizeof(*x->readings));
	return x->uses && x->readings && find_uses(x);
}

bool requests_datagrams_split(struct requests_connections *c)
{
	uint32_t n = c->log->n_hosts;
	struct peers peers = { 0 };
	struct splitter *x = calloc((size_t)n + 1, sizeof(*x));
	bool ok = x != NULL;
	for (uint32_t h = 0; ok && h < n; h++)
		x[h] = (struct splitter){
			.peers = &peers, .w = c->w, .h = &c->w->hosts[h], .r = &c->log->hosts[h]
		};
	ok = ok && find_sent(x, c);
	for (uint32_t h = 0; ok && h < n; h++)
		ok = begin(&x[h]);
	if (ok && peers.n)
		qsort(peers.item, peers.n, sizeof(*peers.item), by_key);
	for (uint32_t h = 0; ok && h < n; h++)
		ok = !x[h].n_sent || split(&x[h], &c->n_datagrams);
	for (uint32_t h = 0; x && h < n; h++) {
		free(x[h].uses);
		free(x[h].readings);
		mer_map_fini(&x[h].sockets);
		mer_spill_release(x[h].sent);
	}
	free(x);
	free(peers.item);
	return ok;
}
