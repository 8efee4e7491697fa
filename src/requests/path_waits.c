#include "requests/path_waits.h"

#include <stdlib.h>

#include "base/lower_bound.h"
#include "kernel/files/files.h"

struct piece { /* a span of a wait that is asked about; waits of several spans have several */
	int64_t begin, end;
	uint32_t span, wait;
};

struct pieces { /* of a host, by task, then time */
	struct piece *item;
	size_t n, cap;
	size_t *first;	   /* of each task, and n */
	uint8_t *is_found; /* by wait */
};

struct requests_path_waits {
	const struct requests *r;
	const struct blocked *b;
	struct pieces *hosts;
	uint8_t *may_have;  /* by exchange */
	int64_t begin, end; /* of those that may have some */
};

/* ---- The waits in question ---- */

static bool is_of_kind(const struct kernel_host *h, uint32_t call, enum path_cause cause)
{
	bool is_multiplexed = call != KERNEL_NONE &&
			      (kernel_call_classes(h->calls[call].id) & KERNEL_CALLS_MULTIPLEX);
	return !is_multiplexed && (cause == PATH_FUTEX || cause == PATH_TIMER ||
					  cause == PATH_PIPE || cause == PATH_DISK);
}

static bool add_piece(struct pieces *p, const struct requests *r, struct piece x)
{
	if (!mer_spill_grow(r->w->spill, &p->item, p->n, &p->cap, sizeof(*p->item)))
		return false;
	p->item[p->n++] = x;
	return true;
}

/* Backward along its spans, then the other way round. */
static bool add_pieces(struct pieces *p, const struct requests *r, const struct kernel_host *h,
	const struct blocked_wait *w, uint32_t wait)
{
	size_t from = p->n;
	int64_t end = w->end;
	for (uint32_t i = w->span; i != KERNEL_NONE && kernel_span(h, i)->begin >= w->begin;
		i = kernel_span(h, i)->before) {
		const struct kernel_span *s = kernel_span(h, i);
		const struct kernel_span *whole = kernel_span(h, kernel_wait_end(h, i));
		if (s->state == KERNEL_BLOCKED && is_of_kind(h, s->call, path_cause_of(whole)) &&
			!add_piece(p, r, (struct piece){ s->begin, end, i, wait }))
			return false;
		end = s->begin;
	}
	for (size_t a = from, z = p->n; a + 1 < z; a++) {
		struct piece swap = p->item[a];
		p->item[a] = p->item[--z];
		p->item[z] = swap;
	}
	return true;
}

static bool add_wait(struct pieces *p, const struct requests *r, const struct kernel_host *h,
	const struct blocked_wait *w, uint32_t wait)
{
	if (!w->is_one_span || w->whole != w->span)
		return add_pieces(p, r, h, w, wait);
	struct kernel_span as = { .state = KERNEL_BLOCKED, .cause = w->cause };
	return !is_of_kind(h, w->call, path_cause_of(&as)) ||
	       add_piece(p, r, (struct piece){ w->begin, w->end, w->span, wait });
}

static bool find_pieces(struct requests_path_waits *w, uint32_t host, uint8_t *asked)
{
	const struct kernel_host *h = &w->r->w->hosts[host];
	const struct blocked_host *waits = &w->b->hosts[host];
	struct pieces *p = &w->hosts[host];
	p->is_found = asked;
	p->first = calloc((size_t)h->n_tasks + 1, sizeof(*p->first));
	bool ok = p->first != NULL;
	for (uint32_t t = 0; ok && t < h->n_tasks; t++) {
		p->first[t] = p->n;
		for (size_t i = waits->first[t]; ok && asked && i < waits->first[t + 1]; i++) {
			if (asked[i])
				ok = add_wait(p, w->r, h, &waits->waits[i], (uint32_t)i);
			asked[i] = 0;
		}
	}
	if (ok)
		p->first[h->n_tasks] = p->n;
	return ok;
}

/* The first piece of a task that ends after a time; the end of its pieces: there is none. */
static size_t first_after(const struct pieces *p, uint32_t task, int64_t time)
{
	MER_LOWER_BOUND(i, p->first[task], p->first[task + 1], k, p->item[k].end <= time);
	return i;
}

/* ---- where it may be ---- */

static bool has_any(const struct pieces *p, uint32_t task, const struct requests_exchange *x)
{
	if (task == KERNEL_NONE)
		return false;
	size_t i = first_after(p, task, x->begin);
	return i < p->first[task + 1] && p->item[i].begin < x->end;
}

/* The waits of tasks that serve it, or serve what was sent for it. */
static void find_exchanges(struct requests_path_waits *w)
{
	const struct requests *r = w->r;
	for (uint32_t i = 0; i < r->n_found; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		const struct requests_end *e = &requests_connection_of(r, i)->ends[REQUESTS_SERVER];
		if (x->reader == KERNEL_NONE && x->server_task == KERNEL_NONE)
			continue;
		const struct pieces *p = &w->hosts[e->host];
		if (!has_any(p, x->reader, x) && !has_any(p, x->server_task, x))
			continue;
		for (uint32_t at = i + 1; at && !w->may_have[at - 1];
			at = requests_found_parent(r, at - 1)) {
			const struct requests_exchange *up = &r->exchanges[at - 1];
			w->may_have[at - 1] = 1;
			w->begin = up->begin < w->begin ? up->begin : w->begin;
			w->end = up->end > w->end ? up->end : w->end;
		}
	}
}

bool requests_path_waits_may_have(const struct requests_path_waits *w, uint32_t exchange)
{
	return w->may_have[exchange];
}

/* ---- where it is ---- */

const struct blocked_host *requests_path_waits_of(
	const struct requests_path_waits *w, uint32_t host)
{
	return &w->b->hosts[host];
}

void requests_path_waits_mark_task(
	struct requests_path_waits *w, uint32_t host, uint32_t task, int64_t begin, int64_t end)
{
	struct pieces *p = &w->hosts[host];
	for (size_t i = first_after(p, task, begin);
		i < p->first[task + 1] && p->item[i].begin < end; i++)
		p->is_found[p->item[i].wait] = 1;
}

void requests_path_waits_mark(
	struct requests_path_waits *w, const struct requests_part *p, int64_t begin, int64_t end)
{
	/* What a helper did meanwhile stands for the wait that this ended. */
	uint32_t span = p->wait != KERNEL_NONE ? p->wait : p->span;
	if (span == KERNEL_NONE || p->kind == REQUESTS_QUEUED || p->kind == REQUESTS_REQUESTER)
		return;
	struct pieces *of = &w->hosts[p->host];
	uint32_t task = kernel_span(&w->r->w->hosts[p->host], span)->task;
	for (size_t i = first_after(of, task, begin);
		i < of->first[task + 1] && of->item[i].begin < end; i++)
		if (of->item[i].span == span)
			of->is_found[of->item[i].wait] = 1;
}

int requests_path_waits_find(const struct requests *r, const struct blocked *b,
	uint8_t *const *asked, struct mer_err *err)
{
	struct requests_path_waits w = { .r = r, .b = b, .begin = INT64_MAX, .end = INT64_MIN };
	struct requests_parts_finder *finder = NULL;
	size_t n = 0;
	w.hosts = calloc((size_t)r->w->n_hosts + 1, sizeof(*w.hosts));
	w.may_have = mer_spill_array(r->w->spill, (size_t)r->n_found + 1, 1);
	bool ok = w.hosts && w.may_have;
	for (uint32_t h = 0; ok && h < r->w->n_hosts; h++) {
		ok = find_pieces(&w, h, asked[h]);
		n += w.hosts[h].n;
	}
	int rc = ok ? 0 : mer_fail_nomem(err);
	if (rc == 0 && n) {
		find_exchanges(&w);
		rc = requests_parts_waits_finder_new(r, w.begin, w.end, &finder, err);
	}
	/* Those below are in it. */
	for (uint32_t i = 0; finder && rc == 0 && i < r->n_found; i++)
		if (w.may_have[i] && !requests_found_parent(r, i))
			rc = requests_parts_waits(finder, i, &w, err);
	requests_parts_finder_free(finder);
	for (uint32_t h = 0; w.hosts && h < r->w->n_hosts; h++) {
		mer_spill_release(w.hosts[h].item);
		free(w.hosts[h].first);
	}
	free(w.hosts);
	mer_spill_release(w.may_have);
	return rc;
}
