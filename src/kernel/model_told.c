/* Events that change nothing in the model: they are told to the observer as they come. */
#include <string.h>

#include "kernel/model_state.h"

static uint32_t task_on(const struct cpu *c)
{
	return c->task >= ON_CPU_IDLE ? KERNEL_NONE : c->task;
}

static int64_t bytes_of_pages(const uint64_t *slots)
{
	enum { PAGE_BYTES = 4096, MAX_ORDER = 30 };
	return slots[PAGE_ORDER] <= MAX_ORDER ? (int64_t)PAGE_BYTES << slots[PAGE_ORDER] : 0;
}

int model_memory(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	const struct kernel_observer *o = m->in.observer;
	const uint64_t *slots = ev->slots;
	struct kernel_memory told = { .time = ev->ts,
		.task = task_on(c),
		.cpu = model_cpu_number(m, c),
		.in_interrupt = c->depth > 0 };
	switch (b->event) {
	case KERNEL_EV_PAGE_ALLOC:
		told.kind = KERNEL_PAGES;
		told.bytes = bytes_of_pages(slots);
		break;
	case KERNEL_EV_PAGE_FREE:
		told.kind = KERNEL_PAGES;
		told.bytes = -bytes_of_pages(slots);
		break;
	case KERNEL_EV_SLAB_ALLOC:
		told.kind = KERNEL_SLAB;
		told.bytes = slots[SLAB_BYTES] < INT64_MAX ? (int64_t)slots[SLAB_BYTES] : 0;
		told.address = slots[SLAB_ADDRESS];
		break;
	case KERNEL_EV_SLAB_FREE:
		told.kind = KERNEL_SLAB;
		told.address = slots[SLAB_ADDRESS];
		break;
	default:
		told.kind =
			b->event == KERNEL_EV_FAULT_USER ? KERNEL_FAULT_USER : KERNEL_FAULT_KERNEL;
		told.address = slots[FAULT_ADDRESS];
		break;
	}
	return o && o->memory ? o->memory(o->ctx, m->h, &told) : 0;
}

int model_raise(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)m, (void)b;
	uint64_t vec = ev->slots[IRQ_NR];
	if (vec < MODEL_SOFTIRQS && c->raised[vec] == INT64_MIN)
		c->raised[vec] = ev->ts;
	return 0;
}

int model_not_handled(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)m, (void)c, (void)ev, (void)b;
	return 0;
}

int model_frequency(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)c, (void)b;
	const struct kernel_observer *o = m->in.observer;
	uint64_t cpu = ev->slots[FREQUENCY_CPU];
	return o && o->frequency && cpu < KERNEL_MAX_CPUS
		       ? o->frequency(o->ctx, m->h, (uint16_t)cpu, ev->ts, ev->slots[FREQUENCY_KHZ])
		       : 0;
}

int model_signal(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b;
	const struct kernel_observer *o = m->in.observer;
	struct kernel_signal signal = { .time = ev->ts,
		.from = c->depth ? KERNEL_NONE : task_on(c),
		.to_tid = (int32_t)ev->slots[SIGNAL_TID],
		.number = (int32_t)ev->slots[SIGNAL_NUMBER],
		.is_group = ev->slots[SIGNAL_GROUP] != 0 };
	return o && o->signal ? o->signal(o->ctx, m->h, &signal) : 0;
}

int model_tell_packet(struct kernel_model *m, struct cpu *c, int64_t ts, bool is_send,
	uint32_t packet, const uint64_t *slots)
{
	const struct kernel_observer *o = m->in.observer;
	if (!o)
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
		const char *name = model_text(&slots[PACKET_DEVICE], &len);
		p.bytes = slots[PACKET_LEN] <= UINT32_MAX ? (uint32_t)slots[PACKET_LEN] : 0;
		if (len) {
			p.device = mer_intern_add(&m->h->names, name, len);
			if (p.device == MER_INTERN_NONE)
				return mer_fail_nomem(m->err);
		}
	}
	/* Numbers of names depend on what is wanted, not on the observers. */
	return o->packet ? o->packet(o->ctx, m->h, &p) : 0;
}
