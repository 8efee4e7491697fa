/* A hypervisor and its guest, on descriptions of traces that come with published results: what the
 * vCPU and the guest's tasks did at each instant at which something changes. Times are in ticks
 * (us).
 *
 * Theirs does not know what the vCPU does before the guest's first event, at 10: for us it entered
 * the guest at 5. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/vm/guests.h"
#include "kernel_case.h"

enum { TICK = KERNEL_CASE_TICK, VCPU = 31, ANY = 130, ANY2 = 131 };

struct vm {
	struct kernel_case c;
	struct kernel_world *w;
	struct sync_vm of;
	struct sync_vcpu vcpu;
	struct kernel_observer wants[2];
};

static void vm_open(struct vm *x)
{
	struct mer_err err = { 0 };
	*x = (struct vm){ .vcpu = { 0, VCPU } };
	kernel_case_open_xml(&x->c, "host=vm/host.xml guest=vm/guest.xml", NULL, NULL);
	x->of = (struct sync_vm){ .hypervisor = kernel_case_host(&x->c, "host"),
		.guest = kernel_case_host(&x->c, "guest"),
		.vcpus = &x->vcpu,
		.n_vcpus = 1 };
	x->c.result->vms = &x->of;
	x->c.result->n_vms = 1;
	x->wants[0].wants = x->wants[1].wants = KERNEL_WANT_VMS;
	struct kernel_world_options o = { .n_threads = 2, .observers = x->wants };
	if (kernel_world_build(x->c.e, &x->c.messages, x->c.result, &o, &x->w, &err))
		fail_msg("%s", err.text);
}

static void vm_close(struct vm *x)
{
	kernel_world_free(x->w);
	kernel_case_close(&x->c);
}

static void vcpu_at_each_instant(void **state)
{
	static const struct {
		int64_t tick;
		enum kernel_vcpu_state state;
	} expected[] = { { 5, KERNEL_VCPU_GUEST }, { 10, KERNEL_VCPU_GUEST },
		{ 45, KERNEL_VCPU_HYPERVISOR }, { 50, KERNEL_VCPU_HYPERVISOR },
		{ 55, KERNEL_VCPU_HYPERVISOR }, { 60, KERNEL_VCPU_GUEST },
		{ 95, KERNEL_VCPU_HYPERVISOR }, { 100, KERNEL_VCPU_PREEMPTED },
		{ 149, KERNEL_VCPU_PREEMPTED }, { 150, KERNEL_VCPU_HYPERVISOR },
		{ 155, KERNEL_VCPU_GUEST }, { 195, KERNEL_VCPU_HYPERVISOR },
		{ 210, KERNEL_VCPU_GUEST }, { 245, KERNEL_VCPU_HYPERVISOR },
		{ 260, KERNEL_VCPU_GUEST }, { 295, KERNEL_VCPU_HYPERVISOR },
		{ 300, KERNEL_VCPU_PREEMPTED }, { 350, KERNEL_VCPU_HYPERVISOR } };
	struct vm x;
	(void)state;
	vm_open(&x);
	const struct kernel_vcpus *v = &x.w->vcpus[x.of.hypervisor];
	assert_int_equal(v->n, 1);
	const struct kernel_vcpu *one = &v->vcpus[0];
	int64_t zero = one->begin - 5 * (int64_t)TICK;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		int64_t t = zero + expected[i].tick * TICK;
		uint32_t k = 0;
		while (k + 1 < one->n_stays && one->stays[k + 1].begin <= t)
			k++;
		if (one->stays[k].state != expected[i].state)
			fail_msg("at %" PRId64 ": %s, not %s", expected[i].tick,
				kernel_vcpu_state_names[one->stays[k].state],
				kernel_vcpu_state_names[expected[i].state]);
		if (expected[i].state == KERNEL_VCPU_PREEMPTED)
			assert_int_equal(v->runners[one->stays[k].by].tid, 30);
	}
	vm_close(&x);
}

/* 'r' in the guest, 'h' while the hypervisor did something, 's' stolen, 'w' waits, '?' not
 * known. */
static char letter(const struct kernel_host *h, int32_t tid, int64_t t)
{
	uint32_t task = kernel_find_task(h, tid, NULL, 0);
	uint32_t i = kernel_span_at(h, task, t, KERNEL_NONE);
	if (i == KERNEL_NONE || t >= h->tasks[task].end)
		return '?';
	const struct kernel_span *s = kernel_span(h, i);
	if (s->state != KERNEL_INTERRUPTED)
		return kernel_is_on_cpu(s->state) ? 'r' : s->state == KERNEL_RUNNABLE ? 'w' : '?';
	if (s->cause == KERNEL_STOLEN)
		assert_string_equal(kernel_absence_words(h->guest, s->source), "any/30 on host");
	return s->cause == KERNEL_STOLEN ? 's' : s->cause == KERNEL_HYPERVISOR ? 'h' : 'i';
}

static void tasks_at_each_instant(void **state)
{
	static const struct {
		int64_t tick;
		char any, any2;
	} expected[] = { { 10, 'w', 'r' }, { 35, 'r', 'w' }, { 45, 'h', 'w' }, { 60, 'r', 'w' },
		{ 74, 'r', 'w' }, { 75, 'w', 'r' }, { 95, 'w', 'h' }, { 100, 'w', 's' },
		{ 149, 'w', 's' }, { 150, 'w', 'h' }, { 155, 'w', 'r' }, { 175, 'r', 'w' },
		{ 195, 'h', 'w' }, { 210, 'r', 'w' }, { 225, 'w', 'r' }, { 245, 'w', 'h' },
		{ 260, 'w', 'r' }, { 275, 'r', 'w' }, { 295, 'h', 'w' }, { 300, 's', 'w' },
		{ 349, 's', 'w' }, { 350, 'h', 'w' } };
	struct vm x;
	(void)state;
	vm_open(&x);
	const struct kernel_host *h = &x.w->hosts[x.of.guest];
	int64_t zero = x.w->vcpus[x.of.hypervisor].vcpus[0].begin - 5 * (int64_t)TICK;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		int64_t t = zero + expected[i].tick * TICK;
		char any = letter(h, ANY, t), any2 = letter(h, ANY2, t);
		if (any != expected[i].any || any2 != expected[i].any2)
			fail_msg("at %" PRId64 ": %c %c, not %c %c", expected[i].tick, any, any2,
				expected[i].any, expected[i].any2);
	}
	vm_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vcpu_at_each_instant),
		cmocka_unit_test(tasks_at_each_instant),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
