#include "path/usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "base/sort.h"
#include "kernel/events.h"
#include "kernel/files/files.h"
#include "kernel/io_op.h"

enum source { FROM_PAGES, FROM_FAULTS, FROM_CALLS, FROM_REQUESTS, FROM_PACKETS, N_SOURCES };

struct entry { /* as it came */
	int64_t time, amount;
	uint32_t task;
	uint8_t kind;
};

struct usage_host {
	struct mer_spill *spill; /* of entries and points */
	struct entry *entries;	 /* until it is settled */
	size_t n, cap;
	struct usage_point *points;
	size_t *first;	  /* in points, by task, then kind, and the end */
	uint32_t n_tasks; /* settled */
	bool seen[N_SOURCES];
};

struct usage {
	struct usage_host *hosts;
	struct kernel_observer *observers;
	uint32_t n_hosts;
};

static enum source source_of(enum usage_kind kind)
{
	static const uint8_t sources[USAGE_N_KINDS] = {
		[USAGE_PAGES_ALLOCATED] = FROM_PAGES,
		[USAGE_PAGES_FREED] = FROM_PAGES,
		[USAGE_FAULTS] = FROM_FAULTS,
		[USAGE_FILES_READ] = FROM_CALLS,
		[USAGE_FILES_WRITTEN] = FROM_CALLS,
		[USAGE_BLOCK_READ] = FROM_REQUESTS,
		[USAGE_BLOCK_WRITTEN] = FROM_REQUESTS,
		[USAGE_REQUESTS] = FROM_REQUESTS,
		[USAGE_SOCKETS_RECEIVED] = FROM_CALLS,
		[USAGE_SOCKETS_SENT] = FROM_CALLS,
		[USAGE_PACKETS_RECEIVED] = FROM_PACKETS,
		[USAGE_PACKETS_SENT] = FROM_PACKETS,
	};
	return (enum source)sources[kind];
}

/* ---- while the world is built ---- */

static int add(
	struct usage_host *u, uint32_t task, enum usage_kind kind, int64_t time, int64_t amount)
{
	u->seen[source_of(kind)] = true;
	if (task == KERNEL_NONE || amount == 0)
		return 0;
	if (!mer_spill_grow(u->spill, &u->entries, u->n, &u->cap, sizeof(*u->entries)))
		return MER_ERR_NOMEM;
	u->entries[u->n++] = (struct entry){ time, amount, task, (uint8_t)kind };
	return 0;
}

static int on_event(void *ctx, const struct kernel_host *h, const struct kernel_told_event *e)
{
	(void)h;
	switch (e->kind) {
	case KERNEL_EV_PAGE_ALLOC:
		return add(
			ctx, e->task, USAGE_PAGES_ALLOCATED, e->time, kernel_page_bytes(e->slots));
	case KERNEL_EV_PAGE_FREE:
		return add(ctx, e->task, USAGE_PAGES_FREED, e->time, kernel_page_bytes(e->slots));
	default: return add(ctx, e->task, USAGE_FAULTS, e->time, 1);
	}
}

static int on_packet(void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p)
{
	(void)h;
	return add(ctx, p->in_interrupt ? KERNEL_NONE : p->task,
		p->is_send ? USAGE_PACKETS_SENT : USAGE_PACKETS_RECEIVED, p->time, 1);
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct usage_host *u = ctx;
	const struct kernel_call *call = &h->calls[c->call];
	bool is_file = call->kind == KERNEL_OBJECT_FILE;
	u->seen[FROM_CALLS] = true;
	if (c->ret <= 0 || (!is_file && call->kind != KERNEL_OBJECT_SOCKET))
		return 0;
	uint32_t classes = kernel_call_classes(call->id);
	int64_t bytes = (int64_t)io_bytes_of(classes, c->ret);
	if (classes & KERNEL_CALLS_READ)
		return add(u, c->task, is_file ? USAGE_FILES_READ : USAGE_SOCKETS_RECEIVED, c->end,
			bytes);
	return add(u, c->task, is_file ? USAGE_FILES_WRITTEN : USAGE_SOCKETS_SENT, c->begin, bytes);
}

/* ---- afterwards ---- */

static int add_requests(struct usage_host *u, const struct kernel_host *h)
{
	int rc = 0;
	for (uint32_t i = 0; i < h->n_requests && !rc; i++) {
		const struct kernel_request *r = kernel_request_at(h, i);
		int64_t made = r->insert != INT64_MIN ? r->insert : r->issue;
		bool writes = r->flags & KERNEL_WRITE;
		if (r->flags & KERNEL_MERGED) /* the other one has its bytes */
			continue;
		rc = add(u, r->task, USAGE_REQUESTS, made, 1);
		if (!rc && !(r->flags & KERNEL_DISCARD))
			rc = add(u, r->task, writes ? USAGE_BLOCK_WRITTEN : USAGE_BLOCK_READ, made,
				r->bytes);
	}
	return rc;
}

static int compare_points(const void *a, const void *b)
{
	const struct usage_point *p = a, *q = b;
	return p->time < q->time ? -1 : p->time > q->time;
}

/* In order of time, and from amounts to their sums. */
static bool sum_up(struct mer_spill *spill, struct usage_point *p, size_t n)
{
	if (!mer_sort(spill, p, n, sizeof(*p), compare_points))
		return false;
	for (size_t i = 1; i < n; i++)
		p[i].sum = (int64_t)((uint64_t)p[i - 1].sum + (uint64_t)p[i].sum);
	return true;
}

static size_t slot_of(uint32_t task, enum usage_kind kind)
{
	return (size_t)task * USAGE_N_KINDS + kind;
}

static int settle_host(struct usage_host *u, const struct kernel_host *h, struct mer_err *err)
{
	size_t n = slot_of(h->n_tasks, (enum usage_kind)0);
	if (add_requests(u, h))
		return mer_fail_nomem(err);
	u->first = mer_spill_array(u->spill, n + 2, sizeof(*u->first));
	u->points = mer_spill_array(u->spill, u->n + 1, sizeof(*u->points));
	if (!u->first || !u->points)
		return mer_fail_nomem(err);
	u->n_tasks = h->n_tasks;
	/* Counted one behind, so that filling moves each to where it begins. */
	size_t *next = u->first + 1;
	for (size_t i = 0; i < u->n; i++)
		next[slot_of(u->entries[i].task, (enum usage_kind)u->entries[i].kind) + 1]++;
	for (size_t i = 0; i < n; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < u->n; i++) {
		const struct entry *e = &u->entries[i];
		u->points[next[slot_of(e->task, (enum usage_kind)e->kind)]++] =
			(struct usage_point){ e->time, e->amount };
	}
	for (size_t i = 0; i < n; i++)
		if (!sum_up(u->spill, u->points + u->first[i], u->first[i + 1] - u->first[i]))
			return mer_fail_nomem(err);
	mer_spill_release(u->entries);
	u->entries = NULL;
	u->n = u->cap = 0;
	return 0;
}

int usage_settle(struct usage *u, const struct kernel_world *w, struct mer_err *err)
{
	int rc = 0;
	for (uint32_t i = 0; i < u->n_hosts && i < w->n_hosts && !rc; i++)
		rc = settle_host(&u->hosts[i], &w->hosts[i], err);
	return rc;
}

int usage_new(uint32_t n_hosts, struct mer_spill *spill, struct usage **made, struct mer_err *err)
{
	struct usage *u = *made = calloc(1, sizeof(*u));
	if (!u)
		return mer_fail_nomem(err);
	u->hosts = calloc((size_t)n_hosts + 1, sizeof(*u->hosts));
	u->observers = calloc((size_t)n_hosts + 1, sizeof(*u->observers));
	if (!u->hosts || !u->observers)
		return mer_fail_nomem(err);
	u->n_hosts = n_hosts;
	for (uint32_t i = 0; i < n_hosts; i++) {
		u->hosts[i].spill = spill;
		u->observers[i] = (struct kernel_observer){ .ctx = &u->hosts[i],
			.wants = KERNEL_WANT_MERGES | KERNEL_WANT_EVENT(PAGE_ALLOC) |
				 KERNEL_WANT_EVENT(PAGE_FREE) | KERNEL_WANT_EVENT(FAULT_USER) |
				 KERNEL_WANT_EVENT(FAULT_KERNEL),
			.call = on_call,
			.packet = on_packet,
			.event = on_event };
	}
	return 0;
}

const struct kernel_observer *usage_observers(struct usage *u)
{
	return u->observers;
}

struct usage_sums usage_sums(const struct usage *u, uint32_t host)
{
	const struct usage_host *h = &u->hosts[host];
	struct usage_sums sums = { .points = h->points, .first = h->first, .n_tasks = h->n_tasks };
	for (unsigned i = 0; i < N_SOURCES; i++)
		sums.seen |= (uint32_t)h->seen[i] << i;
	return sums;
}

void usage_restore(struct usage *u, uint32_t host, const struct usage_sums *sums)
{
	struct usage_host *h = &u->hosts[host];
	h->points = sums->points;
	h->first = sums->first;
	h->n_tasks = sums->n_tasks;
	for (unsigned i = 0; i < N_SOURCES; i++)
		h->seen[i] = sums->seen >> i & 1;
}

void usage_free(struct usage *u)
{
	for (uint32_t i = 0; u && i < u->n_hosts; i++) {
		mer_spill_release(u->hosts[i].entries);
		mer_spill_release(u->hosts[i].points);
		mer_spill_release(u->hosts[i].first);
	}
	if (u) {
		free(u->hosts);
		free(u->observers);
	}
	free(u);
}

/* ---- asked for ---- */

/* How many of the first n points are not after t. */
static size_t up_to(const struct usage_point *p, size_t n, int64_t t)
{
	MER_LOWER_BOUND(low, 0, n, at, p[at].time <= t);
	return low;
}

int64_t usage_of(const struct usage *u, uint32_t host, uint32_t task, enum usage_kind kind,
	int64_t after, int64_t until)
{
	const struct usage_host *h = &u->hosts[host];
	if (until <= after || task >= h->n_tasks)
		return 0;
	size_t slot = slot_of(task, kind), n = h->first[slot + 1] - h->first[slot];
	const struct usage_point *p = h->points + h->first[slot];
	size_t last = n ? up_to(p, n, until) : 0, first = last ? up_to(p, last, after) : 0;
	int64_t sum = last ? p[last - 1].sum : 0, before = first ? p[first - 1].sum : 0;
	return (int64_t)((uint64_t)sum - (uint64_t)before);
}

bool usage_is_recorded(const struct usage *u, uint32_t host, enum usage_kind kind)
{
	return u->hosts[host].seen[source_of(kind)];
}
