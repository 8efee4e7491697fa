/* Pairs: packets of which both ends are known, by the hosts that sent and received them. What is sent as
 * one and received in parts, or the other way round, is one packet here, with the bytes of its first part:
 * the interfaces have all of them. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cells.h"
#include "analysis/reports/net.h"

struct both {			       /* ends of a packet; KERNEL_NONE: not seen */
	uint32_t sent_by, received_by; /* numbers of their ends, of its hosts' states */
};

/* What each host has of the packets; of several events at the time of an end the first counts. */
static struct both *join(const struct analysis_run *run)
{
	const struct kernel_world *w = run->world;
	struct both *all = mer_spill_array(run->e->spill, (size_t)w->n_bridges + 1, sizeof(*all));
	if (!all)
		return NULL;
	memset(all, 0xff, ((size_t)w->n_bridges + 1) * sizeof(*all));
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct net_state *s = run->states[host];
		for (size_t i = 0; i < s->n_ends && i < KERNEL_NONE; i++) {
			struct both *b = &all[s->ends[i].packet];
			uint32_t *end = s->ends[i].is_send ? &b->sent_by : &b->received_by;
			if (*end == KERNEL_NONE)
				*end = (uint32_t)i;
		}
	}
	return all;
}

/* What was seen at an end; NULL: it was not seen. */
static const struct net_size *end_at(const struct analysis_run *run, uint32_t host, uint32_t end)
{
	const struct net_state *s = run->states[host];
	return end == KERNEL_NONE ? NULL : &s->sizes[s->ends[end].size];
}

/* ---- headers of the link layer ---- */

enum { MAX_HEADER = 64, ETHERNET_HEADER = 14 };

/* The difference between what is sent and received that most packets of a device have. */
int net_learn_headers(struct analysis_run *run)
{
	const struct kernel_world *w = run->world;
	size_t n = 0;
	if (run->e->n_hosts == 0 || ((const struct net_state *)run->states[0])->learned)
		return 0;
	for (uint32_t host = 0; host < run->e->n_hosts; host++)
		n += ((const struct net_state *)run->states[host])->n_devices;
	struct both *all = join(run);
	uint64_t(*votes)[MAX_HEADER + 1] = calloc(n + 1, sizeof(*votes));
	size_t *first = calloc((size_t)run->e->n_hosts + 1, sizeof(*first));
	if (!all || !votes || !first) {
		mer_spill_release(all);
		free(votes);
		free(first);
		return mer_fail_nomem(run->err);
	}
	for (uint32_t host = 0; host < run->e->n_hosts; host++)
		first[host + 1] =
			first[host] + ((const struct net_state *)run->states[host])->n_devices;
	for (uint32_t i = 0; i < w->n_bridges; i++) {
		const struct kernel_bridge *p = &w->bridges[i];
		const struct net_size *from = end_at(run, p->from.host, all[i].sent_by);
		const struct net_size *to = end_at(run, p->to.host, all[i].received_by);
		if (from && to && to->bytes && from->bytes >= to->bytes &&
			from->bytes - to->bytes <= MAX_HEADER)
			votes[first[p->from.host] + from->device][from->bytes - to->bytes]++;
	}
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		struct net_state *s = run->states[host];
		s->learned = true;
		for (size_t d = 0; d < s->n_devices; d++) {
			const uint64_t *v = votes[first[host] + d];
			int best = ETHERNET_HEADER;
			for (int k = 0; k <= MAX_HEADER; k++)
				best = v[k] > v[best] ? k : best;
			s->devices[d].header_bytes = s->devices[d].name == KERNEL_NONE ? 0 : best;
		}
	}
	mer_spill_release(all);
	free(votes);
	free(first);
	return 0;
}

/* ---- tables ---- */

#define PAIR_COLUMNS                                                                               \
	{ "from_host", "from host", MER_TEXT },                                                    \
	{                                                                                          \
		"to_host", "to host", MER_TEXT                                                     \
	}

const struct mer_column net_pairs_columns[] = { PAIR_COLUMNS, { "packets", "packets", MER_COUNT },
	{ "sent_bytes", "sent", MER_BYTES }, { "received_bytes", "received", MER_BYTES },
	{ "min_ns", "latency min", MER_DURATION }, { "max_ns", "max", MER_DURATION },
	{ "avg_ns", "avg", MER_DURATION }, { "first", "first", MER_TIME },
	{ "last", "last", MER_TIME }, { 0 } };
const struct mer_column net_stats_columns[] = { PAIR_COLUMNS, ANALYSIS_STATS_COLUMNS, { 0 } };
const struct mer_column net_freq_columns[] = { PAIR_COLUMNS, ANALYSIS_FREQ_COLUMNS, { 0 } };

struct pair {
	uint32_t from, to;
	uint64_t packets, sent, received;
	bool has_sent, has_received;	       /* any length is told */
	struct analysis_stats flight, limited; /* limited: by min_ns, max_ns */
	struct analysis_histogram freq;
	int64_t first, last;
};

struct pairs {
	struct pair *pairs;
	size_t n, cap;
	struct mer_map map; /* both hosts -> number, plus 1 */
};

static struct pair *pair_of(struct pairs *all, const struct kernel_bridge *p)
{
	uint32_t *at = mer_map_put(&all->map, (uint64_t)p->from.host << 32 | p->to.host);
	if (at && *at)
		return &all->pairs[*at - 1];
	struct pair *x = at ? mer_grow_at(&all->pairs, &all->cap, all->n, sizeof(*x)) : NULL;
	if (!x)
		return NULL;
	x->from = p->from.host;
	x->to = p->to.host;
	x->first = p->from.time;
	*at = (uint32_t)++all->n;
	return x;
}

static void add_packet(const struct analysis_run *run, struct pair *x,
	const struct kernel_bridge *p, const struct both *b)
{
	const struct analysis_options *o = run->options;
	const struct net_size *from = end_at(run, p->from.host, b->sent_by);
	const struct net_size *to = end_at(run, p->to.host, b->received_by);
	int64_t ns = p->to.time - p->from.time;
	x->packets++;
	x->last = p->from.time;
	if (from && from->bytes) {
		const struct net_state *s = run->states[p->from.host];
		x->sent += net_bytes(&s->devices[from->device], NET_SENT, 1, from->bytes);
		x->has_sent = true;
	}
	if (to && to->bytes) {
		x->received += to->bytes;
		x->has_received = true;
	}
	analysis_stats_add(&x->flight, ns, p->from.time);
	if (ns < o->min_ns || ns > o->max_ns)
		return;
	analysis_stats_add(&x->limited, ns, p->from.time);
	x->freq.n[analysis_bucket(ns)]++;
}

static void emit_pair(const struct analysis_run *run, struct mer_table *t, const struct pair *x,
	enum net_pairs_output output)
{
	enum { N = 2 };
	struct mer_cell stats[ANALYSIS_STATS_CELLS];
	struct mer_cell c[N + ANALYSIS_STATS_CELLS] = { mer_text(analysis_host_name(run, x->from)),
		mer_text(analysis_host_name(run, x->to)) };
	if (output == NET_PAIRS_FREQ) {
		analysis_freq_rows(t, c, N, &x->freq);
		return;
	}
	if (output == NET_PAIRS_STATS) {
		analysis_stats_cells(&x->limited, c + N);
		if (x->limited.n)
			mer_table_add(t, c);
		return;
	}
	analysis_stats_cells(&x->flight, stats);
	c[2] = MER_INT(x->packets);
	c[3] = x->has_sent ? MER_INT(x->sent) : MER_NONE;
	c[4] = x->has_received ? MER_INT(x->received) : MER_NONE;
	memcpy(&c[5], &stats[1], 3 * sizeof(*c));
	c[8] = MER_INT(x->first);
	c[9] = MER_INT(x->last);
	mer_table_add(t, c);
}

int net_emit_pairs(struct analysis_run *run, struct mer_table *t, enum net_pairs_output output)
{
	const struct kernel_world *w = run->world;
	const struct analysis_options *o = run->options;
	struct pairs all = { 0 };
	struct both *ends = join(run);
	bool ok = ends != NULL;
	for (uint32_t i = 0; i < w->n_bridges && ok; i++) {
		const struct kernel_bridge *p = &w->bridges[i];
		bool is_seen = ends[i].sent_by != KERNEL_NONE || ends[i].received_by != KERNEL_NONE;
		if (!is_seen || !analysis_is_asked(o, p->from.time))
			continue;
		struct pair *x = pair_of(&all, p);
		ok = x != NULL;
		if (ok)
			add_packet(run, x, p, &ends[i]);
	}
	for (size_t i = 0; i < all.n && ok; i++)
		emit_pair(run, t, &all.pairs[i], output);
	mer_spill_release(ends);
	free(all.pairs);
	mer_map_fini(&all.map);
	return ok ? 0 : mer_fail_nomem(run->err);
}
