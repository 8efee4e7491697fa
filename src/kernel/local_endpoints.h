/* Local endpoints: which endpoint of a host a peer's packets go to. What only knows its peer, as
 * an accepted descriptor does, finds its own address so. */
#ifndef MER_KERNEL_LOCAL_ENDPOINTS_H
#define MER_KERNEL_LOCAL_ENDPOINTS_H

#include "base/map.h"
#include "kernel/world.h"

struct kernel_local_endpoints { /* zeroed, but for w */
	const struct kernel_world *w;
	struct mer_map local_of; /* host and remote endpoint -> local endpoint; 0: several */
	bool is_filled;
};

/* *local: of TCP packets between the host and that endpoint; 0: none, or several. False: no
 * memory. */
bool kernel_local_endpoint(
	struct kernel_local_endpoints *l, uint32_t host, uint32_t remote, uint32_t *local);
void kernel_local_endpoints_fini(struct kernel_local_endpoints *l);

/* Of the connection between two endpoints, whichever comes first. */
static inline uint64_t kernel_endpoints_key(uint32_t a, uint32_t b)
{
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

#endif
