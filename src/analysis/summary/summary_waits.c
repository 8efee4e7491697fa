#include "analysis/summary/summary_waits.h"

#include <stdlib.h>
#include <string.h>

const char *summary_cause_name(enum summary_cause cause)
{
	static const char *const names[SUMMARY_N_CAUSES] = { "runnable", "disk", "page fault",
		"futex", "network", "packet", "task", "join", "child", "timer", "other",
		"unknown" };
	return names[cause];
}

static enum summary_cause cause_of(
	const struct blocked *b, uint32_t host, const struct blocked_wait *w)
{
	static const enum summary_cause started[] = {
		[BLOCKED_THREAD] = SUMMARY_JOIN, [BLOCKED_CHILD] = SUMMARY_CHILD
	};
	enum blocked_started of = blocked_started_of(b, host, w);
	if (of != BLOCKED_NOT_STARTED)
		return started[of];
	switch ((enum kernel_cause)w->cause) {
	case KERNEL_DISK: return w->kind == BLOCKED_PAGE_FAULT ? SUMMARY_FAULT : SUMMARY_DISK;
	case KERNEL_FUTEX: return SUMMARY_FUTEX;
	case KERNEL_NETWORK: return w->by_task == KERNEL_NONE ? SUMMARY_OUTSIDE : SUMMARY_NETWORK;
	case KERNEL_TIMER: return SUMMARY_TIMER;
	case KERNEL_TASK:
	case KERNEL_PIPE: return SUMMARY_TASK;
	case KERNEL_NO_CAUSE: return SUMMARY_UNKNOWN;
	default: return SUMMARY_OTHER;
	}
}

static bool costs(const struct blocked_wait *w, enum summary_cause cause)
{
	return cause == SUMMARY_DISK || cause == SUMMARY_FAULT ||
	       blocked_class_of(w, false) == BLOCKED_REQUEST;
}

/* After the last wait of a task: keeps its sums if they are the greatest so far, and clears
 * them. */
static void close_task(struct summary_wait *of, uint32_t task, int64_t *sums)
{
	for (int c = 0; c < SUMMARY_N_CAUSES; c++) {
		if (sums[c] > of[c].most_ns) {
			of[c].most = task;
			of[c].most_ns = sums[c];
		}
		sums[c] = 0;
	}
}

/* By wait of a host: what it was for, and whether it counts for certain. */
struct judged {
	uint8_t *causes; /* enum summary_cause */
	uint8_t *counts;
};

static bool judge(const struct analysis_run *run, const struct blocked *b, uint32_t host,
	const bool *tracer, struct judged *j, uint8_t **asked)
{
	const struct blocked_host *waits = &b->hosts[host];
	const struct kernel_host *h = &run->world->hosts[host];
	j->causes = mer_spill_array(run->world->spill, waits->n + 1, 1);
	j->counts = mer_spill_array(run->world->spill, waits->n + 1, 1);
	*asked = mer_spill_array(run->world->spill, waits->n + 1, 1);
	if (!j->causes || !j->counts || !*asked)
		return false;
	for (size_t i = 0; i < waits->n; i++) {
		const struct blocked_wait *w = &waits->waits[i];
		if (h->tasks[w->task].is_kernel || tracer[w->task] ||
			analysis_overlap(run->options, w->begin, w->end) <= 0)
			continue;
		j->causes[i] = (uint8_t)cause_of(b, host, w);
		j->counts[i] = costs(w, j->causes[i]);
		(*asked)[i] = !j->counts[i];
	}
	return true;
}

static void add_host(const struct analysis_run *run, const struct blocked *b, uint32_t host,
	const bool *tracer, const struct judged *j, const uint8_t *felt, struct summary_waits *s)
{
	const struct blocked_host *waits = &b->hosts[host];
	const struct kernel_host *h = &run->world->hosts[host];
	struct summary_wait *of = s->hosts[host];
	int64_t sums[SUMMARY_N_CAUSES] = { 0 };
	for (size_t i = 0; i < waits->n; i++) {
		const struct blocked_wait *w = &waits->waits[i];
		enum summary_cause cause = j->causes[i];
		int64_t ns = analysis_overlap(run->options, w->begin, w->end);
		if (h->tasks[w->task].is_kernel || ns <= 0) {
		} else if (tracer[w->task]) {
			s->tracer_ns += ns;
		} else if (!j->counts[i] && !felt[i]) {
			s->idle_ns += ns;
			s->n_idle++;
		} else {
			struct summary_wait *x = &of[cause];
			sums[cause] += ns;
			x->total += ns;
			x->count++;
			if (cause == SUMMARY_NETWORK && w->by_host != host && w->asked < w->end)
				s->under_way[host] += analysis_overlap(run->options,
					w->asked > w->begin ? w->asked : w->begin, w->end);
			if (ns > x->max) {
				x->max = ns;
				x->max_at = w->begin;
				x->task = w->task;
				x->call = w->call;
			}
		}
		if (i + 1 == waits->n || w[1].task != w->task)
			close_task(of, w->task, sums);
	}
}

/* judged, asked: by host, zeroed. */
static int add_hosts(const struct analysis_run *run, const struct blocked *b,
	const bool *const *tracer, const struct summary_felt *felt, struct judged *judged,
	uint8_t **asked, struct summary_waits *s)
{
	const struct analysis_options *o = run->options;
	uint32_t n = run->world->n_hosts;
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		if (!o->wants_host || o->wants_host(o->ctx, i))
			rc = judge(run, b, i, tracer[i], &judged[i], &asked[i])
				     ? 0
				     : mer_fail_nomem(run->err);
	if (rc == 0 && felt)
		rc = felt->find(felt->ctx, b, asked, run->err);
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		if (!asked[i])
			continue;
		if (!felt)
			memset(asked[i], 0, b->hosts[i].n);
		add_host(run, b, i, tracer[i], &judged[i], asked[i], s);
	}
	return rc;
}

int summary_waits_find(const struct analysis_run *run, const bool *const *tracer,
	const struct summary_felt *felt, struct summary_waits *s)
{
	const struct kernel_world *w = run->world;
	struct blocked b = { 0 };
	*s = (struct summary_waits){ .hosts = calloc((size_t)w->n_hosts + 1, sizeof(*s->hosts)),
		.under_way = calloc((size_t)w->n_hosts + 1, sizeof(*s->under_way)) };
	int rc =
		s->hosts && s->under_way ? blocked_find(w, &b, run->err) : mer_fail_nomem(run->err);
	for (uint32_t i = 0; rc == 0 && i < w->n_hosts; i++)
		for (int c = 0; c < SUMMARY_N_CAUSES; c++)
			s->hosts[i][c].task = s->hosts[i][c].most = s->hosts[i][c].call =
				KERNEL_NONE;
	struct judged *judged = calloc((size_t)w->n_hosts + 1, sizeof(*judged));
	uint8_t **asked = calloc((size_t)w->n_hosts + 1, sizeof(*asked));
	if (rc == 0)
		rc = judged && asked ? add_hosts(run, &b, tracer, felt, judged, asked, s)
				     : mer_fail_nomem(run->err);
	for (uint32_t i = 0; judged && asked && i < w->n_hosts; i++) {
		mer_spill_release(judged[i].causes);
		mer_spill_release(judged[i].counts);
		mer_spill_release(asked[i]);
	}
	free(judged);
	free(asked);
	if (b.world)
		blocked_fini(&b);
	return rc;
}

void summary_waits_fini(struct summary_waits *s)
{
	free(s->hosts);
	free(s->under_way);
	*s = (struct summary_waits){ 0 };
}
