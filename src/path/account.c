/* Walks backward in time, as the path does: what a task waited for is the time of the task that
 * ended the wait, from the wait's begin on; and so on through what that one waited for. Ranges of
 * time are handed down and never overlap, so all is looked at once. */
#include "path/account.h"

#include "kernel/vm/guests.h"
#include "path/account_index.h"

enum { DEEPEST = 200 };

struct walk {
	const struct account_index *x;
	struct account *a;
	bool all;
	int64_t after, until; /* what is used in (after, until] is charged */
	struct mer_err *err;
};

struct frame { /* the task whose time is looked at, and the task that waited for it (up) */
	const struct frame *up;
	uint32_t node; /* KERNEL_NONE: none yet, nothing was charged */
	uint32_t host, task;
	uint32_t span; /* the latest one that is still to be looked at, and where it ends */
	int64_t span_end;
	unsigned depth;
	/* Its client is ready, not blocked: what is no CPU time is the client's wait for a CPU. */
	bool client_is_ready;
	bool for_others; /* who is looked at worked for another client meanwhile */
};

struct later_wait { /* the wait that comes next in a task's life */
	bool is_known;
	struct kernel_waker by;
	uint32_t span;
	uint32_t whole; /* that it is a piece of (kernel_wait_end) */
	/* Down to where who ended it was looked at. */
	struct frame reached;
};

const char *account_rest_name(enum account_rest r)
{
	if (r == ACCOUNT_IDLE)
		return "idle";
	return path_cause_name((enum path_cause)r);
}

static const struct kernel_host *host_of(const struct walk *k, uint32_t host)
{
	return &k->x->b->world->hosts[host];
}

static void rest(struct walk *k, const struct frame *f, unsigned cause, int64_t ns)
{
	struct account_node *nodes = k->a->nodes;
	if (f->client_is_ready)
		nodes[f->up->node].residual_ns[PATH_RUNNABLE] += ns;
	else
		nodes[f->node].residual_ns[cause] += ns;
}

static unsigned cause_of(const struct kernel_span *s)
{
	static const uint8_t causes[KERNEL_N_CAUSES] = {
		[KERNEL_NO_CAUSE] = PATH_BLOCKED,
		[KERNEL_DISK] = PATH_DISK,
		[KERNEL_NETWORK] = PATH_NETWORK,
		[KERNEL_TIMER] = PATH_TIMER,
		[KERNEL_TASK] = PATH_TASK,
		[KERNEL_FUTEX] = PATH_FUTEX,
		[KERNEL_PIPE] = PATH_PIPE,
		[KERNEL_INPUT] = PATH_INPUT,
		[KERNEL_IPI] = PATH_IPI,
		[KERNEL_IRQ] = PATH_DEVICE,
		[KERNEL_SOFTIRQ] = PATH_DEVICE,
	};
	switch ((enum kernel_state)s->state) {
	case KERNEL_RUNNABLE: return PATH_RUNNABLE;
	case KERNEL_BLOCKED: return causes[s->cause];
	case KERNEL_STOPPED: return PATH_STOPPED;
	case KERNEL_NEW: return PATH_NEW;
	default: return PATH_UNKNOWN;
	}
}

static int look_at(struct walk *k, struct frame *f, int64_t begin, int64_t end);

/* ---- On a CPU ---- */

static void charge(struct walk *k, const struct frame *f, uint32_t span, int64_t begin, int64_t end)
{
	struct account_node *n = &k->a->nodes[f->node];
	const struct kernel_span *s = kernel_span(host_of(k, f->host), span);
	enum path_cause cause = path_cause_of(s);
	if (kernel_is_away(s)) {
		rest(k, f, cause, end - begin);
		return;
	}
	if (f->client_is_ready) {
		n->ready_ns += end - begin;
		rest(k, f, PATH_RUNNABLE, end - begin);
		return;
	}
	n->self_ns += end - begin;
	if (s->state == KERNEL_INTERRUPTED)
		n->interrupted_ns += end - begin;
	if (f->for_others)
		n->others_ns += end - begin;
}

/* What the task used in [begin, end]. Use at the very begin is left out, because it belongs to
 * the wait that the task ended at that moment, unless the requested range begins there. */
static void charge_used(struct walk *k, const struct frame *f, int64_t begin, int64_t end)
{
	int64_t after = !f->up || k->after + 1 == begin ? k->after : begin;
	int64_t until = !f->up || k->until < end ? k->until : end;
	if (!k->x->u || f->for_others)
		return;
	/* While it waits it uses nothing, so it cannot be that it waits for itself. */
	for (const struct frame *up = f->up; up; up = up->up)
		if (up->host == f->host && up->task == f->task)
			return;
	for (unsigned i = 0; i < USAGE_N_KINDS; i++)
		k->a->nodes[f->node].used[i] +=
			usage_of(k->x->u, f->host, f->task, (enum usage_kind)i, after, until);
}

/* ---- Waits ---- */

struct claims { /* of waits on moments of who ended them; goes back in time */
	const struct account_ended *list;
	size_t i;	     /* those before it are still to come */
	int64_t work_before; /* of one for work: another one's was up to here */
	int64_t taken_from;  /* from here on others have the claim */
};

static struct claims find_claims(
	const struct walk *k, const struct frame *f, const struct kernel_waker *by, uint32_t span)
{
	const struct account_index *x = k->x;
	size_t number = account_task_number(x->b, by->host, by->task);
	struct claims c = { .list = x->ended + x->first[number],
		.work_before = INT64_MIN,
		.taken_from = INT64_MAX };
	bool found;
	c.i = account_position(x, by, f->host, span, &found) - x->first[number];
	/* Work that was handed on: after all that were waited for. */
	if (found && c.list[c.i].for_work) {
		c.taken_from = c.list[c.i].earliest;
		c.work_before = c.list[c.i].work_before;
	}
	return c;
}

/* The latest part of [begin, end] that is all ours, or all others'; where it begins. */
static int64_t next_part(struct claims *c, int64_t begin, int64_t end, bool *is_ours)
{
	for (; c->i && c->list[c->i - 1].asked >= end; c->i--) {
		const struct account_ended *e = &c->list[c->i - 1];
		if (e->is_claim && e->begin < c->taken_from)
			c->taken_from = e->begin;
	}
	if (c->work_before >= end)
		c->taken_from = INT64_MIN; /* what it did before was for that one */
	*is_ours = c->taken_from >= end;
	int64_t from = begin;
	if (!*is_ours)
		return c->taken_from > begin ? c->taken_from : begin;
	if (c->i && c->list[c->i - 1].asked > begin)
		from = c->list[c->i - 1].asked;
	return from;
}

/* Who ended a wait, at the time when it did so. Nobody is in a wait then, so where that span ends
 * does not matter. */
static struct frame frame_of(const struct kernel_waker *by)
{
	return (struct frame){ .node = KERNEL_NONE,
		.host = by->host,
		.task = by->task,
		.span = by->span,
		.span_end = by->asked };
}

/* What the waker did in [begin, end] of the wait, for it or for others before; from *waker on,
 * which is left where begin lies. */
static int look_at_waker(struct walk *k, struct frame *f, const struct kernel_waker *by,
	uint32_t span, int64_t begin, int64_t end, bool is_ready, struct frame *waker)
{
	struct claims claims = find_claims(k, f, by, span);
	bool is_who_it_was = waker->task == by->task; /* and not who forked that one */
	int rc = 0;
	waker->up = f;
	waker->depth = f->depth + 1;
	waker->client_is_ready = is_ready;
	for (int64_t t = end, from = begin; t > begin && !rc; t = from) {
		bool is_ours = true;
		if (is_who_it_was)
			from = next_part(&claims, begin, t, &is_ours);
		if (!is_ours && is_ready) {
			rest(k, f, PATH_RUNNABLE, t - from);
			continue;
		}
		waker->for_others = f->for_others || !is_ours;
		if (waker->node == KERNEL_NONE) {
			waker->node = account_child(k->a, f->node, by->host, by->task);
			if (waker->node == KERNEL_NONE)
				return mer_fail_nomem(k->err);
			k->a->nodes[waker->node].n_served += !is_ready;
		}
		rc = look_at(k, waker, from, t);
	}
	return rc;
}

/* Was it a wait for work that no waiting task of this tree had requested? A thread that handed
 * on a client's request worked for that client. */
static bool is_idle(const struct walk *k, const struct frame *f, const struct blocked_wait *w)
{
	if (!w || (!w->is_for_work && !w->is_input))
		return false;
	if (k->all)
		return w->is_input;
	for (const struct frame *up = f->up; up && w->asker != KERNEL_NONE; up = up->up)
		if (blocked_process(k->x->b, up->host, up->task) == w->asker)
			return false;
	return true;
}

/* The part [begin, end] of the wait in this span, which itself ends at span_end. */
static int look_at_wait(struct walk *k, struct frame *f, uint32_t span, int64_t begin, int64_t end,
	int64_t span_end, struct later_wait *later)
{
	const struct blocked *b = k->x->b;
	const struct kernel_host *h = host_of(k, f->host);
	uint32_t whole = kernel_wait_end(h, span);
	const struct blocked_wait *w = account_wait(b, f->host, span, span_end);
	unsigned cause = is_idle(k, f, w) ? (w->is_input ? PATH_INPUT : ACCOUNT_IDLE)
					  : cause_of(kernel_span(h, whole));
	struct kernel_waker by;
	later->is_known = false;
	if (f->client_is_ready || cause == ACCOUNT_IDLE || cause == PATH_INPUT ||
		f->depth >= DEEPEST ||
		!account_find_waker(b->world, f->host, span, span_end, &by)) {
		rest(k, f, cause, end - begin);
		return 0;
	}
	/* Who ended the later pieces of the wait was looked at down to their begin. */
	struct frame reached = later->whole == whole ? later->reached : frame_of(&by);
	*later = (struct later_wait){
		.is_known = true, .by = by, .span = span, .whole = whole, .reached = reached
	};
	int64_t asked = by.asked < end ? by.asked : end;
	int64_t since = account_since(b->world, f->host, span, begin);
	if (asked < since)
		asked = since < end ? since : end;
	rest(k, f, cause, end - asked); /* a packet, an interrupt was under way */
	if (since > begin)
		rest(k, f, cause, (since < asked ? since : asked) - begin);
	return look_at_waker(
		k, f, &by, span, since < asked ? since : asked, asked, false, &later->reached);
}

/* Ready, and nothing that was waited for runs meanwhile. */
static void rest_ready(
	struct walk *k, const struct frame *f, uint32_t span, int64_t begin, int64_t end)
{
	const struct kernel_host *h = host_of(k, f->host);
	uint16_t cpu = kernel_span(h, span)->cpu;
	struct kernel_ready r = { .begin = begin, .absence = KERNEL_NONE };
	for (int64_t t = end; t > begin; t = r.begin) {
		if (h->guest)
			r = kernel_guest_ready(h->guest, span, cpu, begin, t);
		rest(k, f,
			r.absence == KERNEL_NONE ? PATH_RUNNABLE
						 : path_cause_of_absence(h->guest, r.absence),
			t - r.begin);
	}
}

/* Ready: for the CPU on which, maybe, the one runs whom it asked already. */
static int look_at_ready(struct walk *k, struct frame *f, uint32_t span, struct later_wait *later,
	int64_t begin, int64_t end)
{
	const struct account_index *x = k->x;
	int64_t from = end;
	if (later->is_known && !f->client_is_ready && f->depth < DEEPEST) {
		bool found;
		size_t i = account_position(x, &later->by, f->host, later->span, &found);
		if (found && x->ended[i].begin < end)
			from = x->ended[i].begin > begin ? x->ended[i].begin : begin;
	}
	rest_ready(k, f, span, begin, from);
	return from < end ? look_at_waker(
				    k, f, &later->by, later->span, from, end, true, &later->reached)
			  : 0;
}

/* ---- A task over a time ---- */

/* Before its first span in the frame the task was not there: from here on the frame is of who
 * forked it, if that is known, as on the path. Not of the task that is asked for, whose window
 * begins with its life. */
static bool go_to_parent(
	struct walk *k, struct frame *f, const struct kernel_span *first, int64_t t)
{
	const struct kernel_host *h = host_of(k, f->host);
	if (!f->up || first->state != KERNEL_NEW || first->by == KERNEL_NONE)
		return false;
	f->span = first->by;
	f->span_end = t;
	f->task = kernel_span(h, f->span)->task;
	f->node = account_child(k->a, f->up->node, f->host, f->task);
	return true;
}

/* [begin, end] of f->task, from f->span back, which is left at the one in which begin lies. */
static int look_at(struct walk *k, struct frame *f, int64_t begin, int64_t end)
{
	const struct kernel_host *h = host_of(k, f->host);
	struct later_wait later = { .whole = KERNEL_NONE };
	int64_t t = end;
	int rc = kernel_world_go_on(k->x->b->world, k->err);
	charge_used(k, f, begin, end);
	while (t > begin && f->span != KERNEL_NONE && !rc) {
		uint32_t i = f->span;
		const struct kernel_span *s = kernel_span(h, i);
		int64_t from = s->begin > begin ? s->begin : begin;
		if (from >= t)
			; /* it is later, or the trace's time goes backwards */
		else if (kernel_is_on_cpu(s->state))
			charge(k, f, i, from, t);
		else if (s->state == KERNEL_BLOCKED || s->state == KERNEL_STOPPED)
			rc = look_at_wait(k, f, i, from, t, f->span_end, &later);
		else if (s->state == KERNEL_RUNNABLE)
			rc = look_at_ready(k, f, i, &later, from, t);
		else
			rest(k, f, cause_of(s), t - from);
		t = from < t ? from : t;
		if (s->begin < begin)
			break; /* the rest of it comes next */
		f->span_end = s->begin;
		f->span = s->before;
		if (f->span != KERNEL_NONE || t <= begin || !go_to_parent(k, f, s, t))
			continue;
		if (f->node == KERNEL_NONE)
			return mer_fail_nomem(k->err);
		later.is_known = false;
		later.whole = KERNEL_NONE;
		charge_used(k, f, begin, t);
	}
	if (t > begin && !rc) /* it had not begun: what its parent did is not its work */
		rest(k, f, h->tasks[f->task].born ? PATH_NEW : PATH_UNKNOWN, t - begin);
	return rc;
}

static void sum_waits(struct account *a)
{
	const struct blocked_host *h = &a->b->hosts[a->host];
	for (size_t i = h->first[a->task]; i < h->first[a->task + 1]; i++) {
		int64_t begin = h->waits[i].begin > a->begin ? h->waits[i].begin : a->begin;
		int64_t end = h->waits[i].end < a->end ? h->waits[i].end : a->end;
		a->waited_ns += end > begin ? end - begin : 0;
	}
}

/* As the path's window. */
static int cut(struct account *a, int64_t begin, int64_t end, struct mer_err *err)
{
	const struct kernel_task *t = &a->b->world->hosts[a->host].tasks[a->task];
	int64_t alive = t->died < t->end ? t->died : t->end;
	a->begin = begin > t->begin ? begin : t->begin;
	a->end = end < alive ? end : alive;
	if (a->begin > a->end)
		return mer_fail(err, MER_ERR_USAGE,
			"thread %d of %s did not exist in this time range", (int)t->tid,
			a->b->world->e ? a->b->world->e->hosts[a->host].name : "the host");
	sum_waits(a);
	return 0;
}

int account_find(const struct account_index *x, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, bool all, struct account *a, struct mer_err *err)
{
	*a = (struct account){ .b = x->b, .host = host, .task = task };
	int rc = cut(a, begin, end, err);
	if (rc)
		return rc;
	/* The whole life of a task includes what was used before its first event and after its
	 * exit. */
	struct walk k = { .x = x,
		.a = a,
		.all = all,
		.after = begin > INT64_MIN ? begin - 1 : INT64_MIN,
		.until = end < INT64_MAX ? end - 1 : INT64_MAX,
		.err = err };
	struct frame root = { .host = host,
		.task = task,
		.span = x->b->world->hosts[host].tasks[task].last,
		.span_end = kernel_task_end(&x->b->world->hosts[host], task) };
	root.node = account_child(a, KERNEL_NONE, host, task);
	if (root.node == KERNEL_NONE)
		return mer_fail_nomem(err);
	a->program = account_program(&x->b->world->hosts[host], task);
	rc = look_at(&k, &root, a->begin, a->end);
	return rc ? rc : account_finish(a, err);
}
