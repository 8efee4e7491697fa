/* Cost sums: what requests cost, by kind and each, and what was used for none, by program. */
#ifndef MER_REQUESTS_COST_SUMS_H
#define MER_REQUESTS_COST_SUMS_H

#include "requests/cost.h"
#include "requests/kinds.h"

struct requests_kind_cost {
	uint32_t kind, count;
	struct requests_cost self;  /* of what served them itself */
	struct requests_cost total; /* and of all requests below them */
};

struct requests_program_cost {
	uint32_t host;
	const char *program; /* of the process's first thread; "": not known */
	struct requests_cost cost;
};

struct requests_cost_sums {
	struct requests_kind_cost *kinds; /* of chosen requests; most CPU time first */
	uint32_t n_kinds;
	struct requests_program_cost *programs; /* what was used for none; likewise */
	uint32_t n_programs;
	struct requests_cost *for_requests, *for_none; /* by host: the chosen ones and others */
	uint32_t n_hosts;
	struct requests_cost others, none, all; /* of requests that were not chosen; ...; sum */
};

/* For what was used in [begin, end). which: the chosen requests, which are counted whenever they
 * happened. requests_cost_sums_fini in any case. */
int requests_cost_sum(const struct requests_kinds *k, const struct requests_parts_finder *f,
	const struct usage *u, const uint32_t *which, uint32_t n, int64_t begin, int64_t end,
	struct requests_cost_sums *s, struct mer_err *err);
void requests_cost_sums_fini(struct requests_cost_sums *s);

/* Of each request, by its number: blocks of the world's spill, to be released. */
int requests_cost_each(const struct requests *r, const struct requests_parts_finder *f,
	const struct usage *u, struct requests_cost **self, struct requests_cost **total,
	struct mer_err *err);

#endif
