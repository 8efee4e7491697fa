#include "requests/groups.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"

enum { LEAST_SLOW = 4, LEAST_OTHERWISE = 6 };
static const double least_difference = 0.4, least_of_slow = 0.5, by_chance = 0.001;
/* Of a class: there may be several. */
static const double least_of_class = 0.2, least_ratio = 2;
enum { NO_GROUP = UINT8_MAX };

const char *requests_group_name(enum requests_group_kind kind)
{
	static const char *const names[] = { "all", "burst", "worker", "shape", "rest", "mixed",
		"cause" };
	return names[kind];
}

struct grouping {
	const struct requests_kinds *k;
	const struct requests_parts_finder *f;
	const struct requests_like *like;
	const uint32_t *which;
	uint32_t n, slow;
	struct requests_groups *x;
	struct mer_err *err;
};

static uint8_t add_group(struct requests_groups *x, struct requests_group g)
{
	x->item[x->n] = g;
	return (uint8_t)x->n++;
}

/* ---- bursts ---- */

static int by_begin(const void *a, const void *b)
{
	const struct requests_moment *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->place > q->place) - (p->place < q->place);
}

static int find_bursts(struct grouping *g)
{
	struct requests_moment *m = malloc(((size_t)g->n + 1) * sizeof(*m));
	struct requests_burst bursts[REQUESTS_MOST_BURSTS];
	if (!m)
		return mer_fail_nomem(g->err);
	for (uint32_t i = 0; i < g->n; i++)
		m[i] = (struct requests_moment){ g->k->r->exchanges[g->which[i]].begin, i,
			g->n - 1 - i };
	if (g->n)
		qsort(m, g->n, sizeof(*m), by_begin);
	unsigned n = requests_bursts_find(m, g->n, g->n - g->slow, bursts);
	for (unsigned i = 0; i < n; i++) {
		uint8_t group = add_group(g->x,
			(struct requests_group){ .kind = REQUESTS_GROUP_BURST, .n_bursts = 1 });
		for (size_t k = bursts[i].from; k < bursts[i].until; k++)
			if (m[k].place >= g->slow)
				g->x->of[m[k].place - g->slow] = group;
	}
	free(m);
	return 0;
}

/* ---- workers ---- */

struct worker {
	uint32_t host, task;
	uint32_t n, n_slow; /* requests that it served, or one below */
	uint32_t last;	    /* of these */
};

struct workers {
	struct mer_map map; /* number in item, plus 1 */
	struct worker *item;
	size_t n, cap;
};

static struct worker *worker_of(struct workers *x, uint32_t host, uint32_t task)
{
	uint32_t key[] = { host, task };
	uint32_t *at = mer_map_put(&x->map, mer_hash(key, sizeof(key)));
	if (!at || !mer_grow(&x->item, x->n, &x->cap, sizeof(*x->item)))
		return NULL;
	if (!*at) {
		x->item[x->n] = (struct worker){ .host = host, .task = task, .last = KERNEL_NONE };
		*at = (uint32_t)++x->n;
	}
	return &x->item[*at - 1];
}

/* All that served the request or one below it, each once. */
static bool count_workers(const struct grouping *g, struct workers *x, uint32_t root,
	uint32_t exchange, bool is_slow, unsigned depth)
{
	const struct requests *r = g->k->r;
	const struct requests_exchange *e = &r->exchanges[exchange];
	const struct requests_end *end =
		&requests_connection_of(r, exchange)->ends[REQUESTS_SERVER];
	uint32_t n;
	const uint32_t *children = requests_children(g->f, exchange, &n);
	if (e->server_task != KERNEL_NONE) {
		struct worker *w = worker_of(x, end->host, e->server_task);
		if (!w)
			return false;
		if (w->last != root) {
			w->n++;
			w->n_slow += is_slow;
			w->last = root;
		}
	}
	for (uint32_t i = 0; i < n && depth < REQUESTS_MOST_DEPTH; i++)
		if (!count_workers(g, x, root, children[i], is_slow, depth + 1))
			return false;
	return true;
}

/* How likely it is at most that chance has that share of n, where `share` is expected (the bound of
 * Chernoff). */
static double chance_of(double found, double share, double n)
{
	double rest = found < 1 ? (1 - found) * log((1 - found) / (1 - share)) : 0;
	return exp(-n * (found * log(found / share) + rest));
}

static bool was_served_by(
	const struct grouping *g, const struct worker *w, uint32_t exchange, unsigned depth)
{
	const struct requests *r = g->k->r;
	uint32_t n;
	const uint32_t *children = requests_children(g->f, exchange, &n);
	if (r->exchanges[exchange].server_task == w->task &&
		requests_connection_of(r, exchange)->ends[REQUESTS_SERVER].host == w->host)
		return true;
	for (uint32_t i = 0; i < n && depth < REQUESTS_MOST_DEPTH; i++)
		if (was_served_by(g, w, children[i], depth + 1))
			return true;
	return false;
}

/* The one whose share of the slow requests is by most above its share of all. */
static int find_worker(struct grouping *g)
{
	struct workers x = { 0 };
	uint32_t n_slow = 0;
	double most = least_difference;
	struct worker best = { 0 };
	bool ok = true;
	for (uint32_t i = 0; ok && i < g->n; i++) {
		bool is_slow = i >= g->slow && g->x->of[i - g->slow] == NO_GROUP;
		n_slow += is_slow;
		ok = count_workers(g, &x, g->which[i], g->which[i], is_slow, 0);
	}
	for (size_t i = 0; ok && i < x.n; i++) {
		const struct worker *w = &x.item[i];
		double found = n_slow ? (double)w->n_slow / n_slow : 0;
		double share = (double)w->n / g->n;
		if (w->n_slow < LEAST_SLOW || found < least_of_slow || found - share < most ||
			chance_of(found, share, n_slow) * (double)x.n > by_chance)
			continue;
		most = found - share;
		best = *w;
	}
	if (ok && best.n) {
		uint8_t group =
			add_group(g->x, (struct requests_group){ .kind = REQUESTS_GROUP_WORKER,
						.host = best.host,
						.task = best.task,
						.slow_share = (double)best.n_slow / n_slow,
						.share = (double)best.n / g->n });
		for (uint32_t i = g->slow; i < g->n; i++)
			if (g->x->of[i - g->slow] == NO_GROUP &&
				was_served_by(g, &best, g->which[i], 0))
				g->x->of[i - g->slow] = group;
	}
	mer_map_fini(&x.map);
	free(x.item);
	return ok ? 0 : mer_fail_nomem(g->err);
}

/* ---- shapes, and the rest ---- */

struct in_class {
	uint32_t n, n_slow; /* of all; of the slow ones that are in no group yet */
};

/* How unlikely it is by chance that so many of the slow ones are of the class, as a logarithm;
 * below 1 if they are not, but these are enough to see whether they are slow for a reason of their
 * own (then there is evidence nevertheless, and else they become one with others again). 0: too
 * few. */
static double weight_of_class(const struct grouping *g, const struct in_class *c, uint32_t n_slow)
{
	double found = n_slow ? (double)c->n_slow / n_slow : 0;
	double share = (double)c->n / g->n;
	if (c->n_slow < LEAST_SLOW || found < least_of_class)
		return 0;
	double chance =
		found < least_ratio * share ? 1 : chance_of(found, share, n_slow) * g->like->n;
	if (chance <= by_chance)
		return 1 - log(chance + DBL_MIN);
	return c->n_slow >= LEAST_OTHERWISE && c->n_slow < n_slow ? found : 0;
}

/* What these slow requests have that few others have, in words; their shares are the group's. */
static int name_shape(struct grouping *g, uint8_t group)
{
	struct requests_shape *shape = &g->x->item[group].shape;
	uint32_t *order = malloc(((size_t)g->n + 1) * sizeof(*order)), n = 0;
	if (!order)
		return mer_fail_nomem(g->err);
	for (uint32_t i = 0; i < g->slow; i++)
		order[n++] = g->which[i];
	for (uint32_t i = g->slow; i < g->n; i++)
		if (g->x->of[i - g->slow] == group)
			order[n++] = g->which[i];
	int rc = requests_shape_find(g->k->r, g->f, order, n, g->slow, shape, g->err);
	if (rc == 0 && !shape->is_found) {
		uint64_t below = requests_count_below(g->f, order[g->slow]);
		*shape = (struct requests_shape){ .is_found = true,
			.sizes[REQUESTS_SIZE_BELOW] = { true, below, below },
			.n_slow = n - g->slow,
			.slow_share = 1,
			.share = g->x->item[group].share };
	}
	free(order);
	return rc;
}

/* The class that is least by chance; false: there is none. */
static bool best_class(const struct grouping *g, struct in_class *classes, uint32_t *best, int *at)
{
	const struct requests_like *like = g->like;
	uint32_t n_slow = 0;
	double most = 0;
	memset(classes, 0, like->n * sizeof(*classes));
	for (uint32_t i = 0; i < g->n; i++) {
		bool is_slow = i >= g->slow && g->x->of[i - g->slow] == NO_GROUP;
		n_slow += is_slow;
		for (int level = 0; level < REQUESTS_LIKE_LEVELS; level++) {
			classes[like->level[i][level]].n++;
			classes[like->level[i][level]].n_slow += is_slow;
		}
	}
	for (uint32_t i = g->slow; i < g->n; i++)
		for (int level = 0; level < REQUESTS_LIKE_LEVELS; level++) {
			uint32_t class = like->level[i][level];
			double weight = weight_of_class(g, &classes[class], n_slow);
			if (weight <= most)
				continue;
			most = weight;
			*best = class;
			*at = level;
		}
	if (most > 0)
		add_group(g->x, (struct requests_group){ .kind = REQUESTS_GROUP_SHAPE,
					.may_be_chance = most < 1,
					.slow_share = (double)classes[*best].n_slow / n_slow,
					.share = (double)classes[*best].n / g->n });
	return most > 0;
}

static int find_classes(struct grouping *g)
{
	struct in_class *classes = malloc(((size_t)g->like->n + 1) * sizeof(*classes));
	uint32_t best = 0;
	int level = 0, rc = classes ? 0 : mer_fail_nomem(g->err);
	for (int i = 0;
		rc == 0 && i < REQUESTS_MOST_SHAPES && best_class(g, classes, &best, &level); i++) {
		uint8_t group = (uint8_t)(g->x->n - 1);
		for (uint32_t k = g->slow; k < g->n; k++)
			if (g->x->of[k - g->slow] == NO_GROUP && g->like->level[k][level] == best)
				g->x->of[k - g->slow] = group;
		rc = name_shape(g, group);
	}
	free(classes);
	return rc;
}

/* Do all slow ones have the same below them? Then sizes alone tell them apart. */
static bool is_one_class(const struct grouping *g)
{
	for (uint32_t i = g->slow; i < g->n; i++)
		if (g->like->level[i][REQUESTS_SAME_BELOW] !=
			g->like->level[g->slow][REQUESTS_SAME_BELOW])
			return false;
	return true;
}

static int find_sizes(struct grouping *g)
{
	struct requests_group found = { .kind = REQUESTS_GROUP_SHAPE };
	int rc = requests_shape_find(g->k->r, g->f, g->which, g->n, g->slow, &found.shape, g->err);
	const struct requests_shape *s = &found.shape;
	if (rc || !s->is_found || s->n_slow < LEAST_SLOW ||
		chance_of(s->slow_share, s->share, g->n - g->slow) * g->n > by_chance)
		return rc;
	found.slow_share = s->slow_share;
	found.share = s->share;
	uint8_t group = add_group(g->x, found);
	for (uint32_t i = g->slow; i < g->n; i++)
		if (requests_shape_has(s, g->k->r, g->f, g->which[i]))
			g->x->of[i - g->slow] = group;
	return 0;
}

int requests_groups_find(const struct requests_kinds *k, const struct requests_parts_finder *f,
	const struct requests_like *like, const uint32_t *which, uint32_t n, uint32_t slow,
	struct requests_groups *x, struct mer_err *err)
{
	struct grouping g = { .k = k,
		.f = f,
		.like = like,
		.which = which,
		.n = n,
		.slow = slow,
		.x = x,
		.err = err };
	*x = (struct requests_groups){ .of = malloc((size_t)(n - slow) + 1) };
	if (!x->of)
		return mer_fail_nomem(err);
	memset(x->of, NO_GROUP, (size_t)(n - slow) + 1);
	int rc = find_bursts(&g);
	if (rc == 0)
		rc = find_worker(&g);
	if (rc == 0)
		rc = find_classes(&g);
	if (rc == 0 && !x->n && is_one_class(&g))
		rc = find_sizes(&g);
	if (rc)
		return rc;
	uint8_t rest = NO_GROUP;
	for (uint32_t i = slow; i < n; i++) {
		if (x->of[i - slow] != NO_GROUP)
			continue;
		if (rest == NO_GROUP)
			rest = add_group(x,
				(struct requests_group){
					.kind = x->n ? REQUESTS_GROUP_REST : REQUESTS_GROUP_ALL });
		x->of[i - slow] = rest;
	}
	return 0;
}
