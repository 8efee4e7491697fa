#include <stdlib.h>
#include <string.h>

#include "base/call_numbers.h"
#include "kernel/model_state.h"

/* ---- system calls ---- */

enum { PR_SET_NAME_ = 15 };

static int add_name(struct kernel_model *m, const char *text, uint32_t *cache)
{
	*cache = mer_intern_add(&m->h->names, text, strlen(text)) + 1; /* 0: no memory */
	return *cache ? 0 : mer_fail_nomem(m->err);
}

/* Of an event that says the number only. */
static int number_call(struct kernel_model *m, const struct mer_event *ev,
	const struct kernel_binding *b, struct kernel_call *call)
{
	enum { NUMBERS = sizeof(m->numbers) / sizeof(m->numbers[0]) };
	uint64_t number =
		ev->slots[b->event == KERNEL_EV_SYSCALL_EXIT ? CALL_EXIT_NUMBER : CALL_NUMBER];
	struct model_number *n = number < NUMBERS ? &m->numbers[number] : NULL;
	const char *text = n && n->name ? NULL : mer_call_by_number(b->by_number, number);
	int rc = 0;
	if (n && (n->name || text)) {
		if (text) {
			rc = add_name(m, text, &n->name);
			n->id = kernel_call_id(text);
		}
		call->name = n->name - 1;
		call->id = n->id;
		return rc;
	}
	uint32_t *unknown = &m->call_names[ev->plan->id];
	if (!*unknown)
		rc = add_name(m, "unknown", unknown);
	call->name = *unknown - 1;
	return rc;
}

/* The name and the id of the call. */
static inline int name_call(struct kernel_model *m, const struct mer_event *ev,
	const struct kernel_binding *b, struct kernel_call *call)
{
	if (b->by_number)
		return number_call(m, ev, b, call);
	uint32_t *known = &m->call_names[ev->plan->id];
	int rc = *known ? 0 : add_name(m, b->call, known);
	call->name = *known - 1;
	call->id = b->id;
	return rc;
}

/* As kernel_add_call; mostly a call is on what the one before it was on. */
static uint32_t number_of_call(
	struct kernel_model *m, const struct mer_event *ev, const struct kernel_call *call)
{
	uint32_t *last = &m->last_calls[ev->plan->id];
	const struct kernel_call *c = *last ? &m->h->calls[*last - 1] : NULL;
	if (c && c->name == call->name && c->object == call->object && c->fd == call->fd &&
		c->kind == call->kind && c->end == call->end)
		return *last - 1;
	uint32_t id = kernel_add_call(m->h, call);
	*last = id + 1; /* 0: no memory */
	return id;
}

/* Who opens /proc/self/task/12/comm for writing sets the name of thread 12, as glibc does. */
static void open_name(
	struct kernel_model *m, uint32_t task, uint32_t object, uint64_t flags, int64_t ts)
{
	enum { ACCESS = 3 }; /* O_RDONLY is 0 */
	static const char proc[] = "/proc/", comm[] = "/comm";
	const char *name = kernel_name_text(m->h, object);
	size_t len = strlen(name);
	if (!(flags & ACCESS) || len < sizeof(proc) - 1 + sizeof(comm) ||
		strncmp(name, proc, sizeof(proc) - 1) != 0 ||
		strcmp(name + len - (sizeof(comm) - 1), comm) != 0)
		return;
	const struct kernel_task *by = &m->h->tasks[task];
	const char *number = name + len - (sizeof(comm) - 1);
	while (number[-1] >= '0' && number[-1] <= '9')
		number--;
	/* In a namespace of its own the number is another one. */
	const uint32_t *at = by->vtid < 0 || by->vtid == by->tid
				     ? mer_map_get(&m->tids, strtoull(number, NULL, 10))
				     : NULL;
	if (at && *at)
		m->live[*at - 1].renamed = ts;
}

/* Of calls that do more than move data. */
static void note_entry(struct kernel_model *m, uint32_t task, int64_t ts, const uint64_t *s,
	const struct kernel_binding *b, const struct kernel_call *call)
{
	switch ((enum kernel_call_kind)b->kind) {
	case KERNEL_CALL_OPEN:
		open_name(m, task, call->object, s[KERNEL_ARG_OPEN_FLAGS], ts);
		break;
	case KERNEL_CALL_OPEN_AT:
		open_name(m, task, call->object, s[KERNEL_ARG_AT_FLAGS], ts);
		break;
	case KERNEL_CALL_CONNECT:
		model_flow_new_fd(m, task, call->fd);
		model_flow_connect(m, task, call->object, ts);
		break;
	default: break;
	}
}

static void note_exit(struct kernel_model *m, uint32_t task, int64_t ts, int64_t ret)
{
	struct live *l = &m->live[task];
	if (l->kind == KERNEL_CALL_ACCEPT)
		model_flow_new_fd(m, task, ret);
	else if (l->kind == KERNEL_CALL_PRCTL && l->args[KERNEL_ARG_PRCTL] == PR_SET_NAME_ &&
		 ret == 0)
		l->renamed = ts;
}

/* Who makes the call, as the tracer noted it; 0: not noted. By its word alone the CPU's task is
 * known where no switch was recorded, and then for this event only; where switches are, it shows
 * that one is missing. */
static int take_caller(struct kernel_model *m, struct cpu *c, int64_t ts, int64_t tid)
{
	if (tid <= 0 || (c->task < ON_CPU_IDLE && m->h->tasks[c->task].tid == (int32_t)tid))
		return 0;
	uint32_t task;
	return m->has_switches ? model_make_current(m, c, ts, tid, &task)
			       : model_living(m, tid, ts, &c->task);
}

static int go_on(struct kernel_model *m, struct cpu *c, uint32_t task, int64_t ts)
{
	if (m->has_switches)
		return model_run_on(m, task, ts, model_cpu_number(m, c));
	c->task = ON_CPU_UNKNOWN;
	return 0;
}

int model_call_entry(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	bool has_caller = b->event == KERNEL_EV_SYSCALL_NUMBER;
	int rc = has_caller ? take_caller(m, c, ev->ts, (int32_t)ev->slots[CALL_CALLER]) : 0;
	uint32_t task = c->task;
	struct kernel_call call = { .object = KERNEL_NONE, .fd = -1 };
	if (rc)
		return rc;
	if (task >= ON_CPU_IDLE) {
		m->h->n_odd += task == ON_CPU_IDLE;
		return 0;
	}
	rc = name_call(m, ev, b, &call);
	struct model_registers registers;
	const uint64_t *slots = ev->slots + 1;
	if (rc == 0 && b->by_number) {
		const struct kernel_binding *by =
			model_call_by_registers(ev, b, call.id, &registers);
		slots = by == b ? slots : registers.slots;
		b = by;
	} else if (b->is_typed) {
		slots = model_typed_slots(ev, b, &registers);
	}
	if (rc == 0 && b->kind >= KERNEL_CALL_USES_FD)
		rc = kernel_files_enter(
			m->files, task, (enum kernel_call_kind)b->kind, slots, &call, m->err);
	if (rc == 0 && c->told_path != KERNEL_NONE)
		rc = model_take_told_path(m, c, &call);
	uint32_t id = rc ? KERNEL_NONE : number_of_call(m, ev, &call);
	if (rc == 0 && id == KERNEL_NONE)
		return mer_fail_nomem(m->err);
	if (rc)
		return rc;
	if (m->live[task].knows_mode)
		model_confirm(c, ev->ts, m->live[task].call == KERNEL_NONE);
	model_learn_mode(m, task, KERNEL_NONE);
	m->h->tasks[task].is_kernel =
		false; /* a helper that the kernel began, and that ran a program */
	struct live *l = &m->live[task];
	l->went_back = kernel_call_classes(call.id) & KERNEL_CALLS_NO_EXIT;
	l->call = l->went_back ? KERNEL_NONE : id;
	l->kind = b->kind;
	l->call_begin = l->went_back ? INT64_MIN : ev->ts;
	l->doubted.call = KERNEL_NONE;
	l->woken_early = false; /* that was for a wait that it did not begin */
	if (b->kind > KERNEL_CALL_RECEIVE)
		note_entry(m, task, ev->ts, slots, b, &call);
	if (call.fd >= 0 && (kernel_call_classes(call.id) & KERNEL_CALLS_MULTIPLEX))
		rc = model_flow_poll(m, task, call.fd);
	if (rc)
		return rc;
	unsigned n_args = kernel_call_args((enum kernel_call_kind)b->kind);
	for (unsigned i = 0; i < n_args; i++)
		l->args[i] = slots[i];
	l->wait.span = KERNEL_NONE;
	l->wait.objects = model_wait_objects(b, slots);
	/* In an interrupt no task makes calls: its end is missing. */
	m->h->n_odd += c->depth > 0;
	model_clear_contexts(c);
	return go_on(m, c, task, ev->ts);
}

/* Is it the call that the CPU's task was in? */
static int confirm_exit(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	struct kernel_call call = { 0 };
	uint32_t was = m->h->calls[m->live[c->task].call].name;
	int rc = name_call(m, ev, b, &call);
	model_confirm(c, ev->ts, call.name == was);
	return rc;
}

static int tell_call_end(const struct kernel_model *m, const struct cpu *c, int64_t ts, int64_t ret)
{
	const struct kernel_observer *o = m->in.observer;
	const struct live *l = &m->live[c->task];
	struct kernel_call_end told = { .task = c->task,
		.call = l->call,
		.begin = l->call_begin,
		.end = ts,
		.ret = ret,
		.kind = l->kind,
		.cpu = model_cpu_number(m, c) };
	unsigned n_args = kernel_call_args((enum kernel_call_kind)l->kind);
	for (unsigned i = 0; i < n_args; i++)
		told.args[i] = l->args[i];
	return o && o->call ? o->call(o->ctx, m->h, &told) : 0;
}

/* Since when it is known to be in a call of which only the end is seen. */
static int64_t since_of(const struct kernel_model *m, uint32_t task, int64_t ts)
{
	uint32_t first = m->live[task].mode_since;
	const struct kernel_span *s = first == KERNEL_NONE ? NULL : kernel_span_kept(m->h, first);
	return s ? s->begin : ts;
}

static int tell_unseen(const struct kernel_model *m, const struct kernel_call_end *told)
{
	const struct kernel_observer *o = m->in.observer;
	return o && o->unseen_call ? o->unseen_call(o->ctx, m->h, told) : 0;
}

/* Does the exit say which call ends, by its name or its number? The number is -1 behind a signal's
 * handler (rt_sigreturn). */
static bool is_named(const struct mer_event *ev, const struct kernel_binding *b)
{
	return *b->call || (b->by_number && (int64_t)ev->slots[CALL_EXIT_NUMBER] >= 0);
}

/* The id of the call that it says; 0: none, or one without a row. */
static uint16_t id_of_exit(
	struct kernel_model *m, const struct mer_event *ev, const struct kernel_binding *b)
{
	struct kernel_call call = { 0 };
	return !b->by_number || name_call(m, ev, b, &call) ? b->id : call.id;
}

/* A task that was not where it was thought to be says that it leaves the call that it was in: it
 * was in it all the time. */
static int take_doubted(struct kernel_model *m, uint32_t task, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	struct live *l = &m->live[task];
	struct kernel_call call = { 0 };
	uint32_t doubted = l->doubted.call;
	l->doubted.call = KERNEL_NONE;
	if (doubted == KERNEL_NONE || l->knows_mode || (int64_t)ev->slots[CALL_EXIT_NUMBER] < 0)
		return 0;
	int rc = name_call(m, ev, b, &call);
	if (rc || call.name != m->h->calls[doubted].name)
		return rc;
	model_learn_mode(m, task, doubted);
	l->kind = l->doubted.kind;
	l->call_begin = l->doubted.begin;
	return 0;
}

int model_call_exit(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	if (c->in_loss) { /* of an unknown owner */
		m->h->n_calls_left_out++;
		return 0;
	}
	int rc = b->by_number ? take_caller(m, c, ev->ts, (int32_t)ev->slots[CALL_EXIT_CALLER]) : 0;
	if (rc)
		return rc;
	uint32_t task = c->task;
	if (task >= ON_CPU_IDLE) {
		m->h->n_calls_left_out++;
		m->h->n_odd += task == ON_CPU_IDLE;
		return 0;
	}
	struct live *l = &m->live[task];
	rc = b->by_number && (int32_t)ev->slots[CALL_EXIT_CALLER] > 0 ? take_doubted(m, task, ev, b)
								      : 0;
	if (rc)
		return rc;
	if (!l->knows_mode) { /* it was in this call since its record begins */
		m->h->n_calls_left_out++;
		struct kernel_call call = { .name = KERNEL_NONE, .object = KERNEL_NONE, .fd = -1 };
		uint32_t id;
		if (is_named(ev, b))
			rc = name_call(m, ev, b, &call);
		id = rc ? KERNEL_NONE : kernel_add_call(m->h, &call);
		if (id == KERNEL_NONE)
			return rc ? rc : mer_fail_nomem(m->err);
		struct kernel_call_end told = { .task = task,
			.call = id,
			.begin = since_of(m, task, ev->ts),
			.end = ev->ts,
			.ret = (int64_t)ev->slots[CALL_RET],
			.kind = (uint16_t)kernel_call_kind_of(m->h->calls[id].id),
			.cpu = model_cpu_number(m, c) };
		model_learn_mode(m, task, id);
		rc = kernel_files_leave_unseen(m->files, task, (enum kernel_call_kind)b->kind,
			(int64_t)ev->slots[CALL_RET], ev->slots + 1, m->err);
		if (rc == 0 && call.name != KERNEL_NONE)
			rc = tell_unseen(m, &told);
		if (rc)
			return rc;
	} else if (l->call != KERNEL_NONE) {
		m->has_call_ends = true;
		m->h->n_calls_left_out += l->call_begin == INT64_MIN;
		int64_t ret = (int64_t)ev->slots[CALL_RET];
		/* If the exit does not name its call, only its result is known. If it names
		 * another call, events are missing. */
		const uint64_t *slots = b->kind == l->kind && !b->by_number ? ev->slots + 1 : NULL;
		if (l->kind > KERNEL_CALL_RECEIVE && l->call_begin != INT64_MIN &&
			(slots || !is_named(ev, b) ||
				(b->by_number && kernel_call_kind_of(id_of_exit(m, ev, b)) ==
							 (enum kernel_call_kind)l->kind)))
			rc = kernel_files_leave(
				m->files, task, (enum kernel_call_kind)l->kind, ret, slots, m->err);
		if (l->kind == KERNEL_CALL_PRCTL || l->kind == KERNEL_CALL_ACCEPT)
			note_exit(m, task, ev->ts, ret);
		if (l->kind == KERNEL_CALL_FUTEX || l->kind == KERNEL_CALL_FUTEX_WAKE)
			model_waker_note_futex(l, ev->ts, ret);
		if (m->has_shared && ret > 0 && rc == 0)
			rc = model_flow_read(m, task);
		if (l->wait.span != KERNEL_NONE || l->wait.timed_out != KERNEL_NONE)
			model_wait_call_end(m, task, ev->ts, ret);
		if (rc == 0 && l->spins_for != KERNEL_NONE)
			rc = model_end_spin(m, c, ev->ts);
		if (rc == 0 && m->in.observer && m->in.observer->call && l->call_begin != INT64_MIN)
			rc = tell_call_end(m, c, ev->ts, ret);
		if (rc == 0 && is_named(ev, b) && m->h->calls[l->call].name != KERNEL_NONE)
			rc = confirm_exit(m, c, ev, b);
		if (rc)
			return rc;
	} else if (!l->went_back ||
		   (is_named(ev, b) &&
			   !(kernel_call_classes(id_of_exit(m, ev, b)) & KERNEL_CALLS_NO_EXIT))) {
		m->h->n_calls_left_out++;
		m->h->n_odd++;
		model_confirm(c, ev->ts, false);
	}
	l->went_back = false;
	l->knows_mode = true;
	l->call = KERNEL_NONE;
	l->kind = KERNEL_CALL_OTHER;
	l->call_begin = INT64_MIN;
	l->woken_early = false;
	m->h->n_odd += c->depth > 0;
	model_clear_contexts(c);
	return go_on(m, c, task, ev->ts);
}

/* ---- packets ---- */

/* The packet whose end this event is. Events that are no end of a matched one have none. Ends and
 * events are in the same order; of several in one stream at the same time, the first event is taken
 * for the first end. */
static uint32_t find_packet(struct kernel_model *m, const struct mer_event *ev, bool is_send)
{
	for (size_t *i = &m->next_end[is_send]; *i < m->in.n_ends; ++*i) {
		struct kernel_end e = m->in.ends[*i];
		int64_t time = kernel_end_time(m->in.packets, e);
		if (e.is_send != is_send || time < ev->ts)
			continue;
		uint32_t stream = kernel_end_stream(m->in.packets, e);
		bool is_any = stream == SYNC_NO_STREAM;
		if (time > ev->ts || (!is_any && stream > ev->stream))
			break;
		if (is_any || stream == ev->stream) {
			++*i;
			return e.packet;
		}
	}
	return KERNEL_NONE;
}

/* The packet in answer to which an interrupt does what it does: sends this one. */
static uint32_t served_packet(const struct kernel_model *m, const struct cpu *c, uint32_t sent)
{
	uint32_t n = c->depth < MODEL_MAX_CONTEXTS ? c->depth : MODEL_MAX_CONTEXTS;
	if (n == 0)
		return model_flow_answered(m, INT64_MIN, c->packet, sent, c->unmatched);
	while (n-- > 0)
		if (c->contexts[n].has_packet)
			return model_flow_answered(
				m, c->contexts[n].since, c->contexts[n].packet, sent, c->unmatched);
	return KERNEL_NONE;
}

/* A packet passes several devices of a host (a bridge, a container's own) in the same buffer: on
 * each it is the one that was matched. Buffers are used again, but not at once: what the same
 * device receives in it is another packet, of which the other end is missing. */
static uint32_t passed_on(
	struct kernel_model *m, const struct mer_event *ev, uint64_t skb, uint32_t packet)
{
	enum { SOON_NS = 50000000 };
	uint32_t device = 0;
	size_t len;
	if (skb == 0)
		return packet;
	struct model_skb *s = &m->skbs[skb * 0x9E3779B97F4A7C15u >> 56];
	if (m->in.has_losses) {
		const char *name = model_text(&ev->slots[PACKET_DEVICE], &len);
		device = len ? (uint32_t)mer_hash(name, len) | 1 : 0;
	}
	if (packet != KERNEL_NONE)
		*s = (struct model_skb){ skb, ev->ts, packet, device };
	else if (s->address != skb || ev->ts - s->time >= SOON_NS)
		return KERNEL_NONE;
	else if (device && device == s->device)
		s->packet = KERNEL_NONE;
	return s->packet;
}

int model_packet(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	bool is_send = b->event == KERNEL_EV_SEND;
	uint32_t packet = find_packet(m, ev, is_send), span = model_span_on(m, c);
	struct context *x = model_context(c);
	if (is_send && packet != KERNEL_NONE && !c->is_fresh) {
		struct kernel_bridge *p = &m->in.packets[packet];
		bool by_interrupt = x != NULL;
		if (!by_interrupt && c->has_packet && span != KERNEL_NONE)
			by_interrupt = m->h->tasks[kernel_span(m->h, span)->task].is_kernel;
		p->from.span = by_interrupt ? KERNEL_NONE : span;
		p->answers = by_interrupt ? served_packet(m, c, packet) : KERNEL_NONE;
		if (by_interrupt && m->n_connects)
			model_flow_held(m, packet);
		int rc = model_flow_sent(m, packet);
		if (rc)
			return rc;
	}
	if (is_send && packet == KERNEL_NONE && x && x->has_packet)
		x->sent_on = x->packet != KERNEL_NONE;
	int rc = model_tell_packet(m, c, ev->ts, is_send, packet, ev->slots);
	if (rc || is_send)
		return rc;
	/* Where devices do not tell their buffers: what is received after it was sent on is the
	 * same. */
	uint64_t skb = ev->slots[PACKET_SKB];
	if (packet == KERNEL_NONE && skb == 0 && x && x->sent_on &&
		strncmp(mer_event_name(ev), "inet_", 5) != 0)
		packet = x->packet;
	packet = passed_on(m, ev, skb, packet);
	if (packet != KERNEL_NONE)
		m->in.packets[packet].to.span = span;
	else
		c->unmatched = ev->ts;
	if (x) {
		x->has_packet = true;
		x->sent_on = false;
		x->packet = packet;
	} else {
		c->has_packet = true;
		c->packet = packet;
	}
	return 0;
}
