/* Work on several threads: fn(i) for i in 0..n-1, and the same with results consumed in order.
 *
 * Threads live for one call; items are handed out in order, one at a time, so an item should be
 * worth some 100 us. The calling thread works too: at most n_threads run at any time, and with 1
 * no thread is made. The outcome does not depend on the number of threads: the error returned is
 * that of the smallest failing i, whichever finished first. */
#ifndef MER_BASE_POOL_H
#define MER_BASE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

enum { MER_POOL_THREADS = 256 }; /* more are cut to this */

/* Set by anyone at any time; items that have not begun are then not done. */
struct mer_cancel {
	atomic_bool set;
};

static inline bool mer_cancelled(struct mer_cancel *c)
{
	return c && atomic_load_explicit(&c->set, memory_order_relaxed);
}

/* CPUs that this process may use, at least 1. */
unsigned mer_pool_processors(void);

/* worker: 0..n_threads-1, for memory of a worker's own. Returns 0 or the first item's error;
 * MER_ERR_CANCELLED when cancel (NULL allowed) kept items from being done. */
typedef int mer_pool_fn(void *ctx, size_t i, unsigned worker, struct mer_err *err);
int mer_pool_run(unsigned n_threads, size_t n, mer_pool_fn *fn, void *ctx,
	struct mer_cancel *cancel, struct mer_err *err);

/* Results in order: produce(i) runs on any thread and leaves its result in slot i % n_slots;
 * consume(i) runs on the calling thread only, for i = 0, 1, 2, ... A slot is produced into again
 * only after it was consumed, so memory is bounded by n_slots (at least 1; some n_threads + 2
 * keep everyone busy). consume may stop everything early by returning MER_POOL_STOP, which is
 * success. */
enum { MER_POOL_STOP = 1 };
typedef int mer_pool_produce(
	void *ctx, size_t i, size_t slot, unsigned worker, struct mer_err *err);
typedef int mer_pool_consume(void *ctx, size_t i, size_t slot, struct mer_err *err);
int mer_pool_ordered(unsigned n_threads, size_t n, size_t n_slots, mer_pool_produce *produce,
	mer_pool_consume *consume, void *ctx, struct mer_cancel *cancel, struct mer_err *err);

#endif
