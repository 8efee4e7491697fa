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
	*out = r;
	return 0;
}

void requests_free(struct requests *r)
{
	if (!r)
		return;
	requests_connections_fini(&r->connections);
	mer_spill_release(r->exchanges);
	requests_log_free(r->log);
	free(r);
}

void requests_id_text(const struct requests *r, uint32_t exchange, char text[REQUESTS_ID_BYTES])
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	uint32_t first = r->connections.item[x->connection].first;
	snprintf(text, REQUESTS_ID_BYTES, "r%" PRIu32 ".%" PRIu32, x->connection + 1,
		exchange - first + 1);
}

uint32_t requests_by_id(const struct requests *r, const char *text)
{
	char again[REQUESTS_ID_BYTES];
	char *dot, *end;
	if (text[0] != 'r')
		return KERNEL_NONE;
	unsigned long connection = strtoul(text + 1, &dot, 10);
	if (*dot != '.' || connection == 0 || connection > r->connections.n)
		return KERNEL_NONE;
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
