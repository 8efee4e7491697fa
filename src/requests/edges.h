/* Edges: how many requests programs, or tasks, send to each other, and how long these take: an
 * addition to the graph of relations.
 *
 * A row for each pair: the same sums as for kinds (kinds.h), but by the sending and the
 * answering side, and not by port. If one end was not recorded there is no pair. */
#ifndef MER_REQUESTS_EDGES_H
#define MER_REQUESTS_EDGES_H

#include "analysis/analysis.h"
#include "base/table.h"
#include "requests/kinds.h"

enum requests_edge_column {
	REQUESTS_EDGE_FROM_HOST, /* the requester */
	REQUESTS_EDGE_FROM_TID,	 /* only of tasks */
	REQUESTS_EDGE_FROM,	 /* program; of a task its name */
	REQUESTS_EDGE_TO_HOST,	 /* the server */
	REQUESTS_EDGE_TO_TID,
	REQUESTS_EDGE_TO,
	REQUESTS_EDGE_KIND, /* "tcp", "unix", "pipe": as that of relations (analysis/relations) */
	REQUESTS_EDGE_COUNT,
	REQUESTS_EDGE_RATE, /* a second; not set: not known */
	REQUESTS_EDGE_P50,  /* not set: none has a latency */
	REQUESTS_EDGE_P99,
	REQUESTS_EDGE_N_COLUMNS
};

extern const struct mer_column requests_edges_columns[];

struct requests_edges_options {
	bool by_task;
	int64_t begin, end; /* that they began in */
	/* wants_task: one of both ends must fit. */
	const struct analysis_options *wanted;
};

/* Into t: not initialized before; mer_table_fini in any case. The greatest sum of latencies first.
 */
int requests_edges_find(const struct requests *r, const struct requests_edges_options *o,
	struct mer_arena *arena, struct mer_table *t, struct mer_err *err);

#endif
