/* Connections: which descriptors are the two ends of one, and which task's bytes each reader got.
 *
 * The addresses and ports in packets are what both ends know of a connection. A descriptor belongs
 * to the connection of the packets that its calls sent; if there are none, to that of packets from
 * the peer returned by accept, or to that of the descriptor it was inherited from. Data written at
 * one end is read at the other end in that order, whichever tasks write, read, or wait there. */
#include "analysis/relations/connections.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/files/object_name.h"
#include "kernel/local_endpoints.h"

struct finder {
	const struct analysis_run *run;
	struct relation_connections *c;
	struct kernel_local_endpoints local;
};

static const struct relation_state *state(const struct analysis_run *run, uint32_t host)
{
	return run->states[host];
}

static struct relation_flow *flow_at(const struct analysis_run *run, uint32_t host, uint32_t flow)
{
	return &state(run, host)->flows[flow];
}

/* ---- which connection a descriptor is an end of ---- */

/* The majority decides: if interrupts are not recorded, packets sent by interrupts seem to be
 * sent by calls. */
static void vote(struct relation_flow *f, const struct kernel_bridge *p)
{
	if (!mer_majority_vote(&f->sent, (uint64_t)p->from.endpoint << 32 | p->to.endpoint))
		return;
	f->local = p->from.endpoint;
	f->remote = p->to.endpoint;
	f->packet_kind = p->kind;
}

/* Flows are in the order of their creation: the original of a copy comes before it. */
static bool identify(struct finder *x, uint32_t host, uint32_t number)
{
	struct relation_flow *f = flow_at(x->run, host, number);
	const struct relation_flow *was = f->copy_of ? flow_at(x->run, host, f->copy_of - 1) : NULL;
	if (was && was->object == f->object) {
		f->begin = was->begin; /* of the same connection */
		f->is_connected = was->is_connected;
	}
	if (f->sent.votes)
		return true;
	if (was && was->object == f->object && was->local) {
		f->local = was->local;
		f->remote = was->remote;
		f->packet_kind = was->packet_kind;
		return true;
	}
	uint32_t remote = f->is_connected ? 0
					  : kernel_name_endpoint(kernel_name_text(
						    &x->run->world->hosts[host], f->object));
	f->packet_kind = SYNC_TCP;
	f->remote = remote;
	return !remote || kernel_local_endpoint(&x->local, host, remote, &f->local);
}

static int by_connection(const void *a, const void *b)
{
	const struct relation_end *p = a, *q = b;
	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	if (p->opened != q->opened)
		return p->opened ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return (p->flow > q->flow) - (p->flow < q->flow);
}

static bool add_end(struct finder *x, uint32_t host, uint32_t number)
{
	struct relation_connections *c = x->c;
	const struct relation_flow *f = flow_at(x->run, host, number);
	if (!f->local)
		return true;
	if (f->packet_kind == SYNC_UDP) {
		uint32_t *at = mer_map_put(&c->udp, (uint64_t)host << 32 | f->local);
		if (at)
			*at = number + 1;
		return at != NULL;
	}
	if (f->packet_kind != SYNC_TCP)
		return true;
	struct relation_end *e = mer_grow_at(&c->ends, &c->cap, c->n, sizeof(*e));
	if (!e)
		return false;
	*e = (struct relation_end){ .key = kernel_endpoints_key(f->local, f->remote),
		.begin = f->begin,
		.host = host,
		.flow = number,
		.local = f->local,
		.opened = f->is_connected && !f->copy_of };
	c->n++;
	return true;
}

bool relation_connections_find(struct relation_connections *c, const struct analysis_run *run)
{
	const struct kernel_world *w = run->world;
	struct finder x = { .run = run, .c = c, .local.w = run->world };
	bool ok = true;
	c->run = run;
	for (uint32_t h = 0; h < w->n_hosts; h++) {
		const struct relation_state *s = state(run, h);
		for (size_t i = 0; i < s->n_sends; i++) {
			const struct relation_send *send = &s->sends[i];
			const struct kernel_bridge *p = kernel_bridge_at(w, send->packet);
			if (send->flow && p->from.endpoint)
				vote(&s->flows[send->flow - 1], p);
		}
	}
	for (uint32_t h = 0; ok && h < w->n_hosts; h++)
		for (size_t i = 0; ok && i < state(run, h)->n_flows; i++)
			ok = identify(&x, h, (uint32_t)i) && add_end(&x, h, (uint32_t)i);
	kernel_local_endpoints_fini(&x.local);
	if (c->n)
		qsort(c->ends, c->n, sizeof(*c->ends), by_connection);
	for (size_t i = 0; ok && i < c->n; i++) {
		uint32_t *at = mer_map_put(&c->first, c->ends[i].key);
		ok = at != NULL;
		if (ok && !*at)
			*at = (uint32_t)i + 1;
	}
	return ok;
}

void relation_connections_fini(struct relation_connections *c)
{
	mer_map_fini(&c->first);
	mer_map_fini(&c->udp);
	free(c->ends);
	*c = (struct relation_connections){ 0 };
}

/* The ends of a packet's connection, and of earlier and later connections with the same
 * addresses. */
static const struct relation_end *ends_of(
	const struct relation_connections *c, const struct kernel_bridge *p, size_t *n)
{
	uint64_t key = kernel_endpoints_key(p->from.endpoint, p->to.endpoint);
	const uint32_t *at =
		p->from.endpoint && p->kind == SYNC_TCP ? mer_map_get(&c->first, key) : NULL;
	*n = 0;
	if (!at || !*at)
		return NULL;
	while (*at - 1 + *n < c->n && c->ends[*at - 1 + *n].key == key)
		(*n)++;
	return &c->ends[*at - 1];
}

static const char *name_of_end(const struct relation_connections *c, const struct relation_end *e)
{
	return kernel_name_text(
		&c->run->world->hosts[e->host], flow_at(c->run, e->host, e->flow)->object);
}

static const char *name_of_ends(
	const struct relation_connections *c, const struct relation_end *e, size_t n)
{
	const char *name = "";
	for (size_t i = 0; i < n; i++) {
		const char *text = name_of_end(c, &e[i]);
		if (e[i].opened && kernel_name_endpoint(text))
			return text;
		if (!*name || (!kernel_name_endpoint(name) && kernel_name_endpoint(text)))
			name = text;
	}
	return name;
}

bool relation_is_address(const char *name)
{
	return strchr(name, ':') && !strstr(name, ":[");
}

const char *relation_name_between(
	const struct kernel_world *w, uint32_t a, uint32_t b, char text[KERNEL_ENDPOINT_BYTES])
{
	char other[KERNEL_ENDPOINT_BYTES];
	uint16_t port = 0, its = 0;
	bool has = kernel_endpoint_text(w, a, text, &port);
	if (kernel_endpoint_text(w, b, other, &its) && (!has || its < port))
		memcpy(text, other, sizeof(other));
	else if (!has)
		text[0] = '\0';
	return text;
}

const char *relation_connection_name(
	const struct relation_connections *c, const struct kernel_bridge *p)
{
	size_t n;
	const struct relation_end *e = ends_of(c, p, &n);
	return name_of_ends(c, e, n);
}

bool relation_connection_writer(
	const struct relation_connections *c, const struct kernel_bridge *p, uint32_t *task)
{
	size_t n;
	const struct relation_end *e = ends_of(c, p, &n);
	int64_t last = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		if (e[i].host != p->from.host || e[i].local != p->from.endpoint ||
			e[i].begin > p->from.time)
			continue;
		const struct relation_run *runs = state(c->run, e[i].host)->runs;
		struct relation_flow *f = flow_at(c->run, e[i].host, e[i].flow);
		uint32_t run = f->writer_run;
		/* Packets usually come in time order, so the search rarely starts at the first
		 * run. */
		if (!run || runs[run - 1].first > p->from.time)
			run = f->first_run[RELATION_WRITES];
		for (; run && runs[run - 1].first <= p->from.time; run = runs[run - 1].next)
			f->writer_run = run;
		run = f->writer_run;
		if (run && runs[run - 1].first <= p->from.time && runs[run - 1].first >= last) {
			last = runs[run - 1].first;
			*task = runs[run - 1].task;
		}
	}
	return last != INT64_MIN;
}

const struct relation_flow *relation_udp_reader(
	const struct relation_connections *c, const struct kernel_bridge *p)
{
	const uint32_t *at =
		p->kind == SYNC_UDP && p->to.endpoint
			? mer_map_get(&c->udp, (uint64_t)p->to.host << 32 | p->to.endpoint)
			: NULL;
	return at && *at ? flow_at(c->run, p->to.host, *at - 1) : NULL;
}

/* ---- what was written and read ---- */

struct item { /* a run of calls, and how much of it is left */
	const struct relation_run *run;
	uint32_t host;
	uint64_t n, bytes;
};

struct items {
	struct item *item;
	size_t n, cap;
};

static int by_first(const void *a, const void *b)
{
	const struct item *p = a, *q = b;
	if (p->run->first != q->run->first)
		return p->run->first < q->run->first ? -1 : 1;
	return p->run < q->run ? -1 : p->run > q->run;
}

static bool collect(const struct relation_connections *c, const struct relation_end *e, size_t n,
	uint32_t local, enum relation_way way, struct items *out)
{
	out->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct relation_state *s = state(c->run, e[i].host);
		uint32_t run = s->flows[e[i].flow].first_run[way];
		if (e[i].local != local)
			continue;
		for (; run; run = s->runs[run - 1].next) {
			const struct relation_run *r = &s->runs[run - 1];
			struct item *x =
				mer_grow_at(&out->item, &out->cap, out->n, sizeof(*out->item));
			if (!x)
				return false;
			*x = (struct item){ r, e[i].host, r->n, r->bytes };
			out->n++;
		}
	}
	if (out->n)
		qsort(out->item, out->n, sizeof(*out->item), by_first);
	return true;
}

struct giving {
	const struct relation_connections *c;
	struct relation_set *set;
	struct mer_intern *texts;
	const char *name;
};

/* Takes `got` bytes of w and gives them to the task that read them. */
static bool give(const struct giving *g, struct item *w, uint32_t host, uint32_t task, uint64_t got)
{
	const struct relation_run *run = w->run;
	uint64_t n =
		got >= w->bytes ? w->n : (uint64_t)((double)w->n * (double)got / (double)w->bytes);
	n = n < w->n ? n : w->n;
	struct relation r = { .from_host = w->host,
		.from = run->task,
		.to_host = host,
		.to = task,
		.kind = RELATION_TCP,
		.object = RELATION_NO_OBJECT,
		.has_bytes = true,
		.n_given = n,
		.bytes = got,
		.first = run->first,
		.last = run->last };
	w->n -= n;
	w->bytes -= got;
	if (!run->is_asked || (r.from_host == host && r.from == task))
		return true;
	if (*g->name) {
		uint32_t id = mer_intern_add(g->texts, g->name, strlen(g->name));
		if (id == MER_INTERN_NONE)
			return false;
		r.object = id;
	}
	return relation_add(g->set, &r);
}

/* Assigns what was written to the readers, in order. What nobody read goes to the last reader,
 * or to the owner of the descriptor at the other end. */
static bool give_all(const struct giving *g, const struct items *writes, const struct items *reads,
	bool is_whole, const struct relation_end *other)
{
	uint32_t host = other->host, task = flow_at(g->c->run, host, other->flow)->owner;
	size_t k = 0;
	/* Data read before anything was written had been written before the recording. */
	while (!is_whole && k < reads->n && writes->n &&
		reads->item[k].run->last < writes->item[0].run->first)
		k++;
	for (size_t i = 0; i < writes->n; i++) {
		struct item *w = &writes->item[i];
		for (; w->bytes && k < reads->n; k++) {
			struct item *r = &reads->item[k];
			uint64_t got = r->bytes < w->bytes ? r->bytes : w->bytes;
			host = r->host;
			task = r->run->task;
			r->bytes -= got;
			if (!give(g, w, host, task, got))
				return false;
			if (r->bytes)
				break;
		}
		if (w->bytes && !give(g, w, host, task, w->bytes))
			return false;
	}
	return true;
}

/* One connection: both ways. */
static bool give_both(const struct giving *g, const struct relation_end *e, size_t n,
	struct items *writes, struct items *reads)
{
	const struct relation_end *sides[2] = { &e[0], NULL };
	bool is_whole = e[0].opened, ok = true;
	for (size_t i = 1; i < n && !sides[1]; i++)
		if (e[i].local != e[0].local)
			sides[1] = &e[i];
	if (!sides[1])
		return true;
	for (int way = 0; ok && way < 2; way++)
		ok = collect(g->c, e, n, sides[way]->local, RELATION_WRITES, writes) &&
		     collect(g->c, e, n, sides[1 - way]->local, RELATION_READS, reads) &&
		     give_all(g, writes, reads, is_whole, sides[1 - way]);
	for (size_t i = 0; i < n; i++)
		flow_at(g->c->run, e[i].host, e[i].flow)->is_joined = true;
	return ok;
}

bool relation_connections_give(
	const struct relation_connections *c, struct relation_set *set, struct mer_intern *texts)
{
	struct items writes = { 0 }, reads = { 0 };
	bool ok = true;
	for (size_t i = 0, k; ok && i < c->n; i = k) {
		/* A connection begins with the end that opened it; the next such end is of another
		 * one, because addresses and ports are reused. */
		for (k = i + 1; k < c->n && c->ends[k].key == c->ends[i].key && !c->ends[k].opened;
			k++)
			;
		const struct relation_end *e = &c->ends[i];
		struct giving g = { c, set, texts, name_of_ends(c, e, k - i) };
		char text[KERNEL_ENDPOINT_BYTES];
		if (!relation_is_address(g.name)) {
			uint32_t remote = flow_at(c->run, e->host, e->flow)->remote;
			const char *name =
				relation_name_between(c->run->world, e->local, remote, text);
			g.name = *name ? name : g.name;
		}
		ok = give_both(&g, &c->ends[i], k - i, &writes, &reads);
	}
	free(writes.item);
	free(reads.item);
	return ok;
}
