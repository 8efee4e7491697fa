#include "sync/match/routes.h"

#include <stdlib.h>

#include "base/grow.h"

enum { MAX_HELD = 64 };	      /* receives that wait; with more, the route was wrong */
enum { NOBODY = UINT32_MAX }; /* host */

struct sync_route {
	uint32_t by;	 /* the last host that forwards it; NOBODY: the route was wrong */
	uint32_t n_held; /* receives that wait for its send */
};

void sync_routes_fini(struct sync_routes *r)
{
	mer_map_fini(&r->map);
	free(r->routes);
}

/* NULL: none is known. */
static struct sync_route *find(const struct sync_routes *r, uint32_t addresses, uint32_t host)
{
	const uint32_t *i = r->n ? mer_map_get(&r->map, (uint64_t)addresses << 32 | host) : NULL;
	return i ? &r->routes[*i - 1] : NULL;
}

bool sync_routes_learn(struct sync_routes *r, uint32_t addresses, uint32_t host, uint32_t by)
{
	struct sync_route *known = find(r, addresses, host);
	if (known) {
		known->by = known->by == NOBODY ? NOBODY : by;
		return true;
	}
	if (!mer_grow32(&r->routes, r->n, &r->cap, sizeof(*r->routes)))
		return false;
	uint32_t *i = mer_map_put(&r->map, (uint64_t)addresses << 32 | host);
	if (!i)
		return false;
	r->routes[r->n++] = (struct sync_route){ .by = by };
	*i = r->n;
	return true;
}

bool sync_routes_hold(struct sync_routes *r, uint32_t addresses, uint32_t host, uint32_t from)
{
	struct sync_route *known = find(r, addresses, host);
	if (!known || known->by == NOBODY || known->by == from)
		return false;
	if (++known->n_held > MAX_HELD)
		known->by = NOBODY;
	return known->by != NOBODY;
}

void sync_routes_release(struct sync_routes *r, uint32_t addresses, uint32_t host)
{
	struct sync_route *known = find(r, addresses, host);
	if (known && known->n_held)
		known->n_held--;
}
