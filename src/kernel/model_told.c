/* Events that change nothing in the model: they are told to the observer as they come. */
#include <string.h>

#include "kernel/model_state.h"

static uint32_t task_on(const struct cpu *c)
{
	return c->task >= ON_CPU_IDLE ? KERNEL_NONE : c->task;
}

static int tell_memory(struct kernel_model *m, struct cpu *c, int64_t ts,
	enum kernel_memory_kind kind, int64_t bytes, uint64_t address)
{
	const struct kernel_observer *o = m->in.observer;
	struct kernel_memory told = { .time = ts,
		.task = task_on(c),
		.cpu = model_cpu_number(m, c),
		.kind = (uint8_t)kind,
		.bytes = bytes,
		.address = address,
		.in_interrupt = c->depth > 0 };
	return o && o->memory ? o->memory(o->ctx, m->h, &told) : 0;
}

int model_told(struct kernel_model *m, struct cpu *c, int64_t ts, enum kernel_event event,
	const uint64_t *slots)
{
	enum {
		PAGE_BYTES = 4096,
		MAX_ORDER = 30,
		KHZ = 1,
		KHZ_CPU = 2,
		SIG = 1,
		SIG_PID,
		SIG_GROUP
	};
	const struct kernel_observer *o = m->in.observer;
	int64_t page = slots[1] <= MAX_ORDER ? (int64_t)PAGE_BYTES << slots[1] : 0;
	switch (event) {
	case KERNEL_EV_SOFTIRQ_RAISE:
		if (slots[IRQ_NR] < MODEL_SOFTIRQS && c->raised[slots[IRQ_NR]] == INT64_MIN)
			c->raised[slots[IRQ_NR]] = ts;
		return 0;
	case KERNEL_EV_PAGE_ALLOC: return tell_memory(m, c, ts, KERNEL_PAGES, page, 0);
	case KERNEL_EV_PAGE_FREE: return tell_memory(m, c, ts, KERNEL_PAGES, -page, 0);
	case KERNEL_EV_SLAB_ALLOC:
		return tell_memory(m, c, ts, KERNEL_SLAB,
			slots[2] < INT64_MAX ? (int64_t)slots[2] : 0, slots[1]);
	case KERNEL_EV_SLAB_FREE: return tell_memory(m, c, ts, KERNEL_SLAB, 0, slots[1]);
	case KERNEL_EV_FAULT_USER: return tell_memory(m, c, ts, KERNEL_FAULT_USER, 0, slots[1]);
	case KERNEL_EV_FAULT_KERNEL: return tell_memory(m, c, ts, KERNEL_FAULT_KERNEL, 0, slots[1]);
	case KERNEL_EV_FREQUENCY:
		return o && o->frequency && slots[KHZ_CPU] < KERNEL_MAX_CPUS
			       ? o->frequency(
					 o->ctx, m->h, (uint16_t)slots[KHZ_CPU], ts, slots[KHZ])
			       : 0;
	default: break;
	}
	struct kernel_signal signal = { .time = ts,
		.from = c->depth ? KERNEL_NONE : task_on(c),
		.to_tid = (int32_t)slots[SIG_PID],
		.number = (int32_t)slots[SIG],
		.is_group = slots[SIG_GROUP] != 0 };
	return o && o->signal ? o->signal(o->ctx, m->h, &signal) : 0;
}

int model_tell_packet(struct kernel_model *m, struct cpu *c, int64_t ts, bool is_send,
	uint32_t packet, const uint64_t *slots)
{
	enum { LEN = 2, NAME };
	const struct kernel_observer *o = m->in.observer;
	if (!o || !o->packet)
		return 0;
	struct kernel_packet_seen p = { .time = ts,
		.task = task_on(c),
		.packet = packet,
		.device = KERNEL_NONE,
		.cpu = model_cpu_number(m, c),
		.is_send = is_send,
		.in_interrupt = c->depth > 0 };
	if (o->wants & KERNEL_WANT_PACKETS) {
		size_t len;
		const char *name = model_text(&slots[NAME], &len);
		p.bytes = slots[LEN] <= UINT32_MAX ? (uint32_t)slots[LEN] : 0;
		if (len) {
			p.device = mer_intern_add(&m->h->names, name, len);
			if (p.device == MER_INTERN_NONE)
				return mer_fail_nomem(m->err);
		}
	}
	return o->packet(o->ctx, m->h, &p);
}
