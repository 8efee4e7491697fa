/* Drift: how far a host's clock may have moved against the reference between two of its instants.
 *
 * budget(t1, t2) = max_rate * (t2 - t1), more where a slew was found. Across a step the change is
 * unlimited, except that neither clock ran backwards. All in whole nanoseconds, so that budgets of
 * adjacent intervals add up exactly. */
#ifndef MER_SYNC_LIMITS_DRIFT_H
#define MER_SYNC_LIMITS_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sync_range { /* host clock, ns */
	int64_t begin, end;
};

struct sync_step { /* the clock jumped between the two ends, which are on either side of it */
	struct sync_range range;
	int64_t size_ns; /* of the host's clock against the reference: > 0 jumped ahead */
};

struct sync_slew { /* the clock ran faster or slower than max_drift allows */
	struct sync_range range;
	double ppm;	    /* what the messages prove: < 0 slower than the reference */
	double allowed_ppm; /* the rate that is assumed to be possible inside */
};

struct sync_drift {
	double max_rate;	       /* 1e-3: 1000 ppm */
	int64_t origin;		       /* where budgets count from; any time near the traces */
	const struct sync_slew *slews; /* disjoint */
	const struct sync_step *steps; /* by begin, disjoint */
	size_t n_slews, n_steps;
};

/* A rate in whole units of 2^-40, |rate| < 2^22: doubles would lose nanoseconds after some
 * weeks. */
enum { SYNC_RATE_BITS = 40 };
static inline int64_t sync_drift_units(double rate)
{
	return (int64_t)(rate * (double)((int64_t)1 << SYNC_RATE_BITS) + 0.5);
}

/* What a rate in such units amounts to, rounded down. */
static inline int64_t sync_units_reach(int64_t units, int64_t ns)
{
	__int128 r = ((__int128)units * ns) >> SYNC_RATE_BITS;
	return r > INT64_MAX ? INT64_MAX : r < INT64_MIN ? INT64_MIN : (int64_t)r;
}

static inline int64_t sync_drift_reach(double rate, int64_t ns)
{
	return sync_units_reach(sync_drift_units(rate), ns);
}

/* Budget from the origin to t: negative before it. Saturates. */
int64_t sync_drift_budget(const struct sync_drift *d, int64_t t);
/* Position of t among the steps: 0 before the first one, 1 inside it, 2 after it, 3 inside the
 * second one, ... */
size_t sync_drift_epoch(const struct sync_drift *d, int64_t t);

/* Saturating sum and difference: damaged traces can have any times. */
static inline int64_t sync_add(int64_t a, int64_t b)
{
	int64_t r;
	if (__builtin_add_overflow(a, b, &r))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return r;
}

static inline int64_t sync_sub(int64_t a, int64_t b)
{
	int64_t r;
	if (__builtin_sub_overflow(a, b, &r))
		return b < 0 ? INT64_MAX : INT64_MIN;
	return r;
}

#endif
