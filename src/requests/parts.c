#include "requests/parts.h"

#include <stdlib.h>

#include "base/grow.h"
#include "requests/parts_finder.h"
#include "requests/path_waits.h"
#include "requests/pool.h"
#include "requests/way.h"

const char *requests_part_name(enum requests_part_kind k)
{
	static const char *const names[REQUESTS_N_PARTS] = { "requester", "network", "outside",
		"queued", "running", "runnable", "disk", "locks", "other", "below" };
	return k < REQUESTS_N_PARTS ? names[k] : "?";
}

void requests_parts_fini(struct requests_parts *p)
{
	free(p->item);
	*p = (struct requests_parts){ 0 };
}

/* ---- one request ---- */

struct walk {
	struct requests_parts_finder *f;
	struct requests_parts *p;
	int64_t t; /* all before it is explained */
	/* A packet had just arrived for this task; KERNEL_NONE: none. */
	uint32_t arrived, arrived_host, arrived_task;
	uint32_t after; /* span of the task that follows the part's; KERNEL_NONE: not known */
	unsigned depth;
	bool is_fine;  /* a part for each span */
	int64_t *sums; /* by kind, and nothing else is wanted; NULL: parts are */
	/* Nothing is wanted but which of these are in its parts, and no stretches are there but
	 * those that were needed so far; NULL: parts are, and all are there. */
	struct requests_path_waits *waits;
	struct mer_err *err;
};

static struct walk new_walk(struct requests_parts_finder *f, int64_t begin, struct mer_err *err)
{
	return (struct walk){
		.f = f, .t = begin, .arrived = KERNEL_NONE, .after = KERNEL_NONE, .err = err
	};
}

/* The time up to `until`, which is later, is this. */
static int put(struct walk *k, int64_t until, struct requests_part *s)
{
	struct requests_parts *p = k->p;
	k->arrived = s->in_flight || s->delivery ? s->packet : KERNEL_NONE;
	k->arrived_host = s->host;
	k->arrived_task = s->task;
	if (k->sums) {
		k->sums[s->kind] += until - k->t;
		k->t = until;
		return 0;
	}
	if (k->waits) {
		requests_path_waits_mark(k->waits, s, k->t, until);
		k->t = until;
		return 0;
	}
	s->begin = k->t;
	s->end = k->t = until;
	if (!k->is_fine)
		s->span = s->wait = KERNEL_NONE;
	struct requests_part *last = p->n ? &p->item[p->n - 1] : NULL;
	if (last && last->host == s->host && last->task == s->task && last->of == s->of &&
		last->exchange == s->exchange && last->cause == s->cause && last->kind == s->kind &&
		last->in_flight == s->in_flight && last->delivery == s->delivery &&
		last->held == s->held && last->packet == s->packet && last->span == s->span &&
		last->wait == s->wait && last->had == s->had) {
		last->end = until;
		return 0;
	}
	if (!mer_grow(&p->item, p->n, &p->cap, sizeof(*p->item)))
		return mer_fail_nomem(k->err);
	p->item[p->n++] = *s;
	return 0;
}

/* What the packet did that ended this wait; or just the wait. */
static int emit_way(struct walk *k, int64_t until, struct requests_part *wait)
{
	struct path way;
	bool is_known;
	wait->begin = k->t;
	wait->end = until;
	int rc = requests_way_find(k->f->r->w, wait, k->after, &way, &is_known, k->err);
	for (size_t i = 0; rc == 0 && is_known && i < way.n_segments; i++) {
		struct requests_part part = requests_part_of(&way.segments[i], wait->exchange);
		part.depth += wait->depth;
		if (!part.is_kernels)
			part.span = wait->span;
		if (part.end > k->t)
			rc = put(k, part.end, &part);
	}
	if (rc == 0 && !is_known)
		rc = put(k, until, wait);
	path_fini(&way);
	return rc;
}

/* The time up to `until` is this. */
static int emit(struct walk *k, int64_t until, struct requests_part s)
{
	if (until <= k->t)
		return 0;
	if (s.cause != PATH_NETWORK || s.kind == REQUESTS_QUEUED)
		return put(k, until, &s);
	if (!s.in_flight && s.span != KERNEL_NONE && k->arrived != KERNEL_NONE &&
		k->arrived_host == s.host && k->arrived_task == s.task) {
		s.delivery = true; /* its task is about to be woken */
		s.packet = k->arrived;
	}
	return !k->waits && requests_way_may_be_known(k->f->r->w, &s) ? emit_way(k, until, &s)
								      : put(k, until, &s);
}

static struct requests_part blank_part(
	const struct walk *k, uint32_t host, uint32_t task, uint32_t exchange)
{
	return (struct requests_part){ .host = host,
		.task = task,
		.exchange = exchange,
		.cause = PATH_UNKNOWN,
		.kind = REQUESTS_OTHER,
		.packet = KERNEL_NONE,
		.span = KERNEL_NONE,
		.wait = KERNEL_NONE,
		.depth = k->depth };
}

struct worker { /* the task that has the request for a while */
	uint32_t host, task;
	uint32_t exchange; /* that the time is of */
	uint32_t own;	   /* request that the task acts for then, plus 1; 0: none */
	bool is_requester;
	bool has_it; /* it has read the request, and waits for no request below it */
};

static enum requests_part_kind kind_of(const struct worker *w, const struct requests_part *s)
{
	if (w->is_requester && s->cause != PATH_NETWORK)
		return REQUESTS_REQUESTER;
	switch (s->cause) {
	case PATH_RUNNING:
	case PATH_INTERRUPTED:
	case PATH_HYPERVISOR: return REQUESTS_CPU;
	case PATH_STOLEN: /* it waits for a CPU, and does not know it */
	case PATH_RUNNABLE: return REQUESTS_RUNNABLE;
	case PATH_DISK: return REQUESTS_DISK;
	case PATH_FUTEX: return REQUESTS_LOCKS;
	case PATH_NETWORK: return REQUESTS_NETWORK;
	default: return REQUESTS_OTHER;
	}
}

/* Is one of them below the other one, or the same? */
static bool is_related(const struct requests *r, uint32_t a, uint32_t b)
{
	for (int way = 0; way < 2; way++) {
		uint32_t at = way ? b : a, top = way ? a : b;
		for (unsigned depth = 0; depth < REQUESTS_MOST_DEPTH; depth++) {
			if (at == top)
				return true;
			if (!r->exchanges[at].parent)
				break;
			at = r->exchanges[at].parent - 1;
		}
	}
	return false;
}

/* What the task did that ended a wait (a child, a kernel thread that writes the journal): the
 * wait was for this. Its last span is `span`; for the time before that task existed the wait is
 * shown as it is, `wait`. If the task worked for another request, that request had what was
 * waited for, such as a row of a database. */
static int emit_helper(struct walk *k, const struct worker *w, uint32_t span,
	const struct requests_part *wait, int64_t until)
{
	enum { MOST = 256 };
	const struct kernel_host *h = &k->f->r->w->hosts[w->host];
	uint32_t spans[MOST], n = 0;
	uint32_t other =
		requests_served_next(k->f, w->host, kernel_span(h, span)->task, k->t, until);
	bool is_lock = other && !is_related(k->f->r, other - 1, w->exchange);
	struct requests_part part = blank_part(k, w->host, kernel_span(h, span)->task, w->exchange);
	part.cause = PATH_TASK;
	part.wait = wait->span;
	part.depth += !w->is_requester;
	int rc = 0;
	for (uint32_t i = span; n < MOST && i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		spans[n++] = i;
		if (kernel_span(h, i)->begin <= k->t)
			break;
	}
	int64_t there = kernel_span(h, spans[n - 1])->begin;
	rc = emit(k, there < until ? there : until, *wait);
	while (rc == 0 && n > 0) {
		int64_t end = n > 1 ? kernel_span(h, spans[n - 2])->begin : until;
		part.cause =
			(uint8_t)path_cause_of(kernel_span(h, kernel_wait_end(h, spans[n - 1])));
		part.kind = is_lock ? REQUESTS_LOCKS : (uint8_t)kind_of(w, &part);
		part.span = spans[n - 1];
		rc = emit(k, end < until ? end : until, part);
		n--;
	}
	part.span = KERNEL_NONE;
	return rc ? rc : emit(k, until, part);
}

static bool is_wait_for_packet(uint8_t what)
{
	return (what & (REQUESTS_CAUSE | REQUESTS_IS_BLOCKED)) ==
	       (PATH_NETWORK | REQUESTS_IS_BLOCKED);
}

/* It did something for another one. A loop that waits for all is not busy. Plus 1; 0: it did
 * not. */
static uint32_t served_instead(const struct worker *w, uint32_t acts, uint8_t what)
{
	bool is_other = acts && acts != w->own && acts - 1 != w->exchange;
	return is_other && what & REQUESTS_IS_BUSY ? acts : 0;
}

/* It waits for a packet, and acts for another request then: for what the packet was. None of this
 * one, nor of those below it, is under way while its server has it. */
static bool is_for_others(const struct walk *k, const struct worker *w, uint32_t acts, uint8_t what)
{
	return w->has_it && is_wait_for_packet(what) && acts && acts != w->own &&
	       !is_related(k->f->r, acts - 1, w->exchange);
}

/* What it waited for instead is not known. */
static struct requests_part unknown_wait(const struct requests_part *wait)
{
	struct requests_part part = *wait;
	part.cause = PATH_BLOCKED;
	part.kind = REQUESTS_OTHER;
	return part;
}

static bool is_helped(const struct worker *w, uint8_t what)
{
	return what & REQUESTS_IS_HELPED && !w->is_requester;
}

/* Up to `until`, it does what it does in stretch i, up to the stretch `next`. */
static int emit_stretch(
	struct walk *k, const struct worker *w, size_t i, size_t next, int64_t until)
{
	const struct requests_stretches *x = &k->f->hosts[w->host];
	const struct requests_stretch *s = &x->item[i];
	struct requests_part part = blank_part(k, w->host, w->task, w->exchange);
	part.depth -= w->is_requester;
	part.span = s->span;
	part.cause = x->what[i] & REQUESTS_CAUSE;
	part.kind = (uint8_t)kind_of(w, &part);
	part.of = served_instead(w, s->acts, x->what[i]);
	if (part.of)
		part.kind = REQUESTS_QUEUED;
	else if (is_for_others(k, w, x->item[next - 1].acts, x->what[i]))
		part = unknown_wait(&part);
	if (is_helped(w, x->what[i])) {
		const struct kernel_host *h = &k->f->r->w->hosts[w->host];
		uint32_t span = s->span == KERNEL_NONE ? s[1].span : s->span;
		return emit_helper(k, w, kernel_span(h, span)->by, &part, until);
	}
	if (next < x->to[w->task] && x->item[next].begin <= until)
		k->after = x->item[next].span;
	int rc = emit(k, until, part);
	k->after = KERNEL_NONE;
	return rc;
}

/* Nothing that is told apart changes from stretch i to the next one. */
static bool is_same(const struct walk *k, const struct worker *w, size_t i)
{
	const struct requests_stretches *x = &k->f->hosts[w->host];
	const struct requests_stretch *s = &x->item[i];
	uint32_t of = served_instead(w, s[0].acts, x->what[i]),
		 next = served_instead(w, s[1].acts, x->what[i + 1]);
	/* A packet that ended a wait is looked at by itself. */
	if (is_wait_for_packet(x->what[i]) || is_wait_for_packet(x->what[i + 1]))
		return s[0].span == s[1].span && x->what[i] == x->what[i + 1];
	if (k->is_fine || is_helped(w, x->what[i]) || is_helped(w, x->what[i + 1]))
		return false;
	if (k->sums && (of || next))
		return of && next;
	if (of != next)
		return false;
	return ((x->what[i] ^ x->what[i + 1]) & REQUESTS_CAUSE) == 0;
}

/* Makes sure that there are stretches of a task, if it is one that has any. */
static int need_stretches(const struct walk *k, uint32_t host, uint32_t task)
{
	if (!k->waits || task == KERNEL_NONE)
		return 0;
	const struct blocked_host *b = requests_path_waits_of(k->waits, host);
	return requests_stretches_add(
		       k->f->r, host, task, b, k->f->begin, k->f->end, &k->f->hosts[host])
		       ? 0
		       : mer_fail_nomem(k->err);
}

/* For waits only the task and the time matter, as long as the task exists: before its fork, the
 * work is its parent's. */
static bool emit_waits(struct walk *k, const struct worker *w, int64_t until)
{
	if (w->task == KERNEL_NONE || k->t < k->f->r->w->hosts[w->host].tasks[w->task].begin)
		return false;
	if (!w->is_requester)
		requests_path_waits_mark_task(k->waits, w->host, w->task, k->t, until);
	k->t = until;
	return true;
}

/* The time up to `until` is the task's. */
static int emit_task(struct walk *k, const struct worker *w, int64_t until)
{
	const struct requests_stretches *x = &k->f->hosts[w->host];
	if (until <= k->t || (k->waits && emit_waits(k, w, until)))
		return 0;
	int rc = need_stretches(k, w->host, w->task);
	if (rc)
		return rc;
	if (w->task == KERNEL_NONE || !requests_has_stretches(x, w->task))
		return emit(k, until, blank_part(k, w->host, w->task, w->exchange));
	size_t end = x->to[w->task], i = requests_stretch_at(x, w->task, k->t);
	for (; rc == 0 && k->t < until; i++) {
		size_t first = i;
		while (i + 1 < end && x->item[i + 1].begin < until && is_same(k, w, i))
			i++;
		int64_t to = requests_stretch_end(x, w->task, i);
		rc = emit_stretch(k, w, first, i + 1, to < until ? to : until);
	}
	return rc;
}

/* To that task. p: NULL, not known. */
static int emit_network(struct walk *k, uint32_t host, uint32_t task, uint32_t exchange,
	const struct kernel_bridge *p, int64_t until)
{
	struct requests_part part = blank_part(k, host, task, exchange);
	part.cause = PATH_NETWORK;
	part.kind = REQUESTS_NETWORK;
	part.in_flight = true;
	if (p)
		part.packet = (uint32_t)(p - k->f->r->w->bridges);
	/* The requester waits for it; of a request the server. */
	part.depth -=
		requests_connection_of(k->f->r, exchange)->ends[REQUESTS_CLIENT].host == host &&
		task == k->f->r->exchanges[exchange].client_task && part.depth > 0;
	return emit(k, until, part);
}

/* The server was not recorded. */
static int emit_outside(
	struct walk *k, uint32_t host, uint32_t task, uint32_t exchange, int64_t until)
{
	struct requests_part part = blank_part(k, host, task, exchange);
	part.cause = PATH_NETWORK;
	part.kind = REQUESTS_OUTSIDE;
	part.in_flight = true;
	part.depth -= part.depth > 0;
	return emit(k, until, part);
}

static int64_t between(int64_t t, int64_t low, int64_t high)
{
	return t < low ? low : t > high ? high : t;
}

/* Where the span of stretch i ends, of a task that has stretches. */
static int64_t span_end(const struct requests_stretches *x, uint32_t task, size_t i)
{
	uint32_t span = x->item[i].span;
	while (i + 1 < x->to[task] && x->item[i + 1].span == span)
		i++;
	return requests_stretch_end(x, task, i);
}

/* The last wait of a task that ended in (after, until]; false: there is none. */
static bool last_wake(const struct requests_parts_finder *f, uint32_t host, uint32_t task,
	int64_t after, int64_t until, int64_t *woken)
{
	const struct requests_stretches *x = &f->hosts[host];
	if (!requests_has_stretches(x, task))
		return false;
	for (size_t i = requests_stretch_at(x, task, until); i > x->from[task]; i--) {
		if (x->item[i].begin <= after)
			return false;
		if (x->what[i - 1] & REQUESTS_IS_BLOCKED &&
			x->item[i].span != x->item[i - 1].span) {
			*woken = x->item[i].begin;
			return true;
		}
	}
	return false;
}

/* Of a wait that a task is in at a time, the end; else that time. */
static int64_t woken_at(const struct requests_parts_finder *f, uint32_t host, uint32_t task,
	int64_t time, int64_t until)
{
	const struct requests_stretches *x = &f->hosts[host];
	if (!requests_has_stretches(x, task))
		return time;
	size_t i = requests_stretch_at(x, task, time);
	if (!(x->what[i] & REQUESTS_IS_BLOCKED))
		return time;
	int64_t end = span_end(x, task, i);
	return end < until ? end : until;
}

static int emit_exchange(struct walk *k, uint32_t exchange, int64_t until);

/* ---- no connection was free ---- */

static bool is_of_one_end(const struct requests *r, uint32_t a, uint32_t b)
{
	const struct requests_exchange *x = &r->exchanges[a], *y = &r->exchanges[b];
	return x->connection == y->connection && x->client_task == y->client_task &&
	       x->client_task != KERNEL_NONE;
}

/* Where the task, which has the request, last did something for it before a time; k->t: it did
 * nothing. */
static int64_t last_act(const struct walk *k, const struct worker *w, int64_t before)
{
	const struct requests_stretches *x = &k->f->hosts[w->host];
	for (size_t i = requests_stretch_at(x, w->task, before - 1);; i--) {
		bool is_act = x->item[i].acts == w->own && !(x->what[i] & REQUESTS_IS_BLOCKED);
		int64_t end = requests_stretch_end(x, w->task, i);
		if (is_act && end < before)
			return end > k->t ? end : k->t;
		if (i == x->from[w->task] || x->item[i].begin <= k->t)
			return k->t;
	}
}

/* It does not wait from one time to another. */
static bool is_one_turn(const struct walk *k, const struct worker *w, int64_t from, int64_t until)
{
	const struct requests_stretches *x = &k->f->hosts[w->host];
	for (size_t i = requests_stretch_at(x, w->task, from);
		i < x->to[w->task] && x->item[i].begin < until; i++)
		if (x->what[i] & REQUESTS_IS_BLOCKED)
			return false;
	return true;
}

/* An event loop sends a request over a connection as soon as the answer to another one came over
 * it: it had no other one, and waited for that. From *from on; before, it worked. */
static bool is_for_connection(
	const struct walk *k, const struct worker *w, uint32_t child, int64_t *from)
{
	const struct requests *r = k->f->r;
	const struct requests_exchange *x = &r->exchanges[child], *before = x - 1;
	if (child == 0 || w->task == KERNEL_NONE || x->client_task != w->task ||
		!is_of_one_end(r, child, child - 1) || !before->parent ||
		is_related(r, before->parent - 1, w->exchange) || before->end <= k->t ||
		before->end > x->begin || !requests_has_stretches(&k->f->hosts[w->host], w->task) ||
		!is_one_turn(k, w, before->end, x->begin))
		return false;
	*from = last_act(k, w, before->end);
	return *from < before->end &&
	       !requests_pool_has_free(r, k->f->pools, child, *from, before->end);
}

/* Up to the child's begin its connection was of those that were sent over it before. */
static int emit_connection(struct walk *k, const struct worker *w, uint32_t child)
{
	const struct requests_exchange *x = k->f->r->exchanges;
	uint32_t first = child - 1;
	while (first > 0 && x[first].begin > k->t && is_of_one_end(k->f->r, child, first - 1))
		first--;
	int rc = 0;
	for (uint32_t i = first; rc == 0 && i < child; i++) {
		struct requests_part part = blank_part(k, w->host, w->task, w->exchange);
		part.kind = REQUESTS_QUEUED;
		part.cause = PATH_NETWORK;
		part.of = x[i].parent;
		part.had = i + 1;
		rc = emit(k, x[i + 1].begin, part);
	}
	return rc;
}

/* Up to the begin of a request below it. */
static int emit_task_until(struct walk *k, const struct worker *w, uint32_t child)
{
	int64_t from, until = k->f->r->exchanges[child].begin;
	int rc = need_stretches(k, w->host, w->task);
	if (rc || until <= k->t || !is_for_connection(k, w, child, &from))
		return rc ? rc : emit_task(k, w, until);
	rc = emit_task(k, w, from);
	return rc ? rc : emit_connection(k, w, child);
}

static int emit_below(struct walk *k, int64_t until)
{
	return emit(k, until, (struct requests_part){ .kind = REQUESTS_BELOW });
}

/* The server has it up to `until`: it waits for requests of its own, the one that ended last
 * first, and works between them. */
static int emit_server(struct walk *k, const struct worker *w, int64_t until)
{
	const struct requests *r = k->f->r;
	uint32_t from = k->f->children_of[w->exchange], end = k->f->children_of[w->exchange + 1];
	uint32_t stack[REQUESTS_MOST_DEPTH], n = 0;
	/* Backward: which of them were waited for, one before the other. */
	for (int64_t t = until; n < REQUESTS_MOST_DEPTH;) {
		uint32_t best = KERNEL_NONE;
		for (uint32_t i = from; i < end; i++) {
			const struct requests_exchange *c = &r->exchanges[k->f->children[i]];
			if (c->end > t || c->begin < k->t || c->begin >= t)
				continue;
			if (best == KERNEL_NONE || c->end > r->exchanges[best].end)
				best = k->f->children[i];
		}
		if (best == KERNEL_NONE)
			break;
		stack[n++] = best;
		t = r->exchanges[best].begin;
	}
	struct worker has = *w;
	has.has_it = true;
	w = &has;
	int rc = 0;
	while (rc == 0 && n > 0) {
		uint32_t child = stack[--n];
		rc = emit_task_until(k, w, child);
		if (rc == 0 && k->sums)
			rc = emit_below(k, r->exchanges[child].end);
		else if (rc == 0)
			rc = emit_exchange(k, child, r->exchanges[child].end);
	}
	return rc ? rc : emit_task(k, w, until);
}

/* The task that answers did other things first, up to *t; then it waited for something to do. */
static int emit_others(struct walk *k, const struct worker *w, int64_t until, int64_t *t)
{
	const struct requests_stretches *x = &k->f->hosts[w->host];
	struct requests_part part = blank_part(k, w->host, w->task, w->exchange);
	int rc = need_stretches(k, w->host, w->task);
	if (rc)
		return rc;
	part.kind = REQUESTS_QUEUED;
	size_t i = requests_has_stretches(x, w->task) ? requests_stretch_at(x, w->task, k->t)
						      : SIZE_MAX;
	for (; rc == 0 && i != SIZE_MAX && k->t < until; i++) {
		part.of = x->item[i].acts;
		if (part.of == 0 || part.of == w->own)
			break;
		int64_t end = requests_stretch_end(x, w->task, i);
		part.span = x->item[i].span;
		part.cause = x->what[i] & REQUESTS_CAUSE;
		rc = emit(k, end < until ? end : until, part);
	}
	*t = k->t;
	return rc;
}

/* From when it was read to when the answer left. */
static int emit_work(struct walk *k, const struct requests_exchange *x, uint32_t exchange,
	uint32_t host, int64_t until)
{
	struct worker reader = { host, x->reader, exchange, exchange + 1, false, false };
	struct worker writer = { host, x->server_task, exchange, exchange + 1, false, false };
	if (x->server_task == KERNEL_NONE || x->server_task == x->reader)
		return emit_server(k, &reader, until);
	int64_t t = k->t;
	int rc = emit_others(k, &writer, until, &t);
	if (rc == 0)
		rc = emit_task(k, &reader, woken_at(k->f, host, x->server_task, t, until));
	return rc ? rc : emit_server(k, &writer, until);
}

/* All of it, from k->t on. */
static int emit_exchange(struct walk *k, uint32_t exchange, int64_t until)
{
	const struct requests *r = k->f->r;
	const struct requests_exchange *x = &r->exchanges[exchange];
	const struct requests_connection *c = requests_connection_of(r, exchange);
	const struct requests_end *client = &c->ends[REQUESTS_CLIENT],
				  *server = &c->ends[REQUESTS_SERVER];
	bool has_server = server->socket != KERNEL_NONE && x->read_end != REQUESTS_NO_TIME &&
			  x->done != REQUESTS_NO_TIME;
	struct worker requester = { client->host, x->client_task, exchange,
		requests_found_parent(r, exchange), true, false };
	int64_t low = k->t, sent = between(x->sent, low, until), arrived = sent, left, back = until;
	/* What had to wait for room, or was lost and sent again, leaves without its task: then. */
	int64_t unsent = sent, kept;
	int rc = 0;
	if (k->waits && !requests_path_waits_may_have(k->waits, exchange)) {
		k->t = until > k->t ? until : k->t;
		return 0;
	}
	if (k->depth >= REQUESTS_MOST_DEPTH)
		return emit_network(k, client->host, x->client_task, exchange, NULL, until);
	k->depth++;
	const struct kernel_bridge *ask = NULL, *answer = requests_packet(&r->connections, c,
							REQUESTS_SERVER, x->begin, x->end, true);
	back = answer ? between(answer->to.time, sent, until) : until;
	left = answer ? between(answer->from.time, sent, back) : back;
	if (client->socket == KERNEL_NONE) {
		struct worker reader = { server->host, x->reader, exchange, exchange + 1, false,
			false };
		if (x->read_end != REQUESTS_NO_TIME)
			rc = emit_task(k, &reader, between(x->read_end, k->t, until));
		if (rc == 0)
			rc = emit_work(k, x, exchange, server->host, until);
	} else if (!has_server) {
		rc = emit_task(k, &requester, sent);
		int64_t woken = until;
		if (rc == 0 && x->client_task != KERNEL_NONE)
			last_wake(k->f, client->host, x->client_task, sent, until, &woken);
		if (rc == 0)
			rc = emit_outside(k, client->host, x->client_task, exchange, woken);
		if (rc == 0)
			rc = emit_task(k, &requester, until);
	} else {
		ask = requests_packet(
			&r->connections, c, REQUESTS_CLIENT, x->begin, x->read_end, true);
		if (ask) {
			unsent = between(ask->from.time, low, until);
			sent = unsent < sent ? unsent : sent;
			arrived = between(ask->to.time, unsent, until);
		}
		if (!c->flow) /* of one host: no way to go */
			left = back = between(x->done, arrived, until);
		kept = left;
		left = between(x->done < left ? x->done : left, arrived, until);
		kept = kept < left ? left : kept;
		back = back < kept ? kept : back;
		struct worker reader = { server->host, x->reader, exchange, exchange + 1, false,
			false };
		rc = emit_task(k, &requester, sent);
		if (rc == 0)
			rc = emit_network(k, client->host, x->client_task, exchange, NULL, unsent);
		if (rc == 0)
			rc = emit_network(k, server->host, x->reader, exchange, ask, arrived);
		if (rc == 0)
			rc = emit_task(k, &reader, between(x->read_end, arrived, left));
		if (rc == 0)
			rc = emit_work(k, x, exchange, server->host, left);
		if (rc == 0)
			rc = emit_network(k, client->host, x->client_task, exchange, NULL, kept);
		if (rc == 0)
			rc = emit_network(k, client->host, x->client_task, exchange, answer, back);
		if (rc == 0)
			rc = emit_task(k, &requester, until);
	}
	k->depth--;
	return rc;
}

static int find_parts(struct requests_parts_finder *f, uint32_t exchange, struct requests_parts *p,
	bool is_fine, struct mer_err *err)
{
	const struct requests_exchange *x = &f->r->exchanges[exchange];
	struct walk k = new_walk(f, x->begin, err);
	int rc = kernel_world_go_on(f->r->w, err);
	k.p = p;
	k.is_fine = is_fine;
	p->n = 0;
	if (rc)
		return rc;
	return requests_is_own(f->r, exchange)
		       ? requests_own_parts(f, f->r, exchange, p, is_fine, err)
		       : emit_exchange(&k, exchange, x->end);
}

/* Each in one innermost state of its task, or in none. */
static bool cut_by_states(struct requests_parts_finder *f, const struct requests_part *whole,
	struct requests_parts *to)
{
	struct requests_part s = *whole;
	for (int64_t t = whole->begin; t < whole->end; t = s.end) {
		s.begin = t;
		if (!path_user_states_next(
			    &f->states, s.host, s.task, t, whole->end, &s.end, &s.user_state) ||
			!mer_grow(&to->item, to->n, &to->cap, sizeof(*to->item)))
			return false;
		to->item[to->n++] = s;
	}
	return true;
}

int requests_parts_find(struct requests_parts_finder *f, uint32_t exchange,
	struct requests_parts *p, struct mer_err *err)
{
	if (!f->states.has_views)
		return find_parts(f, exchange, p, false, err);
	int rc = find_parts(f, exchange, &f->whole, false, err);
	p->n = 0;
	for (size_t i = 0; rc == 0 && i < f->whole.n; i++)
		if (!cut_by_states(f, &f->whole.item[i], p))
			rc = mer_fail_nomem(err);
	return rc;
}

const char *requests_part_state(const struct requests *r, const struct requests_part *p)
{
	return path_user_state_name(r->w, p->host, p->user_state);
}

int requests_parts_find_each(struct requests_parts_finder *f, uint32_t exchange,
	struct requests_parts *p, struct mer_err *err)
{
	return find_parts(f, exchange, p, true, err);
}

int requests_parts_waits(struct requests_parts_finder *f, uint32_t exchange,
	struct requests_path_waits *w, struct mer_err *err)
{
	const struct requests_exchange *x = &f->r->exchanges[exchange];
	struct walk k = new_walk(f, x->begin, err);
	k.is_fine = true;
	k.waits = w;
	return emit_exchange(&k, exchange, x->end);
}

int requests_parts_add(
	struct requests_parts *p, struct requests_part s, bool is_fine, struct mer_err *err)
{
	struct walk k = { .p = p, .t = s.begin, .is_fine = is_fine, .err = err };
	return s.end > s.begin ? put(&k, s.end, &s) : 0;
}

struct requests_part requests_part_blank(uint32_t host, uint32_t task, uint32_t exchange)
{
	struct walk k = { 0 };
	return blank_part(&k, host, task, exchange);
}

enum requests_part_kind requests_part_kind_of(const struct requests_part *s)
{
	struct worker anyone = { .is_requester = false };
	return kind_of(&anyone, s);
}

int requests_parts_sum(struct requests_parts_finder *f, uint32_t exchange,
	int64_t sums[REQUESTS_N_PARTS], struct mer_err *err)
{
	const struct requests_exchange *x = &f->r->exchanges[exchange];
	struct walk k = new_walk(f, x->begin, err);
	k.sums = sums;
	if (!requests_is_own(f->r, exchange))
		return emit_exchange(&k, exchange, x->end);
	struct requests_parts parts = { 0 };
	int rc = requests_own_parts(f, f->r, exchange, &parts, false, err);
	for (size_t i = 0; rc == 0 && i < parts.n; i++) {
		const struct requests_part *p = &parts.item[i];
		sums[p->exchange == exchange ? p->kind : REQUESTS_BELOW] += p->end - p->begin;
	}
	requests_parts_fini(&parts);
	return rc;
}
