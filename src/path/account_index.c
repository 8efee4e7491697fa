#include "path/account_index.h"
#include "base/grow.h"
#include "base/lower_bound.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "kernel/vm/relays.h"

enum {
	LOOK_BACK = 64 /* waits, for the one in which a server got its work */
};

/* ---- Who ended a wait ---- */

static bool is_wait(const struct kernel_span *s)
{
	return s->state == KERNEL_BLOCKED || s->state == KERNEL_STOPPED;
}

/* Who served the request for which a task of a guest waits; NULL: nobody of its hypervisor that is
 * known. */
static const struct kernel_relay *relay_of(const struct kernel_host *h, const struct kernel_span *s)
{
	bool may_be = h->guest && s->cause == KERNEL_DISK && s->source != KERNEL_NONE;
	const struct kernel_relay *r = may_be ? kernel_relay_of(h->guest, s->source) : NULL;
	return r && r->by != KERNEL_NONE ? r : NULL;
}

bool account_find_waker(const struct kernel_world *w, uint32_t host, uint32_t span, int64_t end,
	struct kernel_waker *by)
{
	uint32_t whole = kernel_wait_end(&w->hosts[host], span);
	const struct kernel_span *s = kernel_span(&w->hosts[host], whole);
	/* Of a piece: whoever ended the whole did so later than this. */
	by->asked = whole == span ? end : INT64_MAX;
	const struct kernel_relay *relay = relay_of(&w->hosts[host], s);
	if (relay) {
		by->host = w->hosts[host].guest->hypervisor;
		by->span = relay->by;
		by->task = kernel_span(&w->hosts[by->host], relay->by)->task;
		by->asked = relay->sent;
	} else if (s->cause == KERNEL_NETWORK && s->source != KERNEL_NONE) {
		if (!kernel_bridge_origin(w, host, s->source, by))
			return false;
	} else if (s->by == KERNEL_NONE) {
		return false;
	} else {
		by->host = host;
		by->span = s->by;
		by->task = kernel_span(&w->hosts[host], s->by)->task;
	}
	if (by->asked > end)
		by->asked = end;
	return true;
}

int64_t account_since(const struct kernel_world *w, uint32_t host, uint32_t span, int64_t begin)
{
	const struct kernel_host *h = &w->hosts[host];
	const struct kernel_span *s = kernel_span(h, span);
	if (!relay_of(h, s))
		return begin;
	const struct kernel_request *r = kernel_request_at(h, s->source);
	int64_t issued = r->issue != INT64_MIN ? r->issue : r->insert;
	return issued > begin ? issued : begin;
}

const struct blocked_wait *account_wait(
	const struct blocked *b, uint32_t host, uint32_t span, int64_t end)
{
	const struct kernel_span *s = kernel_span(&b->world->hosts[host], span);
	const struct blocked_wait *w = blocked_before(b, host, s->task, s->begin + 1);
	return w && w->end >= end ? w : NULL;
}

/* ---- Waits by the task that ended them ---- */

int account_compare_ended(const void *a, const void *b)
{
	const struct account_ended *p = a, *q = b;
	if (p->asked != q->asked)
		return p->asked < q->asked ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return p->span < q->span ? -1 : p->span > q->span;
}

/* A server may run before its client has blocked. The client's wait is then charged from the
 * moment of the request. */
static int64_t early_begin(const struct blocked *b, uint32_t host, uint32_t task, int64_t begin,
	const struct kernel_waker *by)
{
	const struct blocked_host *h = &b->hosts[by->host];
	const struct blocked_wait *w = blocked_before(b, by->host, by->task, by->asked);
	const struct blocked_wait *first = &h->waits[h->first[by->task]];
	for (int i = 0; w && w >= first && i < LOOK_BACK; i++, w--) {
		if (w->end > by->asked || !w->is_for_work)
			continue;
		return w->by_host == host && w->by_task == task && w->end < begin ? w->end : begin;
	}
	return begin;
}

/* Counts the wait by who ended it, or, when counts is NULL, adds it to x->ended. */
static void scan_wait(
	struct account_index *x, uint32_t host, uint32_t span, int64_t end, size_t *counts)
{
	const struct blocked *b = x->b;
	const struct kernel_span *s = kernel_span(&b->world->hosts[host], span);
	struct kernel_waker by;
	if (!is_wait(s) || s->begin >= end || !account_find_waker(b->world, host, span, end, &by) ||
		by.asked <= s->begin)
		return;
	size_t waker = account_task_number(b, by.host, by.task);
	if (counts) {
		counts[waker + 1]++;
		return;
	}
	const struct blocked_wait *w = account_wait(b, host, span, end);
	x->ended[x->first[waker]++] = (struct account_ended){ .asked = by.asked,
		.begin = account_since(
			b->world, host, span, early_begin(b, host, s->task, s->begin, &by)),
		.host = host,
		.task = s->task,
		.span = span,
		.for_work = w && w->is_for_work,
		.is_claim = w && w->is_answer };
}

/* A task's spans have rising numbers. All from the last one back, whosever they are, so that memory
 * is gone through in order. */
static int scan(struct account_index *x, size_t *counts, struct mer_err *err)
{
	for (uint32_t i = 0; i < x->b->world->n_hosts; i++) {
		const struct kernel_host *h = &x->b->world->hosts[i];
		int64_t *ends = calloc((size_t)h->n_tasks + 1, sizeof(*ends)); /* by task */
		if (!ends)
			return mer_fail_nomem(err);
		for (uint32_t t = 0; t < h->n_tasks; t++)
			ends[t] = kernel_task_end(h, t);
		for (uint32_t k = h->n_spans; k-- > 0;) {
			const struct kernel_span *s = kernel_span(h, k);
			scan_wait(x, i, k, ends[s->task], counts);
			ends[s->task] = s->begin;
		}
		free(ends);
	}
	return 0;
}

static void find_earliest(struct account_ended *ended, size_t n)
{
	int64_t earliest = INT64_MAX;
	while (n-- > 0) {
		if (ended[n].is_claim && ended[n].begin < earliest)
			earliest = ended[n].begin;
		ended[n].earliest = earliest;
	}
}

static void find_work_before(struct account_ended *ended, size_t n)
{
	int64_t work = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		ended[i].work_before = work;
		if (ended[i].for_work)
			work = ended[i].asked;
	}
}

/* They come from the last one back. False: no memory. */
static bool put_in_order(struct mer_spill *spill, struct account_ended *ended, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct account_ended later = ended[i];
		ended[i] = ended[n - 1 - i];
		ended[n - 1 - i] = later;
	}
	if (!mer_sort(spill, ended, n, sizeof(*ended), account_compare_ended))
		return false;
	find_work_before(ended, n);
	find_earliest(ended, n);
	return true;
}

static int collect(struct account_index *x, struct mer_err *err)
{
	struct mer_spill *spill = x->b->world->spill;
	size_t n = 0;
	for (uint32_t i = 0; i < x->b->world->n_hosts; i++)
		n += x->b->world->hosts[i].n_tasks;
	x->first = calloc(n + 1, sizeof(*x->first));
	if (!x->first)
		return mer_fail_nomem(err);
	int rc = scan(x, x->first, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		x->first[i + 1] += x->first[i];
	x->ended = mer_spill_array(spill, x->first[n] + 1, sizeof(*x->ended));
	if (!x->ended)
		return mer_fail_nomem(err);
	rc = scan(x, NULL, err);
	if (rc)
		return rc;
	/* Filling has moved each to where the next one begins. */
	memmove(x->first + 1, x->first, n * sizeof(*x->first));
	x->first[0] = 0;
	for (size_t i = 0; i < n && !rc; i++)
		if (!put_in_order(spill, x->ended + x->first[i], x->first[i + 1] - x->first[i]))
			rc = mer_fail_nomem(err);
	return rc;
}

size_t account_position(const struct account_index *x, const struct kernel_waker *by, uint32_t host,
	uint32_t span, bool *found)
{
	size_t number = account_task_number(x->b, by->host, by->task);
	struct account_ended key = { .asked = by->asked, .host = host, .span = span };
	MER_LOWER_BOUND(low, x->first[number], x->first[number + 1], at,
		account_compare_ended(&x->ended[at], &key) < 0);
	*found = low < x->first[number + 1] && x->ended[low].span == key.span &&
		 x->ended[low].host == host;
	return low;
}

int account_index_new(const struct blocked *b, const struct usage *u, struct account_index **x,
	struct mer_err *err)
{
	*x = calloc(1, sizeof(**x));
	if (!*x)
		return mer_fail_nomem(err);
	(*x)->b = b;
	(*x)->u = u;
	int rc = collect(*x, err);
	if (rc) {
		account_index_free(*x);
		*x = NULL;
	}
	return rc;
}

void account_index_free(struct account_index *x)
{
	if (!x)
		return;
	mer_spill_release(x->ended);
	free(x->first);
	free(x);
}

/* ---- Nodes, which both computations make ---- */

uint32_t account_child(struct account *a, uint32_t parent, uint32_t host, uint32_t task)
{
	uint32_t key[3] = { parent, host, task };
	uint32_t *v = mer_map_put(&a->map, mer_hash(key, sizeof(key)));
	if (!v)
		return KERNEL_NONE;
	if (*v)
		return *v - 1;
	if (!mer_grow32(&a->nodes, a->n, &a->cap, sizeof(*a->nodes)))
		return KERNEL_NONE;
	struct account_node *n = &a->nodes[a->n];
	*n = (struct account_node){ .parent = parent,
		.child = KERNEL_NONE,
		.next = KERNEL_NONE,
		.host = host,
		.task = task };
	if (parent != KERNEL_NONE) {
		n->depth = a->nodes[parent].depth + 1;
		n->next = a->nodes[parent].child;
		a->nodes[parent].child = a->n;
	}
	*v = ++a->n;
	return a->n - 1;
}

struct order {
	int64_t total;
	uint32_t node;
};

static int greatest_first(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

int account_finish(struct account *a, struct mer_err *err)
{
	struct order *o = calloc((size_t)a->n + 1, sizeof(*o));
	if (!o)
		return mer_fail_nomem(err);
	for (uint32_t i = a->n; i-- > 1;) { /* children are behind their parents */
		const struct account_node *n = &a->nodes[i];
		struct account_node *parent = &a->nodes[n->parent];
		parent->children_ns += n->self_ns + n->children_ns;
		for (unsigned k = 0; k < USAGE_N_KINDS; k++)
			parent->children_used[k] += n->used[k] + n->children_used[k];
	}
	for (uint32_t i = 0; i < a->n; i++) {
		size_t n = 0;
		for (uint32_t c = a->nodes[i].child; c != KERNEL_NONE; c = a->nodes[c].next)
			o[n++] = (struct order){ a->nodes[c].self_ns + a->nodes[c].children_ns, c };
		qsort(o, n, sizeof(*o), greatest_first);
		for (size_t k = 0; k < n; k++)
			a->nodes[o[k].node].next = k + 1 < n ? o[k + 1].node : KERNEL_NONE;
		if (n)
			a->nodes[i].child = o[0].node;
	}
	free(o);
	return 0;
}

void account_fini(struct account *a)
{
	free(a->nodes);
	mer_map_fini(&a->map);
	a->nodes = NULL;
	a->n = a->cap = 0;
}
