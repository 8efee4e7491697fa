/* Exchanges: where one request ends and the next begins, on one connection.
 *
 * At each end there is a boundary where it goes on with a request (the requester writes, the
 * server reads) after an answer (read, or written). At a boundary so many bytes of either
 * direction have passed this end. Where both ends have a boundary at the same bytes, nothing was
 * on its way: one exchange ends there. Bytes decide and not times, so clocks do not matter. With
 * one end recorded, its boundaries are all there is. */
#include <stdlib.h>

#include "base/grow.h"
#include "requests/requests.h"

enum { CLOCKS_NS = 2000000 }; /* of two hosts, at most apart; where bytes do not decide */

struct boundary {
	uint64_t out, in; /* bytes of requests and answers that have passed this end */
	uint32_t at;	  /* its first action after */
};

struct side { /* what one end did */
	const struct requests_host *host;
	const uint32_t *actions;
	size_t n;
	uint32_t request,
		answer; /* kinds of its actions: what is a request to one is written by the other */
	struct boundary *boundaries; /* the first is where it begins, the last its end */
	size_t n_boundaries, cap_boundaries;
	uint64_t out, in;
};

struct maker {
	struct requests *r;
	uint32_t connection;
	struct side sides[REQUESTS_N_SIDES];
	struct mer_err *err;
};

static struct requests_action *action_at(const struct side *s, size_t i)
{
	return &s->host->actions[s->actions[i]];
}

static bool add_boundary(struct side *s, size_t at)
{
	if (!mer_grow(&s->boundaries, s->n_boundaries, &s->cap_boundaries, sizeof(*s->boundaries)))
		return false;
	s->boundaries[s->n_boundaries++] = (struct boundary){ s->out, s->in, (uint32_t)at };
	return true;
}

/* is_opened: else it begins with what is left of an exchange that began before the recording. */
static bool find_boundaries(struct side *s, bool is_opened)
{
	bool answered = false;
	size_t i = 0;
	s->n_boundaries = 0;
	s->out = s->in = 0;
	while (!is_opened && i < s->n && action_at(s, i)->kind != s->request)
		i++;
	if (!add_boundary(s, i))
		return false;
	for (; i < s->n; i++) {
		const struct requests_action *a = action_at(s, i);
		bool asks = a->kind == s->request;
		if (asks && answered && !add_boundary(s, i))
			return false;
		answered = !asks;
		*(asks ? &s->out : &s->in) += a->bytes;
	}
	return add_boundary(s, s->n);
}

static bool same(const struct boundary *a, const struct boundary *b)
{
	return a->out == b->out && a->in == b->in;
}

/* ---- one exchange ---- */

static void read_client(
	struct requests_exchange *x, const struct side *s, size_t from, size_t until)
{
	for (size_t i = from; i < until; i++) {
		struct requests_action *a = action_at(s, i);
		if (a->kind == s->request) {
			if (x->begin == REQUESTS_NO_TIME) {
				x->begin = a->begin;
				x->client_task = a->task;
				x->first_send = s->actions[i];
			}
			x->sent = a->end;
			x->bytes_out += a->bytes;
		} else {
			x->end = a->end;
			x->bytes_in += a->bytes;
		}
	}
}

static void read_server(
	struct requests_exchange *x, const struct side *s, size_t from, size_t until, bool is_alone)
{
	for (size_t i = from; i < until; i++) {
		struct requests_action *a = action_at(s, i);
		if (a->kind == s->request) {
			if (x->read == REQUESTS_NO_TIME) {
				x->read = a->begin;
				x->reader = a->task;
			}
			x->read_end = a->end;
			x->bytes_out += is_alone ? a->bytes : 0;
		} else {
			if (x->answered == REQUESTS_NO_TIME)
				x->answered = a->begin;
			x->done = a->end;
			x->server_task = a->task;
			x->last_answer = s->actions[i];
			x->bytes_in += is_alone ? a->bytes : 0;
		}
	}
}

static void mark(const struct side *s, size_t from, size_t until, bool is_server, uint32_t exchange)
{
	for (size_t i = from; i < until; i++) {
		struct requests_action *a = action_at(s, i);
		a->exchange = exchange + 1;
		a->is_server = is_server;
	}
}

/* The first request on a connection begins when its task asked for the connection, if that is what
 * it waited for: not if the connection was opened beforehand, and something else was done then. */
static void include_connect(const struct maker *m, struct requests_exchange *x, size_t first)
{
	const struct side *s = &m->sides[REQUESTS_CLIENT];
	const struct requests_end *e = &m->r->connections.item[m->connection].ends[REQUESTS_CLIENT];
	if (x->begin == REQUESTS_NO_TIME || !action_at(s, first)->was_connecting)
		return;
	uint32_t opener = s->host->sockets[e->socket].opener;
	if (opener)
		x->begin = s->host->actions[opener - 1].begin;
}

/* Of a request from somewhere that was not recorded: when the first packet of it came. It may have
 * waited long until the server read it. */
static int64_t arrival(const struct maker *m, const struct requests_exchange *x)
{
	const struct requests *r = m->r;
	const struct requests_connection *c = &r->connections.item[m->connection];
	/* After the answer to the one before. */
	int64_t since = c->n ? r->exchanges[r->n - 1].end : INT64_MIN;
	uint32_t n;
	const struct kernel_single *p =
		requests_singles(&r->connections, c, REQUESTS_CLIENT, since, x->read, &n);
	for (; n > 0; p++, n--)
		if (!p->is_send && !p->opens)
			return p->time;
	return x->read;
}

/* What the server did is of another time than what the client did: bytes agree by chance, as after
 * losses. */
static bool is_contradiction(const struct requests_exchange *x)
{
	return x->begin != REQUESTS_NO_TIME && x->end != REQUESTS_NO_TIME &&
	       ((x->read_end != REQUESTS_NO_TIME && x->read_end < x->begin - CLOCKS_NS) ||
		       (x->answered != REQUESTS_NO_TIME && x->answered > x->end + CLOCKS_NS));
}

static void forget_server(struct requests_exchange *x)
{
	x->read = x->read_end = x->answered = x->done = REQUESTS_NO_TIME;
	x->server_task = x->reader = x->last_answer = KERNEL_NONE;
	x->is_damaged = true;
}

/* Between two boundaries of each end that is there; from[side] is a place in its boundaries. */
static int add_exchange(
	struct maker *m, const size_t from[REQUESTS_N_SIDES], const size_t until[REQUESTS_N_SIDES])
{
	struct requests *r = m->r;
	struct requests_connection *c = &r->connections.item[m->connection];
	bool has_client = m->sides[REQUESTS_CLIENT].host,
	     has_server = m->sides[REQUESTS_SERVER].host;
	struct requests_exchange x = { .begin = REQUESTS_NO_TIME,
		.sent = REQUESTS_NO_TIME,
		.end = REQUESTS_NO_TIME,
		.read = REQUESTS_NO_TIME,
		.read_end = REQUESTS_NO_TIME,
		.answered = REQUESTS_NO_TIME,
		.done = REQUESTS_NO_TIME,
		.connection = m->connection,
		.client_task = KERNEL_NONE,
		.server_task = KERNEL_NONE,
		.reader = KERNEL_NONE,
		.first_send = KERNEL_NONE,
		.last_answer = KERNEL_NONE,
		.n_messages = 1,
		.is_damaged = c->is_damaged };
	size_t first[REQUESTS_N_SIDES], end[REQUESTS_N_SIDES];
	for (int i = 0; i < REQUESTS_N_SIDES; i++) {
		struct side *s = &m->sides[i];
		if (!s->host)
			continue;
		first[i] = s->boundaries[from[i]].at;
		end[i] = s->boundaries[until[i]].at;
		if (until[i] - from[i] > x.n_messages)
			x.n_messages = (uint32_t)(until[i] - from[i]);
	}
	if (has_client)
		read_client(&x, &m->sides[REQUESTS_CLIENT], first[REQUESTS_CLIENT],
			end[REQUESTS_CLIENT]);
	if (has_server)
		read_server(&x, &m->sides[REQUESTS_SERVER], first[REQUESTS_SERVER],
			end[REQUESTS_SERVER], !has_client);
	if (!has_client) {
		x.begin = arrival(m, &x);
		x.sent = x.read_end;
		x.end = x.done;
	}
	if (has_client && has_server && is_contradiction(&x)) {
		forget_server(&x);
		has_server = false;
	}
	if (has_client && c->n == 0)
		include_connect(m, &x, first[REQUESTS_CLIENT]);
	/* What a window still sends at its end may have no answer; and another thread may have read
	 * the answer before the call that sent the request was over. */
	if (x.end != REQUESTS_NO_TIME && x.end < x.sent)
		x.sent = x.end;
	/* Read before it was sent: events are missing. */
	if (x.begin == REQUESTS_NO_TIME || x.end == REQUESTS_NO_TIME || x.sent < x.begin) {
		r->n_one_way += x.begin != REQUESTS_NO_TIME;
		return 0;
	}
	if (!mer_spill_grow32(r->w->spill, &r->exchanges, r->n, &r->cap, sizeof(*r->exchanges)))
		return mer_fail_nomem(m->err);
	for (int i = 0; i < REQUESTS_N_SIDES; i++)
		if (i == REQUESTS_CLIENT ? has_client : has_server)
			mark(&m->sides[i], first[i], end[i], i == REQUESTS_SERVER, r->n);
	r->exchanges[r->n++] = x;
	c->n++;
	return 0;
}

/* ---- a connection ---- */

static int by_one_end(struct maker *m, enum requests_side side)
{
	const struct side *s = &m->sides[side];
	for (size_t i = 0; i + 1 < s->n_boundaries; i++) {
		size_t from[REQUESTS_N_SIDES] = { i, i },
		       until[REQUESTS_N_SIDES] = { i + 1, i + 1 };
		int rc = add_exchange(m, from, until);
		if (rc)
			return rc;
	}
	return 0;
}

/* The segment k of the server is the whole of segment i of the client: of the same bytes, and then,
 * or as much apart as their clocks may be. */
static bool is_same_exchange(
	const struct side *c, size_t i, const struct side *s, size_t k, int64_t apart)
{
	const struct boundary *p = &c->boundaries[i], *q = &s->boundaries[k];
	return p[1].out - p->out == q[1].out - q->out && p[1].in - p->in == q[1].in - q->in &&
	       q[1].at > q->at && p[1].at > p->at &&
	       action_at(s, q->at)->end >= action_at(c, p->at)->begin - apart &&
	       action_at(s, q[1].at - 1)->begin <= action_at(c, p[1].at - 1)->end + apart;
}

/* Calls are missing at one end, so sums of bytes tell nothing from there on. What the client has
 * seen counts; what the server did is known where it is certainly of the same exchange. */
static int by_time(struct maker *m)
{
	struct requests_connection *c = &m->r->connections.item[m->connection];
	struct side *client = &m->sides[REQUESTS_CLIENT], *server = &m->sides[REQUESTS_SERVER];
	const struct requests_host *host = server->host;
	enum { LOOK_AHEAD = 64 };
	int64_t apart = client->host == server->host ? 0 : CLOCKS_NS;
	int rc = 0;
	for (size_t i = 0, k = 0; rc == 0 && i + 1 < client->n_boundaries; i++) {
		const struct boundary *p = &client->boundaries[i];
		if (p[1].at == p->at)
			continue;
		int64_t begin = action_at(client, p->at)->begin - apart;
		server->host = host;
		while (k + 1 < server->n_boundaries && server->boundaries[k + 1].at > 0 &&
			action_at(server, server->boundaries[k + 1].at - 1)->end < begin)
			k++;
		size_t at = k, n_found = 0;
		for (size_t j = k; j + 1 < server->n_boundaries && j < k + LOOK_AHEAD; j++)
			if (is_same_exchange(client, i, server, j, apart)) {
				at = j;
				n_found++;
			}
		/* If there are several, nothing shows which one it is. */
		bool found = n_found == 1;
		size_t from[REQUESTS_N_SIDES] = { i, at },
		       until[REQUESTS_N_SIDES] = { i + 1, at + 1 };
		server->host = found ? host : NULL;
		c->is_damaged = !found;
		rc = add_exchange(m, from, until);
		k = found ? at + 1 : k;
	}
	c->is_damaged = true;
	return rc;
}

/* Bytes that were read were written; and all but the last ones that were written, read. */
static bool is_whole(const struct side *client, const struct side *server)
{
	return server->out <= client->out && client->in <= server->in;
}

/* ---- where both ends begin ---- */

/* ... from segment i of the client and k of the server on. */
static bool is_whole_from(const struct side *client, size_t i, const struct side *server, size_t k)
{
	const struct boundary *p = &client->boundaries[i], *q = &server->boundaries[k];
	return server->out - q->out <= client->out - p->out &&
	       client->in - p->in <= server->in - q->in;
}

static void drop_first(struct side *s, size_t n)
{
	const struct boundary base = s->boundaries[n];
	for (size_t i = n; i < s->n_boundaries; i++) {
		s->boundaries[i - n] = s->boundaries[i];
		s->boundaries[i - n].out -= base.out;
		s->boundaries[i - n].in -= base.in;
	}
	s->n_boundaries -= n;
	s->out -= base.out;
	s->in -= base.in;
}

/* A call that was under way when the recording began is not known. So the first read of the
 * first request may be missing; the client knows its bytes, if everything else agrees. */
static void add_missing_read(const struct side *client, struct side *server, int64_t apart)
{
	struct boundary *p = client->boundaries, *q = server->boundaries;
	uint64_t missing = p[1].out - q[1].out;
	bool has_next = client->n_boundaries > 2 && server->n_boundaries > 2;
	if (q[1].out >= p[1].out || q[1].in != p[1].in || !p[1].in ||
		(has_next && !is_same_exchange(client, 1, server, 1, apart)))
		return;
	for (size_t i = 1; i < server->n_boundaries; i++)
		q[i].out += missing;
	server->out += missing;
}

/* The ends of a connection that existed before the recording may not begin with the same
 * exchange: the server still reads and answers what was sent before, or the recording of its
 * host began later. Both ends continue from the first exchange that they have in common; what
 * the client did before is kept as it is. */
static int find_begin(struct maker *m)
{
	struct side *client = &m->sides[REQUESTS_CLIENT], *server = &m->sides[REQUESTS_SERVER];
	const struct requests_host *host = server->host;
	int64_t apart = client->host == server->host ? 0 : CLOCKS_NS;
	static const struct {
		size_t client, server;
	} skip[] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 0, 2 }, { 2, 0 } };
	size_t first = 0, i = 0, k = 0;
	int rc = 0;
	if (client->n_boundaries < 2 || server->n_boundaries < 2 || server->n == 0)
		return 0;
	int64_t begin = action_at(server, 0)->begin - apart;
	while (first + 2 < client->n_boundaries &&
		action_at(client, client->boundaries[first + 1].at - 1)->end < begin)
		first++;
	bool found = false;
	for (size_t n = 0; !found && n < sizeof(skip) / sizeof(skip[0]); n++) {
		i = first + skip[n].client;
		k = skip[n].server;
		found = i + 1 < client->n_boundaries && k + 1 < server->n_boundaries &&
			is_same_exchange(client, i, server, k, apart) &&
			is_whole_from(client, i, server, k);
	}
	if (!found && first == 0)
		add_missing_read(client, server, apart);
	if (!found || i + k == 0)
		return 0;
	server->host = NULL;
	for (size_t n = 0; rc == 0 && n < i; n++) {
		size_t from[REQUESTS_N_SIDES] = { n, 0 }, until[REQUESTS_N_SIDES] = { n + 1, 0 };
		rc = add_exchange(m, from, until);
	}
	server->host = host;
	drop_first(client, i);
	drop_first(server, k);
	return rc;
}

static int by_both_ends(struct maker *m)
{
	const struct side *c = &m->sides[REQUESTS_CLIENT], *s = &m->sides[REQUESTS_SERVER];
	size_t from[REQUESTS_N_SIDES] = { 0, 0 };
	size_t i = 1, k = 1;
	/* The recording may end while one end has only just begun with the next one. */
	while (i < c->n_boundaries && k < s->n_boundaries &&
		(i + 1 < c->n_boundaries || k + 1 < s->n_boundaries)) {
		const struct boundary *p = &c->boundaries[i], *q = &s->boundaries[k];
		if (same(p, q)) {
			size_t until[REQUESTS_N_SIDES] = { i++, k++ };
			int rc = add_exchange(m, from, until);
			if (rc)
				return rc;
			from[0] = until[0];
			from[1] = until[1];
		} else if (p->out + p->in <= q->out + q->in) {
			i++;
		} else {
			k++;
		}
	}
	size_t until[REQUESTS_N_SIDES] = { c->n_boundaries - 1, s->n_boundaries - 1 };
	return add_exchange(m, from, until);
}

static int find_in(struct maker *m)
{
	struct requests *r = m->r;
	struct requests_connection *c = &r->connections.item[m->connection];
	c->first = r->n;
	for (int i = 0; i < REQUESTS_N_SIDES; i++) {
		struct side *s = &m->sides[i];
		const struct requests_end *e = &c->ends[i];
		s->host = e->socket == KERNEL_NONE ? NULL : &r->log->hosts[e->host];
		if (!s->host)
			continue;
		s->actions = requests_actions_of(&r->connections, e->host, e->socket, &s->n);
		s->request = i == REQUESTS_CLIENT ? REQUESTS_WRITE : REQUESTS_READ;
		if (!find_boundaries(s, c->is_opened))
			return mer_fail_nomem(m->err);
	}
	struct side *client = &m->sides[REQUESTS_CLIENT], *server = &m->sides[REQUESTS_SERVER];
	if (client->host && server->host) {
		int rc = c->is_opened ? 0 : find_begin(m);
		if (rc)
			return rc;
		c->is_damaged = !is_whole(client, server);
		r->n_damaged += c->is_damaged;
		if (!c->is_damaged)
			return by_both_ends(m);
		return by_time(m);
	}
	return by_one_end(m, client->host ? REQUESTS_CLIENT : REQUESTS_SERVER);
}

int requests_exchanges_find(struct requests *r, struct mer_err *err)
{
	struct maker m = { .r = r, .err = err };
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < r->connections.n; i++) {
		m.connection = (uint32_t)i;
		rc = find_in(&m);
	}
	for (int i = 0; i < REQUESTS_N_SIDES; i++)
		free(m.sides[i].boundaries);
	return rc;
}
