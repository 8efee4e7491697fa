/* Likely: the probable error of a host's clock, in addition to the proven bound.
 *
 * The proven bound assumes the worst of every clock at every instant: that it drifts as fast as
 * --max-drift allows. The likely error holds at 95 % of the instants, for clocks that continue to
 * behave as observed. It is the sum of two parts. The first is how far the offset can be from the
 * estimate by the messages (reach.h); never less than half the sum of the least latencies of both
 * directions, because an asymmetric network can hide that much. The second is the difference
 * between the host's course and that of its pair with the next host, because other neighbours may
 * disagree. It adds up over the hosts on the way to the reference, and never exceeds the bound. */
#ifndef MER_SYNC_ESTIMATE_LIKELY_H
#define MER_SYNC_ESTIMATE_LIKELY_H

#include "sync/estimate/estimate.h"
#include "sync/result.h"

/* For all hosts whose course is estimated (not `given`, and not moved by the user); call it when
 * maps and limits are complete. */
int sync_take_likely(struct sync_result *r, const struct sync_pairs *pairs,
	const struct sync_pair_course *courses, const struct sync_tree *tree, const bool *known,
	struct mer_err *err);

#endif
