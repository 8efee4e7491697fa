#include "kernel/vm/relays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "kernel/host.h"
#include "sync/result.h"

bool kernel_relay_add(struct kernel_guest *g, uint32_t request, int64_t interrupted, uint16_t cpu)
{
	if (!mer_grow32(&g->relays, g->n_relays, &g->cap_relays, sizeof(*g->relays)))
		return false;
	g->relays[g->n_relays++] = (struct kernel_relay){ .entered = interrupted,
		.request = request,
		.vcpu = KERNEL_NONE,
		.by = KERNEL_NONE,
		.cpu = cpu };
	return true;
}

const struct kernel_relay *kernel_relay_of(const struct kernel_guest *g, uint32_t request)
{
	MER_LOWER_BOUND(at, 0, g->n_relays, i, g->relays[i].request < request);
	return at < g->n_relays && g->relays[at].request == request ? &g->relays[at] : NULL;
}

/* ---- who may have sent an interrupt ---- */

struct sender { /* a task of the VM; looked at from its end back */
	uint32_t task;
	uint32_t span;
	int64_t end; /* of that */
};

enum way { WAKES_VCPU = 1, WAKES_OTHER };

struct vm {
	const struct kernel_host *h; /* the hypervisor */
	/* Task and descriptor -> enum way: what wakes other threads of the VM, and no vCPU, sends
	 * no interrupts. */
	struct mer_map ways;
	struct sender *senders;
	uint32_t n;
	bool *serves;			     /* by task: it is one of them */
	struct vcpu {			     /* of the guest's CPU */
		const struct kernel_vcpu *v; /* NULL: not known */
		uint32_t thread;	     /* its task */
		uint32_t span; /* of that, in which the last one that was looked for is */
	} * cpus;
	uint32_t n_cpus;
};

/* Does it do what the process of a VM does for it: one of its threads that is no vCPU, or a thread
 * of the kernel for its devices? */
static bool serves(const struct kernel_host *h, uint32_t task, const struct sync_vm *vm)
{
	const struct kernel_task *t = &h->tasks[task];
	char name[24];
	if (vm->pid == SYNC_NO_PID)
		return false;
	for (uint32_t i = 0; i < vm->n_vcpus; i++)
		if (vm->vcpus[i].tid == (uint32_t)t->tid)
			return false;
	snprintf(name, sizeof(name), "vhost-%u", (unsigned)vm->pid);
	return t->pid == (int32_t)vm->pid || t->tid == (int32_t)vm->pid ||
	       (t->is_kernel && strcmp(kernel_comm(h, task), name) == 0);
}

static bool find_senders(struct vm *v, const struct sync_vm *vm)
{
	v->senders = calloc((size_t)v->h->n_tasks + 1, sizeof(*v->senders));
	v->serves = calloc((size_t)v->h->n_tasks + 1, sizeof(*v->serves));
	bool ok = v->senders && v->serves;
	for (uint32_t i = 0; ok && i < v->h->n_tasks; i++) {
		v->serves[i] = serves(v->h, i, vm);
		if (v->serves[i])
			v->senders[v->n++] =
				(struct sender){ i, v->h->tasks[i].last, kernel_task_end(v->h, i) };
	}
	return ok;
}

static uint64_t way_of(const struct kernel_host *h, const struct kernel_span *s)
{
	return (uint64_t)s->task << 32 | (uint32_t)h->calls[s->call].fd;
}

static uint32_t thread_of(const struct kernel_host *h, int32_t tid)
{
	uint32_t found = KERNEL_NONE;
	for (uint32_t i = 0; i < h->n_tasks; i++)
		if (h->tasks[i].tid == tid)
			found = i;
	return found;
}

static bool note_ways(struct vm *v, uint32_t task, enum way way)
{
	const struct kernel_host *h = v->h;
	for (uint32_t at = h->tasks[task].last; at != KERNEL_NONE;
		at = kernel_span(h, at)->before) {
		const struct kernel_span *s = kernel_span(h, at);
		const struct kernel_span *by = s->state == KERNEL_BLOCKED && s->by != KERNEL_NONE
						       ? kernel_span(h, s->by)
						       : NULL;
		if (!by || by->call == KERNEL_NONE || !v->serves[by->task])
			continue;
		uint32_t *old = mer_map_put(&v->ways, way_of(h, by));
		if (!old)
			return false;
		if (*old != WAKES_VCPU)
			*old = way;
	}
	return true;
}

static bool find_cpus(struct vm *v, const struct kernel_vcpus *vcpus, uint32_t guest)
{
	v->cpus = calloc((size_t)v->n_cpus + 1, sizeof(*v->cpus));
	for (uint32_t i = 0; v->cpus && i < vcpus->n; i++) {
		const struct kernel_vcpu *one = &vcpus->vcpus[i];
		uint32_t thread = one->guest == guest && one->guest_cpu < v->n_cpus
					  ? thread_of(v->h, one->tid)
					  : KERNEL_NONE;
		if (thread != KERNEL_NONE)
			v->cpus[one->guest_cpu] = (struct vcpu){ one, thread, KERNEL_NONE };
	}
	return v->cpus;
}

static bool find_ways(struct vm *v)
{
	bool ok = true;
	for (uint32_t i = 0; i < v->n_cpus && ok; i++)
		ok = !v->cpus[i].v || note_ways(v, v->cpus[i].thread, WAKES_VCPU);
	for (uint32_t i = 0; i < v->n && ok; i++)
		ok = note_ways(v, v->senders[i].task, WAKES_OTHER);
	return ok;
}

/* In this span it may have sent an interrupt to the VM: in a write (to an eventfd) or an ioctl;
 * where calls are not known, whenever it ran. */
static bool may_send(const struct vm *v, const struct kernel_span *s)
{
	if (s->state == KERNEL_THREAD || s->state == KERNEL_RUNNING)
		return true;
	if (s->state != KERNEL_SYSCALL || s->call == KERNEL_NONE)
		return false;
	const uint32_t *way = mer_map_get(&v->ways, way_of(v->h, s));
	const char *name = kernel_name_text(v->h, v->h->calls[s->call].name);
	return (strcmp(name, "write") == 0 || strcmp(name, "ioctl") == 0) &&
	       (!way || *way != WAKES_OTHER);
}

/* The last time before `time`, in order from the latest on. */
static void go_back(const struct vm *v, struct sender *x, int64_t time)
{
	while (x->span != KERNEL_NONE) {
		const struct kernel_span *s = kernel_span(v->h, x->span);
		if (s->begin < time && may_send(v, s))
			return;
		x->end = s->begin;
		x->span = s->before;
	}
}

/* ---- requests ---- */

/* When the CPU entered the guest last; INT64_MIN: it was not in it. */
static int64_t entry_before(const struct kernel_vcpu *v, int64_t time)
{
	MER_LOWER_BOUND(after, 0, v->n_stays, i, v->stays[i].begin <= time);
	while (after && v->stays[after - 1].state == KERNEL_VCPU_HYPERVISOR)
		after--; /* the guest's clock is a bit ahead */
	return after && v->stays[after - 1].state == KERNEL_VCPU_GUEST ? v->stays[after - 1].begin
								       : INT64_MIN;
}

/* When it was last woken, of [from, until]; INT64_MIN: it did not sleep. */
static int64_t woken_in(const struct kernel_host *h, uint32_t span, int64_t from, int64_t until)
{
	for (uint32_t i = span; i != KERNEL_NONE && until > from;) {
		const struct kernel_span *s = kernel_span(h, i);
		if (s->state == KERNEL_BLOCKED)
			return until;
		until = s->begin;
		i = s->before;
	}
	return INT64_MIN;
}

static bool find_sender(struct vm *v, struct kernel_relay *x, int64_t issued)
{
	struct sender *best = NULL;
	for (uint32_t i = 0; i < v->n; i++) {
		struct sender *s = &v->senders[i];
		go_back(v, s, x->entered);
		if (s->span != KERNEL_NONE && (!best || s->end > best->end))
			best = s;
	}
	int64_t woken = woken_in(v->h, x->vcpu, issued, x->entered);
	if (best) {
		x->sent = best->end < x->entered ? best->end : x->entered;
		x->by = best->span;
	}
	/* Asleep since then it would not have been. */
	if (best && (x->sent <= issued || x->sent < woken))
		x->by = KERNEL_NONE;
	return x->by != KERNEL_NONE || woken != INT64_MIN;
}

static int by_entry(const void *a, const void *b)
{
	const struct kernel_relay *p = a, *q = b;
	if (p->entered != q->entered)
		return p->entered > q->entered ? -1 : 1;
	return (p->request > q->request) - (p->request < q->request);
}

static int by_request(const void *a, const void *b)
{
	const struct kernel_relay *p = a, *q = b;
	return (p->request > q->request) - (p->request < q->request);
}

static int64_t issued_at(const struct kernel_host *guest, const struct kernel_relay *x)
{
	const struct kernel_request *r = &guest->requests[x->request];
	return r->issue != INT64_MIN ? r->issue : r->insert;
}

/* Those of which the entry is known, the latest entry first. */
static void find_entries(const struct vm *v, struct kernel_host *guest)
{
	struct kernel_guest *g = guest->guest;
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->n_relays; i++) {
		struct kernel_relay *x = &g->relays[i];
		const struct kernel_vcpu *one = x->cpu < v->n_cpus ? v->cpus[x->cpu].v : NULL;
		int64_t issued = issued_at(guest, x);
		x->entered = one ? entry_before(one, x->entered) : INT64_MIN;
		if (issued != INT64_MIN && x->entered > issued)
			g->relays[n++] = *x;
	}
	g->n_relays = n;
	if (n)
		qsort(g->relays, n, sizeof(*g->relays), by_entry);
}

static void find_senders_of(struct vm *v, struct kernel_host *guest)
{
	struct kernel_guest *g = guest->guest;
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->n_relays; i++) {
		struct kernel_relay *x = &g->relays[i];
		struct vcpu *c = &v->cpus[x->cpu];
		x->vcpu = c->span = kernel_span_at(v->h, c->thread, x->entered, c->span);
		if (x->vcpu != KERNEL_NONE && find_sender(v, x, issued_at(guest, x)))
			g->relays[n++] = *x;
	}
	g->n_relays = n;
	if (n)
		qsort(g->relays, n, sizeof(*g->relays), by_request);
}

static int of_vm(struct kernel_host *hosts, const struct sync_vm *vm,
	const struct kernel_vcpus *vcpus, struct mer_err *err)
{
	struct kernel_host *guest = &hosts[vm->guest];
	struct vm v = { .h = &hosts[vm->hypervisor], .n_cpus = guest->guest->n_cpus };
	guest->guest->hypervisor = vm->hypervisor;
	if (!guest->guest->n_relays)
		return 0;
	bool ok = find_senders(&v, vm) && find_cpus(&v, &vcpus[vm->hypervisor], vm->guest) &&
		  find_ways(&v);
	if (ok) {
		find_entries(&v, guest);
		find_senders_of(&v, guest);
	}
	free(v.senders);
	free(v.serves);
	free(v.cpus);
	mer_map_fini(&v.ways);
	return ok ? 0 : mer_fail_nomem(err);
}

int kernel_relays_find(struct kernel_host *hosts, uint32_t n_hosts,
	const struct kernel_vcpus *vcpus, const struct sync_result *r, struct mer_err *err)
{
	int rc = 0;
	for (uint32_t i = 0; r && vcpus && i < r->n_vms && rc == 0; i++) {
		const struct sync_vm *vm = &r->vms[i];
		if (vm->guest < n_hosts && vm->hypervisor < n_hosts && hosts[vm->guest].guest)
			rc = of_vm(hosts, vm, vcpus, err);
	}
	return rc;
}
