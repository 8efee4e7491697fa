/* Join: the messages that schedules are. */
#include "sync/vcpu/join.h"

#include <stdlib.h>
#include <string.h>

struct join {
	struct mer_experiment *e;
	const struct sync_messages *m;
	struct sync_messages both; /* with those of the schedules; other links are m's */
	struct sync_schedule s;
	const struct sync_result *first; /* of the messages alone */
	double max_drift;
	struct mer_cancel *cancel;
	struct sync_range **gaps; /* as VMs; malloc'ed, and each of them */
	uint64_t *n_added;	  /* as hosts */
	struct mer_err *err;
};

/* ---- Messages ---- */

/* Many stays lie within a moment in which no clock drifts: of those of each moment, the tightest
 * limits say as much. */
enum { MOMENT_NS = 250000 };

struct limit { /* the tightest of the moment */
	struct sync_message m;
	int64_t moment;
	bool any;
};

static int put(struct join *j, uint32_t from, uint32_t to, struct limit *l)
{
	struct sync_link *link = l->any ? sync_messages_link(&j->both, from, to) : NULL;
	if (!l->any)
		return 0;
	l->any = false;
	j->n_added[from]++;
	j->n_added[to]++;
	return link ? sync_link_add(link, l->m, SYNC_STAY, j->err) : mer_fail_nomem(j->err);
}

/* Messages of one direction, in the order of the guest's times. */
static int offer(struct join *j, uint32_t from, uint32_t to, struct limit *l, int64_t moment,
	struct sync_message m)
{
	if (l->any && l->moment == moment) {
		if (sync_sub(m.received, m.sent) < sync_sub(l->m.received, l->m.sent))
			l->m = m;
		return 0;
	}
	int rc = put(j, from, to, l);
	*l = (struct limit){ m, moment, true };
	return rc;
}

static int add_stays(struct join *j, const struct sync_vm *vm, const struct sync_track *t,
	const struct sync_cpu_gaps *cpus)
{
	const struct sync_guest_event *ev = j->s.guests[vm->guest].events;
	struct limit in = { 0 }, out = { 0 };
	int rc = 0;
	for (size_t i = 0; i < t->n && rc == 0; i++) {
		if (t->stays[i] == SYNC_NO_STAY)
			continue;
		const struct sync_cpu_gaps *cpu = &cpus[ev[i].cpu];
		int64_t moment = ev[i].time / MOMENT_NS;
		uint32_t stay = t->stays[i];
		if (stay > 0)
			rc = offer(j, vm->hypervisor, vm->guest, &in, moment,
				(struct sync_message){ cpu->gaps[stay - 1].entry, ev[i].time });
		if (rc == 0 && stay < cpu->n)
			rc = offer(j, vm->guest, vm->hypervisor, &out, moment,
				(struct sync_message){ ev[i].time, cpu->gaps[stay].exit });
	}
	if (rc == 0)
		rc = put(j, vm->hypervisor, vm->guest, &in);
	return rc ? rc : put(j, vm->guest, vm->hypervisor, &out);
}

static int join_vm(struct join *j, uint32_t number)
{
	struct sync_vm *vm = &j->s.vms[number];
	struct sync_vm_limits limits;
	struct sync_cpu_gaps *cpus = NULL;
	struct sync_track t = { 0 };
	size_t n_cpus = 0;
	if (vm->guest == SYNC_NO_GUEST)
		return 0;
	int rc = sync_schedule_read_guest(j->e, vm->guest, j->cancel, &j->s, j->err);
	if (rc)
		return rc;
	rc = sync_vm_limits(j->first, vm->hypervisor, vm->guest, j->max_drift, &limits, j->err);
	if (rc == 0)
		rc = sync_vm_gaps(&j->s, number, &cpus, &n_cpus, j->err);
	struct sync_track_options o = { .max_drift = limits.max_drift,
		.limits = limits.limits,
		.n_limits = limits.n,
		.is_proven = limits.is_proven,
		.spill = j->s.spill,
		.cancel = j->cancel };
	if (rc == 0)
		rc = sync_track_run(&j->s.guests[vm->guest], cpus, n_cpus, &o, &t, j->err);
	if (rc == 0)
		rc = add_stays(j, vm, &t, cpus);
	vm->n_events = t.n_looked_at;
	vm->n_certain = t.n_certain;
	vm->n_bad = t.n_bad;
	vm->n_contradictions = (uint32_t)t.n_gaps;
	vm->contradictions = j->gaps[number] = t.gaps;
	t.gaps = NULL;
	sync_track_fini(&t);
	sync_vm_limits_free(&limits);
	free(cpus);
	return rc;
}

/* ---- Both together ---- */

static bool is_joined(const struct join *j, const struct sync_link *l)
{
	for (uint32_t v = 0; v < j->s.n_vms; v++) {
		const struct sync_vm *vm = &j->s.vms[v];
		if ((l->from == vm->guest && l->to == vm->hypervisor) ||
			(l->to == vm->guest && l->from == vm->hypervisor))
			return true;
	}
	return false;
}

/* The links of both, with m's messages; only those that get more are copied. */
static int begin_both(struct join *j)
{
	int rc = sync_messages_init(&j->both, j->m->n_hosts, j->err);
	j->both.spill = j->m->spill;
	if (rc == 0 && j->m->hosts)
		memcpy(j->both.hosts, j->m->hosts, j->m->n_hosts * sizeof(*j->m->hosts));
	for (size_t i = 0; i < j->m->n_links && rc == 0; i++) {
		const struct sync_link *from = &j->m->links[i];
		struct sync_link *l = sync_messages_link(&j->both, from->from, from->to);
		if (!l)
			return mer_fail_nomem(j->err);
		if (!is_joined(j, from)) {
			*l = *from;
			continue;
		}
		for (size_t k = 0; k < from->n && rc == 0; k++)
			rc = sync_link_add(l, from->messages[k],
				from->kinds ? (enum sync_kind)from->kinds[k] : SYNC_TCP, j->err);
		l->n_duplicates = from->n_duplicates;
		l->n_unmatched = from->n_unmatched;
	}
	return rc;
}

static void free_both(struct join *j)
{
	for (size_t i = 0; i < j->both.n_links; i++) {
		struct sync_link *l = &j->both.links[i];
		if (is_joined(j, l))
			continue;
		l->messages = NULL;
		l->kinds = NULL;
		l->streams = NULL;
	}
	sync_messages_free(&j->both);
}

/* The VMs with all they point to. */
static int take_vms(const struct join *j, struct sync_result *r)
{
	const struct sync_schedule *s = &j->s;
	struct sync_vm *vms = mer_arena_zalloc(&r->arena, s->n_vms + 1u, sizeof(*vms));
	r->vms = vms;
	r->n_vms = s->n_vms;
	for (uint32_t v = 0; vms && v < s->n_vms; v++) {
		const struct sync_vm *from = &s->vms[v];
		struct sync_vcpu *vcpus =
			mer_arena_zalloc(&r->arena, from->n_vcpus + 1u, sizeof(*vcpus));
		struct sync_range *gaps =
			mer_arena_zalloc(&r->arena, from->n_contradictions + 1u, sizeof(*gaps));
		vms[v] = *from;
		vms[v].name = mer_arena_strdup(&r->arena, from->name);
		vms[v].vcpus = vcpus;
		vms[v].contradictions = gaps;
		if (vcpus)
			memcpy(vcpus, from->vcpus, from->n_vcpus * sizeof(*vcpus));
		if (gaps && from->n_contradictions)
			memcpy(gaps, from->contradictions, from->n_contradictions * sizeof(*gaps));
	}
	return r->arena.failed ? mer_fail_nomem(j->err) : 0;
}

static bool any_guest(const struct sync_schedule *s)
{
	for (uint32_t v = 0; v < s->n_vms; v++)
		if (s->vms[v].guest != SYNC_NO_GUEST)
			return true;
	return false;
}

static int solve_both(struct join *j, const struct sync_host_info *hosts,
	const struct sync_options *o, struct sync_result **result)
{
	uint32_t n = j->e->n_hosts;
	j->gaps = calloc(j->s.n_vms + 1u, sizeof(*j->gaps));
	j->n_added = calloc(n + 1u, sizeof(*j->n_added));
	int rc = j->gaps && j->n_added ? begin_both(j) : mer_fail_nomem(j->err);
	for (uint32_t v = 0; v < j->s.n_vms && rc == 0; v++)
		rc = join_vm(j, v);
	if (rc == 0)
		rc = sync_messages_finish(&j->both, j->err);
	if (rc == 0)
		rc = sync_solve(&j->both, hosts, n, o, result, j->err);
	for (uint32_t h = 0; h < n && rc == 0; h++)
		(*result)->hosts[h].n_matched += j->n_added[h];
	return rc;
}

static int join(struct join *j, const struct sync_host_info *hosts, const struct sync_options *o,
	struct sync_result **result)
{
	struct sync_pairing_options pairing = {
		.given = o->vms, .n_given = o->n_vms, .max_drift = j->max_drift, .cancel = o->cancel
	};
	struct sync_options plain = { .max_drift = o->max_drift,
		.n_threads = o->n_threads,
		.cancel = o->cancel,
		.no_lines = true };
	struct sync_result *first = NULL;
	int rc = sync_solve(j->m, hosts, j->e->n_hosts, &plain, &first, j->err);
	j->first = first;
	if (rc == 0)
		rc = sync_pair_vms(j->e, &j->s, j->m, first, &pairing, j->err);
	if (rc == 0)
		rc = o->method == SYNC_AUTO && any_guest(&j->s)
			     ? solve_both(j, hosts, o, result)
			     : sync_solve(j->m, hosts, j->e->n_hosts, o, result, j->err);
	if (rc == 0)
		rc = take_vms(j, *result);
	sync_result_free(first);
	free_both(j);
	for (uint32_t v = 0; j->gaps && v < j->s.n_vms; v++)
		free(j->gaps[v]);
	free(j->gaps);
	free(j->n_added);
	return rc;
}

int sync_join(struct mer_experiment *e, const struct sync_messages *m,
	const struct sync_host_info *hosts, const struct sync_options *o,
	struct sync_result **result, struct mer_err *err)
{
	struct join j = { .e = e,
		.m = m,
		.max_drift = o->max_drift > 0 ? o->max_drift : 1e-3,
		.cancel = o->cancel,
		.err = err };
	*result = NULL;
	int rc = sync_schedule_read(e, o->cancel, &j.s, err);
	if (rc == 0)
		rc = j.s.n_vms ? join(&j, hosts, o, result)
			       : sync_solve(m, hosts, e->n_hosts, o, result, err);
	if (rc && *result) {
		sync_result_free(*result);
		*result = NULL;
	}
	sync_schedule_free(&j.s);
	return rc;
}
