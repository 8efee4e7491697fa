#include "requests/culprits.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "base/sort.h"
#include "kernel/disk.h"

enum { MOST_SPANS = 256 }; /* of who held a lock: before these, it is not known what it did */

/* A moment at which a CPU goes to another span: of it the span's task is on the CPU, or has left
 * it. */
struct turn {
	int64_t begin;
	uint32_t span;
	uint8_t is_on;
};

struct done { /* a completed request to a disk */
	int64_t complete;
	uint32_t dev, request;
};

struct host_index { /* made when it is needed */
	struct turn *turns;
	size_t *turns_of; /* by CPU, and the end */
	uint32_t n_cpus;
	struct done *done; /* by disk, then time */
	size_t n_done;
	bool has_done;
	struct mer_map writers; /* second -> who_wrote then, plus 1 */
};

struct requests_culprits {
	const struct requests_kinds *k;
	struct requests_parts_finder *f;
	struct host_index *hosts;
};

struct telling {
	struct requests_culprits *x;
	const struct requests_part *p;
	const struct kernel_host *h;
	bool (*tell)(void *ctx, const struct requests_culprit *c);
	void *ctx;
};

const char *requests_deed_name(enum requests_deed d)
{
	static const char *const names[REQUESTS_N_DEEDS] = { "cpu", "interrupt", "compute", "disk",
		"own-read", "own-write", "held", "helped", "connection", "served", "lost", "slept",
		"waited" };
	return d < REQUESTS_N_DEEDS ? names[d] : "?";
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
		mer_map_fini(&x->hosts[h].writers);
	}
	if (x) {
		free(x->hosts);
		free(x);
	}
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* ---- tell ---- */

static struct requests_culprit culprit_by(
	const struct telling *t, uint32_t task, enum requests_deed deed)
{
	return (struct requests_culprit){ .host = t->p->host,
		.task = task,
		.kind = KERNEL_NONE,
		.example = KERNEL_NONE,
		.call = KERNEL_NONE,
		.object = KERNEL_NONE,
		.number = KERNEL_NONE,
		.deed = (uint8_t)deed };
}

/* The time [begin, end), as far as it is of the part, is of this one. */
static bool tell(const struct telling *t, struct requests_culprit c, int64_t begin, int64_t end)
{
	begin = greatest(begin, t->p->begin);
	end = least(end, t->p->end);
	c.ns = end - begin;
	return begin >= end || t->tell(t->ctx, &c);
}

/* served: exchange, plus 1. */
static void set_request(const struct telling *t, struct requests_culprit *c, uint32_t served)
{
	if (!served)
		return;
	c->kind = t->x->k->of[served - 1];
	c->example = served - 1;
}

static uint32_t name_of_call(const struct kernel_host *h, uint32_t call)
{
	return call == KERNEL_NONE ? KERNEL_NONE : h->calls[call].name;
}

/* ---- who had the CPU ---- */

static int by_begin(const void *a, const void *b)
{
	const struct turn *p = a, *q = b;
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

static bool find_turns(struct requests_culprits *x, uint32_t host)
{
	const struct kernel_host *h = &x->k->r->w->hosts[host];
	struct host_index *i = &x->hosts[host];
	bool is_on;
	size_t n = 0;
	for (uint32_t s = 0; s < h->n_spans; s++) {
		uint16_t cpu = turn_of(h, s, &is_on);
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
		for (uint32_t s = 0; s < h->n_spans; s++) {
			uint16_t cpu = turn_of(h, s, &is_on);
			if (cpu == KERNEL_NO_CPU)
				continue;
			if (pass == 0)
				i->turns_of[cpu + 2]++;
			else
				i->turns[i->turns_of[cpu + 1]++] =
					(struct turn){ kernel_span(h, s)->begin, s, is_on };
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

static bool tell_interrupt(
	const struct telling *t, const struct kernel_span *s, int64_t begin, int64_t end)
{
	struct requests_culprit c = culprit_by(t, KERNEL_NONE, REQUESTS_DEED_INTERRUPT);
	c.cause = s->cause;
	c.number = s->source;
	return tell(t, c, begin, end);
}

static bool tell_on_cpu(const struct telling *t, uint32_t span, int64_t begin, int64_t end)
{
	const struct kernel_span *s = kernel_span(t->h, span);
	if (s->state == KERNEL_INTERRUPTED)
		return tell_interrupt(t, s, begin, end);
	struct requests_culprit c = culprit_by(t, s->task, REQUESTS_DEED_CPU);
	set_request(t, &c, requests_served_by(t->x->f, t->p->host, s->task, begin));
	return tell(t, c, begin, end);
}

static bool tell_cpu(const struct telling *t, const struct kernel_span *own)
{
	struct host_index *i = &t->x->hosts[t->p->host];
	if (own->cpu == KERNEL_NO_CPU)
		return own->by == KERNEL_NONE || tell_on_cpu(t, own->by, t->p->begin, t->p->end);
	if (!i->turns && !find_turns(t->x, t->p->host))
		return false;
	if (own->cpu >= i->n_cpus)
		return true;
	size_t from = i->turns_of[own->cpu], until = i->turns_of[own->cpu + 1];
	MER_LOWER_BOUND(at, from, until, m, i->turns[m].begin <= t->p->begin);
	for (at -= at > from; at < until && i->turns[at].begin < t->p->end; at++) {
		const struct turn *now = &i->turns[at];
		int64_t end = at + 1 < until ? now[1].begin : t->p->end;
		if (now->is_on && kernel_span(t->h, now->span)->task != own->task &&
			!tell_on_cpu(t, now->span, now->begin, end))
			return false;
	}
	return true;
}

static bool tell_running(const struct telling *t, const struct kernel_span *own)
{
	if (own->state == KERNEL_INTERRUPTED)
		return tell_interrupt(t, own, t->p->begin, t->p->end);
	struct requests_culprit c = culprit_by(t, t->p->task, REQUESTS_DEED_COMPUTE);
	set_request(t, &c, t->p->exchange + 1);
	if (own->state == KERNEL_SYSCALL)
		c.call = name_of_call(t->h, own->call);
	return tell(t, c, t->p->begin, t->p->end);
}

/* ---- what the disk served first ---- */

static int by_completion(const void *a, const void *b)
{
	const struct done *p = a, *q = b;
	if (p->dev != q->dev)
		return p->dev < q->dev ? -1 : 1;
	if (p->complete != q->complete)
		return p->complete < q->complete ? -1 : 1;
	return (p->request > q->request) - (p->request < q->request);
}

static bool find_done(struct requests_culprits *x, uint32_t host)
{
	const struct kernel_host *h = &x->k->r->w->hosts[host];
	struct host_index *i = &x->hosts[host];
	i->done = malloc(((size_t)h->n_requests + 1) * sizeof(*i->done));
	if (!i->done)
		return false;
	for (uint32_t q = 0; q < h->n_requests; q++) {
		const struct kernel_request *r = kernel_request_at(h, q);
		if (r->complete != INT64_MIN && !(r->flags & KERNEL_MERGED))
			i->done[i->n_done++] = (struct done){ r->complete, r->dev, q };
	}
	if (i->n_done)
		qsort(i->done, i->n_done, sizeof(*i->done), by_completion);
	i->has_done = true;
	return true;
}

/* Who wrote most of what was written to files in the time before; KERNEL_NONE: nobody did. */
static uint32_t who_wrote(const struct telling *t, int64_t time)
{
	enum { MOST_WRITERS = 64 };
	static const int64_t kept_ns = 30000000000; /* in memory, as a rule */
	const struct requests_host *log = &t->x->k->r->log->hosts[t->p->host];
	struct {
		uint32_t task;
		uint64_t bytes;
	} sums[MOST_WRITERS];
	uint32_t n = 0, best = 0;
	uint64_t all = 0;
	MER_LOWER_BOUND(i, 0, log->n_dirt, m, log->dirt[m].since < time - kept_ns);
	for (; i < log->n_dirt && log->dirt[i].since < time; i++) {
		const struct requests_dirt *d = &log->dirt[i];
		uint32_t k = 0;
		while (k < n && sums[k].task != d->task)
			k++;
		if (k == MOST_WRITERS)
			return KERNEL_NONE;
		if (k == n) {
			sums[n].task = d->task;
			sums[n++].bytes = 0;
		}
		sums[k].bytes += d->bytes;
		all += d->bytes;
		best = sums[k].bytes > sums[best].bytes ? k : best;
	}
	return n && sums[best].bytes > all / 2 ? sums[best].task : KERNEL_NONE;
}

/* What a thread of the kernel wrote back to a disk was written to files by this one, if most of all
 * was; else KERNEL_NONE. */
static uint32_t writer_of(const struct telling *t, const struct kernel_request *r)
{
	enum { SECOND_NS = 1000000000 };
	if (!(r->flags & KERNEL_WRITE) || r->task == KERNEL_NONE ||
		!t->h->tasks[r->task].is_kernel ||
		strncmp(kernel_comm(t->h, r->task, r->complete), "kworker", 7) != 0)
		return KERNEL_NONE;
	int64_t second = kernel_request_begin(r) / SECOND_NS;
	uint32_t *at = mer_map_put(&t->x->hosts[t->p->host].writers, (uint64_t)second);
	if (at && !*at)
		*at = who_wrote(t, (second + 1) * SECOND_NS) + 1;
	return at ? *at - 1 : KERNEL_NONE;
}

/* own: what is waited for, or what its task had asked for before; then it has the file. */
static struct requests_culprit disk_culprit(const struct telling *t, const struct kernel_request *r,
	const struct kernel_span *wait, bool is_own)
{
	struct requests_culprit c = culprit_by(t,
		is_own ? wait->task
		: r    ? r->task
		       : KERNEL_NONE,
		REQUESTS_DEED_DISK);
	const struct kernel_call *call =
		wait->call == KERNEL_NONE ? NULL : &t->h->calls[wait->call];
	c.call = name_of_call(t->h, wait->call);
	if (r) {
		c.number = r->dev;
		c.bytes = r->bytes;
		c.is_write = r->flags & (KERNEL_WRITE | KERNEL_DISCARD | KERNEL_FLUSH);
		c.count = 1;
	}
	if (is_own) {
		c.deed = c.is_write ? REQUESTS_DEED_OWN_WRITE : REQUESTS_DEED_OWN_READ;
		c.object = call ? call->object : KERNEL_NONE;
		set_request(t, &c, t->p->exchange + 1);
	} else if (c.task != KERNEL_NONE) {
		uint32_t writer = writer_of(t, r);
		if (writer != KERNEL_NONE) {
			c.task = writer;
			c.is_later = true;
		}
		set_request(t, &c, requests_served_by(t->x->f, t->p->host, c.task, t->p->begin));
	}
	return c;
}

/* Until its own request was complete, the disk completed others, one after the other: the time up
 * to each is that one's. own: the blocked span; wait: the one with the call. */
static bool tell_disk(const struct telling *t, uint32_t own, const struct kernel_span *wait)
{
	struct host_index *i = &t->x->hosts[t->p->host];
	uint32_t number = kernel_span(t->h, kernel_wait_end(t->h, own))->source;
	const struct kernel_request *q =
		number < t->h->n_requests ? kernel_request_at(t->h, number) : NULL;
	int64_t at = t->p->begin, end = t->p->end;
	if (!i->has_done && !find_done(t->x, t->p->host))
		return false;
	MER_LOWER_BOUND(k, 0, i->n_done, m,
		!q || i->done[m].dev < q->dev ||
			(i->done[m].dev == q->dev && i->done[m].complete <= at));
	for (; q && k < i->n_done && i->done[k].dev == q->dev && at < end; k++) {
		const struct kernel_request *r = kernel_request_at(t->h, i->done[k].request);
		if (r == q || r->complete >= q->complete)
			break;
		bool is_own =
			r->task != KERNEL_NONE && (r->task == q->task || r->task == t->p->task);
		int64_t since = greatest(at, r->insert != INT64_MIN ? r->insert : r->issue);
		if (!tell(t, disk_culprit(t, r, wait, is_own), since, r->complete))
			return false;
		at = greatest(at, r->complete);
	}
	return tell(t, disk_culprit(t, q, wait, true), at, end);
}

/* ---- who had what was waited for ---- */

static bool tell_holder(
	const struct telling *t, uint32_t last, int64_t begin, int64_t end, unsigned depth);

/* If it waited for a lock itself, in a request that it served, that one's holder. */
static bool tell_held(
	const struct telling *t, uint32_t span, int64_t begin, int64_t end, unsigned depth)
{
	enum { MOST_DEPTH = 8 };
	const struct kernel_span *s = kernel_span(t->h, span);
	const struct kernel_span *ended = kernel_span(t->h, kernel_wait_end(t->h, span));
	bool by_task = ended->cause == KERNEL_FUTEX || ended->cause == KERNEL_TASK;
	begin = greatest(begin, t->p->begin);
	if (depth < MOST_DEPTH && ended->state == KERNEL_BLOCKED && by_task &&
		ended->by != KERNEL_NONE && kernel_span(t->h, ended->by)->task != s->task &&
		!t->h->tasks[kernel_span(t->h, ended->by)->task].is_kernel &&
		requests_served_by(t->x->f, t->p->host, s->task, begin))
		return tell_holder(t, ended->by, begin, end, depth + 1);
	/* Whose lock that was is not known, or it had nothing to do then, and no lock either. */
	if (path_cause_of(ended) == PATH_FUTEX)
		return true;
	struct requests_culprit c = culprit_by(t, s->task, REQUESTS_DEED_HELD);
	c.meanwhile = (uint8_t)path_cause_of(ended);
	set_request(t, &c, requests_served_next(t->x->f, t->p->host, s->task, begin, t->p->end));
	return tell(t, c, begin, end);
}

/* Who ended a wait by its span `last`, and what it did in that time. */
static bool tell_holder(
	const struct telling *t, uint32_t last, int64_t begin, int64_t end, unsigned depth)
{
	uint32_t spans[MOST_SPANS], n = 0;
	for (uint32_t i = last; n < MOST_SPANS && i != KERNEL_NONE;
		i = kernel_span(t->h, i)->before) {
		spans[n++] = i;
		if (kernel_span(t->h, i)->begin <= begin)
			break;
	}
	while (n-- > 0) {
		int64_t from = greatest(begin, kernel_span(t->h, spans[n])->begin);
		int64_t until = n > 0 ? kernel_span(t->h, spans[n - 1])->begin : end;
		if (from < least(until, end) &&
			!tell_held(t, spans[n], from, least(until, end), depth))
			return false;
	}
	return true;
}

/* The first request that the task sends after the wait, on behalf of the same one; KERNEL_NONE. */
static uint32_t sent_next(const struct telling *t)
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
static bool is_of_pool(const struct telling *t, const struct kernel_span *own, uint32_t next)
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

/* The connection was of who used it next before, until the next one used it. */
static bool tell_connection(const struct telling *t, uint32_t next)
{
	const struct requests *r = t->x->k->r;
	const struct requests_exchange *x = r->exchanges;
	uint32_t first = next;
	while (first > 0 && x[first - 1].connection == x[next].connection &&
		x[first].begin > t->p->begin)
		first--;
	for (uint32_t i = first; i < next; i++) {
		if (x[i].client_task == KERNEL_NONE)
			continue;
		struct requests_culprit c =
			culprit_by(t, x[i].client_task, REQUESTS_DEED_CONNECTION);
		c.object = t->x->k->of[next];
		set_request(t, &c, x[i].parent);
		if (!tell(t, c, x[i].begin, x[i + 1].begin))
			return false;
	}
	return true;
}

static bool tell_lock(const struct telling *t, const struct kernel_span *own)
{
	uint32_t next = sent_next(t);
	if (next != KERNEL_NONE && is_of_pool(t, own, next))
		return tell_connection(t, next);
	return own->by == KERNEL_NONE || kernel_span(t->h, own->by)->task == own->task ||
	       tell_holder(t, own->by, t->p->begin, t->p->end, 0);
}

/* When the end sent data again after that time, and it arrived; INT64_MAX: not any more. */
static int64_t sent_again(const struct telling *t, const struct requests_connection *c,
	enum requests_side side, int64_t after)
{
	const struct kernel_bridge *p =
		requests_packet(&t->x->k->r->connections, c, side, after, t->p->end, false);
	return p ? p->from.time : INT64_MAX;
}

/* A segment of the request or the answer was lost: until one that the same end sent later arrived,
 * the time is that one's. */
static bool tell_lost(const struct telling *t)
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
			struct requests_culprit l = culprit_by(t, task, REQUESTS_DEED_LOST);
			l.host = s[i].host;
			l.count = k - i;
			if (s[i].is_send && again > t->p->begin && !tell(t, l, s[i].time, again))
				return false;
		}
	}
	return true;
}

static bool tell_slept(const struct telling *t, const struct kernel_span *own)
{
	struct requests_culprit c = culprit_by(t, t->p->task, REQUESTS_DEED_SLEPT);
	c.call = name_of_call(t->h, own->call);
	set_request(t, &c, t->p->exchange + 1);
	return tell(t, c, t->p->begin, t->p->end);
}

/* What ended the wait cannot be followed, but what it was can be said. */
static bool tell_waited(const struct telling *t, const struct kernel_span *own)
{
	struct requests_culprit c = culprit_by(t, t->p->task, REQUESTS_DEED_WAITED);
	c.call = name_of_call(t->h, own->call);
	c.meanwhile = t->p->cause;
	set_request(t, &c, t->p->exchange + 1);
	return tell(t, c, t->p->begin, t->p->end);
}

static bool tell_helped(const struct telling *t)
{
	struct requests_culprit c = culprit_by(t, t->p->task, REQUESTS_DEED_HELPED);
	c.meanwhile = t->p->cause;
	set_request(t, &c, t->p->exchange + 1);
	return tell(t, c, t->p->begin, t->p->end);
}

static bool tell_served(const struct telling *t)
{
	struct requests_culprit c = culprit_by(t, t->p->task, REQUESTS_DEED_SERVED);
	set_request(t, &c, t->p->of);
	return tell(t, c, t->p->begin, t->p->end);
}

bool requests_culprits_of(struct requests_culprits *x, const struct requests_part *p,
	bool (*tell_each)(void *ctx, const struct requests_culprit *c), void *ctx)
{
	const struct kernel_host *h = &x->k->r->w->hosts[p->host];
	const struct telling t = { x, p, h, tell_each, ctx };
	if (p->kind == REQUESTS_QUEUED)
		return !p->of || tell_served(&t);
	if (p->cause == PATH_NETWORK && p->wait == KERNEL_NONE)
		return tell_lost(&t);
	if (p->span == KERNEL_NONE || p->task == KERNEL_NONE)
		return true;
	const struct kernel_span *own = kernel_span(h, p->span);
	const struct kernel_span *wait = kernel_span_kept(h, p->wait);
	/* Another process held what it waited for, or did it; a thread of the kernel is not
	 * another one. */
	if (wait && !h->tasks[p->task].is_kernel)
		return p->kind == REQUESTS_LOCKS ? tell_held(&t, p->span, p->begin, p->end, 0)
						 : tell_helped(&t);
	switch ((enum path_cause)p->cause) {
	case PATH_RUNNING:
	case PATH_INTERRUPTED: return tell_running(&t, own);
	case PATH_RUNNABLE: return tell_cpu(&t, own);
	case PATH_DISK: return tell_disk(&t, p->span, wait ? wait : own);
	case PATH_FUTEX: return tell_lock(&t, own);
	case PATH_TIMER: return tell_slept(&t, own);
	case PATH_TASK:
	case PATH_PIPE:
	case PATH_INPUT:
	case PATH_DEVICE:
	case PATH_STOPPED: return tell_waited(&t, own);
	default: return true;
	}
}
