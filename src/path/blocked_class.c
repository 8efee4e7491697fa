/* Which waits are for input, for work, or felt: the rules of blocked.h.
 *
 * First pass: which process connects, which one accepts, and which of two sent the first message
 * (roles, contacts). Messages are what ended waits; the packets tell when the first one was
 * sent, because a busy server does not wait for it. Second pass: is each wait, by itself, for
 * work? Third pass: from waits that are felt by themselves to the waits within them. Contacts of
 * a process also hold for the processes that it forks: a server that accepts a connection and
 * leaves it to a child got the first message for both. */
#include "base/grow.h"
#include "path/blocked.h"

#include <stdlib.h>
#include <string.h>
#include "kernel/files/files.h"

enum {
	CHAIN = 64, /* how many wake-ups are followed backward */
	LINEAGE = 8 /* how many parents up contacts hold */
};

struct contacts {
	struct mer_map map; /* from << 32 | to, processes -> number, plus 1 */
	int64_t *first;	    /* of each, ns */
	uint32_t n, cap;
};

struct work_list { /* waits for which the waits within them are still to be marked */
	struct place {
		uint32_t host;
		size_t wait;
	} * item;
	size_t n, cap;
};

enum role { CONNECTS = 1, ACCEPTS = 2, SERVES_OUTSIDE = 4 };

enum trait { /* of a call, by its classes and object */
	IS_CONNECT = 1,
	IS_ACCEPT = 2,
	IS_READING = 4,	    /* KERNEL_CALLS_AWAIT; waits in an unknown call may be, too */
	IS_MULTIPLEXED = 8, /* waits for whatever comes first */
	IS_OPENED = 16	    /* on something that was connected to */
};

struct classes {
	struct blocked *b;
	uint8_t *roles;	    /* of each process: enum role */
	uint8_t **traits;   /* of each host's calls: enum trait */
	uint8_t *inherited; /* of each task, numbered as processes are: roles_of */
	struct contacts contacts;
	struct work_list todo;
};

static const struct kernel_task *leader(const struct blocked *b, uint32_t host, uint32_t task)
{
	return &b->world->hosts[host].tasks[b->hosts[host].leaders[task]];
}

/* ---- Calls ---- */

static const struct kernel_call *call_of(
	const struct blocked *b, uint32_t host, const struct blocked_wait *w)
{
	return w->call == KERNEL_NONE ? NULL : &b->world->hosts[host].calls[w->call];
}

static unsigned traits_of_call(const struct kernel_call *call)
{
	uint32_t classes = kernel_call_classes(call->id);
	bool is_reading = call->name == KERNEL_NONE || classes & KERNEL_CALLS_AWAIT;
	return (classes & KERNEL_CALLS_CONNECT ? IS_CONNECT : 0) |
	       (classes & KERNEL_CALLS_ACCEPT ? IS_ACCEPT : 0) | (is_reading ? IS_READING : 0) |
	       (classes & KERNEL_CALLS_MULTIPLEX ? IS_MULTIPLEXED : 0);
}

/* Of the call that it was in; an unknown one may have been reading. */
static unsigned traits_of(const struct classes *c, uint32_t host, const struct blocked_wait *w)
{
	return w->call == KERNEL_NONE ? IS_READING : c->traits[host][w->call];
}

/* Was it ended by a message: data of another user process? */
static bool is_message(const struct classes *c, uint32_t host, const struct blocked_wait *w)
{
	const struct blocked *b = c->b;
	if (w->by_task == KERNEL_NONE || w->kind == BLOCKED_IN_KERNEL ||
		b->world->hosts[w->by_host].tasks[w->by_task].is_kernel ||
		b->world->hosts[host].tasks[w->task].is_kernel)
		return false;
	if (w->cause != KERNEL_NETWORK && w->cause != KERNEL_PIPE && w->cause != KERNEL_TASK)
		return false;
	return (traits_of(c, host, w) & IS_READING) &&
	       blocked_process(b, host, w->task) != blocked_process(b, w->by_host, w->by_task);
}

/* An address, not merely "tcp socket". */
static bool names_peer(const struct kernel_host *h, const struct kernel_call *call)
{
	return call->object != KERNEL_NONE &&
	       strpbrk(kernel_name_text(h, call->object), ":/@") != NULL;
}

/* ---- Contacts ---- */

static uint64_t contact_key(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}

static int add_contact(
	struct contacts *c, uint32_t from, uint32_t to, int64_t time, struct mer_err *err)
{
	if (from == to)
		return 0;
	uint32_t *v = mer_map_put(&c->map, contact_key(from, to));
	if (!v)
		return mer_fail_nomem(err);
	if (*v) {
		if (time < c->first[*v - 1])
			c->first[*v - 1] = time;
		return 0;
	}
	if (!mer_grow32(&c->first, c->n, &c->cap, sizeof(*c->first)))
		return mer_fail_nomem(err);
	c->first[c->n] = time;
	*v = ++c->n;
	return 0;
}

static bool direct_contact(const struct contacts *c, uint32_t from, uint32_t to, int64_t *time)
{
	const uint32_t *v = mer_map_get(&c->map, contact_key(from, to));
	if (v)
		*time = c->first[*v - 1];
	return v != NULL;
}

/* When the process `from` first sent something to the process of this task, or, before that was
 * forked, to one it stems from. */
static bool contact(
	const struct classes *c, uint32_t from, uint32_t host, uint32_t task, int64_t *first)
{
	const struct kernel_host *h = &c->b->world->hosts[host];
	int64_t born = INT64_MAX;
	bool found = false;
	for (int i = 0; i < LINEAGE && task != KERNEL_NONE; i++) {
		int64_t time;
		task = c->b->hosts[host].leaders[task];
		uint32_t to = c->b->hosts[host].processes + task;
		/* Its own parent: messages of the parent's other partners do not matter here. */
		if (to == from)
			break;
		if (direct_contact(&c->contacts, from, to, &time) && time <= born &&
			(!found || time < *first)) {
			*first = time;
			found = true;
		}
		born = h->tasks[task].begin;
		task = h->tasks[task].born ? h->tasks[task].parent : KERNEL_NONE;
	}
	return found;
}

/* Its own, and that its parents accepted before. */
static unsigned find_roles(const struct classes *c, uint32_t host, uint32_t task)
{
	const struct kernel_host *h = &c->b->world->hosts[host];
	unsigned roles = c->roles[blocked_process(c->b, host, task)] & (CONNECTS | ACCEPTS);
	for (int i = 0; i < LINEAGE && task != KERNEL_NONE; i++) {
		task = c->b->hosts[host].leaders[task];
		roles |= c->roles[blocked_process(c->b, host, task)] & ACCEPTS;
		task = h->tasks[task].born ? h->tasks[task].parent : KERNEL_NONE;
	}
	return roles;
}

static unsigned roles_of(const struct classes *c, uint32_t host, uint32_t task)
{
	return c->inherited[c->b->hosts[host].processes + task];
}

/* Was the task's process forked by that one, or by one that it forked? */
static bool stems_from(const struct classes *c, uint32_t host, uint32_t task, uint32_t process)
{
	const struct kernel_host *h = &c->b->world->hosts[host];
	for (int i = 0; i < LINEAGE && task != KERNEL_NONE; i++) {
		task = c->b->hosts[host].leaders[task];
		if (i && c->b->hosts[host].processes + task == process)
			return true;
		task = h->tasks[task].born ? h->tasks[task].parent : KERNEL_NONE;
	}
	return false;
}

/* Has a the initiative over b? The connecting side has it over the accepting side, unless one
 * process descends from the other: these communicate without a connection. If that does not
 * decide: did a send the first message, and does b answer? */
static bool has_initiative(
	const struct classes *c, uint32_t a_host, uint32_t a, uint32_t b_host, uint32_t b)
{
	uint32_t pa = blocked_process(c->b, a_host, a), pb = blocked_process(c->b, b_host, b);
	unsigned ra = roles_of(c, a_host, a), rb = roles_of(c, b_host, b);
	int64_t there, back;
	bool ab = (ra & CONNECTS) && (rb & ACCEPTS), ba = (rb & CONNECTS) && (ra & ACCEPTS);
	if (pa == pb)
		return false;
	if (ab != ba && !stems_from(c, a_host, a, pb) && !stems_from(c, b_host, b, pa))
		return ab;
	return contact(c, pa, b_host, b, &there) && contact(c, pb, a_host, a, &back) &&
	       there < back;
}

/* What is known of a host's calls before any wait is looked at; any: of all of them together. */
static int gather_calls(struct classes *c, uint32_t host, unsigned *any, struct mer_err *err)
{
	const struct kernel_host *h = &c->b->world->hosts[host];
	struct mer_map opened = { 0 }; /* names of objects that were connected to */
	uint8_t *traits = c->traits[host] = calloc((size_t)h->n_calls + 1, 1);
	int rc = traits ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; i < h->n_calls && !rc; i++) {
		const struct kernel_call *call = &h->calls[i];
		traits[i] = (uint8_t)traits_of_call(call);
		*any |= traits[i];
		if ((traits[i] & IS_CONNECT) && names_peer(h, call) &&
			!mer_map_put(&opened, call->object))
			rc = mer_fail_nomem(err);
	}
	for (uint32_t i = 0; i < h->n_calls && !rc; i++)
		if (h->calls[i].object != KERNEL_NONE && mer_map_get(&opened, h->calls[i].object))
			traits[i] |= IS_OPENED;
	mer_map_fini(&opened);
	return rc;
}

/* From all system calls, also those that did not wait. */
static void gather_roles(struct classes *c, uint32_t host)
{
	const struct kernel_host *h = &c->b->world->hosts[host];
	const uint8_t *traits = c->traits[host];
	for (uint32_t i = 0; i < h->n_spans; i++) {
		const struct kernel_span *s = kernel_span(h, i);
		if (s->call != KERNEL_NONE && (traits[s->call] & (IS_CONNECT | IS_ACCEPT)))
			c->roles[blocked_process(c->b, host, s->task)] |=
				traits[s->call] & IS_CONNECT ? CONNECTS : ACCEPTS;
	}
	for (uint32_t t = 0; t < h->n_tasks; t++)
		c->inherited[c->b->hosts[host].processes + t] = (uint8_t)find_roles(c, host, t);
}

/* The process that sent the packet; KERNEL_NONE: none, or its connection is not known. */
static uint32_t sender_of(const struct blocked *b, const struct kernel_bridge *p)
{
	const struct kernel_span *s =
		p->from.endpoint && p->to.endpoint && p->from.span != KERNEL_NONE
			? kernel_span(&b->world->hosts[p->from.host], p->from.span)
			: NULL;
	return s && !b->world->hosts[p->from.host].tasks[s->task].is_kernel
		       ? blocked_process(b, p->from.host, s->task)
		       : KERNEL_NONE;
}

/* Who sends on this end of a connection: process, plus 1, in ends. */
static uint64_t end_key(uint32_t host, uint32_t mine, uint32_t others)
{
	uint32_t key[3] = { host, mine, others };
	return mer_hash(key, sizeof(key));
}

/* The receiver of a packet is the process that sends on the other end of the connection. Packets
 * may be mere acknowledgements, so they show when two processes that exchange messages began to,
 * not that they do. */
static int gather_packets(struct classes *c, struct mer_err *err)
{
	const struct kernel_world *w = c->b->world;
	struct mer_map ends = { 0 };
	int rc = 0;
	for (uint32_t i = 0; i < w->n_bridges && !rc; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(w, i);
		uint32_t process = sender_of(c->b, p), *v;
		if (process == KERNEL_NONE)
			continue;
		v = mer_map_put(&ends, end_key(p->from.host, p->from.endpoint, p->to.endpoint));
		if (!v)
			rc = mer_fail_nomem(err);
		else if (!*v)
			*v = process + 1;
	}
	for (uint32_t i = 0; i < w->n_bridges && !rc; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(w, i);
		uint32_t from = sender_of(c->b, p), *at = NULL;
		const uint32_t *to =
			mer_map_get(&ends, end_key(p->to.host, p->to.endpoint, p->from.endpoint));
		if (from != KERNEL_NONE && to && *to)
			at = mer_map_get(&c->contacts.map, contact_key(from, *to - 1));
		if (at && p->from.time < c->contacts.first[*at - 1])
			c->contacts.first[*at - 1] = p->from.time;
	}
	mer_map_fini(&ends);
	return rc;
}

static int gather_contacts(struct classes *c, struct mer_err *err)
{
	const struct blocked *b = c->b;
	int rc = 0;
	for (uint32_t host = 0; host < b->world->n_hosts && !rc; host++) {
		const struct kernel_host *h = &b->world->hosts[host];
		unsigned any = 0;
		rc = kernel_world_go_on(b->world, err);
		if (!rc)
			rc = gather_calls(c, host, &any, err);
		if (!rc && (any & (IS_CONNECT | IS_ACCEPT)))
			gather_roles(c, host);
		for (size_t i = 0; i < b->hosts[host].n && !rc; i++) {
			const struct blocked_wait *w = &b->hosts[host].waits[i];
			if (is_message(c, host, w))
				rc = add_contact(&c->contacts,
					blocked_process(b, w->by_host, w->by_task),
					blocked_process(b, host, w->task), w->asked, err);
		}
		/* Whoever forks a process has the first word. */
		for (uint32_t t = 0; t < h->n_tasks && !rc; t++)
			if (h->tasks[t].born && h->tasks[t].parent != KERNEL_NONE)
				rc = add_contact(&c->contacts,
					blocked_process(b, host, h->tasks[t].parent),
					blocked_process(b, host, t), h->tasks[t].begin, err);
	}
	return rc ? rc : gather_packets(c, err);
}

/* ---- Each wait by itself ---- */

static bool is_input(const struct classes *c, uint32_t host, const struct blocked_wait *w)
{
	const struct kernel_call *call = call_of(c->b, host, w);
	return w->cause == KERNEL_INPUT ||
	       (call && call->kind == KERNEL_OBJECT_TTY && (traits_of(c, host, w) & IS_READING));
}

/* The last wait of the task that ended w which was over at that time. */
static const struct blocked_wait *wait_before(const struct blocked *b, const struct blocked_wait *w)
{
	const struct blocked_wait *p = blocked_before(b, w->by_host, w->by_task, w->asked);
	return p && p->end <= w->asked ? p : NULL;
}

/* What is for work by what it is: kernel threads wait for it when a task wakes them, servers for
 * connections, and for messages of senders that were not recorded. */
static void find_plain_work(const struct classes *c, uint32_t host, struct blocked_wait *w)
{
	const struct blocked *b = c->b;
	unsigned traits = traits_of(c, host, w);
	bool is_known = w->by_task != KERNEL_NONE;
	unsigned roles = roles_of(c, host, w->task);
	/* Nothing is known of a sender that was not recorded, except through the receiver: an
	 * accepting process waits for work; so does a connecting one, at least if it waits for
	 * whatever comes first. */
	bool from_outside = !is_known && w->cause == KERNEL_NETWORK && (traits & IS_READING) &&
			    (roles & ACCEPTS) && (!(roles & CONNECTS) || (traits & IS_MULTIPLEXED));
	w->is_for_work = b->world->hosts[host].tasks[w->task].is_kernel
				 ? is_known
				 : from_outside || (traits & IS_ACCEPT);
	if (w->is_for_work && is_known)
		w->asker = blocked_process(b, w->by_host, w->by_task);
	else if (w->is_for_work && w->cause == KERNEL_NETWORK)
		c->roles[blocked_process(b, host, w->task)] |= SERVES_OUTSIDE;
}

/* Follows the wake-ups backward to the begin of the wait. If a request comes first, the wait was
 * for work; if it is an answer, or an action of a process that the waiter had forked, it was
 * not. */
static void find_work(const struct classes *c, uint32_t host, struct blocked_wait *w)
{
	const struct blocked *b = c->b;
	const struct blocked_wait *at = w;
	uint32_t at_host = host;
	if (w->is_for_work || b->world->hosts[host].tasks[w->task].is_kernel)
		return;
	for (int i = 0; i < CHAIN && at; i++) {
		if (at->by_task == KERNEL_NONE) { /* handed on what came from outside? */
			w->is_for_work = i && at->is_for_work && at->end > w->begin;
			return;
		}
		if ((i && at->asked < w->begin) ||
			(at->by_host == at_host && stems_from(c, at_host, at->by_task,
							   blocked_process(b, at_host, at->task))))
			return;
		if ((traits_of(c, at_host, at) & IS_OPENED) ||
			has_initiative(c, at_host, at->task, at->by_host, at->by_task)) {
			w->is_answer = !i;
			return;
		}
		if (is_message(c, at_host, at) &&
			roles_of(c, at_host, at->task) != CONNECTS && /* that one only asks */
			has_initiative(c, at->by_host, at->by_task, at_host, at->task)) {
			w->is_for_work = true;
			w->asker = blocked_process(b, at->by_host, at->by_task);
			return;
		}
		const struct blocked_wait *before = wait_before(b, at);
		at_host = at->by_host;
		at = before;
	}
}

/* Is it the answer to something that the task asked for? What ends a poll of a daemon rarely is. */
static bool is_answer(const struct classes *c, uint32_t host, const struct blocked_wait *w)
{
	unsigned traits = traits_of(c, host, w);
	if (traits & (IS_OPENED | IS_CONNECT))
		return true;
	if (w->by_task == KERNEL_NONE || (traits & IS_MULTIPLEXED))
		return false;
	return (w->by_host == host && w->by_task == w->task) || /* connect, by what answers it */
	       has_initiative(c, host, w->task, w->by_host, w->by_task);
}

/* What never ended is for work when the same call of the task was so before, when nothing else is
 * known about the task, or when it is a server. */
static void judge_open(const struct classes *c, uint32_t host, size_t wait)
{
	const struct blocked *b = c->b;
	const struct blocked_host *h = &b->hosts[host];
	struct blocked_wait *w = &h->waits[wait];
	const struct blocked_wait *first = &h->waits[h->first[w->task]];
	if (w->begin <= b->world->hosts[host].tasks[w->task].begin ||
		((roles_of(c, host, w->task) & ACCEPTS) &&
			(traits_of(c, host, w) & IS_MULTIPLEXED)))
		w->is_for_work = true;
	for (const struct blocked_wait *p = w - 1; p >= first; p--) {
		if (p->call != w->call)
			continue;
		w->is_for_work |= p->is_for_work;
		return;
	}
}

/* ---- What is inside of what ---- */

static int push(struct classes *c, uint32_t host, size_t wait, struct mer_err *err)
{
	struct work_list *l = &c->todo;
	if (!mer_spill_grow(c->b->world->spill, &l->item, l->n, &l->cap, sizeof(*l->item)))
		return mer_fail_nomem(err);
	l->item[l->n++] = (struct place){ host, wait };
	return 0;
}

/* The waits of the task that ended it, from the end back to the begin of this wait, or to the
 * moment at which the task got the work. */
static int mark_inside(
	struct classes *c, uint32_t host, const struct blocked_wait *w, struct mer_err *err)
{
	if (w->by_task == KERNEL_NONE || (w->by_host == host && w->by_task == w->task))
		return 0;
	const struct blocked *b = c->b;
	struct blocked_host *h = &b->hosts[w->by_host];
	bool is_kernel = b->world->hosts[w->by_host].tasks[w->by_task].is_kernel;
	uint32_t process = blocked_process(b, host, w->task);
	const struct blocked_wait *last = wait_before(b, w);
	if (!last)
		return 0;
	size_t first = h->first[w->by_task];
	for (size_t i = (size_t)(last - h->waits) + 1; i-- > first;) {
		struct blocked_wait *v = &h->waits[i];
		if (v->end <= w->begin || (v->is_for_work && v->asker == process))
			break;
		/* A kernel thread sleeps between its works. */
		if (v->is_felt || v->is_input || v->is_for_work ||
			(is_kernel && v->begin < w->begin))
			continue;
		v->is_felt = true;
		int rc = push(c, w->by_host, i, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Felt by itself, whichever task waits for it: the process begins or ends while recorded, so
 * somebody waits for its end; or it serves a host that was not recorded; or it waits for an
 * answer. */
static bool is_felt_alone(const struct classes *c, uint32_t host, const struct blocked_wait *w)
{
	const struct blocked *b = c->b;
	if (w->is_input || w->is_for_work || b->world->hosts[host].tasks[w->task].is_kernel)
		return false;
	const struct kernel_task *process = leader(b, host, w->task);
	bool is_job = process->born || process->died != INT64_MAX;
	if (is_job && !(roles_of(c, host, w->task) & ACCEPTS))
		return true;
	if ((c->roles[blocked_process(b, host, w->task)] & SERVES_OUTSIDE) && !w->open &&
		w->cause != KERNEL_FUTEX &&
		(!(traits_of(c, host, w) & IS_MULTIPLEXED) ||
			(w->by_task != KERNEL_NONE &&
				has_initiative(c, host, w->task, w->by_host, w->by_task))))
		return true;
	return is_answer(c, host, w);
}

static int mark(struct classes *c, struct mer_err *err)
{
	const struct blocked *b = c->b;
	int rc = 0;
	for (uint32_t host = 0; host < b->world->n_hosts && !rc; host++) {
		for (size_t i = 0; i < b->hosts[host].n && !rc; i++) {
			struct blocked_wait *w = &b->hosts[host].waits[i];
			if (w->is_felt || !is_felt_alone(c, host, w))
				continue;
			w->is_felt = true;
			rc = push(c, host, i, err);
		}
	}
	while (c->todo.n && !rc) {
		struct place p = c->todo.item[--c->todo.n];
		rc = kernel_world_go_on(b->world, err);
		if (!rc)
			rc = mark_inside(c, p.host, &b->hosts[p.host].waits[p.wait], err);
	}
	return rc;
}

int blocked_classify(struct blocked *b, struct mer_err *err)
{
	struct classes c = { .b = b };
	size_t n_processes = 1;
	for (uint32_t host = 0; host < b->world->n_hosts; host++)
		n_processes += b->world->hosts[host].n_tasks;
	c.roles = calloc(n_processes, sizeof(*c.roles));
	c.inherited = calloc(n_processes, sizeof(*c.inherited));
	c.traits = calloc((size_t)b->world->n_hosts + 1, sizeof(*c.traits));
	int rc =
		c.traits && c.roles && c.inherited ? gather_contacts(&c, err) : mer_fail_nomem(err);
	for (uint32_t host = 0; host < b->world->n_hosts && !rc; host++) {
		struct blocked_host *h = &b->hosts[host];
		rc = kernel_world_go_on(b->world, err);
		for (size_t i = 0; i < h->n && !rc; i++) {
			h->waits[i].is_input = is_input(&c, host, &h->waits[i]);
			if (!h->waits[i].is_input)
				find_plain_work(&c, host, &h->waits[i]);
		}
	}
	for (uint32_t host = 0; host < b->world->n_hosts && !rc; host++) {
		struct blocked_host *h = &b->hosts[host];
		rc = kernel_world_go_on(b->world, err);
		for (size_t i = 0; i < h->n && !rc; i++) {
			if (!h->waits[i].is_input)
				find_work(&c, host, &h->waits[i]);
			if (h->waits[i].open)
				judge_open(&c, host, i);
		}
	}
	if (!rc)
		rc = mark(&c, err);
	for (uint32_t host = 0; c.traits && host < b->world->n_hosts; host++)
		free(c.traits[host]);
	free(c.traits);
	free(c.inherited);
	free(c.roles);
	mer_map_fini(&c.contacts.map);
	free(c.contacts.first);
	mer_spill_release(c.todo.item);
	return rc;
}
