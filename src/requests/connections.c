#include "requests/connections.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "base/majority.h"
#include "kernel/files/files.h"
#include "kernel/files/object_name.h"
#include "kernel/local_endpoints.h"

struct found_end {    /* a socket that may be an end */
	uint64_t key; /* of the connection */
	int64_t begin;
	uint32_t host, socket;
	uint32_t side; /* of two that are the same whoever asks: endpoint, or end of a pair */
	bool opened;
};

struct finder {
	struct requests_connections *c;
	struct found_end *ends;
	size_t n, cap;
	struct kernel_local_endpoints local;
	struct mer_majority *partners; /* of sockets without addresses: socket_key */
	size_t n_partners, cap_partners;
	struct mer_map partner_of; /* socket -> number, plus 1 */
};

static struct requests_socket *socket_at(
	const struct requests_connections *c, uint32_t host, uint32_t socket)
{
	return &c->log->hosts[host].sockets[socket];
}

/* ---- without addresses: who read what a packet brought that the other one sent ---- */

static uint64_t socket_key(uint32_t host, uint32_t socket)
{
	return (uint64_t)host << 32 | socket;
}

static bool lacks_address(const struct requests_connections *c, uint32_t host, uint32_t socket)
{
	const struct requests_socket *s = socket_at(c, host, socket);
	return !s->local && !s->remote && s->kind != KERNEL_OBJECT_UNIX;
}

static bool vote_partner(struct finder *f, uint64_t socket, uint64_t partner)
{
	uint32_t *at = mer_map_put(&f->partner_of, socket);
	if (!at ||
		!mer_grow_at(&f->partners, &f->cap_partners, f->n_partners, sizeof(*f->partners)))
		return false;
	if (!*at)
		*at = (uint32_t)++f->n_partners;
	mer_majority_vote(&f->partners[*at - 1], partner);
	return true;
}

/* By majority: of a batch of packets it may be another one that ended the wait. */
static bool find_partners(struct finder *f)
{
	const struct requests_log *log = f->c->log;
	struct mer_map senders = { 0 }; /* packet -> sighting, plus 1, of the host that sent it */
	bool ok = true;
	for (int way = 0; way < 2; way++)
		for (uint32_t h = 0; ok && h < log->n_hosts; h++)
			for (uint32_t i = 0; ok && i < log->hosts[h].n_sightings; i++) {
				const struct requests_sighting *s = &log->hosts[h].sightings[i];
				if (s->is_send != (way == 0) || !lacks_address(f->c, h, s->socket))
					continue;
				const struct kernel_bridge *p =
					kernel_bridge_at(f->c->w, s->packet);
				if (way == 0) {
					uint32_t *at = mer_map_put(&senders, s->packet);
					ok = at != NULL;
					if (ok)
						*at = i + 1;
					continue;
				}
				const uint32_t *at = mer_map_get(&senders, s->packet);
				if (!at || !*at)
					continue;
				uint64_t from = socket_key(p->from.host,
					log->hosts[p->from.host].sightings[*at - 1].socket);
				uint64_t to = socket_key(h, s->socket);
				ok = from == to ||
				     (vote_partner(f, from, to) && vote_partner(f, to, from));
			}
	mer_map_fini(&senders);
	return ok;
}

static bool is_pair(
	const struct requests_connections *c, uint32_t host, const struct requests_socket *s)
{
	static const char pair[] = "socketpair#";
	return s->kind == KERNEL_OBJECT_UNIX &&
	       strncmp(kernel_name_text(&c->w->hosts[host], s->object), pair, sizeof(pair) - 1) ==
		       0;
}

static bool may_be_local(const struct finder *f, uint32_t host, uint32_t socket)
{
	const struct requests_socket *s = socket_at(f->c, host, socket);
	return !s->local && !s->remote && !is_pair(f->c, host, s) &&
	       !kernel_name_endpoint(kernel_name_text(&f->c->w->hosts[host], s->object));
}

/* Of one end the kind must be known: a terminal that was opened before wakes in the same way. */
static bool is_socket(const struct finder *f, uint32_t host, uint32_t socket)
{
	uint8_t kind = socket_at(f->c, host, socket)->kind;
	return kind == KERNEL_OBJECT_UNIX || kind == KERNEL_OBJECT_SOCKET;
}

/* By majority: who waited for several sockets may have read another one first. */
static bool find_local_partners(struct finder *f, uint32_t host)
{
	const struct requests_host *r = &f->c->log->hosts[host];
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->n_meetings; i++) {
		uint64_t from = socket_key(host, r->meetings[i].from),
			 to = socket_key(host, r->meetings[i].to);
		if (may_be_local(f, host, r->meetings[i].from) &&
			may_be_local(f, host, r->meetings[i].to) &&
			(is_socket(f, host, r->meetings[i].from) ||
				is_socket(f, host, r->meetings[i].to)))
			ok = vote_partner(f, from, to) && vote_partner(f, to, from);
	}
	return ok;
}

/* Was what is read at `to` written at `from` before? */
static bool carries(const struct requests_connections *c, uint32_t host, uint32_t from, uint32_t to)
{
	const struct requests_action *actions = c->log->hosts[host].actions;
	size_t n_from, n_to, k = 0;
	const uint32_t *writes = requests_actions_of(c, host, from, &n_from),
		       *reads = requests_actions_of(c, host, to, &n_to);
	uint64_t written = 0, read = 0;
	for (size_t i = 0; i < n_to; i++) {
		if (actions[reads[i]].kind != REQUESTS_READ)
			continue;
		read += actions[reads[i]].bytes;
		for (; k < n_from && actions[writes[k]].begin <= actions[reads[i]].end; k++)
			written += actions[writes[k]].kind == REQUESTS_WRITE
					   ? actions[writes[k]].bytes
					   : 0;
		if (read > written)
			return false;
	}
	return true;
}

/* Was it seen how the connection was made? */
static bool is_made(
	const struct requests_connections *c, uint32_t host, uint32_t socket, uint32_t other)
{
	const struct requests_socket *s = socket_at(c, host, socket),
				     *o = socket_at(c, host, other);
	return s->is_connected || s->is_accepted || o->is_connected || o->is_accepted;
}

/* The key of the connection that it has with its partner; 0: there is none. */
static uint64_t partner_key(const struct finder *f, uint32_t host, uint32_t socket, uint32_t *side)
{
	enum { FEW = 2 };
	uint64_t own = socket_key(host, socket);
	const uint32_t *at = mer_map_get(&f->partner_of, own);
	const struct mer_majority *p = at && *at ? &f->partners[*at - 1] : NULL;
	const uint32_t *its = p && p->votes ? mer_map_get(&f->partner_of, p->value) : NULL;
	if (!its || !*its || f->partners[*its - 1].value != own || !f->partners[*its - 1].votes)
		return 0;
	/* One clock: nothing is read before it was written. */
	uint32_t other = (uint32_t)p->value;
	bool is_local = p->value >> 32 == host && may_be_local(f, host, socket);
	if (is_local && (is_made(f->c, host, socket, other)
					? !carries(f->c, host, socket, other) ||
						  !carries(f->c, host, other, socket)
					: p->votes < FEW || f->partners[*its - 1].votes < FEW))
		return 0;
	uint64_t both[] = { own < p->value ? own : p->value, own < p->value ? p->value : own };
	*side = own > p->value;
	return mer_hash(both, sizeof(both));
}

static bool add_end(struct finder *f, const struct found_end *e)
{
	if (!mer_grow(&f->ends, f->n, &f->cap, sizeof(*f->ends)))
		return false;
	f->ends[f->n++] = *e;
	return true;
}

/* The connection with these addresses. Ends whose times cannot be compared are not joined,
 * because the order of their events would not be known. */
static uint64_t key_of(const struct kernel_world *w, uint32_t host, const struct requests_socket *s)
{
	const uint64_t both[] = { kernel_endpoints_key(s->local, s->remote),
		w->clock_groups ? w->clock_groups[host] : 0 };
	return mer_hash(both, sizeof(both));
}

/* Neither what its calls sent tells its addresses, nor does its other end. */
static void note_unfollowed(struct requests_connections *c, uint32_t host, uint32_t number)
{
	const struct requests_socket *s = socket_at(c, host, number);
	size_t n;
	const uint32_t *at = requests_actions_of(c, host, number, &n);
	bool is_socket = s->kind == KERNEL_OBJECT_SOCKET ||
			 (s->kind == KERNEL_OBJECT_UNKNOWN && s->is_received_from);
	if (!is_socket || s->is_made)
		return;
	for (size_t i = 0; i < n; i++)
		c->n_unfollowed += c->log->hosts[host].actions[at[i]].kind == REQUESTS_READ;
}

static bool identify(struct finder *f, uint32_t host, uint32_t number)
{
	struct requests_socket *s = socket_at(f->c, host, number);
	struct found_end e = {
		.begin = s->begin, .host = host, .socket = number, .opened = s->is_connected
	};
	if (!s->n)
		return true;
	if (s->kind == KERNEL_OBJECT_PIPE && !s->is_joined)
		return true;
	if (is_pair(f->c, host, s) || s->is_joined) {
		e.key = UINT64_MAX - ((uint64_t)host << 32 | s->object);
		e.side = s->end;
		return add_end(f, &e);
	}
	if (!s->local) {
		if (!requests_named_endpoint(f->c, host, s->object, &s->remote))
			return false;
		if (s->remote && !s->is_connected &&
			!kernel_local_endpoint(&f->local, host, s->remote, &s->local))
			return false;
	}
	e.key = s->local || s->remote ? 0 : partner_key(f, host, number, &e.side);
	if (e.key)
		return add_end(f, &e);
	/* With one address only: its other end was not recorded. */
	if (!s->remote) {
		note_unfollowed(f->c, host, number);
		return true;
	}
	uint32_t alone[] = { s->remote, host, number };
	e.key = s->local ? key_of(f->c->w, host, s) : mer_hash(alone, sizeof(alone));
	e.side = s->local;
	return add_end(f, &e);
}

static int by_connection(const void *a, const void *b)
{
	const struct found_end *p = a, *q = b;
	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	if (p->opened != q->opened)
		return p->opened ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return (p->socket > q->socket) - (p->socket < q->socket);
}

/* ---- Which end sends requests ---- */

static const struct requests_action *first_action(
	const struct requests_connections *c, const struct found_end *e)
{
	size_t n;
	const uint32_t *at = requests_actions_of(c, e->host, e->socket, &n);
	return n ? &c->log->hosts[e->host].actions[*at] : NULL;
}

static uint16_t port_of(const struct requests_connections *c, uint32_t endpoint)
{
	char text[KERNEL_ENDPOINT_BYTES];
	uint16_t port;
	return requests_endpoint_text(c, endpoint, text, &port) ? port : 0;
}

/* By the kernel, which takes one of those for who connects without a port of its own. */
static bool is_given(uint32_t port)
{
	enum { FIRST_EPHEMERAL = 32768 };
	return port >= FIRST_EPHEMERAL;
}

static bool is_listened(const struct requests_connections *c, uint32_t host, uint32_t port)
{
	return port && mer_map_get(&c->listened, (uint64_t)host << 16 | port);
}

static bool asks(const struct requests_connections *c, const struct found_end *e,
	const struct found_end *other)
{
	const struct requests_socket *s = socket_at(c, e->host, e->socket);
	const struct requests_socket *o = other ? socket_at(c, other->host, other->socket) : NULL;
	if (s->is_connected != (o && o->is_connected))
		return s->is_connected;
	if (s->is_accepted != (o && o->is_accepted))
		return !s->is_accepted;
	/* Both existed before the recording: the end that is asked has a port that its host listens
	 * on, or that it chose, the other one a port that the kernel assigned. */
	uint32_t port = port_of(c, s->local), its_port = port_of(c, s->remote);
	bool listens = is_listened(c, e->host, port);
	if (listens != (other && is_listened(c, other->host, its_port)))
		return !listens;
	if (port && its_port && is_given(port) != is_given(its_port))
		return is_given(port);
	const struct requests_action *first = first_action(c, e);
	const struct requests_action *its = other ? first_action(c, other) : NULL;
	if (!its)
		return first && first->kind == REQUESTS_WRITE;
	return first && first->kind == REQUESTS_WRITE &&
	       (its->kind != REQUESTS_WRITE || first->begin <= its->begin);
}

static bool is_unix(const struct requests_connections *c, const struct found_end *e)
{
	const struct requests_socket *s = socket_at(c, e->host, e->socket);
	return s->kind == KERNEL_OBJECT_UNIX && !is_pair(c, e->host, s);
}

static bool add_connection(
	struct requests_connections *c, const struct found_end *e, const struct found_end *other)
{
	const struct requests_socket *s = socket_at(c, e->host, e->socket);
	enum requests_side side = asks(c, e, other) ? REQUESTS_CLIENT : REQUESTS_SERVER;
	if (!mer_grow(&c->item, c->n, &c->cap, sizeof(*c->item)))
		return false;
	struct requests_connection *x = &c->item[c->n++];
	*x = (struct requests_connection){ .begin = e->begin };
	x->is_opened = e->opened || (other && other->opened);
	x->ends[side] = (struct requests_end){ e->host, e->socket, s->local };
	x->ends[1 - side] = (struct requests_end){ e->host, KERNEL_NONE, s->remote };
	if (other) {
		x->ends[1 - side].host = other->host;
		x->ends[1 - side].socket = other->socket;
		x->begin = other->begin < e->begin ? other->begin : e->begin;
		x->is_pipes = s->is_joined;
		x->is_unix = is_unix(c, e) || is_unix(c, other);
	}
	const uint32_t *flow =
		s->local ? mer_map_get(&c->flows, kernel_endpoints_key(s->local, s->remote)) : NULL;
	x->flow = flow ? *flow : 0;
	return true;
}

static bool same_side(const struct found_end *a, const struct found_end *b)
{
	return a->side == b->side && a->host == b->host;
}

/* As many on either side: the first with the first, whatever their clocks say. */
static bool pair_in_order(struct finder *f, size_t from, size_t until, bool *done)
{
	size_t n = 0, k = from;
	for (size_t i = from; i < until; i++)
		n += same_side(&f->ends[i], &f->ends[from]);
	*done = n * 2 == until - from;
	for (size_t i = from; *done && i < until; i++) {
		if (!same_side(&f->ends[i], &f->ends[from]))
			continue;
		while (same_side(&f->ends[k], &f->ends[from]))
			k++;
		if (!add_connection(f->c, &f->ends[i], &f->ends[k++]))
			return false;
	}
	return true;
}

/* Nobody saw how it was made. */
static bool is_found_in_use(const struct finder *f, const struct found_end *e)
{
	const struct requests_socket *s = socket_at(f->c, e->host, e->socket);
	return !s->is_connected && !s->is_accepted;
}

/* Until a thread's process is known (from a state dump), its descriptors seem to be its own, and
 * one socket two: what such a thread did with it meanwhile is left out. */
static size_t leave_out_doubles(struct finder *f, size_t from, size_t until)
{
	enum { MOST = 64 }; /* more are connections one after the other */
	size_t n = from;
	if (until - from <= 2 || until - from > MOST)
		return until;
	for (size_t i = from; i < until; i++) {
		const struct found_end *e = &f->ends[i];
		bool is_double = false;
		for (size_t k = from; k < until && !is_double; k++) {
			const struct found_end *o = &f->ends[k];
			is_double = k != i && same_side(e, o) && is_found_in_use(f, e) &&
				    is_found_in_use(f, o) &&
				    socket_at(f->c, e->host, e->socket)->n <
					    socket_at(f->c, o->host, o->socket)->n;
		}
		if (!is_double)
			f->ends[n++] = *e;
	}
	return n;
}

/* The ends [from, until) of one pair of addresses, which may be used again: else from one that was
 * opened to the next. */
static bool pair_ends(struct finder *f, size_t from, size_t until)
{
	bool done;
	until = leave_out_doubles(f, from, until);
	if (!pair_in_order(f, from, until, &done))
		return false;
	for (size_t i = from, k; !done && i < until; i = k) {
		const struct found_end *other = NULL;
		k = i + 1;
		if (k < until && !f->ends[k].opened && !same_side(&f->ends[i], &f->ends[k]))
			other = &f->ends[k++];
		if (!add_connection(f->c, &f->ends[i], other))
			return false;
	}
	return true;
}

static int by_begin(const void *a, const void *b)
{
	const struct requests_connection *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	for (int i = 0; i < REQUESTS_N_SIDES; i++) {
		if (p->ends[i].host != q->ends[i].host)
			return p->ends[i].host < q->ends[i].host ? -1 : 1;
		if (p->ends[i].socket != q->ends[i].socket)
			return p->ends[i].socket < q->ends[i].socket ? -1 : 1;
	}
	return 0;
}

/* ---- actions by socket, packets by flow ---- */

/* Bytes leave after a call has begun, and are there before it ends. */
static int64_t moved_at(const struct requests_action *a)
{
	return a->kind == REQUESTS_WRITE ? a->begin : a->end;
}

/* They come in the order in which they ended: of two threads, one may have read the answer before
 * the other one came back from sending the request. */
static void put_in_order(const struct requests_host *r, uint32_t *numbers, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t at = i, number = numbers[i];
		const struct requests_action *a = &r->actions[number], *before;
		for (; at > 0; at--) {
			before = &r->actions[numbers[at - 1]];
			if (before->task == a->task || moved_at(before) <= moved_at(a))
				break;
			numbers[at] = numbers[at - 1];
		}
		numbers[at] = number;
	}
}

static bool sort_actions(struct requests_connections *c, uint32_t host)
{
	const struct requests_host *r = &c->log->hosts[host];
	uint32_t *starts = mer_spill_array(r->spill, (size_t)r->n_sockets + 2, sizeof(*starts));
	uint32_t *numbers = mer_spill_array(r->spill, (size_t)r->n_actions + 1, sizeof(*numbers));
	c->by_socket[host] = starts;
	c->actions_of[host] = numbers;
	if (!starts || !numbers)
		return false;
	for (uint32_t i = 0; i < r->n_sockets; i++)
		starts[i + 2] = starts[i + 1] + r->sockets[i].n;
	for (uint32_t i = 0; i < r->n_actions; i++)
		if (r->actions[i].kind <= REQUESTS_WRITE)
			numbers[starts[r->actions[i].socket + 1]++] = i;
	for (uint32_t i = 0; i < r->n_sockets; i++)
		put_in_order(r, &numbers[starts[i]], starts[i + 1] - starts[i]);
	return true;
}

static bool has_data(const struct kernel_bridge *p)
{
	return (p->kind == SYNC_TCP || p->kind == SYNC_UDP) && p->from.endpoint && p->to.endpoint &&
	       (p->content == SYNC_DATA || p->content == SYNC_CONTENT_UNKNOWN);
}

static uint32_t way_of(const struct kernel_bridge *p)
{
	return p->from.endpoint > p->to.endpoint;
}

static bool sort_packets(struct requests_connections *c)
{
	const struct kernel_world *w = c->w;
	for (uint32_t i = 0; i < w->n_bridges; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(w, i);
		uint32_t *flow =
			has_data(p) ? mer_map_put(&c->flows, kernel_endpoints_key(p->from.endpoint,
								     p->to.endpoint))
				    : NULL;
		if (has_data(p) && !flow)
			return false;
		if (flow && !*flow)
			*flow = ++c->n_flows;
	}
	c->starts = mer_spill_array(w->spill, (size_t)c->n_flows * 2 + 2, sizeof(*c->starts));
	c->packets = mer_spill_array(w->spill, (size_t)w->n_bridges + 1, sizeof(*c->packets));
	c->sent = mer_spill_array(w->spill, (size_t)w->n_bridges + 1, sizeof(*c->sent));
	if (!c->starts || !c->packets || !c->sent)
		return false;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < w->n_bridges; i++) {
			const struct kernel_bridge *p = kernel_bridge_at(w, i);
			if (!has_data(p))
				continue;
			uint32_t flow = *mer_map_get(
				&c->flows, kernel_endpoints_key(p->from.endpoint, p->to.endpoint));
			uint32_t at = (flow - 1) * 2 + way_of(p);
			if (pass == 0) {
				c->starts[at + 2]++;
			} else {
				uint32_t to = c->starts[at + 1]++;
				c->packets[to] = i;
				c->sent[to] = p->from.time;
			}
		}
		for (uint32_t i = 1; pass == 0 && i < c->n_flows * 2 + 2; i++)
			c->starts[i] += c->starts[i - 1];
	}
	return true;
}

static const struct kernel_bridge *packet_at(const struct requests_connections *c, size_t i)
{
	return kernel_bridge_at(c->w, c->packets[i]);
}

const struct kernel_bridge *requests_packet(const struct requests_connections *c,
	const struct requests_connection *of, enum requests_side from, int64_t begin, int64_t until,
	bool last)
{
	uint32_t a = of->ends[from].endpoint, b = of->ends[1 - from].endpoint;
	if (!of->flow || !a || !b)
		return NULL;
	uint32_t at = (of->flow - 1) * 2 + (a > b);
	size_t start = c->starts[at], end = c->starts[at + 1];
	MER_LOWER_BOUND(i, start, end, k, c->sent[k] < (last ? until : begin));
	if (last)
		return i > start && c->sent[i - 1] >= begin ? packet_at(c, i - 1) : NULL;
	return i < end && c->sent[i] < until ? packet_at(c, i) : NULL;
}

const struct kernel_single *requests_singles(const struct requests_connections *c,
	const struct requests_connection *of, enum requests_side from, int64_t begin, int64_t until,
	uint32_t *n)
{
	uint32_t a = of->ends[from].endpoint, b = of->ends[1 - from].endpoint;
	*n = 0;
	return a && b ? kernel_singles(c->w, a, b, begin, until, n) : NULL;
}

int requests_connections_find(struct requests_connections *c, const struct kernel_world *w,
	struct requests_log *log, struct mer_err *err)
{
	struct finder f = { .c = c, .local.w = w };
	*c = (struct requests_connections){ .w = w, .log = log };
	c->by_socket = calloc((size_t)log->n_hosts + 1, sizeof(*c->by_socket));
	c->actions_of = calloc((size_t)log->n_hosts + 1, sizeof(*c->actions_of));
	bool ok = c->by_socket && c->actions_of && sort_packets(c) && requests_datagrams_split(c) &&
		  requests_addresses(c) && find_partners(&f);
	for (uint32_t h = 0; ok && h < log->n_hosts; h++)
		ok = find_local_partners(&f, h);
	for (uint32_t h = 0; ok && h < log->n_hosts; h++) {
		ok = requests_pipes_join(&log->hosts[h], &w->hosts[h]) && sort_actions(c, h);
		for (uint32_t i = 0; ok && i < log->hosts[h].n_sockets; i++)
			ok = identify(&f, h, i);
	}
	if (ok && f.n)
		qsort(f.ends, f.n, sizeof(*f.ends), by_connection);
	for (size_t i = 0, k; ok && i < f.n; i = k) {
		for (k = i + 1; k < f.n && f.ends[k].key == f.ends[i].key; k++)
			;
		ok = pair_ends(&f, i, k);
	}
	kernel_local_endpoints_fini(&f.local);
	mer_map_fini(&f.partner_of);
	free(f.partners);
	free(f.ends);
	if (ok && c->n)
		qsort(c->item, c->n, sizeof(*c->item), by_begin);
	for (size_t i = 0; ok && i < c->n; i++)
		for (int side = 0; side < REQUESTS_N_SIDES; side++) {
			const struct requests_end *e = &c->item[i].ends[side];
			if (e->socket != KERNEL_NONE)
				socket_at(c, e->host, e->socket)->connection = (uint32_t)i + 1;
		}
	return ok ? 0 : mer_fail_nomem(err);
}

void requests_connections_fini(struct requests_connections *c)
{
	for (uint32_t h = 0; c->log && h < c->log->n_hosts; h++) {
		if (c->by_socket)
			mer_spill_release(c->by_socket[h]);
		if (c->actions_of)
			mer_spill_release(c->actions_of[h]);
	}
	free(c->by_socket);
	free(c->actions_of);
	free(c->item);
	mer_spill_release(c->packets);
	mer_spill_release(c->sent);
	mer_spill_release(c->starts);
	mer_map_fini(&c->flows);
	mer_map_fini(&c->named);
	mer_map_fini(&c->listened);
	free(c->places);
	*c = (struct requests_connections){ 0 };
}
