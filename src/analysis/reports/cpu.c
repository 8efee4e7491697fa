/* CPU usage: who had the CPUs for how long, in which mode, and what they did otherwise.
 *
 * A span is told when it ends, maybe before it is known whether the task was in a system call then: such
 * time is taken as CPU_RUNNING, and moved when the model learns what it was. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/reports/cpu_full.h"
#include "analysis/reports/cpu_tables.h"

static int begin(struct analysis_host *a)
{
	struct cpu_state *s = a->state;
	return analysis_asks(a, CPU_BINS) ? analysis_bins_find(a->run, &s->bins, a->err) : 0;
}

static uint32_t bin_of(struct cpu_state *s, int64_t t)
{
	const struct analysis_bins *b = &s->bins;
	if (t < analysis_bin_edge(b, s->bin) || t >= analysis_bin_edge(b, s->bin + 1)) {
		int64_t i = analysis_bin_of(b, t);
		s->bin = i < 0 ? 0 : (uint32_t)i;
	}
	return s->bin;
}

static struct cpu_task *task_at(struct cpu_state *s, uint32_t task)
{
	return mer_grow_at(&s->tasks, &s->cap_tasks, task, sizeof(*s->tasks));
}

static struct cpu_use *cpu_at(struct cpu_state *s, uint16_t cpu)
{
	struct cpu_use *c = mer_grow_at(&s->cpus, &s->cap_cpus, cpu, sizeof(*s->cpus));
	if (c)
		c->exists = true;
	return c;
}

static bool add_to_bin(struct cpu_state *s, uint16_t cpu, enum cpu_part part, uint32_t bin,
	int64_t ns, int64_t of_task)
{
	return analysis_series_add(
		&s->by_cpu, (uint32_t)cpu * CPU_N_PARTS + part, bin, ns, of_task);
}

static bool add_pending(struct cpu_task *t, uint16_t cpu, uint32_t bin, int64_t ns)
{
	for (size_t i = t->n_pending; i > 0 && t->pending[i - 1].bin == bin; i--)
		if (t->pending[i - 1].cpu == cpu) {
			t->pending[i - 1].ns += ns;
			return true;
		}
	struct cpu_pending *p = mer_grow_at(&t->pending, &t->cap_pending, t->n_pending, sizeof(*p));
	if (!p)
		return false;
	*p = (struct cpu_pending){ ns, bin, cpu };
	t->n_pending++;
	return true;
}

/* A piece of a span, in one bin. */
static bool add_piece(struct cpu_state *s, uint32_t task, uint16_t cpu, enum cpu_part part,
	uint32_t bin, int64_t ns)
{
	bool interrupted = part >= CPU_IRQ;
	if (part == CPU_RUNNING && !add_pending(&s->tasks[task], cpu, bin, ns))
		return false;
	return s->bins.n == 0 || (analysis_series_add(&s->by_task, task, bin, interrupted ? 0 : ns,
					  interrupted ? ns : 0) &&
					 add_to_bin(s, cpu, part, bin, ns, interrupted ? ns : 0));
}

/* A part of what was asked for. task: KERNEL_NONE: the CPU was idle. */
static int add_part(struct analysis_host *a, uint32_t task, uint16_t cpu, enum cpu_part part,
	int64_t begin, int64_t end)
{
	struct cpu_state *s = a->state;
	int64_t ns = end - begin;
	struct cpu_use *c = &s->cpus[cpu];
	c->ns[part] += ns;
	if (part != CPU_IDLE)
		cpu_full_add(&c->full, begin, end);
	if (task != KERNEL_NONE) {
		*(part < CPU_IRQ ? &s->tasks[task].ns[part] : &s->tasks[task].interrupted) += ns;
		c->interrupted += part < CPU_IRQ ? 0 : ns;
	}
	bool ok = true;
	for (int64_t t = begin; t < end && ok;) {
		uint32_t bin = s->bins.n ? bin_of(s, t) : 0;
		int64_t edge = s->bins.n ? analysis_bin_edge(&s->bins, bin + 1) : end;
		edge = edge > end || edge <= t ? end : edge;
		ok = task != KERNEL_NONE ? add_piece(s, task, cpu, part, bin, edge - t)
					 : !s->bins.n || add_to_bin(s, cpu, part, bin, edge - t, 0);
		t = edge;
	}
	return ok ? 0 : mer_fail_nomem(a->err);
}

static int add(struct analysis_host *a, uint32_t task, uint16_t cpu, enum cpu_part part,
	int64_t begin, int64_t end)
{
	if (!analysis_wants_cpu(a, cpu))
		return 0;
	if (!cpu_at(a->state, cpu))
		return mer_fail_nomem(a->err);
	int rc = 0;
	for (int64_t t = begin, to; rc == 0 && analysis_part(a->run->options, &t, end, &to); t = to)
		rc = add_part(a, task, cpu, part, t, to);
	return rc;
}

static enum cpu_part part_of(enum kernel_state state, enum kernel_cause cause)
{
	switch (state) {
	case KERNEL_USER: return CPU_USER;
	case KERNEL_SYSCALL: return CPU_SYSCALL;
	case KERNEL_THREAD: return CPU_KERNEL;
	case KERNEL_INTERRUPTED: return cause == KERNEL_SOFTIRQ ? CPU_SOFTIRQ : CPU_IRQ;
	default: return CPU_RUNNING;
	}
}

/* What was pending has turned out to be this. */
static bool resolve(struct cpu_state *s, uint32_t task, enum cpu_part part)
{
	struct cpu_task *t = &s->tasks[task];
	bool ok = true;
	for (size_t i = 0; i < t->n_pending && ok; i++) {
		const struct cpu_pending *p = &t->pending[i];
		t->ns[CPU_RUNNING] -= p->ns;
		t->ns[part] += p->ns;
		s->cpus[p->cpu].ns[CPU_RUNNING] -= p->ns;
		s->cpus[p->cpu].ns[part] += p->ns;
		ok = s->bins.n == 0 || (add_to_bin(s, p->cpu, CPU_RUNNING, p->bin, -p->ns, 0) &&
					       add_to_bin(s, p->cpu, part, p->bin, p->ns, 0));
	}
	t->n_pending = 0;
	return ok;
}

static bool is_known_mode(enum kernel_state state)
{
	return state == KERNEL_USER || state == KERNEL_SYSCALL || state == KERNEL_THREAD;
}

/* The span that was told last may be of a mode that tells what was before it. */
static bool learn(struct cpu_state *s, const struct kernel_host *h, const struct kernel_span *told)
{
	struct cpu_task *t = &s->tasks[told->task];
	const struct kernel_span *p = kernel_span_kept(h, t->pending_span);
	if (p && is_known_mode(p->state))
		return resolve(s, told->task, part_of(p->state, KERNEL_NO_CAUSE));
	if (told->state == KERNEL_UNKNOWN)
		t->n_pending = 0; /* it stays unknown */
	else if (!p && is_known_mode(told->state))
		return resolve(s, told->task, part_of(told->state, KERNEL_NO_CAUSE));
	return true;
}

static bool add_move(struct mer_map *moves, uint32_t task, uint16_t from, uint16_t to)
{
	uint32_t *n = mer_map_put(moves, (uint64_t)task << 32 | (uint32_t)from << 16 | to);
	if (n && *n < UINT32_MAX)
		++*n;
	return n != NULL;
}

static uint32_t package_of(const struct kernel_host *h, uint16_t cpu)
{
	const uint32_t *at = mer_map_get(&h->packages, cpu);
	return at ? *at : 0;
}

static void place_moves(struct cpu_state *s, const struct kernel_host *h)
{
	const struct mer_map *moves = s->saw_migrations ? &s->recorded : &s->seen;
	s->knows_packages = h->packages.n > 0;
	for (size_t i = 0; i < moves->cap; i++) {
		const struct mer_map_slot *x = &moves->slots[i];
		if (!x->used)
			continue;
		uint32_t from = package_of(h, (uint16_t)(x->key >> 16));
		uint32_t to = package_of(h, (uint16_t)x->key);
		struct cpu_task *t = &s->tasks[x->key >> 32];
		if (!from || !to)
			t->is_unplaced = true;
		else if (from != to)
			t->crossings += x->value;
	}
}

static int on_switched(void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time)
{
	struct analysis_host *a = ctx;
	(void)h;
	if (!analysis_wants_cpu(a, cpu))
		return 0;
	struct cpu_use *c = cpu_at(a->state, cpu);
	if (!c)
		return mer_fail_nomem(a->err);
	c->switches += analysis_is_asked(a->run->options, time);
	return 0;
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct analysis_host *a = ctx;
	struct cpu_state *s = a->state;
	const struct kernel_span *k = kernel_span(h, span);
	struct cpu_task *t = task_at(s, k->task);
	if (!t || (t->n_pending && !learn(s, h, k)))
		return mer_fail_nomem(a->err);
	if (k->state == KERNEL_RUNNABLE) {
		if (k->cpu == KERNEL_NO_CPU ? !a->run->options->wants_cpu
					    : analysis_wants_cpu(a, k->cpu))
			t->ready += analysis_overlap(a->run->options, k->begin, end);
		return 0;
	}
	if (!kernel_is_on_cpu(k->state) || k->cpu == KERNEL_NO_CPU)
		return 0;
	enum cpu_part part = part_of(k->state, k->cause);
	if (t->last_cpu && t->last_cpu != k->cpu + 1u &&
		analysis_is_asked(a->run->options, k->begin)) {
		t->moves++;
		if (!add_move(&s->seen, k->task, (uint16_t)(t->last_cpu - 1), k->cpu))
			return mer_fail_nomem(a->err);
	}
	t->last_cpu = k->cpu + 1u;
	if (part == CPU_RUNNING)
		t->pending_span = span;
	return add(a, k->task, k->cpu, part, k->begin, end);
}

static int on_idle(void *ctx, const struct kernel_host *h, const struct kernel_idle *i)
{
	(void)h;
	return add(ctx, KERNEL_NONE, i->cpu,
		i->cause == KERNEL_NO_CAUSE  ? CPU_IDLE
		: i->cause == KERNEL_SOFTIRQ ? CPU_SOFTIRQ
					     : CPU_IRQ,
		i->begin, i->end);
}

static int on_migrate(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time,
	uint16_t from, uint16_t to)
{
	struct analysis_host *a = ctx;
	struct cpu_state *s = a->state;
	struct cpu_task *t = task_at(s, task);
	bool is_asked = analysis_is_asked(a->run->options, time);
	(void)h;
	if (!t || (is_asked && from != to && !add_move(&s->recorded, task, from, to)))
		return mer_fail_nomem(a->err);
	s->saw_migrations = true;
	t->migrations += is_asked;
	return 0;
}

/* CPUs without events exist, too. */
static int end(struct analysis_host *a, const struct kernel_host *h)
{
	const struct analysis_options *o = a->run->options;
	struct cpu_state *s = a->state;
	uint16_t cpu;
	if (h->n_events == 0 || (o->wants_host && !o->wants_host(o->ctx, a->host)))
		return 0;
	for (uint32_t i = 0; i < s->cap_tasks && i < h->n_tasks; i++) {
		struct cpu_task *t = &s->tasks[i];
		const struct kernel_span *p = kernel_span_kept(h, t->pending_span);
		if (t->n_pending && p && is_known_mode(p->state) &&
			!resolve(s, i, part_of(p->state, KERNEL_NO_CAUSE)))
			return mer_fail_nomem(a->err);
	}
	for (uint32_t at = 0; analysis_next_cpu(a, &at, &cpu);)
		if (!cpu_at(s, cpu))
			return mer_fail_nomem(a->err);
	for (size_t i = 0; i < s->cap_cpus; i++)
		cpu_full_end(&s->cpus[i].full);
	place_moves(s, h);
	analysis_series_sort(&s->by_task);
	analysis_series_sort(&s->by_cpu);
	return 0;
}

static void free_state(void *state)
{
	struct cpu_state *s = state;
	for (size_t i = 0; i < s->cap_tasks; i++)
		free(s->tasks[i].pending);
	free(s->tasks);
	free(s->cpus);
	mer_map_fini(&s->recorded);
	mer_map_fini(&s->seen);
	analysis_series_fini(&s->by_task);
	analysis_series_fini(&s->by_cpu);
}

const struct analysis analysis_cpu = {
	.id = "cpu",
	.title = "CPU usage",
	.help = "CPU time of threads, processes, CPUs and hosts, over time, and each time slice",
	.by_duration = 1u << CPU_LOG | 1u << CPU_FREQ | 1u << CPU_STATS,
	.needs_no_past = true,
	.slices = 1u << CPU_LOG | 1u << CPU_FREQ | 1u << CPU_STATS,
	.late = ANALYSIS_ALL_OUTPUTS,
	.outputs = cpu_outputs,
	.worth = "duration_ns self_ns percent runnable_ns idle_ns unknown_ns cpus user_ns "
		 "syscall_ns "
		 "softirq_ns irq_ns "
		 "interrupted_ns "
		 "kernel_ns running_ns threads migrations total_ns count max_ns p99_ns p50_ns",
	.charts = cpu_charts,
	.state_size = sizeof(struct cpu_state),
	.on = { .span = on_span, .idle = on_idle, .switched = on_switched, .migrate = on_migrate },
	.begin = begin,
	.end = end,
	.emit = cpu_emit,
	.free_state = free_state,
};
