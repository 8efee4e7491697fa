/* Between: two hosts of which none is the reference also drift apart by at most so much.
 *
 * The net (net.h) knows what a host may drift against the reference, and so lets two others
 * drift apart by twice as much. But what the messages of a pair say of each other's clock at other
 * instants is known more exactly: their corridor (corridor.h). Here it is said in messages:
 * one that would be sent now arrives then at the earliest. */
#ifndef MER_SYNC_LIMITS_BETWEEN_H
#define MER_SYNC_LIMITS_BETWEEN_H

#include "sync/limits/pairs.h"
#include "sync/limits/tree.h"

/* all: the links of m, and behind them those that are made, with memory of the arena; what else is
 * in it is m's. Of pairs without breaks, at instants at which either host is compared with third
 * ones. Nothing is made where hosts are many: that would cost more than it tells. */
int sync_between(const struct sync_messages *m, const struct sync_pairs *pairs,
	const struct sync_tree *tree, double max_rate, struct mer_arena *arena,
	struct sync_messages *all, struct mer_err *err);

#endif
