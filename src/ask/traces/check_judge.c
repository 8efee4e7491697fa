#include "ask/traces/check_judge.h"

#include <string.h>

const char *const check_possible_names[] = { "no", "partly", "yes" };

struct check_judged check_judge_analysis(const struct check *c, const struct capability *a)
{
	struct check_judged r = { .possible = CAPABILITY_YES };
	unsigned n = 0, n_no = 0;
	memset(r.lacking_everywhere, 1, sizeof(r.lacking_everywhere));
	for (uint32_t i = 0; i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		bool lacking[CAPABILITY_N_EVENTS] = { 0 };
		if (!h->wanted || !capability_concerns(a, h))
			continue;
		r.concerns_any = true;
		enum capability_possible p = capability_judge(a, h, lacking);
		if (p < r.possible)
			r.possible = p;
		n++;
		n_no += p == CAPABILITY_NO;
		for (int ev = 0; ev < CAPABILITY_N_EVENTS; ev++) {
			r.lacking[ev] |= lacking[ev];
			r.lacking_everywhere[ev] &= lacking[ev];
		}
	}
	if (n_no && n_no < n)
		r.possible = CAPABILITY_PARTLY;
	return r;
}

struct check_judged check_judge_clocks(const struct check *c)
{
	struct check_judged r = { .possible = c->found.can_sync ? CAPABILITY_YES : CAPABILITY_NO };
	memset(r.lacking_everywhere, 1, sizeof(r.lacking_everywhere));
	for (uint32_t i = 0; i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		if (!h->wanted)
			continue;
		if (h->can_sync)
			r.possible = c->found.can_sync ? CAPABILITY_YES : CAPABILITY_PARTLY;
		for (int ev = 0; ev < CAPABILITY_N_EVENTS; ev++) {
			r.lacking[ev] |= h->lacks[ev];
			r.lacking_everywhere[ev] &= h->lacks[ev];
		}
	}
	return r;
}
const char check_clocks_name[] = "clock synchronization";

bool check_lacking_with(const struct check *c, const struct capability *a, enum trace_tool tool,
	bool lacking[CAPABILITY_N_EVENTS])
{
	bool any = false;
	memset(lacking, 0, CAPABILITY_N_EVENTS * sizeof(*lacking));
	for (uint32_t i = 0; i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		if (!h->wanted || h->tool != tool)
			continue;
		any = true;
		for (const struct capability *one = a ? a : capabilities(); one->name; one++) {
			if (capability_concerns(one, h))
				capability_judge(one, h, lacking);
			if (a)
				break;
		}
		for (int ev = 0; !a && ev < CAPABILITY_N_EVENTS; ev++)
			lacking[ev] |= h->lacks[ev];
	}
	return any;
}

enum trace_tool check_common_tool(const struct check *c)
{
	bool ignored[CAPABILITY_N_EVENTS];
	enum trace_tool found = TRACE_BY_LTTNG;
	unsigned n = 0;
	for (int t = 0; t < TRACE_N_TOOLS; t++)
		if (check_lacking_with(c, NULL, (enum trace_tool)t, ignored)) {
			found = (enum trace_tool)t;
			n++;
		}
	return n == 1 ? found : TRACE_BY_LTTNG;
}
