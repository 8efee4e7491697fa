/* Index of events: how many there are before each of many moments, of all hosts together, on the
 * common clock. So an event is found by its number, a number by its time, and events are counted,
 * with a short reading or none.
 *
 * It is made once, on a thread of its own, when somebody first speaks the protocol. The session is
 * let go every now and then, so others can ask meanwhile. */
#ifndef MER_SERVER_TSP_INDEX_H
#define MER_SERVER_TSP_INDEX_H

#include <pthread.h>
#include <stdatomic.h>
#include "server/state.h"

enum tsp_index_stage { TSP_INDEX_NONE, TSP_INDEX_MAKING, TSP_INDEX_READY, TSP_INDEX_FAILED };

struct tsp_index { /* zeroed: TSP_INDEX_NONE */
	atomic_uint stage;
	atomic_bool stop;
	pthread_t thread;
	bool has_thread;
	struct mer_err error; /* of TSP_INDEX_FAILED */
	/* Bins of 2^shift ns from begin on, which is a multiple of that; before: events before each
	 * bin, and all. Those without a time are not counted. */
	int64_t begin;
	unsigned shift;
	uint32_t n_bins;
	uint64_t *before;
	uint64_t *by_stream; /* events, as the experiment's streams */
};

/* Begins to make it, unless that was done. The traces must be read. */
void tsp_index_start(struct tsp_index *x, struct server *s);
void tsp_index_fini(struct tsp_index *x); /* waits for its thread */
static inline bool tsp_index_is_ready(struct tsp_index *x)
{
	return atomic_load(&x->stage) == TSP_INDEX_READY;
}

/* ---- Of one that is ready ---- */

static inline uint64_t tsp_index_total(const struct tsp_index *x)
{
	return x->before[x->n_bins];
}
static inline int64_t tsp_index_bin_begin(const struct tsp_index *x, uint32_t bin)
{
	return x->begin + (int64_t)((uint64_t)bin << x->shift);
}
/* The bin of a moment; of those outside the first or the last one. */
uint32_t tsp_index_bin(const struct tsp_index *x, int64_t time);
/* The bin that has event i; i is less than the total. */
uint32_t tsp_index_bin_of(const struct tsp_index *x, uint64_t i);
/* The number of the first event that is not before this moment: a short reading. */
int tsp_index_at(const struct tsp_index *x, struct mer_experiment *e, int64_t time, uint64_t *i,
	struct mer_err *err);
/* How many events there are in each of n bins of width ns from begin on, the last of which is cut
 * at `end`: from the index where width and begin are multiples of its own bins (and with all of
 * the one that has the end), else by reading them. */
int tsp_index_count(const struct tsp_index *x, struct mer_experiment *e, int64_t begin,
	int64_t width, size_t n, int64_t end, uint64_t *counts, struct mer_err *err);

#endif
