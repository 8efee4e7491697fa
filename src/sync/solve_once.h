/* Solve once: with one limit of the drift (sync/solve.h chooses it). */
#ifndef MER_SYNC_SOLVE_ONCE_H
#define MER_SYNC_SOLVE_ONCE_H

#include "sync/solve.h"

#define SYNC_DEFAULT_DRIFT 1e-3

static inline double sync_drift_allowed(const struct sync_options *o)
{
	return o->max_drift > 0 ? o->max_drift : SYNC_DEFAULT_DRIFT;
}

/* As sync_solve, but o->drift_seen is ignored, and max_drift is kept whatever the messages show,
 * except in slews and for groups of hosts whose messages contradict it. */
int sync_solve_once(const struct sync_messages *m, const struct sync_host_info *hosts,
	uint32_t n_hosts, const struct sync_options *o, struct sync_result **result,
	struct mer_err *err);

#endif
