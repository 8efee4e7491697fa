#include "kernel/switches.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kernel/each_event.h"
#include "kernel/events.h"
#include "kernel/layouts.h"
#include "kernel/oncpu.h"

struct counter {
	const struct mer_experiment *e;
	struct kernel_switches *s;
	struct kernel_on_cpu *cpus;
	size_t cap_cpus, n_cpus;
	struct kernel_holes holes;
	struct mer_err *err;
};

static struct kernel_on_cpu *cpu_at(struct counter *x, size_t cpu)
{
	if (!mer_grow_at(&x->cpus, &x->cap_cpus, cpu, sizeof(*x->cpus)))
		return NULL;
	for (; x->n_cpus <= cpu; x->n_cpus++)
		kernel_on_cpu_init(&x->cpus[x->n_cpus], KERNEL_TID_UNKNOWN);
	return &x->cpus[cpu];
}

static int see(void *ctx, const struct mer_event *ev)
{
	struct counter *x = ctx;
	const struct mer_stream *stream = &x->e->streams[ev->stream];
	int64_t cpu = stream->cpu >= 0 ? stream->cpu : (int64_t)ev->slots[KERNEL_SLOT_CPU];
	struct kernel_hole_edge edge;
	if (ev->ts == MER_NO_TIME || cpu < 0 || cpu >= KERNEL_MAX_CPUS ||
		strcmp(x->e->traces[stream->trace].domain, "ust") == 0)
		return 0;
	while (kernel_holes_pass(&x->holes, ev->ts, &edge)) {
		struct kernel_on_cpu *lost = cpu_at(x, edge.loss->cpu);
		if (!lost)
			return mer_fail_nomem(x->err);
		kernel_on_cpu_edge(lost, &edge);
	}
	struct kernel_on_cpu *c = cpu_at(x, (size_t)cpu);
	if (!c)
		return mer_fail_nomem(x->err);
	int32_t before = kernel_on_cpu_tid(c), prev = (int32_t)ev->slots[SWITCH_PREV];
	bool are_known = before != KERNEL_TID_UNKNOWN && prev != KERNEL_TID_UNKNOWN;
	x->s->n += are_known;
	if (are_known && before != prev && x->s->n_contradict++ == 0) {
		x->s->first = ev->ts;
		x->s->trace = stream->trace;
	}
	kernel_on_cpu_switch(c, ev->ts, (int32_t)ev->slots[SWITCH_NEXT]);
	return 0;
}

int kernel_switches_count(struct mer_experiment *e, uint32_t host, struct mer_cancel *cancel,
	struct kernel_switches *s, struct mer_err *err)
{
	struct counter x = { .e = e, .s = s, .err = err };
	struct trace_reading *reading = NULL;
	struct kernel_losses losses = { 0 };
	*s = (struct kernel_switches){ 0 };
	int rc = kernel_switch_reading_new(e, &reading, err);
	if (rc == 0)
		rc = kernel_losses_find(e, host, reading, &losses, err);
	if (rc == 0) {
		kernel_holes_init(&x.holes, &losses);
		rc = kernel_each_event(e, reading, host, cancel, see, &x, err);
	}
	kernel_losses_fini(&losses);
	trace_reading_free(reading);
	free(x.cpus);
	return rc;
}
