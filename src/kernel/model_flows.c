/* Flows: which of several packets that were received one after the other ended a task's wait.
 * Network drivers hand packets on in batches: the wake-ups come after the last packet of a batch,
 * and need not be about that one.
 *
 * A connection is identified by its two endpoints. Its owner is learned from what was sent: on
 * which descriptor, and by which thread last. The first of these criteria that differs decides:
 *
 *  the connection of the descriptor that the call is about
 *  a connection of the thread, of its process, of no known process, of another process
 *  a packet with data before one without (in connect: the answer to the SYN)
 *  among its own the earliest one received since the wait began, else the latest
 *
 * Threads that wait on the same epoll descriptor are woken one for each packet, in any order.
 * For these, the last sender on a connection means nothing, and a packet that woke another
 * thread, or that another thread has read, is not the one that wakes this thread. */
#include "kernel/model_state.h"

#include "kernel/files/object_name.h"

enum { BATCH = 64, BATCH_NS = 10000000 };

static uint64_t pair_key(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

static bool is_known(const struct kernel_bridge *p)
{
	return p->from.endpoint && p->to.endpoint;
}

/* A descriptor of the task's process. */
static uint64_t fd_key(const struct kernel_model *m, uint32_t task, int32_t fd)
{
	const struct kernel_task *t = &m->h->tasks[task];
	return pair_key((uint32_t)(t->pid >= 0 ? t->pid : t->tid), (uint32_t)fd);
}

static const struct kernel_call *call_of(const struct kernel_model *m, uint32_t task)
{
	uint32_t call = m->live[task].call;
	return call == KERNEL_NONE ? NULL : &m->h->calls[call];
}

/* Of what may be a socket. */
static bool has_socket(const struct kernel_call *k)
{
	return k && k->fd >= 0 &&
	       (k->kind == KERNEL_OBJECT_SOCKET || k->kind == KERNEL_OBJECT_UNKNOWN);
}

/* Besides the task that waits there is the fact that there are several: under a key of its own. */
static uint64_t shared_key(const struct kernel_model *m, uint32_t task, int32_t fd)
{
	return fd_key(m, task, fd) | UINT64_C(1) << 31;
}

int model_flow_poll(struct kernel_model *m, uint32_t task, int32_t fd)
{
	uint32_t *last = mer_map_put(&m->pollers, fd_key(m, task, fd));
	if (!last)
		return mer_fail_nomem(m->err);
	bool is_another = *last && *last != task + 1;
	*last = task + 1;
	uint32_t *shared = is_another ? mer_map_put(&m->pollers, shared_key(m, task, fd)) : NULL;
	if (is_another && !shared)
		return mer_fail_nomem(m->err);
	if (shared)
		*shared = task + 1;
	m->has_shared |= is_another;
	return 0;
}

int model_flow_read(struct kernel_model *m, uint32_t task)
{
	const struct kernel_call *k = call_of(m, task);
	if (!has_socket(k) || !(kernel_call_classes(k->id) & KERNEL_CALLS_READ))
		return 0;
	const uint32_t *sent = mer_map_get(&m->sent_on, fd_key(m, task, k->fd));
	size_t at = m->next_end[false];
	for (int n = 0; at > 0 && n < BATCH && m->in.ends[at - 1].is_send; n++)
		at--;
	if (!sent || !*sent || at == 0 || m->in.ends[at - 1].is_send)
		return 0;
	const struct kernel_bridge *s = &m->in.packets[*sent - 1];
	uint32_t *last = mer_map_put(&m->reads, pair_key(s->to.endpoint, s->from.endpoint));
	if (!last)
		return mer_fail_nomem(m->err);
	*last = m->in.ends[at - 1].packet + 1;
	return 0;
}

/* Another thread has it already. */
static bool was_read(const struct kernel_model *m, const struct kernel_bridge *p)
{
	const uint32_t *last = mer_map_get(&m->reads, pair_key(p->from.endpoint, p->to.endpoint));
	return last && *last && m->in.packets[*last - 1].to.time >= p->to.time;
}

static bool shares_poller(const struct kernel_model *m, uint32_t task)
{
	const struct kernel_call *k = call_of(m, task);
	return k && k->fd >= 0 && (kernel_call_classes(k->id) & KERNEL_CALLS_MULTIPLEX) &&
	       mer_map_get(&m->pollers, shared_key(m, task, k->fd));
}

void model_flow_has_woken(struct kernel_model *m, uint32_t task, uint32_t packet)
{
	if (packet == KERNEL_NONE || !shares_poller(m, task))
		return;
	m->woke[m->n_woke % MODEL_WOKE] = packet;
	m->n_woke = (m->n_woke + 1) % MODEL_WOKE;
}

static bool has_woken(const struct kernel_model *m, uint32_t packet)
{
	for (int i = 0; i < MODEL_WOKE; i++)
		if (m->woke[i] == packet)
			return true;
	return false;
}

/* Does the received one answer, or ask for, what was sent? */
static bool is_reply(const struct kernel_bridge *received, const struct kernel_bridge *sent)
{
	return is_known(received) && received->from.endpoint == sent->to.endpoint &&
	       received->to.endpoint == sent->from.endpoint;
}

static void forget_connect(struct kernel_model *m, uint32_t i)
{
	for (m->n_connects--; i < m->n_connects; i++)
		m->connects[i] = m->connects[i + 1];
}

/* It left while its task made the call: nothing held it. */
static void left_at_once(struct kernel_model *m, const struct kernel_bridge *p, uint32_t task)
{
	for (uint32_t i = 0; i < m->n_connects; i++)
		if (m->connects[i].task == task && m->connects[i].endpoint == p->to.endpoint) {
			forget_connect(m, i);
			return;
		}
}

int model_flow_sent(struct kernel_model *m, uint32_t packet)
{
	const struct kernel_bridge *p = &m->in.packets[packet];
	if (!is_known(p) || p->from.span == KERNEL_NONE)
		return 0;
	uint32_t by = kernel_span(m->h, p->from.span)->task;
	uint32_t *task = mer_map_put(&m->flows, pair_key(p->from.endpoint, p->to.endpoint));
	if (!task)
		return mer_fail_nomem(m->err);
	*task = by + 1;
	const struct kernel_call *k = call_of(m, by);
	if (m->n_connects)
		left_at_once(m, p, by);
	if (p->was_held || !has_socket(k))
		return 0;
	uint32_t *last = mer_map_put(&m->sent_on, fd_key(m, by, k->fd));
	if (!last)
		return mer_fail_nomem(m->err);
	*last = packet + 1;
	return 0;
}

void model_flow_connect(struct kernel_model *m, uint32_t task, uint32_t object, int64_t ts)
{
	uint32_t endpoint =
		object == KERNEL_NONE ? 0 : kernel_name_endpoint(kernel_name_text(m->h, object));
	for (uint32_t i = 0; i < m->n_connects; i++)
		if (m->connects[i].task == task && m->connects[i].endpoint == endpoint)
			return;
	if (!endpoint)
		return;
	if (m->n_connects == MODEL_CONNECTS)
		forget_connect(m, 0);
	m->connects[m->n_connects++] = (struct model_connect){ ts, endpoint, task };
}

void model_flow_held(struct kernel_model *m, uint32_t packet)
{
	enum { LONGEST_S = 5 }; /* the kernel asks three times, once a second */
	struct kernel_bridge *p = &m->in.packets[packet];
	if (!is_known(p) || (p->answers != KERNEL_NONE && is_reply(&m->in.packets[p->answers], p)))
		return;
	const uint32_t *owner = mer_map_get(&m->flows, pair_key(p->from.endpoint, p->to.endpoint));
	if (owner && *owner)
		return;
	for (uint32_t i = 0; i < m->n_connects; i++) {
		struct model_connect c = m->connects[i];
		if (c.endpoint != p->to.endpoint ||
			p->from.time - c.time > LONGEST_S * 1000000000LL)
			continue;
		forget_connect(m, i);
		p->from.span = m->h->tasks[c.task].last;
		p->answers = KERNEL_NONE;
		p->was_held = true;
		return;
	}
}

void model_flow_new_fd(struct kernel_model *m, uint32_t task, int64_t fd)
{
	uint32_t *last = fd >= 0 && fd <= INT32_MAX
				 ? mer_map_get(&m->sent_on, fd_key(m, task, (int32_t)fd))
				 : NULL;
	if (last)
		*last = 0;
}

/* What is looked for: a packet that ended a wait. */
struct wanted {
	uint32_t task;
	int64_t wait_begin;
	const struct kernel_bridge *sent; /* last on the call's descriptor; NULL: none known */
	uint32_t peer;			  /* endpoint of its peer; 0: not known */
	bool is_connect, is_accept;
	bool is_shared; /* other threads wait for the same */
};

static struct wanted wanted_by(const struct kernel_model *m, uint32_t task)
{
	const struct kernel_call *k = call_of(m, task);
	const struct kernel_span *open = model_open(m, task);
	struct wanted w = { .task = task,
		.wait_begin = open->state == KERNEL_BLOCKED ? open->begin : INT64_MAX,
		.is_connect = m->live[task].kind == KERNEL_CALL_CONNECT,
		.is_accept = m->live[task].kind == KERNEL_CALL_ACCEPT,
		.is_shared = shares_poller(m, task) };
	if (!has_socket(k))
		return w;
	const uint32_t *last = mer_map_get(&m->sent_on, fd_key(m, task, k->fd));
	if (last && *last)
		w.sent = &m->in.packets[*last - 1];
	else if (k->object != KERNEL_NONE)
		w.peer = kernel_name_endpoint(kernel_name_text(m->h, k->object));
	return w;
}

enum { OF_OTHERS, OF_NOBODY, OF_PROCESS, OF_THREAD };

static unsigned owner_rank(
	const struct kernel_model *m, const struct kernel_bridge *p, uint32_t task)
{
	const uint32_t *owner =
		is_known(p) ? mer_map_get(&m->flows, pair_key(p->to.endpoint, p->from.endpoint))
			    : NULL;
	if (!owner || !*owner)
		return OF_NOBODY;
	const struct kernel_task *t = &m->h->tasks[task], *o = &m->h->tasks[*owner - 1];
	return *owner - 1 == task		 ? OF_THREAD
	       : t->pid >= 0 && t->pid == o->pid ? OF_PROCESS
						 : OF_OTHERS;
}

enum { WITHOUT, MAYBE, WITH }; /* data */

static unsigned content_rank(const struct kernel_bridge *p, const struct wanted *w)
{
	if (w->is_accept)
		return WITHOUT; /* any packet of a new connection */
	if (p->content == (w->is_connect ? SYNC_OPENS : SYNC_DATA))
		return WITH;
	return p->content == SYNC_CONTENT_UNKNOWN ? MAYBE : WITHOUT;
}

enum { CONTENT_BITS = 2, OWNER_BITS = 2 };

/* The greater one is the likelier one. */
static unsigned rank(const struct kernel_model *m, uint32_t packet, const struct wanted *w)
{
	const struct kernel_bridge *p = &m->in.packets[packet];
	unsigned content = content_rank(p, w);
	if (packet == m->live[w->task].packet ||
		(w->is_shared && (has_woken(m, packet) || was_read(m, p))))
		return content; /* ended its wait before this one, or another's */
	unsigned on_descriptor =
		w->sent ? is_reply(p, w->sent) : w->peer && w->peer == p->from.endpoint;
	unsigned owner = owner_rank(m, p, w->task);
	if (w->is_shared && owner == OF_THREAD)
		owner = OF_PROCESS;
	return (on_descriptor << OWNER_BITS | owner) << CONTENT_BITS | content;
}

/* From the last packet received back to the first of its batch: on one CPU, since then. A batch is
 * of one device, since the kernel delivers what it has before it goes on with another one's; so
 * packets of the host itself (its loopback) and those of other hosts are never in the same one. */
struct batch {
	const struct kernel_model *m;
	size_t at;
	int n;
	int64_t since;
	uint32_t stream;
	bool is_local;
};

static bool is_local(const struct kernel_bridge *p)
{
	return p->from.host == p->to.host;
}

static struct batch batch_of(const struct kernel_model *m, int64_t since, uint32_t last)
{
	const struct kernel_bridge *p = &m->in.packets[last];
	int64_t earliest = p->to.time > INT64_MIN + BATCH_NS ? p->to.time - BATCH_NS : INT64_MIN;
	return (struct batch){ .m = m,
		.at = m->next_end[false],
		.since = since > earliest ? since : earliest,
		.stream = p->to.stream,
		.is_local = is_local(p) };
}

static bool batch_next(struct batch *b, uint32_t *packet)
{
	while (b->at > 0 && b->n++ < BATCH) {
		struct kernel_end e = b->m->in.ends[--b->at];
		if (kernel_end_time(b->m->in.packets, e) < b->since)
			return false;
		const struct kernel_bridge *p = &b->m->in.packets[e.packet];
		if (e.is_send || p->to.stream != b->stream)
			continue;
		*packet = e.packet;
		return is_local(p) == b->is_local;
	}
	return false;
}

/* Where events are lost, a packet that has lost its other end may be the one that is looked for. */
static bool may_be_another(const struct kernel_model *m, const struct batch *b, int64_t unmatched)
{
	return m->in.has_losses && unmatched >= b->since;
}

/* ... and so may one whose owner is not known because what it sent is lost. */
static bool has_rival(const struct kernel_model *m, struct batch b, uint32_t best, uint32_t task)
{
	const struct kernel_bridge *p = &m->in.packets[best], *q;
	uint32_t packet;
	while (batch_next(&b, &packet)) {
		q = &m->in.packets[packet];
		bool is_same =
			p->from.endpoint == q->from.endpoint && p->to.endpoint == q->to.endpoint;
		if (packet != best && !is_same && owner_rank(m, q, task) != OF_OTHERS)
			return true;
	}
	return false;
}

uint32_t model_flow_woke(const struct kernel_model *m, int64_t since, uint32_t last, uint32_t task,
	int64_t unmatched)
{
	if (last == KERNEL_NONE)
		return last;
	struct wanted w = wanted_by(m, task);
	struct batch b = batch_of(m, since, last);
	uint32_t best = last, packet;
	unsigned most = rank(m, last, &w);
	while (batch_next(&b, &packet)) {
		unsigned r = rank(m, packet, &w);
		bool is_first = r == most && r >= OF_PROCESS << CONTENT_BITS &&
				m->in.packets[packet].to.time >= w.wait_begin;
		if (r > most || is_first) {
			best = packet;
			most = r;
		}
	}
	if (!m->in.has_losses || most >= (OF_THREAD << CONTENT_BITS | WITH))
		return best;
	b = batch_of(m, since, last);
	return may_be_another(m, &b, unmatched) || has_rival(m, b, best, task) ? KERNEL_NONE : best;
}

uint32_t model_flow_answered(const struct kernel_model *m, int64_t since, uint32_t last,
	uint32_t sent, int64_t unmatched)
{
	const struct kernel_bridge *s = &m->in.packets[sent];
	if (last == KERNEL_NONE || is_reply(&m->in.packets[last], s))
		return last;
	struct batch b = batch_of(m, since, last);
	uint32_t packet;
	while (batch_next(&b, &packet))
		if (is_reply(&m->in.packets[packet], s))
			return packet;
	return may_be_another(m, &b, unmatched) ? KERNEL_NONE : last;
}
