/* A vCPU is the thread that is on a CPU when it enters a guest. Switches show which thread that
 * is: the one that begins a stretch of a CPU, and the one that ends it. If the two name
 * different threads, a switch between them was lost without being counted. Then it is not known
 * to which thread the events of the stretch belong: it is unknown time of both threads, and
 * makes no thread a vCPU. */
#include "kernel/vm/vcpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "kernel/each_event.h"
#include "kernel/layouts.h"
#include "kernel/oncpu.h"
#include "kernel/vm/exits.h"

const char *const kernel_vcpu_state_names[KERNEL_VCPU_N_STATES] = { "unknown", "in guest",
	"hypervisor", "user", "preempted", "halted", "runnable" };

enum place { PLACE_UNKNOWN, PLACE_GUEST, PLACE_HYPERVISOR, PLACE_USER };
enum doing { IS_LOST, IS_ON_CPU, IS_RUNNABLE, IS_BLOCKED, IS_DEAD };

struct thread { /* of a vCPU, by its number */
	uint32_t exit;
	uint32_t by;
	uint16_t cpu;
	uint8_t place, doing;
	bool was_woken;	  /* since it had a CPU, and IS_RUNNABLE */
	bool woken_early; /* while it was still on its CPU */
	bool has_entered; /* or has left a guest in this stretch */
	int32_t id;	  /* of the vCPU, as the stretches before it said */
	/* Stretches that a switch has ended, since the first with an entry or exit; with some. */
	uint32_t n_stretches, n_with;
};

struct cpu {
	struct kernel_on_cpu on;
	uint32_t vcpu;	   /* the runner that is on it; KERNEL_NONE */
	uint32_t runner;   /* number of its task; NOT_YET: not looked up */
	uint32_t n_queued; /* vCPUs that wait for it */
	bool is_left;	   /* since, who was thought to be on it was seen on another one */
	const char *comm;  /* of its task; "": not known */
};
enum { NOT_YET = KERNEL_NONE - 1 };

struct reader {
	struct mer_experiment *e;
	uint32_t host;
	const struct kernel_event_reading *r;
	struct kernel_vcpus *v;
	struct thread *threads; /* as v->vcpus */
	size_t cap_threads;
	struct mer_map tids;	  /* tid -> number of its vCPU, plus 1 */
	struct mer_map runner_of; /* tid and name -> its number, plus 1 */
	struct mer_intern comms;
	struct cpu *cpus;
	uint32_t n_cpus;
	struct kernel_holes holes;
	uint32_t n_holes; /* going on, on whatever CPU */
	int64_t begin;
	bool exits_have_id; /* of their vCPU; else the entries have it */
	struct mer_err *err;
};

/* ---- stays ---- */

static enum kernel_vcpu_state state_of(const struct thread *t)
{
	static const uint8_t on_cpu[] = { [PLACE_UNKNOWN] = KERNEL_VCPU_UNKNOWN,
		[PLACE_GUEST] = KERNEL_VCPU_GUEST,
		[PLACE_HYPERVISOR] = KERNEL_VCPU_HYPERVISOR,
		[PLACE_USER] = KERNEL_VCPU_USER };
	switch ((enum doing)t->doing) {
	case IS_ON_CPU: return (enum kernel_vcpu_state)on_cpu[t->place];
	case IS_RUNNABLE: return t->was_woken ? KERNEL_VCPU_RUNNABLE : KERNEL_VCPU_PREEMPTED;
	case IS_BLOCKED:
		return kernel_exit_is_halt(t->exit) ? KERNEL_VCPU_HALTED
						    : (enum kernel_vcpu_state)on_cpu[t->place];
	default: return KERNEL_VCPU_UNKNOWN;
	}
}

/* What the thread does from ts on, as its struct says. */
static int stay(struct reader *x, uint32_t vcpu, int64_t ts)
{
	const struct thread *t = &x->threads[vcpu];
	struct kernel_vcpu *v = &x->v->vcpus[vcpu];
	enum kernel_vcpu_state state = state_of(t);
	bool is_away = state != KERNEL_VCPU_GUEST && state != KERNEL_VCPU_UNKNOWN;
	struct kernel_vcpu_stay s = { .begin = ts,
		.exit = is_away ? t->exit : KERNEL_NONE,
		.by = kernel_vcpu_waits(state) ? t->by : KERNEL_NONE,
		.cpu = t->cpu,
		.state = (uint8_t)state };
	struct kernel_vcpu_stay *last = v->n_stays ? &v->stays[v->n_stays - 1] : NULL;
	if (last && last->state == s.state && last->exit == s.exit && last->by == s.by &&
		last->cpu == s.cpu)
		return 0;
	if (last && ts <= last->begin) {
		s.begin = last->begin;
		*last = s; /* nothing lasted no time */
		return 0;
	}
	if (!mer_spill_grow32(x->e->spill, &v->stays, v->n_stays, &v->cap_stays, sizeof(*v->stays)))
		return mer_fail_nomem(x->err);
	v->stays[v->n_stays++] = s;
	return 0;
}

/* What it was thought to do since then is not known. */
static int doubt(struct reader *x, uint32_t vcpu, int64_t since)
{
	struct kernel_vcpu *v = &x->v->vcpus[vcpu];
	struct thread now = x->threads[vcpu];
	while (v->n_stays && v->stays[v->n_stays - 1].begin >= since)
		v->n_stays--;
	x->threads[vcpu] = (struct thread){ .doing = IS_LOST, .exit = KERNEL_NONE, .cpu = now.cpu };
	int rc = stay(x, vcpu, since > v->begin ? since : v->begin);
	now.place = PLACE_UNKNOWN;
	now.exit = KERNEL_NONE;
	now.has_entered = false;
	x->threads[vcpu] = now;
	v->id = now.id;
	return rc;
}

int64_t kernel_preempted_since(const struct kernel_vcpu *v, int64_t time, uint32_t *by)
{
	MER_LOWER_BOUND(after, 0, v->n_stays, i, v->stays[i].begin <= time);
	int64_t since = INT64_MAX;
	*by = after ? v->stays[after - 1].by : KERNEL_NONE;
	/* Whoever had the CPU meanwhile. */
	for (; time < v->end && after &&
		kernel_vcpu_waits((enum kernel_vcpu_state)v->stays[after - 1].state);
		after--)
		since = v->stays[after - 1].begin;
	return since;
}

/* ---- Which task has a CPU ---- */

static int runner_on(struct reader *x, struct cpu *c, uint32_t *runner)
{
	struct kernel_vcpus *v = x->v;
	int32_t tid = kernel_on_cpu_tid(&c->on);
	*runner = KERNEL_NONE;
	if (tid <= 0 || c->is_left)
		return 0;
	if (c->runner == NOT_YET) {
		uint32_t comm = mer_intern_add(&x->comms, c->comm, strlen(c->comm));
		uint32_t *at =
			comm == MER_INTERN_NONE
				? NULL
				: mer_map_put(&x->runner_of, (uint64_t)comm << 32 | (uint32_t)tid);
		if (!at || (!*at && !mer_grow32(&v->runners, v->n_runners, &v->cap_runners,
					    sizeof(*v->runners))))
			return mer_fail_nomem(x->err);
		if (!*at) {
			v->runners[v->n_runners] =
				(struct kernel_runner){ tid, mer_intern_text(&x->comms, comm) };
			*at = ++v->n_runners;
		}
		c->runner = *at - 1;
	}
	*runner = c->runner;
	return 0;
}

static struct cpu *cpu_at(struct reader *x, int64_t cpu)
{
	if (cpu < 0 || cpu >= KERNEL_MAX_CPUS)
		return NULL;
	if (cpu >= x->n_cpus) {
		struct cpu *p = realloc(x->cpus, ((size_t)cpu + 1) * sizeof(*p));
		if (!p)
			return NULL;
		x->cpus = p;
		for (; x->n_cpus <= cpu; x->n_cpus++) {
			p[x->n_cpus] = (struct cpu){ .vcpu = KERNEL_NONE, .runner = NOT_YET };
			p[x->n_cpus].comm = "";
			kernel_on_cpu_init(&p[x->n_cpus].on, KERNEL_TID_UNKNOWN);
		}
	}
	return &x->cpus[cpu];
}

static void leave_queue(struct reader *x, uint32_t vcpu)
{
	const struct thread *t = &x->threads[vcpu];
	struct cpu *c = t->doing == IS_RUNNABLE ? cpu_at(x, t->cpu) : NULL;
	if (c && c->n_queued)
		c->n_queued--;
}

/* The thread of the vCPU waits for this CPU: first after a wake-up (woken), or it did so before. */
static int queue(struct reader *x, uint32_t vcpu, uint16_t cpu, bool woken, int64_t ts)
{
	leave_queue(x, vcpu);
	struct cpu *c = cpu_at(x, cpu);
	struct thread *t = &x->threads[vcpu];
	t->was_woken = t->doing == IS_RUNNABLE ? t->was_woken : woken;
	t->doing = IS_RUNNABLE;
	t->cpu = cpu;
	if (!c)
		return mer_fail_nomem(x->err);
	c->n_queued++;
	int rc = runner_on(x, c, &t->by);
	return rc ? rc : stay(x, vcpu, ts);
}

/* Who waits for the CPU waits for another task now. */
static int tell_queued(struct reader *x, uint16_t cpu, int64_t ts)
{
	int rc = 0;
	uint32_t by;
	if (!x->cpus[cpu].n_queued)
		return 0;
	rc = runner_on(x, &x->cpus[cpu], &by);
	for (uint32_t i = 0; i < x->v->n && rc == 0; i++) {
		struct thread *t = &x->threads[i];
		if (t->doing != IS_RUNNABLE || t->cpu != cpu)
			continue;
		t->by = by;
		rc = stay(x, i, ts);
	}
	return rc;
}

/* ---- events ---- */

static uint32_t vcpu_of(const struct reader *x, int32_t tid)
{
	const uint32_t *at = tid > 0 ? mer_map_get(&x->tids, (uint32_t)tid) : NULL;
	return at && *at ? *at - 1 : KERNEL_NONE;
}

/* Does the thread wait, or would it run if it got a CPU? As in model_sched.c, from the state of
 * a task that leaves its CPU: if it does not wait, it was preempted. */
static bool is_runnable(uint64_t prev_state)
{
	enum { REPORTED = 0xff };
	return (prev_state & REPORTED) == 0;
}

/* Nothing is known of it until it is seen again. */
static int get_lost(struct reader *x, uint32_t vcpu, int64_t ts)
{
	struct thread *t = &x->threads[vcpu];
	leave_queue(x, vcpu);
	t->doing = IS_LOST;
	t->place = PLACE_UNKNOWN;
	t->exit = KERNEL_NONE;
	return stay(x, vcpu, ts);
}

/* A switch agrees that it was on the CPU. */
static void end_stretch(struct reader *x, uint32_t vcpu)
{
	struct thread *t = &x->threads[vcpu];
	t->id = x->v->vcpus[vcpu].id;
	t->n_stretches += t->has_entered;
	t->n_with += t->has_entered;
	t->has_entered = false;
}

static int leave_cpu(struct reader *x, uint32_t vcpu, uint16_t cpu, int64_t ts, uint64_t prev_state)
{
	enum { DEAD = 16 | 32 | 64 };
	struct thread *t = &x->threads[vcpu];
	bool ready = is_runnable(prev_state) || t->woken_early;
	if (t->doing == IS_DEAD)
		return 0;
	t->n_stretches += !t->has_entered;
	end_stretch(x, vcpu);
	if (t->place == PLACE_GUEST)
		t->place = PLACE_HYPERVISOR;
	t->woken_early = false;
	if (prev_state & DEAD) {
		x->v->vcpus[vcpu].end = ts;
		t->doing = IS_DEAD;
		return 0;
	}
	/* It may run on the CPU that is not recorded now. */
	if (x->n_holes)
		return get_lost(x, vcpu, ts);
	if (ready)
		return queue(x, vcpu, cpu, !is_runnable(prev_state), ts);
	leave_queue(x, vcpu);
	t->doing = IS_BLOCKED;
	t->cpu = cpu;
	return stay(x, vcpu, ts);
}

static int come_onto_cpu(struct reader *x, uint32_t vcpu, uint16_t cpu, int64_t ts)
{
	struct thread *t = &x->threads[vcpu];
	if (t->doing == IS_ON_CPU && t->cpu != cpu) {
		struct cpu *left = &x->cpus[t->cpu];
		left->is_left = true;
		int rc = doubt(x, vcpu, left->on.since);
		if (rc == 0)
			rc = tell_queued(x, t->cpu, ts);
		if (rc)
			return rc;
	}
	leave_queue(x, vcpu);
	end_stretch(x, vcpu);
	t->doing = IS_ON_CPU;
	t->cpu = cpu;
	t->woken_early = false;
	return stay(x, vcpu, ts);
}

/* A thread leaves a CPU that another one was thought to be on. left: the vCPU of the first;
 * KERNEL_NONE: it is of none. */
static int contradict(struct reader *x, struct cpu *c, uint32_t left, uint16_t cpu, int64_t ts)
{
	struct thread *t = c->vcpu == KERNEL_NONE ? NULL : &x->threads[c->vcpu];
	int rc = 0;
	if (t && t->doing == IS_ON_CPU && t->cpu == cpu) {
		rc = doubt(x, c->vcpu, c->on.since);
		if (rc == 0)
			rc = get_lost(x, c->vcpu, ts);
	}
	if (rc || left == KERNEL_NONE || x->threads[left].doing == IS_DEAD)
		return rc;
	/* It came onto this CPU unseen, after what was last seen of it. */
	const struct kernel_vcpu *v = &x->v->vcpus[left];
	int64_t seen = v->n_stays ? v->stays[v->n_stays - 1].begin : v->begin;
	return doubt(x, left, seen > c->on.since ? seen : c->on.since);
}

static int on_switch(struct reader *x, struct cpu *c, uint16_t cpu, const struct mer_event *ev)
{
	const uint64_t *slots = ev->slots;
	int32_t prev = (int32_t)slots[SWITCH_PREV], next = (int32_t)slots[SWITCH_NEXT];
	bool agrees = c->vcpu != KERNEL_NONE && x->v->vcpus[c->vcpu].tid == prev;
	uint32_t left = agrees ? c->vcpu : vcpu_of(x, prev), comes = vcpu_of(x, next);
	int32_t before = kernel_on_cpu_tid(&c->on);
	int rc = before != KERNEL_TID_UNKNOWN && before != prev
			 ? contradict(x, c, left, cpu, ev->ts)
			 : 0;
	c->is_left = false;
	if (rc)
		return rc;
	kernel_on_cpu_switch(&c->on, ev->ts, next);
	uint32_t comm = mer_intern_add(&x->comms, (const char *)(uintptr_t)slots[SWITCH_NEXT_COMM],
		(size_t)slots[SWITCH_NEXT_COMM + 1]);
	if (comm == MER_INTERN_NONE)
		return mer_fail_nomem(x->err);
	c->comm = mer_intern_text(&x->comms, comm);
	c->runner = NOT_YET;
	/* In a hole no task is known to stay. */
	bool is_certain = c->on.n_holes == 0;
	c->vcpu = is_certain ? comes : KERNEL_NONE;
	if (left != KERNEL_NONE)
		rc = leave_cpu(x, left, cpu, ev->ts, slots[SWITCH_STATE]);
	if (rc == 0 && comes != KERNEL_NONE)
		rc = is_certain ? come_onto_cpu(x, comes, cpu, ev->ts) : get_lost(x, comes, ev->ts);
	return rc ? rc : tell_queued(x, cpu, ev->ts);
}

static int on_wake(struct reader *x, const struct mer_event *ev)
{
	uint32_t vcpu = vcpu_of(x, (int32_t)ev->slots[TASK_TID]);
	uint64_t cpu = ev->slots[WAKE_CPU];
	struct thread *t = vcpu == KERNEL_NONE ? NULL : &x->threads[vcpu];
	if (!t || cpu >= KERNEL_MAX_CPUS || t->doing == IS_DEAD)
		return 0;
	if (t->doing == IS_ON_CPU) {
		t->woken_early = true;
		return 0;
	}
	if (x->n_holes)
		return 0; /* it is lost since the hole began */
	return t->doing == IS_RUNNABLE && t->cpu == cpu
		       ? 0
		       : queue(x, vcpu, (uint16_t)cpu, true, ev->ts);
}

static int on_migrate(struct reader *x, const struct mer_event *ev)
{
	uint32_t vcpu = vcpu_of(x, (int32_t)ev->slots[TASK_TID]);
	uint64_t cpu = ev->slots[WAKE_CPU];
	if (vcpu == KERNEL_NONE || cpu >= KERNEL_MAX_CPUS || x->threads[vcpu].doing != IS_RUNNABLE)
		return 0;
	return queue(x, vcpu, (uint16_t)cpu, false, ev->ts);
}

/* The thread on the CPU is a vCPU: it enters or leaves a guest. since: from when on it did so. */
static int meet(struct reader *x, struct cpu *c, uint16_t cpu, int64_t since)
{
	struct kernel_vcpus *v = x->v;
	int32_t tid = kernel_on_cpu_tid(&c->on);
	if (tid <= 0)
		return 0;
	uint32_t *at = mer_map_put(&x->tids, (uint32_t)tid);
	struct thread *t = mer_grow_at(&x->threads, &x->cap_threads, v->n, sizeof(*x->threads));
	if (!at || !t || !mer_grow32(&v->vcpus, v->n, &v->cap, sizeof(*v->vcpus)))
		return mer_fail_nomem(x->err);
	*at = v->n + 1;
	c->vcpu = v->n;
	*t = (struct thread){ .exit = KERNEL_NONE, .by = KERNEL_NONE, .cpu = cpu };
	t->doing = IS_ON_CPU;
	t->id = -1;
	v->vcpus[v->n++] = (struct kernel_vcpu){
		.tid = tid, .id = -1, .guest = KERNEL_NONE, .begin = since, .end = INT64_MAX
	};
	return 0;
}

static int on_vm(struct reader *x, struct cpu *c, uint16_t cpu, const struct mer_event *ev,
	enum kernel_event event)
{
	bool is_certain = event == KERNEL_EV_VM_ENTRY || event == KERNEL_EV_VM_EXIT;
	if (c->vcpu == KERNEL_NONE && (!is_certain || c->on.n_holes))
		return 0;
	int64_t since = event == KERNEL_EV_VM_ENTRY ? ev->ts
			: c->on.since != INT64_MIN  ? c->on.since
						    : x->begin;
	bool is_new = c->vcpu == KERNEL_NONE;
	int rc = is_new ? meet(x, c, cpu, since) : 0;
	if (rc || c->vcpu == KERNEL_NONE)
		return rc;
	struct thread *t = &x->threads[c->vcpu];
	if (t->doing != IS_ON_CPU || t->cpu != cpu)
		return 0; /* seen elsewhere since */
	t->woken_early = false;
	t->has_entered |= is_certain;
	if (is_new && event == KERNEL_EV_VM_EXIT) {
		t->place = PLACE_GUEST;
		rc = stay(x, c->vcpu, since);
	}
	if (event == (x->exits_have_id ? KERNEL_EV_VM_EXIT : KERNEL_EV_VM_ENTRY) &&
		ev->slots[VM_EXIT_VCPU] < KERNEL_MAX_CPUS)
		x->v->vcpus[c->vcpu].id = (int32_t)ev->slots[VM_EXIT_VCPU];
	switch (event) {
	case KERNEL_EV_VM_ENTRY:
		t->place = PLACE_GUEST;
		t->exit = KERNEL_NONE;
		break;
	case KERNEL_EV_VM_EXIT:
		t->place = PLACE_HYPERVISOR;
		t->exit = kernel_exit(ev->slots[VM_EXIT_ISA], ev->slots[VM_EXIT_REASON]);
		break;
	case KERNEL_EV_VM_CALL:
		if (t->place == PLACE_GUEST)
			return 0;
		t->place = PLACE_HYPERVISOR;
		t->exit = KERNEL_NONE;
		break;
	default:
		if (t->place == PLACE_GUEST)
			return 0;
		t->place = PLACE_USER;
		break;
	}
	return rc ? rc : stay(x, c->vcpu, ev->ts);
}

/* ---- holes ---- */

/* Who was not certainly elsewhere may have done anything in it. */
static int lose(struct reader *x, uint16_t cpu, int64_t ts)
{
	int rc = 0;
	for (uint32_t i = 0; i < x->v->n && rc == 0; i++) {
		const struct thread *t = &x->threads[i];
		if (t->doing == IS_DEAD || (t->doing == IS_ON_CPU && t->cpu != cpu))
			continue;
		rc = get_lost(x, i, ts);
	}
	return rc;
}

static int pass_holes(struct reader *x, int64_t ts)
{
	struct kernel_hole_edge edge;
	int rc = 0;
	while (rc == 0 && kernel_holes_pass(&x->holes, ts, &edge)) {
		struct cpu *c = cpu_at(x, edge.loss->cpu);
		if (!c)
			return mer_fail_nomem(x->err);
		bool is_whole = kernel_on_cpu_edge(&c->on, &edge);
		x->n_holes = edge.is_begin ? x->n_holes + 1 : x->n_holes - (x->n_holes > 0);
		c->comm = "";
		c->runner = NOT_YET;
		c->vcpu = KERNEL_NONE;
		if (edge.is_begin)
			rc = lose(x, edge.loss->cpu, edge.loss->begin);
		if (!is_whole)
			continue;
		c->vcpu = vcpu_of(x, kernel_on_cpu_tid(&c->on));
		if (c->vcpu != KERNEL_NONE)
			rc = come_onto_cpu(x, c->vcpu, edge.loss->cpu, edge.loss->end);
	}
	return rc;
}

/* ---- the reading ---- */

static const enum kernel_event wanted[] = { KERNEL_EV_SWITCH, KERNEL_EV_WAKING, KERNEL_EV_WAKEUP,
	KERNEL_EV_MIGRATE, KERNEL_EV_VM_ENTRY, KERNEL_EV_VM_EXIT, KERNEL_EV_VM_TO_USER,
	KERNEL_EV_VM_CALL, KERNEL_EV_VM_RETURN };

int kernel_vcpus_reading_new(
	const struct mer_experiment *e, struct kernel_event_reading **r, struct mer_err *err)
{
	return kernel_event_reading_new(e, wanted, sizeof(wanted) / sizeof(*wanted), r, err);
}

static bool is_of_kernel(const struct mer_experiment *e, uint32_t trace)
{
	return strcmp(e->traces[trace].domain, "ust") != 0;
}

/* Does the host record such an event (needs_id: one that says which vCPU it is of)? */
static bool records(const struct mer_experiment *e, uint32_t host,
	const struct kernel_event_reading *r, enum kernel_event event, bool needs_id)
{
	for (uint32_t i = 0; i < e->n_parts; i++) {
		uint32_t trace = e->parts[i].trace;
		if (e->traces[trace].host != host || !is_of_kernel(e, trace))
			continue;
		const struct ctf_program *p = r->reading->programs[i];
		for (uint32_t k = 0; k < p->schema->n_streams; k++)
			for (uint32_t c = 0; c < p->schema->streams[k].n_events; c++) {
				const struct ctf_plan *plan = &p->streams[k].events[c];
				if (plan->wanted && r->event_of[plan->tag] == event &&
					(!needs_id ||
						kernel_has_field(&p->schema->streams[k].events[c],
							"vcpu_id")))
					return true;
			}
	}
	return false;
}

bool kernel_vcpus_are_recorded(
	const struct mer_experiment *e, uint32_t host, const struct kernel_event_reading *r)
{
	return records(e, host, r, KERNEL_EV_VM_ENTRY, false);
}

static int see(void *ctx, const struct mer_event *ev)
{
	struct reader *x = ctx;
	int32_t number = x->e->streams[ev->stream].cpu;
	int64_t cpu = number >= 0 ? number : (int64_t)ev->slots[KERNEL_SLOT_CPU];
	if (ev->ts == MER_NO_TIME || cpu < 0 || cpu >= KERNEL_MAX_CPUS ||
		!is_of_kernel(x->e, x->e->streams[ev->stream].trace))
		return 0;
	int rc = ev->ts >= x->holes.next ? pass_holes(x, ev->ts) : 0;
	struct cpu *c = rc ? NULL : cpu_at(x, cpu);
	if (!c)
		return rc ? rc : mer_fail_nomem(x->err);
	enum kernel_event event = (enum kernel_event)x->r->event_of[ev->plan->tag];
	switch (event) {
	case KERNEL_EV_SWITCH: return on_switch(x, c, (uint16_t)cpu, ev);
	case KERNEL_EV_WAKING:
	case KERNEL_EV_WAKEUP: return on_wake(x, ev);
	case KERNEL_EV_MIGRATE: return on_migrate(x, ev);
	default: return on_vm(x, c, (uint16_t)cpu, ev, event);
	}
}

static int begin(struct reader *x, const struct kernel_losses *losses)
{
	kernel_holes_init(&x->holes, losses);
	for (uint32_t i = 0; i < losses->n_cpus; i++) {
		struct cpu *c = cpu_at(x, i);
		if (!c)
			return mer_fail_nomem(x->err);
		kernel_on_cpu_init(&c->on, losses->first_tid[i]);
	}
	return 0;
}

/* Who runs a guest enters it nearly whenever it is on a CPU. Where switches are lost in pairs, even
 * a stretch that is whole may have another one's entries. */
static bool is_vcpu(const struct reader *x, uint32_t i)
{
	enum { SELDOM = 8 };
	const struct thread *t = &x->threads[i];
	uint64_t n_with = (uint64_t)t->n_with + t->has_entered;
	return n_with && n_with * SELDOM >= t->n_stretches;
}

static void drop_others(struct reader *x)
{
	struct kernel_vcpus *v = x->v;
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		if (is_vcpu(x, i))
			v->vcpus[n++] = v->vcpus[i];
		else
			mer_spill_release(v->vcpus[i].stays);
	}
	v->n = n;
}

static void finish(struct kernel_vcpus *v, int64_t end)
{
	for (uint32_t i = 0; i < v->n; i++) {
		struct kernel_vcpu *c = &v->vcpus[i];
		int64_t last = c->n_stays ? c->stays[c->n_stays - 1].begin : c->begin;
		if (c->end == INT64_MAX)
			c->end = end;
		if (c->end < last)
			c->end = last;
	}
}

int kernel_vcpus_read(struct mer_experiment *e, uint32_t host, const struct kernel_event_reading *r,
	const struct kernel_losses *losses, struct mer_cancel *cancel, struct kernel_vcpus *v,
	struct mer_err *err)
{
	struct reader x = { .e = e, .host = host, .r = r, .v = v, .begin = losses->begin };
	x.err = err;
	x.exits_have_id = records(e, host, r, KERNEL_EV_VM_EXIT, true);
	*v = (struct kernel_vcpus){ 0 };
	mer_arena_init(&v->arena);
	mer_intern_init(&x.comms, &v->arena);
	int rc = begin(&x, losses);
	if (rc == 0)
		rc = kernel_each_event(e, r->reading, host, cancel, see, &x, err);
	if (rc == 0)
		rc = pass_holes(&x, losses->end);
	drop_others(&x);
	finish(v, losses->end);
	free(x.threads);
	free(x.cpus);
	mer_map_fini(&x.tids);
	mer_map_fini(&x.runner_of);
	mer_intern_fini(&x.comms);
	return rc;
}

void kernel_vcpus_fini(struct kernel_vcpus *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		mer_spill_release(v->vcpus[i].stays);
	free(v->vcpus);
	free(v->runners);
	mer_arena_fini(&v->arena);
	*v = (struct kernel_vcpus){ 0 };
}
