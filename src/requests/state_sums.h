/* State sums: in which states of a view the time of requests went, and what the kernel did with the
 * task meanwhile: whether the program had work to do in `query_db`, or waited there. */
#ifndef MER_REQUESTS_STATE_SUMS_H
#define MER_REQUESTS_STATE_SUMS_H

#include "requests/kinds.h"

struct requests_state_row {
	uint32_t kind;
	uint32_t program, state;	    /* names, in requests_state_sums.names */
	int64_t ns;			    /* of all requests */
	int64_t parts_ns[REQUESTS_N_PARTS]; /* the same; of BELOW there is none */
};

struct requests_state_sums {
	struct mer_arena arena;
	struct mer_intern names;
	struct requests_state_row *rows; /* malloc'ed; by kind, then the greatest first */
	size_t n, cap;
};

/* Of the exchanges in `which` that have a latency; what is in requests below them is left out, as
 * is time in no state. requests_state_sums_fini in any case. */
int requests_state_sum(const struct requests_kinds *k, struct requests_parts_finder *f,
	const uint32_t *which, uint32_t n, struct requests_state_sums *s, struct mer_err *err);
void requests_state_sums_fini(struct requests_state_sums *s);

#endif
