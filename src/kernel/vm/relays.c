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
	       (t->is_kernel && strcmp(kernel_comm(h, task, INT64_MAX), name) == 0);
}

static bool find_senders(struct vm *v, const struct sync_vm *vm)
{
	v->senders = calloc((size_t)v->h->n_tasks + 1, sizeof(*v->senders));
	for (uint32_t i = 0; v->senders && i < v->h->n_tasks; i++)
		if (serves(v->h, i, vm))
			v->senders[v->n++] =
				(struct sender){ i, v->h->tasks[i].last, kernel_task_end(v->h, i) };
	return v->senders;
}

static uint64_t way_of(const struct kernel_host *h, const struct kernel_span *s)
{
	return (uint64_t)s->task << 32 | (uint32_t)h->calls[s->call].fd;
}

static uint32_t thread_of(const struct kernel_host *h, uint32_t tid)
{
	uint32_t found = KERNEL_NONE;
	for (uint32_t i = 0; i < h->n_tasks; i++)
		if (h->tasks[i].tid == (int32_t)tid)
			found = i;
	return found;
}

static bool note_ways(struct vm *v, const struct sync_vm *vm, uint32_t task, enum way way)
{
	const struct kernel_host *h = v->h;
	for (uint32_t at = h->tasks[task].last; at != KERNEL_NONE;
		at = kernel_span(h, at)->before) {
		const struct kernel_span *s = kernel_span(h, at);
		const struct kernel_span *by = s->state == KERNEL_BLOCKED && s->by != KERNEL_NONE
						       ? kernel_span(h, s->by)
						       : NULL;
		if (!by || by->call == KERNEL_NONE || !serves(h, by->task, vm))
			continue;
		uint32_t *old = mer_map_put(&v->ways, way_of(h, by));
		if (!old)
			return false;
		if (*old != WAKES_VCPU)
			*old = way;
	}
	return true;
}

static bool find_ways(struct vm *v, const struct sync_vm *vm)
{
	bool ok = true;
	for (uint32_t i = 0; i < vm->n_vcpus && ok; i++) {
		uint32_t thread = thread_of(v->h, vm->vcpus[i].tid);
		ok = thread == KERNEL_NONE || note_ways(v, vm, thread, WAKES_VCPU);
	}
	for (uint32_t i = 0; i < v->n && ok; i++)
		ok = note_ways(v, vm, v->senders[i].task, WAKES_OTHER);
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

static const struct kernel_vcpu *vcpu_of(const struct kernel_vcpus *v, uint32_t guest, uint16_t cpu)
{
	const struct kernel_vcpu *found = NULL;
	for (uint32_t i = 0; i < v->n && !found; i++)
		if (v->vcpus[i].guest == guest && v->vcpus[i].guest_cpu == cpu)
			found = &v->vcpus[i];
	return found;
}

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

static bool find_relay(struct vm *v, const struct kernel_host *guest, uint32_t number,
	const struct kernel_vcpus *vcpus, struct kernel_relay *x)
{
	const struct kernel_request *r = &guest->requests[x->request];
	const struct kernel_vcpu *cpu = vcpu_of(vcpus, number, x->cpu);
	int64_t issued = r->issue != INT64_MIN ? r->issue : r->insert;
	int64_t entered = cpu ? entry_before(cpu, x->entered) : INT64_MIN;
	uint32_t thread = cpu ? thread_of(v->h, (uint32_t)cpu->tid) : KERNEL_NONE;
	if (issued == INT64_MIN || entered <= issued || thread == KERNEL_NONE)
		return false;
	x->entered = entered;
	x->vcpu = kernel_span_at(v->h, thread, entered, KERNEL_NONE);
	return x->vcpu != KERNEL_NONE && find_sender(v, x, issued);
}

static int of_vm(struct kernel_host *hosts, const struct sync_vm *vm,
	const struct kernel_vcpus *vcpus, struct mer_err *err)
{
	struct kernel_host *guest = &hosts[vm->guest];
	struct kernel_guest *g = guest->guest;
	struct vm v = { .h = &hosts[vm->hypervisor] };
	uint32_t n = 0;
	g->hypervisor = vm->hypervisor;
	if (!g->n_relays)
		return 0;
	if (!find_senders(&v, vm) || !find_ways(&v, vm)) {
		free(v.senders);
		mer_map_fini(&v.ways);
		return mer_fail_nomem(err);
	}
	qsort(g->relays, g->n_relays, sizeof(*g->relays), by_entry);
	for (uint32_t i = 0; i < g->n_relays; i++)
		if (find_relay(&v, guest, vm->guest, &vcpus[vm->hypervisor], &g->relays[i]))
			g->relays[n++] = g->relays[i];
	g->n_relays = n;
	if (n)
		qsort(g->relays, n, sizeof(*g->relays), by_request);
	free(v.senders);
	mer_map_fini(&v.ways);
	return 0;
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
