/* Order: sorts records that are nearly in time order while they are read (a sample in an interrupt
 * may precede the one that it interrupted; buffers of CPUs may be written in turn). A first pass
 * over all records finds how late a record can be. In the second pass records are held back for
 * that time, but never more than `most` of them: beyond that the earliest comes out, even if an
 * earlier one may follow. */
#ifndef MER_COPIED_ORDER_H
#define MER_COPIED_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A record that is held back; only the caller knows what `at` points to. */
struct copied_waiting {
	uint64_t time;
	uint64_t n;	/* in the order of the recording: decides between equal times */
	const void *at; /* borrowed */
	uint32_t size, more;
};

struct copied_order {	       /* all 0 at first */
	uint64_t newest, late; /* ns: of all records so far */
	uint64_t n;	       /* records that were put in */
	size_t most;	       /* limit of records held back at once; 0: COPIED_ORDER_MOST */
	/* Both malloc'ed: records that came in order are in a ring, late ones in a heap. */
	struct copied_waiting *ring, *heap;
	size_t ring_first, ring_n, ring_cap; /* ring_cap: a power of two */
	size_t heap_n, heap_cap;
};
enum { COPIED_ORDER_MOST = 1 << 23 };

/* The first pass: learns how late records are. */
void copied_order_look(struct copied_order *o, uint64_t time);
/* Called between the passes. */
void copied_order_begin(struct copied_order *o);
/* The second pass; sets n. False: no memory. */
bool copied_order_put_late(struct copied_order *o, const struct copied_waiting *w);
static inline bool copied_order_put(struct copied_order *o, const struct copied_waiting *w)
{
	if (w->time < o->newest || o->ring_n == o->ring_cap)
		return copied_order_put_late(o, w);
	struct copied_waiting *to = &o->ring[(o->ring_first + o->ring_n++) & (o->ring_cap - 1)];
	*to = *w;
	to->n = o->n++;
	o->newest = w->time;
	return true;
}
/* Takes the next record in order, if no earlier one can come any more, or if this is the end.
 * False: there is none. */
bool copied_order_take_late(struct copied_order *o, bool is_end, struct copied_waiting *w);
static inline bool copied_order_take(struct copied_order *o, bool is_end, struct copied_waiting *w)
{
	if (o->heap_n)
		return copied_order_take_late(o, is_end, w);
	const struct copied_waiting *first = &o->ring[o->ring_first];
	if (o->ring_n == 0 || (o->newest - first->time < o->late && !is_end &&
				      o->ring_n <= (o->most ? o->most : COPIED_ORDER_MOST)))
		return false;
	*w = *first;
	o->ring_first = (o->ring_first + 1) & (o->ring_cap - 1);
	o->ring_n--;
	return true;
}
void copied_order_fini(struct copied_order *o);

#endif
