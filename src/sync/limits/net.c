#include "sync/limits/net.h"

#include <stdlib.h>
#include <string.h>
#include "sync/order.h"

/* ---- Which messages can limit anything ---- */

/* A message is weaker than another one of its link if the limit of the other one is at least as
 * tight, even after both clocks' drift in between. keep[i] = 1 for messages that are not. */
static size_t prune(const struct sync_link *l, const struct sync_drift *from,
	const struct sync_drift *to, const uint8_t *out, uint8_t *keep)
{
	/* Steps and slews are rare: with them, all messages are kept. */
	bool plain = from->n_steps + from->n_slews + to->n_steps + to->n_slews == 0;
	const int64_t rate_from = sync_drift_units(from->max_rate);
	const int64_t rate_to = sync_drift_units(to->max_rate);
	size_t n = 0;
	int64_t best = INT64_MIN, best_at = 0, best_received = INT64_MIN;
	for (size_t i = 0; i < l->n; i++) {
		const struct sync_message *m = &l->messages[i];
		keep[i] = !(out && out[i]);
		if (!keep[i] || !plain)
			continue;
		int64_t w = sync_sub(m->sent, m->received);
		int64_t reach = sync_add(sync_units_reach(rate_from, sync_sub(m->sent, best_at)),
			sync_units_reach(rate_to, sync_sub(m->received, best_received)));
		if (best != INT64_MIN && m->received >= best_received &&
			w <= sync_sub(best, sync_add(reach, 2))) {
			keep[i] = 0;
			continue;
		}
		best = w;
		best_at = m->sent;
		best_received = m->received;
	}
	best = INT64_MIN;
	for (size_t i = l->n; i-- > 0;) {
		const struct sync_message *m = &l->messages[i];
		if (!keep[i] || !plain) {
			n += keep[i];
			continue;
		}
		int64_t w = sync_sub(m->sent, m->received);
		int64_t reach = sync_add(sync_units_reach(rate_from, sync_sub(best_at, m->sent)),
			sync_units_reach(rate_to, sync_sub(best_received, m->received)));
		if (best != INT64_MIN && m->received <= best_received &&
			w <= sync_sub(best, sync_add(reach, 2))) {
			keep[i] = 0;
			continue;
		}
		best = w;
		best_at = m->sent;
		best_received = m->received;
		n++;
	}
	return n;
}

/* ---- Building ---- */

static int add_link(struct sync_net *net, const struct sync_link *l, const uint8_t *keep, size_t n,
	struct mer_err *err)
{
	struct sync_net_link *k = &net->links[net->n_links++];
	*k = (struct sync_net_link){ .from = l->from, .to = l->to, .messages = l->messages };
	struct sync_net_host *from = &net->hosts[l->from], *to = &net->hosts[l->to];
	k->message = malloc(n * sizeof(*k->message));
	k->node_from = from->reference ? NULL : malloc(n * sizeof(*k->node_from));
	k->node_to = to->reference ? NULL : malloc(n * sizeof(*k->node_to));
	if (!k->message || (!k->node_from && !from->reference) || (!k->node_to && !to->reference))
		return mer_fail_nomem(err);
	for (size_t i = 0; i < l->n; i++)
		if (keep[i])
			k->message[k->n++] = (uint32_t)i;
	from->n += from->reference ? 0 : n;
	to->n += to->reference ? 0 : n;
	return 0;
}

/* The links at each host. */
static void ends_of_link(const void *ctx, uint32_t i, uint32_t *a, uint32_t *b)
{
	const struct sync_net *net = ctx;
	*a = net->links[i].from;
	*b = net->links[i].to;
}

/* Gives every end of a message its place among its host's instants. */
static int place_ends(struct sync_net *net, uint32_t h, struct mer_err *err)
{
	struct sync_net_host *host = &net->hosts[h];
	size_t n = host->n, k = 0;
	if (n == 0)
		return 0;
	if (n > UINT32_MAX)
		return mer_fail_remedy(err, MER_ERR_LIMIT, MER_REMEDY_SHORTER_WINDOW,
			"one host has more than 4 billion messages");
	host->t = malloc(n * sizeof(*host->t));
	struct sync_order_key *keys = malloc(n * sizeof(*keys));
	if (!host->t || !keys) {
		free(keys);
		return mer_fail_nomem(err);
	}
	for (uint32_t j = net->links_of.first[h]; j < net->links_of.first[h + 1]; j++) {
		const struct sync_net_link *l = &net->links[net->links_of.edges[j]];
		for (size_t i = 0; i < l->n; i++, k++) {
			const struct sync_message *m = &l->messages[l->message[i]];
			keys[k] = (struct sync_order_key){ l->from == h ? m->sent : m->received,
				(uint32_t)k };
		}
	}
	int rc = sync_order(keys, n, err);
	uint32_t *place = rc ? NULL : malloc(n * sizeof(*place));
	if (rc == 0 && !place)
		rc = mer_fail_nomem(err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		host->t[i] = keys[i].time;
		place[keys[i].index] = (uint32_t)i;
	}
	free(keys);
	k = 0;
	for (uint32_t j = net->links_of.first[h]; j < net->links_of.first[h + 1] && rc == 0; j++) {
		struct sync_net_link *l = &net->links[net->links_of.edges[j]];
		memcpy(l->from == h ? l->node_from : l->node_to, place + k, l->n * sizeof(*place));
		k += l->n;
	}
	free(place);
	if (rc == 0) {
		host->high = malloc(n * sizeof(*host->high));
		host->low = malloc(n * sizeof(*host->low));
		if (!host->high || !host->low)
			rc = mer_fail_nomem(err);
	}
	return rc;
}

int sync_net_new(const struct sync_messages *m, const struct sync_drift *drift,
	const bool *reference, uint8_t *const *out, struct sync_net *net, struct mer_err *err)
{
	memset(net, 0, sizeof(*net));
	net->n_hosts = m->n_hosts;
	net->hosts = calloc(m->n_hosts + (size_t)1, sizeof(*net->hosts));
	net->links = calloc(m->n_links + 1, sizeof(*net->links));
	int rc = net->hosts && net->links ? 0 : mer_fail_nomem(err);
	for (uint32_t h = 0; h < m->n_hosts && rc == 0; h++)
		net->hosts[h] = (struct sync_net_host){
			.drift = drift[h], .reference = reference[h], .fixed = reference[h]
		};
	for (size_t i = 0; i < m->n_links && rc == 0; i++) {
		const struct sync_link *l = &m->links[i];
		if (l->from == l->to || l->n == 0)
			continue;
		uint8_t *keep = malloc(l->n);
		if (!keep) {
			rc = mer_fail_nomem(err);
			break;
		}
		size_t n = prune(l, &drift[l->from], &drift[l->to], out ? out[i] : NULL, keep);
		if (n)
			rc = add_link(net, l, keep, n, err);
		free(keep);
	}
	if (rc == 0)
		rc = sync_incidence_new(&net->links_of, net->n_hosts, (uint32_t)net->n_links,
			ends_of_link, net, err);
	for (uint32_t h = 0; h < m->n_hosts && rc == 0; h++)
		rc = place_ends(net, h, err);
	if (rc)
		sync_net_free(net);
	else
		sync_net_reset(net);
	return rc;
}

void sync_net_free(struct sync_net *net)
{
	for (uint32_t h = 0; net->hosts && h < net->n_hosts; h++) {
		struct sync_net_host *host = &net->hosts[h];
		free(host->t);
		free(host->low);
		free(host->high);
	}
	for (size_t i = 0; net->links && i < net->n_links; i++) {
		free(net->links[i].node_from);
		free(net->links[i].node_to);
		free(net->links[i].message);
	}
	free(net->hosts);
	free(net->links);
	sync_incidence_free(&net->links_of);
	memset(net, 0, sizeof(*net));
}

void sync_net_reset(struct sync_net *net)
{
	for (uint32_t h = 0; h < net->n_hosts; h++) {
		struct sync_net_host *host = &net->hosts[h];
		for (size_t i = 0; i < host->n; i++) {
			host->high[i] = INT64_MAX;
			host->low[i] = INT64_MIN;
		}
	}
}

/* ---- Tightening ---- */

/* What a sweep carries along of one kind of limits. `sign` is +1 for upper limits, -1 for lower
 * ones. */
struct carry {
	int64_t *limit;
	int sign;
	int64_t none;
	bool set, mono;
	int64_t value; /* the limit without the budget up to the instant */
	bool mono_set;
	int64_t mono_value; /* the limit without the instant itself: what remains valid across
			       a step */
};

static inline __attribute__((always_inline)) bool tighter(int sign, int64_t v, int64_t than)
{
	return sign > 0 ? v < than : v > than;
}

static inline __attribute__((always_inline)) void pass(
	struct carry *c, int sign, size_t i, int64_t t, int64_t budget)
{
	int64_t here = c->limit[i];
	if (c->set) {
		int64_t v = sign > 0 ? sync_add(c->value, budget) : sync_sub(c->value, budget);
		here = tighter(sign, v, here) ? v : here;
	}
	if (c->mono && c->mono_set) {
		int64_t v = sync_sub(c->mono_value, t);
		here = tighter(sign, v, here) ? v : here;
	}
	if (here == c->none)
		return;
	c->limit[i] = here;
	c->value = sign > 0 ? sync_sub(here, budget) : sync_add(here, budget);
	c->set = true;
	if (!c->mono)
		return;
	c->mono_value = sync_add(here, t);
	c->mono_set = true;
}

/* Propagates limits along a host's instants, forwards and backwards. */
static void sweep(struct sync_net_host *h, unsigned what)
{
	const struct sync_drift *d = &h->drift;
	const int64_t rate = sync_drift_units(d->max_rate);
	for (int dir = 1; dir >= -1; dir -= 2) {
		/* Clocks never run backwards: an upper limit also holds before, a lower one after,
		 * shifted by the time between. */
		struct carry high = { .limit = h->high, .sign = 1, .none = INT64_MAX };
		struct carry low = { .limit = h->low, .sign = -1, .none = INT64_MIN };
		size_t epoch = 0;
		for (size_t k = 0; k < h->n; k++) {
			size_t i = dir > 0 ? k : h->n - 1 - k;
			int64_t t = h->t[i];
			if (d->n_steps) {
				size_t e = sync_drift_epoch(d, t);
				/* Inside a step limits hold only for the same instant; not even
				 * that if the clock may have stood still there, or was set back. */
				bool back = (e & 1) && d->steps[e / 2].size_ns < 0;
				if (e != epoch || back ||
					((e & 1) && t != h->t[dir > 0 ? i - 1 : i + 1]))
					high.set = low.set = false;
				epoch = e;
				high.mono = dir < 0 && !back;
				low.mono = dir > 0 && !back;
			}
			int64_t budget = d->n_slews
						 ? sync_drift_budget(d, t)
						 : sync_units_reach(rate, sync_sub(t, d->origin));
			if (dir < 0)
				budget = sync_sub(0, budget);
			if (what & SYNC_NET_HIGH)
				pass(&high, 1, i, t, budget);
			if (what & SYNC_NET_LOW)
				pass(&low, -1, i, t, budget);
		}
	}
}

/* Carries the limits of host h over one of its links. True: the neighbour's changed. */
static bool carry_over(struct sync_net *net, const struct sync_net_link *l, uint32_t h,
	unsigned what, int64_t slack, bool *consistent)
{
	struct sync_net_host *a = &net->hosts[l->from], *b = &net->hosts[l->to];
	bool changed = false;
	if (a->fixed && b->fixed) /* given, whatever the messages say */
		return false;
	if (l->from == h && (what & SYNC_NET_LOW)) {
		for (size_t i = 0; i < l->n; i++) {
			const struct sync_message *m = &l->messages[l->message[i]];
			int64_t low = l->node_from ? a->low[l->node_from[i]] : 0;
			if (low == INT64_MIN)
				continue;
			int64_t v = sync_add(sync_add(low, slack), sync_sub(m->sent, m->received));
			if (v <= (l->node_to ? b->low[l->node_to[i]] : 0))
				continue;
			if (b->fixed) {
				*consistent = false;
			} else {
				b->low[l->node_to[i]] = v;
				changed = true;
			}
		}
	} else if (l->to == h && (what & SYNC_NET_HIGH)) {
		for (size_t i = 0; i < l->n; i++) {
			const struct sync_message *m = &l->messages[l->message[i]];
			int64_t high = l->node_to ? b->high[l->node_to[i]] : 0;
			if (high == INT64_MAX)
				continue;
			int64_t v = sync_sub(sync_add(high, sync_sub(m->received, m->sent)), slack);
			if (v >= (l->node_from ? a->high[l->node_from[i]] : 0))
				continue;
			if (a->fixed) {
				*consistent = false;
			} else {
				a->high[l->node_from[i]] = v;
				changed = true;
			}
		}
	}
	return changed;
}

static bool crossed(const struct sync_net_host *h)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->low[i] > h->high[i])
			return true;
	return false;
}

int sync_net_tighten(struct sync_net *net, unsigned what, int64_t slack_ns, bool *consistent,
	struct mer_err *err)
{
	*consistent = true;
	size_t n = net->n_hosts, head = 0, waiting = 0, rounds = 0;
	uint32_t *queue = malloc((n + 1) * sizeof(*queue));
	bool *queued = calloc(n + 1, sizeof(*queued));
	if (!queue || !queued) {
		free(queue);
		free(queued);
		return mer_fail_nomem(err);
	}
	/* Fixed hosts first: everything follows from them. */
	for (int fixed = 1; fixed >= 0; fixed--)
		for (uint32_t h = 0; h < n; h++)
			if (net->hosts[h].fixed == (fixed == 1)) {
				queue[(head + waiting++) % (n + 1)] = h;
				queued[h] = true;
			}
	/* Without a contradiction this ends after at most as many rounds as a path has hosts; with
	 * one it would never end if only one kind of limits is tightened. */
	size_t most = (n + 8) * 64;
	while (waiting && *consistent) {
		uint32_t h = queue[head];
		head = (head + 1) % (n + 1);
		waiting--;
		queued[h] = false;
		struct sync_net_host *host = &net->hosts[h];
		if (!host->fixed) {
			sweep(host, what);
			if (what == (SYNC_NET_HIGH | SYNC_NET_LOW) && crossed(host))
				*consistent = false;
		}
		net->contradiction = h;
		for (uint32_t j = net->links_of.first[h];
			j < net->links_of.first[h + 1] && *consistent; j++) {
			const struct sync_net_link *l = &net->links[net->links_of.edges[j]];
			uint32_t to = l->from == h ? l->to : l->from;
			if (l->skip || !carry_over(net, l, h, what, slack_ns, consistent) ||
				queued[to])
				continue;
			queue[(head + waiting++) % (n + 1)] = to;
			queued[to] = true;
		}
		if (++rounds > most)
			*consistent = false;
	}
	free(queue);
	free(queued);
	return 0;
}
