/* Packets of parts (parts.h): facts that know both ends only where the files are together. */
#ifndef MER_STORE_PARTS_PACKETS_H
#define MER_STORE_PARTS_PACKETS_H

#include "analysis/facts/packet.h"
#include "store/parts.h"

struct store_packets { /* by host: blocks of the world's spill */
	struct packet **of;
	size_t *n;
};

/* number: of the kind, in the files. w: the world of all of them. MER_ERR_INPUT: some are damaged.
 * store_packets_fini in any case. */
int store_packets_join(struct store_packets *p, const struct store_parts *parts, uint32_t number,
	const struct kernel_world *w, struct mer_err *err);
void store_packets_fini(struct store_packets *p, uint32_t n_hosts);

#endif
