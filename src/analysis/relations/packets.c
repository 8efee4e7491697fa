/* Packets: which task sent the packet that ended a wait. Hosts are read in parallel, so data is
 * collected for each host; when all have been read, the two ends are joined.
 *
 * Data written to a connection with both ends known goes to its reader (connections.c). If
 * packets have no addresses, or an end is not known, it goes to the task that a packet of the
 * connection woke; and what that task writes to its descriptor goes the other way. */
#include <stdlib.h>
#include <string.h>

#include "analysis/relations/connections.h"

enum { ANSWERS = 64 }; /* maximum length of a chain of packets that answer each other */

/* ---- while hosts are read ---- */

/* May the call be a write to a device that takes packets (a tap)? Packets to sockets are received
 * in interrupts. */
static bool writes_packets(const struct kernel_host *h, const struct relation_use *u)
{
	return u->role == ROLE_WRITE && h->has_interrupts &&
	       (u->kind == KERNEL_OBJECT_UNKNOWN || u->kind == KERNEL_OBJECT_FILE);
}

static int note_tap(struct analysis_host *a, uint32_t task)
{
	struct relation_task *t = relation_task(a, task);
	if (!t)
		return mer_fail_nomem(a->err);
	t->has_tap = true;
	return 0;
}

int relation_on_packet(void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p)
{
	struct analysis_host *a = ctx;
	struct relation_state *s = relation_state(a);
	struct relation_use u;
	bool no_memory = false;
	if (p->in_interrupt || p->task == KERNEL_NONE || (p->is_send && p->packet == KERNEL_NONE))
		return 0;
	u = relation_use_of(h, relation_call_now(h, p->task));
	if (!p->is_send)
		return writes_packets(h, &u) ? note_tap(a, p->task) : 0;
	/* The kernel's answer to a packet that the task wrote to a tap. */
	if (writes_packets(h, &u) && relation_has_tap(s, p->task))
		return 0;
	struct relation_send *send =
		mer_grow_at(&s->sends, &s->cap_sends, s->n_sends, sizeof(*send));
	if (!send)
		return mer_fail_nomem(a->err);
	*send = (struct relation_send){
		.packet = p->packet, .task = p->task, .object = u.object, .time = p->time
	};
	s->n_sends++;
	/* An unknown object that sends packets during a write is a socket, too. */
	bool is_socket =
		u.kind == KERNEL_OBJECT_SOCKET ||
		(u.kind == KERNEL_OBJECT_UNKNOWN && u.role == ROLE_WRITE && h->has_interrupts);
	if (u.fd < 0 || !is_socket)
		return 0;
	send->flow = relation_flow_of(a, h, p->task, u.fd, true, &no_memory);
	if (no_memory)
		return mer_fail_nomem(a->err);
	struct relation_flow *f = &s->flows[send->flow - 1];
	if (f->object == KERNEL_NONE)
		f->object = u.object;
	f->last_send = (uint32_t)s->n_sends;
	send->n = f->n;
	send->bytes = f->bytes;
	f->n = f->bytes = 0;
	return 0;
}

int relation_arrived(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_span *s, int64_t end)
{
	struct relation_state *t = relation_state(a);
	struct relation_use u;
	bool no_memory = false;
	if (h->tasks[s->task].is_kernel)
		return 0;
	u = relation_use_of(h, s->call);
	struct relation_arrival *x =
		mer_grow_at(&t->arrivals, &t->cap_arrivals, t->n_arrivals, sizeof(*x));
	if (!x)
		return mer_fail_nomem(a->err);
	*x = (struct relation_arrival){ .packet = s->source,
		.task = s->task,
		.wait_ns = analysis_overlap(a->run->options, s->begin, end),
		.time = end };
	t->n_arrivals++;
	if (u.role == ROLE_ACCEPT) {
		struct relation_task *task = relation_task(a, s->task);
		if (!task)
			return mer_fail_nomem(a->err);
		task->accepting = (uint32_t)t->n_arrivals;
		return 0;
	}
	if (u.kind != KERNEL_OBJECT_SOCKET || u.fd < 0)
		return 0;
	x->flow = relation_flow_of(a, h, s->task, u.fd, true, &no_memory);
	if (no_memory)
		return mer_fail_nomem(a->err);
	struct relation_flow *f = &t->flows[x->flow - 1];
	if (f->object == KERNEL_NONE)
		f->object = u.object;
	return 0;
}

int relation_accepted(
	struct analysis_host *a, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct relation_state *s = relation_state(a);
	uint32_t arrival = c->task < s->cap_tasks ? s->tasks[c->task].accepting : 0;
	bool no_memory = false;
	if (!arrival)
		return 0;
	s->tasks[c->task].accepting = 0;
	if (c->ret < 0 || c->ret > INT32_MAX)
		return 0;
	s->arrivals[arrival - 1].flow =
		relation_flow_of(a, h, c->task, (int32_t)c->ret, true, &no_memory);
	return no_memory ? mer_fail_nomem(a->err) : 0;
}

/* ---- when all are read ---- */

struct arrival_of {		/* the first wait that a packet ended */
	uint32_t host, arrival; /* plus 1 */
};

struct join {
	const struct analysis_run *run;
	const struct kernel_world *w;
	uint32_t *send_of; /* by packet: number in the sender's sends, plus 1 */
	struct arrival_of *arrival_of;
	struct relation_connections connections;
	struct relation_set *set;
	struct mer_intern *texts;
	struct mer_map
		*by_ends; /* endpoints of a connection -> name made of them, in texts, plus 1 */
};

static struct relation_state *state(const struct join *j, uint32_t host)
{
	return j->run->states[host];
}

static const struct relation_send *send_of(const struct join *j, uint32_t packet)
{
	uint32_t i = j->send_of[packet];
	return i ? &state(j, kernel_bridge_at(j->w, packet)->from.host)->sends[i - 1] : NULL;
}

/* The send call behind this packet. A host may have sent the packet by itself, when an answer to an
 * earlier packet arrived: then the chain of answers is followed back to a packet that a task sent
 * (*sent). NULL: not known. */
static const struct relation_send *sender_of(
	const struct join *j, uint32_t packet, uint32_t to_host, uint32_t to, uint32_t *sent)
{
	uint32_t from = kernel_bridge_at(j->w, packet)->from.host;
	for (int i = 0; i < ANSWERS && packet < j->w->n_bridges; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(j->w, packet);
		const struct relation_send *s = send_of(j, packet);
		*sent = packet;
		if (s && p->from.host == from && p->to.host == to_host &&
			(from != to_host || s->task != to))
			return s;
		packet = p->answers;
	}
	return NULL;
}

static struct relation_flow *flow_of(const struct join *j, uint32_t host, uint32_t number)
{
	return number ? &state(j, host)->flows[number - 1] : NULL;
}

/* A majority vote: of packets that arrive together only the last one is seen, so a wait may be
 * attributed to the wrong packet. */
static void link_flow(struct relation_flow *f, uint32_t host, uint32_t task, uint32_t flow)
{
	if (!f)
		return;
	if (f->is_linked && f->to_host == host && f->to_task == task) {
		f->votes++;
		f->to_flow = f->to_flow ? f->to_flow : flow;
		return;
	}
	if (f->is_linked && --f->votes > 0)
		return;
	f->is_linked = true;
	f->votes = 1;
	f->to_host = host;
	f->to_task = task;
	f->to_flow = flow;
}

static void link_flows(const struct join *j)
{
	for (uint32_t h = 0; h < j->w->n_hosts; h++) {
		const struct relation_state *s = state(j, h);
		for (size_t i = 0; i < s->n_arrivals; i++) {
			const struct relation_arrival *x = &s->arrivals[i];
			uint32_t sent, from = kernel_bridge_at(j->w, x->packet)->from.host;
			const struct relation_send *send =
				sender_of(j, x->packet, h, x->task, &sent);
			if (!send)
				continue;
			if (sent != x->packet)
				/* which of its connections the answer is of is not known */
				continue;
			if (!j->arrival_of[sent].arrival)
				j->arrival_of[sent] = (struct arrival_of){ h, (uint32_t)i + 1 };
			link_flow(flow_of(j, from, send->flow), h, x->task, x->flow);
			if (send->flow)
				link_flow(flow_of(j, h, x->flow), from, send->task, send->flow);
		}
	}
}

/* If the other end of a flow waited in poll, only its task is known, but not its flow. If each of
 * two tasks has exactly one such flow to the other, these are the two ends of one connection. */
static bool pair_flows(const struct join *j)
{
	struct mer_map map = { 0 };
	bool ok = true;
	for (int finding = 0; ok && finding < 2; finding++)
		for (uint32_t h = 0; ok && h < j->w->n_hosts; h++)
			for (size_t i = 0; ok && i < state(j, h)->n_flows; i++) {
				struct relation_flow *f = &state(j, h)->flows[i];
				uint32_t own[] = { h, f->owner, f->to_host, f->to_task };
				uint32_t back[] = { f->to_host, f->to_task, h, f->owner };
				uint32_t *at;
				if (!f->is_linked || f->to_flow)
					continue;
				if (finding) {
					at = mer_map_get(&map, mer_hash(back, sizeof(back)));
					f->to_flow = at && *at != UINT32_MAX ? *at : 0;
					continue;
				}
				at = mer_map_put(&map, mer_hash(own, sizeof(own)));
				ok = at != NULL;
				if (ok)
					*at = *at ? UINT32_MAX : (uint32_t)i + 1;
			}
	mer_map_fini(&map);
	return ok;
}

/* Name of the connection: as at the end that opened it, if that is known. */
static const char *name_of(const struct join *j, uint32_t host, uint32_t number, uint32_t object)
{
	const struct relation_flow *f = flow_of(j, host, number), *g = NULL;
	const char *other = "", *own = kernel_name_text(&j->w->hosts[host], f ? f->object : object);
	if (f && f->is_linked) {
		g = flow_of(j, f->to_host, f->to_flow);
		other = g ? kernel_name_text(&j->w->hosts[f->to_host], g->object) : "";
	}
	if (f && f->is_connected)
		return own;
	if (g && g->is_connected)
		return other;
	return relation_is_address(own) || !relation_is_address(other) ? own : other;
}

static enum relation_kind kind_of(const struct kernel_bridge *p)
{
	return p->kind == SYNC_TCP   ? RELATION_TCP
	       : p->kind == SYNC_UDP ? RELATION_UDP
				     : RELATION_NETWORK;
}

/* The name, if it is an address; otherwise one made of the endpoints in the packets, once for each
 * connection. */
static const char *by_address(const struct join *j, const char *name, uint32_t a, uint32_t b)
{
	if (relation_is_address(name))
		return name;
	uint32_t *at = mer_map_put(j->by_ends, (uint64_t)a << 32 | b);
	if (!at)
		return NULL;
	if (!*at) {
		char text[KERNEL_ENDPOINT_BYTES];
		relation_name_between(j->w, a, b, text);
		uint32_t id = mer_intern_add(j->texts, text, strlen(text));
		if (id == MER_INTERN_NONE)
			return NULL;
		*at = id + 1;
	}
	const char *text = mer_intern_text(j->texts, *at - 1);
	return *text ? text : name;
}

/* name: NULL, there is no memory. */
static bool add(const struct join *j, struct relation *r, const char *name)
{
	if (!name)
		return false;
	r->object = RELATION_NO_OBJECT;
	if (*name) {
		uint32_t id = mer_intern_add(j->texts, name, strlen(name));
		if (id == MER_INTERN_NONE)
			return false;
		r->object = id;
	}
	return relation_add(j->set, r);
}

static bool add_waits(const struct join *j, uint32_t host)
{
	const struct relation_state *s = state(j, host);
	const struct analysis_options *o = j->run->options;
	for (size_t i = 0; i < s->n_arrivals; i++) {
		const struct relation_arrival *x = &s->arrivals[i];
		const struct kernel_bridge *p = kernel_bridge_at(j->w, x->packet);
		uint32_t sent;
		const struct relation_send *send = sender_of(j, x->packet, host, x->task, &sent);
		const struct relation_flow *own = flow_of(j, host, x->flow);
		if (!send || !analysis_is_asked(o, x->time))
			continue;
		/* A packet that the host sent by itself belongs to the connection that the task
		 * waited on. */
		bool by_flow =
			sent != x->packet && own && own->is_linked && own->to_host == p->from.host;
		uint32_t from = by_flow ? own->to_task : send->task;
		if (sent != x->packet)
			relation_connection_writer(&j->connections, p, &from);
		if (p->from.host == host && from == x->task)
			from = send->task;
		struct relation r = { .from_host = p->from.host,
			.from = from,
			.to_host = host,
			.to = x->task,
			.kind = (uint8_t)kind_of(p),
			.n_waits = 1,
			.wait_ns = x->wait_ns,
			.first = x->time,
			.last = x->time };
		/* A task that is about to exit is not in a call on its socket. */
		bool own_name = by_flow || (!send->flow && x->flow);
		const char *name = relation_connection_name(&j->connections, p);
		if (!*name)
			name = own_name ? name_of(j, host, x->flow, KERNEL_NONE)
					: name_of(j, p->from.host, send->flow, send->object);
		if (!add(j, &r, by_address(j, name, p->from.endpoint, p->to.endpoint)))
			return false;
	}
	return true;
}

/* Finds the task that read the data sent with this packet. */
static bool find_reader(
	const struct join *j, uint32_t host, const struct relation_send *send, struct relation *r)
{
	struct arrival_of a = j->arrival_of[send->packet];
	const struct relation_flow *f = flow_of(j, host, send->flow);
	if (a.arrival) {
		r->to_host = a.host;
		r->to = state(j, a.host)->arrivals[a.arrival - 1].task;
		return true;
	}
	const struct kernel_bridge *p = kernel_bridge_at(j->w, send->packet);
	const struct relation_flow *at = relation_udp_reader(&j->connections, p);
	if (f && f->is_linked) {
		r->to_host = f->to_host;
		r->to = f->to_task;
		return true;
	}
	if (!at || (p->to.host == host && at->owner == send->task))
		return false;
	r->to_host = p->to.host;
	r->to = at->owner;
	return true;
}

static bool add_writes(const struct join *j, uint32_t host, uint64_t *n_unknown)
{
	const struct relation_state *s = state(j, host);
	for (size_t i = 0; i < s->n_sends; i++) {
		const struct relation_send *send = &s->sends[i];
		struct relation r = { .from_host = host,
			.from = send->task,
			.kind = (uint8_t)kind_of(kernel_bridge_at(j->w, send->packet)),
			.has_bytes = true,
			.n_given = send->n,
			.bytes = send->bytes,
			.first = send->time,
			.last = send->time };
		const struct relation_flow *of = flow_of(j, host, send->flow);
		if (!send->n || (of && of->is_joined))
			continue;
		const struct kernel_bridge *p = kernel_bridge_at(j->w, send->packet);
		const char *name = name_of(j, host, send->flow, send->object);
		if (!find_reader(j, host, send, &r))
			*n_unknown += send->n;
		else if (!add(j, &r, by_address(j, name, p->from.endpoint, p->to.endpoint)))
			return false;
	}
	for (size_t i = 0; i < s->n_flows; i++) {
		const struct relation_flow *f = &s->flows[i];
		if (!f->n || f->peer || f->is_joined)
			continue;
		struct relation r = { .from_host = host,
			.from = f->task,
			.to_host = f->to_host,
			.to = f->to_task,
			.kind = RELATION_TCP,
			.has_bytes = true,
			.n_given = f->n,
			.bytes = f->bytes,
			.first = f->first,
			.last = f->last };
		const char *name = name_of(j, host, (uint32_t)i + 1, f->object);
		if (!f->is_linked)
			*n_unknown += f->n;
		else if (!add(j, &r, by_address(j, name, f->local, f->remote)))
			return false;
	}
	return true;
}

int relation_join(const struct analysis_run *run, struct relation_set *set,
	struct mer_intern *texts, uint64_t *n_unknown)
{
	const struct kernel_world *w = run->world;
	struct mer_map by_ends = { 0 };
	struct join j = { .run = run,
		.w = w,
		.send_of = calloc((size_t)w->n_bridges + 1, sizeof(*j.send_of)),
		.arrival_of = calloc((size_t)w->n_bridges + 1, sizeof(*j.arrival_of)),
		.set = set,
		.texts = texts,
		.by_ends = &by_ends };
	bool ok = j.send_of && j.arrival_of;
	*n_unknown = 0;
	for (uint32_t h = 0; ok && h < w->n_hosts; h++) {
		const struct relation_state *s = state(&j, h);
		/* A kernel thread that serves an interrupt is not the sender. */
		for (size_t i = 0; i < s->n_sends; i++)
			if (kernel_bridge_at(w, s->sends[i].packet)->from.span != KERNEL_NONE)
				j.send_of[s->sends[i].packet] = (uint32_t)i + 1;
	}
	if (ok)
		link_flows(&j);
	ok = ok && pair_flows(&j) && relation_connections_find(&j.connections, run) &&
	     relation_connections_give(&j.connections, set, texts);
	for (uint32_t h = 0; ok && h < w->n_hosts; h++)
		ok = add_waits(&j, h) && add_writes(&j, h, n_unknown);
	relation_connections_fini(&j.connections);
	free(j.send_of);
	free(j.arrival_of);
	mer_map_fini(&by_ends);
	return ok ? 0 : mer_fail_nomem(run->err);
}
