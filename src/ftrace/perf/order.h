/* Order: samples of a CPU, which come nearly in the order of time (one in an interrupt may come
 * before that which it interrupted), put in order while they are read. How late one may be is found
 * out in a first pass over all; as many wait as lie within that time. */
#ifndef MER_FTRACE_ORDER_H
#define MER_FTRACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is written of a record: a sample, or a loss. */
struct ftrace_entry {
	uint64_t time;
	uint64_t n; /* in the order of the recording: decides between equal times */
	uint32_t cpu;
	const uint8_t *raw; /* borrowed */
	uint32_t size;	    /* 0: a loss, of */
	uint32_t lost;
};

struct ftrace_order {	       /* of one CPU; all 0 at first */
	uint64_t newest, late; /* ns: of all entries so far */
	/* Both malloc'ed: those that came in order, in a ring, and the late ones, as a heap. */
	struct ftrace_entry *ring, *heap;
	size_t ring_first, ring_n, ring_cap; /* ring_cap: a power of two */
	size_t heap_n, heap_cap;
};

/* The first pass: learns how late entries are. */
void ftrace_order_look(struct ftrace_order *o, uint64_t time);
/* Between the passes. */
void ftrace_order_begin(struct ftrace_order *o);
/* The second one. False: no memory. */
bool ftrace_order_put(struct ftrace_order *o, const struct ftrace_entry *e);
/* The next one in order, if none can come before it any more, or, at the end, if there is one. */
bool ftrace_order_take(struct ftrace_order *o, bool is_end, struct ftrace_entry *e);
void ftrace_order_fini(struct ftrace_order *o);

#endif
