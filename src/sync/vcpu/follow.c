/* Finds the stays of a VM in which a guest's events happened, from limits, gaps and track. */
#include <stdlib.h>

#include "sync/vcpu/limits.h"
#include "sync/vcpu/pairing.h"

static int find_gaps(
	const struct sync_schedule *s, uint32_t vm, struct sync_vm_track *t, struct mer_err *err)
{
	uint32_t first = s->first[vm], end = s->first[vm + 1];
	t->n_cpus = s->threads[end - 1].id + (size_t)1;
	t->cpus = calloc(t->n_cpus, sizeof(*t->cpus));
	if (!t->cpus)
		return mer_fail_nomem(err);
	/* Of several threads with one id, the one with the most gaps counts. */
	for (uint32_t i = first; i < end; i++) {
		struct sync_cpu_gaps *c = &t->cpus[s->threads[i].id];
		if (!c->gaps || s->threads[i].n > c->n)
			*c = (struct sync_cpu_gaps){ s->threads[i].gaps, s->threads[i].n, 0 };
	}
	return 0;
}

int sync_vm_follow(struct mer_experiment *e, struct sync_schedule *s, uint32_t vm, uint32_t guest,
	const struct sync_result *r, const struct sync_pairing_options *o, size_t most,
	struct sync_vm_track *t, struct mer_err *err)
{
	*t = (struct sync_vm_track){ 0 };
	int rc = sync_schedule_read_guest(e, guest, o->cancel, s, err);
	if (rc == 0)
		rc = find_gaps(s, vm, t, err);
	const struct sync_guest_events *g = &s->guests[guest];
	size_t n = most && most < g->n ? most : g->n;
	struct sync_vm_question q = {
		.hypervisor = s->vms[vm].hypervisor, .guest = guest, .max_drift = o->max_drift
	};
	if (rc || !n)
		return rc;
	q.events = (struct sync_range){ g->events[0].time, g->events[n - 1].time };
	struct sync_offsets before = { 0, 0 };
	for (bool is_last = false; rc == 0 && !is_last; q.attempt++) {
		struct sync_vm_limits l;
		rc = sync_vm_limits(r, &q, &l, err);
		struct sync_track_options how = { .max_drift = l.max_drift,
			.limits = l.limits,
			.n_limits = l.n,
			.is_proven = l.searched_ns == 0,
			.most = most,
			.spill = s->spill,
			.cancel = o->cancel };
		/* An attempt with the same limits as the previous one is skipped. */
		struct sync_offsets first = l.n ? l.limits[0].range : before;
		bool is_new = first.low != before.low || first.high != before.high;
		before = first;
		if (is_new)
			sync_track_fini(&t->track);
		if (rc == 0 && is_new)
			rc = sync_track_run(
				&s->guests[guest], t->cpus, t->n_cpus, &how, &t->track, err);
		t->searched_ns = l.searched_ns;
		is_last = l.is_last || sync_track_is_likely(&t->track);
		sync_vm_limits_free(&l);
	}
	return rc;
}

void sync_vm_track_fini(struct sync_vm_track *t)
{
	sync_track_fini(&t->track);
	free(t->cpus);
	*t = (struct sync_vm_track){ 0 };
}
