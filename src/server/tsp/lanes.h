/* Lanes as rows of states: of threads and of CPUs. */
#ifndef MER_SERVER_TSP_LANES_H
#define MER_SERVER_TSP_LANES_H

#include "server/tsp/tsp.h"
#include "session/lanes.h"

/* A lane for each requested entry of this kind, in the arena. If none is requested in particular,
 * all are in *l already. */
int tsp_lanes_asked(struct tsp *t, const struct session_world *w, enum tsp_kind kind,
	struct session_lanes *l, struct mer_err *err);
/* Writes {"rows": [...]}, what the lanes did in the window. */
int tsp_put_lanes(
	struct tsp *t, struct session_world *w, struct session_lanes *l, struct mer_err *err);

/* The name of the system call that the span is in; NULL: none, or unknown. */
const char *tsp_call_name(const struct kernel_host *h, const struct kernel_span *k);

#endif
