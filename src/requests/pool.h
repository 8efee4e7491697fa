/* Pool: the connections of a process to one server, of which each serves one request at a time. */
#ifndef MER_REQUESTS_POOL_H
#define MER_REQUESTS_POOL_H

#include "requests/requests.h"

/* By connection, the next one of its pool, in a circle: a block of the world's spill. NULL: no
 * memory. */
uint32_t *requests_pools_find(const struct requests *r);
/* Was another connection of the pool free all the time from `from` to `until`? Whoever sent the
 * exchange then did not have to wait for its connection. */
bool requests_pool_has_free(const struct requests *r, const uint32_t *pools, uint32_t exchange,
	int64_t from, int64_t until);

#endif
