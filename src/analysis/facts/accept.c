/* A connection is ready when the first packet of its client arrives after the first packet sent
 * to it, which ends the handshake. If accept does not return the client's address, the packet
 * that ended the wait in accept is used, if there was one. If packets are not recorded, or the
 * client's port was reused, it is not known when the connection became ready.
 *
 * A worker is a thread that has called accept. Workers of one process form a server; so do those
 * of several processes on one listening socket, if its inode number is known (from the state
 * dump).
 *
 * The client, and whether a thread belongs to a server, may only be known at the end of the
 * recording. Events are held back until then in compact form (in the spill), and become facts
 * only if they are about a server. */
#include "analysis/facts/accept.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "base/grow.h"
#include "base/map.h"
#include "kernel/files/object_name.h"

/* ---- facts ---- */

static int64_t is_spurious(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return f->choice == ACCEPT_SPURIOUS;
}

static const char *const result_names[] = { "connection", "spurious", "error" };
static const struct fact_field accept_fields[] = {
	{ "result", "result", MER_TEXT, FACT_WORDS(result_names),
		FACT_MEMBER(struct fact, choice) },
	{ "accept_delay_ns", "accept delay", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct accept_call, delay_ns), FACT_NONE_IS(FACT_UNKNOWN) },
	{ "server", "server", MER_ID, FACT_TASK, FACT_MEMBER(struct accept_call, server),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "object", "listens on", MER_TEXT, FACT_NAME, FACT_MEMBER(struct accept_call, object),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "client", "client", MER_TEXT, FACT_NAME, FACT_MEMBER(struct accept_call, client),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "connections", NULL, MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct accept_call, connections),
		FACT_NONE_IS(0) },
	{ 0 },
};
static const struct fact_view accept_views[] = {
	{ "is_spurious", NULL, MER_COUNT, FACT_BY_FUNCTION, .get = is_spurious,
		.meaning = FACT_NUMBER },
	{ 0 },
};

static const char *const event_names[] = { "wake-up", "switch", "other switch", "descriptors" };
static const struct fact_field turn_fields[] = {
	{ "event", NULL, MER_TEXT, FACT_WORDS(event_names), FACT_MEMBER(struct fact, choice) },
	{ "server", "server", MER_ID, FACT_TASK, FACT_MEMBER(struct server_turn, server),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "object", "listens on", MER_TEXT, FACT_NAME, FACT_MEMBER(struct server_turn, object),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "descriptors", NULL, MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct server_turn, descriptors),
		FACT_NONE_IS(0) },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_accept = {
	.id = "accept",
	.title = "Calls of accept",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct accept_call),
	.fields = accept_fields,
	.views = accept_views,
};
const struct fact_kind fact_server_turn = {
	.id = "server_turn",
	.title = "What threads of servers did",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct server_turn),
	.of_tasks = true,
	.fields = turn_fields,
};
enum { ACCEPT, TURN };
static const struct fact_kind *const kinds[] = { &fact_accept, &fact_server_turn, NULL };

/* ---- their maker ---- */

struct thread {		 /* state by task */
	uint32_t calls;	 /* of accept; 0: not a worker */
	uint32_t object; /* the socket it listens on: name, plus 1 */
	int64_t woken;	 /* woken last at this time by this packet */
	uint32_t packet; /* plus 1 */
	uint32_t max_fd; /* plus 1 */
	/* Set when everything has been read, each plus 1: */
	uint32_t server;	 /* first worker of its server; 0: not a worker */
	uint32_t first, next;	 /* workers: see find_servers */
	uint32_t process_max_fd; /* in the first worker: maximum of the process so far */
};

struct accepted { /* a call of accept */
	int64_t begin;
	uint32_t name;	      /* of the new descriptor; KERNEL_NONE: not known yet */
	uint32_t packet;      /* packet that ended the wait; KERNEL_NONE */
	uint32_t connections; /* of its process */
	uint16_t cpu, result;
	int64_t ready; /* FACT_UNKNOWN */
};

enum held_kind { HELD_WAKEUP, HELD_SWITCH, HELD_DESCRIPTOR, HELD_ACCEPT };
struct held {
	int64_t time;
	uint32_t task : 30, kind : 2;
	uint32_t value; /* highest descriptor plus 1; or index of the accept call */
};

struct state {
	struct thread *threads;
	size_t cap_threads;
	struct held *held;	   /* a block of the experiment's spill */
	struct accepted *accepted; /* another block */
	size_t n_held, cap_held, n_accepted, cap_accepted;
	size_t n_connections;
	struct mer_map open;   /* process and descriptor -> index in accepted, plus 1 */
	struct mer_map n_open; /* process -> number of open connections */
};

static void free_state(void *state)
{
	struct state *s = state;
	mer_map_fini(&s->open);
	mer_map_fini(&s->n_open);
	free(s->threads);
	mer_spill_release(s->held);
	mer_spill_release(s->accepted);
}

/* ---- while reading ---- */

static struct thread *thread_of(struct state *s, uint32_t task)
{
	return task < s->cap_threads
		       ? &s->threads[task]
		       : mer_grow_at(&s->threads, &s->cap_threads, task, sizeof(*s->threads));
}

static bool hold(
	struct fact_host *f, int64_t time, uint32_t task, enum held_kind kind, uint32_t value)
{
	struct state *s = f->state;
	if (!mer_spill_grow(f->e->spill, &s->held, s->n_held, &s->cap_held, sizeof(*s->held)))
		return false;
	s->held[s->n_held++] = (struct held){ time, task & (UINT32_MAX >> 2), kind & 3u, value };
	return true;
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	const struct kernel_span *k = kernel_span(h, span);
	bool ends_wait = k->state == KERNEL_BLOCKED;
	if ((!ends_wait && k->state != KERNEL_RUNNABLE) || h->tasks[k->task].is_kernel)
		return 0;
	if (ends_wait && k->cause == KERNEL_NETWORK && k->source != KERNEL_NONE) {
		struct thread *t = thread_of(f->state, k->task);
		if (!t)
			return mer_fail_nomem(f->err);
		t->woken = end;
		t->packet = k->source + 1;
	}
	return hold(f, end, k->task, ends_wait ? HELD_WAKEUP : HELD_SWITCH, 0)
		       ? 0
		       : mer_fail_nomem(f->err);
}

/* Threads of a process share its descriptors. */
static uint64_t process_of(const struct kernel_host *h, uint32_t task)
{
	int32_t pid = h->tasks[task].pid;
	return pid >= 0 ? (uint32_t)pid : (uint64_t)1 << 31 | task;
}

static bool opened(struct state *s, const struct kernel_host *h, const struct kernel_call_end *c)
{
	uint64_t process = process_of(h, c->task);
	uint32_t *at = mer_map_put(&s->open, process << 32 | (uint32_t)c->ret);
	if (!at)
		return false;
	bool was_open = *at != 0;
	*at = (uint32_t)s->n_accepted;
	uint32_t *n = mer_map_put(&s->n_open, process);
	if (!n)
		return false;
	*n += !was_open;
	s->accepted[s->n_accepted - 1].connections = *n;
	s->n_connections++;
	return true;
}

static void closed(struct state *s, const struct kernel_host *h, uint32_t task, int32_t fd)
{
	uint64_t process = process_of(h, task);
	uint32_t *at = mer_map_get(&s->open, process << 32 | (uint32_t)fd);
	if (!at || !*at)
		return;
	*at = 0;
	uint32_t *n = mer_map_get(&s->n_open, process);
	if (n && *n)
		--*n;
}

/* A later call on the connection gives the name of its client. */
static void learn_name(
	struct state *s, const struct kernel_host *h, uint32_t task, const struct kernel_call *call)
{
	const uint32_t *at = mer_map_get(&s->open, process_of(h, task) << 32 | (uint32_t)call->fd);
	if (at && *at && s->accepted[*at - 1].name == KERNEL_NONE)
		s->accepted[*at - 1].name = call->object;
}

static bool accepts(struct fact_host *f, const struct kernel_host *h,
	const struct kernel_call *call, const struct kernel_call_end *c)
{
	enum { EAGAIN_ = 11 };
	struct state *s = f->state;
	struct thread *t = thread_of(s, c->task);
	if (!t || !mer_spill_grow(f->e->spill, &s->accepted, s->n_accepted, &s->cap_accepted,
			  sizeof(*s->accepted)))
		return false;
	bool found = c->ret >= 0 && c->ret <= INT32_MAX;
	if (call->object != KERNEL_NONE)
		t->object = call->object + 1;
	t->calls += t->calls < UINT32_MAX;
	s->accepted[s->n_accepted++] = (struct accepted){ .begin = c->begin,
		.name = KERNEL_NONE,
		.packet = t->packet && t->woken >= c->begin ? t->packet - 1 : KERNEL_NONE,
		.cpu = c->cpu,
		.result = found		       ? ACCEPT_CONNECTION
			  : c->ret == -EAGAIN_ ? ACCEPT_SPURIOUS
					       : ACCEPT_ERROR,
		.ready = FACT_UNKNOWN };
	return hold(f, c->end, c->task, HELD_ACCEPT, (uint32_t)(s->n_accepted - 1)) &&
	       (!found || opened(s, h, c));
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	const struct kernel_call *call = &h->calls[c->call];
	int32_t fd = call->fd;
	switch (c->kind) {
	case KERNEL_CALL_ACCEPT:
	case KERNEL_CALL_OPEN:
	case KERNEL_CALL_OPEN_AT:
	case KERNEL_CALL_SOCKET:
	case KERNEL_CALL_DUP: fd = c->ret > fd && c->ret <= INT32_MAX ? (int32_t)c->ret : fd; break;
	case KERNEL_CALL_CLOSE:
		if (s->n_connections && fd >= 0)
			closed(s, h, c->task, fd);
		fd = -1; /* some programs close all possible descriptors */
		break;
	default: break;
	}
	if (fd >= 0) {
		struct thread *t = thread_of(s, c->task);
		if (!t)
			return mer_fail_nomem(f->err);
		if ((uint32_t)fd + 1 > t->max_fd) {
			t->max_fd = (uint32_t)fd + 1;
			if (!hold(f, c->end, c->task, HELD_DESCRIPTOR, t->max_fd))
				return mer_fail_nomem(f->err);
		}
	}
	if (c->kind == KERNEL_CALL_ACCEPT)
		return accepts(f, h, call, c) ? 0 : mer_fail_nomem(f->err);
	if (s->n_connections && call->fd >= 0 && call->kind == KERNEL_OBJECT_SOCKET &&
		call->object != KERNEL_NONE)
		learn_name(s, h, c->task, call);
	return 0;
}

/* ---- when connections became ready ---- */

struct client {			 /* address and port of a client with an accepted connection */
	int64_t answered, ready; /* FACT_UNKNOWN: not yet */
	uint32_t n;
};

static void look_at_packets(const struct kernel_world *w, uint32_t host, const struct mer_map *map,
	struct client *clients)
{
	for (uint32_t i = 0; i < w->n_bridges; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(w, i);
		const uint32_t *at;
		if (p->kind != SYNC_TCP || !p->from.endpoint)
			continue;
		at = p->from.host == host ? mer_map_get(map, p->to.endpoint) : NULL;
		if (at && clients[*at - 1].answered == FACT_UNKNOWN)
			clients[*at - 1].answered = p->from.time;
		at = p->to.host == host ? mer_map_get(map, p->from.endpoint) : NULL;
		if (at) {
			struct client *x = &clients[*at - 1];
			if (x->ready == FACT_UNKNOWN && x->answered != FACT_UNKNOWN &&
				p->to.time > x->answered)
				x->ready = p->to.time;
		}
	}
}

static bool find_ready(
	const struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	struct mer_map map = { 0 };
	struct client *clients = calloc(s->n_connections + 1, sizeof(*clients));
	uint32_t n = 0;
	bool ok = clients != NULL;
	for (size_t i = 0; i < s->n_accepted && ok; i++) {
		uint32_t peer = kernel_name_endpoint(kernel_name_text(h, s->accepted[i].name));
		uint32_t *at = peer ? mer_map_put(&map, peer) : NULL;
		ok = !peer || at;
		if (!at)
			continue;
		if (!*at)
			*at = ++n;
		clients[*at - 1].n++;
		clients[*at - 1].answered = clients[*at - 1].ready = FACT_UNKNOWN;
	}
	if (ok && map.n)
		look_at_packets(w, f->host, &map, clients);
	for (size_t i = 0; i < s->n_accepted && ok; i++) {
		struct accepted *x = &s->accepted[i];
		uint32_t peer = kernel_name_endpoint(kernel_name_text(h, x->name));
		const uint32_t *at = peer ? mer_map_get(&map, peer) : NULL;
		const struct client *c = at && *at ? &clients[*at - 1] : NULL;
		x->ready = c && c->n == 1 ? c->ready : FACT_UNKNOWN;
		if (!peer && x->packet != KERNEL_NONE && x->result == ACCEPT_CONNECTION)
			x->ready = kernel_bridge_at(w, x->packet)->to.time;
	}
	mer_map_fini(&map);
	free(clients);
	return ok;
}

/* ---- which workers form a server ---- */

static uint64_t server_key(const struct kernel_host *h, const struct thread *t, uint32_t task)
{
	const char *object = t->object ? kernel_name_text(h, t->object - 1) : NULL;
	if (object && strncmp(object, "socket:[", 8) == 0)
		return (uint64_t)1 << 63 | t->object;
	return process_of(h, task);
}

/* A process whose threads listen on several sockets belongs to several servers: thread.first is
 * its first worker, `next` of that worker is the first worker of another server, and so on. */
static bool find_servers(struct state *s, const struct kernel_host *h)
{
	struct mer_map servers = { 0 }, processes = { 0 };
	uint32_t n = h->n_tasks;
	bool ok = n == 0 || thread_of(s, n - 1); /* including those that made no calls */
	for (uint32_t i = 0; i < n && ok; i++) {
		struct thread *t = &s->threads[i];
		if (!t->calls)
			continue;
		uint32_t *at = mer_map_put(&servers, server_key(h, t, i));
		uint32_t *last = mer_map_put(&processes, process_of(h, i));
		ok = at && last;
		if (!ok)
			break;
		*at = *at ? *at : i + 1;
		t->server = *at;
		while (*last && s->threads[*last - 1].server != t->server)
			last = &s->threads[*last - 1].next;
		*last = *last ? *last : i + 1;
	}
	for (uint32_t i = 0; i < n && ok; i++) {
		const uint32_t *first = mer_map_get(&processes, process_of(h, i));
		s->threads[i].first = first ? *first : 0;
	}
	mer_map_fini(&servers);
	mer_map_fini(&processes);
	return ok;
}

/* ---- facts from what was held back ---- */

static int add_turn(struct fact_host *f, const struct kernel_host *h, int64_t time, uint32_t worker,
	enum server_event event, uint32_t descriptors)
{
	const struct state *s = f->state;
	const struct thread *t = &s->threads[worker];
	if (!fact_is_used(f, TURN))
		return 0;
	return fact_add(f, h, TURN,
		&(struct server_turn){
			.fact = { time, time, worker, KERNEL_NO_CPU, (uint16_t)event },
			.server = t->server - 1,
			.object = t->object ? t->object - 1 : KERNEL_NONE,
			.descriptors = descriptors });
}

/* Adds the switch to each server that the thread's process belongs to. */
static int add_switch(struct fact_host *f, const struct kernel_host *h, const struct held *x)
{
	const struct state *s = f->state;
	const struct thread *t = &s->threads[x->task];
	int rc = 0;
	for (uint32_t at = t->first; at && rc == 0; at = s->threads[at - 1].next) {
		bool own = t->server == s->threads[at - 1].server;
		rc = add_turn(f, h, x->time, own ? x->task : at - 1,
			own ? SERVER_SWITCH : SERVER_OTHER_SWITCH, 0);
	}
	return rc;
}

static int add_descriptor(struct fact_host *f, const struct kernel_host *h, const struct held *x)
{
	const struct state *s = f->state;
	uint32_t first = s->threads[x->task].first;
	int rc = 0;
	if (!first || x->value <= s->threads[first - 1].process_max_fd)
		return 0;
	s->threads[first - 1].process_max_fd = x->value;
	for (uint32_t at = first; at && rc == 0; at = s->threads[at - 1].next)
		rc = add_turn(f, h, x->time, at - 1, SERVER_DESCRIPTORS, x->value);
	return rc;
}

static int add_accept(struct fact_host *f, const struct kernel_host *h, const struct held *x)
{
	const struct state *s = f->state;
	const struct thread *t = &s->threads[x->task];
	const struct accepted *a = &s->accepted[x->value];
	uint32_t descriptors = s->threads[t->first - 1].process_max_fd;
	int rc = 0;
	if (fact_is_used(f, ACCEPT))
		rc = fact_add(f, h, ACCEPT,
			&(struct accept_call){
				.fact = { a->begin, x->time, x->task, a->cpu, a->result },
				.delay_ns = a->ready != FACT_UNKNOWN && a->ready <= x->time
						    ? x->time - a->ready
						    : FACT_UNKNOWN,
				.server = t->server - 1,
				.object = t->object ? t->object - 1 : KERNEL_NONE,
				.client = a->name,
				.connections = a->connections });
	/* A part of the time may have calls of accept, but none that raised the maximum
	 * descriptor. */
	return rc || !descriptors
		       ? rc
		       : add_turn(f, h, x->time, x->task, SERVER_DESCRIPTORS, descriptors);
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	int rc = 0;
	if (s->n_accepted == 0)
		return 0;
	if (!find_servers(s, h) || !find_ready(f, w, h))
		return mer_fail_nomem(f->err);
	for (size_t i = 0; i < s->n_held && rc == 0; i++) {
		const struct held *x = &s->held[i];
		switch ((enum held_kind)x->kind) {
		case HELD_WAKEUP:
			if (s->threads[x->task].calls)
				rc = add_turn(f, h, x->time, x->task, SERVER_WAKEUP, 0);
			break;
		case HELD_SWITCH: rc = add_switch(f, h, x); break;
		case HELD_DESCRIPTOR: rc = add_descriptor(f, h, x); break;
		case HELD_ACCEPT: rc = add_accept(f, h, x); break;
		}
	}
	return rc;
}

static const struct fact_maker maker = {
	.id = "accept",
	.kinds = kinds,
	.messages = true,
	.state_size = sizeof(struct state),
	.on = { .span = on_span, .call = on_call },
	.end = end,
	.free_state = free_state,
};
