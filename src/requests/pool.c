#include "requests/pool.h"

#include "base/lower_bound.h"

/* 0: it is of none. */
static uint64_t key_of(const struct requests *r, const struct requests_connection *c)
{
	const struct requests_end *server = &c->ends[REQUESTS_SERVER];
	const struct requests_end *client = &c->ends[REQUESTS_CLIENT];
	if (!server->endpoint || client->socket == KERNEL_NONE ||
		client->socket == REQUESTS_OWN_SOCKET)
		return 0;
	uint32_t owner = r->log->hosts[client->host].sockets[client->socket].owner;
	uint32_t key[] = { client->host, (uint32_t)r->w->hosts[client->host].tasks[owner].pid,
		server->endpoint };
	return mer_hash(key, sizeof(key));
}

uint32_t *requests_pools_find(const struct requests *r)
{
	struct mer_map last = { 0 }; /* of a pool: number, plus 1 */
	uint32_t *next = mer_spill_array(r->w->spill, r->n_connections_found + 1, sizeof(*next));
	bool ok = next != NULL;
	for (uint32_t i = 0; ok && i < r->n_connections_found; i++) {
		uint64_t key = key_of(r, &r->connections.item[i]);
		uint32_t *at = key ? mer_map_put(&last, key) : NULL;
		next[i] = i;
		ok = !key || at;
		if (!at)
			continue;
		if (*at) {
			next[i] = next[*at - 1];
			next[*at - 1] = i;
		}
		*at = i + 1;
	}
	mer_map_fini(&last);
	if (!ok)
		mer_spill_release(next);
	return ok ? next : NULL;
}

/* It served before and will serve again: a connection that was just opened, or is given up,
 * serves no request. */
static bool is_free(
	const struct requests *r, const struct requests_connection *c, int64_t from, int64_t until)
{
	const struct requests_exchange *x = r->exchanges;
	MER_LOWER_BOUND(next, c->first, c->first + c->n, k, x[k].begin <= from);
	return next > c->first && next < c->first + c->n && x[next - 1].end <= from &&
	       x[next].begin >= until;
}

bool requests_pool_has_free(const struct requests *r, const uint32_t *pools, uint32_t exchange,
	int64_t from, int64_t until)
{
	enum { MOST = 256 };
	uint32_t of = r->exchanges[exchange].connection, n = 0;
	for (uint32_t i = pools[of]; i != of && n < MOST; i = pools[i], n++)
		if (is_free(r, &r->connections.item[i], from, until))
			return true;
	return false;
}
