/* What is known of the offset of a guest's clock before its schedule is looked at. */
#include <stdlib.h>

#include "sync/vcpu/pairing.h"

enum { N_SAMPLES = 1000 };

/* How far recorded clocks are believed where no message tells more: they are set from the same
 * source when a guest starts. */
#define BELIEVED_NS INT64_C(10000000000)

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

int sync_vm_limits(const struct sync_result *r, uint32_t hypervisor, uint32_t guest,
	double max_drift, struct sync_vm_limits *l, struct mer_err *err)
{
	const struct sync_host *g = &r->hosts[guest], *h = &r->hosts[hypervisor];
	*l = (struct sync_vm_limits){ .max_drift = fastest(h, fastest(g, max_drift)) };
	l->limits = malloc((N_SAMPLES + 1) * sizeof(*l->limits));
	if (!l->limits)
		return mer_fail_nomem(err);
	bool known = r->method == SYNC_AUTO && g->group == h->group && g->quality != SYNC_ABSENT &&
		     h->quality != SYNC_ABSENT && g->span.begin != MER_NO_TIME;
	int64_t way = known ? sync_sub(g->span.end, g->span.begin) : 0, before = 0;
	for (int i = 0; known && i <= N_SAMPLES; i++) {
		int64_t t = sync_add(g->span.begin, way / N_SAMPLES * i);
		struct sync_offsets o;
		offsets_at(r, hypervisor, guest, t, &o);
		if (o.low == INT64_MIN || o.high == INT64_MAX || o.low > o.high)
			continue;
		bool fresh = l->n && jumped(r, hypervisor, guest, before, t);
		l->limits[l->n++] = (struct sync_offset_limit){ t, o, fresh };
		before = t;
	}
	l->is_proven = l->n > 0;
	if (!l->n)
		l->limits[l->n++] =
			(struct sync_offset_limit){ g->span.begin == MER_NO_TIME ? 0
										 : g->span.begin,
				{ -BELIEVED_NS, BELIEVED_NS }, false };
	return 0;
}

void sync_vm_limits_free(struct sync_vm_limits *l)
{
	free(l->limits);
	*l = (struct sync_vm_limits){ 0 };
}
