/* Incidence: which edges (pairs, links) each host has, as lists in one array. */
#ifndef MER_SYNC_LIMITS_INCIDENCE_H
#define MER_SYNC_LIMITS_INCIDENCE_H

#include <stdint.h>
#include "base/err.h"

struct sync_incidence {
	uint32_t *first; /* of each host: edges[first[h]] to edges[first[h + 1] - 1] */
	uint32_t *edges; /* numbers, ascending for each host */
};

/* The two hosts of edge i. */
typedef void sync_ends_of(const void *ctx, uint32_t i, uint32_t *a, uint32_t *b);

/* Must be freed, also after a failure. */
int sync_incidence_new(struct sync_incidence *x, uint32_t n_hosts, uint32_t n_edges,
	sync_ends_of *ends, const void *ctx, struct mer_err *err);
void sync_incidence_free(struct sync_incidence *x);

#endif
