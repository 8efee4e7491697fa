/* Limits: what is known of the offset of a guest's clock before its schedule is used. */
#include <stdlib.h>

#include "base/sort.h"
#include "sync/vcpu/limits.h"

enum { N_SAMPLES = 1000 };

/* If no message limits the offset, it is searched for within these distances of the recorded
 * clocks, one after the other: guests usually get their time from their hypervisor when they start.
 * The last one means any offset. */
static const int64_t believed_ns[] = { 10000000, 100000000, 1000000000, 10000000000, INT64_MAX };

/* Limits of hypervisor - guest at a moment of the guest's clock. */
static void offsets_at(const struct sync_result *r, uint32_t hypervisor, uint32_t guest, int64_t t,
	struct sync_offsets *o)
{
	int64_t low, high, least, most;
	*o = (struct sync_offsets){ INT64_MIN, INT64_MAX };
	sync_host_limits(r, guest, t, &low, &high);
	if (low != INT64_MIN) {
		sync_host_limits_back(r, hypervisor, low, &least, &most);
		if (least != INT64_MIN)
			o->low = sync_sub(least, t);
	}
	if (high != INT64_MAX) {
		sync_host_limits_back(r, hypervisor, high, &least, &most);
		if (most != INT64_MAX)
			o->high = sync_sub(most, t);
	}
}

/* Did one of the clocks jump between these moments of the guest's clock? */
static bool jumped(
	const struct sync_result *r, uint32_t hypervisor, uint32_t guest, int64_t from, int64_t to)
{
	const struct sync_host *g = &r->hosts[guest], *h = &r->hosts[hypervisor];
	for (size_t i = 0; i < g->n_steps; i++)
		if (g->steps[i].range.begin < to && g->steps[i].range.end > from)
			return true;
	for (size_t i = 0; i < h->n_steps; i++) {
		int64_t begin = trace_map_time(&h->map, h->steps[i].range.begin),
			end = trace_map_time(&h->map, h->steps[i].range.end);
		if (trace_unmap_time(&g->map, begin) < to && trace_unmap_time(&g->map, end) > from)
			return true;
	}
	return false;
}

static double fastest(const struct sync_host *h, double rate)
{
	for (size_t i = 0; i < h->n_slews; i++)
		if (h->slews[i].allowed_ppm / 1e6 > rate)
			rate = h->slews[i].allowed_ppm / 1e6;
	return rate;
}

static int64_t length(const struct sync_range *r)
{
	return sync_sub(r->end, r->begin);
}

/* The offsets with which both recordings overlap for at least half of the shorter one. Without this
 * rule, offsets with which nothing overlaps would never be contradicted. */
static struct sync_offsets overlapping(const struct sync_range *h, const struct sync_range *g)
{
	int64_t half = (length(h) < length(g) ? length(h) : length(g)) / 2;
	return (struct sync_offsets){ sync_add(sync_sub(h->begin, g->end), half),
		sync_sub(sync_sub(h->end, g->begin), half) };
}

static void believe(
	const struct sync_host *h, const struct sync_vm_question *q, struct sync_vm_limits *l)
{
	struct sync_offsets o = overlapping(&h->span, &q->events);
	l->searched_ns = believed_ns[q->attempt];
	if (o.low < -l->searched_ns)
		o.low = -l->searched_ns;
	if (o.high > l->searched_ns)
		o.high = l->searched_ns;
	if (o.low <= o.high)
		l->limits[l->n++] = (struct sync_offset_limit){ q->events.begin, o, false };
}

/* Instants of the guest's clock, malloc'ed: evenly spaced, and on both sides of each jump. n: room
 * for them; set to their number. */
static int64_t *sample_times(const struct sync_host *g, size_t *n)
{
	int64_t way = length(&g->span), *at = malloc(*n * sizeof(*at));
	size_t k = 0;
	for (int i = 0; at && i <= N_SAMPLES; i++)
		at[k++] = sync_add(g->span.begin, way / N_SAMPLES * i);
	for (size_t i = 0; at && i < g->n_steps; i++) {
		at[k++] = sync_sub(g->steps[i].range.begin, 1);
		at[k++] = sync_add(g->steps[i].range.end, 1);
	}
	if (at)
		qsort(at, k, sizeof(*at), mer_compare_int64);
	*n = k;
	return at;
}

int sync_vm_limits(const struct sync_result *r, const struct sync_vm_question *q,
	struct sync_vm_limits *l, struct mer_err *err)
{
	const struct sync_host *g = &r->hosts[q->guest], *h = &r->hosts[q->hypervisor];
	*l = (struct sync_vm_limits){ .max_drift = fastest(h, fastest(g, q->max_drift)) };
	if (g->span.begin == MER_NO_TIME || h->span.begin == MER_NO_TIME)
		return 0;
	size_t n = N_SAMPLES + 1 + 2 * g->n_steps;
	l->limits = malloc(n * sizeof(*l->limits));
	bool known = g->group == h->group && g->quality != SYNC_ABSENT && h->quality != SYNC_ABSENT;
	int64_t *at = l->limits && known ? sample_times(g, &n) : NULL;
	for (size_t i = 0; at && i < n; i++) {
		struct sync_offsets o;
		offsets_at(r, q->hypervisor, q->guest, at[i], &o);
		if (o.low == INT64_MIN || o.high == INT64_MAX || o.low > o.high)
			continue;
		bool fresh =
			l->n && jumped(r, q->hypervisor, q->guest, l->limits[l->n - 1].at, at[i]);
		l->limits[l->n++] = (struct sync_offset_limit){ at[i], o, fresh };
	}
	free(at);
	if (!l->limits || (known && !at))
		return mer_fail_nomem(err);
	if (!l->n)
		believe(h, q, l);
	l->is_last =
		!l->searched_ns || q->attempt + 1 == sizeof(believed_ns) / sizeof(believed_ns[0]);
	return 0;
}

void sync_vm_limits_free(struct sync_vm_limits *l)
{
	free(l->limits);
	*l = (struct sync_vm_limits){ 0 };
}
