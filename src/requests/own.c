#include "requests/own.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "requests/parts.h"

struct place {
	uint32_t host, task; /* task KERNEL_NONE: not known */
};

struct claim {	      /* on a request that was found by its connection */
	uint32_t own; /* exchange, plus 1; 0: none */
	uint32_t n;   /* how many have one, as sure as that */
	float confidence;
};

struct adding {
	struct requests *r;
	const struct analysis_periods *p;
	struct requests_parts_finder *f; /* of what was found */
	struct mer_map newest;		 /* host and tid -> its newest task, plus 1 */
	uint32_t **before;     /* by host and task: the one with its tid before it, plus 1 */
	uint32_t *exchange_of; /* by period */
	uint32_t *sent;	       /* exchanges by host, task and begin of their sender */
	struct claim *claims;  /* by exchange */
	struct mer_err *err;
};

/* ---- tasks ---- */

static uint64_t tid_key(uint32_t host, int32_t tid)
{
	return (uint64_t)host << 32 | (uint32_t)tid;
}

static bool index_tasks(struct adding *a)
{
	const struct kernel_world *w = a->r->w;
	a->before = calloc((size_t)w->n_hosts + 1, sizeof(*a->before));
	for (uint32_t h = 0; a->before && h < w->n_hosts; h++) {
		a->before[h] = calloc((size_t)w->hosts[h].n_tasks + 1, sizeof(**a->before));
		for (uint32_t t = 0; t < w->hosts[h].n_tasks; t++) {
			uint32_t *at = a->before[h] ? mer_map_put(&a->newest,
							      tid_key(h, w->hosts[h].tasks[t].tid))
						    : NULL;
			if (!at)
				return false;
			a->before[h][t] = *at;
			*at = t + 1;
		}
	}
	return a->before != NULL;
}

/* Whose event it was. */
static struct place place_of(
	const struct adding *a, const struct analysis_period_at *at, int64_t time)
{
	struct place p = { at->host, KERNEL_NONE };
	const uint32_t *newest =
		at->tid < 0 ? NULL : mer_map_get(&a->newest, tid_key(at->host, at->tid));
	for (uint32_t t = newest ? *newest : 0; t; t = a->before[at->host][t - 1])
		if (a->r->w->hosts[at->host].tasks[t - 1].begin <= time) {
			p.task = t - 1;
			break;
		}
	return p;
}

/* ---- as exchanges ---- */

static int by_hosts(const void *x, const void *y, void *ctx)
{
	const struct analysis_whole_period *all = ctx;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct analysis_whole_period *p = &all[i], *q = &all[k];
	if (p->from.host != q->from.host)
		return p->from.host < q->from.host ? -1 : 1;
	if (p->to.host != q->to.host)
		return p->to.host < q->to.host ? -1 : 1;
	return (i > k) - (i < k); /* they are in order of begin */
}

static bool add_connection(struct requests *r, const struct analysis_whole_period *p)
{
	struct requests_connections *c = &r->connections;
	if (!mer_grow(&c->item, c->n, &c->cap, sizeof(*c->item)))
		return false;
	c->item[c->n++] = (struct requests_connection){ .begin = p->begin,
		.ends = { { p->from.host, REQUESTS_OWN_SOCKET, 0 },
			{ p->to.host, REQUESTS_OWN_SOCKET, 0 } },
		.first = r->n };
	return true;
}

static bool add_exchange(struct adding *a, uint32_t period)
{
	struct requests *r = a->r;
	const struct analysis_whole_period *p = &a->p->all[period];
	struct place from = place_of(a, &p->from, p->begin), to = place_of(a, &p->to, p->end);
	const struct requests_connection *last =
		r->connections.n > r->n_connections_found
			? &r->connections.item[r->connections.n - 1]
			: NULL;
	bool is_same = last && last->ends[REQUESTS_CLIENT].host == p->from.host &&
		       last->ends[REQUESTS_SERVER].host == p->to.host;
	if ((!is_same && !add_connection(r, p)) ||
		!mer_spill_grow32(r->w->spill, &r->exchanges, r->n, &r->cap, sizeof(*r->exchanges)))
		return false;
	uint32_t connection = (uint32_t)r->connections.n - 1;
	a->exchange_of[period] = r->n;
	r->exchanges[r->n++] = (struct requests_exchange){ .begin = p->begin,
		.sent = p->begin,
		.end = p->end,
		.read = p->begin,
		.read_end = p->begin,
		.answered = p->end,
		.done = p->end,
		.connection = connection,
		.client_task = from.task,
		.server_task = to.task,
		.reader = from.host == to.host ? from.task : KERNEL_NONE,
		.n_messages = 1,
		.first_send = KERNEL_NONE,
		.last_answer = KERNEL_NONE };
	r->connections.item[connection].n++;
	return true;
}

static bool add_exchanges(struct adding *a)
{
	uint32_t n = (uint32_t)a->p->n;
	uint32_t *order = malloc(((size_t)n + 1) * sizeof(*order));
	bool ok = order != NULL;
	for (uint32_t i = 0; ok && i < n; i++)
		order[i] = i;
	if (ok && n)
		qsort_r(order, n, sizeof(*order), by_hosts, a->p->all);
	for (uint32_t i = 0; ok && i < n; i++)
		ok = add_exchange(a, order[i]);
	free(order);
	return ok;
}

/* ---- Requests above and below ---- */

static const struct requests_exchange *exchange_at(const struct adding *a, uint32_t i)
{
	return &a->r->exchanges[i];
}

static uint32_t host_of(const struct adding *a, uint32_t i, enum requests_side side)
{
	return requests_connection_of(a->r, i)->ends[side].host;
}

/* Makes it a child of the request that its first task served, if it lies within that one. */
static void find_parent(struct adding *a, uint32_t own)
{
	struct requests_exchange *x = &a->r->exchanges[own];
	if (x->client_task == KERNEL_NONE)
		return;
	uint32_t served = requests_served_by(
		a->f, host_of(a, own, REQUESTS_CLIENT), x->client_task, x->begin);
	const struct requests_exchange *p = served ? exchange_at(a, served - 1) : NULL;
	if (!p || p->read == REQUESTS_NO_TIME || p->done == REQUESTS_NO_TIME ||
		p->read > x->begin || p->done < x->end)
		return;
	x->parent = served;
	x->confidence = 1;
}

static int by_sender(const void *x, const void *y, void *ctx)
{
	const struct adding *a = ctx;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct requests_exchange *p = exchange_at(a, i), *q = exchange_at(a, k);
	uint32_t h = host_of(a, i, REQUESTS_CLIENT), g = host_of(a, k, REQUESTS_CLIENT);
	if (h != g)
		return h < g ? -1 : 1;
	if (p->client_task != q->client_task)
		return p->client_task < q->client_task ? -1 : 1;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (i > k) - (i < k);
}

/* Was it sent by this task before that time? In the order of `sent`. */
static bool is_before(
	const struct adding *a, uint32_t i, uint32_t host, uint32_t task, int64_t time)
{
	const struct requests_exchange *x = exchange_at(a, i);
	uint32_t h = host_of(a, i, REQUESTS_CLIENT);
	if (h != host)
		return h < host;
	if (x->client_task != task)
		return x->client_task < task;
	return x->begin < time;
}

static bool same_process(const struct kernel_host *h, uint32_t a, uint32_t b)
{
	return a == b || (h->tasks[a].pid >= 0 && h->tasks[a].pid == h->tasks[b].pid);
}

/* Is this task one of those of the own request, or a thread beside them? */
static bool may_send(const struct adding *a, uint32_t own, uint32_t host, uint32_t task)
{
	const struct requests_exchange *x = exchange_at(a, own);
	const struct kernel_host *h = &a->r->w->hosts[host];
	return (host == host_of(a, own, REQUESTS_CLIENT) && x->client_task != KERNEL_NONE &&
		       same_process(h, task, x->client_task)) ||
	       (host == host_of(a, own, REQUESTS_SERVER) && x->server_task != KERNEL_NONE &&
		       same_process(h, task, x->server_task));
}

/* The request that the first task served when it began, or next, plus 1. */
static uint32_t served_first(const struct adding *a, uint32_t own)
{
	const struct requests_exchange *x = exchange_at(a, own);
	uint32_t host = host_of(a, own, REQUESTS_CLIENT);
	if (x->client_task == KERNEL_NONE)
		return 0;
	uint32_t served = requests_served_by(a->f, host, x->client_task, x->begin);
	int64_t next = requests_served_within(a->f, host, x->client_task, x->begin, x->end);
	if (!served && next < x->end)
		served = requests_served_by(a->f, host, x->client_task, next);
	return served;
}

/* How sure it is that what the task sent was sent for this one; 0: it was not. */
static float sureness(
	const struct adding *a, uint32_t own, uint32_t host, uint32_t task, uint32_t of)
{
	const struct requests_exchange *x = exchange_at(a, own);
	bool is_first = host == host_of(a, own, REQUESTS_CLIENT) && task == x->client_task;
	if (is_first)
		return 1;
	if (!of)
		return 0.8F;
	return of == served_first(a, own) ? 1 : 0;
}

/* What a task sent in [begin, end). */
static void claim(
	struct adding *a, uint32_t own, uint32_t host, uint32_t task, int64_t begin, int64_t end)
{
	const struct requests_exchange *x = exchange_at(a, own);
	uint32_t n = a->r->n_found;
	MER_LOWER_BOUND(i, 0, n, at, is_before(a, a->sent[at], host, task, begin));
	for (; i < n && is_before(a, a->sent[i], host, task, end); i++) {
		const struct requests_exchange *c = exchange_at(a, a->sent[i]);
		struct claim *k = &a->claims[a->sent[i]];
		float sure = sureness(a, own, host, task, c->parent);
		if (c->end > x->end || sure <= 0 || k->own == own + 1 || sure < k->confidence)
			continue;
		k->n = sure > k->confidence ? 1 : k->n + 1;
		k->own = own + 1;
		k->confidence = sure;
	}
}

static int claim_on_path(struct adding *a, uint32_t own)
{
	const struct requests_exchange *x = exchange_at(a, own);
	uint32_t from = host_of(a, own, REQUESTS_CLIENT), to = host_of(a, own, REQUESTS_SERVER);
	struct path path;
	int rc = 0;
	/* All that one thread sends. */
	if (x->client_task != KERNEL_NONE && from == to && x->client_task == x->server_task)
		claim(a, own, from, x->client_task, x->begin, x->end);
	if (x->server_task == KERNEL_NONE)
		return 0;
	rc = path_find(a->r->w, to, x->server_task, x->begin, x->end, &path, a->err);
	for (size_t i = 0; rc == 0 && i < path.n_segments; i++) {
		const struct path_segment *s = &path.segments[i];
		if (s->task != KERNEL_NONE && !s->in_flight && may_send(a, own, s->host, s->task))
			claim(a, own, s->host, s->task, s->begin, s->end);
	}
	path_fini(&path);
	return rc;
}

/* What was sent while one of these was served is below that one already. */
static bool give(struct adding *a)
{
	struct requests *r = a->r;
	r->found_parents =
		mer_spill_array(r->w->spill, (size_t)r->n_found + 1, sizeof(*r->found_parents));
	if (!r->found_parents)
		return false;
	for (uint32_t i = 0; i < r->n_found; i++)
		r->found_parents[i] = r->exchanges[i].parent;
	for (uint32_t i = 0; i < r->n_found; i++) {
		struct requests_exchange *c = &r->exchanges[i];
		const struct claim *k = &a->claims[i];
		uint32_t of = r->found_parents[i];
		if (!k->own || (of && a->claims[of - 1].own == k->own) ||
			requests_is_within(r, k->own - 1, i))
			continue;
		c->parent = k->own;
		c->confidence = k->confidence / (float)k->n;
	}
	return true;
}

static int find_below(struct adding *a)
{
	struct requests *r = a->r;
	int rc = 0;
	a->sent = mer_spill_array(r->w->spill, (size_t)r->n_found + 1, sizeof(*a->sent));
	a->claims = mer_spill_array(r->w->spill, (size_t)r->n_found + 1, sizeof(*a->claims));
	if (!a->sent || !a->claims)
		return mer_fail_nomem(a->err);
	for (uint32_t i = 0; i < r->n_found; i++)
		a->sent[i] = i;
	if (r->n_found)
		qsort_r(a->sent, r->n_found, sizeof(*a->sent), by_sender, a);
	for (size_t i = 0; rc == 0 && i < a->p->n; i++) {
		find_parent(a, a->exchange_of[i]);
		rc = kernel_world_go_on(r->w, a->err);
		if (rc == 0)
			rc = claim_on_path(a, a->exchange_of[i]);
	}
	return rc || give(a) ? rc : mer_fail_nomem(a->err);
}

int requests_add_own(struct requests *r, const struct analysis_periods *p, struct mer_err *err)
{
	struct adding a = { .r = r, .p = p, .err = err };
	int rc = requests_parts_finder_new(r, &a.f, err);
	a.exchange_of = mer_spill_array(r->w->spill, p->n + 1, sizeof(*a.exchange_of));
	if (rc == 0 && (!a.exchange_of || !index_tasks(&a) || !add_exchanges(&a)))
		rc = mer_fail_nomem(err);
	if (rc == 0)
		rc = find_below(&a);
	for (uint32_t h = 0; a.before && h < r->w->n_hosts; h++)
		free(a.before[h]);
	free(a.before);
	mer_map_fini(&a.newest);
	mer_spill_release(a.exchange_of);
	mer_spill_release(a.sent);
	mer_spill_release(a.claims);
	requests_parts_finder_free(a.f);
	return rc;
}
