/* Blame: decides which clock of a pair broke, where their messages show that one of the two did.
 *
 * A break of one host's clock shows in all its pairs at once; so the host whose other pairs broke
 * at the same time, too, is to blame. If that does not decide, it is the host farther from the
 * reference, whose clock is right by definition. */
#ifndef MER_SYNC_LIMITS_BLAME_H
#define MER_SYNC_LIMITS_BLAME_H

#include "base/arena.h"
#include "sync/limits/pairs.h"
#include "sync/limits/tree.h"

/* Counts the breaks for which a host is clearly to blame, in rank (by host). */
void sync_blame_rank(const struct sync_pairs *pairs, uint32_t n_hosts, uint32_t *rank);

/* Fills the steps and slews of each host's drift (in the arena); its max_rate and origin stay.
 * Scans pairs with breaks anew, on the clock of the host to blame. */
int sync_blame_hosts(const struct sync_messages *m, struct sync_pairs *pairs,
	const struct sync_tree *tree, double max_rate, struct mer_arena *arena,
	struct sync_drift *drift, struct mer_err *err);

#endif
