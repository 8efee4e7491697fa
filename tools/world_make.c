/* Worlds: making all of one in memory. */
#include "world.h"

#include <stdlib.h>

/* Purposes of random numbers; those of clocks and links have the host's or link's number added. */
enum purpose {
	FOR_EDGES = 10,
	FOR_CLOCKS = 11,
	FOR_WRONG = 12,
	FOR_HOST = 1000,
	FOR_LINK = 1 << 24
};

static uint64_t seed_of(const struct world_options *o, uint64_t purpose)
{
	struct world_random r = world_random_new(o->seed, purpose);
	return world_random_u64(&r);
}

static int make_clocks(struct world *w, struct mer_err *err)
{
	const struct world_options *o = &w->options;
	struct world_random r = world_random_new(o->seed, FOR_CLOCKS);
	int rc = 0;
	w->clocks = calloc(o->n_hosts, sizeof(*w->clocks));
	if (!w->clocks)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; !rc && i < o->n_hosts; i++) {
		struct world_clock_options c = o->clock;
		double ppm = world_random_between(&r, -1, 1), off = world_random_between(&r, -1, 1);
		if (i == 1)
			ppm = off = 1;
		c.ppm += ppm * o->ppm;
		c.start_ns += o->epoch_ns + (int64_t)(off * (double)o->spread_ns);
		if (i == 0 && o->first_is_true)
			c = (struct world_clock_options){ .start_ns = o->epoch_ns };
		if (i != 1)
			c.n_glitches = 0;
		rc = world_clock_make(
			&w->clocks[i], &c, o->duration_ns, seed_of(o, FOR_HOST + i), err);
	}
	return rc;
}

static int make_link(struct world *w, uint32_t from, uint32_t to, struct mer_err *err)
{
	const struct world_options *o = &w->options;
	struct world_link *l = &w->links[w->n_links];
	struct world_link_options lo = o->link;
	if (from > to)
		lo.floor_ns -= lo.floor_ns > o->asymmetry_ns ? o->asymmetry_ns : lo.floor_ns;
	*l = (struct world_link){ .from = from, .to = to };
	int rc = world_link_messages(&lo, 0, o->duration_ns, seed_of(o, FOR_LINK + w->n_links),
		&l->messages, &l->n, err);
	w->n_links++;
	return rc;
}

int world_make(struct world *w, const struct world_options *o, struct mer_err *err)
{
	struct world_edge *edges = NULL;
	size_t n = 0;
	*w = (struct world){ .options = *o };
	if (o->duration_ns <= 0 || o->duration_ns > INT64_MAX / 4)
		return mer_fail(err, MER_ERR_USAGE, "a world lasts longer than nothing");
	struct world_clock_options *c = &w->options.clock;
	while (c->n_glitches && c->glitches[c->n_glitches - 1].at_ns >= o->duration_ns)
		c->n_glitches--; /* what comes later does not happen */
	int rc = world_edges(
		o->topology, o->n_hosts, o->degree, seed_of(o, FOR_EDGES), &edges, &n, err);
	if (!rc)
		rc = make_clocks(w, err);
	if (!rc) {
		w->links = calloc(2 * n + 1, sizeof(*w->links));
		rc = w->links ? 0 : mer_fail_nomem(err);
	}
	for (size_t i = 0; !rc && i < n; i++) {
		rc = make_link(w, edges[i].a, edges[i].b, err);
		if (!rc && !o->one_way)
			rc = make_link(w, edges[i].b, edges[i].a, err);
	}
	free(edges);
	return rc;
}

void world_free(struct world *w)
{
	for (uint32_t i = 0; w->clocks && i < w->options.n_hosts; i++)
		world_clock_free(&w->clocks[i]);
	for (size_t i = 0; i < w->n_links; i++)
		free(w->links[i].messages);
	free(w->clocks);
	free(w->links);
	*w = (struct world){ 0 };
}

/* A wrong match: received is that of another message, at most ten before or after. */
static size_t some_other(struct world_random *r, size_t i, size_t n)
{
	size_t by = 1 + (size_t)(world_random_u64(r) % 10);
	bool back = world_random_u64(r) & 1;
	if (back)
		return i >= by ? i - by : i + by < n ? i + by : i;
	return i + by < n ? i + by : i >= by ? i - by : i;
}

static int add_messages(const struct world *w, const struct world_link *from,
	struct sync_messages *m, struct world_random *r, struct mer_err *err)
{
	const struct world_clock *sender = &w->clocks[from->from];
	const struct world_clock *receiver = &w->clocks[from->to];
	struct sync_link *l = sync_messages_link(m, from->from, from->to);
	int rc = l ? 0 : mer_fail_nomem(err);
	for (size_t i = 0; !rc && i < from->n; i++) {
		const struct world_message *a = &from->messages[i], *b = a;
		bool wrong = world_random_unit(r) < w->options.wrong;
		size_t other = some_other(r, i, from->n);
		if (a->flags & WORLD_LOST) {
			l->n_unmatched++;
			continue;
		}
		if (wrong && !(from->messages[other].flags & WORLD_LOST))
			b = &from->messages[other];
		struct sync_message msg = { world_clock_at(sender, a->sent),
			world_clock_at(receiver, b->received) };
		l->n_duplicates += (a->flags & WORLD_DUPLICATE) != 0;
		rc = sync_link_add(l, msg, SYNC_TCP, err);
	}
	return rc;
}

int world_to_messages(const struct world *w, struct sync_messages *m, struct mer_err *err)
{
	struct world_random r = world_random_new(w->options.seed, FOR_WRONG);
	int rc = sync_messages_init(m, w->options.n_hosts, err);
	for (size_t i = 0; !rc && i < w->n_links; i++)
		rc = add_messages(w, &w->links[i], m, &r, err);
	return rc ? rc : sync_messages_finish(m, err);
}

int64_t world_translate(const struct world *w, uint32_t from, uint32_t to, int64_t clock_ns)
{
	return world_clock_at(&w->clocks[to], world_clock_when(&w->clocks[from], clock_ns));
}
