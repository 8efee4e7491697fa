#include "sync/limits/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sync/limits/incidence.h"

/* In larger groups only this many hosts are tried as the reference: those with most neighbours. */
enum { MAX_CANDIDATES = 128 };

struct graph {
	const struct sync_edge *edges;
	uint32_t n_hosts;
	struct sync_incidence edges_of;
	/* Search: a binary heap of hosts by distance. */
	double *distance;
	uint32_t *heap, *at; /* at: place in the heap + 1, 0: not there */
	uint32_t n_heap;
	uint32_t *order; /* hosts in the order of their distance */
	uint32_t *parent, *edge;
};

static void heap_up(struct graph *g, uint32_t i)
{
	uint32_t h = g->heap[i];
	while (i > 0) {
		uint32_t up = (i - 1) / 2, o = g->heap[up];
		if (g->distance[o] < g->distance[h] || (g->distance[o] == g->distance[h] && o < h))
			break;
		g->heap[i] = o;
		g->at[o] = i + 1;
		i = up;
	}
	g->heap[i] = h;
	g->at[h] = i + 1;
}

static uint32_t heap_pop(struct graph *g)
{
	uint32_t top = g->heap[0], last = g->heap[--g->n_heap], i = 0;
	g->at[top] = 0;
	if (g->n_heap == 0)
		return top;
	for (;;) {
		uint32_t best = last, place = i;
		for (uint32_t k = 2 * i + 1; k <= 2 * i + 2 && k < g->n_heap; k++) {
			uint32_t o = g->heap[k];
			if (g->distance[o] < g->distance[best] ||
				(g->distance[o] == g->distance[best] && o < best)) {
				best = o;
				place = k;
			}
		}
		if (best == last)
			break;
		g->heap[i] = best;
		g->at[best] = i + 1;
		i = place;
	}
	g->heap[i] = last;
	g->at[last] = i + 1;
	return top;
}

/* Shortest paths from a host; returns how many hosts it reaches, which are in order. */
static uint32_t search(struct graph *g, uint32_t from, double *sum)
{
	for (uint32_t h = 0; h < g->n_hosts; h++)
		g->distance[h] = INFINITY;
	uint32_t n = 0;
	*sum = 0;
	g->distance[from] = 0;
	g->parent[from] = g->edge[from] = SYNC_NO_HOST;
	g->n_heap = 0;
	g->heap[g->n_heap++] = from;
	g->at[from] = 1;
	while (g->n_heap) {
		uint32_t h = heap_pop(g);
		g->order[n++] = h;
		*sum += g->distance[h];
		for (uint32_t i = g->edges_of.first[h]; i < g->edges_of.first[h + 1]; i++) {
			uint32_t number = g->edges_of.edges[i];
			const struct sync_edge *e = &g->edges[number];
			uint32_t o = e->a == h ? e->b : e->a;
			double d = g->distance[h] + e->width;
			if (d >= g->distance[o])
				continue;
			bool is_new = g->distance[o] == INFINITY;
			if (!is_new && !g->at[o]) /* is in order already */
				continue;
			g->distance[o] = d;
			g->parent[o] = h;
			g->edge[o] = number;
			if (is_new) {
				g->heap[g->n_heap] = o;
				g->at[o] = ++g->n_heap;
			}
			heap_up(g, g->at[o] - 1);
		}
	}
	return n;
}

static void graph_free(struct graph *g)
{
	sync_incidence_free(&g->edges_of);
	free(g->distance);
	free(g->heap);
	free(g->at);
	free(g->order);
	free(g->parent);
	free(g->edge);
}

static void ends_of_edge(const void *ctx, uint32_t i, uint32_t *a, uint32_t *b)
{
	const struct graph *g = ctx;
	*a = g->edges[i].a;
	*b = g->edges[i].b;
}

static int graph_new(struct graph *g, const struct sync_edge *edges, size_t n_edges, uint32_t n,
	struct mer_err *err)
{
	*g = (struct graph){ .edges = edges, .n_hosts = n };
	g->distance = malloc(((size_t)n + 1) * sizeof(*g->distance));
	g->heap = malloc(((size_t)n + 1) * sizeof(*g->heap));
	g->at = calloc((size_t)n + 1, sizeof(*g->at));
	g->order = malloc(((size_t)n + 1) * sizeof(*g->order));
	g->parent = malloc(((size_t)n + 1) * sizeof(*g->parent));
	g->edge = malloc(((size_t)n + 1) * sizeof(*g->edge));
	if (!g->distance || !g->heap || !g->at || !g->order || !g->parent || !g->edge)
		return mer_fail_nomem(err);
	return sync_incidence_new(&g->edges_of, n, (uint32_t)n_edges, ends_of_edge, g, err);
}

/* The best reference among n hosts (all of one group). */
static uint32_t choose(struct graph *g, const uint32_t *hosts, uint32_t n, const uint32_t *rank)
{
	uint32_t least = UINT32_MAX, best = hosts[0];
	for (uint32_t i = 0; rank && i < n; i++)
		least = rank[hosts[i]] < least ? rank[hosts[i]] : least;
	/* The degree that at most MAX_CANDIDATES of those exceed. */
	uint32_t degree = 0, count = 0;
	for (uint32_t i = 0; i < n; i++)
		count += !rank || rank[hosts[i]] == least;
	while (count > MAX_CANDIDATES) {
		degree++;
		count = 0;
		for (uint32_t i = 0; i < n; i++)
			count += (!rank || rank[hosts[i]] == least) &&
				 g->edges_of.first[hosts[i] + 1] - g->edges_of.first[hosts[i]] >
					 degree;
	}
	double best_sum = INFINITY;
	uint32_t tried = 0;
	for (int more = 1; more >= 0; more--)
		for (uint32_t i = 0; i < n && tried < MAX_CANDIDATES; i++) {
			uint32_t h = hosts[i],
				 neighbours = g->edges_of.first[h + 1] - g->edges_of.first[h];
			if ((rank && rank[h] != least) ||
				(more ? neighbours <= degree : neighbours != degree))
				continue;
			double sum;
			tried++;
			search(g, h, &sum);
			if (sum < best_sum) {
				best_sum = sum;
				best = h;
			}
		}
	return best;
}

struct group {
	uint32_t reference, n;
};

static int by_size(const void *a, const void *b)
{
	const struct group *p = a, *q = b;
	if (p->n != q->n)
		return p->n > q->n ? -1 : 1;
	return p->reference < q->reference ? -1 : 1;
}

int sync_tree_new(const struct sync_edge *edges, size_t n_edges, uint32_t n_hosts, uint32_t wanted,
	const uint32_t *rank, struct sync_tree *tree, struct mer_err *err)
{
	size_t n = (size_t)n_hosts + 1;
	*tree = (struct sync_tree){ .n_hosts = n_hosts };
	struct graph g;
	int rc = graph_new(&g, edges, n_edges, n_hosts, err);
	tree->group = malloc(n * sizeof(*tree->group));
	tree->references = malloc(n * sizeof(*tree->references));
	tree->parent = malloc(n * sizeof(*tree->parent));
	tree->edge = malloc(n * sizeof(*tree->edge));
	tree->order = malloc(n * sizeof(*tree->order));
	struct group *groups = malloc(n * sizeof(*groups));
	uint32_t *members = malloc(n * sizeof(*members));
	if (rc == 0 && (!tree->group || !tree->references || !tree->parent || !tree->edge ||
			       !tree->order || !groups || !members))
		rc = mer_fail_nomem(err);
	for (uint32_t h = 0; h < n_hosts && rc == 0; h++)
		tree->group[h] = SYNC_NO_HOST;
	for (uint32_t h = 0; h < n_hosts && rc == 0; h++) {
		if (tree->group[h] != SYNC_NO_HOST)
			continue;
		double sum;
		uint32_t m = search(&g, h, &sum);
		bool has_wanted = false;
		for (uint32_t i = 0; i < m; i++) {
			members[i] = g.order[i];
			tree->group[members[i]] = tree->n_groups;
			has_wanted |= members[i] == wanted;
		}
		groups[tree->n_groups++] =
			(struct group){ has_wanted ? wanted : choose(&g, members, m, rank), m };
	}
	uint32_t placed = 0;
	if (rc == 0)
		qsort(groups, tree->n_groups, sizeof(*groups), by_size);
	for (uint32_t i = 0; i < tree->n_groups && rc == 0; i++) {
		double sum;
		uint32_t m = search(&g, groups[i].reference, &sum);
		tree->references[i] = groups[i].reference;
		for (uint32_t k = 0; k < m; k++) {
			uint32_t h = g.order[k];
			tree->group[h] = i;
			tree->parent[h] = g.parent[h];
			tree->edge[h] = g.edge[h];
			tree->order[placed++] = h;
		}
	}
	graph_free(&g);
	free(groups);
	free(members);
	if (rc)
		sync_tree_free(tree);
	return rc;
}

void sync_tree_free(struct sync_tree *tree)
{
	free(tree->group);
	free(tree->references);
	free(tree->parent);
	free(tree->edge);
	free(tree->order);
	memset(tree, 0, sizeof(*tree));
}
