#include "requests/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kernel/calls.h"
#include "kernel/files/files.h"

enum { MOST_ANCESTORS = 8, MOST_SIGHTINGS = 64 };

/* ---- which socket a descriptor is ---- */

/* The newest task with this tid; KERNEL_NONE: there is none. */
static bool find_tid(
	struct requests_host *r, const struct kernel_host *h, int32_t tid, uint32_t *task)
{
	for (; r->n_indexed < h->n_tasks; r->n_indexed++) {
		uint32_t *at = mer_map_put(&r->tids, (uint32_t)h->tasks[r->n_indexed].tid);
		if (!at)
			return false;
		*at = r->n_indexed + 1;
	}
	const uint32_t *at = tid > 0 ? mer_map_get(&r->tids, (uint32_t)tid) : NULL;
	*task = at && *at ? *at - 1 : KERNEL_NONE;
	return true;
}

/* The task that stands for the process. */
static bool find_leader(
	struct requests_host *r, const struct kernel_host *h, uint32_t task, uint32_t *leader)
{
	if (h->tasks[task].pid == h->tasks[task].tid) {
		*leader = task;
		return true;
	}
	if (!find_tid(r, h, h->tasks[task].pid, leader))
		return false;
	if (*leader == KERNEL_NONE)
		*leader = task;
	return true;
}

static uint64_t fd_key(uint32_t leader, int32_t fd)
{
	return (uint64_t)leader << 32 | (uint32_t)fd;
}

static int64_t now_of(const struct kernel_host *h, uint32_t task)
{
	const struct kernel_span *s = kernel_span_kept(h, h->tasks[task].last);
	return s ? s->begin : h->tasks[task].begin;
}

static struct requests_slot *slot_at(const struct requests_host *r, uint32_t leader, int32_t fd)
{
	const uint32_t *at = mer_map_get(&r->slots_by_fd, fd_key(leader, fd));
	return at && *at ? &r->slots[*at - 1] : NULL;
}

static void end_slot(struct requests_host *r, struct requests_slot *s, int64_t time)
{
	s->end = time;
	if (s->socket != KERNEL_NONE && r->sockets[s->socket].end_of_use < time)
		r->sockets[s->socket].end_of_use = time;
}

static bool add_slot(
	struct requests_host *r, uint32_t leader, int32_t fd, uint32_t socket, int64_t begin)
{
	uint32_t *at = mer_map_put(&r->slots_by_fd, fd_key(leader, fd));
	if (!at || !mer_spill_grow32(
			   r->spill, &r->slots, r->n_slots, &r->cap_slots, sizeof(*r->slots)))
		return false;
	if (*at && r->slots[*at - 1].end > begin)
		end_slot(r, &r->slots[*at - 1], begin);
	r->slots[r->n_slots++] = (struct requests_slot){ begin, INT64_MAX, socket, *at };
	*at = r->n_slots;
	return true;
}

/* What the descriptor of the process stood for at a time; KERNEL_NONE: not known. */
static uint32_t socket_then(
	const struct requests_host *r, uint32_t leader, int32_t fd, int64_t time, bool *has)
{
	const struct requests_slot *s = slot_at(r, leader, fd);
	*has = s != NULL;
	for (; s; s = s->before ? &r->slots[s->before - 1] : NULL)
		if (s->begin <= time)
			return s->end > time ? s->socket : KERNEL_NONE;
	return KERNEL_NONE;
}

/* From a process that forked this one, as its descriptors were then. */
static bool find_inherited(struct requests_host *r, const struct kernel_host *h, uint32_t leader,
	int32_t fd, uint32_t *socket)
{
	*socket = KERNEL_NONE;
	for (int i = 0; i < MOST_ANCESTORS && h->tasks[leader].born; i++) {
		int64_t forked = h->tasks[leader].begin;
		uint32_t parent = h->tasks[leader].parent;
		bool has;
		if (parent == KERNEL_NONE)
			return true;
		if (!find_leader(r, h, parent, &leader))
			return false;
		*socket = socket_then(r, leader, fd, forked, &has);
		if (has)
			return true;
	}
	return true;
}

static uint32_t add_socket(struct requests_host *r, uint32_t task, int64_t begin)
{
	if (!mer_spill_grow32(
		    r->spill, &r->sockets, r->n_sockets, &r->cap_sockets, sizeof(*r->sockets)))
		return KERNEL_NONE;
	r->sockets[r->n_sockets] = (struct requests_socket){ .begin = begin,
		.end_of_use = INT64_MIN,
		.owner = task,
		.object = KERNEL_NONE,
		.told_local = KERNEL_NONE,
		.told_peer = KERNEL_NONE };
	return r->n_sockets++;
}

/* The descriptor is a new socket from now on. KERNEL_NONE: no memory. */
static uint32_t new_socket(struct requests_host *r, const struct kernel_host *h, uint32_t task,
	int32_t fd, int64_t begin)
{
	uint32_t leader, socket = add_socket(r, task, begin);
	bool ok = socket != KERNEL_NONE && find_leader(r, h, task, &leader) &&
		  add_slot(r, leader, fd, socket, begin);
	return ok ? socket : KERNEL_NONE;
}

/* One of the state dump begins when it is used first. */
static void use(
	struct requests_host *r, const struct kernel_host *h, uint32_t task, uint32_t socket)
{
	struct requests_socket *s = socket == KERNEL_NONE ? NULL : &r->sockets[socket];
	if (!s || !s->is_unused)
		return;
	s->is_unused = false;
	s->begin = now_of(h, task);
	s->owner = task;
}

/* Which socket it is; made when nothing is known of the descriptor. False: no memory. */
static bool socket_of(struct requests_host *r, const struct kernel_host *h, uint32_t task,
	int32_t fd, uint32_t *socket)
{
	uint32_t leader;
	*socket = KERNEL_NONE;
	if (!find_leader(r, h, task, &leader))
		return false;
	const struct requests_slot *s = slot_at(r, leader, fd);
	if (s && s->end == INT64_MAX) {
		*socket = s->socket;
		use(r, h, task, s->socket);
		return true;
	}
	if (!s) {
		if (!find_inherited(r, h, leader, fd, socket))
			return false;
		if (*socket != KERNEL_NONE) {
			use(r, h, task, *socket);
			return add_slot(r, leader, fd, *socket, h->tasks[leader].begin);
		}
	}
	*socket = new_socket(r, h, task, fd, now_of(h, task));
	return *socket != KERNEL_NONE;
}

/* ---- actions ---- */

static struct requests_doing *doing(struct requests_host *r, uint32_t task)
{
	return task < r->cap_tasks ? &r->tasks[task]
				   : mer_grow_at(&r->tasks, &r->cap_tasks, task, sizeof(*r->tasks));
}

static bool add_action(struct requests_host *r, const struct requests_action *a)
{
	if (!mer_spill_grow32(
		    r->spill, &r->actions, r->n_actions, &r->cap_actions, sizeof(*r->actions)))
		return false;
	r->actions[r->n_actions++] = *a;
	return true;
}

/* Part of the run that both the task and the socket are in? */
static bool goes_on(struct requests_host *r, struct requests_doing *d, struct requests_socket *s,
	const struct requests_action *a)
{
	uint32_t before = s->kind == KERNEL_OBJECT_PIPE ? d->last_pipe : d->last;
	struct requests_action *last = before ? &r->actions[before - 1] : NULL;
	if (s->kind == KERNEL_OBJECT_PIPE ? d->last > before : d->is_after_pipe)
		return false;
	/* Another thread may have read the answer while the call that sent the request went on. */
	if (!last || before != s->last || last->kind != a->kind || d->is_fresh ||
		s->before > last->begin || last->bytes > REQUESTS_MOST_BYTES - a->bytes)
		return false;
	last->bytes += a->bytes;
	last->end = a->end;
	return true;
}

static bool add_sighting(struct requests_host *r, uint32_t packet, uint32_t socket, bool is_send)
{
	struct requests_socket *s = &r->sockets[socket];
	if (s->n_sightings >= MOST_SIGHTINGS)
		return true;
	if (!mer_spill_grow32(r->spill, &r->sightings, r->n_sightings, &r->cap_sightings,
		    sizeof(*r->sightings)))
		return false;
	r->sightings[r->n_sightings++] = (struct requests_sighting){ packet, socket, is_send };
	s->n_sightings++;
	return true;
}

static bool add_meeting(struct requests_host *r, struct requests_doing *d, uint32_t to)
{
	uint32_t from = d->sender - 1;
	d->sender = 0;
	if (from == to || r->sockets[to].n_meetings >= MOST_SIGHTINGS)
		return true;
	if (!mer_spill_grow32(
		    r->spill, &r->meetings, r->n_meetings, &r->cap_meetings, sizeof(*r->meetings)))
		return false;
	r->meetings[r->n_meetings++] = (struct requests_meeting){ from, to };
	r->sockets[to].n_meetings++;
	return true;
}

static bool note(struct requests_host *r, uint32_t socket, struct requests_action a)
{
	struct requests_doing *d = doing(r, a.task);
	struct requests_socket *s = &r->sockets[socket];
	if (!d)
		return false;
	d->has_read |= a.kind == REQUESTS_READ;
	if (a.kind == REQUESTS_READ && d->arrived) {
		if (!add_sighting(r, d->arrived - 1, socket, false))
			return false;
		d->arrived = 0;
	}
	if (a.kind == REQUESTS_READ && d->sender && !d->sender_connects &&
		!add_meeting(r, d, socket))
		return false;
	if (goes_on(r, d, s, &a))
		return true;
	a.socket = socket;
	a.is_fresh = d->is_fresh;
	a.was_connecting = s->opener && !s->n && (s->is_connecting || d->last == s->opener);
	if (!add_action(r, &a))
		return false;
	d->is_fresh = d->is_after_pipe = false;
	s->before = s->last ? r->actions[s->last - 1].end : INT64_MIN;
	d->last = s->last = r->n_actions;
	if (a.kind == REQUESTS_CONNECT)
		s->opener = r->n_actions;
	else
		s->n++;
	return true;
}

/* ---- What observers report ---- */

static bool is_stream(const struct kernel_call *c)
{
	return c->kind == KERNEL_OBJECT_SOCKET || c->kind == KERNEL_OBJECT_UNIX ||
	       c->kind == KERNEL_OBJECT_UNKNOWN;
}

static bool is_peek(const struct kernel_call_end *c)
{
	enum { MSG_PEEK_ = 2 };
	return c->kind == KERNEL_CALL_RECEIVE && c->args[KERNEL_ARG_RECEIVE_FLAGS] & MSG_PEEK_;
}

/* What a call moved; what failed moved nothing. */
static struct requests_action action_of(
	const struct kernel_call_end *c, enum requests_action_kind kind)
{
	int64_t bytes = c->ret < 0		       ? 0
			: c->ret < REQUESTS_MOST_BYTES ? c->ret
						       : REQUESTS_MOST_BYTES;
	return (struct requests_action){ .begin = c->begin,
		.end = c->end,
		.task = c->task,
		.bytes = (uint32_t)bytes & REQUESTS_MOST_BYTES,
		.kind = kind };
}

static bool moved(struct requests_host *r, const struct kernel_host *h,
	const struct kernel_call_end *c, enum requests_action_kind kind)
{
	const struct kernel_call *k = &h->calls[c->call];
	uint32_t socket;
	if (k->fd < 0)
		return true;
	if (!socket_of(r, h, c->task, k->fd, &socket))
		return false;
	if (socket == KERNEL_NONE)
		return true;
	struct requests_socket *s = &r->sockets[socket];
	/* Nobody saw that the descriptor became another one's. */
	if (s->told_peer != KERNEL_NONE && k->object != KERNEL_NONE && k->object != s->told_peer)
		s->told_local = s->told_peer = KERNEL_NONE;
	if (s->object == KERNEL_NONE || s->kind == KERNEL_OBJECT_UNKNOWN ||
		kind == REQUESTS_CONNECT) {
		s->object = k->object;
		s->kind = k->kind;
		s->end = k->end;
	}
	s->is_received_from |= c->kind == KERNEL_CALL_RECEIVE;
	s->is_connected |= kind == REQUESTS_CONNECT;
	s->is_connecting |= kind == REQUESTS_CONNECT && c->ret != 0;
	const struct requests_action a = action_of(c, kind);
	return note(r, socket, a);
}

static bool note_dirt(
	struct requests_host *r, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct requests_doing *d = doing(r, c->task);
	if (!d || h->calls[c->call].kind != KERNEL_OBJECT_FILE)
		return d != NULL;
	if (!d->dirt || c->end - r->dirt[d->dirt - 1].since > REQUESTS_DIRT_NS) {
		if (!mer_spill_grow32(
			    r->spill, &r->dirt, r->n_dirt, &r->cap_dirt, sizeof(*r->dirt)))
			return false;
		r->dirt[r->n_dirt++] = (struct requests_dirt){ .since = c->begin, .task = c->task };
		d->dirt = r->n_dirt;
	}
	r->dirt[d->dirt - 1].bytes += (uint64_t)c->ret;
	return true;
}

/* The process's use of a pipe. False: no memory. */
static bool pipe_of(struct requests_host *r, const struct kernel_host *h, uint32_t task,
	uint32_t object, int64_t begin, uint32_t *socket)
{
	uint32_t leader;
	const struct requests_socket *known = *socket ? &r->sockets[*socket - 1] : NULL;
	if (known && known->object == object && h->tasks[known->owner].tid == h->tasks[task].pid)
		return true;
	if (!find_leader(r, h, task, &leader))
		return false;
	uint32_t *at = mer_map_put(&r->pipes, (uint64_t)leader << 32 | object);
	if (!at)
		return false;
	if (!*at) {
		uint32_t made = add_socket(r, leader, begin);
		if (made == KERNEL_NONE)
			return false;
		r->sockets[made].object = object;
		r->sockets[made].kind = KERNEL_OBJECT_PIPE;
		*at = made + 1;
	}
	*socket = *at;
	return true;
}

/* Most pipes are no connection: what they did not change must not be changed by them. */
static bool note_pipe(struct requests_host *r, const struct kernel_host *h,
	const struct kernel_call_end *c, enum requests_action_kind kind)
{
	struct requests_doing *d = doing(r, c->task);
	if (!d || !pipe_of(r, h, c->task, h->calls[c->call].object, c->begin, &d->pipes[kind]))
		return false;
	uint32_t socket = d->pipes[kind] - 1;
	struct requests_socket *s = &r->sockets[socket];
	struct requests_action a = action_of(c, kind);
	a.socket = socket;
	a.is_fresh = d->is_fresh;
	s->pipe_ways |= (uint8_t)(1u << kind);
	d->is_after_pipe |= kind == REQUESTS_READ;
	if (goes_on(r, d, s, &a))
		return true;
	if (!add_action(r, &a))
		return false;
	d->is_fresh = false;
	s->before = s->last ? r->actions[s->last - 1].end : INT64_MIN;
	d->last_pipe = s->last = r->n_actions;
	s->n++;
	return true;
}

static bool note_accept(struct requests_host *r, uint32_t task, uint32_t socket)
{
	struct requests_doing *d = task < r->cap_tasks ? &r->tasks[task] : NULL;
	r->sockets[socket].is_accepted = true;
	return !d || !d->sender || !d->sender_connects || add_meeting(r, d, socket);
}

/* Descriptors that the call made or closed. */
static bool note_descriptors(
	struct requests_host *r, const struct kernel_host *h, const struct kernel_call_end *c)
{
	const struct kernel_call *k = &h->calls[c->call];
	bool made = c->ret >= 0 && c->ret <= INT32_MAX;
	uint32_t socket, leader;
	switch (c->kind) {
	case KERNEL_CALL_SOCKET:
	case KERNEL_CALL_ACCEPT:
		socket = made ? new_socket(r, h, c->task, (int32_t)c->ret, c->end) : 0;
		if (made && socket != KERNEL_NONE)
			r->sockets[socket].is_made = true;
		if (made && socket != KERNEL_NONE && c->kind == KERNEL_CALL_ACCEPT)
			return note_accept(r, c->task, socket);
		return socket != KERNEL_NONE;
	case KERNEL_CALL_DUP:
	case KERNEL_CALL_DUP_TO:
		if (!made || k->fd < 0 || k->fd == c->ret || !is_stream(k))
			return true;
		return socket_of(r, h, c->task, k->fd, &socket) &&
		       find_leader(r, h, c->task, &leader) &&
		       add_slot(r, leader, (int32_t)c->ret, socket, c->end);
	case KERNEL_CALL_CLOSE:
		if (k->fd < 0 || !find_leader(r, h, c->task, &leader))
			return k->fd < 0;
		struct requests_slot *s = slot_at(r, leader, k->fd);
		/* Another thread may have got the number while this one was closing. */
		if (s && s->end == INT64_MAX && s->begin <= c->begin)
			end_slot(r, s, c->begin);
		else if (!s && h->tasks[leader].born)
			return add_slot(r, leader, k->fd, KERNEL_NONE, h->tasks[leader].begin) &&
			       ((void)(slot_at(r, leader, k->fd)->end = c->begin), true);
		return true;
	default: return true;
	}
}

static int on_told_socket(
	void *ctx, const struct kernel_host *h, const struct kernel_told_socket *x)
{
	struct requests_host *r = ctx;
	uint32_t leader, socket;
	if (x->fd < 0)
		return 0;
	if (!find_tid(r, h, x->pid, &leader))
		return MER_ERR_NOMEM;
	if (leader == KERNEL_NONE)
		return 0;
	const struct requests_slot *s = slot_at(r, leader, x->fd);
	if (s && (s->end != INT64_MAX || s->socket == KERNEL_NONE || r->sockets[s->socket].is_made))
		return 0;
	socket = s ? s->socket : new_socket(r, h, leader, x->fd, h->tasks[leader].begin);
	if (socket == KERNEL_NONE)
		return MER_ERR_NOMEM;
	r->sockets[socket].told_local = x->local;
	r->sockets[socket].told_peer = x->peer;
	r->sockets[socket].is_unused |= !s;
	return 0;
}

static bool hands_on(struct requests_host *r, const struct kernel_call_end *c)
{
	const struct requests_doing *d = c->task < r->cap_tasks ? &r->tasks[c->task] : NULL;
	struct requests_action a = { .begin = c->begin,
		.end = c->end,
		.task = c->task,
		.socket = c->task,
		.kind = REQUESTS_WAKE };
	return !d || !d->has_read || add_action(r, &a);
}

static bool on_call_of(
	struct requests_host *r, const struct kernel_host *h, const struct kernel_call_end *c)
{
	enum { EINPROGRESS_ = 115, EINTR_ = 4 };
	const uint32_t uncounted = KERNEL_CALLS_MESSAGES | KERNEL_CALLS_PEEK;
	uint32_t classes = kernel_classes(h, c->call);
	const struct kernel_call *k = &h->calls[c->call];
	if (classes & (KERNEL_CALLS_POLL | KERNEL_CALLS_MULTIPLEX)) {
		struct requests_doing *d = doing(r, c->task);
		if (d)
			d->is_fresh = true;
		return d != NULL;
	}
	if (classes & KERNEL_CALLS_CONNECT)
		return (c->ret != 0 && c->ret != -EINPROGRESS_ && c->ret != -EINTR_) ||
		       moved(r, h, c, REQUESTS_CONNECT);
	if (!(classes & (KERNEL_CALLS_READ | KERNEL_CALLS_WRITE)))
		return note_descriptors(r, h, c);
	if (c->ret <= 0 || classes & uncounted || is_peek(c))
		return true;
	if (k->kind == KERNEL_OBJECT_PIPE && k->object != KERNEL_NONE)
		return note_pipe(
			r, h, c, classes & KERNEL_CALLS_READ ? REQUESTS_READ : REQUESTS_WRITE);
	if (classes & KERNEL_CALLS_READ &&
		(k->kind == KERNEL_OBJECT_EVENT || k->kind == KERNEL_OBJECT_PIPE)) {
		struct requests_doing *d = doing(r, c->task);
		if (d)
			d->is_fresh = true;
		return d != NULL;
	}
	if (k->kind == KERNEL_OBJECT_EVENT || k->kind == KERNEL_OBJECT_PIPE)
		return hands_on(r, c);
	if (classes & KERNEL_CALLS_WRITE && !note_dirt(r, h, c))
		return false;
	return !is_stream(k) ||
	       moved(r, h, c, classes & KERNEL_CALLS_READ ? REQUESTS_READ : REQUESTS_WRITE);
}

/* A read that was under way when the recording began: on what shows the packet that ended its wait.
 * The same of an accept: the descriptor is new. */
static int on_unseen_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	const uint32_t uncounted = KERNEL_CALLS_MESSAGES | KERNEL_CALLS_PEEK;
	struct requests_host *r = ctx;
	uint32_t classes = kernel_classes(h, c->call);
	if (c->kind == KERNEL_CALL_ACCEPT)
		return note_descriptors(r, h, c) ? 0 : MER_ERR_NOMEM;
	struct requests_doing *d = c->task < r->cap_tasks ? &r->tasks[c->task] : NULL;
	if (!d || !d->arrived || d->arrived_at < c->begin || c->ret <= 0 ||
		!(classes & KERNEL_CALLS_READ) || classes & uncounted)
		return 0;
	uint32_t socket = add_socket(r, c->task, c->begin);
	struct requests_action a = action_of(c, REQUESTS_READ);
	a.socket = socket;
	a.is_fresh = d->is_fresh;
	if (socket == KERNEL_NONE || !add_action(r, &a))
		return MER_ERR_NOMEM;
	r->sockets[socket].arrived = d->arrived;
	r->sockets[socket].n = 1;
	r->sockets[socket].last = d->last = r->n_actions;
	r->sockets[socket].before = INT64_MIN;
	d->arrived = 0;
	d->has_read = true;
	d->is_fresh = d->is_after_pipe = false;
	return 0;
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct requests_host *r = ctx;
	return c->call == KERNEL_NONE || on_call_of(r, h, c) ? 0 : MER_ERR_NOMEM;
}

/* Its addresses are with the segments of which one end was seen. */
static bool add_departure(struct requests_host *r, int64_t time, uint32_t socket)
{
	struct requests_socket *s = &r->sockets[socket];
	if (s->n_departures >= REQUESTS_SAMPLES)
		return true;
	if (!mer_spill_grow32(r->spill, &r->departures, r->n_departures, &r->cap_departures,
		    sizeof(*r->departures)))
		return false;
	r->departures[r->n_departures++] = (struct requests_departure){ time, socket };
	s->n_departures++;
	return true;
}

/* What a call on a socket sends has its addresses. */
static int on_packet(void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p)
{
	struct requests_host *r = ctx;
	uint32_t socket;
	if (!p->is_send || p->in_interrupt || p->task == KERNEL_NONE)
		return 0;
	const struct kernel_span *s = kernel_span_kept(h, h->tasks[p->task].last);
	if (!s || s->call == KERNEL_NONE)
		return 0;
	const struct kernel_call *k = &h->calls[s->call];
	uint32_t sends = KERNEL_CALLS_WRITE | KERNEL_CALLS_CONNECT;
	if (k->fd < 0 || !is_stream(k) || !(kernel_classes(h, s->call) & sends))
		return 0;
	if (!socket_of(r, h, p->task, k->fd, &socket))
		return MER_ERR_NOMEM;
	struct requests_socket *of = socket == KERNEL_NONE ? NULL : &r->sockets[socket];
	if (of && p->packet == KERNEL_NONE)
		return add_departure(r, p->time, socket) ? 0 : MER_ERR_NOMEM;
	if (of && of->n_samples < REQUESTS_SAMPLES)
		of->samples[of->n_samples++] = p->packet;
	return !of || add_sighting(r, p->packet, socket, true) ? 0 : MER_ERR_NOMEM;
}

/* A socket that may have its other end on the same host, without an address. */
static bool is_local(const struct kernel_host *h, const struct kernel_call *k)
{
	static const char unnamed[] = "socket:[";
	return k->fd >= 0 && (k->kind == KERNEL_OBJECT_UNIX || k->kind == KERNEL_OBJECT_UNKNOWN ||
				     (k->kind == KERNEL_OBJECT_SOCKET &&
					     strncmp(kernel_name_text(h, k->object), unnamed,
						     sizeof(unnamed) - 1) == 0));
}

/* Who ended the wait was writing to a socket, or connecting it: its other end is what the task will
 * read, or accept. */
static bool note_sender(
	struct requests_host *r, const struct kernel_host *h, const struct kernel_span *s)
{
	const uint32_t waits = KERNEL_CALLS_READ | KERNEL_CALLS_ACCEPT | KERNEL_CALLS_POLL |
			       KERNEL_CALLS_MULTIPLEX;
	const uint32_t gives = KERNEL_CALLS_WRITE | KERNEL_CALLS_CONNECT;
	struct requests_doing *d = s->task < r->cap_tasks ? &r->tasks[s->task] : NULL;
	uint32_t socket;
	if (d)
		d->sender = 0;
	if (s->cause != KERNEL_TASK || s->by == KERNEL_NONE || s->call == KERNEL_NONE ||
		!(kernel_classes(h, s->call) & waits))
		return true;
	const struct kernel_span *by = kernel_span_kept(h, s->by);
	if (!by || by->task == s->task || by->call == KERNEL_NONE ||
		!(kernel_classes(h, by->call) & gives) || !is_local(h, &h->calls[by->call]))
		return true;
	if (!socket_of(r, h, by->task, h->calls[by->call].fd, &socket))
		return false;
	d = doing(r, s->task);
	if (!d || socket == KERNEL_NONE)
		return d != NULL;
	d->sender = socket + 1;
	d->sender_connects = kernel_classes(h, by->call) & KERNEL_CALLS_CONNECT;
	return true;
}

/* The socket or pipe that was written to end the wait, plus 1. */
static bool written_by(struct requests_host *r, const struct kernel_host *h,
	const struct kernel_span *s, const struct kernel_span *by, uint32_t *socket)
{
	const struct requests_doing *d = s->task < r->cap_tasks ? &r->tasks[s->task] : NULL;
	if (s->cause == KERNEL_TASK)
		*socket = d ? d->sender : 0;
	if (s->cause != KERNEL_PIPE || by->call == KERNEL_NONE ||
		!(kernel_classes(h, by->call) & KERNEL_CALLS_WRITE) ||
		h->calls[by->call].kind != KERNEL_OBJECT_PIPE ||
		h->calls[by->call].object == KERNEL_NONE)
		return true;
	struct requests_doing *its = doing(r, by->task);
	if (!its || !pipe_of(r, h, by->task, h->calls[by->call].object, by->begin,
			    &its->pipes[REQUESTS_WRITE]))
		return false;
	*socket = its->pipes[REQUESTS_WRITE];
	return true;
}

/* Who had something to do handed it on, maybe. */
static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct requests_host *r = ctx;
	const struct kernel_span *s = kernel_span(h, span);
	bool by_task =
		s->cause == KERNEL_FUTEX || s->cause == KERNEL_PIPE || s->cause == KERNEL_TASK;
	if (s->state != KERNEL_BLOCKED)
		return 0;
	if (!note_sender(r, h, s))
		return MER_ERR_NOMEM;
	if (s->cause == KERNEL_NETWORK && s->source != KERNEL_NONE) {
		struct requests_doing *reader = doing(r, s->task);
		if (!reader)
			return MER_ERR_NOMEM;
		reader->arrived = s->source + 1;
		reader->arrived_at = end;
		return 0;
	}
	if (s->by == KERNEL_NONE || !by_task)
		return 0;
	const struct kernel_span *by = kernel_span_kept(h, s->by);
	if (!by || by->task == s->task || h->tasks[s->task].is_kernel)
		return 0;
	struct requests_doing *its = by->task < r->cap_tasks ? &r->tasks[by->task] : NULL;
	if (!its || !its->has_read)
		return 0;
	struct requests_action a = {
		.begin = end, .end = end, .task = s->task, .socket = by->task, .kind = REQUESTS_WAKE
	};
	struct requests_doing *d = doing(r, s->task);
	if (!d || !written_by(r, h, s, by, &a.exchange) || !add_action(r, &a))
		return MER_ERR_NOMEM;
	d->has_read = true; /* what it was given */
	return 0;
}

int requests_log_new(
	uint32_t n_hosts, struct mer_spill *spill, struct requests_log **log, struct mer_err *err)
{
	struct requests_log *l = calloc(1, sizeof(*l));
	*log = NULL;
	if (l) {
		l->n_hosts = n_hosts;
		l->hosts = calloc((size_t)n_hosts + 1, sizeof(*l->hosts));
		l->observers = calloc((size_t)n_hosts + 1, sizeof(*l->observers));
	}
	if (!l || !l->hosts || !l->observers) {
		requests_log_free(l);
		return mer_fail_nomem(err);
	}
	for (uint32_t i = 0; i < n_hosts; i++) {
		l->hosts[i].spill = spill;
		l->observers[i] = (struct kernel_observer){ .ctx = &l->hosts[i],
			.call = on_call,
			.unseen_call = on_unseen_call,
			.told_socket = on_told_socket,
			.packet = on_packet,
			.span = on_span };
	}
	*log = l;
	return 0;
}

void requests_log_free(struct requests_log *l)
{
	for (uint32_t i = 0; l && l->hosts && i < l->n_hosts; i++) {
		struct requests_host *r = &l->hosts[i];
		mer_spill_release(r->actions);
		mer_spill_release(r->dirt);
		mer_spill_release(r->sightings);
		mer_spill_release(r->departures);
		mer_spill_release(r->meetings);
		mer_spill_release(r->sockets);
		mer_spill_release(r->slots);
		free(r->tasks);
		mer_map_fini(&r->slots_by_fd);
		mer_map_fini(&r->pipes);
		mer_map_fini(&r->tids);
	}
	if (l) {
		free(l->hosts);
		free(l->observers);
		free(l);
	}
}

const struct kernel_observer *requests_log_observers(struct requests_log *l)
{
	return l->observers;
}
