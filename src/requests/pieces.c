#include "requests/pieces.h"

#include <stdlib.h>

#include "base/grow.h"
#include "requests/log.h"

struct collection {
	struct requests_piece *item;
	size_t n, cap;
	bool failed;
};

static void add(struct collection *c, struct requests_piece p)
{
	if (p.begin > p.end)
		return;
	if (!mer_grow(&c->item, c->n, &c->cap, sizeof(*c->item)))
		c->failed = true;
	else
		c->item[c->n++] = p;
}

static int in_order(const void *a, const void *b)
{
	const struct requests_piece *x = a, *y = b;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Those of a task that touch become one. */
static void join(struct collection *c)
{
	size_t n = 0;
	if (c->n)
		qsort(c->item, c->n, sizeof(*c->item), in_order);
	for (size_t i = 0; i < c->n; i++) {
		struct requests_piece *last = n ? &c->item[n - 1] : NULL;
		const struct requests_piece *p = &c->item[i];
		if (last && last->host == p->host && last->task == p->task &&
			p->begin <= last->end) {
			last->end = p->end > last->end ? p->end : last->end;
			continue;
		}
		c->item[n++] = *p;
	}
	c->n = n;
}

/* When the task acted for one of them; its actions say so even where it served nobody else. */
static void add_task(struct collection *c, const struct requests_parts_finder *f,
	const struct requests *r, uint32_t root, uint32_t host, uint32_t task)
{
	const struct requests_exchange *x = &r->exchanges[root];
	for (int64_t t = x->begin; t < x->end;) {
		uint32_t served = requests_served_by(f, host, task, t);
		int64_t until = requests_served_until(f, host, task, t);
		until = until < x->end ? until : x->end;
		if (served && requests_is_within(r, served - 1, root))
			add(c, (struct requests_piece){ t, until, host, task, KERNEL_NO_CPU });
		t = until;
	}
}

static void add_host(struct collection *c, const struct requests_parts_finder *f,
	const struct requests *r, uint32_t root, uint32_t host)
{
	const struct requests_exchange *x = &r->exchanges[root];
	const struct requests_host *log = &r->log->hosts[host];
	bool *has = calloc((size_t)r->w->hosts[host].n_tasks + 1, sizeof(*has));
	if (!has) {
		c->failed = true;
		return;
	}
	for (uint32_t i = 0; i < log->n_actions; i++) {
		const struct requests_action *a = &log->actions[i];
		if (!a->exchange || a->kind > REQUESTS_WRITE || a->end < x->begin ||
			a->begin > x->end || !requests_is_within(r, a->exchange - 1, root))
			continue;
		add(c, (struct requests_piece){ a->begin > x->begin ? a->begin : x->begin,
			       a->end < x->end ? a->end : x->end, host, a->task, KERNEL_NO_CPU });
		if (!has[a->task])
			add_task(c, f, r, root, host, a->task);
		has[a->task] = true;
	}
	free(has);
}

/* Where the task was meanwhile: pieces by its spans, of all that are there of the task. */
static void add_places(struct collection *c, const struct requests *r,
	const struct requests_piece *first, size_t n)
{
	const struct kernel_host *h = &r->w->hosts[first->host];
	int64_t end = kernel_task_end(h, first->task);
	for (uint32_t i = h->tasks[first->task].last; i != KERNEL_NONE && n > 0;) {
		const struct kernel_span *s = kernel_span(h, i);
		const struct requests_piece *p = &first[n - 1];
		int64_t from = s->begin > p->begin ? s->begin : p->begin;
		int64_t to = end < p->end ? end : p->end;
		if (from < to || p->begin == p->end)
			add(c, (struct requests_piece){ from, to, p->host, p->task,
				       kernel_is_on_cpu((enum kernel_state)s->state)
					       ? s->cpu
					       : KERNEL_NO_CPU });
		if (p->begin >= s->begin) {
			n--; /* the one before may end in the same span */
		} else {
			end = s->begin;
			i = s->before;
		}
	}
}

int requests_pieces_find(struct requests_parts_finder *f, const struct requests *r,
	uint32_t exchange, struct requests_piece **pieces, size_t *n, struct mer_err *err)
{
	struct requests_parts parts = { 0 };
	struct collection whole = { 0 }, c = { 0 };
	*pieces = NULL;
	*n = 0;
	int rc = requests_parts_find(f, exchange, &parts, err);
	for (size_t i = 0; rc == 0 && i < parts.n; i++) {
		const struct requests_part *p = &parts.item[i];
		if (p->host != KERNEL_NONE && p->task != KERNEL_NONE && p->kind != REQUESTS_QUEUED)
			add(&whole, (struct requests_piece){
					    p->begin, p->end, p->host, p->task, KERNEL_NO_CPU });
	}
	requests_parts_fini(&parts);
	for (uint32_t h = 0; rc == 0 && h < r->w->n_hosts; h++)
		add_host(&whole, f, r, exchange, h);
	join(&whole);
	for (size_t i = 0, k; i < whole.n; i = k) {
		for (k = i + 1; k < whole.n && whole.item[k].host == whole.item[i].host &&
				whole.item[k].task == whole.item[i].task;)
			k++;
		add_places(&c, r, &whole.item[i], k - i);
	}
	free(whole.item);
	if (rc == 0 && (whole.failed || c.failed))
		rc = mer_fail_nomem(err);
	if (rc) {
		free(c.item);
		return rc;
	}
	if (c.n)
		qsort(c.item, c.n, sizeof(*c.item), in_order);
	*pieces = c.item;
	*n = c.n;
	return 0;
}
