#include "analysis/options.h"
#include "base/lower_bound.h"

size_t analysis_period_after(const struct analysis_options *o, int64_t t)
{
	MER_LOWER_BOUND(low, 0, o->n_periods, at, o->periods[at].end <= t);
	return low;
}

int64_t analysis_overlap(const struct analysis_options *o, int64_t begin, int64_t end)
{
	int64_t sum = 0;
	for (int64_t t = begin, to; analysis_part(o, &t, end, &to); t = to)
		sum += to - t;
	return sum;
}
