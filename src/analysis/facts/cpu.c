/* A span on a CPU is reported when it ends, possibly before it is known whether the task was in
 * a system call. Such times are held back for each task until the model finds out, so that each
 * fact is complete. If it never does, the mode stays CPU_RUNNING; the same holds for a task's
 * held times if a host has too many of them. */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/fact.h"
#include "analysis/facts/cpu.h"
#include "analysis/facts/cpu_full.h"
#include "base/grow.h"

/* ---- facts ---- */

static const char *const mode_names[] = { "user", "syscall", "kernel", "running", "irq", "softirq",
	"idle", "stolen", "hypervisor" };
static const struct fact_field mode_fields[] = {
	{ "mode", "mode", MER_TEXT, FACT_WORDS(mode_names), FACT_MEMBER(struct fact, choice) },
	{ 0 },
};
static const struct fact_field no_fields[] = { { 0 } };

struct cpu_move {	  /* fact.cpu: the CPU that the task moved to */
	struct fact fact; /* an instant */
	uint16_t from;
	uint8_t crosses; /* moved to another package: 1 or 0; UINT8_MAX: not known */
	uint8_t unused[5];
};
static const struct fact_field move_fields[] = {
	{ "from_cpu", "from CPU", MER_ID, FACT_NUMBER, FACT_MEMBER(struct cpu_move, from) },
	{ "crosses", NULL, MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct cpu_move, crosses),
		FACT_NONE_IS(UINT8_MAX) },
	{ 0 },
};

static const struct fact_maker maker;
static const struct fact_origin run_origin;
const struct fact_kind fact_cpu_run = {
	.id = "cpu_run",
	.title = "Times of tasks on CPUs",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct fact),
	.origin = &run_origin,
	.fields = mode_fields,
};
const struct fact_kind fact_cpu_idle = {
	.id = "cpu_idle",
	.title = "Times of CPUs without a task",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct fact),
	.of_cpus = true,
	.fields = mode_fields,
};
const struct fact_kind fact_cpu_wait = {
	.id = "cpu_wait",
	.title = "Times of tasks that were runnable",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct fact),
	.fields = no_fields,
};
const struct fact_kind fact_cpu_move = {
	.id = "cpu_move",
	.title = "Migrations",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct cpu_move),
	.of_tasks = true,
	.fields = move_fields,
};
const struct fact_kind fact_cpu_full = {
	.id = "cpu_full",
	.title = "Times of CPUs that had none to spare",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct fact),
	.of_cpus = true,
	.fields = no_fields,
};
enum { RUN, IDLE, WAIT, MOVE, FULL };
static const struct fact_kind *const kinds[] = { &fact_cpu_run, &fact_cpu_idle, &fact_cpu_wait,
	&fact_cpu_move, &fact_cpu_full, NULL };

/* ---- their maker ---- */

enum { MOST_HELD = 1 << 20, MOST_MOVES = 1 << 16 };

struct held { /* time of a task whose mode may still be found out */
	int64_t begin, end;
	uint16_t cpu;
};

struct cpu_task {
	struct held *held;
	uint32_t n_held, cap_held;
	uint32_t span;	   /* the last span in it */
	uint32_t last_cpu; /* plus 1 */
};

struct state {
	struct cpu_task *tasks;
	struct cpu_full *cpus;
	size_t cap_tasks, cap_cpus;
	size_t n_held;
	/* Moves held until the CPUs of each package are known. */
	struct cpu_move *moves;
	size_t n_moves, cap_moves;
	bool knows_no_packages; /* too many moves before that */
};

static enum cpu_mode mode_of(enum kernel_state state, enum kernel_cause cause)
{
	switch (state) {
	case KERNEL_USER: return CPU_USER;
	case KERNEL_SYSCALL: return CPU_SYSCALL;
	case KERNEL_THREAD: return CPU_KERNEL;
	case KERNEL_INTERRUPTED:
		return cause == KERNEL_STOLEN	    ? CPU_STOLEN
		       : cause == KERNEL_HYPERVISOR ? CPU_HYPERVISOR
		       : cause == KERNEL_SOFTIRQ    ? CPU_SOFTIRQ
						    : CPU_IRQ;
	default: return CPU_RUNNING;
	}
}

/* Spans of a store already have their final mode. */
static int on_stretch(
	struct fact_host *f, const struct kernel_host *h, const struct fact_stretch *s)
{
	uint16_t mode = (uint16_t)mode_of((enum kernel_state)s->state, (enum kernel_cause)s->cause);
	if (s->end <= s->begin)
		return 0;
	return fact_add(f, h, RUN, &(struct fact){ s->begin, s->end, s->task, s->cpu, mode });
}
static const struct fact_origin run_origin = { .take_stretch = on_stretch };

/* ---- times that are held back ---- */

static int release(struct fact_host *f, const struct kernel_host *h, uint32_t task, uint16_t mode)
{
	struct state *s = f->state;
	struct cpu_task *t = &s->tasks[task];
	int rc = 0;
	/* Found out while it slept; it did not run again, and the model has let go of that span. */
	if (mode == CPU_RUNNING && h->tasks[task].is_kernel)
		mode = CPU_KERNEL;
	for (uint32_t i = 0; i < t->n_held && rc == 0; i++)
		rc = fact_add(f, h, RUN,
			&(struct fact){
				t->held[i].begin, t->held[i].end, task, t->held[i].cpu, mode });
	s->n_held -= t->n_held;
	t->n_held = 0;
	if (t->cap_held > 64) { /* most tasks do not need that room again */
		free(t->held);
		t->held = NULL;
		t->cap_held = 0;
	}
	return rc;
}

static int hold(struct fact_host *f, const struct kernel_host *h, const struct fact *x)
{
	struct state *s = f->state;
	struct cpu_task *t = &s->tasks[x->task];
	if (!mer_grow32(&t->held, t->n_held, &t->cap_held, sizeof(*t->held)))
		return mer_fail_nomem(f->err);
	t->held[t->n_held++] = (struct held){ x->begin, x->end, x->cpu };
	return ++s->n_held <= MOST_HELD ? 0 : release(f, h, x->task, CPU_RUNNING);
}

static bool is_known_mode(enum kernel_state state)
{
	return state == KERNEL_USER || state == KERNEL_SYSCALL || state == KERNEL_THREAD;
}

/* The last reported span may have a mode that determines the mode of the time before it. */
static int learn(struct fact_host *f, const struct kernel_host *h, const struct kernel_span *told)
{
	const struct state *s = f->state;
	const struct kernel_span *p = kernel_span_kept(h, s->tasks[told->task].span);
	if (p && is_known_mode(p->state))
		return release(f, h, told->task, (uint16_t)mode_of(p->state, KERNEL_NO_CAUSE));
	if (told->state == KERNEL_UNKNOWN)
		return release(f, h, told->task, CPU_RUNNING);
	if (!p && is_known_mode(told->state))
		return release(f, h, told->task, (uint16_t)mode_of(told->state, KERNEL_NO_CAUSE));
	return 0;
}

/* ---- migrations ---- */

static uint32_t package_of(const struct kernel_host *h, uint16_t cpu)
{
	const uint32_t *at = mer_map_get(&h->packages, cpu);
	return at ? *at : 0;
}

static uint8_t crosses(const struct kernel_host *h, const struct cpu_move *m)
{
	uint32_t from = package_of(h, m->from), to = package_of(h, m->fact.cpu);
	if (m->from == m->fact.cpu)
		return 0;
	return from && to ? from != to : UINT8_MAX;
}

static int release_moves(struct fact_host *f, const struct kernel_host *h)
{
	struct state *s = f->state;
	int rc = 0;
	for (size_t i = 0; i < s->n_moves && rc == 0; i++) {
		s->moves[i].crosses = crosses(h, &s->moves[i]);
		rc = fact_add(f, h, MOVE, &s->moves[i]);
	}
	s->n_moves = 0;
	return rc;
}

static int add_move(struct fact_host *f, const struct kernel_host *h, uint32_t task, int64_t time,
	uint16_t from, uint16_t to)
{
	struct state *s = f->state;
	struct cpu_move m = { .fact = { time, time, task, to, 0 }, .from = from };
	m.crosses = crosses(h, &m);
	if (m.crosses != UINT8_MAX || s->knows_no_packages)
		return fact_add(f, h, MOVE, &m);
	if (!mer_grow(&s->moves, s->n_moves, &s->cap_moves, sizeof(*s->moves)))
		return mer_fail_nomem(f->err);
	s->moves[s->n_moves++] = m;
	s->knows_no_packages = s->n_moves == MOST_MOVES;
	return s->knows_no_packages ? release_moves(f, h) : 0;
}

static int on_migrate(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time,
	uint16_t from, uint16_t to)
{
	return fact_is_used(ctx, MOVE) ? add_move(ctx, h, task, time, from, to) : 0;
}

/* ---- CPUs ---- */

static int add_full(struct fact_host *f, const struct kernel_host *h, uint16_t cpu,
	const struct cpu_full_times *x)
{
	return fact_add(f, h, FULL, &(struct fact){ x->begin, x->end, KERNEL_NONE, cpu, 0 });
}

static int add_busy(
	struct fact_host *f, const struct kernel_host *h, uint16_t cpu, int64_t begin, int64_t end)
{
	struct state *s = f->state;
	struct cpu_full_times ended;
	if (!fact_is_used(f, FULL))
		return 0;
	struct cpu_full *c = mer_grow_at(&s->cpus, &s->cap_cpus, cpu, sizeof(*c));
	if (!c)
		return mer_fail_nomem(f->err);
	return cpu_full_add(c, begin, end, &ended) ? add_full(f, h, cpu, &ended) : 0;
}

static int on_idle(void *ctx, const struct kernel_host *h, const struct kernel_idle *i)
{
	uint16_t mode = i->cause == KERNEL_NO_CAUSE  ? CPU_IDLE
			: i->cause == KERNEL_SOFTIRQ ? CPU_SOFTIRQ
						     : CPU_IRQ;
	int rc = mode == CPU_IDLE ? 0 : add_busy(ctx, h, i->cpu, i->begin, i->end);
	if (rc || !fact_is_used(ctx, IDLE) || i->end <= i->begin)
		return rc;
	return fact_add(
		ctx, h, IDLE, &(struct fact){ i->begin, i->end, KERNEL_NONE, i->cpu, mode });
}

/* ---- spans ---- */

static int add_wait(
	struct fact_host *f, const struct kernel_host *h, const struct kernel_span *k, int64_t end)
{
	if (!fact_is_used(f, WAIT) || end <= k->begin)
		return 0;
	return fact_add(f, h, WAIT, &(struct fact){ k->begin, end, k->task, k->cpu, 0 });
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	const struct kernel_span *k = kernel_span(h, span);
	struct cpu_task *t = k->task < s->cap_tasks ? &s->tasks[k->task]
						    : mer_grow_at(&s->tasks, &s->cap_tasks, k->task,
							      sizeof(*s->tasks));
	if (!t)
		return mer_fail_nomem(f->err);
	int rc = t->n_held ? learn(f, h, k) : 0;
	if (rc || k->state == KERNEL_RUNNABLE)
		return rc ? rc : add_wait(f, h, k, end);
	if (!kernel_is_on_cpu(k->state) || k->cpu == KERNEL_NO_CPU)
		return 0;
	/* If migrations are not recorded, changes of CPU are counted instead. */
	if (t->last_cpu && t->last_cpu != k->cpu + 1u && !h->has_migrations &&
		fact_is_used(f, MOVE))
		rc = add_move(f, h, k->task, k->begin, (uint16_t)(t->last_cpu - 1), k->cpu);
	t->last_cpu = k->cpu + 1u;
	struct fact x = { k->begin, end, k->task, k->cpu, (uint16_t)mode_of(k->state, k->cause) };
	if (x.choice == CPU_RUNNING)
		t->span = span;
	if (rc || end <= k->begin)
		return rc;
	rc = add_busy(f, h, k->cpu, k->begin, end);
	if (rc || !fact_is_used(f, RUN))
		return rc;
	return x.choice == CPU_RUNNING ? hold(f, h, &x) : fact_add(f, h, RUN, &x);
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	struct cpu_full_times ended;
	int rc = release_moves(f, h);
	(void)w;
	for (uint32_t i = 0; i < s->cap_tasks && i < h->n_tasks && rc == 0; i++) {
		const struct kernel_span *p =
			s->tasks[i].n_held ? kernel_span_kept(h, s->tasks[i].span) : NULL;
		bool is_known = p && is_known_mode(p->state);
		rc = release(f, h, i,
			is_known ? (uint16_t)mode_of(p->state, KERNEL_NO_CAUSE) : CPU_RUNNING);
	}
	for (size_t i = 0; i < s->cap_cpus && rc == 0; i++)
		if (cpu_full_end(&s->cpus[i], &ended))
			rc = add_full(f, h, (uint16_t)i, &ended);
	return rc;
}

static void free_state(void *state)
{
	struct state *s = state;
	for (size_t i = 0; i < s->cap_tasks; i++)
		free(s->tasks[i].held);
	free(s->tasks);
	free(s->cpus);
	free(s->moves);
}

static const struct fact_maker maker = {
	.id = "cpu",
	.kinds = kinds,
	.state_size = sizeof(struct state),
	.on = { .span = on_span, .idle = on_idle, .migrate = on_migrate },
	.end = end,
	.free_state = free_state,
};
