#include "analysis/facts/poll_loops.h"

#include "base/spill.h"

enum { MIN_CALLS = 3, AGAIN = -11 };

struct poll_task {
	struct poll_loop run; /* the current loop, if it has calls */
	int64_t off;	      /* time in it that was not on a CPU: ready, or interrupted */
	int64_t off_in_call;  /* the same, since the begin of the current call */
	int64_t off_between;  /* the same, since the last call of the loop */
	bool has_waited;      /* since that call, too */
};

static struct poll_task *task_at(struct poll_loops *p, uint32_t task)
{
	return mer_spill_grow_at(p->spill, &p->tasks, &p->cap_tasks, task, sizeof(*p->tasks));
}

static int end_run(struct poll_loops *p, const struct kernel_host *h, struct poll_task *t)
{
	struct poll_loop r = t->run;
	t->run = (struct poll_loop){ 0 };
	if (r.calls < MIN_CALLS)
		return 0;
	r.cpu_ns = r.end - r.begin - t->off;
	return p->add(p->ctx, h, &r);
}

int poll_loops_span(struct poll_loops *p, const struct kernel_host *h, uint32_t span, int64_t end)
{
	const struct kernel_span *k = kernel_span(h, span);
	enum kernel_state state = (enum kernel_state)k->state;
	struct poll_task *t = task_at(p, k->task);
	if (!t)
		return mer_fail_nomem(p->err);
	int64_t off = state == KERNEL_RUNNABLE || state == KERNEL_INTERRUPTED ? end - k->begin : 0;
	if (k->call == KERNEL_NONE) {
		t->off_in_call = 0;
		t->has_waited = false;
		t->off_between += off;
	} else {
		t->off_in_call += off;
	}
	if (state != KERNEL_RUNNABLE && !kernel_is_on_cpu(state)) {
		t->has_waited = true;
		return t->run.calls ? end_run(p, h, t) : 0;
	}
	return 0;
}

/* A futex call also returns this if the value has changed: then there is something to do. */
static bool is_empty_poll(uint32_t classes, int64_t ret)
{
	return classes & KERNEL_CALLS_YIELD || (!(classes & KERNEL_CALLS_FUTEX) && ret == AGAIN) ||
	       (classes & KERNEL_CALLS_POLL && ret == 0);
}

int poll_loops_call(struct poll_loops *p, const struct kernel_host *h,
	const struct kernel_call_end *c, uint64_t place)
{
	struct poll_task *t = task_at(p, c->task);
	uint32_t classes = kernel_classes(h, c->call);
	if (!t)
		return mer_fail_nomem(p->err);
	struct poll_loop *r = &t->run;
	bool empty = is_empty_poll(classes, c->ret) && !t->has_waited;
	int64_t off = t->off_in_call;
	t->off_in_call = 0;
	t->has_waited = false;
	if (!empty) {
		t->off_between += off;
		return classes & KERNEL_CALLS_TIME || r->calls == 0 ? 0 : end_run(p, h, t);
	}
	if (r->calls && r->place != place) {
		int rc = end_run(p, h, t);
		if (rc)
			return rc;
	}
	if (r->calls == 0) {
		*r = (struct poll_loop){
			.begin = c->begin, .task = c->task, .call = c->call, .place = place
		};
		t->off = 0;
	} else {
		t->off += t->off_between;
	}
	t->off += off;
	r->end = c->end;
	r->cpu = c->cpu;
	r->calls++;
	t->off_between = 0;
	return 0;
}

int poll_loops_end(struct poll_loops *p, const struct kernel_host *h)
{
	int rc = 0;
	for (size_t i = 0; i < p->cap_tasks && rc == 0; i++)
		if (p->tasks[i].run.calls)
			rc = end_run(p, h, &p->tasks[i]);
	return rc;
}

void poll_loops_fini(struct poll_loops *p)
{
	mer_spill_release(p->tasks);
}
