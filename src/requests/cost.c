#include "requests/cost.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/lower_bound.h"

enum { MOST_HELPERS = 8 }; /* one that helped the other */

/* From begin to end a task that served no request itself helped this one. */
struct help {
	uint32_t task, exchange; /* plus 1 */
	int64_t begin, end;
};

struct helps {
	struct help *item;
	size_t n, cap;
};

struct charger {
	const struct requests_parts_finder *f;
	const struct requests *r;
	const struct kernel_host *h;
	uint32_t host;
	struct helps helps; /* of the host, by task and begin; they do not overlap */
	struct interval {
		int64_t begin; /* to the begin of the next one */
		uint32_t exchange;
	} * intervals; /* of a task */
	size_t n_intervals, cap_intervals;
};

void requests_cost_add(struct requests_cost *sum, const struct requests_cost *c)
{
	sum->cpu_ns += c->cpu_ns;
	sum->interrupted_ns += c->interrupted_ns;
	for (unsigned k = 0; k < USAGE_N_KINDS; k++)
		sum->used[k] += c->used[k];
}

/* ---- Which request a moment belongs to ---- */

/* The request that the task worked for at a time, plus 1; until when, at most `end`. */
static uint32_t worked_for(
	const struct charger *c, uint32_t task, int64_t t, int64_t end, int64_t *until)
{
	uint32_t own = requests_served_by(c->f, c->host, task, t);
	const struct help *item = c->helps.item;
	*until = requests_served_within(c->f, c->host, task, t, end);
	if (own)
		return own;
	MER_LOWER_BOUND(i, 0, c->helps.n, at,
		item[at].task < task || (item[at].task == task && item[at].begin <= t));
	if (i < c->helps.n && item[i].task == task && item[i].begin < *until)
		*until = item[i].begin;
	if (i == 0 || item[i - 1].task != task || item[i - 1].end <= t)
		return 0;
	if (item[i - 1].end < *until)
		*until = item[i - 1].end;
	return item[i - 1].exchange;
}

/* ---- helpers ---- */

static bool add_help(struct helps *s, struct help p)
{
	if (p.begin >= p.end)
		return true;
	if (!mer_grow(&s->item, s->n, &s->cap, sizeof(*s->item)))
		return false;
	s->item[s->n++] = p;
	return true;
}

static int by_end(const void *a, const void *b)
{
	const struct help *p = a, *q = b;
	if (p->task != q->task)
		return p->task < q->task ? -1 : 1;
	if (p->end != q->end)
		return p->end < q->end ? -1 : 1;
	if (p->begin != q->begin)
		return p->begin > q->begin ? -1 : 1; /* the others find it taken */
	return (p->exchange > q->exchange) - (p->exchange < q->exchange);
}

static int by_begin(const void *a, const void *b)
{
	const struct help *p = a, *q = b;
	if (p->task != q->task)
		return p->task < q->task ? -1 : 1;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

static void sort(struct helps *s, int (*compare)(const void *, const void *))
{
	if (s->n)
		qsort(s->item, s->n, sizeof(*s->item), compare);
}

/* A wait that a task ended by what it did, other than by giving back a lock. */
static bool is_for_helper(const struct charger *c, const struct kernel_span *s, uint32_t *helper)
{
	if (s->state != KERNEL_BLOCKED || s->by == KERNEL_NONE ||
		(s->cause != KERNEL_TASK && s->cause != KERNEL_PIPE))
		return false;
	*helper = kernel_span(c->h, s->by)->task;
	return *helper != s->task;
}

/* The waits of tasks that serve requests. */
static bool find_waits(const struct charger *c, struct helps *waits)
{
	for (uint32_t t = 0; t < c->h->n_tasks; t++) {
		int64_t end = kernel_task_end(c->h, t);
		if (requests_served_until(c->f, c->host, t, INT64_MIN) == INT64_MAX)
			continue; /* it never does */
		for (uint32_t i = c->h->tasks[t].last; i != KERNEL_NONE;) {
			const struct kernel_span *s = kernel_span(c->h, i);
			uint32_t helper, before = s->before, served;
			int64_t begin = s->begin;
			if (is_for_helper(c, s, &helper) &&
				(served = requests_served_by(c->f, c->host, t, end)) != 0) {
				int64_t first =
					kernel_span(c->h, kernel_wait_first(c->h, i))->begin;
				if (requests_served_by(c->f, c->host, t, first - 1) == served &&
					!add_help(
						waits, (struct help){ helper, served, first, end }))
					return false;
			}
			end = begin;
			i = before;
		}
	}
	return true;
}

/* The part of [begin, end] of the helper that belongs to no request yet belongs to this one. */
static bool take(const struct charger *c, const struct help *w, int64_t begin, int64_t end,
	struct helps *out)
{
	for (int64_t t = begin, until; t < end; t = until) {
		uint32_t other = worked_for(c, w->task, t, end, &until);
		if (!other && !add_help(out, (struct help){ w->task, w->exchange, t, until }))
			return false;
	}
	return true;
}

/* Each moment of a helper belongs to the wait that it ended first of those that had begun. waits:
 * is put in order. */
static bool share_out(const struct charger *c, struct helps *waits, struct helps *out)
{
	struct helps taken = { 0 }; /* of a helper, by time, apart from each other */
	bool ok = true;
	sort(waits, by_end);
	for (size_t i = 0; ok && i < waits->n; i++) {
		const struct help *w = &waits->item[i];
		int64_t begin = w->begin, left = w->end;
		if (i && w[-1].task != w->task)
			taken.n = 0;
		while (ok && taken.n && taken.item[taken.n - 1].end >= w->begin) {
			const struct help *last = &taken.item[--taken.n];
			ok = take(c, w, last->end, left, out);
			left = last->begin;
			begin = last->begin < begin ? last->begin : begin;
		}
		ok = ok && take(c, w, w->begin, left, out) &&
		     add_help(&taken, (struct help){ w->task, w->exchange, begin, w->end });
	}
	free(taken.item);
	sort(out, by_begin);
	return ok;
}

/* What helpers waited for meanwhile. */
static bool find_waits_of(const struct charger *c, const struct helps *helps, struct helps *waits)
{
	for (size_t i = helps->n; i-- > 0;) {
		uint32_t task = helps->item[i].task;
		int64_t end = kernel_task_end(c->h, task);
		/* All of one task, back from its last span. */
		for (uint32_t k = c->h->tasks[task].last; k != KERNEL_NONE;) {
			const struct kernel_span *s = kernel_span(c->h, k);
			const struct help *p = &helps->item[i];
			int64_t from = s->begin > p->begin ? s->begin : p->begin;
			int64_t to = end < p->end ? end : p->end;
			uint32_t helper;
			if (from < to && is_for_helper(c, s, &helper) &&
				!add_help(waits, (struct help){ helper, p->exchange, from, to }))
				return false;
			if (p->begin >= s->begin) {
				if (i == 0 || p[-1].task != task)
					break;
				i--; /* the one before may end in the same span */
			} else {
				end = s->begin;
				k = s->before;
			}
		}
		while (i > 0 && helps->item[i - 1].task == task)
			i--; /* before its first span */
	}
	return true;
}

static bool find_helps(struct charger *c)
{
	struct helps waits = { 0 }, new = { 0 };
	bool ok = find_waits(c, &waits);
	for (unsigned depth = 0; ok && waits.n && depth < MOST_HELPERS; depth++) {
		new.n = 0;
		ok = share_out(c, &waits, &new);
		for (size_t i = 0; ok && i < new.n; i++)
			ok = add_help(&c->helps, new.item[i]);
		sort(&c->helps, by_begin);
		waits.n = 0;
		ok = ok && find_waits_of(c, &new, &waits);
	}
	free(waits.item);
	free(new.item);
	return ok;
}

/* ---- charges ---- */

static bool find_intervals(struct charger *c, uint32_t task, int64_t begin, int64_t end)
{
	c->n_intervals = 0;
	for (int64_t t = begin, until; t < end; t = until) {
		uint32_t e = worked_for(c, task, t, end, &until);
		if (c->n_intervals && c->intervals[c->n_intervals - 1].exchange == e)
			continue;
		if (!mer_grow(&c->intervals, c->n_intervals, &c->cap_intervals,
			    sizeof(*c->intervals)))
			return false;
		c->intervals[c->n_intervals++] = (struct interval){ t, e };
	}
	return true;
}

struct at { /* back in time, what of a task is still to be charged */
	uint32_t span;
	int64_t span_end;
	size_t points[USAGE_N_KINDS]; /* those before it */
};

/* What was used in [begin, end) of a task, up to which `at` has come. */
static void charge(const struct charger *c, const struct usage_sums *u, uint32_t task,
	struct at *at, int64_t begin, int64_t end, struct requests_cost *cost)
{
	while (at->span != KERNEL_NONE) {
		const struct kernel_span *s = kernel_span(c->h, at->span);
		int64_t from = s->begin > begin ? s->begin : begin;
		int64_t to = at->span_end < end ? at->span_end : end;
		if (from < to && kernel_is_on_cpu(s->state) && !kernel_is_away(s)) {
			cost->cpu_ns += to - from;
			cost->interrupted_ns += s->state == KERNEL_INTERRUPTED ? to - from : 0;
		}
		if (s->begin < begin)
			break;
		at->span_end = s->begin;
		at->span = s->before;
	}
	for (unsigned k = 0; u->points && task < u->n_tasks && k < USAGE_N_KINDS; k++) {
		size_t first = u->first[(size_t)task * USAGE_N_KINDS + k], i = at->points[k];
		while (i > first && u->points[i - 1].time >= end)
			i--;
		int64_t sum = i > first ? u->points[i - 1].sum : 0;
		while (i > first && u->points[i - 1].time >= begin)
			i--;
		cost->used[k] =
			(int64_t)((uint64_t)sum - (uint64_t)(i > first ? u->points[i - 1].sum : 0));
		at->points[k] = i;
	}
}

static bool is_empty(const struct requests_cost *c)
{
	bool any = c->cpu_ns != 0;
	for (unsigned k = 0; k < USAGE_N_KINDS; k++)
		any |= c->used[k] != 0;
	return !any;
}

static bool charge_task(struct charger *c, const struct usage_sums *u, uint32_t task, int64_t begin,
	int64_t end, bool (*tell)(void *ctx, const struct requests_charge *), void *ctx)
{
	struct at at = { .span = c->h->tasks[task].last, .span_end = kernel_task_end(c->h, task) };
	if (!find_intervals(c, task, begin, end))
		return false;
	for (unsigned k = 0; u->points && task < u->n_tasks && k < USAGE_N_KINDS; k++)
		at.points[k] = u->first[(size_t)task * USAGE_N_KINDS + k + 1];
	for (size_t i = c->n_intervals; i-- > 0;) {
		const struct interval *v = &c->intervals[i];
		struct requests_charge x = {
			.host = c->host, .task = task, .exchange = v->exchange
		};
		charge(c, u, task, &at, v->begin, end, &x.cost);
		end = v->begin;
		if (!is_empty(&x.cost) && !tell(ctx, &x))
			return false;
	}
	return true;
}

int requests_charge(const struct requests_parts_finder *f, const struct requests *r,
	const struct usage *u, int64_t begin, int64_t end,
	bool (*tell)(void *ctx, const struct requests_charge *), void *ctx, struct mer_err *err)
{
	struct charger c = { .f = f, .r = r };
	bool ok = true;
	int rc = 0;
	for (c.host = 0; ok && rc == 0 && c.host < r->w->n_hosts; c.host++) {
		struct usage_sums sums = { 0 };
		c.h = &r->w->hosts[c.host];
		c.helps.n = 0;
		if (u)
			sums = usage_sums(u, c.host);
		ok = find_helps(&c);
		for (uint32_t t = 0; ok && rc == 0 && t < c.h->n_tasks; t++) {
			rc = kernel_world_go_on(r->w, err);
			ok = charge_task(&c, &sums, t, begin, end, tell, ctx);
		}
	}
	free(c.helps.item);
	free(c.intervals);
	return rc ? rc : ok ? 0 : mer_fail_nomem(err);
}
