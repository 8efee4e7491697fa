#include "store/found_requests.h"

#include <stddef.h>
#include <stdlib.h>

#include "kernel/files/object_name.h"
#include "store/request_rows.h"
#include "store/types.h"

struct head { /* of the world: numbers of rows, and what is only counted */
	uint64_t n_unfollowed, n_datagrams;
	uint32_t n_singles, n_connections, n_exchanges, n_flows, n_packets, n_places;
	uint32_t n_damaged, n_one_way;
};
struct host_head {
	uint32_t n_actions, n_sockets, n_dirt, unused;
};

/* A name of a socket that tells an endpoint. */
struct place {
	uint32_t endpoint, host, name;
};

static const struct store_column socket_columns[] = { STORE_COLUMN(requests_socket, owner, DICT),
	STORE_COLUMN_OR_NONE(requests_socket, object, PLAIN) };
static const struct store_column connection_columns[] = {
	STORE_COLUMN(requests_connection, begin, DELTA),
	STORE_COLUMN(requests_connection, ends[0].host, DICT),
	STORE_COLUMN_OR_NONE(requests_connection, ends[0].socket, PLAIN),
	STORE_COLUMN(requests_connection, ends[0].endpoint, PLAIN),
	STORE_COLUMN(requests_connection, ends[1].host, DICT),
	STORE_COLUMN_OR_NONE(requests_connection, ends[1].socket, PLAIN),
	STORE_COLUMN(requests_connection, ends[1].endpoint, PLAIN),
	STORE_COLUMN(requests_connection, flow, PLAIN), STORE_FLAG(requests_connection, is_pipes),
	STORE_FLAG(requests_connection, is_unix), STORE_FLAG(requests_connection, is_opened),
	STORE_FLAG(requests_connection, is_damaged),
	STORE_FLAG(requests_connection, is_multiplexed),
	STORE_COLUMN(requests_connection, first, DELTA), STORE_COLUMN(requests_connection, n, PLAIN)
};
_Static_assert(REQUESTS_N_SIDES == 2, "each end has columns");
static const struct store_column exchange_columns[] = {
	STORE_COLUMN(requests_exchange, begin, DELTA),
	STORE_COLUMN_SINCE(requests_exchange, sent, begin),
	STORE_COLUMN_SINCE(requests_exchange, end, sent),
	STORE_COLUMN_SINCE(requests_exchange, read, begin),
	STORE_COLUMN_SINCE(requests_exchange, read_end, read),
	STORE_COLUMN_SINCE(requests_exchange, answered, read),
	STORE_COLUMN_SINCE(requests_exchange, done, answered),
	STORE_COLUMN(requests_exchange, bytes_out, DICT),
	STORE_COLUMN(requests_exchange, bytes_in, DICT),
	STORE_COLUMN(requests_exchange, connection, DELTA),
	STORE_COLUMN_OR_NONE(requests_exchange, client_task, DICT),
	STORE_COLUMN_OR_NONE(requests_exchange, server_task, DICT),
	STORE_COLUMN_OR_NONE(requests_exchange, reader, DICT),
	STORE_COLUMN(requests_exchange, n_messages, DICT),
	STORE_COLUMN(requests_exchange, parent, DELTA),
	STORE_COLUMN_OR_NONE(requests_exchange, first_send, PLAIN),
	STORE_COLUMN_OR_NONE(requests_exchange, last_answer, PLAIN),
	STORE_COLUMN(requests_exchange, confidence, DICT), STORE_FLAG(requests_exchange, is_damaged)
};
static const struct store_column number = { .bytes = sizeof(uint32_t), .packing = STORE_DELTA };
static const struct store_column time_column = { .bytes = sizeof(int64_t), .packing = STORE_DELTA };
static const struct store_column place_columns[] = { STORE_COLUMN(place, endpoint, PLAIN),
	STORE_COLUMN(place, host, DICT), STORE_COLUMN(place, name, PLAIN) };

/* Part of the format, as are their columns: FORMAT.md. */
enum kind {
	ACTIONS,
	SOCKETS,
	DIRT,
	SINGLES,
	CONNECTIONS,
	EXCHANGES,
	STARTS,
	PACKETS,
	SENT,
	PLACES
};
static const struct store_columns sockets = STORE_COLUMNS(requests_socket, socket_columns),
				  connections =
					  STORE_COLUMNS(requests_connection, connection_columns),
				  exchanges = STORE_COLUMNS(requests_exchange, exchange_columns),
				  numbers = { sizeof(uint32_t), &number, 1 },
				  times = { sizeof(int64_t), &time_column, 1 },
				  places = STORE_COLUMNS(place, place_columns);
static const struct store_columns *const kinds[] = {
	[ACTIONS] = &store_request_actions,
	[SOCKETS] = &sockets,
	[DIRT] = &store_request_dirt,
	[SINGLES] = &store_request_singles,
	[CONNECTIONS] = &connections,
	[EXCHANGES] = &exchanges,
	[STARTS] = &numbers,
	[PACKETS] = &numbers,
	[SENT] = &times,
	[PLACES] = &places,
};
enum { MOST_COLUMNS = 64 }; /* of a kind: its numbers are from so many times the kind on */

/* Numbers of the sections STORE_FOUND_REQUESTS. */
enum { OF_HOST, OF_WORLD };

/* ---- writing ---- */

static void put_rows(
	struct store_writer *w, uint32_t host, enum kind kind, const void *rows, size_t n)
{
	store_put_columns(w, STORE_REQUEST_COLUMNS, host, (uint32_t)kind * MOST_COLUMNS,
		kinds[kind], rows, n);
}

static void put_host(struct store_writer *w, uint32_t host, const struct requests_host *r)
{
	const struct host_head head = { r->n_actions, r->n_sockets, r->n_dirt, 0 };
	store_put_section(w, STORE_FOUND_REQUESTS, host, OF_HOST, &head, 1, sizeof(head));
	put_rows(w, host, ACTIONS, r->actions, r->n_actions);
	put_rows(w, host, SOCKETS, r->sockets, r->n_sockets);
	put_rows(w, host, DIRT, r->dirt, r->n_dirt);
}

static void put_places(struct store_writer *w, const struct requests_connections *c)
{
	struct place *rows = calloc(c->n_places + 1, sizeof(*rows));
	if (!rows) {
		store_writer_fail(w);
		return;
	}
	for (size_t i = 0; i < c->named.cap; i++) {
		const struct mer_map_slot *s = &c->named.slots[i];
		if (s->used && s->value)
			rows[s->value - 1] = (struct place){ (uint32_t)s->key,
				c->places[s->value - 1].host, c->places[s->value - 1].name };
	}
	put_rows(w, 0, PLACES, rows, c->n_places);
	free(rows);
}

void store_put_found_requests(struct store_writer *w, const struct requests *r)
{
	const struct kernel_world *world = r->w;
	const struct requests_connections *c = &r->connections;
	size_t n_starts = (size_t)c->n_flows * 2 + 1;
	const struct head head = { .n_unfollowed = c->n_unfollowed,
		.n_datagrams = c->n_datagrams,
		.n_singles = world->n_singles,
		.n_connections = (uint32_t)c->n,
		.n_exchanges = r->n,
		.n_flows = c->n_flows,
		.n_packets = c->starts[n_starts - 1],
		.n_places = (uint32_t)c->n_places,
		.n_damaged = r->n_damaged,
		.n_one_way = r->n_one_way };
	store_put_section(w, STORE_FOUND_REQUESTS, 0, OF_WORLD, &head, 1, sizeof(head));
	for (uint32_t h = 0; h < r->log->n_hosts; h++)
		put_host(w, h, &r->log->hosts[h]);
	put_rows(w, 0, SINGLES, world->singles, world->n_singles);
	put_rows(w, 0, CONNECTIONS, c->item, c->n);
	put_rows(w, 0, EXCHANGES, r->exchanges, r->n);
	put_rows(w, 0, STARTS, c->starts, n_starts);
	put_rows(w, 0, PACKETS, c->packets, head.n_packets);
	put_rows(w, 0, SENT, c->sent, head.n_packets);
	put_places(w, c);
}

/* ---- reading ---- */

static int refuse(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT, "no requests that fit");
}

/* The rows as a new block of the spill in *array. False: damaged, or with *no_memory set. */
static bool get_rows(const struct store_file *f, struct mer_spill *spill, uint32_t host,
	enum kind kind, void *array, size_t n, bool *no_memory)
{
	void *rows = mer_spill_array(spill, n + 1, kinds[kind]->size);
	*(void **)array = rows;
	*no_memory |= !rows;
	return rows && store_get_columns(f, STORE_REQUEST_COLUMNS, host,
			       (uint32_t)kind * MOST_COLUMNS, kinds[kind], rows, n);
}

static bool is_below(uint32_t number_, uint32_t n)
{
	return number_ < n || number_ == KERNEL_NONE;
}

static bool actions_fit(
	const struct requests_host *l, const struct kernel_host *h, uint32_t n_exchanges)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < l->n_actions; i++) {
		const struct requests_action *a = &l->actions[i];
		bool is_wake = a->kind == REQUESTS_WAKE;
		ok = a->task < h->n_tasks && a->socket < (is_wake ? h->n_tasks : l->n_sockets) &&
		     a->exchange <= (is_wake ? l->n_sockets : n_exchanges);
	}
	return ok;
}

static bool rest_of_host_fits(const struct requests_host *l, const struct kernel_host *h)
{
	bool ok = true;
	for (uint32_t i = 0; i < l->n_sockets; i++)
		ok &= l->sockets[i].owner < h->n_tasks &&
		      is_below(l->sockets[i].object, h->names.n);
	for (uint32_t i = 0; i < l->n_dirt; i++)
		ok &= l->dirt[i].task < h->n_tasks;
	return ok;
}

static int get_host(const struct store_file *f, const struct kernel_world *w, uint32_t host,
	struct requests_host *l, uint32_t n_exchanges, struct mer_err *err)
{
	uint64_t n = 0;
	bool no_memory = false;
	const struct kernel_host *h = &w->hosts[host];
	const struct host_head *head =
		store_find(f, STORE_FOUND_REQUESTS, host, OF_HOST, sizeof(*head), &n);
	if (!head || n != 1)
		return refuse(err);
	l->n_actions = l->cap_actions = head->n_actions;
	l->n_sockets = l->cap_sockets = head->n_sockets;
	l->n_dirt = l->cap_dirt = head->n_dirt;
	bool ok = get_rows(f, l->spill, host, ACTIONS, &l->actions, l->n_actions, &no_memory) &&
		  get_rows(f, l->spill, host, SOCKETS, &l->sockets, l->n_sockets, &no_memory) &&
		  get_rows(f, l->spill, host, DIRT, &l->dirt, l->n_dirt, &no_memory) &&
		  actions_fit(l, h, n_exchanges) && rest_of_host_fits(l, h);
	return ok ? 0 : no_memory ? mer_fail_nomem(err) : refuse(err);
}

static bool connections_fit(const struct requests *r, uint32_t n_flows)
{
	uint32_t n = 0;
	bool ok = true;
	for (size_t i = 0; ok && i < r->connections.n; i++) {
		const struct requests_connection *c = &r->connections.item[i];
		ok = c->first == n && c->n <= r->n - n && c->flow <= n_flows;
		for (int side = 0; ok && side < REQUESTS_N_SIDES; side++) {
			const struct requests_end *e = &c->ends[side];
			ok = e->host < r->log->n_hosts &&
			     is_below(e->socket, r->log->hosts[e->host].n_sockets);
		}
		n += c->n;
	}
	return ok && n == r->n;
}

static bool exchange_fits(const struct requests *r, uint32_t i)
{
	const struct requests_exchange *x = &r->exchanges[i];
	if (x->connection >= r->connections.n)
		return false;
	const struct requests_connection *c = &r->connections.item[x->connection];
	uint32_t client = c->ends[REQUESTS_CLIENT].host, server = c->ends[REQUESTS_SERVER].host;
	const struct kernel_host *hosts = r->w->hosts;
	const struct requests_host *logs = r->log->hosts;
	return i >= c->first && i - c->first < c->n && x->begin <= x->sent && x->sent <= x->end &&
	       is_below(x->client_task, hosts[client].n_tasks) &&
	       is_below(x->server_task, hosts[server].n_tasks) &&
	       is_below(x->reader, hosts[server].n_tasks) && x->n_messages > 0 &&
	       x->parent <= r->n && is_below(x->first_send, logs[client].n_actions) &&
	       is_below(x->last_answer, logs[server].n_actions);
}

/* No request is below itself. */
static bool parents_end(const struct requests *r, bool *no_memory)
{
	uint32_t *walk = calloc((size_t)r->n + 1, sizeof(*walk)); /* that went by it, plus 1 */
	bool ok = walk != NULL;
	*no_memory |= !ok;
	for (uint32_t i = 0; ok && i < r->n; i++) {
		uint32_t at = i;
		for (; !walk[at]; at = r->exchanges[at].parent - 1) {
			walk[at] = i + 1;
			if (!r->exchanges[at].parent)
				break;
		}
		ok = walk[at] != i + 1 || !r->exchanges[at].parent;
	}
	free(walk);
	return ok;
}

static bool packets_fit(const struct requests_connections *c, uint32_t n)
{
	size_t n_starts = (size_t)c->n_flows * 2 + 1;
	bool ok = c->starts[0] == 0 && c->starts[n_starts - 1] == n;
	for (size_t i = 1; i < n_starts; i++)
		ok &= c->starts[i - 1] <= c->starts[i];
	for (uint32_t i = 0; i < n; i++)
		ok &= c->packets[i] < c->w->n_bridges;
	return ok;
}

static bool get_places(
	const struct store_file *f, struct requests_connections *c, size_t n, bool *no_memory)
{
	struct place *rows = NULL;
	bool ok = get_rows(f, c->w->spill, 0, PLACES, &rows, n, no_memory);
	c->places = calloc(n + 1, sizeof(*c->places));
	c->n_places = c->cap_places = n;
	*no_memory |= !c->places;
	for (size_t i = 0; ok && c->places && i < n; i++) {
		const struct place *p = &rows[i];
		uint32_t *at = mer_map_put(&c->named, p->endpoint);
		*no_memory |= !at;
		ok = at && p->host < c->w->n_hosts && p->name < c->w->hosts[p->host].names.n &&
		     kernel_name_endpoint(kernel_name_text(&c->w->hosts[p->host], p->name)) ==
			     p->endpoint;
		if (ok)
			*at = (uint32_t)i + 1;
		c->places[i] = (struct requests_place){ p->host, p->name };
	}
	mer_spill_release(rows);
	return ok && c->places;
}

static bool singles_fit(const struct kernel_world *w)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < w->n_singles; i++)
		ok = w->singles[i].host < w->n_hosts;
	return ok;
}

static bool get_world(const struct store_file *f, struct kernel_world *w, const struct head *head,
	struct requests *r, bool *no_memory)
{
	struct requests_connections *c = &r->connections;
	c->w = w;
	c->log = r->log;
	c->n_unfollowed = head->n_unfollowed;
	c->n_datagrams = head->n_datagrams;
	c->n_flows = head->n_flows;
	c->n = c->cap = r->n_connections_found = head->n_connections;
	r->n = r->cap = r->n_found = head->n_exchanges;
	r->n_damaged = head->n_damaged;
	r->n_one_way = head->n_one_way;
	w->n_singles = head->n_singles;
	c->item = malloc(((size_t)c->n + 1) * sizeof(*c->item));
	*no_memory |= !c->item;
	return c->item &&
	       store_get_columns(f, STORE_REQUEST_COLUMNS, 0, CONNECTIONS * MOST_COLUMNS,
		       kinds[CONNECTIONS], c->item, c->n) &&
	       get_rows(f, w->spill, 0, SINGLES, &w->singles, w->n_singles, no_memory) &&
	       get_rows(f, w->spill, 0, EXCHANGES, &r->exchanges, r->n, no_memory) &&
	       get_rows(
		       f, w->spill, 0, STARTS, &c->starts, (size_t)c->n_flows * 2 + 1, no_memory) &&
	       get_rows(f, w->spill, 0, PACKETS, &c->packets, head->n_packets, no_memory) &&
	       get_rows(f, w->spill, 0, SENT, &c->sent, head->n_packets, no_memory) &&
	       get_places(f, c, head->n_places, no_memory) && singles_fit(w) &&
	       packets_fit(c, head->n_packets);
}

static bool world_fits(const struct requests *r, bool *no_memory)
{
	bool ok = connections_fit(r, r->connections.n_flows);
	for (uint32_t i = 0; ok && i < r->n; i++)
		ok = exchange_fits(r, i);
	return ok && parents_end(r, no_memory);
}

int store_get_found_requests(const struct store_file *f, struct kernel_world *w,
	struct requests **found, struct mer_err *err)
{
	uint64_t n = 0;
	bool no_memory = false;
	struct requests *r = calloc(1, sizeof(*r));
	const struct head *head =
		store_find(f, STORE_FOUND_REQUESTS, 0, OF_WORLD, sizeof(*head), &n);
	w->singles = NULL;
	w->n_singles = 0;
	*found = NULL;
	if (!r)
		return mer_fail_nomem(err);
	r->w = w;
	int rc =
		head && n == 1 ? requests_log_new(w->n_hosts, w->spill, &r->log, err) : refuse(err);
	for (uint32_t h = 0; rc == 0 && h < w->n_hosts; h++)
		rc = get_host(f, w, h, &r->log->hosts[h], head->n_exchanges, err);
	if (rc == 0 && !(get_world(f, w, head, r, &no_memory) && world_fits(r, &no_memory)))
		rc = no_memory ? mer_fail_nomem(err) : refuse(err);
	if (rc)
		requests_free(r);
	else
		*found = r;
	return rc;
}

void store_drop_singles(struct kernel_world *w)
{
	mer_spill_release(w->singles);
	w->singles = NULL;
	w->n_singles = 0;
}
