#include "server/tsp/chosen.h"

static int make(const char *const *texts, size_t n, struct mer_arena *arena,
	struct tsp_filter **filters, size_t *n_filters, struct mer_err *err)
{
	for (size_t i = 0; i < n; i++) {
		int rc = tsp_filter_parse(texts[i], arena, &filters[*n_filters], err);
		if (rc)
			return rc;
		(*n_filters)++;
	}
	return 0;
}

int tsp_chosen_make(struct tsp_chosen *c, const struct tsp_query *q, struct mer_arena *arena,
	struct mer_err *err)
{
	*c = (struct tsp_chosen){ 0 };
	int rc = make(q->dimmed, q->n_dimmed, arena, c->dimmed, &c->n_dimmed, err);
	return rc ? rc : make(q->excluded, q->n_excluded, arena, c->excluded, &c->n_excluded, err);
}

void tsp_chosen_fini(struct tsp_chosen *c)
{
	for (size_t i = 0; i < c->n_dimmed; i++)
		tsp_filter_fini(c->dimmed[i]);
	for (size_t i = 0; i < c->n_excluded; i++)
		tsp_filter_fini(c->excluded[i]);
}

static bool fit(struct tsp_filter *const *filters, size_t n, const struct tsp_facts *facts)
{
	bool all = true;
	for (size_t i = 0; i < n && all; i++)
		all = tsp_filter_matches(filters[i], facts);
	return all;
}

unsigned tsp_chosen_tag(const struct tsp_chosen *c, const struct tsp_facts *facts)
{
	if (!fit(c->excluded, c->n_excluded, facts))
		return TSP_EXCLUDED;
	return fit(c->dimmed, c->n_dimmed, facts) ? TSP_SHOWN : TSP_DIMMED;
}
