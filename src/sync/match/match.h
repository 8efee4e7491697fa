/* Match: pairs ends to messages.
 *
 * A wrong message is worse than a missed one: it moves a clock, and nobody sees why. The rules:
 *
 * - Two ends are of one message when they agree in all that both know (end.h). Where address
 *   translation may have changed addresses and ports, an acknowledgement number, an identification
 *   and a length that agree stand in for them.
 * - A key is matched once. What comes later with a key that was matched is a duplicate, for as long
 *   as the key is remembered (pending.h).
 * - Sent again from the same host: the same packet on a lower device if it has the same
 *   identification, or none and comes within DEVICE_NS; then the later time counts, which is closer
 *   to the wire. Else it is a retransmission, and the first time counts: whatever is received, was
 *   received after it.
 * - Of several receives, on one host or on several, the first one counts.
 * - What a host sends on after it has received it (a router, a bridge, a hypervisor) is one message
 *   to it and one from it: each receives what the one before it has sent. Where the last one
 *   is read too early, routes.h.
 * - Identifications of UDP and ICMP are used again soon. Sent twice, or received twice, before the
 *   other end was seen: nobody can tell which is which, the key is not matched any more. After a
 *   match the key may be used again. TCP without an identification that is received twice before
 *   its send was seen is also given up: the first send may never have been recorded. Keys of
 *   hypercalls and of users' messages have to be unique, else they are given up in the same way.
 * - Messages of a host to itself (loopback, containers) have no place in the order above, because a
 *   host also sees what it sends to others on its own bridges. So a receive on the sending host is
 *   only noted, and becomes a message when the packet is sent again there (a hop between devices),
 *   or when the send is forgotten without having been received elsewhere - unless its destination
 *   address is known to be another host's: then it was lost on its way there. Received again at
 *   once, on a device further up, the later time counts. Between loopback addresses, where nothing
 *   else can come, the send is forgotten after a tenth of a second.
 * - Segments that an interface cut or merged do not agree in their length and flags. A receive and
 *   a send of the same flow that begin with the same byte (and acknowledgement and identification),
 *   or end with the same byte, are a message all the same: the first sending of a byte precedes
 *   every receipt of it. Of a big packet that was cut, its first part is matched; of a merged one,
 *   the last part. The other parts are counted as duplicates.
 *
 * Who owns an address is learned from matches: it is the source of what a host sends, and has not
 * received before. */
#ifndef MER_SYNC_MATCH_MATCH_H
#define MER_SYNC_MATCH_MATCH_H

#include "sync/match/end.h"

struct sync_matcher;

struct sync_match { /* a message just found, times as in struct sync_message */
	bool found;
	uint32_t from, to;
	int64_t sent, received;
};

/* max_pending: messages that may be waited for or remembered; 0: 2^20. m is borrowed. */
int sync_matcher_new(struct sync_messages *m, size_t max_pending, struct sync_matcher **matcher,
	struct mer_err *err);
void sync_matcher_free(struct sync_matcher *);

/* Ends of one host must come in the order of their times; those of different hosts should, as far
 * as it is known. match is filled in any case. */
int sync_matcher_add(struct sync_matcher *, const struct sync_end *e, struct sync_match *match,
	struct mer_err *err);
/* After the last end. */
int sync_matcher_finish(struct sync_matcher *, struct mer_err *err);

/* Hints that this end comes about 16 and 8 ends later. */
void sync_matcher_expect(const struct sync_matcher *, const struct sync_end *e);
void sync_matcher_expect_soon(const struct sync_matcher *, const struct sync_end *e);

/* Keys that were given up because they were used twice at a time. */
uint64_t sync_matcher_doubtful(const struct sync_matcher *, enum sync_kind kind);

#endif
