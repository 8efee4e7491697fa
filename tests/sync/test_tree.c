/* Trees: groups, references and paths are those that trying everything finds. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random.h"
#include "sync/limits/tree.h"

enum { MAX_HOSTS = 12, MAX_EDGES = 40 };

struct graph {
	uint32_t n;
	struct sync_edge edges[MAX_EDGES];
	size_t n_edges;
	double distance[MAX_HOSTS][MAX_HOSTS];
};

/* Few different widths, whole numbers: paths of the same width are frequent, and sums exact. */
static void make(struct graph *g, uint64_t *seed)
{
	g->n = (uint32_t)random_in(seed, 1, MAX_HOSTS);
	g->n_edges = g->n > 1 ? random_next(seed) % (random_next(seed) & 1 ? g->n : MAX_EDGES) : 0;
	int64_t widest = random_next(seed) & 1 ? 3 : 1000000;
	for (size_t i = 0; i < g->n_edges; i++) {
		uint32_t a = (uint32_t)(random_next(seed) % g->n);
		uint32_t b = (a + 1 + (uint32_t)(random_next(seed) % (g->n - 1))) % g->n;
		g->edges[i] = (struct sync_edge){ a, b, (double)random_in(seed, 1, widest) };
	}
	for (uint32_t i = 0; i < g->n; i++)
		for (uint32_t j = 0; j < g->n; j++)
			g->distance[i][j] = i == j ? 0 : INFINITY;
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct sync_edge *e = &g->edges[i];
		double d = fmin(g->distance[e->a][e->b], e->width);
		g->distance[e->a][e->b] = g->distance[e->b][e->a] = d;
	}
	for (uint32_t k = 0; k < g->n; k++)
		for (uint32_t i = 0; i < g->n; i++)
			for (uint32_t j = 0; j < g->n; j++)
				g->distance[i][j] = fmin(
					g->distance[i][j], g->distance[i][k] + g->distance[k][j]);
}

static uint32_t group_size(const struct graph *g, uint32_t host)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->n; i++)
		n += !isinf(g->distance[host][i]);
	return n;
}

static double sum(const struct graph *g, uint32_t host)
{
	double s = 0;
	for (uint32_t i = 0; i < g->n; i++)
		s += isinf(g->distance[host][i]) ? 0 : g->distance[host][i];
	return s;
}

static void check_groups(const struct graph *g, const struct sync_tree *t)
{
	uint32_t before = UINT32_MAX;
	for (uint32_t i = 0; i < t->n_groups; i++) {
		uint32_t size = group_size(g, t->references[i]);
		assert_true(size <= before);
		assert_int_equal(t->group[t->references[i]], i);
		before = size;
	}
	for (uint32_t a = 0; a < g->n; a++)
		for (uint32_t b = 0; b < g->n; b++)
			assert_int_equal(t->group[a] == t->group[b], !isinf(g->distance[a][b]));
}

static void check_references(
	const struct graph *g, const struct sync_tree *t, uint32_t wanted, const uint32_t *rank)
{
	for (uint32_t i = 0; i < t->n_groups; i++) {
		uint32_t r = t->references[i];
		if (wanted < g->n && t->group[wanted] == i) {
			assert_int_equal(r, wanted);
			continue;
		}
		for (uint32_t h = 0; h < g->n; h++) {
			if (t->group[h] != i)
				continue;
			assert_true(!rank || rank[r] <= rank[h]);
			if (!rank || rank[r] == rank[h])
				assert_true(sum(g, r) <= sum(g, h));
		}
	}
}

static void check_paths(const struct graph *g, const struct sync_tree *t)
{
	bool seen[MAX_HOSTS] = { 0 };
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t h = t->order[i], reference = t->references[t->group[h]];
		assert_false(seen[h]);
		seen[h] = true;
		if (h == reference) {
			assert_int_equal(t->parent[h], SYNC_NO_HOST);
			assert_int_equal(t->edge[h], SYNC_NO_HOST);
			continue;
		}
		const struct sync_edge *e = &g->edges[t->edge[h]];
		assert_true(seen[t->parent[h]]);
		assert_true(
			(e->a == h && e->b == t->parent[h]) || (e->b == h && e->a == t->parent[h]));
		assert_true(g->distance[reference][t->parent[h]] + e->width ==
			    g->distance[reference][h]);
	}
}

static void all_paths(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 5000; k++) {
		uint64_t seed = k;
		struct graph g;
		make(&g, &seed);
		uint32_t ranks[MAX_HOSTS], *rank = k & 1 ? ranks : NULL;
		for (uint32_t h = 0; h < g.n; h++)
			ranks[h] = (uint32_t)(random_next(&seed) % 3);
		uint32_t wanted = k & 2 ? (uint32_t)(random_next(&seed) % g.n) : SYNC_NO_HOST;
		struct sync_tree t;
		assert_int_equal(sync_tree_new(g.edges, g.n_edges, g.n, wanted, rank, &t, NULL), 0);
		assert_int_equal(t.n_hosts, g.n);
		check_groups(&g, &t);
		check_references(&g, &t, wanted, rank);
		check_paths(&g, &t);
		sync_tree_free(&t);
	}
}

/* Some hundreds of hosts around one: not all of them are tried, the one in the middle is. */
static void large_star(void **state)
{
	(void)state;
	enum { N = 400 };
	struct sync_edge *edges = calloc(N, sizeof(*edges));
	assert_non_null(edges);
	for (uint32_t i = 0; i + 1 < N; i++)
		edges[i] = (struct sync_edge){ i, N - 1, 1 + i };
	struct sync_tree t;
	assert_int_equal(sync_tree_new(edges, N - 1, N, SYNC_NO_HOST, NULL, &t, NULL), 0);
	assert_int_equal(t.n_groups, 1);
	assert_int_equal(t.references[0], N - 1);
	for (uint32_t i = 0; i + 1 < N; i++)
		assert_int_equal(t.parent[i], N - 1);
	sync_tree_free(&t);
	free(edges);
}

/* Two such stars: the better middle is behind all hosts of the other one. */
static void far_star(void **state)
{
	(void)state;
	enum { N = 600, A = 200, B = N - 1 };
	struct sync_edge *edges = calloc(N, sizeof(*edges));
	assert_non_null(edges);
	size_t n = 0;
	for (uint32_t i = 0; i < N; i++)
		if (i != A && i != B)
			edges[n++] = (struct sync_edge){ i, i < A ? A : B, 1 };
	edges[n++] = (struct sync_edge){ A, B, 100 };
	struct sync_tree t;
	assert_int_equal(sync_tree_new(edges, n, N, SYNC_NO_HOST, NULL, &t, NULL), 0);
	assert_int_equal(t.references[0], B);
	sync_tree_free(&t);
	free(edges);
}

/* The hosts that may be the reference are few, and have few neighbours: they are still the ones. */
static void rank_in_a_large_group(void **state)
{
	(void)state;
	enum { N = 400 };
	struct sync_edge *edges = calloc(3 * N, sizeof(*edges));
	uint32_t *rank = calloc(N, sizeof(*rank));
	assert_non_null(edges);
	assert_non_null(rank);
	size_t n = 0;
	for (uint32_t i = 0; i < N; i++)
		rank[i] = 1;
	for (uint32_t i = 0; i + 2 < N; i++) {
		edges[n++] = (struct sync_edge){ i, i + 1, 1 };
		if (i + 3 < N)
			edges[n++] = (struct sync_edge){ i, i + 2, 1 };
	}
	edges[n++] = (struct sync_edge){ 200, N - 1, 1 }; /* one neighbour only */
	rank[N - 1] = rank[3] = 0;
	struct sync_tree t;
	assert_int_equal(sync_tree_new(edges, n, N, SYNC_NO_HOST, rank, &t, NULL), 0);
	assert_int_equal(t.n_groups, 1);
	assert_int_equal(t.references[0], N - 1);
	sync_tree_free(&t);
	free(edges);
	free(rank);
}

static void nothing(void **state)
{
	(void)state;
	struct sync_tree t;
	assert_int_equal(sync_tree_new(NULL, 0, 0, SYNC_NO_HOST, NULL, &t, NULL), 0);
	assert_int_equal(t.n_groups, 0);
	sync_tree_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_paths),
		cmocka_unit_test(large_star),
		cmocka_unit_test(far_star),
		cmocka_unit_test(rank_in_a_large_group),
		cmocka_unit_test(nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
