/* Pipeline: items from one source, worked on by several threads, written in order.
 *
 *   read (in turn) ──→ work (side by side) ──→ write (in turn, in the order of reading)
 *
 * A thread takes its turn to read an item and at once works on it, so the item stays in the cache
 * of that thread's CPU. Unlike with mer_pool_ordered, the number of items need not be known, and
 * items are read strictly in order, as by one thread. The speedup is limited by the share of time
 * spent reading, so reading must be the small part. */
#ifndef MER_BASE_PIPELINE_H
#define MER_BASE_PIPELINE_H

#include "base/pool.h"

enum { MER_PIPELINE_END = 1 };

struct mer_pipeline {
	unsigned n_threads; /* the calling thread is one of them; 0: 1 */
	size_t n_slots;	    /* items in progress at a time, which bounds the memory */
	void *ctx;
	struct mer_cancel *cancel; /* NULL allowed; seen before each item */
	/* Reads the next item into a slot. MER_PIPELINE_END: there was none. */
	int (*read)(void *ctx, size_t slot, struct mer_err *err);
	int (*work)(void *ctx, size_t slot, struct mer_err *err);
	/* MER_PIPELINE_END: stop; later items are dropped, even if they failed. */
	int (*write)(void *ctx, size_t slot, struct mer_err *err);
};

/* 0; the error of the first item that failed, after all items before it were written; or
 * MER_ERR_CANCELLED. read and write never run at the same time as themselves, on whatever
 * thread. */
int mer_pipeline_run(const struct mer_pipeline *p, struct mer_err *err);

#endif
