#include "copied/order.h"

#include <stdlib.h>

#include "base/grow.h"

void copied_order_look(struct copied_order *o, uint64_t time)
{
	if (time >= o->newest)
		o->newest = time;
	else if (o->newest - time > o->late)
		o->late = o->newest - time;
}

void copied_order_begin(struct copied_order *o)
{
	o->newest = 0;
}

void copied_order_fini(struct copied_order *o)
{
	free(o->ring);
	free(o->heap);
	*o = (struct copied_order){ 0 };
}

static bool is_before(const struct copied_waiting *a, const struct copied_waiting *b)
{
	return a->time != b->time ? a->time < b->time : a->n < b->n;
}

static bool put_late(struct copied_order *o, const struct copied_waiting *w)
{
	if (!mer_grow(&o->heap, o->heap_n, &o->heap_cap, sizeof(*o->heap)))
		return false;
	size_t i = o->heap_n++;
	for (; i && is_before(w, &o->heap[(i - 1) / 2]); i = (i - 1) / 2)
		o->heap[i] = o->heap[(i - 1) / 2];
	o->heap[i] = *w;
	return true;
}

static void take_late(struct copied_order *o, struct copied_waiting *w)
{
	*w = o->heap[0];
	const struct copied_waiting last = o->heap[--o->heap_n];
	size_t i = 0;
	for (size_t child; (child = 2 * i + 1) < o->heap_n; i = child) {
		child += child + 1 < o->heap_n && is_before(&o->heap[child + 1], &o->heap[child]);
		if (!is_before(&o->heap[child], &last))
			break;
		o->heap[i] = o->heap[child];
	}
	o->heap[i] = last;
}

static bool grow_ring(struct copied_order *o)
{
	size_t cap = o->ring_cap ? 2 * o->ring_cap : 64;
	struct copied_waiting *ring =
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

bool copied_order_put_late(struct copied_order *o, const struct copied_waiting *w)
{
	if (w->time >= o->newest)
		return grow_ring(o) && copied_order_put(o, w);
	struct copied_waiting late = *w;
	late.n = o->n++;
	return put_late(o, &late);
}

static bool is_full(const struct copied_order *o)
{
	return o->ring_n + o->heap_n > (o->most ? o->most : COPIED_ORDER_MOST);
}

bool copied_order_take_late(struct copied_order *o, bool is_end, struct copied_waiting *w)
{
	const struct copied_waiting *first = &o->heap[0];
	bool is_late = !o->ring_n || is_before(first, &o->ring[o->ring_first]);
	if (!is_late)
		first = &o->ring[o->ring_first];
	if (o->newest - first->time < o->late && !is_end && !is_full(o))
		return false;
	if (is_late) {
		take_late(o, w);
	} else {
		*w = *first;
		o->ring_first = (o->ring_first + 1) & (o->ring_cap - 1);
		o->ring_n--;
	}
	return true;
}
