/* Covers: for each flow, the bytes of the last packet that was segmented or merged on its way.
 *
 * Bytes that were sent as several packets and arrived as one, or the other way round, are done
 * with: the parts are not messages of their own. A table of fixed size; a flow that hashes to the
 * place of another one replaces it. */
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
/* Is e a part of the flow's last segmented or merged packet? */
bool sync_is_within_cover(const struct sync_covers *c, const struct sync_end *e);
/* Is e done with? Not if the host that received the bytes forwards them, nor where those are
 * received. */
bool sync_is_covered(const struct sync_covers *c, const struct sync_end *e);

#endif
