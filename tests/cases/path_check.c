#include "path_check.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Where a check fails: of which path, and what. */
#define CHECK(p, i, is_so)                                                                         \
	do {                                                                                       \
		if (!(is_so))                                                                      \
			fail_msg("path of task %d of host %u, segment or link %zu: not %s",        \
				(int)(p)->world->hosts[(p)->host].tasks[(p)->task].tid, (p)->host, \
				(size_t)(i), #is_so);                                              \
	} while (0)

static int64_t end_of_span(const struct kernel_host *h, uint32_t span)
{
	uint32_t task = kernel_span(h, span)->task, next = KERNEL_NONE;
	for (uint32_t i = h->tasks[task].last; i != span; i = kernel_span(h, i)->before)
		next = i;
	return next == KERNEL_NONE ? h->tasks[task].end : kernel_span(h, next)->begin;
}

static void check_segments(const struct path *p)
{
	int64_t by_cause[PATH_N_CAUSES] = { 0 }, in_flight = 0, unexplained = 0, t = p->begin;
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		CHECK(p, i, s->begin == t);
		CHECK(p, i, s->end > s->begin);
		CHECK(p, i, s->host < p->world->n_hosts);
		CHECK(p, i, s->cause < PATH_N_CAUSES);
		CHECK(p, i, !s->in_flight || s->cause == PATH_NETWORK);
		CHECK(p, i, !s->in_flight || s->source < p->world->n_bridges);
		const struct kernel_host *h = &p->world->hosts[s->host];
		CHECK(p, i, s->task == KERNEL_NONE || s->task < h->n_tasks);
		CHECK(p, i, s->call == KERNEL_NONE || s->call < h->n_calls);
		if (s->depth == 0 && s->task != KERNEL_NONE)
			CHECK(p, i, s->host == p->host && s->task == p->task);
		if (s->span != KERNEL_NONE) {
			CHECK(p, i, s->span < h->n_spans);
			CHECK(p, i, kernel_span(h, s->span)->task == s->task);
			CHECK(p, i, kernel_span(h, s->span)->begin <= s->begin);
		}
		if (s->in_flight) {
			const struct kernel_bridge *packet = &p->world->bridges[s->source];
			CHECK(p, i, packet->to.host == s->host);
			CHECK(p, i, packet->from.time <= s->begin && s->end <= packet->to.time);
		}
		by_cause[s->cause] += s->end - s->begin;
		in_flight += s->in_flight ? s->end - s->begin : 0;
		unexplained +=
			path_is_unexplained((enum path_cause)s->cause) ? s->end - s->begin : 0;
		t = s->end;
	}
	CHECK(p, p->n_segments, t == p->end);
	CHECK(p, p->n_segments, memcmp(by_cause, p->by_cause, sizeof(by_cause)) == 0);
	CHECK(p, p->n_segments, in_flight == p->in_flight_ns);
	CHECK(p, p->n_segments, unexplained == p->unexplained_ns);
}

/* Costs the length of the task's list of spans: of some segments only. */
static void check_ends(const struct path *p)
{
	enum { SOME = 2 };
	size_t step = p->n_segments / SOME + 1;
	for (size_t i = 0; i < p->n_segments; i += step) {
		const struct path_segment *s = &p->segments[i];
		if (s->span != KERNEL_NONE)
			CHECK(p, i, s->end <= end_of_span(&p->world->hosts[s->host], s->span));
	}
}

static void check_links(const struct path *p)
{
	size_t n = 0;
	for (size_t i = 1; i < p->n_segments; i++) {
		const struct path_segment *a = &p->segments[i - 1], *b = &p->segments[i];
		if (a->host == b->host && a->task == b->task)
			continue;
		CHECK(p, i, n < p->n_links);
		const struct path_link *l = &p->links[n++];
		CHECK(p, i, l->from_host == a->host && l->from_task == a->task);
		CHECK(p, i, l->to_host == b->host && l->to_task == b->task);
		CHECK(p, i, l->from_time == a->end);
		if (l->kind != PATH_LINK_NETWORK) {
			CHECK(p, i, l->to_time == b->begin);
			CHECK(p, i, l->packet == KERNEL_NONE);
			CHECK(p, i,
				l->from_host == l->to_host || l->kind == PATH_LINK_WAIT ||
					l->kind == PATH_LINK_MPI);
		} else {
			CHECK(p, i, l->packet < p->world->n_bridges);
			CHECK(p, i, l->to_time >= b->begin);
			const struct kernel_bridge *k = &p->world->bridges[l->packet];
			CHECK(p, i, k->from.host == l->from_host && k->to.host == l->to_host);
		}
		/* The path of a task ends with it: to go back to it, it was left. */
		CHECK(p, i, l->kind <= PATH_LINK_WAIT);
	}
	CHECK(p, n, n == p->n_links);
	uint32_t host = p->host, task = p->task;
	if (p->n_segments) {
		host = p->segments[p->n_segments - 1].host;
		task = p->segments[p->n_segments - 1].task;
	}
	for (size_t i = p->n_links; i-- > 0;) {
		CHECK(p, i, p->links[i].to_host == host && p->links[i].to_task == task);
		host = p->links[i].from_host;
		task = p->links[i].from_task;
	}
	if (p->n_segments)
		CHECK(p, 0, p->segments[0].host == host && p->segments[0].task == task);
}

static void check_shares(const struct path *p)
{
	struct mer_err err = { 0 };
	struct path_share *rows;
	size_t n;
	for (int by_task = 0; by_task < 2; by_task++) {
		int64_t total = 0, in_flight = 0;
		assert_return_code((by_task ? path_by_task : path_by_host)(p, &rows, &n, &err), 0);
		for (size_t i = 0; i < n; i++) {
			total += rows[i].total_ns;
			in_flight += rows[i].in_flight_ns;
			CHECK(p, i, i == 0 || rows[i].total_ns <= rows[i - 1].total_ns);
		}
		CHECK(p, n, total == p->end - p->begin);
		CHECK(p, n, in_flight == p->in_flight_ns);
		free(rows);
	}
}

void path_check(const struct path *p)
{
	const struct kernel_task *t = &p->world->hosts[p->host].tasks[p->task];
	CHECK(p, 0, p->begin >= t->begin && p->end <= t->end && p->begin <= p->end);
	check_segments(p);
	check_ends(p);
	check_links(p);
	check_shares(p);
}

static bool is_same(const struct path_segment *a, const struct path_segment *b)
{
	return a->host == b->host && a->task == b->task && a->span == b->span &&
	       a->call == b->call && a->by == b->by && a->source == b->source &&
	       a->depth == b->depth && a->state == b->state && a->cause == b->cause &&
	       a->by_cause == b->by_cause && a->in_flight == b->in_flight && a->cpu == b->cpu;
}

void path_check_cut(const struct path *whole, const struct path *part)
{
	size_t k = 0;
	for (size_t i = 0; i < whole->n_segments; i++) {
		struct path_segment s = whole->segments[i];
		if (s.end <= part->begin || s.begin >= part->end)
			continue;
		s.begin = s.begin > part->begin ? s.begin : part->begin;
		s.end = s.end < part->end ? s.end : part->end;
		CHECK(part, k, k < part->n_segments);
		CHECK(part, k, part->segments[k].begin == s.begin);
		CHECK(part, k, part->segments[k].end == s.end);
		CHECK(part, k, is_same(&part->segments[k], &s));
		k++;
	}
	CHECK(part, k, k == part->n_segments);
}

/* ---- worlds ---- */

struct stay { /* of a task on a CPU */
	int64_t begin, end;
	uint32_t task;
	uint16_t cpu;
};

static int by_cpu(const void *a, const void *b)
{
	const struct stay *p = a, *q = b;
	if (p->cpu != q->cpu)
		return p->cpu < q->cpu ? -1 : 1;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->end > q->end) - (p->end < q->end);
}

static void check_references(const struct kernel_world *w, const struct kernel_host *h, uint32_t i)
{
	const struct kernel_span *s = kernel_span(h, i);
	assert_true(s->state < KERNEL_N_STATES && s->cause < KERNEL_N_CAUSES);
	assert_true(s->call == KERNEL_NONE || s->call < h->n_calls);
	assert_true(s->by == KERNEL_NONE || s->by < h->n_spans);
	if (s->state != KERNEL_BLOCKED)
		return;
	if (s->cause == KERNEL_DISK)
		assert_true(s->source == KERNEL_NONE || s->source < h->n_requests);
	if (s->cause == KERNEL_NETWORK && s->source != KERNEL_NONE) {
		assert_true(s->source < w->n_bridges);
		assert_ptr_equal(h, &w->hosts[w->bridges[s->source].to.host]);
	}
	/* Who ended a wait was there when it ended. */
	if (s->by != KERNEL_NONE)
		assert_int_not_equal(kernel_span(h, s->by)->task, s->task);
}

static void check_host(const struct kernel_world *w, const struct kernel_host *h)
{
	struct stay *stays = malloc((h->n_spans + 1) * sizeof(*stays));
	uint32_t n = 0, n_seen = 0;
	assert_non_null(stays);
	for (uint32_t task = 0; task < h->n_tasks; task++) {
		const struct kernel_task *t = &h->tasks[task];
		int64_t until = t->end;
		assert_true(t->begin <= t->end);
		assert_true(t->last != KERNEL_NONE);
		for (uint32_t i = t->last; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
			const struct kernel_span *s = kernel_span(h, i);
			assert_int_equal(s->task, task);
			assert_true(s->begin <= until);
			assert_true(s->before == KERNEL_NONE || s->before < i);
			check_references(w, h, i);
			if (kernel_is_on_cpu((enum kernel_state)s->state)) {
				assert_int_not_equal(s->cpu, KERNEL_NO_CPU);
				if (s->begin < until)
					stays[n++] = (struct stay){ s->begin, until, task, s->cpu };
			}
			if (s->before == KERNEL_NONE)
				assert_int_equal(s->begin, t->begin);
			until = s->begin;
			n_seen++;
		}
	}
	assert_int_equal(n_seen, h->n_spans);
	qsort(stays, n, sizeof(*stays), by_cpu);
	for (uint32_t i = 1; i < n; i++)
		if (stays[i].cpu == stays[i - 1].cpu && stays[i].begin < stays[i - 1].end)
			fail_msg("CPU %u runs %d until %" PRId64 " and %d from %" PRId64 " on",
				stays[i].cpu, (int)h->tasks[stays[i - 1].task].tid,
				stays[i - 1].end, (int)h->tasks[stays[i].task].tid, stays[i].begin);
	free(stays);
}

void world_check(const struct kernel_world *w)
{
	for (uint32_t i = 0; i < w->n_hosts; i++)
		check_host(w, &w->hosts[i]);
	for (uint32_t i = 0; i < w->n_bridges; i++) {
		const struct kernel_bridge *p = &w->bridges[i];
		assert_true(p->from.time <= p->to.time);
		assert_true(i == 0 || w->bridges[i - 1].from.time <= p->from.time);
		assert_true(p->from.span == KERNEL_NONE ||
			    p->from.span < w->hosts[p->from.host].n_spans);
		assert_true(p->to.span == KERNEL_NONE || p->to.span < w->hosts[p->to.host].n_spans);
		assert_true(p->answers == KERNEL_NONE || p->answers < w->n_bridges);
	}
}
