#include "session/instant.h"

#include <stdlib.h>
#include <string.h>
#include "analysis/analysis.h"
#include "base/err.h"
#include "kernel/losses.h"
#include "kernel/vm/guests.h"
#include "path/account_index.h"

/* ---- Tasks ---- */

static int by_place(const void *a, const void *b)
{
	const struct session_instant_task *p = a, *q = b;
	return p->host != q->host ? (p->host < q->host ? -1 : 1)
				  : (p->task > q->task) - (p->task < q->task);
}

/* The task that ended the wait, on whichever host; or the task that has the CPU. */
static struct kernel_waker waker_of(const struct kernel_world *w, uint32_t host, uint32_t span)
{
	const struct kernel_host *h = &w->hosts[host];
	const struct kernel_span *s = kernel_span(h, span);
	bool waits = !kernel_is_on_cpu((enum kernel_state)s->state);
	struct kernel_waker by = { .host = KERNEL_NONE };
	uint32_t last = waits ? kernel_wait_end(h, span) : span;
	if (waits && s->state != KERNEL_RUNNABLE &&
		account_find_waker(w, host, last, INT64_MAX, &by))
		return by;
	uint32_t holder = kernel_span(h, last)->by;
	by.host = KERNEL_NONE;
	if ((waits || kernel_is_spin(s)) && holder != KERNEL_NONE && holder < h->n_spans)
		by = (struct kernel_waker){ host, kernel_span(h, holder)->task, holder,
			kernel_span(h, holder)->begin };
	return by;
}

static int add_tasks(const struct session_world *w, const struct session_selection *s,
	struct mer_arena *arena, struct session_instant *to, struct mer_err *err)
{
	const struct session_window moment = { to->at, to->at + 1 };
	struct session_tasks tasks;
	int rc = session_tasks_find(w, s, &moment, arena, &tasks, err);
	if (rc)
		return rc;
	to->tasks = mer_arena_zalloc(arena, tasks.n + 1, sizeof(*to->tasks));
	if (!to->tasks)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < tasks.n; i++) {
		uint32_t host = tasks.item[i].host, task = tasks.item[i].task;
		const struct kernel_host *h = &w->world->hosts[host];
		uint32_t span = kernel_span_at(h, task, to->at, KERNEL_NONE);
		struct session_instant_task *t = &to->tasks[to->n_tasks++];
		*t = (struct session_instant_task){ host, task, span, { .host = KERNEL_NONE } };
		if (span == KERNEL_NONE)
			continue;
		t->by = waker_of(w->world, host, span);
	}
	if (to->n_tasks)
		qsort(to->tasks, to->n_tasks, sizeof(*to->tasks), by_place);
	return kernel_world_go_on(w->world, err);
}

/* ---- CPUs ---- */

static int by_cpu(const void *a, const void *b)
{
	const struct session_instant_cpu *p = a, *q = b;
	return p->host != q->host ? (p->host < q->host ? -1 : 1) : (int)p->cpu - (int)q->cpu;
}

/* Hosts are recorded at different times: before and after nothing is known. */
static bool is_recorded(const struct kernel_host *h, int64_t at)
{
	return h->begin <= at && at <= h->end;
}

static uint32_t absence_of(const struct kernel_host *h, uint16_t cpu, int64_t at)
{
	return h->guest ? kernel_guest_ready(h->guest, KERNEL_NONE, cpu, at, at + 1).absence
			: KERNEL_NONE;
}

static int add_cpus(const struct session_world *w, const struct session_selection *s,
	struct mer_arena *arena, struct session_instant *to, struct mer_err *err)
{
	size_t room = w->e->n_streams;
	for (uint32_t h = 0; h < w->e->n_hosts; h++)
		room += w->world->hosts[h].cpus.n;
	to->cpus = mer_arena_zalloc(arena, room + 1, sizeof(*to->cpus));
	if (!to->cpus)
		return mer_fail_nomem(err);
	for (uint32_t h = 0; h < w->e->n_hosts; h++) {
		const struct kernel_host *host = &w->world->hosts[h];
		struct kernel_losses losses;
		uint32_t at = 0;
		uint16_t cpu;
		if (!session_selects_host(s, session_task_host(w, h)))
			continue;
		int rc = kernel_losses_of_headers(w->e, h, &losses, err);
		while (rc == 0 && analysis_next_cpu_of(w->e, host, h, &at, &cpu))
			if (!s->cpus.n || session_ranges_contain(&s->cpus, cpu))
				to->cpus[to->n_cpus++] =
					(struct session_instant_cpu){ h, cpu, SIZE_MAX,
						!is_recorded(host, to->at) ||
							kernel_lost_at(&losses, cpu, to->at, NULL),
						absence_of(host, cpu, to->at) };
		kernel_losses_fini(&losses);
		if (rc)
			return rc;
	}
	if (to->n_cpus)
		qsort(to->cpus, to->n_cpus, sizeof(*to->cpus), by_cpu);
	size_t n = 0; /* several streams may be of one CPU */
	for (size_t i = 0; i < to->n_cpus; i++)
		if (!n || by_cpu(&to->cpus[n - 1], &to->cpus[i]) != 0)
			to->cpus[n++] = to->cpus[i];
	to->n_cpus = n;
	for (size_t i = 0; i < to->n_tasks; i++) {
		const struct session_instant_task *t = &to->tasks[i];
		const struct kernel_span *k =
			t->span == KERNEL_NONE ? NULL
					       : kernel_span(&w->world->hosts[t->host], t->span);
		if (!k || !kernel_is_on_cpu((enum kernel_state)k->state))
			continue;
		struct session_instant_cpu key = { .host = t->host, .cpu = k->cpu };
		struct session_instant_cpu *c =
			n ? bsearch(&key, to->cpus, n, sizeof(*to->cpus), by_cpu) : NULL;
		if (c)
			c->task = i;
	}
	return 0;
}

/* ---- Disks and messages ---- */

static struct session_instant_disk *disk_of(
	struct session_instant *to, size_t from, uint32_t host, uint32_t dev)
{
	for (size_t i = from; i < to->n_disks; i++)
		if (to->disks[i].dev == dev)
			return &to->disks[i];
	struct session_instant_disk *d = &to->disks[to->n_disks++];
	*d = (struct session_instant_disk){ .host = host, .dev = dev, .oldest = INT64_MAX };
	return d;
}

static int by_disk(const void *a, const void *b)
{
	const struct session_instant_disk *p = a, *q = b;
	return p->host != q->host ? (p->host < q->host ? -1 : 1)
				  : (p->dev > q->dev) - (p->dev < q->dev);
}

enum { MAX_DISKS = 256 }; /* of a host; of more, requests are not counted */

static int add_disks(const struct session_world *w, const struct session_selection *s,
	struct mer_arena *arena, struct session_instant *to, struct mer_err *err)
{
	size_t most = (size_t)w->e->n_hosts * MAX_DISKS;
	to->disks = mer_arena_zalloc(arena, most + 1, sizeof(*to->disks));
	if (!to->disks)
		return mer_fail_nomem(err);
	for (uint32_t host = 0; host < w->e->n_hosts; host++) {
		const struct kernel_host *h = &w->world->hosts[host];
		size_t from = to->n_disks;
		if (!session_selects_host(s, session_task_host(w, host)))
			continue;
		for (uint32_t i = 0; i < h->n_requests; i++) {
			const struct kernel_request *r = kernel_request_at(h, i);
			int64_t begin = r->insert != INT64_MIN ? r->insert : r->issue;
			bool is_issued = r->issue != INT64_MIN && r->issue <= to->at;
			bool is_done = r->complete != INT64_MIN && r->complete <= to->at;
			if (begin == INT64_MIN || begin > to->at || is_done ||
				r->flags & KERNEL_MERGED || to->n_disks - from == MAX_DISKS)
				continue;
			struct session_instant_disk *d = disk_of(to, from, host, r->dev);
			++*(is_issued ? &d->in_service : &d->queued);
			d->oldest = begin < d->oldest ? begin : d->oldest;
		}
		if (to->n_disks > from)
			qsort(to->disks + from, to->n_disks - from, sizeof(*to->disks), by_disk);
	}
	return 0;
}

static int add_flights(const struct session_world *w, const struct session_selection *s,
	struct mer_arena *arena, struct session_instant *to, struct mer_err *err)
{
	size_t n = w->e->n_hosts;
	struct session_instant_flight *all = mer_arena_zalloc(arena, n * n + 1, sizeof(*all));
	if (!all)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < w->world->n_bridges; i++) {
		const struct kernel_bridge *b = &w->world->bridges[i];
		if (b->from.time > to->at || b->to.time <= to->at)
			continue;
		struct session_instant_flight *f = &all[b->from.host * n + b->to.host];
		f->oldest = f->n++ && f->oldest < b->from.time ? f->oldest : b->from.time;
	}
	to->flights = all;
	for (size_t i = 0; i < n * n; i++) {
		uint32_t from = (uint32_t)(i / n), dest = (uint32_t)(i % n);
		struct session_instant_flight f = all[i];
		if (!f.n || !(session_selects_host(s, session_task_host(w, from)) ||
				    session_selects_host(s, session_task_host(w, dest))))
			continue;
		f.from = from;
		f.to = dest;
		to->flights[to->n_flights++] = f;
	}
	return 0;
}

int session_instant_find(const struct session_world *w, int64_t at,
	const struct session_selection *s, struct mer_arena *arena, struct session_instant *to,
	struct mer_err *err)
{
	*to = (struct session_instant){ .at = at };
	int rc = add_tasks(w, s, arena, to, err);
	if (rc == 0)
		rc = add_cpus(w, s, arena, to, err);
	if (rc == 0)
		rc = add_disks(w, s, arena, to, err);
	return rc ? rc : add_flights(w, s, arena, to, err);
}
