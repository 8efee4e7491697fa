/* Events that are told to the observer as they come. */
#include "kernel/model_state.h"

static uint32_t task_on(const struct cpu *c)
{
	return c->task >= ON_CPU_IDLE ? KERNEL_NONE : c->task;
}

int model_tell(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	const struct kernel_observer *o = m->in.observer;
	const struct kernel_told_event told = { .time = ev->ts,
		.slots = ev->slots,
		.task = task_on(c),
		.cpu = model_cpu_number(m, c),
		.kind = b->event,
		.in_interrupt = c->depth > 0 };
	return o && o->event ? o->event(o->ctx, m->h, &told) : 0;
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
