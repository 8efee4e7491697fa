#include "analysis/ready.h"

#include <stdlib.h>

struct ready_time {
	int64_t begin, end;
};

struct ready_task {
	struct ready_time *times; /* a ring buffer, once it has its full size */
	uint32_t n, cap;	  /* n: times so far; the newest is times[(n - 1) % cap] */
};

bool analysis_ready_add(struct analysis_ready *r, uint32_t task, int64_t begin, int64_t end)
{
	enum { FIRST = 4 };
	struct ready_task *t = task < r->cap
				       ? &r->tasks[task]
				       : mer_grow_at(&r->tasks, &r->cap, task, sizeof(*r->tasks));
	if (!t)
		return false;
	if (t->n == t->cap && t->cap < ANALYSIS_READY_KEPT) {
		uint32_t cap = t->cap ? t->cap * 4 : FIRST;
		struct ready_time *more = realloc(t->times, cap * sizeof(*more));
		if (!more)
			return false;
		t->times = more;
		t->cap = cap;
	}
	t->times[t->n % t->cap] = (struct ready_time){ begin, end };
	if (++t->n == 2 * ANALYSIS_READY_KEPT)
		t->n = ANALYSIS_READY_KEPT;
	return true;
}

int64_t analysis_ready_in(const struct analysis_ready *r, uint32_t task, int64_t begin, int64_t end)
{
	int64_t sum = 0;
	if (task >= r->cap)
		return 0;
	const struct ready_task *t = &r->tasks[task];
	uint32_t oldest = t->n > t->cap ? t->n - t->cap : 0;
	for (uint32_t i = t->n; i-- > oldest && t->times[i % t->cap].end > begin;) {
		const struct ready_time *x = &t->times[i % t->cap];
		int64_t from = x->begin > begin ? x->begin : begin,
			to = x->end < end ? x->end : end;
		sum += to > from ? to - from : 0;
	}
	return sum;
}

void analysis_ready_fini(struct analysis_ready *r)
{
	for (size_t i = 0; i < r->cap; i++)
		free(r->tasks[i].times);
	free(r->tasks);
	*r = (struct analysis_ready){ 0 };
}
