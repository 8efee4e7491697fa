/* Shape: in what the slow requests of a kind differ from its other ones, as far as the traces say
 * without a look at the payload: sizes of the request and the answer, and how many requests were
 * sent to answer it. Requests of one shape are often those of one URL or statement.
 *
 * A shape is a range of each. The one that is found has the greatest difference between its shares
 * of the slow requests and of all. */
#ifndef MER_REQUESTS_SHAPE_H
#define MER_REQUESTS_SHAPE_H

#include "requests/parts.h"

enum requests_size { REQUESTS_SIZE_OUT, REQUESTS_SIZE_IN, REQUESTS_SIZE_BELOW, REQUESTS_N_SIZES };

struct requests_shape {
	bool is_found;
	struct {
		bool is_limit; /* else all are in it, as good as */
		uint64_t least, most;
	} sizes[REQUESTS_N_SIZES];
	uint32_t n_slow;	  /* slow requests of this shape */
	double slow_share, share; /* of the slow ones, and of all */
};

/* which: exchanges, from `slow` on the slow ones. is_found: false where no shape has most of the
 * slow ones and few of the others. */
int requests_shape_find(const struct requests *r, const struct requests_parts_finder *f,
	const uint32_t *which, uint32_t n, uint32_t slow, struct requests_shape *shape,
	struct mer_err *err);
uint32_t requests_count_below(const struct requests_parts_finder *f, uint32_t exchange);
/* Is the exchange of this shape? */
bool requests_shape_has(const struct requests_shape *shape, const struct requests *r,
	const struct requests_parts_finder *f, uint32_t exchange);

#endif
