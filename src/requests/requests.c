#include "requests/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int requests_find(const struct kernel_world *w, struct requests_log *log, struct requests **out,
	struct mer_err *err)
{
	struct requests *r = calloc(1, sizeof(*r));
	*out = NULL;
	if (!r) {
		requests_log_free(log);
		return mer_fail_nomem(err);
	}
	r->w = w;
	r->log = log;
	int rc = requests_connections_find(&r->connections, w, log, err);
	if (rc == 0)
		rc = requests_exchanges_find(r, err);
	if (rc == 0)
		rc = requests_losses_find(r, err);
	if (rc == 0)
		rc = requests_nest(r, err);
	if (rc) {
		requests_free(r);
		return rc;
	}
	r->n_found = r->n;
	r->n_connections_found = (uint32_t)r->connections.n;
	*out = r;
	return 0;
}

void requests_free(struct requests *r)
{
	if (!r)
		return;
	requests_connections_fini(&r->connections);
	mer_spill_release(r->exchanges);
	mer_spill_release(r->found_parents);
	requests_log_free(r->log);
	free(r);
}

void requests_id_text(const struct requests *r, uint32_t exchange, char text[REQUESTS_ID_BYTES])
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	uint32_t first = r->connections.item[x->connection].first;
	bool is_own = requests_is_own(r, exchange);
	snprintf(text, REQUESTS_ID_BYTES, "%c%" PRIu32 ".%" PRIu32, is_own ? 'u' : 'r',
		x->connection - (is_own ? r->n_connections_found : 0) + 1, exchange - first + 1);
}

uint32_t requests_by_id(const struct requests *r, const char *text)
{
	char again[REQUESTS_ID_BYTES];
	char *dot, *end;
	if (text[0] != 'r' && text[0] != 'u')
		return KERNEL_NONE;
	bool is_own = text[0] == 'u';
	unsigned long before = is_own ? r->n_connections_found : 0;
	unsigned long n = is_own ? r->connections.n - before : r->n_connections_found;
	unsigned long connection = strtoul(text + 1, &dot, 10);
	if (*dot != '.' || connection == 0 || connection > n)
		return KERNEL_NONE;
	connection += before;
	unsigned long place = strtoul(dot + 1, &end, 10);
	const struct requests_connection *c = &r->connections.item[connection - 1];
	if (*end || place == 0 || place > c->n)
		return KERNEL_NONE;
	requests_id_text(r, c->first + (uint32_t)place - 1, again);
	for (const char *p = again; *p || *text; p++, text++)
		if (*p != *text)
			return KERNEL_NONE; /* "r01.+2" */
	return c->first + (uint32_t)place - 1;
}

bool requests_is_within(const struct requests *r, uint32_t exchange, uint32_t root)
{
	for (unsigned depth = 0; depth < REQUESTS_MOST_DEPTH && exchange != root; depth++) {
		if (!r->exchanges[exchange].parent)
			return false;
		exchange = r->exchanges[exchange].parent - 1;
	}
	return exchange == root;
}
