#include "sync/limits/limits.h"

#include <stdlib.h>
#include <string.h>
#include "base/sort.h"
#include "sync/result_view.h"

/* Does the limit of instant i follow from that of instant k, a neighbour, by what the clock may
 * drift between the two? way: the difference of their budgets. */
static bool follows(const struct sync_net_host *h, const int64_t *limit, int sign, size_t i,
	size_t k, int64_t way)
{
	if (limit[k] == (sign > 0 ? INT64_MAX : INT64_MIN))
		return false;
	int64_t v = sign > 0 ? sync_add(limit[k], way) : sync_sub(limit[k], way);
	if (limit[i] != v || (way == 0 && k > i)) /* of two at the same instant, the first stays */
		return false;
	const struct sync_drift *d = &h->drift;
	return d->n_steps == 0 || sync_drift_epoch(d, h->t[i]) == sync_drift_epoch(d, h->t[k]);
}

static int take(const struct sync_net_host *h, const int64_t *limit, int sign,
	struct mer_arena *arena, const struct sync_limit **list, size_t *n, struct mer_err *err)
{
	struct sync_limit *l = malloc((h->n + 1) * sizeof(*l));
	if (!l)
		return mer_fail_nomem(err);
	size_t kept = 0;
	int64_t before = 0, here = 0, behind = h->n ? sync_drift_budget(&h->drift, h->t[0]) : 0;
	for (size_t i = 0; i < h->n; i++) {
		before = here;
		here = behind;
		if (i + 1 < h->n)
			behind = sync_drift_budget(&h->drift, h->t[i + 1]);
		if (limit[i] == (sign > 0 ? INT64_MAX : INT64_MIN) ||
			(i > 0 && follows(h, limit, sign, i, i - 1, sync_sub(here, before))) ||
			(i + 1 < h->n &&
				follows(h, limit, sign, i, i + 1, sync_sub(behind, here))) ||
			(h->drift.n_steps && (sync_drift_epoch(&h->drift, h->t[i]) & 1)))
			continue;
		l[kept++] = (struct sync_limit){ h->t[i], limit[i] };
	}
	struct sync_limit *copy = mer_arena_zalloc(arena, kept, sizeof(*copy));
	if (copy)
		memcpy(copy, l, kept * sizeof(*copy));
	free(l);
	*list = copy;
	*n = kept;
	return copy ? 0 : mer_fail_nomem(err);
}

int sync_take_limits(
	const struct sync_net *net, uint32_t host, struct sync_result *r, struct mer_err *err)
{
	const struct sync_net_host *from = &net->hosts[host];
	struct sync_host *h = &r->hosts[host];
	const struct sync_drift *d = &from->drift;
	h->max_rate_ppm = d->max_rate * 1e6;
	struct sync_step *steps = mer_arena_zalloc(&r->arena, d->n_steps, sizeof(*steps));
	struct sync_slew *slews = mer_arena_zalloc(&r->arena, d->n_slews, sizeof(*slews));
	if (!steps || !slews)
		return mer_fail_nomem(err);
	if (d->n_steps)
		memcpy(steps, d->steps, d->n_steps * sizeof(*steps));
	if (d->n_slews)
		memcpy(slews, d->slews, d->n_slews * sizeof(*slews));
	h->steps = steps;
	h->slews = slews;
	h->n_steps = d->n_steps;
	h->n_slews = d->n_slews;
	int rc = take(from, from->high, 1, &r->arena, &h->high, &h->n_high, err);
	if (rc == 0)
		rc = take(from, from->low, -1, &r->arena, &h->low, &h->n_low, err);
	return rc;
}

int sync_take_step_sizes(struct sync_result *r, uint32_t host, struct mer_err *err)
{
	struct sync_host *h = &r->hosts[host];
	struct sync_step *steps = mer_arena_zalloc(&r->arena, h->n_steps, sizeof(*steps));
	if (!steps)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < h->n_steps; i++) {
		struct sync_range jump = sync_step_on_map(h, &h->steps[i]);
		int64_t before = sync_sub(trace_map_time(&h->map, jump.begin), jump.begin);
		int64_t behind = sync_sub(trace_map_time(&h->map, jump.end), jump.end);
		steps[i] = (struct sync_step){ h->steps[i].range, sync_sub(before, behind) };
	}
	h->steps = steps;
	return 0;
}

int64_t sync_half_width(const struct sync_result *r, uint32_t host, int64_t t)
{
	int64_t low, high;
	/* Contradictory limits count as unknown. */
	if (!sync_host_limits(r, host, t, &low, &high) || low > high)
		return INT64_MAX;
	int64_t at = trace_map_time(&r->hosts[host].map, t);
	int64_t up = sync_sub(high, at), down = sync_sub(at, low);
	return up > down ? up : down;
}

bool sync_in_step(const struct sync_host *h, int64_t t)
{
	for (size_t i = 0; i < h->n_steps; i++)
		if (t > h->steps[i].range.begin && t < h->steps[i].range.end)
			return true;
	return false;
}

struct sync_range sync_shared_span(const struct sync_result *r, uint32_t host)
{
	const struct sync_host *h = &r->hosts[host];
	struct sync_range others = { INT64_MAX, INT64_MIN };
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		const struct sync_host *o = &r->hosts[i];
		if (i == host || o->group != h->group || o->span.begin == MER_NO_TIME)
			continue;
		int64_t begin = trace_map_time(&o->map, o->span.begin);
		int64_t end = trace_map_time(&o->map, o->span.end);
		others.begin = begin < others.begin ? begin : others.begin;
		others.end = end > others.end ? end : others.end;
	}
	if (others.begin > others.end)
		return h->span;
	struct sync_range shared = { trace_unmap_time(&h->map, others.begin),
		trace_unmap_time(&h->map, others.end) };
	shared.begin = shared.begin > h->span.begin ? shared.begin : h->span.begin;
	shared.end = shared.end < h->span.end ? shared.end : h->span.end;
	return shared.begin < shared.end ? shared : h->span;
}

void sync_take_bound(struct sync_result *r, uint32_t host)
{
	enum { N_SAMPLES = 1001, MAX_APEXES = 20000 };
	struct sync_host *h = &r->hosts[host];
	if (h->quality == SYNC_REFERENCE) {
		h->bound = (struct sync_bound){ 0, 0, 0, h->span.begin };
		return;
	}
	h->bound = (struct sync_bound){ INT64_MAX, INT64_MAX, INT64_MAX, h->span.begin };
	if (h->n_high == 0 || h->n_low == 0 || h->span.begin == MER_NO_TIME)
		return;
	struct sync_range span = sync_shared_span(r, host);
	int64_t half[N_SAMPLES];
	size_t n = 0;
	double step = (double)sync_sub(span.end, span.begin) / (N_SAMPLES - 1);
	int64_t worst = -1, max_at = span.begin;
	for (int i = 0; i < N_SAMPLES; i++) {
		int64_t t =
			i == N_SAMPLES - 1 ? span.end : sync_add(span.begin, (int64_t)(step * i));
		if (sync_in_step(h, t))
			continue;
		half[n] = sync_half_width(r, host, t);
		if (half[n] > worst) {
			worst = half[n];
			max_at = t;
		}
		n++;
	}
	/* Between two limits it is widest in the middle, about. */
	for (int k = 0; k < 2; k++) {
		const struct sync_limit *l = k ? h->low : h->high;
		size_t n_limits = k ? h->n_low : h->n_high;
		size_t by = n_limits / MAX_APEXES + 1;
		for (size_t i = 0; i + 1 < n_limits; i += by) {
			double gap = (double)sync_sub(l[i + 1].at, l[i].at) / 2;
			double rise = (double)sync_sub(l[i + 1].offset_ns, l[i].offset_ns);
			double shift = h->max_rate_ppm > 0 ? rise / (2e-6 * h->max_rate_ppm) : 0;
			double off = gap + (k ? -shift : shift);
			off = off < 0 ? 0 : off > 2 * gap ? 2 * gap : off;
			int64_t t = sync_add(l[i].at, (int64_t)off);
			if (t < span.begin || t > span.end || sync_in_step(h, t))
				continue;
			int64_t w = sync_half_width(r, host, t);
			if (w > worst) {
				worst = w;
				max_at = t;
			}
		}
	}
	if (n == 0)
		return;
	qsort(half, n, sizeof(*half), mer_compare_int64);
	h->bound = (struct sync_bound){ half[0], half[n / 2], worst, max_at };
}
