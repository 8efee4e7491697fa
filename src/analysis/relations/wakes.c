/* Wake-ups: through what did one task wake the other? This follows from the calls of both: the
 * one that the woken task waited in, and the one that the waker was in. */
#include <string.h>

#include "analysis/relations/state.h"
#include "kernel/events.h"

struct wake {
	const struct kernel_host *h;
	struct analysis_host *a;
	uint32_t from, to;	    /* tasks */
	struct relation_use by, in; /* their calls */
	uint64_t object;
};

static bool gives(enum relation_role r)
{
	return r == ROLE_WRITE || r == ROLE_WRITE_N;
}

static bool takes(enum relation_role r)
{
	return r == ROLE_READ || r == ROLE_READ_N;
}

/* May a call with this role end a wait at the other end of its object? */
static bool touches(enum relation_role r)
{
	return gives(r) || takes(r) || r == ROLE_CLOSE || r == ROLE_CONNECT || r == ROLE_ACCEPT ||
	       r == ROLE_SHUTDOWN;
}

static bool exits(enum relation_role r)
{
	return r == ROLE_EXIT || r == ROLE_EXIT_GROUP;
}

static bool is_child(const struct kernel_host *h, uint32_t task, uint32_t parent)
{
	const struct kernel_task *t = &h->tasks[task], *p = &h->tasks[parent];
	return t->parent == parent || (t->ppid >= 0 && (t->ppid == p->pid || t->ppid == p->tid));
}

static bool is_fifo(const struct wake *w, uint32_t name)
{
	const uint32_t *at = mer_map_get(&relation_state(w->a)->fifos, name);
	return at && *at;
}

static bool has_name(const struct wake *w, uint32_t name, const char *text)
{
	return strcmp(kernel_name_text(w->h, name), text) == 0;
}

static enum relation_kind named(struct wake *w, enum relation_kind kind, uint32_t name)
{
	w->object = name == KERNEL_NONE ? RELATION_NO_OBJECT : name;
	return kind;
}

/* The relation through this descriptor of one of the tasks; RELATION_KERNEL: it cannot be through
 * such a descriptor. */
static enum relation_kind through(struct wake *w, const struct relation_use *u)
{
	switch ((enum kernel_object_kind)u->kind) {
	case KERNEL_OBJECT_PIPE: return named(w, RELATION_PIPE, u->object);
	case KERNEL_OBJECT_UNIX: return named(w, RELATION_UNIX, u->object);
	case KERNEL_OBJECT_SOCKET: return named(w, RELATION_SOCKET, u->object);
	case KERNEL_OBJECT_TTY: return named(w, RELATION_TTY, u->object);
	case KERNEL_OBJECT_EVENT: return named(w, RELATION_EVENTFD, u->object);
	case KERNEL_OBJECT_FILE:
		return is_fifo(w, u->object) ? named(w, RELATION_FIFO, u->object) : RELATION_KERNEL;
	default: return RELATION_KERNEL;
	}
}

static bool is_socket(const struct relation_use *u)
{
	return u->kind == KERNEL_OBJECT_SOCKET || u->kind == KERNEL_OBJECT_UNIX;
}

/* Packets that are sent through a tap wake the process that reads them there. That is no relation
 * with it, because the data goes to the task that receives the packets. */
static bool is_for_tap(const struct wake *w)
{
	return w->by.kind == KERNEL_OBJECT_SOCKET && relation_has_tap(relation_state(w->a), w->to);
}

/* The woken task waited in a call on a descriptor, the waker was in another call. */
static enum relation_kind by_descriptor(struct wake *w)
{
	const struct relation_use *by = &w->by, *in = &w->in;
	bool opposite = (takes(in->role) && (gives(by->role) || by->role == ROLE_CLOSE)) ||
			(gives(in->role) && (takes(by->role) || by->role == ROLE_CLOSE));
	if (in->role == ROLE_OPEN && by->role == ROLE_OPEN && in->object == by->object)
		return named(w, RELATION_FIFO, in->object);
	if (in->kind == KERNEL_OBJECT_EVENT && in->object != KERNEL_NONE &&
		has_name(w, in->object, "inotify"))
		return named(w, RELATION_INOTIFY, by->object);
	if (!touches(by->role))
		return RELATION_KERNEL;
	if (is_for_tap(w))
		return RELATION_KERNEL;
	if (is_socket(in) && is_socket(by))
		return through(w, in->kind == KERNEL_OBJECT_UNIX ? in : by);
	if (in->kind == KERNEL_OBJECT_FILE && by->kind == KERNEL_OBJECT_FILE)
		return in->object == by->object && opposite ? named(w, RELATION_FIFO, in->object)
							    : RELATION_KERNEL;
	if (in->kind == KERNEL_OBJECT_UNKNOWN && opposite)
		return through(w, by);
	if (by->kind == KERNEL_OBJECT_UNKNOWN && opposite)
		return through(w, in);
	return in->kind == by->kind && (opposite || in->role == ROLE_ACCEPT) ? through(w, in)
									     : RELATION_KERNEL;
}

/* The waker was about to exit. */
static enum relation_kind by_exit(struct wake *w)
{
	bool same = relation_same_process(w->h, w->from, w->to);
	w->object = RELATION_BY_EXIT;
	if (w->by.role == ROLE_EXIT_GROUP && same) {
		w->object = RELATION_KILLED;
		return RELATION_SIGNAL;
	}
	if (w->in.role == ROLE_FUTEX) {
		w->object = same ? RELATION_BY_THREAD_EXIT : RELATION_NO_OBJECT;
		return same ? RELATION_WAIT : RELATION_FUTEX;
	}
	if (w->in.role == ROLE_WAIT || w->in.role == ROLE_FORK)
		return RELATION_WAIT;
	if (w->in.role == ROLE_LOCK)
		return named(w, RELATION_LOCK, w->in.object);
	enum relation_kind kind = RELATION_KERNEL;
	if (takes(w->in.role) || gives(w->in.role))
		kind = through(w, &w->in);
	if (kind != RELATION_KERNEL || !is_child(w->h, w->from, w->to))
		return kind;
	w->object = RELATION_BY_EXIT;
	return RELATION_WAIT;
}

static enum relation_kind classify(struct wake *w)
{
	const struct relation_use *by = &w->by, *in = &w->in;
	w->object = RELATION_NO_OBJECT;
	if (w->h->tasks[w->from].is_kernel || w->h->tasks[w->to].is_kernel)
		return RELATION_KERNEL;
	if (by->role == ROLE_SIGNAL)
		return RELATION_SIGNAL;
	if (by->role == ROLE_PTRACE)
		return RELATION_PTRACE;
	if (exits(by->role))
		return by_exit(w);
	switch (in->role) {
	case ROLE_WAIT: /* the waker was killed in another call, or was stopped */
		w->object = RELATION_BY_EXIT;
		return is_child(w->h, w->from, w->to) ? RELATION_WAIT : RELATION_KERNEL;
	case ROLE_FORK:
		w->object = RELATION_BY_EXEC;
		return by->role == ROLE_EXEC && is_child(w->h, w->from, w->to) ? RELATION_WAIT
									       : RELATION_KERNEL;
	case ROLE_FUTEX: return by->role == ROLE_FUTEX ? RELATION_FUTEX : RELATION_KERNEL;
	case ROLE_LOCK:
		return by->role == ROLE_LOCK || by->role == ROLE_CLOSE
			       ? named(w, RELATION_LOCK, in->object)
			       : RELATION_KERNEL;
	case ROLE_SEMAPHORE:
		return by->role == ROLE_SEMAPHORE ? RELATION_SEMAPHORE : RELATION_KERNEL;
	case ROLE_QUEUE: return by->role == ROLE_QUEUE ? RELATION_QUEUE : RELATION_KERNEL;
	case ROLE_POLL:
		if (by->role == ROLE_QUEUE)
			return RELATION_QUEUE;
		return touches(by->role) && !is_for_tap(w) ? through(w, by) : RELATION_KERNEL;
	case ROLE_OPEN:
	case ROLE_READ:
	case ROLE_READ_N:
	case ROLE_WRITE:
	case ROLE_WRITE_N:
	case ROLE_ACCEPT:
	case ROLE_CONNECT: return by_descriptor(w);
	default: return RELATION_KERNEL;
	}
}

/* From now on data written there goes to the woken task, until another task is woken; answers go
 * the other way, if the woken task waited on a descriptor of its own. */
static int learn_peer(const struct wake *w, enum relation_kind kind)
{
	bool no_memory = false;
	if ((kind != RELATION_UNIX && kind != RELATION_SOCKET && kind != RELATION_EVENTFD) ||
		(!gives(w->by.role) && w->by.role != ROLE_CONNECT) || w->by.fd < 0)
		return 0;
	uint32_t f = relation_flow_of(w->a, w->h, w->from, w->by.fd, true, &no_memory);
	uint32_t back = 0;
	if (kind != RELATION_EVENTFD && takes(w->in.role) && w->in.fd >= 0)
		back = relation_flow_of(w->a, w->h, w->to, w->in.fd, true, &no_memory);
	if (no_memory)
		return mer_fail_nomem(w->a->err);
	struct relation_flow *flows = relation_state(w->a)->flows;
	flows[f - 1].peer = w->to + 1;
	flows[f - 1].peer_kind = (uint8_t)kind;
	if (back && !flows[back - 1].peer) {
		flows[back - 1].peer = w->from + 1;
		flows[back - 1].peer_kind = (uint8_t)kind;
	}
	return 0;
}

static int add_wake(struct relation_wake *to, uint32_t other, int64_t wait_ns, int64_t time)
{
	if (!to->set)
		*to = (struct relation_wake){ .set = true, .other = other, .first = time };
	to->n++;
	to->wait_ns += wait_ns;
	to->last = time;
	return 0;
}

/* A call that sends a signal ended a wait; the signal's number is reported just before or just
 * after. */
static int kicked(const struct wake *w, int64_t since, int64_t wait_ns, int64_t time)
{
	struct relation_task *t = relation_task(w->a, w->from);
	int rc = 0;
	if (!t)
		return mer_fail_nomem(w->a->err);
	if (t->kick.set)
		rc = relation_note_wake(w->a, w->from, t->kick.other, RELATION_SIGNAL,
			RELATION_NO_OBJECT, 0, &t->kick);
	t->kick.set = false;
	add_wake(&t->kick, w->to, wait_ns, time);
	if (!t->sent.set || t->sent.time < since || !relation_same_process(w->h, t->sent.to, w->to))
		return rc;
	t->kick.set = false;
	return rc ? rc
		  : relation_note_wake(
			    w->a, w->from, w->to, RELATION_SIGNAL, t->sent.number, 0, &t->kick);
}

/* The address is known when the futex call ends. */
static int futex_woken(const struct wake *w, int64_t wait_ns, int64_t time)
{
	struct relation_task *t = relation_task(w->a, w->to);
	int rc = 0;
	if (!t)
		return mer_fail_nomem(w->a->err);
	if (t->futex.set && t->futex.other != w->from) {
		rc = relation_note_wake(w->a, t->futex.other, w->to, RELATION_FUTEX,
			RELATION_NO_OBJECT, 0, &t->futex);
		t->futex.set = false;
	}
	return rc ? rc : add_wake(&t->futex, w->from, wait_ns, time);
}

static int woken(const struct kernel_host *h, const struct kernel_span *s,
	const struct kernel_span *by, int64_t end, struct analysis_host *a)
{
	struct wake w = { .h = h, .a = a, .from = by->task, .to = s->task };
	int64_t wait_ns = analysis_overlap(a->run->options, s->begin, end);
	if (by->task == s->task)
		return 0;
	w.by = relation_use_of(h, by->call);
	w.in = relation_use_of(h, s->call);
	enum relation_kind kind = classify(&w);
	if (kind == RELATION_KERNEL)
		w.object = w.in.name == KERNEL_NONE ? RELATION_NO_OBJECT : w.in.name;
	if (kind == RELATION_FIFO && w.object != RELATION_NO_OBJECT) {
		uint32_t *at = mer_map_put(&relation_state(a)->fifos, w.object);
		if (!at)
			return mer_fail_nomem(a->err);
		*at = 1;
	}
	int rc = learn_peer(&w, kind);
	if (rc || !relation_is_asked(a, end))
		return rc;
	if (kind == RELATION_SIGNAL && w.by.role == ROLE_SIGNAL)
		return kicked(&w, by->begin, wait_ns, end);
	if (kind == RELATION_FUTEX)
		return futex_woken(&w, wait_ns, end);
	struct relation_wake one = { .n = 1, .wait_ns = wait_ns, .first = end, .last = end };
	return relation_note_wake(a, w.from, w.to, kind, w.object, 0, &one);
}

/* The task spun for a futex, whose holder was by->task: this counts as a wake-up. */
static int spun(const struct kernel_host *h, const struct kernel_span *s, int64_t end,
	struct analysis_host *a)
{
	const struct kernel_span *by = kernel_span_kept(h, s->by);
	if (!by || by->task == s->task || !relation_is_asked(a, end))
		return 0;
	struct wake w = { .h = h, .a = a, .from = by->task, .to = s->task };
	return futex_woken(&w, analysis_overlap(a->run->options, s->begin, end), end);
}

int relation_on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	const struct kernel_span *s = kernel_span(h, span);
	if (kernel_is_spin(s))
		return spun(h, s, end, ctx);
	if (s->state != KERNEL_BLOCKED && s->state != KERNEL_STOPPED)
		return 0;
	if (s->cause == KERNEL_NETWORK)
		return s->source == KERNEL_NONE ? 0 : relation_arrived(ctx, h, s, end);
	const struct kernel_span *by = kernel_span_kept(h, s->by);
	return by ? woken(h, s, by, end, ctx) : 0;
}

int relation_on_signal(void *ctx, const struct kernel_host *h, const struct kernel_told_event *e)
{
	struct analysis_host *a = ctx;
	struct relation_use use;
	uint32_t to, from = e->task;
	int32_t to_tid = (int32_t)e->slots[SIGNAL_TID], sent = (int32_t)e->slots[SIGNAL_NUMBER];
	if (e->in_interrupt || from == KERNEL_NONE || !relation_is_asked(a, e->time))
		return 0;
	struct relation_task *t = relation_task(a, from);
	if (!t || !relation_find_tid(a, h, to_tid, &to))
		return mer_fail_nomem(a->err);
	use = relation_use_of(h, relation_call_now(h, from));
	if (to == KERNEL_NONE || to == from)
		return 0;
	struct relation one = { .n_given = 1, .first = e->time, .last = e->time };
	/* The kernel notifies the parent, mostly of an exit. */
	if (sent == RELATION_SIGCHLD && use.role != ROLE_SIGNAL)
		return relation_note(a, from, to, RELATION_WAIT, RELATION_BY_EXIT, &one);
	uint64_t number = sent > 0 ? (uint64_t)sent : RELATION_NO_OBJECT;
	if (t->kick.set && relation_same_process(h, t->kick.other, to)) {
		t->kick.set = false; /* the thread of that process that was woken */
		return relation_note_wake(
			a, from, t->kick.other, RELATION_SIGNAL, number, 1, &t->kick);
	}
	t->sent.set = true;
	t->sent.to = to;
	t->sent.number = number;
	t->sent.time = e->time;
	return relation_note(a, from, to, RELATION_SIGNAL, number, &one);
}

static int flush(struct analysis_host *a, uint32_t task, struct relation_task *t, uint64_t address)
{
	int rc = 0;
	if (t->futex.set)
		rc = relation_note_wake(
			a, t->futex.other, task, RELATION_FUTEX, address, 0, &t->futex);
	if (rc == 0 && t->kick.set)
		rc = relation_note_wake(
			a, task, t->kick.other, RELATION_SIGNAL, RELATION_NO_OBJECT, 0, &t->kick);
	t->futex.set = t->kick.set = false;
	return rc;
}

int relation_end_of_wake(
	struct analysis_host *a, const struct kernel_call_end *c, const struct relation_use *use)
{
	struct relation_state *s = relation_state(a);
	if ((use->role != ROLE_FUTEX && use->role != ROLE_SIGNAL) || c->task >= s->cap_tasks)
		return 0;
	uint64_t address = c->args[KERNEL_ARG_FUTEX];
	return flush(a, c->task, &s->tasks[c->task], address ? address : RELATION_NO_OBJECT);
}

int relation_end(struct analysis_host *a, const struct kernel_host *h)
{
	struct relation_state *s = relation_state(a);
	uint32_t none;
	/* Adds all tasks to the index by tid: the table looks up the main threads of processes. */
	if (!relation_find_tid(a, h, 0, &none))
		return mer_fail_nomem(a->err);
	int rc = relation_memory_end(a, h);
	for (uint32_t i = 0; i < h->n_tasks && rc == 0; i++) {
		const struct kernel_task *t = &h->tasks[i];
		struct relation one = { .n_given = 1, .first = t->begin, .last = t->begin };
		if (i < s->cap_tasks)
			rc = flush(a, i, &s->tasks[i], RELATION_NO_OBJECT);
		if (rc == 0 && t->born && t->parent != KERNEL_NONE && !t->is_kernel &&
			relation_is_asked(a, t->begin))
			rc = relation_note(a, t->parent, i, RELATION_FORK,
				relation_same_process(h, t->parent, i) ? RELATION_THREAD
								       : RELATION_PROCESS,
				&one);
	}
	return rc;
}
