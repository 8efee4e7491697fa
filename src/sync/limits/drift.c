#include "sync/limits/drift.h"

int64_t sync_drift_budget(const struct sync_drift *d, int64_t t)
{
	int64_t sum = sync_drift_reach(d->max_rate, sync_sub(t, d->origin));
	for (size_t i = 0; i < d->n_slews; i++) {
		const struct sync_slew *s = &d->slews[i];
		double more = s->allowed_ppm * 1e-6 - d->max_rate;
		/* The part of the slew between the origin and t, whichever is earlier. */
		int64_t from = d->origin < t ? d->origin : t, to = d->origin < t ? t : d->origin;
		from = from > s->range.begin ? from : s->range.begin;
		to = to < s->range.end ? to : s->range.end;
		if (to <= from)
			continue;
		int64_t add = sync_drift_reach(more, sync_sub(to, from));
		sum = t < d->origin ? sync_sub(sum, add) : sync_add(sum, add);
	}
	return sum;
}

size_t sync_drift_epoch(const struct sync_drift *d, int64_t t)
{
	size_t epoch = 0;
	for (size_t i = 0; i < d->n_steps && t > d->steps[i].range.begin; i++)
		epoch = 2 * i + (t < d->steps[i].range.end ? 1 : 2);
	return epoch;
}
