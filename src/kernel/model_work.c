/* Work that the kernel does for others: what its workers run (workqueues), and what its sockets
 * move when no recorded call tells it.
 *
 * A function that a worker runs is to it what a system call is to a task of a program: spans have
 * it as their call, "work wb_workfn". Where the event has its address only, that is its name. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel/files/object_name.h"
#include "kernel/model_state.h"

enum { MOST_NAME = 128 };

/* From now on it does this. */
static int run_on(struct kernel_model *m, struct cpu *c, int64_t ts, uint32_t call)
{
	struct live *l = &m->live[c->task];
	model_learn_mode(m, c->task, KERNEL_NONE);
	l->call = call;
	l->kind = KERNEL_CALL_OTHER;
	l->call_begin = INT64_MIN; /* it is no system call: nobody is told of it */
	l->wait.span = KERNEL_NONE;
	return model_run_on(m, c->task, ts, model_cpu_number(m, c));
}

/* A worker that is known to be on this CPU, and is not interrupted. */
static bool has_worker(const struct kernel_model *m, const struct cpu *c)
{
	return c->task < ON_CPU_IDLE && c->depth == 0 && m->h->tasks[c->task].is_kernel;
}

int model_work_begin(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	struct kernel_call call = { .object = KERNEL_NONE, .fd = -1 };
	char name[MOST_NAME];
	size_t len;
	const char *text = model_text(&ev->slots[WORK_NAME], &len);
	(void)b;
	if (!has_worker(m, c))
		return 0;
	if (len)
		snprintf(name, sizeof(name), "work %.*s", (int)(len < MOST_NAME ? len : MOST_NAME),
			text);
	else if (ev->slots[WORK_ADDRESS])
		snprintf(name, sizeof(name), "work 0x%" PRIx64, ev->slots[WORK_ADDRESS]);
	else
		return 0;
	call.name = mer_intern_add(&m->h->names, name, strlen(name));
	uint32_t id = call.name == KERNEL_NONE ? KERNEL_NONE : kernel_add_call(m->h, &call);
	return id == KERNEL_NONE ? mer_fail_nomem(m->err) : run_on(m, c, ev->ts, id);
}

int model_work_end(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b;
	return has_worker(m, c) ? run_on(m, c, ev->ts, KERNEL_NONE) : 0;
}

/* ---- sockets ---- */

/* Does the call that the task is in tell itself what it moves? */
static bool is_told_by_call(const struct kernel_model *m, uint32_t task)
{
	const struct live *l = &m->live[task];
	return l->call != KERNEL_NONE && l->call_begin != INT64_MIN &&
	       kernel_classes(m->h, l->call) & (KERNEL_CALLS_READ | KERNEL_CALLS_WRITE);
}

/* The event's name, on a socket of that kind. */
static int name_length(
	struct kernel_model *m, const struct mer_event *ev, bool is_send, uint32_t *id)
{
	enum { TYPE_STREAM = 1, TYPE_DGRAM = 2, TCP = 6 };
	const char *name = is_send ? "sock_send_length" : "sock_recv_length";
	uint64_t family = ev->slots[LENGTH_FAMILY], protocol = ev->slots[LENGTH_PROTOCOL];
	struct kernel_namer namer = { .h = m->h };
	struct kernel_fd what;
	int rc = kernel_name_socket(&namer, family,
		protocol == TCP || !protocol ? TYPE_STREAM : TYPE_DGRAM, protocol, &what, m->err);
	struct kernel_call call = { .name = mer_intern_add(&m->h->names, name, strlen(name)),
		.object = rc ? KERNEL_NONE : what.name,
		.fd = -1,
		.kind = family ? what.kind : KERNEL_OBJECT_UNKNOWN };
	if (rc)
		return rc;
	*id = call.name == KERNEL_NONE ? KERNEL_NONE : kernel_add_call(m->h, &call);
	return *id == KERNEL_NONE ? mer_fail_nomem(m->err) : 0;
}

int model_sock_length(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	enum { MSG_PEEK_ = 2 };
	const struct kernel_observer *o = m->in.observer;
	bool is_send = b->event == KERNEL_EV_SOCK_SENT;
	struct kernel_moved x = { .time = ev->ts,
		.task = c->task,
		.ret = (int32_t)ev->slots[LENGTH_RET],
		.cpu = model_cpu_number(m, c),
		.is_send = is_send };
	/* What was only looked at is read later. */
	bool is_peek = !is_send && ev->slots[LENGTH_FLAGS] & MSG_PEEK_;
	if (c->task >= ON_CPU_IDLE || c->depth || is_peek || is_told_by_call(m, c->task))
		return 0;
	/* Numbers of names and calls depend on the events, not on the observers. */
	int rc = name_length(m, ev, is_send, &x.call);
	return rc || !o || !o->moved ? rc : o->moved(o->ctx, m->h, &x);
}
