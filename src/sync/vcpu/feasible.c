/* Feasible: sets of ranges. As soon as the set is one range an event costs a few comparisons: the
 * gaps near it are those near the last event of its CPU. */
#include "sync/vcpu/feasible.h"

#include <stdlib.h>
#include "base/grow.h"
#include "base/lower_bound.h"

void sync_feasible_init(struct sync_feasible *f, double max_drift)
{
	*f = (struct sync_feasible){ .units = sync_drift_units(max_drift) };
}

void sync_feasible_fini(struct sync_feasible *f)
{
	free(f->v);
	free(f->to);
	*f = (struct sync_feasible){ 0 };
}

bool sync_feasible_begin(struct sync_feasible *f, int64_t at, struct sync_offsets range)
{
	if (!mer_grow(&f->v, 0, &f->cap, sizeof(*f->v)))
		return false;
	f->v[0] = range;
	f->n = 1;
	f->at = at;
	return true;
}

void sync_feasible_move(struct sync_feasible *f, int64_t to)
{
	int64_t way = to > f->at ? sync_sub(to, f->at) : sync_sub(f->at, to);
	f->at = to;
	if (way == 0)
		return;
	/* One more: it is rounded down. */
	int64_t by = sync_units_reach(f->units, way) + 1;
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++) {
		struct sync_offsets o = { sync_sub(f->v[i].low, by), sync_add(f->v[i].high, by) };
		if (n && o.low <= f->v[n - 1].high)
			f->v[n - 1].high = o.high;
		else
			f->v[n++] = o;
	}
	f->n = n;
}

bool sync_feasible_within(struct sync_feasible *f, struct sync_offsets range)
{
	size_t first = 0, end = f->n;
	while (first < end && f->v[first].high < range.low)
		first++;
	while (end > first && f->v[end - 1].low > range.high)
		end--;
	if (first == end)
		return false;
	for (size_t i = first; i < end; i++)
		f->v[i - first] = f->v[i];
	f->n = end - first;
	if (f->v[0].low < range.low)
		f->v[0].low = range.low;
	if (f->v[f->n - 1].high > range.high)
		f->v[f->n - 1].high = range.high;
	return true;
}

/* The first gap whose entry is after the time. */
static size_t gap_after(struct sync_cpu_gaps *cpu, int64_t time)
{
	enum { NEAR = 8 };
	size_t i = cpu->hint;
	for (int k = 0; k < NEAR; k++) {
		bool before = i < cpu->n && cpu->gaps[i].entry <= time;
		bool behind = i > 0 && cpu->gaps[i - 1].entry > time;
		if (!before && !behind)
			return cpu->hint = i;
		i = before ? i + 1 : i - 1;
	}
	MER_LOWER_BOUND(found, 0, cpu->n, at, cpu->gaps[at].entry <= time);
	return cpu->hint = found;
}

size_t sync_stay_at(struct sync_cpu_gaps *cpu, int64_t time)
{
	return gap_after(cpu, time);
}

enum sync_cut sync_feasible_cut(struct sync_feasible *f, struct sync_cpu_gaps *cpu)
{
	size_t n = 0;
	if (!cpu->n)
		return SYNC_CUT;
	for (size_t i = 0; i < f->n; i++) {
		int64_t low = sync_add(f->v[i].low, f->at), high = sync_add(f->v[i].high, f->at);
		for (size_t g = gap_after(cpu, low); low <= high; g++) {
			bool any = g < cpu->n && cpu->gaps[g].exit < high;
			int64_t end = any ? cpu->gaps[g].exit : high;
			if (end >= low) {
				if (!mer_grow(&f->to, n, &f->cap_to, sizeof(*f->to)))
					return SYNC_CUT_NOMEM;
				f->to[n++] = (struct sync_offsets){ sync_sub(low, f->at),
					sync_sub(end, f->at) };
			}
			if (!any)
				break;
			low = cpu->gaps[g].entry;
		}
	}
	if (n == 0)
		return SYNC_CUT_CONTRADICTS;
	struct sync_offsets *spare = f->v;
	size_t spare_cap = f->cap;
	f->v = f->to;
	f->cap = f->cap_to;
	f->n = n;
	f->to = spare;
	f->cap_to = spare_cap;
	return SYNC_CUT;
}
