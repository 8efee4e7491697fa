#include "analysis/options.h"

size_t analysis_period_after(const struct analysis_options *o, int64_t t)
{
	size_t low = 0, high = o->n_periods;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (o->periods[mid].end > t)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

int64_t analysis_overlap(const struct analysis_options *o, int64_t begin, int64_t end)
{
	int64_t sum = 0;
	for (int64_t t = begin, to; analysis_part(o, &t, end, &to); t = to)
		sum += to - t;
	return sum;
}
