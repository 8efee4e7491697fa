/* Routes: which flows reach a host through another recorded one, a router or a bridge.
 *
 * Hosts are read in an order that is only roughly that of time, so a packet may be seen at its last
 * host before it was seen at the one between, as if it came straight from the first. Once it is
 * known that it did not, the receives of that flow wait for the one that sends it on. If too many
 * wait in vain, the route was another one: it is not believed again. */
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
/* What goes between these addresses (as in struct sync_end) is sent on to the host by this one.
 * False: no memory. */
bool sync_routes_learn(struct sync_routes *r, uint32_t addresses, uint32_t host, uint32_t by);
/* A receive on the host, which the host `from` may have sent: must it wait for another one, that
 * sends it on? Counts it as waiting then. */
bool sync_routes_hold(struct sync_routes *r, uint32_t addresses, uint32_t host, uint32_t from);
/* One that waited has got its send. */
void sync_routes_release(struct sync_routes *r, uint32_t addresses, uint32_t host);

#endif
