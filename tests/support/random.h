/* Random: small deterministic random numbers for tests of properties (splitmix64). Every case is
 * made from its number alone, so a failure names the case that fails. */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

/* From `from` to `to`, both included; any two that are no more than 2^63 apart. */
static inline int64_t random_in(uint64_t *state, int64_t from, int64_t to)
{
	return from + (int64_t)(random_next(state) % ((uint64_t)to - (uint64_t)from + 1));
}

#endif
