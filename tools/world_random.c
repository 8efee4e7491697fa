/* Random numbers for generated worlds. */
#include "world_random.h"

#include <math.h>

uint64_t world_random_u64(struct world_random *r)
{
	uint64_t x = r->state += 0x9E3779B97F4A7C15;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return x ^ x >> 31;
}

struct world_random world_random_new(uint64_t seed, uint64_t purpose)
{
	struct world_random r = { seed };
	r.state = world_random_u64(&r) ^ purpose * 0xD1342543DE82EF95;
	world_random_u64(&r);
	return r;
}

double world_random_unit(struct world_random *r)
{
	return (double)(world_random_u64(r) >> 11) * 0x1p-53;
}

double world_random_between(struct world_random *r, double lo, double hi)
{
	return lo + (hi - lo) * world_random_unit(r);
}

double world_random_exponential(struct world_random *r)
{
	return -log1p(-world_random_unit(r));
}

/* The polar method gives two at a time; the second is not kept, the state stays one number. */
double world_random_normal(struct world_random *r)
{
	for (;;) {
		double x = world_random_between(r, -1, 1), y = world_random_between(r, -1, 1);
		double s = x * x + y * y;
		if (s > 0 && s < 1)
			return x * sqrt(-2 * log(s) / s);
	}
}
