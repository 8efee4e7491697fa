#include "requests/explain_told.h"

#include <stdlib.h>

#include "base/grow.h"

/* Told of a part. */
struct telling {
	struct requests_told *t;
	struct requests_told_what part;
	uint32_t number; /* of the part */
	uint32_t from;	 /* the request's first event */
	bool is_sum;
};

/* KERNEL_NONE: no memory. */
static uint32_t number_of(struct requests_told *t, const struct requests_told_what *w)
{
	const struct requests_culprit *c = &w->culprit;
	uint64_t key[] = { (uint64_t)w->host << 32 | w->task,
		(uint64_t)w->in << 32 | (uint64_t)w->kind << 2 | (uint64_t)w->is_kernels << 1 |
			w->is_part,
		(uint64_t)c->host << 32 | c->task, (uint64_t)c->kind << 32 | c->example,
		(uint64_t)c->call << 32 | c->object, (uint64_t)c->number << 32 | c->count, c->bytes,
		(uint64_t)c->deed << 32 | (uint64_t)c->cause << 24 | (uint64_t)c->meanwhile << 16 |
			(uint64_t)c->via << 8 | (uint64_t)c->is_write << 2 |
			(uint64_t)c->is_later << 1 | c->is_slowing,
		(uint64_t)c->at_host << 32 | c->at_task,
		(uint64_t)(w->is_part ? 0 : t->k->of[c->at_exchange]) << 32 | c->at_kind };
	uint64_t hash = mer_hash(key, sizeof(key));
	unsigned place = hash % REQUESTS_TOLD_RECENT;
	if (t->recent[place].hash == hash && t->recent[place].number)
		return t->recent[place].number - 1;
	uint32_t *at = mer_map_put(&t->number_of, hash);
	if (!at || !mer_grow32(&t->what, t->n_what, &t->cap_what, sizeof(*t->what)) ||
		!mer_grow_at(&t->event_of, &t->cap_event_of, t->n_what, sizeof(*t->event_of)))
		return KERNEL_NONE;
	if (!*at) {
		t->what[t->n_what] = *w;
		*at = ++t->n_what;
	}
	t->recent[place].hash = hash;
	t->recent[place].number = *at;
	return *at - 1;
}

static bool add(struct telling *s, uint32_t what, int64_t ns)
{
	struct requests_told *t = s->t;
	if (what == KERNEL_NONE)
		return false;
	uint32_t at = t->event_of[what];
	/* Of another one, or of a request before this one. */
	bool is_new = !s->is_sum || at < s->from || at >= t->n_events || t->events[at].what != what;
	if (!is_new) {
		t->events[at].times++;
		t->events[at].ns += ns;
		return true;
	}
	if (!mer_grow32(&t->events, t->n_events, &t->cap_events, sizeof(*t->events)))
		return false;
	t->event_of[what] = t->n_events;
	t->events[t->n_events++] = (struct requests_told_event){ what, 1, ns };
	return true;
}

static bool add_culprit(void *ctx, const struct requests_culprit *c)
{
	struct telling *s = ctx;
	struct requests_told_what w = s->part;
	w.is_part = false;
	w.part = s->number;
	w.culprit = *c;
	w.culprit.ns = 0;
	return add(s, number_of(s->t, &w), c->ns);
}

static struct requests_told_what what_of(
	const struct requests_told *t, const struct requests_part *p)
{
	const struct kernel_host *h = &t->k->r->w->hosts[p->host];
	const struct kernel_span *wait = kernel_span_kept(h, p->wait);
	/* A thread of the kernel that it waits for (the journal's) works for the program. */
	uint32_t task = wait && h->tasks[p->task].is_kernel ? wait->task : p->task;
	return (struct requests_told_what){ .is_part = true,
		.is_kernels = p->is_kernels,
		.kind = p->kind,
		.host = p->host,
		.task = p->is_kernels ? KERNEL_NONE : task,
		.in = t->k->of[p->exchange] };
}

static int tell(struct requests_told *t, uint32_t exchange, bool is_sum, struct mer_err *err)
{
	struct telling s = { .t = t, .from = t->n_events, .is_sum = is_sum };
	int rc = requests_parts_find_each(t->f, exchange, &t->parts, err);
	for (size_t i = 0; rc == 0 && i < t->parts.n; i++) {
		const struct requests_part *p = &t->parts.item[i];
		s.part = what_of(t, p);
		s.number = number_of(t, &s.part);
		if (!add(&s, s.number, p->end - p->begin) ||
			!requests_culprits_of(t->finder, p, add_culprit, &s))
			rc = mer_fail_nomem(err);
	}
	return rc;
}

int requests_told_of(struct requests_told *t, uint32_t exchange, bool is_sum,
	struct requests_told_list *list, struct mer_err *err)
{
	uint64_t key = (uint64_t)exchange << 1 | is_sum;
	uint32_t number = mer_map_number(&t->list_of, key);
	if (number == UINT32_MAX) {
		uint32_t from = t->n_events;
		int rc = tell(t, exchange, is_sum, err);
		if (rc)
			return rc;
		number = t->n_lists;
		if (!mer_grow32(&t->lists, t->n_lists, &t->cap_lists, sizeof(*t->lists)) ||
			!mer_map_put_number(&t->list_of, key, number))
			return mer_fail_nomem(err);
		t->lists[t->n_lists++] = (struct requests_told_list){ from, t->n_events - from };
	}
	*list = t->lists[number];
	return 0;
}

void requests_told_fini(struct requests_told *t)
{
	requests_parts_fini(&t->parts);
	mer_map_fini(&t->number_of);
	mer_map_fini(&t->list_of);
	free(t->what);
	free(t->event_of);
	free(t->lists);
	free(t->events);
}
