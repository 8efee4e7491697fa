/* Reach: the range of a clock offset at an instant, if the clock behaves as observed.
 *
 * Like a corridor, but with the observed changes of the rate instead of the allowed ones: at the
 * instant the offset has some rate, and away from it the rate does a random walk (smooth.h). So a
 * distant limit counts at the instant, too, and is the weaker the farther it is. Nothing is assumed
 * about delays: how rare short ones are, or which direction is slower and for how long. Where fast
 * messages are rare, the range is wide. For a clock of constant rate it is the range of all lines
 * that pass. */
#ifndef MER_SYNC_ESTIMATE_REACH_H
#define MER_SYNC_ESTIMATE_REACH_H

#include "sync/estimate/passage.h"
#include "sync/estimate/smooth.h"

struct sync_reach_options {
	double flattest, steepest; /* possible rates, ns/s */
	bool straight;		   /* the rate does not walk */
	double far;		   /* limits wider than the best one by more than this are
				      left out, ns */
};

struct sync_reach {
	double t;
	bool known; /* false: no course passes */
	struct sync_passage_range range;
};

/* Fills n_at instants, whose t is set. Nodes by t, with their walks. */
int sync_reach(const struct sync_smooth_node *nodes, size_t n, const struct sync_reach_options *o,
	struct sync_reach *at, size_t n_at, struct mer_err *err);

#endif
