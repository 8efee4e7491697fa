/* Which program a task runs: the one that it executed last, otherwise the one that its parent
 * ran when it forked the task. For one task, its spans are read backward. For all tasks, all
 * spans are read once: otherwise the spans of a parent would be read again for each of its
 * children. */
#include "path/account_index.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/lower_bound.h"

enum { LINEAGE = 64 };

/* The name of the program if the call executes one, else KERNEL_NONE. */
static uint32_t executed(const struct kernel_host *h, const struct kernel_span *s)
{
	const struct kernel_call *c = s->call == KERNEL_NONE ? NULL : &h->calls[s->call];
	return c && (kernel_call_classes(c->id) & KERNEL_CALLS_EXEC) ? c->object : KERNEL_NONE;
}

const char *account_program(const struct kernel_host *h, uint32_t task)
{
	int64_t until = INT64_MAX;
	for (int k = 0; k < LINEAGE && task != KERNEL_NONE; k++) {
		for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE;
			i = kernel_span(h, i)->before) {
			const struct kernel_span *s = kernel_span(h, i);
			if (s->call == KERNEL_NONE || s->begin >= until)
				continue;
			uint32_t name = executed(h, s);
			if (name != KERNEL_NONE)
				return kernel_name_text(h, name);
		}
		until = h->tasks[task].begin;
		task = h->tasks[task].born ? h->tasks[task].parent : KERNEL_NONE;
	}
	return "";
}

struct execution {
	int64_t begin; /* first, then the earliest of this and the later ones of the task */
	uint32_t task, span, name;
};

static int by_task(const void *a, const void *b)
{
	const struct execution *p = a, *q = b;
	if (p->task != q->task)
		return p->task < q->task ? -1 : 1;
	return (p->span > q->span) - (p->span < q->span);
}

/* The task's last one that began before this time; KERNEL_NONE. */
static uint32_t last_before(const struct execution *x, size_t n, uint32_t task, int64_t until)
{
	MER_LOWER_BOUND(
		end, 0, n, at, x[at].task < task || (x[at].task == task && x[at].begin < until));
	return end && x[end - 1].task == task ? x[end - 1].name : KERNEL_NONE;
}

int account_programs(const struct kernel_host *h, uint32_t *programs, struct mer_err *err)
{
	struct execution *x = NULL;
	size_t n = 0, cap = 0;
	for (uint32_t i = 0; i < h->n_spans; i++) {
		const struct kernel_span *s = kernel_span(h, i);
		uint32_t name = executed(h, s);
		if (name == KERNEL_NONE)
			continue;
		/* A call is several spans. */
		if (n && x[n - 1].task == s->task && x[n - 1].name == name)
			continue;
		if (!mer_grow(&x, n, &cap, sizeof(*x))) {
			free(x);
			return mer_fail_nomem(err);
		}
		x[n++] = (struct execution){ s->begin, s->task, i, name };
	}
	if (n)
		qsort(x, n, sizeof(*x), by_task);
	for (size_t i = n; i-- > 1;)
		if (x[i - 1].task == x[i].task && x[i].begin < x[i - 1].begin)
			x[i - 1].begin = x[i].begin;
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		uint32_t at = t;
		int64_t until = INT64_MAX;
		programs[t] = KERNEL_NONE;
		for (int k = 0; k < LINEAGE && at != KERNEL_NONE && programs[t] == KERNEL_NONE;
			k++) {
			programs[t] = last_before(x, n, at, until);
			until = h->tasks[at].begin;
			at = h->tasks[at].born ? h->tasks[at].parent : KERNEL_NONE;
		}
	}
	free(x);
	return 0;
}
