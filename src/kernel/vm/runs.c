#include "kernel/vm/runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "kernel/each_event.h"
#include "kernel/layouts.h"
#include "kernel/losses.h"

struct reader {
	struct mer_experiment *e;
	struct kernel_runs *r;
	struct mer_err *err;
};

static int change(struct reader *x, uint16_t cpu, int64_t time, int32_t tid, const uint64_t *name)
{
	struct kernel_runs *r = x->r;
	struct kernel_runs_cpu *c = &r->cpus[cpu];
	uint32_t comm =
		mer_intern_add(&r->comms, (const char *)(uintptr_t)name[0], (size_t)name[1]);
	if (comm == MER_INTERN_NONE ||
		!mer_spill_grow32(x->e->spill, &c->changes, c->n, &c->cap, sizeof(*c->changes)))
		return mer_fail_nomem(x->err);
	c->changes[c->n++] = (struct kernel_runs_change){ time, tid, comm };
	return 0;
}

static int see(void *ctx, const struct mer_event *ev)
{
	struct reader *x = ctx;
	struct kernel_runs *r = x->r;
	int32_t number = x->e->streams[ev->stream].cpu;
	int64_t cpu = number >= 0 ? number : (int64_t)ev->slots[KERNEL_SLOT_CPU];
	if (ev->ts == MER_NO_TIME || cpu < 0 || cpu >= KERNEL_MAX_CPUS)
		return 0;
	while (r->n_cpus <= cpu) {
		struct kernel_runs_cpu *p = realloc(r->cpus, ((size_t)r->n_cpus + 1) * sizeof(*p));
		if (!p)
			return mer_fail_nomem(x->err);
		r->cpus = p;
		p[r->n_cpus++] = (struct kernel_runs_cpu){ 0 };
	}
	/* Whoever it takes off the CPU was on it since its record began. */
	int rc = r->cpus[cpu].n == 0
			 ? change(x, (uint16_t)cpu, INT64_MIN, (int32_t)ev->slots[SWITCH_PREV],
				   &ev->slots[SWITCH_PREV_COMM])
			 : 0;
	return rc ? rc
		  : change(x, (uint16_t)cpu, ev->ts, (int32_t)ev->slots[SWITCH_NEXT],
			    &ev->slots[SWITCH_NEXT_COMM]);
}

int kernel_runs_read(struct mer_experiment *e, uint32_t host, struct mer_cancel *cancel,
	struct kernel_runs *r, struct mer_err *err)
{
	struct reader x = { e, r, err };
	struct trace_reading *reading;
	r->is_read = true;
	mer_arena_init(&r->arena);
	mer_intern_init(&r->comms, &r->arena);
	int rc = kernel_switch_reading_new(e, &reading, err);
	if (rc == 0)
		rc = kernel_each_event(e, reading, host, cancel, see, &x, err);
	trace_reading_free(reading);
	return rc;
}

void kernel_runs_fini(struct kernel_runs *r)
{
	if (!r->is_read)
		return;
	for (uint32_t i = 0; i < r->n_cpus; i++)
		mer_spill_release(r->cpus[i].changes);
	free(r->cpus);
	mer_intern_fini(&r->comms);
	mer_arena_fini(&r->arena);
	*r = (struct kernel_runs){ 0 };
}

int64_t kernel_run_at(
	const struct kernel_runs *r, uint16_t cpu, int64_t time, struct kernel_run *run)
{
	*run = (struct kernel_run){ -1, "" };
	if (cpu >= r->n_cpus || !r->cpus[cpu].n)
		return INT64_MAX;
	const struct kernel_runs_cpu *c = &r->cpus[cpu];
	MER_LOWER_BOUND(after, 0, c->n, at, c->changes[at].time <= time);
	if (after) {
		run->tid = c->changes[after - 1].tid;
		run->comm = mer_intern_text(&r->comms, c->changes[after - 1].comm);
	}
	return after < c->n ? c->changes[after].time : INT64_MAX;
}
