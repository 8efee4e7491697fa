/* Reach: where a clock offset can be at an instant, if the clock goes on as it was seen to go.
 *
 * As a corridor, but with the change of rate that was observed in place of what is allowed: at the
 * instant the offset has some rate, and away from it the rate walks (smooth.h), so that a
 * limit holds at the instant, too, the wider the farther it lies. How rare short delays are, how
 * long one direction is slower than the other, which of both: nothing is assumed of that. Where
 * messages were fast only now and then, this says so. A clock of one rate: all lines that pass. */
#ifndef MER_SYNC_ESTIMATE_REACH_H
#define MER_SYNC_ESTIMATE_REACH_H

#include "sync/estimate/passage.h"
#include "sync/estimate/smooth.h"

struct sync_reach_options {
	double flattest, steepest; /* rates that are possible, ns/s */
	bool straight;		   /* the rate does not walk */
	double far;		   /* limits that are wider by more are left out, ns */
};

struct sync_reach {
	double t;
	bool known; /* false: no course passes */
	struct sync_passage_range range;
};

/* At n_at instants, of which t is given. Nodes by t, with their walks. */
int sync_reach(const struct sync_smooth_node *nodes, size_t n, const struct sync_reach_options *o,
	struct sync_reach *at, size_t n_at, struct mer_err *err);

#endif
