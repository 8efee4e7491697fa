#include "ftrace/perf/order.h"

#include <stdlib.h>

#include "base/grow.h"

void ftrace_order_look(struct ftrace_order *o, uint64_t time)
{
	if (time >= o->newest)
		o->newest = time;
	else if (o->newest - time > o->late)
		o->late = o->newest - time;
}

void ftrace_order_begin(struct ftrace_order *o)
{
	o->newest = 0;
}

void ftrace_order_fini(struct ftrace_order *o)
{
	free(o->ring);
	free(o->heap);
	*o = (struct ftrace_order){ 0 };
}

static bool is_before(const struct ftrace_entry *a, const struct ftrace_entry *b)
{
	return a->time != b->time ? a->time < b->time : a->n < b->n;
}

static bool put_late(struct ftrace_order *o, const struct ftrace_entry *e)
{
	if (!mer_grow(&o->heap, o->heap_n, &o->heap_cap, sizeof(*o->heap)))
		return false;
	size_t i = o->heap_n++;
	for (; i && is_before(e, &o->heap[(i - 1) / 2]); i = (i - 1) / 2)
		o->heap[i] = o->heap[(i - 1) / 2];
	o->heap[i] = *e;
	return true;
}

static void take_late(struct ftrace_order *o, struct ftrace_entry *e)
{
	*e = o->heap[0];
	const struct ftrace_entry last = o->heap[--o->heap_n];
	size_t i = 0;
	for (size_t child; (child = 2 * i + 1) < o->heap_n; i = child) {
		child += child + 1 < o->heap_n && is_before(&o->heap[child + 1], &o->heap[child]);
		if (!is_before(&o->heap[child], &last))
			break;
		o->heap[i] = o->heap[child];
	}
	o->heap[i] = last;
}

static bool grow_ring(struct ftrace_order *o)
{
	size_t cap = o->ring_cap ? 2 * o->ring_cap : 64;
	struct ftrace_entry *ring =
		cap <= SIZE_MAX / sizeof(*ring) ? malloc(cap * sizeof(*ring)) : NULL;
	if (!ring)
		return false;
	for (size_t i = 0; i < o->ring_n; i++)
		ring[i] = o->ring[(o->ring_first + i) & (o->ring_cap - 1)];
	free(o->ring);
	o->ring = ring;
	o->ring_first = 0;
	o->ring_cap = cap;
	return true;
}

bool ftrace_order_put(struct ftrace_order *o, const struct ftrace_entry *e)
{
	if (e->time < o->newest)
		return put_late(o, e);
	if (o->ring_n == o->ring_cap && !grow_ring(o))
		return false;
	o->newest = e->time;
	o->ring[(o->ring_first + o->ring_n++) & (o->ring_cap - 1)] = *e;
	return true;
}

bool ftrace_order_take(struct ftrace_order *o, bool is_end, struct ftrace_entry *e)
{
	const struct ftrace_entry *first = o->ring_n ? &o->ring[o->ring_first] : NULL;
	bool is_late = o->heap_n && (!first || is_before(&o->heap[0], first));
	if (is_late)
		first = &o->heap[0];
	if (!first || (!is_end && o->newest - first->time < o->late))
		return false;
	if (is_late) {
		take_late(o, e);
	} else {
		*e = *first;
		o->ring_first = (o->ring_first + 1) & (o->ring_cap - 1);
		o->ring_n--;
	}
	return true;
}
