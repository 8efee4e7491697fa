/* Datagrams: UDP packets that are identified only by their addresses, ports and length, as over
 * IPv6 or without an identification in the IP header. They are matched after all events have been
 * read:
 *
 * - What was sent once and received once in the whole recording is one message.
 * - Of several equal ones, the other messages between the two hosts limit which receive can follow
 *   which send. A receive belongs to a send if it is the only one that can follow it and cannot
 *   follow the next send. If none or several can, a packet was lost or overtaken: for one second
 *   from there on nothing is matched.
 * - A host that received and sent it is a router: one message to it, one from it (match.h). With
 *   several routers, or several receivers at the end, nothing is matched.
 *
 * Even a wrong pair of the second kind usually states something true: it does not go beyond what
 * the other messages imply. */
#ifndef MER_SYNC_MATCH_DATAGRAMS_H
#define MER_SYNC_MATCH_DATAGRAMS_H

#include "sync/match/end.h"

/* Is it such a datagram, which the matcher does not handle? */
static inline bool sync_is_datagram(const struct sync_end *e)
{
	return e->kind == SYNC_UDP && !e->id;
}

struct sync_datagrams {
	struct sync_datagram *ends; /* a block of the messages' spill */
	size_t n, cap;
};

void sync_datagrams_fini(struct sync_datagrams *d);
int sync_datagrams_add(struct sync_datagrams *d, struct sync_messages *m, const struct sync_end *e,
	struct mer_err *err);
/* After all other messages were added to m. */
int sync_datagrams_match(struct sync_datagrams *d, struct sync_messages *m, struct mer_err *err);

#endif
