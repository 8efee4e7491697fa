/* Pairs: packets of which both ends are known, by the hosts that sent and received them. What is
 * sent as one and received in parts, or the other way round, is one packet here, with the bytes of
 * its first part: the interfaces have all of them. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cells.h"
#include "analysis/reports/net.h"

struct net_end {       /* of a packet whose other end is known, too */
	int64_t bytes; /* FACT_UNKNOWN: not told */
	uint32_t packet : 31, is_send : 1;
};

struct both { /* bytes of the ends of a packet */
	int64_t sent, received;
	bool was_sent, was_received; /* is that end asked for? */
};

/* Ends of packets are kept beyond the range: a packet belongs to where it was sent. */
int net_take_packets(struct analysis_host *a, const struct kernel_host *h,
	const struct fact_kind *kind, const void *facts, size_t n)
{
	struct net_ends *s = a->state;
	const struct packet *p = facts;
	(void)kind;
	for (; n > 0; n--, p++) {
		if (p->packet == KERNEL_NONE || !analysis_wants_task(a, h, p->fact.task) ||
			!analysis_wants_cpu(a, p->fact.cpu))
			continue;
		if (!mer_spill_grow(a->run->e->spill, &s->ends, s->n, &s->cap, sizeof(*s->ends)))
			return mer_fail_nomem(a->err);
		s->ends[s->n++] = (struct net_end){ p->bytes, p->packet & INT32_MAX,
			p->fact.choice == NET_SENT };
	}
	return 0;
}

void net_free_ends(void *state)
{
	mer_spill_release(((struct net_ends *)state)->ends);
}

/* What each host has of the packets; of several events at the time of an end the first counts. */
static struct both *join(const struct analysis_run *run)
{
	const struct kernel_world *w = run->world;
	struct both *all = mer_spill_array(run->e->spill, (size_t)w->n_bridges + 1, sizeof(*all));
	if (!all)
		return NULL;
	memset(all, 0, ((size_t)w->n_bridges + 1) * sizeof(*all));
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct net_ends *s = run->states[host];
		for (size_t i = 0; i < s->n; i++) {
			const struct net_end *e = &s->ends[i];
			if (e->packet >= w->n_bridges)
				continue;
			struct both *b = &all[e->packet];
			bool *was_seen = e->is_send ? &b->was_sent : &b->was_received;
			if (!*was_seen)
				*(e->is_send ? &b->sent : &b->received) = e->bytes;
			*was_seen = true;
		}
	}
	return all;
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
	{ "mean_ns", "mean", MER_DURATION }, { "first", "first", MER_TIME },
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
	int64_t ns = p->to.time - p->from.time;
	x->packets++;
	x->last = p->from.time;
	if (b->was_sent && b->sent != FACT_UNKNOWN) {
		x->sent += (uint64_t)b->sent;
		x->has_sent = true;
	}
	if (b->was_received && b->received != FACT_UNKNOWN) {
		x->received += (uint64_t)b->received;
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
		const struct kernel_bridge *p = kernel_bridge_at(w, i);
		if (!(ends[i].was_sent || ends[i].was_received) ||
			!analysis_is_asked(o, p->from.time))
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
