/* Pairing: four ways to find the guest of a VM, one after the other; each looks only at VMs and
 * hosts that the ways before it have not paired. */
#include "sync/vcpu/pairing.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	TRIED = 100000, /* maximum of a guest's events to try with each VM */
	CLEARLY = 4	/* times the evidence of the best other pairing */
};

struct fit { /* how well a host fits as the guest of a VM */
	uint32_t vm, guest;
	double bits;
	bool contradicts;
};

struct pairing {
	struct mer_experiment *e;
	struct sync_schedule *s;
	const struct sync_messages *m;
	const struct sync_result *r;
	const struct sync_pairing_options *o;
	struct fit *fits; /* by VM and host (fit_of) */
	struct mer_err *err;
};

static uint32_t guest_vm(const struct sync_schedule *s, uint32_t host)
{
	for (uint32_t v = 0; v < s->n_vms; v++)
		if (s->vms[v].guest == host)
			return v;
	return UINT32_MAX;
}

/* Is the host `below` itself, or a hypervisor above it? No host can be its own guest. */
static bool is_above(const struct sync_schedule *s, uint32_t host, uint32_t below)
{
	for (uint32_t n = 0; n <= s->n_vms; n++) {
		if (host == below)
			return true;
		uint32_t v = guest_vm(s, below);
		if (v == UINT32_MAX)
			return false;
		below = s->vms[v].hypervisor;
	}
	return true;
}

static bool is_possible(const struct sync_schedule *s, uint32_t vm, uint32_t guest)
{
	return s->vms[vm].guest == SYNC_NO_GUEST && guest_vm(s, guest) == UINT32_MAX &&
	       !is_above(s, guest, s->vms[vm].hypervisor);
}

static void pair(struct sync_schedule *s, uint32_t vm, uint32_t guest, enum sync_vm_how how)
{
	s->vms[vm].guest = guest;
	s->vms[vm].how = how;
}

/* ---- The user ---- */

static int pair_given(struct pairing *p, const struct sync_vm_given *given)
{
	struct sync_schedule *s = p->s;
	const char *guest = p->e->hosts[given->guest].name,
		   *host = p->e->hosts[given->hypervisor].name;
	for (uint32_t v = 0; v < s->n_vms; v++) {
		struct sync_vm *vm = &s->vms[v];
		bool is_it = vm->hypervisor == given->hypervisor && vm->pid == given->pid;
		for (uint32_t i = 0; i < vm->n_vcpus && vm->hypervisor == given->hypervisor; i++)
			is_it |= vm->vcpus[i].tid == given->pid;
		if (!is_it)
			continue;
		if (!is_possible(s, v, given->guest))
			return mer_fail(p->err, MER_ERR_USAGE,
				"%s cannot be the guest of process %" PRIu32
				" on %s: it, or that process, is given twice, or runs that VM itself",
				guest, given->pid, host);
		pair(s, v, given->guest, SYNC_VM_GIVEN);
		return 0;
	}
	return mer_fail(p->err, MER_ERR_USAGE,
		"the trace of %s has no VM of process %" PRIu32
		", or too little of it: no exit that is followed by an entry of the same thread",
		host, given->pid);
}

/* ---- Hypercalls ---- */

static void pair_by_hypercalls(struct pairing *p)
{
	struct sync_schedule *s = p->s;
	for (uint32_t i = 0; i < s->n_callers; i++)
		for (uint32_t k = 0; k < s->n_callers; k++) {
			const struct sync_hypercaller *on = &s->callers[i], *in = &s->callers[k];
			if (!on->thread_tid || in->thread_tid || on->uid != in->uid)
				continue;
			for (uint32_t t = 0; t < s->n_threads; t++)
				if (s->threads[t].host == on->host &&
					s->threads[t].tid == on->thread_tid &&
					is_possible(s, s->threads[t].vm, in->host))
					pair(s, s->threads[t].vm, in->host, SYNC_VM_HYPERCALLS);
		}
}

/* ---- The schedule ---- */

/* Does the VM have a vCPU for each CPU of the guest that has events? */
static bool has_cpus(const struct sync_schedule *s, uint32_t vm, uint32_t guest)
{
	const struct sync_guest_events *g = &s->guests[guest];
	uint32_t most = s->threads[s->first[vm + 1] - 1].id;
	for (size_t i = 0; i < g->n; i++)
		if (g->events[i].cpu > most)
			return false;
	return true;
}

static struct fit *fit_of(const struct pairing *p, uint32_t vm, uint32_t guest)
{
	return &p->fits[(size_t)vm * p->e->n_hosts + guest];
}

static int read_guest(void *ctx, size_t host, unsigned worker, struct mer_err *err)
{
	const struct pairing *p = ctx;
	(void)worker;
	for (uint32_t v = 0; v < p->s->n_vms; v++)
		if (is_possible(p->s, v, (uint32_t)host))
			return sync_schedule_read_guest(
				p->e, (uint32_t)host, p->o->cancel, p->s, err);
	return 0;
}

static int try(void *ctx, size_t number, unsigned worker, struct mer_err *err)
{
	const struct pairing *p = ctx;
	struct fit *f = &p->fits[number];
	struct sync_vm_track t;
	(void)worker;
	f->vm = (uint32_t)(number / p->e->n_hosts);
	f->guest = (uint32_t)(number % p->e->n_hosts);
	if (!is_possible(p->s, f->vm, f->guest))
		return 0;
	f->contradicts = !has_cpus(p->s, f->vm, f->guest);
	if (f->contradicts)
		return 0;
	int rc = sync_vm_follow(p->e, p->s, f->vm, f->guest, p->r, p->o, TRIED, &t, err);
	f->bits = sync_track_is_likely(&t.track) ? t.track.bits : 0;
	f->contradicts = t.track.n_breaks > 0 && f->bits <= 0;
	sync_vm_track_fini(&t);
	return rc;
}

/* The evidence for the best other pairing of the VM or of the host. */
static double best_other(const struct pairing *p, const struct fit *f)
{
	double best = 0;
	for (uint32_t v = 0; v < p->s->n_vms; v++)
		for (uint32_t h = 0; h < p->e->n_hosts; h++) {
			const struct fit *x = fit_of(p, v, h);
			if (x != f && (v == f->vm || h == f->guest) && is_possible(p->s, v, h) &&
				x->bits > best)
				best = x->bits;
		}
	return best;
}

static int pair_by_schedule(struct pairing *p)
{
	struct sync_schedule *s = p->s;
	int rc = mer_pool_run(p->o->n_threads, p->e->n_hosts, read_guest, p, p->o->cancel, p->err);
	if (rc == 0)
		rc = mer_pool_run(p->o->n_threads, (size_t)s->n_vms * p->e->n_hosts, try, p,
			p->o->cancel, p->err);
	if (rc)
		return rc;
	for (;;) {
		const struct fit *best = NULL;
		for (uint32_t v = 0; v < s->n_vms; v++)
			for (uint32_t h = 0; h < p->e->n_hosts; h++) {
				const struct fit *f = fit_of(p, v, h);
				if (f->bits > 0 && is_possible(s, v, h) &&
					(!best || f->bits > best->bits) &&
					f->bits >= CLEARLY * best_other(p, f))
					best = f;
			}
		if (!best)
			return 0;
		pair(s, best->vm, best->guest, SYNC_VM_SCHEDULE);
	}
}

/* ---- Addresses ---- */

static bool talks(const struct sync_messages *m, uint32_t a, uint32_t b)
{
	bool forth = false, back = false;
	for (size_t i = 0; i < m->n_links; i++) {
		const struct sync_link *l = &m->links[i];
		forth |= l->from == a && l->to == b && l->n;
		back |= l->from == b && l->to == a && l->n;
	}
	return forth && back;
}

/* Pairs if a single VM and host are left that are possible and not contradicted, where the host
 * exchanges messages with the VM's hypervisor. */
static void pair_by_addresses(struct pairing *p)
{
	struct sync_schedule *s = p->s;
	uint32_t vm = UINT32_MAX, guest = UINT32_MAX;
	for (uint32_t v = 0; v < s->n_vms; v++)
		for (uint32_t h = 0; h < p->e->n_hosts; h++) {
			if (!is_possible(s, v, h) || fit_of(p, v, h)->contradicts ||
				!talks(p->m, s->vms[v].hypervisor, h))
				continue;
			if (vm != UINT32_MAX)
				return;
			vm = v;
			guest = h;
		}
	if (vm != UINT32_MAX)
		pair(s, vm, guest, SYNC_VM_ADDRESSES);
}

int sync_pair_vms(struct mer_experiment *e, struct sync_schedule *s, const struct sync_messages *m,
	const struct sync_result *r, const struct sync_pairing_options *o, struct mer_err *err)
{
	struct pairing p = { .e = e, .s = s, .m = m, .r = r, .o = o, .err = err };
	int rc = 0;
	for (size_t i = 0; i < o->n_given && rc == 0; i++)
		rc = pair_given(&p, &o->given[i]);
	if (rc || !s->n_vms || e->n_hosts < 2)
		return rc;
	pair_by_hypercalls(&p);
	p.fits = calloc((size_t)s->n_vms * e->n_hosts, sizeof(*p.fits));
	rc = p.fits ? pair_by_schedule(&p) : mer_fail_nomem(err);
	if (rc == 0)
		pair_by_addresses(&p);
	free(p.fits);
	return rc;
}
