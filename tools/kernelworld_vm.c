/* kernelworld: machines in machines. */
#include "kernelworld_vm.h"
#include "kernelworld_virtio.h"

#include <stdlib.h>
#include <string.h>

/* Exit reasons of Intel's and of AMD's processors. */
static const struct {
	const char *name;
	uint32_t vmx, svm;
} exits[VM_N_EXITS] = {
	[VM_NONE] = { "", 0, 0 },
	[VM_INTERRUPT] = { "interrupt", 1, 0x60 },
	[VM_HLT] = { "hlt", 12, 0x78 },
	[VM_MSR] = { "msr", 32, 0x7c },
	[VM_MEMORY] = { "memory", 48, 0x400 },
	[VM_IO] = { "io", 30, 0x7b },
	[VM_PAUSE] = { "pause", 40, 0x77 },
	[VM_KICK] = { "kick", 49, 0x400 },
};

static const char *const states[] = { "halted", "guest", "hypervisor", "user", "preempted" };

/* ---- the truth ---- */

static void note_vcpu(struct vcpu *v, enum vm_state state)
{
	struct sim *s = v->cpu->sim;
	if (v->state == state)
		return;
	bool has_reason = v->state == VM_HYPERVISOR || v->state == VM_USER;
	if (s->vcpus_csv && v->since < s->now && s->now > s->o.begin_cut)
		fprintf(s->vcpus_csv, "%s,%u,%lld,%lld,%s,%s\n", v->cpu->m->name, v->cpu->id,
			(long long)shown(v->since < s->o.begin_cut ? s->o.begin_cut : v->since),
			(long long)shown(s->now), states[v->state],
			has_reason ? exits[v->reason].name : "");
	v->state = state;
	v->since = s->now;
}

static void end_stolen(struct vcpu *v)
{
	struct sim *s = v->cpu->sim;
	const struct task *victim = v->cpu->current, *by = v->thief, *inside = v->thief_inside;
	int64_t begin = v->stolen_since < s->o.begin_cut ? s->o.begin_cut : v->stolen_since;
	if (by && s->stolen_csv && begin < s->now) {
		fprintf(s->stolen_csv, "%s,%u,%d,%lld,%lld,%s,%d,%s,%s,", v->cpu->m->name,
			v->cpu->id, victim->tid, (long long)shown(begin), (long long)shown(s->now),
			by->m->name, by->tid, by->comm, by->vcpu ? by->vcpu->cpu->m->name : "");
		if (inside)
			fprintf(s->stolen_csv, "%d", inside->tid);
		fprintf(s->stolen_csv, "\n");
	}
	v->thief = v->thief_inside = NULL;
	v->stolen_since = s->now;
}

/* Of the vCPUs that wait for this processor of a host: who has it now. */
static void account(struct cpu *c)
{
	struct task *by = c->current == c->idle ? NULL : c->current, *inside = NULL;
	if (by && by->vcpu && by->vcpu->cpu->current != by->vcpu->cpu->idle)
		inside = by->vcpu->cpu->current;
	for (uint32_t i = 0; i < c->queue.n; i++) {
		struct task *t = c->queue.of[(c->queue.first + i) & (c->queue.cap - 1)];
		struct vcpu *v = t->vcpu;
		/* A guest without work is robbed of nothing. */
		if (!v || (v->cpu->current == v->cpu->idle && !v->cpu->queue.n))
			continue;
		if (v->thief == by && v->thief_inside == inside)
			continue;
		end_stolen(v);
		v->thief = by;
		v->thief_inside = inside;
	}
}

void vm_switched(struct cpu *c, struct task *prev, bool runnable)
{
	if (c->vcpu) { /* in a guest: it may be the thief of another vCPU */
		account(c->vcpu->thread->cpu);
		return;
	}
	if (!c->sim->o.n_vms)
		return;
	struct vcpu *next = c->current->vcpu;
	if (prev->vcpu)
		note_vcpu(prev->vcpu, runnable ? VM_PREEMPTED : VM_HALTED);
	if (next) {
		end_stolen(next);
		note_vcpu(next, c->current->call >= 0 ? VM_HYPERVISOR : VM_USER);
	}
	account(c);
}

void vm_enqueued(struct task *t)
{
	if (t->cpu->vcpu) /* in a guest, which has work now */
		account(t->cpu->vcpu->thread->cpu);
	if (!t->vcpu)
		return;
	note_vcpu(t->vcpu, VM_PREEMPTED);
	account(t->cpu);
}

/* ---- the guest's side ---- */

bool vm_step_at(struct cpu *c, int64_t time)
{
	struct vcpu *v = c->vcpu;
	if (!v || v->in_guest)
		return false;
	v->left = time > c->sim->now ? time - c->sim->now : 0;
	c->sleeping = false;
	if (v->thread->blocked)
		interrupt_at(v->thread->cpu, c->sim->now + pick(c->sim, 300, 1500), IRQ_TIMER,
			v->thread);
	return true;
}

static void want(struct vcpu *v, enum vm_exit reason, int64_t ns)
{
	struct sim *s = v->cpu->sim;
	if (v->wanted)
		return;
	v->wanted = reason;
	v->wanted_at = s->now + ns;
	vm_host_step(v->thread->cpu, v->wanted_at);
}

static void add_pending(struct vcpu *v, struct irq irq)
{
	if (v->n_pending == v->cap_pending) {
		v->cap_pending = v->cap_pending ? 2 * v->cap_pending : 8;
		v->pending = need(realloc(v->pending, v->cap_pending * sizeof(*v->pending)));
	}
	v->pending[v->n_pending++] = irq;
}

void vm_send_irq(struct cpu *c, struct cpu *guest, struct irq irq)
{
	struct vcpu *v = guest->vcpu;
	add_pending(v, irq);
	if (v->in_guest)
		want(v, VM_INTERRUPT, pick(c->sim, 100, 500));
	else if (v->thread->blocked)
		wake_now(c, v->thread, KERNEL_TASK, NULL);
}

bool vm_take_irq(struct cpu *c, struct irq irq)
{
	struct vcpu *v = c->vcpu;
	struct sim *s = c->sim;
	if (!v)
		return false;
	add_pending(v, irq);
	if (v->in_guest)
		want(v, VM_INTERRUPT, pick(s, 100, 500));
	else if (v->thread->blocked)
		interrupt_at(v->thread->cpu, s->now + pick(s, 300, 1500), IRQ_TIMER, v->thread);
	return true;
}

/* The guest does something that it cannot do alone. Its next step is later. */
void vm_leave(struct cpu *c, enum vm_exit reason)
{
	if (c->vcpu && c->vcpu->in_guest)
		want(c->vcpu, reason, pick(c->sim, 20, 120));
}

/* A task that wants a lock which is held on a processor of the guest that does not run. */
static void spin(struct cpu *c)
{
	struct sim *s = c->sim;
	for (uint32_t i = 0; i < c->m->n_cpus; i++) {
		const struct vcpu *v = c->m->cpus[i].vcpu;
		bool is_held = v->state == VM_PREEMPTED && v->cpu->current != v->cpu->idle;
		if (v->cpu == c || !is_held || c->current == c->idle || !chance(s, 0.1))
			continue;
		vm_leave(c, VM_PAUSE);
		return;
	}
}

void vm_executed(struct cpu *c)
{
	struct sim *s = c->sim;
	if (c->vcpu && s->o.spins)
		spin(c);
	if (!c->vcpu || !chance(s, 0.02))
		return;
	vm_leave(c, chance(s, 0.2) ? VM_IO : VM_MEMORY);
}

int64_t glitch_of(const struct machine *m, int64_t t)
{
	const struct options *o = &m->sim->o;
	return m->is_guest && m->id == m->sim->o.n_hosts && t < o->glitch_until ? -o->glitch : 0;
}

/* ---- the host's side ---- */

static void do_inject(struct cpu *c, const struct step *step)
{
	struct vcpu *v = step->p;
	struct cpu *g = v->cpu;
	static const int vectors[] = { 236, 236, 236, 41, 42, 43, 253, 253, 236 };
	if (!v->n_pending)
		return;
	struct irq irq = v->pending[0];
	memmove(v->pending, v->pending + 1, --v->n_pending * sizeof(*v->pending));
	val(c->sim, vectors[irq.kind]);
	emit(c, EV_VM_INJECT);
	if (irq.kind == IRQ_DISK && g->m->virtio)
		((struct request *)irq.p)->served->entered = c->sim->now;
	if (irq.kind == IRQ_NET) {
		list_add(&g->input, irq.p);
		if (g->napi)
			irq.kind = IRQ_SENT; /* nothing to be told again */
		g->napi = true;
	}
	if (g->n_irqs == g->cap_irqs) {
		g->cap_irqs = g->cap_irqs ? 2 * g->cap_irqs : 8;
		g->irqs = need(realloc(g->irqs, g->cap_irqs * sizeof(*g->irqs)));
	}
	g->irqs[g->n_irqs++] = irq;
	add_p(c->sim, do_inject, v);
	put_first(c->sim, context(c));
}

static void do_entry(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct vcpu *v = step->p;
	struct cpu *g = v->cpu;
	if (v->n_pending) {
		add_p(s, do_inject, v);
		add_p(s, do_entry, v);
		put_first(s, context(c));
		return;
	}
	val(s, g->id);
	emit(c, EV_VM_ENTRY);
	note_vcpu(v, VM_GUEST);
	v->in_guest = true;
	v->wanted = VM_NONE;
	add_time(s, 1000000000);
	put_first(s, context(c));
	vm_resume(g, v->left, s->now + pick(s, 2, 2 * s->o.vm_latency));
	v->left = 0;
	if (g->sleeping) /* it was taken out just before it could say so */
		vm_leave(g, VM_HLT);
}

static void do_halt(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct vcpu *v = step->p;
	if (v->n_pending || !v->cpu->sleeping)
		return;
	add_p(s, do_halt, v);
	put_first(s, context(c));
	block(c, 1);
}

static void do_user_exit(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct vcpu *v = step->p;
	val(s, 2); /* KVM_EXIT_IO */
	val(s, 0);
	emit(c, EV_VM_USER);
	(void)v;
}

static void do_note(struct cpu *c, const struct step *step)
{
	(void)c;
	note_vcpu(step->p, (enum vm_state)step->a);
}

static void add_note(struct sim *s, struct vcpu *v, enum vm_state state)
{
	add_p(s, do_note, v)->a = (int32_t)state;
}

void next_of_vcpu(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	if (t->call < 0) {
		add_call(s, C_IOCTL, 20);
		add_note(s, t->vcpu, VM_HYPERVISOR);
	}
	add_time(s, pick(s, 500, 3000));
	add_p(s, do_entry, t->vcpu);
}

/* Of its guest's processors the one that has been preempted longest. */
static void note_spin(struct vcpu *v)
{
	struct sim *s = v->cpu->sim;
	const struct machine *m = v->cpu->m;
	const struct vcpu *held = NULL;
	if (!s->spins_csv || s->now <= s->o.begin_cut)
		return;
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		const struct vcpu *x = m->cpus[i].vcpu;
		if (x != v && x->state == VM_PREEMPTED && (!held || x->since < held->since))
			held = x;
	}
	fprintf(s->spins_csv, "%s,%u,%lld,", m->name, v->cpu->id, (long long)shown(s->now));
	if (held)
		fprintf(s->spins_csv, "%u", held->cpu->id);
	fprintf(s->spins_csv, "\n");
}

static void leave_guest(struct cpu *c)
{
	struct sim *s = c->sim;
	struct task *t = c->current;
	struct vcpu *v = t->vcpu;
	struct cpu *g = v->cpu;
	enum vm_exit reason = v->wanted && s->now >= v->wanted_at ? v->wanted : VM_INTERRUPT;
	v->left = vm_pause(g);
	v->in_guest = false;
	v->wanted = VM_NONE;
	v->reason = reason;
	val(s, s->o.svm ? exits[reason].svm : exits[reason].vmx);
	if (s->o.old) {
		address(s, 0xFFFFFFFF81000000 + (uint64_t)pick(s, 0, 1 << 20));
		val(s, s->o.svm ? 2 : 1);
		val(s, 0);
		val(s, 0);
	} else {
		address(s, 0xFFFFFFFF81000000 + (uint64_t)pick(s, 0, 1 << 20));
		val(s, s->o.svm ? 2 : 1);
		val(s, 0);
		val(s, 0);
		val(s, 0);
		val(s, 0);
		val(s, g->id);
	}
	emit(c, EV_VM_EXIT);
	note_vcpu(v, VM_HYPERVISOR);
	if (reason == VM_PAUSE)
		note_spin(v);
	t->steps.left = 0;
	t->steps.n = 0;
	add_time(s, pick(s, 200, 1500));
	if (g->m->virtio)
		add_virtio_kick(s, g->m);
	if (reason == VM_HLT) {
		add_p(s, do_halt, v);
	} else if (reason == VM_IO) {
		add_p(s, do_user_exit, v);
		add_return(s, C_IOCTL, 0);
		add_note(s, v, VM_USER);
		add_time(s, pick(s, 3000, 20000));
		add_call(s, C_IOCTL, 20);
		add_note(s, v, VM_HYPERVISOR);
	} else if (reason == VM_MEMORY) {
		add_time(s, pick(s, 1000, 8000));
	}
	put_first(s, &t->steps);
}

bool vm_step(struct cpu *c)
{
	struct task *t = c->current;
	struct vcpu *v = t->vcpu;
	if (!v || !v->in_guest || c->n_frames)
		return false;
	struct sim *s = c->sim;
	if (c->n_irqs || c->need_resched || c->softirqs || !t->steps.n ||
		(v->wanted && s->now >= v->wanted_at)) {
		/* A last step at the very same moment. */
		leave_guest(c);
		vm_host_step(c, s->now + pick(s, 150, 600));
		return true;
	}
	if (v->wanted) {
		vm_host_step(c, v->wanted_at);
		return true;
	}
	return false;
}

void vm_preempt(struct cpu *c)
{
	struct task *t = c->current;
	if (t->vcpu && t->vcpu->in_guest && c->need_resched && !c->n_frames)
		vm_host_step(c, c->sim->now + pick(c->sim, 300, 1500));
}

/* ---- begin and end ---- */

static struct machine *host_of(struct sim *s, uint32_t vm)
{
	return &s->machines[vm % s->o.n_hosts];
}

void make_guests(struct sim *s)
{
	for (uint32_t i = s->o.n_hosts; i < s->o.n_machines; i++) {
		struct machine *m = &s->machines[i];
		m->is_guest = true;
		for (uint32_t k = 0; k < m->n_cpus; k++) {
			struct vcpu *v = need(calloc(1, sizeof(*v)));
			v->cpu = &m->cpus[k];
			v->state = VM_USER;
			m->cpus[k].vcpu = v;
		}
	}
}

void make_vcpus(struct sim *s)
{
	for (uint32_t i = 0; i < s->o.n_vms; i++) {
		struct machine *host = host_of(s, i), *guest = &s->machines[s->o.n_hosts + i];
		struct task *main = start(
			host, "qemu-system-x86", s->o.virtio ? PROGRAM_VIRTIO_MAIN : PROGRAM_QEMU);
		if (s->o.virtio)
			make_virtio(guest, main);
		for (uint32_t k = 0; k < guest->n_cpus; k++) {
			char name[16];
			snprintf(name, sizeof(name), "CPU %u/KVM", k % 1000);
			struct task *t = start(host, name, PROGRAM_VCPU);
			if (s->o.pin) {
				t->pinned = true;
				list_remove(&t->cpu->queue, t);
				t->cpu = &host->cpus[(i / s->o.n_hosts * guest->n_cpus + k) %
						     host->n_cpus];
				list_add(&t->cpu->queue, t);
			}
			t->pid = main->pid;
			t->files = main->files;
			t->vcpu = guest->cpus[k].vcpu;
			t->vcpu->thread = t;
		}
	}
	for (uint32_t h = 0; h < s->o.n_hosts; h++)
		for (uint32_t k = 0; k < s->o.n_hogs; k++)
			if (!s->o.hogs_on || s->o.hogs_on == h + 1)
				start(&s->machines[h], "hog", PROGRAM_HOG);
}

void vm_open_truth(struct sim *s)
{
	if (!s->o.n_vms)
		return;
	FILE *f = open_csv(s, "vms.csv");
	fprintf(f, "guest,vcpu,host,pid,tid,pinned\n");
	for (uint32_t i = s->o.n_hosts; i < s->o.n_machines; i++)
		for (uint32_t k = 0; k < s->machines[i].n_cpus; k++) {
			const struct task *t = s->machines[i].cpus[k].vcpu->thread;
			fprintf(f, "%s,%u,%s,%d,%d,", s->machines[i].name, k, t->m->name, t->pid,
				t->tid);
			if (t->pinned)
				fprintf(f, "%u", t->cpu->id);
			fprintf(f, "\n");
		}
	close_csv(f, "vms.csv");
	if (s->o.no_truth)
		return;
	if (s->o.virtio)
		virtio_open_truth(s);
	if (s->o.spins) {
		s->spins_csv = open_csv(s, "spins.csv");
		fprintf(s->spins_csv, "guest,vcpu,time,preempted\n");
	}
	s->vcpus_csv = open_csv(s, "vcpus.csv");
	fprintf(s->vcpus_csv, "guest,vcpu,begin,end,state,reason\n");
	s->stolen_csv = open_csv(s, "stolen.csv");
	fprintf(s->stolen_csv,
		"guest,vcpu,tid,begin,end,host,by_tid,by_comm,by_guest,by_guest_tid\n");
}

void vm_close_truth(struct sim *s)
{
	if (!s->vcpus_csv)
		return;
	for (uint32_t i = s->o.n_hosts; i < s->o.n_machines; i++)
		for (uint32_t k = 0; k < s->machines[i].n_cpus; k++) {
			struct vcpu *v = s->machines[i].cpus[k].vcpu;
			end_stolen(v);
			note_vcpu(v, v->state == VM_HALTED ? VM_USER : VM_HALTED);
		}
	if (s->disks_csv)
		close_csv(s->disks_csv, "disks.csv");
	if (s->spins_csv)
		close_csv(s->spins_csv, "spins.csv");
	close_csv(s->vcpus_csv, "vcpus.csv");
	close_csv(s->stolen_csv, "stolen.csv");
}
