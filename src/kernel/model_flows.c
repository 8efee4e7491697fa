/* Flows: of several packets that were received one after the other, before anything was done about them, the
 * one that was about a connection. Network drivers hand on packets in batches: what they set off comes
 * after the last one, and need not be about that one.
 *
 * A connection is known by its two endpoints; whose it is, by who sent on it before. */
#include "kernel/model_state.h"

enum { BATCH = 64, BATCH_NS = 10000000 };

static uint64_t flow_key(uint32_t mine, uint32_t others)
{
	return (uint64_t)mine << 32 | others;
}

static bool is_known(const struct kernel_packet *p)
{
	return p->source && p->destination;
}

int model_flow_sent(struct kernel_model *m, uint32_t packet)
{
	const struct kernel_packet *p = &m->in.packets[packet];
	if (!is_known(p) || p->sender == KERNEL_NONE)
		return 0;
	uint32_t *task = mer_map_put(&m->flows, flow_key(p->source, p->destination));
	if (!task)
		return mer_fail_nomem(m->err);
	*task = kernel_span(m->h, p->sender)->task + 1;
	return 0;
}

/* Was it received on a connection on which the task's process sent before? */
static bool is_of(const struct kernel_model *m, uint32_t packet, uint32_t task)
{
	const struct kernel_packet *p = &m->in.packets[packet];
	const uint32_t *owner =
		is_known(p) ? mer_map_get(&m->flows, flow_key(p->destination, p->source)) : NULL;
	if (!owner || !*owner)
		return false;
	const struct kernel_task *t = &m->h->tasks[task], *o = &m->h->tasks[*owner - 1];
	return *owner - 1 == task || (t->pid >= 0 && t->pid == o->pid);
}

/* Does the received one answer, or ask for, what was sent? */
static bool is_reply(const struct kernel_model *m, uint32_t received, uint32_t sent)
{
	const struct kernel_packet *r = &m->in.packets[received], *s = &m->in.packets[sent];
	return is_known(r) && r->source == s->destination && r->destination == s->source;
}

/* The last packet received since then that fits; otherwise `last`. */
static uint32_t choose(const struct kernel_model *m, int64_t since, uint32_t last, uint32_t with,
	bool (*fits)(const struct kernel_model *m, uint32_t packet, uint32_t with))
{
	if (last == KERNEL_NONE || fits(m, last, with))
		return last;
	size_t at = m->next_end[false];
	for (int i = 0; i < BATCH && at > 0; i++) {
		struct kernel_end e = m->in.ends[--at];
		int64_t time = kernel_end_time(m->in.packets, e);
		if (time < since || time < m->in.packets[last].received - BATCH_NS)
			break;
		if (!e.is_send && fits(m, e.packet, with))
			return e.packet;
	}
	return last;
}

uint32_t model_flow_woke(const struct kernel_model *m, int64_t since, uint32_t last, uint32_t task)
{
	return choose(m, since, last, task, is_of);
}

uint32_t model_flow_answered(
	const struct kernel_model *m, int64_t since, uint32_t last, uint32_t sent)
{
	return choose(m, since, last, sent, is_reply);
}
