/* Losses: requests of which calls may be missing.
 *
 * Where events were lost, calls on a connection may be among them. If they are missing at one
 * end only, the bytes of that end show it (exchanges.c). If whole exchanges are missing at both
 * ends, or the end of one and the begin of the next, the bytes do not show it, but there is
 * unknown time of the tasks. So an exchange may lack something if tasks of both its ends (or of
 * the end that was recorded) have unknown time within it, before the next exchange on the
 * connection, or since the previous one. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "requests/requests.h"

struct interval {
	int64_t begin, end;
};

struct times { /* of a host */
	/* When events of a CPU may be missing, by CPU and begin; reach: the greatest end of those
	 * of the CPU up to here. */
	struct loss {
		int64_t begin, end, reach;
		uint32_t cpu;
	} * losses;
	uint32_t n_losses, cap_losses;
	struct interval *item; /* when it is not known what a task called */
	uint32_t *first;       /* by task, and one more: its first item, from the last one back */
	uint32_t n, cap;
};

static int by_cpu(const void *a, const void *b)
{
	const struct loss *p = a, *q = b;
	if (p->cpu != q->cpu)
		return p->cpu < q->cpu ? -1 : 1;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

static bool gather_losses(const struct requests *r, struct times *times)
{
	const struct mer_experiment *e = r->w->e;
	for (size_t i = 0; e && i < e->n_losses; i++) {
		const struct mer_loss *l = &e->losses[i];
		const struct mer_stream *s = &e->streams[l->stream];
		struct times *t = &times[e->traces[s->trace].host];
		if (!mer_grow32(&t->losses, t->n_losses, &t->cap_losses, sizeof(*t->losses)))
			return false;
		t->losses[t->n_losses++] =
			(struct loss){ .begin = l->begin == MER_NO_TIME ? INT64_MIN : l->begin,
				.end = l->end == MER_NO_TIME ? INT64_MAX : l->end,
				.cpu = (uint32_t)s->cpu };
	}
	for (size_t i = 0; e && i < e->n_absent; i++) {
		struct times *t = &times[e->traces[e->absent[i].trace].host];
		if (!mer_grow32(&t->losses, t->n_losses, &t->cap_losses, sizeof(*t->losses)))
			return false;
		t->losses[t->n_losses++] = (struct loss){
			.begin = INT64_MIN, .end = INT64_MAX, .cpu = (uint32_t)e->absent[i].cpu
		};
	}
	for (uint32_t h = 0; h < r->w->n_hosts; h++) {
		struct times *t = &times[h];
		if (t->n_losses)
			qsort(t->losses, t->n_losses, sizeof(*t->losses), by_cpu);
		for (uint32_t i = 0; i < t->n_losses; i++) {
			struct loss *l = &t->losses[i];
			bool goes_on = i > 0 && l[-1].cpu == l->cpu && l[-1].reach > l->end;
			l->reach = goes_on ? l[-1].reach : l->end;
		}
	}
	return true;
}

/* Does the record of this CPU lack something in between? */
static bool has_loss(const struct times *t, uint32_t cpu, int64_t begin, int64_t end)
{
	MER_LOWER_BOUND(i, 0, t->n_losses, at,
		t->losses[at].cpu < cpu || (t->losses[at].cpu == cpu && t->losses[at].begin < end));
	return i > 0 && t->losses[i - 1].cpu == cpu && t->losses[i - 1].reach > begin;
}

/* Calls of a task may be missing where its state is not known, and where it was on a CPU whose
 * record lacks something. */
static bool find_unknown(const struct kernel_host *h, struct times *t)
{
	t->first = calloc((size_t)h->n_tasks + 1, sizeof(*t->first));
	if (!t->first)
		return false;
	for (uint32_t task = 0; task < h->n_tasks; task++) {
		int64_t end = h->tasks[task].end;
		t->first[task] = t->n;
		for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE;) {
			const struct kernel_span *s = kernel_span(h, i);
			bool is_on_cpu = kernel_is_on_cpu((enum kernel_state)s->state);
			if (s->begin < end &&
				(s->state == KERNEL_UNKNOWN ||
					(is_on_cpu && has_loss(t, s->cpu, s->begin, end)))) {
				if (!mer_grow32(&t->item, t->n, &t->cap, sizeof(*t->item)))
					return false;
				t->item[t->n++] = (struct interval){ s->begin, end };
			}
			end = s->begin;
			i = s->before;
		}
	}
	t->first[h->n_tasks] = t->n;
	return true;
}

static bool is_unknown_between(const struct times *t, uint32_t task, int64_t begin, int64_t end)
{
	if (!t->first || task == KERNEL_NONE)
		return false;
	/* The later ones come first. */
	MER_LOWER_BOUND(i, t->first[task], t->first[task + 1], at, t->item[at].begin >= end);
	return i < t->first[task + 1] && t->item[i].end > begin;
}

static const struct requests_socket *socket_of(
	const struct requests *r, const struct requests_end *e)
{
	return e->socket == KERNEL_NONE ? NULL : &r->log->hosts[e->host].sockets[e->socket];
}

/* Until when more of the last exchange could come. */
static int64_t end_of_use(const struct requests *r, const struct requests_end *e)
{
	const struct requests_socket *s = socket_of(r, e);
	return s && s->end_of_use != INT64_MIN ? s->end_of_use : INT64_MAX;
}

/* One end is on a host that was recorded, so its calls are missing. */
static bool lacks_end(const struct requests *r, const struct requests_connection *c)
{
	for (int side = 0; side < REQUESTS_N_SIDES; side++) {
		char text[KERNEL_ENDPOINT_BYTES];
		uint16_t port;
		const struct requests_end *e = &c->ends[side];
		if (e->socket == KERNEL_NONE &&
			(!requests_endpoint_text(&r->connections, e->endpoint, text, &port) ||
				strncmp(text, "127.", 4) == 0))
			return true;
	}
	return false;
}

static bool is_client_unknown(
	const struct requests *r, uint32_t exchange, const struct times *times)
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	const struct requests_connection *c = requests_connection_of(r, exchange);
	const struct requests_end *e = &c->ends[REQUESTS_CLIENT];
	bool is_last = exchange + 1 == c->first + c->n;
	return is_unknown_between(&times[e->host], x->client_task,
		exchange > c->first ? x[-1].end : x->begin,
		is_last ? end_of_use(r, e) : x[1].begin);
}

/* The first one may have begun with connect. */
static bool is_begin_unknown(const struct requests *r, uint32_t exchange, const struct times *times)
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	const struct requests_connection *c = requests_connection_of(r, exchange);
	return exchange == c->first && !c->is_opened &&
	       is_unknown_between(
		       &times[c->ends[REQUESTS_CLIENT].host], x->client_task, INT64_MIN, x->begin);
}

static bool is_server_unknown(
	const struct requests *r, uint32_t exchange, const struct times *times)
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	const struct requests_connection *c = requests_connection_of(r, exchange);
	const struct requests_end *e = &c->ends[REQUESTS_SERVER];
	const struct times *t = &times[e->host];
	bool has_before = exchange > c->first && x[-1].done != REQUESTS_NO_TIME;
	bool has_next = exchange + 1 < c->first + c->n && x[1].read != REQUESTS_NO_TIME;
	int64_t from = has_before ? x[-1].done : x->read;
	int64_t until = has_next ? x[1].read : end_of_use(r, e);
	return is_unknown_between(t, x->reader, from, until) ||
	       (x->server_task != x->reader && is_unknown_between(t, x->server_task, from, until));
}

static bool is_incomplete(const struct requests *r, uint32_t exchange, const struct times *times)
{
	const struct requests_connection *c = requests_connection_of(r, exchange);
	const struct requests_end *client = &c->ends[REQUESTS_CLIENT],
				  *server = &c->ends[REQUESTS_SERVER];
	if (!times[client->host].first && !times[server->host].first)
		return false;
	if (lacks_end(r, c) || is_begin_unknown(r, exchange, times))
		return true;
	return (client->socket == KERNEL_NONE || is_client_unknown(r, exchange, times)) &&
	       (server->socket == KERNEL_NONE || is_server_unknown(r, exchange, times));
}

int requests_losses_find(struct requests *r, struct mer_err *err)
{
	uint32_t n_hosts = r->w->n_hosts;
	struct times *times = calloc((size_t)n_hosts + 1, sizeof(*times));
	bool ok = times && gather_losses(r, times);
	for (uint32_t h = 0; ok && h < n_hosts; h++)
		if (times[h].n_losses)
			ok = find_unknown(&r->w->hosts[h], &times[h]);
	for (uint32_t i = 0; ok && i < r->n; i++)
		if (is_incomplete(r, i, times))
			r->exchanges[i].is_damaged = true;
	for (uint32_t h = 0; times && h < n_hosts; h++) {
		free(times[h].losses);
		free(times[h].item);
		free(times[h].first);
	}
	free(times);
	return ok ? 0 : mer_fail_nomem(err);
}
