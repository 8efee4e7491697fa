#include "requests/stretches.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "path/path.h"

/* From begin on the task acts for this request; from `until` on for that of the next stint. */
struct requests_stint {
	int64_t begin, until;
	int64_t acted;	   /* when it shows: begin, or later */
	uint32_t exchange; /* plus 1; 0: for none that is known */
};

struct finder {
	const struct requests *r;
	const struct kernel_host *h;
	struct requests_stretches *s;
	bool only_born; /* only of tasks that were forked while recorded */
};

struct doing { /* ends where the next one begins */
	int64_t begin;
	uint32_t span; /* KERNEL_NONE: any that is no wait */
	uint8_t what;
};

struct doings { /* of a task, in the order of time: its spans, or its waits and what is not */
	struct doing *item;
	size_t n;
	bool is_helped; /* before its first span */
	bool goes_on;	/* there are further ones, which are not needed */
};

/* Those of a task that are looked at: numbers in requests_stretches, the end is behind them. */
struct stints {
	uint32_t begin, end;
};

/* ---- what ---- */

static uint8_t what_of(const struct kernel_host *h, uint32_t span)
{
	const struct kernel_span *s = kernel_span(h, span);
	unsigned what = path_cause_of(kernel_span(h, kernel_wait_end(h, span)));
	what |= s->state == KERNEL_BLOCKED ? REQUESTS_IS_BLOCKED : REQUESTS_IS_BUSY;
	if (s->state == KERNEL_BLOCKED && s->by != KERNEL_NONE &&
		(s->cause == KERNEL_TASK || s->cause == KERNEL_PIPE))
		what |= REQUESTS_IS_HELPED;
	return (uint8_t)what;
}

static struct doing doing_of(const struct kernel_host *h, uint32_t span)
{
	return (struct doing){ kernel_span(h, span)->begin, span, what_of(h, span) };
}

/* Its fork is its parent's work. */
static bool is_helped(const struct kernel_host *h, uint32_t first)
{
	const struct kernel_span *s = kernel_span(h, first);
	return s->state == KERNEL_NEW && s->by != KERNEL_NONE;
}

/* ---- Which request it is for ---- */

/* The request that an action is for. */
static uint32_t acts_for(const struct requests *r, const struct requests_action *a)
{
	return a->is_server ? a->exchange : requests_found_parent(r, a->exchange - 1);
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

static bool find_stints(const struct finder *x, uint32_t host)
{
	const struct requests *r = x->r;
	struct requests_stretches *s = x->s;
	const struct requests_host *log = &r->log->hosts[host];
	uint32_t n_tasks = x->h->n_tasks, n = 0;
	uint8_t *n_of = malloc((size_t)log->n_actions + 1); /* an action */
	s->stints_of = calloc((size_t)n_tasks + 2, sizeof(*s->stints_of));
	for (uint32_t i = 0; n_of && s->stints_of && i < log->n_actions; i++) {
		n_of[i] = (uint8_t)n_stints(r, log, i);
		s->stints_of[log->actions[i].task + 2] += n_of[i];
		n += n_of[i];
	}
	s->stints = mer_spill_array(log->spill, (size_t)n + 1, sizeof(*s->stints));
	if (!n_of || !s->stints_of || !s->stints) {
		free(n_of);
		return false;
	}
	for (uint32_t t = 0; t < n_tasks; t++)
		s->stints_of[t + 2] += s->stints_of[t + 1];
	for (uint32_t i = 0; i < log->n_actions; i++) {
		const struct requests_action *a = &log->actions[i];
		uint32_t more = n_of[i], *at = &s->stints_of[a->task + 1];
		if (more)
			s->stints[(*at)++] = (struct requests_stint){ a->begin, INT64_MAX, a->begin,
				acts_for(r, a) };
		if (more > 1)
			s->stints[(*at)++] =
				(struct requests_stint){ a->end, INT64_MAX, a->end, 0 };
	}
	free(n_of);
	return true;
}

static bool has_stints(const struct requests_stretches *s, uint32_t task)
{
	return s->stints_of[task] != s->stints_of[task + 1];
}

static struct stints all_stints(const struct requests_stretches *s, uint32_t task)
{
	return (struct stints){ s->stints_of[task], s->stints_of[task + 1] };
}

/* Behind its last action a task acts on for that request until it is answered, by whomever. */
static void end_last(const struct finder *x, struct requests_stint *last)
{
	const struct requests_exchange *e =
		last->exchange ? &x->r->exchanges[last->exchange - 1] : NULL;
	if (e && e->done != REQUESTS_NO_TIME)
		last->until = e->done > last->begin ? e->done : last->begin;
}

/* After a wait, a task acts for the request of its next action, because that is why it was
 * woken. So each stint ends with the first wait after its last action; a stint for no request
 * ends with the last wait, because what ended the waits before it (a timer) was for no request
 * either. */
static void end_at_waits(const struct finder *x, struct stints of, const struct doings *all)
{
	size_t at = 0;
	if (of.begin < of.end)
		end_last(x, &x->s->stints[of.end - 1]);
	for (uint32_t i = of.begin; i + 1 < of.end; i++) {
		struct requests_stint *s = &x->s->stints[i];
		s->until = s[1].begin;
		for (; at < all->n && all->item[at].begin < s[1].begin; at++) {
			const struct doing *d = &all->item[at];
			if (d->begin < s->acted || !(d->what & REQUESTS_IS_BLOCKED))
				continue;
			s->until = d->begin;
			if (s->exchange)
				break;
		}
	}
}

/* Who takes a request that another task has read shows it at the end only. It has it since it had
 * done with the one before: from then on it does nothing else, or waits for something to do. That
 * one begins when it began. Once more changes nothing. */
static void begin_jobs(const struct finder *x, uint32_t t, struct stints of)
{
	for (uint32_t i = of.begin; i < of.end; i++) {
		struct requests_stint *s = &x->s->stints[i];
		const struct requests_stint *before = i > x->s->stints_of[t] ? s - 1 : NULL;
		const struct requests_exchange *e =
			s->exchange ? &x->r->exchanges[s->exchange - 1] : NULL;
		if (!e || e->reader == t || e->server_task != t || (before && before->exchange) ||
			e->read_end >= s->begin)
			continue;
		s->begin = before && before->begin > e->read_end ? before->begin : e->read_end;
	}
}

/* ---- both together ---- */

static bool add_stretch(const struct finder *x, const struct requests_stretch *add, uint8_t what)
{
	struct requests_stretches *s = x->s;
	struct requests_stretch *last = s->n ? &s->item[s->n - 1] : NULL;
	if (add->begin != INT64_MIN && last->begin < add->begin) {
		if (last->span == add->span && last->acts == add->acts)
			return true;
		last = NULL;
	}
	if (add->begin == INT64_MIN || !last) {
		if (!mer_spill_grow(x->r->w->spill, &s->item, s->n, &s->cap, sizeof(*s->item)) ||
			!mer_spill_grow(x->r->w->spill, &s->what, s->n, &s->cap_what, 1))
			return false;
		last = &s->item[s->n++];
	}
	*last = *add;
	s->what[s->n - 1] = what;
	return true;
}

/* When there may have been something to do for the stint's request: not before it began. */
static int64_t possible_from(const struct finder *x, const struct requests_stint *s)
{
	int64_t begin = s->exchange ? x->r->exchanges[s->exchange - 1].begin : INT64_MIN;
	return begin < s->begin ? begin : s->begin;
}

/* Where the walk along the stints of a task is. */
enum place {
	BETWEEN, /* before the begin of the next one, which it acts for unless that is the first */
	TOO_EARLY, /* likewise, before there is that request */
	WITHIN
};

static enum place place_of(const struct finder *x, const struct requests_stint *next, int64_t time)
{
	return next->begin <= time ? WITHIN : time < possible_from(x, next) ? TOO_EARLY : BETWEEN;
}

static int64_t end_of_place(
	const struct finder *x, const struct requests_stint *s, enum place place)
{
	return place == WITHIN ? s->until : place == TOO_EARLY ? possible_from(x, s) : s->begin;
}

/* What it does, cut where it begins to act for another request. */
static bool merge(const struct finder *x, uint32_t task, struct stints of, const struct doings *all)
{
	const struct requests_stint *stints = x->s->stints;
	const struct doing *d = all->item, *last = all->item + all->n;
	uint32_t i = of.begin, end = of.end;
	struct requests_stretch s = { INT64_MIN, KERNEL_NONE, 0 };
	uint8_t what = all->is_helped ? PATH_UNKNOWN | REQUESTS_IS_HELPED : PATH_UNKNOWN;
	bool has_ended = all->goes_on;
	enum place place = BETWEEN;
	bool is_forked = !all->is_helped, ok = add_stretch(x, &s, what);
	what = PATH_UNKNOWN;
	while (ok && (d < last || !has_ended || i < end)) {
		int64_t at_span = d < last    ? d->begin
				  : has_ended ? INT64_MAX
					      : kernel_task_end(x->h, task);
		int64_t at_stint = i == end ? INT64_MAX : end_of_place(x, &stints[i], place);
		if (at_span <= at_stint) {
			s.begin = at_span > s.begin ? at_span : s.begin;
			has_ended = d == last;
			s.span = has_ended ? KERNEL_NONE : d->span;
			what = has_ended ? PATH_UNKNOWN : d->what;
			d += !has_ended;
			is_forked = true;
		} else {
			s.begin = at_stint > s.begin ? at_stint : s.begin;
			i += place == WITHIN;
			place = i == end	   ? BETWEEN
				: place == BETWEEN ? WITHIN
						   : place_of(x, &stints[i], s.begin);
			s.acts = i < end && place != TOO_EARLY ? stints[i].exchange : 0;
		}
		/* All that is before the fork is its parent's, one stretch, whomever the task acts
		 * for afterwards. */
		ok = !is_forked || add_stretch(x, &s, what);
		if (at_span == INT64_MAX && at_stint == INT64_MAX)
			break;
	}
	return ok;
}

/* begin_jobs was called. */
static bool add_task(
	const struct finder *x, uint32_t task, struct stints of, const struct doings *all)
{
	end_at_waits(x, of, all);
	x->s->from[task] = x->s->n;
	bool ok = merge(x, task, of, all);
	x->s->to[task] = x->s->n;
	return ok;
}

/* ---- of all tasks ---- */

static bool begin_stretches(const struct requests *r, uint32_t host, struct requests_stretches *s)
{
	const struct finder x = { .r = r, .h = &r->w->hosts[host], .s = s };
	s->from = calloc((size_t)x.h->n_tasks + 1, sizeof(*s->from));
	s->to = calloc((size_t)x.h->n_tasks + 1, sizeof(*s->to));
	return s->from && s->to && find_stints(&x, host);
}

static bool is_wanted(const struct finder *x, uint32_t task)
{
	return has_stints(x->s, task) && (!x->only_born || x->h->tasks[task].born);
}

/* Spans are kept in the order in which they began: those of all tasks that are wanted, task by
 * task. of: by task, and the end. */
static bool find_spans(const struct finder *x, struct doing **spans, size_t **of)
{
	const struct kernel_host *h = x->h;
	size_t *ends = *of = calloc((size_t)h->n_tasks + 2, sizeof(*ends));
	if (!ends)
		return false;
	for (uint32_t i = 0; i < h->n_spans; i++) {
		uint32_t t = kernel_span(h, i)->task;
		ends[t + 2] += is_wanted(x, t);
	}
	for (uint32_t t = 0; t < h->n_tasks; t++)
		ends[t + 2] += ends[t + 1];
	*spans = mer_spill_array(x->r->w->spill, ends[h->n_tasks + 1] + 1, sizeof(**spans));
	if (!*spans)
		return false;
	for (uint32_t i = 0; i < h->n_spans; i++) {
		uint32_t t = kernel_span(h, i)->task;
		if (is_wanted(x, t))
			(*spans)[ends[t + 1]++] = doing_of(h, i);
	}
	return true;
}

static void drop_stints(struct requests_stretches *s)
{
	mer_spill_release(s->stints);
	free(s->stints_of);
	s->stints = NULL;
	s->stints_of = NULL;
}

static bool add_all(const struct finder *x)
{
	struct doing *spans = NULL;
	size_t *of = NULL;
	uint32_t first = 0;
	while (first < x->h->n_tasks && !is_wanted(x, first))
		first++;
	if (first == x->h->n_tasks)
		return true;
	bool ok = find_spans(x, &spans, &of);
	for (uint32_t t = first; ok && t < x->h->n_tasks && !mer_cancelled(x->r->w->cancel); t++) {
		struct doings all = { .item = spans + of[t], .n = of[t + 1] - of[t] };
		if (!is_wanted(x, t))
			continue;
		all.is_helped = all.n && is_helped(x->h, all.item[0].span);
		begin_jobs(x, t, all_stints(x->s, t));
		ok = add_task(x, t, all_stints(x->s, t), &all);
	}
	mer_spill_release(spans);
	free(of);
	return ok;
}

/* ---- of a part of the time ---- */

/* From the stretch under way at the begin of the time to the one that begins after its end: a
 * task acts for that one as soon as it is done with the one before. */
static struct stints find_stints_within(
	const struct requests_stretches *s, uint32_t task, int64_t begin, int64_t end)
{
	struct stints all = all_stints(s, task);
	MER_LOWER_BOUND(after, all.begin, all.end, k, s->stints[k].begin <= begin);
	MER_LOWER_BOUND(later, after, all.end, k, s->stints[k].begin <= end);
	return (struct stints){ (uint32_t)(after > all.begin ? after - 1 : after),
		(uint32_t)(later < all.end ? later + 1 : later) };
}

/* begin_jobs moves each one back, at most to the begin of the one before: so those that are within
 * with that are among these, and the one after. */
static struct stints stints_within(
	const struct finder *x, uint32_t task, int64_t begin, int64_t end)
{
	struct stints all = all_stints(x->s, task), of = find_stints_within(x->s, task, begin, end);
	of.end += of.end < all.end;
	begin_jobs(x, task, of);
	return find_stints_within(x->s, task, begin, end);
}

static struct doing doing_wait(int64_t begin, uint32_t span)
{
	return (struct doing){ begin, span, PATH_UNKNOWN | REQUESTS_IS_BLOCKED };
}

/* Where a stint ends is known from all waits in it: those of the stints at both edges, too. */
static void widen(const struct finder *x, struct stints of, int64_t *begin, int64_t *end)
{
	const struct requests_stint *first = &x->s->stints[of.begin],
				    *last = &x->s->stints[of.end - 1];
	*begin = first->begin < *begin ? first->begin : *begin;
	*end = last->begin > *end ? last->begin : *end;
}

static bool find_spans_within(const struct finder *x, uint32_t task, struct stints of,
	int64_t begin, int64_t end, struct doings *all)
{
	const struct kernel_host *h = x->h;
	widen(x, of, &begin, &end);
	uint32_t i = kernel_span_at(h, task, end, KERNEL_NONE), from = i;
	*all = (struct doings){ .goes_on = i != h->tasks[task].last };
	for (; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		all->n++;
		if (kernel_span(h, i)->begin < begin)
			break;
	}
	all->item = mer_spill_array(x->r->w->spill, all->n + 1, sizeof(*all->item));
	if (!all->item)
		return false;
	i = from;
	for (size_t n = all->n; n > 0; i = kernel_span(h, i)->before)
		all->item[--n] = doing_of(h, i);
	all->is_helped = all->n && kernel_span(h, all->item[0].span)->before == KERNEL_NONE &&
			 is_helped(h, all->item[0].span);
	return true;
}

/* From its waits; few have several spans, and only then these are looked at. */
static bool find_waits_within(const struct finder *x, uint32_t task, const struct blocked_host *b,
	struct stints of, int64_t begin, int64_t end, struct doings *all)
{
	size_t cap = 0, behind = b->first[task + 1];
	widen(x, of, &begin, &end);
	MER_LOWER_BOUND(i, b->first[task], behind, k, b->waits[k].begin < begin);
	i -= i > b->first[task];
	*all = (struct doings){ 0 };
	for (; i < behind && b->waits[i].begin <= end; i++) {
		const struct blocked_wait *w = &b->waits[i];
		size_t n = 2;
		for (uint32_t span = w->is_one_span ? KERNEL_NONE : w->span;
			span != KERNEL_NONE && kernel_span(x->h, span)->begin > w->begin; n++)
			span = kernel_span(x->h, span)->before;
		while (all->n + n > cap)
			if (!mer_spill_grow(
				    x->r->w->spill, &all->item, cap, &cap, sizeof(*all->item)))
				return false;
		struct doing *d = &all->item[all->n += n];
		*--d = (struct doing){ w->end, KERNEL_NONE, PATH_UNKNOWN };
		if (w->is_one_span)
			*--d = doing_wait(w->begin, w->span);
		for (uint32_t span = w->span; !w->is_one_span && --n;
			span = kernel_span(x->h, span)->before)
			*--d = doing_wait(kernel_span(x->h, span)->begin, span);
	}
	all->goes_on = i < behind;
	return true;
}

/* Then all spans in their order are found quicker than those of each task along its own. */
static bool is_most_of(const struct kernel_host *h, int64_t begin, int64_t end)
{
	begin = begin < h->begin ? h->begin : begin;
	end = end > h->end ? h->end : end;
	uint64_t all = (uint64_t)h->end - (uint64_t)h->begin;
	return end >= begin && (uint64_t)end - (uint64_t)begin >= all / 4;
}

bool requests_stretches_begin(const struct requests *r, uint32_t host, int64_t begin, int64_t end,
	struct requests_stretches *s)
{
	const struct finder x = { .r = r, .h = &r->w->hosts[host], .s = s, .only_born = true };
	return begin_stretches(r, host, s) && (!is_most_of(x.h, begin, end) || add_all(&x));
}

bool requests_stretches_add(const struct requests *r, uint32_t host, uint32_t task,
	const struct blocked_host *waits, int64_t begin, int64_t end, struct requests_stretches *s)
{
	const struct finder x = { .r = r, .h = &r->w->hosts[host], .s = s };
	struct doings all;
	if (!has_stints(s, task) || requests_has_stretches(s, task))
		return true;
	struct stints of = stints_within(&x, task, begin, end);
	/* What was before its fork only its spans know. */
	bool ok = x.h->tasks[task].born ? find_spans_within(&x, task, of, begin, end, &all)
					: find_waits_within(&x, task, waits, of, begin, end, &all);
	ok = ok && add_task(&x, task, of, &all);
	mer_spill_release(all.item);
	return ok;
}

bool requests_stretches_within(const struct requests *r, uint32_t host, int64_t begin, int64_t end,
	struct requests_stretches *s)
{
	const struct finder x = { .r = r, .h = &r->w->hosts[host], .s = s };
	bool all_at_once = is_most_of(x.h, begin, end);
	if (s->from && !s->stints)
		return true; /* all of them are there */
	/* Of less time they were found before: for whom each task acts when is known already. */
	s->n = 0;
	bool ok = s->stints || begin_stretches(r, host, s);
	if (ok && all_at_once)
		ok = add_all(&x);
	for (uint32_t t = 0; ok && !all_at_once && t < x.h->n_tasks; t++) {
		struct doings all;
		if (!has_stints(s, t))
			continue;
		struct stints of = stints_within(&x, t, begin, end);
		ok = find_spans_within(&x, t, of, begin, end, &all) && add_task(&x, t, of, &all);
		mer_spill_release(all.item);
	}
	if (all_at_once)
		drop_stints(s);
	return ok;
}

void requests_stretches_fini(struct requests_stretches *s)
{
	mer_spill_release(s->item);
	mer_spill_release(s->what);
	drop_stints(s);
	free(s->from);
	free(s->to);
	*s = (struct requests_stretches){ 0 };
}

size_t requests_stretch_at(const struct requests_stretches *s, uint32_t task, int64_t time)
{
	MER_LOWER_BOUND(i, s->from[task], s->to[task], k, s->item[k].begin <= time);
	return i - 1;
}
