/* Between: the limits that the messages between two hosts, neither of them the reference, put on
 * their drift against each other.
 *
 * The net (net.h) bounds the drift of each host against the reference only, so two other hosts may
 * drift apart twice as fast in it. The corridor of a pair (corridor.h) is tighter. Here it is
 * expressed as additional messages, so that the net needs no other kind of constraint: "a message
 * sent at this instant would arrive at that instant at the earliest". */
#ifndef MER_SYNC_LIMITS_BETWEEN_H
#define MER_SYNC_LIMITS_BETWEEN_H

#include "sync/limits/pairs.h"
#include "sync/limits/tree.h"

/* all: the links of m, followed by the new ones, allocated in the arena; the other members are m's.
 * Messages are made for pairs without breaks, at instants at which one of the hosts has messages
 * with a third one. With many hosts none are made: the cost would exceed the gain. */
int sync_between(const struct sync_messages *m, const struct sync_pairs *pairs,
	const struct sync_tree *tree, double max_rate, struct mer_arena *arena,
	struct sync_messages *all, struct mer_err *err);

#endif
