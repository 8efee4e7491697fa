/* Likely: by how much a host's clock is probably off, beside what is proven.
 *
 * The proven bound assumes the worst of every clock at every instant: that it drifts by all that
 * --max-drift allows. This is the error that holds in 95 % of the instants, of clocks that go on as
 * they were seen to go: how far from the estimate the messages leave it to be (reach.h), which
 * is never less than half of what the least latencies of both directions add up to, as an
 * asymmetric network can hide that; and by how much the host's course differs from what its pair
 * with the next host says, as other neighbours may say otherwise. On the way over several hosts it
 * adds up. It is never more than the bound. */
#ifndef MER_SYNC_ESTIMATE_LIKELY_H
#define MER_SYNC_ESTIMATE_LIKELY_H

#include "sync/estimate/estimate.h"
#include "sync/result.h"

/* Of all hosts whose course is estimated (not `given`, and not moved by the user); once maps and
 * limits are there. */
int sync_take_likely(struct sync_result *r, const struct sync_pairs *pairs,
	const struct sync_pair_course *courses, const struct sync_tree *tree, const bool *known,
	struct mer_err *err);

#endif
