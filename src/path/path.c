/* Walks backward in time from the end of the window, so each moment is explained once and the
 * work is linear in the length of the path. A frame is a task that is followed down to a time
 * (its floor). A wait pushes a frame for the task that ended it, with the begin of the wait as
 * its floor. */
#include "path/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kernel/files/object_name.h"
#include "kernel/vm/guests.h"
#include "kernel/vm/relays.h"

enum { MAX_FRAMES = 10000, MAX_ANSWERS = 64, MAX_RANKS = 64 };

struct frame {
	uint32_t host, task;
	uint32_t span; /* where to go on; KERNEL_NONE: nothing is known before */
	uint32_t depth;
	int64_t floor;
	uint8_t reason; /* enum path_link_kind: why the path comes back to it */
};

struct walk {
	struct path *p;
	const struct kernel_world *w;
	struct frame *frames; /* of tasks that wait; malloc'ed */
	size_t n_frames, cap_frames;
	struct frame now;
	int64_t t;	 /* all after it is explained */
	uint32_t *calls; /* by line of mpi/run.h: where to search back from, plus 1; 0: last */
	uint32_t *spans; /* the same of its task's spans */
	int64_t mpi_at;	 /* when the path last went to another rank, */
	uint32_t n_mpi;	 /* and how often at that time */
	/* How the path comes from the segment that is next (earlier) to the one before it
	 * (later). */
	bool has_reason;
	uint8_t reason;
	uint32_t packet;
	struct mer_err *err;
};

static const struct kernel_host *host_of(const struct walk *k, uint32_t host)
{
	return &k->w->hosts[host];
}

/* ---- The result ---- */

static int add_link(struct walk *k, const struct path_segment *from, const struct path_segment *to)
{
	struct path *p = k->p;
	if (!mer_grow(&p->links, p->n_links, &p->cap_links, sizeof(*p->links)))
		return mer_fail_nomem(k->err);
	struct path_link *l = &p->links[p->n_links++];
	*l = (struct path_link){ .from_host = from->host,
		.from_task = from->task,
		.to_host = to->host,
		.to_task = to->task,
		.from_time = from->end,
		.to_time = to->begin,
		.kind = k->has_reason ? k->reason : (uint8_t)PATH_LINK_WAIT,
		.packet = KERNEL_NONE };
	/* A packet that was sent before the wait for its answer began. */
	if (l->kind == PATH_LINK_WAIT && to->in_flight) {
		const struct kernel_bridge *sent = kernel_bridge_at(k->w, to->source);
		if (sent->from.host == from->host && sent->from.span != KERNEL_NONE &&
			kernel_span(host_of(k, sent->from.host), sent->from.span)->task ==
				from->task) {
			l->kind = PATH_LINK_NETWORK;
			k->packet = to->source;
		}
	}
	if (l->kind == PATH_LINK_NETWORK) {
		l->packet = k->packet;
		l->to_time = kernel_bridge_at(k->w, k->packet)->to.time;
		if (l->to_time < to->begin)
			l->to_time = to->begin;
		if (l->to_time > k->p->end)
			l->to_time = k->p->end;
	}
	return 0;
}

/* The segment [begin, k->t] of the current frame. Cut to the window; nothing when empty. */
static int emit(struct walk *k, int64_t begin, struct path_segment s)
{
	struct path *p = k->p;
	if (begin > k->t)
		begin = k->t; /* where the trace's time goes backwards */
	s.begin = begin;
	s.end = k->t < p->end ? k->t : p->end;
	s.depth = k->now.depth;
	k->t = begin;
	if (s.begin >= s.end)
		return 0;
	if (!mer_grow(&p->segments, p->n_segments, &p->cap_segments, sizeof(*p->segments)))
		return mer_fail_nomem(k->err);
	if (p->n_segments) {
		const struct path_segment *later = &p->segments[p->n_segments - 1];
		int rc =
			later->host == s.host && later->task == s.task ? 0 : add_link(k, &s, later);
		if (rc)
			return rc;
	}
	k->has_reason = false;
	p->segments[p->n_segments++] = s;
	return 0;
}

static void because(struct walk *k, enum path_link_kind kind, uint32_t packet)
{
	if (k->has_reason && k->reason != PATH_LINK_WAIT)
		return; /* of several without time between them the one nearest to the end */
	k->has_reason = true;
	k->reason = (uint8_t)kind;
	k->packet = packet;
}

/* ---- segments ---- */

static struct path_segment blank(const struct frame *f)
{
	return (struct path_segment){ .host = f->host,
		.task = f->task,
		.span = KERNEL_NONE,
		.call = KERNEL_NONE,
		.by = KERNEL_NONE,
		.source = KERNEL_NONE,
		.cpu = KERNEL_NO_CPU,
		.state = KERNEL_UNKNOWN,
		.cause = PATH_UNKNOWN };
}

static enum path_cause cause_of_wait(enum kernel_cause c)
{
	switch (c) {
	case KERNEL_DISK: return PATH_DISK;
	case KERNEL_NETWORK: return PATH_NETWORK;
	case KERNEL_TIMER: return PATH_TIMER;
	case KERNEL_TASK: return PATH_TASK;
	case KERNEL_FUTEX: return PATH_FUTEX;
	case KERNEL_PIPE: return PATH_PIPE;
	case KERNEL_INPUT: return PATH_INPUT;
	case KERNEL_IPI: return PATH_IPI;
	case KERNEL_IRQ:
	case KERNEL_SOFTIRQ: return PATH_DEVICE;
	default: return PATH_BLOCKED;
	}
}

enum path_cause path_cause_of(const struct kernel_span *s)
{
	switch ((enum kernel_state)s->state) {
	case KERNEL_RUNNING:
	case KERNEL_USER:
	case KERNEL_SYSCALL:
	case KERNEL_THREAD: return PATH_RUNNING;
	case KERNEL_INTERRUPTED:
		return s->cause == KERNEL_STOLEN       ? PATH_STOLEN
		       : s->cause == KERNEL_HYPERVISOR ? PATH_HYPERVISOR
						       : PATH_INTERRUPTED;
	case KERNEL_RUNNABLE: return PATH_RUNNABLE;
	case KERNEL_BLOCKED: return cause_of_wait((enum kernel_cause)s->cause);
	case KERNEL_STOPPED: return PATH_STOPPED;
	case KERNEL_NEW: return PATH_NEW;
	default: return PATH_UNKNOWN;
	}
}

enum path_cause path_cause_of_absence(const struct kernel_guest *g, uint32_t absence)
{
	return kernel_absence_cause(g, absence) == KERNEL_STOLEN ? PATH_STOLEN : PATH_HYPERVISOR;
}

static struct path_segment of_span(const struct walk *k, uint32_t span)
{
	const struct kernel_host *h = host_of(k, k->now.host);
	const struct kernel_span *s = kernel_span(h, span);
	/* What the whole wait was for, of which this is a piece. */
	uint32_t whole = kernel_wait_end(h, span);
	const struct kernel_span *end = whole == span ? s : kernel_span(h, whole);
	struct path_segment g = blank(&k->now);
	g.span = span;
	g.call = s->call;
	g.source = end->source;
	g.cpu = s->cpu;
	g.state = s->state;
	g.cause = (uint8_t)path_cause_of(end);
	g.by_cause = end->cause;
	if (s->state == KERNEL_RUNNABLE)
		g.by = s->by;
	return g;
}

/* ---- waits ---- */

static bool is_wait(const struct kernel_span *s)
{
	return s->state == KERNEL_BLOCKED || s->state == KERNEL_STOPPED || kernel_is_spin(s);
}

/* The current task waits from k->now.floor on, and the path now follows what it waits for
 * elsewhere: remembers to come back. */
static int leave_waiting(struct walk *k, int64_t begin, uint32_t before)
{
	if (!mer_grow(&k->frames, k->n_frames, &k->cap_frames, sizeof(*k->frames)))
		return mer_fail_nomem(k->err);
	k->frames[k->n_frames++] = k->now;
	k->frames[k->n_frames - 1].span = before;
	k->frames[k->n_frames - 1].reason = PATH_LINK_WAIT;
	k->now.floor = begin;
	k->now.depth++;
	return 0;
}

static void follow(struct walk *k, uint32_t host, uint32_t span)
{
	k->now.host = host;
	k->now.span = span;
	k->now.task = kernel_span(host_of(k, host), span)->task;
}

/* Was the task of that span on a CPU? Events that were missing may have taken it back. */
static bool is_sure(const struct walk *k, uint32_t span)
{
	return kernel_span(host_of(k, k->now.host), span)->state != KERNEL_UNKNOWN;
}

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* When a packet left its task, and the span that ended there. That is before the packet was
 * sent, if the kernel held it back. Searches backward from the task's span at that time to the
 * call that the packet was made for. */
static int64_t left_task(const struct walk *k, const struct kernel_bridge *p, uint32_t *span)
{
	enum { LOOK_BACK = 64 };
	const struct kernel_host *h = host_of(k, p->from.host);
	int64_t until = p->from.time;
	*span = p->from.span;
	for (uint32_t i = p->from.span, n = 0; p->was_held && i != KERNEL_NONE && n < LOOK_BACK;
		n++) {
		const struct kernel_span *s = kernel_span(h, i);
		const struct kernel_call *c = s->call == KERNEL_NONE ? NULL : &h->calls[s->call];
		if (c && kernel_is_on_cpu(s->state) && c->object != KERNEL_NONE &&
			kernel_name_endpoint(kernel_name_text(h, c->object)) == p->to.endpoint) {
			*span = i;
			return until < p->from.time ? until : p->from.time;
		}
		until = s->begin;
		i = s->before;
	}
	return p->from.time;
}

/* Goes to the task that sent the packet, at the time when it sent it. */
static int follow_sender(struct walk *k, uint32_t packet)
{
	const struct kernel_bridge *p = kernel_bridge_at(k->w, packet);
	uint32_t span;
	int64_t left = left_task(k, p, &span);
	follow(k, p->from.host, span);
	if (left >= k->t)
		return 0;
	struct path_segment held = blank(&k->now);
	held.call = kernel_span(host_of(k, p->from.host), span)->call;
	held.source = packet;
	held.state = KERNEL_BLOCKED;
	held.cause = PATH_NETWORK;
	held.held = true;
	return emit(k, later_of(left, k->now.floor), held);
}

/* A packet ended the wait of the current task (the frame's floor is the begin of the wait).
 * Follows it back to its sender, through interrupts that only answered another packet. */
static int follow_packet(struct walk *k, struct path_segment wait)
{
	uint32_t n = wait.source, waiting = k->now.depth - 1;
	for (unsigned hops = 0; hops < MAX_ANSWERS; hops++) {
		const struct kernel_bridge *p = kernel_bridge_at(k->w, n);
		int rc = 0;
		wait.source = n;
		if (p->to.time < k->t) {
			struct path_segment delivery = wait;
			delivery.delivery = true;
			/* While the packet travels the time is the waiting task's own. */
			k->now.depth = hops ? waiting + 1 : waiting;
			rc = emit(k, later_of(p->to.time, k->now.floor), delivery);
		}
		if (rc || k->t <= k->now.floor)
			return rc;
		k->now.depth = hops ? waiting + 1 : waiting;
		struct path_segment flight = wait;
		flight.in_flight = true;
		flight.span = KERNEL_NONE;
		rc = emit(k, later_of(p->from.time < k->t ? p->from.time : k->t, k->now.floor),
			flight);
		if (rc || k->t <= k->now.floor)
			return rc;
		because(k, PATH_LINK_NETWORK, n);
		k->now.depth = waiting + 1;
		if (p->from.span != KERNEL_NONE)
			return follow_sender(k, n);
		/* The kernel of that host sent it: in answer to another packet, or for an
		 * unknown reason. */
		k->now.host = p->from.host;
		k->now.task = KERNEL_NONE;
		wait = blank(&k->now);
		wait.state = KERNEL_INTERRUPTED;
		wait.by_cause = KERNEL_SOFTIRQ;
		if (p->answers == KERNEL_NONE || kernel_bridge_at(k->w, p->answers)->to.time > k->t)
			break;
		n = p->answers;
		wait.cause = PATH_INTERRUPTED;
		rc = emit(k, later_of(kernel_bridge_at(k->w, n)->to.time, k->now.floor), wait);
		if (rc || k->t <= k->now.floor)
			return rc;
		wait.state = KERNEL_BLOCKED;
		wait.cause = PATH_NETWORK;
	}
	wait.cause = PATH_NETWORK;
	k->p->n_unresolved_remote++;
	return emit(k, k->now.floor, wait);
}

/* The request that the current task of a guest waits for, if the hypervisor served it; NULL:
 * none. *issued: since when the task waits for it, at least since begin. */
static const struct kernel_relay *relay_of(
	const struct walk *k, const struct kernel_span *s, int64_t begin, int64_t *issued)
{
	const struct kernel_host *h = host_of(k, k->now.host);
	bool is_known = h->guest && s->cause == KERNEL_DISK && s->source != KERNEL_NONE;
	const struct kernel_relay *r = is_known ? kernel_relay_of(h->guest, s->source) : NULL;
	if (!r)
		return NULL;
	const struct kernel_request *q = kernel_request_at(h, s->source);
	*issued = later_of(begin, q->issue != INT64_MIN ? q->issue : q->insert);
	return r->entered > *issued && k->t > *issued ? r : NULL;
}

/* The wait from `issued` on: backward through the vCPU, from the moment at which it was to bring
 * the interrupt into the guest, then through the task that sent the interrupt. What comes before
 * that belongs to the wait itself. */
static int resolve_relay(struct walk *k, uint32_t span, const struct kernel_relay *r,
	struct path_segment wait, int64_t begin, int64_t issued)
{
	const struct kernel_host *h = host_of(k, k->now.host);
	uint32_t hypervisor = h->guest->hypervisor;
	int rc = r->entered < k->t ? emit(k, r->entered, wait) : 0;
	if (rc == 0)
		rc = leave_waiting(k, issued, issued > begin ? span : kernel_span(h, span)->before);
	if (rc)
		return rc;
	because(k, PATH_LINK_WAKE, KERNEL_NONE);
	k->now.host = hypervisor;
	if (r->by != KERNEL_NONE && r->sent > issued) {
		follow(k, hypervisor, r->by);
		rc = leave_waiting(k, later_of(r->sent, issued), r->by);
		if (rc)
			return rc;
		k->frames[k->n_frames - 1].reason = PATH_LINK_WAKE;
		k->now.depth--;
	}
	follow(k, hypervisor, r->vcpu);
	return 0;
}

/* The wait [begin, k->t] of the current task, in this span. Nothing waited for what the task did
 * between the pieces of the wait. */
static int resolve(struct walk *k, uint32_t span, int64_t begin)
{
	const struct kernel_span *s = kernel_span(host_of(k, k->now.host), span);
	struct path_segment wait = of_span(k, span);
	int64_t issued;
	const struct kernel_relay *relay =
		k->n_frames + 1 < MAX_FRAMES ? relay_of(k, s, begin, &issued) : NULL;
	if (relay)
		return resolve_relay(k, span, relay, wait, begin, issued);
	bool by_packet = s->cause == KERNEL_NETWORK && s->source != KERNEL_NONE;
	bool names_task = !by_packet && s->by != KERNEL_NONE;
	bool by_task = names_task && is_sure(k, s->by);
	if (names_task && !by_task)
		wait.cause = PATH_BLOCKED;
	if (s->cause == KERNEL_NETWORK && !by_packet && !by_task)
		k->p->n_unresolved_remote++;
	if ((!by_packet && !by_task) || k->n_frames >= MAX_FRAMES) {
		k->now.span = s->before;
		return emit(k, begin, wait);
	}
	const struct kernel_host *h = host_of(k, k->now.host);
	const struct kernel_span *first = kernel_span(h, kernel_wait_first(h, span));
	int rc = leave_waiting(
		k, first == s ? begin : later_of(first->begin, k->now.floor), first->before);
	if (rc)
		return rc;
	if (by_packet) {
		k->now.span = KERNEL_NONE;
		return follow_packet(k, wait);
	}
	because(k,
		s->cause == KERNEL_FUTEX  ? PATH_LINK_FUTEX
		: s->cause == KERNEL_PIPE ? PATH_LINK_PIPE
					  : PATH_LINK_WAKE,
		KERNEL_NONE);
	follow(k, k->now.host, s->by);
	return 0;
}

/* ---- waits for a CPU ---- */

/* A task is ready in this span, from begin on. If its CPU is a vCPU, the hypervisor may have
 * taken the CPU away from the task that has the vCPU. */
static int emit_ready(struct walk *k, uint32_t span, int64_t begin)
{
	const struct kernel_guest *g = host_of(k, k->now.host)->guest;
	struct path_segment s = of_span(k, span);
	int64_t end = k->t;
	int rc = 0;
	while (g && k->t > begin && rc == 0) {
		struct kernel_ready ready = kernel_guest_ready(g, span, s.cpu, begin, k->t);
		struct path_segment piece = s;
		if (ready.cpu != s.cpu) { /* the task that had that CPU is not known */
			piece.cpu = ready.cpu;
			piece.by = KERNEL_NONE;
		}
		if (ready.absence != KERNEL_NONE) {
			piece.source = ready.absence;
			piece.cause = (uint8_t)path_cause_of_absence(g, ready.absence);
		}
		rc = emit(k, ready.begin, piece);
	}
	return rc || k->t < end ? rc : emit(k, begin, s);
}

/* ---- waits in MPI ---- */

/* The call of MPI that the current task is in just before k->t, and in which it may wait; NULL:
 * none. A task that polls or computes may go from one call to the next without an event of the
 * kernel: before *low it was in another call. */
static const struct mpi_call *mpi_call_of(struct walk *k, int64_t *low)
{
	const struct kernel_mpi *m = k->w->mpi;
	uint32_t line = k->calls ? kernel_mpi_line_of(m, k->now.host, k->now.task) : MPI_NONE;
	if (line == MPI_NONE)
		return NULL;
	const struct mpi_call *calls = m->run->calls;
	uint32_t i = k->calls[line] ? k->calls[line] - 1 : m->run->lines[line].last;
	while (i != MPI_NONE && calls[i].begin >= k->t && calls[i].before != MPI_NONE)
		i = calls[i].before;
	if (i == MPI_NONE)
		return NULL;
	k->calls[line] = i + 1;
	if (k->t > calls[i].end) /* it has left MPI */
		*low = later_of(*low, calls[i].end);
	else if (calls[i].begin < k->t)
		*low = later_of(*low, calls[i].begin);
	bool is_in = calls[i].begin < k->t && k->t <= calls[i].end;
	return is_in && mpi_call_waits(&calls[i]) ? &calls[i] : NULL;
}

/* What the current task did just before k->t. Time only goes backward. */
static uint32_t span_of_line(struct walk *k, uint32_t line, uint32_t host, uint32_t task)
{
	uint32_t from = k->spans[line] ? k->spans[line] - 1 : KERNEL_NONE;
	uint32_t span = kernel_span_at(host_of(k, host), task, k->t - 1, from);
	k->spans[line] = span == KERNEL_NONE ? k->spans[line] : span + 1;
	return span;
}

static struct path_segment of_mpi(const struct walk *k, const struct mpi_call *c)
{
	struct path_segment s =
		k->now.span == KERNEL_NONE ? blank(&k->now) : of_span(k, k->now.span);
	s.cause = PATH_MPI;
	s.by = KERNEL_NONE;
	s.source = (uint32_t)(c - k->w->mpi->run->calls);
	return s;
}

/* The task of the rank that the call waits for; KERNEL_NONE: it cannot be followed. Ranks that
 * wait for each other at the same time are followed to a limited depth. */
static uint32_t waited_for(struct walk *k, const struct mpi_call *c, uint32_t *host)
{
	const struct kernel_mpi *m = k->w->mpi;
	*host = mpi_process_of(m->run, c->by)->host;
	k->n_mpi = k->mpi_at == k->t ? k->n_mpi + 1 : 0;
	k->mpi_at = k->t;
	return k->n_mpi < MAX_RANKS && k->n_frames < MAX_FRAMES ? m->tasks[c->by] : KERNEL_NONE;
}

/* Just before k->t the current task was in a call of MPI. Where it waited for another rank, the
 * path goes to that rank: to what it did until it sent, received or entered the call. For the
 * rest of the call the path shows what the kernel shows, except that CPU time of polling is not
 * work of the program. */
static int in_mpi(struct walk *k, const struct mpi_call *c, int64_t *low, bool *is_done)
{
	bool waits = c->wait && k->t <= c->until;
	*low = later_of(c->wait && !waits ? c->until : c->begin, k->now.floor);
	*is_done = true;
	k->now.span = span_of_line(k, c->line, k->now.host, k->now.task);
	if (waits) {
		uint32_t host, task = waited_for(k, c, &host);
		if (task == KERNEL_NONE)
			return emit(k, *low, of_mpi(k, c));
		int rc = leave_waiting(k, *low, k->now.span);
		if (rc)
			return rc;
		because(k, PATH_LINK_MPI, KERNEL_NONE);
		k->now.host = host;
		k->now.task = task;
		k->now.span = span_of_line(k, c->by, host, task);
		return 0;
	}
	const struct kernel_span *s = kernel_span_kept(host_of(k, k->now.host), k->now.span);
	if (s && kernel_is_on_cpu((enum kernel_state)s->state) && s->state != KERNEL_INTERRUPTED)
		return emit(k, later_of(s->begin, *low), of_mpi(k, c));
	*is_done = false;
	return 0;
}

/* ---- the walk ---- */

/* One span of the current frame, or the time before the first span of its task. */
static int step(struct walk *k)
{
	const struct kernel_host *h = host_of(k, k->now.host);
	int64_t low = k->now.floor;
	const struct mpi_call *call = mpi_call_of(k, &low);
	bool is_done = false;
	if (call) {
		int done = in_mpi(k, call, &low, &is_done);
		if (done || is_done)
			return done;
	}
	if (k->now.span == KERNEL_NONE)
		return emit(k, low, blank(&k->now));
	uint32_t i = k->now.span;
	const struct kernel_span *s = kernel_span(h, i);
	int64_t begin = later_of(s->begin, low);
	if (begin >= k->t && s->before != KERNEL_NONE) {
		k->now.span = s->before;
		return 0;
	}
	if (is_wait(s) && begin < k->t)
		return resolve(k, i, begin);
	int rc = s->state == KERNEL_RUNNABLE ? emit_ready(k, i, begin)
					     : emit(k, begin, of_span(k, i));
	k->now.span = s->begin < begin ? i : s->before; /* cut where a call began */
	if (rc || k->now.span == i || s->before != KERNEL_NONE || k->t <= k->now.floor)
		return rc;
	if (s->state == KERNEL_NEW && s->by != KERNEL_NONE) {
		because(k, PATH_LINK_FORK, KERNEL_NONE);
		follow(k, k->now.host, s->by);
	}
	return 0;
}

static int run(struct walk *k)
{
	for (;;) {
		while (k->t > k->now.floor) {
			int rc = kernel_world_go_on(k->w, k->err);
			if (rc == 0)
				rc = step(k);
			if (rc)
				return rc;
		}
		if (k->n_frames == 0)
			return 0;
		k->now = k->frames[--k->n_frames];
		because(k, (enum path_link_kind)k->now.reason, KERNEL_NONE);
	}
}

/* The first wait of the task that lasts beyond `end`, among the spans from `from` backward;
 * KERNEL_NONE: there is none. */
static uint32_t first_wait(const struct kernel_host *h, uint32_t from, int64_t end)
{
	uint32_t wait = KERNEL_NONE;
	for (uint32_t i = from; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		const struct kernel_span *s = kernel_span(h, i);
		wait = is_wait(s) ? i : wait;
		if (s->begin < end)
			break;
	}
	return wait;
}

/* Where to start searching for the end of the window: after the next wait, or its last piece. In
 * a saved world it is found without looking at everything that comes later. */
static uint32_t look_from(const struct kernel_host *h, uint32_t task, int64_t end)
{
	uint32_t last = h->tasks[task].last, wait = KERNEL_NONE, from = KERNEL_NONE;
	int64_t after = end;
	while (h->source && wait == KERNEL_NONE) {
		from = h->source->near(h, task, after);
		if (from == KERNEL_NONE)
			return last;
		wait = first_wait(h, from, end);
		after = kernel_span(h, from)->begin;
	}
	if (wait == KERNEL_NONE)
		return last;
	uint32_t behind = h->source->near(h, task, kernel_span(h, kernel_wait_end(h, wait))->begin);
	return behind == KERNEL_NONE ? last : behind > from ? behind : from;
}

/* The span in which the window ends. *t: where to begin. That is later than the end of the
 * window if the window ends in a wait: what ended the whole wait also explains the part of it in
 * the window. */
static uint32_t find_start(
	const struct kernel_host *h, uint32_t task, uint32_t from, int64_t end, int64_t *t)
{
	uint32_t i = from, wait = KERNEL_NONE;
	int64_t until = h->tasks[task].end, wait_until = until;
	for (; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		const struct kernel_span *s = kernel_span(h, i);
		if (is_wait(s) && (wait == KERNEL_NONE || kernel_wait_end(h, i) != wait)) {
			wait = i; /* the next one, or its last piece */
			wait_until = until;
		}
		if (s->begin < end || s->before == KERNEL_NONE)
			break;
		until = s->begin;
	}
	*t = end;
	if (i == KERNEL_NONE)
		return i;
	bool is_in_wait = is_wait(kernel_span(h, i)) && until > end;
	bool is_between =
		wait != KERNEL_NONE && kernel_span(h, kernel_wait_first(h, wait))->begin < end;
	if ((!is_in_wait && !is_between) || wait == KERNEL_NONE)
		return i;
	*t = wait_until;
	return wait;
}

void path_sum(struct path *p)
{
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		int64_t ns = s->end - s->begin;
		p->by_cause[s->cause] += ns;
		p->in_flight_ns += s->in_flight ? ns : 0;
		p->delivery_ns += s->delivery ? ns : 0;
		p->held_ns += s->held ? ns : 0;
		if (s->cause == PATH_NETWORK && !s->in_flight && !s->delivery && !s->held)
			p->unresolved_ns += ns;
		p->unexplained_ns += path_is_unexplained((enum path_cause)s->cause) ? ns : 0;
	}
}

static void finish(struct path *p)
{
	for (size_t i = 0; i < p->n_segments / 2; i++) {
		struct path_segment s = p->segments[i];
		p->segments[i] = p->segments[p->n_segments - 1 - i];
		p->segments[p->n_segments - 1 - i] = s;
	}
	for (size_t i = 0; i < p->n_links / 2; i++) {
		struct path_link l = p->links[i];
		p->links[i] = p->links[p->n_links - 1 - i];
		p->links[p->n_links - 1 - i] = l;
	}
	path_sum(p);
}

int path_find_before(const struct kernel_world *w, uint32_t host, uint32_t task, uint32_t after,
	int64_t begin, int64_t end, struct path *path, struct mer_err *err)
{
	const struct kernel_host *h = &w->hosts[host];
	const struct kernel_task *t = &h->tasks[task];
	int64_t alive = t->died < t->end ? t->died : t->end;
	*path = (struct path){ .world = w, .host = host, .task = task };
	path->begin = begin > t->begin ? begin : t->begin;
	path->end = end < alive ? end : alive;
	if (path->begin > path->end)
		return mer_fail(err, MER_ERR_USAGE,
			"thread %d of %s did not exist in this time range", (int)t->tid,
			w->e ? w->e->hosts[host].name : "the host");
	int64_t length;
	if (__builtin_sub_overflow(path->end, path->begin, &length))
		return mer_fail_remedy(err, MER_ERR_LIMIT, MER_REMEDY_SHORTER_WINDOW,
			"thread %d lives for more than 292 years: its clock is damaged",
			(int)t->tid);
	struct walk k = { .p = path, .w = w, .err = err };
	k.now = (struct frame){ .host = host, .task = task, .floor = path->begin };
	uint32_t from = after == KERNEL_NONE ? look_from(h, task, path->end) : after;
	k.now.span = find_start(h, task, from, path->end, &k.t);
	const struct mpi_run *mpi = w->mpi ? w->mpi->run : NULL;
	k.calls = mpi ? calloc((size_t)mpi->n_lines + 1, sizeof(*k.calls)) : NULL;
	k.spans = mpi ? calloc((size_t)mpi->n_lines + 1, sizeof(*k.spans)) : NULL;
	int rc = mpi && (!k.calls || !k.spans) ? mer_fail_nomem(err) : run(&k);
	free(k.calls);
	free(k.spans);
	free(k.frames);
	if (rc == 0)
		finish(path);
	return rc ? rc : path_cut_by_states(path, err);
}

int path_find(const struct kernel_world *w, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, struct path *path, struct mer_err *err)
{
	return path_find_before(w, host, task, KERNEL_NONE, begin, end, path, err);
}

void path_fini(struct path *p)
{
	free(p->segments);
	free(p->links);
	p->segments = NULL;
	p->links = NULL;
	p->n_segments = p->n_links = 0;
}
