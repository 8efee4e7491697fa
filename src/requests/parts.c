#include "requests/parts.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/lower_bound.h"

/* From begin on the task acts for this request; from `until` on for that of the next stint. */
struct stint {
	int64_t begin, until;
	uint32_t exchange; /* plus 1; 0: for none that is known */
};

struct host_index {
	struct stint *stints;
	uint32_t *stints_of; /* by task, and the end */
	uint32_t *spans;     /* of each task that has stints, in the order of time */
	size_t *spans_of;    /* by task, and the end */
};

struct requests_parts_finder {
	const struct requests *r;
	struct host_index *hosts;
	uint32_t *children, *children_of; /* by exchange, and the end */
};

const char *requests_part_name(enum requests_part_kind k)
{
	static const char *const names[REQUESTS_N_PARTS] = { "requester", "network", "queued",
		"running", "runnable", "disk", "locks", "other", "below" };
	return k < REQUESTS_N_PARTS ? names[k] : "?";
}

/* ---- what is looked up ---- */

/* For whom an action is. */
static uint32_t acts_for(const struct requests *r, const struct requests_action *a)
{
	return a->is_server ? a->exchange : r->exchanges[a->exchange - 1].parent;
}

static bool is_last_answer(const struct requests *r, const struct requests_host *log, uint32_t i)
{
	const struct requests_action *a = &log->actions[i];
	return a->is_server && a->kind == REQUESTS_WRITE &&
	       r->exchanges[a->exchange - 1].last_answer == i;
}

/* How many stints an action begins: after an answer its task has done with the request. */
static uint32_t n_stints(const struct requests *r, const struct requests_host *log, uint32_t i)
{
	const struct requests_action *a = &log->actions[i];
	return a->kind > REQUESTS_WRITE || !a->exchange ? 0 : 1 + is_last_answer(r, log, i);
}

static bool find_stints(struct requests_parts_finder *f, uint32_t host)
{
	const struct requests *r = f->r;
	const struct requests_host *log = &r->log->hosts[host];
	struct host_index *x = &f->hosts[host];
	uint32_t n_tasks = r->w->hosts[host].n_tasks, n = 0;
	x->stints_of = calloc((size_t)n_tasks + 2, sizeof(*x->stints_of));
	if (!x->stints_of)
		return false;
	for (uint32_t i = 0; i < log->n_actions; i++) {
		x->stints_of[log->actions[i].task + 2] += n_stints(r, log, i);
		n += n_stints(r, log, i);
	}
	x->stints = mer_spill_array(log->spill, (size_t)n + 1, sizeof(*x->stints));
	if (!x->stints)
		return false;
	for (uint32_t t = 0; t < n_tasks; t++)
		x->stints_of[t + 2] += x->stints_of[t + 1];
	for (uint32_t i = 0; i < log->n_actions; i++) {
		const struct requests_action *a = &log->actions[i];
		uint32_t *at = &x->stints_of[a->task + 1];
		if (n_stints(r, log, i))
			x->stints[(*at)++] = (struct stint){ a->begin, INT64_MAX, acts_for(r, a) };
		if (n_stints(r, log, i) > 1)
			x->stints[(*at)++] = (struct stint){ a->end, INT64_MAX, 0 };
	}
	return true;
}

/* Once it has waited, a task acts for whom it acts for next: that is why it was woken. So each
 * stint ends with the first wait in it; one for nobody with the last one, because what ended those
 * before it (a timer) was for nobody, too. */
static void end_at_waits(const struct requests_parts_finder *f, uint32_t host)
{
	const struct kernel_host *h = &f->r->w->hosts[host];
	const struct host_index *x = &f->hosts[host];
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		size_t at = x->spans_of[t], end = x->spans_of[t + 1];
		for (uint32_t i = x->stints_of[t]; i + 1 < x->stints_of[t + 1]; i++) {
			struct stint *s = &x->stints[i];
			s->until = s[1].begin;
			for (; at < end && kernel_span(h, x->spans[at])->begin < s[1].begin; at++) {
				const struct kernel_span *span = kernel_span(h, x->spans[at]);
				if (span->begin < s->begin || span->state != KERNEL_BLOCKED)
					continue;
				s->until = span->begin;
				if (s->exchange)
					break;
			}
		}
	}
}

/* Who takes a request that another task has read shows it at the end only. It has it since it had
 * done with the one before: from then on it does nothing else, or waits for something to do. */
static void begin_jobs(const struct requests_parts_finder *f, uint32_t host)
{
	const struct host_index *x = &f->hosts[host];
	for (uint32_t t = 0; t < f->r->w->hosts[host].n_tasks; t++)
		for (uint32_t i = x->stints_of[t]; i < x->stints_of[t + 1]; i++) {
			struct stint *s = &x->stints[i];
			const struct stint *before = i > x->stints_of[t] ? s - 1 : NULL;
			const struct requests_exchange *e =
				s->exchange ? &f->r->exchanges[s->exchange - 1] : NULL;
			if (!e || e->reader == t || e->server_task != t ||
				(before && before->exchange) || e->read_end >= s->begin)
				continue;
			s->begin =
				before && before->begin > e->read_end ? before->begin : e->read_end;
		}
}

static bool find_spans(struct requests_parts_finder *f, uint32_t host)
{
	const struct kernel_host *h = &f->r->w->hosts[host];
	struct host_index *x = &f->hosts[host];
	size_t n = 0, cap = 0;
	x->spans_of = calloc((size_t)h->n_tasks + 1, sizeof(*x->spans_of));
	if (!x->spans_of)
		return false;
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		size_t first = n;
		x->spans_of[t] = n;
		bool is_needed = x->stints_of[t] != x->stints_of[t + 1];
		for (uint32_t i = h->tasks[t].last; is_needed && i != KERNEL_NONE;
			i = kernel_span(h, i)->before) {
			if (!mer_spill_grow(f->r->w->spill, &x->spans, n, &cap, sizeof(*x->spans)))
				return false;
			x->spans[n++] = i;
		}
		for (size_t i = first, k = n; i + 1 < k; i++) {
			uint32_t last = x->spans[--k];
			x->spans[k] = x->spans[i];
			x->spans[i] = last;
		}
	}
	x->spans_of[h->n_tasks] = n;
	return true;
}

static bool find_children(struct requests_parts_finder *f)
{
	const struct requests *r = f->r;
	uint32_t *of = mer_spill_array(r->w->spill, (size_t)r->n + 3, sizeof(*of));
	f->children_of = of;
	f->children = mer_spill_array(r->w->spill, (size_t)r->n + 1, sizeof(*f->children));
	if (!of || !f->children)
		return false;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->exchanges[i].parent)
			of[r->exchanges[i].parent + 1]++;
	for (uint32_t i = 0; i < r->n; i++)
		of[i + 2] += of[i + 1];
	for (uint32_t i = 0; i < r->n; i++)
		if (r->exchanges[i].parent)
			f->children[of[r->exchanges[i].parent]++] = i;
	return true;
}

int requests_parts_finder_new(
	const struct requests *r, struct requests_parts_finder **out, struct mer_err *err)
{
	struct requests_parts_finder *f = calloc(1, sizeof(*f));
	*out = NULL;
	if (!f)
		return mer_fail_nomem(err);
	f->r = r;
	f->hosts = calloc((size_t)r->w->n_hosts + 1, sizeof(*f->hosts));
	bool ok = f->hosts && find_children(f);
	for (uint32_t h = 0; ok && h < r->w->n_hosts; h++) {
		ok = find_stints(f, h) && find_spans(f, h);
		if (ok) {
			begin_jobs(f, h);
			end_at_waits(f, h);
		}
	}
	if (!ok) {
		requests_parts_finder_free(f);
		return mer_fail_nomem(err);
	}
	*out = f;
	return 0;
}

void requests_parts_finder_free(struct requests_parts_finder *f)
{
	for (uint32_t h = 0; f && f->hosts && h < f->r->w->n_hosts; h++) {
		mer_spill_release(f->hosts[h].stints);
		mer_spill_release(f->hosts[h].spans);
		free(f->hosts[h].stints_of);
		free(f->hosts[h].spans_of);
	}
	if (f) {
		free(f->hosts);
		mer_spill_release(f->children);
		mer_spill_release(f->children_of);
		free(f);
	}
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
	unsigned depth;
	bool is_fine; /* a part for each span */
	struct mer_err *err;
};

/* The time up to `until` is this. */
static int emit(struct walk *k, int64_t until, struct requests_part s)
{
	struct requests_parts *p = k->p;
	if (until <= k->t)
		return 0;
	s.begin = k->t;
	s.end = k->t = until;
	if (!k->is_fine)
		s.span = KERNEL_NONE;
	struct requests_part *last = p->n ? &p->item[p->n - 1] : NULL;
	if (last && last->host == s.host && last->task == s.task && last->of == s.of &&
		last->exchange == s.exchange && last->cause == s.cause && last->kind == s.kind &&
		last->in_flight == s.in_flight && last->packet == s.packet &&
		last->span == s.span) {
		last->end = until;
		return 0;
	}
	if (!mer_grow(&p->item, p->n, &p->cap, sizeof(*p->item)))
		return mer_fail_nomem(k->err);
	p->item[p->n++] = s;
	return 0;
}

/* For whom the task acts; plus 1, 0: for none that is known. */
static uint32_t acts_at(
	const struct requests_parts_finder *f, uint32_t host, uint32_t task, int64_t time)
{
	const struct host_index *x = &f->hosts[host];
	size_t from = x->stints_of[task], until = x->stints_of[task + 1];
	MER_LOWER_BOUND(i, from, until, k, x->stints[k].begin <= time);
	if (i == from)
		return 0;
	return time >= x->stints[i - 1].until && i < until ? x->stints[i].exchange
							   : x->stints[i - 1].exchange;
}

/* When it may act for another one after that time. */
static int64_t next_stint(
	const struct requests_parts_finder *f, uint32_t host, uint32_t task, int64_t time)
{
	const struct host_index *x = &f->hosts[host];
	size_t from = x->stints_of[task], until = x->stints_of[task + 1];
	MER_LOWER_BOUND(i, from, until, k, x->stints[k].begin <= time);
	if (i > from && x->stints[i - 1].until > time)
		return x->stints[i - 1].until;
	return i < until ? x->stints[i].begin : INT64_MAX;
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
		.depth = k->depth };
}

struct worker { /* who has the request for a while */
	uint32_t host, task;
	uint32_t exchange; /* that the time is of */
	uint32_t own;	   /* request that the task acts for then, plus 1; 0: none */
	bool is_requester;
};

static enum requests_part_kind kind_of(const struct worker *w, const struct requests_part *s)
{
	if (w->is_requester && s->cause != PATH_NETWORK)
		return REQUESTS_REQUESTER;
	switch (s->cause) {
	case PATH_RUNNING:
	case PATH_INTERRUPTED: return REQUESTS_CPU;
	case PATH_RUNNABLE: return REQUESTS_RUNNABLE;
	case PATH_DISK: return REQUESTS_DISK;
	case PATH_FUTEX: return REQUESTS_LOCKS;
	case PATH_NETWORK: return REQUESTS_NETWORK;
	default: return REQUESTS_OTHER;
	}
}

/* What the task did meanwhile that ended a wait (a child, a thread of the kernel that writes the
 * journal): that is what was waited for. The last of its spans is `span`; before it was there, the
 * wait is what it is, `wait`. */
static int emit_helper(struct walk *k, const struct worker *w, uint32_t span,
	const struct requests_part *wait, int64_t until)
{
	enum { MOST = 256 };
	const struct kernel_host *h = &k->f->r->w->hosts[w->host];
	uint32_t spans[MOST], n = 0;
	struct requests_part part = blank_part(k, w->host, kernel_span(h, span)->task, w->exchange);
	part.cause = PATH_TASK;
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
		part.kind = (uint8_t)kind_of(w, &part);
		part.span = spans[n - 1];
		rc = emit(k, end < until ? end : until, part);
		n--;
	}
	part.span = KERNEL_NONE;
	return rc ? rc : emit(k, until, part);
}

/* A piece of one span (KERNEL_NONE: not known) and one stint. */
static int emit_piece(struct walk *k, const struct worker *w, uint32_t span, int64_t until)
{
	const struct kernel_host *h = &k->f->r->w->hosts[w->host];
	const struct kernel_span *s = span == KERNEL_NONE ? NULL : kernel_span(h, span);
	uint32_t now = acts_at(k->f, w->host, w->task, k->t);
	uint32_t instead = now != w->own ? now : 0;
	struct requests_part part = blank_part(k, w->host, w->task, w->exchange);
	part.depth -= w->is_requester;
	part.span = span;
	if (s)
		part.cause = (uint8_t)path_cause_of(kernel_span(h, kernel_wait_end(h, span)));
	part.kind = (uint8_t)kind_of(w, &part);
	/* It did something for another one, or waited for that. A loop that waits for all is not
	 * busy. */
	bool is_busy = s && s->state != KERNEL_BLOCKED;
	if (instead && instead - 1 != w->exchange && is_busy) {
		part.kind = REQUESTS_QUEUED;
		part.of = instead;
		part.cause = PATH_RUNNING;
	}
	if (s && !w->is_requester && s->state == KERNEL_BLOCKED && s->by != KERNEL_NONE &&
		(s->cause == KERNEL_TASK || s->cause == KERNEL_PIPE))
		return emit_helper(k, w, s->by, &part, until);
	return emit(k, until, part);
}

/* The time up to `until` is the task's. */
static int emit_task(struct walk *k, const struct worker *w, int64_t until)
{
	const struct kernel_host *h = &k->f->r->w->hosts[w->host];
	const struct host_index *x = &k->f->hosts[w->host];
	int rc = 0;
	if (until <= k->t)
		return 0;
	if (w->task == KERNEL_NONE)
		return emit(k, until, blank_part(k, w->host, KERNEL_NONE, w->exchange));
	size_t from = x->spans_of[w->task], end = x->spans_of[w->task + 1];
	MER_LOWER_BOUND(i, from, end, m, kernel_span(h, x->spans[m])->begin <= k->t);
	i -= i > from;
	for (; rc == 0 && k->t < until && i < end; i++) {
		const struct kernel_span *s = kernel_span(h, x->spans[i]);
		int64_t span_end = i + 1 < end ? kernel_span(h, x->spans[i + 1])->begin
					       : kernel_task_end(h, w->task);
		while (rc == 0 && k->t < until && k->t < span_end) {
			int64_t to = next_stint(k->f, w->host, w->task, k->t);
			to = to < span_end ? to : span_end;
			rc = emit_piece(k, w, s->begin <= k->t ? x->spans[i] : KERNEL_NONE,
				to < until ? to : until);
		}
	}
	return rc ? rc : emit_piece(k, w, KERNEL_NONE, until);
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

static int64_t between(int64_t t, int64_t low, int64_t high)
{
	return t < low ? low : t > high ? high : t;
}

/* The last wait of a task that ended in (after, until]; false: there is none. */
static bool last_wake(const struct requests_parts_finder *f, uint32_t host, uint32_t task,
	int64_t after, int64_t until, int64_t *woken)
{
	const struct kernel_host *h = &f->r->w->hosts[host];
	const struct host_index *x = &f->hosts[host];
	size_t from = x->spans_of[task], end = x->spans_of[task + 1];
	MER_LOWER_BOUND(i, from, end, m, kernel_span(h, x->spans[m])->begin <= until);
	for (; i > from; i--) {
		const struct kernel_span *s = kernel_span(h, x->spans[i - 1]);
		int64_t its_end =
			i < end ? kernel_span(h, x->spans[i])->begin : kernel_task_end(h, task);
		if (its_end <= after)
			return false;
		if (s->state == KERNEL_BLOCKED && its_end <= until) {
			*woken = its_end;
			return true;
		}
	}
	return false;
}

/* Of a wait that a task is in at a time, the end; else that time. */
static int64_t woken_at(const struct requests_parts_finder *f, uint32_t host, uint32_t task,
	int64_t time, int64_t until)
{
	const struct kernel_host *h = &f->r->w->hosts[host];
	const struct host_index *x = &f->hosts[host];
	size_t from = x->spans_of[task], end = x->spans_of[task + 1];
	MER_LOWER_BOUND(i, from, end, m, kernel_span(h, x->spans[m])->begin <= time);
	if (i == from || kernel_span(h, x->spans[i - 1])->state != KERNEL_BLOCKED)
		return time;
	int64_t its_end = i < end ? kernel_span(h, x->spans[i])->begin : kernel_task_end(h, task);
	return its_end < until ? its_end : until;
}

static int emit_exchange(struct walk *k, uint32_t exchange, int64_t until);

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
	int rc = 0;
	while (rc == 0 && n > 0) {
		uint32_t child = stack[--n];
		rc = emit_task(k, w, r->exchanges[child].begin);
		if (rc == 0)
			rc = emit_exchange(k, child, r->exchanges[child].end);
	}
	return rc ? rc : emit_task(k, w, until);
}

/* From when it was read to when the answer left. */
static int emit_work(struct walk *k, const struct requests_exchange *x, uint32_t exchange,
	uint32_t host, int64_t until)
{
	struct worker reader = { host, x->reader, exchange, exchange + 1, false };
	struct worker writer = { host, x->server_task, exchange, exchange + 1, false };
	if (x->server_task == KERNEL_NONE || x->server_task == x->reader)
		return emit_server(k, &reader, until);
	/* The task that answers did other things, or waited for something to do. */
	int64_t t = k->t;
	for (uint32_t now; t < until && (now = acts_at(k->f, host, x->server_task, t)) != 0 &&
			   now != exchange + 1;)
		t = next_stint(k->f, host, x->server_task, t);
	int rc = 0;
	t = t < until ? t : until;
	while (rc == 0 && k->t < t) {
		int64_t next = next_stint(k->f, host, x->server_task, k->t);
		struct requests_part part = blank_part(k, host, x->server_task, exchange);
		part.of = acts_at(k->f, host, x->server_task, k->t);
		part.cause = PATH_RUNNING;
		part.kind = REQUESTS_QUEUED;
		rc = emit(k, next < t ? next : t, part);
	}
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
	struct worker requester = { client->host, x->client_task, exchange, x->parent, true };
	int64_t low = k->t, sent = between(x->sent, low, until), arrived = sent, left, back = until;
	int rc = 0;
	if (k->depth >= REQUESTS_MOST_DEPTH)
		return emit_network(k, client->host, x->client_task, exchange, NULL, until);
	k->depth++;
	const struct kernel_bridge *ask = NULL, *answer = requests_packet(&r->connections, c,
							REQUESTS_SERVER, x->begin, x->end, true);
	back = answer ? between(answer->to.time, sent, until) : until;
	left = answer ? between(answer->from.time, sent, back) : back;
	if (client->socket == KERNEL_NONE) {
		rc = emit_work(k, x, exchange, server->host, until);
	} else if (!has_server) {
		rc = emit_task(k, &requester, sent);
		int64_t woken = until;
		if (rc == 0 && x->client_task != KERNEL_NONE)
			last_wake(k->f, client->host, x->client_task, sent, until, &woken);
		if (rc == 0)
			rc = emit_network(k, client->host, x->client_task, exchange, NULL, woken);
		if (rc == 0)
			rc = emit_task(k, &requester, until);
	} else {
		ask = requests_packet(
			&r->connections, c, REQUESTS_CLIENT, x->begin, x->read_end, true);
		if (ask) {
			sent = between(ask->from.time, low, until);
			arrived = between(ask->to.time, sent, until);
		}
		if (!c->flow) /* of one host: no way to go */
			left = back = between(x->done, arrived, until);
		left = left < arrived ? arrived : left;
		back = back < left ? left : back;
		struct worker reader = { server->host, x->reader, exchange, exchange + 1, false };
		rc = emit_task(k, &requester, sent);
		if (rc == 0)
			rc = emit_network(k, server->host, x->reader, exchange, ask, arrived);
		if (rc == 0)
			rc = emit_task(k, &reader, between(x->read_end, arrived, left));
		if (rc == 0)
			rc = emit_work(k, x, exchange, server->host, left);
		if (rc == 0)
			rc = emit_network(k, client->host, x->client_task, exchange, answer, back);
		if (rc == 0)
			rc = emit_task(k, &requester, until);
	}
	k->depth--;
	return rc;
}

int requests_parts_find(struct requests_parts_finder *f, uint32_t exchange,
	struct requests_parts *p, struct mer_err *err)
{
	const struct requests_exchange *x = &f->r->exchanges[exchange];
	struct walk k = { .f = f, .p = p, .t = x->begin, .err = err };
	p->n = 0;
	return emit_exchange(&k, exchange, x->end);
}

int requests_parts_find_each(struct requests_parts_finder *f, uint32_t exchange,
	struct requests_parts *p, struct mer_err *err)
{
	const struct requests_exchange *x = &f->r->exchanges[exchange];
	struct walk k = { .f = f, .p = p, .t = x->begin, .is_fine = true, .err = err };
	p->n = 0;
	return emit_exchange(&k, exchange, x->end);
}

uint32_t requests_served_by(
	const struct requests_parts_finder *f, uint32_t host, uint32_t task, int64_t time)
{
	return acts_at(f, host, task, time);
}

int64_t requests_served_until(
	const struct requests_parts_finder *f, uint32_t host, uint32_t task, int64_t time)
{
	return next_stint(f, host, task, time);
}

/* ---- as a path ---- */

static struct path_segment segment_of(const struct requests *r, const struct requests_part *p)
{
	const struct kernel_host *h = &r->w->hosts[p->host];
	const struct kernel_span *s = p->span == KERNEL_NONE ? NULL : kernel_span(h, p->span);
	struct path_segment g = { .begin = p->begin,
		.end = p->end,
		.host = p->host,
		.task = p->task,
		.span = p->span,
		.call = s ? s->call : KERNEL_NONE,
		.by = s && s->state == KERNEL_RUNNABLE ? s->by : KERNEL_NONE,
		.source = KERNEL_NONE,
		.depth = p->depth,
		.state = s ? s->state : KERNEL_UNKNOWN,
		.cause = p->kind == REQUESTS_QUEUED ? PATH_QUEUED : p->cause,
		.cpu = s ? s->cpu : KERNEL_NO_CPU };
	if (s) {
		const struct kernel_span *end = kernel_span(h, kernel_wait_end(h, p->span));
		g.source = end->source;
		g.by_cause = end->cause;
	}
	if (p->in_flight) {
		g.state = KERNEL_BLOCKED;
		g.in_flight = p->packet != KERNEL_NONE;
		g.source = p->packet;
	}
	return g;
}

/* From one segment to the next, which is of another task. */
static struct path_link link_of(const struct path_segment *a, const struct path_segment *b)
{
	struct path_link l = { .from_host = a->host,
		.from_task = a->task,
		.to_host = b->host,
		.to_task = b->task,
		.from_time = a->end,
		.to_time = b->begin,
		.kind = PATH_LINK_WAIT,
		.packet = KERNEL_NONE };
	if (b->in_flight && a->depth != b->depth) {
		l.kind = PATH_LINK_NETWORK;
		l.packet = b->source;
		l.to_time = b->end;
	} else if (a->host == b->host && b->depth >= a->depth) {
		l.kind = PATH_LINK_WAKE;
	}
	return l;
}

int requests_path(
	struct requests_parts_finder *f, uint32_t exchange, struct path *path, struct mer_err *err)
{
	const struct requests *r = f->r;
	const struct requests_exchange *x = &r->exchanges[exchange];
	const struct requests_end *client =
		&requests_connection_of(r, exchange)->ends[REQUESTS_CLIENT];
	struct requests_parts parts = { 0 };
	*path = (struct path){ .world = r->w,
		.host = client->host,
		.task = x->client_task,
		.begin = x->begin,
		.end = x->end };
	if (x->client_task == KERNEL_NONE)
		return mer_fail(err, MER_ERR_USAGE,
			"who sent this request was not recorded, so there is no path of its task");
	int rc = requests_parts_find_each(f, exchange, &parts, err);
	for (size_t i = 0; rc == 0 && i < parts.n; i++) {
		struct path_segment s = segment_of(r, &parts.item[i]);
		const struct path_segment *last =
			path->n_segments ? &path->segments[path->n_segments - 1] : NULL;
		/* It has arrived, and its task is about to be woken. */
		if (last && (last->in_flight || last->delivery) && last->host == s.host &&
			last->task == s.task && s.state == KERNEL_BLOCKED &&
			s.cause == PATH_NETWORK) {
			s.delivery = true;
			s.source = last->source;
		}
		if (last && (last->host != s.host || last->task != s.task)) {
			struct path_link l = link_of(last, &s);
			if (!mer_grow(&path->links, path->n_links, &path->cap_links,
				    sizeof(*path->links)))
				rc = mer_fail_nomem(err);
			else
				path->links[path->n_links++] = l;
		}
		if (rc == 0 && !mer_grow(&path->segments, path->n_segments, &path->cap_segments,
				       sizeof(*path->segments)))
			rc = mer_fail_nomem(err);
		if (rc == 0)
			path->segments[path->n_segments++] = s;
	}
	requests_parts_fini(&parts);
	if (rc == 0)
		path_sum(path);
	return rc;
}
