/* Routes: which flows reach a host through another recorded host, a router or a bridge.
 *
 * The order in which hosts are read is only roughly that of time. So a packet may be seen at its
 * last host before the router, as if it came directly from the first host. Once the route of a flow
 * is known, its receives wait for the send of the router. If too many wait in vain, the route has
 * changed and is not used again. */
#ifndef MER_SYNC_MATCH_ROUTES_H
#define MER_SYNC_MATCH_ROUTES_H

#include <stdbool.h>
#include <stdint.h>
#include "base/map.h"

struct sync_routes {
	struct mer_map map; /* addresses << 32 | host -> number of the route + 1 */
	struct sync_route *routes;
	uint32_t n, cap;
};

void sync_routes_fini(struct sync_routes *r);
/* Notes that host `by` forwards packets between these addresses (as in struct sync_end) to the
 * host. False: no memory. */
bool sync_routes_learn(struct sync_routes *r, uint32_t addresses, uint32_t host, uint32_t by);
/* Must a receive on the host, which `from` may have sent, wait for the send of a router? If so, it
 * is counted as waiting. */
bool sync_routes_hold(struct sync_routes *r, uint32_t addresses, uint32_t host, uint32_t from);
/* A waiting receive has got its send. */
void sync_routes_release(struct sync_routes *r, uint32_t addresses, uint32_t host);

#endif
