/* Chosen: which states match a request's filters (filter.h), and whether the others are dimmed or
 * left out. The numbers are those of the protocol: keys of a request, tags of a state. */
#ifndef MER_SERVER_TSP_CHOSEN_H
#define MER_SERVER_TSP_CHOSEN_H

#include "server/tsp/filter.h"
#include "server/tsp/query.h"

enum { TSP_SHOWN, TSP_DIMMED = 1, TSP_EXCLUDED = 4 };

struct tsp_chosen { /* zeroed: all states match */
	struct tsp_filter *dimmed[TSP_MAX_FILTERS], *excluded[TSP_MAX_FILTERS];
	size_t n_dimmed, n_excluded;
};

/* tsp_chosen_fini in any case. MER_ERR_USAGE: one of the expressions has a syntax error. */
int tsp_chosen_make(struct tsp_chosen *c, const struct tsp_query *q, struct mer_arena *arena,
	struct mer_err *err);
void tsp_chosen_fini(struct tsp_chosen *c);
static inline bool tsp_chosen_is_any(const struct tsp_chosen *c)
{
	return c->n_dimmed || c->n_excluded;
}
unsigned tsp_chosen_tag(const struct tsp_chosen *c, const struct tsp_facts *facts);

#endif
