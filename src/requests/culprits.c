#include "requests/culprits_tell.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "base/sort.h"

enum {
	/* Of who held a lock: before these, it is not known what it did. Each system call is one,
	 * of which some programs make a thousand in a millisecond. */
	MOST_SPANS = 1 << 17,
	MOST_DEPTH = 8, /* of who waited for whom */
};

const char *requests_via_name(enum requests_via v)
{
	static const char *const names[REQUESTS_N_VIAS] = { NULL, "served", "connection", "lock",
		"helper" };
	return v < REQUESTS_N_VIAS ? names[v] : NULL;
}

int requests_culprits_new(const struct requests_kinds *k, struct requests_parts_finder *f,
	struct requests_culprits **out, struct mer_err *err)
{
	struct requests_culprits *x = calloc(1, sizeof(*x));
	*out = x;
	if (x)
		x->hosts = calloc((size_t)k->r->w->n_hosts + 1, sizeof(*x->hosts));
	if (!x || !x->hosts)
		return mer_fail_nomem(err);
	x->k = k;
	x->f = f;
	return 0;
}

void requests_culprits_free(struct requests_culprits *x)
{
	for (uint32_t h = 0; x && x->hosts && h < x->k->r->w->n_hosts; h++) {
		mer_spill_release(x->hosts[h].turns);
		free(x->hosts[h].turns_of);
		free(x->hosts[h].done);
		free(x->hosts[h].service);
		mer_map_fini(&x->hosts[h].services);
		mer_map_fini(&x->hosts[h].servers);
		mer_map_fini(&x->hosts[h].writers);
	}
	if (x) {
		for (unsigned i = 0; i < REQUESTS_CULPRITS_KEPT; i++)
			requests_parts_fini(&x->kept[i].parts);
		free(x->hosts);
		free(x);
	}
}

/* Its thread alone, if the process is not known. */
static uint64_t process_key(const struct kernel_task *t)
{
	return t->pid > 0 ? (uint64_t)t->pid : (uint64_t)(uint32_t)t->tid << 32;
}

bool requests_is_outsider(struct requests_culprits *x, uint32_t host, uint32_t task)
{
	const struct kernel_host *h = &x->k->r->w->hosts[host];
	struct requests_culprits_host *i = &x->hosts[host];
	for (uint32_t t = 0; !i->has_servers && t < h->n_tasks; t++) {
		if (!requests_serves_any(x->f, host, t))
			continue;
		uint32_t *at = mer_map_put(&i->servers, process_key(&h->tasks[t]));
		if (!at)
			return false; /* without memory there are no culprits */
		*at = 1;
	}
	i->has_servers = true;
	return !mer_map_get(&i->servers, process_key(&h->tasks[task]));
}

/* ---- tell ---- */

/* A thread of the kernel that was waited for works for who waits. */
static uint32_t task_at(const struct requests_telling *t)
{
	const struct requests_part *p = t->p;
	const struct kernel_span *wait = kernel_span_kept(t->h, p->wait);
	return wait && p->task != KERNEL_NONE && t->h->tasks[p->task].is_kernel ? wait->task
										: p->task;
}

struct requests_culprit requests_culprit_by(
	const struct requests_telling *t, uint32_t task, enum requests_deed deed)
{
	return (struct requests_culprit){ .host = t->p->host,
		.task = task,
		.kind = KERNEL_NONE,
		.example = KERNEL_NONE,
		.call = KERNEL_NONE,
		.object = KERNEL_NONE,
		.number = KERNEL_NONE,
		.deed = (uint8_t)deed,
		.via = (uint8_t)t->via,
		.at_host = t->p->host,
		.at_task = task_at(t),
		.at_exchange = t->p->exchange,
		.at_kind = t->p->kind };
}

bool requests_is_last(const struct requests_culprit *c)
{
	return c->deed == REQUESTS_DEED_CPU || c->deed == REQUESTS_DEED_DISK ||
	       c->deed == REQUESTS_DEED_HELD || c->deed == REQUESTS_DEED_LOST ||
	       (c->deed == REQUESTS_DEED_INTERRUPT && c->via != REQUESTS_VIA_NOTHING);
}

/* The time up to `end` belongs to this culprit. */
static bool tell_until(const struct requests_telling *t, struct requests_culprit c, int64_t end)
{
	c.ns = end - *t->told;
	if (c.ns <= 0)
		return true;
	*t->told = end;
	return t->tell(t->ctx, &c);
}

/* Up to `end` no other culprit is known than the task that was waited for; without one there is
 * none. */
static bool tell_between(const struct requests_telling *t, int64_t end)
{
	if (!t->by) {
		*t->told = requests_greatest(*t->told, end);
		return true;
	}
	struct requests_culprit c = *t->by;
	c.meanwhile = t->p->cause;
	return tell_until(t, c, end);
}

/* The time [begin, end) belongs to this culprit, as far as it lies in the part and no other
 * culprit has it. */
bool requests_culprit_tell(
	const struct requests_telling *t, struct requests_culprit c, int64_t begin, int64_t end)
{
	begin = requests_greatest(begin, t->p->begin);
	end = requests_least(end, t->p->end);
	if (requests_greatest(begin, *t->told) >= end)
		return true;
	/* What another task did for itself is what was waited for. */
	if (t->by && !requests_is_last(&c) && c.deed != REQUESTS_DEED_SERVED &&
		c.deed != REQUESTS_DEED_CONNECTION)
		return tell_between(t, end);
	return tell_between(t, begin) && tell_until(t, c, end);
}

/* served: exchange, plus 1. */
void requests_culprit_set_request(
	const struct requests_telling *t, struct requests_culprit *c, uint32_t served)
{
	if (!served)
		return;
	c->kind = t->x->k->of[served - 1];
	c->example = served - 1;
}

uint32_t requests_culprit_call(const struct kernel_host *h, uint32_t call)
{
	return call == KERNEL_NONE ? KERNEL_NONE : h->calls[call].name;
}

/* ---- The tasks that had the CPU ---- */

static int by_begin(const void *a, const void *b)
{
	const struct requests_turn *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	if (p->is_on != q->is_on)
		return p->is_on ? 1 : -1;
	return (p->span > q->span) - (p->span < q->span);
}

/* The CPU whose turn it is with this span; KERNEL_NO_CPU: none, such as of a task that goes on. */
static uint16_t turn_of(const struct kernel_host *h, uint32_t span, bool *is_on)
{
	const struct kernel_span *s = kernel_span(h, span);
	const struct kernel_span *before = kernel_span_kept(h, s->before);
	bool was_on = before && kernel_is_on_cpu((enum kernel_state)before->state);
	*is_on = kernel_is_on_cpu((enum kernel_state)s->state);
	if (!*is_on)
		return was_on ? before->cpu : KERNEL_NO_CPU;
	return was_on && before->cpu == s->cpu && before->state != KERNEL_INTERRUPTED &&
			       s->state != KERNEL_INTERRUPTED
		       ? KERNEL_NO_CPU
		       : s->cpu;
}

/* The same of those that begin in the time of the turns. */
static uint16_t turn_within(const struct requests_culprits_host *i, const struct kernel_host *h,
	uint32_t span, bool *is_on)
{
	int64_t begin = kernel_span(h, span)->begin;
	return begin >= i->begin && begin <= i->end ? turn_of(h, span, is_on) : KERNEL_NO_CPU;
}

/* All that begin in [i->begin, i->end]. */
static bool find_turns(struct requests_culprits *x, uint32_t host)
{
	const struct kernel_host *h = &x->k->r->w->hosts[host];
	struct requests_culprits_host *i = &x->hosts[host];
	bool is_on;
	size_t n = 0;
	uint32_t from, to;
	kernel_spans_between(h, i->begin, i->end, &from, &to);
	mer_spill_release(i->turns);
	free(i->turns_of);
	i->n_cpus = 0;
	for (uint32_t s = from; s < to; s++) {
		uint16_t cpu = turn_within(i, h, s, &is_on);
		if (cpu == KERNEL_NO_CPU)
			continue;
		if (cpu >= i->n_cpus)
			i->n_cpus = cpu + 1u;
		n++;
	}
	i->turns_of = calloc((size_t)i->n_cpus + 2, sizeof(*i->turns_of));
	i->turns = mer_spill_array(x->k->r->w->spill, n + 1, sizeof(*i->turns));
	if (!i->turns_of || !i->turns)
		return false;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t s = from; s < to; s++) {
			uint16_t cpu = turn_within(i, h, s, &is_on);
			if (cpu == KERNEL_NO_CPU)
				continue;
			if (pass == 0)
				i->turns_of[cpu + 2]++;
			else
				i->turns[i->turns_of[cpu + 1]++] =
					(struct requests_turn){ kernel_span(h, s)->begin, s,
						is_on };
		}
		for (uint32_t c = 2; pass == 0 && c < i->n_cpus + 2; c++)
			i->turns_of[c] += i->turns_of[c - 1];
	}
	for (uint32_t c = 0; c < i->n_cpus; c++)
		if (!mer_sort(x->k->r->w->spill, i->turns + i->turns_of[c],
			    i->turns_of[c + 1] - i->turns_of[c], sizeof(*i->turns), by_begin))
			return false;
	return true;
}

/* Are all turns of the CPU there, from the last one at or before `begin` until `end`? */
static bool has_turns(
	const struct requests_culprits_host *i, uint16_t cpu, int64_t begin, int64_t end)
{
	return i->turns && end <= i->end && cpu < i->n_cpus &&
	       i->turns_of[cpu] < i->turns_of[cpu + 1] && i->turns[i->turns_of[cpu]].begin <= begin;
}

/* Sees to it that they are, and few others: those of the time that parts are found in. Of a CPU
 * that had its last one long before, the time becomes longer until that is in it. */
static bool find_turns_of(
	struct requests_culprits *x, uint32_t host, uint16_t cpu, int64_t begin, int64_t end)
{
	const struct kernel_host *h = &x->k->r->w->hosts[host];
	struct requests_culprits_host *i = &x->hosts[host];
	if (!i->turns) {
		requests_parts_time(x->f, &i->begin, &i->end);
		i->begin = requests_least(requests_greatest(i->begin, h->begin), begin);
		i->end = requests_greatest(requests_least(i->end, h->end), end);
		if (!find_turns(x, host))
			return false;
	}
	while (!has_turns(i, cpu, begin, end) && i->end != INT64_MAX) {
		int64_t more;
		bool is_all = (i->begin <= h->begin && i->end >= h->end) ||
			      __builtin_sub_overflow(i->end, i->begin, &more) ||
			      __builtin_sub_overflow(i->begin, more, &i->begin);
		i->begin = is_all ? INT64_MIN : requests_least(i->begin, begin);
		i->end = is_all ? INT64_MAX : requests_greatest(i->end, end);
		if (!find_turns(x, host))
			return false;
	}
	return true;
}

static bool tell_interrupt(
	const struct requests_telling *t, const struct kernel_span *s, int64_t begin, int64_t end)
{
	struct requests_culprit c = requests_culprit_by(t, KERNEL_NONE, REQUESTS_DEED_INTERRUPT);
	c.cause = s->cause;
	c.number = s->source;
	return requests_culprit_tell(t, c, begin, end);
}

static bool tell_on_cpu(const struct requests_telling *t, uint32_t span, int64_t begin, int64_t end)
{
	const struct kernel_span *s = kernel_span(t->h, span);
	if (s->state == KERNEL_INTERRUPTED)
		return tell_interrupt(t, s, begin, end);
	struct requests_culprit c = requests_culprit_by(t, s->task, REQUESTS_DEED_CPU);
	/* It may have begun before what parts are found of. */
	if (!requests_parts_finder_extend(t->x->f, begin, begin))
		return false;
	requests_culprit_set_request(
		t, &c, requests_served_by(t->x->f, t->p->host, s->task, begin));
	return requests_culprit_tell(t, c, begin, end);
}

static bool tell_cpu(const struct requests_telling *t, const struct kernel_span *own)
{
	struct requests_culprits_host *i = &t->x->hosts[t->p->host];
	if (own->cpu == KERNEL_NO_CPU)
		return own->by == KERNEL_NONE || tell_on_cpu(t, own->by, t->p->begin, t->p->end);
	if (!find_turns_of(t->x, t->p->host, own->cpu, t->p->begin, t->p->end))
		return false;
	if (own->cpu >= i->n_cpus)
		return true;
	size_t from = i->turns_of[own->cpu], until = i->turns_of[own->cpu + 1];
	MER_LOWER_BOUND(at, from, until, m, i->turns[m].begin <= t->p->begin);
	for (at -= at > from; at < until && i->turns[at].begin < t->p->end; at++) {
		const struct requests_turn *now = &i->turns[at];
		int64_t end = at + 1 < until ? now[1].begin : t->p->end;
		if (now->is_on && kernel_span(t->h, now->span)->task != own->task &&
			!tell_on_cpu(t, now->span, now->begin, end))
			return false;
	}
	return true;
}

static bool tell_running(const struct requests_telling *t, const struct kernel_span *own)
{
	if (own->state == KERNEL_INTERRUPTED)
		return tell_interrupt(t, own, t->p->begin, t->p->end);
	struct requests_culprit c = requests_culprit_by(t, t->p->task, REQUESTS_DEED_COMPUTE);
	requests_culprit_set_request(t, &c, t->p->exchange + 1);
	if (own->state == KERNEL_SYSCALL)
		c.call = requests_culprit_call(t->h, own->call);
	return requests_culprit_tell(t, c, t->p->begin, t->p->end);
}

/* ---- The tasks that had what was waited for ---- */

/* What of a time is of the part and has nobody yet who was told; false: nothing. */
static bool clip(const struct requests_telling *t, int64_t *begin, int64_t *end)
{
	*begin = requests_greatest(*begin, requests_greatest(*t->told, t->p->begin));
	*end = requests_least(*end, t->p->end);
	return *begin < *end;
}

static bool tell_part(const struct requests_telling *t);

/* The same for what was waited for in the part's time. */
static bool tell_of(const struct requests_telling *t, const struct requests_part *other,
	enum requests_via via, const struct requests_culprit *by)
{
	struct requests_part p = *other;
	if (!clip(t, &p.begin, &p.end))
		return true;
	struct requests_telling of = *t;
	of.p = &p;
	of.h = &t->x->k->r->w->hosts[p.host];
	of.depth++;
	of.via = via;
	of.by = by;
	if (!tell_between(t, p.begin))
		return false;
	return (of.depth > MOST_DEPTH || tell_part(&of)) && tell_between(&of, p.end);
}

/* The parts of a request that others waited for; NULL: no memory. */
static struct requests_parts *parts_of(struct requests_culprits *x, uint32_t exchange)
{
	struct requests_kept_parts *k = &x->kept[exchange % REQUESTS_CULPRITS_KEPT];
	struct mer_err err = { 0 };
	if (k->exchange == exchange + 1)
		return &k->parts;
	k->exchange = 0;
	if (!requests_parts_finder_add(x->f, exchange) ||
		requests_parts_find_each(x->f, exchange, &k->parts, &err))
		return NULL;
	k->exchange = exchange + 1;
	return &k->parts;
}

/* What was done for another request from one time to another. */
static bool tell_exchange(const struct requests_telling *t, uint32_t exchange, int64_t begin,
	int64_t end, enum requests_via via, const struct requests_culprit *by)
{
	if (!clip(t, &begin, &end) || t->depth >= MOST_DEPTH)
		return true;
	const struct requests_parts *all = parts_of(t->x, exchange);
	if (!all)
		return false;
	MER_LOWER_BOUND(from, 0, all->n, m, all->item[m].end <= begin);
	MER_LOWER_BOUND(until, from, all->n, k, all->item[k].begin < end);
	size_t n = until - from;
	/* Others may take its place meanwhile. */
	struct requests_part *some = malloc((n + 1) * sizeof(*some));
	bool ok = some != NULL;
	if (ok && n)
		memcpy(some, &all->item[from], n * sizeof(*some));
	for (size_t i = 0; ok && i < n; i++) {
		some[i].begin = requests_greatest(some[i].begin, begin);
		some[i].end = requests_least(some[i].end, end);
		ok = tell_of(t, &some[i], via, by);
	}
	free(some);
	return ok;
}

/* The request that a task had sent and waited for at a time, for one that it served; KERNEL_NONE.
 */
static uint32_t sent_by(
	const struct requests_telling *t, uint32_t host, uint32_t task, int64_t time)
{
	uint32_t served = requests_served_by(t->x->f, host, task, time);
	return served ? requests_sent_by(t->x->f, served - 1, host, task, time) : KERNEL_NONE;
}

static bool tell_holder(
	const struct requests_telling *t, uint32_t last, int64_t begin, int64_t end);

/* What its task did in that time, for the request that it served. */
static struct requests_part part_of_span(
	const struct requests_telling *t, uint32_t span, int64_t begin, int64_t end)
{
	const struct kernel_span *s = kernel_span(t->h, span);
	uint32_t served = requests_served_by(t->x->f, t->p->host, s->task, begin);
	struct requests_part p =
		requests_part_blank(t->p->host, s->task, served ? served - 1 : t->p->exchange);
	p.begin = begin;
	p.end = end;
	p.span = span;
	p.cause = (uint8_t)path_cause_of(kernel_span(t->h, kernel_wait_end(t->h, span)));
	p.kind = (uint8_t)requests_part_kind_of(&p);
	return p;
}

/* It had what was waited for, and did what its span says: for a while it may have waited itself, in
 * a request that it served. */
static bool tell_held(const struct requests_telling *t, uint32_t span, int64_t begin, int64_t end)
{
	const struct kernel_span *s = kernel_span(t->h, span);
	const struct kernel_span *ended = kernel_span(t->h, kernel_wait_end(t->h, span));
	bool by_task = ended->cause == KERNEL_FUTEX || ended->cause == KERNEL_TASK;
	if (!clip(t, &begin, &end))
		return true;
	if (t->depth < MOST_DEPTH && ended->state == KERNEL_BLOCKED && by_task &&
		ended->by != KERNEL_NONE && kernel_span(t->h, ended->by)->task != s->task &&
		!t->h->tasks[kernel_span(t->h, ended->by)->task].is_kernel &&
		requests_served_by(t->x->f, t->p->host, s->task, begin)) {
		struct requests_telling next = *t;
		next.depth++;
		return tell_holder(&next, ended->by, begin, end);
	}
	/* Whose lock that was is not known, or it had nothing to do then, and no lock either. */
	enum path_cause cause = path_cause_of(ended);
	if (cause == PATH_FUTEX)
		return true;
	struct requests_culprit c = requests_culprit_by(t, s->task, REQUESTS_DEED_HELD);
	requests_culprit_set_request(
		t, &c, requests_served_next(t->x->f, t->p->host, s->task, begin, t->p->end));
	c.meanwhile = (uint8_t)cause;
	struct requests_part p = part_of_span(t, span, begin, end);
	/* Who serves no request held it, whatever kept it from giving it back. */
	if (requests_is_outsider(t->x, t->p->host, s->task))
		return requests_culprit_tell(t, c, begin, end);
	if (cause == PATH_NETWORK) {
		uint32_t sent = sent_by(t, t->p->host, s->task, begin);
		if (sent != KERNEL_NONE &&
			!tell_exchange(t, sent, begin, end, REQUESTS_VIA_LOCK, &c))
			return false;
		/* A row it may hold between two requests of a transaction, but no futex: it came
		 * to that lock later, and who held it before is not known. */
		return (sent == KERNEL_NONE && t->p->cause == PATH_FUTEX) ||
		       requests_culprit_tell(t, c, begin, end);
	}
	return tell_of(t, &p, REQUESTS_VIA_LOCK, &c);
}

/* The spans of a task since a time, the latest first; the caller frees them. False: no memory. */
static bool spans_since(const struct requests_telling *t, uint32_t last, int64_t begin,
	uint32_t **spans, uint32_t *n)
{
	uint32_t cap = 0;
	*spans = NULL;
	*n = 0;
	for (uint32_t i = last; *n < MOST_SPANS && i != KERNEL_NONE;
		i = kernel_span(t->h, i)->before) {
		if (!mer_grow32(spans, *n, &cap, sizeof(**spans))) {
			free(*spans);
			return false;
		}
		(*spans)[(*n)++] = i;
		if (kernel_span(t->h, i)->begin <= begin)
			break;
	}
	return true;
}

/* Who ended a wait by its span `last`, and what it did in that time. */
static bool tell_holder(const struct requests_telling *t, uint32_t last, int64_t begin, int64_t end)
{
	uint32_t *spans, n;
	if (!spans_since(t, last, begin, &spans, &n))
		return false;
	bool ok = true;
	while (ok && n-- > 0) {
		int64_t from = requests_greatest(begin, kernel_span(t->h, spans[n])->begin);
		int64_t until = n > 0 ? kernel_span(t->h, spans[n - 1])->begin : end;
		if (from < requests_least(until, end))
			ok = tell_held(t, spans[n], from, requests_least(until, end));
	}
	free(spans);
	return ok;
}

/* What a task of the host did in a time, after it had what was waited for. */
static bool tell_task(const struct requests_telling *t, uint32_t task, int64_t begin, int64_t end,
	const struct requests_culprit *by)
{
	uint32_t *spans, n;
	if (!clip(t, &begin, &end))
		return true;
	if (!spans_since(
		    t, requests_span_at(t->x->f, t->p->host, task, end - 1), begin, &spans, &n))
		return false;
	/* The first one may have begun before what parts are found of. */
	int64_t from = n ? kernel_span(t->h, spans[n - 1])->begin : begin;
	bool ok = requests_parts_finder_extend(t->x->f, from, from);
	for (; ok && n > 0; n--) {
		int64_t until = n > 1 ? kernel_span(t->h, spans[n - 2])->begin : end;
		struct requests_part p = part_of_span(
			t, spans[n - 1], kernel_span(t->h, spans[n - 1])->begin, until);
		if (p.cause != PATH_NETWORK && p.cause != PATH_FUTEX)
			ok = tell_of(t, &p, REQUESTS_VIA_CONNECTION, by);
	}
	free(spans);
	return ok;
}

/* The first request that the task sends after the wait, on behalf of the same one; KERNEL_NONE. */
static uint32_t sent_next(const struct requests_telling *t)
{
	const struct requests *r = t->x->k->r;
	uint32_t n, best = KERNEL_NONE;
	const uint32_t *children = requests_children(t->x->f, t->p->exchange, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct requests_exchange *c = &r->exchanges[children[i]];
		if (c->client_task == t->p->task && c->begin >= t->p->end &&
			(best == KERNEL_NONE || c->begin < r->exchanges[best].begin))
			best = children[i];
	}
	return best;
}

/* A pool of connections was empty: what the task sends next goes over a connection that another
 * task used until then. It was that one that ended the wait; or it was used at once. */
static bool is_of_pool(
	const struct requests_telling *t, const struct kernel_span *own, uint32_t next)
{
	const struct requests *r = t->x->k->r;
	const struct requests_exchange *x = &r->exchanges[next], *before = x - 1;
	if (next == 0 || before->connection != x->connection ||
		before->client_task == x->client_task || before->client_task == KERNEL_NONE ||
		before->end <= t->p->begin || before->end > x->begin)
		return false;
	return (own->by != KERNEL_NONE &&
		       kernel_span(t->h, own->by)->task == before->client_task) ||
	       x->begin - t->p->end <= (t->p->end - t->p->begin) / 2;
}

/* A connection was of the request x[of] until the next one on it: of who sent it, and of what this
 * waited for, then until it was given away. */
static bool tell_had(const struct requests_telling *t, uint32_t of)
{
	const struct requests *r = t->x->k->r;
	const struct requests_exchange *x = r->exchanges;
	uint32_t host = requests_connection_of(r, of)->ends[REQUESTS_CLIENT].host;
	if (x[of].client_task == KERNEL_NONE)
		return true;
	struct requests_culprit c =
		requests_culprit_by(t, x[of].client_task, REQUESTS_DEED_CONNECTION);
	c.host = host;
	c.object = t->x->k->of[of];
	c.meanwhile = PATH_UNKNOWN;
	requests_culprit_set_request(t, &c, x[of].parent);
	if (!tell_exchange(t, of, x[of].begin, x[of].end, REQUESTS_VIA_CONNECTION, &c) ||
		!tell_task(t, x[of].client_task, x[of].end, x[of + 1].begin, &c))
		return false;
	return requests_culprit_tell(t, c, x[of].begin, x[of + 1].begin);
}

/* The connection was of who used it next before, until the next one used it. */
static bool tell_connection(const struct requests_telling *t, uint32_t next)
{
	const struct requests *r = t->x->k->r;
	const struct requests_exchange *x = r->exchanges;
	uint32_t first = next;
	while (first > 0 && x[first - 1].connection == x[next].connection &&
		x[first].begin > t->p->begin)
		first--;
	for (uint32_t i = first; i < next; i++)
		if (!tell_had(t, i))
			return false;
	return true;
}

static bool tell_lock(const struct requests_telling *t, const struct kernel_span *own)
{
	uint32_t next = sent_next(t);
	if (next != KERNEL_NONE && is_of_pool(t, own, next))
		return tell_connection(t, next);
	return own->by == KERNEL_NONE || kernel_span(t->h, own->by)->task == own->task ||
	       tell_holder(t, own->by, t->p->begin, t->p->end);
}

/* When the end sent data again after that time, and it arrived; INT64_MAX: not any more. */
static int64_t sent_again(const struct requests_telling *t, const struct requests_connection *c,
	enum requests_side side, int64_t after)
{
	const struct kernel_bridge *p =
		requests_packet(&t->x->k->r->connections, c, side, after, t->p->end, false);
	return p ? p->from.time : INT64_MAX;
}

/* A segment of the request or the answer was lost: until one that the same end sent later arrived,
 * the time is that one's. */
static bool tell_lost(const struct requests_telling *t)
{
	const struct requests *r = t->x->k->r;
	const struct requests_exchange *e = &r->exchanges[t->p->exchange];
	const struct requests_connection *c = requests_connection_of(r, t->p->exchange);
	for (int side = 0; side < REQUESTS_N_SIDES; side++) {
		uint32_t n, task = side == REQUESTS_CLIENT ? e->client_task : e->server_task;
		const struct kernel_single *s = requests_singles(
			&r->connections, c, (enum requests_side)side, e->begin, t->p->end, &n);
		for (uint32_t i = 0, k; i < n; i = k) {
			k = i + 1;
			if (s[i].leaves)
				continue;
			int64_t again = sent_again(t, c, (enum requests_side)side, s[i].time);
			for (; k < n && s[k].time < again && !s[k].leaves;)
				k++;
			struct requests_culprit l =
				requests_culprit_by(t, task, REQUESTS_DEED_LOST);
			l.host = s[i].host;
			l.count = k - i;
			if (s[i].is_send && again > t->p->begin &&
				!requests_culprit_tell(t, l, s[i].time, again))
				return false;
		}
	}
	return true;
}

static bool tell_slept(const struct requests_telling *t, const struct kernel_span *own)
{
	struct requests_culprit c = requests_culprit_by(t, t->p->task, REQUESTS_DEED_SLEPT);
	c.call = requests_culprit_call(t->h, own->call);
	requests_culprit_set_request(t, &c, t->p->exchange + 1);
	return requests_culprit_tell(t, c, t->p->begin, t->p->end);
}

/* What ended the wait cannot be followed, but what it was can be said. */
static bool tell_waited(const struct requests_telling *t, const struct kernel_span *own)
{
	struct requests_culprit c = requests_culprit_by(t, t->p->task, REQUESTS_DEED_WAITED);
	c.call = requests_culprit_call(t->h, own->call);
	c.meanwhile = t->p->cause;
	requests_culprit_set_request(t, &c, t->p->exchange + 1);
	return requests_culprit_tell(t, c, t->p->begin, t->p->end);
}

/* Another one was served instead: its task ran for that, or was to run; or it waited for what that
 * one waited for. */
static bool tell_served(const struct requests_telling *t)
{
	const struct requests_part *p = t->p;
	struct requests_culprit c = requests_culprit_by(t, p->task, REQUESTS_DEED_SERVED);
	c.meanwhile = p->cause;
	requests_culprit_set_request(t, &c, p->of);
	struct requests_part other =
		p->span == KERNEL_NONE ? *p : part_of_span(t, p->span, p->begin, p->end);
	bool is_wait =
		p->span != KERNEL_NONE && kernel_span(t->h, p->span)->state == KERNEL_BLOCKED;
	if (is_wait)
		return tell_exchange(t, p->of - 1, p->begin, p->end, REQUESTS_VIA_SERVED, &c) &&
		       requests_culprit_tell(t, c, p->begin, p->end);
	if (p->span != KERNEL_NONE && !tell_of(t, &other, REQUESTS_VIA_SERVED, &c))
		return false;
	return requests_culprit_tell(t, c, p->begin, p->end);
}

/* It runs, waits or works as its span says. */
static bool tell_by_cause(const struct requests_telling *t)
{
	const struct requests_part *p = t->p;
	const struct kernel_span *own = kernel_span(t->h, p->span);
	const struct kernel_span *wait = kernel_span_kept(t->h, p->wait);
	switch ((enum path_cause)p->cause) {
	case PATH_RUNNING:
	case PATH_INTERRUPTED: return tell_running(t, own);
	case PATH_RUNNABLE: return tell_cpu(t, own);
	case PATH_DISK: return requests_culprits_tell_disk(t, p->span, wait ? wait : own);
	case PATH_FUTEX: return tell_lock(t, own);
	case PATH_TIMER: return tell_slept(t, own);
	case PATH_TASK:
	case PATH_PIPE:
	case PATH_INPUT:
	case PATH_DEVICE:
	case PATH_STOPPED: return tell_waited(t, own);
	default: return true;
	}
}

/* Another process worked for it, or waited for a CPU or a disk that somebody else had. */
static bool tell_helped(const struct requests_telling *t)
{
	struct requests_culprit c = requests_culprit_by(t, t->p->task, REQUESTS_DEED_HELPED);
	c.meanwhile = t->p->cause;
	requests_culprit_set_request(t, &c, t->p->exchange + 1);
	struct requests_part p = *t->p;
	p.wait = KERNEL_NONE;
	bool is_wait = p.cause == PATH_RUNNABLE || p.cause == PATH_DISK;
	return (!is_wait || tell_of(t, &p, REQUESTS_VIA_HELPER, &c)) &&
	       requests_culprit_tell(t, c, p.begin, p.end);
}

static bool tell_part(const struct requests_telling *t)
{
	const struct requests_part *p = t->p;
	if (p->kind == REQUESTS_QUEUED)
		return p->had ? tell_had(t, p->had - 1) : !p->of || tell_served(t);
	if (p->cause == PATH_NETWORK && p->wait == KERNEL_NONE)
		return tell_lost(t);
	if (p->span == KERNEL_NONE || p->task == KERNEL_NONE)
		return true;
	/* Another process held what it waited for, or did it; a thread of the kernel is not
	 * another one. */
	if (kernel_span_kept(t->h, p->wait) && !t->h->tasks[p->task].is_kernel)
		return p->kind == REQUESTS_LOCKS ? tell_held(t, p->span, p->begin, p->end)
						 : tell_helped(t);
	return tell_by_cause(t);
}

bool requests_culprits_of(struct requests_culprits *x, const struct requests_part *p,
	bool (*tell_each)(void *ctx, const struct requests_culprit *c), void *ctx)
{
	int64_t told = p->begin;
	const struct requests_telling t = { .x = x,
		.p = p,
		.h = &x->k->r->w->hosts[p->host],
		.tell = tell_each,
		.ctx = ctx,
		.told = &told };
	return tell_part(&t);
}
