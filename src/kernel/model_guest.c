/* CPUs of a guest that its hypervisor takes away: known beforehand (vm/guests.h), in the order of
 * time. A guest's event at a time when its CPU was away (its clock is not exactly known) changes
 * what its tasks do as any other; whoever is on the CPU then is interrupted. */
#include "kernel/model_state.h"
#include "kernel/vm/guests.h"
#include "kernel/vm/relays.h"

enum kernel_cause model_absence_cause(const struct kernel_model *m, uint32_t absence)
{
	return kernel_absence_cause(m->h->guest, absence);
}

/* Of a wake-up its place is looked for after the event that says it: the wait was never for the CPU
 * of before. */
enum { PLACED_NS = 50000 };

int model_note_move(struct kernel_model *m, uint32_t task, int64_t ts)
{
	const struct kernel_span *open = model_open(m, task);
	if (!m->h->guest || open->cpu == KERNEL_NO_CPU || ts - open->begin <= PLACED_NS)
		return 0;
	return kernel_guest_add_move(m->h->guest, m->h->tasks[task].last, ts, open->cpu)
		       ? 0
		       : mer_fail_nomem(m->err);
}

int model_note_relay(struct kernel_model *m, const struct cpu *c, uint32_t request, int64_t ts)
{
	const struct context *x = c->depth ? &c->contexts[0] : NULL;
	int64_t since = !x ? ts : x->raised != INT64_MIN ? x->raised : x->since;
	return kernel_relay_add(m->h->guest, request, since, model_cpu_number(m, c))
		       ? 0
		       : mer_fail_nomem(m->err);
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

void model_begin_edges(struct kernel_model *m)
{
	m->next_edge_time = INT64_MAX;
	if (m->h->guest)
		find_next(m);
}
