/* Datagrams: UDP packets that nothing identifies but their addresses, ports and length, as over
 * IPv6 and without an identification in the IP header. They are matched when all is read:
 *
 * - What was sent once and received once in the whole recording is one message.
 * - Where more of the same were sent, the other messages between the two hosts say what could have
 *   been sent before what. A receive belongs to a send if it is the only one that could have come
 *   after it and cannot have come after the next. Where none or several could, something was lost
 *   or overtaken: for a second from there on nothing is concluded.
 * - A host that received and sent it is a router: one message to it, one from it (match.h). Several
 *   routers, or several hosts at which it ends, are not told apart.
 *
 * A wrong pair of the second kind still says something true as a rule: that the later one of two
 * packets had been sent when the earlier one arrived is what the other messages said before. */
#ifndef MER_SYNC_MATCH_DATAGRAMS_H
#define MER_SYNC_MATCH_DATAGRAMS_H

#include "sync/match/end.h"

/* Is it one of these, and not for the matcher? */
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
