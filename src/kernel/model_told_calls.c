/* Calls of which the event has numbers alone: arguments are taken from the registers, and what
 * these point to from probes (of group mer), whose events come within the call, or, as their
 * places are the same, right before it. */
#include <string.h>

#include "kernel/files/object_name.h"
#include "kernel/model_state.h"

enum { CLONE_THREAD_ = 0x10000, FAMILY_INET_ = 2 };

const struct kernel_binding *model_call_by_registers(const struct mer_event *ev,
	const struct kernel_binding *b, uint16_t id, struct model_registers *r)
{
	const uint64_t *args = ev->slots + CALL_ARGS;
	if (!id || args[0] < KERNEL_REGISTERS)
		return b;
	r->binding = *b;
	r->binding.kind = (uint16_t)kernel_call_kind_of(id);
	r->binding.id = id;
	r->binding.row_slots = 0;
	kernel_call_slots(id, (const uint64_t *)(uintptr_t)args[1], r->slots);
	return &r->binding;
}

const uint64_t *model_typed_slots(
	const struct mer_event *ev, const struct kernel_binding *b, struct model_registers *r)
{
	kernel_call_typed_slots(b->id, ev->slots + 1, r->slots);
	return r->slots;
}

/* The task that is in a call on this CPU; KERNEL_NONE. */
static uint32_t caller(const struct kernel_model *m, const struct cpu *c)
{
	return c->task < ON_CPU_IDLE && c->depth == 0 && m->live[c->task].call != KERNEL_NONE
		       ? c->task
		       : KERNEL_NONE;
}

/* The call is on something else than what was thought. */
static int change_call(
	struct kernel_model *m, uint32_t task, int64_t ts, const struct kernel_call *call)
{
	struct live *l = &m->live[task];
	const struct kernel_call *was = &m->h->calls[l->call];
	if (was->object == call->object && was->kind == call->kind)
		return 0;
	uint32_t id = kernel_add_call(m->h, call);
	if (id == KERNEL_NONE)
		return mer_fail_nomem(m->err);
	/* Told at the entry's own time it holds for all of the call. (Later it would be what a
	 * window that ends before it cannot know.) */
	struct kernel_span *s = model_open(m, task);
	if (s->call == l->call && s->begin == ts)
		s->call = id;
	l->call = id;
	return 0;
}

int model_take_told_path(struct kernel_model *m, struct cpu *c, struct kernel_call *call)
{
	uint32_t name = c->told_path, by = c->told_by;
	c->told_path = c->told_by = KERNEL_NONE;
	if (by != c->task)
		return 0;
	const struct mer_intern_text *text = &m->h->names.texts[name];
	return kernel_files_told_path(m->files, c->task, text->text, text->len, call, m->err);
}

int model_told_path(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	static const char fault[] = "(fault)"; /* the page was not in memory */
	const char *text = (const char *)(uintptr_t)ev->slots[TOLD_PATH];
	size_t len = ev->slots[TOLD_PATH + 1];
	uint32_t task = caller(m, c);
	(void)b;
	if (!len || (len == sizeof(fault) - 1 && memcmp(text, fault, len) == 0))
		return 0;
	if (task == KERNEL_NONE) {
		if (c->task >= ON_CPU_IDLE || c->depth || len > KERNEL_MAX_OBJECT_NAME)
			return 0;
		c->told_path = mer_intern_add(&m->h->names, text, len);
		c->told_by = c->task;
		return c->told_path == KERNEL_NONE ? mer_fail_nomem(m->err) : 0;
	}
	struct kernel_call call = m->h->calls[m->live[task].call];
	int rc = kernel_files_told_path(m->files, task, text, len, &call, m->err);
	if (rc == 0)
		rc = change_call(m, task, ev->ts, &call);
	return rc;
}

int model_told_address(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	uint32_t task = caller(m, c);
	uint64_t port = ev->slots[TOLD_PORT] & 0xffff, bytes[4], v4[2] = { 4, (uintptr_t)bytes };
	uint32_t address = (uint32_t)ev->slots[TOLD_V4];
	bool has_family = b->event == KERNEL_EV_TOLD_ADDRESS && ev->slots[TOLD_FAMILY];
	/* Of IPv6 there is no address here. */
	if (task == KERNEL_NONE || !address)
		return 0;
	if (!b->is_be) {
		port = __builtin_bswap16((uint16_t)port);
		address = __builtin_bswap32(address);
	}
	for (int i = 0; i < 4; i++)
		bytes[i] = address >> (24 - 8 * i) & 255;
	struct kernel_call call = m->h->calls[m->live[task].call];
	int rc = kernel_files_told_peer(m->files, task,
		has_family ? ev->slots[TOLD_FAMILY] : FAMILY_INET_, port, v4, &call, m->err);
	if (rc)
		return rc;
	rc = change_call(m, task, ev->ts, &call);
	if (rc == 0 && m->live[task].kind == KERNEL_CALL_CONNECT)
		model_flow_connect(m, task, call.object, ev->ts);
	return rc;
}

/* In the call that connects, before its SYN: to whom. (Other changes come with packets, in whatever
 * task these interrupt.) */
int model_sock_state(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	enum { TCP_SYN_SENT_ = 2, BYTES_OF_V4 = 4 };
	uint32_t task = caller(m, c);
	(void)b;
	if (task == KERNEL_NONE || m->live[task].kind != KERNEL_CALL_CONNECT ||
		ev->slots[SOCK_NEW] != TCP_SYN_SENT_ || ev->slots[SOCK_FAMILY] != FAMILY_INET_ ||
		ev->slots[SOCK_V4] != BYTES_OF_V4)
		return 0;
	struct kernel_call call = m->h->calls[m->live[task].call];
	int rc = kernel_files_told_peer(m->files, task, FAMILY_INET_, ev->slots[SOCK_PORT],
		ev->slots + SOCK_V4, &call, m->err);
	if (rc == 0)
		rc = change_call(m, task, ev->ts, &call);
	if (rc == 0)
		model_flow_connect(m, task, call.object, ev->ts);
	return rc;
}

int model_new_kind(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)m, (void)b;
	c->new_tid = (int32_t)ev->slots[TASK_TID];
	c->new_is_thread = ev->slots[NEW_FLAGS] & CLONE_THREAD_;
	return 0;
}
