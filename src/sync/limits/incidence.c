#include "sync/limits/incidence.h"

#include <stdlib.h>

int sync_incidence_new(struct sync_incidence *x, uint32_t n_hosts, uint32_t n_edges,
	sync_ends_of *ends, const void *ctx, struct mer_err *err)
{
	uint32_t a, b;
	x->first = calloc((size_t)n_hosts + 2, sizeof(*x->first));
	x->edges = malloc(((size_t)n_edges * 2 + 1) * sizeof(*x->edges));
	if (!x->first || !x->edges)
		return mer_fail_nomem(err);
	/* Edges of h are counted at h + 2. After summing, first[h + 1] is where h's edges begin;
	 * filling moves it to where they end, which is where those of the next host begin. */
	for (uint32_t i = 0; i < n_edges; i++) {
		ends(ctx, i, &a, &b);
		x->first[a + 2]++;
		x->first[b + 2]++;
	}
	for (uint32_t h = 1; h <= n_hosts; h++)
		x->first[h + 1] += x->first[h];
	for (uint32_t i = 0; i < n_edges; i++) {
		ends(ctx, i, &a, &b);
		x->edges[x->first[a + 1]++] = i;
		x->edges[x->first[b + 1]++] = i;
	}
	return 0;
}

void sync_incidence_free(struct sync_incidence *x)
{
	free(x->first);
	free(x->edges);
	*x = (struct sync_incidence){ 0 };
}
