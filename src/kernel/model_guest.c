/* CPUs of a guest that its hypervisor takes away: known beforehand (vm/guests.h), in the order of
 * time. A guest's event at a time when its CPU was away (its clock is not exactly known) changes
 * what its tasks do as any other; whoever is on the CPU then is interrupted. */
#include "kernel/model_state.h"
#include "kernel/vm/guests.h"

enum kernel_cause model_absence_cause(const struct kernel_model *m, uint32_t absence)
{
	return m->h->guest->absences[absence].state == KERNEL_VCPU_PREEMPTED ? KERNEL_STOLEN
									     : KERNEL_HYPERVISOR;
}

static void find_next(struct kernel_model *m)
{
	const struct kernel_guest *g = m->h->guest;
	m->next_edge_time = m->next_edge < g->n_edges ? g->edges[m->next_edge].time : INT64_MAX;
}

static uint32_t absence_of(const struct kernel_edge *e)
{
	return e->absence == KERNEL_NOT_KNOWN ? KERNEL_NONE : e->absence;
}

int model_pass_edges(struct kernel_model *m, int64_t ts)
{
	int rc = 0;
	while (rc == 0 && m->next_edge_time <= ts) {
		const struct kernel_edge *e = &m->h->guest->edges[m->next_edge++];
		struct cpu *c = model_cpu(m, e->cpu);
		if (!c)
			return mer_fail_nomem(m->err);
		c->absence = absence_of(e);
		if (!c->in_loss)
			rc = model_resume(m, c, e->time);
		find_next(m);
	}
	return rc;
}

int model_edges_from(struct kernel_model *m, int64_t ts)
{
	const struct kernel_guest *g = m->h->guest;
	if (!g)
		return 0;
	for (m->next_edge = 0; m->next_edge < g->n_edges && g->edges[m->next_edge].time < ts;
		m->next_edge++) {
		const struct kernel_edge *e = &g->edges[m->next_edge];
		struct cpu *c = model_cpu(m, e->cpu);
		if (!c)
			return mer_fail_nomem(m->err);
		c->absence = absence_of(e);
	}
	find_next(m);
	return 0;
}
