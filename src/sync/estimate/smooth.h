/* Smooth: the likely course of a clock offset of which only one-sided limits are known.
 *
 * The model: the offset's rate is a random walk whose steps are mostly small and seldom large
 * (Student's t), as of a crystal in a room, or of a clock that NTP steers. At a limit's time the
 * offset is below (above) the limit by half a least latency or more. The estimate is the mean of
 * all courses that the limits leave, each weighed by its plausibility.
 *
 * How: expectation propagation on a chain. Every limit is replaced by the bell curve that leaves
 * the same mean and variance of the offset at its time, given all others; messages (2 x 2 matrices)
 * run forward and backward until nothing changes. The scale of the steps and the least latency
 * adjust themselves on the way. Not a guarantee of anything: see fit.h. */
#ifndef MER_SYNC_ESTIMATE_SMOOTH_H
#define MER_SYNC_ESTIMATE_SMOOTH_H

#include <stdbool.h>
#include <stddef.h>

struct sync_belief { /* about (offset, rate): exp(-(x' [a b; b c] x) / 2 + [e f]' x) */
	double a, b, c, e, f;
};

struct sync_smooth_node { /* a limit; by t */
	double t;	  /* s */
	double y;	  /* ns */
	double side;	  /* +1: the offset is below y; -1: above */
	double pull;	  /* 1/ns: how much the limit attracts: for one-way or little traffic */

	/* Results. */
	double mean, sd; /* of the offset at t, ns */
	double rate;	 /* its mean slope, ns/s, ... */
	double rate_sd;	 /* ... and how sure that is */
	double z;	 /* distance to the limit, in standard deviations */

	/* Own. */
	double walk;	/* variance of the rate's steps since the node before, ns^2/s^3 */
	double tau, nu; /* what stands for the limit: exp(-tau g^2 / 2 + nu g) */
	struct sync_belief before, after; /* what the other nodes say */
};

struct sync_smooth {
	double offset, offset_sd; /* what is known beforehand of the offset at the first node, ns */
	double rate, rate_sd;	  /* and of its rate, ns/s */
	double blur;		  /* the limits are uncertain by so much, ns: > 0 */
	double floor;	       /* the least distance between limits of both sides; adjusted, ns */
	double floor_range[2]; /* in which it is adjusted */
	double contacts;  /* how many limits per ns of distance there are, next to the least one;
			         0: the floor is known */
	double walk;	  /* typical variance of the rate's steps, to start from; adjusted */
	double most_walk; /* it is not adjusted beyond: where nothing else holds the course */
	bool steady;	  /* the walk is not adjusted */
	bool doubt;	  /* limits may be wrong */
};

/* Sets the nodes up: before the first run, after the limits are set. */
void sync_smooth_start(const struct sync_smooth *s, struct sync_smooth_node *nodes, size_t n);
/* At most max_sweeps, each forth and back; fewer when nothing changes any more. Nodes may be taken
 * out between runs. */
void sync_smooth_run(
	struct sync_smooth *s, struct sync_smooth_node *nodes, size_t n, unsigned max_sweeps);

#endif
