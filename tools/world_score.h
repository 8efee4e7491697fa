/* Score: how far from the truth a synchronization of a world is. */
#ifndef WORLD_SCORE_H
#define WORLD_SCORE_H

#include "sync/solve.h"
#include "world.h"

/* What is judged: a result, or any other method's functions. */
struct world_answer {
	const struct sync_result *result; /* NULL: no limits and no steps are claimed, and ... */
	const void *ctx;
	int64_t (*map)(const void *ctx, uint32_t host, int64_t t); /* to the reference's clock */
	/* The host on whose clock this one is put; UINT32_MAX: on none. */
	uint32_t (*reference)(const void *ctx, uint32_t host);
};

struct world_score {
	/* Errors against what the reference's clock really showed, us; NAN: no host was put on
	 * another's clock. n instants, spread evenly over all hosts but the references. */
	size_t n;
	double mean, p99, max;
	/* Half the distance between the limits, us; NAN: none are claimed on both sides. */
	size_t n_bounded;
	double bound_median, bound_max;
	size_t n_limited;		 /* instants with a limit on one side at least */
	size_t n_inside;		 /* ... whose truth is within */
	size_t n_off;			 /* ... whose estimate is not */
	uint64_t n_messages, n_violated; /* received before they were sent, on the common clock */
	/* Jumps, stops and slews beyond 1000 ppm of the world's clocks; how many of them the result
	 * has as a step or slew; steps and slews that it has and the world has not. Of whichever
	 * host: a step of the reference is one of every other host. */
	size_t n_steps, n_found, n_invented;
};

/* messages: matched as they were. each: instants of a host. */
int world_judge(const struct world *w, const struct sync_messages *messages,
	const struct world_answer *a, size_t each, struct world_score *s, struct mer_err *err);

/* sync_solve, with hosts h0000, h0001, ... that recorded from the world's begin to its end. */
int world_solve(const struct world *w, const struct sync_messages *messages,
	const struct sync_options *o, struct sync_result **result, struct mer_err *err);

/* Makes a world smaller: at most so many messages a direction, by a shorter time, and so many
 * hosts. */
void world_shorten(struct world_options *o, uint64_t messages, uint32_t hosts);

#endif
