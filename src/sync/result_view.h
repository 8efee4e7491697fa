/* Views of a result: one offset and one drift for a host's clock, as users expect. These only
 * summarize its map and its limits. */
#ifndef MER_SYNC_RESULT_VIEW_H
#define MER_SYNC_RESULT_VIEW_H

#include "sync/result.h"

/* Reference minus host at the begin of the host's traces, ns. */
int64_t sync_host_offset(const struct sync_host *h);
/* By how much the reference gains on the host's clock, in ppm, over all its traces and without its
 * steps. */
double sync_host_drift_ppm(const struct sync_host *h);
/* A step's range as the map has it: with the pieces at its ends that are steeper than the clock may
 * drift. */
struct sync_range sync_step_on_map(const struct sync_host *h, const struct sync_step *step);
/* The linear pieces of its offset within its traces: the next one, from 0 on; false: there are no
 * more. On the host's own clock, the reference's time is t + offset_ns + drift_ppm * 1e-6 * (t -
 * range.begin), which is the map to within a nanosecond. */
struct sync_piece {
	struct sync_range range; /* end MER_NO_TIME: open */
	int64_t offset_ns;
	double drift_ppm;
};
bool sync_host_next_piece(const struct sync_host *h, size_t *next, struct sync_piece *p);
/* Is everything guaranteed for all hosts that can be compared with the reference? */
bool sync_is_guaranteed(const struct sync_result *r);
/* Number of linear pieces of its offset within its traces. */
size_t sync_host_pieces(const struct sync_host *h);
/* What its limits come from: "messages", "rounds", "schedule", or several of these words with a
 * comma; "": nothing. */
const char *sync_host_source(const struct sync_result *r, uint32_t host);

#endif
