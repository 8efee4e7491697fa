/* Join: turns schedules into messages. */
#include "sync/vcpu/join.h"

#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "sync/limits/limits.h"
#include "sync/rounds/count.h"
#include "sync/rounds/rounds.h"
#include "sync/solve_once.h"
#include "sync/vcpu/advice.h"
#include "sync/vcpu/lines.h"
#include "sync/vcpu/outside.h"

struct join {
	struct mer_experiment *e;
	const struct sync_messages *m;
	struct sync_messages few;  /* m without the guests' messages, for method vcpu; links
				      are m's */
	struct sync_messages both; /* with those of the schedules; other links are m's */
	struct sync_schedule s;
	const struct sync_result *first; /* of the messages alone */
	const struct sync_pairing_options *o;
	struct vm_join *vms;	  /* as VMs; malloc'ed */
	struct sync_range **gaps; /* as VMs; malloc'ed, and each of them */
	uint64_t *n_added;	  /* as hosts */
	struct mer_err *err;
};

/* ---- Messages ---- */

/* Many stays lie within a time too short for drift to matter: of each such moment only the tightest
 * limits are kept. */
enum { MOMENT_NS = 250000, COARSE_NS = 2000000 };

/* The least time between two changes of a clock's rate by the kernel, and how much the rate wanders
 * otherwise; then the distance between the limits that are derived from it. */
#define STEADY_NS INT64_C(4000000000)
#define WANDER 0.1e-6
enum { STRAIGHT_EVERY_NS = 5000000, MOST_STRAIGHT = 20000 };

struct side { /* limits from one side: messages of one direction */
	uint32_t from, to;
	bool is_upper;
	struct mer_spill *spill;
	struct sync_message *messages; /* a block of spill */
	size_t n_messages, cap_messages;
	/* The tightest message of the present moment. */
	struct sync_message m;
	int64_t moment;
	bool any;
	/* The messages as limits of the offset, at most one per COARSE_NS. */
	struct sync_point *points; /* malloc'ed */
	size_t n, cap;
};

static int64_t length(struct sync_message m)
{
	return sync_sub(m.received, m.sent);
}

static int add_message(struct side *s, struct sync_message m, struct mer_err *err)
{
	if (!mer_spill_grow(
		    s->spill, &s->messages, s->n_messages, &s->cap_messages, sizeof(*s->messages)))
		return mer_fail_nomem(err);
	s->messages[s->n_messages++] = m;
	return 0;
}

static int put(struct side *s, struct mer_err *err)
{
	if (!s->any)
		return 0;
	s->any = false;
	/* The guest's time, and hypervisor - guest. */
	struct sync_point p = { s->is_upper ? s->m.sent : s->m.received,
		s->is_upper ? length(s->m) : sync_sub(0, length(s->m)) };
	struct sync_point *last = s->n ? &s->points[s->n - 1] : NULL;
	if (last && last->x / COARSE_NS == p.x / COARSE_NS) {
		if (s->is_upper ? p.y < last->y : p.y > last->y)
			*last = p;
	} else if (!mer_grow(&s->points, s->n, &s->cap, sizeof(*s->points))) {
		return mer_fail_nomem(err);
	} else {
		s->points[s->n++] = p;
	}
	return add_message(s, s->m, err);
}

/* Takes the next message of one direction, in the order of the guest's times. */
static int offer(struct side *s, int64_t moment, struct sync_message m, struct mer_err *err)
{
	if (s->any && s->moment == moment) {
		if (length(m) < length(s->m))
			s->m = m;
		return 0;
	}
	int rc = put(s, err);
	s->m = m;
	s->moment = moment;
	s->any = true;
	return rc;
}

/* Adds the limits that follow from a steady rate, as messages at times without events. */
static int add_straight(
	const struct join *j, struct side *in, struct side *out, struct mer_err *err)
{
	struct sync_straight *at = NULL;
	size_t n = 0;
	struct sync_lines_options o = { .steady_ns = STEADY_NS,
		.every_ns = STRAIGHT_EVERY_NS,
		.wander = WANDER,
		.max_rate = j->o->max_drift };
	int64_t way = out->n ? sync_sub(out->points[out->n - 1].x, out->points[0].x) : 0;
	if (way / MOST_STRAIGHT > o.every_ns)
		o.every_ns = way / MOST_STRAIGHT;
	int rc = sync_lines(out->points, out->n, in->points, in->n, &o, &at, &n, err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = add_message(
			in, (struct sync_message){ sync_add(at[i].x, at[i].low), at[i].x }, err);
		if (rc == 0)
			rc = add_message(out,
				(struct sync_message){ at[i].x, sync_add(at[i].x, at[i].high) },
				err);
	}
	free(at);
	return rc;
}

struct vm_join { /* what is found of a VM, apart from the others */
	struct sync_vm_track t;
	struct side in, out;
};

static int add_stays(
	const struct join *j, const struct sync_vm *vm, struct vm_join *v, struct mer_err *err)
{
	const struct sync_track *track = &v->t.track;
	const struct sync_guest_event *ev = j->s.guests[vm->guest].events;
	int rc = 0;
	for (size_t i = 0; i < track->n && rc == 0; i++) {
		uint32_t stay = track->stays[i];
		if (stay == SYNC_NO_STAY)
			continue;
		const struct sync_cpu_gaps *cpu = &v->t.cpus[ev[i].cpu];
		int64_t moment = ev[i].time / MOMENT_NS;
		if (stay > 0)
			rc = offer(&v->in, moment,
				(struct sync_message){ cpu->gaps[stay - 1].entry, ev[i].time },
				err);
		if (rc == 0 && stay < cpu->n)
			rc = offer(&v->out, moment,
				(struct sync_message){ ev[i].time, cpu->gaps[stay].exit }, err);
	}
	if (rc == 0)
		rc = put(&v->in, err);
	if (rc == 0)
		rc = put(&v->out, err);
	if (rc == 0)
		rc = add_straight(j, &v->in, &v->out, err);
	return rc;
}

static int find_stays(void *ctx, size_t number, unsigned worker, struct mer_err *err)
{
	struct join *j = ctx;
	struct vm_join *v = &j->vms[number];
	const struct sync_vm *vm = &j->s.vms[number];
	(void)worker;
	if (vm->guest == SYNC_NO_GUEST)
		return 0;
	v->in = (struct side){ .from = vm->hypervisor, .to = vm->guest, .spill = j->s.spill };
	v->out = (struct side){
		.from = vm->guest, .to = vm->hypervisor, .is_upper = true, .spill = j->s.spill
	};
	int rc = sync_vm_follow(
		j->e, &j->s, (uint32_t)number, vm->guest, j->first, j->o, 0, &v->t, err);
	return rc ? rc : add_stays(j, vm, v, err);
}

static int take_messages(struct join *j, struct side *s)
{
	struct sync_link *link =
		s->n_messages ? sync_messages_link(&j->both, s->from, s->to) : NULL;
	int rc = link || !s->n_messages ? 0 : mer_fail_nomem(j->err);
	for (size_t i = 0; i < s->n_messages && rc == 0; i++)
		rc = sync_link_add(link, s->messages[i], SYNC_STAY, j->err);
	j->n_added[s->from] += s->n_messages;
	j->n_added[s->to] += s->n_messages;
	mer_spill_release(s->messages);
	s->messages = NULL;
	s->n_messages = s->cap_messages = 0;
	return rc;
}

static int join_vm(struct join *j, uint32_t number)
{
	struct sync_vm *vm = &j->s.vms[number];
	struct vm_join *v = &j->vms[number];
	struct sync_track *track = &v->t.track;
	if (vm->guest == SYNC_NO_GUEST)
		return 0;
	vm->n_events = track->n_looked_at;
	vm->n_certain = track->n_certain;
	vm->n_bad = track->n_bad;
	vm->searched_ns = v->t.searched_ns;
	vm->n_contradictions = (uint32_t)track->n_gaps;
	vm->contradictions = j->gaps[number] = track->gaps;
	track->gaps = NULL;
	int rc = take_messages(j, &v->in);
	return rc ? rc : take_messages(j, &v->out);
}

static void free_vms(struct join *j)
{
	for (uint32_t i = 0; j->vms && i < j->s.n_vms; i++) {
		struct vm_join *v = &j->vms[i];
		mer_spill_release(v->in.messages);
		mer_spill_release(v->out.messages);
		free(v->in.points);
		free(v->out.points);
		sync_vm_track_fini(&v->t);
	}
	free(j->vms);
	j->vms = NULL;
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

/* Fills `both` with the links of m; only links that will get more messages are copied. */
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

static bool is_guest(const struct join *j, uint32_t host)
{
	for (uint32_t v = 0; v < j->s.n_vms; v++)
		if (j->s.vms[v].guest == host)
			return true;
	return false;
}

/* Replaces j->m by the messages between hosts that are no guests, and solves with them. */
static int drop_messages(struct join *j, const struct sync_host_info *hosts,
	const struct sync_options *o, struct sync_result **without)
{
	int rc = sync_messages_init(&j->few, j->m->n_hosts, j->err);
	if (rc == 0 && j->m->hosts)
		memcpy(j->few.hosts, j->m->hosts, j->m->n_hosts * sizeof(*j->m->hosts));
	for (size_t i = 0; i < j->m->n_links && rc == 0; i++) {
		const struct sync_link *from = &j->m->links[i];
		if (is_guest(j, from->from) || is_guest(j, from->to))
			continue;
		struct sync_link *l = sync_messages_link(&j->few, from->from, from->to);
		if (!l)
			return mer_fail_nomem(j->err);
		*l = *from;
	}
	if (rc == 0)
		rc = sync_messages_finish(&j->few, j->err);
	j->m = &j->few;
	return rc ? rc : sync_solve(j->m, hosts, j->e->n_hosts, o, without, j->err);
}

static void free_few(struct join *j)
{
	for (size_t i = 0; i < j->few.n_links; i++)
		j->few.links[i] = (struct sync_link){ 0 };
	sync_messages_free(&j->few);
}

/* Copies the VMs, with all that they point to, into the result. */
static int take_vms(const struct join *j, bool count_outside, struct sync_result *r)
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
	if (r->arena.failed || (count_outside && !sync_count_outside(s, r, vms)))
		return mer_fail_nomem(j->err);
	return 0;
}

/* In the ranges for which the schedule gives no offset, the clock may have jumped although all
 * messages fit: no limits are given there. If one of the two hosts is the reference, only the other
 * one has limits. */
static int withhold(const struct join *j, struct sync_result *r, const struct sync_vm *vm)
{
	bool on_guest = r->hosts[vm->guest].quality != SYNC_REFERENCE;
	uint32_t number = on_guest ? vm->guest : vm->hypervisor;
	struct sync_host *h = &r->hosts[number];
	const struct trace_clock_map *map = &r->hosts[vm->guest].map;
	if (r->hosts[vm->guest].group != r->hosts[vm->hypervisor].group || !vm->n_contradictions)
		return 0;
	struct sync_step *steps = mer_arena_zalloc(
		&r->arena, h->n_steps + (size_t)vm->n_contradictions, sizeof(*steps));
	if (!steps)
		return mer_fail_nomem(j->err);
	size_t n = 0, k = 0;
	for (uint32_t i = 0; i < vm->n_contradictions; i++) {
		struct sync_range c = vm->contradictions[i];
		if (!on_guest) {
			c.begin = trace_unmap_time(&h->map, trace_map_time(map, c.begin));
			c.end = trace_unmap_time(&h->map, trace_map_time(map, c.end));
		}
		for (; k < h->n_steps && h->steps[k].range.end < c.begin; k++)
			steps[n++] = h->steps[k];
		/* A known step in the range is narrower than it. */
		if (k < h->n_steps && h->steps[k].range.begin <= c.end)
			continue;
		if (c.begin < c.end && (n == 0 || steps[n - 1].range.end < c.begin)) {
			steps[n++] = (struct sync_step){ c, 0 };
			sync_advise_contradiction(r, vm, c, number);
		}
	}
	for (; k < h->n_steps; k++)
		steps[n++] = h->steps[k];
	h->steps = steps;
	h->n_steps = n;
	int rc = sync_take_step_sizes(r, number, j->err);
	sync_take_bound(r, number);
	return rc;
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
	bool *is_guest = calloc(n + 1u, sizeof(*is_guest));
	struct sync_options own = *o;
	own.is_guest = is_guest;
	j->gaps = calloc(j->s.n_vms + 1u, sizeof(*j->gaps));
	j->n_added = calloc(n + 1u, sizeof(*j->n_added));
	j->vms = calloc(j->s.n_vms + 1u, sizeof(*j->vms));
	int rc = is_guest && j->gaps && j->n_added && j->vms ? begin_both(j)
							     : mer_fail_nomem(j->err);
	for (uint32_t v = 0; v < j->s.n_vms && rc == 0; v++)
		if (j->s.vms[v].guest != SYNC_NO_GUEST)
			is_guest[j->s.vms[v].guest] = true;
	if (rc == 0)
		rc = mer_pool_run(j->o->n_threads, j->s.n_vms, find_stays, j, j->o->cancel, j->err);
	for (uint32_t v = 0; v < j->s.n_vms && rc == 0; v++)
		rc = join_vm(j, v);
	free_vms(j);
	if (rc == 0)
		rc = sync_messages_finish(&j->both, j->err);
	if (rc == 0)
		rc = sync_solve(&j->both, hosts, n, &own, result, j->err);
	free(is_guest);
	for (uint32_t h = 0; h < n && rc == 0; h++)
		(*result)->hosts[h].n_matched += j->n_added[h];
	for (uint32_t v = 0; v < j->s.n_vms && rc == 0; v++) {
		const struct sync_vm *vm = &j->s.vms[v];
		if (vm->guest == SYNC_NO_GUEST)
			continue;
		rc = withhold(j, *result, vm);
		if (vm->n_certain && (*result)->hosts[vm->guest].method == SYNC_AUTO)
			(*result)->hosts[vm->guest].method = SYNC_VCPU;
	}
	return rc;
}

static int join(struct join *j, const struct sync_host_info *hosts, const struct sync_options *o,
	bool is_alone, struct sync_result **result)
{
	struct sync_pairing_options pairing = { .given = o->vms,
		.n_given = o->n_vms,
		.max_drift = o->max_drift > 0 ? o->max_drift : 1e-3,
		.n_threads = o->n_threads ? o->n_threads : 1,
		.cancel = o->cancel };
	struct sync_options plain = { .max_drift = o->max_drift,
		.n_threads = o->n_threads,
		.cancel = o->cancel,
		.no_lines = true };
	struct sync_result *first = NULL, *without = NULL;
	int rc = sync_solve(j->m, hosts, j->e->n_hosts, &plain, &first, j->err);
	j->first = first;
	j->o = &pairing;
	if (rc == 0)
		rc = sync_pair_vms(j->e, &j->s, j->m, first, &pairing, j->err);
	if (rc == 0 && is_alone) {
		rc = drop_messages(j, hosts, &plain, &without);
		j->first = without;
	}
	if (rc == 0)
		rc = o->method == SYNC_AUTO && any_guest(&j->s)
			     ? solve_both(j, hosts, o, result)
			     : sync_solve(j->m, hosts, j->e->n_hosts, o, result, j->err);
	if (rc == 0)
		rc = take_vms(j, o->count_outside, *result);
	if (rc == 0)
		sync_advise_vms(*result);
	if (rc == 0 && is_alone)
		(*result)->method = SYNC_VCPU;
	sync_result_free(first);
	sync_result_free(without);
	free_both(j);
	free_few(j);
	for (uint32_t v = 0; j->gaps && v < j->s.n_vms; v++)
		free(j->gaps[v]);
	free(j->gaps);
	free(j->n_added);
	return rc;
}

/* The solver knows nothing of schedules: for it they are messages. True: for all hosts they are the
 * only ones that count. */
static int plain_options(const struct sync_options *o, uint32_t n_hosts, struct sync_options *own,
	bool *is_alone, struct mer_arena *arena, struct mer_err *err)
{
	*own = *o;
	*is_alone = o->method == SYNC_VCPU;
	if (*is_alone)
		own->method = SYNC_AUTO;
	struct sync_host_choice *choices =
		o->choices ? mer_arena_zalloc(arena, n_hosts + 1u, sizeof(*choices)) : NULL;
	if (o->choices && !choices)
		return mer_fail_nomem(err);
	for (uint32_t h = 0; choices && h < n_hosts; h++) {
		choices[h] = o->choices[h];
		if (choices[h].method == SYNC_VCPU)
			choices[h].method = SYNC_AUTO;
	}
	own->choices = choices;
	return 0;
}

static bool has_entries(const struct sync_messages *m)
{
	for (uint32_t h = 0; m->hosts && h < m->n_hosts; h++)
		if (m->hosts[h].n_entries)
			return true;
	return false;
}

static int join_schedules(struct mer_experiment *e, const struct sync_messages *m,
	const struct sync_host_info *hosts, const struct sync_options *o,
	struct sync_result **result, struct mer_err *err)
{
	struct join j = { .e = e, .m = m, .err = err };
	struct mer_arena arena;
	struct sync_options own;
	bool is_alone = false;
	*result = NULL;
	mer_arena_init(&arena);
	int rc = plain_options(o, e->n_hosts, &own, &is_alone, &arena, err);
	if (rc == 0 && has_entries(m))
		rc = sync_schedule_read(e, o->cancel, &j.s, err);
	if (rc == 0)
		rc = j.s.n_vms ? join(&j, hosts, &own, is_alone, result)
			       : sync_solve(m, hosts, e->n_hosts, &own, result, err);
	if (rc && *result) {
		sync_result_free(*result);
		*result = NULL;
	}
	sync_schedule_free(&j.s);
	mer_arena_fini(&arena);
	return rc;
}

int sync_join(struct mer_experiment *e, const struct sync_messages *m,
	const struct sync_host_info *hosts, const struct sync_options *o,
	struct sync_result **result, struct mer_err *err)
{
	struct sync_messages with;
	/* The classic method was defined by packets. */
	if (!m->rounds || o->method == SYNC_HULL || o->method == SYNC_VCPU)
		return join_schedules(e, m, hosts, o, result, err);
	*result = NULL;
	int rc = sync_with_rounds(m, sync_drift_allowed(o), &with, err);
	if (rc == 0)
		rc = join_schedules(e, &with, hosts, o, result, err);
	if (rc == 0)
		sync_advise_rounds(*result);
	sync_with_rounds_free(m, &with);
	return rc;
}
