#include "requests/stretches.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "path/path.h"

/* From begin on the task acts for this request; from `until` on for that of the next stint. */
struct stint {
	int64_t begin, until;
	uint32_t exchange; /* plus 1; 0: for none that is known */
};

struct finder {
	const struct requests *r;
	uint32_t host;
	struct stint *stints;
	uint32_t *stints_of; /* by task, and the end */
	uint32_t *spans;     /* of each task that has stints, in the order of time */
	size_t *spans_of;    /* by task, and the end */
	struct requests_stretches *s;
};

/* ---- for whom ---- */

/* For whom an action is. */
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

static bool find_stints(struct finder *x)
{
	const struct requests *r = x->r;
	const struct requests_host *log = &r->log->hosts[x->host];
	uint32_t n_tasks = r->w->hosts[x->host].n_tasks, n = 0;
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
static void end_at_waits(const struct finder *x)
{
	const struct kernel_host *h = &x->r->w->hosts[x->host];
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
static void begin_jobs(const struct finder *x)
{
	for (uint32_t t = 0; t < x->r->w->hosts[x->host].n_tasks; t++)
		for (uint32_t i = x->stints_of[t]; i < x->stints_of[t + 1]; i++) {
			struct stint *s = &x->stints[i];
			const struct stint *before = i > x->stints_of[t] ? s - 1 : NULL;
			const struct requests_exchange *e =
				s->exchange ? &x->r->exchanges[s->exchange - 1] : NULL;
			if (!e || e->reader == t || e->server_task != t ||
				(before && before->exchange) || e->read_end >= s->begin)
				continue;
			s->begin =
				before && before->begin > e->read_end ? before->begin : e->read_end;
		}
}

/* Spans are kept in the order in which they began. */
static bool find_spans(struct finder *x)
{
	const struct kernel_host *h = &x->r->w->hosts[x->host];
	x->spans_of = calloc((size_t)h->n_tasks + 2, sizeof(*x->spans_of));
	if (!x->spans_of)
		return false;
	for (uint32_t i = 0; i < h->n_spans; i++) {
		uint32_t t = kernel_span(h, i)->task;
		x->spans_of[t + 2] += x->stints_of[t] != x->stints_of[t + 1];
	}
	for (uint32_t t = 0; t < h->n_tasks; t++)
		x->spans_of[t + 2] += x->spans_of[t + 1];
	x->spans =
		mer_spill_array(x->r->w->spill, x->spans_of[h->n_tasks + 1] + 1, sizeof(*x->spans));
	if (!x->spans)
		return false;
	for (uint32_t i = 0; i < h->n_spans; i++) {
		uint32_t t = kernel_span(h, i)->task;
		if (x->stints_of[t] != x->stints_of[t + 1])
			x->spans[x->spans_of[t + 1]++] = i;
	}
	return true;
}

/* ---- both together ---- */

static uint8_t what_of(const struct kernel_host *h, uint32_t span)
{
	if (span == KERNEL_NONE)
		return PATH_UNKNOWN;
	const struct kernel_span *s = kernel_span(h, span);
	unsigned what = path_cause_of(kernel_span(h, kernel_wait_end(h, span)));
	what |= s->state == KERNEL_BLOCKED ? REQUESTS_IS_BLOCKED : REQUESTS_IS_BUSY;
	if (s->state == KERNEL_BLOCKED && s->by != KERNEL_NONE &&
		(s->cause == KERNEL_TASK || s->cause == KERNEL_PIPE))
		what |= REQUESTS_IS_HELPED;
	return (uint8_t)what;
}

static bool add_stretch(struct finder *x, const struct requests_stretch *add)
{
	struct requests_stretches *s = x->s;
	struct requests_stretch *last = s->n ? &s->item[s->n - 1] : NULL;
	const struct kernel_host *h = &x->r->w->hosts[x->host];
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
	s->what[s->n - 1] = what_of(h, add->span);
	return true;
}

/* Of a task: its spans, cut where it begins to act for another request. */
static bool merge(struct finder *x, uint32_t task)
{
	const struct kernel_host *h = &x->r->w->hosts[x->host];
	size_t span = x->spans_of[task], spans_end = x->spans_of[task + 1];
	uint32_t i = x->stints_of[task], end = x->stints_of[task + 1];
	struct requests_stretch s = { INT64_MIN, KERNEL_NONE, 0 };
	bool has_ended = false, in_stint = false;
	bool ok = add_stretch(x, &s);
	const struct kernel_span *first = span < spans_end ? kernel_span(h, x->spans[span]) : NULL;
	if (ok && first && first->state == KERNEL_NEW && first->by != KERNEL_NONE)
		x->s->what[x->s->n - 1] |= REQUESTS_IS_HELPED;
	while (ok && (span < spans_end || !has_ended || i < end)) {
		int64_t at_span = span < spans_end ? kernel_span(h, x->spans[span])->begin
				  : has_ended	   ? INT64_MAX
						   : kernel_task_end(h, task);
		int64_t at_stint = i == end   ? INT64_MAX
				   : in_stint ? x->stints[i].until
					      : x->stints[i].begin;
		if (at_span <= at_stint) {
			s.begin = at_span > s.begin ? at_span : s.begin;
			has_ended = span == spans_end;
			s.span = has_ended ? KERNEL_NONE : x->spans[span];
			span += !has_ended;
		} else {
			s.begin = at_stint > s.begin ? at_stint : s.begin;
			i += in_stint;
			s.acts = i < end ? x->stints[i].exchange : 0;
			in_stint = !in_stint || (i < end && x->stints[i].begin <= s.begin);
		}
		ok = add_stretch(x, &s);
		if (at_span == INT64_MAX && at_stint == INT64_MAX)
			break;
	}
	return ok;
}

bool requests_stretches_find(const struct requests *r, uint32_t host, struct requests_stretches *s)
{
	struct finder x = { .r = r, .host = host, .s = s };
	uint32_t n_tasks = r->w->hosts[host].n_tasks;
	s->of = calloc((size_t)n_tasks + 2, sizeof(*s->of));
	bool ok = s->of && find_stints(&x) && find_spans(&x);
	if (ok) {
		begin_jobs(&x);
		end_at_waits(&x);
	}
	for (uint32_t t = 0; ok && t < n_tasks; t++) {
		s->of[t] = s->n;
		if (x.stints_of[t] != x.stints_of[t + 1])
			ok = merge(&x, t);
	}
	if (ok)
		s->of[n_tasks] = s->n;
	mer_spill_release(x.stints);
	mer_spill_release(x.spans);
	free(x.stints_of);
	free(x.spans_of);
	return ok;
}

void requests_stretches_fini(struct requests_stretches *s)
{
	mer_spill_release(s->item);
	mer_spill_release(s->what);
	free(s->of);
	*s = (struct requests_stretches){ 0 };
}

size_t requests_stretch_at(const struct requests_stretches *s, uint32_t task, int64_t time)
{
	MER_LOWER_BOUND(i, s->of[task], s->of[task + 1], k, s->item[k].begin <= time);
	return i - 1;
}
