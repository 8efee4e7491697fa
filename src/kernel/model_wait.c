/* Waits that time out and are taken up again: programs that poll with a tick, as curl, libuv, nginx
 * and Java do, wait for one thing in many pieces. What they waited for is what ended the last
 * piece, and not the timer.
 *
 * A wait continues one that timed out if the task makes the same call on the same objects soon
 * afterwards and has sent and received nothing in between. Objects: a descriptor (of epoll its
 * own), the descriptors and events of poll, the sets of select, the address of a futex. Where they
 * are not recorded, and for calls that wait for nothing but time, each wait is one of its own. */
#include "kernel/model_state.h"

enum { EINTR_ = 4, EAGAIN_ = 11, ETIMEDOUT_ = 110, ERESTART_FIRST = 512, ERESTART_LAST = 516 };

/* What a task does between two pieces of one wait: at most this, or this part of the piece
 * before. */
enum { SOON_NS = 1000000, SOON_PART = 8 };

static bool waits_at_futex(uint64_t op)
{
	enum { WAIT = 0, LOCK_PI = 6, WAIT_BITSET = 9, WAIT_REQUEUE_PI = 11, LOCK_PI2 = 13 };
	op = kernel_futex_op(op);
	return op == WAIT || op == LOCK_PI || op == WAIT_BITSET || op == WAIT_REQUEUE_PI ||
	       op == LOCK_PI2;
}

static uint64_t objects_of(const void *data, uint64_t n)
{
	return n ? mer_hash(data, (size_t)n * sizeof(uint64_t)) | 2 : 0;
}

/* nfds fds:r, and some tracers record only the first ones */
static uint64_t polled(const struct kernel_binding *b, const uint64_t *s)
{
	uint64_t n = s[KERNEL_ARG_POLL_FDS];
	return b->row_slots && n == s[KERNEL_ARG_POLL_N]
		       ? objects_of((const void *)(uintptr_t)s[KERNEL_ARG_POLL_FDS + 1],
				 n * b->row_slots)
		       : 0;
}

/* n readfds:a writefds:a exceptfds:a */
static uint64_t selected(const uint64_t *s)
{
	uint64_t sets[3] = { 0 };
	for (int i = 0; i < 3; i++) {
		const uint64_t *set = s + KERNEL_ARG_SELECT_SETS + 2 * i;
		sets[i] = objects_of((const void *)(uintptr_t)set[1], set[0]);
	}
	return s[KERNEL_ARG_SELECT_N] && (sets[0] || sets[1] || sets[2]) ? objects_of(sets, 3) : 0;
}

uint64_t model_wait_told_objects(const struct kernel_binding *b, const uint64_t *slots)
{
	switch ((enum kernel_call_kind)b->kind) {
	case KERNEL_CALL_ACCEPT: return 1;
	case KERNEL_CALL_FUTEX:
		return waits_at_futex(slots[KERNEL_ARG_FUTEX_OP]) ? slots[KERNEL_ARG_FUTEX] : 0;
	case KERNEL_CALL_FUTEX_WAIT: return slots[KERNEL_ARG_FUTEX];
	case KERNEL_CALL_POLL: return polled(b, slots);
	case KERNEL_CALL_SELECT: return selected(slots);
	default: return 0;
	}
}

void model_wait_begin(struct kernel_model *m, uint32_t task)
{
	struct live *l = &m->live[task];
	struct model_wait *w = &l->wait;
	uint32_t now = m->h->tasks[task].last;
	if (w->timed_out != KERNEL_NONE) {
		struct kernel_span *before = kernel_span_kept(m->h, w->timed_out);
		if (before && w->objects && l->call == w->call &&
			w->objects == w->timed_out_objects && l->call_begin <= w->until) {
			before->source = now;
			m->has_taken_up = true;
		} else {
			w->timed_out = KERNEL_NONE;
		}
	}
	w->span = now;
}

/* Was it a timer that ended it? */
static bool was_timed(const struct kernel_model *m, const struct model_wait *w)
{
	const struct kernel_span *s = w->objects ? kernel_span_kept(m->h, w->span) : NULL;
	return s && s->state == KERNEL_BLOCKED && s->cause == KERNEL_TIMER;
}

/* Did it wait until its time was over, or until a signal? */
static bool has_timed_out(const struct kernel_model *m, const struct model_wait *w, int64_t ret)
{
	return was_timed(m, w) &&
	       (ret == 0 || ret == -EAGAIN_ || ret == -ETIMEDOUT_ || ret == -EINTR_ ||
		       (ret <= -ERESTART_FIRST && ret >= -ERESTART_LAST));
}

/* May it have sent or received something, or changed what it waits for? */
static bool has_acted(const struct live *l, int64_t ret)
{
	switch ((enum kernel_call_kind)l->kind) {
	case KERNEL_CALL_USES_FD:
	case KERNEL_CALL_RECEIVE:
	case KERNEL_CALL_POLL:
	case KERNEL_CALL_SELECT: return ret > 0;
	case KERNEL_CALL_FUTEX: /* woken, or the value was another one; woke somebody */
		return waits_at_futex(l->args[KERNEL_ARG_FUTEX_OP]) ? ret == 0 || ret == -EAGAIN_
								    : ret > 0;
	case KERNEL_CALL_FUTEX_WAIT: return ret >= 0 || ret == -EAGAIN_;
	case KERNEL_CALL_FUTEX_WAKE: return ret > 0;
	case KERNEL_CALL_OTHER:
	case KERNEL_CALL_PRCTL:
	case KERNEL_CALL_IOCTL:
	case KERNEL_CALL_FCNTL:
	case KERNEL_CALL_MMAP:
	case KERNEL_CALL_PATH:
	case KERNEL_CALL_PATH_AT: return false;
	default: return ret >= 0;
	}
}

void model_wait_call_end(struct kernel_model *m, uint32_t task, int64_t ts, int64_t ret)
{
	struct live *l = &m->live[task];
	struct model_wait *w = &l->wait;
	if (w->span != KERNEL_NONE && has_timed_out(m, w, ret)) {
		int64_t waited = ts - kernel_span(m->h, w->span)->begin;
		w->timed_out = w->span;
		w->timed_out_objects = w->objects;
		w->call = l->call;
		w->until = ts + (waited / SOON_PART > SOON_NS ? waited / SOON_PART : SOON_NS);
	} else if (w->timed_out != KERNEL_NONE && has_acted(l, ret)) {
		w->timed_out = KERNEL_NONE;
	}
	w->span = KERNEL_NONE;
}

int model_wait_finish(struct kernel_model *m)
{
	struct kernel_host *h = m->h;
	if (!m->has_taken_up || h->forgets)
		return 0;
	for (uint32_t i = h->n_spans; i-- > 0;) { /* later ones are done */
		struct kernel_span *s = kernel_span(h, i);
		if (s->state != KERNEL_BLOCKED || s->cause != KERNEL_TIMER ||
			s->source == KERNEL_NONE)
			continue;
		s->source = kernel_wait_end(h, s->source);
		const struct kernel_span *last = kernel_span(h, s->source);
		if (last->state != KERNEL_BLOCKED || last->cause == KERNEL_TIMER)
			s->source = KERNEL_NONE; /* given up, or not known */
		if (s->source == KERNEL_NONE)
			continue;
		uint32_t *first = mer_map_put(&h->first_pieces, s->source);
		if (!first)
			return mer_fail_nomem(m->err);
		*first = i + 1;
	}
	return 0;
}
