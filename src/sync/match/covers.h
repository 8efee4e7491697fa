/* Covers: of each flow, the bytes of its last packet that was cut or merged on the way.
 *
 * What has arrived as one packet and was seen as several, or the other way, is done with: its parts
 * are no messages of their own. A table of a fixed size; a flow that hashes to the place of another
 * one takes it. */
#ifndef MER_SYNC_MATCH_COVERS_H
#define MER_SYNC_MATCH_COVERS_H

#include "sync/match/end.h"

enum { SYNC_COVERS = 1024 };

struct sync_covers { /* zeroed: none */
	struct sync_cover {
		/* Bytes [begin, end) of the flow are done with, up to the host that has them. */
		uint32_t addresses, ports, begin, end, host;
	} of[SYNC_COVERS];
};

/* Bytes [begin, end) of the end's flow have arrived at this host. */
void sync_cover(struct sync_covers *c, const struct sync_end *flow, uint32_t begin, uint32_t end,
	uint32_t host);
/* Is it a part of the flow's last cut or merged packet? */
bool sync_is_within_cover(const struct sync_covers *c, const struct sync_end *e);
/* Is it done with? What the host that has it sends on, and where that is received, is not. */
bool sync_is_covered(const struct sync_covers *c, const struct sync_end *e);

#endif
