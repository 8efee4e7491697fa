/* Facts about vCPUs, on their hypervisor: their stays in each state, and their exits. They are
 * computed, when everything has been read, from data collected before the models run
 * (kernel/vm/vcpus.h).
 *
 * A preemption is one stay even if several tasks had the CPU; `by` is the one that had it
 * longest. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/fact.h"
#include "analysis/facts/vcpu.h"
#include "base/grow.h"
#include "kernel/vm/exits.h"
#include "kernel/vm/runs.h"

/* "HLT" of a number of kernel/vm/exits.h */
static const char *exit_text(const struct kernel_host *h, int64_t number)
{
	(void)h;
	return kernel_exit_name((uint32_t)number);
}

static int64_t exit_of_stay(const struct kernel_host *h, const struct fact *f)
{
	uint32_t exit = ((const struct vcpu_stay *)f)->exit;
	(void)h;
	return exit == KERNEL_NONE ? FACT_UNKNOWN : exit;
}

static int64_t exit_of_exit(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return ((const struct vm_exit *)f)->exit;
}

static const struct fact_maker maker;

static const struct fact_field stay_fields[] = {
	{ "state", "state", MER_TEXT, FACT_MEMBER(struct fact, choice), .meaning = FACT_CHOICE,
		.words = kernel_vcpu_state_names, .n_words = KERNEL_VCPU_N_STATES },
	{ "by", "by", MER_ID, FACT_TASK, FACT_MEMBER(struct vcpu_stay, by),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "vcpu", "vCPU", MER_ID, FACT_NUMBER, FACT_MEMBER(struct vcpu_stay, id),
		FACT_NONE_IS(-1) },
	{ "exit", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct vcpu_stay, exit),
		FACT_NONE_IS(KERNEL_NONE) },
	{ 0 },
};
static const struct fact_view stay_views[] = {
	{ "reason", "reason", MER_TEXT, FACT_BY_FUNCTION, .get = exit_of_stay, .meaning = FACT_TEXT,
		.text = exit_text },
	{ 0 },
};
const struct fact_kind fact_vcpu_stay = {
	.id = "vcpu_stay",
	.title = "States of vCPUs",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct vcpu_stay),
	.fields = stay_fields,
	.views = stay_views,
	.duration = "duration_ns",
};

#define GUEST_FIELDS(struct_)                                                                      \
	{ "guest", "guest", MER_TEXT, FACT_HOST, FACT_MEMBER(struct struct_, guest),               \
		FACT_NONE_IS(KERNEL_NONE) },                                                       \
	{                                                                                          \
		"guest_task", "guest tid", MER_ID, FACT_NUMBER,                                    \
			FACT_MEMBER(struct struct_, guest_tid), FACT_NONE_IS(-1)                   \
	}
static const char *const exit_words[] = { [VM_EXIT_ANY] = "exit", [VM_EXIT_SPIN] = "spin" };
static const struct fact_field exit_fields[] = {
	{ "kind", NULL, MER_TEXT, FACT_WORDS(exit_words), FACT_MEMBER(struct fact, choice) },
	{ "sibling", "for vCPU", MER_ID, FACT_NUMBER, FACT_MEMBER(struct vm_exit, sibling),
		FACT_NONE_IS(-1) },
	{ "by", "by", MER_ID, FACT_TASK, FACT_MEMBER(struct vm_exit, by),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "vcpu", "vCPU", MER_ID, FACT_NUMBER, FACT_MEMBER(struct vm_exit, id), FACT_NONE_IS(-1) },
	{ "exit", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct vm_exit, exit),
		FACT_NONE_IS(KERNEL_NONE) },
	GUEST_FIELDS(vm_exit),
	{ 0 },
};
static const struct fact_view exit_views[] = {
	{ "reason", "reason", MER_TEXT, FACT_BY_FUNCTION, .get = exit_of_exit, .meaning = FACT_TEXT,
		.text = exit_text },
	{ 0 },
};
const struct fact_kind fact_vm_exit = {
	.id = "vm_exit",
	.title = "Exits of guests",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct vm_exit),
	.fields = exit_fields,
	.views = exit_views,
	.duration = "duration_ns",
};

static const struct fact_field fused_fields[] = {
	{ "vcpu", "vCPU", MER_ID, FACT_NUMBER, FACT_MEMBER(struct vm_fused, id), FACT_NONE_IS(-1) },
	GUEST_FIELDS(vm_fused),
	{ 0 },
};
const struct fact_kind fact_vm_fused = {
	.id = "vm_fused",
	.title = "What CPUs did for guests",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct vm_fused),
	.fields = fused_fields,
};

/* ---- their maker ---- */

enum { STAY, EXIT, FUSED };

/* Tasks by their numbers on the host. */
struct who {
	const struct kernel_host *h;
	struct mer_map newest; /* tid -> its newest task, plus 1 */
};

static bool who_begin(struct who *w, const struct kernel_host *h)
{
	*w = (struct who){ .h = h };
	for (uint32_t i = 0; i < h->n_tasks; i++) {
		uint32_t *at = mer_map_put(&w->newest, (uint32_t)h->tasks[i].tid);
		if (!at)
			return false;
		*at = i + 1;
	}
	return true;
}

static uint32_t who_at(const struct who *w, int32_t tid, int64_t time)
{
	const struct kernel_host *h = w->h;
	const uint32_t *at = mer_map_get(&w->newest, (uint32_t)tid);
	if (!at || !*at)
		return KERNEL_NONE;
	uint32_t newest = *at - 1;
	if (h->tasks[newest].begin <= time)
		return newest;
	/* An earlier task had the same number: finds the task that lived at that time. */
	for (uint32_t i = kernel_find_task(h, tid, NULL, 0); i != KERNEL_NONE;
		i = kernel_find_task(h, tid, NULL, i + 1))
		if (time < h->tasks[i].end)
			return i;
	return newest;
}

/* The task that had the CPU longest during the stays [from, to). */
static uint32_t main_runner(const struct kernel_vcpu *c, uint32_t from, uint32_t to)
{
	uint32_t best = KERNEL_NONE;
	int64_t most = 0;
	for (uint32_t i = from; i < to; i++) {
		int64_t ns = 0;
		/* A preemption has few stays. */
		for (uint32_t k = from; k < to && k < from + 64; k++)
			if (c->stays[k].by == c->stays[i].by)
				ns += kernel_stay_end(c, k) - c->stays[k].begin;
		if (c->stays[i].by != KERNEL_NONE && ns > most) {
			most = ns;
			best = c->stays[i].by;
		}
		if (i >= from + 64)
			break;
	}
	return best;
}

static int add_stays(struct fact_host *f, const struct who *w, const struct kernel_vcpus *v,
	const struct kernel_vcpu *c)
{
	int rc = 0;
	uint32_t task = who_at(w, c->tid, c->begin);
	for (uint32_t i = 0, to; i < c->n_stays && rc == 0; i = to) {
		const struct kernel_vcpu_stay *s = &c->stays[i];
		to = i + 1;
		while (to < c->n_stays && c->stays[to].state == s->state)
			to++;
		uint32_t by = kernel_vcpu_waits((enum kernel_vcpu_state)s->state)
				      ? main_runner(c, i, to)
				      : KERNEL_NONE;
		struct vcpu_stay x = { .fact = { s->begin, kernel_stay_end(c, to - 1), task, s->cpu,
					       s->state },
			.by = by == KERNEL_NONE ? KERNEL_NONE
						: who_at(w, v->runners[by].tid, s->begin),
			.exit = s->exit,
			.id = c->id };
		if (x.fact.end > x.fact.begin)
			rc = fact_add(f, w->h, STAY, &x);
	}
	return rc;
}

/* Among the vCPUs of the same VM that are preempted at that time, finds the one that has been
 * preempted longest: it most likely holds the lock that the other one spins on. */
static void find_sibling(const struct who *w, const struct kernel_vcpus *v,
	const struct kernel_vcpu *c, struct vm_exit *x)
{
	uint32_t own = x->fact.task;
	int64_t since = INT64_MAX, time = x->fact.begin;
	for (uint32_t i = 0; own != KERNEL_NONE && i < v->n; i++) {
		const struct kernel_vcpu *s = &v->vcpus[i];
		uint32_t by;
		int64_t here = s == c ? INT64_MAX : kernel_preempted_since(s, time, &by);
		if (here >= since)
			continue;
		uint32_t task = who_at(w, s->tid, time);
		bool is_same = c->guest != KERNEL_NONE
				       ? s->guest == c->guest
				       : task != KERNEL_NONE && w->h->tasks[own].pid > 0 &&
						 w->h->tasks[task].pid == w->h->tasks[own].pid;
		if (!is_same)
			continue;
		since = here;
		x->sibling = s->id;
		x->by = by == KERNEL_NONE ? KERNEL_NONE : who_at(w, v->runners[by].tid, time);
	}
}

/* From each exit until the next entry, regardless of what happens in between. */
static int add_exits(struct fact_host *f, const struct who *w, const struct kernel_vcpus *v,
	const struct kernel_vcpu *c, const struct kernel_runs *runs)
{
	int rc = 0;
	uint32_t task = who_at(w, c->tid, c->begin);
	for (uint32_t i = 1, to; i < c->n_stays && rc == 0; i = to) {
		const struct kernel_vcpu_stay *s = &c->stays[i];
		to = i + 1;
		if (c->stays[i - 1].state != KERNEL_VCPU_GUEST || s->exit == KERNEL_NONE)
			continue;
		while (to < c->n_stays && c->stays[to].state != KERNEL_VCPU_GUEST &&
			c->stays[to].state != KERNEL_VCPU_UNKNOWN)
			to++;
		struct kernel_run run = { .tid = -1 };
		if (c->guest != KERNEL_NONE)
			kernel_run_at(runs, c->guest_cpu, s->begin - 1, &run);
		struct vm_exit x = { .fact = { s->begin, kernel_stay_end(c, to - 1), task, s->cpu,
					     0 },
			.exit = s->exit,
			.id = c->id,
			.guest = c->guest,
			.guest_tid = run.tid,
			.sibling = -1,
			.by = KERNEL_NONE };
		if (kernel_exit_is_pause(s->exit)) {
			x.fact.choice = VM_EXIT_SPIN;
			find_sibling(w, v, c, &x);
		}
		rc = fact_add(f, w->h, EXIT, &x);
	}
	return rc;
}

/* Physical CPU, vCPU and the guest's task, at one time. */
static int add_fused(struct fact_host *f, const struct who *w, const struct kernel_vcpu *c,
	const struct kernel_runs *runs)
{
	int rc = 0;
	uint32_t task = who_at(w, c->tid, c->begin);
	for (uint32_t i = 0; i < c->n_stays && rc == 0; i++) {
		const struct kernel_vcpu_stay *s = &c->stays[i];
		int64_t end = kernel_stay_end(c, i);
		if (s->state != KERNEL_VCPU_GUEST)
			continue;
		for (int64_t t = s->begin, until; t < end && rc == 0; t = until) {
			struct kernel_run run = { .tid = -1 };
			until = c->guest == KERNEL_NONE
					? end
					: kernel_run_at(runs, c->guest_cpu, t, &run);
			until = until < end ? until : end;
			struct vm_fused x = { .fact = { t, until, task, s->cpu, 0 },
				.guest = c->guest,
				.guest_tid = run.tid,
				.id = c->id };
			rc = fact_add(f, w->h, FUSED, &x);
		}
	}
	return rc;
}

/* The runs of tasks in the guest; guests are few, and each is read once. */
static int runs_of(struct fact_host *f, const struct kernel_world *w, const struct kernel_vcpu *c,
	struct kernel_runs *all, const struct kernel_runs **runs)
{
	*runs = c->guest == KERNEL_NONE ? NULL : &all[c->guest];
	if (!*runs || (*runs)->is_read || (!fact_is_used(f, EXIT) && !fact_is_used(f, FUSED)))
		return 0;
	return kernel_runs_read(w->e, c->guest, w->cancel, &all[c->guest], f->err);
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	const struct kernel_vcpus *v = w->vcpus ? &w->vcpus[f->host] : NULL;
	struct who who;
	if (!v || !v->n)
		return 0;
	struct kernel_runs *all = calloc((size_t)w->n_hosts + 1, sizeof(*all));
	const struct kernel_runs *runs;
	int rc = who_begin(&who, h) && all ? 0 : mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < v->n && rc == 0; i++) {
		rc = runs_of(f, w, &v->vcpus[i], all, &runs);
		if (rc == 0 && fact_is_used(f, STAY))
			rc = add_stays(f, &who, v, &v->vcpus[i]);
		if (rc == 0 && fact_is_used(f, EXIT))
			rc = add_exits(f, &who, v, &v->vcpus[i], runs);
		if (rc == 0 && fact_is_used(f, FUSED))
			rc = add_fused(f, &who, &v->vcpus[i], runs);
	}
	for (uint32_t i = 0; all && i < w->n_hosts; i++)
		kernel_runs_fini(&all[i]);
	free(all);
	mer_map_fini(&who.newest);
	return rc;
}

static const struct fact_kind *const kinds[] = {
	[STAY] = &fact_vcpu_stay, [EXIT] = &fact_vm_exit, [FUSED] = &fact_vm_fused, NULL
};
static const struct fact_maker maker = {
	.id = "vcpu",
	.kinds = kinds,
	.wants = KERNEL_WANT_VMS,
	.end = end,
};
