/* Random numbers for generated worlds: a seed is the whole state, the same numbers on each machine.
 * (SplitMix64, by Steele, Lea and Flood.) Not for secrets. */
#ifndef WORLD_RANDOM_H
#define WORLD_RANDOM_H

#include <stdint.h>

struct world_random {
	uint64_t state;
};

/* A generator of its own for each purpose: what is drawn for one does not move the others. */
struct world_random world_random_new(uint64_t seed, uint64_t purpose);
uint64_t world_random_u64(struct world_random *r);
/* Evenly in [0, 1). */
double world_random_unit(struct world_random *r);
/* Evenly in [lo, hi). */
double world_random_between(struct world_random *r, double lo, double hi);
/* Exponential with mean 1; normal with mean 0 and standard deviation 1. */
double world_random_exponential(struct world_random *r);
double world_random_normal(struct world_random *r);

#endif
