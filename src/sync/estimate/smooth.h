/* Smooth: the likely course of a clock offset that is known only by one-sided limits.
 *
 * The model: the offset's rate is a random walk whose steps are mostly small and seldom large
 * (Student's t), like that of a crystal at room temperature, or of a clock that NTP steers. At a
 * limit's time the offset is below (above) the limit by at least half the least latency. The
 * estimate is the mean of all courses between the limits, weighted by their plausibility.
 *
 * How: expectation propagation on a chain. Every limit is replaced by the Gaussian that gives the
 * same mean and variance of the offset at its time, given all others; messages (2 x 2 matrices) run
 * forward and backward until nothing changes. The scale of the steps and the least latency adjust
 * themselves on the way. Not a guarantee of anything: see fit.h. */
#ifndef MER_SYNC_ESTIMATE_SMOOTH_H
#define MER_SYNC_ESTIMATE_SMOOTH_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

struct sync_belief { /* about (offset, rate): exp(-(x' [a b; b c] x) / 2 + [e f]' x) */
	double a, b, c, e, f;
};

struct sync_smooth_node { /* a limit; by t */
	double t;	  /* s */
	double y;	  /* ns */
	double side;	  /* +1: the offset is below y; -1: above */
	double pull;	  /* 1/ns: how strongly the limit attracts; for one-way or little
			     traffic */

	/* Results. */
	double mean, sd; /* of the offset at t, ns */
	double rate;	 /* its mean slope, ns/s, ... */
	double rate_sd;	 /* ... and its standard deviation */
	double z;	 /* distance to the limit, in standard deviations */

	/* Own. */
	double walk;	/* variance of the rate's steps since the node before, ns^2/s^3 */
	double tau, nu; /* the Gaussian that replaces the limit: exp(-tau g^2 / 2 + nu g) */
	struct sync_belief before, after; /* the evidence of the other nodes */
};

struct sync_smooth {
	double offset, offset_sd; /* prior of the offset at the first node, ns */
	double rate, rate_sd;	  /* prior of its rate, ns/s */
	double blur;		  /* uncertainty of the limits, ns: > 0 */
	double floor;	       /* the least distance between limits of both sides; adjusted, ns */
	double floor_range[2]; /* the range in which it is adjusted */
	double contacts;       /* density of limits next to the least one, per ns of distance; 0:
			     the floor is known */
	double walk;	       /* typical variance of the rate's steps, to start from; adjusted */
	double most_walk;      /* maximum of its adjustment, for courses that nothing else holds */
	bool steady;	       /* the walk is not adjusted */
	bool doubt;	       /* limits may be wrong */
};

/* Initializes the nodes: before the first run, after the limits are set. */
void sync_smooth_start(const struct sync_smooth *s, struct sync_smooth_node *nodes, size_t n);

struct sync_smooth_run { /* of one course */
	struct sync_smooth *s;
	struct sync_smooth_node *nodes;
	size_t n; /* at least 1 */
	/* The most forward and backward sweeps; fewer when nothing changes any more. Nodes may be
	 * removed between runs. */
	unsigned max_sweeps;
};

/* Runs all of them. A course alone has the same result, to the last bit, but takes longer. */
int sync_smooth_run(const struct sync_smooth_run *runs, size_t n, struct mer_err *err);

#endif
