/* Joining: exchanges of one connection that turned out to be parts of one.
 *
 * HTTP/2 answers several requests in any order on one connection, and exchanges frames of its own
 * in between. So the connection may be quiet, byte for byte, while requests are still open. Where
 * the order of the server's work shows that (nest.c), what was taken for several exchanges is one
 * window. */
#include "requests/requests.h"

/* y continues x. */
static void join(struct requests_exchange *x, const struct requests_exchange *y)
{
	x->sent = y->sent;
	x->end = y->end;
	x->bytes_out += y->bytes_out;
	x->bytes_in += y->bytes_in;
	x->n_messages += y->n_messages;
	x->is_damaged |= y->is_damaged;
	if (x->read == REQUESTS_NO_TIME) {
		x->read = y->read;
		x->reader = y->reader;
	}
	if (x->answered == REQUESTS_NO_TIME)
		x->answered = y->answered;
	if (y->read_end != REQUESTS_NO_TIME)
		x->read_end = y->read_end;
	if (y->done != REQUESTS_NO_TIME) {
		x->done = y->done;
		x->server_task = y->server_task;
		x->last_answer = y->last_answer;
	}
}

/* place: of each exchange before, where it is now. */
static void move_exchanges(struct requests *r, const bool *continues, uint32_t *place)
{
	uint32_t n = 0;
	for (size_t i = 0; i < r->connections.n; i++) {
		struct requests_connection *c = &r->connections.item[i];
		uint32_t first = n;
		for (uint32_t k = c->first; k < c->first + c->n; k++) {
			bool is_more = k > c->first && continues[k - 1];
			c->is_multiplexed |= is_more;
			if (is_more)
				join(&r->exchanges[n - 1], &r->exchanges[k]);
			else
				r->exchanges[n++] = r->exchanges[k];
			place[k] = n - 1;
			/* Found anew. */
			r->exchanges[n - 1].parent = 0;
			r->exchanges[n - 1].confidence = 0;
		}
		c->first = first;
		c->n = n - first;
	}
	r->n = n;
}

/* Of a batch that is written at once the server may read one message after the other. */
static void count_messages(struct requests *r, const struct requests_connection *c)
{
	const struct requests_end *e = &c->ends[REQUESTS_SERVER];
	const struct requests_action *actions = r->log->hosts[e->host].actions;
	size_t n;
	const uint32_t *at = requests_actions_of(&r->connections, e->host, e->socket, &n);
	for (size_t i = 0; i < n;) {
		uint32_t exchange = actions[at[i]].exchange, n_reads = 0;
		for (; i < n && actions[at[i]].exchange == exchange; i++)
			n_reads += actions[at[i]].kind == REQUESTS_READ;
		if (exchange && r->exchanges[exchange - 1].n_messages < n_reads)
			r->exchanges[exchange - 1].n_messages = n_reads;
	}
}

int requests_join(struct requests *r, const bool *continues, struct mer_err *err)
{
	uint32_t *place = mer_spill_array(r->w->spill, (size_t)r->n + 1, sizeof(*place));
	if (!place)
		return mer_fail_nomem(err);
	move_exchanges(r, continues, place);
	for (uint32_t h = 0; h < r->log->n_hosts; h++) {
		struct requests_host *host = &r->log->hosts[h];
		for (uint32_t i = 0; i < host->n_actions; i++)
			if (host->actions[i].exchange && host->actions[i].kind <= REQUESTS_WRITE)
				host->actions[i].exchange =
					place[host->actions[i].exchange - 1] + 1;
	}
	mer_spill_release(place);
	for (size_t i = 0; i < r->connections.n; i++)
		if (r->connections.item[i].is_multiplexed)
			count_messages(r, &r->connections.item[i]);
	return 0;
}
