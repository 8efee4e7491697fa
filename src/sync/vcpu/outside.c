#include "sync/vcpu/outside.h"

#include <stdlib.h>

struct lane {				       /* of a CPU of the guest */
	const struct sync_vcpu_thread *thread; /* NULL: its vCPU is not known */
	size_t next;			       /* first gap that may hold a later event */
};

/* Finds the thread of each of the guest's CPUs; of several threads with one vCPU id, the first. */
static size_t find_lanes(const struct sync_schedule *s, uint32_t vm, struct lane *lanes, size_t n)
{
	size_t end = 0;
	for (uint32_t i = s->first[vm]; i < s->first[vm + 1]; i++) {
		const struct sync_vcpu_thread *t = &s->threads[i];
		if (t->id >= n || lanes[t->id].thread)
			continue;
		lanes[t->id].thread = t;
		end = t->id + 1 > end ? t->id + 1 : end;
	}
	return end;
}

/* Is the time between the vCPU's first and last gap, while it was recorded? */
static bool is_recorded(
	const struct lane *l, const struct trace_clock_map *hypervisor, int64_t time)
{
	const struct sync_vcpu_thread *t = l->thread;
	return t->n && trace_map_time(hypervisor, t->gaps[0].exit) <= time &&
	       trace_map_time(hypervisor, t->gaps[t->n - 1].entry) >= time;
}

static bool is_outside(struct lane *l, const struct trace_clock_map *hypervisor, int64_t time)
{
	const struct sync_gap *gaps = l->thread->gaps;
	while (l->next < l->thread->n && trace_map_time(hypervisor, gaps[l->next].entry) <= time)
		l->next++;
	return l->next < l->thread->n && trace_map_time(hypervisor, gaps[l->next].exit) < time;
}

bool sync_count_outside(
	const struct sync_schedule *s, const struct sync_result *r, struct sync_vm *vms)
{
	for (uint32_t v = 0; v < s->n_vms; v++) {
		const struct sync_vm *vm = &vms[v];
		if (vm->guest == SYNC_NO_GUEST || !s->guests[vm->guest].is_read)
			continue;
		const struct sync_guest_events *g = &s->guests[vm->guest];
		const struct trace_clock_map *hypervisor = &r->hosts[vm->hypervisor].map;
		size_t n = s->first[v + 1] - s->first[v];
		struct lane *lanes = calloc(n + 1, sizeof(*lanes));
		if (!lanes)
			return false;
		size_t end = find_lanes(s, v, lanes, n);
		for (size_t i = 0; i < g->n; i++) {
			struct lane *l = g->events[i].cpu < end ? &lanes[g->events[i].cpu] : NULL;
			int64_t time = trace_map_time(&r->hosts[vm->guest].map, g->events[i].time);
			if (!l || !l->thread || !is_recorded(l, hypervisor, time))
				continue;
			vms[v].n_compared++;
			vms[v].n_outside += is_outside(l, hypervisor, time);
		}
		free(lanes);
	}
	return true;
}
