/* Index of events: the number of events of all hosts before each of many points in time, on the
 * common clock. With it an event is found by its number, or a number by its time, and events are
 * counted, by reading little or nothing.
 *
 * It is made once, on a thread of its own, at the first request of the protocol. That thread
 * releases the session now and then, so that other requests are answered meanwhile. */
#ifndef MER_SERVER_TSP_INDEX_H
#define MER_SERVER_TSP_INDEX_H

#include <pthread.h>
#include <stdatomic.h>
#include "server/state.h"
#include "trace/cursor.h"

enum tsp_index_stage { TSP_INDEX_NONE, TSP_INDEX_MAKING, TSP_INDEX_READY, TSP_INDEX_FAILED };

struct tsp_index { /* zeroed: TSP_INDEX_NONE */
	atomic_uint stage;
	atomic_bool stop;
	pthread_t thread;
	bool has_thread;
	struct mer_err error; /* of TSP_INDEX_FAILED */
	/* Bins of 2^shift ns from begin on, which is a multiple of that; before: the number of
	 * events before each bin, and at the end the total. Events without a time are not
	 * counted. */
	int64_t begin;
	unsigned shift;
	uint32_t n_bins;
	uint64_t *before;
	uint64_t *by_stream; /* events of each stream of the experiment */
};

/* Events of all hosts, in the order of the common clock. */
struct tsp_reading {
	struct trace_reading *reading;
	struct mer_cursor *cursor;
};
/* fields: "": none, only times and streams; NULL: all. tsp_reading_close in any case. */
int tsp_reading_open(struct tsp_reading *r, struct mer_experiment *e, const char *fields,
	struct trace_range range, struct mer_err *err);
void tsp_reading_close(struct tsp_reading *r);

/* Starts to make the index, unless that was done. The traces must have been read. */
void tsp_index_start(struct tsp_index *x, struct server *s);
void tsp_index_fini(struct tsp_index *x); /* waits for its thread */
static inline bool tsp_index_is_ready(struct tsp_index *x)
{
	return atomic_load(&x->stage) == TSP_INDEX_READY;
}

/* ---- Only when the index is ready ---- */

static inline uint64_t tsp_index_total(const struct tsp_index *x)
{
	return x->before[x->n_bins];
}
static inline int64_t tsp_index_bin_begin(const struct tsp_index *x, uint32_t bin)
{
	return x->begin + (int64_t)((uint64_t)bin << x->shift);
}
/* The bin of a point in time; outside the range, the first or the last bin. */
uint32_t tsp_index_bin(const struct tsp_index *x, int64_t time);
/* The bin that has event i; i is less than the total. */
uint32_t tsp_index_bin_of(const struct tsp_index *x, uint64_t i);
/* The number of the first event that is not before this time; reads at most one bin. */
int tsp_index_at(const struct tsp_index *x, struct mer_experiment *e, int64_t time, uint64_t *i,
	struct mer_err *err);
/* Counts the events in each of n bins, `width` ns wide, from begin on; the last one is cut at
 * `end`. If width and begin are multiples of the index's own bins, the counts come from the index
 * (and the bin that contains `end` counts completely); otherwise the events are read. */
int tsp_index_count(const struct tsp_index *x, struct mer_experiment *e, int64_t begin,
	int64_t width, size_t n, int64_t end, uint64_t *counts, struct mer_err *err);

#endif
