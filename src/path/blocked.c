/* Waits, collected from the spans of all tasks; who ended them is followed through packets. */
#include "path/blocked.h"
#include "base/lower_bound.h"

#include <stdlib.h>

enum {
	LOOK_BACK = 64 /* spans, for the mode that a task was in */
};

const char *blocked_kind_name(enum blocked_kind k)
{
	static const char *const names[BLOCKED_N_KINDS] = {
		[BLOCKED_IN_CALL] = "syscall",
		[BLOCKED_PAGE_FAULT] = "page-fault",
		[BLOCKED_IN_KERNEL] = "kernel",
		[BLOCKED_IN_UNKNOWN] = "unknown",
	};
	return names[k];
}

const char *blocked_class_name(enum blocked_class c)
{
	static const char *const names[BLOCKED_N_CLASSES] = {
		[BLOCKED_REQUEST] = "request",
		[BLOCKED_IDLE] = "idle",
		[BLOCKED_INPUT] = "input",
	};
	return names[c];
}

enum blocked_class blocked_class_of(const struct blocked_wait *w, bool chosen)
{
	if (w->is_input)
		return BLOCKED_INPUT;
	if (w->is_for_work)
		return BLOCKED_IDLE;
	return chosen || w->is_felt ? BLOCKED_REQUEST : BLOCKED_IDLE;
}

const struct blocked_wait *blocked_before(
	const struct blocked *b, uint32_t host, uint32_t task, int64_t time)
{
	const struct blocked_host *h = &b->hosts[host];
	/* the first that begins at or after time */
	MER_LOWER_BOUND(low, h->first[task], h->first[task + 1], at, h->waits[at].begin < time);
	return low > h->first[task] ? &h->waits[low - 1] : NULL;
}

/* Outside of a call, was it in user mode? Only then it can have been a page fault: without system
 * calls recorded, or in the one it was in when the recording began, it may have been anything. */
static bool was_in_user_mode(const struct kernel_host *h, uint32_t span)
{
	for (int i = 0; i < LOOK_BACK && span != KERNEL_NONE; i++) {
		const struct kernel_span *s = kernel_span(h, span);
		if (s->state == KERNEL_USER)
			return true;
		if (s->state != KERNEL_INTERRUPTED && s->state != KERNEL_RUNNABLE &&
			s->state != KERNEL_BLOCKED)
			return false;
		span = s->before;
	}
	return false;
}

static void find_kind(const struct kernel_host *h, struct blocked_wait *w)
{
	if (w->call != KERNEL_NONE)
		w->kind = BLOCKED_IN_CALL;
	else if (h->tasks[w->task].is_kernel)
		w->kind = BLOCKED_IN_KERNEL;
	else if (was_in_user_mode(h, w->span))
		w->kind = BLOCKED_PAGE_FAULT;
	else
		w->kind = BLOCKED_IN_UNKNOWN;
}

static void find_waker(const struct kernel_world *world, uint32_t host, struct blocked_wait *w)
{
	const struct kernel_span *s = kernel_span(&world->hosts[host], w->whole);
	w->by_host = w->by_task = KERNEL_NONE;
	w->asked = w->end;
	struct kernel_waker by = { .asked = INT64_MAX }; /* of a piece the whole ended later */
	if (s->cause == KERNEL_NETWORK && kernel_bridge_origin(world, host, s->source, &by)) {
		w->by_host = by.host;
		w->by_task = by.task;
		w->asked = by.asked;
		return;
	}
	if (s->by != KERNEL_NONE) {
		w->by_host = host;
		w->by_task = kernel_span(&world->hosts[host], s->by)->task;
	}
}

enum { SPANS_AT_ONCE = 1 << 16 }; /* before it is looked whether anybody still waits */

/* A task, as far as its spans were looked at from behind. */
struct behind {
	int64_t end,
		run; /* where the span before ends; where a wait for a CPU that begins there ends */
	size_t at;   /* its wait that was found last */
	uint8_t after; /* state of the span behind */
	bool open;     /* no span is behind */
};

static void collect_blocked(const struct kernel_world *world, uint32_t host, uint32_t span,
	const struct blocked_host *out, struct behind *t)
{
	const struct kernel_host *h = &world->hosts[host];
	const struct kernel_span *s = kernel_span(h, span);
	if (t->after == KERNEL_BLOCKED && t->at < out->first[s->task + 1]) {
		out->waits[t->at].begin = s->begin; /* still the same wait */
		out->waits[t->at].is_one_span = false;
		if (s->call != KERNEL_NONE)
			out->waits[t->at].call = s->call;
		return;
	}
	uint32_t whole = kernel_wait_end(h, span);
	struct blocked_wait *w = &out->waits[--t->at];
	*w = (struct blocked_wait){ .begin = s->begin,
		.end = t->end,
		.run = t->after == KERNEL_RUNNABLE ? t->run : t->end,
		.task = s->task,
		.span = span,
		.whole = whole,
		.call = s->call,
		.cause = kernel_span(h, whole)->cause,
		.open = t->open || (whole != span && h->tasks[s->task].last == whole),
		.is_one_span = true,
		.asker = KERNEL_NONE };
	find_waker(world, host, w);
}

/* A task's spans have rising numbers. All from the last one back, whosever they are, so that memory
 * is gone through once and in order. */
static int collect_waits(const struct kernel_world *world, uint32_t host, struct blocked_host *out,
	struct mer_err *err)
{
	const struct kernel_host *h = &world->hosts[host];
	struct behind *tasks = calloc((size_t)h->n_tasks + 1, sizeof(*tasks));
	if (!tasks)
		return mer_fail_nomem(err);
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		int64_t end = kernel_task_end(h, t);
		tasks[t] = (struct behind){ end, end, out->first[t + 1], KERNEL_DEAD, true };
	}
	int rc = 0;
	for (uint32_t i = h->n_spans; i-- > 0 && rc == 0;) {
		const struct kernel_span *s = kernel_span(h, i);
		struct behind *t = &tasks[s->task];
		if (i % SPANS_AT_ONCE == 0)
			rc = kernel_world_go_on(world, err);
		if (s->state == KERNEL_BLOCKED)
			collect_blocked(world, host, i, out, t);
		if (s->state != KERNEL_RUNNABLE || t->after != KERNEL_RUNNABLE)
			t->run = t->end;
		t->after = s->state;
		t->end = s->begin;
		t->open = false;
	}
	/* Waits of several spans leave holes, which are closed: tasks from the first on. */
	size_t n = 0;
	for (uint32_t t = 0; t < h->n_tasks && rc == 0; t++) {
		size_t from = tasks[t].at, end = out->first[t + 1];
		for (size_t k = from; k < end; k++)
			find_kind(h, &out->waits[k]);
		out->first[t] = n;
		while (from < end)
			out->waits[n++] = out->waits[from++];
	}
	out->first[h->n_tasks] = out->n = n;
	free(tasks);
	return rc;
}

static int collect(const struct kernel_world *world, uint32_t host, struct blocked_host *out,
	struct mer_err *err)
{
	const struct kernel_host *h = &world->hosts[host];
	for (uint32_t i = 0; i < h->n_spans; i++) {
		const struct kernel_span *s = kernel_span(h, i);
		out->first[s->task + 1] += s->state == KERNEL_BLOCKED;
	}
	for (uint32_t t = 0; t < h->n_tasks; t++)
		out->first[t + 1] += out->first[t];
	out->n = out->first[h->n_tasks];
	out->waits = mer_spill_array(world->spill, out->n + 1, sizeof(*out->waits));
	if (!out->waits)
		return mer_fail_nomem(err);
	return collect_waits(world, host, out, err);
}

/* Threads belong to the task that has their pid as its tid; of several the latest before them. */
static int find_leaders(const struct kernel_host *h, struct blocked_host *out, struct mer_err *err)
{
	struct mer_map leaders = { 0 };
	int rc = 0;
	for (uint32_t t = 0; t < h->n_tasks && !rc; t++) {
		const struct kernel_task *task = &h->tasks[t];
		out->leaders[t] = t;
		if (task->pid >= 0 && task->pid == task->tid) {
			uint32_t *v = mer_map_put(&leaders, (uint64_t)(uint32_t)task->pid);
			if (!v)
				rc = mer_fail_nomem(err);
			else
				*v = t;
		} else if (task->pid >= 0) {
			const uint32_t *v = mer_map_get(&leaders, (uint64_t)(uint32_t)task->pid);
			out->leaders[t] = v ? *v : t;
		}
	}
	mer_map_fini(&leaders);
	return rc;
}

int blocked_begin(const struct kernel_world *w, struct blocked *b, struct mer_err *err)
{
	uint32_t processes = 0;
	int rc = 0;
	*b = (struct blocked){ .world = w };
	b->hosts = calloc((size_t)w->n_hosts + 1, sizeof(*b->hosts));
	if (!b->hosts)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < w->n_hosts && !rc; i++) {
		struct blocked_host *out = &b->hosts[i];
		size_t n_tasks = w->hosts[i].n_tasks;
		out->processes = processes;
		processes += w->hosts[i].n_tasks;
		out->first = calloc(n_tasks + 1, sizeof(*out->first));
		out->leaders = calloc(n_tasks + 1, sizeof(*out->leaders));
		rc = out->first && out->leaders ? find_leaders(&w->hosts[i], out, err)
						: mer_fail_nomem(err);
	}
	return rc;
}

int blocked_find(const struct kernel_world *w, struct blocked *b, struct mer_err *err)
{
	if (w->saved.get_waits) {
		struct mer_err why;
		if (w->saved.get_waits(w->saved.ctx, w, b, &why) == 0)
			return 0;
		blocked_fini(b); /* damaged: the spans tell it as well */
	}
	int rc = blocked_begin(w, b, err);
	for (uint32_t i = 0; i < w->n_hosts && !rc; i++)
		rc = collect(w, i, &b->hosts[i], err);
	return rc ? rc : blocked_classify(b, err);
}

uint32_t blocked_disk(const struct blocked *b, uint32_t host, const struct blocked_wait *w)
{
	const struct kernel_host *h = &b->world->hosts[host];
	if (w->cause != KERNEL_DISK && w->whole == w->span)
		return KERNEL_NONE; /* which its span need not say */
	const struct kernel_span *s = kernel_span(h, w->span);
	if (s->cause != KERNEL_DISK || s->source >= h->n_requests)
		return KERNEL_NONE;
	const uint32_t *v = mer_map_get(&h->devices, kernel_request_at(h, s->source)->dev);
	return v ? *v - 1 : KERNEL_NONE;
}

void blocked_fini(struct blocked *b)
{
	for (uint32_t i = 0; b->hosts && i < b->world->n_hosts; i++) {
		mer_spill_release(b->hosts[i].waits);
		free(b->hosts[i].first);
		free(b->hosts[i].leaders);
	}
	free(b->hosts);
	b->hosts = NULL;
}
