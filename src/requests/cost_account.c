/* What one request cost, as a tree of tasks. */
#include "requests/cost.h"

struct tree {
	const struct requests *r;
	struct account *a;
	struct mer_map nodes; /* exchange -> its node, plus 1 */
	uint32_t root;
};

static uint32_t answers(const struct requests *r, uint32_t exchange, uint32_t *host)
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	*host = requests_connection_of(r, exchange)->ends[REQUESTS_SERVER].host;
	return x->server_task != KERNEL_NONE ? x->server_task : x->reader;
}

static bool has_server(const struct requests *r, uint32_t exchange)
{
	uint32_t host;
	return requests_connection_of(r, exchange)->ends[REQUESTS_SERVER].socket != KERNEL_NONE &&
	       answers(r, exchange, &host) != KERNEL_NONE;
}

/* The node of the task that answered it, below that of the request that it was sent for; NONE: no
 * memory. */
static uint32_t node_of(struct tree *t, uint32_t exchange)
{
	uint32_t chain[REQUESTS_MOST_DEPTH + 1], n = 0, node = KERNEL_NONE;
	for (uint32_t e = exchange; n <= REQUESTS_MOST_DEPTH; e = t->r->exchanges[e].parent - 1) {
		const uint32_t *known = mer_map_get(&t->nodes, e);
		if (known) {
			node = *known - 1;
			break;
		}
		chain[n++] = e;
		if (e == t->root)
			break;
	}
	while (n > 0) {
		uint32_t e = chain[--n], host, task = answers(t->r, e, &host);
		uint32_t *place = mer_map_put(&t->nodes, e);
		if (has_server(t->r, e)) /* else what it cost is not known */
			node = account_child(t->a, node, host, task);
		if (!place || node == KERNEL_NONE)
			return KERNEL_NONE;
		t->a->nodes[node].n_served += has_server(t->r, e);
		*place = node + 1;
	}
	return node;
}

static bool on_charge(void *ctx, const struct requests_charge *c)
{
	struct tree *t = ctx;
	if (!c->exchange || !requests_is_within(t->r, c->exchange - 1, t->root))
		return true;
	uint32_t node = node_of(t, c->exchange - 1);
	if (node == KERNEL_NONE)
		return false;
	const struct account_node *main = &t->a->nodes[node];
	if (main->host != c->host || main->task != c->task)
		node = account_child(t->a, node, c->host, c->task);
	if (node == KERNEL_NONE)
		return false;
	struct account_node *at = &t->a->nodes[node];
	at->self_ns += c->cost.cpu_ns;
	at->interrupted_ns += c->cost.interrupted_ns;
	for (unsigned k = 0; k < USAGE_N_KINDS; k++)
		at->used[k] += c->cost.used[k];
	return true;
}

int requests_account(const struct requests_parts_finder *f, const struct requests *r,
	const struct usage *u, uint32_t exchange, struct account *a, struct mer_err *err)
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	struct tree t = { .r = r, .a = a, .root = exchange };
	*a = (struct account){ .begin = x->begin, .end = x->end };
	a->task = answers(r, exchange, &a->host);
	if (!has_server(r, exchange))
		return mer_fail(err, MER_ERR_USAGE,
			"who answered this request was not recorded, so what it cost is not known");
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->n; i++)
		if (requests_is_within(r, i, exchange))
			ok = node_of(&t, i) != KERNEL_NONE;
	int rc = ok ? requests_charge(f, r, u, INT64_MIN, INT64_MAX, on_charge, &t, err)
		    : mer_fail_nomem(err);
	mer_map_fini(&t.nodes);
	return rc ? rc : account_finish(a, err);
}
